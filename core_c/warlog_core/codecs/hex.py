"""Hex Tactics: names and JSON of `rules/hex.md` ↔ the words and records described at the head of `src/games/hex.c`.

In the book's order: names, Structs (10.1 to 10.6), then the codec: options and Position into words, actions both ways,
effects, view and Position out of the C records.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from importlib import resources
from typing import Any

import msgspec
from msgspec import UNSET

from warlog_core.binding import (
    OPEN,
    OUT_OF_RANGE,
    UNKNOWN,
    WORD_ABSENT,
    WORD_OUT_OF_RANGE,
    WORD_UNKNOWN,
    RawGame,
    listing_keys,
    record_of,
)
from warlog_core.codecs import MALFORMED_RECORD, ActionRecord, Result
from warlog_core.codecs.hex_structs import (
    ACTIONS,
    KINDS,
    LEAVE_REASONS,
    MOVEMENTS,
    PHASES,
    PRESETS,
    REASONS,
    ROW,
    SEATS,
    SKILLS,
    SPACE_IDS,
    SPACE_NAMES,
    STATUSES,
    WIDTH_MAX,
    Action,
    ArmiesRevealed,
    ArmyEntry,
    ArmySubmitted,
    Attacked,
    Board,
    Defended,
    DeploymentRevealed,
    Destroyed,
    DrawAccepted,
    DrawDeclined,
    DrawOffered,
    Effect,
    Healed,
    MatchEnded,
    MatchStarted,
    Moved,
    Options,
    Placed,
    Position,
    PositionSeat,
    Recruit,
    Resigned,
    RoundStarted,
    SeatEliminated,
    SeatReady,
    SeatView,
    Stack,
    StackSpace,
    Summoned,
    Tagged,
    TurnStarted,
    UnitType,
    View,
    Waited,
)
from warlog_core.errors import BadState
from warlog_core.jsonvalue import INT64_MAX, INT64_MIN, is_integer, is_text

_RECRUIT_PHASE, _DEPLOY, _PLAY, _OVER = range(4)
_HIDDEN = 0xFFFF  # in a view, the space of a stack to those who may not know it

# ---- into words --------------------------------------------------------------------------------------------


class _WrongShape(Exception):
    """The value has not the JSON type that its place wants."""


_WORD_LIMIT = 2**62


def _int_word(value: object) -> int:
    if not is_integer(value):
        raise _WrongShape
    assert isinstance(value, int)
    return value if -_WORD_LIMIT <= value <= _WORD_LIMIT else WORD_OUT_OF_RANGE


def _int64_word(value: object) -> int:
    """As `_int_word`, where an integer that does not fit 64 bits is none (hex, preamble)."""
    word = _int_word(value)
    assert isinstance(value, int)
    if not INT64_MIN <= value <= INT64_MAX:
        raise _WrongShape
    return word


def _bool_word(value: object) -> int:
    if type(value) is not bool:
        raise _WrongShape
    return int(value)


def _name_word(names: Mapping[str, int]) -> Callable[[object], int]:
    def word(value: object) -> int:
        if type(value) is not str:
            raise _WrongShape
        return names.get(value, WORD_UNKNOWN)

    return word


def _numbered(names: Sequence[str]) -> dict[str, int]:
    return {name: number for number, name in enumerate(names)}


_space_word = _name_word(SPACE_IDS)
_SEAT_NUMBERS = _numbered(SEATS)
_seat_word = _name_word(_SEAT_NUMBERS)
_status_word = _name_word(_numbered(STATUSES))
# A Position is of a match that is not over: `over` is no phase of one.
_phase_word = _name_word(_numbered(PHASES[:_OVER]))
_PRESET_NUMBERS = _numbered(PRESETS)


def _object(value: object, fields: Mapping[str, Any] | frozenset[str]) -> dict[str, Any]:
    """The value as an object that has none but these fields."""
    if type(value) is not dict or not all(name in fields for name in value):
        raise _WrongShape
    return value


def _list(value: object) -> list[Any]:
    if type(value) is not list:
        raise _WrongShape
    return value


# Words 1 to 17 of the options, in order.
_OPTION_WORDS: dict[str, Callable[[object], int]] = {
    "seats": _int_word,
    "teams": _name_word(_numbered(("none", "pairs"))),
    "width": _int_word,
    "height": _int_word,
    "obstacles": _name_word(_numbered(("none", "list", "random"))),
    "obstacle_count": _int_word,
    "deploy_depth": _int_word,
    "deployment": _name_word(_numbered(("auto", "chosen"))),
    "army": _name_word(_numbered(("recruit", "preset", "given"))),
    "army_points": _int_word,
    "max_stacks": _int_word,
    "army_preset": _name_word(_PRESET_NUMBERS),
    "shooter_melee_percent": _int_word,
    "defend_percent": _int_word,
    "min_damage": _int_word,
    "round_limit": _int_word,
    "limit_result": _name_word(_numbered(("draw", "hit_points"))),
}
_OPTIONS = frozenset(_OPTION_WORDS) | {"obstacle_spaces", "armies", "roster"}
_OPTIONS_MALFORMED = [1] + [WORD_ABSENT] * 17 + [0, 0, 0]

# The words of a unit type, in order; `summon_unit` (before `cost`) is done by hand.
_TYPE_WORDS: dict[str, Callable[[object], int]] = {
    "level": _int_word,
    "initiative": _int_word,
    "hp": _int_word,
    "move": _int_word,
    "movement": _name_word(_numbered(MOVEMENTS)),
    "range": _int_word,
    "attack": _int_word,
    "spread": _int_word,
    "shooter": _bool_word,
    "retaliations": _int_word,
    "skill": _name_word(_numbered(SKILLS)),
    "skill_range": _int_word,
    "skill_power": _int_word,
    "skill_uses": _int_word,
}
_TYPE_ROW = (*_TYPE_WORDS, "summon_unit", "cost")
_TYPE_ALWAYS = frozenset(UnitType.__struct_fields__) - {
    "skill_range",
    "skill_power",
    "skill_uses",
    "summon_unit",
}
_TYPE_FIELDS = {
    "none": _TYPE_ALWAYS,
    "heal": _TYPE_ALWAYS | {"skill_range", "skill_power", "skill_uses"},
    "summon": frozenset(UnitType.__struct_fields__),
}
_TYPE_ID = re.compile(r"[a-z][a-z0-9_]{0,31}")
_ROSTER_MAX = 40

# The words of a Position's stack, in order. Those that may be absent have no place in _STACK_REQUIRED.
_STACK_NUMBERS: dict[str, Callable[[object], int]] = {
    "count": _int64_word,
    "start_count": _int64_word,
    "top_hp": _int64_word,
    "defending": _bool_word,
    "waited": _bool_word,
    "retaliations_used": _int64_word,
    "skill_used": _int64_word,
    "summoned": _bool_word,
}
_STACK_FIELDS = frozenset(_STACK_NUMBERS) | {"id", "seat", "unit", "space"}
_STACK_REQUIRED = ("seat", "unit", "space", "count")
_POSITION_FIELDS = frozenset(Position.__struct_fields__)
_POSITION_SEAT_FIELDS = frozenset(PositionSeat.__struct_fields__)
_ARMY_FIELDS = frozenset(("unit", "count"))
_POSITION_MALFORMED = [1, WORD_ABSENT, WORD_ABSENT, WORD_ABSENT, 0, 0, 0, 0, 0]


def _army_words(
    army: object, unit_word: Callable[[object], int], number: Callable[[object], int]
) -> list[int]:
    """The true length, then unit and count of each entry."""
    entries = _list(army)
    words = [len(entries)]
    for entry in entries:
        pair = _object(entry, _ARMY_FIELDS)
        if len(pair) != 2:
            raise _WrongShape
        words += (unit_word(pair["unit"]), number(pair["count"]))
    return words


def _roster_words(roster: object) -> list[int]:
    types = _list(roster)
    if not 1 <= len(types) <= _ROSTER_MAX:
        raise _WrongShape
    words = [len(types)]
    ids: dict[str, int] = {}
    for unit in types:
        if type(unit) is not dict or type(unit.get("id")) is not str:
            raise _WrongShape
        if not _TYPE_ID.fullmatch(unit["id"]) or unit["id"] in ids:
            raise _WrongShape
        ids[unit["id"]] = len(ids)
    summon_word = _name_word(ids)
    for unit in types:
        skill = unit.get("skill")
        if type(skill) is not str or unit.keys() != _TYPE_FIELDS.get(skill):
            raise _WrongShape
        if not is_text(unit["name"]) or not 1 <= len(unit["name"]) <= 40:
            raise _WrongShape
        for name, word in _TYPE_WORDS.items():
            words.append(word(unit[name]) if name in unit else WORD_ABSENT)
        words.append(summon_word(unit["summon_unit"]) if "summon_unit" in unit else WORD_ABSENT)
        words.append(_int_word(unit["cost"]))
    return words


def _armies_words(armies: object, unit_word: Callable[[object], int]) -> list[int]:
    if type(armies) is not dict:
        raise _WrongShape
    words = [len(armies)]
    for seat, army in armies.items():
        words.append(_seat_word(seat))
        words += _army_words(army, unit_word, _int_word)
    return words


def _ids(options: object) -> tuple[str, ...]:
    """The ids of the roster in use, in order; the default roster's while that of the options is not well-formed."""
    if type(options) is dict and "roster" in options:
        try:
            _roster_words(options["roster"])
        except _WrongShape:
            return ()
        return tuple(unit["id"] for unit in options["roster"])
    return _DEFAULT_IDS


