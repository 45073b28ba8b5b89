"""What a game's codec is: names and JSON shapes on one side, the small numbers of its C file on the other. No rule.

A codec is a module `codecs/<game>.py` with one class `Codec`; the file name is its registration. (`_words.py`,
`_actions.py` and `_names.py` are what the codecs share.) A codec is made once per game from the C side, whose layouts
it reads by name, and makes one `Tables` per setup, which knows the names that belong to that match alone (a custom
roster's, say).
"""

from __future__ import annotations

import importlib
import json
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, runtime_checkable

from msgspec import Struct

from warlog_core.binding import MALFORMED, RawGame
from warlog_core.errors import Explanation
from warlog_core.layout import Fields

if TYPE_CHECKING:
    from warlog_core.game import Game
    from warlog_core.state import State

# An actor, and what it did, as plain JSON.
Step = tuple[str, Mapping[str, Any]]
# A wl_action as numbers, and the items of its list.
ActionRecord = tuple[tuple[int, int, int, int, int, int, int, int], Sequence[int]]
# What a codec cannot make an action of. Which error that is depends on the state: `match_over` goes first.
MALFORMED_RECORD: ActionRecord = ((MALFORMED, 0, 0, 0, 0, 0, 0, 0), ())


class Tables(Protocol):
    """One match's names. Everything here is pure; hostile input gives MALFORMED_RECORD, never an exception."""

    @property
    def seats(self) -> tuple[str, ...]:
        """The seats of this match, in the order of its views."""
        ...

    def record(self, action: object) -> ActionRecord:
        """The numbers of a posted action: a plain JSON value or one of the action Structs."""
        ...

    def action(self, record: Sequence[int], items: Sequence[int]) -> Struct:
        """The Struct of an accepted action."""
        ...

    def listing(self, listing: bytes) -> list[Any]:
        """The Structs of a listing, open templates included."""
        ...

    def action_alt(self, kind: int, words: Sequence[int]) -> dict[str, Any]:
        """The plain form of a redacted action; `words` are the record's arguments."""
        ...

    def effect(self, kind: int, words: Sequence[int]) -> Struct:
        """The Struct of an effect; `words` are the record's arguments."""
        ...

    def view(self, viewer: str, fields: Fields) -> Struct:
        """The rule book's view, from the fields of the C view and of the state inside it."""
        ...

    def position(self, fields: Fields) -> Struct | None:
        """The rule book's Position, from the fields of the C state of a match that is not over.

        None for a state that the book has no Position for."""
        ...


class ActionStruct(Struct, frozen=True, tag_field="type", forbid_unknown_fields=True):
    """What a game's actions are: members of a tagged union, of which `type` comes first."""


class EffectStruct(Struct, frozen=True, tag_field="type"):
    """What a game's effects are: likewise."""


class Result(Struct, frozen=True):
    """How a match ended. `winners` in seat order, empty for a draw; `reason` is one of the rule book's."""

    winners: list[str]
    reason: str


@runtime_checkable
class Explaining(Protocol):
    """Tables that have more to say of a refused action than its code."""

    def explain(self, action: Mapping[str, Any], code: str, words: Sequence[int]) -> Explanation | None:
        """Of a refused action, plain, that fits its Struct; `words` are what the core adds to the code.

        `path` begins at the action ("/to"). None: the code's sentence is enough. With the code `malformed_action`: a
        field that the Struct takes, but not beside the others, or that is missing beside them; without words."""
        ...


@runtime_checkable
class ExplainingStart(Protocol):
    """A codec that has more to say of refused options or a refused Position than the code."""

    def explain_start(
        self, options: Mapping[str, Any], position: Any, code: str, words: Sequence[int]
    ) -> Explanation | None:
        """Options and Position (None: the normal start) are of a sound form; `words` are the core's note.

        `path` begins with "/options" or "/position". None: the code's sentence is enough."""
        ...


class Section(NamedTuple):
    """A part of a history that was read back. The first section says how the match began; each further one says what
    an option change or an edit changed before its steps.

    options   None: they stayed as they were
    position  None: the board stayed as it was; in the first section: the game's own setup
    """

    options: dict[str, Any] | None
    position: dict[str, Any] | None
    steps: list[Step]


