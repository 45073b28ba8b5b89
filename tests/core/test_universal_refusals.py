"""Options, Positions and actions of Universal Chess that are wrong: each has the first code of the book's order."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import pytest

import warlog_core
from warlog_core import Explanation, Refused, State

GAME = warlog_core.game("universal")
HUGE = int("9" * 100)
TWO: dict[str, Any] = {"factions": ["majora", "good"]}
M1 = {"id": 1, "kind": "mighty", "seat": "majora", "space": "a1"}
M35 = {"id": 35, "kind": "mighty", "seat": "good", "space": "t20"}
ANGEL = {"id": 12, "kind": "angel", "seat": "majora", "space": "j5"}
AREA = {"majora": ["a1", "b1"], "good": ["s20", "t20"]}
BASE: dict[str, Any] = {"pieces": [M1, M35], "area": AREA}


def code_of(options: Any, position: Any = None) -> str:
    """The code with which both questions refuse, "ok" if neither does."""

    def answer(question: Callable[..., object]) -> str:
        try:
            question(options=options, position=position)
        except Refused as refused:
            return refused.code
        return "ok"

    code = answer(GAME.check_options)
    assert answer(GAME.new) == code
    return code


@pytest.mark.parametrize(
    "options",
    [
        [],
        "universal",
        True,
        {"Mode": "double"},
        {"mode": "triple"},
        {"mode": None},
        {"mode": "double", "factions": ["majora", "good"]},
        {"mode": "double", "factions": ["majora", "chaos", "good", "evil", "balance"]},
        {"mode": "double", "first": "balance"},
        {"factions": []},
        {"factions": ["majora"]},
        {"factions": ["majora", "majora"]},
        {"factions": ["majora", "red"]},
        {"factions": ["majora", 1]},
        {"factions": "majora"},
        {"factions": {"majora": 1, "good": 1}},
        {"pairing": "rows"},
        {"pairing": "diagonal", "mode": "double"},
        {"first": "red"},
        {"first": 0},
        {"factions": ["majora", "good"], "first": "evil"},
        {"quiet_limit": HUGE},
        {"psionics": 1},
        {"psionics": "true"},
        {"veterans": 0},
        {"veteran_merits": 3.0},
    ],
    ids=repr,
)
def test_options_that_are_wrong_are_invalid_even_beside_a_wrong_position(options: Any) -> None:
    assert code_of(options) == "invalid_options"
    assert code_of(options, {"nonsense": 1}) == "invalid_options"


@pytest.mark.parametrize(
    "options",
    [
        {"pairing": "opposite"},
        {"mode": "double", "factions": ["evil", "good", "chaos", "majora"], "pairing": "columns"},
        {"factions": ["balance", "chaos"], "first": "balance", "quiet_limit": 0, "psionic_cost": 0},
    ],
    ids=repr,
)
def test_options_at_their_edges_are_right(options: Any) -> None:
    assert code_of(options) == "ok"


def with_piece(**fields: Any) -> dict[str, Any]:
    return {**BASE, "pieces": [M1, M35, {**ANGEL, **fields}]}


def with_turn(**fields: Any) -> dict[str, Any]:
    return {**BASE, "turn": {"seat": "majora", "number": 3, **fields}}


INVALID: list[Any] = [
    [],
    "pieces",
    {},
    {**BASE, "more": 1},
    {"area": AREA},
    {**BASE, "pieces": {}},
    {**BASE, "pieces": [M1, M35, 5]},
    {**BASE, "pieces": [M1, M35, {"id": 12, "kind": "angel", "seat": "majora"}]},
    with_piece(colour="red"),
    with_piece(id=True),
    with_piece(id=12.0),
    with_piece(id="12"),
    with_piece(kind="pawn"),
    with_piece(seat="red"),
    with_piece(seat=None),
    with_piece(space="u1"),
    with_piece(space=5),
    with_piece(frozen=False),
    with_piece(frozen=1),
    with_piece(conquering=True),
    with_piece(conquering=None),
    with_piece(holds="40"),
    with_piece(origin="nobody"),
    with_piece(merits=0),
    {**BASE, "dead": [{"id": 50, "kind": "angel"}]},
    {**BASE, "dead": [{"id": 50, "kind": "angel", "seat": "good", "space": "a5"}]},
    {**BASE, "area": ["a1"]},
    {**BASE, "area": {"majora": ["a1"], "red": []}},
    {**BASE, "area": {"majora": ["a21"], "good": ["t20"]}},
    {**BASE, "area": {"majora": "a1", "good": ["t20"]}},
    {**BASE, "out": [{"reason": "resigned"}]},
    {**BASE, "out": [{"seat": "good", "reason": "draw_agreed"}]},
    {**BASE, "out": [{"seat": "good", "turn": -1}]},
    {**BASE, "out": [{"seat": "good", "turn": 1000000001}]},
    {**BASE, "promotions": 1001},
    {**BASE, "promotions": -1},
    {**BASE, "breedings_left": 21},
    {**BASE, "breedings_left": HUGE},
    {**BASE, "quiet": 10001},
    {**BASE, "quiet": True},
    {**BASE, "next_id": 90},
    {**BASE, "next_id": 257},
    {**BASE, "turn": {"seat": "majora"}},
    {**BASE, "turn": {"number": 1}},
    with_turn(number=0),
    with_turn(number=1000000001),
    with_turn(seat=0),
    with_turn(freeze_used=False),
    with_turn(progress=1),
    with_turn(draw_offered="true"),
    with_turn(sacrifice={}),
    with_turn(sacrifice={"moves_left": 2, "more": 1}),
    with_turn(sacrifice=2),
    with_turn(colour="red"),
    {**BASE, "draw_offer": {"by": "good"}},
    {**BASE, "draw_offer": {"by": "good", "accepted": "majora"}},
    {**BASE, "draw_offer": {"by": "red", "accepted": []}},
]


@pytest.mark.parametrize("position", INVALID, ids=lambda value: repr(value)[-60:])
def test_a_position_that_is_malformed_is_invalid(position: Any) -> None:
    assert code_of(TWO, position) == "invalid_position"


THREE: dict[str, Any] = {"factions": ["majora", "good", "balance"], "psionics": True, "veterans": True}
M69 = {"id": 69, "kind": "mighty", "seat": "balance", "space": "j10"}
PSI = {"id": 86, "kind": "psionic", "seat": "majora", "space": "k5"}
THRALL = {"id": 40, "kind": "knight", "seat": "majora", "space": "l5", "origin": "good"}
HELD = [M1, M35, M69, {**PSI, "holds": 40}, THRALL]
AREA3 = {**AREA, "balance": ["j10"]}
FULL: dict[str, Any] = {"pieces": HELD, "area": AREA3}


def pieces(*more: dict[str, Any], first: Any = (M1, M35, M69)) -> dict[str, Any]:
    return {"pieces": [*first, *more], "area": AREA3}


def out(*seats: str) -> list[dict[str, Any]]:
    return [{"seat": seat} for seat in seats]


CASES: list[tuple[str, dict[str, Any]]] = [
    ("ok", FULL),
    ("position_bad_seat", pieces({**ANGEL, "seat": "evil"})),
    ("position_bad_seat", pieces({**ANGEL, "origin": "chaos"})),
    ("position_bad_seat", {**FULL, "dead": [{"id": 50, "kind": "angel", "seat": "chaos"}]}),
    ("position_bad_seat", {**FULL, "area": {**AREA3, "chaos": []}}),
    ("position_bad_seat", {**FULL, "out": out("chaos")}),
    ("position_bad_seat", {**FULL, "out": out("balance", "balance")}),
    ("position_bad_seat", {**FULL, "out": out("balance")}),
    ("position_bad_seat", {**FULL, "turn": {"seat": "evil", "number": 1}}),
    ("position_bad_seat", {**FULL, "draw_offer": {"by": "evil", "accepted": []}}),
    ("position_bad_seat", {**FULL, "draw_offer": {"by": "good", "accepted": ["evil"]}}),
    ("position_bad_seat", {"pieces": [M1, M35], "area": AREA3, "out": out("balance")}),
    ("ok", {"pieces": [M1, M35], "area": {**AREA, "balance": []}, "out": out("balance")}),
    ("position_bad_id", pieces({**ANGEL, "id": 0})),
    ("position_bad_id", pieces({**ANGEL, "id": -5})),
    ("position_bad_id", pieces({**ANGEL, "id": 256})),
    ("position_bad_id", pieces({**ANGEL, "id": HUGE})),
    ("position_bad_id", pieces({**ANGEL, "id": 1})),
    ("position_bad_id", {**FULL, "dead": [{"id": 86, "kind": "angel", "seat": "good"}]}),
    ("position_bad_id", {**pieces({**ANGEL, "id": 120}), "next_id": 120}),
    ("ok", {**pieces({**ANGEL, "id": 120}), "next_id": 121}),
    ("ok", pieces({**ANGEL, "id": 255})),
    ("position_occupied", pieces({**ANGEL, "space": "a1"})),
    ("position_bad_kind", {**FULL, "dead": [{"id": 50, "kind": "mighty", "seat": "good"}]}),
    ("position_bad_mighty", pieces({**ANGEL, "kind": "mighty"})),
    ("position_bad_mighty", {"pieces": [M1, M35], "area": AREA3}),
    ("position_bad_area", {**FULL, "area": AREA}),
    ("position_bad_area", {**FULL, "area": {**AREA3, "balance": []}}),
    ("position_bad_area", {**FULL, "area": {**AREA3, "balance": ["a1"]}}),
    ("position_bad_area", {**FULL, "area": {**AREA3, "balance": ["j10", "j10"]}}),
    ("position_bad_conquest", pieces({**ANGEL, "conquering": 0})),
    ("position_bad_conquest", pieces({**ANGEL, "conquering": 6})),
    ("position_bad_conquest", pieces({**ANGEL, "conquering": -HUGE})),
    ("position_bad_conquest", pieces({**ANGEL, "conquering": 1, "space": "b1"})),
    ("ok", pieces({**ANGEL, "conquering": 5, "space": "s20"})),
    ("position_bad_thrall", pieces({**M1, "origin": "good"}, first=(M35, M69))),
    ("position_bad_thrall", pieces({**PSI, "origin": "good"})),
    ("position_bad_thrall", pieces({**PSI, "holds": 40}, {**THRALL, "origin": "majora"})),
    ("position_bad_thrall", pieces({**PSI, "holds": 0})),
    ("position_bad_thrall", pieces({**PSI, "holds": HUGE})),
    ("position_bad_thrall", pieces({**PSI, "holds": 12}, ANGEL)),
    ("position_bad_thrall", pieces({**PSI, "holds": 50}, THRALL)),
    ("position_bad_thrall", pieces({**ANGEL, "holds": 40}, THRALL)),
    ("position_bad_thrall", pieces({**PSI, "seat": "balance", "holds": 40}, THRALL)),
    ("position_bad_thrall", pieces(THRALL, PSI)),
    ("position_bad_thrall", {**FULL, "pieces": [*HELD, {**PSI, "id": 87, "space": "k6", "holds": 40}]}),
    (
        "position_bad_thrall",
        {
            "pieces": [M1, M35, {**PSI, "holds": 40}, {**THRALL, "origin": "balance"}],
            "area": AREA,
            "out": out("balance"),
        },
    ),
    (
        "position_bad_turn",
        {
            "pieces": [M1, M35],
            "area": AREA,
            "out": out("balance"),
            "turn": {"seat": "balance", "number": 1},
        },
    ),
    ("position_bad_turn", {**FULL, "turn": {"seat": "good", "number": 1, "freeze_used": True}}),
    ("ok", {**FULL, "turn": {"seat": "balance", "number": 1, "freeze_used": True}}),
    *(
        (code, {**FULL, "turn": {"seat": seat, "number": 1, "sacrifice": sacrifice}})
        for code, seat, sacrifice in (
            ("ok", "good", {"moves_left": 2}),
            ("ok", "good", {"moves_left": 1, "moved": 35}),
            ("position_bad_turn", "majora", {"moves_left": 2}),
            ("position_bad_turn", "good", {"moves_left": 0}),
            ("position_bad_turn", "good", {"moves_left": 3}),
            ("position_bad_turn", "good", {"moves_left": HUGE}),
            ("position_bad_turn", "good", {"moves_left": 1}),
            ("position_bad_turn", "good", {"moves_left": 2, "moved": 35}),
            ("position_bad_turn", "good", {"moves_left": 1, "moved": 1}),
            ("position_bad_turn", "good", {"moves_left": 1, "moved": 200}),
            ("position_bad_turn", "good", {"moves_left": 1, "moved": -HUGE}),
        )
    ),
    *(
        (code, {**FULL, "draw_offer": {"by": "good", "accepted": accepted}})
        for code, accepted in (
            ("ok", []),
            ("ok", ["balance"]),
            ("position_bad_offer", ["good"]),
            ("position_bad_offer", ["balance", "balance"]),
            ("position_bad_offer", ["majora", "balance"]),
        )
    ),
    (
        "position_bad_offer",
        {
            "pieces": [M1, M35],
            "area": AREA,
            "out": out("balance"),
            "draw_offer": {"by": "balance", "accepted": []},
        },
    ),
    ("position_over", {"pieces": [M1], "area": {"majora": ["a1"]}, "out": out("balance", "good")}),
    ("position_over", {"pieces": [], "area": {}, "out": out("balance", "good", "majora")}),
]


@pytest.mark.parametrize(("code", "position"), CASES, ids=lambda value: repr(value)[-50:])
def test_a_position_that_is_impossible_has_its_own_code(code: str, position: dict[str, Any]) -> None:
    assert code_of(THREE, position) == code


def test_of_two_faults_of_a_position_the_first_in_the_table_decides(seed: int) -> None:
    """Faults that do not touch each other, two at a time."""
    faults: list[tuple[str, Callable[[dict[str, Any]], object]]] = [
        ("invalid_position", lambda p: p.update(more=1)),
        ("position_bad_seat", lambda p: p["area"].update(evil=[])),
        ("position_bad_id", lambda p: p["pieces"].append({**ANGEL, "id": 0, "space": "c9"})),
        ("position_occupied", lambda p: p["pieces"].append({**ANGEL, "id": 99, "space": "t20"})),
        ("position_bad_kind", lambda p: p.update(dead=[{"id": 70, "kind": "mighty", "seat": "good"}])),
        ("position_bad_mighty", lambda p: p["pieces"].remove(M69)),
        ("position_bad_area", lambda p: p["area"]["balance"].append("a1")),
        ("position_bad_conquest", lambda p: p["pieces"].append({**ANGEL, "conquering": 9})),
        ("position_bad_thrall", lambda p: p["pieces"].append({**ANGEL, "id": 98, "space": "c8", "holds": 1})),
        ("position_bad_turn", lambda p: p.update(turn={"seat": "good", "number": 1, "freeze_used": True})),
        ("position_bad_offer", lambda p: p.update(draw_offer={"by": "good", "accepted": ["good"]})),
    ]
    for i, (first, spoil) in enumerate(faults):
        for _, spoil_too in faults[i + 1 :]:
            position = {"pieces": list(HELD), "area": {k: list(v) for k, v in AREA3.items()}}
            spoil(position)
            spoil_too(position)
            assert code_of(THREE, position) == first


def test_a_position_may_carry_what_a_view_has_besides() -> None:
    state = GAME.new(options=THREE, position={**FULL, "turn": {"seat": "good", "number": 7}})
    view = state.view("good", plain=True)
    again = GAME.new(options=THREE, position={**view, "result": 5, "order": None})
    assert again.data == state.data


def test_what_a_position_leaves_out_has_its_default() -> None:
    state = GAME.new(options={**TWO, "first": "good"}, position={"pieces": [M1, M35]})
    view = state.view("good", plain=True)
    assert view["turn"] == {"seat": "good", "number": 1}
    assert (view["dead"], view["out"], view["quiet"], view["next_id"]) == ([], [], 0, 91)
    assert {seat: len(spaces) for seat, spaces in view["area"].items()} == {"majora": 49, "good": 49}
    skipped = GAME.new(
        options={**THREE, "first": "balance"}, position={"pieces": [M1, M35], "out": out("balance")}
    )
    assert skipped.view("good", plain=True)["turn"] == {"seat": "majora", "number": 1}
    assert skipped.view("good", plain=True)["out"] == [{"seat": "balance", "reason": "resigned", "turn": 0}]
    given = GAME.new(
        options={**TWO, "first": "good"},
        position={"pieces": [M1, M35], "turn": {"seat": "majora", "number": 4}},
    )
    assert given.to_act == ["majora"]


# ---- actions ----


def caster(**options: Any) -> State:
    return GAME.new(
        options={**TWO, **options},
        position={
            "pieces": [
                M1,
                M35,
                {"id": 4, "kind": "wizard", "seat": "majora", "space": "j5"},
                ANGEL | {"space": "c5"},
            ],
            "area": {"majora": ["a1", "b1", "c1"], "good": ["s20", "t20"]},
        },
    )


SUMMON: dict[str, Any] = {"type": "summon", "piece": 4, "summoned": 12, "to": "j6", "pay": "auto"}


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({}, None),
        ({"piece": HUGE}, "no_such_piece"),
        ({"piece": -HUGE}, "no_such_piece"),
        ({"piece": 2**31}, "no_such_piece"),
        ({"piece": 260}, "no_such_piece"),
        ({"piece": "4"}, "malformed_action"),
        ({"piece": True}, "malformed_action"),
        ({"piece": 4.0}, "malformed_action"),
        ({"summoned": HUGE}, "no_such_piece"),
        ({"summoned": None}, "malformed_action"),
        ({"to": "j21"}, "unknown_space"),
        ({"to": "J6"}, "unknown_space"),
        ({"to": "j06"}, "unknown_space"),
        ({"to": 6}, "malformed_action"),
        ({"pay": "all"}, "malformed_action"),
        ({"pay": None}, "malformed_action"),
        ({"pay": {"a1": 1}}, "malformed_action"),
        ({"pay": [1]}, "malformed_action"),
        ({"pay": [["a1"]]}, "malformed_action"),
        ({"pay": ["z9"]}, "unknown_space"),
        ({"pay": ["a1", "b1", "z9"], "piece": HUGE}, "unknown_space"),
        ({"pay": ["a1"] * 500 + ["z9"]}, "unknown_space"),
        ({"pay": ["a1"] * 500 + [5]}, "malformed_action"),
        ({"pay": ["a1"] * 500}, "bad_payment"),
        ({"pay": []}, "bad_payment"),
        ({"pay": ["a1", "b1"]}, "bad_payment"),
        ({"pay": ["t20"]}, "bad_payment"),
        ({"pay": ["c1"]}, None),
        ({"pay": ["t20"], "to": "a9"}, "illegal_destination"),
    ],
    ids=repr,
)
def test_a_spell_has_the_code_of_its_first_fault(changes: dict[str, Any], code: str | None) -> None:
    assert caster().check("majora", {**SUMMON, **changes}) == code


@pytest.mark.parametrize(
    ("changes", "detail", "members", "path"),
    [
        ({"pay": ["b1", "b1"]}, "b1 is too many: 1 space is due.", {"space": "b1", "cost": 1}, "/pay/1"),
        ({"pay": ["a2", "b1"]}, "a2 belongs to nobody.", {"space": "a2", "cost": 1}, "/pay/0"),
        ({"pay": ["t20"]}, "t20 belongs to Good.", {"space": "t20", "cost": 1}, "/pay/0"),
        ({"pay": []}, "1 space is due, but 0 given.", {"cost": 1}, "/pay"),
        ({"pay": ["a1"] * 500}, "a1 is too many: 1 space is due.", {"space": "a1", "cost": 1}, "/pay/1"),
        ({"pay": ["a1", "z9", "y9"]}, 'There is no space "z9".', {"space": "z9"}, "/pay/1"),
        ({"pay": ["a1"] * 500 + ["z9"]}, 'There is no space "z9".', {"space": "z9"}, "/pay/500"),
        ({"pay": ["z9"], "to": "z8"}, 'There is no space "z8".', {"space": "z8"}, "/to"),
    ],
)
def test_a_payment_is_refused_with_its_first_fault(
    changes: dict[str, Any], detail: str, members: dict[str, Any], path: str
) -> None:
    state, action = caster(), {**SUMMON, **changes}
    code = state.check("majora", action)
    assert code is not None
    assert state.explain("majora", action, code) == Explanation(detail, members, path)


def test_a_payment_says_what_is_due_after_the_discount_and_what_is_given_twice() -> None:
    """Balance pays 3 where others pay 5, and with two spaces cannot raise a wizard at all."""
    wizard = {"id": 72, "kind": "wizard", "seat": "balance", "space": "l10"}
    position: dict[str, Any] = {
        "pieces": [M1, M35, {"id": 69, "kind": "mighty", "seat": "balance", "space": "j10"}, wizard],
        "dead": [{"id": 73, "kind": "wizard", "seat": "balance"}],
        "area": {"majora": ["a1"], "good": ["t20"], "balance": ["j10", "k10", "k9"]},
        "turn": {"seat": "balance", "number": 2},
    }
    raise_ = {"type": "necromancy", "piece": 72, "raised": 73, "to": "l11", "pay": ["k9", "j10", "k9"]}
    state = GAME.new(options=THREE, position=position)
    assert state.explain("balance", raise_, "bad_payment") == Explanation(
        "k9 is given twice.", {"space": "k9", "cost": 3}, "/pay/2"
    )
    state = GAME.new(
        options=THREE, position={**position, "area": {**position["area"], "balance": ["j10", "k10"]}}
    )
    assert state.explain("balance", raise_, "cannot_pay") == Explanation(
        "3 spaces are due, but this seat owns 2.", {"cost": 3, "have": 2}
    )


def test_a_refusal_of_which_there_is_no_more_to_say_has_the_sentence_of_its_code() -> None:
    state = caster()
    why = state.explain("server", {"type": "timeout", "seat": "chaos"}, "seat_out")
    assert why == Explanation(state.game.errors["seat_out"])


def test_a_match_that_is_over_says_so_before_anything_else() -> None:
    state = caster()
    state.apply("good", {"type": "resign"})
    assert state.phase == "over"
    for action in (None, {"type": "move"}, {**SUMMON, "to": "z9"}):
        assert state.check("majora", action) == "match_over"
        assert state.check("server", action) == "match_over"


def test_a_timeout_is_the_servers_and_names_a_seat_that_is_in() -> None:
    state = GAME.new(options=THREE, position=FULL)
    timeout = {"type": "timeout", "seat": "good"}
    assert state.check("good", timeout) == "malformed_action"
    assert state.check("server", {"type": "timeout", "seat": "red"}) == "malformed_action"
    assert state.check("server", {"type": "timeout", "seat": 2}) == "malformed_action"
    assert state.check("server", {"type": "timeout"}) == "malformed_action"
    assert state.check("server", {"type": "resign"}) == "malformed_action"
    assert state.check("server", {"type": "timeout", "seat": "chaos"}) == "seat_out"
    assert state.check("server", timeout) is None
    state.apply("server", timeout)
    assert state.check("server", timeout) == "seat_out"
    assert state.check("good", {"type": "resign"}) == "seat_out"
    assert state.check("chaos", {"type": "resign"}) == "seat_out"


def first_fault(pay: list[str], cost: int, own: list[str]) -> dict[str, Any]:
    """The first space that nobody who pays the rightful cost would have put there, by the book's sentence."""
    for i, space in enumerate(pay):
        if i >= cost or space not in own or space in pay[:i]:
            return {"space": space, "cost": cost}
    return {"cost": cost}