_BOOK: dict[str, Any] = json.loads(
    resources.files("warlog_core").joinpath("rules/hex.json").read_text(encoding="utf-8")
)
_DEFAULT_IDS: tuple[str, ...] = tuple(unit["id"] for unit in _BOOK["roster"])
_DEFAULT_LABELS: tuple[tuple[str, str], ...] = tuple((unit["id"], unit["name"]) for unit in _BOOK["roster"])


class Codec:
    """The codec of `hex`."""

    title = "Hex Tactics"
    seats_are_numbered_by = "match"
    spectators = "open"
    action_type = Action
    effect_type = Effect
    view_type = View
    position_type = Position
    options_type = Options

    def __init__(self, raw: RawGame) -> None:
        self.items_max = raw.items_max
        state = raw.state_layout
        self.pick_stack = state.row_picker("stacks", Stack.__struct_fields__)
        self.pick_seat = state.row_picker(
            "seats", ("status", "submitted", "ready", "draw_offer", "draw_used")
        )
        self.pick_entry = state.row_picker("seats.army", ("unit", "count"))
        self.pick_type = raw.setup_layout.row_picker("units", _TYPE_ROW)
        # Listed actions recur all the time and are frozen: each is made once.
        self.listed: dict[bytes, Any] = {}

    @staticmethod
    def position_is_open(position: Mapping[str, Any]) -> bool:
        """A Position holds no secret in phase play, which is also the phase of one that names none (10.6)."""
        return bool(position.get("phase", "play") == "play")

    # ---- options and Position ----

    def options_words(self, options: object) -> list[int]:
        try:
            given = _object(options, _OPTIONS)
            words = [0]
            for name, word in _OPTION_WORDS.items():
                words.append(word(given[name]) if name in given else WORD_ABSENT)
            spaces = [_space_word(space) for space in _list(given.get("obstacle_spaces", []))]
        except _WrongShape:
            return list(_OPTIONS_MALFORMED)
        roster_verdict, armies_verdict = 0, 0
        lists = [len(spaces), *spaces]
        if "roster" in given:
            try:
                lists += _roster_words(given["roster"])
                roster_verdict = 1
            except _WrongShape:
                roster_verdict = 2
        if given.get("army") == "given" and "armies" in given:
            try:
                lists += _armies_words(given["armies"], _name_word(_numbered(_ids(given))))
                armies_verdict = 1
            except _WrongShape:
                armies_verdict = 2
        return [*words, roster_verdict, armies_verdict, *lists]

    def position_words(self, options: object, position: object) -> list[int]:
        unit_word = _name_word(_numbered(_ids(options)))
        try:
            return _position_words(_object(position, _POSITION_FIELDS), unit_word)
        except _WrongShape:
            return list(_POSITION_MALFORMED)

    def labels(self, options: object) -> bytes:
        if type(options) is not dict or "roster" not in options:
            return b""
        return msgspec.json.encode([(unit["id"], unit["name"]) for unit in options["roster"]])

    def full_options(self, options: Mapping[str, Any]) -> dict[str, Any]:
        full: dict[str, Any] = {}
        for spec in _BOOK["options"]:
            name = spec["name"]
            if name in options:
                full[name] = options[name]
            elif "default" in spec:
                full[name] = list(spec["default"]) if isinstance(spec["default"], list) else spec["default"]
        return full

    # ---- what a client needs to draw the game ----

    def board(self, options: Mapping[str, Any]) -> dict[str, Any]:
        """Spaces in canonical order with the centres of their hexagons (x to the right, y upwards).

        Neighbouring centres are 1 apart: x is the column, plus one half in even ranks, and y is (rank − 1) × √3/2."""
        width, height = int(options["width"]), int(options["height"])
        spaces = []
        for row in range(height):
            even_rank = row % 2  # row 0 is rank 1
            offsets = _BOOK["board"]["offsets"]["even_rank" if even_rank else "odd_rank"]
            for column in range(width):
                around = (offsets[direction] for direction in _BOOK["board"]["neighbour_order"])
                spaces.append(
                    {
                        "id": SPACE_NAMES[row * ROW + column],
                        "x": column + 0.5 * even_rank,
                        "y": round(row * 3**0.5 / 2, 4),
                        "region": None,
                        "neighbours": [
                            SPACE_NAMES[(row + up) * ROW + column + right]
                            for right, up in around
                            if 0 <= row + up < height and 0 <= column + right < width
                        ],
                    }
                )
        return {"kind": "hex", "levels": ["ground"], "width": width, "height": height, "spaces": spaces}

    def pieces(self, options: Mapping[str, Any]) -> list[Any]:
        return list(options.get("roster", _BOOK["roster"]))

    def presets(self, options: Mapping[str, Any]) -> list[Any]:
        """`auto`, then the named armies as the book prints them, for `points` points (4.3); the match scales them."""
        named = [] if "roster" in options else _BOOK["presets"]
        points = _BOOK["preset_points"]
        return [{"preset": "auto"}, *({**preset, "points": points} for preset in named)]

    def tables(self, setup: Mapping[str, Any], labels: bytes) -> Tables:
        return Tables(self, setup, labels)


