"""What the manifests refer to and do not make: secrets, and public keys that come with them.

Nothing here says how it gets into the cluster. `python -m deploy.kubernetes.secrets` makes all of it as files; a store
of secrets may hold the same under the same names and keys.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from deploy.local.secrets import JWKS, NATS_USERS, SIGNING_KEY, TURN_KEY

SERVICES: Final = ("table", "matchmaking", "bot", "ledger")
PEER: Final = "peer"
"""The user that servers of NATS let each other in as."""


@dataclass(frozen=True, slots=True)
class Outside:
    """A Secret or ConfigMap that has to be there.

    Attributes:
        kind: Which of the two.
        name: Its name in the club's namespace.
        files: The file behind each of its keys, as the command makes it.
    """

    kind: Literal["Secret", "ConfigMap"]
    name: str
    files: Mapping[str, str]


def password_file(user: str) -> str:
    """File of a user's password at NATS."""
    return f"nats/{user}.password"


def hash_file(user: str) -> str:
    """File of the hash that NATS compares a user's password with."""
    return f"nats/{user}.hash"


OUTSIDE: Final[Sequence[Outside]] = (
    Outside("ConfigMap", "levata-jwks", {JWKS: f"keys/{JWKS}"}),
    Outside("Secret", "levata-signing-key", {SIGNING_KEY: f"keys/{SIGNING_KEY}"}),
    Outside("Secret", "levata-turn-key", {TURN_KEY: f"keys/{TURN_KEY}"}),
    *(
        Outside("Secret", f"levata-token-{name}", {f"service-{name}.jwt": f"keys/service-{name}.jwt"})
        for name in SERVICES
    ),
    *(Outside("Secret", f"levata-nats-{user}", {"password": password_file(user)}) for user in NATS_USERS),
    Outside("Secret", "levata-nats-hashes", {user: hash_file(user) for user in NATS_USERS}),
    Outside("Secret", "levata-nats-peer", {"password": password_file(PEER)}),
)
"""Made by the command."""

DATABASE: Final = Outside("Secret", "levata-database", {"url": ""})
"""Where the ledger's database is and how one gets in, if it is not the component `postgres` that provides it."""

OPERATORS: Final[Mapping[str, Mapping[str, tuple[str, ...]]]] = {"Cluster": {"-app": ("uri",)}}
"""Secrets that an operator makes for a custom resource: by its kind, the ending after its name, and the keys."""
