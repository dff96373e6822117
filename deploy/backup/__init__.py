"""Backup and restore of a club: its streams and its database, together."""
