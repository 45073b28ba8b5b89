"""Computer opponents: what a game's `sample` and `evaluate` promise, and the search above them."""

from __future__ import annotations

import hashlib
import itertools
import json
import random
import subprocess
import sys
import threading
from collections import Counter
from pathlib import Path
from typing import Any

import msgspec
import pytest

import warlog_core
from tests.core.games import GAMES, walks
from tests.core.test_properties import entropy_of, random_line, start
from tests.core.wec_positions import BOOK as WEC
from tests.turns import by_turns
from warlog_core import LEVELS, Belief, Settings, State, Stop, Stopped
from warlog_core.codecs._actions import type_name
from warlog_core.levels import openings_of, opponent_of

PLAYED = [name for name in GAMES if warlog_core.game(name).raw.has_search]
WALKS = walks(PLAYED, every=10)
SAMPLES = 3
GREEDY_MATCHES = 6


def line(name: str, options: Any, position: Any, seed: object, actions_max: int) -> list[State]:
    """Copies of the states of a random match, one now and then."""
    rng = random.Random(f"{seed} {name} {json.dumps(options, sort_keys=True)}")
    state = start(warlog_core.game(name), options, position, rng)
    draws = entropy_of(rng)
    found = [state.copy()]
    for seat, action in random_line(state, rng, actions_max):
        state.apply(seat, action, draws=draws())
        if rng.random() < 0.15:
            found.append(state.copy())
    return found


@pytest.mark.parametrize(("name", "options", "position"), WALKS)
def test_a_sample_is_a_state_that_the_viewer_cannot_tell_from_the_true_one(
    name: str, options: Any, position: Any, seed: int
) -> None:
    rng = random.Random(f"{seed} samples")
    for state in line(name, options, position, seed, 60):
        for seat in (*state.seats, "spectator"):
            seen = state.seen_by(seat)
            for _ in range(SAMPLES):
                sampled = seen.sample(seat, rng.getrandbits(64))
                assert sampled.view(seat) == state.view(seat)
                assert sampled.seen_by(seat).data == seen.data
                assert sampled.legal(seat) == state.legal(seat)
                warlog_core.game(name).load(sampled.setup, sampled.data)  # sound and canonical
                if seen.data == state.data:  # nothing is hidden
                    assert sampled.data == state.data
            assert seen.sample(seat, 7).data == seen.sample(seat, 7).data


@pytest.mark.parametrize(("name", "options", "position"), WALKS)
def test_a_value_is_a_chance_and_allies_share_it(name: str, options: Any, position: Any, seed: int) -> None:
    for state in line(name, options, position, seed, 40):
        values = state.evaluate()
        assert list(values) == list(state.seats)
        assert all(0 <= value <= 1 for value in values.values())
        if state.result is not None and state.result.winners:
            assert {seat for seat, value in values.items() if value == 1} == set(state.result.winners)


def opening(name: str, seed: object, options: Any = None) -> State:
    """A match in which play has begun, by random actions, and no draw is on offer; the same for the same seed."""
    game = warlog_core.game(name)
    for attempt in range(100):
        rng = random.Random(f"{seed} {attempt} {name}")
        state = game.new(options=options or OPTIONS.get(name, {}), draws=rng.randbytes)
        for seat, action in random_line(state, rng, rng.randrange(40, 60)):
            state.apply(seat, action, draws=rng.randbytes)
        if state.result is None and not offered(state):
            return state
    raise AssertionError


def offered(state: State) -> bool:
    return any(one["type"] == "accept_draw" for one in state.legal(state.to_act[0], plain=True))


OPTIONS: dict[str, Any] = {"hex": {"army": "preset"}, "junqi": {"players": 2, "wings": "closed"}}


@pytest.mark.parametrize("name", PLAYED)
def test_the_same_view_seed_and_iterations_give_the_same_choice(name: str, seed: int) -> None:
    state = opening(name, seed)
    seat = state.to_act[0]
    chosen = [
        warlog_core.search(state.seen_by(seat), seat, seed=5, iterations=300, arena=bytearray(size))
        for size in (1 << 20, 1 << 21)
    ]
    assert chosen[0] is not None
    assert chosen[0] == chosen[1]
    assert chosen[0].action in state.legal(seat)
    assert sum(one.visits for one in chosen[0].lines) <= 300
    others = {repr(warlog_core.search(state.seen_by(seat), seat, seed=s, iterations=50)) for s in range(5)}
    assert len(others) > 1


# What computer opponents of all levels do in a few actions of a match: as it was when the version got its number.
FOUND_BY = 15
FOUND = {
    "confrontation": "58b73d41c09e1550",
    "hex": "8a9e5d8d3964b708",
    "junqi": "9bfc81c99abaca55",
    "universal": "be43fd718fc45a90",
    "wec": "2778a9d45ebebfd9",
}


