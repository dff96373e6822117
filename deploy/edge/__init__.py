"""The edge: what apps and browsers talk to, before the services."""
