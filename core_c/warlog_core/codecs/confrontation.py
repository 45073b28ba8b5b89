"""Confrontation: names and JSON of `rules/confrontation.md` ↔ the words and records of `src/games/confrontation.c`.

In the book's order: options and Position into words, actions both ways, effects, view and Position out of C records.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import islice, repeat
from typing import Any

from msgspec import UNSET, UnsetType
from msgspec.structs import replace

from warlog_core.binding import ABSENT, OPEN, OUT_OF_RANGE, UNKNOWN, WORD_ABSENT, RawGame
from warlog_core.codecs import ActionRecord, Result, book_data, confrontation_explain, service_data
from warlog_core.codecs._actions import ListedActions, recent
from warlog_core.codecs._base import BaseCodec, BaseTables
from warlog_core.codecs._names import members
from warlog_core.codecs._options import option_readers
from warlog_core.codecs._signatures import NUMBER, Actions, Effects, Kind, Kinds, table
from warlog_core.codecs._words import (
    Reader,
    WrongShape,
    bool_word,
    known_name,
    list_of,
    name_field,
    numbered,
    object_of,
    optional_word,
    row_words,
    with_verdict,
)
from warlog_core.codecs.confrontation_structs import (
    BOUGHT_TYPES,
    BYS,
    DECISIONS,
    KINDS,
    LEAVE_REASONS,
    OUTCOMES,
    PHASES,
    RACE_NAMES,
    REASONS,
    REMOVED_REASONS,
    SEATS,
    SEATS_OF,
    SPACE_IDS,
    SPACE_NAMES,
    SPELL_NAMES,
    STATUSES,
    TREASURES,
    TYPES,
    Area,
    Army,
    Battle,
    Cast,
    Options,
    Pending,
    Piece,
    PieceView,
    PlaceTerrain,
    Position,
    PositionPiece,
    PositionSeat,
    PostedArmy,
    RevealedArmy,
    RevealedPiece,
    Roll,
    Seat,
    SeatView,
    Space,
    Spell,
    View,
)
from warlog_core.errors import Explanation
from warlog_core.jsonvalue import is_integer
from warlog_core.layout import Fields

_ARMY_PHASE, _ORDER, _TERRAIN, _SETUP, _PLAY, _OVER = range(6)
_HOLD, _LUCK, _LIVE_AGAIN, _PANIC, _FURY, _SWIFT, _RISEN, _DRAW_OFFER = range(1, 9)
_BOARD, _REMOVED = 1, 3
_ROOK, _BISHOP = 2, 4
_PIECES_MADE_MAX = 32768
_NO_RACE = len(RACE_NAMES)
_NOT_GIVEN = 0xFF
_ARMY_BISHOPS_MAX = 14
_AREA_SPACES_MAX = 8

_BOOK = book_data("confrontation")
_SERVICE = service_data("confrontation")
_TEXTS: Mapping[str, Mapping[str, str]] = _SERVICE["texts"]

# ---- into words --------------------------------------------------------------------------------------------

_INT_MIN, _INT_MAX = -(2**31), 2**31 - 1


def _int(value: object) -> int:
    """The book's integer (4.1): 32 bits, no boolean."""
    if not is_integer(value):
        raise WrongShape
    assert isinstance(value, int)
    if not _INT_MIN <= value <= _INT_MAX:
        raise WrongShape
    return value


_space = known_name(numbered(SPACE_NAMES))
_seat = known_name(numbered(SEATS))
_spell = known_name(numbered(SPELL_NAMES))
_race = known_name(numbered(RACE_NAMES))
_kind = known_name(numbered(KINDS))

# Words 1 to 16 of the options, in order.
_OPTION_WORDS = option_readers(_BOOK["options"], _int, known_name)
_OPTIONS = frozenset(_OPTION_WORDS) | {"piece_table", "spell_table", "terrain_areas"}
_TYPE_NUMBERS = ("move", "combat", "cost")
_SPELL_NUMBERS = ("combat", "range")


def _table_words(table: object, rows: Sequence[str], numbers: Sequence[str]) -> list[int]:
    given = object_of(table, (), rows)
    words = []
    for row in rows:
        values = object_of(given.get(row, {}), (), numbers)
        words += row_words(values, dict.fromkeys(numbers, _int))
    return words


