"""The forms of Siguo Junqi: a layout of 25 pieces (`rules/junqi.md`, 4.2)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from warlog_core.actions import Form, Slot, Slots
from warlog_core.codecs import book_data

_BOOK = book_data("junqi")
_LAYOUT = _BOOK["layout"]
_LETTERS: dict[str, str] = _BOOK["seat_letters"]
_COUNTS = {entry["type"]: entry["count"] for entry in _BOOK["piece_types"]}


def forms(options: Mapping[str, Any], board: Mapping[str, Any]) -> dict[str, dict[str, Form]]:
    if options["mode"] == "flip":
        return {}
    seats = _LETTERS if options["players"] == 4 else {seat: _LETTERS[seat] for seat in ("south", "north")}
    slots = [
        Slot(
            [type_ for type_ in _COUNTS if _may_stand(type_, cell)],
            {seat: f"{letter}{cell}" for seat, letter in seats.items()},
        )
        for cell in _LAYOUT["cells"]
    ]
    return {"layout": {"layout": Slots(slots, dict(_COUNTS), catalogue="pieces")}}


def slots_of(type_: str) -> list[int]:
    """The slots of a layout, from 0 on, in which a piece of this type may stand."""
    return [slot for slot, cell in enumerate(_LAYOUT["cells"]) if _may_stand(type_, cell)]


def _may_stand(type_: str, cell: str) -> bool:
    line = int(cell[0])
    if type_ == "flag":
        return cell in _LAYOUT["flag_cells"]
    if type_ == "mine":
        return line in _LAYOUT["mine_lines"]
    return type_ != "bomb" or line not in _LAYOUT["bomb_forbidden_lines"]
