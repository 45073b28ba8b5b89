"""Weaponized Chess: sentences for what `src/games/wec.c` and `wec_position.c` refuse, by explanations and notes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

from warlog_core.codecs.wec_structs import LEVELS, SEATS, SQUARES, TYPES
from warlog_core.errors import Explanation
from warlog_core.explain import one_of, pointer, quoted

Given = Mapping[str, Any]
Facts = Sequence[int]

_NUMBERS = {name: number for number, name in enumerate(SQUARES)}
_AT_LEVEL = ("on the ground", "in the air", "under water")
_NAMES = {"move": "piece", "exchange": "from"}
_BLOCKED, _OWN, _UNTAKEABLE, _ONLY_TO_TAKE = 1, 2, 3, 4


def spoken(name: str) -> str:
    return name.replace("_", " ")


def of_action(action: Given, code: str, words: Facts, options: Any) -> Explanation | None:
    kind = action["type"]
    match code:
        case "malformed_action":
            return _malformed(action)
        case "unknown_space":
            return _unknown_space(action)
        case "restricted":
            return Explanation(
                f"With these options pieces only move: there is no {spoken(kind)}.", {}, "/type"
            )
        case "no_such_reinforcement":
            id_ = action["piece"]
            return Explanation(f"No reinforcement {id_} of this seat waits.", {"piece": id_}, "/piece")
        case "must_move":
            return Explanation("A piece must move before the turn can end.", {}, "/type")
    match code, words:
        case "not_your_turn", (seat,):
            return Explanation(f"It is the turn of {SEATS[seat].capitalize()}.", {"seat": SEATS[seat]})
        case "not_your_piece", (second,):
            field = ("from", "to")[second] if kind == "exchange" else "piece"
            id_ = action[field]
            return Explanation(f"This seat has no piece {id_} on the board.", {"piece": id_}, f"/{field}")
        case "not_activated", (square,):
            said = f"This reinforcement waits for {SQUARES[square]} to be left by the piece that began there."
            return Explanation(said, {"space": SQUARES[square]}, "/piece")
        case "square_not_empty", (square,):
            said = f"The ground of {SQUARES[square]} is not empty, where this reinforcement comes in."
            return Explanation(said, {"space": SQUARES[square]}, "/piece")
        case "illegal_group", (at,):
            if at < len(action["squares"]) and at < 4:
                space = action["squares"][at]
                said = f"{space} cannot be dozed: it has to lie next to the dozer and hold a piece that may be dozed."
                return Explanation(said, {"space": space}, pointer("squares", at))
            return Explanation("A dozer moves at most four other pieces.", {"maximum": 4}, "/squares")
    if len(words) < 4:
        return None
    second, type_, square, level, *facts = words
    piece = f"{spoken(TYPES[type_ - 1])} on {SQUARES[square]}"
    field = ("from", "to")[second] if kind == "exchange" else "piece"
    return _of_piece(action, code, piece, field, SQUARES[square], level, facts, options)


def _of_piece(
    action: Given, code: str, piece: str, field: str, stands: str, level: int, facts: Facts, options: Any
) -> Explanation | None:
    """Of a piece of one's own, which this field names."""
    members: dict[str, Any] = {"piece": action[field], "space": stands}
    match code:
        case "piece_stunned":
            return Explanation(f"The {piece} is stunned for {_half_turns(facts[0])}.", members, f"/{field}")
        case "piece_just_converted":
            said = f"The {piece} was converted in this half-turn and cannot act in it."
            return Explanation(said, members, f"/{field}")
        case "piece_already_acted":
            return Explanation(f"The {piece} has acted already in this half-turn.", members, f"/{field}")
        case "piece_in_transport":
            if action["type"] == "doze":
                return Explanation("A piece of this group is on a journey of its own.", {}, "/squares")
            return Explanation(
                f"The {piece} has travelled in this half-turn and cannot move.", members, f"/{field}"
            )
        case "cannot_move_here":
            said = f"The {piece} cannot move by itself {_AT_LEVEL[level]}."
            return Explanation(said, members, f"/{field}")
        case "illegal_destination":
            return _way(action, piece, *facts)
        case "illegal_carry":
            return _carry(action, piece, *facts)
        case "king_restricted":
            if action["type"] == "fire":
                said = f"With these options the {piece} may not travel with the {spoken(action['weapon'])}."
                return Explanation(said, members, "/weapon")
            return Explanation(
                f"With these options the {piece} may not take its primary there.", members, "/carry"
            )
        case "not_a_dozer":
            return Explanation(f"The {piece} is no dozer on the ground.", members, "/piece")
        case "no_companion":
            return Explanation(f"The {piece} dozes only with another piece on its square.", members, "/piece")
        case "doze_blocked":
            said = f"The group cannot go {action['direction']}: an edge or a piece outside the group is in the way."
            return Explanation(said, members, "/direction")
        case "piece_already_fired":
            return Explanation(f"The {piece} has fired already in this half-turn.", members, "/piece")
        case "piece_already_moved":
            return Explanation(f"The {piece} has moved already, so it begins no journey.", members, "/piece")
        case "journey_in_progress":
            return Explanation(f"The {piece} is on a journey already.", members, "/weapon")
        case "no_such_weapon":
            return Explanation(f"The {piece} has no {spoken(action['weapon'])}.", members, "/weapon")
        case "weapon_not_ready":
            wait = facts[0]
            said = f"The {spoken(action['weapon'])} of the {piece} is ready in {_half_turns(wait)}."
            return Explanation(said, {**members, "needed": wait}, "/weapon")
        case "too_many_projectiles":
            return Explanation("No more than 64 projectiles can be in flight.", {"maximum": 64}, "/weapon")
        case "not_on_ground":
            said = f"The {piece} is {_AT_LEVEL[level]}: this is done on the ground."
            return Explanation(said, members, f"/{field}")
        case "illegal_target":
            return _target(action, piece, members, *facts)
        case "no_such_article" | "article_in_use" | "over_capacity" | "no_room" | "too_far":
            return _article(action, code, piece, field, members, facts)
    return None


