"""Fair shuffles: the derivation is exactly the published one, unbiased, and bound to what it should be bound to."""

import hashlib
import itertools
import random
import struct
from collections import Counter
from pathlib import Path

import pytest

from services.table import shuffle
from services.table.shuffle import MAX_SALT_BYTES, commitment, new_seed, shuffled, uniform_below

SEED = bytes(range(32))
PACK = tuple(range(32))


def plain_hmac(key: bytes, message: bytes) -> bytes:
    """HMAC-SHA256 as RFC 2104 writes it, for keys of at most 64 bytes."""
    key = key.ljust(64, b"\0")
    inner = hashlib.sha256(bytes(k ^ 0x36 for k in key) + message).digest()
    return hashlib.sha256(bytes(k ^ 0x5C for k in key) + inner).digest()


def plain_shuffle(pack: list[int], seed: bytes, match_id: str, deal: int, salts: list[bytes]) -> list[int]:
    """A second implementation, written from the text of FAIRNESS.md alone."""
    name, match = b"levata-shuffle-1/deal", match_id.encode("utf-8")
    message = struct.pack(">I", len(name)) + name + struct.pack(">I", len(match)) + match
    message += struct.pack(">QI", deal, len(salts))
    for salt in salts:
        message += struct.pack(">I", len(salt)) + salt
    key = plain_hmac(seed, message)
    stream = b"".join(plain_hmac(key, struct.pack(">Q", block)) for block in range(64))
    numbers = list(struct.unpack(f">{len(stream) // 4}I", stream))
    pack = pack[:]
    i = len(pack) - 1
    while i > 0:
        number = numbers.pop(0)
        if number < 2**32 // (i + 1) * (i + 1):
            j = number % (i + 1)
            pack[i], pack[j] = pack[j], pack[i]
            i -= 1
    return pack


