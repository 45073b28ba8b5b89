"""Hex Tactics: names and JSON of `rules/hex.md` ↔ words (option words: head of
`src/games/hex.c`; Position words: `hex_position.c`) and records (ACTION_ROWS in `hex.h`, EFFECT_ROWS in `hex.c`).

In the book's order: options and Position into words, actions both ways, effects, view and Position out of C records.
The Structs are in `hex_structs.py`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property, lru_cache
from itertools import islice
from typing import Any

import msgspec
from msgspec import UNSET

from warlog_core.binding import (
    OUT_OF_RANGE,
    UNKNOWN,
    WORD_ABSENT,
    WORD_UNKNOWN,
    RawGame,
)
from warlog_core.codecs import ActionRecord, Result, book_data, hex_explain, service_data
from warlog_core.codecs._actions import (
    ListedActions,
    recent,
)
from warlog_core.codecs._base import BaseCodec, BaseTables
from warlog_core.codecs._names import joined, members
from warlog_core.codecs._options import option_readers
from warlog_core.codecs._signatures import NUMBER, Actions, Effects, Kind, Kinds, table
from warlog_core.codecs._words import (
    FIELD_LIMIT,
    Reader,
    WrongShape,
    bool_word,
    int64_field,
    int64_word,
    int_word,
    list_of,
    name_field,
    name_word,
    numbered,
    object_of,
    optional_word,
    row_words,
    with_verdict,
)
from warlog_core.codecs.hex_structs import (
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
    ArmyEntry,
    Board,
    Options,
    Piece,
    Position,
    PositionSeat,
    Recruit,
    Seat,
    SeatView,
    Space,
    Stack,
    StackSpace,
    UnitType,
    View,
)
from warlog_core.errors import BadState, Explanation
from warlog_core.jsonvalue import is_text
from warlog_core.layout import Fields

_RECRUIT_PHASE, _DEPLOY, _PLAY, _OVER = range(4)
_HIDDEN = 0xFFFF  # in a view, the space of a stack to those who may not know it
_BOARDS_KEPT = 1024

_BOOK = book_data("hex")
_SERVICE = service_data("hex")

# ---- into words --------------------------------------------------------------------------------------------

_space_word = name_word(SPACE_IDS)
_SEAT_NUMBERS = numbered(SEATS)
_seat_word = name_word(_SEAT_NUMBERS)
_status_word = name_word(numbered(STATUSES))
# A Position is of a match that is not over: `over` is no phase of one.
_phase_word = name_word(numbered(PHASES[:_OVER]))

# Words 1 to 17 of the options, in order.
_OPTION_WORDS = option_readers(_BOOK["options"], int_word, name_word)
_OPTIONS = frozenset(_OPTION_WORDS) | {"obstacle_spaces", "armies", "roster"}

# The words of a unit type, in order; `summon_unit` (before `cost`) is done by hand.
_TYPE_WORDS: dict[str, Reader] = {
    "level": int_word,
    "initiative": int_word,
    "hp": int_word,
    "move": int_word,
    "movement": name_word(numbered(MOVEMENTS)),
    "range": int_word,
    "attack": int_word,
    "spread": int_word,
    "shooter": bool_word,
    "retaliations": int_word,
    "skill": name_word(numbered(SKILLS)),
    "skill_range": int_word,
    "skill_power": int_word,
    "skill_uses": int_word,
}
_TYPE_ROW = (*_TYPE_WORDS, "summon_unit", "cost")
_SKILL_NUMBERS = frozenset(("skill_range", "skill_power", "skill_uses"))
# Every field of a type is required, but for those that its skill does not have.
_TYPE_FIELDS = {
    "summon": frozenset(UnitType.__struct_fields__),
    "heal": frozenset(UnitType.__struct_fields__) - {"summon_unit"},
    "none": frozenset(UnitType.__struct_fields__) - {"summon_unit"} - _SKILL_NUMBERS,
}
_TYPE_ID = re.compile(r"[a-z][a-z0-9_]{0,31}")
_ROSTER_MAX = 40

# The words of a Position's stack, in order. Those that may be absent have no place in _STACK_REQUIRED.
_STACK_NUMBERS: dict[str, Reader] = {
    "count": int64_word,
    "start_count": int64_word,
    "top_hp": int64_word,
    "defending": bool_word,
    "waited": bool_word,
    "retaliations_used": int64_word,
    "skill_used": int64_word,
    "summoned": bool_word,
}
_STACK_FIELDS = frozenset(_STACK_NUMBERS) | {"id", "seat", "unit", "space"}
_STACK_REQUIRED = ("seat", "unit", "space", "count")
_POSITION_FIELDS = frozenset(Position.__struct_fields__)
_POSITION_SEAT_FIELDS = frozenset(PositionSeat.__struct_fields__)


def _army_words(army: object, unit_word: Reader, number: Reader) -> list[int]:
    """The true length, then unit and count of each entry."""
    entries = list_of(army)
    words = [len(entries)]
    for entry in entries:
        pair = object_of(entry, ("unit", "count"))
        words += (unit_word(pair["unit"]), number(pair["count"]))
    return words


def _roster_words(roster: object) -> list[int]:
    types = list_of(roster)
    if not 1 <= len(types) <= _ROSTER_MAX:
        raise WrongShape
    words = [len(types)]
    ids: dict[str, int] = {}
    for unit in types:
        if type(unit) is not dict or type(unit.get("id")) is not str:
            raise WrongShape
        if not _TYPE_ID.fullmatch(unit["id"]) or unit["id"] in ids:
            raise WrongShape
        ids[unit["id"]] = len(ids)
    summon_word = name_word(ids)
    for unit in types:
        skill = unit.get("skill")
        if type(skill) is not str or unit.keys() != _TYPE_FIELDS.get(skill):
            raise WrongShape
        if not is_text(unit["name"]) or not 1 <= len(unit["name"]) <= 40:
            raise WrongShape
        words += row_words(unit, _TYPE_WORDS)
        words += (optional_word(unit, "summon_unit", summon_word), int_word(unit["cost"]))
    return words


def _armies_words(armies: object, unit_word: Reader) -> list[int]:
    if type(armies) is not dict:
        raise WrongShape
    words = [len(armies)]
    for seat, army in armies.items():
        words.append(_seat_word(seat))
        words += _army_words(army, unit_word, int_word)
    return words


def _ids(options: object) -> tuple[str, ...]:
    """The ids of the roster in use, in order; the default roster's while that of the options is not well-formed."""
    if type(options) is dict and "roster" in options:
        try:
            _roster_words(options["roster"])
        except WrongShape:
            return ()
        return tuple(unit["id"] for unit in options["roster"])
    return _DEFAULT_IDS


