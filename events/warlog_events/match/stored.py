"""An event as it is stored, and the chain that ties it to the one before."""

import hashlib
import struct
from collections.abc import Sequence
from functools import lru_cache

import msgspec


class StoredEvent(msgspec.Struct, frozen=True, gc=False):
    """One stream entry; the id is `<version>-0`.

    seat    "" where no seat acted
    by      player id or "server"
    at      ms since 1970, Redis's clock; never before the event before it
    body    JSON object, by type (model.py)
    draws   None where the type has no draws at all
    chain   `chain_of` the entry before and this one
    hash    the core state's hash after the event; "" before the start
    """

    version: int
    type: str
    seat: str
    by: str
    at: int
    body: bytes
    draws: list[int] | None
    chain: str
    hash: str


_sha256 = hashlib.sha256()  # to be copied: looking the algorithm up again takes longer than the work
_length = struct.Struct(">Q").pack
SHORT = 1024
_LENGTHS = tuple(map(_length, range(SHORT)))  # everything but bodies and draws is short


def chain_of(
    previous: str,
    version: int,
    type: str,
    seat: str,
    by: str,
    at: int,
    body: bytes,
    draws: Sequence[int] | None,
    state_hash: str,
) -> str:
    """The chain of an entry after one whose chain is `previous` ("" for the first): 32 hexadecimal digits.

    SHA-256 over every field as it is stored, each preceded by its length in 8 bytes, so that no two different entries
    are the same bytes."""
    # Written out, because every event of every match is chained.
    length = _LENGTHS
    before, number, author, when = previous.encode(), b"%d" % version, by.encode(), b"%d" % at
    drawn, after = draws_text(draws).encode(), state_hash.encode()
    n_body, n_drawn = len(body), len(drawn)
    parts = (
        length[len(before)], before, length[len(number)], number, _framed(type), _framed(seat),
        length[len(author)], author, length[len(when)], when,
        length[n_body] if n_body < SHORT else _length(n_body), body,
        length[n_drawn] if n_drawn < SHORT else _length(n_drawn), drawn,
        length[len(after)], after,
    )  # fmt: skip
    digest = _sha256.copy()
    digest.update(b"".join(parts))
    return digest.hexdigest()[:32]


@lru_cache(maxsize=1024)
def _framed(text: str) -> bytes:
    """A type or a seat, which many events have alike, after its length."""
    encoded = text.encode()
    return _LENGTHS[len(encoded)] + encoded


def follows(chain: str, event: StoredEvent) -> bool:
    """Whether the event was written to come after one with this chain."""
    e = event
    return e.chain == chain_of(chain, e.version, e.type, e.seat, e.by, e.at, e.body, e.draws, e.hash)


def draws_text(draws: Sequence[int] | None) -> str:
    """As they are stored and chained: JSON, or nothing where the type has no draws at all."""
    if draws is None:
        return ""
    return f"[{','.join(map(str, draws))}]" if draws else "[]"
