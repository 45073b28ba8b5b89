"""What the two SDKs find in a view to be drawn, and tell of effects, is the same, in all games."""

from __future__ import annotations

import json
import shutil
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

import warlog_core
from tests import node
from tests.core.games import GAMES, lines, playthroughs
from tests.description.scenes import scenes
from warlog_client import Drawn, Game, drawn, piece_names, told

SCRIPT = Path(__file__).with_name("drawn.mjs")
TELLING = Path(__file__).with_name("told.mjs")
SDK = Path(__file__).parents[2] / "clients" / "typescript" / "src" / "index.ts"
EVERY = 5  # moments of each playthrough


def as_json(one: Drawn) -> list[Any]:
    marks = [[mark["symbol"], mark["name"]] for mark in one.marks]
    owner, key = one.owner and one.owner.id, one.entry and one.entry["key"]
    where = [one.layer["from"], one.layer["draw"]]
    what = [where, one.spaces, one.level, owner, key, one.back, one.veiled, one.badge, marks]
    return [*what, one.direction, one.tray, one.id]


def in_node(script: Path, folder: Path) -> Any:
    """What this script says of `scenes.json` in the folder, where the SDK lies as `sdk.mjs`."""
    shutil.copy(script, folder)
    bundle = ["--bundle", "--format=esm", "--platform=node", f"--outfile={folder / 'sdk.mjs'}"]
    node.run("esbuild", str(SDK), *bundle, check=True, capture_output=True)
    command = [str(folder / script.name), str(folder / "scenes.json")]
    ran = node.run("node", *command, capture_output=True, cwd=folder)
    assert ran.returncode == 0, ran.stderr
    return json.loads(ran.stdout)


def test_both_sdks_draw_the_same(tmp_path: Path) -> None:
    shown = [(scene.described, [*scene.views.values()]) for game in GAMES for scene in scenes(game, EVERY)]
    (tmp_path / "scenes.json").write_text(json.dumps(shown), encoding="utf-8")
    drawings: Counter[str] = Counter()
    for (described, views), in_typescript in zip(shown, in_node(SCRIPT, tmp_path), strict=True):
        game = Game.of(described)
        for view, theirs in zip(views, in_typescript, strict=True):
            ours = [as_json(one) for one in drawn(game, view, beside="aside")]
            assert ours == theirs
            drawings.update(kind for (_, kind), *_ in ours)
    assert {"piece", "tray", "heap", "area", "block"} <= drawings.keys()


def test_both_sdks_tell_the_same(tmp_path: Path) -> None:
    """With the names of the pieces of the start, and for what a server may say one day."""
    happened = []
    for path in playthroughs():
        first, *steps = lines(path)
        rules = warlog_core.game(first["game"])
        state = rules.new(options=first["options"], position=first.get("position"), draws=first["draws"])
        effects = [{"type": "sun_rose"}]
        for step in steps:
            if "error" not in step:
                event = state.apply(step["seat"], step["action"], draws=step["draws"])
                effects += json.loads(event.effects_json)
        happened.append((rules.describe(first["options"]), effects))
    (tmp_path / "scenes.json").write_text(json.dumps(happened), encoding="utf-8")
    types: dict[str, set[str]] = {described["game"]: set() for described, _ in happened}
    for (described, effects), in_typescript in zip(happened, in_node(TELLING, tmp_path), strict=True):
        game = Game.of(described)
        names = piece_names(drawn(game, described["setup"]["spectator"]))
        assert [told(game, effect, names) for effect in effects] == in_typescript
        assert not any("{" in one or "[" in one or one.strip() == "" for one in in_typescript)
        assert in_typescript[0] == "sun rose"
        types[described["game"]] |= {effect["type"] for effect in effects}
    for name, seen in types.items():
        assert len(seen) > 8, (name, seen)


@pytest.mark.parametrize(
    ("name", "effect", "sentence"),
    [
        ("confrontation", {"type": "order_roll", "rolls": [{"seat": "white", "die": 2}, {"seat": "black", "die": 1}]},
         "Dice for the order of play: White 2, Black 1"),
        ("confrontation", {"type": "spell_cast", "piece": 7, "spell": "panic", "target": "c6"}, "#7 casts Panic at c6"),
        ("confrontation", {"type": "match_over", "winners": [], "reason": "draw_agreed"}, "The match is over"),
        ("hex", {"type": "healed", "piece": 3, "target_piece": 4, "at": "a1", "restored": 20, "revived": 0},
         "Red Acolyte heals #4: 20 restored"),
        ("universal", {"type": "paid", "seat": "good", "spaces": ["n14", "o14"]}, "Good pays with n14, o14"),
        ("wec", {"type": "moved", "seat": "black", "piece_type": "chopper", "from": "d1", "to": "b3", "cause": "fall"},
         "Black: Chopper d1 → b3 (fall)"),
    ],
    ids=lambda value: value["type"] if isinstance(value, dict) else None,
)  # fmt: skip
def test_a_sentence_says_pieces_seats_words_and_dice(
    name: str, effect: dict[str, Any], sentence: str
) -> None:
    """And what is absent, 0 or empty leaves its brackets out."""
    game = Game.of(warlog_core.game(name).describe())
    assert told(game, effect, {3: "Red Acolyte"}) == sentence
