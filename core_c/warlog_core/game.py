"""The public surface of the rules core: `game("hex").new(...)` gives a State, which is asked and acted upon.

    >>> import os
    >>> state = game("hex").new(options={"army": "preset"}, draws=os.urandom)
    >>> seat = state.to_act[0]
    >>> event = state.apply(seat, state.legal(seat)[0], draws=os.urandom)
    >>> type(event.visible("spectator", state.disclosure).effects[0]).__name__
    'Moved'

A game makes states (state.py), whose actions make events (event.py); what both ask of the rules is in rule_set.py.
"""

from __future__ import annotations

import copyreg
import random
from functools import cache, cached_property
from importlib import resources
from typing import Any

import msgspec
from msgspec import Struct

from warlog_core import actions, binding, description, editing, effects, explain, scenes
from warlog_core.binding import Draws
from warlog_core.codecs import codec_for, service_data
from warlog_core.errors import UnknownGame
from warlog_core.numbering import Numbering
from warlog_core.rule_set import SPECTATOR, RuleSet
from warlog_core.state import State, loaded_state, new_state
from warlog_core.words import words_of


class Scenario(Struct, frozen=True, forbid_unknown_fields=True):
    """A named start. `id` is unique within its game and stays; `position` None: the game's own setup."""

    id: str
    name: str
    options: dict[str, Any]
    position: dict[str, Any] | None = None


