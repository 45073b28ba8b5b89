"""A `warlog serve` with a fault, for the test that such faults are found: python -m tests.service.leaky FAULT serve …

action   a hidden action is shown to everybody
effects  every effect is shown whole
view     a spectator looks through red's eyes
problem  the facts of a refusal hold what red sees
figure   a figure says how much the matches in memory weigh
trace    of every event everybody gets the trace that red gets
listing  the traces of a listing know what red sees
length   nothing is shown, but an answer is longer when red's army is
"""

from __future__ import annotations

import sys
from typing import Any

from msgspec import structs

from warlog_core import Trace
from warlog_core.errors import Explanation
from warlog_core.event import Event, Visible
from warlog_core.state import State
from warlog_events.match.match import Match
from warlog_events.match.model import ActionTaken
from warlog_events.reading.past import Past
from warlog_events.reading.replayed import EventWithState
from warlog_service.backend import Service
from warlog_service.cli import main

_visible, _view, _explain, _show = Event.visible, State.view, State.explain, Service._show
_traces = State.traces


def _all_of_the_action(event: Event, viewer: str, disclosed: int) -> Visible:
    seen = _visible(event, viewer, disclosed)
    return Visible(event.action, seen.draws, seen.effects)


def _all_of_the_effects(event: Event, viewer: str, disclosed: int) -> Visible:
    seen = _visible(event, viewer, disclosed)
    return Visible(seen.action, seen.draws, event.effects)


def _through_red_eyes(state: State, viewer: str, *, plain: bool = False) -> Any:
    return _view(state, "red" if viewer == "spectator" else viewer, plain=plain)


def _with_red_facts(state: State, actor: str, action: object, code: str) -> Explanation:
    why = _explain(state, actor, action, code)
    return structs.replace(why, members={**why.members, "have": str(_view(state, "red", plain=True))})


def _padded(event: Event, viewer: str, disclosed: int) -> Visible:
    seen = _visible(event, viewer, disclosed)
    action = dict(seen.action or {})
    if event.action and event.action.get("army"):
        action["x"] = "." * len(str(event.action["army"]))
    return Visible(action, seen.draws, seen.effects)


def _with_weight(service: Service) -> None:
    _show(service)
    service.metrics.gauge("warlog_cache_bytes", "", lambda: service.backend.matches.cache.weight)


async def _traced_for_red(past: Past, match: Match, before: State, version: int, viewer: str) -> Trace | None:
    def traced(_: Match, told: EventWithState) -> Trace | None:
        if told.state is None or not isinstance(told.body, ActionTaken):
            return None
        return before.trace_to(told.state, told.stored.seat, told.body.action, "red")

    (trace,) = await past.each(match, version - 1, 1, traced)
    return trace


def _listed_with_red_eyes(state: State, seat: str) -> list[Trace]:
    seen = str(_view(state, "red", plain=True))
    return [structs.replace(trace, path=[seen]) for trace in _traces(state, seat)]


def break_it(fault: str) -> None:
    match fault:
        case "action":
            setattr(Event, "visible", _all_of_the_action)  # noqa: B010 - a method is not to be assigned to, says mypy
        case "effects":
            setattr(Event, "visible", _all_of_the_effects)  # noqa: B010
        case "figure":
            setattr(Service, "_show", _with_weight)  # noqa: B010
        case "length":
            setattr(Event, "visible", _padded)  # noqa: B010
        case "listing":
            setattr(State, "traces", _listed_with_red_eyes)  # noqa: B010
        case "problem":
            setattr(State, "explain", _with_red_facts)  # noqa: B010
        case "trace":
            setattr(Past, "trace", _traced_for_red)  # noqa: B010
        case "view":
            setattr(State, "view", _through_red_eyes)  # noqa: B010


if __name__ == "__main__":
    break_it(sys.argv[1])
    sys.exit(main(sys.argv[2:]))
