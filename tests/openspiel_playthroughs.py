"""Playthroughs in OpenSpiel's own format, of every game: what OpenSpiel tells of each state of a short match.

`python -m tests.openspiel_playthroughs` records them anew in tests/playthroughs/openspiel (packed: a playthrough draws
every plane for every player). A change there is a change of the rules, of the numbers or planes, or of OpenSpiel.
"""

from __future__ import annotations

import lzma
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).resolve().parent / "playthroughs" / "openspiel"

# Options, and how many actions there are. The states of the two large boards take long to draw.
MATCHES: dict[str, tuple[dict[str, Any], int]] = {
    "confrontation": ({"races": True, "turn_limit": 30}, 6),
    "hex": ({"width": 7, "height": 5, "army": "preset"}, 6),
    "junqi": ({"mode": "flip"}, 4),
    "universal": ({"factions": ["majora", "evil"]}, 2),
    "wec": ({}, 2),
}


def path_of(game: str) -> Path:
    return FOLDER / f"{game}.txt.xz"


def recorded(game: str) -> str:
    return lzma.decompress(path_of(game).read_bytes()).decode()


def record(game: str) -> str:
    """A playthrough of actions at random."""
    from absl import flags
    from open_spiel.python.algorithms import generate_playthrough

    from warlog_core.zoo import openspiel

    if not flags.FLAGS.is_parsed():
        flags.FLAGS([__name__])
    options, length = MATCHES[game]
    name = openspiel.game_string(game, options, max_game_length=length)
    return str(generate_playthrough.playthrough(name, action_sequence=[], seed=1))


def main() -> None:
    FOLDER.mkdir(exist_ok=True)
    for game in MATCHES:
        path_of(game).write_bytes(lzma.compress(record(game).encode(), preset=9))


if __name__ == "__main__":
    main()
