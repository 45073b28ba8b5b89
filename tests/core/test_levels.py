"""Computer opponents in eight levels: what `level` and `play` promise, in every game."""

from __future__ import annotations

import itertools
import json
import random
from collections import defaultdict
from collections.abc import Iterator
from typing import Any

import msgspec
import pytest

import warlog_core
from tests.core.games import GAMES, walks
from tests.core.test_properties import entropy_of, random_line, start
from tests.core.test_search import opening
from warlog_core import LEVELS, Level, State
from warlog_core.codecs._actions import type_name
from warlog_core.levels import Openings, Opponent, complete_actions, openings_of, opponent_of

WALKS = walks(every=10)
ITERATIONS = 12  # at most, where it is not the strength that counts
ARENA = bytearray(1 << 20)


def gives_up(state: State, action: Any) -> bool:
    kind = msgspec.to_builtins(action)[
        "type"
    ]  # listed actions are Structs, those of a book as they stand in it
    return kind in {row.name for row in state.game.raw.actions if row.gives_up}


def decisions(
    name: str, options: Any, position: Any, seed: object, actions_max: int
) -> Iterator[tuple[State, str]]:
    """States of a random match, each with the seats that are to act."""
    rng = random.Random(f"{seed} {name} {json.dumps(options, sort_keys=True)}")
    state = start(warlog_core.game(name), options, position, rng)
    draws = entropy_of(rng)
    for seat, action in random_line(state, rng, actions_max):
        for waiting in state.to_act:
            yield state, waiting
        state.apply(seat, action, draws=draws())


@pytest.mark.parametrize(("name", "options", "position"), WALKS)
def test_every_level_takes_a_listed_action_and_gives_up_only_where_nothing_else_is_left(
    name: str, options: Any, position: Any, seed: int
) -> None:
    for number, (state, seat) in enumerate(decisions(name, options, position, seed, 40)):
        level = LEVELS[number % len(LEVELS)]
        seen = state.seen_by(seat)
        choice = warlog_core.play(seen, seat, level=level, seed=number, iterations=ITERATIONS, arena=ARENA)
        assert choice is not None
        assert state.check(seat, choice.action) is None
        listed = state.legal(seat)
        book = [one.action for one in opponent_of(name).book]
        assert choice.action in listed or choice.action in book
        if gives_up(state, choice.action):
            assert all(gives_up(state, one) or getattr(one, "open", False) for one in listed)
        assert 0 <= choice.value <= 1
        assert choice.iterations <= ITERATIONS
        again = warlog_core.play(seen, seat, level=level, seed=number, iterations=ITERATIONS, arena=ARENA)
        assert again == choice


@pytest.mark.parametrize(("name", "options", "position"), WALKS)
def test_what_a_seat_may_not_know_changes_nothing(name: str, options: Any, position: Any, seed: int) -> None:
    """Two worlds that look the same to the seat: the true one, and another in which what is hidden is shuffled."""
    if not warlog_core.game(name).raw.has_search:
        pytest.skip("what is hidden cannot be shuffled")
    for number, (state, seat) in enumerate(decisions(name, options, position, seed, 12)):
        other = state.seen_by(seat).sample(seat, number)
        one, two = (
            warlog_core.play(
                world.seen_by(seat),
                seat,
                level=LEVELS[number % 8],
                seed=3,
                iterations=ITERATIONS,
                arena=ARENA,
            )
            for world in (state, other)
        )
        assert one == two


@pytest.mark.parametrize("name", GAMES)
def test_eight_levels_play_a_match_in_which_every_preparation_ends(name: str, seed: int) -> None:
    game = warlog_core.game(name)
    rng = random.Random(f"{seed} {name}")
    state = game.new(draws=rng.randbytes)
    first, preparing = state.phase, 0
    for number in range(300):
        if state.result is not None:
            break
        seat = state.to_act[0]
        choice = warlog_core.play(
            state.seen_by(seat), seat, level=LEVELS[-1 - number % 8], seed=number, iterations=2, arena=ARENA
        )
        assert choice is not None
        state.apply(seat, choice.action, draws=rng.randbytes)
        preparing += state.phase == first and first != "play"
    assert preparing <= 2 * len(state.seats)


@pytest.mark.parametrize("name", GAMES)
def test_a_higher_level_thinks_longer_and_is_less_careless(name: str) -> None:
    levels = [warlog_core.level(name, number) for number in LEVELS]
    assert len(levels) == 8
    for lower, higher in itertools.pairwise(levels):
        assert lower.iterations < higher.iterations
        assert lower.random >= higher.random or lower.drawn < higher.drawn
        assert lower.slip >= higher.slip or lower.drawn != higher.drawn
    assert levels[0].random > 0
    assert levels[-1].random == 0
    assert all(isinstance(one, Level) for one in levels)