# Verdicts on roster and armies, for which the rules have error codes of their own.
_ABSENT, _GIVEN, _MALFORMED = range(3)


def _options_words(options: object) -> list[int]:
    given = object_of(options, (), _OPTIONS)
    words = row_words(given, _OPTION_WORDS)
    spaces = [_space_word(space) for space in list_of(given.get("obstacle_spaces", []))]
    lists = [len(spaces), *spaces]
    roster_verdict, armies_verdict = _ABSENT, _ABSENT
    if "roster" in given:
        roster_verdict = _add_list(lists, _roster_words, given["roster"])
    if given.get("army") == "given" and "armies" in given:
        unit_word = name_word(numbered(_ids(given)))
        armies_verdict = _add_list(lists, _armies_words, given["armies"], unit_word)
    return [*words, roster_verdict, armies_verdict, *lists]


def _add_list(lists: list[int], words: Callable[..., list[int]], *given: object) -> int:
    """Adds what `words` makes of a list, and gives the verdict; nothing is added of a malformed one."""
    try:
        lists += words(*given)
    except WrongShape:
        return _MALFORMED
    return _GIVEN


_DEFAULT_IDS: tuple[str, ...] = tuple(unit["id"] for unit in _BOOK["roster"])
_DEFAULT_LABELS: tuple[tuple[str, str], ...] = tuple((unit["id"], unit["name"]) for unit in _BOOK["roster"])