@pytest.mark.parametrize("name", PLAYED)
def test_what_finds_other_actions_has_another_version(name: str) -> None:
    """If it fails, records of former matches cannot be found again: raise SEARCH_VERSION, note what is found now."""
    rng = random.Random(name)
    state = warlog_core.game(name).new(options=OPTIONS.get(name, {}), draws=rng.randbytes)
    numbers = msgspec.structs.replace(opponent_of(name), found="")  # books and beliefs decide, too
    found = hashlib.sha256(msgspec.json.encode(numbers))
    for openings in openings_of(name):
        found.update(msgspec.json.encode(openings.first))
    beliefs = {seat: Belief(seat, 1) for seat in state.seats}
    for number in range(40):
        for seat, belief in beliefs.items():
            warlog_core.remember(belief, state.seen_by(seat))
        seat = state.to_act[0]
        level = LEVELS[number % len(LEVELS)]
        held = beliefs[seat] if warlog_core.level(name, level).belief else None
        choice = warlog_core.play(
            state.seen_by(seat), seat, level=level, seed=number, iterations=40, belief=held
        )
        assert choice is not None
        found.update(msgspec.json.encode(choice.action))
        state.apply(seat, choice.action, draws=rng.randbytes)
        if state.result is not None:
            break
    for belief in beliefs.values():
        for i in range(belief.worlds):
            found.update(belief.world(i).data)
    assert (warlog_core.SEARCH_VERSION, found.hexdigest()[:16]) == (FOUND_BY, FOUND[name])


NUMBERS = {
    "candidates": 1,
    "root_candidates": 1,
    "glances": 1,
    "trust": 100,
    "exploration": 1_000,
    "widening": 10,
    "idle": 10_000,
}


@pytest.mark.parametrize("setting", NUMBERS)
def test_every_setting_of_a_search_is_heeded(setting: str, seed: int) -> None:
    usual, other, negative = (Settings(**{setting: number}) for number in (0, NUMBERS[setting], -1))

    def differs(number: int) -> bool:
        state = opening("confrontation", number)  # which has dice
        seat = state.to_act[0]
        choices = [
            warlog_core.search(state.seen_by(seat), seat, seed=5, iterations=300, settings=one)
            for one in (None, usual, other)
        ]
        assert choices[0] == choices[1]
        with pytest.raises(warlog_core.CoreError, match="argument"):
            warlog_core.search(state.seen_by(seat), seat, seed=5, iterations=1, settings=negative)
        return choices[0] != choices[2]

    assert any(differs(seed + number) for number in range(40))  # it need not matter in every state


def test_an_action_costs_no_more_than_a_match_is_worth() -> None:
    seen = opening("hex", 1).seen_by("red")
    most, more = Settings(idle=65_535), Settings(idle=65_536)
    assert warlog_core.search(seen, "red", seed=1, iterations=5, settings=most) is not None
    with pytest.raises(warlog_core.CoreError, match="argument"):
        warlog_core.search(seen, "red", seed=1, iterations=5, settings=more)


# In Weaponized Chess, which has no dice: a glance tells the truth.
OPEN = {"stealth": False, "submersion": False}


def is_idle(state: State, seat: str, action: Any) -> bool:
    after, _ = state.after(seat, action)
    return after.evaluate()[seat] <= state.evaluate()[seat] and seat in after.to_act


def test_idle_actions_are_chosen_less_often_where_they_cost_something() -> None:
    """In the same thirty positions each time: in a single one anything else may lose."""
    states = [opening("wec", number, OPEN) for number in range(30)]

    def counted(cost: int, among: list[State]) -> tuple[int, int, float]:
        chosen, visits, most = 0, 0, 0.0
        for state in among:
            seat = state.to_act[0]
            settings = Settings(idle=cost)
            choice = warlog_core.search(state.seen_by(seat), seat, seed=1, iterations=100, settings=settings)
            assert choice is not None
            idle = [line for line in choice.lines if is_idle(state, seat, line.action)]
            chosen += choice.lines[0] in idle
            visits += sum(line.visits for line in idle)
            most = max(most, *(line.value for line in idle), 0.0)
        return chosen, visits, most

    without, cheap = (counted(cost, states) for cost in (0, 10_000))
    assert cheap[0] < without[0]
    assert cheap[1] < without[1]
    assert counted(65_535, states[:12])[2] > 0.1  # what it costs is not in its value


@pytest.mark.parametrize("name", PLAYED)
def test_what_a_seat_may_not_know_is_not_in_its_choice(name: str, seed: int) -> None:
    """Two worlds that look the same to the seat: the true one, and another in which what is hidden is shuffled."""
    state = opening(name, seed)
    seat = state.to_act[0]
    other = state.seen_by(seat).sample(seat, 99)
    one, two = (
        warlog_core.search(world.seen_by(seat), seat, seed=3, iterations=100) for world in (state, other)
    )
    assert one == two


