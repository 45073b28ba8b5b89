"""Records the examples of the OpenAPI document: python -m tests.service.make_examples

One session against a server in a fixed test world, each call of the API in it once. The recording is part of
the package;
a test plays the session again and compares, so that no example can grow old unnoticed.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import msgspec

from tests.servers import WarlogServer
from tests.service.api import UNLIMITED, Api, Feed, ok
from tests.service.junqi import LAYOUT

FILE = Path(__file__).parents[2] / "service" / "warlog_service" / "examples.json"
WORLD = {**UNLIMITED, "WARLOG_TEST_WORLD": "examples"}
OPTIONS = {
    "width": 7,
    "height": 5,
    "obstacles": "none",
    "deploy_depth": 1,
    "max_stacks": 1,
    "army": "given",
    "armies": {"red": [{"unit": "swordsman", "count": 10}], "blue": [{"unit": "archer", "count": 12}]},
    "roster": [
        {"id": "swordsman", "name": "Swordsman", "level": 3, "initiative": 6, "hp": 30, "move": 5,
        "movement": "walk", "range": 1,
         "attack": 8, "spread": 2, "shooter": False, "retaliations": 1, "skill": "none", "cost": 16},
        {"id": "archer", "name": "Archer", "level": 1, "initiative": 5, "hp": 8, "move": 3,
        "movement": "walk", "range": 8,
         "attack": 3, "spread": 1, "shooter": True, "retaliations": 1, "skill": "none", "cost": 7},
    ],
}  # fmt: skip

ENTRIES, CHARACTERS = 2, 300  # of a list or table, and of a text, in an answer that is shortened
TABLES = {"errors": ENTRIES, "mapping": ENTRIES, "$defs": ENTRIES, "paths": 0, "components": 0}
HEADERS = {"etag", "link", "location", "set-cookie"}


def shortened(value: Any) -> Any:
    """The beginning of a long answer, in the same form; without references, which tools would look for in the document
    around the example, and defaults, which may be among the words that are cut."""
    if isinstance(value, list):
        return [shortened(one) for one in value if not (isinstance(one, dict) and "$ref" in one)][:ENTRIES]
    if isinstance(value, dict):
        return {
            name: shortened(dict([*one.items()][: TABLES[name]]) if name in TABLES else one)
            for name, one in value.items()
            if name not in ("$ref", "default")
        }
    return value[:CHARACTERS] if isinstance(value, str) else value


class Session:
    """Makes calls and keeps what they were, by operation id."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.kept: dict[str, Any] = {}
        self.headers: dict[str, set[str]] = {}

    def head(self, operation: str, who: Api, path: str) -> None:
        """Of a long answer the beginning."""
        self.call(operation, who, "GET", path)
        for kind in ("answer", "text"):
            if kind in self.kept[operation]:
                self.kept[operation][kind] = shortened(self.kept[operation][kind])

    def call(self, operation: str, who: Api, method: str, path: str, body: Any = None, **headers: str) -> Any:
        sent = {} if body is None else {"json": body}
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        answer = who.http.request(method, path, headers=named, **sent)
        assert answer.status_code < 400, f"{operation}: {answer.status_code} {answer.text}"
        entry: dict[str, Any] = {"method": method, "path": f"/v1{path}", "status": answer.status_code}
        if body is not None:
            entry["body"] = body
        kind = answer.headers.get("content-type", "")
        if kind == "application/json":
            entry["answer"] = answer.json()
        elif kind.startswith("text/"):
            entry["text"] = answer.text
        self.kept.setdefault(operation, entry)
        self.headers.setdefault(operation, {*answer.headers} & HEADERS)
        return entry.get("answer")

    def feed(self, operation: str, who: Api, path: str, count: int) -> None:
        """The first events of a feed, which go on after that."""
        with Feed(f"{self.url}/v1{path}", who.token) as feed:
            self.follow(operation, feed, path, count)

    def follow(self, operation: str, feed: Feed, path: str, count: int) -> None:
        """The same of a feed that is open already; with what was taken of it before."""
        feed.take(count)
        text = feed.raw.decode()
        self.kept[operation] = {"method": "GET", "path": f"/v1{path}", "status": 200, "text": text}


