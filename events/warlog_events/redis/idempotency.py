"""What is stored of a command that came with an Idempotency-Key, so that a repetition of it gets the same answer.

The records of a match are in two hashes that take turns (append.lua), because Redis forgets a hash only as a whole. The
younger hash takes new records while it has at least their lifetime to live. Then the older one has expired, and is
started again with twice the lifetime. So each record lives for its lifetime at least, and for less than twice as long.

A record is a field of 12 bytes and a value of some 12. It takes some 30 bytes in a small hash, which Redis keeps in one
piece, and some 90 in a larger one; as a key of its own, which 0.1 had for each record, more than 230.
"""

from collections.abc import Mapping
from hashlib import sha256

import msgspec

from ..errors import Accepted, IdempotencyKeyReused
from .wire import Reply

# The player is part of what a field is the digest of: nobody can find a key of his that meets another player's.
FIELD_BYTES = 12
# If a player sends two bodies with the same key and the same digest, the second gets the first one's answer. Digests
# of so few bytes can be made to collide, but only by that player, and only for his own commands.
DIGEST_BYTES = 8


TTL_SECONDS = 86_400


class Key(msgspec.Struct, frozen=True):
    """An Idempotency-Key with a digest of the request (any text that differs when the body or the route does)."""

    key: str
    digest: str


class Idempotency(msgspec.Struct, frozen=True):
    """What is kept of an accepted command for `ttl_s` seconds or somewhat longer.

    digest     of the request's body
    deadlines  of seats after the command, in ms: its answer has them, and no event does
    """

    player: str
    key: str
    digest: str
    deadlines: Mapping[str, int]
    ttl_s: int = TTL_SECONDS


class _Earlier(msgspec.Struct):
    """As 0.1 stored it, with the whole answer behind the version; 0.2 at first wrote `deadlines`."""

    version: int
    deadlines: dict[str, int] = {}


_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(tuple[int, dict[str, int]]).decode
_decode_earlier = msgspec.json.Decoder(_Earlier).decode


def field_of(player: str, key: str) -> bytes:
    """Of the record. The key is the client's, and up to 200 characters long, hence hashed."""
    return sha256(f"{player} {key}".encode()).digest()[:FIELD_BYTES]


def value_of(record: Idempotency, version: int) -> bytes:
    """`version`: of the match after the command."""
    return _digest(record.digest) + _encode((version, record.deadlines))


def accepted_of(kept: bytes) -> Accepted:
    """Of what append.lua gives back: a value behind its digest, or what 0.1 stored."""
    if kept.startswith(b"{"):  # which no tuple begins with
        earlier = _decode_earlier(kept)
        return Accepted(earlier.version, earlier.deadlines)
    return Accepted(*_decode(kept))


def accepted_in(reply: Reply, digest: str) -> Accepted | None:
    """Of the values of both hashes and of what 0.1 stored, judged as append.lua does. None if there is none.

    Raises IdempotencyKeyReused."""
    *values, earlier = reply
    for value in filter(None, values):
        return _checked(value[:DIGEST_BYTES] == _digest(digest), value[DIGEST_BYTES:])
    if earlier is None:
        return None
    whole, _, kept = earlier.partition(b" ")
    return _checked(whole == digest.encode(), kept)


def _checked(same: bool, kept: bytes) -> Accepted:
    if not same:
        raise IdempotencyKeyReused()
    return accepted_of(kept)


def _digest(digest: str) -> bytes:
    return sha256(digest.encode()).digest()[:DIGEST_BYTES]
