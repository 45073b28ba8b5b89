"""Draws any game as SVG from its description and a view alone; no game is known here.

    python -m tests.description.draw        draws the kept pictures anew

Each level of the board is a board of its own, side by side; trays stand below."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from html import escape
from math import atan2, cos, sin
from typing import Any

U = 44.0  # the distance from a space to the next
INK, PAPER, HOT = "#222222", "#ffffff", "#e8590c"
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


def find(
    view: Any, path: str, around: Mapping[str, Any] | None = None
) -> Iterator[tuple[Any, dict[Any, Any]]]:
    """What a path leads to: each value, and the fields of it and of the objects around it."""
    around = dict(around or {})
    if isinstance(view, list):
        for one in view:
            yield from find(one, path, around)
    elif not path:
        yield view, around | (view if isinstance(view, dict) else {})
    elif isinstance(view, dict):
        name, _, rest = path.partition(".")
        if name in view:
            yield from find(view[name], rest, around | view)


def things(layer: Mapping[str, Any], view: Any) -> Iterator[tuple[Any, dict[Any, Any]]]:
    """As `find`, for a layer: an object that is `keyed` is opened, its keys then being the fields "owner" or "type"."""
    if "keyed" not in layer:
        yield from find(view, layer["from"])
        return
    for opened, around in find(view, layer["from"]):
        for key, value in opened.items():
            for one in value if isinstance(value, list) else [value]:
                yield one, {**around, f"keyed {layer['keyed']}": key}


class Picture:
    def __init__(self, described: Mapping[str, Any], view: Any) -> None:
        self.described, self.view, self.board = described, view, described["board"]
        self.spaces = {space["id"]: space for space in self.board["spaces"]}
        self.owners = {one["id"]: one for one in (*described["seats"], *described["owners"])}
        self.out: list[str] = []
        self.trays: dict[str, list[tuple[Mapping[str, Any], Any, dict[Any, Any]]]] = defaultdict(list)
        self.cells: dict[tuple[str, str], int] = defaultdict(int)  # how many things are drawn there
        self.crowds = Counter(
            (fields[layer["space"]], fields.get(layer.get("level")) or "")
            for layer in described["look"]
            if layer["draw"] in ("piece", "ghost")
            for _, fields in things(layer, view)
            if layer["space"] in fields
        )
        xs, ys = [s["x"] for s in self.spaces.values()], [s["y"] for s in self.spaces.values()]
        self.left, self.top = min(xs) - 0.8, max(ys) + 0.8
        self.width, self.height = (max(xs) - self.left + 0.8) * U, (self.top - min(ys) + 0.8) * U

    def at(self, space: str, level: str | None = None) -> tuple[float, float]:
        levels = self.board["levels"]
        here, board = self.spaces[space], levels.index(level) if level in levels else 0
        return (here["x"] - self.left) * U + board * self.width, (self.top - here["y"]) * U

    def put(self, text: str) -> None:
        self.out.append(text)

    def text(self, x: float, y: float, text: object, size: float, more: str = "") -> None:
        self.put(
            f'<text x="{x:.4g}" y="{y + size * 0.35:.4g}" font-size="{size:g}"{more}>{escape(str(text))}</text>'
        )

    def shape(self, space: str, level: str | None, size: float, style: str) -> None:
        """The outline of a space: a hexagon, a square, or what its kind says."""
        x, y = self.at(space, level)
        kind = next(k for k in self.board["space_kinds"] if k["key"] == self.spaces[space]["kind"])
        if self.described["axes"].get("rows"):
            w, h = U / 2 * size, U / 3**0.5 * size
            points = [(0, -h), (w, -h / 2), (w, h / 2), (0, h), (-w, h / 2), (-w, -h / 2)]
            self.put(f'<path d="M{" ".join(f"{x + a:.5g},{y + b:.5g}" for a, b in points)}z" {style}/>')
        elif kind.get("shape") == "circle":
            self.put(f'<circle cx="{x:.5g}" cy="{y:.5g}" r="{U * 0.44 * size:.5g}" {style}/>')
        else:
            w, h = (
                (U * size, U * size) if self.board["kind"] == "square" else (U * 0.84 * size, U * 0.6 * size)
            )
            if kind.get("shape") == "house":
                h = U * 0.84 * size
            self.put(f'<path d="M{x - w / 2:.5g},{y - h / 2:.5g}h{w:.5g}v{h:.5g}h{-w:.5g}z" {style}/>')

    def ground(self) -> None:
        kinds = {kind["key"]: kind for kind in self.board["space_kinds"]}
        edges = {kind["key"]: kind for kind in self.board["edge_kinds"]}
        for level in self.board["levels"]:
            for edge in self.board["edges"]:
                (x, y), (x2, y2) = self.at(edge["from"], level), self.at(edge["to"], level)
                line = f"M{x:g},{y:g}{self.bend(edge, x, y, x2, y2)}{x2:g},{y2:g}"
                wide = edges[edge["kind"]].get("line") == "double"
                self.put(f'<path d="{line}" fill="none" stroke="{INK}" stroke-width="{5 if wide else 1.2}"/>')
                if wide:
                    self.put(
                        f'<path d="{line}" fill="none" stroke="{PAPER}" stroke-width="2" stroke-dasharray="5"/>'
                    )
            for id_, space in self.spaces.items():
                shade = SHADES.get(kinds[space["kind"]].get("shade", ""), SHADES["light"])
                self.shape(id_, level, 1, f'fill="{shade}" stroke="#998866" stroke-width=".7"')
                x, y = self.at(id_, level)
                self.text(
                    x,
                    y + U * 0.2 if self.board["kind"] != "square" else y + U * 0.42,
                    id_,
                    7,
                    ' fill="#776644"',
                )
            if len(self.board["levels"]) > 1:
                x = self.board["levels"].index(level) * self.width
                self.text(x + self.width / 2, 6, level, 11, ' font-weight="bold"')

    def bend(self, edge: Mapping[str, Any], x: float, y: float, x2: float, y2: float) -> str:
        """How to go from one end to the other: straight, or round the centre of the edge's arc."""
        if "arc" not in edge:
            return "L"
        (a, b), r = edge["arc"]["center"], edge["arc"]["radius"] * U
        a, b = (a - self.left) * U, (self.top - b) * U
        clockwise = (x - a) * (y2 - b) > (y - b) * (x2 - a)
        return f"A{r:g},{r:g} 0 0 {int(clockwise)} "

    def field(self, layer: Mapping[str, Any], name: str, fields: Mapping[Any, Any]) -> Any:
        names = layer.get(name)
        for one in names if isinstance(names, list) else [names]:
            if one in fields:
                return fields[one]
        return fields.get(f"keyed {name}")

    def entry(self, layer: Mapping[str, Any], key: object) -> Mapping[str, Any]:
        catalogue = layer.get("catalogue", "pieces")
        return next(one for one in self.described[catalogue] if one["key"] == key)

    def layer(self, layer: Mapping[str, Any]) -> None:
        for value, fields in things(layer, self.view):
            if "refers" in layer:
                self.referred(layer, value)
                continue
            if "type" in layer and "hidden" not in layer and self.key(layer, value, fields) is None:
                continue
            space, level = layer.get("on") or fields.get(layer.get("space")), fields.get(layer.get("level"))
            if "space" not in layer and isinstance(value, str) and value in self.spaces:
                space = value
            spaces = [*([space] if space else []), *fields.get(layer.get("spaces"), [])]
            if layer["draw"] == "tray" or (layer["draw"] == "piece" and not spaces):
                self.trays[self.title(layer, self.field(layer, "owner", fields))].append(
                    (layer, value, fields)
                )
            elif layer["draw"] == "trail":
                line = " ".join(f"{x:g},{y:g}" for x, y in (self.at(one, level) for one in spaces))
                self.put(
                    f'<polyline points="{line}" fill="none" stroke="{HOT}" stroke-width="4" opacity=".65"/>'
                )
            else:
                for one in spaces:
                    self.thing(layer, value, fields, one, level)

    def referred(self, layer: Mapping[str, Any], wanted: Any) -> None:
        other = next(one for one in self.described["look"] if one["from"] == layer["refers"])
        for value, fields in things(other, self.view):
            if fields.get(other["id"]) == wanted:
                if layer["draw"] == "tray":
                    self.trays[self.title(layer, None)].append((other, value, fields))
                elif fields.get(other["space"]):
                    self.thing(layer, value, fields, fields[other["space"]], fields.get(other.get("level")))

    def title(self, layer: Mapping[str, Any], owner: str | None) -> str:
        mark = next((one["name"] for one in self.described["marks"] if one["key"] == layer.get("mark")), "")
        return ": ".join(part for part in (self.owners.get(owner or "", {}).get("name"), mark) if part)

    def thing(
        self, layer: Mapping[str, Any], value: Any, fields: Mapping[Any, Any], space: str, level: str | None
    ) -> None:
        (x, y), owner, draw = self.at(space, level), self.field(layer, "owner", fields), layer["draw"]
        colour = self.owners[owner]["colour"] if owner in self.owners else HOT
        if draw in ("piece", "ghost"):
            n, all_ = self.cells[space, level or ""], self.crowds[space, level or ""]
            self.cells[space, level or ""] += 1
            self.piece(
                layer,
                value,
                fields,
                x + (n - (all_ - 1) / 2) * U * 0.48,
                y,
                U * (0.38 if all_ == 1 else 0.27),
            )
        elif draw == "fill":
            self.shape(space, level, 1, f'fill="url(#{owner})" opacity=".35"')
        elif draw == "outline":
            self.shape(space, level, 0.9, f'fill="none" stroke="{INK}" stroke-width="3.2"')
            self.shape(space, level, 0.9, f'fill="none" stroke="{colour}" stroke-width="2"')
        elif draw == "block":
            self.shape(space, level, 1, 'fill="#555555"')
            self.text(x, y, "▲", 18, ' fill="#dddddd"')
        elif draw == "highlight":
            self.shape(
                space, level, 0.88, 'fill="#fff3a0" fill-opacity=".6" stroke="#c8a400" stroke-dasharray="3"'
            )
        elif draw == "ring":
            self.put(
                f'<circle cx="{x:g}" cy="{y:g}" r="{U * 0.47:g}" fill="none" stroke="{HOT}" stroke-width="3"/>'
            )
        elif draw == "area":
            self.shape(space, level, 1, 'fill="url(#area)"')
            self.text(
                x - U * 0.36, y - U * 0.38, self.entry(layer, self.field(layer, "type", fields))["symbol"], 9
            )
        elif draw == "arrow":
            way = next(one for one in self.board["directions"] if one["name"] == fields[layer["direction"]])
            points = [(0.42, 0.0), (-0.1, 0.28), (0.04, 0.0), (-0.1, -0.28)]
            angle = atan2(-way["dr"], way["dc"])
            turned = [(a * cos(angle) - b * sin(angle), a * sin(angle) + b * cos(angle)) for a, b in points]
            line = " ".join(f"{x + a * U:.2f},{y + b * U:.2f}" for a, b in turned)
            self.put(f'<polygon points="{line}" fill="{colour}" stroke="{HOT}" stroke-width="1.5"/>')
            self.small(layer, value, fields, x + U * 0.3, y - U * 0.3)
        elif draw == "heap":
            n = self.cells[space, f"{layer['from']} {level}"]
            self.cells[space, f"{layer['from']} {level}"] += 1
            side = (-0.36 + 0.3 * n, 0.41) if layer.get("carried") else (-0.25 + 0.5 * n, -0.4)
            self.small(layer, value, fields, x + side[0] * U, y + side[1] * U)
        else:
            raise ValueError(f"no such drawing: {draw}")

    def small(
        self, layer: Mapping[str, Any], value: Any, fields: Mapping[Any, Any], x: float, y: float
    ) -> None:
        """A small label: the symbol of a type, and its badge."""
        key = self.key(layer, value, fields)
        badge = self.badge(layer, value, fields)
        words = self.entry(layer, key)["symbol"] if key is not None else ""
        words += f" {badge}" if words and badge != "" else str(badge)
        w = 4.4 * len(words) + 4
        fill = "#ffffff" if layer.get("carried") else "#ffe8a8"
        self.put(
            f'<rect x="{x - w / 2:.5g}" y="{y - 5.5:.5g}" width="{w:g}" height="11" rx="2" fill="{fill}" class="l"/>'
        )
        self.text(x, y, words, 7.5)

    def key(self, layer: Mapping[str, Any], value: Any, fields: Mapping[Any, Any]) -> Any:
        key = self.field(layer, "type", fields)
        return value if key is None and isinstance(value, str) and value not in self.spaces else key

    def badge(self, layer: Mapping[str, Any], value: Any, fields: Mapping[Any, Any]) -> Any:
        if isinstance(value, int) and not isinstance(value, bool):
            return value
        return value.get(layer.get("badge"), "") if isinstance(value, dict) else ""

    def piece(
        self, layer: Mapping[str, Any], value: Any, fields: Mapping[Any, Any], x: float, y: float, r: float
    ) -> None:
        owner, key = self.field(layer, "owner", fields), self.key(layer, value, fields)
        back = "hidden" in layer and layer["hidden"] not in fields
        entry = {"symbol": "?", "name": "unknown"} if back or key is None else self.entry(layer, key)
        names = (entry["name"], self.owners.get(owner, {}).get("name"), fields.get(layer.get("space")))
        more = ' opacity=".55" stroke-dasharray="3"' if layer["draw"] == "ghost" else ""
        fill = f"url(#{owner})" if owner in self.owners else "#bbbbbb"
        self.put(f"<g><title>{escape(', '.join(name for name in names if name))}</title>")
        self.put(f'<circle cx="{x:.5g}" cy="{y:.5g}" r="{r:.4g}" fill="{fill}" stroke="{INK}"{more}/>')
        inner = "#dddddd" if back else PAPER
        self.put(f'<circle cx="{x:.5g}" cy="{y:.5g}" r="{r * 0.68:.4g}" fill="{inner}" class="l"/>')
        self.text(
            x, y, entry["symbol"], r * (0.78 if len(entry["symbol"]) < 3 else 0.58), ' font-weight="bold"'
        )
        badge = self.badge(layer, value, fields)
        if badge != "":
            w = 5 * len(str(badge)) + 4
            self.put(
                f'<rect x="{x + r - w:.5g}" y="{y + r - 10:.5g}" width="{w}" height="11" rx="2" class="b"/>'
            )
            self.text(x + r - w / 2, y + r - 4.5, badge, 8.5, ' fill="#ffffff"')
        symbols = {one["key"]: one["symbol"] for one in self.described["marks"]}
        words = ""
        for mark in layer.get("marks", ()):
            if said := isinstance(value, dict) and value.get(mark):
                words += symbols.get(f"{mark}.{said}" if isinstance(said, str) else mark, "")
                words += str(said) if isinstance(said, int) and said is not True else ""
        if words:
            self.text(x, y + r * 0.47, words, r * 0.36, ' class="m"')
        self.put("</g>")

    def stand_below(self) -> float:
        """The trays, one a line, each with what lies in it; gives the height of the whole picture."""
        y = self.height + 8
        for title in sorted(self.trays):
            self.put(f'<text x="8" y="{y + 12:g}" font-size="11" text-anchor="start">{escape(title)}</text>')
            per_line = int((self.width * len(self.board["levels"]) - 20) // 34)
            for n, (layer, value, fields) in enumerate(self.trays[title]):
                x, line = 24 + n % per_line * 34, n // per_line
                self.piece(layer, value, fields, x, y + 32 + line * 36, 13)
                self.text(x, y + 49 + line * 36, fields.get(layer.get("space"), ""), 7)
            y += 22 + 36 * -(-len(self.trays[title]) // per_line)
        return float(y + 14)


def svg(described: Mapping[str, Any], view: Any) -> str:
    picture = Picture(described, view)
    picture.ground()
    for layer in described["look"]:
        picture.layer(layer)
    height = picture.stand_below()
    width = picture.width * len(described["board"]["levels"])
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" width="{width:g}" '
            f'height="{height:g}" font-family="DejaVu Sans, sans-serif" text-anchor="middle">',
            f"<style>.l{{stroke:{INK};stroke-width:.6}}.b{{fill:{INK}}}.m{{paint-order:stroke;stroke:{PAPER};"
            "stroke-width:2}</style>",
            "<defs>",
            '<pattern id="area" width="8" height="8" patternUnits="userSpaceOnUse"><path d="M0,8 8,0" stroke="#6b705c" '
            'stroke-width="1.6"/></pattern>',
            *map(pattern, picture.owners.values()),
            "</defs>",
            f'<rect width="{width:g}" height="{height:g}" fill="{PAPER}"/>',
            *picture.out,
            "</svg>\n",
        ]
    )


def pattern(owner: Mapping[str, Any]) -> str:
    red, green, blue = (int(owner["colour"][n : n + 2], 16) for n in (1, 3, 5))
    ink = INK if red * 3 + green * 6 + blue > 1500 else PAPER
    drawn = PATTERNS.get(owner["pattern"], "")
    return (
        f'<pattern id="{owner["id"]}" width="8" height="8" patternUnits="userSpaceOnUse"><rect width="8" height="8" '
        f'fill="{owner["colour"]}"/><g stroke="{ink}" fill="{ink}">{drawn}</g></pattern>'
    )
