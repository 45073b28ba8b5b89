"""An action of every type of every game, filled from descriptions and forms alone, is accepted over REST."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from typing import Any

import pytest

import warlog_core
from tests.core.games import lines, playthroughs
from tests.description.player import NoRoom, Player
from tests.service.api import Api, ok
from tests.service.test_playthroughs import FILES, record_of

Json = dict[str, Any]


def moments(game: str, rng: random.Random) -> Iterator[tuple[Json, dict[int, list[tuple[str, str]]]]]:
    """Records of published matches and, by version, the seats and types of actions that are to be tried there: of each
    type some moments, spread over the records."""
    rules = warlog_core.game(game)
    found: dict[str, list[tuple[int, int, str]]] = {}
    records: list[Json] = []
    for path in playthroughs():
        start, *steps = lines(path)
        if start["game"] != game:
            continue
        record, accepted = record_of([start, *steps])
        state = rules.new(options=start["options"], position=start.get("position"), draws=start["draws"])
        for version in range(1, len(accepted) + 1):
            for seat in state.seats if version % 3 == 0 or version < 12 else ():
                for type_ in {one["type"] for one in state.legal(seat, plain=True)}:
                    found.setdefault(type_, []).append((len(records), version, seat))
            step = accepted[version - 1]
            state.apply(step["seat"], step["action"], draws=step["draws"])
        records.append(record)
    chosen: dict[int, dict[int, list[tuple[str, str]]]] = {}
    for type_ in sorted(found):
        for number, version, seat in rng.sample(found[type_], min(TRIES, len(found[type_]))):
            chosen.setdefault(number, {}).setdefault(version, []).append((seat, type_))
    for number, wanted in sorted(chosen.items()):
        yield records[number], dict(sorted(wanted.items()))


TRIES = 3  # of each type


@pytest.mark.parametrize("game", sorted({name.rsplit("-", 1)[0] for name in FILES}))
def test_a_player_who_knows_no_game_posts_an_action_of_every_type(api: Api, game: str, seed: int) -> None:
    rng = random.Random(f"over REST {game} {seed}")
    ada = api.player()
    posted = set[str]()
    for record, wanted in moments(game, rng):
        done = ok(ada.post("/matches/import", record), 201)
        match, versions = done["match"]["id"], done["versions"]
        described = ok(ada.get(f"/games/{game}", params={"options": json.dumps(done["match"]["options"])}))
        player = Player(described, rng)
        for version, tries in wanted.items():
            for seat, type_ in tries:
                back = {"type": "propose", "proposal": {"kind": "undo", "to": versions[str(version)]}}
                ok(ada.command(match, back), 201)
                view = ok(ada.get(f"/matches/{match}/view?seat={seat}"))["view"]
                listing = ok(ada.get(f"/matches/{match}/actions?seat={seat}"))["actions"]
                try:
                    action = player.act(view, listing, seat, type_)
                except NoRoom:
                    continue
                event = ok(ada.act(match, seat, action), 201)
                assert (event["type"], event["seat"], event["action"]["type"]) == (
                    "action_taken",
                    seat,
                    type_,
                )
                posted.add(type_)
    types = {one.name for one in warlog_core.game(game).raw.actions if not one.server_only}
    assert posted <= types
    assert posted == types