def _area_words(areas: object) -> list[int]:
    words = [len(list_of(areas))]
    for entry in list_of(areas):
        area = object_of(entry, ("kind", "spaces"))
        spaces = list_of(area["spaces"])
        words += [_kind(area["kind"]), len(spaces), *map(_space, spaces)]
    return words


def _options_words(options: object) -> list[int]:
    given = object_of(options, (), _OPTIONS)
    return [
        *row_words(given, _OPTION_WORDS),
        *_table_words(given.get("piece_table", {}), TYPES, _TYPE_NUMBERS),
        *_table_words(given.get("spell_table", {}), SPELL_NAMES, _SPELL_NUMBERS),
        *_area_words(given.get("terrain_areas", [])),
    ]


_POSITION_FIELDS = frozenset(Position.__struct_fields__)
_SEAT_FIELDS = frozenset(PositionSeat.__struct_fields__)
_PIECE_WORDS: dict[str, Reader] = {
    "id": _int,
    "seat": _seat,
    "type": known_name(numbered(TYPES)),
    "status": known_name(numbered(STATUSES)),
    "at": _space,
    "strength": _int,
    "combat_bonus": _int,
    "move_bonus": _int,
}
_PIECE_FIELDS = frozenset(_PIECE_WORDS) | {"spells"}


def _position_words(position: object) -> list[int]:
    given = object_of(position, ("seats", "pieces"), _POSITION_FIELDS)
    seats, pieces = list_of(given["seats"]), list_of(given["pieces"])
    order, acted = list_of(given.get("play_order", [])), list_of(given.get("acted", []))
    words = [
        optional_word(given, "active", _seat),
        optional_word(given, "turn", _int),
        optional_word(given, "actions_left", _int),
        optional_word(given, "draw_offered", bool_word),
        len(seats),
    ]
    for entry in seats:
        seat = object_of(entry, ("seat",), _SEAT_FIELDS)
        words += [_seat(seat["seat"]), optional_word(seat, "alive", bool_word)]
        words += [optional_word(seat, "race", _race), optional_word(seat, "race_tokens", _int)]
    words += [int("play_order" in given), len(order), *map(_seat, order), len(acted), *map(_int, acted)]
    words.append(len(pieces))
    for entry in pieces:
        piece = object_of(entry, ("id", "seat", "type"), _PIECE_FIELDS)
        words += row_words(piece, _PIECE_WORDS)
        spells = [_spell(spell) for spell in list_of(piece.get("spells", []))]
        words.append(len(spells) if "spells" in piece else WORD_ABSENT)
        words += [spells.count(spell) for spell in range(len(SPELL_NAMES))]
    return words + _area_words(given.get("terrain", []))