def test_an_action_at_random_is_at_most_so_much_worse_than_the_best(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where all that is listed is drawn, and neither dice nor secrets play a part: in Hex Tactics, without attacks."""
    openings = (opening("hex", f"{seed} {number}") for number in itertools.count())
    state = next(one for one in openings if kinds_of(one) == {"move", "wait", "defend"})
    seat = state.to_act[0]
    values = {
        repr(action): state.after(seat, action, draws=bytes)[0].evaluate()[seat]
        for action in complete_actions(state, seat)
    }
    best = max(values.values())
    chosen = {}
    for slip in (0.0, (best - min(values.values())) / 2, 1.0):
        how = Level(1, random=1.0, drawn=20 * len(values), slip=slip)
        monkeypatch.setattr("warlog_core.levels._level", lambda *_, how=how: how)
        choices = [warlog_core.play(state.seen_by(seat), seat, level=1, seed=one) for one in range(12)]
        chosen[slip] = {repr(one.action) for one in choices if one is not None}
        assert all(values[action] >= best - slip for action in chosen[slip])
    assert len(chosen[0.0]) < len(chosen[1.0])


def kinds_of(state: State) -> set[str]:
    return {type_name(action) for action in complete_actions(state, state.to_act[0])}


@pytest.mark.parametrize("number", [-1, 0, 9, 80])
def test_there_are_eight_levels_and_no_other(number: int, seed: int) -> None:
    with pytest.raises(ValueError, match="levels 1 to 8"):
        warlog_core.level("hex", number)
    state = warlog_core.game("universal").new()
    seat = state.to_act[0]
    with pytest.raises(ValueError, match="levels 1 to 8"):
        warlog_core.play(state.seen_by(seat), seat, level=number, seed=seed)


def test_a_level_has_its_own_number_of_iterations_and_a_smaller_one_is_heeded() -> None:
    state = warlog_core.game("universal").new()
    seat = state.to_act[0]
    own = warlog_core.level("universal", 4).iterations
    for given, counted in ((None, own), (own + 1, own), (own, own), (50, 50), (0, 1)):
        choice = warlog_core.play(state.seen_by(seat), seat, level=4, seed=1, iterations=given)
        assert choice is not None
        assert choice.iterations == counted


def test_nobody_plays_for_a_seat_that_has_nothing_to_decide() -> None:
    state = warlog_core.game("universal").new()
    other = next(seat for seat in state.seats if seat not in state.to_act)
    assert warlog_core.play(state.seen_by(other), other, level=8, seed=1) is None


@pytest.mark.parametrize("name", GAMES)
def test_a_book_is_used_by_the_levels_that_know_it_and_where_it_fits(name: str) -> None:
    opponent, game = opponent_of(name), warlog_core.game(name)
    if not opponent.book:
        pytest.skip("no book")
    assert opponent.found
    state = game.new(draws=random.Random(1).randbytes)
    seat, book = state.to_act[0], [one.action for one in opponent.book]
    for action in book:
        assert action["type"] in opponent.from_book
        assert state.check(seat, action) is None

    def chosen(state: State, level: int) -> list[Any]:
        choices = [warlog_core.play(state.seen_by(seat), seat, level=level, seed=one) for one in range(120)]
        return [choice.action for choice in choices if choice is not None]

    assert all(action in book for action in chosen(state, 8))
    assert len({json.dumps(action) for action in chosen(state, 8)}) == len(book)
    assert not any(action in book for action in chosen(state, 1))


OPENED = [(name, number) for name in GAMES for number in range(len(openings_of(name)))]


def book_positions(name: str, openings: Openings) -> Iterator[tuple[State, list[Any]]]:
    """Every position of the book, and what is good there."""
    start = warlog_core.game(name).new(options=openings.options, draws=random.Random(5).randbytes)
    waiting = [(start, openings.first)]
    while waiting:
        state, branches = waiting.pop()
        yield state, [one.action for one in branches]
        for one in branches:
            after, _ = state.after(state.to_act[0], one.action, draws=random.Random(5).randbytes)
            waiting += [(after, one.then)] if one.then else []


@pytest.mark.parametrize(("name", "number"), OPENED)
def test_level_8_begins_by_its_book_of_openings_and_takes_all_that_is_good_there(
    name: str, number: int
) -> None:
    openings = openings_of(name)[number]
    assert openings.found
    chosen: dict[str, set[str]] = defaultdict(set)
    good: dict[str, set[str]] = defaultdict(set)
    for state, actions in book_positions(name, openings):
        seat = state.to_act[0]
        good[state.hash] |= {json.dumps(one) for one in actions}
        for seed in range(12 * len(actions)):
            choice = warlog_core.play(
                state.seen_by(seat), seat, level=8, seed=seed, iterations=1, arena=ARENA
            )
            assert choice is not None
            assert choice.iterations == 0
            assert state.check(seat, choice.action) is None
            chosen[state.hash].add(json.dumps(choice.action))
    assert chosen == good
    assert len(good) >= 30


@pytest.mark.parametrize(("name", "number"), OPENED)
def test_what_is_not_in_the_book_of_openings_is_searched_for(name: str, number: int) -> None:
    openings = openings_of(name)[number]
    state = warlog_core.game(name).new(options=openings.options, draws=random.Random(5).randbytes)
    seat = state.to_act[0]
    for level in LEVELS[:-1]:
        assert not warlog_core.level(name, level).openings
    lower = warlog_core.play(state.seen_by(seat), seat, level=7, seed=1, iterations=ITERATIONS, arena=ARENA)
    assert lower is not None
    assert lower.iterations == ITERATIONS
    known = {json.dumps(one.action) for one in openings.first}
    other = next(
        one for one in complete_actions(state, seat) if json.dumps(msgspec.to_builtins(one)) not in known
    )
    state.apply(seat, other, draws=random.Random(5).randbytes)
    seat = state.to_act[0]
    choice = warlog_core.play(state.seen_by(seat), seat, level=8, seed=1, iterations=ITERATIONS, arena=ARENA)
    assert choice is not None
    assert choice.iterations == ITERATIONS


def test_an_army_of_the_book_is_not_bought_with_other_points() -> None:
    state = warlog_core.game("hex").new(options={"army_points": 2000}, draws=random.Random(1).randbytes)
    seat = state.to_act[0]
    choice = warlog_core.play(state.seen_by(seat), seat, level=8, seed=1)
    assert choice is not None
    assert choice.action.__struct_config__.tag == "recruit_preset"


def test_a_game_without_numbers_of_its_own_has_the_usual_ones() -> None:
    assert opponent_of("no such game") == Opponent()
    assert warlog_core.level("no such game", 8) == Opponent().levels[7]
