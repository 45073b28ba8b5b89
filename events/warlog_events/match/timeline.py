"""The versions of a match as a tree, and how to come back to any of them.

The parent of a version is the one before it, except after `time_travelled {to}`: that event's parent is `to`. So the
tree is the list of its jumps, and the path from any version back to the start is a few contiguous runs:

        1 ── 2 ── 3 ── 4 ── 5
                  └─ 6 ── 7 ── 8        6 = time_travelled {to: 3}
                     the path of 8: 6 … 8, 1 … 3

A *base* is an event that makes a new setup (the start, an edited position, an option change in play). Every base
and every jump has a *checkpoint* of the state after it, and so has every `every`-th *step* (action): the way
from the nearest checkpoint to any version is one contiguous run with at most `every` steps to replay.
"""

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import msgspec

from .stored import StoredEvent, draws_text

DISCLOSE_OVER = 0x80000000  # warlog.h: the flag that every game shares


class Step(NamedTuple):
    """One recorded action, ready to be replayed."""

    actor: str
    action: dict[str, object]
    draws: list[int]
    hash: str


class Base(NamedTuple):
    """From `version` on, along its lines, these options and this setup hold."""

    version: int
    options: dict[str, object]
    setup: bytes


class Tip(NamedTuple):
    """The last version of a line before it was left, with what the rules had disclosed by then."""

    version: int
    disclosure: int


class Path(NamedTuple):
    """How to come to a version: the checkpoint to start from, and the versions of the steps after it, in order."""

    checkpoint: int
    steps: list[int]


class Forgotten(Exception):
    """The path leads before what this process has read of the match."""


class _Taken(msgspec.Struct):
    """What a step needs of an action's body."""

    action: dict[str, object]


_step = msgspec.json.Decoder(tuple[str, _Taken, list[int], str])


