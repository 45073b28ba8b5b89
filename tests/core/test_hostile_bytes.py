"""Any bytes at any entry point are refused or survived: no crash, no hang, no other exception than the core's own."""

from __future__ import annotations

import contextlib
import hashlib
import random
from typing import Any

import pytest

import warlog_core
from tests.core.games import GAMES, lines, playthroughs, quiet_action, starts
from warlog_core import BadDraws, BadState, CoreError, Refused, State
from warlog_core.binding import listing_keys, record_of

STARTS = starts()
# The games in whose recorded matches something is drawn.
DRAWING = {
    first["game"] for first, *steps in map(lines, playthroughs()) if any(step.get("draws") for step in steps)
}


def noise(size: int) -> bytes:
    """Always the same block; not of zeros, with which a roll that is repeated until somebody wins would never end."""
    return hashlib.shake_256(b"noise").digest(size)


def states(name: str, rng: random.Random, n: int) -> list[State]:
    """States of every phase, some steps from their start."""
    found = []
    ours = [entry for entry in STARTS if entry[0] == name]
    for _, options, position in rng.choices(ours, k=n):
        state = warlog_core.game(name).new(options=options, position=position, draws=noise)
        state.playout(rng.getrandbits(60), rng.choice((0, 1, 3, rng.randrange(30))), play_on=True)
        found.append(state)
    return found


def use(state: State, rng: random.Random) -> None:
    """Asks everything of a state that may be absurd."""
    for seat in state.seats:
        state.legal(seat, plain=True)
        state.view(seat, plain=True)
        state.clock(seat)
    state.view("spectator", plain=True)
    state.position(plain=True)
    assert len(state.hash) == 16
    assert isinstance(state.result, type(state.result))
    for seat in state.to_act:
        for action in state.legal(seat)[:5]:
            with contextlib.suppress(Refused):
                copy = state.copy()
                copy.apply(seat, action, draws=noise).visible(seat, copy.disclosure)
    copy = state.copy()
    copy.playout(rng.getrandbits(60), 20)


@pytest.mark.parametrize("name", GAMES)
def test_a_damaged_snapshot_is_refused_or_is_a_state_that_can_be_used(name: str, seed: int) -> None:
    rng = random.Random(f"{seed} {name}")
    game = warlog_core.game(name)
    n_loaded = n_refused = 0
    for state in states(name, rng, 40):
        for _ in range(30):
            setup, data = bytearray(state.setup), bytearray(state.data.rstrip(b"\0") or b"\0")
            for _ in range(rng.choice((1, 1, 1, 2, 8))):
                damaged = rng.choice((setup, data, data))
                at = rng.randrange(len(damaged))
                damaged[at] = rng.choice((0, 1, 0xFF, 0x7F, rng.randrange(256)))
            try:
                loaded = game.load(bytes(setup), bytes(data))
            except BadState:
                n_refused += 1
                continue
            n_loaded += 1
            with contextlib.suppress(CoreError):
                use(loaded, rng)
    assert n_loaded
    assert n_refused


@pytest.mark.parametrize("name", GAMES)
def test_random_bytes_are_no_state_or_one_that_can_be_used(name: str, seed: int) -> None:
    rng = random.Random(f"{seed} {name}")
    game = warlog_core.game(name)
    for size in (0, 1, 7, 64, 500, game.raw.setup_size, game.raw.state_size):
        for _ in range(20):
            with contextlib.suppress(CoreError):  # a small game may have a state of such bytes
                use(game.load(rng.randbytes(size), rng.randbytes(size)), rng)
            with pytest.raises(BadState):
                game.load(rng.randbytes(size), rng.randbytes(game.raw.state_size + 1))
    state = states(name, rng, 1)[0]
    with pytest.raises(BadState):
        game.load(state.setup, state.data + b"\1")


def records(state: State, seat: int) -> list[tuple[int, ...]]:
    return [record_of(key) for key in listing_keys(state.game.raw.legal(state._raw, seat))]


@pytest.mark.parametrize("name", GAMES)
def test_any_numbers_as_an_action_are_refused_or_legal(name: str, seed: int) -> None:
    rng = random.Random(f"{seed} {name}")
    game = warlog_core.game(name)

    def number() -> int:
        return rng.choice(
            (0, 1, 2, 3, rng.randrange(700), rng.randrange(-(2**31), 2**31), -(2**31) + rng.randrange(5))
        )

    n_accepted = 0
    for state in states(name, rng, 30):
        listed = [record for seat in range(len(state.seats)) for record in records(state, seat)]
        for _ in range(300):
            record: Any = [rng.randrange(-2, len(game.raw.actions) + 2), *(number() for _ in range(7))]
            if listed and rng.random() < 0.5:
                record = list(rng.choice(listed))
                for _ in range(rng.randrange(3)):
                    record[rng.randrange(8)] = number()
            items = [number() for _ in range(rng.choice((0, 0, 1, 2, 5, 200)))]
            actor = rng.choice((*range(len(game.seats)), 9))
            copy = state.copy()
            code = game.raw.check(copy._raw, actor, record, items)
            if code is not None:
                with pytest.raises(Refused) as refused:
                    game.raw.apply(copy._raw, actor, record, items, noise)
                assert refused.value.code == code
                assert copy.data == state.data
            else:
                game.raw.apply(copy._raw, actor, record, items, noise)
                n_accepted += 1
                game.load(copy.setup, copy.data)  # a sound state again
    assert n_accepted