def play(url: str) -> Session:
    """The whole session; `kept`: operation id → what was sent and answered."""
    session = Session(url)
    call = session.call
    stranger = Api(url)
    made = call("post_player", stranger, "POST", "/players", {"name": "ada"})
    ada, ada_id = Api(url, made["token"]), made["player"]["id"]
    ben = stranger.player("ben")
    call("get_me", ada, "GET", "/players/me")
    call("get_player", stranger, "GET", f"/players/{made['player']['id']}")
    call("get_players", stranger, "GET", "/players?name=Be")
    token = call("post_token", ada, "POST", "/tokens", {"label": "bot", "scopes": ["play"]})
    call("get_tokens", ada, "GET", "/tokens")
    call("post_session", ada, "POST", "/sessions", sec_fetch_site="same-origin")
    call("delete_session", stranger, "DELETE", "/sessions", sec_fetch_site="same-origin")
    call("get_live", stranger, "GET", "/health/live")
    call("get_ready", stranger, "GET", "/health/ready")
    call("delete_token", ada, "DELETE", f"/tokens/{token['id']}")
    games = call("get_games", stranger, "GET", "/games")
    games["games"] = [
        game for game in games["games"] if game["game"] == "hex"
    ]  # a new game needs no new recording
    session.head("get_game", stranger, "/games/hex")
    session.head("get_data", stranger, "/games/hex/data")
    session.head("get_rules", stranger, "/games/hex/rules")
    session.head("get_openapi", stranger, "/openapi.json")
    session.head("get_docs", stranger, "/docs")
    session.head("get_docs_text", stranger, "/docs.md")
    session.head("get_docs_script", stranger, "/docs/redoc.js")
    notices = ben.personal_feed()
    notices.take(1)
    created = call(
        "post_match",
        ada,
        "POST",
        "/matches",
        {"game": "hex", "options": OPTIONS, "seats": {"red": "me", "blue": "invite"}},
    )
    path = f"/matches/{created['match']['id']}"
    call("put_seat", ben, "PUT", f"{path}/seats/blue", {"invitation": created["invitations"]["blue"]})
    call("delete_seat", ada, "DELETE", f"{path}/seats/red")
    ok(ada.put(f"{path}/seats/red", {}))
    for who, seat in ((ada, "red"), (ben, "blue")):
        call("prepare", who, "POST", f"{path}/commands", {"type": "prepare", "seat": seat})
    call("get_actions", ada, "GET", f"{path}/actions?seat=red")
    defend = {"type": "act", "seat": "red", "action": {"type": "defend", "piece": 1}}
    call("post_command", ada, "POST", f"{path}/commands", defend)
    with ben.personal_feed() as feed:
        feed.take(1)
        call("get_here", ada, "GET", f"{path}/here")
    call("get_trace", ben, "GET", f"{path}/trace?seat=blue&at=7")
    call("get_match", stranger, "GET", path)
    call("get_matches", ben, "GET", "/matches?player=me")
    call("get_view", ben, "GET", f"{path}/view?seat=blue")
    call("get_position", ben, "GET", f"{path}/position?seat=blue")
    bots = call("get_bots", stranger, "GET", "/bots")
    # Other levels, and a new game, need no new recording.
    iterations = {str(one["level"]): 32 * 2 ** one["level"] for one in bots["bots"]}
    bots["games"] = [{"game": "hex", "search": True, "iterations": iterations}]
    call("get_seen", ben, "GET", f"{path}/seen?seat=blue")
    call("get_events", ben, "GET", f"{path}/events?after=5&limit=10")
    call("get_history", ben, "GET", f"{path}/history?limit=6")
    session.feed("get_feed", ben, f"{path}/feed?after=5", 2)
    session.follow("get_personal_feed", notices, "/players/me/feed", 2)
    notices.close()
    call("get_timeline", ben, "GET", f"{path}/timeline")
    call("get_board", stranger, "GET", f"{path}/board")
    position = {"phase": "play", "stacks": [{"seat": "red", "unit": "swordsman", "space": "c3", "count": 5},
                                            {"seat": "blue", "unit": "archer", "space": "e3", "count": 9}]}  # fmt: skip
    check = {"options": OPTIONS, "position": position}
    call("post_position_check", stranger, "POST", "/games/hex/positions/check", check)
    saved = call(
        "post_scenario",
        ada,
        "POST",
        "/scenarios",
        {"game": "hex", "name": "the ford", "visibility": "public", **check},
    )
    call("get_scenario", stranger, "GET", f"/scenarios/{saved['scenario']['id']}")
    call("get_scenarios", stranger, "GET", "/scenarios")
    call("delete_scenario", ada, "DELETE", f"/scenarios/{saved['scenario']['id']}")
    challenged = ada.create(options=OPTIONS, seats={"red": "me", "blue": ben.id})["match"]["id"]
    call("post_decline", ben, "POST", f"/matches/{challenged}/decline", {"reason": "later"})
    wished = ada.create(options=OPTIONS, seating="wish")["match"]["id"]
    call("post_join", ada, "POST", f"/matches/{wished}/join", {"wish": "blue"})
    call(
        "resign",
        ben,
        "POST",
        f"{path}/commands",
        {"type": "act", "seat": "blue", "action": {"type": "resign"}},
    )
    session.kept["post_analysis"] = analysis(ben, path, at=7)
    record = call("get_export", ada, "GET", f"{path}/export")
    call("get_verify", ada, "GET", f"{path}/verify")
    call("post_import", ada, "POST", "/matches/import", record)
    layouts = "/players/me/layouts/junqi"
    call("put_layout", ada, "PUT", f"{layouts}/wall", {"layout": LAYOUT})
    call("get_layouts", ada, "GET", layouts)
    call("get_layout", ada, "GET", f"{layouts}/wall")
    call("post_layout_load", ada, "POST", f"{layouts}/wall/load")
    own = "/players/me/options/hex"
    call("put_own_options", ada, "PUT", f"{own}/quick", {"options": {"width": 9, "army": "preset"}})
    call("get_own_options_list", ada, "GET", own)
    call("get_own_options", ada, "GET", f"{own}/quick")
    call("delete_own_options", ada, "DELETE", f"{own}/quick")
    call("delete_layout", ada, "DELETE", f"{layouts}/wall")
    call("put_following", ada, "PUT", f"/players/me/following/{ben.id}")
    call("get_following", ada, "GET", "/players/me/following")
    call("delete_following", ada, "DELETE", f"/players/me/following/{ben.id}")
    call("put_blocked", ben, "PUT", f"/players/me/blocked/{ada_id}")
    call("get_blocked", ben, "GET", "/players/me/blocked")
    call("delete_blocked", ben, "DELETE", f"/players/me/blocked/{ada_id}")
    seats = {"south": "me", "north": "open"}
    ranked = ada.create(game="junqi", options={"players": 2}, mode="competitive", seats=seats)["match"]["id"]
    ok(ben.put(f"/matches/{ranked}/seats/north", {}))
    for who, seat in ((ada, "south"), (ben, "north")):
        ok(who.command(ranked, {"type": "prepare", "seat": seat}), 201)
    for who, seat in ((ada, "south"), (ben, "north")):
        ok(who.act(ranked, seat, {"type": "ready"}), 201)
    ok(ben.delete(f"/matches/{ranked}/seats/north"))
    call("get_leaderboard", stranger, "GET", "/games/junqi/leaderboard")
    rated = _rated(ada, ben)
    call("get_ratings", stranger, "GET", f"/players/{ben.id}/ratings")
    call("get_rating_history", stranger, "GET", f"/players/{ben.id}/ratings/{rated}/history")
    call("get_achievements", stranger, "GET", "/achievements")
    call("get_player_achievements", stranger, "GET", f"/players/{ben.id}/achievements")
    call("get_player_statistics", stranger, "GET", f"/players/{ben.id}/statistics")
    call("get_game_statistics", stranger, "GET", f"/games/{rated.partition('/')[0]}/statistics")
    waiting = call(
        "post_pairing", ada, "POST", "/pairing", {"game": "hex", "options": OPTIONS, "mode": "casual"}
    )
    call("get_pairings", ada, "GET", "/pairing")
    session.feed("get_pairing_feed", ada, f"/pairing/{waiting['entry']['id']}/feed", 1)
    call("delete_pairing", ada, "DELETE", f"/pairing/{waiting['entry']['id']}")
    wanted = {"game": "hex", "options": {"width": 9}}  # of no pool: now their ratings are far apart
    ada.post("/pairing", wanted)
    paired = ben.post("/pairing", wanted).json()
    call("get_pairing", ben, "GET", f"/pairing/{paired['entry']['id']}")
    cem = stranger.player("cem")
    call("delete_me", cem, "DELETE", "/players/me", {"name": "cem"})
    session.kept.pop("prepare")
    session.kept.pop("resign")
    session.kept = dict(sorted(session.kept.items()))
    return session


