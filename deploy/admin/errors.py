"""What an operator is told instead of a traceback."""


class AdminError(Exception):
    """Something could not be done; the message says what, and what to do."""
