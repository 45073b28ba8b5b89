"""Pictures of the board of each game in the midst of a match: the README shows them, and `test_pictures.py` compares
what is drawn with them.

    python -m tests.web.pictures        draws them anew (`make pictures`): look at them before they are committed
"""

from __future__ import annotations

import base64
import struct
import tempfile
import zlib
from collections.abc import Sequence
from math import ceil, floor
from pathlib import Path
from random import Random
from typing import Any

from playwright.sync_api import Browser

import warlog_core
from tests.load.bench import begin
from tests.node import CLIENTS
from tests.servers import WarlogServer
from tests.service.api import UNLIMITED
from tests.web.pages import Person, browser

PICTURES = Path(__file__).resolve().parents[2] / "docs/pictures"
WIDTH = 640
COLOURS = 96
APART = 64  # of 255, in red, green or blue: a difference that counts
SEED, ACTIONS = 1, 60

# The letters are those of a font that comes with the tools of clients/, whatever fonts the machine has.
FONTS = {
    weight: CLIENTS / f"node_modules/dejavu-fonts-ttf/ttf/{name}.ttf"
    for weight, name in ((400, "DejaVuSans"), (700, "DejaVuSans-Bold"))
}

# What a page is asked to do with pictures: the canvas of the browser is all that is needed for it.
TOOLS = """
async function scaled(png, width) {
  const image = new Image();
  image.src = "data:image/png;base64," + png;
  await image.decode();
  const canvas = new OffscreenCanvas(width, Math.round(image.height * width / image.width));
  const context = canvas.getContext("2d", {willReadFrequently: true});
  context.imageSmoothingQuality = "high";
  context.drawImage(image, 0, 0, canvas.width, canvas.height);
  return context;
}
const pixels = (context) => context.getImageData(0, 0, context.canvas.width, context.canvas.height);

/* Those of its pixels that are far from those of the other picture, as a share of all. */
async function apart(one, other, width, limit) {
  const [a, b] = [pixels(await scaled(one, width)), pixels(await scaled(other, width))];
  if (Math.abs(a.height - b.height) > 1) return 1;
  let far = 0;
  for (let at = 0; at < a.data.length; at += 4) {
    far += [0, 1, 2].some((part) => Math.abs(a.data[at + part] - b.data[at + part]) >= limit);
  }
  return far / (a.data.length / 4);
}

/* Its most frequent colours, and the nearest of them for each pixel. */
async function painted(png, width, colours) {
  const {width: wide, height, data} = pixels(await scaled(png, width));
  const counts = new Map();
  const rough = (at) => (data[at] >> 3 << 10) | (data[at + 1] >> 3 << 5) | (data[at + 2] >> 3);
  for (let at = 0; at < data.length; at += 4) counts.set(rough(at), (counts.get(rough(at)) ?? 0) + 1);
  const most = [...counts].sort((a, b) => b[1] - a[1]).slice(0, colours).map(([key]) => key);
  const palette = most.map((key) => [key >> 10, key >> 5 & 31, key & 31].map((part) => Math.round(part * 255 / 31)));
  const nearest = new Map();
  for (const key of counts.keys()) {
    const [r, g, b] = [key >> 10, key >> 5 & 31, key & 31].map((part) => part * 255 / 31);
    const far = palette.map(([x, y, z]) => (x - r) ** 2 + (y - g) ** 2 + (z - b) ** 2);
    nearest.set(key, far.indexOf(Math.min(...far)));
  }
  const indices = [];
  for (let at = 0; at < data.length; at += 4) indices.push(nearest.get(rough(at)));
  return {width: wide, height, palette, indices};
}

/* The square that is busiest, one of those of this size, is moved by its own width. */
async function moved(png, width, size) {
  const context = await scaled(png, width);
  let [best, from] = [-1, [0, 0]];
  for (let y = 0; y + size <= context.canvas.height; y += size / 2) {
    for (let x = 0; x + 2 * size <= width; x += size / 2) {
      const {data} = context.getImageData(x, y, size, size);
      const light = Array.from({length: data.length / 4}, (_, at) => data[4 * at] + data[4 * at + 1]);
      const mean = light.reduce((sum, one) => sum + one) / light.length;
      const busy = light.reduce((sum, one) => sum + (one - mean) ** 2, 0);
      if (busy > best) [best, from] = [busy, [x, y]];
    }
  }
  context.putImageData(context.getImageData(...from, size, size), from[0] + size, from[1]);
  const bytes = new Uint8Array(await (await context.canvas.convertToBlob()).arrayBuffer());
  return btoa(Array.from(bytes, (one) => String.fromCharCode(one)).join(""));
}
"""


