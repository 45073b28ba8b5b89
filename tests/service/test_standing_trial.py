"""As new users would: four people and two programs play a dozen rated matches of three games. The tables move,
something is earned; they follow, challenge and block each other, and one of them leaves for good."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

from tests.servers import RedisServer
from tests.service.api import Api, ok, refused
from tests.service.test_leaving import Place, leave
from tests.service.waiting import eventually
from warlog_events.redis import keys

NAMES = ("Zanzibária Q.", "Ben of Bree", "Cem", "Dora")
GAMES: dict[str, tuple[dict[str, Any], str, tuple[str, str], int]] = {
    "hex": ({"army": "preset"}, "duel", ("red", "blue"), 14),
    "wec": ({}, "weaponized", ("white", "black"), 18),
    "junqi": ({"players": 2}, "two", ("south", "north"), 46),
}
"""Options, their pool, seats, and how many actions are enough for a rated match."""
GIVES_UP = {"resign", "offer_draw", "accept_draw", "decline_draw"}


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    with RedisServer(fsync="no") as redis:
        found = Place(tmp_path, redis)
        with found.server:
            yield found


def rated(game: str, one: Api, other: Api, rng: random.Random) -> str:
    """Plays as many actions as a rated match needs; then the seat to act resigns. The match's id."""
    options, _, (first, second), actions = GAMES[game]
    seats = {first: "me", second: "open"}
    match = str(one.create(game=game, options=options, mode="competitive", seats=seats)["match"]["id"])
    ok(other.put(f"/matches/{match}/seats/{second}", {}))
    of = {first: one, second: other}
    for seat, player in of.items():
        ok(player.command(match, {"type": "prepare", "seat": seat}), 201)
    for _ in range(actions):
        if (shown := one.match(match))["status"] != "playing":
            return match
        seat = shown["to_act"][0]
        listed = ok(of[seat].get(f"/matches/{match}/actions?seat={seat}"))["actions"]
        ready = [action for action in listed if action["type"] == "ready"]
        ok(
            of[seat].act(match, seat, rng.choice(ready or [a for a in listed if a["type"] not in GIVES_UP])),
            201,
        )
    if (shown := one.match(match))["status"] == "playing":
        seat = shown["to_act"][0]
        ok(of[seat].act(match, seat, {"type": "resign"}), 201)
    return match


def ratings(api: Api, player: Api) -> dict[str, int]:
    return {one["game"]: one["matches"] for one in ok(api.get(f"/players/{player.id}/ratings"))["ratings"]}


def won_by(player: Api, matches: list[str]) -> set[str]:
    """Those that he has won."""
    found = set[str]()
    for match in matches:
        shown = player.match(match)
        seats = {one["seat"] for one in shown["seats"] if one["player"]["id"] == player.id}
        if seats & set(shown["result"]["winners"]):
            found.add(match)
    return found


def test_four_people_and_two_programs_play_a_dozen_matches_and_one_leaves_for_good(
    place: Place, seed: int
) -> None:
    rng = random.Random(seed)
    with Api(place.server.url) as stranger:
        people = [stranger.player(name) for name in NAMES]
        ada, ben, cem, dora = people
        programs = []
        for name in ("hal", "ida"):
            made = ok(stranger.post("/players", {"name": name, "bot": True}), 201)
            programs.append(Api(stranger.url, made["token"], id=made["player"]["id"], name=name))
        pairs: list[tuple[Api, Api]] = [
            *combinations(people, 2),
            *zip(people, [*programs, *programs], strict=True),
            (ada, ben),
            (cem, dora),
        ]
        games = [*GAMES] * 4
        with ada.personal_feed() as feed:
            feed.take(1)
            matches = [rated(game, *pair, rng) for game, pair in zip(games, pairs, strict=True)]
            told = set[str]()
            while not {"rating_changed", "match_over"} <= told:
                told |= {name for _, name, _ in feed.take(1)}
        assert len(set(matches)) == 12
        # Where a program plays with a person, only the program's rating moves.
        wanted = {player.id: Counter[str]() for player in (*people, *programs)}
        for game, pair in zip(games, pairs, strict=True):
            for player in set(pair) & set(programs) or pair:
                wanted[player.id][game] += 1
        assert {player.id: ratings(stranger, player) for player in (*people, *programs)} == wanted
        for game, (_, pool, _, _) in GAMES.items():
            board = ok(ada.get(f"/games/{game}/leaderboard", params={"pool": pool}))
            assert board["players"] == []  # nobody has played enough yet
            own = ratings(stranger, ada).get(game)
            assert (board["you"] or {"rating": {"matches": None}})["rating"]["matches"] == own
        for player in people:
            won = won_by(player, matches)
            shown = ok(stranger.get(f"/players/{player.id}/achievements"))
            earned = {one["key"]: one["match"] for one in shown["achievements"]}
            assert (earned["any.first_win"] in won) if won else ("any.first_win" not in earned)
            begun = {one["key"]: one["times"] for one in shown["begun"]}
            played = sum(player in pair for pair in pairs)
            assert begun["any.ten_matches"] == played  # those with programs, too
            counted = {
                one["game"]: (one["played"], one["won"])
                for one in ok(stranger.get(f"/players/{player.id}/statistics"))["statistics"]
            }
            assert begun["any.five_games"] == len(counted)
            assert tuple(map(sum, zip(*counted.values(), strict=True))) == (played, len(won))

        for player in (ben, cem):
            ok(player.put(f"/players/me/following/{ada.id}", {}))
        challenge = ada.create(seats={"red": "me", "blue": ben.id})["match"]["id"]
        ok(ben.post(f"/matches/{challenge}/decline", {"reason": "later"}), 201)
        refused(ben.post(f"/matches/{challenge}/decline", {"reason": "later"}), 409, "no_challenge")
        ok(dora.put(f"/players/me/blocked/{ada.id}", {}))
        spec = {"game": "hex", "seats": {"red": "me", "blue": dora.id}}
        refused(ada.post("/matches", spec), 403, "not_challenged")

        def stands() -> set[str]:
            """The keys of standing in which Ada's id is, but for the log, what waits to be told, who is gone, and who
            has met whom today."""
            kept = {keys.standing(name) for name in ("log", "news", "gone", "met")}
            return {key for key in place.where(ada.id) if key.startswith(keys.standing(""))} - kept

        assert len(stands()) >= 4  # ratings, history, statistics, achievements
        gained = {player.id: ratings(stranger, player) for player in (ben, cem, dora)}
        refused(leave(ada, "ben"), 400, "wrong_name")
        assert leave(ada, NAMES[0]).status_code == 204
        eventually(lambda: place.where(NAMES[0]) == [], seconds=60)
        place.put_away()
        assert place.where(NAMES[0]) == []
        eventually(lambda: stands() == set())
        assert {player.id: ratings(stranger, player) for player in (ben, cem, dora)} == gained
        assert ok(ben.get("/players/me/following"))["players"] == []
        assert ok(dora.get("/players/me/blocked"))["players"] == []
        for match in matches:
            names = {
                seat["player"]["name"] for seat in ok(stranger.get(f"/matches/{match}"))["match"]["seats"]
            }
            assert NAMES[0] not in names
