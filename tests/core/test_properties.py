"""What must hold of every game, tried on random play from every start that vectors and playthroughs know."""

from __future__ import annotations

import hashlib
import itertools
import json
import random
import typing
from collections.abc import Iterator
from functools import cache
from typing import Any

import msgspec
import pytest

import warlog_core
from tests.core.games import GAMES, as_listed, options_with_position, server_ends, starts, walks
from warlog_core import Game, State, Step

STARTS = starts()
WALKS = walks()


def entropy_of(rng: random.Random) -> Any:
    """A source of blocks as the server has it: the longer block begins with the shorter one."""

    def source() -> Any:
        key = rng.randbytes(16)
        return lambda size: hashlib.shake_256(key).digest(size)

    return source


def random_line(state: State, rng: random.Random, actions_max: int) -> Iterator[tuple[str, Any]]:
    """Seats and listed actions, ready to be taken (the caller does); resigning seldom, so that matches last."""
    for _ in range(actions_max):
        waiting = state.to_act
        if not waiting:
            return
        seat = rng.choice(waiting)
        actions = [action for action in state.legal(seat, plain=True) if not action.get("open")]
        lasting = [action for action in actions if action["type"] not in ("resign", "accept_draw")]
        if lasting and rng.random() < 0.98:
            actions = lasting
        yield seat, rng.choice(actions)


def start(game: Game, options: Any, position: Any, rng: random.Random) -> State:
    return game.new(options=options, position=position, draws=entropy_of(rng)())


@pytest.mark.parametrize(("name", "options", "position"), WALKS)
def test_random_play_holds_every_promise(name: str, options: Any, position: Any, seed: int) -> None:
    """One walk through a match: at every step what is listed is accepted, what is known suffices for the listing, and
    bytes, hash and Position carry the whole state."""
    rng = random.Random(f"{seed} {name} {json.dumps(options, sort_keys=True)}")
    game = warlog_core.game(name)
    source = entropy_of(rng)
    state = start(game, options, position, rng)
    again = state.copy()
    steps: list[Step] = []
    for seat, action in random_line(state, rng, 60):
        for other in game.seats:
            listing = state.legal(other)
            if other in state.seats:
                assert state.seen_by(other).legal(other) == listing
            for listed in listing:
                if getattr(listed, "open", None) is not True:
                    assert state.check(other, listed) is None, (other, listed)
        for viewer in (*state.seats, "spectator"):
            seen = state.seen_by(viewer)
            assert seen.view(viewer) == state.view(viewer)
            assert seen.seen_by(viewer).data == seen.data
        assert state.legal("spectator") == []
        assert bool(state.result) is (state.phase == "over") is (state.to_act == [])
        loaded = game.load(state.setup.rstrip(b"\0"), state.data.rstrip(b"\0"))
        assert (loaded.data, loaded.setup, loaded.hash) == (state.data, state.setup, state.hash)
        assert loaded.view("spectator") == state.view("spectator")
        if state.position() is not None:
            restored = game.new(
                options=options_with_position(options),
                position=state.position(plain=True),
                draws=entropy_of(random.Random(1))(),
            )
            assert restored.position() == state.position()
            for viewer in (*state.seats, "spectator"):
                assert restored.view(viewer) == state.view(viewer)
        before, held = state.data, state.copy()
        event = state.apply(seat, action, draws=source())
        assert held.data == before, "a copy is a copy"
        assert held.apply(seat, action, draws=event.draws).effects == event.effects
        assert held.data == state.data
        steps.append(Step(seat, action, event.draws, state.hash))
    assert again.replay(steps) == []
    assert again.data == state.data
    if state.result is not None:
        assert state.position() is None
        assert [state.legal(seat) for seat in state.seats] == [[] for _ in state.seats]
        assert state.check(state.seats[0], "nonsense") == "match_over"


# Actions that some books keep to themselves for ever (confrontation 8: armies of a match that ended before the reveal).
NEVER_SHOWN = {"confrontation": {"army"}}


