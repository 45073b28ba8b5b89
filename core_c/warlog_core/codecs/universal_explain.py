"""Universal Chess: sentences for what `src/games/universal.c` refuses, by its explanations and notes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from warlog_core.codecs.universal_structs import KINDS, SEATS, SPACE_IDS, SPACE_NAMES
from warlog_core.errors import Explanation
from warlog_core.explain import pointer, quoted

Given = Mapping[str, Any]
Facts = Sequence[int]

_NAMED = {"summon": ("piece", "summoned"), "necromancy": ("piece", "raised")}
_NOT_OWN, _TWICE, _TOO_MANY = 1, 2, 3
_NOBODY = 5  # no owner
_DOES = {
    "promote": "promote its pieces",
    "breed": "breed",
    "summon": "summon",
    "necromancy": "raise the dead",
    "curse": "curse",
    "seize": "seize minds",
    "freeze": "freeze",
    "sacrifice": "sacrifice",
}


def of_action(action: Given, code: str, words: Facts) -> Explanation | None:
    kind = action["type"]
    if code == "malformed_action":
        return Explanation("Only the server posts a timeout.", {}, "/type") if kind == "timeout" else None
    if code == "unknown_space":
        return _unknown_space(action)
    if code == "already_frozen":
        target = action["target"]
        return Explanation(f"The piece on {target} is frozen already.", {"space": target}, "/target")
    if code == "only_moves":
        return Explanation(f"After a sacrifice the two moves come first: {kind} has to wait.", {}, "/type")
    if not words:
        return None
    say = _SAYING.get(code)
    return None if say is None else say(action, *words)


def _unknown_space(action: Given) -> Explanation:
    """The first that the book's order of fields comes to."""
    pay = action.get("pay")
    named: list[tuple[tuple[str | int, ...], str]] = [
        ((name,), action[name]) for name in ("to", "target") if name in action
    ]
    named += [(("pay", at), space) for at, space in enumerate(pay)] if type(pay) is list else []
    path, space = next((path, space) for path, space in named if space not in SPACE_IDS)
    shown = quoted(space)
    return Explanation(
        f"There is no space {shown}.", {"space": space if len(space) < 40 else shown}, pointer(*path)
    )


# ---- actions: one function a code, asked with the words ----------------------------------------------------------


def _seat(seat: int) -> str:
    return "nobody" if seat == _NOBODY else SEATS[seat].capitalize()


def _not_your_turn(action: Given, seat: int) -> Explanation:
    return Explanation(f"It is the turn of {_seat(seat)}.", {"seat": SEATS[seat]})


def _spaces_are(n: int) -> str:
    return "1 space is" if n == 1 else f"{n} spaces are"


def _cannot_pay(action: Given, cost: int, have: int) -> Explanation:
    detail = f"{_spaces_are(cost)} due, but this seat owns {have}."
    return Explanation(detail, {"cost": cost, "have": have})


def _bad_payment(action: Given, cost: int, fault: int, at: int, owner: int) -> Explanation:
    pay = action["pay"]
    due = f"{_spaces_are(cost)} due"
    if at == len(pay):
        return Explanation(f"{due}, but {at} given.", {"cost": cost}, "/pay")
    space = pay[at]
    detail = {
        _TOO_MANY: f"{space} is too many: {due}.",
        _TWICE: f"{space} is given twice.",
        _NOT_OWN: f"{space} belongs to {_seat(owner)}.",
    }[fault]
    return Explanation(detail, {"space": space, "cost": cost}, pointer("pay", at))


def _piece(action: Given, field: int) -> tuple[str, Any]:
    """The field that names the piece, and its id."""
    name = _NAMED.get(action["type"], ("piece",))[field]
    return name, action[name]