def _read_labels(labels: bytes) -> tuple[tuple[str, str], ...]:
    try:
        pairs = msgspec.json.decode(labels, type=tuple[tuple[str, str], ...])
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        raise BadState("the names of the roster are damaged") from None
    if len({unit_id for unit_id, _ in pairs}) != len(pairs):
        raise BadState("two types of the roster have one name")
    return pairs


def _position_words(given: dict[str, Any], unit_word: Callable[[object], int]) -> list[int]:
    def word(value: dict[str, Any], name: str, make: Callable[[object], int]) -> int:
        return make(value[name]) if name in value else WORD_ABSENT

    obstacles = [_space_word(space) for space in _list(given.get("obstacles", []))]
    stacks = _list(given.get("stacks", []))
    queue = [_int64_word(stack) for stack in _list(given.get("queue", []))]
    seats = _list(given.get("seats", []))
    words = [
        0,
        word(given, "phase", _phase_word),
        word(given, "round", _int64_word),
        word(given, "next_id", _int64_word),
        int("queue" in given),
        len(obstacles),
        *obstacles,
        len(stacks),
    ]
    for stack in stacks:
        _object(stack, _STACK_FIELDS)
        if not all(name in stack for name in _STACK_REQUIRED):
            raise _WrongShape
        words += (
            word(stack, "id", _int64_word),
            _seat_word(stack["seat"]),
            unit_word(stack["unit"]),
            _space_word(stack["space"]),
        )
        words += [word(stack, name, make) for name, make in _STACK_NUMBERS.items()]
    words += [len(queue), *queue, len(seats)]
    for seat in seats:
        _object(seat, _POSITION_SEAT_FIELDS)
        if "seat" not in seat:
            raise _WrongShape
        words += (
            _seat_word(seat["seat"]),
            word(seat, "status", _status_word),
            int("army" in seat),
            word(seat, "ready", _bool_word),
            word(seat, "draw_offer", _bool_word),
            word(seat, "draw_used", _bool_word),
        )
        words += _army_words(seat["army"], unit_word, _int64_word) if "army" in seat else [0]
    return words


