"""What is wrong, over REST: each problem document says it in a sentence, and where in the body it stands."""

from __future__ import annotations

from typing import Any

import pytest

from tests.service.api import Api, ok, refused

# Of each game: options, a refused action with its path; refused options; a refused Position.
CASES: list[tuple[str, dict[str, Any], Any, str, Any, str, Any, str]] = [
    (
        *("hex", {"army": "preset"}),
        *({"type": "move", "piece": 9999, "to": "z9"}, "/action/piece"),
        *({"widht": 9}, "/options/widht"),
        *({"stacks": [{"seat": "red", "unit": "wolf", "space": "c3"}]}, "/position/stacks/0/count"),
    ),
    (
        *("wec", {}),
        *({"type": "fire", "piece": 1, "weapon": "laser", "direction": "n"}, "/action/weapon"),
        *({"tank_rnge": 3}, "/options/tank_rnge"),
        *({"pieces": [{"id": 1, "seat": "black", "type": "king", "at": "a1"}]}, "/position/pieces"),
    ),
    (
        *("universal", {}),
        *({"type": "move", "piece": 255, "to": "a1"}, "/action/piece"),
        *({"quiet_limit": -1}, "/options/quiet_limit"),
        *({"pieces": [], "next_id": 1}, "/position/next_id"),
    ),
    (
        *("junqi", {"players": 2}),
        *({"type": "layout", "layout": ["flag"]}, "/action/layout"),
        *({"players": 2, "stake": 5}, "/options/balances"),
        *({"turn": "south", "pieces": [{"type": "flag", "at": "Z1"}]}, "/position/pieces/0/at"),
    ),
    (
        *("confrontation", {}),
        *({"type": "army", "pieces": {"pawn": 60}}, "/action/pieces"),
        *({"spell_table": {"heal": {"range": 3}}}, "/options/spell_table/heal/range"),
        *({"seats": [], "pieces": []}, "/position/seats"),
    ),
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case[0])
def test_a_refusal_has_a_sentence_and_a_place_in_every_game(api: Api, case: Any) -> None:
    game, options, action, at, bad, bad_at, position, position_at = case
    ada = api.player()
    described = ok(ada.get(f"/games/{game}"))
    made = ok(
        ada.post(
            "/matches",
            {"game": game, "options": options, "seats": dict.fromkeys(seats(ada, game, options), "me")},
        ),
        201,
    )
    match = made["match"]
    problem = ada.act(match["id"], match["to_act"][0], action).json()
    assert (problem["path"], problem["status"]) == (at, 422), problem
    assert problem["detail"].endswith((".", "?"))
    assert problem["code"] in described["errors"]
    problem = ada.post("/matches", {"game": game, "options": bad, "seats": {}}).json()
    assert (problem["path"], problem["status"]) == (bad_at, 422), problem
    problem = ada.post(f"/games/{game}/positions/check", {"options": options, "position": position}).json()
    assert (problem["path"], problem["status"]) == (position_at, 422), problem
    proposal = {"kind": "options", "options": bad}
    problem = ada.command(match["id"], {"type": "propose", "proposal": proposal}).json()
    assert problem["detail"]
    if problem["code"] == "invalid_options" and problem["detail"] != "No match can have these options.":
        assert problem["path"] == "/proposal" + bad_at, problem


def seats(ada: Api, game: str, options: dict[str, Any]) -> list[str]:
    made = ok(ada.post("/matches", {"game": game, "options": options, "seats": {}}), 201)
    return [seat["seat"] for seat in made["match"]["seats"]]


def test_an_import_names_the_event_the_line_and_the_field(api: Api) -> None:
    ada = api.player()
    record: dict[str, Any] = {
        "game": "universal",
        "events": [{"seat": "majora", "action": {"type": "dance"}}],
    }
    problem = ada.post("/matches/import", record).json()
    assert (problem["status"], problem["path"], problem["record_version"]) == (
        422,
        "/events/0/action/type",
        2,
    )
    assert 'There is no type "dance".' in problem["detail"]
    problem = ada.post("/matches/import", {"game": "wec", "history": "WEC 1\nOPTIONS {}\nnonsense\n"}).json()
    assert (problem["code"], problem["path"], problem["line"]) == ("invalid_position", "/history", 3)


def test_a_malformed_envelope_names_its_field(api: Api) -> None:
    ada = api.player()
    problem = refused(ada.post("/matches", {"game": "hex", "mode": "competetive"}), 400, "malformed_body")
    assert (problem["path"], problem["allowed"]) == ("/mode", ["casual", "competitive"])
    problem = refused(ada.post("/matches", {"game": "hex", "optoins": {}}), 400, "malformed_body")
    assert (problem["path"], problem["detail"]) == (
        "/optoins",
        'The body has no field "optoins". Did you mean "options"?',
    )


def test_texts_that_no_utf8_can_say_are_refused_all_the_same(api: Api) -> None:
    ada = api.player()
    match = ada.alone()
    body = b'{"type": "act", "seat": "red", "action": {"type": "move", "piece": 1, "to": "\\ud800"}}'
    problem = ada.http.post(f"/matches/{match}/commands", content=body).json()
    assert problem["status"] == 422
