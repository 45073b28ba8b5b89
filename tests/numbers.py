"""The numbers of actions and the planes of views, as documents and as recordings: part of the rules version.

`python -m tests.numbers` writes anew docs/research/<game>.md, the tables of each game, and tests/numbers/<game>.txt, in
which matches are played at random: of each step the seat, the number of its action with what it stands for, how many
numbers there were, and a digest of what the seat knew. A change there is a change of rules.
"""

from __future__ import annotations

import hashlib
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

import warlog_core
from warlog_core import Numbering, State

ROOT = Path(__file__).resolve().parent.parent
RECORDINGS = Path(__file__).resolve().parent / "numbers"
TABLES = ROOT / "docs" / "research"
STEPS = 40

OPTIONS: dict[str, list[dict[str, Any]]] = {
    "confrontation": [
        {},
        {"seats": 3, "races": True, "treasure": True, "army_points": 25},
        {"seats": 4, "terrain": "players"},
    ],
    "hex": [
        {},
        {"width": 7, "height": 5, "army": "preset"},
        {"seats": 4, "teams": "pairs", "deployment": "chosen", "army": "preset"},
    ],
    "junqi": [{}, {"players": 2}, {"mode": "flip", "players": 2}],
    "universal": [{}, {"psionics": True, "veterans": True}, {"factions": ["majora", "evil"]}],
    "wec": [{}, {"movement": "standard_chess"}, {"reinforcements": "more"}],
}
"""Several of each game, for tests of what holds of all."""


def starts() -> list[tuple[str, dict[str, Any]]]:
    return [(game, options) for game in sorted(OPTIONS) for options in OPTIONS[game]]


def cover() -> set[str]:
    """The games that have numbers."""
    return {name for name in warlog_core.games() if warlog_core.game(name).raw.has_numbering}


def planes_digest(numbering: Numbering, state: State, seat: str) -> str:
    return hashlib.sha256(numbering.observe(state, seat)).hexdigest()[:12]


def steps(numbering: Numbering, state: State, rng: random.Random, n: int) -> Iterator[tuple[str, int]]:
    """Random play by numbers: yields seat and number before each is taken."""
    for _ in range(n):
        if not state.to_act:
            return
        seat = rng.choice(state.to_act)
        number = rng.choice(numbering.numbers(state, seat, play_on=True))
        yield seat, number
        state.apply(seat, numbering.decode(state, seat, number), rng.randbytes)


def recording(game: str) -> str:
    lines = []
    for options in OPTIONS[game]:
        rng = random.Random(f"{game} {msgspec.json.encode(options).decode()}")
        state = warlog_core.game(game).new(options=options, draws=rng.randbytes)
        numbering = warlog_core.game(game).numbering(state)
        lines.append(f"options {msgspec.json.encode(options).decode()}")
        lines.append(f"actions {numbering.n_actions} planes {numbering.shape}")
        for seat, number in steps(numbering, state, rng, STEPS):
            given = " ".join(f"{name} {value}" for name, value in numbering.describe(number).items())
            action = msgspec.json.encode(numbering.decode(state, seat, number)).decode()
            among = len(numbering.numbers(state, seat))
            lines.append(
                f"{seat} {number} of {among}: {given} = {action}   {planes_digest(numbering, state, seat)}"
            )
    return "\n".join(lines) + "\n"


def table(game: str) -> str:
    """The document of a game's numbers, with the sizes that its usual options give."""
    state = warlog_core.game(game).new(draws=bytes)
    numbering = warlog_core.game(game).numbering(state)
    title = warlog_core.game(game).codec.title
    lines = [
        f"# {title}: numbers and planes, rules version {numbering.rules_version}",
        "",
        "Made by `python -m tests.numbers` from the core; [RESEARCH.md](../RESEARCH.md) says how to read it.",
        "",
        f"With the usual options there are {numbering.n_actions} numbers, and planes of {numbering.shape[1]} rows and "
        f"{numbering.shape[2]} columns.",
        "",
        "| family | action | first | numbers | digits (size) |",
        "|---|---|---|---|---|",
        *(
            f"| {family.name} | {family.action} | {family.first} | {family.size} | "
            f"{', '.join(f'{digit.name} ({digit.size})' for digit in family.digits)} |"
            for family in numbering.families
        ),
        "",
        "| plane | name | a number in it tells |",
        "|---|---|---|",
        *(f"| {i} | {plane.name} | {plane.meaning} |" for i, plane in enumerate(numbering.planes)),
    ]
    return "\n".join(lines) + "\n"


def main() -> None:
    for game in sorted(OPTIONS):
        for path, text in (
            (RECORDINGS / f"{game}.txt", recording(game)),
            (TABLES / f"{game}.md", table(game)),
        ):
            path.parent.mkdir(exist_ok=True)
            path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
