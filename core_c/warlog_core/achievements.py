"""Achievements: what a finished match has earned the players of its seats.

A game's achievements are data and a few lines of Python, both found by the game's name; a game may have neither.

    rules/<game>_achievements.json     key → Achievement
    codecs/<game>_achievements.py      `Tally`, which goes through a match and says which of them a seat has earned

A tally sees what everybody may see once the match is over. It does no I/O and knows no players.
"""

from __future__ import annotations

import importlib
import importlib.util
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from importlib import resources
from typing import Any, ClassVar

import msgspec
from msgspec import Struct

from warlog_core.binding import RawGame
from warlog_core.codecs._actions import plain
from warlog_core.event import Event
from warlog_core.rule_set import RuleSet
from warlog_core.state import State, Step


class Achievement(Struct, frozen=True, forbid_unknown_fields=True):
    """text: what is to be done for it. count: how many times."""

    name: str
    text: str
    count: int = 1


class Tally:
    """Goes through one match. A game's own has, for effects of the type `moved` say, a method `on_moved(actor,
    effect)`; `actor` is a seat or "server".

    TIMES    key of an achievement, won or lost → what has to be counted how often in the match
    LONG     type of an effect whose last field is a list → how many entries it has at least where it matters; of the
             actions, no others are heard
    counts   (seat, what) → how often
    opening  seat → the first action of each that names a space, as text
    """

    TIMES: ClassVar[Mapping[str, tuple[str, int]]] = {}
    LONG: ClassVar[Mapping[str, int]] = {}

    @classmethod
    @cache
    def types(cls, game: RawGame) -> Mapping[int, int]:
        """Of the effects that it hears, as `State.replay_effects` takes them."""
        return {
            number: len(effect.parameters) + cls.LONG[effect.name] if effect.name in cls.LONG else 0
            for number, effect in enumerate(game.effects)
            if hasattr(cls, f"on_{effect.name}")
        }

    def __init__(self, start: State) -> None:
        self.seats = start.seats
        self.counts = defaultdict[tuple[str, str], int](int)
        self.opening: dict[str, str] = {}
        effects = start.game.raw.effects
        self._on: dict[int, Callable[[str, Any], None]] = {
            number: getattr(self, f"on_{effects[number].name}") for number in self.types(start.game.raw)
        }

    def take(self, event: Event) -> None:
        """The start, or the next action."""
        actor = event.actor
        if actor not in self.opening and (opening := _opening(event.action)):
            self.opening[actor] = opening
        if self._on:
            event.tell(self._on)

    def take_steps(self, steps: Iterable[Step], effects: Iterable[tuple[str, int, Any]]) -> None:
        """The next actions, with what `State.replay_effects` gave of the types that are heard."""
        for step in steps:
            if step.actor not in self.opening and (opening := _opening(plain(step.action))):
                self.opening[step.actor] = opening
        for actor, type_, effect in effects:
            self._on[type_](actor, effect)

    def earned(self, seat: str, won: bool, end: State) -> Iterator[str]:
        """The keys of what the seat has earned, each at most once. `end`: the state after the last event."""
        for key, (what, times) in self.TIMES.items():
            if self.counts[seat, what] >= times:
                yield key

    def favourites(self, seat: str) -> Iterator[str]:
        """What the seat's player began with, or bought: counted, so that his favourites can be told."""
        if seat in self.opening:
            yield self.opening[seat]


def _opening(action: Mapping[str, Any] | None) -> str:
    if action is None:
        return ""
    spaces = [str(action[name]) for name in ("to", "target", "at") if action.get(name)]
    return f"{action['type']} {spaces[0]}" if spaces else ""


@cache
def achievements_of(game: str) -> Mapping[str, Achievement]:
    """Of a game, by key. Raises ValueError for data that are wrong, with file and field."""
    name = f"{game}_achievements.json"
    file = resources.files("warlog_core").joinpath(f"rules/{name}")
    return read(f"rules/{name}", file.read_bytes()) if file.is_file() else {}


def read(name: str, raw: bytes) -> dict[str, Achievement]:
    """The achievements of a file. Raises ValueError, which says the file's name, the key, and the field."""
    try:
        found = msgspec.json.decode(raw, type=dict[str, msgspec.Raw])
    except msgspec.DecodeError as error:
        raise ValueError(f"{name}: {error}") from error
    achievements = {}
    for key, text in found.items():
        try:
            achievements[key] = msgspec.json.decode(text, type=Achievement)
        except msgspec.DecodeError as error:
            raise ValueError(f"{name}, {key}: {error}") from error
    return achievements


@cache
def tally_of(game: str) -> type[Tally]:
    name = f"warlog_core.codecs.{game}_achievements"
    if importlib.util.find_spec(name) is None:
        return Tally
    found: type[Tally] = importlib.import_module(name).Tally
    return found


def tally(game: RuleSet, start: State) -> Tally:
    """Of a match that begins with this state."""
    return tally_of(game.name)(start)