class Codec(BaseCodec):
    """The codec of `confrontation`."""

    title = "Confrontation"
    trace_spaces = SPACE_NAMES
    view_type = View
    position_type = Position
    options_type = Options

    def __init__(self, raw: RawGame) -> None:
        layout = raw.state_layout
        piece = (
            "id", "status", "at", "strength", "combat_bonus", "move_bonus",
            *(f"spells.{i}" for i in range(len(SPELL_NAMES))),
        )  # fmt: skip
        self.pick_piece = layout.row_picker("pieces", piece)
        # From one view to the next most pieces stay what they are.
        read_piece = layout.row_reader("pieces", ("seat", "type", *piece))
        self.seen_piece = lru_cache(_PIECES_MADE_MAX)(
            lambda record, seats: _seen_piece(seats, *read_piece(record))
        )
        self.pick_area = layout.row_picker("areas", ("kind", "spaces"))
        self.work_names = layout.rows["work"]
        self.pending_at = self.work_names.index("pending")
        self.army_names = layout.rows["armies"]
        self.actions = Actions(raw.actions, _KINDS, _SERVICE["actions"], own=(Army, PlaceTerrain, Cast))
        self.effects = Effects(raw.effects, _KINDS, _SERVICE["effects"], {"treasure": "TreasureFound"})
        self.action_type, self.effect_type = self.actions.union, self.effects.union
        self.encoders = {
            **self.actions.encoders(_KINDS, but=_OF_A_MATCH),
            "place_terrain": _terrain_record,
            "cast": _cast_record,
            "army": lambda action: _army_record(action, raw.items_max),
        }
        makers: dict[int, Callable[[Sequence[int]], Any]] = {
            **self.actions.makers(_KINDS, but=_OF_A_MATCH),
            _ARMY: lambda record: _listed_army(record[1], record[2]),
            _PLACE_TERRAIN: _listed_terrain,
            _CAST: _cast,
        }
        self.made = recent(lambda record: makers[record[0]](record))
        self.listed = ListedActions(self.made)

    # ---- options and Position ----

    def options_words(self, options: object) -> list[int]:
        return with_verdict(_options_words, options)

    def position_words(self, options: object, position: object) -> list[int]:
        return with_verdict(_position_words, position)

    def explain_start(
        self, options: Mapping[str, Any], position: Any, code: str, words: Sequence[int]
    ) -> Explanation | None:
        return confrontation_explain.of_start(options, position, code, words)

    def full_options(self, options: Mapping[str, Any]) -> dict[str, Any]:
        full: dict[str, Any] = {}
        for spec in _BOOK["options"]:
            name, default = spec["name"], spec["default"]
            if name in ("piece_table", "spell_table"):
                given = options.get(name, {})
                rows = default.keys() | given.keys()
                full[name] = {
                    row: {**default.get(row, {}), **given.get(row, {})}
                    for row in (*TYPES, *SPELL_NAMES)
                    if row in rows
                }
            else:
                full[name] = options.get(name, list(default) if isinstance(default, list) else default)
        return full

    def position_is_open(self, position: Mapping[str, object]) -> bool:
        """A Position is of a match whose armies have been revealed: nothing in it is hidden (8)."""
        return True

    # ---- what a client needs to draw the game ----

    def board(self, options: Mapping[str, Any]) -> dict[str, Any]:
        """Spaces in canonical order. `zone`: the seats in whose zones the space lies; neighbours share corners."""
        zones = {
            entry["seat"]: set(entry["zone"])
            for entry in _BOOK["seats"]
            if entry["seat"] in SEATS_OF[options["seats"]]
        }
        directions = [(entry["file"], entry["rank"]) for entry in _BOOK["board"]["directions"]]
        spaces = []
        for space, name in enumerate(SPACE_NAMES):
            column, row = space % 8, space // 8
            spaces.append(
                {
                    "id": name,
                    "x": float(column),
                    "y": float(row),
                    "region": None,
                    "kind": "light" if (column + row) % 2 else "dark",
                    "zone": [seat for seat, zone in zones.items() if name in zone],
                    "neighbours": [
                        SPACE_NAMES[(row + up) * 8 + column + right]
                        for right, up in directions
                        if 0 <= row + up < 8 and 0 <= column + right < 8
                    ],
                }
            )
        return {"kind": "square", "levels": ["ground"], "width": 8, "height": 8, "spaces": spaces}

    def pieces(self, options: Mapping[str, Any]) -> list[Any]:
        numbers = options["piece_table"]
        return [
            {**entry, **numbers[entry["type"]], "ability": _TEXTS["abilities"][entry["type"]]}
            for entry in _BOOK["types"]
        ]

    def presets(self, options: Mapping[str, Any]) -> list[Any]:
        """The armies of 4.4 and what they cost with these options."""
        costs = {name: row.get("cost", 0) for name, row in options["piece_table"].items()}
        presets = []
        for preset in _BOOK["preset_armies"]:
            extra = sum(len(spells) - options["spells_per_bishop"] for spells in preset["bishops"])
            cost = sum(number * costs[name] for name, number in preset["pieces"].items())
            named = {"preset": preset["name"], "pieces": preset["pieces"], "bishops": preset["bishops"]}
            presets.append({**named, "cost": cost + extra * options["spell_cost"]})
        return presets

    def catalogues(self, options: Mapping[str, Any]) -> dict[str, Any]:
        """Spells, races, terrain and treasures, with a text for each; and the limits of an army (7.1), where `free` is
        what every seat has for nothing, the King included, and counts towards `max_pieces`."""
        spells = options["spell_table"]
        return {
            "army": {
                "points": options["army_points"],
                "max_pieces": _BOOK["max_pieces"][str(options["seats"])],
                "free": {"king": 1, "pawn": options["free_pawns"]},
                "max_spells_per_bishop": _BOOK["max_spells_per_bishop"],
            },
            "spells": [
                {**entry, **spells.get(entry["spell"], {}), "text": _TEXTS["spells"][entry["spell"]]}
                for entry in _BOOK["spells"]
            ],
            "races": [{**entry, "text": _TEXTS["races"][entry["race"]]} for entry in _BOOK["races"]],
            "terrain": [{"kind": kind, "text": _TEXTS["terrain"][kind]} for kind in _BOOK["terrain_kinds"]],
            "treasures": [
                {**entry, "text": _TEXTS["treasures"][entry["treasure"]]} for entry in _BOOK["treasures"]
            ],
        }

    def tables(self, setup: Mapping[str, Any], labels: bytes) -> Tables:
        return Tables(self, setup)