class Game(RuleSet):
    """A game under one rules version: its matches, and all that it says of itself."""

    # ---- starting ----

    def new(self, *, options: object = None, position: object | None = None, draws: Draws = ()) -> State:
        """The start of a match; `state.started` is its event. Raises Refused and BadDraws. No options: the defaults."""
        return new_state(self, {} if options is None else options, position, draws)

    def load(self, setup: bytes, state: bytes) -> State:
        """The State of `State.setup` and `State.data`; trailing zero bytes may have been lost. Raises BadState."""
        return loaded_state(self, setup, state)

    def numbering(self, state: State) -> Numbering:
        """The numbers of the actions of a match like this one, for programs that learn. Raises NotNumbered."""
        return Numbering(self, state)

    # ---- about the game ----

    def seats_for(self, options: object) -> tuple[str, ...]:
        """The seats of a match with these options. Raises Refused."""
        return self.new(options=options, draws=_zeros).seats

    def board(self, options: Any = None) -> dict[str, Any]:
        """Geometry for a match with these options: spaces, coordinates, adjacency. Raises Refused."""
        options = {} if options is None else options
        self.check_options(options)
        return description.board(self.name, self.codec.board(self.codec.full_options(options)))

    def describe(self, options: Any = None) -> dict[str, Any]:
        """All that is needed to draw the game without knowing it (`schema.Game` of the service). Raises Refused."""
        options = {} if options is None else options
        board = self.board(options)
        full = self.codec.full_options(options)
        view = self.schema("view")
        catalogues = description.catalogues(
            self.name,
            self.codec.pieces(full),
            {**self._catalogues(full), "presets": self.codec.presets(full)},
            board["levels"],
        )
        return {
            "game": self.name,
            "name": self.codec.title,
            "about": service_data(self.name).get("about", ""),
            "rules_version": self.rules_version,
            "axes": description.axes(self.name),
            "seats": description.seats(self.name, self._teams(options), board),
            "owners": description.owners(self.name),
            "spectators": self.codec.spectators,
            "board": board,
            "options": description.naming_catalogues(self.schema("options"), catalogues),
            "options_text": self.options_text(options),
            "position": description.naming_catalogues(self.schema("position"), catalogues),
            "actions": actions.described(
                self.schema("action"),
                self.raw.actions,
                actions.notes_of(self.name),
                actions.forms_of(self.name, full, board),
                words_of(self.name),
            ),
            "effects": effects.described(
                self.schema("effect"), self.raw.effects, effects.notes_of(self.name)
            ),
            "view": description.naming_catalogues(view, catalogues),
            "errors": self.errors,
            **self._setup(options),
            **catalogues,
            "look": description.layers(self.name, view, (space["id"] for space in board["spaces"]), full),
            "not_drawn": description.look_of(self.name).not_drawn,
            "editor": self._editor(options, board),
            "guide": description.guide_of(self.name),
            "scenes": self._scenes,
        }

    @cached_property
    def _scenes(self) -> list[dict[str, Any]]:
        return scenes.described(
            self.name, lambda position, rng: self.new(position=position, draws=rng.randbytes)
        )

    def _teams(self, options: Any) -> dict[str, Any]:
        """Seat → what is the same for seats that win and lose together: by the codec, or else by the view."""
        own = getattr(self.codec, "sides", None)
        state = self.new(options=options, draws=_zeros)
        if own is not None:
            sides = own(self.codec.full_options(options))
            return {seat: sides[seat] for seat in state.seats}
        shown: Any = state.view(SPECTATOR, plain=True).get("seats", [])
        sides = {entry["seat"]: entry["side"] for entry in shown if "side" in entry}
        return {seat: sides.get(seat, seat) for seat in state.seats}

    def _setup(self, options: Any) -> dict[str, Any]:
        """`setup`: a start that these options give, as the spectator and each seat see it, the same in every process;
        `setup_drawn`: do draws decide anything of it?"""
        state = self.new(options=options, draws=random.Random(0).randbytes)
        return {
            "setup": {viewer: state.view(viewer, plain=True) for viewer in (SPECTATOR, *state.seats)},
            "setup_drawn": state.started is not None and bool(state.started.draws),
        }

    def _editor(self, options: Any, board: dict[str, Any]) -> dict[str, Any]:
        """How a Position with these options is edited, and one to begin with: the same in every process."""
        rng = random.Random(0)
        state = self.new(options=options, draws=rng.randbytes)
        spaces = (space["id"] for space in board["spaces"])
        look = description.editor(self.name, self.schema("position"), spaces, state.seats)
        start = editing.start(state, rng, look.derived)
        described: dict[str, Any] = msgspec.to_builtins(look) | {"start": start}
        return described

    def _catalogues(self, full: dict[str, Any]) -> dict[str, Any]:
        """What a game has beside pieces and presets (spells, say), by name: the codec's, if it has any."""
        own = getattr(self.codec, "catalogues", None)
        return {} if own is None else dict(own(full))

    def schema(self, what: str) -> dict[str, Any]:
        """The JSON Schema of "options", "position", "action", "effect" or "view", self-contained."""
        types = {
            "options": self.codec.options_type,
            "position": self.codec.position_type,
            "action": self.codec.action_type,
            "effect": self.codec.effect_type,
            "view": self.codec.view_type,
        }
        return explain.schema_of(types[what])

    def rules(self) -> str:
        """The rule book, Markdown."""
        return resources.files("warlog_core").joinpath(f"rules/{self.name}.md").read_text(encoding="utf-8")

    def data(self) -> bytes:
        """The rule book's data file (JSON), as it is."""
        return resources.files("warlog_core").joinpath(f"rules/{self.name}.json").read_bytes()

    @cached_property
    def scenarios(self) -> tuple[Scenario, ...]:
        """Named starts that are shipped with the rules, in `rules/<game>_scenarios.json` where the game has any."""
        file = resources.files("warlog_core").joinpath(f"rules/{self.name}_scenarios.json")
        if not file.is_file():
            return ()
        return tuple(msgspec.json.decode(file.read_bytes(), type=list[Scenario]))


def _zeros(size: int) -> bytes:
    """Entropy for questions whose answer no draw can change."""
    return bytes(size)


@cache
def _games() -> dict[str, dict[int, Game]]:
    """Name → rules version → game, the newest version first."""
    found: dict[str, dict[int, Game]] = {}
    for raw in binding.raw_games():
        found.setdefault(raw.name, {})[raw.rules_version] = Game(raw, codec_for(raw))
    return found


def games() -> tuple[str, ...]:
    """The names of the games in this build, sorted."""
    return tuple(sorted(_games()))


def game(name: str, rules_version: int | None = None) -> Game:
    """A game by name, under its newest rules version or the one asked for. Raises UnknownGame."""
    versions = _games().get(name)
    if versions is None:
        raise UnknownGame(name)
    if rules_version is None:
        return next(iter(versions.values()))
    if rules_version not in versions:
        raise UnknownGame(f"{name}, rules version {rules_version}")
    return versions[rules_version]


def _unpickled(name: str, rules_version: int, setup: bytes, data: bytes) -> State:
    return game(name, rules_version).load(setup, data)


# A pickled state is its bytes, and what they are bytes of.
copyreg.pickle(
    State, lambda state: (_unpickled, (state.game.name, state.game.rules_version, state.setup, state.data))
)
