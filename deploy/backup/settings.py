"""What a backup and a restore are told by their environment where they do not run beside a local club."""

from pathlib import Path

from pydantic import Field

from deploy.club_settings import ClubSettings


class BackupSettings(ClubSettings):
    """Settings of `levata backup` and `levata restore`."""

    backup_directory: Path | None = Field(
        None, description="Where backups are; for a command that is not told, it is a series."
    )
    backup_keep: int = Field(42, ge=1, description="So many backups of a series are kept: the newest.")
    backup_name: str = Field("", description="The backup of a series to restore; empty: the newest.")
    restore_database: bool = Field(True, description="Restore the database too; else it has been by other means.")
