"""The verifier accepts what a table wrote and names the fault in what somebody changed."""

import random
import re
import subprocess
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from services.table.engine.game import Deal
from services.table.engine.games import GAMES
from services.table.engine.record import MatchRecord, RecordAction, RecordError, RecordSeat, ShuffleProof
from services.table.shuffle import DERIVATION, commitment, shuffled
from services.table.verify import main, verify

MATCH = "m5kq3v0c9xw2tz7a"
SEED = bytes(range(100, 132))
SALTS = (b"ana", b"\x00\xff")


def played(seats: int, seed: bytes, salts: tuple[bytes, ...] = (), number: Callable[[int], int] = int) -> str:
    """The record of a whole match with random legal actions; `number` says which pack deal n gets."""
    rng = random.Random(seats)
    game = GAMES["arzoi"]
    options = game.parse_options("")
    state: Any = game.new(options, seats)
    actions: list[RecordAction] = []
    deals = 0
    while not state.is_over():
        decision = state.decision()
        if decision is None:
            deals += 1
            action: Any = Deal(shuffled(state.pack(), seed, MATCH, number(deals), salts))
            actions.append(RecordAction(None, action, None))
            state.apply(None, action)
        else:
            action = rng.choice(state.legal_actions())
            actions.append(RecordAction(decision.seat, action, "player"))
            state.apply(decision.seat, action)
    return MatchRecord(
        MATCH,
        "arzoi",
        options,
        tuple(RecordSeat(f"Player {seat}", "human") for seat in range(seats)),
        datetime(2026, 11, 30, 19, 0, tzinfo=UTC),
        datetime(2026, 11, 30, 20, 0, tzinfo=UTC),
        tuple(actions),
        tuple(state.scores()),
        ShuffleProof(DERIVATION, seed.hex(), commitment(seed, MATCH), tuple(salt.hex() for salt in salts)),
    ).to_text()


@cache
def good() -> str:
    return played(4, SEED)


def deal_lines(text: str) -> list[int]:
    """Numbers, from 0, of the lines that deal."""
    return [number for number, line in enumerate(text.split("\n")) if line.startswith("- deal")]


def edited(text: str, number: int, change: Callable[[str], str]) -> str:
    lines = text.split("\n")
    lines[number] = change(lines[number])
    return "\n".join(lines)


def fault(text: str, seen: str | None = None) -> RecordError:
    with pytest.raises(RecordError) as caught:
        verify(text, seen)
    return caught.value


@pytest.mark.parametrize(("seats", "salts"), [(3, ()), (4, SALTS), (9, (b"x" * 64,))])
def test_a_whole_match_verifies_with_and_without_salts(seats: int, salts: tuple[bytes, ...]) -> None:
    text = played(seats, SEED, salts)
    verified = verify(text)
    assert verified.deals == len(deal_lines(text)) > 10
    assert verified.commitment == commitment(SEED, MATCH)


def test_the_commitment_seen_at_the_table_is_compared() -> None:
    seen = commitment(SEED, MATCH)
    assert verify(good(), f" {seen.upper()}\n").commitment == seen
    error = fault(good(), commitment(bytes(32), MATCH))
    assert "not the one seen at the table" in error.problem
    assert good().split("\n")[error.line - 1].startswith("commitment ")


def test_two_cards_changed_places_in_one_deal() -> None:
    number = deal_lines(good())[4]

    def swap_unseen(line: str) -> str:
        words = line.split()
        words[-1], words[-2] = words[-2], words[-1]
        return " ".join(words)

    error = fault(edited(good(), number, swap_unseen))
    words = good().split("\n")[number].split()
    assert error.line == number + 1
    assert error.problem == (
        f"deal 5 is not the pack that the seed gives: in place 31 lies {words[-1]}, expected {words[-2]}"
    )


def test_two_deals_changed_places() -> None:
    text = played(4, SEED, number=lambda deal: {2: 3, 3: 2}.get(deal, deal))
    error = fault(text)
    assert error.line == deal_lines(text)[1] + 1
    assert error.problem == "deal 2 has the pack of deal 3: deals before it are missing"


def test_a_pack_dealt_a_second_time() -> None:
    text = played(4, SEED, number=lambda deal: 2 if deal == 4 else deal)
    error = fault(text)
    assert (error.line, error.problem) == (deal_lines(text)[3] + 1, "deal 4 has the pack of deal 2")


def test_a_round_that_was_left_out() -> None:
    """The rest of the match is legal by itself; only the numbering of the deals gives it away."""
    text = played(4, SEED, number=lambda deal: deal if deal < 6 else deal + 1)
    error = fault(text)
    assert error.line == deal_lines(text)[5] + 1
    assert error.problem == "deal 6 has the pack of deal 7: deals before it are missing"


def test_a_deal_line_that_was_left_out() -> None:
    number = deal_lines(good())[3]
    lines = good().split("\n")
    del lines[number]
    error = fault("\n".join(lines))
    assert error.line == number + 1
    assert "DEAL_DUE" in error.problem


