"""The numbers of actions and the planes of views, as documents and as recordings: part of the rules version.

`python -m tests.numbers` writes anew docs/research/<game>.md, the tables of each game, and tests/numbers/<game>.txt, in
which matches are played at random: of each step the seat, the number of its action with what it stands for, how many
numbers there were, and a digest of what the seat knew. Behind them stand matches that look for what has not come up:
every family of actions and every plane. Of those the first steps of each family are written out, and of each match a
digest of all numbers and planes. A change there is a change of rules.
"""

from __future__ import annotations

import hashlib
import json
import random
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

import warlog_core
from warlog_core import Numbering, State

ROOT = Path(__file__).resolve().parent.parent
RECORDINGS = Path(__file__).resolve().parent / "numbers"
TABLES = ROOT / "docs" / "research"
STEPS = 40
SOUGHT_STEPS, WRITTEN_OUT = 300, 3

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

GROUND = [  # all kinds of terrain
    {"kind": "barrier", "spaces": ["a4", "b4", "a5", "b5"]},
    {"kind": "counterspell", "spaces": ["c4", "d4", "c5", "d5"]},
    {"kind": "enhancement", "spaces": ["e4", "f4", "e5", "f5"]},
    {"kind": "rough", "spaces": ["g4", "h4", "g5", "h5"]},
]

# A piece of the book that no start has.
POSITIONS: dict[str, Any] = {
    "sam_torpedo_pawns": {
        "pieces": [
            {"id": 90, "seat": "black", "type": "king", "at": "e1"},
            {"id": 91, "seat": "white", "type": "king", "at": "f10"},
            {"id": 1, "seat": "black", "type": "sam_torpedo_pawn", "at": "d4"},
            {"id": 2, "seat": "white", "type": "sam_torpedo_pawn", "at": "d6"},
        ]
    }
}

# With OPTIONS these are the matches in which every family and every plane comes up: options, or the name of one of the
# book's examples (tests/vectors) or of POSITIONS, from where a match gets where a random one hardly does.
SOUGHT: dict[str, list[dict[str, Any] | str]] = {
    "confrontation": [
        {"terrain": "custom", "terrain_areas": GROUND},
        "humans_luck_in_attack",
        "humans_against_humans",
        "luck_against_a_spell",
        "undead_live_again_in_defence",
        "dwarves_hold",
        "demons_rise",
        "demons_charge_and_end_turn",
        "demons_end_turn_when_only_rise_is_left",
        "fury_after_a_loser_lived_again",
    ],
    "hex": [],
    "junqi": [{"players": 2, "min_steps_draw": 0, "min_steps_resign": 0}],
    "universal": [
        {"mode": "double", "psionics": True, "psionic_cost": 1},
        "psionic_seize_and_release",
        "thrall_changes_hands",
        "promotion",
    ],
    "wec": [
        "reinforce_sequence",
        "hidden_reinforcement",
        "reinforce_bumps",
        "conversion_kill",
        "sam_torpedo_pawns",
        *(
            {"movement": "mass_destruction", "black_government": black, "white_government": white}
            for black, white in (
                ("theocracy", "dictatorship"),
                ("dictatorship", "democracy"),
                ("democracy", "theocracy"),
            )
        ),
    ],
}


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


def line_of(numbering: Numbering, state: State, seat: str, number: int) -> str:
    """What a recording tells of a step."""
    given = " ".join(f"{name} {value}" for name, value in numbering.describe(number).items())
    action = msgspec.json.encode(numbering.decode(state, seat, number)).decode()
    among = len(numbering.numbers(state, seat))
    return f"{seat} {number} of {among}: {given} = {action}   {planes_digest(numbering, state, seat)}"


