"""Actions as numbers, and what a seat knows as planes: what holds of every game that has them."""

from __future__ import annotations

import random
import re
import threading
from typing import Any

import pytest

import warlog_core
from tests import numbers
from warlog_core import BadNumber, Numbering, State
from warlog_core.binding import OPEN_BYTES


def begun(name: str, options: dict[str, Any], rng: random.Random) -> tuple[Numbering, State]:
    game = warlog_core.game(name)
    state = game.new(options=options, draws=rng.randbytes)
    return game.numbering(state), state


def test_every_game_with_numbers_is_tested_with_several_options() -> None:
    assert set(numbers.OPTIONS) == numbers.cover()


@pytest.mark.parametrize(("name", "options"), numbers.starts(), ids=str)
def test_the_numbers_of_legal_actions_are_those_of_legal_actions_and_no_others(
    name: str, options: dict[str, Any], seed: int
) -> None:
    rng = random.Random(f"{seed} numbers")
    numbering, state = begun(name, options, rng)
    for _ in numbers.steps(numbering, state, rng, 60):
        for seat in state.seats:
            listing = state.listing(seat)
            found = numbering.numbers(state, seat)
            assert len(set(found)) == len(found)
            for number in rng.sample(found, min(len(found), 8)):
                action = numbering.decode(state, seat, number)
                assert state.check(seat, action) is None
                assert numbering.encode(state, seat, action) == number
                assert number in found
            closed = [i for i in range(len(listing)) if OPEN_BYTES not in listing.key(i)]
            for index in rng.sample(closed, min(len(closed), 8)):
                assert numbering.encode(state, seat, listing[index]) in found
            other = rng.randrange(numbering.n_actions)
            if other not in found:
                with pytest.raises(BadNumber):
                    numbering.decode(state, seat, other)


@pytest.mark.parametrize(("name", "options"), numbers.starts(), ids=str)
def test_worlds_that_a_seat_cannot_tell_apart_have_the_same_planes_and_numbers(
    name: str, options: dict[str, Any], seed: int
) -> None:
    rng = random.Random(f"{seed} worlds")
    numbering, state = begun(name, options, rng)
    worlds = told_apart = 0
    for _ in numbers.steps(numbering, state, rng, 60):
        if rng.random() < 0.7:
            continue
        for seat in state.seats:
            seen = state.seen_by(seat)
            planes = numbers.planes_digest(numbering, state, seat)
            known = numbering.numbers(state, seat)
            other = seen.sample(seat, rng.getrandbits(64))
            worlds += other.data != state.data
            told_apart += any(  # a control: who sees more sees another world in the planes
                numbers.planes_digest(numbering, other, who) != numbers.planes_digest(numbering, state, who)
                for who in state.seats
            )
            assert numbers.planes_digest(numbering, other, seat) == planes
            assert numbering.numbers(other, seat) == numbering.numbers(seen, seat) == known
    hides = name in ("junqi", "wec") or (name, options) == ("hex", numbers.OPTIONS["hex"][2])
    assert worlds > 0 or not hides
    seen_by_nobody = options.get("mode") == "flip"
    assert told_apart > 0 or not hides or seen_by_nobody


# What a seat chooses in secret: the family of its actions; whether its own planes show it; what makes it known to all.
SECRETS: list[tuple[str, dict[str, Any], str, bool, str | None]] = [
    ("confrontation", {"seats": 3}, "army", False, "order"),
    ("confrontation", {"races": True}, "army", False, "order"),
    ("hex", {"obstacles": "none"}, "recruit_preset", False, "play"),
    ("hex", {"seats": 3, "obstacles": "none"}, "recruit_preset", False, "play"),
    ("hex", {"army": "preset", "obstacles": "none", "deployment": "chosen"}, "place", True, "play"),
    ("junqi", {"players": 2}, "swap", True, None),
]


def two_choices(numbering: Numbering, state: State, seat: str, family: str) -> tuple[int, int]:
    """Two numbers of this family."""
    found = [n for n in numbering.numbers(state, seat) if numbering.describe(n)["family"] == family]
    return found[0], found[-1]


@pytest.mark.parametrize(("name", "options", "family", "own", "known_in"), SECRETS, ids=str)
def test_what_a_seat_has_chosen_in_secret_is_shown_to_it_alone_until_all_may_know(
    name: str, options: dict[str, Any], family: str, own: bool, known_in: str | None
) -> None:
    worlds = [warlog_core.game(name).new(options=options, draws=bytes) for _ in range(2)]
    numbering = warlog_core.game(name).numbering(worlds[0])
    chooser, *others = worlds[0].seats
    choices = two_choices(numbering, worlds[0], chooser, family)
    for state, number in zip(worlds, choices, strict=True):
        state.apply(chooser, numbering.decode(state, chooser, number), bytes)
    assert worlds[0].data != worlds[1].data
    assert worlds[0].view(chooser) != worlds[1].view(chooser)
    assert (seen(numbering, worlds[0], chooser)[0] != seen(numbering, worlds[1], chooser)[0]) == own
    for _ in range(12):
        if worlds[0].phase == known_in:
            break
        for seat in others:
            assert seen(numbering, worlds[0], seat) == seen(numbering, worlds[1], seat), seat
        acting = next((seat for seat in worlds[0].to_act if seat in others), worlds[0].to_act[0])
        for state in worlds:
            act_last(numbering, state, acting)
    if known_in is None:
        return
    # A control: what is known to all becomes visible to all, some with the next placing of pieces.
    assert worlds[0].phase == known_in
    still_same = set(worlds[0].seats)
    for _ in range(40):
        still_same -= {
            seat
            for seat in still_same
            if seen(numbering, worlds[0], seat)[0] != seen(numbering, worlds[1], seat)[0]
        }
        for state in (world for world in worlds if world.to_act):
            act_last(numbering, state, state.to_act[0])
    assert still_same == set()


