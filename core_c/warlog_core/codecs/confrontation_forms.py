"""The forms of Confrontation: an army against a budget (`rules/confrontation.md`, 7.1), and terrain (7.3)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from warlog_core.actions import Amount, Area, Budget, Choice, ForEach, Form, Lists, Number, Within
from warlog_core.codecs import book_data
from warlog_core.codecs.confrontation_structs import BOUGHT_TYPES, KINDS, RACE_NAMES, SEATS_OF, SPELL_NAMES

_BOOK = book_data("confrontation")
_NUMBER = Amount(0, 60)


def forms(options: Mapping[str, Any], board: Mapping[str, Any]) -> dict[str, dict[str, Form]]:
    return {"army": _army(options), "place_terrain": _terrain(options)}


def _army(options: Mapping[str, Any]) -> dict[str, Form]:
    found: dict[str, Form] = {
        "pieces": Budget(
            limit=options["army_points"],
            costs={type_: options["piece_table"][type_]["cost"] for type_ in BOUGHT_TYPES},
            count=_NUMBER,
            free={"king": 1, "pawn": options["free_pawns"]},
            max_pieces=_BOOK["max_pieces"][str(options["seats"])],
            catalogue="pieces",
        ),
        "bishops": Lists(
            of=list(SPELL_NAMES),
            for_each=ForEach("pieces", "bishop"),
            length=Amount(options["spells_per_bishop"], _BOOK["max_spells_per_bishop"]),
            included=options["spells_per_bishop"],
            cost=options["spell_cost"],
            required=False,
            catalogue="spells",
        ),
    }
    if options["races"]:
        found["race"] = Choice(list(RACE_NAMES), catalogue="races")
        found["extra_tokens"] = Number(_NUMBER.min, _NUMBER.max, options["race_token_cost"], required=False)
    return found


def _terrain(options: Mapping[str, Any]) -> dict[str, Form]:
    seats = SEATS_OF[options["seats"]]
    zones = {space for entry in _BOOK["seats"] if entry["seat"] in seats for space in entry["zone"]}
    area = Area(
        sizes=list(_BOOK["terrain_sizes"]),
        connected=True,
        not_=sorted(zones, key=lambda space: (int(space[1:]), space)),
        not_in=[Within("terrain", "spaces")],
    )
    return {"kind": Choice(list(KINDS), catalogue="terrain"), "spaces": area}