class Codec(BaseCodec):
    """The codec of `hex`."""

    title = "Hex Tactics"
    trace_spaces = SPACE_NAMES
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
        self.actions = Actions(raw.actions, _KINDS, _SERVICE["actions"], own=(Recruit,))
        self.effects = Effects(raw.effects, _KINDS, _SERVICE["effects"])
        self.action_type, self.effect_type = self.actions.union, self.effects.union
        self.encoders = self.actions.encoders(_KINDS, but=("recruit",), spaces=SPACE_IDS)
        makers = self.actions.makers(_KINDS, but=("recruit",))
        makers[_RECRUIT] = lambda record: Recruit(open=True)
        self.made = recent(lambda record: makers[record[0]](record))
        self.listed = ListedActions(self.made)

    @staticmethod
    def position_is_open(position: Mapping[str, Any]) -> bool:
        """A Position holds no secret in phase play, which is also the phase of one that names none (10.6)."""
        return bool(position.get("phase", "play") == "play")

    # ---- options and Position ----

    def options_words(self, options: object) -> list[int]:
        return with_verdict(_options_words, options)

    def position_words(self, options: object, position: object) -> list[int]:
        return with_verdict(_position_words, position, name_word(numbered(_ids(options))))

    def explain_start(
        self, options: Mapping[str, Any], position: Any, code: str, words: Sequence[int]
    ) -> Explanation | None:
        return hex_explain.of_start(options, position, words)

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
        depth, zones = int(options["deploy_depth"]), _zones(int(options["seats"]), height)
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
                        "zone": [
                            seat
                            for seat, (west, ranks) in zones.items()
                            if row + 1 in ranks and (column < depth if west else column >= width - depth)
                        ],
                        "neighbours": [
                            SPACE_NAMES[(row + up) * ROW + column + right]
                            for right, up in around
                            if 0 <= row + up < height and 0 <= column + right < width
                        ],
                    }
                )
        return {"kind": "hex", "levels": ["ground"], "width": width, "height": height, "spaces": spaces}

    def pieces(self, options: Mapping[str, Any]) -> list[Any]:
        return [{**unit, "text": _unit_text(unit)} for unit in options.get("roster", _BOOK["roster"])]

    def presets(self, options: Mapping[str, Any]) -> list[Any]:
        """`auto`, then the named armies as the book prints them, for `points` points (4.3); the match scales them."""
        named = [] if "roster" in options else _BOOK["presets"]
        points = _BOOK["preset_points"]
        mixed = {
            "preset": "auto",
            "name": "A bit of everything",
            "text": "Units from the whole roster, with equal shares of the points.",
        }
        return [mixed, *({**preset, "points": points} for preset in named)]

    def tables(self, setup: Mapping[str, Any], labels: bytes) -> Tables:
        return Tables(self, setup, labels)


def _zones(seats: int, height: int) -> dict[str, tuple[bool, range]]:
    """Seat → whether it deploys in the west, and in which ranks (2.5)."""
    half, all_ = height // 2, range(1, height + 1)
    lower, upper = range(1, half + 1), range(height - half + 1, height + 1)
    if seats == 2:
        return {"red": (True, all_), "blue": (False, all_)}
    zones = {"red": (True, lower), "blue": (False, upper), "green": (True, upper), "yellow": (False, lower)}
    return dict(list(zones.items())[:seats])


def _unit_text(unit: Mapping[str, Any]) -> str:
    """What a unit type does, in one sentence, whatever the roster."""
    ways = {"walk": "Walks", "leap": "Leaps over stacks, up to", "fly": "Flies over everything, up to"}
    low, high = unit["attack"] - unit["spread"], unit["attack"] + unit["spread"]
    blow = f"{low}" if low == high else f"{low} to {high}"
    far = f"shoots up to {unit['range']} spaces" if unit["shooter"] else "strikes"
    if not unit["shooter"] and unit["range"] > 1:
        far += f" up to {unit['range']} spaces away"
    text = (
        f"{ways[unit['movement']]} {unit['move']} spaces; {far} for {blow} per unit; {unit['hp']} hit points"
    )
    if unit["skill"] != "none":
        what = "heals friends" if unit["skill"] == "heal" else f"summons units of type {unit['summon_unit']}"
        text += f"; {what} within {unit['skill_range']} spaces"
    return text + "."


