"""What a seat of Siguo Junqi may not know does not change one byte of what it gets (8): two worlds, one secret.

Two matches are alike but for what one seat, or the shuffle, hides. They are played alike, and everything that the
others get must be the same in both until an effect comes by which the book reveals something."""

from __future__ import annotations

import itertools
import json
import random
from typing import Any

import msgspec
import pytest

import warlog_core
from warlog_core import BadState, Event, State
from warlog_core.binding import DISCLOSE_OVER
from warlog_core.codecs import book_data

GAME = warlog_core.game("junqi")
BOOK: dict[str, Any] = book_data("junqi")
SPACES = [space["id"] for space in BOOK["spaces"]]
# By these the book tells something of hidden types: who survived, that a marshal fell, that nothing can move any more.
REVEALING = {"battle", "reveal_flag", "defeat", "flip"}
MODES: list[dict[str, Any]] = [
    {},
    {"open_allies": True},
    {"players": 2},
    {"players": 2, "wings": "closed"},
]


def known(state: State, viewer: str) -> bytes:
    """All that can be asked for `viewer`: view, listing, who may act, clocks, and the C state behind the view."""
    listing = state.legal(viewer)
    clocks = [state.clock(seat) for seat in state.seats]
    asked = [state.view(viewer), listing, state.to_act, clocks, state.phase, state.disclosure]
    return msgspec.json.encode(asked) + state.seen_by(viewer).data


def told(state: State, event: Event, viewer: str) -> Any:
    return msgspec.to_builtins(event.visible(viewer, state.disclosure))


def random_layout(rng: random.Random) -> list[str]:
    """A legal layout, as the setup draws it."""
    pieces = GAME.new(options={"players": 2}, draws=rng.randbytes).position(plain=True)["pieces"]
    south = {piece["at"][1:]: piece["type"] for piece in pieces if piece["seat"] == "south"}
    return [south[cell] for cell in BOOK["layout"]["cells"]]


def outsiders_of(state: State, seat: str, options: dict[str, Any]) -> list[str]:
    """Those from whom a seat's types are hidden."""
    army = state.seats.index(seat)
    ally = state.seats[(army + 2) % 4] if options.get("open_allies") else seat
    return [viewer for viewer in (*state.seats, "spectator") if viewer not in (seat, ally)]


def same_refusals(worlds: list[State], viewers: list[str], rng: random.Random) -> None:
    """Error codes of actions that nobody listed, of every outsider who is a seat."""
    for viewer in viewers:
        if viewer == "spectator":
            continue
        for _ in range(12):
            action = rng.choice(
                (
                    {"type": "move", "piece": rng.randrange(102), "to": rng.choice(SPACES)},
                    {"type": "flip", "at": rng.choice(SPACES)},
                    {"type": "swap", "a": rng.choice(SPACES), "b": rng.choice(SPACES)},
                    {"type": rng.choice(("offer_draw", "accept_draw", "decline_draw", "resign", "ready"))},
                )
            )
            assert worlds[0].check(viewer, action) == worlds[1].check(viewer, action), action


def as_seen(state: State, action: dict[str, Any]) -> dict[str, Any]:
    """A move by its ends, since ids differ between the worlds."""
    if action["type"] != "move":
        return action
    at = next(p["at"] for p in state.position(plain=True)["pieces"] if p["piece"] == action["piece"])
    return {"type": "move", "from": at, "to": action["to"]}


def both_act(
    worlds: list[State], seat: str, actions: list[dict[str, Any]], viewers: list[str], draws: Any
) -> str | None:
    """Each world takes its own form of one action. The type of the effect by which they come apart, if they do."""
    events = [world.apply(seat, action, draws=draws) for world, action in zip(worlds, actions, strict=True)]
    if worlds[0].result is not None or worlds[1].result is not None:
        return "end"
    for viewer in viewers:
        one, other = (told(world, event, viewer) for world, event in zip(worlds, events, strict=True))
        if one == other:
            continue
        assert one["action"] == other["action"]
        assert one["draws"] == other["draws"]
        pairs = itertools.zip_longest(one["effects"], other["effects"], fillvalue={"type": "nothing"})
        first = next((a, b) for a, b in pairs if a != b)
        revealing = REVEALING & {effect["type"] for effect in first}
        assert revealing, first
        return str(revealing.pop())
    for viewer in viewers:
        assert known(worlds[0], viewer) == known(worlds[1], viewer), viewer
    return None


