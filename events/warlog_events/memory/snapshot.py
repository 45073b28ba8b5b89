"""A match written down whole, so that a cold load need not replay it. A cache: nothing is lost when all are deleted.

A snapshot is believed only if its digest is right, it was made by the same rules version and layout, it agrees with the
stream's own entry of that version (chain and hash), and its state has that hash. Else it is refused.
"""

import hashlib

import msgspec

import warlog_core
from warlog_core import CoreError

from ..match.draft import packed
from ..match.fold import Fold
from ..match.match import Match
from ..match.stored import StoredEvent
from ..match.timeline import Base, Forgotten, Timeline, Tip

FORM = 1
_DIGEST_BYTES = 32


class SnapshotRefused(Exception):
    """This is no snapshot of that match at that version."""


class Content(msgspec.Struct, frozen=True):
    form: int
    fingerprint: str
    fold: Fold
    state: bytes
    jumps: list[int]
    targets: list[int]
    bases: list[Base]
    seeds: list[tuple[int, str]]
    tips: list[Tip]


_encoder = msgspec.msgpack.Encoder()
_decoder = msgspec.msgpack.Decoder(Content)


def dump(match: Match) -> bytes:
    """Of a match that has started."""
    line, version = match.timeline, match.version
    assert match.state is not None
    shown = sum(1 for jump in line.jumps if jump <= version)
    content = Content(
        FORM,
        match.game.fingerprint,
        match.fold,
        packed(match.state.data),
        line.jumps[:shown],
        line.targets[:shown],
        [base for base in line.bases if base.version <= version],
        [seed for seed in line.seeds if seed[0] <= version],
        [tip for tip in line.tips if tip.version < version],
    )
    raw = _encoder.encode(content)
    return hashlib.sha256(raw).digest() + raw


def version_of(snapshot: bytes) -> int:
    """Raises SnapshotRefused if these bytes cannot be a snapshot of ours."""
    return _read(snapshot).fold.version


def load(snapshot: bytes, entry: StoredEvent, match_id: str, every: int) -> Match:
    """The match as of `entry`, the stream's event of the snapshot's version, without deadlines. Raises
    SnapshotRefused."""
    content = _read(snapshot)
    fold = content.fold
    if fold.match != match_id or fold.version != entry.version:
        raise SnapshotRefused("of another match or version")
    if fold.chain != entry.chain or fold.hash != entry.hash:
        raise SnapshotRefused("the stream says otherwise")
    line = Timeline(every)
    line.known_from = fold.version
    line.jumps, line.targets = content.jumps, content.targets
    line.bases = content.bases
    for seed in content.seeds:
        line.add_seed(*seed)
    for tip in content.tips:
        line.leave(*tip)
    try:
        game = warlog_core.game(fold.game, fold.rules_version)
        if game.fingerprint != content.fingerprint:
            raise SnapshotRefused("of another layout")
        state = game.load(line.base_of(fold.version).setup, content.state)
    except (CoreError, Forgotten) as error:
        raise SnapshotRefused(str(error)) from error
    if state.hash != entry.hash:
        raise SnapshotRefused("not the state that was recorded")
    line.add_checkpoint(fold.version, content.state)
    return Match(fold, game, line, state, {})


def _read(snapshot: bytes) -> Content:
    raw = snapshot[_DIGEST_BYTES:]
    if hashlib.sha256(raw).digest() != snapshot[:_DIGEST_BYTES]:
        raise SnapshotRefused("damaged")
    try:
        content = _decoder.decode(raw)
    except msgspec.MsgspecError as error:
        raise SnapshotRefused(str(error)) from error
    if content.form != FORM:
        raise SnapshotRefused("of another form")
    return content
