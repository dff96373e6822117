"""What goes wrong with a backup, for people."""


class BackupError(Exception):
    """A backup cannot be taken, or cannot be used; the message says why, and what to do."""


class DamagedBackupError(BackupError):
    """The backup is not what was written when it was taken."""