def _read_labels(labels: bytes) -> tuple[tuple[str, str], ...]:
    try:
        pairs = msgspec.json.decode(labels, type=tuple[tuple[str, str], ...])
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        raise BadState("the names of the roster are damaged") from None
    if len({unit_id for unit_id, _ in pairs}) != len(pairs):
        raise BadState("two types of the roster have one name")
    return pairs


def _position_words(position: object, unit_word: Reader) -> list[int]:
    given = object_of(position, (), _POSITION_FIELDS)
    obstacles = [_space_word(space) for space in list_of(given.get("obstacles", []))]
    stacks = list_of(given.get("stacks", []))
    queue = [int64_word(stack) for stack in list_of(given.get("queue", []))]
    seats = list_of(given.get("seats", []))
    words = [
        optional_word(given, "phase", _phase_word),
        optional_word(given, "round", int64_word),
        optional_word(given, "next_id", int64_word),
        int("queue" in given),
        len(obstacles),
        *obstacles,
        len(stacks),
    ]
    for stack in stacks:
        object_of(stack, _STACK_REQUIRED, _STACK_FIELDS)
        words += (
            optional_word(stack, "id", int64_word),
            _seat_word(stack["seat"]),
            unit_word(stack["unit"]),
            _space_word(stack["space"]),
        )
        words += row_words(stack, _STACK_NUMBERS)
    words += [len(queue), *queue, len(seats)]
    for seat in seats:
        object_of(seat, ("seat",), _POSITION_SEAT_FIELDS)
        words += (
            _seat_word(seat["seat"]),
            optional_word(seat, "status", _status_word),
            int("army" in seat),
            optional_word(seat, "ready", bool_word),
            optional_word(seat, "draw_offer", bool_word),
            optional_word(seat, "draw_used", bool_word),
        )
        words += _army_words(seat["army"], unit_word, int64_word) if "army" in seat else [0]
    return words


# ---- actions -----------------------------------------------------------------------------------------------

_space_field = name_field(SPACE_IDS)
_RECRUIT = 0

# What the numbers of each kind of field stand for; which fields there are is said in `hex.c`.
_KINDS: Kinds = {
    "number": NUMBER,
    "piece": NUMBER._replace(read=int64_field, posted=Piece),
    "space": Kind(SPACE_NAMES, _space_field, type=str, posted=Space),
    "seat": table(SEATS, of=str)._replace(posted=Seat),
    "flag": Kind(bool, type=bool),
    "kind": table(KINDS),
    "leave_reason": table(LEAVE_REASONS),
    "preset": Kind(PRESETS, name_field(numbered(PRESETS)), type=str),
    "place": Kind(take=lambda left: StackSpace(next(left), SPACE_NAMES[next(left)]), type=StackSpace),
    # Of these each match makes the values, with names of its own.
    "entry": Kind(type=ArmyEntry),
    "stack": Kind(type=Stack),
    "result": Kind(type=Result),
}


@lru_cache(maxsize=_BOARDS_KEPT)  # they never change in a match
def _obstacles(words: tuple[int, ...]) -> tuple[str, ...]:
    return tuple(members(joined(words, ROW), SPACE_NAMES))


