"""Universal Chess: names and JSON of `rules/universal.md` ↔ words and records as at the head of `universal.c`.

In the book's order: options and Position into words, actions both ways; effects, view and Position out of the records.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import repeat
from typing import Any, Literal

import msgspec
from msgspec import UNSET

from warlog_core.binding import UNKNOWN, WORD_ABSENT, WORD_UNKNOWN, RawGame
from warlog_core.codecs import Result, book_data, service_data, universal_explain
from warlog_core.codecs._actions import ListedActions, recent
from warlog_core.codecs._base import BaseCodec, BaseTables
from warlog_core.codecs._names import joined, members
from warlog_core.codecs._options import option_readers
from warlog_core.codecs._signatures import NUMBER, Actions, Effects, Kind, Kinds, table
from warlog_core.codecs._words import (
    Reader,
    WrongShape,
    int_field,
    int_word,
    list_of,
    name_field,
    name_word,
    numbered,
    object_of,
    row_words,
    true_word,
    with_verdict,
)
from warlog_core.codecs.universal_structs import (
    FILES,
    KINDS,
    MODES,
    OUT_REASONS,
    PAIRINGS,
    PHASES,
    RANKS,
    REASONS,
    SEATS,
    SPACE_IDS,
    SPACE_NAMES,
    DeadPiece,
    DrawOffer,
    Options,
    OutView,
    Pay,
    Piece,
    PieceView,
    Position,
    PositionOut,
    PositionPiece,
    SacrificeView,
    Seat,
    Space,
    Turn,
    View,
)
from warlog_core.errors import Explanation
from warlog_core.layout import Fields, Row

_OVER = 1
_BOARD = 1  # where a piece is
_PIECES_MADE_MAX = 32768
_AREAS_MADE_MAX = 4096
_NOBODY = 5  # no owner, no origin, no offerer

_BOOK = book_data("universal")
_SERVICE = service_data("universal")

# ---- into words --------------------------------------------------------------------------------------------

_SEAT_NUMBERS = numbered(SEATS)
_seat_word = name_word(_SEAT_NUMBERS)
_kind_word = name_word(numbered(KINDS))
_space_word = name_word(SPACE_IDS)
_reason_word = name_word(numbered(OUT_REASONS))

_Readers = dict[str, Reader]


def _row(value: object, readers: _Readers, required: Iterable[str], ignored: Iterable[str] = ()) -> list[int]:
    """The words of an object, in the order of `readers`."""
    return row_words(object_of(value, tuple(required), (*readers, *ignored)), readers)


def _factions_word(value: object) -> int:
    bits = 0
    for name in list_of(value):
        seat = _seat_word(name)
        if seat == WORD_UNKNOWN or bits >> seat & 1:
            raise WrongShape
        bits |= 1 << seat
    return bits


# The words after the verdict, in order.
_OPTION_WORDS = option_readers(_BOOK["options"], int_word, name_word, {"factions": _factions_word})

_NUMBER_WORDS: _Readers = {
    "promotions": int_word,
    "breedings_left": int_word,
    "quiet": int_word,
    "next_id": int_word,
}
_TURN_WORDS: _Readers = {"seat": _seat_word, "number": int_word, "freeze_used": true_word}
_SACRIFICE_WORDS: _Readers = {"moves_left": int_word, "moved": int_word}
_TURN_FLAGS: _Readers = {"draw_offered": true_word, "progress": true_word}
_PIECE_WORDS: _Readers = {
    "id": int_word,
    "kind": _kind_word,
    "seat": _seat_word,
    "space": _space_word,
    "conquering": int_word,
    "frozen": true_word,
    "origin": _seat_word,
    "holds": int_word,
    "merits": int_word,
}
_DEAD_WORDS: _Readers = {"id": int_word, "kind": _kind_word, "seat": _seat_word}
_OUT_WORDS: _Readers = {"seat": _seat_word, "reason": _reason_word, "turn": int_word}
_BOOSTED = frozenset(("boosted",))
_POSITION_FIELDS = frozenset(Position.__struct_fields__)


_NO_TURN = [0, WORD_ABSENT, WORD_ABSENT, WORD_ABSENT, 0, WORD_ABSENT, WORD_ABSENT, WORD_ABSENT, WORD_ABSENT]
_NO_OFFER = [0, WORD_ABSENT, 0]


def _turn_words(turn: object) -> list[int]:
    """Whether it is given, then its words; those of `sacrifice` stand in the midst."""
    rest = frozenset((*_TURN_FLAGS, "sacrifice"))
    words = [1, *_row(turn, _TURN_WORDS, ("seat", "number"), rest)]
    assert isinstance(turn, dict)
    if "sacrifice" in turn:
        words += (1, *_row(turn["sacrifice"], _SACRIFICE_WORDS, ("moves_left",)))
    else:
        words += (0, WORD_ABSENT, WORD_ABSENT)
    return words + row_words(turn, _TURN_FLAGS)


def _offer_words(offer: object) -> list[int]:
    given = object_of(offer, ("by", "accepted"))
    accepted = [_seat_word(seat) for seat in list_of(given["accepted"])]
    return [1, _seat_word(given["by"]), len(accepted), *accepted]


def _area_words(area: object) -> list[int]:
    if type(area) is not dict:
        raise WrongShape
    words = [1, len(area)]
    for seat, spaces in area.items():
        words += (_seat_word(seat), len(list_of(spaces)), *map(_space_word, spaces))
    return words


def _position_words(position: object) -> list[int]:
    given = object_of(position, ("pieces",), _POSITION_FIELDS)
    words = row_words(given, _NUMBER_WORDS)
    words += _turn_words(given["turn"]) if "turn" in given else _NO_TURN
    words += _offer_words(given["draw_offer"]) if "draw_offer" in given else _NO_OFFER
    pieces = list_of(given["pieces"])
    words.append(len(pieces))
    for piece in pieces:
        words += _row(piece, _PIECE_WORDS, ("id", "kind", "seat", "space"), _BOOSTED)
    dead = list_of(given.get("dead", []))
    words.append(len(dead))
    for piece in dead:
        words += _row(piece, _DEAD_WORDS, _DEAD_WORDS)
    out = list_of(given.get("out", []))
    words.append(len(out))
    for entry in out:
        words += _row(entry, _OUT_WORDS, ("seat",))
    return words + (_area_words(given["area"]) if "area" in given else [0, 0])


class Codec(BaseCodec):
    """The codec of `universal`."""

    title = "Universal Chess"
    trace_spaces = SPACE_NAMES
    seats_are_numbered_by = "game"
    view_type = View
    position_type = Position
    options_type = Options

    def __init__(self, raw: RawGame) -> None:
        kinds = {**_KINDS, "payment": Kind(lambda number: "auto", items=_payments(raw.items_max), type=Pay)}
        actions = Actions(raw.actions, kinds, _SERVICE["actions"])
        self.effects = Effects(raw.effects, kinds, _SERVICE["effects"], {"turn": "TurnStarted"})
        self.action_type, self.effect_type = actions.union, self.effects.union
        self.encoders = actions.encoders(kinds)
        makers = actions.makers(kinds)
        self.made = recent(lambda record: makers[record[0]](record))
        self.pay_at = {
            actions.numbers[signature.name]: [p.name for p in signature.parameters].index("pay")
            for signature in raw.actions
            if any(p.name == "pay" for p in signature.parameters)
        }
        state = raw.state_layout
        read_piece = state.row_reader(
            "pieces",
            ("where", "kind", "seat", "space", "conquering", "frozen", "origin", "holds", "merits"),
        )
        # From one view to the next most pieces stay what they are, and so do areas.
        self.piece = lru_cache(_PIECES_MADE_MAX)(
            lambda id_, record, boosted, veterans: _piece(id_, read_piece(record), boosted == "1", veterans)
        )
        self.dead_piece = lru_cache(_PIECES_MADE_MAX)(
            lambda id_, record: DeadPiece(id_, KINDS[(row := read_piece(record))[1]], SEATS[row[2]])
        )
        self.spaces = lru_cache(_AREAS_MADE_MAX)(lambda words: tuple(members(joined(words), SPACE_NAMES)))
        self.pick_out = state.row_picker("out", ("seat", "reason", "number"))
        self.listed = ListedActions(self.made)

    # ---- options and Position ----

    def options_words(self, options: object) -> list[int]:
        return with_verdict(_row, options, _OPTION_WORDS, ())

    def position_words(self, options: object, position: object) -> list[int]:
        return with_verdict(_position_words, position)

    def explain_start(
        self, options: Mapping[str, Any], position: Any, code: str, words: Sequence[int]
    ) -> Explanation | None:
        return universal_explain.of_start(options, position, words)

    def full_options(self, options: Mapping[str, Any]) -> dict[str, Any]:
        mode = options.get("mode", "standard")
        full: dict[str, Any] = {}
        for spec in _BOOK["options"]:
            name = spec["id"]
            if name in options:
                full[name] = options[name]
            elif name == "factions":
                full[name] = list(spec["default"][mode])
            elif name == "first":
                full[name] = next(seat for seat in SEATS if seat in full["factions"])
            else:
                full[name] = spec["default"]
        return full

    def sides(self, options: Mapping[str, Any]) -> dict[str, int]:
        """Seat → side, for full options: seats of one side win and lose together."""
        if options["mode"] == "standard":
            return {seat: side for side, seat in enumerate(s for s in SEATS if s in options["factions"])}
        return {seat: side for side, team in enumerate(_teams(options["pairing"])) for seat in team}

    def hands(self, options: Mapping[str, Any]) -> list[list[str]]:
        """The seats that a player holds together, for full options: in `double` both of a side."""
        if options["mode"] == "standard":
            return [[seat] for seat in SEATS if seat in options["factions"]]
        return [list(team) for team in _teams(options["pairing"])]

    def position_is_open(self, position: Mapping[str, object]) -> bool:
        """Nothing in this game is hidden from anybody."""
        return True

    # ---- what a client needs to draw the game ----

    def board(self, options: Mapping[str, Any]) -> dict[str, Any]:
        """Spaces in canonical order (x, y: file and rank from 0), and the regions with their colours and homes.

        Who owns a space changes and is in the view; regions never change."""
        regions = _BOOK["board"]["regions"]
        region_of = {space: region["id"] for region in regions for space in region["spaces"]}
        homes = {region["id"]: region.get("home") for region in regions}
        playing = self.sides(options)
        spaces = [
            {
                "id": SPACE_NAMES[rank * FILES + file],
                "x": file,
                "y": rank,
                "region": (region := region_of[SPACE_NAMES[rank * FILES + file]]),
                "kind": "faction" if homes[region] else "middle",
                "zone": [homes[region]] if homes[region] in playing else [],
                "neighbours": [
                    SPACE_NAMES[(rank + up) * FILES + file + right]
                    for up in (-1, 0, 1)
                    for right in (-1, 0, 1)
                    if (up or right) and 0 <= rank + up < RANKS and 0 <= file + right < FILES
                ],
            }
            for rank in range(RANKS)
            for file in range(FILES)
        ]
        return {
            "kind": "square",
            "levels": ["ground"],
            "width": FILES,
            "height": RANKS,
            "regions": [{k: v for k, v in region.items() if k != "spaces"} for region in regions],
            "spaces": spaces,
        }

    def pieces(self, options: Mapping[str, Any]) -> list[Any]:
        """The kinds as the book's data has them, each with its abilities and their costs under these options.

        The Mighty has the movement of every faction's. A cost is one number, or one for each kind that can be raised;
        `balance_cost` is what Balance pays, if it plays. What is `passive` works by itself, without an action."""
        kinds = []
        for kind in _BOOK["kinds"]:
            if kind["id"] == "psionic" and not options["psionics"]:
                continue
            entry: dict[str, Any] = dict(kind)
            if kind["id"] == "mighty":
                entry["movement_by_faction"] = {f["id"]: f["mighty"] for f in _BOOK["factions"]}
            entry["abilities"] = [
                _ability(ability, options) for ability in _BOOK["abilities"] if ability["user"] == kind["id"]
            ]
            entry["abilities"] += _PASSIVE.get(kind["id"], [])
            kinds.append(entry)
        return kinds

    def catalogues(self, options: Mapping[str, Any]) -> dict[str, Any]:
        """All abilities; and the factions that play, in turn order: colour, side, and its Mighty's own ability."""
        colours = {region["id"]: region["colour"] for region in _BOOK["board"]["regions"]}
        factions = {faction["id"]: faction for faction in _BOOK["factions"]}
        abilities = {a["faction"]: a["id"] for a in _BOOK["abilities"] if "faction" in a}
        sides = self.sides(options)
        of_kinds = [ability for kind in self.pieces(options) for ability in kind["abilities"]]
        return {
            "abilities": of_kinds,
            "factions": [
                {
                    "faction": seat,
                    "side": sides[seat],
                    "region": factions[seat]["region"],
                    "colour": colours[factions[seat]["region"]],
                    "ability": abilities[seat],
                    "pays_half": "half_cost" in factions[seat],
                }
                for seat in _order(options)
            ],
        }

    def presets(self, options: Mapping[str, Any]) -> list[Any]:
        """Which factions play when only a number of players is given (4)."""
        return [
            {"preset": f"players_{players}", "players": int(players), "factions": list(factions)}
            for players, factions in _BOOK["default_factions_by_players"].items()
        ]

    def tables(self, setup: Mapping[str, Any], labels: bytes) -> Tables:
        return Tables(self, setup)