def test_a_search_takes_about_as_long_as_it_is_told() -> None:
    state = warlog_core.game("hex").new(options={"army": "preset"}, draws=bytes)
    seat = state.to_act[0]
    seen = state.seen_by(seat)
    short, long = (warlog_core.search(seen, seat, seed=1, seconds=seconds) for seconds in (0.0, 1.0))
    assert short is not None
    assert long is not None
    assert long.iterations > short.iterations > 0
    again = warlog_core.search(seen, seat, seed=1, iterations=long.iterations)
    assert again is not None
    assert again.lines == long.lines


def test_a_search_can_be_broken_off_from_another_thread(seed: int) -> None:
    state, stop, at_it = opening("wec", seed), Stop(), threading.Event()
    (seat,) = state.to_act
    seen = state.seen_by(seat)
    before = warlog_core.search(seen, seat, seed=seed, iterations=20, stop=stop)

    def search() -> None:
        at_it.set()
        with pytest.raises(Stopped):
            warlog_core.search(seen, seat, seed=seed, iterations=1_000_000, stop=stop)
        at_it.clear()

    thread = threading.Thread(target=search, daemon=True)
    thread.start()
    assert at_it.wait(30)
    stop.set()
    thread.join(30)
    assert not thread.is_alive()
    assert not at_it.is_set()
    with pytest.raises(Stopped):
        warlog_core.play(seen, seat, level=8, seed=seed, stop=stop)
    assert warlog_core.search(seen, seat, seed=seed, iterations=20) == before


@pytest.mark.parametrize(
    ("name", "options"), [*((name, OPTIONS.get(name, {})) for name in PLAYED), ("junqi", {"players": 4})]
)
def test_level_8_takes_no_more_than_64_mib(name: str, options: dict[str, Any]) -> None:
    """Measured by the system, in a process of its own: what two whole decisions add to what it had before."""
    if not Path("/proc/self/status").exists():
        pytest.skip("the peak of memory is read from /proc, which this system does not have")
    code = f"""
import random, re
from pathlib import Path
import warlog_core

def kib(of):
    return int(re.search(of + ":[^0-9]*([0-9]+)", Path("/proc/self/status").read_text())[1])

rng = random.Random(1)
state = warlog_core.game({name!r}).new(options={options!r}, draws=rng.randbytes)
for number in range(40):  # to where play has begun
    seat = state.to_act[0]
    state.apply(seat, warlog_core.play(state.seen_by(seat), seat, level=1, seed=number).action, draws=rng.randbytes)
before, thought = kib('VmRSS'), 0
for _ in range(2):
    seat = state.to_act[0]
    belief = warlog_core.Belief(seat, 1)
    warlog_core.remember(belief, state.seen_by(seat))
    choice = warlog_core.play(state.seen_by(seat), seat, level=8, seed=1, belief=belief)
    thought += choice.iterations
    state.apply(seat, choice.action, draws=rng.randbytes)
print(thought, kib('VmHWM') - before)  # the most that it has had
"""
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    thought, taken_kib = map(int, told.split())
    assert thought >= 2 * warlog_core.level(name, 8).iterations
    assert 1024 < taken_kib <= 64 << 10, f"{taken_kib} KiB"


@pytest.mark.parametrize("name", PLAYED)
def test_full_memory_stops_the_tree_and_not_the_search(name: str, seed: int) -> None:
    state = opening(name, seed)
    seat = state.to_act[0]
    choice = warlog_core.search(state.seen_by(seat), seat, seed=1, iterations=2_000, arena=bytearray(1 << 18))
    assert choice is not None
    with pytest.raises(warlog_core.CoreError, match="no_room"):
        warlog_core.search(state.seen_by(seat), seat, seed=1, iterations=1, arena=bytearray(1 << 10))


@pytest.mark.parametrize("name", by_turns(PLAYED, 2))
def test_the_search_beats_random_play(name: str) -> None:
    """By a few iterations, to the end of the match or to a limit, then by who stands better."""
    points = 0.0
    arena = bytearray(1 << 21)
    for match in range(GREEDY_MATCHES):
        rng = random.Random(f"{name} {match}")
        state = warlog_core.game(name).new(options=OPTIONS.get(name, {}), draws=rng.randbytes)
        ours = state.seats[match % len(state.seats)]
        for _ in range(250):
            if state.result is not None:
                break
            seat = state.to_act[0]
            choice = None
            if seat == ours:
                choice = warlog_core.search(
                    state.seen_by(seat), seat, seed=rng.getrandbits(32), iterations=60, arena=arena
                )
            if choice is None:
                seat, action = next(random_line(state, rng, 1))
                state.apply(seat, action, draws=rng.randbytes)
            else:
                state.apply(seat, choice.action, draws=rng.randbytes)
        value = state.evaluate()
        best_other = max(worth for seat, worth in value.items() if seat != ours)
        points += value[ours] > best_other
    assert points >= GREEDY_MATCHES - 2


