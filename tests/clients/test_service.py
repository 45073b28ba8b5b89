"""The SDK against a real server: every call, every refusal, and a feed that is cut while the match goes on."""

from __future__ import annotations

import asyncio
import os
import random
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import AsyncExitStack, aclosing
from pathlib import Path
from typing import Any

import httpx
import msgspec
import psutil
import pytest
from clients.bots.random_bot import play, sit_down

import warlog_client
from tests.clients.conftest import AT_ONCE, Speaker
from tests.clients.cutting import STREAM, CuttingServer, Received, always, reply
from tests.cluster import free_ports
from tests.servers import WarlogServer
from tests.service.junqi import LAYOUT
from warlog_client import (
    AsyncClient,
    Client,
    Edit,
    Event,
    Match,
    NewToken,
    OptionsChangedEvent,
    Problem,
    Rematch,
    RematchAgreedEvent,
    Retry,
    RuleRefused,
    TimeTravelledEvent,
    Undo,
)
from warlog_client.namespaces import Calls

SMALL: dict[str, Any] = {
    "width": 9,
    "height": 7,
    "army": "preset",
    "army_points": 200,
    "max_stacks": 3,
    "obstacles": "none",
}
NO_LIMITS = {
    "WARLOG_ACCOUNTS_PER_ADDRESS": "0",
    "WARLOG_REQUESTS_PER_ADDRESS": "0",
    "WARLOG_REQUESTS_PER_CALLER": "0",
    "WARLOG_LOBBIES_PER_PLAYER": "0",
    "WARLOG_MATCHES_PER_PLAYER": "0",
    "WARLOG_MATCHES_PER_DAY": "0",
    "WARLOG_IMPORTS_PER_DAY": "0",
    "WARLOG_STAKE_MATCHES_MIN": "0",
    "WARLOG_COUNTED_MATCHES_PER_DAY": "0",
    "WARLOG_COUNTED_ANY_OPTIONS": "true",
}
HOT_SEAT = {"red": "me", "blue": "me"}


@pytest.fixture
def url(warlog_server: WarlogServer) -> str:
    return warlog_server.url


def register(url: str, name: str = "a player") -> str:
    """The token of a new player."""
    with Client(url) as stranger:
        return stranger.create_player(name).token


@pytest.fixture
def ada(url: str) -> Iterator[Client]:
    with Client(url, register(url, "ada")) as client:
        yield client


@pytest.fixture
def bob(url: str) -> Iterator[Client]:
    with Client(url, register(url, "bob")) as client:
        yield client


@pytest.fixture
def solo(ada: Client) -> Match:
    """A running match of ada against herself."""
    return ada.create_match("hex", HOT_SEAT, options=SMALL).match


def step(client: Client, match: str) -> int:
    """One `defend` of whoever is to act; the new version."""
    seat = client.match(match).to_act[0]
    action = next(a for a in client.actions(match, seat).actions if a["type"] == "defend")
    return client.act(match, seat, action).version


# ---- every call ------------------------------------------------------------------------------------------------


def test_a_player_has_tokens_that_can_be_revoked(url: str, ada: Client) -> None:
    me = ada.me()
    assert (me.name, ada.player(me.id).id) == ("ada", me.id)
    bot: NewToken = ada.create_token("bot")
    assert "bot" in [token.label for token in ada.tokens()]
    with Client(url, bot.token) as second:
        assert second.me().id == me.id
        ada.revoke_token(bot.id)
        with pytest.raises(warlog_client.Unauthenticated):
            second.me()
    assert "bot" not in [token.label for token in ada.tokens()]


def test_a_game_is_described_without_knowing_it(ada: Client) -> None:
    assert "hex" in [game.game for game in ada.games()]
    game = ada.game("hex")
    assert ([seat.id for seat in game.seats], len(game.board.spaces)) == (["red", "blue"], 15 * 11)
    four = ada.game("hex", {"seats": 4, "width": 9}).seats
    assert [(seat.name, seat.home[0]) for seat in four] == [
        ("Red", "a1"), ("Blue", "h7"), ("Green", "a7"), ("Yellow", "h1"),
    ]  # fmt: skip
    assert (game.look[0]["from"], game.catalogues) == ("board.obstacles", ["pieces", "presets", "marks"])
    assert ada.rule_data("hex")["game"] == "hex"
    assert ada.rules("hex").startswith("# Hex Tactics")