def _pairing(pairing: str) -> dict[str, Any]:
    row: dict[str, Any] = next(row for row in _BOOK["turn_order"]["double"] if row["id"] == pairing)
    return row


def _teams(pairing: str) -> list[list[Seat]]:
    teams: list[list[Seat]] = _pairing(pairing)["teams"]
    return teams


def _order(options: Mapping[str, Any]) -> list[Seat]:
    """Who plays, in turn order."""
    double = options["mode"] == "double"
    order = _pairing(options["pairing"])["order"] if double else _BOOK["turn_order"]["standard"]
    return [seat for seat in order if seat in options["factions"]]


# What a kind can do without an action, by the prose of section 3 (the book's data has actions alone).
_PASSIVE: Mapping[str, list[dict[str, Any]]] = _SERVICE["passive_abilities"]


def _halved(cost: int) -> int:
    return (cost + 1) // 2


def _ability(ability: Mapping[str, Any], options: Mapping[str, Any]) -> dict[str, Any]:
    """An ability with its text and its costs as numbers."""
    entry: dict[str, Any] = {k: v for k, v in ability.items() if k not in ("cost_option", "limit_option")}
    if "cost_option" in ability:
        entry["cost"] = options[ability["cost_option"]]
    if "limit_option" in ability:
        entry["limit"] = options[ability["limit_option"]]
    if entry["cost"] == "necromancy_cost":
        excluded = {"mighty", *ability.get("excludes", ())} | (set() if options["psionics"] else {"psionic"})
        entry["cost"] = {k["id"]: k["necromancy_cost"] for k in _BOOK["kinds"] if k["id"] not in excluded}
    if "balance" in options["factions"] and ability.get("faction", "balance") == "balance":
        cost = entry["cost"]
        entry["balance_cost"] = (
            {kind: _halved(one) for kind, one in cost.items()} if isinstance(cost, dict) else _halved(cost)
        )
    return {**entry, "text": _SERVICE["texts"]["abilities"][ability["id"]]}


