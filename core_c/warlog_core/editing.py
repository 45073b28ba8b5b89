"""What a game's description says of editing a Position (`editor`), with a Position to begin with."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

from msgspec import Meta

from warlog_core import description
from warlog_core.codecs import service_data

if TYPE_CHECKING:
    from warlog_core.state import State

Json = dict[str, Any]
_SETUP_ACTIONS_MAX = 1_000


class Editor(description.EditorLook, frozen=True, kw_only=True):
    """How a Position is drawn and edited. Paths are those of layers."""

    start: Annotated[
        Json | None,
        Meta(
            description="a Position to begin with: the standard setup, or, where players set up first, one that was "
            "set up at random"
        ),
    ]


def start(state: State, rng: random.Random, derived: Sequence[str]) -> Json | None:
    """The first Position of play. Changes `state`: where players set up first, they do so at random. None if the
    match is over before."""
    phases = service_data(state.game.name).get("setup_phases", ())
    for _ in range(_SETUP_ACTIONS_MAX):
        position: Json | None = state.position(plain=True)
        if state.phase not in phases or not state.to_act:
            if position is not None:
                for path in derived:
                    _leave_out(position, path.split("."))
            return position
        _set_up(state, rng)
    raise AssertionError("setting up does not end")


def _set_up(state: State, rng: random.Random) -> None:
    """Takes one action of any type: by type, because a layout may be changed in hundreds of ways and be done in one."""
    seat = state.to_act[0]
    by_type: dict[str, list[Json]] = {}
    for action in state.legal(seat, plain=True):
        if not action.get("open") and action["type"] not in _giving_up(state):
            by_type.setdefault(action["type"], []).append(action)
    state.apply(seat, rng.choice(by_type[rng.choice(sorted(by_type))]), rng.randbytes)


def _giving_up(state: State) -> set[str]:
    return {action.name for action in state.game.raw.actions if action.gives_up}


def _leave_out(value: Any, path: Sequence[str]) -> None:
    if isinstance(value, list):
        for one in value:
            _leave_out(one, path)
    elif isinstance(value, dict) and len(path) > 1:
        _leave_out(value.get(path[0]), path[1:])
    elif isinstance(value, dict):
        value.pop(path[0], None)
