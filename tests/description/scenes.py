"""What is drawn of each game: the start, and views of the published random matches.

python -m tests.description.scenes        draws the kept pictures anew: look at them before they are committed"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import warlog_core
from tests.core.games import GAMES, lines, playthroughs
from tests.description.draw import svg

PICTURES = Path(__file__).parent / "pictures"


class Scene(NamedTuple):
    """A description, and views of one moment of a match that it belongs to, by viewer."""

    name: str
    described: dict[str, Any]
    views: dict[str, Any]

    of: str = ""

    def viewer(self) -> str:
        """Whose view is drawn: that of the first seat to act, unless the scene is somebody's."""
        return self.of or next(iter(self.views["spectator"]["to_act"]), "spectator")


MOMENTS = {
    "confrontation-1": {1: "white", 23: "spectator", 32: "spectator"},
    "hex-1": {1: "blue"},
    "hex-2": {0: "red"},
    "junqi-4": {3: "spectator"},
    "universal-1": {5: "spectator"},
}
"""Of playthroughs, the moments at which a layer is drawn that no other picture has, and for whom."""


def scenes(game: str, every: int = 0) -> Iterator[Scene]:
    """The start, and of each playthrough MOMENTS and what is two thirds through; with `every` its beginning and so many
    moments."""
    rules = warlog_core.game(game)
    yield _scene(f"{game}-start", rules.describe({}), rules.new(draws=bytes))
    for path in playthroughs():
        first, *steps = lines(path)
        if first["game"] != game:
            continue
        state = rules.new(options=first["options"], position=first.get("position"), draws=first["draws"])
        described = rules.describe(first["options"])
        done = [step for step in steps if "error" not in step]
        wanted = (
            {len(done) * 2 // 3}
            if not every
            else {*range(6), *range(6, len(done), max(1, len(done) // every))}
        )
        moments = {} if every else MOMENTS.get(path.stem, {})
        for number, step in enumerate(done):
            if number in moments:
                yield _scene(f"{path.stem}-{number}", described, state, moments[number])
            if number in wanted:
                yield _scene(f"{path.stem}" + (f"-{number}" if every else ""), described, state)
            state.apply(step["seat"], step["action"], draws=step["draws"])


def _scene(name: str, described: dict[str, Any], state: warlog_core.State, of: str = "") -> Scene:
    views = {who: state.view(who, plain=True) for who in ("spectator", *state.seats)}
    return Scene(name, described, views, of)


def pictures(game: str) -> Iterator[tuple[str, str]]:
    """File name → SVG."""
    for scene in scenes(game):
        yield f"{scene.name}.svg", svg(scene.described, scene.views[scene.viewer()])


if __name__ == "__main__":
    for game in GAMES:
        for name, drawn in pictures(game):
            (PICTURES / name).write_text(drawn, encoding="utf-8")