# ---- actions -----------------------------------------------------------------------------------------------

_PAY_AUTO = -1
_space_field = name_field(SPACE_IDS)

# What the numbers of each kind of field stand for; which fields there are is said in `universal.c`.
_KINDS: Kinds = {
    "number": NUMBER,
    "piece": NUMBER._replace(read=int_field, posted=Piece),
    "space": Kind(SPACE_NAMES, _space_field, type=str, posted=Space),
    "seat": table(SEATS),
    "kind": table(KINDS),
    "out_reason": table(OUT_REASONS),
    "reason": table(REASONS, of=str),
    "flag": Kind(bool, true_word, type=Literal[True]),
    "seats": Kind(type=list[str]),  # numbered by the match
}


def _payments(items_max: int) -> Callable[[object], tuple[int, list[int]]]:
    def payment(pay: object) -> tuple[int, list[int]]:
        """The field `pay` and its items. A list too long for any cost keeps its length; one with an unknown space
        begins with it, wherever it stood."""
        if type(pay) is str and pay == "auto":
            return _PAY_AUTO, []
        items = [_space_field(space) for space in list_of(pay)]
        if UNKNOWN in items:
            items.sort()  # UNKNOWN is below every space
        return len(items), items[:items_max]

    return payment


class Tables(BaseTables):
    """One match's seats, and what never changes in its views."""

    def __init__(self, codec: Codec, setup: Mapping[str, Any]) -> None:
        self.seats: tuple[Seat, ...] = tuple(SEATS[n] for n in setup["order"][: setup["n_order"]])
        self._codec = codec
        self._order = setup["order"][: setup["n_order"]]
        self._mode = MODES[setup["mode"]]
        self._teams = _teams(PAIRINGS[setup["pairing"]]) if self._mode == "double" else UNSET
        self._veterans = bool(setup["veterans"])
        effects = codec.effects.decoders({**_KINDS, "seats": Kind(self._seats)})
        super().__init__(codec.encoders, effects, codec.listed)

    # ---- actions ----

    def action(self, record: Sequence[int], items: Sequence[int]) -> Any:
        action = self._codec.made(record)
        at = self._codec.pay_at.get(record[0])
        if at is None or record[1 + at] == _PAY_AUTO:
            return action
        return msgspec.structs.replace(action, pay=[SPACE_NAMES[space] for space in items])

    def explain(self, action: Mapping[str, Any], code: str, words: Sequence[int]) -> Explanation | None:
        return universal_explain.of_action(action, code, words)

    # ---- view and Position: two writings of one record ----

    def _result(self, winners: int, reason: int) -> Result:
        return Result(self._seats(winners), REASONS[reason])

    def _seats(self, bits: int) -> list[Any]:
        """Seats as bits, in turn order."""
        return [SEATS[number] for number in self._order if bits >> number & 1]

    def _turn(self, fields: Fields) -> Turn:
        left = fields["moves_left"]
        sacrifice = SacrificeView(left, fields["moved"] if left == 1 else UNSET) if left else UNSET
        return Turn(
            SEATS[fields["seat"]],
            fields["number"],
            True if fields["freeze_used"] else UNSET,
            sacrifice,
            True if fields["draw_offered"] else UNSET,
            True if fields["progress"] else UNSET,
        )

    def _area(self, fields: Fields) -> dict[str, list[str]]:
        spaces, areas, in_play = self._codec.spaces, fields["area"], fields["in"]
        return {SEATS[number]: list(spaces(areas[number])) for number in self._order if in_play >> number & 1}

    def _dead(self, fields: Fields) -> list[DeadPiece]:
        dead = joined(fields["dead"])
        if not dead:
            return []
        piece, records = self._codec.dead_piece, fields.records("pieces")
        return [piece(id_, records[id_]) for id_ in members(dead, range(len(records)))]

    def _pieces(self, fields: Fields, boosted: int) -> list[PieceView]:
        """The pieces on the board, by id. `boosted`: ids as bits."""
        records = fields.records("pieces")
        flags = f"{boosted:0{len(records)}b}"[::-1]
        pieces = map(self._codec.piece, range(len(records)), records, flags, repeat(self._veterans))
        return list(filter(None, pieces))

    def _offer(self, fields: Fields) -> Any:
        by = fields["offer_by"]
        return UNSET if by == _NOBODY else DrawOffer(SEATS[by], self._seats(fields["offer_accepted"]))

    def _promotions(self, fields: Fields) -> Any:
        return fields["promotions"] if "majora" in self.seats else UNSET

    def _breedings_left(self, fields: Fields) -> Any:
        return fields["breedings_left"] if "chaos" in self.seats else UNSET

    def view(self, viewer: str, fields: Fields) -> View:
        phase = fields["phase"]
        boosted = joined(fields["boosted"])
        return View(
            viewer=viewer,
            phase=PHASES[phase],
            to_act=self._seats(fields["to_act"]),
            result=self._result(fields["winners"], fields["reason"]) if phase == _OVER else UNSET,
            mode=self._mode,
            order=list(self.seats),
            teams=UNSET if self._teams is UNSET else [list(team) for team in self._teams],
            turn=self._turn(fields),
            pieces=self._pieces(fields, boosted),
            dead=self._dead(fields),
            area=self._area(fields),
            out=[
                OutView(SEATS[seat], OUT_REASONS[reason], number)
                for seat, reason, number in map(self._codec.pick_out, fields["out"])
            ],
            promotions=self._promotions(fields),
            breedings_left=self._breedings_left(fields),
            quiet=fields["quiet"],
            next_id=fields["next_id"],
            draw_offer=self._offer(fields),
        )

    def position(self, fields: Fields) -> Position:
        promotions = self._promotions(fields)
        pieces = [
            PositionPiece(
                p.id, p.kind, p.seat, p.space, p.conquering, p.frozen, UNSET, p.origin, p.holds, p.merits
            )
            for p in self._pieces(fields, 0)
        ]
        out = [
            PositionOut(SEATS[seat], OUT_REASONS[reason], number)
            for seat, reason, number in map(self._codec.pick_out, fields["out"])
        ]
        return Position(
            turn=self._turn(fields),
            pieces=pieces,
            dead=self._dead(fields),
            area=self._area(fields),  # type: ignore[arg-type]
            out=out,
            promotions=0 if promotions is UNSET else promotions,
            breedings_left=self._breedings_left(fields),
            quiet=fields["quiet"],
            next_id=fields["next_id"],
            draw_offer=self._offer(fields),
        )


def _piece(id_: int, row: Row, is_boosted: bool, veterans: bool) -> PieceView | None:
    """None for a piece that is not on the board."""
    where, kind, seat, space, conquering, frozen, origin, holds, merits = row
    if where != _BOARD:
        return None
    return PieceView(
        id_,
        KINDS[kind],
        SEATS[seat],
        SPACE_NAMES[space],
        conquering or UNSET,
        True if frozen else UNSET,
        True if is_boosted else UNSET,
        UNSET if origin == _NOBODY else SEATS[origin],
        holds or UNSET,
        merits if veterans else UNSET,
    )
