"""Matches that are played while processes of the club are killed, and all that has to hold of them afterwards."""

import asyncio
import random
from collections.abc import Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from pathlib import Path

from shared.bus import Bus
from shared.gen.levata.ledger.v1 import ledger_pb2
from shared.gen.levata.table.v1 import table_pb2
from tests.support.bad_line import bad_line
from tests.support.chaos_club import ChaosClub
from tests.support.guests import Guest
from tests.support.proofs import (
    check_accepted,
    check_hall_of_fame,
    check_match,
    check_record,
    hall_of_fame,
    posted,
    read_log,
    record_of,
)
from tests.support.waiting import until

PROGRESS_SECONDS = 120.0
"""Play goes on within this, whatever was killed."""

MISHAPS = ("table frozen", "Traceback")
"""What no log may have, whatever was killed."""


@dataclass
class Night:
    """Matches that follow one another while processes die.

    Attributes:
        club: Where.
        game: What is played.
        guests: All who play.
        over: The killing is over; who plays finishes the match at hand.
        tables: Tables at their end, with those who played at them.
    """

    club: ChaosClub
    game: str
    guests: Sequence[Guest]
    over: asyncio.Event = field(default_factory=asyncio.Event)
    tables: list[tuple[table_pb2.Table, list[Guest]]] = field(default_factory=list)

    def accepted(self) -> int:
        """Actions that were accepted so far, by all."""
        return sum(len(actions) for guest in self.guests for actions in guest.accepted.values())

    async def play(self, seats: int, *players: Guest) -> None:
        """These people play at tables of a size, match after match, until the killing is over."""
        while not self.over.is_set():
            host, *others = players
            table = await host.open_table(seats, self.game)
            for seat, other in enumerate(others, 1):
                await other.join(table, seat)
            await host.start(table)
            ends = await asyncio.gather(*(player.play(table) for player in players))
            assert all(end.standings == ends[0].standings for end in ends), ends
            self.tables.append((ends[0], list(players)))

    async def watch_bots(self, seats: int, viewer: Guest) -> None:
        """Bots play among themselves, match after match, until the killing is over."""
        while not self.over.is_set():
            table_id = await self.club.exhibition(seats, self.game)
            async for update in viewer.club.watch(table_id):
                if update.HasField("table") and update.table.status == table_pb2.TABLE_STATUS_FINISHED:
                    self.tables.append((update.table, []))
                    break

    async def kill(self, whom: Sequence[Sequence[str]], chance: random.Random, most_actions: int) -> None:
        """Kills these, one group after another, each after some more actions have been accepted; an empty group stands
        for the supervisor and everything with it.
        """
        try:
            for names in whom:
                await self.progress(chance.randint(1, most_actions))
                if names:
                    await self.club.kill(names)
                else:
                    await self.club.kill_all_and_begin_anew()
            await self.progress(1)
        finally:
            self.over.set()

    async def progress(self, actions: int) -> None:
        """Waits until so many more actions have been accepted."""
        before = self.accepted()
        await until(lambda: self.accepted() >= before + actions, PROGRESS_SECONDS, "play goes on")

    async def check(self, bus: Bus, folder: Path) -> None:
        """Everything that has to hold of all these matches."""
        matches: list[ledger_pb2.Match] = []
        reader = self.guests[0]
        for table, players in self.tables:
            log = await read_log(bus, table.table_id)
            check_accepted(log, players, table.table_id)
            match = await posted(reader, table.match_id, seconds=60)
            check_match(match, table, log)
            check_record(await record_of(reader, table.match_id), log, table.shuffle_commitment, folder)
            matches.append(match)
        check_hall_of_fame(await hall_of_fame(reader, self.game), matches, [guest.id for guest in self.guests])
        for guest in self.guests:
            listed = await guest.club.ledger.ListMatches(ledger_pb2.ListMatchesRequest(page_size=100))
            played = [match.match_id for match in matches if guest.id in {seat.player_id for seat in match.seats}]
            assert sorted(match.match_id for match in listed.matches) == sorted(played)
        people = sum(bool(seat.player_id) for match in matches for seat in match.seats)
        assert f"entries: {people}; disagreements: 0" in self.club.recompute()
        assert (await bus.js.stream_info("DEAD")).state.messages == 0
        for process in self.club.processes:
            for mishap in MISHAPS:
                assert not [line for line in self.club.log_lines(process) if mishap in line], process


async def rampage(
    club: ChaosClub,
    folder: Path,
    seed: int,
    whom: Sequence[Sequence[str]],
    sizes: Sequence[int],
    most_actions: int,
    game: str = "arzoi",
) -> Night:
    """Plays, kills and checks."""
    async with AsyncExitStack() as stack:
        line = await stack.enter_async_context(bad_line(*club.tables, seed=seed))
        ana = await stack.enter_async_context(club.guest("Ana", seed, line.address))
        bogdan = await stack.enter_async_context(club.guest("Bogdan", seed, club.tables[-1]))
        night = Night(club, game, [ana, bogdan])
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(night.play(sizes[0], ana, bogdan))
            for number, seats in enumerate(sizes[1:]):
                tasks.create_task(night.play(seats, (ana, bogdan)[number % 2]))
            tasks.create_task(night.watch_bots(min(sizes), ana))
            tasks.create_task(night.kill(whom, random.Random(seed), most_actions))
        assert line.breaks >= 5
        async with club.bus() as bus:
            await night.check(bus, folder)
        assert len(night.tables) > len(sizes)
        return night