FRONT, REAR = "1", ("5", "6")


@pytest.mark.parametrize("players", [2, 4])
def test_each_type_that_a_hidden_piece_may_be_comes_up(players: int) -> None:
    """Junqi's layout rules (4.2): everywhere until an army's first step, then for what has not moved. With four seats
    the ally's army is hidden, too."""
    rng = random.Random(1)
    state = warlog_core.game("junqi").new(options={"players": players}, draws=rng.randbytes)
    types = {piece["type"] for piece in state.position(plain=True)["pieces"]}
    others = {seat[0].upper(): seat for seat in state.seats if seat != "south"}
    steps, touched = Counter[str](), set[str]()
    for phase in ("layout", "play", "moved"):
        while phase == "moved" and not all(steps[seat] for seat in others.values()):
            seat, action = next(random_line(state, rng, 1))
            state.apply(seat, action, draws=rng.randbytes)
            steps[seat] += 1
            if state.view("south", plain=True)["last_move"] is not None:
                touched.update(state.view("south", plain=True)["last_move"]["path"])
        hidden = state.seen_by("south")
        found: dict[str, set[str]] = {}
        for seed in range(600):
            for piece in hidden.sample("south", seed).position(plain=True)["pieces"]:
                found.setdefault(piece["at"], set()).add(piece["type"])
        assert {place[0] for place in found} >= {"S", *others}
        for place in (place for place in found if place[0] in others and place not in touched):
            impossible = {"flag"} if place[1:] not in ("62", "64") else set()
            if not place[1:].startswith(REAR):
                impossible.add("mine")
            if not steps[others[place[0]]] and place[1:].startswith(FRONT):
                impossible.add("bomb")
            assert found[place] == types - impossible, (phase, place)
        for seat in state.to_act if phase == "layout" else ():
            state.apply(seat, {"type": "ready"}, draws=rng.randbytes)


def test_what_has_just_moved_is_nothing_that_never_moves() -> None:
    rng = random.Random(2)
    state = warlog_core.game("junqi").new(options={"players": 2}, draws=rng.randbytes)
    moved = 0
    for seat in state.seats:
        state.apply(seat, {"type": "ready"}, draws=rng.randbytes)
    while state.result is None and moved < GREEDY_MATCHES:
        seat, action = next(random_line(state, rng, 1))
        state.apply(seat, action, draws=rng.randbytes)
        last = state.view("south", plain=True)["last_move"]
        if last["seat"] == "south" or last.get("outcome", "attacker") != "attacker":
            continue
        moved += 1
        for seed in range(100):
            pieces = state.seen_by("south").sample("south", seed).position(plain=True)["pieces"]
            assert {one["type"] for one in pieces if one["at"] == last["to"]}.isdisjoint(("flag", "mine"))
    assert moved == GREEDY_MATCHES


def test_each_piece_that_may_lie_face_down_comes_up_and_no_other() -> None:
    rng = random.Random(3)
    state = warlog_core.game("junqi").new(options={"mode": "flip"}, draws=rng.randbytes)
    lost: list[Any] = []
    while len(lost) < GREEDY_MATCHES and state.result is None:
        seat, action = next(random_line(state, rng, 1))
        state.apply(seat, action, draws=rng.randbytes)
        lost = state.view("south", plain=True)["lost"]
    position = state.position(plain=True)
    down = {one["at"] for one in position["pieces"] if one["face"] == "down"}
    true = Counter((one["color"], one["type"]) for one in position["pieces"] if one["at"] in down)
    places: dict[tuple[str, str], set[str]] = {}
    for seed in range(600):
        pieces = [
            one
            for one in state.seen_by("south").sample("south", seed).position(plain=True)["pieces"]
            if one["at"] in down
        ]
        assert Counter((one["color"], one["type"]) for one in pieces) == true
        for one in pieces:
            places.setdefault((one["color"], one["type"]), set()).add(one["at"])
    assert len(down) > 1
    assert all(found == down for found in places.values())


ZONE_SPACES = 22


def test_each_place_where_a_hidden_stack_may_stand_comes_up() -> None:
    rng = random.Random(1)
    state = warlog_core.game("hex").new(
        options={"army": "preset", "deployment": "chosen"}, draws=rng.randbytes
    )
    assert state.phase == "deploy"
    hidden = state.seen_by(state.seats[0])
    places: Counter[str] = Counter()
    for seed in range(600):
        position = hidden.sample(state.seats[0], seed).position(plain=True)
        theirs = [stack["space"] for stack in position["stacks"] if stack["seat"] == state.seats[1]]
        assert len(set(theirs)) == len(theirs)
        places.update(theirs)
    assert len(places) == ZONE_SPACES