def _rated(ada: Api, ben: Api) -> str:
    """They play until it is long enough for that, and ada gives up; game and pool."""
    made = ada.create(
        game="hex", options={"army": "preset"}, mode="competitive", seats={"red": "me", "blue": "open"}
    )
    match, of = made["match"]["id"], {"red": ada, "blue": ben}
    ok(ben.put(f"/matches/{match}/seats/blue", {}))
    for seat, player in of.items():
        ok(player.command(match, {"type": "prepare", "seat": seat}), 201)
    for _ in range(12):
        (seat,) = ada.match(match)["to_act"]
        action = ok(of[seat].get(f"/matches/{match}/actions?seat={seat}&type=defend"))["actions"][0]
        ok(of[seat].act(match, seat, action), 201)
    (seat,) = ada.match(match)["to_act"]
    ok(of[seat].act(match, seat, {"type": "resign"}), 201)
    return "hex/duel"


def analysis(who: Api, match: str, at: int) -> dict[str, Any]:
    """As a program of the house could answer: there is none in a fixed world, and what it finds is no matter here."""
    listed = ok(who.get(f"{match}/actions?seat=blue&at={at}&trace=true"))
    best, other = listed["actions"][:ENTRIES]
    line = [{"seat": "blue", "action": other}]
    found = [
        {"action": best, "value": 0.61, "visits": 210, "line": line, "trace": listed["traces"][0]},
        {"action": other, "value": 0.48, "visits": 90, "line": [], "trace": listed["traces"][1]},
    ]
    body = {"seat": "blue", "at": at, "lines": ENTRIES, "iterations": 300}
    answer = {name: listed[name] for name in ("version", "at", "seat")}
    answer |= {"actions": found, "seed": 7, "iterations": 300}
    return {"method": "POST", "path": f"/v1{match}/analysis", "status": 200, "body": body, "answer": answer}


def main() -> None:
    with tempfile.TemporaryDirectory() as folder, WarlogServer(Path(folder), environment=WORLD) as server:
        FILE.write_bytes(msgspec.json.format(msgspec.json.encode(play(server.url).kept), indent=1) + b"\n")


if __name__ == "__main__":
    main()