def test_a_match_goes_from_the_lobby_to_play(ada: Client, bob: Client) -> None:
    created = ada.create_match("hex", {"red": "me", "blue": "invite"}, options=SMALL, visibility="private")
    match = created.match
    assert match.status == "lobby"
    with pytest.raises(
        warlog_client.UnknownMatch
    ):  # it is private: a stranger may not even know that it exists
        bob.take_seat(match.id, "blue", "wli_wrong")
    bob.take_seat(match.id, "blue", created.invitations["blue"])
    ada.leave_seat(match.id, "red")
    ada.take_seat(match.id, "red")
    ada.prepare(match.id, "red")
    started = bob.prepare(match.id, "blue")
    assert started.type == "match_started"
    match = ada.match(match.id)
    assert (match.status, match.to_act) == ("playing", started.to_act)
    assert [seat.player.name for seat in match.seats if seat.player] == ["ada", "bob"]


def test_players_who_wish_for_seats_join(ada: Client, bob: Client) -> None:
    match = ada.create_match("hex", {}, options=SMALL, seating="wish").match
    ada.join(match.id, "blue")
    match = bob.join(match.id)
    holders = {seat.seat: seat.player.name for seat in match.seats if seat.player}
    assert holders == {"red": "bob", "blue": "ada"}


def test_the_lobby_is_listed_page_by_page(ada: Client) -> None:
    made = {ada.create_match("hex", {"red": "me"}, options=SMALL).match.id for _ in range(5)}
    found: list[str] = []
    for _ in range(100):  # the list is written by a worker, a moment later
        found = [match.id for match in ada.matches(player="me", status="lobby", limit=2)]
        if len(found) == len(made):
            break
    assert (set(found), len(found)) == (made, len(made))


def test_the_lists_ask_for_options_for_my_turn_and_for_what_may_be_watched(ada: Client, solo: Match) -> None:
    found = ada.matches(game="hex", options={"width": SMALL["width"]}, turn="mine")
    assert solo.id in [match.id for match in found]
    assert list(ada.matches(game="hex", options={"width": 24}, turn="mine")) == []
    assert list(ada.matches(turn="others")) == []
    assert solo.id in [match.id for match in ada.matches(watchable=True)]


def test_players_who_want_the_same_are_paired(ada: Client, bob: Client) -> None:
    entry = ada.pair("hex", options=SMALL, idempotency_key="once")
    assert (entry.status, entry.place, entry.players, entry.is_over) == ("waiting", 1, 2, False)
    assert (
        ada.pair("hex", options=SMALL).id
        == ada.pair("hex", options=SMALL, idempotency_key="once").id
        == entry.id
    )
    assert [one.id for one in ada.pairings()] == [entry.id]
    with pytest.raises(warlog_client.UnknownEntry):
        bob.pairing(entry.id)
    paired = bob.paired(bob.pair("hex", options=SMALL).id)
    assert paired.match is not None
    assert ada.paired(entry.id).match == paired.match
    assert ada.match(paired.match).status == "playing"
    other = ada.pair("wec", mode="competitive", move_seconds=60)
    ada.leave_pairing(other.id)
    assert ada.pairing(other.id).status == "left"