@pytest.mark.parametrize(("name", "options", "position"), WALKS)
def test_when_the_match_is_over_everybody_is_shown_every_event_whole(
    name: str, options: Any, position: Any, seed: int
) -> None:
    rng = random.Random(f"{seed} {name} {json.dumps(options, sort_keys=True)}")
    state = start(warlog_core.game(name), options, position, rng)
    source = entropy_of(rng)
    assert state.started is not None
    events = [state.started]
    for seat, action in random_line(state, rng, 12):
        events.append(state.apply(seat, action, draws=source()))
    while state.to_act:
        events.append(state.apply("server", server_ends(name, state.to_act[0]), draws=source()))
    for viewer in (*state.seats, "spectator"):
        for event in events:
            visible = event.visible(viewer, state.disclosure)
            assert (visible.draws, visible.effects) == (event.draws, event.effects)
            if event.action is None or event.action["type"] not in NEVER_SHOWN.get(name, ()):
                assert visible.action == event.action


# ---- listing <=> acceptance, with actions that nobody listed ----

HOSTILE: tuple[Any, ...] = (
    None,
    True,
    1.0,
    "",
    "z99",
    "a0",
    "\ud800",
    -1,
    0,
    2**31 - 1,
    2**31,
    -(2**31),
    2**63,
    [],
    {},
)


@pytest.mark.parametrize("name", GAMES)
def test_what_a_reader_does_to_his_view_is_in_no_other(name: str, seed: int) -> None:
    """Parts of views are made once and given again: only such as nobody can change."""
    rng = random.Random(f"{seed} {name}")
    source = entropy_of(rng)
    for of, options, position in STARTS:
        if of != name:
            continue
        state = start(warlog_core.game(name), options, position, rng)
        for _ in range(6):
            for viewer in (*state.seats, "spectator"):
                whole = state.view(viewer, plain=True)
                empty(state.view(viewer))
                assert state.view(viewer, plain=True) == whole
            for seat, action in random_line(state, rng, 8):
                state.apply(seat, action, draws=source())


def empty(part: Any) -> None:
    """Takes everything out of each list and dict in a view."""
    if isinstance(part, list | dict):
        for inner in part if isinstance(part, list) else part.values():
            empty(inner)
        part.clear()
    elif isinstance(part, msgspec.Struct):
        for field in part.__struct_fields__:
            empty(getattr(part, field))


@cache
def action_structs(name: str) -> list[Any]:
    return list(typing.get_args(warlog_core.game(name).codec.action_type))


def values_for(field: str, listed: list[dict[str, Any]], board: list[str], rng: random.Random) -> list[Any]:
    """Values to try in a field: those that listings use, their neighbours, every space, and hostile ones."""
    given = [action[field] for action in listed if field in action]
    lists = [value for value in given if type(value) is list]
    if lists:
        return [*lists[:8], lists[0] + lists[-1], lists[-1][::-1], rng.choice(HOSTILE)]
    used = {value for value in given if not isinstance(value, dict)}
    numbers = {n + d for n in used if type(n) is int for d in (-1, 0, 1)}
    texts = {text for text in used if type(text) is str} - set(board)
    found: list[Any] = [*sorted(numbers), *sorted(texts)]
    if not numbers:
        found += board
    return [*found, rng.choice(HOSTILE)] if found else [*range(-1, 8), *HOSTILE]


@pytest.mark.parametrize("most", [4, pytest.param(30, marks=pytest.mark.soak)])
@pytest.mark.parametrize("name", GAMES)
def test_an_action_is_accepted_exactly_when_it_is_listed(name: str, most: int, seed: int) -> None:
    rng = random.Random(f"{seed} {name}")
    game = warlog_core.game(name)
    ours = [entry for entry in STARTS if entry[0] == name]
    n_tried = 0
    for _, options, position in rng.sample(ours, min(most, len(ours))):
        state = start(game, options, position, rng)
        board = [space["id"] for space in game.board(options)["spaces"]]
        for _ in range(rng.randrange(8)):
            if state.to_act:
                state.playout(rng.getrandbits(63), 1, play_on=True)
        everywhere = [action for seat in state.seats for action in state.legal(seat, plain=True)]
        server_only = {action.name for action in game.raw.actions if action.server_only}
        for seat in (*game.seats, "server"):
            listing = [] if seat == "server" else state.legal(seat, plain=True)
            open_types = {action["type"] for action in listing if action.get("open")}
            legal = {json.dumps(action) for action in listing}
            assert len(legal) == len(listing), "nothing is listed twice"
            for struct in action_structs(name):
                kind, fields = struct.__struct_config__.tag, struct.__struct_fields__
                if kind in open_types or (seat == "server" and kind in server_only):
                    continue
                choices = [values_for(field, everywhere, board, rng) for field in fields]
                for combination in _some(choices, rng, 1500):
                    action = {"type": kind, **dict(zip(fields, combination, strict=True))}
                    accepted = state.check(seat, action) is None
                    listed = json.dumps(as_listed(name, action, board))
                    assert accepted == (listed in legal), (seat, action)
                    n_tried += 1
    assert n_tried > 20


