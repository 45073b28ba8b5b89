"""Universal Chess over REST: payments, long listings, and what a client needs to draw the game."""

from __future__ import annotations

import random
from collections import Counter
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
    assert done["effects"][0] == {"type": "paid", "seat": "good", "spaces": sorted(right)}


def test_a_faction_that_cannot_pay_is_told_what_it_would_cost(api: Api) -> None:
    ada = api.player()
    poor = {**SPENDERS, "area": {**SPENDERS["area"], "good": ["n14", "o14"]}}
    match = universal(ada, ("majora", "good", "balance"), position=poor)
    problem = refused(ada.act(match, "good", {"type": "sacrifice", "pay": "auto"}), 422, "cannot_pay")
    assert (problem["cost"], problem["detail"]) == (5, "5 spaces are due, but this seat owns 2.")


def test_a_long_listing_is_filtered_by_type_and_piece_and_says_how_many_there_are_in_all(api: Api) -> None:
    """The listing of the start of a match of five factions holds 213 actions of four types."""
    ada = api.player()
    match = universal(ada, ("majora", "chaos", "good", "evil", "balance"))
    path = f"/matches/{match}/actions?seat=majora"
    whole = ok(ada.get(path))
    actions = whole["actions"]
    assert whole["total"] == len(actions) == 213
    types = list(dict.fromkeys(action["type"] for action in actions))
    assert types == ["move", "summon", "offer_draw", "resign"]
    queries = [("", "")] + [(kind, "") for kind in (*types, "curse", "nonsense")]
    queries += [
        (kind, piece) for kind in ("", "move", "summon", "resign") for piece in ("2", "4", "6", "18", "255")
    ]
    for kind, piece in queries:
        wanted = [a for a in actions if kind in ("", a["type"]) and piece in ("", str(a.get("piece")))]
        answer = ok(ada.get(f"{path}{kind and '&type=' + kind}{piece and '&piece=' + piece}"))
        assert (answer["actions"], answer["total"]) == (wanted, 213), (kind, piece)
    refused(ada.get(f"{path}&piece=wizard"), 400, "bad_parameter")


def test_a_client_learns_colours_owners_and_prices_without_knowing_the_game(api: Api) -> None:
    ada = api.player()
    game = ok(ada.get("/games/universal"))
    regions = {region["id"]: region for region in game["board"]["regions"]}
    spaces = {space["id"]: space for space in game["board"]["spaces"]}
    colours = {f["faction"]: f["colour"] for f in game["factions"]}
    assert colours == {
        "majora": "red", "chaos": "yellow", "good": "violet", "evil": "blue", "balance": "grey",
    }  # fmt: skip
    assert all(regions[f["region"]]["colour"] == f["colour"] for f in game["factions"])
    match = universal(ada, ("majora", "chaos", "good", "evil", "balance"))
    area = ok(ada.get(f"/matches/{match}/view"))["view"]["area"]
    owner = {space: seat for seat, own in area.items() for space in own}
    assert {s: regions[space["region"]].get("home") for s, space in spaces.items()} == {
        s: owner.get(s) for s in spaces
    }
    costs = {
        a["id"]: (a["cost"], a.get("balance_cost"))
        for kind in game["pieces"]
        for a in kind["abilities"]
        if not a.get("passive")
    }
    assert costs["death_curse"] == (3, 2)
    assert costs["necromancy"][0]["wizard"] == 5
    assert costs["necromancy"][1]["wizard"] == 3


def test_five_factions_play_to_the_end_and_a_beaten_one_leaves_the_board(api: Api) -> None:
    """Everybody is out for captures and conquests; squares change hands and are paid, factions fall but for one."""
    rng = random.Random(5)
    seats = ("majora", "chaos", "good", "evil", "balance")
    host = api.player()
    players = {seat: host if seat == "majora" else api.player() for seat in seats}
    spec = {seat: "me" if seat == "majora" else player.id for seat, player in players.items()}
    match = host.create(game="universal", options={}, seats=spec)["match"]["id"]
    for seat in seats:
        ok(players[seat].command(match, {"type": "prepare", "seat": seat}), 201)
    seen: Counter[str] = Counter()
    summary = host.match(match)
    for _ in range(1500):
        if not summary["to_act"]:
            break
        (seat,) = summary["to_act"]
        player = players[seat]
        view = ok(player.get(f"/matches/{match}/view?seat={seat}"))["view"]
        there = {piece["space"]: piece for piece in view["pieces"] if piece["seat"] != seat}
        actions = ok(player.get(f"/matches/{match}/actions?seat={seat}"))["actions"]
        done = ok(player.act(match, seat, max(actions, key=lambda a: keenness(rng, a, there))), 201)
        summary = host.match(match)
        effects = done["effects"]
        seen.update(effect["type"] for effect in effects)
        for out in (effect["seat"] for effect in effects if effect["type"] == "eliminated"):
            view = ok(host.get(f"/matches/{match}/view"))["view"]
            assert out not in view["area"]
            assert all(piece["seat"] != out for piece in (*view["pieces"], *view["dead"]))
            assert view["out"][-1]["seat"] in {effect.get("seat") for effect in effects}
            refused(
                players[out].act(match, out, {"type": "pass"}),
                422,
                "seat_out" if summary["to_act"] else "match_over",
            )
    assert summary["status"] == "finished"
    assert seen["eliminated"] == 4
    assert min(seen["conquered"], seen["paid"], seen["captured"]) > 10
    assert ok(host.get(f"/matches/{match}/verify"))["status"] == "verified"


def keenness(rng: random.Random, action: dict[str, Any], there: dict[str, Any]) -> float:
    """How much a player likes an action, who likes to take and to conquer."""
    kind = action["type"]
    if kind in ("resign", "offer_draw", "accept_draw", "pass"):
        return -1
    target = there.get(action.get("to", action.get("target", "")))
    if target is not None and kind != "freeze":
        return rng.random() + (9 if target["kind"] == "mighty" else 4)
    return rng.random() * (2 if "conquer" in action or kind == "necromancy" else 1.4)
