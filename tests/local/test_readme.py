"""The README says what is so."""

import re
import tomllib
from pathlib import Path

import pytest

from deploy.local.settings import LocalSettings

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text()
MAKEFILE = (ROOT / "Makefile").read_text()


def test_every_link_leads_somewhere() -> None:
    links = re.findall(r"\]\(([^)#]+)\)", README)
    assert len(links) > 8
    assert [link for link in links if not (ROOT / link).exists()] == []


def test_every_make_target_named_is_there() -> None:
    targets = set(re.findall(r"^([a-z]+):.*## ", MAKEFILE, re.MULTILINE))
    named = set(re.findall(r"\bmake ([a-z]+)\b(?! a | tables)", " ".join(re.findall(r"`[^`]*`|^\$ .*$", README, re.M))))
    assert {"up", "play", "demo", "test", "check", "down"} <= named
    assert named <= targets


def test_every_variable_for_a_local_club_is_one_of_its_settings() -> None:
    named = {name for name in re.findall(r"LEVATA_([A-Z_]+[A-Z])", README) if name.endswith("_PORT") or name == "STATE"}
    assert {"TABLE_PORT", "NATS_PORT", "STATE"} <= named
    assert named <= {name.upper() for name in LocalSettings.model_fields}


@pytest.mark.parametrize("service", ["table", "matchmaking", "bot", "ledger"])
def test_the_default_ports_are_those_of_the_picture(service: str) -> None:
    assert f"{service} :{LocalSettings.model_fields[f'{service}_port'].default}" in README


def test_the_python_version_is_that_of_the_package() -> None:
    wanted = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["requires-python"].removeprefix(">=")
    assert f"Python {wanted} or later" in README
    assert f"Python {wanted} or later" in (ROOT / "deploy" / "setup.sh").read_text()
