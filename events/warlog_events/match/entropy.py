"""Randomness that can be audited (ARCHITECTURE.md): a secret seed, its commitment, and the entropy of each event."""

import hashlib
from collections.abc import Callable

SEED_BYTES = 32


def entropy(match_id: str, seed: bytes, version: int) -> Callable[[int], bytes]:
    """The entropy of event `version`: called with n, the first n bytes; with a greater n, the same and more.

    SHAKE-256 over "warlog/1", the match id, the newest seed on the current line and the version (8 bytes,
    big-endian)."""
    return hashlib.shake_256(b"warlog/1" + match_id.encode() + seed + version.to_bytes(8, "big")).digest


def commitment(seed: bytes) -> str:
    """What is published of a seed before it may be known: "sha256:" and 64 hexadecimal digits."""
    return "sha256:" + hashlib.sha256(seed).hexdigest()