def test_a_match_is_read_now_and_as_it_was(ada: Client, solo: Match) -> None:
    versions = [solo.version, *(step(ada, solo.id) for _ in range(4))]
    now = ada.view(solo.id, seat="red")
    assert now.version == now.at == versions[-1]
    assert now.view is not None
    assert now.view["viewer"] == "red"
    for version in versions:
        then = ada.view(solo.id, seat="blue", at=version)
        seat = then.view["to_act"][0] if then.view else ""
        listed = ada.actions(solo.id, seat, at=version, trace=True)
        assert (then.at, listed.at, listed.total) == (version, version, len(listed.actions))
        assert len(listed.traces) == listed.total
        assert ada.actions(solo.id, seat, at=version).traces == []
        moves = ada.actions(solo.id, seat, at=version, type="move").actions
        assert moves == [action for action in listed.actions if action["type"] == "move"]
        piece = listed.actions[0]["piece"]
        of_piece = ada.actions(solo.id, seat, at=version, piece=piece).actions
        assert of_piece == [action for action in listed.actions if action.get("piece") == piece]
        assert ada.actions(solo.id, seat, at=version, after=2).actions == listed.actions[2:]
    assert ada.whole(solo.id).position is not None
    assert ada.view(solo.id).view is not None
    assert [e.version for e in ada.events(solo.id, limit=2)] == list(range(1, versions[-1] + 1))
    assert [e.version for e in ada.events(solo.id, after=2, seat="red")] == list(range(3, versions[-1] + 1))
    assert [n.version for n in ada.timeline(solo.id, limit=2)] == list(range(1, versions[-1] + 1))
    assert len(list(ada.history(solo.id))) == 4
    assert len(ada.board(solo.id).board.spaces) == 9 * 7


def test_a_match_is_taken_back_edited_ended_exported_imported_and_verified(ada: Client, solo: Match) -> None:
    back = step(ada, solo.id)
    step(ada, solo.id)
    undone = ada.propose(solo.id, Undo(to=back))
    assert isinstance(undone, TimeTravelledEvent)
    assert (undone.type, undone.to) == ("time_travelled", back)
    position = ada.whole(solo.id).position
    assert position is not None
    assert ada.propose(solo.id, Edit(position)).type == "position_edited"
    over = ada.act(solo.id, "red", {"type": "resign"})
    assert over.result == warlog_client.Result(["blue"], "resigned")
    assert ada.match(solo.id).result == over.result
    assert ada.verify(solo.id).status == "verified"
    record = ada.export(solo.id)
    assert ada.import_record(record, visibility="private").match.visibility == "private"
    imported = ada.import_record(record)
    assert imported.match.result == over.result
    versions = [record["setup"]["version"], *(event["version"] for event in record["events"])]
    assert set(imported.versions) == set(versions)
    again = ada.propose(solo.id, Rematch())
    assert isinstance(again, RematchAgreedEvent)
    assert again.match == ada.match(solo.id).rematch


def test_a_proposal_is_accepted_or_rejected_by_its_version(ada: Client, bob: Client) -> None:
    match = ada.create_match("hex", {"red": "me", "blue": bob.me().id}, options=SMALL).match
    first = ada.propose(match.id, warlog_client.ChangeOptions({"width": 11}))
    proposal = bob.match(match.id).proposal
    assert proposal is not None
    assert proposal["version"] == first.version
    assert bob.reject(match.id, first.version).type == "proposal_rejected"
    assert bob.match(match.id).proposal is None
    second = ada.propose(match.id, warlog_client.ChangeOptions({"width": 11}))
    changed = bob.accept(match.id, second.version)
    assert isinstance(changed, OptionsChangedEvent)
    assert changed.options == ada.match(match.id).options


def test_a_position_is_saved_and_a_match_starts_from_it(ada: Client) -> None:
    stacks = [
        {"seat": "red", "unit": "swordsman", "space": "a1", "count": 3},
        {"seat": "blue", "unit": "archer", "space": "e5", "count": 2},
    ]
    options = {"width": 9, "height": 7, "obstacles": "none"}
    ada.check_position("hex", {"stacks": stacks}, options)
    with pytest.raises(RuleRefused) as refused:
        ada.check_position("hex", {"stacks": [stacks[0], stacks[0]]}, options)
    assert refused.value.code == "position_overlap"
    saved = ada.create_scenario("hex", "two stacks", {"stacks": stacks}, options=options)
    assert ada.scenario(saved.id).position == {"stacks": stacks}
    assert saved.id in [scenario.id for scenario in ada.scenarios(mine=True)]
    view = ada.view(ada.create_match("hex", HOT_SEAT, scenario=saved.id).match.id).view
    assert view is not None
    assert [stack["space"] for stack in view["stacks"]] == ["a1", "e5"]
    ada.delete_scenario(saved.id)
    with pytest.raises(warlog_client.UnknownScenario):
        ada.scenario(saved.id)


