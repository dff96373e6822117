"""Who plays with whom: groups of tickets, made in waves. Pure: no clock, no I/O.

A *wave* is what the matcher of a queue is at: the groups that it has planned or committed to. It is one entry in the
bucket, which only the process that leads the queue can change. The life of a group:

1. *planned*: it is in the wave, and its tickets are being claimed, one after the other;
2. *committed*: all its tickets were claimed. From here on it is carried to its end, by whichever process: a table is
   made with the group's request id, and the table is written on its tickets;
3. gone from the wave: its table was made, or it was given up. Claims for a group that is in no wave are void.
"""

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

import msgspec

from services.matchmaking.tickets import Ticket


class Member(msgspec.Struct, frozen=True, kw_only=True):
    """A ticket in a group, and whose it is."""

    player: str
    name: str
    ticket: str
    created: int


class Group(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Tickets that are to become one table.

    Attributes:
        id: Also the request id of the table, so that a repeat makes the same table.
        members: Who, in seat order.
        request: The `CreateTableRequest`, kept so that a repeat is the same whatever has been changed since.
        state: See the module.
        planned: When it was planned, in milliseconds since 1970.
    """

    id: str
    members: tuple[Member, ...]
    request: bytes
    state: Literal["planned", "committed"] = "planned"
    planned: int


class Wave(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What the leader of a queue is at.

    Attributes:
        fence: Number of the leader's lease; a leader with a lower one has been replaced.
        leader: Name of its process.
        groups: What it is at.
    """

    fence: int = 0
    leader: str = ""
    groups: tuple[Group, ...] = ()

    def has(self, group_id: str) -> bool:
        """Whether the group is in the wave: only then are claims for it good."""
        return any(group.id == group_id for group in self.groups)


@dataclass(frozen=True, slots=True)
class Waiting:
    """A ticket that waits and that no group has claimed."""

    player: str
    name: str
    ticket: Ticket

    @property
    def order(self) -> tuple[int, str]:
        """Its order in the queue: who came first, and a fixed order of those who came at once."""
        return (self.ticket.created, self.ticket.id)

    def member(self) -> Member:
        """The same as a group has it."""
        return Member(player=self.player, name=self.name, ticket=self.ticket.id, created=self.ticket.created)


@dataclass(frozen=True, slots=True)
class Term:
    """One thing that makes two tickets a good or a bad match.

    Attributes:
        name: For logs and for talking about it.
        reason: Why it counts, with sample values.
        score: Points for seating a candidate with the one who has waited longest, at a time in milliseconds.
    """

    name: str
    reason: str
    score: Callable[[Waiting, Waiting, int], float]


RATING_POINTS = 2.0
"""Taken for each point between two ratings; newcomers spread over 25/3 of them."""

TERMS: tuple[Term, ...] = (
    Term(
        "waited",
        "Who has waited longest is seated first: a point a second, so 5 s give 5 and half a minute gives 30. What "
        "another term takes away, as many seconds of waiting make good: so the choice widens as a ticket waits.",
        lambda seed, candidate, now: (now - candidate.ticket.created) / 1000,
    ),
    Term(
        "rating",
        "Who plays alike sits together: a point of difference between the means of two skill estimates takes 2 points. "
        "So 25 and 26 take 2, which 2 s of waiting make good; 20 and 32, a beginner and a master, take 24.",
        lambda seed, candidate, now: -RATING_POINTS * abs(seed.ticket.rating.mean - candidate.ticket.rating.mean),
    ),
)
"""All of them; a pair's score is their sum."""


def choose(
    waiting: Sequence[Waiting],
    seats: int,
    limit_milliseconds: int,
    now: int,
    at_most: int,
    terms: Sequence[Term] = TERMS,
) -> list[tuple[Waiting, ...]]:
    """The groups that are due, the longest wait first.

    Each is built around the one who has waited longest, with those who score best beside that one. A group is due when
    it is full, or when the longest wait in it has reached the limit: then bots take the free seats.

    Args:
        waiting: Tickets that no group has claimed.
        seats: Seats of a table.
        limit_milliseconds: The limit.
        now: Milliseconds since 1970.
        at_most: How many groups.
        terms: What makes a good match.
    """
    left = sorted(waiting, key=lambda one: one.order)
    groups: list[tuple[Waiting, ...]] = []
    while left and len(groups) < at_most:
        seed = left[0]
        if len(left) < seats and now < seed.ticket.created + limit_milliseconds:
            break

        def worth(candidate: Waiting, seed: Waiting = seed) -> tuple[float, tuple[int, str]]:
            return (-sum(term.score(seed, candidate, now) for term in terms), candidate.order)

        beside = sorted(left[1:], key=worth)[: seats - 1]
        members = sorted((seed, *beside), key=lambda one: one.order)
        chosen = {one.ticket.id for one in members}
        left = [one for one in left if one.ticket.id not in chosen]
        groups.append(tuple(members))
    return groups


def due_at(waiting: Sequence[Waiting], limit_milliseconds: int) -> int | None:
    """When the next group is due although it is not full; None when nobody waits."""
    if not waiting:
        return None
    return min(one.ticket.created for one in waiting) + limit_milliseconds


def group_id(queue_id: str, members: Sequence[Member], plan: int) -> str:
    """The id of a group of these tickets.

    Args:
        queue_id: The queue.
        members: Their tickets count, in any order.
        plan: Number of the wave's last change before the plan, so that tickets that are planned together once more,
            after a plan that came to nothing, make another group.
    """
    tickets = "\n".join(sorted(member.ticket for member in members))
    return "match-" + hashlib.blake2s(f"{queue_id}\n{plan}\n{tickets}".encode(), digest_size=16).hexdigest()
