"""The club in a terminal: a client of the public contract, for people."""
