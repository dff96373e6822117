"""Verifies that the deals of a match were those that its table had committed to before the first.

    python -m services.table.verify FILE                      ("-" reads standard input)
    python -m services.table.verify FILE --commitment HEX     (the commitment you saw at the table)

It needs the record and nothing else: the revealed seed must fit the commitment, every deal must be the pack that the
seed gives, every action must be legal, and the result must follow from the play. The exit status is 0 if all of it
holds, 1 if something does not, and 2 if the record cannot be read. `FAIRNESS.md` says what this proves and what not.
"""

import argparse
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from services.table import record_file
from services.table.engine.game import Deal, State
from services.table.engine.games import GAMES
from services.table.engine.record import MatchRecord, RecordError, ShuffleProof
from services.table.shuffle import DERIVATION, MAX_SALT_BYTES, SEED_BYTES, commitment, shuffled


@dataclass(frozen=True, slots=True)
class Verified:
    """A record that holds.

    Attributes:
        record: The record.
        deals: Number of deals that were recomputed.
        commitment: The commitment they fit, in hex.
    """

    record: MatchRecord
    deals: int
    commitment: str


def verify(text: str, seen: str | None = None) -> Verified:
    """Verifies a record.

    Args:
        text: The record.
        seen: The commitment that a player saw at the table, in hex; None to take the record's word for it.

    Raises:
        RecordError: The first thing that does not hold, with its line.
    """
    record = MatchRecord.parse(text)
    proof = record.shuffle
    if proof is None:
        raise RecordError(0, "the record has no proof of its shuffles: expected the lines shuffle, commitment and seed")
    seed, salts = _checked_proof(text, record.match_id, proof, seen)
    deals = _Deals(record, seed, salts)
    deals.expect(GAMES[record.game].new(record.options, len(record.seats)))
    record.replay(deals.watch)
    return Verified(record, deals.dealt, proof.commitment)


def _checked_proof(text: str, match_id: str, proof: ShuffleProof, seen: str | None) -> tuple[bytes, list[bytes]]:
    """The seed and the salts, once they are well formed and fit the commitment."""
    if proof.derivation != DERIVATION:
        line = _line_of(text, "shuffle")
        raise RecordError(line, f"the derivation {proof.derivation!r} is unknown here; expected {DERIVATION}")
    seed = bytes.fromhex(proof.seed)
    if len(seed) != SEED_BYTES:
        raise RecordError(_line_of(text, "seed"), f"a seed has {SEED_BYTES} bytes, not {len(seed)}")
    salts = [bytes.fromhex(salt) for salt in proof.salts]
    if any(not 1 <= len(salt) <= MAX_SALT_BYTES for salt in salts):
        raise RecordError(_line_of(text, "salt"), f"a salt has 1 to {MAX_SALT_BYTES} bytes")
    line = _line_of(text, "commitment")
    expected = commitment(seed, match_id)
    if proof.commitment != expected:
        raise RecordError(
            line,
            f"the commitment does not fit the seed: {proof.commitment} is written, but the seed and match id give "
            f"{expected}; one of the three was changed",
        )
    if seen is not None and proof.commitment != seen.strip().lower():
        raise RecordError(
            line,
            f"the record's commitment {proof.commitment} is not the one seen at the table, {seen.strip().lower()}: "
            "the match was not dealt from the seed that was promised",
        )
    return seed, salts


class _Deals:
    """Recomputes each deal as the replay comes to it."""

    def __init__(self, record: MatchRecord, seed: bytes, salts: Sequence[bytes]) -> None:
        self.dealt = 0
        self._record = record
        self._seed = seed
        self._salts = salts
        self._expected: tuple[int, ...] = ()

    def expect(self, state: State) -> None:
        """Notes the pack of the deal that is due, if one is."""
        if state.needs_deal():
            self._expected = self._pack(state.pack(), self.dealt + 1)

    def watch(self, index: int, state: State, events: tuple[Any, ...]) -> None:
        """Compares a deal with the pack that was expected."""
        action = self._record.actions[index].action
        if isinstance(action, Deal):
            self.dealt += 1
            if action.pack != self._expected:
                raise RecordError(self._record.lines[index], self._difference(action))
        self.expect(state)

    def _pack(self, cards: Sequence[int], number: int) -> tuple[int, ...]:
        return shuffled(cards, self._seed, self._record.match_id, number, self._salts)

    def _difference(self, deal: Deal) -> str:
        """What is wrong with a deal, as exactly as can be said."""
        total = sum(isinstance(step.action, Deal) for step in self._record.actions)
        cards = tuple(sorted(deal.pack))
        for number in range(1, total + 2):
            if deal.pack == self._pack(cards, number):
                missing = ": deals before it are missing" if number > self.dealt else ""
                return f"deal {self.dealt} has the pack of deal {number}{missing}"
        game = GAMES[self._record.game]
        written, expected = (game.action_text(Deal(pack)).split()[1:] for pack in (deal.pack, self._expected))
        place = next(place for place, piece in enumerate(written) if piece != expected[place])
        return (
            f"deal {self.dealt} is not the pack that the seed gives: in place {place + 1} lies {written[place]}, "
            f"expected {expected[place]}"
        )


def _line_of(text: str, keyword: str) -> int:
    """The first line that starts with a word."""
    return next(number for number, line in enumerate(text.split("\n"), 1) if line.split()[:1] == [keyword])


def report(verified: Verified) -> str:
    """Says what was found to hold."""
    record = verified.record
    played = f"{len(record.actions) - verified.deals} actions of players are legal"
    result = ", and the result follows from them" if record.result is not None else "; it was not played to the end"
    return (
        f"Match {record.match_id}: verified.\n"
        f"The seed fits the commitment {verified.commitment}.\n"
        f"All {verified.deals} deals are the packs that the seed gives ({DERIVATION}, {_count(record)}).\n"
        f"All {played}{result}.\n"
    )


def _count(record: MatchRecord) -> str:
    salts = len(record.shuffle.salts) if record.shuffle else 0
    return f"{salts} salt{'' if salts == 1 else 's'} of players"


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command; returns its exit status."""
    parser = argparse.ArgumentParser(
        prog="python -m services.table.verify",
        description="Verify that every deal of a match was committed to before the first.",
    )
    parser.add_argument("file", metavar="FILE", help="the record; - for standard input")
    parser.add_argument("--commitment", metavar="HEX", help="the commitment that you saw at the table")
    options = parser.parse_args(arguments)
    file: str = options.file
    try:
        text = record_file.read(file)
    except record_file.UnreadableRecordError as error:
        print(error, file=sys.stderr)
        return 2
    try:
        print(report(verify(text, options.commitment)), end="")
    except RecordError as error:
        where = record_file.shown(file) + (f":{error.line}" if error.line else "")
        print(f"{where}: NOT VERIFIED: {error.problem}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