def _named(say: Callable[[Given, str, str, int], str]) -> Callable[..., Explanation]:
    """`say` is given the action, the piece's kind, its space and its seat."""

    def explain(action: Given, field: int, kind: int, seat: int, space: int, *_: int) -> Explanation:
        name, id_ = _piece(action, field)
        members = {"piece": id_} | ({} if space < 0 else {"space": SPACE_NAMES[space]})
        where = "" if space < 0 else SPACE_NAMES[space]
        return Explanation(say(action, "" if kind < 0 else KINDS[kind], where, seat), members, f"/{name}")

    return explain


def _no_such_piece(action: Given, field: int, kind: int, seat: int, space: int) -> Explanation:
    name, id_ = _piece(action, field)
    said = "is dead" if kind >= 0 else "does not exist"
    return Explanation(f"Piece {id_} {said}.", {"piece": id_}, f"/{name}")


def _no_such_dead(action: Given, field: int, kind: int, seat: int, space: int) -> Explanation:
    id_ = action["raised"]
    if kind < 0:
        said = f"There is no piece {id_}."
    elif space >= 0:
        said = f"The {KINDS[kind]} {id_} is not dead: it stands on {SPACE_NAMES[space]}."
    else:
        said = f"The dead {KINDS[kind]} {id_} belonged to {_seat(seat)}."
    return Explanation(said, {"piece": id_}, "/raised")


def _no_such_ability(action: Given, *words: int) -> Explanation:
    does = _DOES[action["type"]]
    if words[0] < 0:
        return Explanation(f"Only {_seat(words[1])} can {does}.", {"seat": SEATS[words[1]]}, "/type")
    return _named(lambda _, kind, space, seat: f"The {kind} on {space} cannot {does}.")(action, *words)


def _piece_conquering(action: Given, field: int, kind: int, seat: int, space: int) -> Explanation:
    said = f"The {KINDS[kind]} on {SPACE_NAMES[space]} is conquering and has no abilities meanwhile."
    path = "/type" if field < 0 else "/" + _piece(action, field)[0]
    return Explanation(said, {"space": SPACE_NAMES[space]}, path)


def _wrong_kind(action: Given, *words: int) -> Explanation:
    if action["type"] == "seize":
        said = f"The {KINDS[words[0]]} on {action['target']} cannot be seized."
        return Explanation(said, {"space": action["target"]}, "/target")
    cannot = {
        "promote": "be promoted: only an Angel or a Mecha can",
        "breed": "breed: only a Demon can",
        "summon": "be summoned",
        "necromancy": "be raised by a wizard",
    }[action["type"]]
    return _named(
        lambda _, kind, space, seat: f"The {kind}{' on ' + space if space else ''} cannot {cannot}."
    )(action, *words)


def _illegal_target(action: Given, kind: int, seat: int) -> Explanation:
    target = action["target"]
    if kind < 0:
        said = f"No piece stands on {target}."
    elif action["type"] == "freeze":
        said = f"The {KINDS[kind]} on {target} is no opponent: it belongs to {_seat(seat)}."
    else:
        piece = f"The {KINDS[kind]} of {_seat(seat)} on {target}"
        said = f"{piece} is no opponent at the end of a free line of at most four."
    return Explanation(said, {"space": target}, "/target")


def _immune(action: Given, kind: int, seat: int) -> Explanation:
    said = f"The {KINDS[kind]} of {_seat(seat)} on {action['to']} is immune to this piece."
    return Explanation(said, {"space": action["to"]}, "/to")


def _cannot_conquer(action: Given, space: int, owner: int) -> Explanation:
    name = SPACE_NAMES[space]
    said = f"{name} cannot be conquered: it belongs to {_seat(owner)}, of the same side."
    return Explanation(
        said, {"space": name, "seat": SEATS[owner]}, "/conquer" if "conquer" in action else "/piece"
    )


def _illegal_destination(action: Given, field: int, kind: int, seat: int, space: int) -> Explanation:
    to, from_, name = action["to"], SPACE_NAMES[space], KINDS[kind]
    if action["type"] == "move":
        said = f"The {name} on {from_} does not reach {to}."
    else:
        said = f"{to} is not an empty space next to the {name} on {from_}."
    return Explanation(said, {"piece": action["piece"], "space": to}, "/to")


