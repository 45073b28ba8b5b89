"""Bots of the house: their seats, their seeds and how they searched; accounts of programs."""

from __future__ import annotations

import hashlib
import subprocess
import sys
from base64 import b64decode
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

import warlog_core
from tests.servers import RedisServer, WarlogServer
from tests.service.api import SMALL, UNLIMITED, Api, ok, refused
from tests.service.waiting import eventually
from warlog_bots.manners import any_of
from warlog_core.levels import openings_of
from warlog_events.match.bots import action_seed, house
from warlog_events.match.verify import verify_record
from warlog_events.match.verify_bots import verify_bots
from warlog_events.players.house import token_of

RECORDS = Path(__file__).parents[1] / "records"


@pytest.fixture(scope="module")
def redis() -> Iterator[RedisServer]:
    with RedisServer(fsync="no") as running:
        yield running


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("log") / "log"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory, redis: RedisServer, log: Path) -> Iterator[WarlogServer]:
    data = tmp_path_factory.mktemp("warlog")
    with (
        log.open("wb") as errors,
        WarlogServer(data, redis=redis.url, environment=UNLIMITED, errors=errors) as running,
    ):
        yield running


def printed(redis: RedisServer, flag: str) -> str:
    """As an operator gets the house's secret."""
    command = [sys.executable, "-m", "warlog_service", "bots", flag, "--redis", redis.url]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


@pytest.fixture(scope="module")
def secret(redis: RedisServer) -> str:
    return printed(redis, "--token")


def bot(api: Api, secret: str, level: int) -> Api:
    """As the program that plays for a level."""
    return Api(api.url, token_of(secret, level), id=house(level).id)


def move(player: Api, match: str, seat: str, level: int) -> dict[str, Any]:
    """What a program does that plays for the house: it looks, thinks, and acts."""
    seen = ok(player.get(f"/matches/{match}/seen?seat={seat}"))
    game = warlog_core.game(seen["game"], seen["rules_version"])
    state = game.load(b64decode(seen["setup"]), b64decode(seen["state"]))
    seed = action_seed(bytes.fromhex(seen["seed"]), seen["version"])
    choice = warlog_core.play(state, seat, level=level, seed=seed, iterations=30)
    assert choice is not None
    command = {"type": "act", "seat": seat, "action": msgspec.to_builtins(choice.action)}
    search = {"search": {"iterations": choice.iterations, "version": warlog_core.SEARCH_VERSION}}
    done: dict[str, Any] = ok(player.command(match, command | search, if_match=f'"{seen["version"]}"'), 201)
    return done


def test_a_match_with_a_bot_starts_at_once_and_says_who_plays(api: Api) -> None:
    ada = api.player()
    made = ada.create(seats={"red": "me", "blue": "bot:5"})["match"]
    assert made["status"] == "playing"
    player = {"id": house(5).id, "name": "Bot level 5", "bot": True}
    assert made["seats"][1]["player"] == player
    assert made["bots"].keys() == {"blue"}
    assert made["bots"]["blue"].keys() == {"level", "seed_hash"}
    assert made["bots"]["blue"]["level"] == 5
    created = ok(api.get(f"/matches/{made['id']}/events?limit=1"))["events"][0]
    assert created["bots"] == made["bots"]
    assert ok(api.get(f"/players/{player['id']}"))["player"]["bot"] is True
    assert "bots" not in ada.create(seats={"red": "me", "blue": "me"})["match"]


@pytest.mark.parametrize("who", ["bot:0", "bot:9", "bot:x", "bot:", "bot:05", "bot:٣"])
def test_a_bot_that_there_is_not_is_refused_where_it_stands(api: Api, who: str) -> None:
    ada = api.player()
    body = {"game": "hex", "options": SMALL, "seats": {"red": "me", "blue": who}}
    problem = refused(ada.post("/matches", body), 422, "unknown_bot")
    assert problem["path"] == "/seats/blue"
    assert problem["allowed"][0] == "bot:1"
    lobby = ada.create(seats={"red": "me"})["match"]["id"]
    claim = {"player": who}
    assert refused(ada.put(f"/matches/{lobby}/seats/blue", claim), 422, "unknown_bot")["path"] == "/player"