# ---- actions -----------------------------------------------------------------------------------------------

_FIELD_MIN = _INT_MIN + 16


def _number_field(value: object) -> int:
    """Any integer of the book; those that are reserved here are no piece's id and no place either."""
    number = _int(value)
    return number if number >= _FIELD_MIN else OUT_OF_RANGE


_space_field = name_field(SPACE_IDS)


def _count(value: object) -> int:
    number = _int(value)
    if not 0 <= number <= 60:
        raise WrongShape
    return number


_ARMY, _PLACE_TERRAIN, _CAST, _TIMEOUT = 0, 2, 6, 21
_ARMY_FIELDS = frozenset(("bishops", "race", "extra_tokens"))


def _army_record(action: dict[str, Any], items_max: int) -> ActionRecord:
    """Numbers of pieces, length of `bishops`, the lengths of its lists, their spells; see the C file."""
    object_of(action, ("type", "pieces"), _ARMY_FIELDS)
    pieces = object_of(action["pieces"], (), BOUGHT_TYPES)
    items = [_count(pieces[name]) if name in pieces else ABSENT for name in BOUGHT_TYPES]
    bishops = [[_spell(spell) for spell in list_of(spells)] for spells in list_of(action.get("bishops", []))]
    items.append(len(bishops) if "bishops" in action else ABSENT)
    items += [len(spells) for spells in bishops[:_ARMY_BISHOPS_MAX]]
    for spells in bishops:
        if len(items) >= items_max:
            break
        items += spells
    race = _race(action["race"]) if "race" in action else ABSENT
    extra = _count(action["extra_tokens"]) if "extra_tokens" in action else ABSENT
    return (_ARMY, ABSENT, race, extra, len(items), 0, 0, 0), items[:items_max]


def _terrain_record(action: dict[str, Any]) -> ActionRecord:
    if len(action) != 3:
        raise WrongShape
    kind = _kind(action["kind"])
    spaces = [_space_field(space) for space in list_of(action["spaces"])]
    items = spaces[:_AREA_SPACES_MAX]
    if UNKNOWN in spaces:
        items[0] = UNKNOWN
    return (_PLACE_TERRAIN, len(spaces), kind, 0, 0, 0, 0, 0), items


_SPELL_FIELDS = {
    "fireball": frozenset(("type", "piece", "spell", "target")),
    "heal": frozenset(("type", "piece", "spell", "revive", "to")),
    "hurt": frozenset(("type", "piece", "spell", "target")),
    "judgement": frozenset(("type", "piece", "spell")),
    "panic": frozenset(("type", "piece", "spell", "target")),
}


def _cast_record(action: dict[str, Any]) -> ActionRecord:
    spell = action["spell"]
    if type(spell) is not str or action.keys() != _SPELL_FIELDS.get(spell):
        raise WrongShape
    piece, number = _number_field(action["piece"]), _spell(spell)
    if spell == "heal":
        return (
            (_CAST, piece, number, _number_field(action["revive"]), _space_field(action["to"]), 0, 0, 0),
            (),
        )
    target = 0 if spell == "judgement" else _space_field(action["target"])
    return (_CAST, piece, number, target, 0, 0, 0, 0), ()


# What the numbers of each kind of field stand for; which fields there are is said in `confrontation.c`.
_KINDS: Kinds = {
    "number": NUMBER._replace(read=_number_field),
    "piece": NUMBER._replace(read=_number_field, posted=Piece),
    "space": Kind(SPACE_NAMES, _space_field, type=str, posted=Space),
    "flag": Kind(bool, type=bool),
    "terrain": table(KINDS),
    "race": table(RACE_NAMES),
    "spell": table(SPELL_NAMES),
    "by": table(BYS),
    "outcome": table(OUTCOMES),
    "removal": table(REMOVED_REASONS),
    "treasure": table(TREASURES),
    "leave_reason": table(LEAVE_REASONS),
    "reason": table(REASONS, of=str),
    # Of these each match makes the values, with the names of its seats.
    "seat": Kind(type=Seat),
    "seats": Kind(type=list[str]),
    "army": Kind(type=RevealedArmy),
    "roll": Kind(type=Roll),
}
# The records of these actions are not simply their fields.
_BY_HAND = ("army", "place_terrain", "cast")
_OF_A_MATCH = (*_BY_HAND, "timeout")  # whose names are the match's


