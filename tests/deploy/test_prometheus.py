"""A real Prometheus watches a real club: a fault calls, and when it is mended nobody is called any more."""

from pathlib import Path

import pytest
import yaml

from deploy.monitoring.__main__ import main
from deploy.monitoring.rules import rules, spec
from tests.support.full_club import full_club
from tests.support.prometheus import PROMETHEUS, prometheus
from tests.support.seen_club import SERVICES
from tests.support.waiting import until

OF_A_BUSY_MACHINE = {"LevataLoopLags", "LevataMethodSlow", "LevataPublishesSlow", "LevataBotTurnsWait"}
"""A machine that has other things to do may bring these about, and they are right then."""
TABLES = 3


def test_a_local_club_is_watched_where_it_shows_its_figures(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, value in (("TABLES", "2"), ("EDGE", "1"), ("BOT_METRICS_PORT", "9103")):
        monkeypatch.setenv(f"LEVATA_{name}", value)
    assert main(["prometheus", str(tmp_path / "prometheus")]) == 0
    assert str(tmp_path / "prometheus" / "prometheus.yaml") in capsys.readouterr().out
    written = yaml.safe_load((tmp_path / "prometheus" / "prometheus.yaml").read_text())
    scraped = {job["job_name"]: job["static_configs"][0]["targets"] for job in written["scrape_configs"]}
    assert scraped == {
        "table": ["127.0.0.1:7101", "127.0.0.1:7111"],
        "matchmaking": ["127.0.0.1:7102"],
        "bot": ["127.0.0.1:9103"],
        "ledger": ["127.0.0.1:7104"],
        "edge": ["127.0.0.1:7180"],
    }
    assert yaml.safe_load((tmp_path / "prometheus" / "rules.yaml").read_text()) == spec()


@pytest.mark.skipif(PROMETHEUS is None, reason="Prometheus is not installed (Debian's package `prometheus`)")
@pytest.mark.timeout(240)
async def test_bots_that_are_gone_call_for_somebody_until_they_are_back(tmp_path: Path) -> None:
    async with full_club(tmp_path / "club", table={"bot_milliseconds": 700}) as club:
        targets = {name: [club.service(name).metrics_address] for name in SERVICES}
        async with prometheus(tmp_path / "prometheus", targets) as seen:

            async def all_up() -> bool:
                health = {one["labels"]["job"]: one["health"] for one in (await seen.ask("targets"))["activeTargets"]}
                return health == dict.fromkeys(SERVICES, "up")

            async def worked_out() -> bool:
                loaded = [rule for group in (await seen.ask("rules"))["groups"] for rule in group["rules"]]
                assert sorted(rule["name"] for rule in loaded) == sorted(rule.name for rule in rules())
                assert {rule.get("lastError", "") for rule in loaded} == {""}
                return {rule["health"] for rule in loaded} == {"ok"}

            async def played() -> bool:
                return await seen.value('sum(namespace_game_by:levata_table_actions:rate5m{by="bot"})') > 0

            await until(all_up, 20, "all targets are up")
            await until(worked_out, 20, "all rules are worked out")
            await club.exhibition(3)
            await until(played, 20, "the actions of the bots are counted")
            assert set(await seen.firing()) <= OF_A_BUSY_MACHINE

            # The fault: the bots die, and tables at which only bots sit go on by themselves.
            await club.service("bot").crash()
            for _ in range(TABLES):
                await club.exhibition(3)

            async def called() -> bool:
                return {"LevataBotsDoNotAnswer", "LevataServiceDown"} <= set(await seen.firing())

            await until(called, 40, "the bots are missed")
            firing = await seen.firing()
            assert firing["LevataServiceDown"]["labels"]["job"] == "bot"
            annotations = firing["LevataBotsDoNotAnswer"]["annotations"]
            assert annotations["summary"].startswith("Tables play ")
            assert annotations["runbook_url"].endswith("#levatabotsdonotanswer")
            assert not set(firing) & {"LevataTablesFrozen", "LevataCallsFail", "LevataDeadLetters"}

            # And it is mended.
            await club.start_bots("bot", metrics_listen=targets["bot"][0])

            async def well() -> bool:
                return set(await seen.firing()) <= OF_A_BUSY_MACHINE

            await until(well, 90, "nobody is called any more")
            assert await seen.value("sum(levata_bot_turns_total{outcome='answered'})") > 0
