"""What the two SDKs find in a view to be drawn is the same, in all games."""

from __future__ import annotations

import json
import shutil
from collections import Counter
from pathlib import Path
from typing import Any

from tests import node
from tests.core.games import GAMES
from tests.description.scenes import scenes
from warlog_client import Drawn, Game, drawn

SCRIPT = Path(__file__).with_name("drawn.mjs")
SDK = Path(__file__).parents[2] / "clients" / "typescript" / "src" / "index.ts"
EVERY = 5  # moments of each playthrough


def told(one: Drawn) -> list[Any]:
    marks = [[mark["symbol"], mark["name"]] for mark in one.marks]
    owner, key = one.owner and one.owner.id, one.entry and one.entry["key"]
    where = [one.layer["from"], one.layer["draw"]]
    what = [where, one.spaces, one.level, owner, key, one.back, one.veiled, one.badge, marks]
    return [*what, one.direction, one.tray, one.id]


def test_both_sdks_draw_the_same(tmp_path: Path) -> None:
    shown = [(scene.described, [*scene.views.values()]) for game in GAMES for scene in scenes(game, EVERY)]
    (tmp_path / "scenes.json").write_text(json.dumps(shown), encoding="utf-8")
    shutil.copy(SCRIPT, tmp_path)
    bundle = ["--bundle", "--format=esm", "--platform=node", f"--outfile={tmp_path / 'sdk.mjs'}"]
    node.run("esbuild", str(SDK), *bundle, check=True, capture_output=True)
    ran = node.run(
        "node", str(tmp_path / SCRIPT.name), str(tmp_path / "scenes.json"), capture_output=True, cwd=tmp_path
    )
    assert ran.returncode == 0, ran.stderr
    drawings: Counter[str] = Counter()
    for (described, views), in_typescript in zip(shown, json.loads(ran.stdout), strict=True):
        game = Game.of(described)
        for view, theirs in zip(views, in_typescript, strict=True):
            ours = [told(one) for one in drawn(game, view, beside="aside")]
            assert ours == theirs
            drawings.update(kind for (_, kind), *_ in ours)
    assert {"piece", "tray", "heap", "area", "block"} <= drawings.keys()
