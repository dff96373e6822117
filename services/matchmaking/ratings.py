"""What the ledger tells of players' skill: kept, and brought up to date on the tickets that wait.

The ledger numbers what it tells of a game, and every message has the whole estimate of each person in it. So a rating
is replaced by one of a higher number and by no other: messages may come twice, late and out of order.
"""

from collections.abc import Mapping

from google.protobuf.message import DecodeError

from services.matchmaking.errors import ContendedError
from services.matchmaking.measures import Measures
from services.matchmaking.queues import Queue
from services.matchmaking.room import Room
from services.matchmaking.store import Store
from services.matchmaking.tickets import Rating, Ticket, change
from shared.bus import SequenceConflict
from shared.consumer import Message, Reject
from shared.gen.levata.ledger.v1 import ledger_pb2

ATTEMPTS = 8
"""Attempts to change an entry that others change as well."""


class Ratings:
    """The ratings of players.

    Args:
        queues: The queues there are, by id.
        store: Where ratings and tickets are.
        room: Mirrors what is changed here at once.
        measures: What operators see.
    """

    def __init__(self, queues: Mapping[str, Queue], store: Store, room: Room, measures: Measures) -> None:
        self._games = {queue.id: queue.options.game.WhichOneof("game") or "" for queue in queues.values()}
        self._store = store
        self._room = room
        self._measures = measures

    async def of(self, player: str, queue_id: str) -> Rating:
        """A player's rating in the game of a queue. Raises `BusUnavailable`."""
        return (await self._store.rating(self._games[queue_id], player)).value

    async def handle(self, message: Message) -> None:
        """Takes over what one `RatingsChanged` tells; a repeat changes nothing.

        Raises:
            Reject: It is no such message.
            BusUnavailable, ContendedError: It has to be handled again.
        """
        try:
            told = ledger_pb2.RatingsChanged.FromString(message.data)
        except DecodeError as error:
            raise Reject("not a RatingsChanged") from error
        if not told.game or not told.number:
            raise Reject("a RatingsChanged without its game or its number")
        for one in told.ratings:
            newer = await self._keep(told.game, one.player_id, Rating(mean=one.mean, number=told.number))
            self._measures.ratings.labels("newer" if newer else "old").inc()
            # Also when it was known: whoever kept it may have died before it was on the ticket.
            await self.bring_up_to_date(one.player_id)

    async def bring_up_to_date(self, player: str) -> Ticket | None:
        """Puts the latest rating on a player's open ticket; the ticket if that was to be done.

        Whoever takes a ticket does so after it is stored, and whoever keeps a rating after that is stored: so one of
        them sees both, whichever comes first.

        Raises:
            BusUnavailable: NATS does not answer.
            ContendedError: Others changed the ticket over and over again.
        """
        for _ in range(ATTEMPTS):
            stored = await self._store.wallet(player)
            ticket = stored.value.open_ticket
            if ticket is None or ticket.queue_id not in self._games:
                return None
            rating = await self.of(player, ticket.queue_id)
            if rating.number <= ticket.rating.number:
                return None
            changed = change(ticket, rating=rating)
            try:
                put = await self._store.put_wallet(stored.value.replace(changed), stored.sequence)
            except SequenceConflict:
                continue
            self._room.take_wallet(put)
            self._measures.rerated.labels(ticket.queue_id).inc()
            return changed
        raise ContendedError

    async def _keep(self, game: str, player: str, rating: Rating) -> bool:
        """Keeps a rating unless a newer one is kept; whether it was."""
        for _ in range(ATTEMPTS):
            known = await self._store.rating(game, player)
            if known.value.number >= rating.number:
                return False
            try:
                await self._store.put_rating(game, player, rating, known.sequence)
            except SequenceConflict:
                continue
            return True
        raise ContendedError
