"""Secrets of accounts, and how they are kept: never themselves.

A device's secret is random and long, so one salted hash is enough and costs nothing. A password is what a person can
remember, so it gets argon2id, which is slow on purpose: that work runs in threads of its own, a few at a time, and
never holds up the event loop.
"""

import asyncio
import hmac
import os
from base64 import b64encode
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from hashlib import blake2b
from typing import Final

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError
from argon2.low_level import ARGON2_VERSION

Entropy = Callable[[int], bytes]
"""Gives so many random bytes."""

_SALT_BYTES: Final = 16


def seal(secret: bytes, entropy: Entropy) -> bytes:
    """A salted hash of a secret that is random itself."""
    salt = entropy(_SALT_BYTES)
    return salt + blake2b(secret, salt=salt, person=b"levata.device").digest()


def is_sealed(secret: bytes, sealed: bytes | None) -> bool:
    """Whether `sealed` was made from `secret`; takes as long for a wrong one."""
    if sealed is None:
        sealed = bytes(_SALT_BYTES + 64)
    salt, digest = sealed[:_SALT_BYTES], sealed[_SALT_BYTES:]
    return hmac.compare_digest(blake2b(secret, salt=salt, person=b"levata.device").digest(), digest)


class Passwords:
    """Hashes and verifies passwords off the event loop.

    Args:
        hasher: argon2id with its costs.
        threads: How many are hashed at once; each needs the hasher's memory.
    """

    def __init__(self, hasher: PasswordHasher | None = None, threads: int = 2) -> None:
        self._hasher = hasher or PasswordHasher()
        self._threads = ThreadPoolExecutor(threads, thread_name_prefix="password")
        self._nobody = _nobodys(self._hasher)

    async def hash(self, password: str) -> str:
        """The hash in argon2's text form, which carries its salt and costs."""
        return await asyncio.get_running_loop().run_in_executor(self._threads, self._hasher.hash, password)

    async def verify(self, password: str, hashed: str | None) -> bool:
        """Whether the password is the right one; takes as long when there is none, so that none can be found."""
        loop = asyncio.get_running_loop()
        right = await loop.run_in_executor(self._threads, self._verify, password, hashed or self._nobody)
        return right and hashed is not None

    def _verify(self, password: str, hashed: str) -> bool:
        try:
            return self._hasher.verify(hashed, password)
        except (VerificationError, InvalidHashError):
            return False

    def close(self) -> None:
        """Ends the threads."""
        self._threads.shutdown(wait=False, cancel_futures=True)


def _nobodys(hasher: PasswordHasher) -> str:
    """The hash of no password, at the hasher's costs; made without hashing, for a service starts with it."""
    salt, digest = (b64encode(os.urandom(n)).rstrip(b"=").decode() for n in (hasher.salt_len, hasher.hash_len))
    costs = f"m={hasher.memory_cost},t={hasher.time_cost},p={hasher.parallelism}"
    return f"$argon2id$v={ARGON2_VERSION}${costs}${salt}${digest}"
