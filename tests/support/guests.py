"""People who play through the client library, and keep a note of every action of theirs that the club accepted."""

import contextlib
import random
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field

from services.table.engine.games import GAMES
from services.table.requests import action_of
from services.table.views import WIRES
from shared.client import Addresses, Club, ClubError, TableSession, TableView, new_request_id
from shared.gen.levata.table.v1 import game_pb2, table_pb2

PASSED_BY = frozenset({"STALE_REVISION", "NOT_YOUR_TURN", "BOT_DECIDES", "NOT_PLAYING"})
"""Reasons of a table that moved on while the player thought."""
ANSWER_SECONDS = 150.0
"""An action is repeated for so long, whatever is down; then the test fails."""

Pick = Callable[[TableSession], game_pb2.GameAction]
"""Chooses one of the legal actions."""


@dataclass(frozen=True, slots=True)
class Accepted:
    """An action that the club answered with a revision.

    Attributes:
        revision: The revision that it made.
        seat: Whose action it was.
        action: In the notation of the log.
    """

    revision: int
    seat: int
    action: str


def options(seats: int, game: str = "arzoi", **more: object) -> table_pb2.TableOptions:
    """Options of a table at which a game is played as it usually is."""
    usual = WIRES[game].options_to_proto(GAMES[game].parse_options(""))
    return table_pb2.TableOptions(game=usual, seats=seats, **more)  # type: ignore[arg-type]


def notation(action: game_pb2.GameAction) -> str:
    """The action as the log and the record write it."""
    game = action.WhichOneof("game") or ""
    text: str = GAMES[game].action_text(action_of(action, game))
    return text


@dataclass
class Guest:
    """One person and all that they have done.

    Attributes:
        club: The person's connection.
        name: Name.
        chance: Decides what is played.
        accepted: By table, everything that was accepted, in order.
        passed_by: Actions that were refused because the table had moved on.
    """

    club: Club
    name: str
    chance: random.Random
    accepted: dict[str, list[Accepted]] = field(default_factory=dict)
    passed_by: int = 0

    @property
    def id(self) -> str:
        """The account."""
        return self.club.player_id

    async def open_table(self, seats: int, game: str = "arzoi", **more: object) -> str:
        """Makes a table and sits down on its seat 0; its id."""
        request = table_pb2.CreateTableRequest(request_id=new_request_id(), options=options(seats, game, **more))
        return (await self.club.tables.CreateTable(request, timeout=ANSWER_SECONDS)).table_id

    async def join(self, table: str, seat: int) -> None:
        """Sits down at a table of somebody else's."""
        request = table_pb2.JoinTableRequest(request_id=new_request_id(), table_id=table, seat=seat)
        await self.club.tables.JoinTable(request, timeout=ANSWER_SECONDS)

    async def start(self, table: str) -> None:
        """Starts the match."""
        request = table_pb2.StartTableRequest(request_id=new_request_id(), table_id=table)
        await self.club.tables.StartTable(request, timeout=ANSWER_SECONDS)

    def choose(self, private: table_pb2.Private) -> game_pb2.GameAction:
        """One of the legal actions, by chance."""
        return self.chance.choice(list(private.legal_actions))

    def pick(self, session: TableSession) -> game_pb2.GameAction:
        """The same, of those that a session has in view."""
        return self.choose(session.private)

    async def act(self, session: TableSession, action: game_pb2.GameAction) -> int | None:
        """Plays an action and notes it; None when the table had moved on."""
        seat = session.view.seat
        assert seat is not None
        try:
            revision = await session.act(action, timeout_seconds=ANSWER_SECONDS)
        except ClubError as error:
            if error.reason not in PASSED_BY:
                raise
            self.passed_by += 1
            return None
        self.accepted.setdefault(session.table_id, []).append(Accepted(revision, seat, notation(action)))
        return revision

    async def play(self, table: str, pick: Pick | None = None) -> table_pb2.Table:
        """Plays at a table until its match is over; the table as it is then."""
        async with self.club.play(table) as session:
            return await self.play_on(session, pick)

    async def play_by_calls(self, table: str, before: Callable[[], Awaitable[None]]) -> table_pb2.Table:
        """The same by a watch and unary calls, as a client without streams of its own has to; `before` each of them
        something else is waited for.
        """
        view = TableView()
        acted = 0
        async for update in self.club.watch(table):
            view.apply(update)
            if view.over:
                return view.table
            # Updates before that of the action itself were on their way already, and of several that come together
            # only the last one tells what is so now.
            if not update.HasField("table") or view.revision < acted:
                continue
            if view.my_turn and not view.table.decision.by_bot:
                await before()
                action = self.choose(view.private)
                request = table_pb2.SubmitActionRequest(
                    request_id=new_request_id(), table_id=table, action=action, revision=view.revision
                )
                acted = (await self.club.tables.SubmitAction(request, timeout=ANSWER_SECONDS)).revision
                assert view.seat is not None
                self.accepted.setdefault(table, []).append(Accepted(acted, view.seat, notation(action)))
        raise AssertionError(f"table {table} was closed before its match was over")

    async def play_on(
        self,
        session: TableSession,
        pick: Pick | None = None,
        until: Callable[[TableSession], bool] | None = None,
        before: Callable[[], Awaitable[None]] | None = None,
    ) -> table_pb2.Table:
        """The same on a session that is open, or until something holds when the session has come to know more.
        `before` each action something else is waited for.
        """
        refused_at = 0
        async for _ in session:
            if session.view.over or (until is not None and until(session)):
                return session.table
            decision = session.table.decision
            if session.view.my_turn and not decision.by_bot and session.revision > refused_at:
                if before is not None:
                    await before()
                revision = session.revision
                if await self.act(session, (pick or self.pick)(session)) is None:
                    refused_at = revision
        raise AssertionError(f"table {session.table_id} was closed before its match was over")


@contextlib.asynccontextmanager
async def guest(addresses: Addresses, name: str, seed: int = 1) -> AsyncIterator[Guest]:
    """A guest who has signed in."""
    async with Club.connect(addresses, language="en") as club:
        await club.sign_in_guest(name)
        yield Guest(club, name, random.Random(f"{seed}:{name}"))
