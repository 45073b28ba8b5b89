"""A game as the service describes it. What only some games have is kept in `more`, for this SDK knows no game."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

import msgspec
from msgspec import Struct

from .models import Given, Json

if TYPE_CHECKING:
    from .literals import Pattern, Spectators
    from .shapes import (
        Axes,
        CatalogueEntry,
        DescribedAction,
        DescribedEffect,
        DescribedSchema,
        Direction,
        Edge,
        Layer,
        Region,
        SpaceKind,
    )
else:  # When the program runs, nothing of it is checked or lost.
    Pattern = Spectators = str
    Axes = CatalogueEntry = DescribedAction = DescribedEffect = DescribedSchema = Json
    Direction = Edge = Layer = Region = SpaceKind = Json

T = TypeVar("T", bound=Struct)


def _keeping_more(model: type[T], given: Json) -> Json:
    """`given` for `model`, with what it has no field for in `more`."""
    known = set(model.__struct_encode_fields__) - {"more"}
    return {name: given[name] for name in given if name in known} | {
        "more": {name: given[name] for name in given if name not in known}
    }


class Space(Struct, frozen=True):
    """A space of a board, with the coordinates of its centre. `more`: what only this game's spaces have."""

    id: str
    x: float
    y: float
    region: str | None = None
    neighbours: list[str] = []
    level: str | None = None
    kind: str = "plain"
    zone: list[str] = []
    more: Json = {}


class Board(Struct, frozen=True):
    """`regions`, `directions`, `edges` and the kinds are as the game's description has them; `more`: what only this
    game's board has."""

    kind: str
    levels: list[str]
    spaces: list[Space]
    regions: list[Region] = []
    directions: list[Direction] = []
    edges: list[Edge] = []
    space_kinds: list[SpaceKind] = []
    edge_kinds: list[SpaceKind] = []
    more: Json = {}


def _with_board(given: Json) -> Json:
    """With `more` in its board and spaces."""
    board = given["board"]
    spaces = [_keeping_more(Space, space) for space in board["spaces"]]
    return {**given, "board": _keeping_more(Board, {**board, "spaces": spaces})}


class MatchBoard(Struct, frozen=True):
    """The board and the seats for the options of one match."""

    board: Board
    seats: list[str] = []

    @classmethod
    def of(cls, given: Json) -> MatchBoard:
        """Of the answer. Raises msgspec.ValidationError, KeyError, TypeError."""
        return msgspec.convert(_with_board(given), cls)


class GameSeat(Struct, frozen=True):
    """A seat of a game, or an owner of pieces that is no seat, with its name and colours.

    team    seats with the same number win and lose together
    facing  degrees by which the board is turned clockwise so that the seat sits below
    home    the spaces on which it begins or sets up
    """

    id: str
    name: str = ""
    colour: str = ""
    pattern: Pattern = "plain"
    team: int = 0
    facing: int = 0
    home: list[str] = []


class Game(Struct, frozen=True):
    """A game as `GET /v1/games/{game}` describes it; options, actions, effects, view and position are JSON Schemas.

    about         what it is, in a sentence in English
    look          the layers of a view, in the order of drawing; `not_drawn`: what they leave out, and why
    catalogues    the keys of all catalogues in the description
    options_text  how the options asked for differ from the standard
    setup         a start, as the spectator and each seat see it; `setup_drawn`: draws decide something of it
    counted  option → the range (`min`, `max`) with which competitive matches move points and gold
    errors   code of the rule book → a sentence
    pools    in which there are ratings; empty: competitive matches are counted, not rated
    scenes   boards for sections of the guide, each with what can be done on it
    editor   how a Position is drawn and edited, and one to begin with (`start`)
    more     what only this game describes, its other catalogues among it: `catalogue` finds all of them
    """

    game: str
    name: str
    rules_version: int
    seats: list[GameSeat]
    spectators: Spectators
    board: Board
    pieces: list[CatalogueEntry]
    options: DescribedSchema
    actions: Json
    effects: Json
    view: DescribedSchema
    position: DescribedSchema
    about: str = ""
    presets: list[CatalogueEntry] = []
    options_text: str = ""
    setup: dict[str, Json] = {}
    setup_drawn: bool = False
    counted: Json | None = None
    axes: Axes | None = None
    owners: list[GameSeat] = []
    marks: list[CatalogueEntry] = []
    catalogues: list[str] = []
    look: list[Layer] = []
    not_drawn: dict[str, str] = {}
    guide: str = ""
    scenes: list[Json] = []
    editor: Json = {}
    errors: dict[str, str] = {}
    pools: list[Json] = []
    more: Json = {}

    @classmethod
    def of(cls, given: Json) -> Game:
        """Of the answer. Raises msgspec.ValidationError, KeyError, TypeError."""
        return msgspec.convert(_keeping_more(cls, _with_board(given)), cls)

    def action(self, type: str) -> DescribedAction:
        """How an action is described: its `properties`, `kind` ("play"; "setup": before play; "answer": to a draw
        offer; "meta": giving up, offering a draw, the clock), of the last two what it `means`, `label`, `clicks`
        and `form`. Raises KeyError."""
        described: DescribedAction = self.actions["$defs"][
            self.actions["discriminator"]["mapping"][type].rpartition("/")[2]
        ]
        return described

    def effect(self, type: str) -> DescribedEffect:
        """How an effect is described: its `properties`, what is `said` of it, and the `way` along which it is shown.
        Raises KeyError."""
        described: DescribedEffect = self.effects["$defs"][
            self.effects["discriminator"]["mapping"][type].rpartition("/")[2]
        ]
        return described

    def catalogue(self, name: str) -> list[CatalogueEntry]:
        """The entries of one of `catalogues`. Raises KeyError."""
        if name not in self.catalogues:
            raise KeyError(name)
        entries: list[CatalogueEntry] = (
            getattr(self, name) if name in self.__struct_fields__ else self.more[name]
        )
        return entries


def filled(template: Given, values: Given) -> Json:
    """The action of a template (`"open": true`) with these fields, as it is posted."""
    return {**{name: value for name, value in template.items() if name != "open"}, **values}


class GameName(Struct, frozen=True):
    """A line of the list of games."""

    game: str
    name: str = ""
    about: str = ""
    rules_version: int = 0