# ---- actions -----------------------------------------------------------------------------------------------

_FIELD_LIMIT = 2**31 - 16


def _piece_field(value: object) -> int:
    if type(value) is not int or not INT64_MIN <= value <= INT64_MAX:
        raise _WrongShape
    return value if -_FIELD_LIMIT <= value <= _FIELD_LIMIT else OUT_OF_RANGE


def _space_field(value: object) -> int:
    if type(value) is not str:
        raise _WrongShape
    return SPACE_IDS.get(value, UNKNOWN)


def _preset_field(value: object) -> int:
    if type(value) is not str:
        raise _WrongShape
    return _PRESET_NUMBERS.get(value, UNKNOWN)


def _seat_field(value: object) -> int:
    if type(value) is not str or value not in _SEAT_NUMBERS:
        raise _WrongShape
    return _SEAT_NUMBERS[value]


_FIELDS: dict[str, Callable[[object], int]] = {
    "preset": _preset_field,
    "piece": _piece_field,
    "to": _space_field,
    "target": _space_field,
    "seat": _seat_field,
}
_RECRUIT = 0
_Encoder = Callable[[dict[str, Any]], ActionRecord]


def _encoder(number: int, names: tuple[str, ...]) -> _Encoder:
    """Encodes actions of one type: the fields `names` in the book's order, none missing, none superfluous."""
    n_fields = 1 + len(names)
    fields = tuple((name, _FIELDS[name]) for name in names)
    rest = (0,) * (7 - len(names))

    def encode(action: dict[str, Any]) -> ActionRecord:
        if len(action) != n_fields:
            raise _WrongShape
        return (number, *[make(action[name]) for name, make in fields], *rest), ()  # type: ignore[return-value]

    def encode_piece_and_space(action: dict[str, Any]) -> ActionRecord:
        # The same for the commonest shape, `move` and `attack` among them, in half the time.
        piece, space = action["piece"], action[names[1]]
        if type(piece) is not int or type(space) is not str or len(action) != 3:
            raise _WrongShape
        if not 0 <= piece <= _FIELD_LIMIT:
            piece = _piece_field(piece)
        return (number, piece, SPACE_IDS.get(space, UNKNOWN), 0, 0, 0, 0, 0), ()

    return encode_piece_and_space if names in (("piece", "to"), ("piece", "target")) else encode


