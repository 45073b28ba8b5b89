"""The movement tables of Weaponized Chess (3.3), drawn from what the core lists and compared with the data file.

The pictures stand in wec_paths.txt, as in the source's diagrams: 19 rows by 19 columns, the mover `o` in the middle,
each cell with its number along its path (the lowest, where paths cross). `python -m tests.core.test_wec_paths` draws
them anew."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.core.wec_positions import BOOK, GAME
from warlog_core.codecs.wec_structs import FILES, SQUARE_NUMBERS, SQUARES

PICTURES = Path(__file__).with_name("wec_paths.txt")
SETS = ("weaponized", "standard_chess", "mass_destruction")
REACH = 9
Cells = dict[tuple[int, int], str]

# Both kings below, each carried by its sub: nothing stands on the ground or in the air but the mover.
DEPTHS = [
    {"id": 101, "seat": "black", "type": "king", "at": "a1", "level": "sub"},
    {"id": 102, "seat": "black", "type": "sub", "at": "a1", "level": "sub"},
    {"id": 103, "seat": "white", "type": "king", "at": "j10", "level": "sub"},
    {"id": 104, "seat": "white", "type": "sub", "at": "j10", "level": "sub"},
]


def listed(
    options: dict[str, Any], mover: dict[str, Any], others: list[dict[str, Any]]
) -> set[tuple[int, int, str]]:
    """Destinations of the mover as (rank, file, level) offsets."""
    pieces = [*DEPTHS, {"id": 1, "seat": "black", **mover}, *others]
    state = GAME.new(options=options, position={"pieces": pieces, "to_move": mover.get("seat", "black")})
    rank, file = divmod(SQUARE_NUMBERS[mover["at"]], FILES)
    return {
        (SQUARE_NUMBERS[a.to] // FILES - rank, SQUARE_NUMBERS[a.to] % FILES - file, a.level)
        for a in state.legal(mover.get("seat", "black"))
        if getattr(a, "level", None) is not None and a.piece == 1
    }


def arms_from_core(movement: str, mover: dict[str, Any]) -> Cells:
    """Over all squares and ranges: which cells are destinations, and from which range on."""
    cells: Cells = {}
    for reach in range(1, 9):
        names = ("tank_range", "cleric_range", "queen_tank_range", "queen_cleric_range")
        options = {"movement": movement, **dict.fromkeys(names, reach)}
        for square in SQUARES:
            for dr, dc, _ in listed(options, {**mover, "at": square}, []):
                cells.setdefault((dr, dc), str(reach))
    return cells


def arms_from_book(arms: list[dict[str, Any]]) -> Cells:
    cells: Cells = {}
    for arm in arms:
        for number, (dr, dc) in enumerate(arm["cells"], 1):
            cells[dr, dc] = min(cells.get((dr, dc), "9"), str(number))
    return cells


def leaps_from_core(movement: str, hand: str) -> Cells:
    cells: Cells = {}
    for square in SQUARES:
        for dr, dc, _ in listed({"movement": movement}, {"type": "chopper", "hand": hand, "at": square}, []):
            cells[dr, dc] = "*"
    return cells


def draw(title: str, cells: Cells) -> str:
    rows = [
        " ".join("o" if (dr, dc) == (0, 0) else cells.get((dr, dc), ".") for dc in range(-REACH, REACH + 1))
        for dr in range(REACH, -REACH - 1, -1)
    ]
    return "\n".join([title, *rows, ""])


def pictures(core: bool) -> Iterator[tuple[str, str]]:
    """(title, picture), from the core's listings or from the data file."""
    for movement in SETS:
        paths = BOOK["paths"][movement]
        for kind in ("tank", "cleric"):
            for hand in ("left", "right"):
                title = f"{movement} {kind} {hand}"
                cells = (
                    arms_from_core(movement, {"type": kind, "hand": hand})
                    if core
                    else arms_from_book(paths[kind][hand])
                )
                yield title, draw(title, cells)
        arms = paths["secondary"]["tank_arms"] + paths["secondary"]["cleric_arms"]
        title = f"{movement} secondary"
        yield (
            title,
            draw(title, arms_from_core(movement, {"type": "queen"}) if core else arms_from_book(arms)),
        )
        for hand in ("left", "right"):
            title = f"{movement} chopper {hand}"
            leaps: Cells = {(leap["leap"][0], leap["leap"][1]): "*" for leap in paths["chopper"][hand]}
            yield title, draw(title, leaps_from_core(movement, hand) if core else leaps)


def test_the_pictures_of_all_paths_are_those_of_the_data_file_cell_by_cell() -> None:
    book = dict(pictures(core=False))
    for title, picture in pictures(core=True):
        assert picture == book[title]
    assert PICTURES.read_text(encoding="utf-8") == "\n".join(book.values())