class Tables(BaseTables):
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
        self._unit_numbers = numbered(self._units)
        effects = codec.effects.decoders(
            {
                **_KINDS,
                "entry": Kind(take=lambda left: ArmyEntry(self._units[next(left)], next(left))),
                "stack": Kind(take=lambda left: self._stack([*islice(left, 12)], WORD_ABSENT)),
                "result": Kind(take=lambda left: self._result(next(left), next(left))),
            }
        )
        super().__init__({**codec.encoders, "recruit": self._recruit_record}, effects, codec.listed)

    # ---- actions ----

    def _recruit_record(self, action: dict[str, Any]) -> ActionRecord:
        if len(action) != 2:
            raise WrongShape
        words = _army_words(action["army"], name_word(self._unit_numbers), int64_word)
        items = [_item(word) for word in words[1 : 1 + self._codec.items_max]]
        return (_RECRUIT, min(words[0], FIELD_LIMIT), 0, 0, 0, 0, 0, 0), items

    def action(self, record: Sequence[int], items: Sequence[int]) -> Any:
        if record[0] == _RECRUIT:
            return Recruit(army=self._army(items))
        return self._codec.made(record)

    def action_alt(self, kind: int, words: Sequence[int]) -> dict[str, Any]:
        """The type alone (section 8)."""
        return {"type": self._codec.actions.names[kind]}

    def explain(self, action: Mapping[str, Any], code: str, words: Sequence[int]) -> Explanation | None:
        costs = (self._codec.pick_type(row)[-1] for row in self._setup["units"])
        recruitable = [unit for unit, cost in zip(self._units, costs, strict=True) if cost]
        return hex_explain.of_action(action, code, words, self._units, recruitable)

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

    # ---- view and Position: two writings of one record ----

    @cached_property
    def _roster(self) -> tuple[UnitType, ...]:
        roster = []
        for (unit_id, name), row in zip(self._pairs, self._setup["units"], strict=True):
            unit: dict[str, Any] = dict(zip(_TYPE_ROW, self._codec.pick_type(row), strict=True))
            skill = SKILLS[unit["skill"]]
            if skill == "none":
                unit |= dict.fromkeys(_SKILL_NUMBERS, UNSET)
            unit["summon_unit"] = self._units[unit["summon_unit"]] if skill == "summon" else UNSET
            unit |= {
                "skill": skill,
                "movement": MOVEMENTS[unit["movement"]],
                "shooter": bool(unit["shooter"]),
            }
            roster.append(UnitType(id=unit_id, name=name, **unit))
        return tuple(roster)

    def view(self, viewer: str, fields: Fields) -> View:
        phase = fields["phase"]
        pick = self._codec.pick_stack
        stacks = [self._stack(pick(row), _HIDDEN) for row in fields["stacks"]]
        return View(
            viewer=viewer,
            phase=PHASES[phase],
            to_act=members(fields["to_act"], self.seats),
            result=self._result(fields["winners"], fields["reason"]) if phase == _OVER else UNSET,
            round=fields["round"],
            board=Board(self._setup["width"], self._setup["height"], [*_obstacles(fields["obstacles"])]),
            roster=[*self._roster],
            seats=[
                self._seat_view(number, phase, row, fields)
                for number, row in enumerate(fields["seats"][: len(self.seats)])
            ],
            stacks=stacks,
            queue=[stacks[place].id for place in fields["queue"]],
            active=fields["active"] if phase == _PLAY else UNSET,
            zone=self._zone(fields) if fields["has_zone"] else UNSET,
        )

    def _seat_view(self, number: int, phase: int, row: tuple[int, ...], fields: Fields) -> SeatView:
        status, submitted, ready, draw_offer, draw_used = self._codec.pick_seat(row)
        view = (SEATS[number], fields["side"][number], STATUSES[status])
        if phase == _PLAY:
            return SeatView(*view, draw_offer=draw_offer != 0, draw_used=draw_used != 0)
        if phase == _DEPLOY:
            return SeatView(*view, ready=ready != 0)
        if phase != _RECRUIT_PHASE:
            return SeatView(*view)
        army = fields["seats.army"][number]
        return SeatView(*view, submitted=submitted != 0, army=self._entries(army) if army else UNSET)

    def _entries(self, rows: list[Any]) -> list[ArmyEntry]:
        return [ArmyEntry(self._units[unit], count) for unit, count in map(self._codec.pick_entry, rows)]

    def _zone(self, fields: Fields) -> list[str]:
        return [
            SPACE_NAMES[row * ROW + column]
            for row in range(fields["zone_first_row"], fields["zone_last_row"] + 1)
            for column in range(fields["zone_first_column"], fields["zone_last_column"] + 1)
        ]

    def _result(self, winners: int, reason: int) -> Result:
        return Result(members(winners, self.seats), REASONS[reason])

    def position(self, fields: Fields) -> Position:
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
            obstacles=[*_obstacles(fields["obstacles"])],
            stacks=stacks,
            queue=[ids[place] for place in fields["queue"]] if phase == _PLAY else UNSET,
            next_id=fields["next_id"],
            seats=seats,
        )


def _item(word: int) -> int:
    """A word of an army as an item: reserved values and sizes are those of 32-bit numbers there."""
    if word == WORD_UNKNOWN:
        return UNKNOWN
    return word if -FIELD_LIMIT <= word <= FIELD_LIMIT else OUT_OF_RANGE
