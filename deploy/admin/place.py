"""Where the club is that an operator looks after: as the environment says, or the one that is up on this machine."""

import getpass
import os
from pathlib import Path
from typing import Final

import msgspec
from pydantic import SecretStr, ValidationError

from deploy.admin.errors import AdminError
from deploy.club_settings import ClubSettings
from deploy.local.instance import OperatorAccess, operator_access

USER: Final = "operator"
IN_A_POD: Final = "KUBERNETES_SERVICE_HOST"
"""A variable that Kubernetes gives every container."""


def settings(state: Path | None) -> ClubSettings:
    """What is needed to get at the club.

    Args:
        state: State directory of a local club; None: as `LEVATA_STATE` says, or `.state`.

    Raises:
        AdminError: No club is named, and none is up on this machine.
    """
    try:
        told = ClubSettings()
    except ValidationError as error:
        wrong = "; ".join(f"LEVATA_{'.'.join(map(str, one['loc'])).upper()}: {one['msg']}" for one in error.errors())
        raise AdminError(f"the settings are not right: {wrong}") from error
    if told.nats_user is not None and state is None:
        return told
    folder = state or Path(os.environ.get("LEVATA_STATE") or ".state")
    try:
        access = operator_access(folder)
    except FileNotFoundError as error:
        raise AdminError(
            f"no club is up from {folder}. Start it (`make up`), name the state directory of another (--state), or say "
            "where a club is: LEVATA_NATS_URL, LEVATA_NATS_USER=operator, LEVATA_NATS_PASSWORD, LEVATA_DATABASE_URL"
        ) from error
    except (OSError, msgspec.DecodeError) as error:
        raise AdminError(f"what the club in {folder} left for operators cannot be read: {error}") from error
    return _local(told, access)


def _local(told: ClubSettings, access: OperatorAccess) -> ClubSettings:
    return told.model_copy(
        update={
            "nats_url": access.nats_url,
            "nats_user": USER,
            "nats_password": SecretStr(access.nats_password),
            "database_url": SecretStr(access.database_url),
        }
    )


def login_name() -> str:
    """The name of whoever is logged in; empty where the system cannot know: in a pod everybody has the same."""
    if IN_A_POD in os.environ:
        return ""
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return f"uid-{os.getuid()}"
