"""The notation of Weaponized Chess (`rules/wec.md`, 10.6): histories written, censored for a reader (8.6), read back.

A history is made by playing the match again: what an act is called depends on the piece as it stood just before it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import UNSET

from warlog_core.codecs import Section, Step
from warlog_core.codecs._actions import type_name
from warlog_core.codecs.wec_structs import (
    DIRECTION_STEPS,
    DIRECTIONS,
    FILES,
    HANDS,
    INHERENT_WEAPONS,
    KINDS,
    LEVELS,
    SEATS,
    SQUARE_NUMBERS,
    SQUARES,
    TYPES,
    PositionArticle,
)
from warlog_core.errors import Explanation, Refused
from warlog_core.explain import quoted
from warlog_core.state import State, new_state

if TYPE_CHECKING:
    from warlog_core.event import Event
    from warlog_core.game import Game

TYPE_CODES: dict[str, str] = dict(zip(TYPES, (
    "RP", "STP", "FP", "CP", "XP", "SHP", "SOP", "TA", "DO", "CL", "CH", "JE", "SU", "DS", "AAA", "K", "DI", "AV", "PR",
    "Q", "AS", "AC", "PM",
), strict=True))  # fmt: skip
KIND_CODES: dict[str, str] = dict(zip(KINDS, (
    "FL", "ST", "CS", "RL", "SL", "TL", "SH", "AFL", "AST", "ACS", "ARL", "ASL", "ATL", "ASH", "BI", "JU", "SC", "XXX",
), strict=True))  # fmt: skip
WEAPON_CODES = {kind: KIND_CODES[kind] for kind in (*KINDS[:6], *KINDS[14:17])} | {"limited_rocket": "RL"}
MISSILE_CODES = {"rocket": "R", "sam": "S", "torpedo": "T"}
LOSS_CODES = {
    "rocket": "RK", "torpedo": "TK", "sam": "SK", "flame": "FK", "stun": "STK", "conversion": "CK", "crash": "XK",
}  # fmt: skip
LEVEL_SIGNS = {"ground": "", "air": "^", "sub": "v"}
HAND_SIGNS = {"left": "<", "right": ">"}
PATH_SIGNS = {"beeline": "", "port": "<", "starboard": ">"}
SEAT_LETTERS = {"black": "B", "white": "W"}
CANONICAL_ORDER = "M12PXRD"


def _loc(square: str) -> str:
    rank, file = divmod(SQUARE_NUMBERS[square], FILES)
    return f"({rank + 1},{file + 1})"


def _cell(square: str, level: str) -> str:
    return LEVEL_SIGNS[level] + _loc(square)


def _adjacent(square: str, direction: str) -> str:
    dr, dc = DIRECTION_STEPS[DIRECTIONS.index(direction)]
    return SQUARES[SQUARE_NUMBERS[square] + dr * FILES + dc]


# ---- pieces as they stand ------------------------------------------------------------------------------------


@dataclass(slots=True)
class _Piece:
    """What a description needs of a piece, and its place in piece order (section 2)."""

    id: int
    seat: str
    type: str
    at: str
    level: str
    hand: str
    articles: list[str]
    stun: int
    order: tuple[Any, ...] = field(repr=False)

    def describe(self) -> str:
        """`desc` without `#2`."""
        carried = (
            f"{len(self.articles)}{''.join(KIND_CODES[kind] for kind in self.articles)}"
            if self.articles
            else ""
        )
        return TYPE_CODES[self.type] + _cell(self.at, self.level) + carried + HAND_SIGNS.get(self.hand, "")

    def happened(self) -> str:
        return f"{self.describe()}{self.stun}{SEAT_LETTERS[self.seat]}"


def _pieces(state: State) -> dict[int, _Piece]:
    """Every piece on the board of a running match, by id."""
    position = state.position()
    found = {}
    for p in position.pieces:
        base = position.turn + (p.seat != position.to_move)

        def own_turns(half_turn: Any, base: int = base) -> int:
            return 0 if half_turn is UNSET else max(0, (half_turn - base + 1) // 2)

        carried = [] if p.articles is UNSET else p.articles
        kinds = [a.kind if isinstance(a, PositionArticle) else a for a in carried]
        hand = "" if p.hand is UNSET else p.hand
        stun = own_turns(p.stunned_until)
        ready = {} if p.ready_turns is UNSET else p.ready_turns
        order = (
            SQUARE_NUMBERS[p.at],
            LEVELS.index(p.level),
            SEATS.index(p.seat),
            TYPES.index(p.type),
            HANDS.index(hand) + 1 if hand else 0,
            tuple(KINDS.index(kind) for kind in kinds),
            tuple(own_turns(a.ready_turn) if isinstance(a, PositionArticle) else 0 for a in carried),
            tuple(own_turns(ready.get(name, UNSET)) for name in INHERENT_WEAPONS[p.type]),
            stun,
            p.unmoved is not UNSET and p.unmoved,
            0 if p.journey is UNSET else 1 + KINDS.index(p.journey.article),
            p.id,
        )
        found[p.id] = _Piece(p.id, p.seat, p.type, p.at, p.level, hand, kinds, stun, order)
    return found


def _number_two(piece: _Piece, pieces: Mapping[int, _Piece]) -> str:
    """`#2` for the second of two own pieces of a cell that are described alike."""
    for other in pieces.values():
        if other.seat == piece.seat and other.describe() == piece.describe() and other.order < piece.order:
            return "#2"
    return ""


# ---- one act --------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class _Act:
    """An act of the half-turn under way, for one reader: None where he is shown nothing of it."""

    letter: str  # M, F, P, X, R, D; "" for end_turn
    text: str | None
    results: list[str]


class _Reader:
    """Who reads: `viewer` None reads everything, else as much as that seat or spectator was given at the time."""

    def __init__(self, viewer: str | None, seat: str) -> None:
        self.viewer = viewer
        self.is_actor = viewer is None or viewer == seat

    def forms(self, event: Event) -> list[tuple[Any, Any | None]]:
        """Each effect whole, with the form that the reader got (None: nothing)."""
        return (
            event.forms(self.viewer)
            if self.viewer is not None
            else [(effect, effect) for effect in event.effects]
        )


def _is(effect: Any | None, *types: str) -> bool:
    """Is it an effect of one of these types?"""
    return effect is not None and type_name(effect) in types


def _given_whole(whole: Any, given: Any | None) -> bool:
    return type(given) is type(whole)


def _results(
    reader: _Reader, forms: list[tuple[Any, Any | None]], pieces: dict[int, _Piece], mover: _Piece | None
) -> list[str]:
    """The result items of one action, in order of occurrence. `pieces` is brought up to date effect by effect."""
    items: list[str] = []
    taker = "?"
    for whole, given in forms:
        shown = _given_whole(whole, given)
        if _is(whole, "projectile_created", "projectile_moved"):
            dr, dc = DIRECTION_STEPS[DIRECTIONS.index(whole.direction)]
            items.append(f"{MISSILE_CODES[whole.kind]}->{_loc(whole.at)}({dr},{dc})")
        elif _is(whole, "article_landed"):
            items.append(f"{KIND_CODES[whole.article]}v{_loc(whole.at)}")
        elif _is(whole, "moved"):
            assert isinstance(whole.piece, int)
            piece = pieces[whole.piece]
            piece.at, piece.level = whole.to, whole.to_level
            if mover is not None and piece is mover and _is(given, "moved", "appeared"):
                taker = TYPE_CODES[piece.type]
            if whole.cause in ("journey", "fall") and shown:
                items.append(f"{TYPE_CODES[piece.type]}->{_cell(piece.at, piece.level)}")
        elif _is(whole, "stunned"):
            assert isinstance(whole.piece, int)
            piece = pieces[whole.piece]
            piece.stun = whole.stun
            if shown:
                items.append(f"ST*{piece.happened()}")
            piece.articles = []
        elif _is(whole, "destroyed"):
            assert isinstance(whole.piece, int)
            piece = pieces.pop(whole.piece)
            if shown:
                items.append(f"{LOSS_CODES.get(whole.cause, taker)}*{piece.happened()}")
        elif _is(whole, "converted"):
            assert isinstance(whole.piece, int)
            piece = pieces[whole.piece]
            if shown:
                items.append(f"CS*{piece.happened()}")
            piece.seat = whole.to_seat
    return items


def _seen_move(piece: _Piece, forms: list[tuple[Any, Any | None]]) -> str:
    """How a reader who is not the mover is told of a displacement (8.6); empty: not at all."""
    for whole, given in forms:
        if _is(whole, "moved") and whole.piece == piece.id and given is not None:
            if _given_whole(whole, given):
                return f"{piece.describe()}->{_cell(whole.to, whole.to_level)}"
            if _is(given, "appeared"):
                return f"{TYPE_CODES[piece.type]}?->{_cell(given.at, given.level)}"
            return f"{piece.describe()}->?"
    return ""


def _move_text(
    reader: _Reader,
    action: Mapping[str, Any],
    forms: list[tuple[Any, Any | None]],
    pieces: Mapping[int, _Piece],
) -> str | None:
    mover = pieces[action["piece"]]
    carried = pieces[action["carry"]] if "carry" in action else None
    if not reader.is_actor:
        text = _seen_move(mover, forms)
        along = _seen_move(carried, forms) if carried is not None else ""
        if not text:
            return f"?-TRA->{along}" if along else None
        return f"{text}-TRA->{along}" if along else text
    to = _cell(action["to"], action["level"])
    text = f"{mover.describe()}{_number_two(mover, pieces)}->{to}"
    if carried is not None:
        text += f"-TRA->{carried.describe()}{_number_two(carried, pieces)}->{to}"
    return text


def _seen_on_ground(state: State, seat: str) -> set[tuple[str, str, str]]:
    """Seat, type and square of every piece on the ground that this seat sees."""
    view = state.view(seat)
    return {(p.seat, p.type, p.at) for p in (*view.pieces, *view.enemies) if p.level == "ground"}


def _doze_text(
    reader: _Reader,
    action: Mapping[str, Any],
    forms: list[tuple[Any, Any | None]],
    pieces: Mapping[int, _Piece],
    seen: Callable[[], set[tuple[str, str, str]]],
) -> str | None:
    dozer = pieces[action["piece"]]
    moved = [(whole, given) for whole, given in forms if _is(whole, "moved")]
    others = [(whole, given) for whole, given in moved if whole.piece != dozer.id]
    to = _adjacent(dozer.at, action["direction"])
    if not reader.is_actor:
        text = _seen_move(dozer, forms) or "?"
        members = [
            f",{TYPE_CODES[whole.piece_type]}{_loc(whole.from_)}"
            for whole, given in others
            if _given_whole(whole, given)
        ]
        arrived = any(whole.piece == dozer.id and _is(given, "moved", "appeared") for whole, given in moved)
        if members:
            text += f",DO>{_loc(to) if arrived else '?'}{''.join(members)}"
        return None if text == "?" else text
    if moved:
        names = [f",{TYPE_CODES[whole.piece_type]}{_loc(whole.from_)}" for whole, _ in others]
    else:  # it bumped: the members that were seen
        squares = {dozer.at, *action["squares"]}
        visible = seen()
        group = [
            p
            for p in pieces.values()
            if p.level == "ground"
            and p.at in squares
            and p is not dozer
            and (p.seat, p.type, p.at) in visible
        ]
        names = [f",{TYPE_CODES[p.type]}{_loc(p.at)}" for p in sorted(group, key=lambda p: p.order)]
    return f"{dozer.describe()}{_number_two(dozer, pieces)}->{_loc(to)},DO>{_loc(to)}{''.join(names)}"


def _target_text(state: State, seat: str, square: str, level: str) -> str:
    """The first seen enemy of the cell, described."""
    for enemy in state.view(seat).enemies:
        if enemy.at == square and enemy.level == level:
            kinds = [] if enemy.articles is UNSET else [a.kind for a in enemy.articles]
            hand = "" if enemy.hand is UNSET else enemy.hand
            return _Piece(0, enemy.seat, enemy.type, square, level, hand, kinds, 0, ()).describe()
    raise AssertionError("a target is seen by the seat that fires at it (7.3.5)")


def _fire_text(
    reader: _Reader, state: State, seat: str, action: Mapping[str, Any], pieces: Mapping[int, _Piece]
) -> str:
    firer = pieces[action["piece"]]
    desc = firer.describe() + (_number_two(firer, pieces) if reader.is_actor else "")
    text = f"{WEAPON_CODES[action['weapon']]}/{desc}"
    if "direction" in action:
        return f"{text}->{_loc(_adjacent(firer.at, action['direction']))}"
    if "target" in action:
        level = {"sam_launcher": "air", "torpedo_launcher": "sub"}.get(action["weapon"], "ground")
        return f"{text}=>{_target_text(state, seat, action['target'], level)}"
    return f"{text}->{_loc(action['to'])}{PATH_SIGNS[action['path']]}" if reader.is_actor else text


def _exchange_text(reader: _Reader, action: Mapping[str, Any], pieces: Mapping[int, _Piece]) -> str:
    giver, receiver = pieces[action["from"]], pieces[action["to"]]
    first, second = (
        piece.describe() + (_number_two(piece, pieces) if reader.is_actor else "")
        for piece in (giver, receiver)
    )
    article = KIND_CODES[action["article"]]
    if "for" in action:
        return f"{first}->{article}<=>{KIND_CODES[action['for']]}<-{second}"
    return f"{first}->{article}->{second}"


def _article_text(reader: _Reader, action: Mapping[str, Any], pieces: Mapping[int, _Piece]) -> str:
    piece = pieces[action["piece"]]
    number = _number_two(piece, pieces) if reader.is_actor else ""
    sign = "^" if action["type"] == "pick_up" else "v"
    return f"{piece.describe()}{number}{sign}{KIND_CODES[action['article']]}"


def _reinforce_text(before: State, action: Mapping[str, Any], pieces: dict[int, _Piece]) -> str:
    """Also puts the reinforcement among the pieces: a projectile may be waiting for it."""
    waiting = next(p for p in before.position().reinforcements if p.id == action["piece"])
    hand = "" if waiting.hand is UNSET else waiting.hand
    pieces[waiting.id] = _Piece(waiting.id, waiting.seat, waiting.type, waiting.at, "ground", hand, [], 0, ())
    return f"{_loc(waiting.at)}{TYPE_CODES[waiting.type]}{HAND_SIGNS.get(hand, '')}"


_LETTERS = {
    "move": "M", "doze": "M", "fire": "F", "pick_up": "P", "exchange": "X", "reinforce": "R", "drop": "D",
    "end_turn": "",
}  # fmt: skip


def _act(reader: _Reader, before: State, seat: str, action: Mapping[str, Any], event: Event) -> _Act:
    """One accepted action of `seat` from the state `before`, as the reader may know it."""
    kind = action["type"]
    forms = reader.forms(event)
    pieces = _pieces(before)
    main = forms[0] if forms else (None, None)
    shown = reader.is_actor or _given_whole(*main)
    text = None
    mover = pieces.get(action["piece"]) if kind in ("move", "doze") else None
    if kind == "move":
        text = _move_text(reader, action, forms, pieces)
    elif kind == "doze":
        text = _doze_text(reader, action, forms, pieces, lambda: _seen_on_ground(before, seat))
    elif kind == "fire":
        text = _fire_text(reader, before, seat, action, pieces) if shown else None
    elif kind in ("pick_up", "drop"):
        text = _article_text(reader, action, pieces) if shown else None
    elif kind == "exchange":
        text = _exchange_text(reader, action, pieces) if shown else None
    elif kind == "reinforce":
        text = _reinforce_text(before, action, pieces)
        if not (reader.is_actor or (shown and _is(main[0], "reinforced"))):
            text = None  # a bump is the acting seat's own affair
    start = (mover.at, mover.level) if mover is not None else ("", "")
    results = _results(reader, forms, pieces, mover)
    if reader.is_actor:
        results = _deviation(action, start, mover, event) + results
    return _Act(_LETTERS[kind], text, results)


def _deviation(
    action: Mapping[str, Any], start: tuple[str, str], mover: _Piece | None, event: Event
) -> list[str]:
    """The item that says that an act did not go as intended. It goes to the acting seat alone."""
    if action["type"] == "reinforce":
        return ["RE-"] if any(_is(effect, "bumped") for effect in event.effects) else []
    if mover is None:
        return []
    moves = [
        e for e in event.effects if _is(e, "moved") and e.piece == mover.id and e.cause in ("move", "doze")
    ]
    if action["type"] == "doze":
        return [] if moves else [f"DO->{_loc(start[0])}"]
    end = (moves[0].to, moves[0].to_level) if moves else start
    if end == (action["to"], action["level"]):
        return []
    return [f"{TYPE_CODES[mover.type]}->{_cell(*end)}"]


# ---- lines ------------------------------------------------------------------------------------------------------


def _line(turn: int, seat: str, acts: Sequence[_Act], is_actor: bool, ended: bool) -> str:
    """One half-turn. `is_actor`: the reader is shown every act of it."""
    fires = [act for act in acts if act.letter == "F" and act.text is not None]
    move = next((act for act in acts if act.letter == "M"), None)
    if move is not None and move.text is not None:
        parts = [f"MV:{move.text}"]
    else:
        parts = ["MV:-" if is_actor else "MV:?"]
    parts += [f"FI{number}:{fire.text}" for number, fire in enumerate(fires, 1)]
    for letter, name in (("P", "PU"), ("X", "EX"), ("R", "RE"), ("D", "DR")):
        parts += [f"{name}:{act.text}" for act in acts if act.letter == letter and act.text is not None]
    results = [item for act in acts for item in act.results]
    if results:
        parts.append(f"RS:{','.join(results)}")
    order = "".join(
        str(1 + fires.index(act)) if act.letter == "F" else act.letter
        for act in acts
        if act.letter and act.text is not None
    )
    if order != "".join(letter for letter in CANONICAL_ORDER if letter in order):
        parts.append(f"OR:{order}")
    if not ended:
        parts.append("UN")
    return f"{turn}{SEAT_LETTERS[seat]} {','.join(parts)}"


def turn_lines(start: State, steps: Iterable[Step], viewer: str | None = None) -> list[str]:
    """The turn lines of the match that went from `start` by these accepted steps.

    `viewer` None: complete. Else censored as in a competitive match that runs, for that seat or "spectator" (8.6)."""
    state = start.copy()
    lines: list[str] = []
    acts: list[_Act] = []
    for actor, action in steps:
        before = state.copy()
        event = state.apply(actor, action)
        if is_silent(action):
            continue
        reader = _Reader(viewer, actor)
        acts.append(_act(reader, before, actor, action, event))
        if ends_line(action):
            lines.append(_line(before.view(actor).turn, actor, acts, reader.is_actor, True))
            acts = []
    if acts:
        turn, seat = _half_turn(state)
        lines.append(_line(turn, seat, acts, viewer is None or viewer == seat, False))
    return lines


_SILENT = ("offer_draw", "accept_draw", "decline_draw", "resign", "timeout")


def _half_turn(state: State) -> tuple[int, str]:
    """Number and seat of the half-turn that a state stands in, also when the match is over."""
    fields = state.fields()
    return fields["turn"], SEATS[fields["to_move"]]


def _json(value: Any) -> str:
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def head_lines(start: State, viewer: str | None = None, *, later: bool = False) -> list[str]:
    """What stands above the turn lines: the options that differ from the defaults, and where the match began.

    `later`: above those that follow an option change or an edit. The file goes on there with a Position, always:
    left out for the standard setup, it would tell a reader who may not know the Position that it is this one."""
    game, options = start.game, msgspec.to_builtins(start.view("spectator").options)
    usual = game.full_options({})
    said = {name: value for name, value in options.items() if value != usual[name]}
    lines = [] if later else ["WEC 1"]
    lines.append(f"OPTIONS {_json(said)}")
    if later or start.data != new_state(game, options).data:
        # What POSITION holds is the whole truth: a reader who may not know it learns only that there is one.
        lines.append("POSITION ?" if viewer is not None else f"POSITION {_json(start.position(plain=True))}")
    return lines


def result_line(winners: Sequence[str], reason: str) -> str:
    """The last line of a match that is over."""
    return f"RESULT {winners[0] if winners else 'draw'} {reason}"


def is_silent(action: Mapping[str, Any]) -> bool:
    """Is this an action of which no turn line tells?"""
    return action["type"] in _SILENT


def ends_line(action: Mapping[str, Any]) -> bool:
    """Does the next act stand on a line of its own?"""
    return bool(action["type"] == "end_turn")


def write(start: State, steps: Iterable[Step], viewer: str | None = None) -> str:
    """The history file of a match: header, turn lines and, once it is over, the result."""
    steps = list(steps)
    lines = head_lines(start, viewer) + turn_lines(start, steps, viewer)
    end = start.copy()
    for actor, action in steps:
        end.apply(actor, action)
    result = end.result
    if result is not None:
        lines.append(result_line(result.winners, result.reason))
    return "\n".join(lines) + "\n"


# ---- reading back -------------------------------------------------------------------------------------------------

_TYPES_BY_CODE = {code: name for name, code in TYPE_CODES.items()} | {"SP": "stun_pawn"}
_KINDS_BY_CODE = {code: name for name, code in KIND_CODES.items()} | {"JP": "jump_pack"}
_LOC = r"\((?:10|[1-9]),(?:10|[1-9])\)"
_CELL = rf"[\^v]?{_LOC}"
_CODE = r"[A-Z]+"
_DESC = rf"{_CODE}{_CELL}(?:[123][A-Z]+)?[<>]?(?:#2)?"
_TURN = re.compile(
    rf"(?P<turn>[1-9]\d{{0,6}})(?P<seat>[BW]) MV:(?:-|(?P<mover>{_DESC})->(?P<to>{_CELL})"
    rf"(?:-TRA->(?P<carried>{_DESC})->(?P<carried_to>{_CELL})|,DO>(?P<dozer_to>{_LOC})(?P<dozed>(?:,{_CODE}{_LOC})*))?)"
    r"(?:,FI1:(?P<fire1>[^:]*?))?(?:,FI2:(?P<fire2>[^:]*?))?(?:,PU:(?P<pick_up>[^:]*?))?(?:,EX:(?P<exchange>[^:]*?))?"
    r"(?:,RE:(?P<reinforce>[^:]*?))?(?:,DR:(?P<drop>[^:]*?))?(?:,RS:(?P<results>[^:]*?))?"
    r"(?:,OR:(?P<order>[M12PXRD]+))?(?P<open>,UN)?"
)
_FIRE = re.compile(
    rf"(?P<weapon>{_CODE})/(?P<firer>{_DESC})(?:->(?P<to>{_LOC})(?P<path>[<>]?)|=>(?P<target>{_DESC}))"
)
_ARTICLE_ACT = re.compile(rf"(?P<piece>{_DESC})[\^v](?P<article>{_CODE})")
_EXCHANGE = re.compile(
    rf"(?P<giver>{_DESC})->(?P<article>{_CODE})(?:->|<=>(?P<back>{_CODE})<-)(?P<receiver>{_DESC})"
)
_REINFORCE = re.compile(rf"(?P<at>{_LOC})(?P<type>{_CODE})(?P<hand>[<>]?)")
_LINE_MAX = 20_000  # characters of a turn, far more than any has: a pattern that is tried holds up everybody
_PATHS_BY_SIGN = {sign: path for path, sign in PATH_SIGNS.items()}
_OLD_CODES = re.compile(r"(?<![A-Z])SP(?=\(|\^\(|v\()|JP")


class Misfit(Exception):
    """The text is no history, or does not fit the match it tells of."""


class _Unreadable(Exception):
    """Which line (from 1) of a history is at fault, and why."""

    def __init__(self, line: int, why: str) -> None:
        super().__init__(line, why)
        self.line = line
        self.why = why


@contextmanager
def _reading(line: int) -> Iterator[None]:
    """Whatever goes wrong inside is the fault of this line (from 1)."""
    try:
        yield
    except Refused as error:
        why = "" if error.explanation is None else f" {error.explanation.detail}"
        raise _Unreadable(line, f"The rules refuse it with {error.code}.{why}") from None
    except (Misfit, ValueError, RecursionError):
        raise _Unreadable(
            line, "It is no line of this notation, or tells of something that did not happen."
        ) from None


def _match(pattern: re.Pattern[str], text: str | None) -> re.Match[str]:
    found = pattern.fullmatch(text or "")
    if found is None:
        raise Misfit(text)
    return found


def _square(loc: str) -> str:
    rank, file = loc.strip("^v()").split(",")
    return SQUARES[(int(rank) - 1) * FILES + int(file) - 1]


def _level(cell: str) -> str:
    return {"^": "air", "v": "sub"}.get(cell[0], "ground")


def _named(names: Mapping[str, str], code: str) -> str:
    if code not in names:
        raise Misfit(code)
    return names[code]


def _find(pieces: Mapping[int, _Piece], seat: str, desc: str) -> _Piece:
    """The own piece with that description; `#2` names the second in piece order."""
    wanted, second, _ = desc.partition("#2")
    found = sorted(
        (p for p in pieces.values() if p.seat == seat and p.describe() == wanted), key=lambda p: p.order
    )
    if len(found) <= (1 if second else 0):
        raise Misfit(desc)
    return found[1 if second else 0]


def _direction(origin: str, to: str) -> str:
    a, b = SQUARE_NUMBERS[origin], SQUARE_NUMBERS[to]
    step = (b // FILES - a // FILES, b % FILES - a % FILES)
    if step not in DIRECTION_STEPS:
        raise Misfit(to)
    return DIRECTIONS[DIRECTION_STEPS.index(step)]


def _read_move(line: re.Match[str], pieces: Mapping[int, _Piece], seat: str) -> dict[str, Any]:
    mover = _find(pieces, seat, line["mover"])
    to = line["to"]
    if line["dozer_to"]:
        if line["dozer_to"] != to:
            raise Misfit(line[0])
        direction = _direction(mover.at, _square(to))
        squares = {_square(loc) for loc in re.findall(_LOC, line["dozed"])} - {mover.at}
        ordered = sorted(squares, key=SQUARE_NUMBERS.__getitem__)
        return {"type": "doze", "piece": mover.id, "squares": ordered, "direction": direction}
    action = {"type": "move", "piece": mover.id, "to": _square(to), "level": _level(to)}
    if line["carried"]:
        if line["carried_to"] != to:
            raise Misfit(line[0])
        action["carry"] = _find(pieces, seat, line["carried"]).id
    return action


def _read_fire(text: str | None, pieces: Mapping[int, _Piece], seat: str) -> dict[str, Any]:
    fire = _match(_FIRE, text)
    firer = _find(pieces, seat, fire["firer"])
    kind = _named(_KINDS_BY_CODE, fire["weapon"])
    action: dict[str, Any] = {"type": "fire", "piece": firer.id, "weapon": kind}
    if fire["target"]:
        if kind == "rocket_launcher":
            action["weapon"] = "limited_rocket"
        loc = re.search(_LOC, fire["target"])
        assert loc is not None
        return action | {"target": _square(loc[0])}
    to = _square(fire["to"])
    if kind in ("bicycle", "jump_pack", "scuba"):
        return action | {"to": to, "path": _PATHS_BY_SIGN[fire["path"]]}
    if fire["path"]:
        raise Misfit(text)
    return action | {"direction": _direction(firer.at, to)}


def _read_article_act(kind: str, text: str | None, pieces: Mapping[int, _Piece], seat: str) -> dict[str, Any]:
    act = _match(_ARTICLE_ACT, text)
    article = _named(_KINDS_BY_CODE, act["article"])
    return {"type": kind, "piece": _find(pieces, seat, act["piece"]).id, "article": article}


def _read_exchange(text: str | None, pieces: Mapping[int, _Piece], seat: str) -> dict[str, Any]:
    act = _match(_EXCHANGE, text)
    action = {
        "type": "exchange",
        "from": _find(pieces, seat, act["giver"]).id,
        "to": _find(pieces, seat, act["receiver"]).id,
        "article": _named(_KINDS_BY_CODE, act["article"]),
    }
    return action | {"for": _named(_KINDS_BY_CODE, act["back"])} if act["back"] else action


def _read_reinforce(text: str | None, state: State, seat: str) -> dict[str, Any]:
    act = _match(_REINFORCE, text)
    at, kind = _square(act["at"]), _named(_TYPES_BY_CODE, act["type"])
    for piece in state.position().reinforcements:  # the lowest id among like ones of the square
        hand = "" if piece.hand is UNSET else HAND_SIGNS[piece.hand]
        if (piece.seat, piece.at, piece.type, hand) == (seat, at, kind, act["hand"]):
            return {"type": "reinforce", "piece": piece.id}
    raise Misfit(text)


def _read_act(letter: str, line: re.Match[str], state: State, seat: str) -> dict[str, Any]:
    pieces = _pieces(state)
    if letter == "M":
        return _read_move(line, pieces, seat)
    if letter in "12":
        return _read_fire(line[f"fire{letter}"], pieces, seat)
    if letter == "P":
        return _read_article_act("pick_up", line["pick_up"], pieces, seat)
    if letter == "D":
        return _read_article_act("drop", line["drop"], pieces, seat)
    if letter == "X":
        return _read_exchange(line["exchange"], pieces, seat)
    return _read_reinforce(line["reinforce"], state, seat)


_GROUPS = {
    "M": "mover", "1": "fire1", "2": "fire2", "P": "pick_up", "X": "exchange", "R": "reinforce", "D": "drop",
}  # fmt: skip


def _read_turn(text: str, state: State) -> list[Step]:
    """Plays one turn line on `state`; gives its steps."""
    if len(text) > _LINE_MAX:
        raise Misfit(text)
    # Two codes of the source's lists are taken too.
    text = _OLD_CODES.sub(lambda code: "STP" if code[0] == "SP" else "JU", text)
    line = _match(_TURN, text)
    turn, seat = _half_turn(state)
    if (line["turn"], line["seat"]) != (str(turn), SEAT_LETTERS[seat]):
        raise Misfit(text)
    present = [letter for letter in CANONICAL_ORDER if line[_GROUPS[letter]]]
    order = line["order"] or "".join(present)
    if sorted(order) != sorted(present):
        raise Misfit(text)
    start = state.copy()
    steps: list[Step] = []
    for letter in order:
        steps.append((seat, _read_act(letter, line, state, seat)))
        state.apply(*steps[-1])
    if not line["open"]:
        steps.append((seat, {"type": "end_turn"}))
        state.apply(*steps[-1])
    if line["results"] and turn_lines(start, steps) != [text]:
        raise Misfit(text)
    return steps


def _read_result(text: str, state: State) -> list[Step]:
    """The steps that a RESULT line stands for, where it is not the outcome of play."""
    found = re.fullmatch(r"RESULT (black|white|draw) ([a-z_]+)", text)
    if found is None:
        raise Misfit(text)
    winner, reason = found[1], found[2]
    steps: list[Step] = []
    if state.result is None:
        _, seat = _half_turn(state)
        loser = "white" if winner == "black" else "black"
        if reason == "draw_agreed":
            offered = state.view(seat).draw_offer  # perhaps with the POSITION
            offerer = seat if offered is UNSET else offered
            accepter = "white" if offerer == "black" else "black"
            steps = [(offerer, {"type": "offer_draw"})] if offered is UNSET else []
            steps.append((accepter, {"type": "accept_draw"}))
        elif reason == "resigned":
            steps = [(loser, {"type": "resign"})]
        elif reason == "timeout":
            steps = [("server", {"type": "timeout", "seat": loser})]
        for step in steps:
            state.apply(*step)
    result = state.result
    if result is None or (result.winners, result.reason) != ([] if winner == "draw" else [winner], reason):
        raise Misfit(text)
    return steps


def read(game: Game, text: str) -> list[Section]:
    """Options, Position (None: the standard setup) and accepted steps of a complete history, section by section.

    Raises Refused("invalid_position") for whatever does not fit."""
    lines = text.split("\n")
    try:
        return _read(game, lines)
    except _Unreadable as error:
        shown = quoted(lines[error.line - 1] if error.line <= len(lines) else "")
        detail = f"Line {error.line} of the history, {shown}, does not fit. {error.why}"
        raise Refused(
            "invalid_position", explanation=Explanation(detail, {"line": error.line}, "/history")
        ) from None


def _object(text: str) -> dict[str, Any]:
    found = json.loads(text)
    if not isinstance(found, dict):
        raise Misfit(text)
    return found


def _read(game: Game, lines: list[str]) -> list[Section]:
    """Raises _Unreadable."""
    if lines[0] != "WEC 1":
        raise _Unreadable(1, "A history begins with WEC 1.")
    heads = [number for number, line in enumerate(lines) if line.startswith("OPTIONS ")]
    if heads[:1] != [1]:
        raise _Unreadable(2, "The second line has the OPTIONS.")
    if lines[-1] != "":
        raise _Unreadable(len(lines), "A history ends with the end of a line.")
    lines = lines[:-1]
    sections: list[Section] = []
    state: State | None = None
    usual: dict[str, Any] = {}
    for head, end in pairwise([*heads, len(lines)]):
        first, position = head + 1, None
        with _reading(head + 1):
            options = _object(lines[head].removeprefix("OPTIONS "))
            game.check_options(options)
        if first < end and lines[first].startswith("POSITION "):
            with _reading(first + 1):
                position = _object(lines[first].removeprefix("POSITION "))
                game.check_options(options, position)
            first += 1
        with _reading(head + 1):
            begun = game.new(options=options, position=position)
            full = game.full_options(options)
            if state is None:
                section, state = Section(options, position, []), begun
            elif position is None:
                raise Misfit(lines[head])
            else:
                section, state = _read_change(state, begun, options if full != usual else None, position)
        usual = full
        section.steps.extend(_read_steps(lines, first, end, state))
        sections.append(section)
    return sections


def _read_change(
    state: State, begun: State, options: dict[str, Any] | None, position: dict[str, Any]
) -> tuple[Section, State]:
    """The section that begins here, and its first state.

    state    as it was before the change
    begun    as the section's head has it
    options  the new ones, None where they stay
    """
    if options is not None:
        if state.result is not None:
            raise Misfit("the options of a match that is over do not change")
        state = state.copy()
        state.reconfigure(options)
        if state.position(plain=True) == begun.position(plain=True):
            return Section(options, None, []), state
    return Section(options, position, []), begun


def _read_steps(lines: Sequence[str], first: int, end: int, state: State) -> list[Step]:
    """Plays the turn lines and the result of one section (lines `first` to before `end`, from 0) on `state`; gives
    their steps. Raises _Unreadable."""
    steps: list[Step] = []
    for number in range(first, end):
        line = lines[number]
        with _reading(number + 1):
            if line.startswith("RESULT ") and number == end - 1:
                steps += _read_result(line, state)
            else:
                steps += _read_turn(line, state)
    if state.result is not None and not (first < end and lines[end - 1].startswith("RESULT ")):
        raise _Unreadable(end, "The match is over, so the last line must be its RESULT.")
    return steps