_ENCODERS: dict[str, _Encoder] = {
    str(action.__struct_config__.tag): _encoder(number, action.__struct_fields__)
    for number, action in enumerate(ACTIONS)
    if number != _RECRUIT
}
_DECODERS: dict[str, Callable[[int], Any]] = {
    "preset": lambda number: PRESETS[number],
    "piece": lambda number: number,
    "to": lambda number: SPACE_NAMES[number],
    "target": lambda number: SPACE_NAMES[number],
    "seat": lambda number: SEATS[number],
}
_ACTION_DECODERS = tuple(
    (action, tuple(_DECODERS[name] for name in action.__struct_fields__))
    if number != _RECRUIT
    else (action, ())
    for number, action in enumerate(ACTIONS)
)


class Tables:
    """One match's names: those of its seats and unit types. Also what never changes in its views."""

    def __init__(self, codec: Codec, setup: Mapping[str, Any], labels: bytes) -> None:
        if bool(labels) != bool(setup["own_roster"]):
            raise BadState("names of a roster belong to a roster of its own")
        pairs = _read_labels(labels) if labels else _DEFAULT_LABELS
        if len(pairs) != len(setup["units"]):
            raise BadState("the names of the roster do not fit its types")
        self.seats = SEATS[: setup["n_seats"]]
        self._codec = codec
        self._setup = setup
        self._pairs = pairs
        self._units = tuple(unit_id for unit_id, _ in pairs)
        self._unit_numbers = _numbered(self._units)
        self._board: tuple[tuple[int, ...], Board] | None = None

    # ---- actions ----

    def record(self, action: object) -> ActionRecord:
        if type(action) is not dict:
            if not isinstance(action, Tagged):
                return MALFORMED_RECORD
            action = msgspec.to_builtins(action)
            assert isinstance(action, dict)
        kind = action.get("type")
        try:
            if kind == "recruit":
                return self._recruit_record(action)
            return _ENCODERS[kind](action) if type(kind) is str else MALFORMED_RECORD
        except (_WrongShape, KeyError):
            return MALFORMED_RECORD

    def _recruit_record(self, action: dict[str, Any]) -> ActionRecord:
        if len(action) != 2:
            raise _WrongShape
        words = _army_words(action["army"], _name_word(self._unit_numbers), _int64_word)
        items = [_item(word) for word in words[1 : 1 + self._codec.items_max]]
        return (_RECRUIT, min(words[0], _FIELD_LIMIT), 0, 0, 0, 0, 0, 0), items

    def action(self, record: Sequence[int], items: Sequence[int]) -> Any:
        if record[0] == _RECRUIT:
            return Recruit(army=self._army(items))
        return _listed(record)

    def action_alt(self, kind: int, words: Sequence[int]) -> dict[str, Any]:
        """The type alone (section 8)."""
        return {"type": ACTIONS[kind].__struct_config__.tag}

    def listing(self, listing: bytes) -> list[Any]:
        keys = listing_keys(listing)
        made = self._codec.listed
        try:
            return [made[key] for key in keys]
        except KeyError:
            pass
        if len(made) > _LISTED_KEPT:
            made.clear()
        actions = []
        for key in keys:
            action = made.get(key)
            if action is None:
                action = made[key] = _listed(record_of(key))
            actions.append(action)
        return actions

    # ---- effects ----

    def effect(self, kind: int, words: Sequence[int]) -> Any:
        return _EFFECTS[kind](self, words)

    def _army(self, pairs: Sequence[int]) -> list[ArmyEntry]:
        units = self._units
        return [ArmyEntry(units[pairs[i]], pairs[i + 1]) for i in range(0, len(pairs), 2)]

    def _stack(self, row: Sequence[int], hidden: int) -> Stack:
        """From the twelve numbers of a stack, in the order of 3.3; `hidden` stands for a space that is not shown."""
        (
            id_,
            seat,
            unit,
            space,
            count,
            start_count,
            top_hp,
            defending,
            waited,
            retaliations,
            skill,
            summoned,
        ) = row
        return Stack(
            id=id_,
            seat=SEATS[seat],
            unit=self._units[unit],
            space=UNSET if space == hidden else SPACE_NAMES[space],
            count=count,
            start_count=start_count,
            top_hp=top_hp,
            defending=defending != 0,
            waited=waited != 0,
            retaliations_used=retaliations,
            skill_used=skill,
            summoned=summoned != 0,
        )

    def _stacks(self, words: Sequence[int]) -> list[Stack]:
        return [self._stack(words[i : i + 12], WORD_ABSENT) for i in range(1, len(words), 12)]

    # ---- view and Position: two writings of one record ----

    @cached_property
    def _roster(self) -> list[UnitType]:
        roster = []
        for (unit_id, name), row in zip(self._pairs, self._setup["units"], strict=True):
            unit: dict[str, Any] = dict(zip(_TYPE_ROW, self._codec.pick_type(row), strict=True))
            skill = SKILLS[unit["skill"]]
            for field_name in ("skill_range", "skill_power", "skill_uses"):
                if skill == "none":
                    unit[field_name] = UNSET
            unit["summon_unit"] = self._units[unit["summon_unit"]] if skill == "summon" else UNSET
            unit |= {
                "skill": skill,
                "movement": MOVEMENTS[unit["movement"]],
                "shooter": bool(unit["shooter"]),
            }
            roster.append(UnitType(id=unit_id, name=name, **unit))
        return roster

    def _board_with(self, obstacles: tuple[int, ...]) -> Board:
        # Obstacles never change in a match, so the last board is the next one's too.
        if self._board is None or self._board[0] != obstacles:
            names = [
                SPACE_NAMES[row * ROW + column]
                for row, bits in enumerate(obstacles)
                if bits
                for column in range(WIDTH_MAX)
                if bits >> column & 1
            ]
            self._board = obstacles, Board(self._setup["width"], self._setup["height"], names)
        return self._board[1]

    def view(self, viewer: str, fields: Mapping[str, Any]) -> View:
        phase = fields["phase"]
        to_act = fields["to_act"]
        pick, ids = self._codec.pick_stack, [row[0] for row in fields["stacks"]]
        return View(
            viewer=viewer,
            phase=PHASES[phase],
            to_act=[seat for number, seat in enumerate(self.seats) if to_act >> number & 1],
            result=self._result(fields["winners"], fields["reason"]) if phase == _OVER else UNSET,
            round=fields["round"],
            board=self._board_with(fields["obstacles"]),
            roster=self._roster,
            seats=[
                self._seat_view(number, phase, fields["side"][number], row, fields["seats.army"][number])
                for number, row in enumerate(fields["seats"][: len(self.seats)])
            ],
            stacks=[self._stack(pick(row), _HIDDEN) for row in fields["stacks"]],
            queue=[ids[place] for place in fields["queue"]],
            active=fields["active"] if phase == _PLAY else UNSET,
            zone=self._zone(fields) if fields["has_zone"] else UNSET,
        )

    def _seat_view(
        self, number: int, phase: int, side: int, row: tuple[int, ...], army: list[Any]
    ) -> SeatView:
        status, submitted, ready, draw_offer, draw_used = self._codec.pick_seat(row)
        view = (SEATS[number], side, STATUSES[status])
        if phase == _PLAY:
            return SeatView(*view, draw_offer=draw_offer != 0, draw_used=draw_used != 0)
        if phase == _DEPLOY:
            return SeatView(*view, ready=ready != 0)
        if phase != _RECRUIT_PHASE:
            return SeatView(*view)
        return SeatView(*view, submitted=submitted != 0, army=self._entries(army) if army else UNSET)

    def _entries(self, rows: list[Any]) -> list[ArmyEntry]:
        return [ArmyEntry(self._units[unit], count) for unit, count in map(self._codec.pick_entry, rows)]

    def _zone(self, fields: Mapping[str, Any]) -> list[str]:
        return [
            SPACE_NAMES[row * ROW + column]
            for row in range(fields["zone_first_row"], fields["zone_last_row"] + 1)
            for column in range(fields["zone_first_column"], fields["zone_last_column"] + 1)
        ]

    def _result(self, winners: int, reason: int) -> Result:
        return Result(
            [seat for number, seat in enumerate(self.seats) if winners >> number & 1], REASONS[reason]
        )

    def position(self, fields: Mapping[str, Any]) -> Position:
        phase = fields["phase"]
        pick, ids = self._codec.pick_stack, [row[0] for row in fields["stacks"]]
        stacks: list[Any] = [self._stack(pick(row), _HIDDEN) for row in fields["stacks"]]
        seats = []
        for number, row in enumerate(fields["seats"][: len(self.seats)]):
            status, submitted, ready, draw_offer, draw_used = self._codec.pick_seat(row)
            army = (
                self._entries(fields["seats.army"][number])
                if phase == _RECRUIT_PHASE and submitted
                else UNSET
            )
            seats.append(
                PositionSeat(
                    SEATS[number],
                    STATUSES[status],
                    army,
                    ready != 0 if phase == _DEPLOY else UNSET,
                    draw_offer != 0 if phase == _PLAY else UNSET,
                    draw_used != 0 if phase == _PLAY else UNSET,
                )
            )
        return Position(
            phase=PHASES[phase],
            round=fields["round"],
            obstacles=list(self._board_with(fields["obstacles"]).obstacles),
            stacks=stacks,
            queue=[ids[place] for place in fields["queue"]] if phase == _PLAY else UNSET,
            next_id=fields["next_id"],
            seats=seats,
        )