def _half_turns(n: int) -> str:
    return "1 half-turn" if n == 1 else f"{n} half-turns"


def _way(action: Given, piece: str, why: int, square: int, level: int) -> Explanation:
    to = action["to"]
    where = to if action["level"] == "ground" else f"{to} ({action['level']})"
    if why == _BLOCKED:
        on = SQUARES[square] if level == 0 else f"{SQUARES[square]} ({LEVELS[level]})"
        said = f"The {piece} does not reach {where}: its path is blocked on {on}."
        return Explanation(said, {"piece": action["piece"], "space": SQUARES[square]}, "/to")
    reason = {
        _OWN: "a piece of its own side is there",
        _UNTAKEABLE: "it cannot take what is there",
        _ONLY_TO_TAKE: "it goes there only to take an enemy piece",
    }.get(why, "it does not move that way")
    return Explanation(
        f"The {piece} does not reach {where}: {reason}.", {"piece": action["piece"], "space": to}, "/to"
    )


def _carry(action: Given, piece: str, companion: int, must: int) -> Explanation:
    if "carry" not in action:
        said = f"The {piece} has to carry piece {companion}, which would be lost without it."
        return Explanation(said, {"needed": companion, "piece": companion}, "/carry")
    if companion == 0 or action["carry"] != companion:
        return Explanation(
            f"The {piece} has no piece {action['carry']} on its square to carry.", {}, "/carry"
        )
    said = f"The {piece} cannot carry piece {companion} there: choppers and submarines carry, once, to a free cell."
    return Explanation(said, {"piece": companion}, "/carry")