def test_an_account_shows_its_gold_and_keeps_layouts(ada: Client) -> None:
    own = ada.account()
    assert (own.player.gold > 0, own.held) == (True, 0)
    assert ada.player(own.player.id) == own.player
    assert own.player.id not in [placed.player.id for placed in ada.leaderboard("junqi")]
    with pytest.raises(RuleRefused) as refused:
        ada.save_layout("junqi", "bombs first", ["bomb"] * 25)
    assert refused.value.code == "illegal_layout"
    saved = ada.save_layout("junqi", "fortress", LAYOUT)
    assert ada.layout("junqi", "fortress").layout == saved.layout == LAYOUT
    assert ada.load_layout("junqi", "fortress").layout == LAYOUT
    assert "fortress" in [layout.name for layout in ada.layouts("junqi")]
    ada.delete_layout("junqi", "fortress")
    with pytest.raises(warlog_client.WarlogError):
        ada.layout("junqi", "fortress")


def test_the_process_is_alive_and_ready(ada: Client) -> None:
    assert (ada.live().status, ada.ready().status) == ("live", "ready")


EXAMPLES: dict[str, Callable[[Any], Any]] = {
    "create_player": lambda c: c.create_player("a"),
    "me": lambda c: c.me(),
    "account": lambda c: c.account(),
    "player": lambda c: c.player("x"),
    "find_players": lambda c: c.find_players("x"),
    "leave_for_good": lambda c: c.leave_for_good("x"),
    "following": lambda c: c.following(),
    "follow": lambda c: c.follow("x"),
    "unfollow": lambda c: c.unfollow("x"),
    "blocked": lambda c: c.blocked(),
    "block": lambda c: c.block("x"),
    "unblock": lambda c: c.unblock("x"),
    "leaderboard": lambda c: c.leaderboard("x"),
    "own_place": lambda c: c.own_place("x", "x"),
    "ratings": lambda c: c.ratings("x"),
    "all_achievements": lambda c: c.all_achievements(),
    "achievements": lambda c: c.achievements("x"),
    "statistics": lambda c: c.statistics("x"),
    "game_statistics": lambda c: c.game_statistics("x"),
    "rating_history": lambda c: c.rating_history("x", "x", "x"),
    "layouts": lambda c: c.layouts("x"),
    "layout": lambda c: c.layout("x", "x"),
    "save_layout": lambda c: c.save_layout("x", "x", []),
    "load_layout": lambda c: c.load_layout("x", "x"),
    "delete_layout": lambda c: c.delete_layout("x", "x"),
    "own_options_list": lambda c: c.own_options_list("x"),
    "own_options": lambda c: c.own_options("x", "x"),
    "save_own_options": lambda c: c.save_own_options("x", "x", {}),
    "delete_own_options": lambda c: c.delete_own_options("x", "x"),
    "create_token": lambda c: c.create_token("x"),
    "tokens": lambda c: c.tokens(),
    "revoke_token": lambda c: c.revoke_token("x"),
    "games": lambda c: c.games(),
    "game": lambda c: c.game("x"),
    "rules": lambda c: c.rules("x"),
    "rule_data": lambda c: c.rule_data("x"),
    "check_position": lambda c: c.check_position("x", {}),
    "create_match": lambda c: c.create_match("x", {}),
    "matches": lambda c: c.matches(),
    "match": lambda c: c.match("x"),
    "take_seat": lambda c: c.take_seat("x", "x"),
    "leave_seat": lambda c: c.leave_seat("x", "x"),
    "join": lambda c: c.join("x"),
    "decline": lambda c: c.decline("x", "later"),
    "pair": lambda c: c.pair("x"),
    "pairings": lambda c: c.pairings(),
    "pairing": lambda c: c.pairing("x"),
    "leave_pairing": lambda c: c.leave_pairing("x"),
    "act": lambda c: c.act("x", "x", {}),
    "prepare": lambda c: c.prepare("x", "x"),
    "propose": lambda c: c.propose("x", Rematch()),
    "accept": lambda c: c.accept("x", 1),
    "reject": lambda c: c.reject("x", 1),
    "view": lambda c: c.view("x"),
    "whole": lambda c: c.whole("x"),
    "seen_position": lambda c: c.seen_position("x", "x"),
    "bots": lambda c: c.bots(),
    "seen": lambda c: c.seen("x", "x"),
    "analysis": lambda c: c.analysis("x", "x"),
    "actions": lambda c: c.actions("x", "x"),
    "here": lambda c: c.here("x"),
    "trace": lambda c: c.trace("x", 1),
    "events": lambda c: c.events("x"),
    "timeline": lambda c: c.timeline("x"),
    "history": lambda c: c.history("x"),
    "board": lambda c: c.board("x"),
    "export": lambda c: c.export("x"),
    "verify": lambda c: c.verify("x"),
    "import_record": lambda c: c.import_record({}),
    "create_scenario": lambda c: c.create_scenario("x", "x", {}),
    "scenarios": lambda c: c.scenarios(),
    "scenario": lambda c: c.scenario("x"),
    "delete_scenario": lambda c: c.delete_scenario("x"),
    "live": lambda c: c.live(),
    "ready": lambda c: c.ready(),
    "openapi": lambda c: c.openapi(),
}


