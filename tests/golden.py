"""Golden playthroughs of our own: whole matches as text fit for review as a diff (tests/playthroughs/own/README.md).

`python -m tests.golden` plays every recording again and writes down what happens now: a decision, whose commit says
which rule changed. `python -m tests.golden new hex-name '{"seats": 3}' 40` records a new match of random actions.
"""

from __future__ import annotations

import hashlib
import json
import random
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec

import warlog_core
from warlog_core import Event, State, history_result

FOLDER = Path(__file__).resolve().parent / "playthroughs" / "own"


@dataclass
class Recording:
    """What a file says that cannot be derived: the start, and what was done."""

    game: str
    about: str
    options: dict[str, Any]
    position: Any
    draws: list[int] = field(default_factory=list)
    steps: list[tuple[str, dict[str, Any], list[int]]] = field(default_factory=list)


def recordings() -> list[Path]:
    return sorted(FOLDER.glob("*.txt"))


def parse(text: str) -> Recording:
    """The recording in a file; derived lines are skipped."""
    first, *lines = text.splitlines()
    game, _, about = first.removeprefix("# ").partition(": ")
    recording = Recording(game, about, {}, None)
    for line in lines:
        kind, _, rest = line.partition(" ")
        if kind == "options":
            recording.options = json.loads(rest)
        elif kind == "position":
            recording.position = json.loads(rest)
        elif kind == "draws":
            recording.draws = json.loads(rest)
        elif kind == ">":
            seat, _, rest = rest.partition(" ")
            action, _, draws = rest.partition("   draws ")
            recording.steps.append((seat, json.loads(action), json.loads(draws or "[]")))
    return recording


def render(recording: Recording, *, afresh: bool = False) -> str:
    """The whole file: the recording, and what comes of it now.

    With `afresh`, draws that no longer fit are drawn again, and the text ends before an action that is now refused."""
    game = warlog_core.game(recording.game)
    fresh = random.Random(recording.about)
    lines = [f"# {recording.game}: {recording.about}", f"options {json.dumps(recording.options)}"]
    if recording.position is not None:
        lines.append(f"position {json.dumps(recording.position)}")

    def drawing(act: Callable[[Any], Any], draws: Sequence[int]) -> Any:
        try:
            return act(draws)
        except warlog_core.BadDraws:
            if not afresh:
                raise
            return act(fresh.randbytes)

    state: State = drawing(
        lambda draws: game.new(options=recording.options, position=recording.position, draws=draws),
        recording.draws,
    )
    assert state.started is not None
    lines.append(f"draws {state.started.draws}")
    lines += _happened(state.started, state)
    for version, (seat, action, recorded) in enumerate(recording.steps, start=1):
        lines += ["", *_stands(state, version)]
        if afresh and state.check(seat, action) is not None:
            return "\n".join([*lines, ""])
        event = drawing(lambda draws: state.apply(seat, action, draws=draws), recorded)  # noqa: B023
        draws = f"   draws {event.draws}" if event.draws else ""
        lines.append(f"> {seat} {json.dumps(event.action)}{draws}")
        lines += _happened(event, state)
    if state.result is not None:
        lines += ["", history_result(state.result.winners, state.result.reason)]
    return "\n".join([*lines, ""])


def _stands(state: State, version: int) -> list[str]:
    viewers = (*state.seats, "spectator")
    views = "  ".join(f"{viewer} {_digest(state.view(viewer))}" for viewer in viewers)
    counts = "  ".join(f"{seat} {len(state.legal(seat))}" for seat in state.seats)
    return [f"# version {version}, {', '.join(state.to_act)} to act", f"view {views}", f"actions {counts}"]


def _happened(event: Event, state: State) -> list[str]:
    """Effects, one on each line; what each viewer gets of the event, as a digest; the state's hash."""
    lines = [f"  {_effect(msgspec.to_builtins(effect))}" for effect in event.effects]
    seen = {viewer: event.visible(viewer, state.disclosure) for viewer in (*state.seats, "spectator")}
    digests = "  ".join(f"{viewer} {_digest(visible)}" for viewer, visible in seen.items())
    return [*lines, f"seen {digests}", f"hash {state.hash}"]


def _effect(effect: dict[str, Any]) -> str:
    fields = (
        f"{name}={json.dumps(value, separators=(',', ':'))}"
        for name, value in effect.items()
        if name != "type"
    )
    return " ".join([effect["type"], *fields])


def _digest(value: Any) -> str:
    text = json.dumps(msgspec.to_builtins(value), sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()[:8]


def record(game: str, about: str, options: dict[str, Any], actions_max: int, seed: str) -> Recording:
    """A random match: blows before strolls, resigning and drawing seldom."""
    rng = random.Random(seed)
    state = warlog_core.game(game).new(options=options, draws=rng.randbytes)
    assert state.started is not None
    recording = Recording(game, about, options, None, state.started.draws)
    while state.to_act and len(recording.steps) < actions_max:
        seat = rng.choice(state.to_act)
        actions = [action for action in state.legal(seat, plain=True) if not action.get("open")]
        kinds = sorted({action["type"] for action in actions} - {"resign", "accept_draw"})
        kind = rng.choice(kinds or ["resign"])
        action = rng.choice([action for action in actions if action["type"] == kind])
        event = state.apply(seat, action, draws=rng.randbytes)
        recording.steps.append((seat, action, event.draws))
    return recording


def main(arguments: list[str]) -> None:
    match arguments:
        case []:
            for path in recordings():
                text = render(parse(path.read_text(encoding="utf-8")), afresh=True)
                changed = text != path.read_text(encoding="utf-8")
                path.write_text(text, encoding="utf-8")
                print(f"{path.name}: {'CHANGED' if changed else 'as it was'}")
        case ["new", name, options, actions_max]:
            game, _, about = name.partition("-")
            made = record(game, about.replace("-", " "), json.loads(options), int(actions_max), name)
            FOLDER.mkdir(exist_ok=True)
            (FOLDER / f"{name}.txt").write_text(render(made), encoding="utf-8")
        case _:
            sys.exit(__doc__)


if __name__ == "__main__":
    main(sys.argv[1:])
