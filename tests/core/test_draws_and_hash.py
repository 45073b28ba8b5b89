"""Entropy becomes draws as warlog.h, 5, says, and XXH64 is XXH64: auditors rely on both."""

from __future__ import annotations

import random
import struct
from collections.abc import Callable

import pytest
import xxhash

import warlog_core
from tests.core.games import GAMES, starts
from warlog_core.layout import Field


def draw(words: list[int], n: int) -> int:
    """The rule, in three lines."""
    while (word := words.pop(0)) >= 2**32 // n * n:
        pass
    return word % n


def block(words: list[int]) -> Callable[[int], bytes]:
    return lambda size: struct.pack(f"<{len(words)}I", *words).ljust(size, b"\0")


# Rejected for n = 121 (2^32 is 121 × 35495597 + 59) and accepted, at the very edge.
EDGE = 2**32 // 121 * 121


@pytest.mark.parametrize(
    "first", [[0], [EDGE - 1], [EDGE], [EDGE, 2**32 - 1, EDGE - 1], [2**32 - 1, 5], [2**31, 7]]
)
def test_a_word_is_rejected_while_it_would_favour_the_small_numbers(first: list[int]) -> None:
    # Hex Tactics' six obstacles on the default board: draws from 121, 120, ... spaces while the board stays connected.
    words = [*first, *(4_000_000_000 + 31_337 * i for i in range(20))]
    state = warlog_core.game("hex").new(draws=block(words))
    assert state.started is not None
    left = list(words)
    assert state.started.draws == [draw(left, 121 - i) for i in range(6)]


def test_draws_do_not_depend_on_how_long_a_block_the_core_asks_for(seed: int) -> None:
    rng = random.Random(seed)
    long = rng.randbytes(1 << 20)
    asked: list[int] = []

    def source(size: int) -> bytes:
        asked.append(size)
        return long[:size]

    # Many obstacles need more than one block.
    state = warlog_core.game("hex").new(options={"obstacle_count": 40}, draws=source)
    assert state.started is not None
    assert len(asked) > 1
    again = warlog_core.game("hex").new(options={"obstacle_count": 40}, draws=lambda size: long)
    assert again.data == state.data


def test_the_hash_of_any_bytes_is_xxh64(seed: int) -> None:
    rng = random.Random(seed)
    for size in [*range(100), 1000, 4096, 100_003]:
        data = rng.randbytes(size)
        assert warlog_core.hash_bytes(data) == xxhash.xxh64_intdigest(data)


def encode(fields: tuple[Field, ...], record: bytes, base: int = 0) -> bytes:
    """The canonical encoding, read slowly: every field in declared order, lists as far as they are in use."""
    out = b""
    for field in fields:
        count = field.count
        if field.n_size:
            at = base + field.n_offset
            count = min(count, int.from_bytes(record[at : at + field.n_size], "little"))
        for i in range(count):
            at = base + field.offset + i * field.size
            out += record[at : at + field.size] if field.row is None else encode(field.row, record, at)
    return out


@pytest.mark.parametrize("name", GAMES)
def test_a_states_hash_is_xxh64_over_its_fields_in_declared_order(name: str, seed: int) -> None:
    rng = random.Random(f"{seed} {name}")
    game = warlog_core.game(name)
    for _, options, position in [entry for entry in starts() if entry[0] == name]:
        state = game.new(options=options, position=position, draws=bytes)
        state.playout(rng.getrandbits(60), 20, play_on=True)
        encoded = encode(game.raw.state_layout.fields, state.data)
        assert state.hash == xxhash.xxh64_hexdigest(encoded)
