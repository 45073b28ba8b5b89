"""Belief: what a seat has seen so far, for its searches (warlog.h, section 9)."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest

import warlog_core
from tests.core.test_properties import random_line
from tests.core.test_search import OPTIONS, PLAYED
from warlog_core import Belief, State

LOOKED_AT = 12  # of the worlds


def begun(name: str, seed: object) -> tuple[State, random.Random]:
    rng = random.Random(f"{seed} {name}")
    return warlog_core.game(name).new(options=OPTIONS.get(name, {}), draws=rng.randbytes), rng


def entropy(block: bytes) -> Callable[[int], bytes]:
    return lambda size: block[:size]


def take(state: State, rng: random.Random, actions_max: int) -> Any:
    for seat, action in random_line(state, rng, actions_max):
        yield seat, action
        state.apply(seat, action, draws=rng.randbytes)


@pytest.mark.parametrize("name", PLAYED)
def test_each_world_looks_as_the_seat_sees_it_and_is_a_state(name: str, seed: int) -> None:
    state, rng = begun(name, seed)
    viewer = rng.choice(state.seats)
    belief = Belief(viewer, 1)
    hidden = 0
    for _ in take(state, rng, 40):
        seen = state.seen_by(viewer)
        belief.see(seen)
        hides = seen.sample(viewer, 1).data != seen.data
        assert (belief.worlds > 0) is hides
        hidden += hides
        for i in (rng.randrange(belief.worlds) for _ in range(min(LOOKED_AT, belief.worlds))):
            world = belief.world(i)
            assert world.seen_by(viewer).data == seen.data
            warlog_core.game(name).load(world.setup, world.data)
        with pytest.raises(IndexError):
            belief.world(belief.worlds)
    assert hidden > 0 or name not in ("junqi", "wec")


@pytest.mark.parametrize("name", ["junqi", "wec"])
def test_the_same_seed_and_versions_make_the_same_belief_and_choice(name: str, seed: int) -> None:
    """And so in two true worlds that look the same to the seat from the start: what is hidden is not in them."""
    state, rng = begun(name, seed)
    viewer = state.seats[0]
    other = state.seen_by(viewer).sample(viewer, 3)
    assert other.data != state.data
    beliefs = [Belief(viewer, 7), Belief(viewer, 7), Belief(viewer, 8)]
    for _ in range(30):
        for belief, world in zip(beliefs, (state, other, state), strict=True):
            belief.see(world.seen_by(viewer))
        seat = state.to_act[0]
        for action in rng.sample(state.legal(seat), len(state.legal(seat))):
            if getattr(action, "open", None) is True or other.check(seat, action) is not None:
                continue
            block = rng.randbytes(1 << 12)
            after = [world.after(seat, action, draws=entropy(block))[0] for world in (state, other)]
            if after[0].seen_by(viewer).data == after[1].seen_by(viewer).data and after[0].result is None:
                state, other = after
                break
        else:
            break
    one, two, otherwise = beliefs
    assert one.memory == two.memory != otherwise.memory
    if viewer in state.to_act:
        one.see(state.seen_by(viewer))
        two.see(other.seen_by(viewer))
        choices = [
            warlog_core.search(world.seen_by(viewer), viewer, seed=1, iterations=60, belief=belief)
            for world, belief in ((state, one), (other, two))
        ]
        assert choices[0] == choices[1]


def test_what_has_moved_is_remembered() -> None:
    """Junqi: a piece that moved some steps ago is hardly a mine; a sample of what is seen now does not know that."""
    for attempt in range(200):
        state, rng = begun("junqi", f"moved {attempt}")
        for seat in state.seats:
            state.apply(seat, {"type": "ready"}, draws=rng.randbytes)
        belief = Belief("south", 1)
        belief.see(state.seen_by("south"))
        moved: set[str] = set()
        for _ in range(24):
            seat = state.to_act[0]
            quiet = [
                one
                for one in state.legal(seat, plain=True)
                if one["type"] == "move" and is_empty(state, one["to"])
            ]
            if seat == "north":
                back = [one for one in quiet if one["to"][:2] in ("N5", "N6")]
                quiet = back or quiet
            if not quiet:
                break
            action = rng.choice(quiet)
            state.apply(seat, action, draws=rng.randbytes)
            belief.see(state.seen_by("south"))
            last = state.view("south", plain=True)["last_move"]
            moved.discard(last["from"])
            moved.add(last["to"])
        behind = {place for place in moved if place[:2] in ("N5", "N6")} - {
            state.view("south", plain=True)["last_move"]["to"]
        }
        if behind:
            break
    else:
        raise AssertionError
    samples = [state.seen_by("south").sample("south", seed) for seed in range(300)]
    assert mines_in(samples, behind) > 2 * mines_in([belief.world(i) for i in range(belief.worlds)], behind)


def is_empty(state: State, place: str) -> bool:
    return all(piece["at"] != place for piece in state.position(plain=True)["pieces"])


def mines_in(worlds: list[State], places: set[str]) -> float:
    """The share of worlds that have a mine in one of these places."""
    return sum(
        any(
            piece["at"] in places and piece["type"] == "mine"
            for piece in world.position(plain=True)["pieces"]
        )
        for world in worlds
    ) / len(worlds)


def test_a_belief_of_another_version_or_seat_is_refused() -> None:
    state, rng = begun("wec", 1)
    seen = state.seen_by("black")
    belief = Belief("black", 1)
    assert (
        warlog_core.search(seen, "black", seed=1, iterations=5, belief=belief) is not None
    )  # nothing seen yet
    belief.see(seen)
    assert warlog_core.search(seen, "black", seed=1, iterations=5, belief=belief) is not None
    state.apply("black", next(a for s, a in random_line(state, rng, 1) if s == "black"), draws=rng.randbytes)
    assert "black" in state.to_act
    with pytest.raises(warlog_core.CoreError, match="bad_argument"):
        warlog_core.search(state.seen_by("black"), "black", seed=1, iterations=5, belief=belief)
    with pytest.raises(warlog_core.CoreError, match="bad_argument"):
        warlog_core.search(seen, "black", seed=1, iterations=5, belief=belief_of(seen, "white"))


def belief_of(seen: State, seat: str) -> Belief:
    belief = Belief(seat, 1)
    belief.see(seen)
    return belief


def test_a_level_plays_with_its_belief() -> None:
    state, _ = begun("wec", 2)
    seen = state.seen_by("black")
    belief = Belief("black", 1)
    belief.see(seen)
    choices = {
        repr(warlog_core.play(seen, "black", level=4, seed=seed, iterations=40, belief=held))
        for seed in range(3)
        for held in (belief, belief, None)
    }
    assert len(choices) > 3


RANKS = [
    "lieutenant", "captain", "major", "colonel", "brigadier", "major_general", "general", "field_marshal",
]  # fmt: skip


def test_who_has_won_is_remembered_as_stronger() -> None:
    """Junqi: what beat one of our pieces is stronger than that was, however long ago it was."""
    state, rng = begun("junqi", "won 5")
    for seat in state.seats:
        state.apply(seat, {"type": "ready"}, draws=rng.randbytes)
    belief = Belief("south", 1)
    belief.see(state.seen_by("south"))
    stronger: dict[str, int] = {}  # where a piece of north stands: than which rank
    for _ in range(90):
        before = {piece["at"]: piece["type"] for piece in state.position(plain=True)["pieces"]}
        seat, action = next(random_line(state, rng, 1))
        state.apply(seat, action, draws=rng.randbytes)
        if state.result is not None:
            break
        belief.see(state.seen_by("south"))
        last = state.view("south", plain=True)["last_move"]
        carried = stronger.pop(last["from"], -1)
        faced = stronger.pop(last["to"], -1)
        if last.get("outcome", "attacker") == ("attacker" if seat == "north" else "defender"):
            ours = before.get(last["from" if seat == "south" else "to"])
            shown = RANKS.index(ours) if ours in RANKS else -1
            stronger[last["to"]] = max(carried if seat == "north" else faced, shown)
    known = {place: rank for place, rank in stronger.items() if rank >= 0}
    assert known
    worlds = [belief.world(i) for i in range(belief.worlds)]
    samples = [state.seen_by("south").sample("south", seed) for seed in range(300)]
    assert share_of(worlds, known) > share_of(samples, known) + 0.2


def share_of(worlds: list[State], stronger: dict[str, int]) -> float:
    """The share of these pieces, over the worlds, that are as strong as they have shown to be."""
    right = [
        RANKS.index(piece["type"]) > stronger[piece["at"]] if piece["type"] in RANKS else False
        for world in worlds
        for piece in world.position(plain=True)["pieces"]
        if piece["at"] in stronger
    ]
    return sum(right) / len(right)


def test_where_pieces_vanished_is_remembered() -> None:
    """Weaponized Chess: a piece that is unseen now stands where it was seen last, or not far from there."""
    of_worlds, of_samples = Counter[bool](), Counter[bool]()
    for number in range(3):
        state, rng = begun("wec", f"unseen {number}")
        belief = Belief("black", 1)
        for played, _ in enumerate(take(state, rng, 120)):
            seen = state.seen_by("black")
            belief.see(seen)
            if played % 10 or not belief.worlds:
                continue
            shown = Counter(map(place_of, state.view("black", plain=True)["enemies"]))
            unseen = enemies_in(state) - shown
            worlds = [belief.world(i) for i in range(0, belief.worlds, max(1, belief.worlds // LOOKED_AT))]
            samples = [seen.sample("black", number) for number in range(LOOKED_AT)]
            for found, states in ((of_worlds, worlds), (of_samples, samples)):
                right = sum(((enemies_in(one) - shown) & unseen).total() for one in states)
                found.update({True: right, False: unseen.total() * len(states) - right})
    assert of_samples.total() > 100
    assert of_worlds[True] / of_worlds.total() > 1.5 * of_samples[True] / of_samples.total()


def place_of(piece: dict[str, Any]) -> tuple[str, str, str]:
    return piece["type"], piece["at"], piece["level"]


def enemies_in(state: State) -> Counter[tuple[str, str, str]]:
    """Where the pieces of white stand, and which these are."""
    pieces = state.position(plain=True)["pieces"]
    return Counter(place_of(one) for one in pieces if one["seat"] == "white" and "at" in one)


def test_what_is_true_stays_likely_enough() -> None:
    """Junqi: worlds that agreed for long descend from few. Those would rule out what is true if they stayed as they
    are (36 of 100 true ranks had less than a twentieth of them then, not 20)."""
    shares: list[float] = []
    for number in range(5):
        state, rng = begun("junqi", f"likely {number}")
        belief = Belief("south", 1)
        for played in range(120):
            belief.see(state.seen_by("south"))
            if played > 40 and played % 7 == 0 and belief.worlds:
                shares += shares_of_the_truth(state, belief, "south")
            seat = state.to_act[0]
            choice = warlog_core.play(state.seen_by(seat), seat, level=4, seed=played)
            assert choice is not None
            state.apply(seat, choice.action, draws=rng.randbytes)
            if state.result is not None:
                break
    assert len(shares) > 300
    unlikely = sum(share < 1 / 20 for share in shares) / len(shares)
    assert unlikely < 0.3


def shares_of_the_truth(state: State, belief: Belief, viewer: str) -> list[float]:
    """For each piece whose rank the viewer does not see, the share of the worlds in which it is what it is."""
    pieces = state.view(viewer, plain=True)["pieces"]
    hidden = {one["at"] for one in pieces if "type" not in one and "at" in one}
    truth = types_at(state, hidden)
    worlds = [types_at(belief.world(i), hidden) for i in range(0, belief.worlds, 8)]
    return [sum(world[at] == truth[at] for world in worlds) / len(worlds) for at in hidden]


def types_at(state: State, places: set[str]) -> dict[str, str]:
    return {one["at"]: one["type"] for one in state.position(plain=True)["pieces"] if one.get("at") in places}
