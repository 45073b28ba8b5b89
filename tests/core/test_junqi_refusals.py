"""Which error comes first, and what is refused at all: options, actions, Positions (junqi 4.1, 7.2 to 7.9, 10.6)."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import pytest

import warlog_core
from warlog_core import Refused, State
from warlog_core.codecs import book_data

GAME = warlog_core.game("junqi")
LAYOUT: list[str] = book_data("junqi")["layout"]["all_zero_draws"]
ILLEGAL = LAYOUT[::-1]
BOTH = {"south": 10**12, "north": 10**12}


def refusal(options: Any, position: Any = None) -> str | None:
    """The code with which such a match is refused, the same by both ways of asking; None if it is possible."""
    try:
        GAME.check_options(options, position)
    except Refused as refused:
        with pytest.raises(Refused, match=refused.code):
            GAME.new(options=options, position=position, draws=bytes)
        return refused.code
    GAME.new(options=options, position=position, draws=bytes)
    return None


# ---- 4.1 options -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "code"),
    [
        ([], "invalid_options"),
        ({}, None),
        ({"mode": "Flip"}, "invalid_options"),
        ({"mode": None}, "invalid_options"),
        ({"players": 3}, "invalid_options"),
        ({"players": 0}, "invalid_options"),
        ({"players": "2"}, "invalid_options"),
        ({"players": 2.0}, "invalid_options"),
        ({"players": True}, "invalid_options"),
        ({"wings": "open"}, "invalid_options"),
        ({"players": 4, "wings": "closed"}, "invalid_options"),
        ({"players": 2, "wings": "half"}, "invalid_options"),
        ({"players": 2, "wings": "closed"}, None),
        ({"mode": "flip", "wings": "closed"}, None),
        ({"mode": "flip", "wings": "open"}, "invalid_options"),
        ({"mode": "flip", "players": 4}, "invalid_options"),
        ({"mode": "flip", "players": 2}, None),
        ({"mode": "flip", "layouts": {}}, "invalid_options"),
        ({"mode": "flip", "open_allies": False}, None),
        ({"mode": "flip", "open_allies": True}, "invalid_options"),
        ({"players": 2, "open_allies": False}, None),
        ({"players": 2, "open_allies": True}, "invalid_options"),
        ({"open_allies": 1}, "invalid_options"),
        ({"mines_guard_flag": False}, None),
        ({"mines_guard_flag": "no"}, "invalid_options"),
        ({"move_seconds": 3601}, "invalid_options"),
        ({"scores": {}}, None),
        ({"scores": []}, "invalid_options"),
        ({"scores": {"south": None}}, "invalid_options"),
        ({"scores": {"south": 10**9 + 1}}, "invalid_options"),
        ({"scores": {"south": 10**40}}, "invalid_options"),
        ({"scores": {"centre": 1}}, "invalid_options"),
        ({"players": 2, "scores": {"east": 1}}, "invalid_options"),
        ({"players": 2, "balances": {"west": 1}}, "invalid_options"),
        ({"balances": {"west": -1}}, "invalid_options"),
        ({"balances": {"west": 10**12 + 1}}, "invalid_options"),
        ({"balances": {"west": 0}}, None),
        ({"layouts": {}}, None),
        ({"layouts": []}, "invalid_options"),
        ({"layouts": {"south": {}}}, "invalid_options"),
        ({"layouts": {"south": [1] * 25}}, "invalid_options"),
        ({"layouts": {"south": [*LAYOUT[:-1], "king"]}}, "invalid_options"),
        ({"layouts": {"south": []}}, "illegal_layout"),
        ({"layouts": {"south": LAYOUT[:-1]}}, "illegal_layout"),
        ({"layouts": {"south": [*LAYOUT, "mine"]}}, "illegal_layout"),
        ({"layouts": {"south": LAYOUT * 40}}, "illegal_layout"),
        ({"layouts": {"south": ILLEGAL}}, "illegal_layout"),
        ({"layouts": {"south": LAYOUT, "west": LAYOUT}}, None),
        ({"players": 2, "layouts": {"west": LAYOUT}}, "invalid_options"),
        ({"players": 2, "layouts": {"west": ILLEGAL}}, "invalid_options"),
        ({"players": 2, "stake": 1}, "insufficient_gold"),
        ({"players": 2, "stake": 1, "balances": {"south": 5}}, "insufficient_gold"),
        ({"players": 2, "stake": 1, "balances": {"south": 5, "north": 4}}, "insufficient_gold"),
        ({"players": 2, "stake": 1, "balances": {"south": 5, "north": 5}}, None),
        ({"players": 2, "stake": 1, "gold_cap": 4, "balances": {"south": 4, "north": 4}}, None),
        ({"players": 2, "stake": 10**9, "gold_cap": 100, "balances": BOTH}, None),
        ({"stake": 1, "balances": {"south": 5, "east": 5, "north": 5}}, "insufficient_gold"),
        # An option that is wrong comes before a layout, that before gold.
        ({"layouts": {"south": ILLEGAL}, "stake": 1, "gold_cap": 0}, "invalid_options"),
        ({"layouts": {"south": ILLEGAL}, "stake": 1}, "illegal_layout"),
        ({"layouts": {"south": ILLEGAL}, "stake": 1, "more": 1}, "invalid_options"),
        ({"layouts": {"south": LAYOUT}, "stake": 1}, "insufficient_gold"),
    ],
    ids=lambda value: str(value)[:60],
)
def test_options_are_refused_for_the_first_of_their_faults(options: Any, code: str | None) -> None:
    assert refusal(options) == code


# ---- 7: actions ----------------------------------------------------------------------------------------------------


def playing(*pieces: dict[str, Any], options: dict[str, Any] | None = None, **more: Any) -> State:
    """Two flags, two captains, and whatever else; two seats on the whole board, south to move."""
    own = [
        {"seat": "south", "type": "flag", "at": "S62"},
        {"seat": "south", "type": "captain", "at": "S61"},
        {"seat": "north", "type": "flag", "at": "N62"},
        {"seat": "north", "type": "captain", "at": "N61"},
    ]
    given = {"turn": "south", "steps": 60, "pieces": [*own, *pieces], **more}
    return GAME.new(options={"players": 2, **(options or {})}, position=given)


def laying_out() -> State:
    return GAME.new(options={"players": 2, "layouts": {"south": LAYOUT, "north": LAYOUT}})


def over() -> State:
    state = playing()
    state.apply("south", {"type": "resign"})
    return state


def flipping() -> State:
    given = {
        "turn": "south", "steps": 60, "colors": {"south": "red", "north": "black"},
        "pieces": [
            {"color": "red", "type": "flag", "at": "S62"},
            {"color": "red", "type": "captain", "at": "S13"},
            {"color": "red", "type": "major", "at": "S12", "face": "down"},
            {"color": "black", "type": "flag", "at": "S11"},
            {"color": "black", "type": "mine", "at": "N51", "face": "down"},
            {"color": "black", "type": "captain", "at": "S24"},
        ],
    }  # fmt: skip
    return GAME.new(options={"mode": "flip"}, position=given)


def move(piece: Any, to: Any) -> dict[str, Any]:
    return {"type": "move", "piece": piece, "to": to}


@pytest.mark.parametrize(
    ("make", "seat", "action", "code"),
    [
        # The end comes before everything, malformed before the phase, the phase before the mode, that before the rest.
        (over, "south", "nonsense", "match_over"),
        (over, "server", {"type": "flee", "seat": "south"}, "match_over"),
        (over, "west", {"type": "ready"}, "match_over"),
        (laying_out, "south", None, "malformed_action"),
        (laying_out, "south", [], "malformed_action"),
        (laying_out, "south", {"type": ["ready"]}, "malformed_action"),
        (laying_out, "south", {"type": "ready", "seat": "south"}, "malformed_action"),
        (laying_out, "south", {"type": "timeout", "seat": "south"}, "malformed_action"),
        (laying_out, "south", {"type": "flee", "seat": "south"}, "malformed_action"),
        (laying_out, "server", {"type": "ready"}, "malformed_action"),
        (laying_out, "server", {"type": "flee"}, "malformed_action"),
        (laying_out, "server", {"type": "flee", "seat": "east"}, "malformed_action"),
        (laying_out, "server", {"type": "flee", "seat": 0}, "malformed_action"),
        (laying_out, "east", {"type": "ready"}, "malformed_action"),
        (laying_out, "server", {"type": "timeout", "seat": "south"}, "wrong_phase"),
        (laying_out, "south", move(1, "S11"), "wrong_phase"),
        (laying_out, "south", {"type": "flip", "at": "S11"}, "wrong_phase"),
        (laying_out, "south", {"type": "resign"}, "wrong_phase"),
        (laying_out, "south", {"type": "offer_draw"}, "wrong_phase"),
        (laying_out, "south", move(10**30, "S11"), "malformed_action"),
        (laying_out, "south", move(2**63, "S11"), "malformed_action"),
        (laying_out, "south", move(2**63 - 1, "S11"), "wrong_phase"),
        (laying_out, "south", move(1.0, "S11"), "malformed_action"),
        (laying_out, "south", {"type": "swap", "a": "S11"}, "malformed_action"),
        (laying_out, "south", {"type": "swap", "a": 1, "b": "S12"}, "malformed_action"),
        (laying_out, "south", {"type": "swap", "a": "N11", "b": "N11"}, "unknown_space"),
        (laying_out, "south", {"type": "swap", "a": "C11", "b": "S11"}, "unknown_space"),
        (laying_out, "south", {"type": "swap", "a": "S22", "b": "Q"}, "unknown_space"),
        (laying_out, "south", {"type": "swap", "a": "S22", "b": "S24"}, "illegal_swap"),
        (laying_out, "south", {"type": "swap", "a": "S11", "b": "S11"}, "illegal_swap"),
        (laying_out, "south", {"type": "swap", "a": "S13", "b": "S14"}, "same_type"),
        (laying_out, "south", {"type": "swap", "a": "S11", "b": "S51"}, "illegal_layout"),
        (laying_out, "south", {"type": "swap", "a": "S12", "b": "S11"}, None),
        (laying_out, "north", {"type": "swap", "a": "N62", "b": "N64"}, None),
        (laying_out, "south", {"type": "layout", "layout": "mine"}, "malformed_action"),
        (laying_out, "south", {"type": "layout", "layout": [*LAYOUT[:24], "king"]}, "malformed_action"),
        (laying_out, "south", {"type": "layout", "layout": [*LAYOUT * 9, "king"]}, "malformed_action"),
        (laying_out, "south", {"type": "layout", "layout": LAYOUT, "open": True}, "malformed_action"),
        (laying_out, "south", {"type": "layout", "open": True}, "malformed_action"),
        (laying_out, "south", {"type": "layout", "layout": []}, "illegal_layout"),
        (laying_out, "south", {"type": "layout", "layout": LAYOUT * 9}, "illegal_layout"),
        (laying_out, "south", {"type": "layout", "layout": [LAYOUT[1], LAYOUT[0], *LAYOUT[2:]]}, None),
        (playing, "south", {"type": "ready"}, "wrong_phase"),
        (playing, "south", {"type": "layout", "layout": LAYOUT}, "wrong_phase"),
        (playing, "south", {"type": "flip", "at": "S61"}, "wrong_mode"),
        (flipping, "south", {"type": "swap", "a": "S61", "b": "S62"}, "wrong_phase"),
        (flipping, "south", {"type": "flip", "at": "S61"}, "not_face_down"),
        (flipping, "south", {"type": "flip", "at": "E11"}, "unknown_space"),
        (flipping, "south", {"type": "flip", "at": "S13"}, "not_face_down"),
        (flipping, "north", {"type": "flip", "at": "E11"}, "not_your_turn"),
        (flipping, "south", {"type": "flip", "at": "S12"}, None),
        (flipping, "south", move(12, "S12"), "face_down"),
        (flipping, "south", move(10, "S11"), "not_your_piece"),
        (flipping, "south", move(37, "S11"), "not_your_piece"),
        (flipping, "south", move(1, "S63"), "immovable_piece"),
        (flipping, "south", move(12, "E11"), "unknown_space"),
        (flipping, "south", move(12, "S11"), "illegal_destination"),
        (flipping, "south", move(12, "S24"), "camp_protected"),
        (flipping, "south", move(12, "C12"), None),
    ],
    ids=lambda value: value.__name__ if callable(value) else str(value)[:60],
)
def test_an_action_is_refused_for_the_first_of_its_faults(
    make: Callable[[], State], seat: str, action: Any, code: str | None
) -> None:
    state = make()
    before = state.data
    assert state.check(seat, action) == code
    if code is None:
        state.apply(seat, action)
        assert state.data != before
    else:
        with pytest.raises(Refused, match=code):
            state.apply(seat, action)
        assert state.data == before


@pytest.mark.parametrize(
    ("seat", "action", "code"),
    [
        ("north", move(99, "Q"), "not_your_turn"),
        ("south", move(2, "Q"), "not_your_piece"),
        ("south", move(26, "Q"), "not_your_piece"),
        ("south", move(0, "Q"), "not_your_piece"),
        ("south", move(-(2**63), "Q"), "not_your_piece"),
        ("south", move(1, "Q"), "immovable_piece"),
        ("south", move(23, "Q"), "immovable_piece"),
        ("south", move(3, "Q"), "trapped_in_headquarters"),
        ("south", move(4, "Q"), "trapped_in_headquarters"),
        ("south", move(12, "Q"), "unknown_space"),
        ("south", move(12, "S61"), "illegal_destination"),
        ("south", move(12, "S52"), "illegal_destination"),
        ("south", move(12, "S62"), "friendly_piece"),
        ("south", move(13, "S33"), "camp_protected"),
        ("south", move(13, "S24"), None),
        ("south", move(13, "S13"), None),
    ],
    ids=str,
)
def test_a_move_is_refused_for_the_first_of_its_faults(seat: str, action: Any, code: str | None) -> None:
    state = playing(
        {"seat": "south", "type": "mine", "at": "S51"},
        {"seat": "south", "type": "general", "at": "S64"},
        {"seat": "south", "type": "major_general", "at": "W64"},
        {"seat": "south", "type": "captain", "at": "S23"},
        {"seat": "north", "type": "bomb", "at": "S33"},
        {"seat": "north", "type": "bomb", "at": "S13"},
    )
    assert state.check(seat, action) == code


def test_who_is_ready_is_told_so_before_anything_else_of_the_layout() -> None:
    state = laying_out()
    state.apply("south", {"type": "ready"})
    for action in (
        {"type": "ready"},
        {"type": "swap", "a": "Q", "b": "Q"},
        {"type": "layout", "layout": []},
    ):
        assert state.check("south", action) == "already_ready"
    assert state.legal("south") == []


def test_a_defeated_seat_is_told_so_whatever_it_does_in_the_phase_of_play() -> None:
    state = GAME.new(
        position={
            "turn": "south", "steps": 60,
            "seats": [{"seat": "west", "status": "defeated", "cause": "fled"}],
            "pieces": [
                {"seat": seat, "type": kind, "at": f"{seat[0].upper()}{cell}"}
                for seat in ("south", "east", "north") for kind, cell in (("flag", 62), ("captain", 61))
            ],
        }
    )  # fmt: skip
    for action in (move(0, "Q"), {"type": "offer_draw"}, {"type": "accept_draw"}, {"type": "resign"}):
        assert state.check("west", action) == "seat_defeated"
    assert state.check("west", {"type": "flip", "at": "Q"}) == "wrong_mode"
    for kind in ("timeout", "flee"):
        assert state.check("server", {"type": kind, "seat": "west"}) == "seat_defeated"
    assert state.check("server", {"type": "timeout", "seat": "east"}) == "not_your_turn"
    assert state.check("server", {"type": "flee", "seat": "east"}) is None
    assert state.legal("west") == []


def test_offers_and_answers_are_refused_for_the_first_of_their_faults() -> None:
    state = playing(options={"min_steps_draw": 60, "min_steps_resign": 60})
    offer, accept, decline = ({"type": kind} for kind in ("offer_draw", "accept_draw", "decline_draw"))
    assert state.check("south", offer) == "too_early"
    assert state.check("south", {"type": "resign"}) == "too_early"
    state.apply("south", move(12, "S51"))
    assert state.check("south", accept) == "no_offer"
    state.apply("south", offer)
    assert state.check("north", offer) == "offer_pending"
    assert state.check("south", offer) == "offer_pending"
    for answer in (accept, decline):
        assert state.check("south", answer) == "own_offer"
        assert state.check("north", answer) is None
    state.apply("north", decline)
    assert state.check("south", offer) == "already_offered"
    assert state.check("north", offer) is None


def test_who_has_accepted_can_neither_accept_nor_decline_any_more() -> None:
    state = GAME.new(
        position={
            "turn": "south", "steps": 60, "offer": {"by": "north", "accepted": ["west"]},
            "pieces": [
                {"seat": seat, "type": kind, "at": f"{seat[0].upper()}{cell}"}
                for seat in ("south", "east", "north", "west") for kind, cell in (("flag", 62), ("captain", 61))
            ],
        }
    )  # fmt: skip
    for kind in ("accept_draw", "decline_draw"):
        assert state.check("west", {"type": kind}) == "already_answered"
    assert state.view("spectator", plain=True)["offer"] == {
        "by": "north",
        "accepted": ["west"],
        "waiting": ["south", "east"],
    }
    # The maker of an offer in a Position need not be marked (R49): it may offer again as soon as this one is gone.
    state.apply("south", {"type": "decline_draw"})
    assert state.check("north", {"type": "offer_draw"}) is None


# ---- 10.6: Positions -----------------------------------------------------------------------------------------------

FOUR: dict[str, Any] = {
    "turn": "south",
    "pieces": [
        {"seat": seat, "type": kind, "at": f"{seat[0].upper()}{cell}"}
        for seat in ("south", "east", "north", "west")
        for kind, cell in (("flag", 62), ("captain", 61))
    ],
}
TWO: dict[str, Any] = {
    "turn": "south",
    "pieces": [piece for piece in FOUR["pieces"] if piece["seat"] in ("south", "north")],
}
SHUT: dict[str, Any] = {"turn": "south", "pieces": [p for p in TWO["pieces"] if p["type"] == "flag"]}
FLIP: dict[str, Any] = {
    "turn": "south",
    "colors": {"south": "black", "north": "red"},
    "pieces": [
        {"color": "red", "type": "flag", "at": "N11"},
        {"color": "black", "type": "flag", "at": "S11", "face": "down"},
        {"color": "black", "type": "major", "at": "S22"},
    ],
}
LAID_OUT: dict[str, Any] = {
    "phase": "layout",
    "pieces": GAME.new(options={"players": 2}, draws=bytes).position(plain=True)["pieces"],
}
SHUFFLED: dict[str, Any] = {
    "phase": "layout",
    "pieces": GAME.new(options={"mode": "flip"}, draws=bytes).position(plain=True)["pieces"],
}
OPTIONS: dict[int, dict[str, Any]] = {
    id(FOUR): {},
    id(TWO): {"players": 2},
    id(SHUT): {"players": 2},
    id(LAID_OUT): {"players": 2},
    id(FLIP): {"mode": "flip"},
    id(SHUFFLED): {"mode": "flip"},
}
RUN = {"seat": "south", "from": "S11", "to": "S13", "path": ["S11", "S12", "S13"]}


def with_seat(**fields: Any) -> Callable[[dict[str, Any]], None]:
    return lambda p: p.update(seats=[{"seat": "north", **fields}])


def setting(**fields: Any) -> Callable[[dict[str, Any]], None]:
    return lambda p: p.update(fields)


def piece(number: int, **fields: Any) -> Callable[[dict[str, Any]], None]:
    def change(position: dict[str, Any]) -> None:
        position["pieces"][number].update(fields)
        for name in [name for name, value in fields.items() if value is ...]:
            del position["pieces"][number][name]

    return change


def more(*pieces: dict[str, Any]) -> Callable[[dict[str, Any]], None]:
    return lambda p: p["pieces"].extend(pieces)


def without(number: int) -> Callable[[dict[str, Any]], None]:
    return lambda p: p["pieces"].pop(number)


def lacking(name: str) -> Callable[[dict[str, Any]], None]:
    return lambda p: p.pop(name)


OUT = {"status": "defeated", "cause": "fled"}
CAPTAIN = {"seat": "south", "type": "captain", "at": "S13"}
BAD = "invalid_position"


@pytest.mark.parametrize(
    ("base", "change", "code"),
    [
        (TWO, setting(), None),
        (FOUR, setting(), None),
        (FLIP, setting(), None),
        (LAID_OUT, setting(), None),
        (SHUFFLED, setting(), None),
        # 1. Shape
        (TWO, setting(more=1), BAD),
        (TWO, lacking("pieces"), BAD),
        (TWO, lacking("turn"), BAD),
        (TWO, setting(turn="east"), BAD),
        (TWO, setting(turn=0), BAD),
        (TWO, setting(first="east"), BAD),
        (TWO, setting(first="north"), None),
        (TWO, setting(phase="over"), BAD),
        (TWO, setting(phase=None), BAD),
        (TWO, setting(steps=-1), BAD),
        (TWO, setting(steps=10**6), None),
        (TWO, setting(steps=10**6 + 1), BAD),
        (TWO, setting(steps=True), BAD),
        (TWO, setting(steps=10**99), BAD),
        (TWO, setting(quiet_steps=69), None),
        (TWO, setting(quiet_steps=70), BAD),
        (TWO, setting(colors={"south": "red", "north": "black"}), BAD),
        (TWO, setting(seats={}), BAD),
        (TWO, setting(seats=[{}]), BAD),
        (TWO, setting(seats=[{"seat": "north"}, {"seat": "north"}]), BAD),
        (TWO, setting(seats=[{"seat": "east"}]), BAD),
        (TWO, with_seat(status="out"), BAD),
        (TWO, with_seat(status="defeated"), BAD),
        (TWO, with_seat(status="alive", cause="fled"), BAD),
        (TWO, with_seat(cause="fled"), BAD),
        (FOUR, with_seat(status="defeated", cause="draw_agreed"), BAD),
        (TWO, with_seat(ready=True), BAD),
        (TWO, with_seat(timeouts=4, offered=True), None),
        (TWO, with_seat(timeouts=5), BAD),
        (TWO, with_seat(timeouts=-1), BAD),
        (TWO, with_seat(offered=1), BAD),
        (TWO, piece(0, seat="east"), BAD),
        (TWO, piece(0, seat=...), BAD),
        (TWO, piece(0, type="king"), BAD),
        (TWO, piece(0, at=5), BAD),
        (TWO, piece(0, at=...), BAD),
        (TWO, piece(0, color="red"), BAD),
        (TWO, piece(0, face="up"), BAD),
        (TWO, piece(0, piece="1"), BAD),
        (TWO, piece(0, piece=2**63), BAD),
        (FLIP, piece(0, seat="south"), BAD),
        (FLIP, piece(0, color=...), BAD),
        (FLIP, piece(0, face="sideways"), BAD),
        (FLIP, setting(colors={"south": "red", "north": "red"}), BAD),
        (FLIP, setting(colors={"south": "red"}), BAD),
        (FLIP, setting(colors={"south": "red", "north": "black", "east": "red"}), BAD),
        (TWO, setting(offer={"by": "north"}), None),
        (TWO, setting(offer={}), BAD),
        (TWO, setting(offer={"by": "north", "accepted": []}), None),
        (TWO, setting(offer={"by": "north", "accepted": ["north"]}), BAD),
        (TWO, setting(offer={"by": "north", "accepted": ["south"]}), BAD),
        (FOUR, setting(offer={"by": "north", "accepted": ["south", "east"]}), None),
        (FOUR, setting(offer={"by": "north", "accepted": ["south", "south"]}), BAD),
        (FOUR, setting(offer={"by": "north", "accepted": ["south", "east", "west"]}), BAD),
        (FOUR, setting(offer={"by": "north", "accepted": ["south"], "waiting": ["east"]}), BAD),
        (TWO, setting(last_move=RUN), None),
        (TWO, setting(last_move={**RUN, "outcome": "both"}), None),
        (TWO, setting(last_move={**RUN, "outcome": "none"}), BAD),
        (TWO, setting(last_move={**RUN, "path": ["S11"], "to": "S11"}), BAD),
        (TWO, setting(last_move={**RUN, "path": ["S11", "N11", "S13"]}), None),
        (TWO, setting(last_move={**RUN, "path": ["S12", "S13"]}), BAD),
        (TWO, setting(last_move={**RUN, "path": ["S11", "S12"]}), BAD),
        (TWO, setting(last_move={**RUN, "path": ["S11", "Q", "S13"]}), BAD),
        (TWO, setting(last_move={**RUN, "path": ["S11", *["S12"] * 253, "S13"]}), None),
        (TWO, setting(last_move={**RUN, "path": ["S11", *["S12"] * 254, "S13"]}), BAD),
        (TWO, setting(last_move={**RUN, "seat": "east"}), BAD),
        (TWO, setting(last_move={**RUN, "at": "S11"}), BAD),
        (TWO, setting(last_move={"seat": "south", "at": "S11"}), BAD),
        (FLIP, setting(last_move={"seat": "south", "at": "S11"}), None),
        (FLIP, setting(last_move={"seat": "south", "at": "E11"}), BAD),
        (FLIP, setting(last_move={"seat": "south", "at": "S11", "outcome": "both"}), BAD),
        (FLIP, setting(last_move={**RUN, "path": ["S11", "E11", "S13"]}), BAD),
        (LAID_OUT, setting(turn="south"), BAD),
        (LAID_OUT, setting(first="south"), BAD),
        (LAID_OUT, setting(steps=0, quiet_steps=0), None),
        (LAID_OUT, setting(steps=1), BAD),
        (LAID_OUT, setting(quiet_steps=1), BAD),
        (LAID_OUT, with_seat(ready=True), None),
        (LAID_OUT, with_seat(ready=False, status="alive", timeouts=0, offered=False), None),
        (LAID_OUT, with_seat(offered=True), BAD),
        (LAID_OUT, with_seat(timeouts=1), BAD),
        (LAID_OUT, with_seat(**OUT), BAD),
        (LAID_OUT, setting(seats=[{"seat": "north", "ready": True}, {"seat": "south", "ready": True}]), BAD),
        (LAID_OUT, setting(offer={"by": "north"}), BAD),
        (LAID_OUT, setting(last_move=RUN), BAD),
        (SHUFFLED, setting(colors={"south": "red", "north": "black"}), BAD),
        # 2 to 5. Spaces, numbers, ids
        (TWO, more({**CAPTAIN, "at": "Q"}, {**CAPTAIN, "at": "S61"}), "unknown_space"),
        (TWO, more({**CAPTAIN, "at": ""}), "unknown_space"),
        (FLIP, more({"color": "red", "type": "major", "at": "E11"}), "unknown_space"),
        (TWO, more({**CAPTAIN, "at": "S61"}, CAPTAIN, {**CAPTAIN, "at": "S12"}), "space_occupied"),
        (TWO, more(*({**CAPTAIN, "at": f"S1{i}", "piece": 99} for i in (1, 2, 3))), "too_many_pieces"),
        (TWO, more({"seat": "north", "type": "flag", "at": "N64"}), "too_many_pieces"),
        (TWO, more({**CAPTAIN, "piece": 12}), None),
        (TWO, more({**CAPTAIN, "piece": 13}, {**CAPTAIN, "at": "S12", "piece": 13}), "bad_piece_id"),
        (TWO, more({**CAPTAIN, "piece": 15}), "bad_piece_id"),
        (TWO, more({**CAPTAIN, "piece": 37}), "bad_piece_id"),
        (TWO, more({**CAPTAIN, "piece": -(2**63)}), "bad_piece_id"),
        (TWO, more({**CAPTAIN, "piece": 2**63 - 1}), "bad_piece_id"),
        # 6 and 7. Who is out
        (TWO, with_seat(**OUT), "team_defeated"),
        (FOUR, setting(seats=[{"seat": s, **OUT} for s in ("south", "north")]), "team_defeated"),
        (FOUR, with_seat(**OUT), "defeated_with_pieces"),
        # 8 to 10. Flags and mines
        (TWO, without(0), "flag_missing"),
        (TWO, piece(0, at="S63"), "flag_misplaced"),
        (TWO, piece(0, at="N64"), "flag_misplaced"),
        (TWO, piece(0, at="S64"), None),
        (TWO, more({"seat": "south", "type": "mine", "at": "S45"}), "mine_misplaced"),
        (TWO, more({"seat": "south", "type": "mine", "at": "N55"}), "mine_misplaced"),
        (TWO, more({"seat": "south", "type": "mine", "at": "S64"}), None),
        (TWO, more({"seat": "south", "type": "bomb", "at": "S11"}), None),
        (FLIP, without(0), "flag_missing"),
        (FLIP, without(1), "flag_missing"),
        # 11. Faces
        (FLIP, lacking("colors"), "bad_colors"),
        (FLIP, more({"color": "red", "type": "mine", "at": "S33"}), "piece_misplaced"),
        (FLIP, more({"color": "red", "type": "mine", "at": "C22"}), "piece_misplaced"),
        (FLIP, piece(0, at="C22"), "piece_misplaced"),
        (FLIP, more({"color": "red", "type": "major", "at": "C22", "face": "down"}), "piece_misplaced"),
        (FLIP, more({"color": "red", "type": "major", "at": "S24", "face": "down"}), "piece_misplaced"),
        (FLIP, more({"color": "red", "type": "major", "at": "C22"}), None),
        (SHUFFLED, piece(7, at="S22"), "piece_misplaced"),
        # 12. Layouts
        (LAID_OUT, without(2), "illegal_layout"),
        (LAID_OUT, piece(2, at="S22"), "illegal_layout"),
        (LAID_OUT, piece(2, at="C22"), "illegal_layout"),
        (SHUFFLED, piece(7, face="up"), "illegal_layout"),
        (SHUFFLED, without(7), "illegal_layout"),
        # 13. The seat to move
        (FOUR, setting(
            turn="north", seats=[{"seat": "north", "status": "defeated", "cause": "fled"}],
            pieces=[p for p in FOUR["pieces"] if p["seat"] != "north"],
        ), "bad_turn"),
        (SHUT, setting(), "no_legal_move"),
        (SHUT, more({"seat": "south", "type": "general", "at": "S64"}), "no_legal_move"),
        (SHUT, more({"seat": "south", "type": "mine", "at": "S51"}), "no_legal_move"),
        (SHUT, more({"seat": "south", "type": "general", "at": "S65"}), None),
        (FLIP, without(2), None),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)  # fmt: skip
def test_a_position_is_refused_for_the_first_of_its_faults(
    base: dict[str, Any], change: Callable[[dict[str, Any]], None], code: str | None
) -> None:
    given = copy.deepcopy(base)
    change(given)
    assert refusal(OPTIONS[id(base)], given) == code


@pytest.mark.parametrize("position", [None, [], "TWO", 1, True], ids=str)
def test_what_is_no_object_is_no_position(position: Any) -> None:
    if position is not None:
        assert refusal({"players": 2}, position) == "invalid_position"


def test_the_faults_of_a_position_come_after_those_of_the_options() -> None:
    assert refusal({"players": 2, "stake": 1}, {}) == "insufficient_gold"
    assert refusal({"players": 2, "layouts": {}}, TWO) == "invalid_options"
    assert refusal({"players": 2, "layouts": {"south": ILLEGAL}}, TWO) == "invalid_options"
    assert refusal({"players": 2, "more": 1}, {}) == "invalid_options"
    assert (
        refusal({"players": 2, "max_timeouts": 3}, {**TWO, "seats": [{"seat": "north", "timeouts": 3}]})
        == BAD
    )
    assert refusal({"players": 2, "quiet_limit": 0}, {**TWO, "quiet_steps": 10**6}) is None


def test_pieces_without_an_id_take_the_smallest_that_nobody_claims() -> None:
    captains = [{**CAPTAIN, "at": "S11"}, {**CAPTAIN, "at": "S12", "piece": 12}, {**CAPTAIN, "at": "S13"}]
    given = {"turn": "south", "pieces": [p for p in TWO["pieces"] if p["at"] != "S61"] + captains}
    found = GAME.new(options={"players": 2}, position=given).position(plain=True)["pieces"]
    assert {p["at"]: p["piece"] for p in found if p["type"] == "captain"} == {
        "S11": 13,
        "S12": 12,
        "S13": 14,
        "N61": 37,
    }
