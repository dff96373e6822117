"""NATS as the club uses it: its configuration, and the making of its streams."""