def test_there_is_one_method_for_each_call_of_the_openapi_document(ada: Client, speaker: Speaker) -> None:
    methods = {name for name in dir(Calls) if not name.startswith("_")} - {"players"}
    assert methods == set(EXAMPLES)
    with CuttingServer(always(reply(418))) as server:
        for example in EXAMPLES.values():
            with pytest.raises(warlog_client.UnexpectedReply):
                speaker.call(server.url, example)
        with pytest.raises(warlog_client.UnexpectedReply):
            speaker.follow(server.url, "x", 1)
        with pytest.raises(warlog_client.UnexpectedReply):
            speaker.follow_personal(server.url, 1)
    sent = {(r.method, re.sub(r"/x(?=/|$)", "/{}", r.path)) for r in server.received}
    documented = {
        (method.upper(), re.sub(r"\{[^}]*\}", "{}", path))
        for path, calls in ada.openapi()["paths"].items()
        for method in calls
        if method != "head"
    }
    documented -= {("GET", f"/v1/docs{rest}") for rest in ("", ".md", "/redoc.js")}  # for people
    documented -= {("GET", "/v1/pairing/{}/feed")}  # `paired` asks instead
    documented -= {("POST", "/v1/sessions"), ("DELETE", "/v1/sessions")}  # for pages of the server alone
    assert sent == documented


# ---- every refusal ---------------------------------------------------------------------------------------------


def raw(client: Client, method: str, path: str, **how: Any) -> None:
    """What the SDK's own methods would never send."""
    client.send(
        warlog_client.request.Request(
            method, path, warlog_client.request.nothing, body=how.get("body"), headers=how.get("headers", {})
        )
    )


def reuse_a_key(ada: Client, bob: Client, lobby: Match, solo: Match) -> None:
    ada.prepare(lobby.id, "red", idempotency_key="once")
    ada.leave_seat(lobby.id, "red", idempotency_key="once")


def name_another_proposal(ada: Client, bob: Client, lobby: Match, solo: Match) -> None:
    bob.take_seat(lobby.id, "blue")
    proposed = ada.propose(lobby.id, warlog_client.ChangeOptions({"width": 11}))
    bob.accept(lobby.id, proposed.version - 1)


def guess_an_invitation(ada: Client, bob: Client, lobby: Match, solo: Match) -> None:
    match = ada.create_match("hex", {"red": "me", "blue": "invite"}, options=SMALL).match
    bob.take_seat(match.id, "blue", "wli_wrong")


def undo_in_a_competitive_match(ada: Client, bob: Client, lobby: Match, solo: Match) -> None:
    match = ada.create_match(
        "hex", {"red": "me", "blue": bob.me().id}, options=SMALL, mode="competitive"
    ).match
    ada.prepare(match.id, "red")
    ada.propose(match.id, Undo(to=bob.prepare(match.id, "blue").version))


def do_without_the_scope(ada: Client, bob: Client, lobby: Match, solo: Match) -> None:
    ada.create_token("all of them", ["play", "admin"])


