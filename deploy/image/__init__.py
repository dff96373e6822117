"""The image: one for all services, and what it runs."""