_LISTED_KEPT = 32768


def _item(word: int) -> int:
    """A word of an army as an item: reserved values and sizes are those of 32-bit numbers there."""
    if word == WORD_UNKNOWN:
        return UNKNOWN
    return word if -_FIELD_LIMIT <= word <= _FIELD_LIMIT else OUT_OF_RANGE


def _listed(record: Sequence[int]) -> Any:
    action, decoders = _ACTION_DECODERS[record[0]]
    if record[0] == _RECRUIT:
        assert record[1] == OPEN
        return Recruit(open=True)
    return action(*[decode(record[1 + i]) for i, decode in enumerate(decoders)])


def _names(words: Sequence[int], first: int) -> list[str]:
    """The spaces of the list that starts with its length at `first`."""
    return [SPACE_NAMES[space] for space in words[first + 1 : first + 1 + words[first]]]


def _attacked(tables: Tables, words: Sequence[int]) -> Attacked:
    piece, target, origin, at, kind, *numbers = words
    return Attacked(piece, target, SPACE_NAMES[origin], SPACE_NAMES[at], KINDS[kind], *numbers)


def _army_submitted(tables: Tables, words: Sequence[int]) -> ArmySubmitted:
    army = UNSET if words[1] == WORD_ABSENT else tables._army(words[2:])
    return ArmySubmitted(SEATS[words[0]], army)