def army_of(state: State, seat: str) -> Any:
    return next(one for one in state.view(seat, plain=True)["seats"] if one["seat"] == seat)["army"]


def test_each_army_that_may_have_been_submitted_comes_up() -> None:
    """Confrontation: pieces, spells, races, tokens and points that are kept; its seat could have submitted each."""
    rng = random.Random(1)
    game = warlog_core.game("confrontation")
    state = game.new(options={"races": True, "seats": 3}, draws=rng.randbytes)
    empty = state.copy()
    for seat in ("white", "red"):
        state.apply(seat, {"type": "army", "pieces": {"pawn": 1}, "race": "elves"}, draws=rng.randbytes)
    hidden = state.seen_by("red")
    found: dict[str, set[Any]] = {"race": set(), "extra_tokens": set(), "spells": set(), "pieces": set()}
    counts: dict[str, set[int]] = {}
    for seed in range(2_000):
        sampled = hidden.sample("red", seed)
        assert army_of(sampled, "red") == army_of(state, "red")
        army = army_of(sampled, "white")
        assert empty.check("white", {"type": "army", **army}) is None, army
        found["race"].add(army["race"])
        found["extra_tokens"].add(army.get("extra_tokens", 0))
        found["spells"].update(spell for bishop in army.get("bishops", ()) for spell in bishop)
        found["pieces"].add(tuple(sorted(army["pieces"].items())))
        for piece, count in army["pieces"].items():
            counts.setdefault(piece, set()).add(count)
    assert found["race"] == {"demons", "dwarves", "elves", "humans", "orcs", "undead"}
    assert found["spells"] == {"fireball", "heal", "hurt", "judgement", "panic"}
    assert {0, 1, 2, 3} <= found["extra_tokens"]
    assert () in found["pieces"]
    for piece, most in {"pawn": 4, "rook": 3, "knight": 3, "bishop": 2, "queen": 2}.items():
        assert set(range(1, most + 1)) <= counts[piece]


def test_each_army_of_stacks_that_may_have_been_submitted_comes_up_and_no_other() -> None:
    """Hex Tactics: also one that leaves points, or has two stacks of a type."""
    rng = random.Random(1)
    unit = {"level": 1, "initiative": 1, "hp": 1, "move": 1, "movement": "walk", "range": 1, "attack": 1, "spread": 0,
            "shooter": False, "retaliations": 0, "skill": "none"}  # fmt: skip
    roster = [{**unit, "id": name, "name": name, "cost": cost} for name, cost in (("a", 4), ("b", 5))]
    options = {"army": "recruit", "army_points": 10, "max_stacks": 2, "roster": roster}
    state = warlog_core.game("hex").new(options=options, draws=rng.randbytes)
    stacks = [{"unit": unit, "count": count} for unit in "ab" for count in (1, 2, 3)]
    armies = [[*army] for size in (1, 2) for army in itertools.product(stacks, repeat=size)]
    allowed = [army for army in armies if state.check("blue", {"type": "recruit", "army": army}) is None]
    state.apply("blue", {"type": "recruit", "army": allowed[0]}, draws=rng.randbytes)
    hidden = state.seen_by("red")
    assert hidden.data != state.data
    found = {repr(army_of(hidden.sample("red", seed), "blue")) for seed in range(2_000)}
    assert found == {*map(repr, allowed)}
    assert len(allowed) == 8


SAMPLES_TO_FIND = 600


def hidden_of(state: State, viewer: str, whole: State) -> Counter[str]:
    """What `whole` has that the viewer does not see in `state`: types and places of pieces, and what they carry."""
    seen = state.view(viewer, plain=True)
    known = {(one["type"], one["at"], one.get("level")) for one in seen.get("enemies", ()) if "at" in one}
    hidden: Counter[str] = Counter()
    for one in whole.position(plain=True)["pieces"]:
        if one["seat"] == viewer or "at" not in one or (one["type"], one["at"], one.get("level")) in known:
            continue
        hidden[f"{one['type']} {one.get('level', one['at'])}"] += 1
        hidden.update(f"carries {article}" for article in kinds_of(one))
    return hidden


def kinds_of(piece: Any) -> list[str]:
    return [article if isinstance(article, str) else article["kind"] for article in piece.get("articles", ())]


# Weaponized Chess: much that Black does not see. The dozer shares its square with a hidden pawn, as after a partial
# conversion (7.3.4).
STEALTH = ["stealth"]
HIDING = [
    {"id": 1, "seat": "black", "type": "king", "at": "e1"},
    {"id": 2, "seat": "black", "type": "dozer", "at": "c3"},
    {"id": 11, "seat": "white", "type": "king", "at": "f10"},
    {
        "id": 12,
        "seat": "white",
        "type": "tank",
        "at": "d7",
        "hand": "left",
        "articles": ["xxx", "stealth", "flame"],
    },
    {"id": 13, "seat": "white", "type": "aaa", "at": "h6"},
    {"id": 14, "seat": "white", "type": "sub", "at": "b8", "level": "sub"},
    {"id": 15, "seat": "white", "type": "cleric", "at": "b8", "level": "sub", "hand": "left"},
    {
        "id": 16,
        "seat": "white",
        "type": "chopper",
        "at": "a6",
        "level": "air",
        "hand": "right",
        "articles": STEALTH,
    },
    {"id": 17, "seat": "white", "type": "stun_pawn", "at": "c3", "articles": STEALTH},
]