class Notation(Protocol):
    """A notation of the game's own (a module will do). A step is an actor and an action that was accepted."""

    def head_lines(self, start: State, viewer: str | None = None, *, later: bool = False) -> list[str]:
        """The lines above a section's first turn. `later`: an option change or an edit began the section."""
        ...

    def turn_lines(self, start: State, steps: Iterable[Step], viewer: str | None = None) -> list[str]:
        """The history's lines without header and result: complete, or as `viewer` may read them while it is secret."""
        ...

    def is_silent(self, action: Mapping[str, Any]) -> bool:
        """No line tells of this action, and leaving it out changes no line."""
        ...

    def ends_line(self, action: Mapping[str, Any]) -> bool:
        """The next act begins a new line: here a history may be cut."""
        ...

    def result_line(self, winners: Sequence[str], reason: str) -> str:
        """The last line of a match that is over."""
        ...

    def write(self, start: State, steps: Iterable[Step], viewer: str | None = None) -> str:
        """The whole history file of the match that began with `start`."""
        ...

    def read(self, game: Game, text: str) -> list[Section]:
        """The sections of a complete history, at least one. Raises Refused("invalid_position")."""
        ...


class Codec(Protocol):
    """One game's codec. Words are the layouts at the head of the game's C file.

    Where its book has more to say, a codec has further attributes, which are looked up by name: `catalogues` (as
    `pieces`: more lists, spells say, by their names), `notation` (a Notation), `setup_secrets` (fields of the setup
    that nobody may know before the end, each with a usual value), what warlog_core.accounts describes, and answers to
    what a book rules of matches rather than of play (`sides`, `hands`, `position_is_open` …). Where the C file has
    traces, `trace_spaces` names the spaces by their numbers, and `trace_levels` the levels if any; where pieces of its
    views have owners that are no seats, `seat_by_owner(view)` gives the seats that they stand for."""

    title: str
    seats_are_numbered_by: str  # "match": place in Tables.seats; "game": place in the game's longest roster
    spectators: str  # "open": a spectator may watch a running competitive match; else "none"
    action_type: Any  # unions of Structs, for schemas
    effect_type: Any
    view_type: Any
    position_type: Any
    options_type: Any

    def options_words(self, options: object) -> list[int]: ...

    def position_words(self, options: object, position: object) -> list[int]: ...

    def labels(self, options: object) -> bytes:
        """The names that valid options bring with them, to be kept behind the setup's bytes; empty if there are none.

        They must not end with a zero byte: stored setups lose trailing zeros."""
        ...

    def tables(self, setup: Mapping[str, Any], labels: bytes) -> Tables:
        """The names of a match. Raises BadState for labels that do not fit the setup."""
        ...

    def full_options(self, options: Mapping[str, Any]) -> dict[str, Any]:
        """Valid options with every default filled in, in the book's order; without those that nobody may know."""
        ...

    def board(self, options: Mapping[str, Any]) -> dict[str, Any]:
        """Geometry for these full options, as in GET /v1/games/{game}."""
        ...

    def pieces(self, options: Mapping[str, Any]) -> list[Any]:
        """The catalogue of piece types for these full options, as plain JSON."""
        ...

    def presets(self, options: Mapping[str, Any]) -> list[Any]:
        """The catalogue of what the rule book has a name for (armies, governments, who plays), as plain JSON."""
        ...


def codec_for(raw: RawGame) -> Codec:
    """The codec of a game, from the module of that name."""
    module = importlib.import_module(f"{__name__}.{raw.name}")
    codec: Codec = module.Codec(raw)
    return codec


def book_data(game: str) -> dict[str, Any]:
    """The machine-readable half of a game's rule book, as it is shipped with the rules."""
    file = resources.files("warlog_core").joinpath(f"rules/{game}.json")
    data: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    return data


@cache
def service_data(game: str) -> Mapping[str, Any]:
    """What the service needs to know of a game beside its rule book: `rules/<game>_service.json`, or nothing.

    Each top-level key is for one part of the service, which has a default where the key is absent. Of refusals:

    errors   code → one sentence that a player understands
    unused   codes that all games share and this one never answers
    pathless codes of refusals that blame no part of the action
    """
    file = resources.files("warlog_core").joinpath(f"rules/{game}_service.json")
    if not file.is_file():
        return {}
    data: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    return data