def _some(choices: list[list[Any]], rng: random.Random, most: int) -> Iterator[tuple[Any, ...]]:
    size = 1
    for values in choices:
        size *= len(values)
    if size <= most:
        yield from itertools.product(*choices)
    else:
        for _ in range(most):
            yield tuple(rng.choice(values) for values in choices)


@pytest.mark.parametrize("name", GAMES)
def test_an_action_with_a_field_too_many_or_too_few_is_malformed_before_anything_else(
    name: str, seed: int
) -> None:
    rng = random.Random(f"{seed} {name}")
    game = warlog_core.game(name)
    optional = {
        struct.__struct_config__.tag: {
            field.encode_name for field in msgspec.structs.fields(struct) if field.default is msgspec.UNSET
        }
        - {"pieces"}
        for struct in action_structs(name)
    }
    for _, options, position in [entry for entry in STARTS if entry[0] == name][:20]:
        state = start(game, options, position, rng)
        for seat in state.seats:
            listing = state.legal(seat, plain=True)
            for action in listing[:40]:
                longer = {**action, "open": True}
                assert state.check(seat, longer) == "malformed_action", longer
                for field in action.keys() - optional[action["type"]]:
                    shorter = {k: v for k, v in action.items() if k != field}
                    # An optional field may go: then what is left is listed too.
                    if shorter != {} and field != "open" and shorter not in listing:
                        assert state.check(seat, shorter) == "malformed_action", shorter
                assert state.check("server", action) == "malformed_action"


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize(
    "value",
    [
        None,
        True,
        0,
        1.5,
        "resign",
        [],
        ["resign"],
        {},
        {"type": None},
        {"type": 1},
        {"type": ["resign"]},
        {"type": "nope"},
    ],
    ids=repr,
)
def test_what_is_no_action_at_all_is_malformed(name: str, value: Any) -> None:
    state = start(warlog_core.game(name), {}, None, random.Random(1))
    assert state.check(state.seats[0], value) == "malformed_action"
    with pytest.raises(warlog_core.Refused):
        state.apply(state.seats[0], value)


@pytest.mark.parametrize("name", GAMES)
def test_structs_and_plain_values_are_the_same_actions(name: str) -> None:
    state = start(warlog_core.game(name), {}, None, random.Random(1))
    for seat in state.seats:
        structs, plain = state.legal(seat), state.legal(seat, plain=True)
        assert msgspec.to_builtins(structs) == plain
        assert [state.check(seat, action) for action in structs] == [
            state.check(seat, action) for action in plain
        ]


@pytest.mark.parametrize("name", GAMES)
def test_the_same_seed_plays_the_same_match_in_c(name: str) -> None:
    state = start(warlog_core.game(name), {}, None, random.Random(1))
    again = state.copy()
    assert state.playout(7, 300) == again.playout(7, 300)
    assert state.data == again.data


@pytest.mark.parametrize("name", GAMES)
def test_counting_one_action_deep_is_the_length_of_the_listings(name: str) -> None:
    for _, options, position in [entry for entry in STARTS if entry[0] == name][:40]:
        state = start(warlog_core.game(name), options, position, random.Random(1))
        listed = [action for seat in state.to_act for action in state.legal(seat, plain=True)]
        assert state.count(1) == sum(not action.get("open") for action in listed)
        assert state.count(0) == 1


@pytest.mark.parametrize("name", GAMES)
def test_memory_that_is_used_again_holds_nothing_of_the_match_before(name: str, seed: int) -> None:
    """Copies of many matches, made and dropped in any order: each stays the match it was made of."""
    rng = random.Random(seed)
    game = warlog_core.game(name)
    begun = [start(game, options, position, rng) for of, options, position in STARTS if of == name]
    for state in begun:
        state.playout(rng.randrange(1 << 30), rng.randint(0, 60))
    copies: list[tuple[State, bytes]] = []
    for _ in range(400):
        state = rng.choice(begun)
        copies.append((state.copy(), state.data))
        if len(copies) > 30:
            del copies[rng.randrange(len(copies))]
        copy, data = rng.choice(copies)
        assert copy.data == data
        assert game.load(copy.setup, data).hash == copy.hash