Attempt = Callable[[Client, Client, Match, Match], object]
REFUSALS: dict[str, Attempt] = {
    "malformed_body": lambda ada, bob, lobby, solo: raw(
        ada, "POST", f"/v1/matches/{solo.id}/commands", body=b"{not JSON"
    ),
    "bad_parameter": lambda ada, bob, lobby, solo: list(ada.events(solo.id, after=-1)),
    "insufficient_scope": do_without_the_scope,
    "not_your_seat": lambda ada, bob, lobby, solo: bob.actions(solo.id, "red"),
    "wrong_invitation": guess_an_invitation,
    "competitive": undo_in_a_competitive_match,
    "unknown_match": lambda ada, bob, lobby, solo: ada.match("m_000_nothere"),
    "unknown_seat": lambda ada, bob, lobby, solo: ada.view(solo.id, seat="green"),
    "unknown_game": lambda ada, bob, lobby, solo: ada.game("go"),
    "unknown_version": lambda ada, bob, lobby, solo: ada.view(solo.id, at=999),
    "unknown_player": lambda ada, bob, lobby, solo: ada.player("pl_nobody"),
    "unknown_scenario": lambda ada, bob, lobby, solo: ada.scenario("sc_none"),
    "unknown_options": lambda ada, bob, lobby, solo: ada.own_options("hex", "none"),
    "no_view": lambda ada, bob, lobby, solo: ada.view(lobby.id),
    "version_conflict": lambda ada, bob, lobby, solo: ada.act(solo.id, "red", {"type": "resign"}, if_match=1),
    "seat_taken": lambda ada, bob, lobby, solo: bob.take_seat(lobby.id, "red"),
    "wrong_status": lambda ada, bob, lobby, solo: ada.act(lobby.id, "red", {"type": "resign"}),
    "no_proposal": lambda ada, bob, lobby, solo: ada.accept(lobby.id, 1),
    "proposal_changed": name_another_proposal,
    "idempotency_key_reused": reuse_a_key,
    "body_too_large": lambda ada, bob, lobby, solo: ada.act(solo.id, "red", {"type": "x" * 3_000_000}),
}


@pytest.mark.parametrize("code", REFUSALS)
def test_each_refusal_of_the_service_is_its_own_exception(
    code: str, ada: Client, bob: Client, solo: Match
) -> None:
    lobby = ada.create_match("hex", {"red": "me", "blue": "open"}, options=SMALL).match
    with pytest.raises(Problem) as caught:
        REFUSALS[code](ada, bob, lobby, solo)
    assert caught.value.code == code
    assert type(caught.value).__name__ == "".join(word.capitalize() for word in code.split("_"))


def test_the_rule_books_refusals_carry_the_books_code(ada: Client, solo: Match) -> None:
    seat = solo.to_act[0]
    refused: list[tuple[dict[str, Any], str]] = [
        ({"type": "fly"}, "malformed_action"),
        ({"type": "ready"}, "wrong_phase"),
        ({"type": "defend", "piece": 999}, "not_active_piece"),
    ]
    for action, code in refused:
        with pytest.raises(RuleRefused) as caught:
            ada.act(solo.id, seat, action)
        assert caught.value.code == code
    with pytest.raises(RuleRefused) as caught:
        ada.create_match("hex", HOT_SEAT, options={"width": 3})
    assert caught.value.code == "invalid_options"


def test_nobody_without_a_good_token_may_act(url: str, solo: Match, speaker: Speaker) -> None:
    for token in (None, "wl_nonsense"):
        with pytest.raises(warlog_client.Unauthenticated):
            speaker.call(url, lambda c: c.prepare(solo.id, "red"), token=token)


# ---- the feed, while the match goes on -------------------------------------------------------------------------

Cut = Callable[[Iterator[bytes]], Iterator[bytes]]


def through_cuts(url: str, cut: Cut) -> CuttingServer:
    """A proxy that hands on the real service's feed as far as `cut` lets it through."""

    def answer(request: Received) -> Iterator[bytes]:
        headers = {k: v for k, v in request.headers.items() if k in ("authorization", "last-event-id")}
        with (
            httpx.Client(timeout=60) as client,
            client.stream("GET", url + request.path, params=request.query, headers=headers) as stream,
        ):
            yield STREAM + b"\r\n"
            yield from cut(stream.iter_raw())

    return CuttingServer(answer)