def test_in_a_lobby_players_give_seats_to_bots_and_take_them_away(api: Api) -> None:
    ada, bob, eve = api.player(), api.player(), api.player()
    match = ada.create(seats={"red": "open", "blue": "open"})["match"]["id"]
    seat = f"/matches/{match}/seats"
    refused(eve.put(f"{seat}/blue", {"player": "bot:3"}), 403, "not_your_seat")
    given = ok(ada.put(f"{seat}/blue", {"player": "bot:3"}))["match"]
    assert given["seats"][1]["prepared"]
    assert given["bots"]["blue"]["level"] == 3
    refused(ada.put(f"{seat}/blue", {"player": "bot:4"}), 409, "seat_taken")
    refused(eve.delete(f"{seat}/blue"), 403, "not_your_seat")
    ok(bob.put(f"{seat}/red", {}))
    freed = ok(bob.delete(f"{seat}/blue"))["match"]
    assert freed["seats"][1]["player"] is None
    assert "bots" not in freed
    ok(bob.command(match, {"type": "prepare", "seat": "red"}), 201)
    started = ok(bob.put(f"{seat}/blue", {"player": "bot:3"}))["match"]
    assert started["status"] == "playing"
    assert started["version"] == 7  # two events: it sat down, and the match began
    refused(ada.put(f"{seat}/blue", {"player": "bot:3"}), 409, "wrong_status")


def test_a_bot_stays_prepared_when_options_change(api: Api, secret: str) -> None:
    ada, bob = api.player(), api.player()
    seats = {"red": "me", "blue": "bot:1", "green": "open", "yellow": "bot:1"}
    options = {"seats": 4, "army_points": 500}
    match = ada.create(options=options, seats=seats)["match"]["id"]
    ok(bob.put(f"/matches/{match}/seats/green", {}))
    change = {"kind": "options", "options": {"round_limit": 30}}
    done = ok(ada.command(match, {"type": "propose", "proposal": change}), 201)
    for one in (bob, bot(api, secret, 1)):
        ok(one.command(match, {"type": "accept", "proposal": done["version"]}), 201)
    now = ada.match(match)
    assert [one["seat"] for one in now["seats"] if one["prepared"]] == ["blue", "yellow"]
    change = {"kind": "options", "options": {"seats": 3}}
    done = ok(ada.command(match, {"type": "propose", "proposal": change}), 201)
    for one in (bob, bot(api, secret, 1)):
        ok(one.command(match, {"type": "accept", "proposal": done["version"]}), 201)
    now = ada.match(match)
    assert now["bots"].keys() == {"blue"}
    assert [one["seat"] for one in now["seats"] if one["prepared"]] == ["blue"]


def verified(file: Path) -> tuple[int, str]:
    command = [sys.executable, "-m", "warlog_service", "verify", "--bots", str(file)]
    done = subprocess.run(command, capture_output=True, text=True)
    return done.returncode, done.stdout


def nothing_fits(*_: object, **__: object) -> None:
    raise warlog_core.CoreError("no state fits what was seen")