def common_moves(worlds: list[State], seat: str) -> list[list[dict[str, Any]]]:
    """What the seat may do in both worlds, in the form of each."""
    forms = [
        {
            json.dumps(as_seen(world, action)): action
            for action in world.legal(seat, plain=True)
            if action["type"] in ("move", "flip", "offer_draw", "accept_draw", "decline_draw")
        }
        for world in worlds
    ]
    return [[forms[0][key], forms[1][key]] for key in forms[0] if key in forms[1]]


@pytest.mark.parametrize("options", MODES, ids=json.dumps)
def test_what_a_seat_has_laid_out_shows_nowhere_until_a_battle_tells(
    options: dict[str, Any], seed: int
) -> None:
    rng = random.Random(f"{seed} {options}")
    options = {**options, "min_steps_draw": 0, "quiet_limit": 0}
    n_alike, reasons, n_matches = 0, set(), 0
    while n_matches < 8 or n_alike <= 60:
        n_matches += 1
        assert n_matches <= 40, "the worlds part at once"
        draws = GAME.new(options=options, draws=rng.randbytes).started
        assert draws is not None
        worlds = [GAME.new(options=options, draws=draws.draws) for _ in range(2)]
        secret = rng.choice(worlds[0].seats)
        viewers = outsiders_of(worlds[0], secret, options)
        layouts = [random_layout(rng), random_layout(rng)]
        assert layouts[0] != layouts[1]
        actions = [{"type": "layout", "layout": layout} for layout in layouts]
        assert both_act(worlds, secret, actions, viewers, ()) is None
        assert worlds[0].view(secret) != worlds[1].view(secret)
        for seat in worlds[0].seats:
            drawn = [rng.randrange(len(worlds[0].seats))] if seat == worlds[0].seats[-1] else []
            assert both_act(worlds, seat, [{"type": "ready"}] * 2, viewers, drawn) is None
        for _ in range(120):
            (seat,) = worlds[0].to_act
            if rng.random() < 0.1:
                seat = rng.choice(worlds[0].seats)
            same_refusals(worlds, viewers, rng)
            if seat in viewers:
                listing = worlds[0].legal(seat, plain=True)
                assert listing == worlds[1].legal(seat, plain=True)
            choices = common_moves(worlds, seat)
            if not choices:
                break
            apart = both_act(worlds, seat, rng.choice(choices), viewers, ())
            if apart is not None:
                reasons.add(apart)
                break
            n_alike += 1
    assert "battle" in reasons, "the worlds are not the same world"


def test_swaps_before_play_are_seen_by_their_seat_alone(seed: int) -> None:
    rng = random.Random(seed)
    for options, army in itertools.product(MODES, range(2)):
        worlds = [GAME.new(options=options, draws=bytes) for _ in range(2)]
        seat = worlds[0].seats[army]
        swaps = [a for a in worlds[0].legal(seat, plain=True) if a["type"] == "swap"]
        events = [world.apply(seat, swap) for world, swap in zip(worlds, rng.sample(swaps, 2), strict=True)]
        # With open allies, the event tells an ally nothing, though the view does.
        for viewer in (*worlds[0].seats, "spectator"):
            if viewer != seat:
                for world, event in zip(worlds, events, strict=True):
                    assert told(world, event, viewer) == {
                        "action": {"type": "swap"},
                        "draws": [],
                        "effects": [],
                    }
        for viewer in outsiders_of(worlds[0], seat, options):
            assert known(worlds[0], viewer) == known(worlds[1], viewer)


