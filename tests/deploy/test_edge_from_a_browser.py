"""A client as a browser has one (gRPC-Web in Node) at an edge before real services."""

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from shared.gen.levata.table.v1 import table_pb2
from tests.support.edge import Edge, edge_before
from tests.support.full_club import FullClub, full_club
from tests.support.node import node_with
from tests.support.tokens import TokenIssuer

WEB = Path(__file__).with_name("web")
PROTOS = Path(__file__).parents[2] / "protos"
PLAY_SECONDS = 100
PAGE = "http://localhost:3000"


@pytest.fixture(scope="module")
def web() -> Path:
    """The client with its packages and stubs."""
    node_with(WEB)
    buf = Path(sys.executable).with_name("buf")
    subprocess.run([str(buf), "generate", str(PROTOS)], cwd=WEB, check=True, timeout=120)
    return WEB


@pytest.fixture
async def club(tmp_path: Path) -> AsyncIterator[FullClub]:
    async with full_club(tmp_path) as running:
        yield running


@pytest.fixture
async def door(club: FullClub, tmp_path: Path) -> AsyncIterator[Edge]:
    async with edge_before(club, tmp_path / "edge") as running:
        yield running


async def browser(web: Path, door: Edge, task: str, page: str = PAGE, **environment: str) -> Any:
    """What the client says of a task, from a page of that origin."""
    process = await asyncio.create_subprocess_exec(
        "node",
        *("club.mjs", f"http://{door.address}", page, task),
        cwd=web,
        env={**os.environ, **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    try:
        async with asyncio.timeout(PLAY_SECONDS):
            out, err = await process.communicate()
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    assert process.returncode == 0, err.decode()
    return json.loads(out)


async def test_a_browser_signs_in_sits_down_and_plays_a_match_to_its_end(web: Path, club: FullClub, door: Edge) -> None:
    told = await browser(web, door, "match")
    assert told["allowed"] == PAGE
    assert (told.get("status"), told.get("standings")) == ("finished", 3), told
    assert told["acted"] > 50
    async with club.guest("Ana") as ana:
        seen = await ana.club.tables.GetTable(table_pb2.GetTableRequest(table_id=told["table"]))
    assert seen.update.table.status == table_pb2.TABLE_STATUS_FINISHED


async def test_a_browser_that_drops_and_resumes_misses_nothing_and_sees_nothing_twice(web: Path, door: Edge) -> None:
    told = await browser(web, door, "dropping")
    assert (told.get("status"), told.get("resumed"), told.get("repeats")) == ("finished", 8, 0), told


async def test_a_browser_is_told_why_it_is_refused(web: Path, door: Edge, tmp_path: Path) -> None:
    stranger = await browser(web, door, "stranger")
    assert (stranger["allowed"], stranger["refused"], stranger["reason"]) == (PAGE, "Unauthenticated", "TOKEN_INVALID")
    foreign_token = TokenIssuer(tmp_path / "foreign").token("player-1", "Ana")
    foreign = await browser(web, door, "foreign", FOREIGN_TOKEN=foreign_token)
    assert (foreign["refused"], foreign["reason"]) == ("Unauthenticated", "TOKEN_INVALID")
    elsewhere = await browser(web, door, "match", page="https://elsewhere.example")
    assert (elsewhere["allowed"], elsewhere["refused"]) == (None, "PermissionDenied")
    assert elsewhere["reason"] == "ORIGIN_FORBIDDEN"