def _target(action: Given, piece: str, members: dict[str, Any], reach: int, far: int) -> Explanation:
    weapon = spoken(action["weapon"])
    if "direction" in action:
        return Explanation(f"The {piece} stands at that edge of the board.", members, "/direction")
    if "target" in action:
        target = action["target"]
        if far > reach:
            away = "1 square" if far == 1 else f"{far} squares"
            said = f"{target} is {away} from the {piece}, but the {weapon} reaches {reach}."
            return Explanation(said, {"maximum": reach, "have": far, "space": target}, "/target")
        said = f"No enemy that the {weapon} could hit is to be seen on {target}."
        return Explanation(said, {"space": target}, "/target")
    if action["to"] == members["space"]:
        return Explanation("A journey leads to another square.", {"space": action["to"]}, "/to")
    said = f"To {action['to']} there is only the beeline: a detour needs a way that is neither straight nor diagonal."
    return Explanation(said, {"allowed": ["beeline"]}, "/path")


def _article(
    action: Given, code: str, piece: str, field: str, members: dict[str, Any], facts: Facts
) -> Explanation:
    """Of acts with articles. The first fact of an exchange: is what comes back, or the other piece, at fault?"""
    back = bool(facts and facts[0])
    path = "/for" if back and "for" in action and code != "over_capacity" else "/article"
    article = spoken(action["for" if path == "/for" else "article"])
    match code:
        case "no_such_article":
            said = f"The {piece} carries no {article}."
            if action["type"] == "pick_up":
                said = f"No {article} lies on {members['space']}."
        case "article_in_use":
            said = f"The {piece} is on a journey with its {article}."
        case "over_capacity":
            said = f"The {piece} cannot carry that much."
        case "no_room":
            said = f"Two articles lie on {members['space']} already, and there is no room for a third."
        case _:
            said = "These pieces are too far apart: they exchange side by side, on one level, or with a secondary."
            path = "/to"
    return Explanation(said, members, path)


def _unknown_space(action: Given) -> Explanation | None:
    named = [((name,), action[name]) for name in ("to", "target") if isinstance(action.get(name), str)]
    listed = action.get("squares", ())
    spaces: list[tuple[tuple[str | int, ...], str]] = [
        *named,
        *((("squares", at), one) for at, one in enumerate(listed)),
    ]
    for path, space in spaces:
        if space not in _NUMBERS:
            return Explanation(f"The board has no square {quoted(space)}.", {"space": space}, pointer(*path))
    return None


def _malformed(action: Given) -> Explanation | None:
    """Fields that do not go together (7)."""
    kind = action["type"]
    if kind == "timeout":
        return Explanation("Only the server posts a timeout.", {}, "/type")
    if kind == "fire":
        return _malformed_fire(action)
    if kind == "doze":
        for at, (before, one) in enumerate(pairwise(action["squares"])):
            if _NUMBERS.get(before, -1) >= _NUMBERS.get(one, 100):
                said = f"{one} stands out of order: squares ascend from a1, each once."
                return Explanation(said, {"space": one}, pointer("squares", at + 1))
    if kind == "exchange":
        if action["from"] == action["to"]:
            return Explanation("A piece exchanges with another one.", {"piece": action["to"]}, "/to")
        if action.get("for") == action["article"]:
            return Explanation("Two articles of one kind are not exchanged.", {}, "/for")
        if "for" in action:
            return Explanation(
                "In an exchange both ways the piece with the smaller id comes first.", {}, "/from"
            )
    return None


_JOURNEYS = ("bicycle", "jump_pack", "scuba")


def _malformed_fire(action: Given) -> Explanation:
    weapon = spoken(action["weapon"])
    given = [name for name in ("direction", "target", "to", "path") if name in action]
    if action["weapon"] in _JOURNEYS:
        needed = ["to", "path"]
    elif "target" in given and action["weapon"] in ("sam_launcher", "torpedo_launcher", "limited_rocket"):
        needed = ["target"]
    else:
        needed = ["target"] if action["weapon"] == "limited_rocket" else ["direction"]
    wrong = [name for name in given if name not in needed]
    said = f"The {weapon} is fired with {one_of(needed).replace(' or ', ' and ')}"
    if wrong:
        return Explanation(f"{said}, without {quoted(wrong[0])}.", {"needed": needed}, f"/{wrong[0]}")
    missing = [name for name in needed if name not in action]
    return Explanation(f"{said}.", {"needed": needed}, f"/{missing[0] if missing else needed[0]}")