def test_hidden_pieces_and_articles_of_several_kinds_come_up_at_once() -> None:
    state = warlog_core.game("wec").new(position={"pieces": HIDING}, draws=random.Random(1).randbytes)
    seen = state.seen_by("black")
    shown = {(one["type"], one["at"]) for one in state.view("black", plain=True)["enemies"]}
    assert shown == {("king", "f10")}
    found: Counter[str] = Counter()
    for seed in range(6_000):
        sampled = seen.sample("black", seed)
        assert sampled.seen_by("black").data == seen.data
        hidden = [
            one
            for one in sampled.position(plain=True)["pieces"]
            if one["seat"] == "white" and (one["type"], one["at"]) not in shown
        ]
        found[f"{len(hidden)} at once"] += 1
        for one in hidden:
            found[f"{one['type']} {one['level']}"] += 1
            found.update(f"carries {kind}" for kind in kinds_of(one))
            found["in a mixed cell"] += one["at"] == "c3" and one["level"] == "ground"
            found["stunned"] += "stunned_until" in one
            found["not ready"] += "ready_turns" in one
    for one in HIDING[3:]:
        assert found[f"{one['type']} {one.get('level', 'ground')}"] > 0, one
    assert {kind for kind in CARRIED if found[f"carries {kind}"] == 0} == set()
    for what in ("in a mixed cell", "stunned", "not ready", *(f"{n} at once" for n in range(5))):
        assert found[what] > 0, what


CARRIED = [article["kind"] for article in WEC["articles"]]


def test_a_primary_may_be_lost_while_its_seat_has_another() -> None:
    """Weaponized Chess, where a Position gives a seat two; and a piece without cover may have been revealed."""
    pieces = [*HIDING[:2], {"id": 3, "seat": "black", "type": "king", "at": "g1"}, HIDING[2]]
    state = warlog_core.game("wec").new(position={"pieces": pieces}, draws=random.Random(1).randbytes)
    lost: Counter[str] = Counter()
    revealed: Counter[str] = Counter()
    for seed in range(1_500):
        position = state.seen_by("white").sample("white", seed).position(plain=True)
        lost.update(
            f"{seat} {how}" for seat, how in position.get("turn_state", {}).get("primary_lost", {}).items()
        )
        revealed.update(one["type"] for one in position["pieces"] if "revealed_until" in one)
    assert set(lost) >= {f"black primary_{how}" for how in ("destroyed", "converted")}
    assert {"king", "dozer"} <= set(revealed)


@pytest.mark.parametrize("name", ["junqi", "wec"])
def test_what_is_true_comes_up(name: str) -> None:
    """Each hidden piece of random matches, where it is (or on its level), and each article that it carries."""
    found_any = 0
    for match in range(2):
        state = opening(name, f"true {match}")
        for viewer in state.seats:
            seen = state.seen_by(viewer)
            true = hidden_of(state, viewer, state)
            found: Counter[str] = Counter()
            for seed in range(SAMPLES_TO_FIND):
                found += hidden_of(state, viewer, seen.sample(viewer, seed))
            assert set(true) <= set(found), (match, viewer, set(true) - set(found))
            found_any += len(true)
    assert found_any > 3


@pytest.mark.parametrize(("name", "viewer"), [("junqi", "south"), ("wec", "black")])
def test_a_state_whose_hidden_part_cannot_be_is_said_loudly(name: str, viewer: str) -> None:
    """One byte of what was seen is changed: what still is a state has a hidden part that fits, or BadState says so."""
    state = opening(name, 1)
    seen = state.seen_by(viewer)
    refused = 0
    for at in range(700):
        for value in (0, 1, 4):
            data = seen.data[:at] + bytes([value]) + seen.data[at + 1 :]
            try:
                changed = warlog_core.game(name).load(seen.setup, data)
            except warlog_core.BadState:
                continue
            try:
                sampled = changed.sample(viewer, 1)
            except warlog_core.BadState:
                with pytest.raises(warlog_core.BadState, match=f"no state of {name} fits what was seen"):
                    changed.sample(viewer, 2)
                refused += 1
                if viewer in changed.to_act:
                    with pytest.raises(warlog_core.BadState, match="fits what was seen"):
                        warlog_core.search(changed, viewer, seed=1, iterations=1)
            else:
                warlog_core.game(name).load(sampled.setup, sampled.data)
    assert refused > 0


