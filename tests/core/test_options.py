"""The C tables of options are those of the book's data (core_c/make_options.py writes them)."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

CORE = Path(__file__).parents[2] / "core_c"
MAKER = runpy.run_path(str(CORE / "make_options.py"))


@pytest.mark.parametrize("game", MAKER["games"]())
def test_the_header_is_what_the_data_give(game: str) -> None:
    header = CORE / "src" / "games" / f"{game}_options.h"
    assert header.read_text(encoding="utf-8") == MAKER["header_of"](game), "run python core_c/make_options.py"


def test_no_header_is_left_of_a_game_that_is_gone() -> None:
    headers = {path.name.removesuffix("_options.h") for path in CORE.glob("src/games/*_options.h")}
    assert headers == set(MAKER["games"]())