# ---- options and Positions ------------------------------------------------------------------------------------------

# The rows of PART_TURN … in wec_position.c: where in the Position.
PARTS = (
    "turn",
    "to_move",
    "idle_turns",
    "draw_offer",
    "turn_state",
    "activation_squares",
    "ghosts",
    "projectiles",
    "reinforcements",
    "articles",
    "pieces",
    "turn_state",
    "turn_state",
)
_LISTS = frozenset(("projectiles", "reinforcements", "articles", "pieces"))
_PIECES, _MARKS, _HITS = 10, 11, 12
_PIECE_FAULTS = (
    ("", "has a name or a number that cannot be"),
    ("hand", "needs a hand exactly if its type has one"),
    ("unmoved", "is no pawn, so it cannot be unmoved"),
    ("level", "would not stay at this level"),
    ("journey", "travels at another level"),
    ("lock", "cannot be locked on this piece"),
    ("articles", "has an article that cannot be locked on this piece"),
    ("ready_turns", "has no such weapon"),
)
_SAYING = {
    "duplicate_id": ("id", "has an id that stands twice"),
    "cell_overfull": ("at", "stands on a cell with more pieces than can be there together"),
    "bad_article": ("articles", "carries more than it can, or has a journey that cannot be"),
    "bad_projectile": ("", "flies where a piece is, or has a target or strength that cannot be"),
    "bad_reinforcement": (
        "",
        "has a hand or square that cannot be: its square must be an activation square with room",
    ),
}
_AS_A_WHOLE = {
    "too_many_pieces": "There are more than 128 pieces and reinforcements.",
    "too_many_articles": "There are more than 200 articles.",
    "bad_projectile": "There are more than 64 projectiles.",
}


def of_start(options: Given, position: Given | None, code: str, words: Facts) -> Explanation | None:
    """Words: those of a note on a Position."""
    if code == "invalid_options" and options.get("sub_jet_combat"):
        said = 'The option "sub_jet_combat" needs "move_only", and a movement other than "weaponized".'
        return Explanation(said, {}, "/options/sub_jet_combat")
    if not words or position is None:
        return None
    part, at, *more = words
    name = PARTS[part]
    if code == "missing_primary":
        seat = SEATS[more[1]]
        said = f"{seat.capitalize()} has no primary, and primary_lost does not say that it was lost."
        return Explanation(said, {"seat": seat}, "/position/pieces")
    if at < 0 and code in _AS_A_WHOLE:
        return Explanation(_AS_A_WHOLE[code], {}, f"/position/{name}")
    if part in (_MARKS, _HITS):
        return Explanation(
            f'"turn_state" names piece {at}, which is not on the board.',
            {"piece": at},
            "/position/turn_state",
        )
    if name not in _LISTS:
        return Explanation(f'"{name}" has a value that cannot be.', {}, f"/position/{name}")
    entry = position[name][at]
    members = {"space": entry["at"]} | ({"piece": entry["id"]} if "id" in entry else {})
    what = f"The {spoken(entry['type'])} {entry['id']}" if "type" in entry else f"The entry of {entry['at']}"
    field, said = _SAYING.get(code) or ("", "has a name or a number that cannot be")
    if name == "articles":
        field, said = (
            "articles",
            "has articles that cannot lie there: one or two, without locks, in one entry a square",
        )
    elif part == _PIECES and code in ("bad_piece", "invalid_position"):
        field, said = _PIECE_FAULTS[more[0]]
    return Explanation(f"{what} {said}.", members, pointer("position", name, at, *([field] if field else [])))
