"""The bookkeeper looks at every match of every kind, and none may stop it: it is one for all."""

from __future__ import annotations

from pathlib import Path

from tests.servers import WarlogServer
from tests.service import junqi
from tests.service.api import UNLIMITED, Api, ok
from tests.service.figures import figure
from tests.service.waiting import eventually


def test_a_match_without_layouts_does_not_stop_it(tmp_path: Path) -> None:
    """Flip mode: the pieces lie face down and mixed. `make load` found it, asked for again and again."""
    with WarlogServer(tmp_path, environment=UNLIMITED) as server, Api(server.url) as api:
        ada, bob = api.player(), api.player()
        seats = {"south": "me", "north": "open"}
        flip = ada.create(game="junqi", options={"mode": "flip"}, seats=seats)["match"]["id"]
        ok(bob.put(f"/matches/{flip}/seats/north", {}))
        for step in ({"type": "prepare"}, {"type": "act", "action": {"type": "ready"}}):
            for player, seat in ((ada, "south"), (bob, "north")):
                ok(player.command(flip, {**step, "seat": seat}), 201)
        junqi.playing(junqi.TWO, [ada, bob], mode="casual")
        eventually(lambda: ok(ada.get("/players/me/layouts/junqi"))["layouts"])
        assert figure(server, "warlog_worker_failures_total") == 0