def test_the_setup_tells_nobody_its_draws_or_layouts() -> None:
    layout = BOOK["layout"]["all_zero_draws"]
    for options in (*MODES, {"mode": "flip"}, {"layouts": {"south": layout}}):
        state = GAME.new(options=options, draws=bytes)
        assert state.started is not None
        assert state.started.draws
        for viewer in (*state.seats, "spectator"):
            seen = state.started.visible(viewer, 0)
            assert (seen.draws, seen.effects) == (None, [])
            assert state.started.visible(viewer, DISCLOSE_OVER).draws == state.started.draws
    everything = GAME.new(options={"layouts": dict.fromkeys(BOOK["seats"]["4"], layout)})
    assert everything.started is not None
    assert everything.started.visible("south", 0).draws is None, "not even that nothing was drawn"


def shuffled_worlds(rng: random.Random) -> list[State]:
    """Two matches of flip mode in which some face-down pieces have changed places."""
    one = GAME.new(options={"mode": "flip"}, draws=rng.randbytes).position(plain=True)
    other = json.loads(json.dumps(one))
    moved = rng.sample(other["pieces"], rng.choice((2, 5, 50)))
    places = [piece["at"] for piece in moved]
    rng.shuffle(places)
    for piece, at in zip(moved, places, strict=True):
        piece["at"] = at
    return [GAME.new(options={"mode": "flip"}, position=position) for position in (one, other)]


def test_what_lies_face_down_shows_nowhere_until_it_is_turned_up(seed: int) -> None:
    rng = random.Random(seed)
    n_alike, reasons, n_matches = 0, set(), 0
    while n_matches < 25 or n_alike <= 25:
        n_matches += 1
        assert n_matches <= 100, "the worlds part at once"
        worlds = shuffled_worlds(rng)
        viewers = [*worlds[0].seats, "spectator"]
        assert both_act(worlds, "south", [{"type": "ready"}] * 2, viewers, ()) is None
        assert both_act(worlds, "north", [{"type": "ready"}] * 2, viewers, [rng.randrange(2)]) is None
        for _ in range(80):
            (seat,) = worlds[0].to_act
            same_refusals(worlds, viewers, rng)
            listing = worlds[0].legal(seat, plain=True)
            assert listing == worlds[1].legal(seat, plain=True)
            action = rng.choice([a for a in listing if a["type"] in ("move", "flip")])
            apart = both_act(worlds, seat, [action] * 2, ["spectator"], ())
            if apart is not None:
                reasons.add(apart)
                break
            n_alike += 1
            # A piece that is up in both worlds may have another id, which its owner sees.
            if any(known(worlds[0], seat) != known(worlds[1], seat) for seat in worlds[0].seats):
                ids_differ(worlds)
                break
    assert reasons <= {"flip", "end"}


def ids_differ(worlds: list[State]) -> None:
    """The views of the seats are the same but for ids of their own pieces."""
    for seat in worlds[0].seats:
        views = [world.view(seat, plain=True) for world in worlds]
        for view in views:
            for piece in (*view["pieces"], *view["lost"]):
                if piece.pop("piece", None) is not None:
                    assert piece["seat"] == seat
        for view in views:
            view["lost"].sort(key=json.dumps)
        assert views[0] == views[1]


@pytest.mark.parametrize("options", [*MODES, {"mode": "flip"}], ids=json.dumps)
def test_nobody_is_ever_given_an_id_that_is_not_his_or_a_type_that_he_may_not_know(
    options: dict[str, Any], seed: int
) -> None:
    """8, read off every view and every event of random matches, against the whole state."""
    rng = random.Random(f"{seed} {options}")
    flip = options.get("mode") == "flip"
    for _ in range(2):
        state = GAME.new(options=options, draws=rng.randbytes)
        while state.to_act:
            seat = rng.choice(state.to_act)
            kinds = ("ready",) if state.phase == "layout" else ("move", "flip")
            actions = [a for a in state.legal(seat, plain=True) if a["type"] in kinds]
            event = state.apply(seat, rng.choice(actions), draws=rng.randbytes)
            if not state.to_act:
                break
            for viewer in (*state.seats, "spectator"):
                check_event(state, told(state, event, viewer), viewer, options, seat)
                check_view(state, viewer, options, flip)


