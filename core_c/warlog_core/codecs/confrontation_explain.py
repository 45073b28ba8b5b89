"""Confrontation: sentences for what `src/games/confrontation.c` refuses, by its explanations and notes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from warlog_core.codecs import book_data
from warlog_core.codecs.confrontation_structs import KINDS, PHASES, SPACE_IDS, SPACE_NAMES, SPELL_NAMES, TYPES
from warlog_core.errors import Explanation
from warlog_core.explain import one_of, pointer, quoted

Given = Mapping[str, Any]
Facts = Sequence[int]

_BOOK = book_data("confrontation")
_ZONES: Mapping[str, Sequence[str]] = {entry["seat"]: entry["zone"] for entry in _BOOK["seats"]}

_DOING = {
    "army": "armies are bought",
    "order": "the order of play is chosen",
    "terrain": "terrain is placed",
    "setup": "armies are set up",
    "play": "a turn is played",
    "over": "the match is over",
}
# Open decisions, in the C file's order.
_DECIDING = (
    "",
    "whether to hold the line",
    "whether to try one's luck",
    "whether a piece lives again",
    "where the panicked piece goes",
    "whether to attack in fury",
    "whether to move on swiftly",
    "whether the risen piece charges",
    "whether to accept the draw",
)


def of_action(action: Given, code: str, words: Facts, seats: Sequence[str]) -> Explanation | None:
    """`seats`: those of the match, by their numbers."""
    kind = action["type"]
    match code, words:
        case "malformed_action", _:
            return _malformed(action)
        case "unknown_space", _:
            return _unknown_space(action)
        case "wrong_phase", (phase, decision):
            now = f"it is to be decided {_DECIDING[decision]}" if decision else _DOING[PHASES[phase]]
            said = f"The action {kind} does not belong here: now {now}."
            if kind in ("move", "cast") and PHASES[phase] == "play" and not decision:
                said = "No actions are left in this turn."
            return Explanation(said, {}, "/type")
        case "not_your_turn", (bits,):
            turn = [seat for number, seat in enumerate(seats) if bits >> number & 1]
            said = f"It is the turn of {' and '.join(seat.capitalize() for seat in turn)}."
            return Explanation(said, {"seat": turn[0]} if len(turn) == 1 else {"allowed": turn})
        case "bad_place", (most,):
            said = f"The place in the order is from 1 to {most}, not {action['position']}."
            return Explanation(said, {"minimum": 1, "maximum": most}, "/position")
        case "bad_terrain_size", _:
            said = f"An area has 4 or 8 different spaces, not {len(action['spaces'])}."
            return Explanation(said, {"allowed": [4, 8], "have": len(action["spaces"])}, "/spaces")
        case "terrain_not_connected", _:
            return Explanation("All spaces of an area must be connected by their sides.", {}, "/spaces")
        case "terrain_in_zone", _:
            return _in_zone(action["spaces"], seats)
        case "terrain_overlap", (number,):
            space = SPACE_NAMES[number]
            path = pointer("spaces", action["spaces"].index(space))
            return Explanation(f"{space} has terrain already.", {"space": space}, path)
        case "wrong_race", _:
            return Explanation("Only Demons rise from Hell.", {"needed": "demons"}, "/type")
        case "action_required", _:
            return Explanation("An action is possible, so the turn cannot end yet.", {}, "/type")
        case "unknown_piece", _:
            return Explanation(f"There is no piece {action['piece']}.", {"piece": action["piece"]}, "/piece")
        case "not_your_piece", (seat,):
            said = f"Piece {action['piece']} belongs to {seats[seat].capitalize()}."
            return Explanation(said, {"piece": action["piece"], "seat": seats[seat]}, "/piece")
        case "cannot_heal", _:
            said = f"Piece {action['revive']} is no removed Pawn, Rook or Knight of this seat."
            return Explanation(said, {"piece": action["revive"]}, "/revive")
        case "illegal_target", (reach,):
            return _target(action, reach)
    if kind == "army":
        return _army(action, code, words)
    if len(words) == 2 and "piece" in action:
        return _of_piece(action, code, TYPES[words[0]], "" if words[1] < 0 else SPACE_NAMES[words[1]])
    if code == "illegal_destination":
        return Explanation(f"The piece cannot go to {action['to']}.", {"space": action["to"]}, "/to")
    return None


def _in_zone(spaces: Sequence[str], seats: Sequence[str]) -> Explanation:
    at, seat = next((at, seat) for at, space in enumerate(spaces) for seat in seats if space in _ZONES[seat])
    said = f"{spaces[at]} lies in the zone of {seat.capitalize()}, where no terrain may be placed."
    return Explanation(said, {"space": spaces[at], "seat": seat}, pointer("spaces", at))


def _army(action: Given, code: str, words: Facts) -> Explanation | None:
    where = "/preset" if "preset" in action else "/pieces"
    match code, words:
        case "too_many_pieces", (have, most):
            said = (
                f"With its King and free Pawns this army has {have} pieces, but at most {most} are allowed."
            )
            return Explanation(said, {"have": have, "maximum": most}, where)
        case "bad_spells", (at, have, needed):
            if at < 0:
                have = len(action.get("bishops", ()))
                said = (
                    "There must be as many lists of spells as Bishops are bought: "
                    f"this army has {have}, but must have {needed}."
                )
                return Explanation(said, {"have": have, "needed": needed}, "/bishops")
            most = _BOOK["max_spells_per_bishop"]
            said = f"A Bishop must have from {needed} to {most} spells, but this one has {have}."
            path = pointer("bishops", at) if "bishops" in action else where
            return Explanation(said, {"have": have, "minimum": needed, "maximum": most}, path)
        case "too_many_points", (cost, budget):
            said = f"This army costs {cost} points, but there are {budget}."
            members = {"cost": cost, "budget": budget}
            if cost < 0:
                said, members = (
                    f"This army costs more than the {budget} points there are.",
                    {"budget": budget},
                )
            return Explanation(said, members, where)
        case "race_required", _:
            return Explanation("With the option races an army has a race.", {}, "/race")
        case "race_not_allowed", _:
            path = "/race" if "race" in action else "/extra_tokens" if "extra_tokens" in action else where
            return Explanation("Without the option races an army has neither race nor tokens.", {}, path)
    return None


def _of_piece(action: Given, code: str, piece: str, stands: str) -> Explanation | None:
    members: dict[str, Any] = {"piece": action["piece"]} | ({"space": stands} if stands else {})
    name = f"{piece} on {stands}" if stands else f"{piece} {action['piece']}"
    match code:
        case "already_placed":
            return Explanation(f"The {name} is no longer in the reserve.", members, "/piece")
        case "piece_not_on_board":
            return Explanation(f"The {name} is not on the board.", members, "/piece")
        case "already_acted":
            return Explanation(f"The {name} has acted already.", members, "/piece")
        case "not_a_bishop":
            return Explanation(f"The {name} casts no spells: only a bishop does.", members, "/piece")
        case "spell_not_known":
            return Explanation(
                f"The {name} does not know {action['spell']}, or has cast it.", members, "/spell"
            )
        case "immune_space":
            return Explanation(
                f"The {name} stands on counterspell terrain, which no race power reaches.", members, "/piece"
            )
        case "illegal_destination":
            to = action["to"]
            said = f"The {name} cannot go to {to}."
            if action["type"] == "cast":
                said = f"{to} is no empty space of this seat's zone."
            elif action["type"] == "place":
                said = f"{to} is no empty space of this seat's zone where the {name} may be set up."
            return Explanation(said, {"piece": action["piece"], "space": to}, "/to")
    return None


def _target(action: Given, reach: int) -> Explanation:
    spell = action["spell"]
    if "target" not in action:
        return Explanation(f"No enemy piece that {spell} could reach stands beside the bishop.", {}, "/spell")
    target = action["target"]
    within = f" within {reach} spaces in a free straight line" if reach >= 0 else ""
    said = f"On {target} there is no enemy piece that {spell} could reach{within}."
    return Explanation(said, {"space": target} | ({"maximum": reach} if reach >= 0 else {}), "/target")


def _unknown_space(action: Given) -> Explanation | None:
    named: list[tuple[tuple[str | int, ...], Any]] = [
        ((name,), action[name]) for name in ("to", "target") if name in action
    ]
    named += [(("spaces", at), space) for at, space in enumerate(action.get("spaces", ()))]
    for path, space in named:
        if space not in SPACE_IDS:
            return Explanation(f"The board has no space {quoted(space)}.", {"space": space}, pointer(*path))
    return None


_CAST = {
    "fireball": ("target",),
    "heal": ("revive", "to"),
    "hurt": ("target",),
    "judgement": (),
    "panic": ("target",),
}
_NEEDED = {"army": ("pieces",), "place_terrain": ("kind", "spaces")}


def _malformed(action: Given) -> Explanation | None:
    """Fields that do not go together (7)."""
    kind = action["type"]
    if kind == "timeout":
        return Explanation("Only the server posts a timeout.", {}, "/type")
    for field, value in action.items():
        if type(value) is int and not -(2**31) <= value < 2**31:
            return Explanation("The number is too large.", {}, f"/{field}")
    for field in _NEEDED.get(kind, ()):
        if field not in action and "preset" not in action:
            return Explanation(f'The action lacks the field "{field}".', {"needed": [field]}, f"/{field}")
    if kind == "army" and "preset" in action:
        extra = next((name for name in ("pieces", "bishops", "extra_tokens") if name in action), "preset")
        return Explanation("A preset stands without pieces, bishops and extra tokens.", {}, f"/{extra}")
    if kind == "cast":
        needed = _CAST[action["spell"]]
        for field in ("target", "revive", "to"):
            if (field in action) != (field in needed):
                with_ = one_of(needed).replace(" or ", " and ") if needed else "nothing more"
                return Explanation(
                    f"The spell {action['spell']} is cast with {with_}.",
                    {"needed": list(needed)},
                    f"/{field}",
                )
    return None


# ---- options and Positions -------------------------------------------------------------------------------------------


def of_start(options: Given, position: Given | None, code: str, words: Facts) -> Explanation | None:
    """Words: those of a note."""
    if not words:
        return None
    return PARTS[words[0]](options, position or {}, *words[1:])


def _option(options: Given, position: Given, row: int) -> Explanation:
    return Explanation("An option is out of its range.", {}, "/options")


def _table(name: str, rows: Sequence[str], what: str) -> Callable[..., Explanation]:
    def explain(options: Given, position: Given, row: int) -> Explanation:
        said = f"The entry of {rows[row]} in {name} has a number out of its range, or {what}."
        return Explanation(said, {}, pointer("options", name, rows[row]))

    return explain


def _areas_unwanted(options: Given, position: Given, _: int) -> Explanation:
    return Explanation(
        'The option "terrain_areas" needs the option "terrain" to be "custom".', {}, "/options/terrain_areas"
    )


def _option_area(options: Given, position: Given, at: int) -> Explanation:
    said = f"Area {at + 1} must have 4 or 8 spaces connected by their sides, none of them in another area."
    return Explanation(said, {"allowed": [4, 8]}, pointer("options", "terrain_areas", at))


def _area(options: Given, position: Given, at: int) -> Explanation:
    said = f"Area {at + 1} needs one of the kinds {one_of(KINDS)} and spaces of its own, each once."
    return Explanation(said, {}, pointer("position", "terrain", at))


def _said(detail: str, path: str) -> Callable[..., Explanation]:
    return lambda options, position, *_: Explanation(detail, {}, f"/position/{path}")


def _seats(options: Given, position: Given, needed: int) -> Explanation:
    return Explanation(
        f"A Position has an entry for each of the {needed} seats.", {"needed": needed}, "/position/seats"
    )


def _seat(options: Given, position: Given, at: int) -> Explanation:
    seat = position["seats"][at]["seat"]
    said = f"The entry of {seat} is of no seat of this match, or out of order."
    return Explanation(said, {"seat": seat}, pointer("position", "seats", at, "seat"))


def _race(options: Given, position: Given, at: int) -> Explanation:
    seat = position["seats"][at]["seat"]
    said = '"race" and "race_tokens" stand together, with the option "races" and only with it.'
    return Explanation(said, {"seat": seat}, pointer("position", "seats", at))


def _order(options: Given, position: Given, at: int) -> Explanation:
    seat = position["play_order"][at]
    said = f"The seat {seat} is not one of this match, or stands in the order twice."
    return Explanation(said, {"seat": seat}, pointer("position", "play_order", at))


def _turn(options: Given, position: Given, most: int) -> Explanation:
    said = f"The turn is from 1 to {most}." if most else "The turn is at least 1."
    return Explanation(said, {"minimum": 1} | ({"maximum": most} if most else {}), "/position/turn")


def _actions_left(options: Given, position: Given, most: int) -> Explanation:
    said = f'"actions_left" is from 0 to {most}.'
    return Explanation(said, {"minimum": 0, "maximum": most}, "/position/actions_left")


def _piece(options: Given, position: Given, at: int) -> Explanation:
    piece = position["pieces"][at]
    before = position["pieces"][:at]
    path, said = [], "has a seat, status, place, bonus or spells that do not fit each other"
    if any(other["id"] == piece["id"] for other in before):
        path, said = ["id"], "has an id that stands twice"
    elif piece.get("status", "board") == "board" and any(
        other.get("at") == piece.get("at") and "at" in piece for other in before
    ):
        path, said = ["at"], "stands on a space that is taken"
    elif ("at" in piece) != (piece.get("status", "board") == "board"):
        path, said = ["at"], "has a space exactly while it is on the board"
    members = {"piece": piece["id"]} | ({"space": piece["at"]} if "at" in piece else {})
    return Explanation(
        f"The {piece['type']} {piece['id']} {said}.", members, pointer("position", "pieces", at, *path)
    )


def _acted(options: Given, position: Given, at: int) -> Explanation:
    if at < 0:
        return Explanation("More pieces have acted than actions are spent.", {}, "/position/acted")
    id_ = position["acted"][at]
    said = f"Piece {id_} in acted is none of the active seat's, or stands there twice."
    return Explanation(said, {"piece": id_}, pointer("position", "acted", at))


# In the order of the enum PART of confrontation.c.
PARTS: tuple[Callable[..., Explanation], ...] = (
    _option,
    _table("piece_table", TYPES, "a cost for the King, who is not bought"),
    _table("spell_table", SPELL_NAMES, "one that this spell does not have"),
    _areas_unwanted,
    _option_area,
    _area,
    _seats,
    _seat,
    _said("At least two seats are alive.", "seats"),
    _race,
    _order,
    _said("Every seat that is alive stands in the order of play.", "play_order"),
    _said("The active seat is alive and in this match.", "active"),
    _turn,
    _actions_left,
    _piece,
    _said("Every seat that is alive has exactly one King on the board.", "pieces"),
    _said("A King alone is out: every seat that is alive has another piece.", "pieces"),
    _acted,
)