def test_a_king_is_not_placed_where_the_enemy_reaches_it_first() -> None:
    """Confrontation: five Knights wait in front, and White begins."""
    rng = random.Random(3)
    state = warlog_core.game("confrontation").new(draws=rng.randbytes)
    state.apply("white", {"type": "army", "pieces": {"knight": 5}}, draws=rng.randbytes)
    state.apply("black", {"type": "army", "pieces": {}}, draws=rng.randbytes)
    chooser = state.to_act[0]
    place = {"white": 1, "black": 2}[chooser]
    state.apply(chooser, {"type": "choose_order", "position": place}, draws=rng.randbytes)
    for piece, space in enumerate(("a1", "b1", "c1", "d1", "e2", "f2", "g2", "h2", "d2"), 1):
        state.apply("white", {"type": "place", "piece": piece, "to": space}, draws=rng.randbytes)
    values = {}
    for space in ("e7", "e8"):
        after, _ = state.after("black", {"type": "place", "piece": 10, "to": space}, draws=rng.randbytes)
        values[space] = after.evaluate()["black"]
    assert values["e8"] > 1.1 * values["e7"]


def test_of_actions_that_look_equal_not_those_that_are_listed_first_are_tried() -> None:
    """Universal Chess begins with some hundred of them."""
    state = warlog_core.game("universal").new(options={"mode": "double"}, draws=bytes)
    seat = state.to_act[0]
    tried = set()
    for seed in range(4):
        choice = warlog_core.search(state.seen_by(seat), seat, seed=seed, iterations=8)
        assert choice is not None
        tried.add(frozenset(repr(line.action) for line in choice.lines))
    assert len(tried) > 1


def test_a_conquest_that_is_under_way_counts_already() -> None:
    state = warlog_core.game("universal").new(options={"mode": "double"}, draws=bytes)
    seat = state.to_act[0]
    for action in state.legal(seat):
        after, event = state.after(seat, action, draws=bytes)
        if "ConquestStarted" in {type(effect).__name__ for effect in event.effects}:
            assert after.evaluate()[seat] > state.evaluate()[seat]
            return
    raise AssertionError


def battle(unit: str, space: str, **fields: object) -> State:
    """Hex Tactics: such a stack of Red's, which has acted, and golems of Blue's at h4, which are to act."""
    stacks = [
        {"id": 1, "seat": "red", "unit": unit, "space": space, "count": 10, "start_count": 10},
        {"id": 2, "seat": "blue", "unit": "golem", "space": "h4", "count": 10, "start_count": 10},
    ]
    position = {"phase": "play", "round": 1, "obstacles": [], "stacks": stacks, "queue": [2]} | fields
    options = {"width": 11, "height": 7, "army": "preset"}
    return warlog_core.game("hex").new(options=options, position=position, draws=bytes)


def test_a_shooter_beside_an_enemy_is_worth_less() -> None:
    assert battle("swordsman", "f4").evaluate() == pytest.approx(
        battle("swordsman", "g4").evaluate(), rel=0.02
    )
    assert battle("archer", "f4").evaluate()["red"] > 1.1 * battle("archer", "g4").evaluate()["red"]


def test_the_next_blow_counts_and_more_before_it_than_after() -> None:
    def red(unit: str, space: str, **fields: object) -> float:
        return battle(unit, space, **fields).evaluate()["red"]

    # Swordsmen strike 6 spaces away, golems 4.
    assert red("swordsman", "c4") == pytest.approx(red("swordsman", "b4"), rel=0.02)
    assert red("swordsman", "b4") > 1.02 * red("swordsman", "a4")
    assert red("swordsman", "c4") > red("swordsman", "d4")
    assert red("swordsman", "d4", queue=[1, 2]) > red("swordsman", "d4")
    assert red("swordsman", "d4", queue=[1]) > red("swordsman", "d4", queue=[1, 2])


def test_who_has_nobody_in_reach_is_worth_more_nearer_to_the_enemy() -> None:
    def red(space: str) -> float:
        near, enemy = (
            {"id": number, "seat": seat, "unit": "golem", "space": at, "count": 10, "start_count": 10}
            for number, seat, at in ((1, "red", "f4"), (2, "blue", "h4"))
        )
        far = {"id": 3, "seat": "red", "unit": "militia", "space": space, "count": 50, "start_count": 50}
        return battle("golem", "f4", stacks=[near, enemy, far]).evaluate()["red"]

    assert red("a4") < red("b4") < red("c4")


