"""Weaponized Chess: names and JSON of `rules/wec.md` ↔ the words and records described in `src/games/wec.c`.

In the book's order: options and Position into words, actions both ways, effects, view and Position out of C records.
The Structs are in `wec_structs.py`, the notation of 10.6 in `wec_notation.py`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import count, pairwise
from typing import Any

from msgspec import UNSET, UnsetType
from msgspec.structs import replace

from warlog_core.binding import UNKNOWN, WORD_ABSENT, RawGame
from warlog_core.codecs import ActionRecord, Result, book_data, service_data, wec_explain, wec_notation
from warlog_core.codecs._actions import Encoder, ListedActions, recent
from warlog_core.codecs._base import BaseCodec, BaseTables
from warlog_core.codecs._names import joined, members
from warlog_core.codecs._options import option_readers
from warlog_core.codecs._signatures import NUMBER, Actions, Effects, Kind, Kinds, table
from warlog_core.codecs._words import (
    WrongShape,
    bool_word,
    int_field,
    int_word,
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
from warlog_core.codecs.wec_structs import (
    DIRECTION_STEPS,
    DIRECTIONS,
    FILES,
    HANDS,
    HITS,
    INHERENT_WEAPONS,
    KINDS,
    LEVELS,
    LOSS_CAUSES,
    LOSSES,
    MOVE_CAUSES,
    PATHS,
    PROJECTILES,
    REASONS,
    SEATS,
    SQUARE_NUMBERS,
    SQUARES,
    TRANSPORTS,
    TYPES,
    WEAPON_ABILITIES,
    WEAPONS,
    ArticleKind,
    ArticleView,
    Doze,
    Ghost,
    Heap,
    JourneyView,
    Options,
    PieceId,
    PieceView,
    Position,
    PositionArticle,
    PositionArticles,
    PositionHeap,
    PositionJourney,
    PositionPiece,
    PositionProjectile,
    PositionReinforcement,
    PositionTurnState,
    Projectile,
    Reinforcement,
    Seat,
    Square,
    Transport,
    TurnState,
    View,
)
from warlog_core.errors import Explanation
from warlog_core.layout import Fields, Row

_BOOK = book_data("wec")
_SERVICE = service_data("wec")

_STEALTHY = frozenset(row["type"] for row in _BOOK["piece_types"] if "stealth" in row["inherent"])
_WAITING = 3  # the level of a reinforcement
_OWN, _FOREIGN, _ON_ITS_WAY = range(3)  # lists of a view
_PIECES_MADE_MAX = 32768
_HEAPS_MADE_MAX = 8192
_FIRST_TRANSPORT = 1 + KINDS.index(TRANSPORTS[0])  # the number of the bicycle
# Marks of a piece (wec.h), and their lists in a Position.
_ACTED, _FIRED, _UNMOVED = 1, 2, 32
_MARKS = {"acted": 1, "fired": 2, "moved_pieces": 4, "converted": 8, "travelled": 16}

# ---- into words --------------------------------------------------------------------------------------------

_seat = known_name(numbered(SEATS))
_square = known_name(numbered(SQUARES))
_level = known_name(numbered(LEVELS))
_direction = known_name(numbered(DIRECTIONS))
_hand = known_name(numbered(HANDS, 1))
_path = known_name(numbered(PATHS))
_type = known_name(numbered(TYPES, 1))
_kind = known_name(numbered(KINDS, 1))
_weapon = known_name(numbered(WEAPONS))
_missile = known_name(numbered(PROJECTILES))
_loss = known_name(numbered(LOSSES, 1))
_transport_name = known_name(numbered(TRANSPORTS, _FIRST_TRANSPORT))

_OPTION_WORDS = option_readers(_BOOK["options"], int_word, name_word)


def _options_words(options: object) -> list[int]:
    return row_words(object_of(options, (), _OPTION_WORDS), _OPTION_WORDS)


def _counted(words: Sequence[int], width: int = 1) -> list[int]:
    return [len(words) // width, *words]


def _articles_words(value: object) -> list[int]:
    """n, then kind, ready_turn, lock of each."""
    words: list[int] = []
    for article in list_of(value):
        if type(article) is str:
            words += (_kind(article), WORD_ABSENT, WORD_ABSENT)
            continue
        given = object_of(article, ("kind",), ("ready_turn", "lock"))
        words += (
            _kind(given["kind"]),
            optional_word(given, "ready_turn", int_word),
            optional_word(given, "lock", int_word),
        )
    return _counted(words, 3)


_PIECE_OPTIONAL = (
    "level", "hand", "unmoved", "articles", "ready_turns", "lock", "stunned_until", "revealed_until", "journey",
)  # fmt: skip


def _piece_words(value: object) -> list[int]:
    given = object_of(value, ("id", "seat", "type", "at"), _PIECE_OPTIONAL)
    ready = object_of(given.get("ready_turns", {}), (), WEAPON_ABILITIES)
    words = [
        int_word(given["id"]),
        _seat(given["seat"]),
        _type(given["type"]),
        _square(given["at"]),
        _level(given.get("level", "ground")),
        optional_word(given, "hand", _hand),
        optional_word(given, "unmoved", bool_word),
        optional_word(given, "lock", int_word),
        optional_word(given, "stunned_until", int_word),
        optional_word(given, "revealed_until", int_word),
        *[optional_word(ready, name, int_word) for name in WEAPON_ABILITIES],
    ]
    remaining: list[int] = []
    if "journey" in given:
        journey = object_of(given["journey"], ("article", "to", "path", "remaining"))
        words += (_transport_name(journey["article"]), _square(journey["to"]), _path(journey["path"]))
        remaining = [_square(square) for square in list_of(journey["remaining"])]
    else:
        words += (WORD_ABSENT, WORD_ABSENT, WORD_ABSENT)
    return words + _articles_words(given.get("articles", [])) + _counted(remaining)


def _turn_state_words(value: object) -> list[int]:
    numbers = ("fires", "pick_ups", "drops", "exchanges", "reinforces")
    given = object_of(value, (), ("moved", *numbers, "vacated", *_MARKS, "hits", "primary_lost"))
    lost = object_of(given.get("primary_lost", {}), (), SEATS)
    words = [
        optional_word(given, "moved", bool_word),
        *[optional_word(given, name, int_word) for name in numbers],
        *[optional_word(lost, seat, _loss) for seat in SEATS],
    ]
    words += _counted([_square(square) for square in list_of(given.get("vacated", []))])
    marks = [(bit, int_word(id_)) for name, bit in _MARKS.items() for id_ in list_of(given.get(name, []))]
    words += _counted([word for pair in marks for word in pair], 2)
    hits: list[int] = []
    for entry in list_of(given.get("hits", [])):
        counts = object_of(entry, ("piece",), HITS)
        id_ = int_word(counts["piece"])
        for number, name in enumerate(HITS):
            if name in counts:
                hits += (id_, number, int_word(counts[name]))
        if len(counts) == 1:  # no hit at all: still the id of a piece
            raise WrongShape
    return words + _counted(hits, 3)


def _ghosts_words(value: object) -> list[int]:
    words: list[int] = []
    for owner, entries in object_of(value, (), SEATS).items():
        for entry in list_of(entries):
            ghost = object_of(entry, ("type", "at", "level", "turn"))
            words += (_seat(owner), _type(ghost["type"]), _square(ghost["at"]), _level(ghost["level"]))
            words.append(int_word(ghost["turn"]))
    return _counted(words, 5)


def _projectiles_words(value: object) -> list[int]:
    words: list[int] = []
    for entry in list_of(value):
        missile = object_of(entry, ("kind", "seat", "at", "direction"), ("strength", "target", "fresh"))
        words += (
            _missile(missile["kind"]),
            _seat(missile["seat"]),
            _square(missile["at"]),
            _direction(missile["direction"]),
            optional_word(missile, "strength", int_word),
            optional_word(missile, "target", int_word),
            optional_word(missile, "fresh", bool_word),
        )
    return _counted(words, 7)


def _reinforcements_words(value: object) -> list[int]:
    words: list[int] = []
    for entry in list_of(value):
        piece = object_of(entry, ("id", "seat", "type", "at"), ("hand",))
        words += (int_word(piece["id"]), _seat(piece["seat"]), _type(piece["type"]), _square(piece["at"]))
        words.append(optional_word(piece, "hand", _hand))
    return _counted(words, 5)


_POSITION_OPTIONAL = frozenset(Position.__struct_fields__) - {"pieces"}


def _position_words(value: object) -> list[int]:
    given = object_of(value, ("pieces",), _POSITION_OPTIONAL)
    words = [
        optional_word(given, "turn", int_word),
        optional_word(given, "to_move", _seat),
        optional_word(given, "idle_turns", int_word),
        optional_word(given, "draw_offer", _seat),
        int("activation_squares" in given),
        *_turn_state_words(given.get("turn_state", {})),
    ]
    squares: dict[str, Any] = {seat: [] for seat in SEATS}
    if "activation_squares" in given:
        squares = object_of(given["activation_squares"], SEATS)
    for seat in SEATS:
        words += _counted([_square(square) for square in list_of(squares[seat])])
    words += _ghosts_words(given.get("ghosts", {}))
    words += _projectiles_words(given.get("projectiles", []))
    words += _reinforcements_words(given.get("reinforcements", []))
    heaps = list_of(given.get("articles", []))
    words.append(len(heaps))
    for entry in heaps:
        heap = object_of(entry, ("at", "articles"))
        words += (_square(heap["at"]), *_articles_words(heap["articles"]))
    pieces = list_of(given["pieces"])
    words.append(len(pieces))
    for entry in pieces:
        words += _piece_words(entry)
    return words


def _seen_position(position: dict[str, Any]) -> dict[str, Any]:
    """The Position of a state that a seat knows, with ids for the enemies that it sees, whose own it does not know.

    The journey of an enemy is known by its article alone: here it ends in the next step, or by bicycle, which has no
    such step, now. A target that the seat may not know is left out."""
    own = [piece["id"] for piece in (*position["pieces"], *position["reinforcements"])]
    free = (number for number in count(1) if number not in own)
    pieces = []
    for piece in position["pieces"]:
        shown = dict(piece)
        if not shown["id"]:
            shown["id"] = next(free)
            if shown.get("journey", {}).get("article") == "bicycle":
                del shown["journey"]
        pieces.append(shown)
    projectiles = [
        {name: value for name, value in one.items() if name != "target" or value in own}
        for one in position["projectiles"]
    ]
    pieces.sort(key=lambda piece: int(piece["id"]))
    return {**position, "pieces": pieces, "projectiles": projectiles}


_HOMES = {
    seat: {piece["at"] for piece in _BOOK["setup"]["pieces"] if piece["seat"] == seat} for seat in SEATS
}


class Codec(BaseCodec):
    """The codec of `wec`."""

    title = "Weaponized Chess"
    trace_spaces = SQUARES
    trace_levels = LEVELS
    spectators = "none"
    competitive_in_play = True
    competitive_hot_seat = True  # 6.5: "in a hot seat one command suffices"
    positions_are_agreed_on = True  # 6.6: either player proposes one, the other accepts or rejects it
    saved_for_its_players = True  # 6.6: a saved match is loaded by the same two players with the same colours
    view_type = View
    position_type = Position
    options_type = Options
    notation = wec_notation
    seen_position = staticmethod(_seen_position)

    def __init__(self, raw: RawGame) -> None:
        state = raw.state_layout
        piece = (
            "id", "seat", "type", "square", "level", "hand", "marks", "stun", "ready.0", "ready.1", "transport",
            "path", "steps", "lock", "revealed",
        )  # fmt: skip
        self.pick_piece = state.row_picker("pieces", piece)
        self.pick_hits = state.row_picker("pieces", [f"hits.{i}" for i in range(len(HITS))])
        self.pick_article = state.row_picker("pieces.articles", ("kind", "ready", "lock"))
        heap = ("kind.0", "kind.1", "ready.0", "ready.1")
        self.pick_heap = state.row_picker("loose", heap)
        # From one view to the next most pieces stay what they are, and so do heaps.
        read_piece, read_articles = state.row_reader("pieces", piece), state.lists["pieces.articles"].read
        self.seen_piece = lru_cache(_PIECES_MADE_MAX)(
            lambda record: _seen_piece(read_piece(record), map(self.pick_article, read_articles(record)))
        )
        read_heap = state.row_reader("loose", heap)
        self.heap_articles = lru_cache(_HEAPS_MADE_MAX)(lambda record: _heap_articles(*read_heap(record)))
        self.no_heap = bytes(state.lists["loose"].size)
        self.pick_projectile = state.row_picker(
            "projectiles", ("kind", "seat", "square", "direction", "strength", "target", "fresh")
        )
        self.pick_ghost = state.row_picker("black_ghosts", ("type", "square", "level", "turn"))
        actions = Actions(raw.actions, _KINDS, _SERVICE["actions"], own=(Doze,))
        effects = Effects(raw.effects, _KINDS, _SERVICE["effects"])
        self.action_type, self.effect_type = actions.union, effects.union
        self.encoders = actions.encoders(_KINDS, but=("doze",))
        self.encoders["doze"] = _doze_record
        self.encoders["fire"] = _in_one_form(self.encoders["fire"])
        self.encoders["exchange"] = _between_two(self.encoders["exchange"])
        makers = actions.makers(_KINDS, but=("doze",))
        makers[_DOZE] = _made_doze
        self.made = recent(lambda record: makers[record[0]](record))
        self.listed = ListedActions(self.made)
        self.effects = effects.decoders(_KINDS)

    # ---- options and Position ----

    def options_words(self, options: object) -> list[int]:
        return with_verdict(_options_words, options)

    def position_words(self, options: object, position: object) -> list[int]:
        return with_verdict(_position_words, position)

    def explain_start(
        self, options: Mapping[str, Any], position: Any, code: str, words: Sequence[int]
    ) -> Explanation | None:
        return wec_explain.of_start(options, position, code, words)

    @staticmethod
    def own_options(seat: str) -> frozenset[str]:
        """6.6: each seat sets its own government without consent."""
        return frozenset({f"{seat}_government"}) if seat in SEATS else frozenset()

    @staticmethod
    def position_is_open(position: Mapping[str, Any]) -> bool:
        """Does every seat see all of this valid Position, whatever the options? (Ids alone are no secret then.)"""
        secret = ("reinforcements", "ghosts", "turn_state", "idle_turns")
        if any(position.get(name) for name in secret):
            return False
        if any("target" in missile for missile in position.get("projectiles", [])):
            return False
        return all(_is_open(piece) for piece in position["pieces"])

    def full_options(self, options: Mapping[str, Any]) -> dict[str, Any]:
        return {spec["name"]: options.get(spec["name"], spec["default"]) for spec in _BOOK["options"]}

    # ---- what a client needs to draw the game ----

    def board(self, options: Mapping[str, Any]) -> dict[str, Any]:
        """Squares in canonical order (x to the right, y upwards); each has every one of `levels`."""
        spaces = [
            {
                "id": SQUARES[number],
                "x": float(number % FILES),
                "y": float(number // FILES),
                "region": None,
                "kind": "dark" if (number % FILES + number // FILES) % 2 else "light",
                "zone": [seat for seat, home in _HOMES.items() if SQUARES[number] in home],
                "neighbours": [
                    SQUARES[(number // FILES + dr) * FILES + number % FILES + dc]
                    for dr, dc in DIRECTION_STEPS
                    if 0 <= number // FILES + dr < FILES and 0 <= number % FILES + dc < FILES
                ],
            }
            for number in range(len(SQUARES))
        ]
        return {
            "kind": "square",
            "levels": list(LEVELS),
            "width": FILES,
            "height": FILES,
            "directions": _BOOK["board"]["directions"],
            "spaces": spaces,
        }

    def pieces(self, options: Mapping[str, Any]) -> list[Any]:
        """The types of table 3.1."""
        return [{**row, "levels": row["native"]} for row in _BOOK["piece_types"]]

    def catalogues(self, options: Mapping[str, Any]) -> dict[str, Any]:
        """The kinds of articles of 3.2, what pieces can do without one, the projectiles; and what actions choose."""
        inherent = dict.fromkeys(name for row in _BOOK["piece_types"] for name in row["inherent"])
        return {
            "articles": _BOOK["articles"],
            "abilities": [{"ability": name} for name in inherent],
            "projectiles": _BOOK["projectiles"],
            "weapons": [{"weapon": name} for name in WEAPONS],
            "levels": [{"level": name} for name in LEVELS],
            "paths": [{"path": name} for name in PATHS],
        }

    def presets(self, options: Mapping[str, Any]) -> list[Any]:
        """The governments: which primary and which secondary each has."""
        return [{"government": name, **pair} for name, pair in _BOOK["governments"].items()]

    def tables(self, setup: Mapping[str, Any], labels: bytes) -> Tables:
        return Tables(self, setup)


def _is_open(piece: Mapping[str, Any]) -> bool:
    """Neither hidden nor with a lock, a journey or a stealth that would hide it later in the same place."""
    carried = [a if isinstance(a, str) else a["kind"] for a in piece.get("articles", [])]
    locked = [a for a in piece.get("articles", []) if not isinstance(a, str) and "lock" in a]
    return not (
        piece["type"] in _STEALTHY
        or "stealth" in carried
        or piece.get("level") == "sub"
        or locked
        or "lock" in piece
        or "journey" in piece
    )


# ---- actions -------------------------------------------------------------------------------------------------

_square_field = name_field(SQUARE_NUMBERS)


def _doze_record(action: dict[str, Any]) -> ActionRecord:
    if len(action) != 4:
        raise WrongShape
    squares = [_square_field(square) for square in list_of(action["squares"])]
    if UNKNOWN in squares:
        shown = [UNKNOWN, 0, 0, 0]
    elif any(a >= b for a, b in pairwise(squares)):
        raise WrongShape  # unsorted or repeated
    else:
        shown = [*squares[:4], 0, 0, 0, 0][:4]
    a, b, c, d = shown
    piece, direction = int_field(action["piece"]), _direction(action["direction"])
    return (_DOZE, piece, len(squares), a, b, c, d, direction), ()


_AIMS = frozenset(("direction", "target", "to", "path"))
_FORMS_OF_FIRE = ({"direction"}, {"target"}, {"to", "path"})


def _in_one_form(fire: Encoder) -> Encoder:
    def encode(action: dict[str, Any]) -> ActionRecord:
        if action.keys() & _AIMS not in _FORMS_OF_FIRE:
            raise WrongShape
        return fire(action)

    return encode


def _between_two(exchange: Encoder) -> Encoder:
    def encode(action: dict[str, Any]) -> ActionRecord:
        record = exchange(action)
        giver, receiver = action["from"], action["to"]
        # Compared here, where integers of any size can be.
        if giver == receiver or ("for" in action and giver > receiver):
            raise WrongShape
        return record

    return encode


_DOZE = 1

# What the numbers of each kind of field stand for; which fields there are is said in `wec.c`.
_KINDS: Kinds = {
    "number": NUMBER,
    "piece": NUMBER._replace(read=int_field, posted=PieceId),
    "space": Kind(SQUARES, _square_field, type=str, posted=Square),
    "seat": table(SEATS),
    "type": table(TYPES, 1, of=str),
    "level": table(LEVELS),
    "article": table(KINDS, 1),
    "transport": table(KINDS, 1, of=Transport),
    "weapon": table(WEAPONS),
    "direction": table(DIRECTIONS),
    "path": table(PATHS),
    "projectile": table(PROJECTILES),
    "move_cause": table(MOVE_CAUSES),
    "loss_cause": table(LOSS_CAUSES),
    "result": Kind(take=lambda left: _result(next(left), next(left)), type=Result),
}


def _made_doze(record: Sequence[int]) -> Doze:
    _, piece, n, *squares, direction = record
    return Doze(piece, [SQUARES[square] for square in squares[:n]], DIRECTIONS[direction])


def _squares(words: Sequence[int]) -> list[str]:
    """The squares of a set, ascending."""
    return members(joined(words), SQUARES)


def _way(square: int, steps: int) -> list[str]:
    """The squares still to visit, from directions of three bits each; their number is in the top four."""
    names = []
    for _ in range(steps >> 28):
        dr, dc = DIRECTION_STEPS[steps & 7]
        square += dr * FILES + dc
        names.append(SQUARES[square])
        steps >>= 3
    return names


def _seen_piece(row: Row, articles: Iterable[Row]) -> tuple[int, Any, bool]:
    """From a view's record, whose countdowns are twice the number shown: _OWN, _FOREIGN or _ON_ITS_WAY, the
    piece, and whether it holds a list."""
    (
        id_, seat, type_, square, level, hand, marks, stun, ready, other_ready, transport, path, steps, _, _,
    ) = row  # fmt: skip
    name = TYPES[type_ - 1]
    held = HANDS[hand - 1] if hand else UNSET
    if level == _WAITING:
        return _ON_ITS_WAY, Reinforcement(id_, name, SQUARES[square], held), False
    countdowns = {
        weapon: half_turns // 2
        for weapon, half_turns in zip(INHERENT_WEAPONS[name], (ready, other_ready), strict=False)
        if half_turns
    }
    carried = [_article(kind, ready) for kind, ready, _ in articles]
    piece = PieceView(
        piece=id_ or UNSET,
        seat=SEATS[seat],
        type=name,
        at=SQUARES[square],
        level=LEVELS[level],
        hand=held,
        unmoved=True if marks & _UNMOVED else UNSET,
        articles=carried or UNSET,
        ready_in=countdowns or UNSET,
        stun=stun // 2 or UNSET,
        acted=True if marks & _ACTED else UNSET,
        fired=True if marks & _FIRED else UNSET,
        journey=_journey(id_, square, transport, path, steps) if transport else UNSET,
    )
    return _OWN if id_ else _FOREIGN, piece, bool(carried or countdowns or transport)


def _with_own_parts(piece: PieceView) -> PieceView:
    """The same piece with lists of its own: the reader of another view may change his."""
    articles, ready_in, journey = piece.articles, piece.ready_in, piece.journey
    if journey:
        journey = replace(journey, remaining=[*journey.remaining] if journey.remaining else journey.remaining)
    return replace(
        piece,
        articles=[*articles] if articles else UNSET,
        ready_in={**ready_in} if ready_in else UNSET,
        journey=journey,
    )


def _heap_articles(first: int, second: int, first_ready: int, second_ready: int) -> tuple[ArticleView, ...]:
    articles = _article(first, first_ready)
    return (articles, _article(second, second_ready)) if second else (articles,)


def _article(kind: int, ready: int) -> ArticleView:
    return ArticleView(KINDS[kind - 1], ready // 2 or UNSET)


class Tables(BaseTables):
    """One match's names. Also what never changes in its views: the options."""

    seats: tuple[str, ...] = SEATS

    def __init__(self, codec: Codec, setup: Mapping[str, Any]) -> None:
        super().__init__(codec.encoders, codec.effects, codec.listed)
        self._codec = codec
        named: dict[str, Any] = {
            spec["name"]: bool(number)
            if spec["type"] == "boolean"
            else number
            if spec["type"] == "integer"
            else spec["values"][number]
            for spec, number in zip(_BOOK["options"], setup["option"], strict=True)
        }
        self.options = Options(**named)

    # ---- actions ----

    def action(self, record: Sequence[int], items: Sequence[int]) -> Any:
        return self._codec.made(record)

    def explain(self, action: Mapping[str, Any], code: str, words: Sequence[int]) -> Explanation | None:
        return wec_explain.of_action(action, code, words, self.options)

    # ---- view ----

    def view(self, viewer: str, fields: Fields) -> View:
        over, to_move = fields["over"], fields["to_move"]
        groups: tuple[list[Any], list[Any], list[Any]] = ([], [], [])
        for group, piece, holds in map(self._codec.seen_piece, fields.records("pieces")):
            groups[group].append(_with_own_parts(piece) if holds else piece)
        acting = not over and viewer == SEATS[to_move]
        ghosts = fields["black_ghosts"] if viewer == SEATS[0] else fields["white_ghosts"]
        return View(
            viewer=viewer,
            phase="over" if over else "play",
            to_act=[] if over else [SEATS[to_move]],
            result=_result(fields["winners"], fields["reason"]) if over else UNSET,
            turn=fields["turn"],
            options=self.options,
            draw_offer=SEATS[fields["draw_offer"] - 1] if fields["draw_offer"] else UNSET,
            turn_state=self._turn_state(fields) if acting else UNSET,
            pieces=groups[_OWN],
            enemies=groups[_FOREIGN],
            articles=self._heaps(fields),
            projectiles=self._projectiles(fields),
            reinforcements=groups[_ON_ITS_WAY],
            activation_squares=_activation(fields),
            ghosts=[self._ghost(row) for row in ghosts],
        )

    def _turn_state(self, fields: Fields) -> TurnState:
        return TurnState(
            fields["moved"] != 0,
            fields["fires"],
            fields["pick_ups"],
            fields["drops"],
            fields["exchanges"],
            fields["reinforces"],
            _squares(fields["vacated"]),
        )

    def _heaps(self, fields: Fields) -> list[Heap]:
        articles, nothing = self._codec.heap_articles, self._codec.no_heap
        return [
            Heap(square, [*articles(record)])
            for square, record in zip(SQUARES, fields.records("loose"), strict=True)
            if record != nothing
        ]

    def _projectiles(self, fields: Fields) -> list[Projectile]:
        return [
            Projectile(
                PROJECTILES[kind],
                SEATS[seat],
                SQUARES[square],
                LEVELS[kind],
                DIRECTIONS[direction],
                strength,
                target != 0,
            )
            for kind, seat, square, direction, strength, target, _ in map(
                self._codec.pick_projectile, fields["projectiles"]
            )
        ]

    def _ghost(self, row: Row) -> Ghost:
        type_, square, level, turn = self._codec.pick_ghost(row)
        return Ghost(TYPES[type_ - 1], SQUARES[square], LEVELS[level], turn)

    # ---- Position, in its normal form ----

    def position(self, fields: Fields) -> Position:
        turn = fields["turn"]
        pieces: list[PositionPiece] = []
        waiting: list[PositionReinforcement] = []
        for row, articles in zip(fields["pieces"], fields["pieces.articles"], strict=True):
            piece = self._codec.pick_piece(row)
            if piece[4] == _WAITING:
                id_, seat, type_, square, _, hand = piece[:6]
                waiting.append(
                    PositionReinforcement(
                        id=id_,
                        seat=SEATS[seat],
                        type=TYPES[type_ - 1],
                        at=SQUARES[square],
                        hand=HANDS[hand - 1] if hand else UNSET,
                    )
                )
            else:
                pieces.append(self._position_piece(turn, piece, articles))
        ghosts: dict[Seat, list[Ghost]] = {}
        for owner in SEATS:
            if rows := fields[f"{owner}_ghosts"]:
                ghosts[owner] = [self._ghost(row) for row in rows]
        return Position(
            turn=turn,
            to_move=SEATS[fields["to_move"]],
            idle_turns=fields["idle_turns"],
            pieces=pieces,
            articles=self._position_heaps(turn, fields),
            projectiles=self._position_projectiles(fields),
            reinforcements=waiting,
            activation_squares=_activation(fields),
            ghosts=ghosts or UNSET,
            draw_offer=SEATS[fields["draw_offer"] - 1] if fields["draw_offer"] else UNSET,
            turn_state=self._position_turn_state(fields),
        )

    def _position_piece(self, turn: int, piece: Sequence[int], articles: Sequence[Any]) -> PositionPiece:
        (
            id_, seat, type_, square, level, hand, marks, stun, ready, other_ready, transport, path, steps, lock,
            revealed,
        ) = piece  # fmt: skip
        name = TYPES[type_ - 1]
        countdowns = {
            weapon: turn + half_turns
            for weapon, half_turns in zip(INHERENT_WEAPONS[name], (ready, other_ready), strict=False)
            if half_turns
        }
        way = _way(square, steps)
        return PositionPiece(
            id=id_,
            seat=SEATS[seat],
            type=name,
            at=SQUARES[square],
            level=LEVELS[level],
            hand=HANDS[hand - 1] if hand else UNSET,
            unmoved=True if marks & _UNMOVED else UNSET,
            articles=[_position_article(turn, *self._codec.pick_article(row)) for row in articles] or UNSET,
            ready_turns=countdowns or UNSET,
            lock=lock or UNSET,
            stunned_until=turn + stun if stun else UNSET,
            revealed_until=turn + revealed - 1 if revealed else UNSET,
            journey=PositionJourney(
                TRANSPORTS[transport - _FIRST_TRANSPORT],
                way[-1] if way else SQUARES[square],
                PATHS[path],
                way,
            )
            if transport
            else UNSET,
        )

    def _position_heaps(self, turn: int, fields: Fields) -> list[PositionHeap]:
        heaps = []
        for square, row in enumerate(fields["loose"]):
            first, second, first_ready, second_ready = self._codec.pick_heap(row)
            if first:
                articles: PositionArticles = [_position_article(turn, first, first_ready, 0)]
                if second:
                    articles.append(_position_article(turn, second, second_ready, 0))
                heaps.append(PositionHeap(SQUARES[square], articles))
        return heaps

    def _position_projectiles(self, fields: Fields) -> list[PositionProjectile]:
        return [
            PositionProjectile(
                kind=PROJECTILES[kind],
                seat=SEATS[seat],
                at=SQUARES[square],
                direction=DIRECTIONS[direction],
                strength=strength,
                target=target or UNSET,
                fresh=True if fresh else UNSET,
            )
            for kind, seat, square, direction, strength, target, fresh in map(
                self._codec.pick_projectile, fields["projectiles"]
            )
        ]

    def _position_turn_state(self, fields: Fields) -> PositionTurnState | UnsetType:
        said: dict[str, Any] = {
            name: fields[name] or UNSET for name in ("fires", "pick_ups", "drops", "exchanges", "reinforces")
        }
        said["moved"] = True if fields["moved"] else UNSET
        said["vacated"] = _squares(fields["vacated"]) or UNSET
        rows = [self._codec.pick_piece(row) for row in fields["pieces"]]
        for name, bit in _MARKS.items():
            said[name] = [row[0] for row in rows if row[6] & bit] or UNSET
        hits = []
        for row, piece in zip(fields["pieces"], rows, strict=True):
            counts = {name: n for name, n in zip(HITS, self._codec.pick_hits(row), strict=True) if n}
            if counts:
                hits.append({"piece": piece[0], **counts})
        said["hits"] = hits or UNSET
        lost = {seat: LOSSES[how - 1] for seat, how in zip(SEATS, fields["primary_lost"], strict=True) if how}
        said["primary_lost"] = lost or UNSET
        if all(value is UNSET for value in said.values()):
            return UNSET
        return PositionTurnState(**said)


def _result(winners: int, reason: int) -> Result:
    return Result(members(winners, SEATS), REASONS[reason])


def _activation(fields: Fields) -> dict[Seat, list[str]]:
    words = fields["activation"]
    return {"black": _squares(words[:2]), "white": _squares(words[2:])}


def _journey(id_: int, square: int, transport: int, path: int, steps: int) -> JourneyView:
    """Whole to the owner (whose pieces have ids); of an enemy's journey only the article."""
    article = KINDS[transport - 1]
    if not id_:
        return JourneyView(article=article)
    way = _way(square, steps)
    return JourneyView(
        article=article, to=way[-1] if way else SQUARES[square], path=PATHS[path], remaining=way
    )


def _position_article(turn: int, kind: int, ready: int, lock: int) -> ArticleKind | PositionArticle:
    name = KINDS[kind - 1]
    if not ready and not lock:
        return name
    return PositionArticle(name, turn + ready if ready else UNSET, lock or UNSET)
