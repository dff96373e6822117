"""The whole club on one machine: NATS and the four services, started, watched and stopped by one process."""