def test_another_seed() -> None:
    error = fault(good().replace(SEED.hex(), bytes(32).hex()))
    assert "the commitment does not fit the seed" in error.problem
    assert good().split("\n")[error.line - 1].startswith("commitment ")


def test_another_seed_with_a_commitment_made_to_fit() -> None:
    other = bytes(32)
    text = good().replace(SEED.hex(), other.hex()).replace(commitment(SEED, MATCH), commitment(other, MATCH))
    error = fault(text)
    assert error.line == deal_lines(text)[0] + 1
    assert error.problem.startswith("deal 1 is not the pack that the seed gives")


def test_another_commitment() -> None:
    error = fault(good().replace(commitment(SEED, MATCH), "00" * 32))
    assert "the commitment does not fit the seed" in error.problem


def test_another_match_id() -> None:
    assert "the commitment does not fit the seed" in fault(good().replace(f"match {MATCH}", "match other")).problem


def test_a_salt_that_was_added_or_changed() -> None:
    added = good().replace(f"seed {SEED.hex()}\n", f"seed {SEED.hex()}\nsalt 61\n")
    assert fault(added).problem.startswith("deal 1 is not the pack that the seed gives")
    salted = played(4, SEED, SALTS)
    assert fault(salted.replace("salt 616e61", "salt 616e62")).problem.startswith("deal 1 is not the pack")


def test_a_score_that_was_edited() -> None:
    lines = good().split("\n")
    number = next(number for number, line in enumerate(lines) if line.startswith("result "))

    def one_more(line: str) -> str:
        words = line.split()
        return " ".join([words[0], str(int(words[1]) + 1), *words[2:]])

    error = fault(edited(good(), number, one_more))
    assert error.line == number + 1
    assert "but the play comes to" in error.problem


def test_a_card_that_was_played_by_another_hand() -> None:
    number = next(number for number, line in enumerate(good().split("\n")) if re.match(r"\d play ", line))
    foreign = next(line.split()[2] for line in good().split("\n")[number + 1 :] if re.match(r"\d play ", line))
    error = fault(edited(good(), number, lambda line: f"{line.split()[0]} play {foreign}"))
    assert error.line == number + 1
    assert "is not legal" in error.problem


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (lambda text: re.sub(r"shuffle .*\n", "shuffle old-1\n", text), "'old-1' is unknown here"),
        (lambda text: re.sub(r"(shuffle|commitment|seed) .*\n", "", text), "no proof of its shuffles"),
        (lambda text: text.replace(SEED.hex(), SEED.hex()[2:]), "a seed has 32 bytes, not 31"),
        (lambda text: text.replace("actions\n", f"salt {'ab' * 65}\nactions\n"), "a salt has 1 to 64 bytes"),
        (lambda text: text[: len(text) // 2], "breaks off"),
    ],
)  # fmt: skip
def test_a_proof_that_is_damaged_or_unknown(change: Callable[[str], str], expected: str) -> None:
    assert expected in str(fault(change(good())))


def test_a_match_that_was_stopped_verifies_as_far_as_it_went() -> None:
    number = deal_lines(good())[5]
    kept = [line for line in good().split("\n")[: number + 3] if not line.startswith("ended ")]
    verified = verify("\n".join([*kept, "end", ""]))
    assert (verified.deals, verified.record.result) == (6, None)


def test_the_command_says_what_holds_and_exits_with_0(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "match.txt"
    path.write_text(good())
    assert main([str(path), "--commitment", commitment(SEED, MATCH)]) == 0
    output = capsys.readouterr().out
    deals = len(deal_lines(good()))
    assert f"Match {MATCH}: verified." in output
    assert f"All {deals} deals are the packs that the seed gives (levata-shuffle-1, 0 salts of players)." in output
    assert "the result follows from them" in output


def test_the_command_names_file_and_line_of_a_fault_and_exits_with_1(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "match.txt"
    path.write_text(good().replace(commitment(SEED, MATCH), "00" * 32))
    assert main([str(path)]) == 1
    captured = capsys.readouterr()
    assert captured.out == ""
    assert re.match(rf"{re.escape(str(path))}:\d+: NOT VERIFIED: the commitment does not fit", captured.err)


def test_the_command_exits_with_2_if_there_is_nothing_to_read(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([str(tmp_path / "none.txt")]) == 2
    assert "cannot be read" in capsys.readouterr().err
    (tmp_path / "bytes").write_bytes(b"\xff\xfe\x00")
    assert main([str(tmp_path / "bytes")]) == 2
    assert "is not UTF-8 text" in capsys.readouterr().err


def test_the_command_reads_standard_input() -> None:
    command = [sys.executable, "-m", "services.table.verify", "-"]
    done = subprocess.run(command, input=good(), capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert "verified" in done.stdout