VECTORS = [
    (
        PACK, SEED, "match-1", 1, [],
        "0 4 12 14 15 2 18 19 31 28 22 16 9 24 13 17 7 21 30 5 1 27 8 26 29 3 6 10 20 11 23 25",
    ),
    (
        PACK, SEED, "match-1", 2, [],
        "23 12 18 20 25 28 22 21 17 29 27 14 15 2 16 5 31 3 9 7 6 1 30 26 10 0 24 19 4 11 8 13",
    ),
    (
        PACK, SEED, "match-1", 1, [b"ana", b"\x00", b"\xff" * 64],
        "11 27 19 6 24 16 25 29 5 9 23 26 13 7 20 15 14 30 18 21 3 0 10 17 28 1 31 4 2 22 12 8",
    ),
    (
        tuple(range(56)), bytes(32), "0123456789abcdef", 40, [],
        "38 14 9 23 51 34 36 3 17 55 33 39 16 50 10 19 29 12 52 53 48 1 6 41 45 20 30 43 54 37 49 24 13 7 26 46 42 22 "
        "21 40 27 4 8 2 31 25 32 47 18 11 5 28 44 15 35 0",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("pack", "seed", "match_id", "deal", "salts", "expected"), VECTORS)
def test_the_published_vectors_hold_and_a_second_implementation_agrees(
    pack: tuple[int, ...], seed: bytes, match_id: str, deal: int, salts: list[bytes], expected: str
) -> None:
    order = [int(card) for card in expected.split()]
    assert list(shuffled(pack, seed, match_id, deal, salts)) == order
    assert plain_shuffle(list(pack), seed, match_id, deal, salts) == order


def test_the_page_on_fair_shuffles_gives_these_vectors() -> None:
    page = " ".join((Path(shuffle.__file__).with_name("FAIRNESS.md")).read_text().split())
    for *_, expected in VECTORS:
        assert expected in page
    for seed, match_id in ((SEED, "match-1"), (bytes(32), "0123456789abcdef")):
        assert commitment(seed, match_id) in page
    assert shuffle.DERIVATION in page


def test_a_second_implementation_agrees_on_many_packs_seeds_and_salts() -> None:
    rng = random.Random(7)
    for _ in range(200):
        pack = rng.sample(range(200), rng.randrange(0, 107))
        seed, match_id, deal = rng.randbytes(32), f"m{rng.randrange(10**9)}ă", rng.randrange(1, 2**40)
        salts = [rng.randbytes(rng.randrange(1, 65)) for _ in range(rng.randrange(4))]
        assert list(shuffled(pack, seed, match_id, deal, salts)) == plain_shuffle(pack, seed, match_id, deal, salts)


@pytest.mark.parametrize(
    ("seed", "match_id", "expected"),
    [
        (SEED, "match-1", "66d757ea468a10147bb35e348548766120e4969df03876f71be43668707e81f7"),
        (bytes(32), "0123456789abcdef", "ffb4c7213c30b657f7d25e674ac8adcc3a63a9fe59d14696d9cc0b217aa94d94"),
    ],
)
def test_the_commitment_is_a_framed_sha256_of_domain_match_and_seed(seed: bytes, match_id: str, expected: str) -> None:
    name = b"levata-shuffle-1/commitment"
    framed = [struct.pack(">I", len(part)) + part for part in (name, match_id.encode(), seed)]
    assert commitment(seed, match_id) == expected == hashlib.sha256(b"".join(framed)).hexdigest()


def test_a_commitment_binds_the_seed_and_the_match() -> None:
    rng = random.Random(1)
    seeds = [SEED, bytes([1]) + SEED[1:], SEED[:-1] + bytes([30]), *(rng.randbytes(32) for _ in range(50))]
    found = {commitment(seed, match_id) for seed in seeds for match_id in ("match-1", "match-2", "match-", "1")}
    assert len(found) == len(seeds) * 4


def test_every_input_changes_the_pack() -> None:
    base = shuffled(PACK, SEED, "match-1", 1, [b"ab"])
    others = [
        shuffled(PACK, bytes([1]) + SEED[1:], "match-1", 1, [b"ab"]),
        shuffled(PACK, SEED, "match-2", 1, [b"ab"]),
        shuffled(PACK, SEED, "match-1", 2, [b"ab"]),
        shuffled(PACK, SEED, "match-1", 1),
        shuffled(PACK, SEED, "match-1", 1, [b"ac"]),
        shuffled(PACK, SEED, "match-1", 1, [b"a", b"b"]),
        shuffled(PACK, SEED, "match-1", 1, [b"ab", b"c"]),
        shuffled(PACK, SEED, "match-1", 1, [b"c", b"ab"]),
        shuffled(PACK, SEED, "match-1", 1, [b"abc"]),
    ]
    assert len({base, *others}) == 1 + len(others)


def test_a_shuffle_keeps_every_card_and_leaves_its_argument_alone() -> None:
    pack = [7, 3, 44, 12, 0]
    result = shuffled(pack, SEED, "m", 1)
    assert sorted(result) == sorted(pack)
    assert pack == [7, 3, 44, 12, 0]
    assert shuffled([], SEED, "m", 1) == ()
    assert shuffled([9], SEED, "m", 1) == (9,)


def test_words_that_would_favour_small_numbers_are_thrown_away() -> None:
    last_good = 2**32 // 7 * 7 - 1
    assert uniform_below(7, iter([2**32 - 1, last_good + 1, last_good, 5])) == 6
    assert uniform_below(8, iter([2**32 - 1])) == 7


def test_every_order_of_four_cards_is_equally_likely() -> None:
    """Chi-square over all 24 orders, 23 degrees of freedom: beyond 49.7 once in a thousand; the seeds are fixed."""
    draws = 12_000
    rng = random.Random(2)
    seen = Counter(shuffled((0, 1, 2, 3), rng.randbytes(32), "m", 1) for _ in range(draws))
    expected = draws / 24
    chi_square = sum((seen[order] - expected) ** 2 / expected for order in itertools.permutations(range(4)))
    assert chi_square < 49.7


def test_every_card_is_equally_likely_in_every_place_over_the_deals_of_one_match() -> None:
    """Chi-square over 32 x 32 cells, 961 degrees of freedom: beyond 1101 once in a thousand; the seed is fixed."""
    deals = 6_400
    cells: Counter[tuple[int, int]] = Counter()
    for deal in range(1, deals + 1):
        cells.update(enumerate(shuffled(PACK, SEED, "uniform", deal)))
    expected = deals / 32
    assert sum((cells[place, card] - expected) ** 2 / expected for place in PACK for card in PACK) < 1101


@pytest.mark.parametrize("seed", [b"", bytes(31), bytes(33)])
def test_a_seed_of_another_length_is_refused(seed: bytes) -> None:
    with pytest.raises(ValueError, match="32 bytes"):
        commitment(seed, "m")
    with pytest.raises(ValueError, match="32 bytes"):
        shuffled(PACK, seed, "m", 1)
    with pytest.raises(ValueError, match="32 bytes"):
        new_seed(lambda _: seed)


def test_arguments_out_of_range_are_refused() -> None:
    for deal in (0, -1, 2**64):
        with pytest.raises(ValueError, match="numbered from 1"):
            shuffled(PACK, SEED, "m", deal)
    with pytest.raises(ValueError, match="its id is empty"):
        shuffled(PACK, SEED, "", 1)
    with pytest.raises(ValueError, match="its id is empty"):
        commitment(SEED, "")
    for salt in (b"", bytes(MAX_SALT_BYTES + 1)):
        with pytest.raises(ValueError, match="1 to 64 bytes"):
            shuffled(PACK, SEED, "m", 1, [b"good", salt])


def test_a_new_seed_is_what_the_entropy_gives() -> None:
    asked: list[int] = []

    def entropy(count: int) -> bytes:
        asked.append(count)
        return SEED[:count]

    assert new_seed(entropy) == SEED
    assert asked == [32]