def test_a_match_of_bots_is_played_to_its_end_and_found_again(
    api: Api, secret: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ada = api.player()
    match = ada.create(seats={"red": "bot:2", "blue": "bot:2"})["match"]
    commitments = {seat: one["seed_hash"] for seat, one in match["bots"].items()}
    assert len(set(commitments.values())) == 2
    player = bot(api, secret, 2)
    for _ in range(4):
        (seat,) = player.match(match["id"])["to_act"]
        assert "search" not in move(player, match["id"], seat, 2)
    for reader in (api, ada, player):
        running = ok(reader.get(f"/matches/{match['id']}/events"))["events"]
        assert not any("search" in event for event in running)
    (seat,) = player.match(match["id"])["to_act"]
    ok(player.act(match["id"], seat, {"type": "resign"}), 201)
    over = ada.match(match["id"])
    for of, one in over["bots"].items():
        seed = bytes.fromhex(one["seed"])
        assert f"sha256:{hashlib.sha256(seed).hexdigest()}" == one["seed_hash"] == commitments[of]
    events = ok(api.get(f"/matches/{match['id']}/events"))["events"]
    assert sum("search" in event for event in events) == 4
    record = ok(api.get(f"/matches/{match['id']}/export"))
    assert [one["seat"] for one in record["bots"]] == ["blue", "red"]
    assert verify_record(record).status == "verified"
    verdict = verify_bots(record)
    assert (verdict.found, verdict.detail) == (4, "")
    assert verdict.unsearched == [over["version"]]  # it gave up
    file = tmp_path / "record.json"
    file.write_bytes(msgspec.json.encode(record))
    assert verified(file) == (
        0,
        f"verified: {len(record['events'])} events\nbots: 4 actions found again, 1 without a search\n",
    )
    imported = ok(ada.post("/matches/import", record), 201)["match"]
    assert "bots" not in imported
    assert imported["result"] == over["result"]
    # What is changed in it is noticed, and what another version has found is not called wrong.
    searched = next(event for event in record["events"] if "search" in event)
    assert searched["search"].pop("version") == warlog_core.SEARCH_VERSION
    told = verify_bots(record)
    assert (told.found, told.others, told.detail) == (3, [searched["version"]], "")
    searched["search"]["version"] = warlog_core.SEARCH_VERSION
    searched["search"]["iterations"] += 1_000_000  # more than the level may
    assert verify_record(record).status == "failed"
    told = verify_bots(record)
    assert told.version == searched["version"]
    assert told.detail.startswith("Level 2 as ")
    searched["search"]["iterations"] -= 1_000_000
    how = searched.pop("search")
    told = verify_bots(record)  # a bot cannot hide what it did by saying nothing
    assert told.version == searched["version"]
    assert told.detail.startswith(f"The bot of {searched['seat']} does not say how it found ")
    with monkeypatch.context() as patch:
        patch.setattr(warlog_core, "play", nothing_fits)  # then it has nothing to say
        assert searched["version"] in verify_bots(record).unsearched
    searched["search"] = how
    record["bots"][0]["level"] = 8
    assert verify_record(record).detail == "The log has other bots."


def test_what_a_former_version_of_the_bots_has_found_is_not_checked_and_the_command_says_so(
    tmp_path: Path,
) -> None:
    record = msgspec.json.decode((RECORDS / "hex-3-bots.json").read_bytes())
    del record["final_hash"]
    file = tmp_path / "record.json"
    file.write_bytes(msgspec.json.encode(record))
    code, said = verified(file)
    assert code == 1
    assert "bots: 0 actions found again" in said
    assert "bots not checked: 3 actions, from version 4 on, were found by another version" in said


@pytest.mark.parametrize(("game", "options"), [("wec", {}), ("universal", {"mode": "double"})])
def test_level_8_begins_by_its_book_of_openings_and_that_can_be_found_again(
    api: Api, secret: str, game: str, options: dict[str, Any]
) -> None:
    ada, player = api.player(), bot(api, secret, 8)
    start = warlog_core.game(game).new(options=options, draws=bytes)
    (opens,) = start.to_act
    seats = {**dict.fromkeys(start.seats, "me"), opens: "bot:8"}
    match = ada.create(game=game, options=options, seats=seats)["match"]["id"]
    opened = move(player, match, opens, 8)["action"]
    assert opened in [one.action for one in openings_of(game)[0].first]
    while ada.match(match)["status"] == "playing":
        (seat,) = ada.match(match)["to_act"]
        if seat == opens:
            move(player, match, opens, 8)
        else:
            ok(ada.act(match, seat, {"type": "resign"}), 201)
    record = ok(api.get(f"/matches/{match}/export"))
    searches = [event["search"] for event in record["events"] if "search" in event]
    assert searches[0]["iterations"] == 0
    verdict = verify_bots(record)
    assert (verdict.found, verdict.detail) == (len(searches), "")


def test_what_a_bot_did_is_found_again_on_every_line_where_much_is_hidden(api: Api, secret: str) -> None:
    ada, player = api.player(), bot(api, secret, 3)
    seats = {"black": "me", "white": "bot:3"}
    made = ada.create(game="wec", options={}, seats=seats, consent="none")["match"]
    match = made["id"]

    def play(steps: int) -> None:
        for _ in range(steps):
            (seat,) = ada.match(match)["to_act"] or [None]
            if seat is None:
                return  # the bot has won
            if seat == "white":
                move(player, match, seat, 3)
            else:
                listed = ok(ada.get(f"/matches/{match}/actions?seat={seat}"))["actions"]
                ends = [one for one in listed if one["type"] == "end_turn"]
                ok(ada.act(match, seat, (ends or listed)[0]), 201)

    play(8)
    undo = {"type": "propose", "proposal": {"kind": "undo", "to": made["version"] + 4}}
    ok(ada.command(match, undo), 201)
    play(8)
    if ada.match(match)["to_act"]:
        ok(ada.act(match, "black", {"type": "resign"}), 201)
    record = ok(api.get(f"/matches/{match}/export"))
    searched = [event for event in record["events"] if "search" in event]
    verdict = verify_bots(record)
    assert (verdict.found, verdict.detail) == (len(searched), "")
    assert {event["seat"] for event in searched} == {"white"}
    assert len(searched) >= 5


@pytest.mark.parametrize(
    ("game", "options", "own", "others"),
    [
        ("confrontation", {}, ["white"], ["black"]),
        ("junqi", {"players": 2, "min_steps_resign": 0}, ["south"], ["north"]),
        ("universal", {"mode": "double"}, ["majora", "good"], ["chaos", "evil"]),
    ],
)
def test_what_a_bot_did_is_found_again_in_the_other_games(
    api: Api, secret: str, game: str, options: dict[str, Any], own: list[str], others: list[str]
) -> None:
    ada, player = api.player(), bot(api, secret, 3)
    seats = {**dict.fromkeys(own, "me"), **dict.fromkeys(others, "bot:3")}
    match = ada.create(game=game, options=options, seats=seats)["match"]["id"]
    for step in range(40):
        if not (to_act := ada.match(match)["to_act"]):
            break  # it is over
        if to_act[0] in others:
            move(player, match, to_act[0], 3)
        else:
            listed = ok(ada.get(f"/matches/{match}/actions?seat={to_act[0]}"))["actions"]
            action = any_of([one for one in listed if one["type"] == "ready"] or listed, step)
            assert action is not None
            ok(ada.act(match, to_act[0], action), 201)
    for seat in own:
        if ada.match(match)["status"] == "playing":
            ok(ada.act(match, seat, {"type": "resign"}), 201)
    record = ok(api.get(f"/matches/{match}/export"))
    verdict = verify_bots(record)
    assert (verdict.found, verdict.detail) == (sum("search" in event for event in record["events"]), "")
    assert verdict.found >= 5


def test_a_match_that_was_over_and_is_taken_back_has_new_seeds(api: Api, secret: str) -> None:
    ada = api.player()
    match = ada.create(seats={"red": "me", "blue": "bot:4"}, consent="none")["match"]
    before = match["bots"]["blue"]["seed_hash"]
    ok(ada.act(match["id"], "red", {"type": "resign"}), 201)
    assert "seed" in ada.match(match["id"])["bots"]["blue"]
    undo = {"type": "propose", "proposal": {"kind": "undo", "to": 2}}
    done = ok(ada.command(match["id"], undo), 201)
    again = ada.match(match["id"])["bots"]["blue"]
    assert again["seed_hash"] == done["bots"]["blue"]["seed_hash"] != before
    assert "seed" not in again
    seen = ok(bot(api, secret, 4).get(f"/matches/{match['id']}/seen?seat=blue"))
    assert f"sha256:{hashlib.sha256(bytes.fromhex(seen['seed'])).hexdigest()}" == again["seed_hash"]
    ok(ada.act(match["id"], "red", {"type": "resign"}), 201)
    record = ok(api.get(f"/matches/{match['id']}/export"))
    assert [one["version"] for one in record["bots"]] == [1, done["version"]]
    assert verify_record(record).status == "verified"


def test_seed_and_search_are_for_house_bots_alone(api: Api, secret: str) -> None:
    ada = api.player()
    match = ada.create(seats={"red": "me", "blue": "bot:4"})["match"]["id"]
    assert "seed" not in ok(ada.get(f"/matches/{match}/seen?seat=red"))
    refused(ada.get(f"/matches/{match}/seen?seat=blue"), 403, "not_your_seat")
    refused(bot(api, secret, 5).get(f"/matches/{match}/seen?seat=blue"), 403, "not_your_seat")
    assert len(ok(bot(api, secret, 4).get(f"/matches/{match}/seen?seat=blue"))["seed"]) == 64
    said = {"type": "act", "seat": "red", "action": {"type": "resign"}, "search": {"iterations": 5}}
    assert refused(ada.command(match, said), 400, "bad_parameter")["path"] == "/search"
    refused(ada.command(match, said | {"search": {"iterations": -1}}), 400, "malformed_body")


def test_a_rematch_is_with_the_same_bots(api: Api, secret: str) -> None:
    ada = api.player()
    match = ada.create(seats={"red": "me", "blue": "bot:6"})["match"]["id"]
    ok(ada.act(match, "red", {"type": "resign"}), 201)
    done = ok(ada.command(match, {"type": "propose", "proposal": {"kind": "rematch"}}), 201)
    accept = {"type": "accept", "proposal": done["version"]}
    again = ok(bot(api, secret, 6).command(match, accept), 201)["match"]
    rematch = ada.match(again)
    assert rematch["status"] == "playing"
    assert rematch["bots"]["red"]["level"] == 6
    assert rematch["bots"]["red"]["seed_hash"] != ada.match(match)["bots"]["blue"]["seed_hash"]


def test_the_house_says_its_levels_and_whether_somebody_plays_for_them(api: Api, secret: str) -> None:
    said = ok(api.get("/bots"))
    assert [one["level"] for one in said["bots"]] == list(range(1, 9))
    assert {one["game"] for one in said["games"]} == set(warlog_core.games())
    for one in said["games"]:
        assert list(one["iterations"].values()) == sorted(one["iterations"].values())
    assert not said["alive"]
    feed = bot(api, secret, 3).personal_feed()
    feed.take(1)
    eventually(lambda: ok(api.get("/bots"))["alive"])
    feed.close()


def test_a_bot_is_told_of_its_matches(api: Api, secret: str) -> None:
    feed = bot(api, secret, 7).personal_feed()
    feed.take(1)
    ada = api.player()
    ada.create(seats={"red": "bot:7", "blue": "me"})
    assert {type for _, type, _ in feed.take(2)} >= {"seated"}
    feed.close()


def test_a_program_s_account_says_so_wherever_it_is_shown(api: Api) -> None:
    made = ok(api.post("/players", {"name": "hal", "bot": True}), 201)
    hal = Api(api.url, made["token"], id=made["player"]["id"])
    assert made["player"]["bot"] is True
    assert ok(hal.get("/players/me"))["player"]["bot"] is True
    ada = api.player()
    assert "bot" not in ok(api.get(f"/players/{ada.id}"))["player"]
    match = ada.create(seats={"red": "me", "blue": hal.id})["match"]
    assert match["seats"][1]["player"] == {"id": hal.id, "name": "hal", "bot": True}
    assert not match["seats"][1]["prepared"]
    assert "bots" not in match
    refused(hal.post("/pairing", {"game": "hex"}), 403, "not_for_bots")


def test_nobody_s_record_is_moved_by_a_match_with_a_bot(api: Api) -> None:
    ada, bob, eve = api.player(), api.player(), api.player()
    match = ada.create(seats={"red": "me", "blue": "bot:1"}, mode="competitive")["match"]["id"]
    ok(ada.act(match, "red", {"type": "resign"}), 201)
    other = bob.create(seats={"red": "me", "blue": eve.id}, mode="competitive")["match"]["id"]
    for player, seat in ((bob, "red"), (eve, "blue")):
        ok(player.command(other, {"type": "prepare", "seat": seat}), 201)
    ok(bob.act(other, "red", {"type": "resign"}), 201)

    def lost(player: Api) -> int:
        games = ok(player.get("/players/me"))["player"]["games"]
        return sum(game["lost"] for game in games if game["game"] == "hex")

    eventually(lambda: lost(bob) == 1)  # the later one
    assert lost(ada) == 0


def test_a_rated_match_with_a_bot_of_the_house_moves_the_rating_of_the_bot_and_the_list_shows_it(
    api: Api, secret: str
) -> None:
    ada, level = api.player(), bot(api, secret, 3)

    def listed() -> list[dict[str, Any]]:
        (found,) = (one["ratings"] for one in ok(api.get("/bots"))["bots"] if one["level"] == 3)
        return list(found)

    assert listed() == []
    spec: dict[str, Any] = {"options": {"army": "preset"}, "mode": "competitive"}
    match = ada.create(seats={"red": "me", "blue": "bot:3"}, **spec)["match"]["id"]
    if ada.match(match)["status"] == "lobby":
        ok(ada.command(match, {"type": "prepare", "seat": "red"}), 201)
    of = {"red": ada, "blue": level}
    for _ in range(14):
        (seat,) = ada.match(match)["to_act"]
        if seat == "blue":
            move(level, match, seat, 3)
        else:
            actions = ok(ada.get(f"/matches/{match}/actions?seat=red&type=defend"))["actions"]
            ok(ada.act(match, "red", actions[0]), 201)
    while (seat := ada.match(match)["to_act"][0]) != "red":
        move(of[seat], match, seat, 3)
    ada.resign(match, "red")
    (rating,) = listed()
    assert (rating["game"], rating["pool"], rating["matches"]) == ("hex", "duel", 1)
    assert rating["rating"] > 1500
    assert [rating] == ok(api.get(f"/players/{house(3).id}/ratings"))["ratings"]
    assert ok(api.get(f"/players/{ada.id}/ratings"))["ratings"] == []


def test_the_house_s_accounts_do_not_sit_down_by_themselves(api: Api, secret: str) -> None:
    match = api.player().create(seats={"red": "me"})["match"]["id"]
    refused(bot(api, secret, 3).put(f"/matches/{match}/seats/blue", {}), 403, "not_for_bots")


def test_a_new_token_shuts_out_who_has_the_old_one(
    api: Api, redis: RedisServer, log: Path, secret: str
) -> None:
    old = bot(api, secret, 2)
    ok(old.get("/players/me"))
    fresh = printed(redis, "--new-token")
    assert fresh != secret
    refused(old.get("/players/me"), 401, "unauthenticated")
    ok(bot(api, fresh, 2).get("/players/me"))
    assert printed(redis, "--token") == fresh
    for told in (secret, fresh, token_of(secret, 2), token_of(fresh, 2)):
        assert told not in log.read_text()
