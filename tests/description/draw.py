"""Draws any game as SVG from its description and a view alone; no game is known here.

A space is 1 wide. Each level of the board is a board of its own, side by side; trays stand below."""

from __future__ import annotations

from collections import Counter
from html import escape
from math import atan2, degrees
from typing import Any

from warlog_client import Drawn, Game, drawn

Json = dict[str, Any]
SHADES = {"light": "#f4ead6", "dark": "#d9c7a4", "quiet": "#e6efe2", "strong": "#cfd8e3"}
# Ink over the colour of a seat; what is missing is plain.
PATTERNS = {
    "stripes": '<path d="M-1,3 3,-1 M-1,9 9,-1 M5,9 9,5" stroke-width="2.2"/>',
    "dots": '<circle cx="2" cy="2" r="1.3"/><circle cx="6" cy="6" r="1.3"/>',
    "grid": '<path d="M0,4H8M4,0V8" stroke-width="1.4"/>',
    "rings": '<circle cx="4" cy="4" r="2.4" fill="none" stroke-width="1.2"/>',
    "waves": '<path d="M0,2q2,-3 4,0t4,0M0,6q2,-3 4,0t4,0" fill="none" stroke-width="1.3"/>',
    "checks": '<path d="M0,0h4v4h-4zM4,4h4v4h-4z" stroke="none"/>',
    "bars": '<path d="M0,2H8M0,6H8" stroke-width="1.8"/>',
}
OUTLINES = {
    "hexagon": "M0,-.58 .5,-.29 .5,.29 0,.58 -.5,.29 -.5,-.29z",
    "square": "M-.5,-.5h1v1h-1z",
    "field": "M-.42,-.3h.84v.6h-.84z",
    "house": "M-.42,-.42h.84v.84h-.84z",
    "circle": "M-.44,0a.44,.44 0 0 0 .88,0a.44,.44 0 0 0 -.88,0z",
}
# `color` is that of the owner.
STYLES = {
    "svg": "font-family:DejaVu Sans,sans-serif;background:#ffffff",
    "text": "fill:#222222;text-anchor:middle",
    ".id": "fill:#776644",
    ".left": "text-anchor:start",
    ".mark": "paint-order:stroke;stroke:#ffffff;stroke-width:.05",
    ".space": "stroke:#998866;stroke-width:.02",
    ".single": "fill:none;stroke:#222222;stroke-width:.03",
    ".double": "fill:none;stroke:#222222;stroke-width:.12",
    ".fill": "opacity:.35",
    ".block": "fill:#555555",
    ".outline": "fill:none;stroke:currentColor;stroke-width:.05;filter:drop-shadow(0 0 .03px #222222)",
    ".highlight": "fill:#fff3a0;fill-opacity:.6;stroke:#c8a400;stroke-width:.03;stroke-dasharray:.07",
    ".area": "fill:url(#area)",
    ".ring": "fill:none;stroke:#e8590c;stroke-width:.07",
    ".trail": "fill:none;stroke:#e8590c;stroke-width:.09;opacity:.65",
    ".arrow": "fill:currentColor;stroke:#e8590c;stroke-width:.035",
    ".rim": "stroke:#222222;stroke-width:.025",
    ".ghost": "opacity:.55",
    ".heap": "fill:#ffe8a8;stroke:#222222;stroke-width:.015",
}


