"""Fair shuffles: how a pack is derived from a secret seed that was committed to before the first card was dealt.

`FAIRNESS.md` beside this module describes the same derivation for whoever wants to compute it in another language, and
says what it proves and what not. The derivation is frozen: a change of any byte of it is a new version with a new name,
because the records of all matches played so far have to verify for ever.
"""

import hashlib
import hmac
from collections.abc import Callable, Iterator, Sequence

DERIVATION = "levata-shuffle-1"
"""Name of this derivation, as it stands in records."""

SEED_BYTES = 32
"""Length of a seed."""

MAX_SALT_BYTES = 64
"""Length of the longest salt that is taken from a player."""

_COMMITMENT_DOMAIN = b"levata-shuffle-1/commitment"
_DEAL_DOMAIN = b"levata-shuffle-1/deal"
_WORD_BYTES = 4
_WORDS = 1 << (8 * _WORD_BYTES)


def new_seed(entropy: Callable[[int], bytes]) -> bytes:
    """Draws the secret seed of a match.

    Args:
        entropy: Gives so many unpredictable bytes, such as `secrets.token_bytes`.

    Raises:
        ValueError: The source gave another number of bytes than it was asked for.
    """
    seed = entropy(SEED_BYTES)
    _check_seed(seed)
    return seed


def commitment(seed: bytes, match_id: str) -> str:
    """What is published of a seed before the first deal: its SHA-256, bound to the match, in lower-case hex.

    Raises:
        ValueError: The seed has not 32 bytes, or the match has no id.
    """
    _check_seed(seed)
    return hashlib.sha256(_framed(_COMMITMENT_DOMAIN) + _framed(_match(match_id)) + _framed(seed)).hexdigest()


def shuffled(
    pack: Sequence[int], seed: bytes, match_id: str, deal_number: int, salts: Sequence[bytes] = ()
) -> tuple[int, ...]:
    """The pack of one deal: the cards of `pack` in an order that seed, match, deal number and salts decide alone.

    Args:
        pack: The cards in the game's documented order of the pack.
        seed: The seed of the match, 32 bytes.
        match_id: Id of the match.
        deal_number: Number of the deal within the match, from 1; replays count like any other deal.
        salts: What players contributed, in the order of the record; 1 to 64 bytes each.

    Raises:
        ValueError: An argument is out of its range.
    """
    if not 1 <= deal_number < 1 << 64:
        raise ValueError(f"deals are numbered from 1, not {deal_number}")
    words = _words(_deal_key(seed, match_id, deal_number, salts))
    cards = list(pack)
    for last in range(len(cards) - 1, 0, -1):
        chosen = uniform_below(last + 1, words)
        cards[last], cards[chosen] = cards[chosen], cards[last]
    return tuple(cards)


def _deal_key(seed: bytes, match_id: str, deal_number: int, salts: Sequence[bytes]) -> bytes:
    """The key of one deal's stream. Every part is framed by its length, so that no two lists of parts look alike."""
    _check_seed(seed)
    for salt in salts:
        if not 1 <= len(salt) <= MAX_SALT_BYTES:
            raise ValueError(f"a salt has 1 to {MAX_SALT_BYTES} bytes, not {len(salt)}")
    message = _framed(_DEAL_DOMAIN) + _framed(_match(match_id)) + deal_number.to_bytes(8, "big")
    message += len(salts).to_bytes(4, "big") + b"".join(map(_framed, salts))
    return hmac.digest(seed, message, "sha256")


def _words(key: bytes) -> Iterator[int]:
    """An endless stream of uniform 32-bit numbers: HMAC-SHA256 of a counter, cut into big-endian words."""
    counter = 0
    while True:
        block = hmac.digest(key, counter.to_bytes(8, "big"), "sha256")
        for start in range(0, len(block), _WORD_BYTES):
            yield int.from_bytes(block[start : start + _WORD_BYTES], "big")
        counter += 1


def uniform_below(bound: int, words: Iterator[int]) -> int:
    """A uniform number from 0 to `bound` - 1. Words that would favour the small numbers are thrown away."""
    limit = _WORDS - _WORDS % bound
    while (word := next(words)) >= limit:
        pass
    return word % bound


def _framed(part: bytes) -> bytes:
    return len(part).to_bytes(4, "big") + part


def _match(match_id: str) -> bytes:
    if not match_id:
        raise ValueError("a shuffle belongs to a match: its id is empty")
    return match_id.encode()


def _check_seed(seed: bytes) -> None:
    if len(seed) != SEED_BYTES:
        raise ValueError(f"a seed has {SEED_BYTES} bytes, not {len(seed)}")
