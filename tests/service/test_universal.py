"""Universal Chess over REST: payments, long listings, and what a client needs to draw the game."""

from __future__ import annotations

from typing import Any

import pytest

from tests.service.api import Api, ok, refused

SPENDERS: dict[str, Any] = {
    "pieces": [
        {"id": 1, "kind": "mighty", "seat": "majora", "space": "a1"},
        {"id": 35, "kind": "mighty", "seat": "good", "space": "t20"},
        {"id": 40, "kind": "knight", "seat": "good", "space": "q16"},
        {"id": 69, "kind": "mighty", "seat": "balance", "space": "j10"},
    ],
    "area": {
        "majora": ["a1", "b1"],
        "good": ["n14", "o14", "p14", "q14", "r14", "s14", "t20"],
        "balance": ["j10"],
    },
    "turn": {"seat": "good", "number": 3},
}
"""Good may sacrifice, which costs five spaces."""


def universal(player: Api, seats: tuple[str, ...], **spec: Any) -> str:
    """The id of a running match, all of whose seats are this player's."""
    options = {"factions": list(seats), **spec.pop("options", {})}
    made = player.create(game="universal", options=options, seats=dict.fromkeys(seats, "me"), **spec)
    return str(made["match"]["id"])


@pytest.mark.parametrize(
    ("pay", "code", "space"),
    [
        (["n14", "o14", "p14", "q14"], "bad_payment", None),
        (["n14", "o14", "n14", "q14", "r14"], "bad_payment", "n14"),
        (["n14", "a1", "j10", "q14", "r14"], "bad_payment", "a1"),
        (["n14", "o14", "p14", "q14", "c7"], "bad_payment", "c7"),
        (["n14", "o14", "p14", "q14", "r14", "s14"], "bad_payment", "s14"),
        (["n14", "o14", "p14", "q14", "n99", "z1"], "unknown_space", "n99"),
    ],
)
def test_a_wrong_payment_names_the_first_space_at_fault(
    api: Api, pay: list[str], code: str, space: str | None
) -> None:
    ada = api.player()
    match = universal(ada, ("majora", "good", "balance"), position=SPENDERS)
    problem = refused(ada.act(match, "good", {"type": "sacrifice", "pay": pay}), 422, code)
    assert problem.get("space") == space
    assert problem["detail"]
    assert problem["version"] == ada.match(match)["version"] == 2
    right = ["t20", "s14", "p14", "o14", "n14"]
    done = ok(ada.act(match, "good", {"type": "sacrifice", "pay": right}), 201)
    assert done["event"]["effects"][0] == {"type": "paid", "seat": "good", "spaces": sorted(right)}


def test_a_faction_that_cannot_pay_is_told_what_it_would_cost(api: Api) -> None:
    ada = api.player()
    poor = {**SPENDERS, "area": {**SPENDERS["area"], "good": ["n14", "o14"]}}
    match = universal(ada, ("majora", "good", "balance"), position=poor)
    problem = refused(ada.act(match, "good", {"type": "sacrifice", "pay": "auto"}), 422, "cannot_pay")
    assert (problem["cost"], problem["detail"]) == (5, "5 spaces are due, 2 owned")