def act_last(numbering: Numbering, state: State, seat: str) -> None:
    """The last number in the order of the listing, which ends a phase where anything does."""
    number = numbering.numbers(state, seat, play_on=True)[-1]
    state.apply(seat, numbering.decode(state, seat, number), random.Random(1).randbytes)


def seen(numbering: Numbering, state: State, seat: str) -> tuple[bytes, list[int]]:
    return bytes(numbering.observe(state, seat)), numbering.numbers(state, seat)


def test_threads_that_share_a_numbering_see_what_their_seats_see() -> None:
    game = warlog_core.game("wec")
    state = game.new(draws=bytes)
    state.play_randomly(random.Random(1), 20)
    numbering = game.numbering(state)
    expected = {seat: seen(numbering, state, seat) for seat in state.seats}
    assert len(set(map(repr, expected.values()))) == 2
    wrong: list[str] = []

    def look(seat: str) -> None:
        mine = state.copy()
        wrong.extend(seat for _ in range(300) if seen(numbering, mine, seat) != expected[seat])

    threads = [threading.Thread(target=look, args=(seat,)) for seat in state.seats * 2]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


@pytest.mark.parametrize("name", sorted(numbers.OPTIONS))
def test_numbers_and_planes_are_those_of_the_recordings(name: str) -> None:
    recorded = (numbers.RECORDINGS / f"{name}.txt").read_text(encoding="utf-8")
    assert numbers.recording(name) == recorded


@pytest.mark.parametrize("name", sorted(numbers.OPTIONS))
def test_every_family_and_every_plane_comes_up_in_the_recordings(name: str) -> None:
    lines = (numbers.RECORDINGS / f"{name}.txt").read_text(encoding="utf-8").splitlines()
    numbering, _ = begun(name, {}, random.Random(1))
    taken = {found[1] for line in lines if (found := re.match(r"\w+ \d+ of \d+: family (\w+)", line))}
    (planes,) = (line.split()[1::2] for line in lines if line.startswith("planes "))
    assert taken == {family.name for family in numbering.families}
    assert set(planes) == {plane.name for plane in numbering.planes}


@pytest.mark.parametrize("name", sorted(numbers.OPTIONS))
def test_the_tables_of_the_documents_are_those_of_the_core(name: str) -> None:
    assert numbers.table(name) == (numbers.TABLES / f"{name}.md").read_text(encoding="utf-8")


def test_planes_are_numbers_from_0_to_1(seed: int) -> None:
    rng = random.Random(f"{seed} planes")
    for name, options in numbers.starts():
        numbering, state = begun(name, options, rng)
        for seat, _ in numbers.steps(numbering, state, rng, 5):
            planes = numbering.observe(state, seat)
            assert planes.shape == numbering.shape
            flat = planes.cast("B").cast("f").tolist()
            assert min(flat) >= 0
            assert max(flat) <= 1


def test_a_number_is_described_whatever_is_legal() -> None:
    numbering, _ = begun("hex", {"width": 7, "height": 5}, random.Random(1))
    for family in numbering.families:
        assert numbering.describe(family.first)["family"] == family.name
        assert numbering.describe(family.first + family.size - 1) == {"family": family.name} | {
            digit.name: digit.size - 1 for digit in family.digits
        }
    for wrong in (-1, numbering.n_actions):
        with pytest.raises(BadNumber, match="from 0 to"):
            numbering.describe(wrong)


def test_an_army_of_parts_has_no_number_but_a_preset_has_one_either_way() -> None:
    numbering, state = begun("confrontation", {}, random.Random(1))
    seat = state.to_act[0]
    preset = numbering.decode(state, seat, numbering.numbers(state, seat)[0], plain=True)
    assert preset["type"] == "army"
    assert numbering.encode(state, seat, preset) == numbering.numbers(state, seat)[0]
    with pytest.raises(BadNumber, match="but for a preset"):
        numbering.encode(state, seat, {"type": "army", "pieces": {"pawn": 1}})


def layout_of(state: State) -> dict[str, str]:
    pieces = state.view("south", plain=True)["pieces"]
    return {piece["at"]: piece["type"] for piece in pieces if piece.get("seat") == "south"}


def towards(have: dict[str, str], wanted: dict[str, str], swap: dict[str, str]) -> int:
    """How many more spaces have what is wanted after this swap."""
    a, b = swap["a"], swap["b"]
    before = (have[a] == wanted[a]) + (have[b] == wanted[b])
    return (have[b] == wanted[a]) + (have[a] == wanted[b]) - before


def test_a_drawn_layout_becomes_another_by_the_numbers_of_swaps(seed: int) -> None:
    rng = random.Random(f"{seed} layouts")
    for _ in range(5):
        (numbering, state), (_, goal) = (begun("junqi", {"players": 2}, rng) for _ in range(2))
        wanted = layout_of(goal)
        for _ in range(60):
            have = layout_of(state)
            if have == wanted:
                break
            actions = [
                numbering.decode(state, "south", n, plain=True) for n in numbering.numbers(state, "south")
            ]
            swaps = [action for action in actions if action["type"] == "swap"]
            state.apply(
                "south", max((towards(have, wanted, s), rng.random(), i, s) for i, s in enumerate(swaps))[3]
            )
        assert layout_of(state) == wanted


def test_an_open_template_and_an_illegal_action_have_no_number() -> None:
    numbering, state = begun("hex", {}, random.Random(1))
    seat = state.to_act[0]
    open_template = state.legal(seat)[0]
    for action in (open_template, {"type": "defend", "piece": 1}, {"type": "nonsense"}):
        with pytest.raises(BadNumber):
            numbering.encode(state, seat, action)
