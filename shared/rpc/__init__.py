"""What gRPC servers and channels of the services have in common."""
