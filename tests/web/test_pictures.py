"""The board of each game is compared with its picture in docs/pictures. `make pictures` draws the pictures anew."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Browser

import warlog_core
from tests.servers import WarlogServer
from tests.turns import by_turns
from tests.web.pictures import Pictures, drawn, drawn_as, path_of

SHARE_MAX = 0.0005  # less than a piece makes that stands elsewhere on a board of 400 spaces
PIECE = 24  # pixels of the smallest piece
GAMES = warlog_core.games()


@pytest.fixture(scope="module")
def pictures(chromium: Browser) -> Pictures:
    return Pictures(chromium)


@pytest.mark.parametrize("game", by_turns(GAMES, 2))
def test_a_board_looks_like_its_picture(
    chromium: Browser, server: WarlogServer, pictures: Pictures, game: str, tmp_path: Path
) -> None:
    now = pictures.small(drawn(chromium, server.url, game))
    (tmp_path / path_of(game).name).write_bytes(now)
    share = pictures.apart(path_of(game).read_bytes(), now)
    assert share <= SHARE_MAX, f"see the picture in {tmp_path}; `make pictures` draws the kept ones anew"


@pytest.mark.parametrize("game", GAMES)
def test_a_picture_with_one_piece_elsewhere_is_another_one(pictures: Pictures, game: str) -> None:
    kept = path_of(game).read_bytes()
    assert pictures.apart(kept, pictures.moved(kept, PIECE)) > SHARE_MAX


LACKING = (
    "svg text {visibility: hidden}",
    "svg circle {visibility: hidden}",
    "svg circle {fill: #804000 !important}",
    "[role=gridcell] {fill: #8080ff !important}",
)


def test_a_board_that_lacks_a_layer_or_has_other_colours_is_another_one(
    chromium: Browser, server: WarlogServer, pictures: Pictures
) -> None:
    kept = path_of("universal").read_bytes()
    usual, *changed = drawn_as(chromium, server.url, "universal", ["", *LACKING])
    assert pictures.apart(kept, pictures.small(usual)) <= SHARE_MAX
    for style, picture in zip(LACKING, changed, strict=True):
        assert pictures.apart(kept, picture) > 10 * SHARE_MAX, style
