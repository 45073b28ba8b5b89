"""Siguo Junqi: names and JSON of `rules/junqi.md` ↔ the words and records of `src/games/junqi.c`.

In the book's order: options and Position into words, actions both ways, effects, view and Position out of C records.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import lru_cache, partial
from itertools import repeat
from typing import Any

from msgspec import UNSET, UnsetType

from warlog_core.binding import WORD_ABSENT, RawGame
from warlog_core.codecs import Result, book_data, junqi_explain, service_data
from warlog_core.codecs._actions import (
    ListedActions,
    recent,
)
from warlog_core.codecs._base import BaseCodec, BaseTables
from warlog_core.codecs._names import joined, members
from warlog_core.codecs._options import option_readers
from warlog_core.codecs._signatures import NUMBER, Actions, Effects, Kind, Kinds, table
from warlog_core.codecs._words import (
    Reader,
    bool_word,
    int64_field,
    int64_word,
    known_name,
    list_of,
    name_field,
    name_word,
    numbered,
    object_of,
    optional_word,
    row_words,
    with_verdict,
)
from warlog_core.codecs.junqi_accounts import Accounting, LayoutRules
from warlog_core.codecs.junqi_structs import (
    ARMY,
    CAUSES,
    COLORS,
    FACES,
    MODES,
    OUTCOMES,
    PHASES,
    REASONS,
    SEATS,
    SEATS_OF,
    SPACE_IDS,
    SPACE_NAMES,
    STATUSES,
    TYPES,
    Account,
    Color,
    Colors,
    Gold,
    LastMove,
    Layout,
    LostPiece,
    Offer,
    Options,
    Piece,
    PieceType,
    PieceView,
    Position,
    PositionOffer,
    PositionPiece,
    PositionSeat,
    Seat,
    SeatView,
    SettledGold,
    SettledScore,
    Settlement,
    Space,
    View,
)
from warlog_core.errors import Explanation
from warlog_core.layout import Fields

_LAYOUT_PHASE, _PLAY, _OVER = range(3)
_FLIP_MODE = 1
_DEFEATED = 1
_NO_SEAT = _NO_SPACE = 0xFF
_MOVE_STEP, _FLIP_STEP = 1, 2
_SOUTH_IS_RED = 1
# What stands on a space, beyond the ids: as in the C file.
_KNOWN = len(SEATS) * ARMY + 1
_SECRET = _KNOWN + len(SEATS) * len(TYPES)
_FACE_DOWN_PIECE = _SECRET + len(SEATS)
_WALL = 0xFF
_PIECES_MADE_MAX = 32768

_BOOK = book_data("junqi")
_SERVICE = service_data("junqi")

# ---- into words --------------------------------------------------------------------------------------------

_seat = known_name(numbered(SEATS))
_type = known_name(numbered(TYPES))
_color = known_name(numbered(COLORS))
_space = known_name(numbered(SPACE_NAMES))

# Words 1 to 17 of the options, in order.
_OPTION_WORDS = option_readers(_BOOK["options"], int64_word, known_name)
_OPTIONS = frozenset(Options.__struct_fields__)
_BY_SEAT: dict[str, Reader] = dict.fromkeys(SEATS, int64_word)


def _options_words(options: object) -> list[int]:
    given = object_of(options, (), _OPTIONS)
    words = row_words(given, _OPTION_WORDS)
    for name in ("scores", "balances"):
        words += row_words(object_of(given.get(name, {}), (), SEATS), _BY_SEAT)
    if "layouts" not in given:
        return [*words, 0]
    words.append(1)
    layouts = object_of(given["layouts"], (), SEATS)
    for seat in SEATS:
        if seat in layouts:
            layout = list_of(layouts[seat])
            words += [len(layout), *map(_type, layout)]
        else:
            words.append(WORD_ABSENT)
    return words


_POSITION_FIELDS = frozenset(Position.__struct_fields__)
_COURSE_WORDS: dict[str, Reader] = {
    "phase": known_name(numbered(PHASES[:_OVER])),
    "turn": _seat,
    "first": _seat,
    "steps": int64_word,
    "quiet_steps": int64_word,
}
_SEAT_WORDS: dict[str, Reader] = {
    "seat": _seat,
    "status": known_name(numbered(STATUSES)),
    "cause": known_name(numbered(CAUSES)),
    "ready": bool_word,
    "timeouts": int64_word,
    "offered": bool_word,
}
_PIECE_WORDS: dict[str, Reader] = {
    "piece": int64_word,
    "seat": _seat,
    "color": _color,
    "type": _type,
    "at": name_word(SPACE_IDS),
    "face": known_name(numbered(FACES)),
}
_outcome = known_name(numbered(OUTCOMES, 1))


def _last_move_words(given: object) -> list[int]:
    if type(given) is dict and "at" in given:
        flip = object_of(given, ("seat", "at"))
        return [_FLIP_STEP, _seat(flip["seat"]), *[WORD_ABSENT] * 3, 1, _space(flip["at"])]
    move = object_of(given, ("seat", "from", "to", "path"), ("outcome",))
    path = [_space(space) for space in list_of(move["path"])]
    ends = [_seat(move["seat"]), _space(move["from"]), _space(move["to"])]
    return [_MOVE_STEP, *ends, optional_word(move, "outcome", _outcome), len(path), *path]


def _position_words(position: object) -> list[int]:
    given = object_of(position, ("pieces",), _POSITION_FIELDS)
    words = row_words(given, _COURSE_WORDS)
    if "colors" in given:
        colors = object_of(given["colors"], ("south", "north"))
        words += [1, _color(colors["south"]), _color(colors["north"])]
    else:
        words += [0, WORD_ABSENT, WORD_ABSENT]
    seats = list_of(given.get("seats", []))
    words.append(len(seats))
    for seat in seats:
        words += row_words(object_of(seat, ("seat",), _SEAT_WORDS), _SEAT_WORDS)
    pieces = list_of(given["pieces"])
    words.append(len(pieces))
    for piece in pieces:
        words += row_words(object_of(piece, ("type", "at"), _PIECE_WORDS), _PIECE_WORDS)
    if "offer" in given:
        offer = object_of(given["offer"], ("by",), ("accepted",))
        accepted = list_of(offer.get("accepted", []))
        words += [1, _seat(offer["by"]), len(accepted), *map(_seat, accepted)]
    else:
        words += [0, WORD_ABSENT, 0]
    if "last_move" in given:
        return words + _last_move_words(given["last_move"])
    return [*words, 0, *[WORD_ABSENT] * 4, 0]


class Codec(BaseCodec):
    """The codec of `junqi`."""

    title = "Siguo Junqi"
    trace_spaces = SPACE_NAMES

    @staticmethod
    def seat_by_owner(view: View) -> dict[str, str]:
        """Flip mode: whose a colour is, once that is known."""
        return {} if view.colors is UNSET else {view.colors.south: "south", view.colors.north: "north"}

    view_type = View
    position_type = Position
    options_type = Options
    # Points, gold and layouts of the players' accounts (9, 4.2).
    server_options = ("scores", "balances", "layouts")
    secret_options = ("layouts",)
    setup_options = ("layouts",)
    accounting = Accounting()
    layouts = LayoutRules()

    def setup_secrets(self, setup: Mapping[str, Any]) -> dict[str, int]:
        """The players' points, and what follows from them; a stake's own multiplier is in every view."""
        secret = {"scores": 0, "multiplier": 1}
        return secret if setup["stake"] else secret | {"gold_multiplier": 1}

    def __init__(self, raw: RawGame) -> None:
        self.pick_seat = raw.state_layout.row_picker(
            "seats", ("status", "cause", "ready", "timeouts", "offered")
        )
        self.actions = Actions(raw.actions, _KINDS, _SERVICE["actions"], own=(Layout,))
        self.effects = Effects(raw.effects, _KINDS, _SERVICE["effects"], _EFFECT_NAMES)
        self.action_type, self.effect_type = self.actions.union, self.effects.union
        self.layout = self.actions.numbers["layout"]
        self.seat_actions = {number for number, action in enumerate(raw.actions) if action.server_only}
        makers = self.actions.makers(_KINDS, but=("layout", *_OF_A_SEAT))
        makers[self.layout] = lambda record: Layout(open=True)
        self.made = recent(lambda record: makers[record[0]](record))
        self.listed = ListedActions(self.made)
        # Most pieces of a view stand where they stood in the last one, and are frozen: each is made once.
        self.piece = {
            (flip, n): lru_cache(_PIECES_MADE_MAX)(partial(_piece, flip, SEATS_OF[n]))
            for flip, n in ((False, 4), (False, 2), (True, 2))
        }

    @staticmethod
    def sides(options: Mapping[str, Any]) -> dict[str, int]:
        """Seat → number of its team (1)."""
        return {seat: number % 2 for number, seat in enumerate(SEATS_OF[options["players"]])}

    # ---- options and Position ----

    def options_words(self, options: object) -> list[int]:
        return with_verdict(_options_words, options)

    def position_words(self, options: object, position: object) -> list[int]:
        return with_verdict(_position_words, position)

    def explain_start(
        self, options: Mapping[str, Any], position: Any, code: str, words: Sequence[int]
    ) -> Explanation | None:
        return junqi_explain.of_start(options, position, code, words)

    def full_options(self, options: Mapping[str, Any]) -> dict[str, Any]:
        """As 10.1 has them. `layouts` if they were given: it is among `secret_options`."""
        flip = options.get("mode") == "flip"
        players = options.get("players", 2 if flip else 4)
        left_out = set()
        if flip or players == 4:
            left_out.add("wings")
        if not flip:
            left_out.add("mines_guard_flag")
        if not options.get("stake"):
            left_out.add("balances")
        full: dict[str, Any] = {}
        for spec in _BOOK["options"]:
            name, default = spec["name"], spec.get("default")
            if name in left_out or (name in ("layouts", "balances") and name not in options):
                continue
            if name == "players":
                full[name] = players
            elif name == "scores":
                full[name] = {seat: options.get(name, {}).get(seat, 0) for seat in SEATS_OF[players]}
            else:
                otherwise = default[str(players)] if isinstance(default, dict) and default else default
                full[name] = options.get(name, otherwise)
        return full

    # ---- what a client needs to draw the game ----

    def board(self, options: Mapping[str, Any]) -> dict[str, Any]:
        """The graph of section 2: spaces, edges and railway lines, as far as they exist in the match.

        An edge is drawn straight, or as the quarter circle about `arc`'s centre; a path is drawn edge by edge.
        `region` is the ground on which a space lies, null in the centre; its `home` is the seat in the match whose
        ground it is. `zone` has the seat that lays out its army there; a shuffled one belongs to nobody."""
        seats = SEATS_OF[options["players"]]
        closed = options["mode"] == "flip" or options.get("wings") == "closed"
        here = {
            space["id"]: space
            for space in _BOOK["spaces"]
            if not (closed and space.get("seat") in ("east", "west"))
        }
        edges = _edges(here)
        around: dict[str, list[str]] = {name: [] for name in here}
        for edge in edges:
            around[edge["from"]].append(edge["to"])
            around[edge["to"]].append(edge["from"])
        spaces = []
        for name, space in here.items():
            own = {key: value for key, value in space.items() if key not in ("id", "index", "x", "y", "seat")}
            spaces.append(
                {
                    "id": name,
                    "x": float(space["x"]),
                    "y": float(space["y"]),
                    "region": space.get("seat"),
                    "zone": [space["seat"]] if _is_own(space, seats, options["mode"]) else [],
                    "neighbours": sorted(around[name], key=SPACE_IDS.__getitem__),
                    **own,
                }
            )
        return {
            "kind": "graph",
            "levels": ["ground"],
            "width": 17,
            "height": 17,
            "regions": [
                {"id": seat, "home": seat} if seat in seats else {"id": seat}
                for seat in dict.fromkeys(space["seat"] for space in here.values() if "seat" in space)
            ],
            "spaces": spaces,
            "edges": edges,
            "lines": _lines(here),
        }

    def pieces(self, options: Mapping[str, Any]) -> list[Any]:
        return list(_BOOK["piece_types"])

    def catalogues(self, options: Mapping[str, Any]) -> dict[str, Any]:
        """The battle table (3.2), the cells of a layout and what may stand there (4.2), the ranks (9.2)."""
        layout = _BOOK["layout"]
        told = ("cells", "flag_cells", "mine_lines", "bomb_forbidden_lines")
        found = {"battle": _BOOK["battle"], "ranks": [_rank(rank) for rank in _BOOK["ranks"]]}
        if options["mode"] == "standard":
            found["layout"] = {name: layout[name] for name in told}
        return found

    def tables(self, setup: Mapping[str, Any], labels: bytes) -> Tables:
        return Tables(self, setup)


def _rank(rank: Mapping[str, Any]) -> dict[str, Any]:
    level = str(rank["level"])
    at = f"with {rank['threshold']} points or more" if "threshold" in rank else "at the beginning"
    return {"key": level, "symbol": level, "text": f"The level of a player {at}.", **rank}


def _is_own(space: Mapping[str, Any], seats: Collection[str], mode: str) -> bool:
    return mode == "standard" and space.get("seat") in seats and space["kind"] != "camp"


def _edges(here: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Roads, then rails, between the spaces that exist; those of an arc with the circle that it is part of."""
    arcs = {
        frozenset(arc["spaces"]): {"center": arc["center"], "radius": arc["radius"]} for arc in _BOOK["arcs"]
    }
    edges = []
    for kind, pairs in (("road", _BOOK["roads"]), ("rail", _BOOK["rails"])):
        for one, other in pairs:
            if one in here and other in here:
                arc = arcs.get(frozenset((one, other)))
                edge = {"from": one, "to": other, "kind": kind}
                edges.append(edge if arc is None else {**edge, "arc": arc})
    return edges