def after_each_event(parts: Iterator[bytes]) -> Iterator[bytes]:
    text = b""
    for part in parts:
        text += part
        if (event := re.search(rb"id: \d+\n.*?\n\n", text, re.DOTALL)) is not None:
            yield text[: event.end()]
            return


def anywhere(rng: random.Random) -> Cut:
    def cut(parts: Iterator[bytes]) -> Iterator[bytes]:
        left = rng.randint(1, 6000)
        for part in parts:
            yield part[:left]
            left -= len(part)
            if left <= 0:
                return

    return cut


async def until_over(warlog: AsyncClient, match: str, **how: Any) -> list[Event]:
    """The feed from the first event to the one with the result."""
    events: list[Event] = []
    async with aclosing(warlog.feed(match, **how)) as feed:
        async for event in feed:
            events.append(event)
            if event.result is not None:
                break
    return events


@pytest.mark.parametrize("where", ["after each event", "anywhere"])
async def test_a_feed_that_is_cut_while_bots_play_is_the_history_event_for_event(
    url: str, seed: int, where: str
) -> None:
    rng = random.Random(seed)
    token = register(url)
    async with AsyncClient(url, token) as ada:
        match = (await ada.create_match("hex", HOT_SEAT, options=SMALL | {"round_limit": 3})).match
        with through_cuts(url, after_each_event if where == "after each event" else anywhere(rng)) as proxy:
            async with AsyncClient(proxy.url, token, retry=Retry(attempts=100, wait_s=0.001)) as behind:
                following = asyncio.create_task(until_over(behind, match.id))
                await asyncio.gather(*(play(ada, match.id, seat, rng) for seat in HOT_SEAT))
                received = await following
        events = [event async for event in ada.events(match.id)]
    assert len(proxy.received) > 1
    assert [e.version for e in received] == [e.version for e in events], f"seed {seed}"
    for told, read in zip(received, events, strict=True):
        assert msgspec.structs.replace(told, to_act=[], deadlines={}) == read


@pytest.mark.parametrize("end", ["stop", "kill"])
async def test_bots_and_feeds_outlive_a_restart_of_the_service(tmp_path: Path, seed: int, end: str) -> None:
    """Terminated it says `closing`; killed it says nothing. Either way everybody goes on where he was."""
    arguments = ["--port", str(free_ports(1)[0])]
    with WarlogServer(tmp_path / "data", arguments=arguments, environment=NO_LIMITS) as server:
        token = register(server.url)
        async with AsyncClient(server.url, token, retry=Retry(attempts=30)) as ada:
            match = (await ada.create_match("hex", HOT_SEAT, options={"army": "preset"})).match
            rng = random.Random(seed)
            playing = [asyncio.create_task(play(ada, match.id, seat, rng)) for seat in HOT_SEAT]
            received: list[Event] = []
            async with aclosing(ada.feed(match.id)) as feed:
                async for event in feed:
                    received.append(event)
                    if event.result is not None:
                        break
                    if event.version in (6, 12, 18):
                        await asyncio.to_thread(getattr(server, end))
                        await asyncio.to_thread(server.start)
            await asyncio.gather(*playing)
            events = [event async for event in ada.events(match.id)]
            verdict = await ada.verify(match.id)
    assert [e.version for e in received] == [e.version for e in events] == list(range(1, len(events) + 1))
    assert verdict.status == "verified", f"seed {seed}"


def test_a_feed_ends_when_its_token_is_revoked(url: str, ada: Client, solo: Match) -> None:
    token = ada.create_token("feed")
    with Client(url, token.token, retry=AT_ONCE) as reader:
        feed = reader.feed(solo.id)
        assert [next(feed).version for _ in range(solo.version)] == list(range(1, solo.version + 1))
        ada.revoke_token(token.id)
        with pytest.raises(warlog_client.Unauthenticated):
            next(feed)


# ---- bots ------------------------------------------------------------------------------------------------------


