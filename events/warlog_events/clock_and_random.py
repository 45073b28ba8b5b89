"""Time, randomness and ids: what a process takes from outside itself, in one object that is handed in.

`World.real()` is the machine's clock and generator. `World.fixed(seed)` is a world in which nothing is left to
chance: two runs of the same requests against it give the same bytes, which is how leaks are found (two matches
that differ only in what is hidden must look identical from outside).
"""

import base64
import hashlib
import os
import time
from collections.abc import Callable

# The instant at which every fixed world stands still: 2025-01-01T00:00:00Z.
FIXED_NOW_MS = 1_735_689_600_000

ID_BYTES = 10


def id_of(prefix: str, random: bytes) -> str:
    """`World.new_id` with these random bytes, of which it takes the first."""
    return prefix + base64.b32encode(random[:ID_BYTES]).decode().lower()


def _machine_ms() -> int:
    return time.time_ns() // 1_000_000


class World:
    """is_fixed    time stands still, and Redis's own clock is not asked either
    offset_ms   what Redis's clock is ahead of this machine's; set by the store, 0 in a fixed world
    """

    def __init__(
        self, clock_ms: Callable[[], int], random: Callable[[int], bytes], *, is_fixed: bool
    ) -> None:
        self._clock_ms = clock_ms
        self._random = random
        self.is_fixed = is_fixed
        self.offset_ms = 0

    @classmethod
    def real(cls) -> "World":
        return cls(_machine_ms, os.urandom, is_fixed=False)

    @classmethod
    def fixed(cls, seed: str, now_ms: int = FIXED_NOW_MS) -> "World":
        """A world that depends on `seed` alone: the n-th thing asked of it is always the same."""
        asked = 0

        def random(count: int) -> bytes:
            nonlocal asked
            asked += 1
            return hashlib.shake_256(f"warlog/world/{seed}/{asked}".encode()).digest(count)

        return cls(lambda: now_ms, random, is_fixed=True)

    def machine_ms(self) -> int:
        """Milliseconds since 1970, by this machine's clock."""
        return self._clock_ms()

    def now_ms(self) -> int:
        """Milliseconds since 1970, by Redis's clock as far as it is known."""
        return self._clock_ms() + self.offset_ms

    def new_id(self, prefix: str) -> str:
        """`prefix` and 16 characters a–z2–7, 80 bits: not to be guessed, and short enough to read aloud."""
        return id_of(prefix, self._random(ID_BYTES))

    def token_bytes(self, count: int) -> bytes:
        return self._random(count)