def _limit_reached(action: Given, left: int) -> Explanation:
    if left:
        return Explanation("There is no number left for another piece.", {"maximum": 255})
    return Explanation("Chaos has used up its breedings.", {"have": 0})


def _already_holding(action: Given, field: int, kind: int, seat: int, space: int, held: int) -> Explanation:
    said = f"The psionic on {SPACE_NAMES[space]} holds piece {held} already."
    return Explanation(said, {"piece": held}, "/piece")


_SAYING: dict[str, Callable[..., Explanation]] = {
    "not_your_turn": _not_your_turn,
    "cannot_pay": _cannot_pay,
    "bad_payment": _bad_payment,
    "no_such_piece": _no_such_piece,
    "not_your_piece": _named(lambda _, kind, space, seat: f"The {kind} on {space} belongs to {_seat(seat)}."),
    "already_moved": _named(
        lambda _, kind, space, seat: f"The {kind} on {space} has moved: another piece does so now."
    ),
    "piece_frozen": _named(lambda _, kind, space, seat: f"The {kind} on {space} is frozen."),
    "already_conquering": _named(
        lambda _, kind, space, seat: f"The {kind} on {space} is conquering already."
    ),
    "piece_conquering": _piece_conquering,
    "no_such_ability": _no_such_ability,
    "no_such_dead": _no_such_dead,
    "wrong_kind": _wrong_kind,
    "illegal_target": _illegal_target,
    "immune": _immune,
    "cannot_conquer": _cannot_conquer,
    "illegal_destination": _illegal_destination,
    "limit_reached": _limit_reached,
    "already_holding": _already_holding,
}


# ---- options and Positions: one function for each NOTE of universal.c, in its order ---------------------------------


def of_start(options: Given, position: Given | None, words: Facts) -> Explanation | None:
    """Words: those of a note."""
    if words:
        return _NOTES[words[0]](options, position or {}, *words[1:])
    factions = options.get("factions", ())
    twice = [at for at, name in enumerate(factions) if name in factions[:at]]
    if twice:
        detail = f"The faction {quoted(factions[twice[0]])} stands twice."
        return Explanation(detail, {}, pointer("options", "factions", twice[0]))
    return None


def _factions(options: Given, position: Given) -> Explanation:
    detail = "In the mode double Majora, Chaos, Good and Evil play."
    return Explanation(detail, {"allowed": list(SEATS[:4])}, "/options/factions")


def _pairing(options: Given, position: Given) -> Explanation:
    return Explanation("A pairing belongs to the mode double.", {}, "/options/pairing")


def _first(options: Given, position: Given) -> Explanation:
    return Explanation(
        f"{options['first'].capitalize()} does not play, so it cannot begin.", {}, "/options/first"
    )


# Of a Position's own fields: its name, and what it must be.
FIELDS = (
    ("promotions", '"promotions" is from 0 to 1000.'),
    ("breedings_left", '"breedings_left" is from 0 to 20.'),
    ("quiet", '"quiet" is out of its range.'),
    ("next_id", '"next_id" is from 91 to 256.'),
    ("turn", "The turn needs a seat of this game and a number from 1."),
    ("turn", "Flags of the turn are true or left out."),
    ("draw_offer", "The draw offer needs a seat of this game."),
    ("draw_offer", "A seat that has accepted is no seat of this game."),
    ("dead", "A dead piece has an unknown kind or seat."),
    ("area", '"area" gives lists of spaces by seat: one of the names is unknown.'),
)


def _field(options: Given, position: Given, field: int) -> Explanation:
    name, detail = FIELDS[field]
    return Explanation(detail, {}, f"/position/{name}")


def _entry(list_: str, field: str, detail: Callable[..., str]) -> Callable[..., Explanation]:
    """Of the entry at this place; `detail` is given it, and the facts behind."""

    def explain(options: Given, position: Given, at: int, *facts: int) -> Explanation:
        entry = position[list_][at]
        members = {name: entry[name] for name in ("seat", "space") if name in entry}
        if "id" in entry:
            members["piece"] = entry["id"]
        path = pointer("position", list_, at, *([field] if field else []))
        return Explanation(detail(entry, *facts), members, path)

    return explain