def may_know_type(viewer: str, owner: str, options: dict[str, Any]) -> bool:
    if viewer == owner:
        return True
    if not options.get("open_allies") or viewer == "spectator":
        return False
    return {viewer, owner} in ({"south", "north"}, {"east", "west"})


def check_event(state: State, seen: dict[str, Any], viewer: str, options: dict[str, Any], actor: str) -> None:
    if viewer != actor and seen["action"]["type"] == "move":
        assert seen["action"].keys() == {"type", "from", "to"}
    for effect in seen["effects"]:
        if effect["type"] == "lost":
            assert ("piece" in effect) is (effect["seat"] == viewer)
            flip = options.get("mode") == "flip"
            assert ("kind" in effect) is (flip or may_know_type(viewer, effect["seat"], options))
        else:
            assert "piece" not in effect
            assert "kind" not in effect or effect["type"] == "flip"


def check_view(state: State, viewer: str, options: dict[str, Any], flip: bool) -> None:
    view = state.view(viewer, plain=True)
    whole = {piece["at"]: piece for piece in state.position(plain=True)["pieces"]}
    assert [piece["at"] for piece in view["pieces"]] == sorted(whole, key=SPACES.index)
    revealed = {entry["seat"] for entry in view["seats"] if entry.get("flag_revealed")}
    marshals = {piece["seat"] for piece in whole.values() if not flip and piece["type"] == "field_marshal"}
    if not flip:
        alive = {entry["seat"] for entry in view["seats"] if entry["status"] == "alive"}
        assert revealed == alive - marshals
    for piece in view["pieces"]:
        real = whole[piece["at"]]
        if flip and real["face"] == "down":
            assert piece == {"at": piece["at"], "face": "down"}
            continue
        own = piece["seat"] == viewer
        assert piece.get("piece") == (real["piece"] if own else None)
        shown = flip or may_know_type(viewer, piece["seat"], options)
        shown = shown or (real["type"] == "flag" and piece["seat"] in revealed)
        assert piece.get("type") == (real["type"] if shown else None)
    for piece in view["lost"]:
        assert ("piece" in piece) is (piece["seat"] == viewer)
        assert flip or may_know_type(viewer, piece["seat"], options)


def test_the_state_behind_a_view_is_blank_where_the_view_is_and_cannot_be_played_on() -> None:
    state = GAME.new(draws=bytes)
    fields = GAME.raw.state_fields(state.seen_by("east")._raw)
    assert [piece for piece, at in enumerate(fields["at"]) if at != 0xFF] == list(range(26, 51))
    assert not set(fields["board"]) & {*range(1, 26), *range(51, 101)}
    spectator = GAME.raw.state_fields(state.seen_by("spectator")._raw)
    assert not set(spectator["board"]) & set(range(1, 101))
    with pytest.raises(BadState):
        state.seen_by("east").apply("east", {"type": "ready"})
    assert state.seen_by("east").legal("east") == state.legal("east")


def test_when_the_match_is_over_everybody_sees_every_type_and_the_ids_of_his_own() -> None:
    for options in (*MODES, {"mode": "flip"}):
        state = GAME.new(options=options, draws=bytes)
        state.apply("server", {"type": "flee", "seat": "south"})
        for viewer in (*state.seats, "spectator"):
            view = state.view(viewer, plain=True)
            assert view["result"] == {"winners": [], "reason": "aborted"}
            assert "settlement" not in view
            assert "first" not in view
            assert all("type" in piece for piece in view["pieces"])
            if options.get("mode") == "flip":
                assert all(piece.keys() == {"color", "type", "at", "face"} for piece in view["pieces"])
            else:
                assert all(("piece" in piece) is (piece["seat"] == viewer) for piece in view["pieces"])