def test_a_listed_payment_is_legal_exactly_if_it_has_the_cost_in_different_own_spaces(seed: int) -> None:
    """Random lists against the book's sentence, for every ability that costs something."""
    rng = random.Random(seed)
    n_tried = n_good = 0
    for i in range(60):
        options = {
            "psionics": True,
            "psionic_cost": rng.randrange(1, 8),
            "mode": rng.choice(("standard", "double")),
        }
        state = GAME.new(options=options)
        state.playout(rng.getrandbits(60), rng.randrange(40, 400), play_on=True)
        if not state.to_act:
            continue
        seat = state.to_act[0]
        own = state.view(seat, plain=True)["area"][seat]
        board = [space["id"] for space in GAME.board()["spaces"]] if i == 0 else [*own, "k1", "k2", "k3"]
        listed = [action for action in state.legal(seat, plain=True) if "pay" in action]
        for action in rng.sample(listed, min(12, len(listed))):
            auto = state.copy().apply(seat, action)
            cost = len(auto.effects[0].spaces)
            for _ in range(12):
                pool = rng.choice((own, own, board))
                n_spaces = max(0, cost + rng.choice((0, 0, 0, -1, 1)))
                pay = [rng.choice(pool) for _ in range(n_spaces)]
                if rng.random() < 0.6 and n_spaces <= len(own):
                    pay = rng.sample(own, n_spaces)
                good = len(pay) == cost and len(set(pay)) == cost and set(pay) <= set(own)
                code = state.check(seat, {**action, "pay": pay})
                assert code == (None if good else "bad_payment"), (action, pay)
                if not good:
                    why = state.explain(seat, {**action, "pay": pay}, "bad_payment")
                    assert why is not None
                    assert why.members == first_fault(pay, cost, own), (action, pay, why)
                n_tried += 1
                if good:
                    n_good += 1
                    after = state.copy()
                    event = after.apply(seat, {**action, "pay": pay})
                    assert sorted(event.effects[0].spaces) == sorted(pay)
                    assert event.action == {**action, "pay": pay}
    assert n_tried > 1000
    assert n_good > 300