def _spells(counts: Sequence[int]) -> list[Spell]:
    """In spell order, with repeats."""
    return [name for name, count in zip(SPELL_NAMES, counts, strict=True) for _ in range(count)]


def _bishops(lengths: Sequence[int], spells: Sequence[int]) -> list[list[Spell]]:
    bishops, at = [], 0
    for length in lengths:
        bishops.append([SPELL_NAMES[spell] for spell in spells[at : at + length]])
        at += length
    return bishops


def _posted_army(race: int, extra: int, items: Sequence[int]) -> Army:
    n = items[5]
    return Army(
        pieces={name: count for name, count in zip(BOUGHT_TYPES, items[:5], strict=True) if count != ABSENT},
        bishops=UNSET if n == ABSENT else _bishops(items[6 : 6 + n], items[6 + n :]),
        race=UNSET if race == ABSENT else RACE_NAMES[race],
        extra_tokens=UNSET if extra == ABSENT else extra,
    )


def _listed_army(preset: int, race: int) -> Army:
    if preset == OPEN:
        return Army(open=True)
    entry = _BOOK["preset_armies"][preset]
    return Army(
        pieces={name: entry["pieces"][name] for name in BOUGHT_TYPES if name in entry["pieces"]},
        bishops=entry["bishops"] or UNSET,
        race=UNSET if race == ABSENT else RACE_NAMES[race],
    )


def _listed_terrain(record: Sequence[int]) -> PlaceTerrain:
    assert record[1] == OPEN
    return PlaceTerrain(open=True)


def _cast(record: Sequence[int]) -> Cast:
    _, piece, number, first, second, *_ = record
    spell = SPELL_NAMES[number]
    if spell == "heal":
        return Cast(piece, spell, revive=first, to=SPACE_NAMES[second])
    return Cast(piece, spell) if spell == "judgement" else Cast(piece, spell, SPACE_NAMES[first])


def _seen_piece(
    seats: Sequence[Seat],
    seat: int,
    kind: int,
    id_: int,
    status: int,
    at: int,
    strength: int,
    combat: int,
    move: int,
    *spells: int,
) -> PieceView:
    return PieceView(
        id=id_,
        seat=seats[seat],
        type=TYPES[kind],
        status=STATUSES[status],
        at=SPACE_NAMES[at] if status == _BOARD else UNSET,
        strength=strength or UNSET,
        combat_bonus=combat or UNSET,
        move_bonus=move or UNSET,
        spells=_spells(spells) if kind == _BISHOP else UNSET,
    )


