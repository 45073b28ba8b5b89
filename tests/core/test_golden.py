"""Our own recorded matches, line for line (tests/playthroughs/own). `make golden` records them anew."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.core.games import GAMES
from tests.golden import parse, recordings, render


@pytest.mark.parametrize(
    "path", [p for p in recordings() if parse(p.read_text()).game in GAMES], ids=lambda p: p.stem
)
def test_a_golden_playthrough_is_what_it_was(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert render(parse(text)) == text