def _area(detail: Callable[[str], str]) -> Callable[..., Explanation]:
    def explain(options: Given, position: Given, seat: int, *place: int) -> Explanation:
        name = SEATS[seat]
        path = (
            "/position/area"
            if name not in position.get("area", {})
            else pointer("position", "area", name, *place)
        )
        return Explanation(detail(name.capitalize()), {"seat": name}, path)

    return explain


def _said(detail: str, path: str) -> Callable[..., Explanation]:
    return lambda options, position, *_: Explanation(detail, {}, path)


def _mighty(options: Given, position: Given, seat: int, have: int) -> Explanation:
    detail = f"{_seat(seat)} has {have} Mighty pieces, but every seat that is in has exactly one."
    return Explanation(detail, {"seat": SEATS[seat], "have": have, "needed": 1}, "/position/pieces")


def _next_id(options: Given, position: Given, least: int) -> Explanation:
    return Explanation(f'"next_id" must be at least {least}.', {"minimum": least}, "/position/next_id")


def _conquest(entry: Given, greatest: int) -> str:
    if greatest:
        return f'"conquering" counts from {greatest} turns down to 1.'
    return f"{entry['space']} belongs to the side of {entry['seat'].capitalize()} already."


_NOTES: tuple[Callable[..., Explanation], ...] = (
    _factions,
    _pairing,
    _first,
    _field,
    _entry(
        "pieces", "", lambda piece: f"Piece {piece['id']} has an unknown name, or a number out of its range."
    ),
    _entry("pieces", "merits", lambda piece: "Only with the option veterans pieces have merits."),
    _entry(
        "out", "", lambda out: f"The entry of {out['seat']} has an unknown name, or a turn out of its range."
    ),
    _entry("out", "seat", lambda out: f"{out['seat'].capitalize()} does not play here, or is out twice."),
    _entry(
        "pieces", "seat", lambda piece: f"Piece {piece['id']} belongs to a seat that does not play or is out."
    ),
    _entry(
        "dead", "seat", lambda piece: f"Piece {piece['id']} belongs to a seat that does not play or is out."
    ),
    _area(lambda seat: f"{seat} does not play or is out, so it owns no spaces."),
    _said("The seat of the turn does not play.", "/position/turn/seat"),
    _said("The draw offer names a seat that does not play.", "/position/draw_offer"),
    _entry(
        "pieces", "id", lambda piece, most: f"The id {piece['id']} stands twice, or is not from 1 to {most}."
    ),
    _entry(
        "dead", "id", lambda piece, most: f"The id {piece['id']} stands twice, or is not from 1 to {most}."
    ),
    _next_id,
    _entry("pieces", "space", lambda piece: f"Two pieces stand on {piece['space']}."),
    _entry("pieces", "kind", lambda piece: "Psionics need the option psionics."),
    _entry("dead", "kind", lambda piece: f"A {piece['kind']} cannot be among the dead of this match."),
    _mighty,
    _area(lambda seat: f"A space of {seat} has an owner already."),
    _area(lambda seat: f"{seat} is in, but owns no space."),
    _entry("pieces", "conquering", _conquest),
    _entry("pieces", "origin", lambda piece: f"Piece {piece['id']} cannot be a thrall of this origin."),
    _entry("pieces", "holds", lambda piece: f"Piece {piece['id']} holds no thrall of its seat."),
    _entry(
        "pieces", "origin", lambda piece: f"The thrall {piece['id']} must be held by exactly one psionic."
    ),
    _said("The turn does not fit: its seat is out, or cannot have done this.", "/position/turn"),
    _said(
        "The draw offer does not fit: a seat is out, stands twice, or all have accepted.",
        "/position/draw_offer",
    ),
    _said("Fewer than two sides are in: the match would be over.", "/position/pieces"),
)
