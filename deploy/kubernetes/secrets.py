"""Makes every secret that a club on a cluster wants: `python -m deploy.kubernetes.secrets --out DIR`.

What is in DIR already stays, so the command may be repeated. In the end there are

    keys/, nats/         the secrets as files, for a store of secrets
    secrets.yaml         the same as manifests, for `kubectl apply -f`
    kustomization.yaml   the same as a component of an overlay

All of it is readable by its owner only, and belongs in no repository.
"""

import argparse
import base64
import secrets
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import bcrypt
import yaml

from deploy.kubernetes.inventory import OUTSIDE, PEER, hash_file, password_file
from deploy.local.errors import LocalError
from deploy.local.secrets import NATS_PASSWORDS, SIGNING_KEY, TURN_KEY, prepare, write_secret

ROTATED: Final = {
    "signing-key": f"keys/{SIGNING_KEY}",
    "turn-key": f"keys/{TURN_KEY}",
    "nats": f"keys/{NATS_PASSWORDS}",
}
"""What can be made anew, and the file without which there is nothing to make anew."""
HASH_ROUNDS: Final = 8
"""The passwords are random and long: the work that makes guessing short ones slow would only slow NATS down, when all
services come back to it at once."""
COMPONENT: Final = "kustomize.config.k8s.io/v1alpha1"


def make(out: Path, rotate: Sequence[str] = (), namespace: str = "levata") -> None:
    """Makes what is missing in `out`.

    Args:
        out: The directory; made if need be.
        rotate: Which of `ROTATED` to make anew.
        namespace: Where the manifests go.

    Raises:
        LocalError: Keys could not be made or read, or what is to be made anew is not there.
        OSError: A file cannot be written.
    """
    for one in rotate:
        if not (out / ROTATED[one]).is_file():
            raise LocalError(
                f"there is nothing to rotate in {out}: {ROTATED[one]} is missing. Name the folder that holds the set; "
                "without --rotate the command makes a set, or what is missing of one"
            )
    out.mkdir(parents=True, exist_ok=True, mode=0o700)
    _remove(out, rotate)
    made = prepare(out)
    (out / "nats").mkdir(exist_ok=True, mode=0o700)
    for user, password in made.nats_passwords.items():
        write_secret(out / password_file(user), password.encode())
        _write_hash(out / hash_file(user), password.encode())
    peer = out / password_file(PEER)
    if not peer.exists():
        # It begins with a letter, or NATS might take it for a number.
        write_secret(peer, f"p{secrets.token_hex(24)}".encode())
    manifests = [_manifest(out, namespace, one.kind, one.name, one.files) for one in OUTSIDE]
    write_secret(out / "secrets.yaml", yaml.safe_dump_all(manifests, sort_keys=False).encode())
    write_secret(out / "kustomization.yaml", yaml.safe_dump(_component(), sort_keys=False).encode())


def _remove(out: Path, rotate: Sequence[str]) -> None:
    """Removes what is to be made anew."""
    keys = out / "keys"
    if "signing-key" in rotate and keys.exists():
        command = [sys.executable, "-m", "services.ledger", "keys", "--out", str(keys), "--rotate"]
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise LocalError(f"The keys in {keys} could not be made anew:\n{done.stderr.strip()}")
    if "turn-key" in rotate:
        (keys / TURN_KEY).unlink(missing_ok=True)
    if "nats" in rotate:
        (keys / NATS_PASSWORDS).unlink(missing_ok=True)
        (out / password_file(PEER)).unlink(missing_ok=True)


def _write_hash(path: Path, password: bytes) -> None:
    """Writes a hash of the password, unless there is one: so a repetition changes nothing."""
    if path.exists() and bcrypt.checkpw(password, path.read_bytes()):
        return
    # Of all spellings of the same, NATS reads this one from the environment.
    write_secret(path, bcrypt.hashpw(password, bcrypt.gensalt(HASH_ROUNDS, prefix=b"2a")))


def _manifest(out: Path, namespace: str, kind: str, name: str, files: Mapping[str, str]) -> dict[str, Any]:
    contents = {key: (out / file).read_bytes() for key, file in files.items()}
    data = {
        key: base64.b64encode(content).decode() if kind == "Secret" else content.decode()
        for key, content in contents.items()
    }
    metadata = {"name": name, "namespace": namespace, "labels": {"app.kubernetes.io/part-of": "levata"}}
    return {"apiVersion": "v1", "kind": kind, "metadata": metadata, "data": data}


def _component() -> dict[str, Any]:
    """A component that makes the same of the files; names end with a hash, so pods start anew when a secret changes."""
    generators: dict[str, list[dict[str, Any]]] = {"Secret": [], "ConfigMap": []}
    for one in OUTSIDE:
        generators[one.kind].append({"name": one.name, "files": [f"{key}={file}" for key, file in one.files.items()]})
    return {
        "apiVersion": COMPONENT,
        "kind": "Component",
        "secretGenerator": generators["Secret"],
        "configMapGenerator": generators["ConfigMap"],
    }


def main(arguments: Sequence[str] | None = None) -> int:
    """The command; its exit code."""
    parser = argparse.ArgumentParser(prog="python -m deploy.kubernetes.secrets", description="Makes all secrets.")
    parser.add_argument("--out", type=Path, required=True, metavar="DIR", help="where; what is there already stays")
    parser.add_argument("--namespace", default="levata", help="of secrets.yaml (default: levata)")
    parser.add_argument(
        "--rotate", action="append", default=[], choices=tuple(ROTATED), help="make this one of the set in DIR anew"
    )
    asked = parser.parse_args(arguments)
    try:
        make(asked.out, asked.rotate, asked.namespace)
    except (LocalError, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    print(f"The secrets are in {asked.out}: for their owner only, and for no repository.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