class Timeline:
    """Only ever grows, and at its end: a reader who holds an older `Match` reads on undisturbed.

    known_from   events after this version have their steps here; 0 unless the match came from a snapshot
    """

    def __init__(self, every: int) -> None:
        self.every = every
        self.known_from = 0
        self.jumps: list[int] = []  # versions of the time travels, ascending
        self.targets: list[int] = []
        self.bases: list[Base] = []
        self.seeds: list[tuple[int, str]] = []  # (version, commitment)
        self.tips: list[Tip] = []
        self._seeded: list[int] = []  # versions of the seeds
        self._shown: dict[
            int, dict[int, int]
        ] = {}  # start of a run → flag → the last version of which it discloses
        self.over_until = 0  # events up to here are shown in full: the match has been over since
        self._steps: dict[int, bytes] = {}
        self._checkpoints: dict[int, bytes] = {}
        self.since_checkpoint = 0  # steps on the head's path
        self.weight = 0  # bytes, roughly

    def copy(self) -> "Timeline":
        """For events that are made but not yet appended. Shares the (immutable) contents."""
        twin = Timeline(self.every)
        twin.__dict__.update(
            {k: v.copy() if isinstance(v, list | dict) else v for k, v in vars(self).items()}
        )
        return twin

    # ---- reading

    def parent(self, version: int) -> int | None:
        index = bisect_right(self.jumps, version) - 1
        if index >= 0 and self.jumps[index] == version:
            return self.targets[index]
        return version - 1 or None

    def runs(self, version: int) -> Iterator[tuple[int, int]]:
        """The path of `version` from there to the first event, as runs (highest, lowest) of versions."""
        index = bisect_right(self.jumps, version) - 1
        while index >= 0:
            yield version, self.jumps[index]
            version = self.targets[index]
            index = bisect_right(self.jumps, version, hi=index) - 1
        yield version, 1

    def is_on_path(self, ancestor: int, version: int) -> bool:
        """Does `version` itself or its past contain `ancestor`?"""
        for high, low in self.runs(version):
            if ancestor > high:
                return False
            if ancestor >= low:
                return True
        return False

    def base_of(self, version: int) -> Base:
        index = self._newest_on_path(version, [base.version for base in self.bases])
        return self.bases[index]

    def seed_of(self, version: int) -> str:
        """The commitment of the newest seed on the line of `version`."""
        return self.seeds[self._newest_on_path(version, self._seeded)][1]

    def _newest_on_path(self, version: int, marks: Sequence[int]) -> int:
        """The index of the newest of these (ascending) versions on the path of `version`; there is always one."""
        for high, low in self.runs(version):
            index = bisect_right(marks, high) - 1
            if index >= 0 and marks[index] >= low:
                return index
        raise Forgotten

    def disclosed(self, version: int, head: int, head_disclosure: int) -> int:
        """What has been disclosed of event `version` by now: by every line that goes through it, or by the match's
        end."""
        flags = DISCLOSE_OVER if version <= self.over_until else 0
        index = bisect_right(self.jumps, version) - 1
        for flag, highest in self._shown.get(self.jumps[index] if index >= 0 else 1, {}).items():
            if version <= highest:
                flags |= flag
        if head_disclosure & ~flags and version <= head:
            if self.is_on_path(version, head):
                flags |= head_disclosure
            else:
                flags |= head_disclosure & DISCLOSE_OVER
        return flags

    def path(self, version: int) -> Path:
        """The way from the nearest checkpoint to `version`. Raises Forgotten."""
        steps: list[int] = []
        for at in range(version, 0, -1):
            if at in self._checkpoints:
                return Path(at, steps[::-1])
            if at <= self.known_from:
                break
            if at in self._steps:
                steps.append(at)
        raise Forgotten

    def step(self, version: int) -> Step | None:
        """None where the event is no action. Raises Forgotten."""
        if version <= self.known_from:
            raise Forgotten
        packed = self._steps.get(version)
        if packed is None:
            return None
        actor, body, draws, hash_ = _step.decode(packed)
        return Step(actor, body.action, draws, hash_)

    def checkpoint(self, version: int) -> bytes:
        """The state's bytes after `version`, without trailing zeros; KeyError if there is no checkpoint."""
        return self._checkpoints[version]

    def recorded(self, version: int) -> int:
        """The newest action or base on the path of `version`, itself included; 0 before the start. Raises Forgotten."""
        return next(self._recorded_back(version), 0)

    def recorded_on_path(self, version: int) -> list[int]:
        """Every action and base on the path of `version`, in order: the current line. Raises Forgotten."""
        return list(self._recorded_back(version))[::-1]

    def _recorded_back(self, version: int) -> Iterator[int]:
        if self.known_from:
            raise Forgotten
        bases = {base.version for base in self.bases}
        for high, low in self.runs(version):
            for at in range(high, low - 1, -1):
                if at in self._steps or at in bases:
                    yield at

    # ---- growing

    def add_step(self, stored: StoredEvent) -> None:
        # The body as it is: most steps are never looked at again.
        packed = b'["%b",%b,%b,"%b"]' % (
            stored.seat.encode(),
            stored.body,
            draws_text(stored.draws or []).encode(),
            stored.hash.encode(),
        )
        self._steps[stored.version] = packed
        self.since_checkpoint += 1
        self.weight += len(packed) + 200

    def add_checkpoint(self, version: int, state: bytes, since: int = 0) -> None:
        """`state`: bytes without trailing zeros. `since`: steps that the head is ahead of this checkpoint."""
        if version not in self._checkpoints:
            self._checkpoints[version] = state
            self.weight += len(state) + 150
        self.since_checkpoint = since

    def add_jump(self, version: int, to: int, state: bytes) -> None:
        self.jumps.append(version)
        self.targets.append(to)
        known = self._checkpoints.get(to, b"")
        self.add_checkpoint(version, known if known == state else state)  # one copy for both

    def add_base(self, base: Base, state: bytes) -> None:
        self.bases.append(base)
        self.weight += len(base.setup) + 1000
        self.add_checkpoint(base.version, state)

    def add_seed(self, version: int, commitment: str) -> None:
        self.seeds.append((version, commitment))
        self._seeded.append(version)

    def leave(self, version: int, disclosure: int) -> None:
        """The line that ended with `version` is left; what it disclosed of its own past stays disclosed."""
        if not disclosure:
            return
        self.tips.append(Tip(version, disclosure))
        if disclosure & DISCLOSE_OVER:
            self.over_until = version
        for high, low in self.runs(version):
            shown = self._shown.setdefault(low, {})
            new = {flag: high for flag in _flags(disclosure) if shown.get(flag, 0) < high}
            if not new:
                return  # what lies before has been marked by another line
            shown.update(new)


def _flags(flags: int) -> list[int]:
    """The single flags, without that of the end, which needs no path."""
    return [1 << bit for bit in range(31) if flags >> bit & 1]