class Tables(BaseTables):
    """One match's names: those of its seats. All else is the same in every match."""

    def __init__(self, codec: Codec, setup: Mapping[str, Any]) -> None:
        self.seats = SEATS_OF[setup["n_seats"]]
        self._codec = codec
        kinds = {
            **_KINDS,
            "seat": table(self.seats),
            "seats": Kind(self._named),
            "army": Kind(take=self._army),
            "roll": Kind(take=lambda left: Roll(self.seats[next(left)], next(left))),
        }
        timeout = codec.actions.encoders(kinds, but=codec.encoders)
        self._timeout = codec.actions.makers(kinds, but=_BY_HAND)[_TIMEOUT]
        super().__init__({**codec.encoders, **timeout}, codec.effects.decoders(kinds), codec.listed)

    # ---- actions ----

    def action(self, record: Sequence[int], items: Sequence[int]) -> Any:
        if record[0] == _ARMY and record[1] == ABSENT:
            return _posted_army(record[2], record[3], items)
        if record[0] == _PLACE_TERRAIN:
            return PlaceTerrain(KINDS[record[2]], [SPACE_NAMES[space] for space in items])
        if record[0] == _TIMEOUT:
            return self._timeout(record)
        return self._codec.made(record)

    def action_alt(self, kind: int, words: Sequence[int]) -> dict[str, Any]:
        """The type alone (section 8)."""
        return {"type": self._codec.actions.names[kind]}

    def explain(self, action: Mapping[str, Any], code: str, words: Sequence[int]) -> Explanation | None:
        return confrontation_explain.of_action(action, code, words, self.seats)

    def _named(self, bits: int) -> list[str]:
        return members(bits, self.seats)

    def _army(self, left: Iterator[int]) -> RevealedArmy:
        seat, spent, race, tokens, n = islice(left, 5)
        pieces = []
        for _ in range(n):
            piece, kind = islice(left, 2)
            spells = _spells([*islice(left, len(SPELL_NAMES))]) if kind == _BISHOP else UNSET
            pieces.append(RevealedPiece(piece, TYPES[kind], spells))
        with_race = race != WORD_ABSENT
        return RevealedArmy(
            seat=self.seats[seat],
            spent=spent,
            race=RACE_NAMES[race] if with_race else UNSET,
            race_tokens=tokens if with_race else UNSET,
            pieces=pieces,
        )

    # ---- view and Position: two writings of one record ----

    def view(self, viewer: str, fields: Fields) -> View:
        phase = fields["phase"]
        playing = phase == _PLAY
        seats = self.seats
        return View(
            viewer=viewer,
            phase=PHASES[phase],
            to_act=self._named(fields["to_act"]),
            result=Result(self._named(fields["winners"]), REASONS[fields["reason"]])
            if phase == _OVER
            else UNSET,
            seats=[self._seat_view(number, fields) for number in range(len(seats))],
            terrain=self._terrain(fields),
            pieces=self._pieces(fields),
            chooser=seats[fields["chooser"]] if phase == _ORDER else UNSET,
            play_order=[seats[number] for number in fields["order"]] if fields["order"] else UNSET,
            turn=fields["turn"] if fields["turn"] else UNSET,
            active=seats[fields["active"]] if phase in (_TERRAIN, _SETUP, _PLAY) else UNSET,
            actions_left=fields["actions_left"] if playing else UNSET,
            acted=list(fields["acted"]) if playing else UNSET,
            draw_offered=fields["draw_offered"] != 0 if playing else UNSET,
            pending=self._pending(fields) if playing else UNSET,
        )

    def _seat_view(self, number: int, fields: Fields) -> SeatView:
        seat, alive = self.seats[number], fields["alive"] >> number & 1 != 0
        if fields["phase"] == _ARMY_PHASE:
            submitted = fields["submitted"] >> number & 1 != 0
            return SeatView(seat, alive, submitted, self._own_army(fields["armies"][number]))
        race = fields["race"][number]
        if race == _NO_RACE:
            return SeatView(seat, alive)
        return SeatView(seat, alive, UNSET, UNSET, RACE_NAMES[race], fields["race_tokens"][number])

    def _own_army(self, row: Sequence[int]) -> PostedArmy | UnsetType:
        army = dict(zip(self._codec.army_names, row, strict=True))
        if not army["given"]:
            return UNSET
        counts = [army[f"pieces.{i}"] for i in range(len(BOUGHT_TYPES))]
        n, race, extra = army["n_bishops"], army["race"], army["extra_tokens"]
        bishops: list[list[Spell]] | UnsetType = UNSET
        if n != _NOT_GIVEN:
            spells = [army[f"spells.{i}"] for i in range(army["n_spells"])]
            bishops = _bishops([army[f"lengths.{i}"] for i in range(n)], spells)
        return PostedArmy(
            {name: count for name, count in zip(BOUGHT_TYPES, counts, strict=True) if count != _NOT_GIVEN},
            bishops,
            UNSET if race == _NOT_GIVEN else RACE_NAMES[race],
            UNSET if extra == _NOT_GIVEN else extra,
        )

    def _terrain(self, fields: Fields) -> list[Area]:
        return [
            Area(KINDS[kind], members(spaces, SPACE_NAMES))
            for kind, spaces in map(self._codec.pick_area, fields["areas"])
        ]

    def _rows(self, fields: Fields) -> list[tuple[int, int, int, tuple[int, ...] | None]]:
        """(id, seat, type, row) of every piece, by ascending id; no row for a removed one."""
        rows = {row[0]: row for row in map(self._codec.pick_piece, fields["pieces"])}
        n = len(TYPES)
        return [
            (piece, (entry - 1) // n, (entry - 1) % n, rows.get(piece))
            for piece, entry in enumerate(fields["roster"])
            if entry
        ]

    def _pieces(self, fields: Fields) -> list[PieceView]:
        seats, n = self.seats, len(TYPES)
        there = {
            piece.id: piece for piece in map(self._codec.seen_piece, fields.records("pieces"), repeat(seats))
        }
        pieces = []
        for id_, entry in enumerate(fields["roster"]):
            if not entry:
                continue
            piece = there.get(id_)
            if piece is None:
                seat, kind = divmod(entry - 1, n)
                piece = PieceView(id=id_, seat=seats[seat], type=TYPES[kind], status="removed")
            elif piece.spells is not UNSET:
                piece = replace(piece, spells=[*piece.spells])  # its reader's own
            pieces.append(piece)
        return pieces

    def _pending(self, fields: Fields) -> Pending | UnsetType:
        kind = fields["work"][self._codec.pending_at]
        if not kind:
            return UNSET
        work = dict(zip(self._codec.work_names, fields["work"], strict=True))
        seat = self.seats[work["owner"]]
        name = DECISIONS[kind - 1]
        if kind in (_HOLD, _LUCK, _LIVE_AGAIN):
            lucky = kind == _LUCK
            battle = Battle(
                attacker=work["attacker"],
                defender=work["defender"],
                by=BYS[work["by"]],
                origin=SPACE_NAMES[work["from"]],
                space=SPACE_NAMES[work["space"]],
                attack_rating=work["attack_rating"] if lucky else UNSET,
                defend_rating=work["defend_rating"] if lucky else UNSET,
                attack_die=work["attack_die"] if lucky else UNSET,
                defend_die=work["defend_die"] if lucky else UNSET,
            )
            loser = work["loser"] if kind == _LIVE_AGAIN else UNSET
            return Pending(kind=name, seat=seat, battle=battle, piece=loser)
        if kind == _PANIC:
            piece = work["defender"]
            ((_, _, at, *_),) = (
                row for row in map(self._codec.pick_piece, fields["pieces"]) if row[0] == piece
            )
            return Pending(kind=name, seat=seat, piece=piece, at=SPACE_NAMES[at])
        if kind == _FURY:
            return Pending(kind=name, seat=seat, trigger=work["trigger"], stage=1 + (work["fury"] > 1))
        if kind == _DRAW_OFFER:
            return Pending(kind=name, seat=seat, by=self.seats[fields["active"]])
        return Pending(kind=name, seat=seat, piece=work["mover"])

    def position(self, fields: Fields) -> Position | None:
        """Of phase `play` without an open decision alone (10.6)."""
        work = dict(zip(self._codec.work_names, fields["work"], strict=True))
        if fields["phase"] != _PLAY or work["pending"]:
            return None
        seats = []
        for number, seat in enumerate(self.seats):
            race = fields["race"][number]
            alive = fields["alive"] >> number & 1 != 0
            if race == _NO_RACE:
                seats.append(PositionSeat(seat, alive))
            else:
                seats.append(PositionSeat(seat, alive, RACE_NAMES[race], fields["race_tokens"][number]))
        return Position(
            seats=seats,
            play_order=[self.seats[number] for number in fields["order"]],
            active=self.seats[fields["active"]],
            turn=fields["turn"],
            actions_left=fields["actions_left"],
            acted=list(fields["acted"]),
            draw_offered=fields["draw_offered"] != 0,
            pieces=self._position_pieces(fields),
            terrain=self._terrain(fields),
        )

    def _position_pieces(self, fields: Fields) -> list[PositionPiece]:
        pieces = []
        for piece, seat, kind, row in self._rows(fields):
            if row is None:
                pieces.append(
                    PositionPiece(id=piece, seat=self.seats[seat], type=TYPES[kind], status="removed")
                )
                continue
            _, _, at, strength, combat, move, *spells = row
            pieces.append(
                PositionPiece(
                    id=piece,
                    seat=self.seats[seat],
                    type=TYPES[kind],
                    at=SPACE_NAMES[at],
                    strength=strength if strength or kind == _ROOK else UNSET,
                    combat_bonus=combat or UNSET,
                    move_bonus=move or UNSET,
                    spells=_spells(spells) if kind == _BISHOP else UNSET,
                )
            )
        return pieces