def walk(arms: list[dict[str, Any]], reach: int, square: str, blocked: set[str]) -> set[str]:
    """3.3 by hand: every cell of an arm up to the first that is off the board or not clear."""
    rank, file = divmod(SQUARE_NUMBERS[square], FILES)
    found = set()
    for arm in arms:
        for dr, dc in arm["cells"][:reach]:
            if not (0 <= rank + dr < FILES and 0 <= file + dc < FILES):
                break
            name = SQUARES[(rank + dr) * FILES + file + dc]
            if name in blocked:
                break
            found.add(name)
    return found


@pytest.mark.parametrize("movement", SETS)
@pytest.mark.parametrize(
    ("kind", "hand"), [("tank", "left"), ("tank", "right"), ("cleric", "left"), ("cleric", "right")]
)
def test_an_arm_ends_at_the_edge_and_at_the_first_piece(movement: str, kind: str, hand: str) -> None:
    blockers = ["c4", "e7", "g3", "h8", "f5"]
    others = [{"id": 10 + i, "seat": "black", "type": "xxx_pawn", "at": at} for i, at in enumerate(blockers)]
    for square in SQUARES:
        if square not in blockers:
            mover = {"type": kind, "hand": hand, "at": square}
            rank, file = divmod(SQUARE_NUMBERS[square], FILES)
            core = {
                SQUARES[(rank + dr) * FILES + file + dc]
                for dr, dc, _ in listed({"movement": movement}, mover, others)
            }
            assert core == walk(BOOK["paths"][movement][kind][hand], 7, square, set(blockers)), square


def pawn_cells(cells: dict[str, Any], unmoved: bool, enemies: bool, forward: int) -> set[tuple[int, int]]:
    alone = [*cells.get("move_only", []), *cells.get("both", [])]
    found = cells.get("attack_only", []) + cells.get("both", []) if enemies else alone
    if unmoved and not enemies:
        found = found + [step["to"] for step in cells.get("double", [])]
    return {(forward * dr, forward * dc) for dr, dc in found}


@pytest.mark.parametrize("seat", ["black", "white"])
@pytest.mark.parametrize("unmoved", [True, False])
@pytest.mark.parametrize("enemies", [True, False])
def test_pawns_go_and_attack_as_the_data_file_says(seat: str, unmoved: bool, enemies: bool) -> None:
    forward = 1 if seat == "black" else -1
    other = "white" if seat == "black" else "black"
    around = ["d4", "e4", "f4", "d5", "f5", "d6", "e6", "f6"] if enemies else []
    others = [{"id": 10 + i, "seat": other, "type": "xxx_pawn", "at": at} for i, at in enumerate(around)]
    mover = {"type": "flame_pawn", "seat": seat, "at": "e5", "unmoved": unmoved}
    pawns = BOOK["paths"]
    sets = [({"movement": name}, pawns[name]["pawn"]) for name in SETS[:2]]
    sets += [
        ({"movement": "mass_destruction", "pawn_style": style}, cells)
        for style, cells in pawns["mass_destruction"]["pawn"].items()
    ]
    for options, cells in sets:
        core = {(dr, dc) for dr, dc, _ in listed(options, mover, others)}
        assert core == pawn_cells(cells, unmoved, enemies, forward), options


@pytest.mark.parametrize("movement", SETS)
@pytest.mark.parametrize("hand", ["left", "right"])
def test_a_chopper_needs_one_clear_route(movement: str, hand: str) -> None:
    """Jets in the air around it: a leap is listed exactly when some candidate's squares are free of them."""
    jets = ["d6", "e6", "f4", "d4", "c5"]
    others = [
        {"id": 10 + i, "seat": "black", "type": "jet", "at": at, "level": "air"} for i, at in enumerate(jets)
    ]
    core = listed({"movement": movement}, {"type": "chopper", "hand": hand, "at": "e5"}, others)
    blocked = {(SQUARE_NUMBERS[at] // FILES - 4, SQUARE_NUMBERS[at] % FILES - 4) for at in jets}
    expected = set()
    for leap in BOOK["paths"][movement]["chopper"][hand]:
        to = (leap["leap"][0], leap["leap"][1])
        clear = any(not blocked & {(dr, dc) for dr, dc in route} for route in leap["routes"])
        if clear:
            expected.add((*to, "air"))  # two coexisting pieces may share a cell
            if to not in blocked:
                expected.add((*to, "ground"))
    assert core == expected


if __name__ == "__main__":
    assert sys.argv[1:] == [], "no arguments: draws the pictures of the data file"
    PICTURES.write_text("\n".join(picture for _, picture in pictures(core=False)), encoding="utf-8")
