"""Traces over HTTP: beside a listing, and of an event that has happened."""

from __future__ import annotations

import random

import msgspec

import warlog_core
from tests.service.api import SMALL, Api, ok, refused, two

DEPLOY = {"army": "preset", "deployment": "chosen", "obstacles": "none", "width": 11}


def test_a_listing_comes_with_as_many_traces_where_they_are_asked_for(api: Api) -> None:
    ada = api.player()
    match = ada.alone()
    seat = ada.match(match)["to_act"][0]
    path = f"/matches/{match}/actions?seat={seat}"
    assert "traces" not in ok(ada.get(path))
    traced = ok(ada.get(f"{path}&trace=true"))
    assert len(traced["traces"]) == len(traced["actions"]) == traced["total"]
    moves = [
        (one, trace) for one, trace in zip(traced["actions"], traced["traces"], strict=True) if "to" in one
    ]
    assert moves
    assert all(trace["path"][-1] == action["to"] for action, trace in moves)
    some = ok(ada.get(f"{path}&trace=true&type=move&after=2"))
    kept = [
        trace for one, trace in zip(traced["actions"], traced["traces"], strict=True) if one["type"] == "move"
    ]
    assert some["traces"] == kept[2:]


def test_a_long_listing_comes_whole_with_the_traces_that_the_rules_give(api: Api) -> None:
    state, rng = warlog_core.game("universal").new(draws=bytes), random.Random(0)
    while len(state.legal(seat := state.to_act[0])) < 559:
        state.play_randomly(rng, 1)
    ada = api.player()
    seats = dict.fromkeys(state.seats, "me")
    made = ada.create(game="universal", options={}, position=state.position(plain=True), seats=seats)
    listed = ok(ada.get(f"/matches/{made['match']['id']}/actions?seat={seat}&trace=true"))
    assert listed["total"] == len(listed["actions"]) == len(listed["traces"]) >= 559
    assert listed["actions"] == msgspec.to_builtins(state.legal(seat))
    assert listed["traces"] == msgspec.to_builtins(state.traces(seat))


def test_an_event_has_the_trace_of_what_it_did_for_each_who_saw_it(api: Api) -> None:
    ada = api.player()
    match = ada.alone()
    seat = ada.match(match)["to_act"][0]
    traced = ok(ada.get(f"/matches/{match}/actions?seat={seat}&trace=true&type=move"))
    done = ok(ada.act(match, seat, traced["actions"][3]), 201)["version"]
    for _ in range(2):
        for query in ("seat=red", "seat=blue", ""):
            told = ok(ada.get(f"/matches/{match}/trace?at={done}&{query}"))
            assert told["trace"] == traced["traces"][3]
            assert told["seat"] == (query.removeprefix("seat=") or "spectator")
        ada.defend(match)  # the trace of an event stays what it is
    assert ok(api.get(f"/matches/{match}/trace?at={done}"))["trace"] == traced["traces"][3]
    assert ok(ada.get(f"/matches/{match}/trace?at=1"))["trace"] is None
    assert ok(ada.get(f"/matches/{match}/trace?at=2"))["trace"] is None
    ok(ada.command(match, {"type": "propose", "proposal": {"kind": "undo", "to": 2}}), 201)
    back = ada.match(match)["version"]
    assert ok(ada.get(f"/matches/{match}/trace?at={back}"))["trace"] is None
    again = ok(ada.act(match, seat, traced["actions"][5]), 201)["version"]
    assert ok(ada.get(f"/matches/{match}/trace?at={again}"))["trace"] == traced["traces"][5]
    assert ok(ada.get(f"/matches/{match}/trace?at={done}"))["trace"] == traced["traces"][3]


def test_who_did_not_see_the_whole_action_gets_no_trace_of_it(api: Api) -> None:
    red, blue, match = two(api, options=DEPLOY)
    action = ok(red.get(f"/matches/{match}/actions?seat=red&type=place"))["actions"][0]
    at = ok(red.act(match, "red", action), 201)["version"]
    assert ok(red.get(f"/matches/{match}/trace?at={at}&seat=red"))["trace"]["path"] == [action["to"]]
    assert ok(blue.get(f"/matches/{match}/trace?at={at}&seat=blue"))["trace"] is None
    assert ok(api.get(f"/matches/{match}/trace?at={at}"))["trace"] is None


def test_traces_are_refused_to_strangers_of_a_seat_and_for_events_that_are_not_there(api: Api) -> None:
    red, blue, match = two(api, options=SMALL)
    path = f"/matches/{match}/trace"
    refused(blue.get(f"{path}?at=2&seat=red"), 403, "not_your_seat")
    refused(api.get(f"{path}?at=2&seat=red"), 403, "not_your_seat")
    refused(api.get(f"/matches/{match}/actions?seat=red&trace=true"), 403, "not_your_seat")
    refused(red.get(f"{path}?at=2&seat=mauve"), 404, "unknown_seat")
    problem = refused(red.get(f"{path}?at=99&seat=red"), 404, "unknown_version")
    assert (problem["minimum"], problem["maximum"]) == (1, red.match(match)["version"])
    refused(red.get(f"{path}?at=0&seat=red"), 400, "bad_parameter")
    refused(red.get(f"{path}?seat=red"), 400, "bad_parameter")
    refused(red.get(f"{path}?at=x"), 400, "bad_parameter")
    refused(red.get("/matches/m_000_nothing/trace?at=1"), 404, "unknown_match")
    hidden = red.create(visibility="private", seats={"red": "me", "blue": "me"})["match"]["id"]
    refused(api.get(f"/matches/{hidden}/trace?at=2"), 404, "unknown_match")


def test_a_running_match_without_spectators_has_no_trace_for_them(api: Api) -> None:
    games = [name for name in warlog_core.games() if warlog_core.game(name).codec.spectators == "none"]
    for game in games:
        first, second = warlog_core.game(game).seats_for({})[:2]
        ada, ben = api.player(), api.player()
        made = ada.create(game=game, options={}, mode="competitive", seats={first: "me", second: "open"})
        match = made["match"]["id"]
        ok(ben.put(f"/matches/{match}/seats/{second}", {}))
        for player, seat in ((ada, first), (ben, second)):
            ok(player.command(match, {"type": "prepare", "seat": seat}), 201)
        at = ada.match(match)["version"]
        refused(api.get(f"/matches/{match}/trace?at={at}"), 403, "no_spectators")
        assert ok(ada.get(f"/matches/{match}/trace?at={at}&seat={first}"))["trace"] is None
