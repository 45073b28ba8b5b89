"""Rare meetings of rules in Weaponized Chess, each once: what the C and the plain reading were found to differ in, and
what random play seldom comes to."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from tests.core.test_wec_notation import check_reads_back
from tests.core.wec_positions import GAME
from tests.core.wec_reference import Match
from warlog_core import State
from warlog_core.codecs import wec_notation

Json = dict[str, Any]
KINGS: list[Json] = [
    {"id": 90, "seat": "black", "type": "king", "at": "e1"},
    {"id": 91, "seat": "white", "type": "king", "at": "f10"},
]


def piece(id_: int, seat: str, type_: str, at: str, level: str = "ground", **more: Any) -> Json:
    if type_ in ("tank", "cleric", "chopper"):
        more.setdefault("hand", "right")
    return {"id": id_, "seat": seat, "type": type_, "at": at, "level": level, **more}


def start(*pieces: Json, options: Json | None = None, **position: Any) -> tuple[State, Match]:
    """The same Position in C and as the book reads plainly."""
    whole = {"pieces": [*KINGS, *pieces], **position}
    return GAME.new(options=options or {}, position=whole), Match(options or {}, whole)


def both(state: State, match: Match, seat: str, **action: Any) -> dict[str, list[Json]]:
    """The action in both, which must agree; the effects, by viewer (`all`: whole)."""
    assert state.check(seat, action) is None
    event, told = state.apply(seat, action), match.apply(seat, action)
    found = {"all": msgspec.to_builtins(event.effects)}
    assert found["all"] == [one.whole for one in told]
    for viewer in ("black", "white", "spectator"):
        found[viewer] = msgspec.to_builtins(event.visible(viewer, 0).effects)
        assert found[viewer] == [one.forms[viewer] for one in told if one.forms[viewer]]
        assert state.view(viewer, plain=True) == match.view(viewer)
    for seat_ in ("black", "white"):
        assert state.legal(seat_, plain=True) == match.legal(seat_)
        assert state.seen_by(seat_).legal(seat_, plain=True) == match.legal(seat_)
    return found


def types(effects: list[Json]) -> list[str]:
    return [effect["type"] for effect in effects]


def test_a_hidden_passenger_that_is_converted_and_lost_at_once_leaves_a_ghost_to_its_old_side() -> None:
    """8.5: White was told that it was converted, and not that it was destroyed."""
    state, match = start(
        piece(1, "black", "chopper", "d4", "air"),
        piece(2, "black", "conversion_pawn", "d4", "air"),
        piece(3, "white", "chopper", "d5", "air", articles=["anti_conversion"]),
        piece(4, "white", "tank", "d5", "air", articles=["stealth"]),
    )
    told = both(state, match, "black", type="fire", piece=2, weapon="conversion", direction="n")
    assert types(told["all"]) == ["fired", "converted", "destroyed", "article_landed"]
    assert types(told["white"]) == ["fired", "converted", "article_landed"]
    view = state.view("white", plain=True)
    assert view["ghosts"] == [{"type": "tank", "at": "d5", "level": "air", "turn": 1}]


def test_a_reinforcement_that_comes_before_a_rocket_is_written_down_as_it_was() -> None:
    """7.7 and Settle: it appears, is hit at once, and its history reads back."""
    before, match = start(
        piece(1, "black", "king", "a8"),
        piece(2, "black", "rocket_pawn", "b8"),
        reinforcements=[{"id": 57, "seat": "black", "type": "tank", "at": "a8", "hand": "right"}],
    )
    state = before.copy()
    steps = [
        ("black", {"type": "move", "piece": 1, "to": "a7", "level": "ground"}),
        ("black", {"type": "fire", "piece": 2, "weapon": "rocket_launcher", "direction": "w"}),
        ("black", {"type": "reinforce", "piece": 57}),
    ]
    told = [both(state, match, seat, **action) for seat, action in steps]
    assert types(told[-1]["white"]) == ["reinforced", "projectile_hit", "destroyed"]
    lines = wec_notation.turn_lines(before, steps)
    assert lines == [
        "1B MV:K(8,1)->(7,1),FI1:RL/RP(8,2)->(8,1),RE:(8,1)TA>,RS:R->(8,1)(0,-1),RK*TA(8,1)>0B,UN"
    ]
    check_reads_back(before, steps)


@pytest.mark.parametrize("offerer", ["black", "white"])
def test_a_match_that_begins_with_an_open_offer_and_ends_by_agreement_reads_back(offerer: str) -> None:
    """10.6: the POSITION has the offer; accepting it needs no second one."""
    other = "white" if offerer == "black" else "black"
    state, _ = start(draw_offer=offerer)
    check_reads_back(state, [(other, {"type": "accept_draw"})])


def test_marks_that_a_position_gives_an_enemy_piece_bind_nobody_and_outlast_its_conversion() -> None:
    marks = {"acted": [4], "travelled": [4], "fired": [4]}
    state, match = start(
        piece(1, "black", "dozer", "d4"),
        piece(2, "black", "sub", "d4"),
        piece(3, "black", "cleric", "c4"),
        piece(4, "white", "rocket_pawn", "c5"),
        turn_state=marks,
    )
    doze = {"type": "doze", "piece": 1, "squares": ["c5"], "direction": "n"}
    assert state.check("black", doze) is match.check("black", doze) is None
    both(state, match, "black", type="fire", piece=3, weapon="conversion", direction="n")
    view = state.view("black", plain=True)
    assert next(p for p in view["pieces"] if p["piece"] == 4)["acted"] is True
    assert state.check("black", doze) == match.check("black", doze) == "piece_in_transport"
