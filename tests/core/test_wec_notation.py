"""The notation of Weaponized Chess (wec 10.6): what the book's examples say, and that every match reads back."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from typing import Any

import pytest

import warlog_core
from tests.core.games import lines, playthroughs, vectors
from tests.core.test_wec_reference import rarest
from tests.core.wec_positions import crowded_position, random_start
from warlog_core import State
from warlog_core.codecs import Step
from warlog_core.codecs import wec_notation as notation

GAME = warlog_core.game("wec")
VECTORS = [vector for vector in vectors() if vector["game"] == "wec" and "expect_setup_error" not in vector]
PLAYED = [path for path in playthroughs() if path.stem.startswith("wec-")]


def start_of(vector: dict[str, Any]) -> State:
    return GAME.new(options=vector.get("options", {}), position=vector.get("position"))


def accepted(steps: list[dict[str, Any]]) -> list[Step]:
    return [(s["seat"], s["action"]) for s in steps if "expect_error" not in s and "error" not in s]


def check_reads_back(start: State, steps: Sequence[Step]) -> None:
    """Written, read and played again, the match stands where it stood (an open draw offer apart)."""
    text = notation.write(start, steps)
    ((options, position, again),) = notation.read(GAME, text)
    first, second = GAME.new(options=options, position=position), start.copy()
    assert first.data == second.data
    for step in again:
        first.apply(*step)
    for step in steps:
        second.apply(*step)
    if "draw_offer" not in (second.position(plain=True) or {}):
        assert first.result == second.result
        assert first.position(plain=True) == second.position(plain=True)
    assert notation.write(GAME.new(options=options, position=position), again) == text


@pytest.mark.parametrize("vector", [v for v in VECTORS if "expect_history" in v], ids=lambda v: v["name"])
def test_the_history_is_written_as_the_book_writes_it(vector: dict[str, Any]) -> None:
    start, steps = start_of(vector), accepted(vector["steps"])
    assert notation.turn_lines(start, steps) == vector["expect_history"]
    for viewer, expected in vector.get("expect_history_for", {}).items():
        assert notation.turn_lines(start, steps, viewer) == expected, viewer


@pytest.mark.parametrize("vector", VECTORS, ids=lambda v: v["name"])
def test_every_example_of_the_book_reads_back(vector: dict[str, Any]) -> None:
    check_reads_back(start_of(vector), accepted(vector["steps"]))


@pytest.mark.parametrize("path", PLAYED, ids=lambda path: path.stem)
def test_every_published_match_reads_back(path: Any) -> None:
    first, *steps = lines(path)
    check_reads_back(start_of(first), accepted(steps))


def check_random_match(rng: random.Random) -> None:
    """Whatever is played from whatever Position reads back, and has a line for every reader."""
    options, position = random_start(rng)
    if rng.random() < 0.6:
        position = crowded_position(rng, options)
    start = GAME.new(options=options, position=position)
    state, met = start.copy(), Counter[str]()
    steps: list[Step] = []
    for _ in range(rng.randint(1, 40)):
        if state.to_act:
            steps.append((state.to_act[0], rarest(rng, state, state.to_act[0], met)))
            state.apply(*steps[-1])
    check_reads_back(start, steps)
    for viewer in ("black", "white", "spectator"):
        assert len(notation.turn_lines(start, steps, viewer)) == len(notation.turn_lines(start, steps))


@pytest.mark.parametrize("match", range(3))
def test_a_random_match_reads_back(match: int, seed: int) -> None:
    check_random_match(random.Random(f"{seed} {match} notation"))


@pytest.mark.soak
def test_a_thousand_random_matches_read_back(seed: int) -> None:
    for match in range(1000):
        check_random_match(random.Random(f"{seed} {match} notation"))


def test_readers_get_no_more_of_a_line_than_there_is(seed: int) -> None:
    rng = random.Random(seed)
    first, *steps = lines(PLAYED[0])
    start, taken = start_of(first), accepted(steps)[: rng.randrange(40, 120)]
    whole = notation.turn_lines(start, taken)
    for viewer in ("black", "white", "spectator"):
        censored = notation.turn_lines(start, taken, viewer)
        assert len(censored) == len(whole)
        for mine, full in zip(censored, whole, strict=True):
            assert mine.split(" ")[0] == full.split(" ")[0]
            if viewer != "spectator" and full.split(" ")[0].endswith(viewer[0].upper()):
                # Its own acts in full; of the results those that it was given.
                assert mine.partition(",RS:")[0] == full.partition(",RS:")[0]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "WEC 1\n",
        "WEC 2\nOPTIONS {}\n",
        "WEC 1\nOPTIONS {}",
        'WEC 1\nOPTIONS {"tank_range":9}\n',
        "WEC 1\nOPTIONS {}\n2B MV:FP(2,3)->(3,4)\n",
        "WEC 1\nOPTIONS {}\n1W MV:FP(9,8)->(8,7)\n",
        "WEC 1\nOPTIONS null\n",
        "WEC 1\nOPTIONS []\n",
        'WEC 1\nOPTIONS {"stealth": NaN}\n',
        "WEC 1\nOPTIONS {}\nPOSITION null\n",
        "WEC 1\nOPTIONS {}\nPOSITION ?\n",
        "WEC 1\nOPTIONS {}\n1B MV:?\n",
        "WEC 1\nOPTIONS {}\n1B MV:-\n",
        "WEC 1\nOPTIONS {}\n1B MV:FP(2,3)->(2,4)\n",
        "WEC 1\nOPTIONS {}\n1B MV:FP(2,4)->(3,4)\n",
        "WEC 1\nOPTIONS {}\n1B MV:FP(2,3)->(3,4),RS:R->(3,1)(1,0)\n",
        "WEC 1\nOPTIONS {}\n1B MV:FP(2,3)->(3,4),OR:M1\n",
        "WEC 1\nOPTIONS {}\n1B MV:FP(2,3)->(3,4)\nRESULT black primary_destroyed\n",
        "WEC 1\nOPTIONS {}\nRESULT black resigned\n1B MV:FP(2,3)->(3,4)\n",
    ],
)
def test_what_does_not_fit_is_an_invalid_position(text: str) -> None:
    with pytest.raises(warlog_core.Refused) as refused:
        notation.read(GAME, text)
    assert refused.value.code == "invalid_position"


@pytest.mark.parametrize(
    ("result", "winners"),
    [("black resigned", ["black"]), ("white timeout", ["white"]), ("draw draw_agreed", [])],
)
def test_a_result_that_play_did_not_bring_is_applied(result: str, winners: list[str]) -> None:
    text = f"WEC 1\nOPTIONS {{}}\n1B MV:FP(2,3)->(3,4)\nRESULT {result}\n"
    state = GAME.new()
    for step in notation.read(GAME, text)[0].steps:
        state.apply(*step)
    assert state.result is not None
    assert (state.result.winners, state.result.reason) == (winners, result.split()[1])


def test_the_sources_own_codes_are_taken_too() -> None:
    old = "WEC 1\nOPTIONS {}\n1B MV:SP(2,2)->(3,3)\n"
    assert notation.read(GAME, old) == notation.read(GAME, old.replace("SP(", "STP("))


def test_a_text_that_was_changed_anywhere_is_read_or_refused_and_nothing_else(seed: int) -> None:
    rng = random.Random(seed)
    first, *steps = lines(PLAYED[0])
    text = notation.write(start_of(first), accepted(steps)[:60])
    codes = set()
    for _ in range(60):
        at, other = rng.randrange(len(text)), rng.randrange(len(text))
        middle = rng.choice(
            ["", rng.choice("()<>^v->,:=#*?MVOR129BW\n{}"), text[other : other + rng.randint(1, 9)]]
        )
        broken = text[:at] + middle + text[at + rng.randint(0, 1) :]
        try:
            notation.read(GAME, broken)
        except warlog_core.Refused as refused:
            codes.add(refused.code)
    assert codes == {"invalid_position"}
