"""The club on a cluster: its manifests, its secrets, and what is checked of both."""
