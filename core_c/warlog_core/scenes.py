"""Boards for the guide of a game (`scenes` of its description), each with what can be done on it.

So a page can show where a piece may go without asking for a match. The Positions stand in `rules/<game>_scenes.json`.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, Any

import msgspec
from msgspec import Meta

from warlog_core import description
from warlog_core.traces import Trace

if TYPE_CHECKING:
    from warlog_core.state import State

Json = dict[str, Any]


class Scene(description.SceneLook, frozen=True, kw_only=True):
    """A board of the guide, with the standard options."""

    position: Annotated[Json, Meta(description="a match can begin from it")]
    seat: Annotated[str, Meta(description="whose turn it is")]
    view: Annotated[Json, Meta(description="the board as this seat sees it")]
    actions: Annotated[list[Json], Meta(description="what this seat may do there, templates left out")]
    traces: Annotated[list[Trace], Meta(description="for each action where it leads")]


def described(game: str, begun: Callable[[Json, random.Random], State]) -> list[Json]:
    """Of every board of the guide; plain values, the same in every process. `begun` makes a match from a Position."""
    found = []
    for look in description.scenes_of(game):
        state = begun(look.position, random.Random(0))
        seat = state.to_act[0]
        listed = zip(state.legal(seat, plain=True), state.traces(seat), strict=True)
        play = [(action, trace) for action, trace in listed if not action.get("open")]
        actions, traces = [action for action, _ in play], [trace for _, trace in play]
        view = state.view(seat, plain=True)
        scene = Scene(
            look.under,
            look.text,
            position=look.position,
            seat=seat,
            view=view,
            actions=actions,
            traces=traces,
        )
        found.append(msgspec.to_builtins(scene))
    return found