class Search:
    """Matches that seek what has seldom come up. `families` and `planes` tell how often each did."""

    def __init__(self) -> None:
        self.families: Counter[str] = Counter()
        self.planes: Counter[str] = Counter()

    def match(self, game: str, start: dict[str, Any] | str, last: str) -> Iterator[str]:
        """One match, ended by an action of the family `last` as soon as it is long enough; its lines."""
        text = start if isinstance(start, str) else msgspec.json.encode(start).decode()
        yield f"sought {text}, {last}"
        rng = random.Random(f"{game} {text} {last}")
        options, position = (start, None) if isinstance(start, dict) else _example(game, start)
        state = warlog_core.game(game).new(options=options, position=position, draws=rng.randbytes)
        numbering = warlog_core.game(game).numbering(state)
        all_of_it = hashlib.sha256()
        for step in range(SOUGHT_STEPS):
            choices = self._choices(numbering, state, all_of_it)
            if not choices:
                break
            family = self._family(choices, last if step > SOUGHT_STEPS // 2 else "", rng)
            seat, number = rng.choice(choices[family])
            if self.families[family] < WRITTEN_OUT:
                yield line_of(numbering, state, seat, number)
            self.families[family] += 1
            all_of_it.update(f"{seat} {number} ".encode())
            state.apply(seat, numbering.decode(state, seat, number), rng.randbytes)
        yield f"all of it {all_of_it.hexdigest()[:12]}"

    def _choices(
        self, numbering: Numbering, state: State, all_of_it: Any
    ) -> dict[str, list[tuple[str, int]]]:
        """By families, what any seat may do. All numbers and planes of the state go into the digest."""
        firsts = np.array([family.first for family in numbering.families])
        choices: dict[str, list[tuple[str, int]]] = {}
        for seat in state.seats:
            found = numbering.numbers(state, seat)
            planes = np.asarray(numbering.observe(state, seat))
            all_of_it.update(np.array(found, "<i4").tobytes() + planes.tobytes())
            self.planes.update(numbering.planes[i].name for i in np.flatnonzero(planes.any(axis=(1, 2))))
            for number, of in zip(found, firsts.searchsorted(found, side="right") - 1, strict=True):
                choices.setdefault(numbering.families[of].name, []).append((seat, number))
        return choices

    def _family(self, choices: dict[str, list[tuple[str, int]]], last: str, rng: random.Random) -> str:
        if last in choices:
            return last
        if last == "accept_draw" and "offer_draw" in choices:
            return "offer_draw"
        rare = {"accept_draw", "resign"} if rng.random() < 0.1 else {"accept_draw", "resign", "offer_draw"}
        open_ = sorted(choices.keys() - rare or choices)
        least = min(self.families[family] for family in open_)
        seldom = [family for family in open_ if self.families[family] == least]
        return rng.choice(seldom if rng.random() < 0.5 else open_)


def _example(game: str, name: str) -> tuple[dict[str, Any], Any]:
    """Options and Position of an example of the book, or of ours."""
    if name in POSITIONS:
        return {}, POSITIONS[name]
    vectors = json.loads((RECORDINGS.parent / "vectors" / f"{game}.json").read_text(encoding="utf-8"))
    (example,) = (one for one in vectors if one["name"] == name)
    return example["options"], example["position"]


def sought(game: str) -> tuple[list[str], Search]:
    """The lines of all matches that seek, and what they found."""
    search, lines = Search(), list[str]()
    for start in [*OPTIONS[game], *SOUGHT[game]]:
        for last in ("resign", "accept_draw"):
            lines += search.match(game, start, last)
    lines += [
        f"families {' '.join(f'{name} {n}' for name, n in sorted(search.families.items()))}",
        f"planes {' '.join(f'{name} {n}' for name, n in sorted(search.planes.items()))}",
    ]
    return lines, search


def recording(game: str) -> str:
    lines = list[str]()
    for options in OPTIONS[game]:
        rng = random.Random(f"{game} {msgspec.json.encode(options).decode()}")
        state = warlog_core.game(game).new(options=options, draws=rng.randbytes)
        numbering = warlog_core.game(game).numbering(state)
        lines.append(f"options {msgspec.json.encode(options).decode()}")
        lines.append(f"actions {numbering.n_actions} planes {numbering.shape}")
        for seat, number in steps(numbering, state, rng, STEPS):
            lines.append(line_of(numbering, state, seat, number))
    return "\n".join([*lines, *sought(game)[0]]) + "\n"


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
