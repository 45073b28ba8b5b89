"""Siguo Junqi: sentences for what `src/games/junqi.c` refuses, by its explanations and notes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from warlog_core.codecs.junqi_forms import slots_of
from warlog_core.codecs.junqi_structs import ARMY, CAUSES, COLORS, MODES, PHASES, SEATS, SPACE_NAMES, TYPES
from warlog_core.errors import Explanation
from warlog_core.explain import one_of, pointer, quoted

Given = Mapping[str, Any]
Facts = Sequence[int]

_CAUSE = dict(
    zip(
        CAUSES,
        (
            "its flag was captured",
            "it had no move left",
            "it lost its last piece that could move",
            "it ran out of time too often",
            "it resigned",
            "its player fled",
        ),
        strict=True,
    )
)
_DOING = {"layout": "armies are laid out", "play": "the battle is on", "over": "the match is over"}
_FLAG, _BOMB, _MINE = "flag", "bomb", "mine"
_RULE = {
    _FLAG: "the flag must stand in a headquarters",
    _BOMB: "a bomb may not stand in the first line",
    _MINE: "a mine must stand in the last two lines",
}
_LENGTH, _PLACE = 1, 2


def name(type_: int) -> str:
    return TYPES[type_].replace("_", " ")


def of_action(action: Given, code: str, words: Facts, seats: Sequence[str]) -> Explanation | None:
    """`seats`: those of the match, by their numbers."""
    kind = action["type"]
    match code, words:
        case "malformed_action", _:
            if kind in ("timeout", "flee"):
                return Explanation(f"Only the server posts {kind}.", {}, "/type")
            if kind == "layout" and "layout" not in action:
                return Explanation('The action lacks the field "layout".', {"needed": ["layout"]}, "/layout")
            return None
        case "wrong_phase", (phase,):
            detail = f"The action {kind} belongs to another phase of the match: now {_DOING[PHASES[phase]]}."
            return Explanation(detail, {}, "/type")
        case "wrong_mode", (mode,):
            return Explanation(f"There is no {kind} in the mode {MODES[mode]}.", {}, "/type")
        case "seat_defeated", (cause,):
            return Explanation(f"This seat is defeated: {_CAUSE[CAUSES[cause]]}.")
        case "not_your_turn", (seat,):
            return Explanation(f"It is the turn of {seats[seat].capitalize()}.", {"seat": seats[seat]})
        case "unknown_space", (second,):
            field = {"swap": ("a", "b"), "move": ("", "to"), "flip": ("at", "")}[kind][second]
            where = "on this seat's own ground" if kind == "swap" else "on this board"
            return Explanation(
                f"{quoted(action[field])} is no space {where}.", {"space": action[field]}, f"/{field}"
            )
        case "illegal_swap", (which,):
            if which == 0:
                return Explanation("A piece cannot change places with itself.", {"space": action["b"]}, "/b")
            field = "ab"[which - 1]
            return Explanation(f"No piece stands on {action[field]}.", {"space": action[field]}, f"/{field}")
        case "same_type", (type_,):
            return Explanation(f"On both spaces stands a {name(type_)}, so nothing would change.", {}, "/b")
        case "illegal_layout", (moved, type_):
            to = action["a" if moved else "b"]
            detail = f"A {name(type_)} may not stand on {to}: {_RULE.get(TYPES[type_], 'no piece may')}."
            return Explanation(detail, {"space": to}, "/a" if moved else "/b")
        case "illegal_layout", (fault, at, type_, needed):
            return _layout("/layout", action["layout"], fault, at, type_, needed)
        case "too_early", (steps, needed):
            what = "Giving up" if kind == "resign" else "A draw offer"
            detail = f"{what} is possible from step {needed} on; this is step {steps}."
            return Explanation(detail, {"have": steps, "needed": needed})
        case "offer_pending", (seat,):
            return Explanation(
                f"{seats[seat].capitalize()} has offered a draw already.", {"seat": seats[seat]}
            )
        case "not_your_piece", _:
            return Explanation(
                f"This seat has no piece {action['piece']} to move.", {"piece": action["piece"]}, "/piece"
            )
        case "not_face_down", _:
            return Explanation(f"No piece lies face down on {action['at']}.", {"space": action["at"]}, "/at")
        case _, (type_, space):
            return _of_move(action, code, name(type_), SPACE_NAMES[space])
    return None


def _of_move(action: Given, code: str, piece: str, stands: str) -> Explanation | None:
    to = action["to"]
    members = {"piece": action["piece"], "space": to}
    match code:
        case "immovable_piece":
            return Explanation(
                f"A {piece} never moves.", {"piece": action["piece"], "space": stands}, "/piece"
            )
        case "trapped_in_headquarters":
            detail = f"The {piece} on {stands} is in a headquarters, and what is there never leaves."
            return Explanation(detail, {"piece": action["piece"], "space": stands}, "/piece")
        case "illegal_destination":
            return Explanation(f"No way leads the {piece} from {stands} to {to}.", members, "/to")
        case "friendly_piece":
            return Explanation(f"On {to} stands a piece of the same team.", members, "/to")
        case "face_down":
            return Explanation(f"The piece on {to} lies face down and cannot be attacked.", members, "/to")
        case "camp_protected":
            return Explanation(f"{to} is a camp: the piece there cannot be attacked.", members, "/to")
        case "flag_guarded":
            return Explanation(f"The flag on {to} is guarded as long as its side has mines.", members, "/to")
    return None


def _layout(path: str, layout: Sequence[str], fault: int, at: int, type_: int, needed: int) -> Explanation:
    if fault == _LENGTH:
        detail = f"A layout has {ARMY} pieces, this one has {len(layout)}."
        return Explanation(detail, {"have": len(layout), "needed": ARMY}, path)
    if fault == _PLACE:
        rule, slots = _RULE[TYPES[type_]], slots_of(TYPES[type_])
        where = f": slot {one_of(slots)}, counted from 0" if TYPES[type_] == _FLAG else ""
        return Explanation(f"{rule.capitalize()}{where}.", {"allowed": slots}, f"{path}/{at}")
    have = sum(piece == TYPES[type_] for piece in layout)
    detail = f"An army has {needed} of the type {name(type_)}, this layout has {have}."
    return Explanation(detail, {"have": have, "needed": needed}, path)


# ---- options and Positions: one function for each NOTE of junqi.c, in its order --------------------------------------

_COUNTS = (1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 2, 3)  # of each type in an army (3)


def of_start(options: Given, position: Given | None, code: str, words: Facts) -> Explanation | None:
    """Words: those of a note."""
    if not words:
        return None
    return _NOTES[words[0]](options, position or {}, *words[1:])


def _players(options: Given, position: Given) -> Explanation:
    flip = options.get("mode") == "flip"
    said = "In the mode flip there are 2 players." if flip else "There are 2 or 4 players."
    return Explanation(said, {"allowed": [2] if flip else [2, 4]}, "/options/players")


def _wings(options: Given, position: Given) -> Explanation:
    flip = options.get("mode") == "flip"
    said = "In the mode flip the wings are closed." if flip else "The option wings belongs to two players."
    return Explanation(said, {}, "/options/wings")


def _allies(options: Given, position: Given) -> Explanation:
    return Explanation("Two players have no allies.", {}, "/options/open_allies")


def _number(options: Given, position: Given, which: int, ground: int) -> Explanation:
    option, seat = ("scores", "balances")[which], SEATS[ground]
    low, high = ((-(10**9), 10**9), (0, 10**12))[which]
    detail = (
        f"The option {option} has no entry {seat} in this match, or its number is not from {low} to {high}."
    )
    return Explanation(
        detail, {"seat": seat, "minimum": low, "maximum": high}, pointer("options", option, seat)
    )


def _layouts(options: Given, position: Given) -> Explanation:
    return Explanation(
        "Layouts are given neither in the mode flip nor beside a Position.", {}, "/options/layouts"
    )


def _layout_seat(options: Given, position: Given, ground: int) -> Explanation:
    seat = SEATS[ground]
    return Explanation(f"This match has no seat {seat}.", {"seat": seat}, pointer("options", "layouts", seat))


def _given_layout(options: Given, position: Given, ground: int, fault: int, at: int) -> Explanation:
    seat = SEATS[ground]
    layout = options["layouts"][seat]
    type_ = TYPES.index(layout[at]) if fault == _PLACE else at
    return _layout(pointer("options", "layouts", seat), layout, fault, at, type_, _COUNTS[type_])


def _gold(options: Given, position: Given, ground: int, needed: int) -> Explanation:
    seat = SEATS[ground]
    have = options.get("balances", {}).get(seat)
    if have is None:
        detail = f"With a stake the option balances must say how much gold {seat} has: it is missing."
        path = pointer("options", "balances", seat) if "balances" in options else "/options/balances"
        return Explanation(detail, {"seat": seat, "needed": needed}, path)
    detail = f"{seat.capitalize()} has {have} gold, but {needed} could be lost in this match."
    return Explanation(
        detail, {"seat": seat, "have": have, "needed": needed}, pointer("options", "balances", seat)
    )


def _said(detail: str, *path: str) -> Callable[..., Explanation]:
    """The first of these fields of the Position that is there is at fault."""

    def explain(options: Given, position: Given, *facts: int) -> Explanation:
        field = next((field for field in path if field in position), path[0])
        return Explanation(detail, {}, pointer("position", field))

    return explain


def _seat(options: Given, position: Given, at: int) -> Explanation:
    seat = position["seats"][at]["seat"]
    detail = (
        f"The entry of {seat} cannot be: the seat does not play, stands twice, or its status, cause, time-outs or "
        "flags do not fit each other and the phase."
    )
    return Explanation(detail, {"seat": seat}, pointer("position", "seats", at))


def _piece(field: str, say: Callable[[Given], str]) -> Callable[..., Explanation]:
    def explain(options: Given, position: Given, at: int) -> Explanation:
        piece = position["pieces"][at]
        members = {"space": piece["at"]} | ({"piece": piece["piece"]} if "piece" in piece else {})
        path = pointer("position", "pieces", at, *([field] if field else []))
        return Explanation(say(piece), members, path)

    return explain


def _team(options: Given, position: Given, team: int) -> Explanation:
    return Explanation(
        f"Every seat of {('South and North', 'East and West')[team]} is defeated: the match would be over.",
        {},
        "/position/seats",
    )


def _at_space(say: Callable[[str], str]) -> Callable[..., Explanation]:
    def explain(options: Given, position: Given, *facts: int) -> Explanation:
        space = SPACE_NAMES[facts[-1]]
        at = next(at for at, piece in enumerate(position["pieces"]) if piece["at"] == space)
        return Explanation(say(space), {"space": space}, pointer("position", "pieces", at, "at"))

    return explain


def _flag(options: Given, position: Given, whose: int) -> Explanation:
    owner = COLORS[whose] if options.get("mode") == "flip" else SEATS[whose].capitalize()
    return Explanation(f"The flag of {owner} is missing.", {}, "/position/pieces")


def _layout_pieces(options: Given, position: Given, space: int) -> Explanation:
    if space < 0:
        return Explanation("While armies are laid out, no piece is missing.", {}, "/position/pieces")
    return _at_space(
        lambda name: f"While armies are laid out, the piece on {name} cannot be there or face up."
    )(options, position, space)


_NOTES: tuple[Callable[..., Explanation], ...] = (
    _players,
    _wings,
    _allies,
    _number,
    _layouts,
    _layout_seat,
    _given_layout,
    _gold,
    _said(
        "The phase and the steps do not fit: quiet steps stay below their limit, and there are none in layout.",
        "steps",
        "quiet_steps",
        "phase",
    ),
    _said(
        "In play turn names a seat of the match, and while armies are laid out there is none.",
        "turn",
        "first",
    ),
    _said("The colours do not fit the mode, the phase and the pieces that lie face up.", "colors"),
    _seat,
    _said("While armies are laid out, some seat is not ready.", "seats"),
    _piece(
        "",
        lambda piece: f"The entry of the {piece['type']} on {piece['at']} has not the fields of this mode.",
    ),
    _said("The offer does not fit: a seat is out, stands twice, or all have accepted.", "offer"),
    _said('"last_move" is no step that can have been made.', "last_move"),
    _piece("at", lambda piece: f"{quoted(piece['at'])} is no space on this board."),
    _piece("at", lambda piece: f"Two pieces stand on {piece['at']}."),
    _piece("type", lambda piece: f"No army has that many of the type {piece['type']}."),
    _piece(
        "piece",
        lambda piece: f"The id {piece['piece']} stands twice, or is none of an own {piece['type']}.",
    ),
    _team,
    _at_space(lambda space: f"The piece on {space} belongs to a seat that is defeated."),
    _flag,
    _at_space(lambda space: f"The piece on {space} may not stand there."),
    _layout_pieces,
    _said("The seat in turn is defeated.", "turn"),
    _said("The seat in turn has no move.", "turn"),
)
