"""Points and gold are for matches that count: with options in the range that the game names, for those who have played
before, and for the same players not without end."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import warlog_core
from tests.servers import RedisServer, WarlogServer
from tests.service.api import UNLIMITED, Api, ok, refused
from tests.service.junqi import TWO, account, gold, playing, standing, started, step
from tests.service.waiting import eventually
from warlog_core.codecs import book_data, service_data
from warlog_events.match import policy

COUNTED: dict[str, dict[str, int]] = service_data("junqi")["counted"]
# The least that counts. To give up takes thirty steps, so what ends these matches is that somebody leaves.
INSIDE: dict[str, Any] = {
    "move_seconds": 60,
    "min_steps_score": 30,
    "min_steps_resign": 30,
    "min_steps_draw": 30,
}


@pytest.fixture(scope="module")
def strict(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WarlogServer]:
    """As it comes, but with small numbers."""
    own = {
        "WARLOG_COUNTED_ANY_OPTIONS": "false",
        "WARLOG_STAKE_MATCHES_MIN": "1",
        "WARLOG_COUNTED_MATCHES_PER_DAY": "2",
    }
    with WarlogServer(tmp_path_factory.mktemp("strict"), environment={**UNLIMITED, **own}) as running:
        yield running


@pytest.fixture
def api(strict: WarlogServer) -> Iterator[Api]:
    with Api(strict.url) as stranger:
        yield stranger


def flee(match: str, player: Api, seat: str = "north") -> dict[str, Any]:
    """The answer to leaving while it is played."""
    left: dict[str, Any] = ok(player.delete(f"/matches/{match}/seats/{seat}"))
    return left


def test_two_moves_make_no_leader_of_the_table(api: Api) -> None:
    """`win_points: 1000` and no minimum of steps did."""
    ada, ben = api.player(), api.player()
    match = playing(TWO, [ada, ben], win_points=1_000)
    assert ada.match(match)["counted"] is False
    assert ada.match(match)["uncounted"] == [
        "move_seconds", "min_steps_draw", "min_steps_resign", "min_steps_score", "win_points"]  # fmt: skip
    events = ok(ada.get(f"/matches/{match}/events"))["events"]
    (begun,) = (event for event in events if event["type"] == "match_started")
    assert (begun["counted"], begun["uncounted"]) == (False, ada.match(match)["uncounted"])
    step(match, {"south": ada, "north": ben})
    end = ok(ben.act(match, "north", {"type": "resign"}), 201)
    # The rules go on computing it, and say so; the accounts take no notice.
    assert end["settlement"]["scores"][0]["delta"] == 1_000
    assert ada.match(match)["counted"] is False
    assert ada.id not in [row["player"]["id"] for row in ok(api.get("/games/junqi/leaderboard"))["players"]]
    assert standing(ada) == standing(api.player())
    assert ok(api.get(f"/matches/{match}/verify"))["status"] == "verified"


def test_a_match_in_the_range_counts_and_says_so(api: Api) -> None:
    ada, ben = api.player(), api.player()
    match = playing(TWO, [ada, ben], **INSIDE)
    shown = ada.match(match)
    assert shown["counted"] is True
    assert "uncounted" not in shown
    flee(match, ben)
    eventually(lambda: standing(ben)["score"] == -2)
    # Too short to score by its rules: he who stayed has neither won nor a place in the table.
    assert (standing(ben)["fled"], standing(ben)["lost"], standing(ada)["won"]) == (1, 1, 0)
    assert standing(ada) == standing(api.player())
    table = [row["player"]["id"] for row in ok(api.get("/games/junqi/leaderboard"))["players"]]
    assert ben.id in table
    assert ada.id not in table


def long_enough(ada: Api, ben: Api) -> None:
    """A match that `ada` wins, when it has gone on for as long as a win needs."""
    flee(whole(ada, ben, **INSIDE), ben)
    eventually(lambda: standing(ada)["won"] == 1)


def whole(ada: Api, ben: Api, **options: Any) -> str:
    """A running match that is long enough to be rated."""
    match = playing(TWO, [ada, ben], **options)
    of: dict[str, Api] = dict(zip(TWO, (ada, ben), strict=True))
    for _ in range(INSIDE["min_steps_score"] + 1):
        step(match, of)
    return match


def ratings(player: Api) -> dict[str, int]:
    """pool → how many matches moved his rating"""
    found = ok(player.get(f"/players/{player.id}/ratings"))["ratings"]
    return {one["pool"]: one["matches"] for one in found}


# As many matches with as many opponents as make a rating that is not provisional any more, and one more.
THROWN = 12


def test_throwaway_accounts_that_flee_at_once_move_no_rating_and_make_no_leader(api: Api) -> None:
    ada, ben = api.player(), api.player()
    thrown = [api.player() for _ in range(THROWN)]
    for player in thrown:
        flee(playing(TWO, [ada, player], **INSIDE), player)
    last = whole(ada, ben, **INSIDE)
    flee(last, ben)
    # They are settled in the order in which they ended: the last one is in his history, and it alone.
    eventually(lambda: ratings(ada))
    (change,) = ok(ada.get(f"/players/{ada.id}/ratings/junqi/two/history"))["changes"]
    assert (change["match"], change["before"]["rating"]) == (last, 1500)
    assert ratings(ada) == ratings(ben) == {"two": 1}
    assert [ratings(player) for player in thrown] == [{}] * THROWN
    table = ok(ada.get("/games/junqi/leaderboard?pool=two"))
    assert (table["players"], table["you"]["place"]) == ([], None)
    # What is no match of a pool's length counts nowhere else either.
    (own,) = ok(ada.get(f"/players/{ada.id}/statistics"))["statistics"]
    assert (own["played"], own["won"], own["streak"]) == (1, 1, 1)
    earned = ok(ada.get(f"/players/{ada.id}/achievements"))
    assert all(one["match"] == last for one in earned["achievements"])
    assert [one["times"] for one in earned["begun"] if one["key"] == "any.ten_matches"] == [1]


@pytest.mark.parametrize(
    "option", [{"win_points": 1_000}, {"min_steps_resign": 0}, {"min_steps_score": 0, "min_steps_draw": 0}]
)
def test_what_is_outside_the_range_is_not_rated_either_however_long_it_is(
    api: Api, option: dict[str, int]
) -> None:
    ada, ben = api.player(), api.player()
    match = whole(ada, ben, **{**INSIDE, **option})
    shown = ada.match(match)
    assert (shown["counted"], sorted(shown["uncounted"])) == (False, sorted(option))
    flee(match, ben)
    assert ada.match(match)["uncounted"] == shown["uncounted"]
    flee(last := whole(ben, ada, **INSIDE), ada)
    eventually(lambda: ratings(ada))
    assert ratings(ada) == ratings(ben) == {"two": 1}
    (change,) = ok(ben.get(f"/players/{ben.id}/ratings/junqi/two/history"))["changes"]
    assert change["match"] == last


@pytest.mark.parametrize("name", COUNTED)
def test_both_ends_of_a_range_count_and_what_is_beyond_does_not(name: str) -> None:
    junqi = warlog_core.game("junqi")
    (spec,) = (one for one in book_data("junqi")["options"] if one["name"] == name)
    low, high = COUNTED[name]["min"], COUNTED[name]["max"]
    assert spec["min"] <= low <= high <= spec["max"]
    default = spec["default"]
    for value in default.values() if isinstance(default, dict) else [default]:
        assert low <= value <= high  # the book's own game counts
    for value in {low, high, low - 1, high + 1}:
        if spec["min"] <= value <= spec["max"]:
            beyond = policy.beyond_counted(junqi, {"players": 2, name: value})
            assert beyond == ([] if low <= value <= high else [name])


def test_a_game_says_with_what_options_its_matches_count(api: Api) -> None:
    assert ok(api.get("/games/junqi"))["counted"] == COUNTED
    assert "counted" not in ok(api.get("/games/hex"))


def test_a_match_from_a_position_does_not_count(api: Api) -> None:
    """It may begin with one move to go, and forty steps behind it."""
    host, ada, ben = api.player(), api.player(), api.player()
    armies = [
        {"seat": seat, "type": type, "at": f"{seat[0].upper()}{cell}"}
        for seat in TWO
        for type, cell in (("flag", "62"), ("captain", "61"), ("field_marshal", "65"))
    ]
    match = host.create(
        game="junqi",
        options={"players": 2},
        mode="competitive",
        position={"turn": "south", "steps": 50, "pieces": armies},
    )["match"]["id"]
    for seat, player in zip(TWO, (ada, ben), strict=True):
        ok(player.put(f"/matches/{match}/seats/{seat}", {}))
    for seat, player in zip(TWO, (ada, ben), strict=True):
        ok(player.command(match, {"type": "prepare", "seat": seat}), 201)
    assert ada.match(match)["uncounted"] == ["position"]
    ok(ben.act(match, "north", {"type": "resign"}), 201)
    assert standing(ada) == standing(api.player())


def test_casual_matches_and_other_games_say_nothing_of_it(api: Api) -> None:
    ada, ben = api.player(), api.player()
    assert "counted" not in ada.match(playing(TWO, [ada, ben], mode="casual"))
    assert "counted" not in ada.match(ada.alone())


def test_who_has_not_played_yet_does_not_play_for_gold(api: Api) -> None:
    """Sixty accounts that were opened to flee brought sixty thousand in a second."""
    ada, ben, cem = api.player(), api.player(), api.player()
    body: dict[str, Any] = {
        "game": "junqi",
        "mode": "competitive",
        "options": {"players": 2, "stake": 10},
        "seats": {"south": "me"},
    }
    problem = refused(ada.post("/matches", body), 422, "too_few_matches")
    assert (problem["have"], problem["needed"], problem["player"]) == (0, 1, ada.id)
    assert "finished 1 competitive match" in problem["detail"]
    # To flee is not to finish.
    long_enough(ada, ben)
    refused(ben.post("/matches", body), 422, "too_few_matches")
    staked = str(ok(ada.post("/matches", body), 201)["match"]["id"])
    refused(cem.put(f"/matches/{staked}/seats/north", {}), 422, "too_few_matches")
    assert gold(cem) == (1_000, 0)
    # Nor does a stake that comes later get round it.
    free = str(ok(ada.post("/matches", {**body, "options": {"players": 2}}), 201)["match"]["id"])
    ok(cem.put(f"/matches/{free}/seats/north", {}))
    raised = {"type": "propose", "proposal": {"kind": "options", "options": {"stake": 10}}}
    version = ok(ada.command(free, raised), 201)["version"]
    refused(cem.command(free, {"type": "accept", "proposal": version}), 422, "too_few_matches")
    # Nor pairing: he is turned away, and nobody else.
    wanted = {key: body[key] for key in ("game", "mode", "options")}
    entry = ok(cem.post("/pairing", wanted), 201)["entry"]["id"]
    ok(ada.post("/pairing", wanted), 201)
    eventually(lambda: ok(cem.get(f"/pairing/{entry}"))["entry"]["status"] == "refused")
    assert ok(cem.get(f"/pairing/{entry}"))["entry"]["code"] == "too_few_matches"


def test_the_same_two_move_points_so_many_times_a_day(api: Api) -> None:
    ada, ben, cem = api.player(), api.player(), api.player()
    # Begun together: what counts is decided as each starts, not as it ends.
    matches = [started(TWO, [ada, ben], **INSIDE) for _ in range(3)]
    assert [ada.match(match)["counted"] for match in matches] == [True, True, False]
    assert ada.match(matches[2])["uncounted"] == ["same_players"]
    for match in matches:
        for seat, player in zip(TWO, (ada, ben), strict=True):
            ok(player.act(match, seat, {"type": "ready"}), 201)
        flee(match, ben)
    eventually(lambda: standing(ben)["score"] == -4)
    assert standing(ben)["fled"] == 2
    assert ada.match(started(TWO, [ada, cem], **INSIDE))["counted"] is True


def test_a_rebuild_makes_the_same_of_what_counted_and_what_did_not(tmp_path: Path) -> None:
    """By a site that has other numbers since then, too."""
    first = {
        **UNLIMITED,
        "WARLOG_COUNTED_ANY_OPTIONS": "false",
        "WARLOG_COUNTED_MATCHES_PER_DAY": "1",
        "WARLOG_BACKGROUND": "0",
    }
    with (
        RedisServer(fsync="no") as redis,
        WarlogServer(tmp_path, redis=redis.url, environment=first) as server,
        Api(server.url) as api,
    ):
        ada, ben = api.player(), api.player()
        for options in (INSIDE, INSIDE, {"stake": 7}):
            flee(playing(TWO, [ada, ben], **options), ben)
        assert gold(ben) == (1_000, 35)  # nobody has settled yet
        command = [sys.executable, "-m", "warlog_service", "rebuild", "--redis", redis.url]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, env={**os.environ, **UNLIMITED})
        assert (gold(ada), gold(ben)) == ((1_000, 0), (1_000, 0))
        assert (standing(ben)["score"], standing(ben)["fled"], standing(ada)["won"]) == (-2, 1, 0)
        assert account(ada)["held"] == 0
