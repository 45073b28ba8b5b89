"""Answers about games and scenarios."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import UNSET, Meta, Struct, UnsetType

from warlog_core import description, editing, scenes
from warlog_core.actions import DescribedActions
from warlog_core.effects import DescribedEffects
from warlog_service.schema.common import FREE, GameOptions, GamePosition, GameView, Json, Time


class Board(Struct, frozen=True):
    board: description.DescribedBoard
    seats: list[str]


class GameSummary(Struct, frozen=True):
    game: str
    name: str
    about: str
    rules_version: int


class Games(Struct, frozen=True, forbid_unknown_fields=True):
    games: list[GameSummary]


class Pool(Struct, frozen=True, forbid_unknown_fields=True):
    """Options with which competitive matches are rated. A match is in the first pool that it fits."""

    pool: str
    name: str
    options: Annotated[Json, Meta(description="how they differ from the defaults")]
    any: Annotated[list[str], Meta(description="options that may have any value")]
    actions_min: Annotated[
        int, Meta(description="a match with fewer actions of its players is too short to be rated")
    ]


class Game(Struct, frozen=True):
    """Enough for a client that does not know the game to draw it, to build its inputs, and to explain it.

    Each name in `catalogues` is a further key with a list of `CatalogueEntry`. All other keys are tables
    of this game alone."""

    game: str
    name: str
    about: str
    rules_version: int
    axes: description.Axes
    seats: list[description.DescribedSeat]
    owners: list[description.Owner]
    spectators: Literal["open", "none"]
    board: description.DescribedBoard
    pieces: list[description.CatalogueEntry]
    presets: Annotated[
        list[description.CatalogueEntry],
        Meta(
            description="what the rule book has a name for: armies, governments, who plays; empty where there are none"
        ),
    ]
    marks: Annotated[
        list[description.CatalogueEntry],
        Meta(description="what the layers of `look` mark: states, badges, kinds of spaces"),
    ]
    catalogues: Annotated[
        list[str], Meta(description="the keys of all catalogues, `pieces`, `presets` and `marks` among them")
    ]
    look: Annotated[list[description.Layer], Meta(description="how a view is drawn, in this order")]
    not_drawn: Annotated[
        dict[str, str], Meta(description="paths of a view with spaces or pieces that no layer draws, and why")
    ]
    editor: editing.Editor
    guide: Annotated[str, Meta(description="a guide for players, Markdown; the whole book is at `rules`")]
    scenes: Annotated[
        list[scenes.Scene],
        Meta(description="boards for sections of the guide, with what can be done on them"),
    ]
    options: Annotated[description.DescribedSchema, Meta(description="JSON Schema of the options")]
    options_text: Annotated[
        str, Meta(description="how the requested options differ from the standard, for people")
    ]
    actions: Annotated[
        DescribedActions,
        Meta(description="JSON Schema of what can be posted; each action with how to give it"),
    ]
    effects: Annotated[
        DescribedEffects,
        Meta(
            description="JSON Schema of what events did; each effect with a sentence, and where it happened"
        ),
    ]
    view: Annotated[description.DescribedSchema, Meta(description="JSON Schema of views")]
    position: Annotated[
        description.DescribedSchema,
        Meta(description="JSON Schema of a Position, from which a match can begin"),
    ]
    errors: Annotated[dict[str, str], Meta(description="each code of the rule book, with its sentence")]
    setup: Annotated[dict[str, GameView], Meta(description="a start, as the spectator and each seat see it")]
    setup_drawn: Annotated[
        bool,
        Meta(
            description="draws decide something of `setup` (the board, the armies, who begins): it is one of many, and "
            "another match begins otherwise"
        ),
    ]
    pools: Annotated[
        list[Pool], Meta(description="in which there are ratings; empty: matches are counted, not rated")
    ]
    counted: (
        Annotated[
            Json,
            Meta(
                description="for each option the `min` and `max` within which competitive matches move points and gold"
            ),
        ]
        | UnsetType
    ) = UNSET


Data = Annotated[
    Json, Meta(description="the data file of a rule book; each game has its own", extra_json_schema=FREE)
]


Document = Annotated[Json, Meta(description="an OpenAPI 3.1 document", extra_json_schema=FREE)]


class Scenario(Struct, frozen=True, forbid_unknown_fields=True):
    """A scenario."""

    id: str
    game: str
    name: str
    options: GameOptions
    position: Annotated[GamePosition | None, Meta(description="null: the scenario has options only")]
    owner: str
    visibility: Literal["public", "private"]
    created_at: Time


class ScenarioAnswer(Struct, frozen=True, forbid_unknown_fields=True):
    scenario: Scenario


class ListedScenario(Struct, frozen=True, forbid_unknown_fields=True):
    id: str
    game: str
    name: str
    owner: str
    visibility: Literal["public", "private"]
    created_at: Time


class Scenarios(Struct, frozen=True, forbid_unknown_fields=True):
    scenarios: list[ListedScenario]
    next: str | None


class Fine(Struct, frozen=True, forbid_unknown_fields=True):
    ok: bool


class Health(Struct, frozen=True, forbid_unknown_fields=True):
    status: Literal["live", "ready"]
