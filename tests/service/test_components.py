"""What each game brings to the OpenAPI document is what its matches really have, and nothing besides."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import msgspec
import pytest

import warlog_core
from tests.core.games import GAMES, lines, playthroughs
from tests.service.api import Api, ok
from tests.service.strict import Seen, check, check_live, check_match, strict, types_of
from warlog_core import State
from warlog_service.openapi import games

Json = dict[str, Any]


def recorded(game: str) -> Iterator[tuple[State, warlog_core.Event]]:
    """The events of the recorded matches of a game, each with the state after it."""
    for path in playthroughs():
        first, *steps = lines(path)
        if first["game"] != game:
            continue
        state = warlog_core.game(game).new(
            options=first["options"], position=first.get("position"), draws=first["draws"]
        )
        assert state.started is not None
        yield state, state.started
        for step in steps:
            if "error" not in step:
                yield state, state.apply(step["seat"], step["action"], draws=step["draws"])


def played(game: str, rng: random.Random) -> Iterator[tuple[State, warlog_core.Event]]:
    """Random matches of the standard options."""
    for _ in range(3):
        state = warlog_core.game(game).new(options={}, draws=rng.randbytes)
        for _ in range(150):
            if state.result is not None:
                break
            seat = rng.choice(state.to_act)
            listed = [one for one in state.legal(seat, plain=True) if not one.get("open")]
            kind = rng.choice(sorted({one["type"] for one in listed} - {"resign"}) or ["resign"])
            action = rng.choice([one for one in listed if one["type"] == kind])
            yield state, state.apply(seat, action, draws=rng.randbytes)


@pytest.mark.parametrize("game", GAMES)
def test_matches_have_what_their_components_describe_and_nothing_else(game: str, seed: int) -> None:
    rng = random.Random(f"components {game} {seed}")
    seen, prefix = Seen(game), games.prefix_of(game)
    for source in (recorded(game), played(game, rng)):
        for number, (state, event) in enumerate(source):
            viewers = ("spectator", *state.seats)
            for viewer in viewers:
                visible = event.visible(viewer, state.disclosure)
                if visible.action is not None:
                    seen(f"{prefix}SeenAction", msgspec.to_builtins(visible.action))
                for effect in msgspec.to_builtins(visible.effects):
                    seen(f"{prefix}Effect", effect)
                if number % 5 == 0:
                    seen(f"{prefix}View", state.view(viewer, plain=True))
            if event.action is not None:
                seen(f"{prefix}Action", event.action)
            for effect in msgspec.to_builtins(event.effects):
                seen(f"{prefix}Effect", effect)
            for seat in state.to_act:
                for action in rng.sample(listed := state.legal(seat, plain=True), min(10, len(listed))):
                    seen(f"{prefix}ListedAction", action)
                    if not action.get("open"):
                        seen(f"{prefix}Action", action)
            if number % 5 == 0 and (position := state.position(plain=True)) is not None:
                seen(f"{prefix}Position", position)
    # Hardly anything is never seen: the check is worth something.
    effects = set(types_of(game, "Effect"))
    assert len(seen.types[f"{prefix}Effect"]) >= 0.7 * len(effects), effects - seen.types[f"{prefix}Effect"]


class Reading:
    """Two players of a match. All that they and a spectator are told is checked."""

    def __init__(self, game: str, ada: Api, ben: Api, spectator: Api) -> None:
        self.game = game
        self.ada, self.ben, self.spectator = ada, ben, spectator
        self.types: set[str] = set()

    def create(self, **spec: Any) -> str:
        seats = warlog_core.game(self.game).seats_for(spec.get("options", {}))
        holders = {seat: "me" if number % 2 == 0 else self.ben.id for number, seat in enumerate(seats)}
        holders = {} if spec.get("seating") == "wish" else holders
        made = self.ada.create(**{"game": self.game, "options": {}, "seats": holders, **spec})["match"]
        check_match(self.game, made)
        return str(made["id"])

    def send(self, who: Api, match: str, command: Json) -> Json:
        done: Json = ok(who.command(match, command), 201)
        check_live(self.game, done)
        check_match(self.game, self.spectator.match(match))
        return done

    def prepare(self, match: str) -> None:
        for seat in self.ada.match(match)["seats"]:
            who = self.ada if seat["player"]["id"] == self.ada.id else self.ben
            if not self.ada.match(match)["version"] or not seat["prepared"]:
                self.send(who, match, {"type": "prepare", "seat": seat["seat"]})

    def agree(self, match: str, proposal: Json) -> None:
        made = self.send(self.ada, match, {"type": "propose", "proposal": proposal})
        check_match(self.game, self.ada.match(match))
        check_match(self.game, self.ben.match(match))
        if made["type"] == "proposal_made":
            self.send(self.ben, match, {"type": "accept", "proposal": made["version"]})

    def play(self, match: str, rng: random.Random, count: int) -> None:
        for _ in range(count):
            now = self.ada.match(match)
            if not now["to_act"]:
                return
            seat = rng.choice(now["to_act"])
            holder = next(one["player"]["id"] for one in now["seats"] if one["seat"] == seat)
            who = self.ada if holder == self.ada.id else self.ben
            listed = ok(who.get(f"/matches/{match}/actions?seat={seat}&trace=true"))
            check(self.game, "Actions", listed)
            fit = [one for one in listed["actions"] if not one.get("open") and one["type"] != "resign"]
            self.send(who, match, {"type": "act", "seat": seat, "action": rng.choice(fit)})

    def read(self, match: str) -> None:
        """The match as it is now, and all its events."""
        for who in (self.ada, self.ben, self.spectator):
            path, found = f"/matches/{match}", who.match(match)
            check_match(self.game, found)
            page = ok(who.get(f"{path}/events?limit=1000"))
            check(self.game, "Events", page)
            self.types |= {event["type"] for event in page["events"]}
            with who.feed(match, after=0) as feed:
                for _, _, event in feed.take(len(page["events"])):
                    check_live(self.game, event)
            if found["status"] in ("playing", "finished"):
                check(self.game, "View", ok(who.get(f"{path}/view")))
                for seat in found["seats"]:
                    for call, name in (("view", "View"), ("position", "SeenPosition")):
                        if seat["player"] is not None and seat["player"]["id"] == who.id:
                            check(self.game, name, ok(who.get(f"{path}/{call}?seat={seat['seat']}")))
            if found["status"] == "finished":
                check(self.game, "View", ok(who.get(f"{path}/view?seat=all&at={found['version'] - 1}")))
                check(self.game, "ExportedRecord", ok(who.get(f"{path}/export")))


@pytest.mark.parametrize("game", GAMES)
def test_all_that_players_are_told_of_a_match_is_described(api: Api, game: str, seed: int) -> None:
    rng = random.Random(f"told {game} {seed}")
    reading = Reading(game, api.player(), api.player(), api)
    ada, ben = reading.ada, reading.ben

    aborted = reading.create()
    reading.agree(aborted, {"kind": "abort"})
    reading.read(aborted)

    wished = reading.create(seating="wish")
    for who in (ada, ben):
        ok(who.post(f"/matches/{wished}/join", {}), 201)
        reading.read(wished)

    match = reading.create(move_seconds=3600)
    reading.agree(match, {"kind": "options", "options": {}})
    own = next(one["seat"] for one in ada.match(match)["seats"] if one["player"]["id"] == ada.id)
    ok(ada.delete(f"/matches/{match}/seats/{own}"))
    reading.spectator.match(match)
    ok(ada.put(f"/matches/{match}/seats/{own}", {}))
    reading.prepare(match)
    start = ada.match(match)["version"]
    reading.play(match, rng, 8)
    refused = reading.send(ada, match, {"type": "propose", "proposal": {"kind": "undo", "to": start}})
    reading.send(ben, match, {"type": "reject", "proposal": refused["version"]})
    reading.agree(match, {"kind": "undo", "to": start})
    reading.play(match, rng, 12)
    reading.read(match)
    for _ in range(10):
        now = ada.match(match)
        holders = {one["seat"]: one["player"]["id"] for one in now["seats"]}
        for seat in now["to_act"]:
            who = ada if holders[seat] == ada.id else ben
            answer = who.act(match, seat, {"type": "resign"})
            if answer.status_code == 201:
                check_live(game, answer.json())
                break
        else:  # not in this phase
            reading.play(match, rng, 1)
    if ada.match(match)["status"] == "finished":
        reading.agree(match, {"kind": "rematch"})
        reading.read(ada.match(match)["rematch"])
    reading.read(match)
    assert reading.types >= TOLD, TOLD - reading.types


TOLD = {
    "match_created", "match_aborted", "player_joined", "seat_left", "seat_taken", "seat_prepared",
    "match_started", "action_taken", "proposal_made", "proposal_rejected", "options_changed", "time_travelled",
}  # fmt: skip


def test_defaults_are_said_in_texts() -> None:
    """Tools take `default` for a promise that a value is there, and demand it in requests."""
    schemas = strict("hex")["components"]["schemas"]
    properties = [
        (name, one) for component in schemas.values() for name, one in component.get("properties", {}).items()
    ]
    assert not [name for name, one in properties if isinstance(one, dict) and "default" in one]
    options = schemas["HexOptions"]["properties"]
    assert options["army"]["description"].endswith("(default: `recruit`)")
    assert options["width"]["description"].endswith("(default: `15`)")
    for game in warlog_core.games():
        assert "game" in schemas[f"{games.prefix_of(game)}View"]["required"]