class Picture:
    def __init__(self, described: Json) -> None:
        self.described, self.board = described, described["board"]
        self.at = {space["id"]: (space["x"], -space["y"]) for space in self.board["spaces"]}
        kinds = {kind["key"]: kind for kind in self.board["space_kinds"]}
        self.kinds = {space["id"]: kinds[space["kind"]] for space in self.board["spaces"]}
        self.out: list[str] = []

    def put(self, shape: str, name: str, x: float = 0, y: float = 0, more: str = "") -> None:
        self.out.append(f'<{shape} class="{name}" transform="translate({x:.4g},{y:.4g}){more}"/>')

    def text(self, x: float, y: float, text: str, size: float, more: str = "") -> None:
        at = f'x="{x:.4g}" y="{y + size * 0.35:.4g}" font-size="{size:.3g}"'
        self.out += [f"<text {at}{more}>{escape(text)}</text>"] * bool(text)

    def label(self, x: float, y: float, *words: str) -> None:
        if text := " ".join(filter(None, words)):
            w = 0.11 * len(text) + 0.09
            self.put(f'path d="M{-w / 2:.3g},-.13h{w:.3g}v.26h-{w:.3g}z"', "heap", x, y)
            self.text(x, y, text, 0.18)

    def space(self, space: str, name: str, style: str, size: float = 1) -> None:
        """The outline of a space: a hexagon, a square, or what its kind says."""
        shape = self.kinds[space].get("shape", "field")
        if "rows" in self.described["axes"]:
            shape = "hexagon"
        elif shape == "field" and self.board["kind"] == "square":
            shape = "square"
        self.put(f'path d="{OUTLINES[shape]}" {style}', name, *self.at[space], f" scale({size})")

    def ground(self) -> None:
        lines = {kind["key"]: kind.get("line", "single") for kind in self.board["edge_kinds"]}
        for edge in self.board["edges"]:
            (x, y), (x2, y2), way = self.at[edge["from"]], self.at[edge["to"]], "L"
            if "arc" in edge:
                (a, b), r = edge["arc"]["center"], edge["arc"]["radius"]
                way = f"A{r:g},{r:g} 0 0 {int((x - a) * (y2 + b) > (y + b) * (x2 - a))} "
            self.put(f'path d="M{x:g},{y:g}{way}{x2:g},{y2:g}"', lines[edge["kind"]])
        for id_, (x, y) in self.at.items():
            self.space(id_, "space", f'fill="{SHADES[self.kinds[id_].get("shade", "light")]}"')
            self.text(x, y + (0.42 if self.board["kind"] == "square" else 0.2), id_, 0.16, ' class="id"')

    def cover(self, found: list[Drawn]) -> None:
        """Draws what was found on one level: pieces side by side where there are several, and so what they hold."""
        placed = Counter[tuple[str, bool, bool]]()
        crowds = Counter(space for one in found if is_piece(one) for space in one.spaces)
        for one in found:
            if one.layer["draw"] == "trail":
                line = " ".join(f"{x:g},{y:g}" for x, y in map(self.at.__getitem__, one.spaces))
                self.put(f'polyline points="{line}"', "trail")
                continue
            for space in one.spaces:
                sort = (space, is_piece(one), held(one))
                self.on(one, space, placed[sort], crowds[space])
                placed[sort] += is_piece(one) or one.layer["draw"] == "heap"

    def on(self, one: Drawn, space: str, n: int, crowd: int) -> None:
        """`n` of its sort are drawn there already, and there will be `crowd` pieces."""
        (x, y), paint = (
            self.at[space],
            f'fill="{painted(one)}" color="{one.owner.colour if one.owner else "none"}"',
        )
        if is_piece(one):
            self.piece(one, x + (n - (crowd - 1) / 2) * 0.48, y, 0.38 if crowd == 1 else 0.27)
        elif one.layer["draw"] == "ring":
            self.put('circle r=".47"', "ring", x, y)
        elif one.layer["draw"] == "heap":
            dx, dy = (0.3 * n - 0.36, 0.41) if held(one) else (0.5 * n - 0.25, -0.4)
            self.label(x + dx, y + dy, symbol(one), one.badge)
        elif one.layer["draw"] == "arrow":
            way = next(way for way in self.board["directions"] if way["name"] == one.direction)
            turn = f" rotate({degrees(atan2(-way['dr'], way['dc'])):.4g})"
            self.put(f'path d="M.42,0 -.1,.28 .04,0 -.1,-.28z" {paint}', "arrow", x, y, turn)
            self.label(x + 0.3, y - 0.3, symbol(one), one.badge)
        else:
            self.space(space, one.layer["draw"], paint, 1 if one.layer["draw"] == "fill" else 0.9)
            self.text(x - 0.36, y - 0.38, symbol(one), 0.2)

    def piece(self, one: Drawn, x: float, y: float, r: float) -> None:
        names = (named(one), one.owner.name if one.owner else "", *one.spaces)
        said, face = escape(", ".join(filter(None, names))), "#dddddd" if one.back else "#ffffff"
        self.out.append(f'<g class="{one.layer["draw"]}"><title>{said}</title>')
        self.put(f'circle r="{r:.3g}" fill="{painted(one)}"', "rim", x, y)
        self.put(f'circle r="{r * 0.68:.3g}" fill="{face}"', "face", x, y)
        self.text(x, y, symbol(one), r * (0.78 if len(symbol(one)) < 3 else 0.58), ' font-weight="bold"')
        self.text(x, y + r * 0.47, "".join(mark["symbol"] for mark in one.marks), r * 0.36, ' class="mark"')
        self.label(x + r * 0.7, y + r * 0.75, one.badge)
        self.out.append("</g>")

    def trays(self, found: list[Drawn], y: float, per_line: int) -> float:
        """One below the other, each with what lies in it; gives where they end."""
        for title in sorted({one.tray or "" for one in found}):
            lying = [one for one in found if one.tray == title]
            self.text(-0.5, y + 0.3, title, 0.25, ' class="left"')
            for n, one in enumerate(lying):
                self.piece(one, n % per_line * 0.78 - 0.2, y + 0.8 + n // per_line * 0.82, 0.3)
            y += 0.5 + 0.82 * -(-len(lying) // per_line)
        return y


def svg(described: Json, view: Any) -> str:
    picture, found, levels = (
        Picture(described),
        [*drawn(Game.of(described), view)],
        described["board"]["levels"],
    )
    xs, ys = zip(*picture.at.values(), strict=True)
    width, top = max(xs) - min(xs) + 1.6, min(ys) - 0.9
    for number, level in enumerate(levels):
        picture.out.append(f'<g transform="translate({number * width - min(xs):.4g},0)">')
        picture.text((max(xs) + min(xs)) / 2, top + 0.2, level if len(levels) > 1 else "", 0.25)
        picture.ground()
        picture.cover([one for one in found if (one.level or levels[0]) == level and one.tray is None])
        picture.out.append("</g>")
    whole = len(levels) * width
    end = picture.trays([one for one in found if one.tray is not None], max(ys) + 0.8, int(whole / 0.78))
    box = f'viewBox="-.8 {top:g} {whole:g} {end - top:.4g}" width="{44 * whole:.0f}"'
    style = " ".join(f"{name}{{{how}}}" for name, how in STYLES.items())
    defs = HATCHED + "".join(map(pattern, (*described["seats"], *described["owners"])))
    head = f'<svg xmlns="http://www.w3.org/2000/svg" {box}><style>{style}</style><defs>{defs}</defs>'
    return "\n".join([head, *picture.out, "</svg>\n"])


def is_piece(one: Drawn) -> bool:
    return one.layer["draw"] in ("piece", "ghost")


def held(one: Drawn) -> bool:
    return one.layer.get("carried", False)


def symbol(one: Drawn) -> str:
    return "?" if one.back else one.entry["symbol"] if one.entry else ""


def named(one: Drawn) -> str:
    return "unknown" if one.back else one.entry["name"] if one.entry else ""


def painted(one: Drawn) -> str:
    return f"url(#{one.owner.id})" if one.owner else "#bbbbbb"


def pattern(owner: Json) -> str:
    red, green, blue = (int(owner["colour"][n : n + 2], 16) for n in (1, 3, 5))
    ink = "#222222" if red * 3 + green * 6 + blue > 1500 else "#ffffff"
    ground, drawn = f'<path d="M0,0h8v8h-8z" fill="{owner["colour"]}"/>', PATTERNS.get(owner["pattern"], "")
    return f'<pattern id="{owner["id"]}" {TILE}>{ground}<g stroke="{ink}" fill="{ink}">{drawn}</g></pattern>'


TILE = 'width="8" height="8" patternUnits="userSpaceOnUse" patternTransform="scale(.023)"'
HATCHED = f'<pattern id="area" {TILE}><path d="M0,8 8,0" stroke="#6b705c" stroke-width="1.6"/></pattern>'