def _lines(here: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The railway lines, cut to the spaces that exist; what is left of an arc lies on a straight line."""
    lines = []
    for line in _BOOK["lines"]:
        spaces = [space for space in line["spaces"] if space in here]
        if len(spaces) == len(line["spaces"]) or (line["kind"] == "straight" and len(spaces) > 1):
            lines.append({**line, "spaces": spaces})
    return lines


# ---- actions -----------------------------------------------------------------------------------------------


def _layout_items(value: object) -> tuple[int, list[int]]:
    """The true length, and as many entries as a layout has."""
    layout = [_type(entry) for entry in list_of(value)]
    return len(layout), layout[:ARMY]


_OF_A_SEAT = ("timeout", "flee")  # whose names are the match's

# What the numbers of each kind of field stand for; which fields there are is said in `junqi.c`.
_KINDS: Kinds = {
    "number": NUMBER,
    "piece": NUMBER._replace(read=int64_field, posted=Piece),
    "space": Kind(SPACE_NAMES, name_field(SPACE_IDS), type=str, posted=Space),
    "seat": Kind(type=Seat),  # numbered by the match, as `seats` are
    "seats": Kind(type=list[Seat]),
    "type": table(TYPES)._replace(items=_layout_items),
    "color": table(COLORS),
    "outcome": table(OUTCOMES, 1),
    "cause": table(CAUSES),
    "reason": table(REASONS, of=str),
}
# Schemas of effects whose types are also types of actions.
_EFFECT_NAMES = {
    "swap": "Swapped", "layout": "LaidOut", "ready": "SeatReady", "start": "Started", "move": "Moved",
    "flip": "Flipped", "colors": "ColorsKnown", "reveal_flag": "FlagRevealed", "timeout": "TimedOut",
    "defeat": "Defeated", "offer": "Offered", "accept": "Accepted", "decline": "Declined", "turn": "TurnOf",
    "end": "Ended",
}  # fmt: skip


class Tables(BaseTables):
    """One match's names: those of its seats. All else is the same in every match."""

    def __init__(self, codec: Codec, setup: Mapping[str, Any]) -> None:
        self.seats: tuple[Seat, ...] = SEATS_OF[setup["n_seats"]]
        self._codec = codec
        self._setup = setup
        self._flip = setup["mode"] == _FLIP_MODE
        self._piece = codec.piece[self._flip, len(self.seats)]
        kinds = {**_KINDS, "seat": table(self.seats), "seats": Kind(self.named)}
        encoders = codec.actions.encoders(kinds, spaces=SPACE_IDS)
        self._makers = codec.actions.makers(kinds)
        super().__init__(encoders, codec.effects.decoders(kinds), codec.listed)
        self._teams = self.seats if len(self.seats) == 2 else ("south_north", "east_west") * 2

    # ---- actions ----

    def action(self, record: Sequence[int], items: Sequence[int]) -> Any:
        if record[0] == self._codec.layout:
            return Layout([TYPES[entry] for entry in items])
        if record[0] in self._codec.seat_actions:
            return self._makers[record[0]](record)
        return self._codec.made(record)

    def action_alt(self, kind: int, words: Sequence[int]) -> dict[str, Any]:
        """The type, and of a move whence and whither (8)."""
        shown = {"type": self._codec.actions.names[kind]}
        return {**shown, "from": SPACE_NAMES[words[0]], "to": SPACE_NAMES[words[1]]} if words else shown

    def explain(self, action: Mapping[str, Any], code: str, words: Sequence[int]) -> Explanation | None:
        return junqi_explain.of_action(action, code, words, self.seats)

    def named(self, bits: int) -> list[Seat]:
        """These seats, in seat order."""
        return members(bits, self.seats)

    # ---- view and Position: two writings of one record ----

    def view(self, viewer: str, fields: Fields) -> View:
        setup = self._setup
        phase, colors = fields["phase"], fields["colors"]
        stake = setup["stake"]
        return View(
            viewer=viewer,
            phase=PHASES[phase],
            to_act=self.named(fields["to_act"]),
            result=Result(members(fields["winners"], self.seats), REASONS[fields["reason"]])
            if phase == _OVER
            else UNSET,
            mode=MODES[setup["mode"]],
            players=len(self.seats),
            move_seconds=setup["move_seconds"],
            steps=fields["steps"],
            quiet_steps=fields["quiet_steps"],
            first=UNSET if fields["first"] == _NO_SEAT else self.seats[fields["first"]],
            seats=[self._seat_view(number, fields) for number in range(len(self.seats))],
            colors=_colors(colors),
            pieces=self._pieces(fields),
            lost=[self._lost(occupant, colors) for occupant in fields["lost"]],
            offer=self._offer(fields),
            last_move=self._last_move(fields),
            gold=Gold(stake, setup["gold_multiplier"], stake * setup["gold_multiplier"]) if stake else UNSET,
            settlement=self._settlement(fields) if fields["has_settlement"] else UNSET,
        )

    def _seat_view(self, number: int, fields: Fields) -> SeatView:
        status, cause, ready, timeouts, offered = self._codec.pick_seat(fields["seats"][number])
        counted = not self._flip or fields["colors"]
        return SeatView(
            seat=self.seats[number],
            team=self._teams[number],
            status=STATUSES[status],
            cause=CAUSES[cause] if status == _DEFEATED else UNSET,
            ready=ready != 0,
            timeouts=timeouts,
            offered=offered != 0,
            count=fields["count"][number] if counted else UNSET,
            flag_revealed=UNSET if self._flip else fields["flag_revealed"][number] != 0,
        )

    def _pieces(self, fields: Fields) -> list[PieceView]:
        board = fields["board"]
        down = f"{joined(fields['down'], 32):0{len(board)}b}"[::-1]
        pieces = map(self._piece, range(len(board)), board, down, repeat(fields["colors"]))
        return list(filter(None, pieces))

    def _lost(self, occupant: int, colors: int) -> LostPiece:
        army, kind = _army_and_type(occupant)
        assert kind is not UNSET
        seat, color = _owner(self._flip, self.seats, army, colors)
        return LostPiece(piece=occupant if occupant < _KNOWN else UNSET, seat=seat, color=color, type=kind)

    def _offer(self, fields: Fields) -> Offer | UnsetType:
        by, accepted = fields["offer_by"], fields["accepted"]
        if by == _NO_SEAT:
            return UNSET
        alive = sum(
            1 << number
            for number in range(len(self.seats))
            if self._codec.pick_seat(fields["seats"][number])[0] != _DEFEATED
        )
        waiting = alive & ~accepted & ~(1 << by)
        return Offer(self.seats[by], self.named(accepted), self.named(waiting))

    def _last_move(self, fields: Fields) -> LastMove | UnsetType:
        kind = fields["last_kind"]
        if not kind:
            return UNSET
        seat = self.seats[fields["last_seat"]]
        path = [SPACE_NAMES[space] for space in fields["path"]]
        if kind == _FLIP_STEP:
            return LastMove(seat=seat, at=path[0])
        outcome = fields["last_outcome"]
        return LastMove(
            seat=seat,
            origin=path[0],
            to=path[-1],
            path=path,
            outcome=OUTCOMES[outcome - 1] if outcome else UNSET,
        )

    def _settlement(self, fields: Fields) -> Settlement:
        setup, seats = self._setup, self.seats
        scores = [
            SettledScore(seat, setup["scores"][i], fields["delta"][i], fields["after"][i], fields["level"][i])
            for i, seat in enumerate(seats)
        ]
        if not setup["stake"]:
            return Settlement(setup["multiplier"], scores)
        accounts = [
            Account(seat, paid, received, received - paid)
            for seat, paid, received in zip(seats, fields["paid"], fields["received"], strict=False)
        ]
        gold = SettledGold(setup["stake"], setup["gold_multiplier"], accounts, fields["house"])
        return Settlement(setup["multiplier"], scores, gold)

    def position(self, fields: Fields) -> Position:
        layout = fields["phase"] == _LAYOUT_PHASE
        offer: PositionOffer | UnsetType = UNSET
        if fields["offer_by"] != _NO_SEAT:
            offer = PositionOffer(self.seats[fields["offer_by"]], self.named(fields["accepted"]))
        return Position(
            phase="layout" if layout else "play",
            turn=UNSET if layout else self.seats[fields["turn"]],
            first=UNSET if layout else self.seats[fields["first"]],
            steps=fields["steps"],
            quiet_steps=fields["quiet_steps"],
            seats=[self._position_seat(number, layout, fields) for number in range(len(self.seats))],
            colors=_colors(fields["colors"]),
            pieces=self._position_pieces(fields),
            offer=offer,
            last_move=self._last_move(fields),
        )

    def _position_seat(self, number: int, layout: bool, fields: Fields) -> PositionSeat:
        status, cause, ready, timeouts, offered = self._codec.pick_seat(fields["seats"][number])
        return PositionSeat(
            seat=self.seats[number],
            status=STATUSES[status],
            cause=CAUSES[cause] if status == _DEFEATED else UNSET,
            ready=ready != 0 if layout else UNSET,
            timeouts=timeouts,
            offered=offered != 0,
        )

    def _position_pieces(self, fields: Fields) -> list[PositionPiece]:
        down = fields["down"]
        pieces = []
        for piece, space in enumerate(fields["at"]):
            if space == _NO_SPACE:
                continue
            army, kind = _army_and_type(piece)
            assert kind is not UNSET
            pieces.append(
                PositionPiece(
                    piece=piece,
                    seat=UNSET if self._flip else self.seats[army],
                    color=COLORS[army] if self._flip else UNSET,
                    type=kind,
                    at=SPACE_NAMES[space],
                    face=FACES[down[space // 32] >> space % 32 & 1] if self._flip else UNSET,
                )
            )
        return pieces


def _owner(
    flip: bool, seats: Sequence[Seat], army: int, colors: int
) -> tuple[Seat | UnsetType, Color | UnsetType]:
    if not flip:
        return seats[army], UNSET
    if not colors:
        return UNSET, COLORS[army]
    return seats[army if colors == _SOUTH_IS_RED else 1 - army], COLORS[army]


def _piece(
    flip: bool, seats: Sequence[Seat], space: int, occupant: int, is_down: str, colors: int
) -> PieceView | None:
    """None where no piece stands."""
    if not occupant or occupant == _WALL:
        return None
    if occupant == _FACE_DOWN_PIECE:
        return PieceView(at=SPACE_NAMES[space], face="down")
    army, kind = _army_and_type(occupant)
    seat, color = _owner(flip, seats, army, colors)
    return PieceView(
        piece=occupant if occupant < _KNOWN else UNSET,
        seat=seat,
        color=color,
        type=kind,
        at=SPACE_NAMES[space],
        face=FACES[int(is_down)] if flip else UNSET,
    )


# The types of an army's pieces, by id.
_ARMY_TYPES: tuple[PieceType, ...] = tuple(
    TYPES[number] for number, spec in enumerate(_BOOK["piece_types"]) for _ in range(spec["count"])
)


def _army_and_type(occupant: int) -> tuple[int, PieceType | UnsetType]:
    """Of a piece's id, or of what else stands on a space in a view."""
    if occupant < _KNOWN:
        army, place = divmod(occupant - 1, ARMY)
        return army, _ARMY_TYPES[place]
    if occupant < _SECRET:
        army, kind = divmod(occupant - _KNOWN, len(TYPES))
        return army, TYPES[kind]
    return occupant - _SECRET, UNSET


def _colors(colors: int) -> Colors | UnsetType:
    if not colors:
        return UNSET
    return Colors("red", "black") if colors == _SOUTH_IS_RED else Colors("black", "red")