def random_options(rng: random.Random) -> tuple[list[str], dict[str, Any]]:
    """Seats and options of a small battle that ends."""
    seats = ["red", "blue", "green", "yellow"][: rng.choice([2, 2, 2, 3, 4])]
    options: dict[str, Any] = {
        "seats": len(seats),
        "width": rng.randint(8, 11),
        "height": rng.randint(6, 9),
        "obstacle_count": rng.randint(0, 4),
        "army_points": rng.choice([150, 300, 600]),
        "max_stacks": rng.randint(2, 4),
        "army": rng.choice(["recruit", "preset"]),
        "deployment": rng.choice(["auto", "chosen"]),
        "round_limit": rng.choice([0, 12]),
        "limit_result": rng.choice(["draw", "hit_points"]),
    }
    if len(seats) == 4 and rng.random() < 0.5:
        options["teams"] = "pairs"
    return seats, options


async def one_match(url: str, seed: int) -> None:
    """Bots of different players play a match to its end while a spectator follows; everybody saw the same match."""
    rng = random.Random(seed)
    seats, options = random_options(rng)
    said = f"seed {seed}: {options}"
    tokens = [register(url) for _ in seats]
    async with AsyncExitStack() as stack:
        bots = [await stack.enter_async_context(AsyncClient(url, token)) for token in tokens]
        spectator = await stack.enter_async_context(AsyncClient(url))
        match = (await bots[0].create_match("hex", dict.fromkeys(seats, "open"), options=options)).match
        for bot, seat in zip(bots, seats, strict=True):
            await sit_down(bot, match.id, seat)
        following = asyncio.create_task(until_over(spectator, match.id))
        ends = await asyncio.gather(
            *(play(bot, match.id, seat, rng) for bot, seat in zip(bots, seats, strict=True))
        )
        seen = await following
        assert {end.status for end in ends} == {"finished"}, said
        assert all(end.result == seen[-1].result for end in ends), said
        assert [e.version for e in seen] == list(range(1, ends[0].version + 1)), said
        assert (await spectator.verify(match.id)).status == "verified", said


async def test_bots_play_matches_to_the_end_by_listing_alone(url: str, seed: int) -> None:
    for n in range(5):
        await one_match(url, seed + n)


@pytest.mark.soak
async def test_bots_play_matches_to_the_end_by_listing_alone_for_long(url: str, seed: int) -> None:
    """WARLOG_SOAK matches, four at a time."""
    at_once = asyncio.Semaphore(4)

    async def one(seed: int) -> None:
        async with at_once:
            await one_match(url, seed)

    await asyncio.gather(*(one(seed + n) for n in range(int(os.environ.get("WARLOG_SOAK", "200")))))


# ---- what is written down runs ---------------------------------------------------------------------------------

ROOT = Path(__file__).parents[2]


def run(*words: str) -> str:
    """The output of a Python program of ours; its children are gone when it is."""
    done = subprocess.run(
        [sys.executable, *words], cwd=ROOT, capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_the_bot_is_a_program(url: str, ada: Client, bob: Client) -> None:
    match = ada.create_match("hex", {"red": "me", "blue": "open"}, options=SMALL | {"round_limit": 1}).match
    words = ["--url", url, "--match", match.id]
    with subprocess.Popen(
        [sys.executable, "clients/bots/random_bot.py", *words, "--seat", "blue", "--token", register(url)],
        cwd=ROOT,
    ) as blue:
        token = ada.create_token("bot").token
        out = run("clients/bots/random_bot.py", *words, "--seat", "red", "--token", token, "--seed", "1")
        assert blue.wait(30) == 0
    assert out.startswith("red: finished")


def test_the_demo_tells_the_whole_story_and_leaves_nothing_running(seed: int) -> None:
    before = {process.pid for process in psutil.process_iter()}
    out = run("clients/bots/demo.py", "--seed", str(seed))
    for line in ("played a whole battle", "bob agreed", "played another line", "└─ from ", "verified: "):
        assert line in out
    warlog = [
        p for p in psutil.process_iter(["cmdline"]) if p.pid not in before and "warlog-demo-" in str(p.info)
    ]
    assert warlog == []
