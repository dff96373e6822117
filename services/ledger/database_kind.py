"""Which kind of database a URL is of; without anything that opens one, for who only reads the settings."""

import re
from typing import Final, Literal

Kind = Literal["sqlite", "postgresql"]

NO_DATABASE: Final = "this is no URL of a database, such as postgresql://user:secret@host/name"
_SCHEMES: Final[dict[str, Kind]] = {"sqlite": "sqlite", "postgresql": "postgresql", "postgres": "postgresql"}


def database_kind(url: str) -> Kind:
    """The kind of database. Raises `ValueError` for one that the ledger does not work with, and for what is no URL."""
    scheme = re.match(r"([\w.]+)(\+[\w.]+)?:/", url)
    if scheme is None:
        raise ValueError(NO_DATABASE)
    kind = _SCHEMES.get(scheme[1])
    if kind is None:
        raise ValueError(f"the ledger keeps its data in SQLite or PostgreSQL, not in {scheme[1]!r}")
    return kind
