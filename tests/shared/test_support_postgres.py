"""The PostgreSQL that tests run on."""

from pathlib import Path

import asyncpg
import pytest

from tests.support import postgres as support
from tests.support.postgres import PostgresServer, postgres_server


async def test_a_database_keeps_what_was_committed_when_the_server_is_killed(postgres: PostgresServer) -> None:
    url = (await postgres.create_database("ledger")).replace("+asyncpg", "")
    connection = await asyncpg.connect(url)
    await connection.execute("CREATE TABLE entry (points int)")
    await connection.execute("INSERT INTO entry VALUES (7)")
    await postgres.kill()
    await postgres.start()
    connection = await asyncpg.connect(url)
    assert await connection.fetchval("SELECT points FROM entry") == 7
    await connection.close()


async def test_the_wheel_serves_where_nothing_is_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    wheels = [folder for folder in support._wheel_folders() if (folder / "postgres").exists()]
    if not wheels:
        pytest.skip("the wheel is not installed here")
    monkeypatch.setattr(support, "postgres_folder", lambda: Path(wheels[0]))
    async with postgres_server() as server:
        connection = await asyncpg.connect(server.url().replace("+asyncpg", ""))
        assert await connection.fetchval("SELECT 1") == 1
        await connection.close()
