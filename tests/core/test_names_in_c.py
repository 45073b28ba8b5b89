"""Names that a codec lists by number and a game's C file counts by constants: both have the same ones, in one order."""

from __future__ import annotations

import importlib
import re
from pathlib import Path

import pytest

GAMES = Path(__file__).parents[2] / "core_c/src/games"

# (game, the codec's tuple, the constant that stands for its first name)
COUNTED = [
    ("confrontation", "PHASES", "ARMY"),
    ("confrontation", "TYPES", "KING"),
    ("confrontation", "BOUGHT_TYPES", "PAWN"),
    ("confrontation", "STATUSES", "RESERVE"),
    ("confrontation", "SPELL_NAMES", "FIREBALL"),
    ("confrontation", "RACE_NAMES", "DEMONS"),
    ("confrontation", "KINDS", "BARRIER"),
    ("confrontation", "TREASURES", "SWORD"),
    ("confrontation", "BYS", "BY_MOVE"),
    ("confrontation", "DECISIONS", "HOLD"),
    ("confrontation", "REMOVED_REASONS", "BECAUSE_DEFEATED"),
    ("confrontation", "REASONS", "KING_DEFEATED"),
    ("hex", "PHASES", "RECRUIT"),
    ("hex", "STATUSES", "IN"),
    ("hex", "MOVEMENTS", "WALK"),
    ("hex", "SKILLS", "NO_SKILL"),
    ("hex", "KINDS", "MELEE"),
    ("hex", "PRESETS", "PRESET_AUTO"),
    ("hex", "REASONS", "BY_ELIMINATION"),
    ("junqi", "MODES", "STANDARD"),
    ("junqi", "PHASES", "LAYOUT"),
    ("junqi", "STATUSES", "ALIVE"),
    ("junqi", "CAUSES", "FLAG_CAPTURED"),
    ("junqi", "REASONS", "FLAG_CAPTURED"),
    ("junqi", "OUTCOMES", "ATTACKER"),
    ("junqi", "COLORS", "RED"),
    ("junqi", "TYPES", "FLAG"),
    ("universal", "SEATS", "MAJORA"),
    ("universal", "PHASES", "PLAY"),
    ("universal", "MODES", "STANDARD"),
    ("universal", "PAIRINGS", "OPPOSITE"),
    ("universal", "KINDS", "MIGHTY"),
    ("universal", "REASONS", "BY_MIGHTY"),
    ("wec", "SEATS", "BLACK"),
    ("wec", "LEVELS", "GROUND"),
    ("wec", "PATHS", "BEELINE"),
    ("wec", "TYPES", "ROCKET_PAWN"),
    ("wec", "KINDS", "FLAME"),
    ("wec", "HITS", "HIT_FLAME"),
    ("wec", "MOVE_CAUSES", "BY_MOVE"),
    ("wec", "LOSS_CAUSES", "OF_TAKING"),
    ("wec", "REASONS", "BY_DESTRUCTION"),
    ("wec", "PROJECTILES", "ROCKET"),
    ("wec", "HANDS", "LEFT_HAND"),
]
# Where C says it otherwise: a constant, and the name that it stands for.
OTHERWISE = {
    "PANICKED": "panic",
    "TIMED_OUT": "timeout",
    "NO_SKILL": "none",
    "BY_RESIGNATION": "resigned",
    "BY_AGREEMENT": "draw_agreed",
    "OF_TAKING": "taken",
    "SUBMARINE": "sub",
    "BY_MIGHTY": "mighty_lost",
    "BY_AREA": "no_area",
    "BY_QUIET": "quiet_limit",
    "BY_DESTRUCTION": "primary_destroyed",
    "BY_CONVERSION": "primary_converted",
    "LEFT_HAND": "left",
    "RIGHT_HAND": "right",
}
PREFIXES = ("BY_", "BECAUSE_", "HIT_", "OF_", "PRESET_")


def counted_in_c(game: str) -> list[list[str]]:
    """The constants of each enumeration of a game, in order. In `A, B, N, C = N` the number N is no name, and C is."""
    text = "".join(path.read_text() for path in sorted(GAMES.glob(f"{game}*.[ch]")))
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)
    lists = []
    for body in re.findall(r"enum[^{;]*\{([^}]*)\}", text):
        constants: list[str] = []
        for constant, _, value in (one.strip().partition(" = ") for one in body.split(",")):
            constants = [one for one in constants if one != value]
            constants.append(constant)
        lists.append(constants)
    return lists


def named(constant: str) -> str:
    if constant in OTHERWISE:
        return OTHERWISE[constant]
    for prefix in PREFIXES:
        constant = constant.removeprefix(prefix)
    return constant.lower()


@pytest.mark.parametrize(("game", "names", "first"), COUNTED)
def test_c_counts_the_names_as_the_codec_lists_them(game: str, names: str, first: str) -> None:
    expected = list(getattr(importlib.import_module(f"warlog_core.codecs.{game}_structs"), names))
    (constants,) = [constants for constants in counted_in_c(game) if first in constants]
    start = constants.index(first)
    assert [named(one) for one in constants[start : start + len(expected)]] == expected