def midst(game: str) -> dict[str, Any]:
    """A Position in the midst of a match of random actions, always the same one."""
    state = begin(warlog_core.game(game), SEED)
    state.play_randomly(Random(SEED), ACTIONS)
    assert state.result is None
    found: dict[str, Any] = state.position(plain=True)
    return found


def drawn(chromium: Browser, url: str, game: str) -> bytes:
    """The board of that Position as the page draws it for who is to move; a PNG."""
    (picture,) = drawn_as(chromium, url, game, [""])
    return picture


def drawn_as(chromium: Browser, url: str, game: str, styles: Sequence[str]) -> list[bytes]:
    """The same in each of these styles, which tell the page what to do otherwise."""
    person = Person(chromium, url, viewport={"width": 1280, "height": 1000}, bypass_csp=True)
    person.begin(game, position=midst(game))
    page = person.page
    page.add_style_tag(content=pinned())
    page.evaluate(
        "Promise.all([400, 700].map((weight) => document.fonts.load(`${weight} 9px 'DejaVu Sans'`)))"
    )
    person.settle()
    boards = [board.bounding_box() for board in page.get_by_role("grid").all()]
    boxes = [board for board in boards if board is not None]
    # Whole pixels: browsers do not agree on how a part of one is cut off.
    left, top = (floor(min(box[side] for box in boxes)) for side in ("x", "y"))
    right = ceil(max(box["x"] + box["width"] for box in boxes))
    below = ceil(max(box["y"] + box["height"] for box in boxes))
    shots = []
    for style in styles:
        told = page.add_style_tag(content=style or " ")
        person.settle()
        shots.append(
            page.screenshot(
                full_page=True, clip={"x": left, "y": top, "width": right - left, "height": below - top}
            )
        )
        told.evaluate("one => one.remove()")
    person.close()
    return shots


def pinned() -> str:
    """A style by which all letters are those of the pinned font."""
    faces = [
        f"@font-face {{font-family: 'DejaVu Sans'; font-weight: {weight}; src: url(data:font/ttf;base64,"
        f"{base64.b64encode(path.read_bytes()).decode()})}}"
        for weight, path in FONTS.items()
    ]
    return "\n".join([*faces, "* {font-family: 'DejaVu Sans' !important}"])


class Pictures:
    """What a browser does with pictures; each is the bytes of a PNG."""

    def __init__(self, chromium: Browser) -> None:
        self._page = chromium.new_page()
        self._page.add_script_tag(content=TOOLS)

    def apart(self, one: bytes, other: bytes) -> float:
        """The share of the pixels whose colours are far apart. Both are compared at half their size, where it makes no
        difference how the edges of letters and lines are drawn, which another version of the browser does a little
        differently."""
        share: float = self._page.evaluate(
            f"([one, other]) => apart(one, other, {WIDTH // 2}, {APART})", [text(one), text(other)]
        )
        return share

    def moved(self, png: bytes, size: int) -> bytes:
        """With something of that size in another place."""
        return base64.b64decode(self._page.evaluate(f"(png) => moved(png, {WIDTH}, {size})", text(png)))

    def small(self, png: bytes) -> bytes:
        """At the width of a kept picture, with few colours."""
        found = self._page.evaluate(f"(png) => painted(png, {WIDTH}, {COLOURS})", text(png))
        width, height, indices = found["width"], found["height"], bytes(found["indices"])
        rows = b"".join(b"\0" + indices[at : at + width] for at in range(0, len(indices), width))
        return b"\x89PNG\r\n\x1a\n" + b"".join(
            struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))
            for kind, content in (
                (
                    b"IHDR",
                    struct.pack(">IIBBBBB", width, height, 8, 3, 0, 0, 0),
                ),  # 8 bits: a number in a palette
                (b"PLTE", bytes(part for colour in found["palette"] for part in colour)),
                (b"IDAT", zlib.compress(rows, 9)),
                (b"IEND", b""),
            )
        )


def text(png: bytes) -> str:
    return base64.b64encode(png).decode()


def path_of(game: str) -> Path:
    return PICTURES / f"{game}.png"


def record() -> None:
    PICTURES.mkdir(exist_ok=True)
    with (
        tempfile.TemporaryDirectory() as data,
        WarlogServer(Path(data), environment=UNLIMITED) as server,
        browser() as chromium,
    ):
        pictures = Pictures(chromium)
        for game in warlog_core.games():
            png = pictures.small(drawn(chromium, server.url, game))
            path_of(game).write_bytes(png)
            print(f"{path_of(game)}: {len(png):,} bytes")


if __name__ == "__main__":
    record()