def _placed(tables: Tables, words: Sequence[int]) -> Placed:
    piece, origin, to, swapped = words
    return Placed(piece, SPACE_NAMES[origin], SPACE_NAMES[to], UNSET if swapped == WORD_ABSENT else swapped)


def _deployment_revealed(tables: Tables, words: Sequence[int]) -> DeploymentRevealed:
    return DeploymentRevealed(
        [StackSpace(words[i], SPACE_NAMES[words[i + 1]]) for i in range(1, len(words), 2)]
    )


# Effect decoders, in the order of table 10.4.
_EFFECTS: tuple[Callable[[Tables, Sequence[int]], Any], ...] = (
    lambda tables, w: MatchStarted(_names(w, 0)),
    _army_submitted,
    lambda tables, w: ArmiesRevealed(tables._stacks(w)),
    _placed,
    lambda tables, w: SeatReady(SEATS[w[0]]),
    _deployment_revealed,
    lambda tables, w: RoundStarted(w[0], list(w[2:])),
    lambda tables, w: TurnStarted(w[0], SEATS[w[1]], w[2] != 0),
    lambda tables, w: Moved(w[0], SPACE_NAMES[w[1]], SPACE_NAMES[w[2]], _names(w, 3)),
    _attacked,
    lambda tables, w: Destroyed(w[0], SPACE_NAMES[w[1]]),
    lambda tables, w: SeatEliminated(SEATS[w[0]]),
    lambda tables, w: Healed(w[0], w[1], SPACE_NAMES[w[2]], *w[3:]),
    lambda tables, w: Summoned(w[0], tables._stack(w[1:], WORD_ABSENT)),
    lambda tables, w: Defended(w[0]),
    lambda tables, w: Waited(w[0]),
    lambda tables, w: DrawOffered(SEATS[w[0]]),
    lambda tables, w: DrawAccepted(SEATS[w[0]]),
    lambda tables, w: DrawDeclined(SEATS[w[0]]),
    lambda tables, w: Resigned(SEATS[w[0]], LEAVE_REASONS[w[1]], list(w[3:])),
    lambda tables, w: MatchEnded(tables._result(w[0], w[1])),
)