@pytest.mark.parametrize("name", GAMES)
def test_any_words_as_options_and_position_are_refused_or_start_a_sound_match(name: str, seed: int) -> None:
    rng = random.Random(f"{seed} {name}")
    game = warlog_core.game(name)

    def damaged(words: list[int]) -> list[int]:
        words = list(words[: rng.choice((len(words), len(words), rng.randrange(len(words) + 1)))])
        for _ in range(rng.choice((0, 1, 1, 3))):
            if words:
                words[rng.randrange(len(words))] = rng.choice(
                    (
                        0,
                        1,
                        2,
                        -1,
                        30,
                        500,
                        10**6,
                        2**62,
                        -(2**63),
                        -(2**63) + 1,
                        rng.randrange(-(2**63), 2**63),
                    )
                )
        return words

    n_started = n_refused = 0
    for _, options, position in [entry for entry in STARTS if entry[0] == name]:
        for _ in range(25):
            option_words = damaged(game.codec.options_words(options))
            position_words = position and damaged(game.codec.position_words(options, position))
            try:
                raw, _ = game.raw.init(option_words, position_words, noise)
            except Refused:
                n_refused += 1
                continue
            n_started += 1
            game.raw.load(game.raw.setup_bytes(raw), bytes(raw.buffer))
    assert n_started
    assert n_refused


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize(
    "draws", [[True], [-1], [2**31], [2**70], [1.0], ["1"], [None], [0] * 100_000], ids=lambda v: repr(v)[:20]
)
def test_recorded_draws_that_are_none_are_bad_draws_and_change_nothing(name: str, draws: Any) -> None:
    state = warlog_core.game(name).new(draws=noise)
    before = state.data
    with pytest.raises(BadDraws):
        state.apply(state.seats[0], quiet_action(name), draws=draws)
    assert state.data == before
    with pytest.raises(BadDraws):
        state.replay([warlog_core.Step(state.seats[0], quiet_action(name), draws)])
    assert state.data == before


@pytest.mark.parametrize("name", GAMES)
def test_too_few_draws_too_many_and_a_source_that_fails_change_nothing(name: str, seed: int) -> None:
    rng = random.Random(f"{seed} {name}")
    n_drawing = 0
    for _, options, position in [entry for entry in STARTS if entry[0] == name]:
        started = warlog_core.game(name).new(options=options, position=position, draws=noise).started
        assert started is not None
        for wrong in (started.draws[:-1], [*started.draws, 0]) if started.draws else ([0],):
            n_drawing += len(started.draws)
            with pytest.raises(BadDraws):
                warlog_core.game(name).new(options=options, position=position, draws=wrong)
    for state in states(name, rng, 40):
        if not state.to_act:
            continue
        seat = state.to_act[0]
        for action in state.legal(seat):
            if getattr(action, "open", None) is True:
                continue
            copy = state.copy()
            draws = copy.apply(seat, action, draws=noise).draws
            before = state.data
            for wrong in (draws[:-1], [*draws, 0], [*draws[:-1], 2**31 - 1]) if draws else ([0],):
                with pytest.raises(BadDraws):
                    state.apply(seat, action, draws=wrong)
                assert state.data == before
            if draws:
                n_drawing += 1
                with pytest.raises(BadDraws):
                    state.apply(seat, action, draws=lambda size: b"")
                assert state.data == before
                with contextlib.suppress(BadDraws):  # a source that is stuck ends, one way or the other
                    state.copy().apply(seat, action, draws=lambda size: b"\xff" * size)
                break
    assert n_drawing or name not in DRAWING


@pytest.mark.parametrize("name", GAMES)
def test_names_that_are_no_seats_are_the_callers_fault(name: str) -> None:
    state = warlog_core.game(name).new(draws=noise)
    for wrong in ("purple", "", "server"):
        with pytest.raises(warlog_core.UnknownSeat):
            state.view(wrong)
    for wrong in ("purple", "", "spectator"):
        with pytest.raises(warlog_core.UnknownSeat):
            state.check(wrong, {"type": "resign"})


def test_a_game_that_is_not_there_is_unknown() -> None:
    with pytest.raises(warlog_core.UnknownGame):
        warlog_core.game("tiddlywinks")
    with pytest.raises(warlog_core.UnknownGame):
        warlog_core.game(GAMES[0], rules_version=99)


@pytest.mark.parametrize("name", GAMES)
def test_a_replay_stops_before_the_step_that_fails_and_names_it(name: str) -> None:
    state = warlog_core.game(name).new(draws=noise)
    seat = state.seats[0]
    start = state.data
    once = quiet_action(name)
    with pytest.raises(warlog_core.HashMismatch) as mismatch:
        state.copy().replay([warlog_core.Step(seat, once, (), "0123456789abcdef")])
    assert mismatch.value.index == 0
    with pytest.raises(Refused) as refused:
        state.replay([warlog_core.Step(seat, {"type": "tea"})])
    assert (refused.value.code, refused.value.index) == ("malformed_action", 0)
    assert state.data == start
    with pytest.raises(Refused) as refused:
        state.replay([warlog_core.Step(seat, once), warlog_core.Step(seat, once)])
    assert refused.value.index == 1
    assert state.data != start
    with pytest.raises(CoreError):
        state.game.raw.replay(state._raw, [(99, (0, 0, 0, 0, 0, 0, 0, 0), (), (), 0)], 1, 0)
