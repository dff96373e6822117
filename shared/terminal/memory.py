"""The table that this device's player last sat at, so that the seat is found again."""

import json
from pathlib import Path


class TableMemory:
    """One table id in a file. A file that cannot be read or written costs the memory, nothing else."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def table(self, player_id: str) -> str | None:
        """The table at which `player_id` has a seat, as far as is remembered."""
        try:
            kept = json.loads(self._path.read_text())
        except (OSError, ValueError):
            return None
        if not isinstance(kept, dict) or kept.get("player_id") != player_id:
            return None
        table_id = kept.get("table_id")
        return table_id if isinstance(table_id, str) else None

    def remember(self, player_id: str, table_id: str) -> None:
        """Keeps a table in place of the one before."""
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            fresh = self._path.with_suffix(".fresh")
            fresh.write_text(json.dumps({"player_id": player_id, "table_id": table_id}))
            fresh.replace(self._path)
        except OSError:
            return

    def forget(self, table_id: str) -> None:
        """Forgets a table, if it is the one that is kept."""
        try:
            if json.loads(self._path.read_text()).get("table_id") == table_id:
                self._path.unlink()
        except (OSError, ValueError, AttributeError):
            return
