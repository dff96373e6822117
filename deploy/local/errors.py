"""What can stand in the way of a local club."""


class LocalError(Exception):
    """The club cannot start or stop; the message says why and what to do, in words for whoever typed the command."""
