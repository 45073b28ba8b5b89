"""Writes `src/games/<game>_options.h` from the book's data, so that the range and default of an option stand once.

`python core_c/make_options.py` writes one header for each game that has `warlog_core/rules/<game>.json`. It holds the
options that are one word each, in the order of the book, which is the order of their words. What is more than one word
(a list of spaces, a roster) the game's C file reads by hand. The headers are committed, so that the C core builds
without Python; tests/core/test_options.py compares them with the data.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
GAMES = HERE / "src" / "games"

HEADER = """\
/* {game}_options.h: the options of {game} that are one word each; private to the game's C files.
 * Made by make_options.py from warlog_core/rules/{game}.json, where they are to be changed. */
#ifndef WARLOG_{guard}_OPTIONS_H
#define WARLOG_{guard}_OPTIONS_H

#include "../game.h"

/* clang-format off */
enum {{
{names}
    OPTIONS
}};

/* The greatest numbers, for what has as many places. */
enum {{
{greatest}
}};

static const wl_option OPTION[OPTIONS] = {{
{rows}
}};
/* clang-format on */

#endif
"""


def range_of(spec: dict[str, Any]) -> tuple[int, int] | None:
    """The lowest and the highest word of an option; None if it takes more than one word.

    A boolean is 0 or 1, an enumeration counts its values from 0, numbers to choose from are themselves.
    """
    values = spec.get("values")
    if spec["type"] == "boolean":
        return 0, 1
    if spec["type"] == "integer":
        return (min(values), max(values)) if values else (spec["min"], spec["max"])
    return (0, len(values) - 1) if values else None


def defaults_of(spec: dict[str, Any]) -> tuple[str, str]:
    """The default word, and the one that holds where the book gives two (of which its C file knows when). An option
    without one stays absent."""
    given = spec.get("default")
    both = list(given.values()) if isinstance(given, dict) else [given]
    words = [word_of(spec, value) for value in both]
    return words[0], words[-1]


def word_of(spec: dict[str, Any], value: Any) -> str:
    if value is None:
        return "WL_WORD_ABSENT"
    return str(spec["values"].index(value) if isinstance(value, str) else int(value))


def header_of(game: str) -> str:
    """The text of a game's header."""
    data = json.loads((HERE / "warlog_core" / "rules" / f"{game}.json").read_text(encoding="utf-8"))
    rows: dict[str, str] = {}
    greatest: dict[str, int] = {}
    for spec in data["options"]:
        if (span := range_of(spec)) is not None:
            name = "O_" + str(spec["name"] if "name" in spec else spec["id"]).upper()
            if spec["type"] == "integer":
                greatest[name] = span[1]
            rows[name] = ", ".join(map(str, [*span, *defaults_of(spec)]))
    return HEADER.format(
        game=game,
        guard=game.upper(),
        names="\n".join(f"    {name}," for name in rows),
        greatest="\n".join(f"    {name}_MAX = {number}," for name, number in greatest.items()),
        rows="\n".join(f"    [{name}] = {{{row}}}," for name, row in rows.items()),
    )


def games() -> list[str]:
    """The games whose book has data with options."""
    names = sorted(path.stem for path in GAMES.glob("*.c") if "_" not in path.stem)
    return [name for name in names if (HERE / "warlog_core" / "rules" / f"{name}.json").exists()]


def main() -> None:
    for game in games():
        (GAMES / f"{game}_options.h").write_text(header_of(game), encoding="utf-8")


if __name__ == "__main__":
    main()