def test_an_advantage_counts_more_the_nearer_it_is() -> None:
    """Or both sides would stay out of reach for ever, as who strikes first gains."""

    def red(space: str, count: int) -> float:
        stacks = [
            {"id": number, "seat": seat, "unit": "golem", "space": at, "count": n, "start_count": n}
            for number, seat, at, n in ((1, "red", space, count), (2, "blue", "h4", 10))
        ]
        return battle("golem", space, stacks=stacks).evaluate()["red"]

    # Golems strike 4 spaces away.
    assert 0.5 < red("a4", 12) < red("b4", 12) < red("c4", 12)
    assert 0.5 > red("a4", 8) > red("b4", 8) > red("c4", 8)
    assert red("a4", 1) < 0.04  # what is lost is lost from afar as well


def test_who_is_out_has_nothing_however_far_the_others_are_apart() -> None:
    options = {"seats": 3, "army": "preset", "obstacles": "none"}
    state = warlog_core.game("hex").new(options=options, draws=bytes)
    state.apply("green", {"type": "resign"}, draws=bytes)
    value = state.evaluate()
    assert value["green"] == 0
    assert value["red"] > 0.4
    assert value["blue"] > 0.4


def test_the_greatest_armies_can_be_evaluated() -> None:
    army = [{"unit": "a", "count": 9999}] * 21
    roster = [{"id": "a", "name": "a", "level": 1, "initiative": 1, "hp": 9999, "move": 99, "movement": "fly",
               "range": 99, "attack": 9999, "spread": 0, "shooter": False, "retaliations": 0, "skill": "none",
               "cost": 99999}]  # fmt: skip
    options = {"army": "given", "max_stacks": 21, "roster": roster, "armies": {"red": army, "blue": army}}
    state = warlog_core.game("hex").new(options=options, draws=bytes)
    assert 0.4 < state.evaluate()["red"] < 0.6


def test_what_gains_nothing_is_left_out() -> None:
    """A launcher may be handed to a neighbour who is as good with it, and back, and so on; or the turn may end."""
    armed = {"id": 2, "seat": "black", "type": "destroyer", "at": "d4", "articles": ["sam_launcher"]}
    beside = {"id": 3, "seat": "black", "type": "destroyer", "at": "d5"}
    state = warlog_core.game("wec").new(
        position={"pieces": [HIDING[0], HIDING[2], armed, beside]}, draws=bytes
    )
    state.apply("black", {"type": "move", "piece": 1, "to": "e2", "level": "ground"}, draws=bytes)
    assert "exchange" in {one["type"] for one in state.legal("black", plain=True)}
    for seed in range(8):
        choice = warlog_core.search(state.seen_by("black"), "black", seed=seed, iterations=1)
        assert choice is not None
        assert type_name(choice.action) == "end_turn"


def test_a_weapon_that_is_not_ready_is_not_better_dropped_and_a_journey_costs() -> None:
    def state(article: object) -> State:
        armed = {"id": 3, "seat": "black", "type": "destroyer", "at": "d4", "articles": [article]}
        pieces = [HIDING[0], HIDING[2], armed]
        return warlog_core.game("wec").new(position={"pieces": pieces}, draws=bytes)

    def value(one: State) -> float:
        return one.evaluate()["black"]

    launcher = state("sam_launcher")
    fire = next(one for one in launcher.legal("black", plain=True) if one["type"] == "fire")
    fired, _ = launcher.after("black", fire, draws=bytes)
    drop = next(one for one in fired.legal("black", plain=True) if one["type"] == "drop")
    dropped, _ = fired.after("black", drop, draws=bytes)
    assert value(launcher) > value(fired) > value(dropped)
    flyer = state("jump_pack")
    fly = next(one for one in flyer.legal("black", plain=True) if one.get("weapon") == "jump_pack")
    under_way, _ = flyer.after("black", fly, draws=bytes)
    assert value(flyer) > value(under_way)


def test_a_flag_is_two_steps_from_the_post_across_the_corner() -> None:
    """Siguo Junqi: no diagonal leads into a headquarters."""
    state = warlog_core.game("junqi").new(options={"players": 2, "wings": "closed"}, draws=bytes)
    while state.phase == "layout":
        state.apply(state.to_act[0], {"type": "ready"}, draws=bytes)
    position = state.position(plain=True)
    pieces = {piece["at"]: piece for piece in position["pieces"]}
    (flag,) = (one["at"] for one in position["pieces"] if (one["seat"], one["type"]) == ("north", "flag"))
    posts = [f"N5{flag[2]}", f"N5{int(flag[2]) - 1}"]  # in front of it, and across the corner
    general = next(one for one in pieces.values() if (one["seat"], one["type"]) == ("south", "general"))
    others = [one for at, one in pieces.items() if at not in (*posts, general["at"])]

    def value(post: str) -> float:
        """With South's general there."""
        given = {**position, "pieces": [*others, {**general, "at": post}]}
        options = {"players": 2, "wings": "closed"}
        return warlog_core.game("junqi").new(options=options, position=given, draws=bytes).evaluate()["south"]

    assert value(posts[0]) > value(posts[1])
