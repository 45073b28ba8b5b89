"""A game without its matches: names in numbers, options, and what a refusal of them means.

>>> import warlog_core
>>> hex = warlog_core.game("hex")
>>> hex.seats
('red', 'blue', 'green', 'yellow')
>>> hex.check_options({"width": 7})
>>> hex.check_options({"width": 3})
Traceback (most recent call last):
warlog_core.errors.Refused: invalid_options
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any

import msgspec

from warlog_core import binding, explain
from warlog_core.binding import RawGame, RawState
from warlog_core.codecs import Codec, ExplainingStart, Notation, Tables, service_data
from warlog_core.description import look_of
from warlog_core.errors import Explanation, Refused, UnknownSeat
from warlog_core.options_text import options_text
from warlog_core.traces import Owners, Trace, decoded

SERVER = "server"
SPECTATOR = "spectator"
_TABLES_KEPT = 512


def _nobody(view: object) -> dict[str, str]:
    """Every owner is a seat."""
    return {}


class RuleSet:
    """The rules of a game under one version, as states and events ask them. `game.Game` is one that makes states."""

    def __init__(self, raw: RawGame, codec: Codec) -> None:
        self.raw = raw
        self.codec = codec
        self.name = raw.name
        self.rules_version = raw.rules_version
        self.seats = raw.seats
        self._actors: dict[tuple[str, ...], dict[str, int]] = {}
        self._viewers: dict[tuple[str, ...], dict[str, int]] = {}
        self._bits: dict[tuple[int, tuple[str, ...]], tuple[str, ...]] = {}
        self._tables: OrderedDict[bytes, Tables] = OrderedDict()
        # msgspec reads the type hints of a Struct at its first use, and the process crashes if two threads do that at
        # the same time. A decoder reads them here.
        for type_ in (codec.options_type, codec.position_type, codec.action_type):
            msgspec.json.Decoder(type_)

    @cached_property
    def fingerprint(self) -> str:
        """Names the layout of setup and state: stored bytes are good only under the same one."""
        return f"{self.raw.fingerprint:016x}"

    @property
    def notation(self) -> Notation | None:
        """The game's own notation, if its codec has one; None: that of CONVENTIONS.md."""
        return getattr(self.codec, "notation", None)

    # ---- options and Positions ----

    def check_options(self, options: object, position: object | None = None) -> None:
        """Raises Refused with the book's code unless a match with these options (from this Position) is possible."""
        try:
            self.raw.check_options(*self.words(options, position))
        except Refused as error:
            error.explanation = self.explain_start(options, position, error.code)
            raise

    def full_options(self, options: Any) -> dict[str, Any]:
        """These valid options with every default, in the book's order; without those that nobody may know."""
        return self.codec.full_options(options)

    def options_text(self, options: Mapping[str, Any], known: Mapping[str, Any] | None = None) -> str:
        """How these valid options differ from the standard, for people. `known`: the full options that may be told, if
        not all."""
        full = self.full_options(options) if known is None else known
        given = {name: full[name] for name in full if name in options}
        words = service_data(self.name).get("option_words", {})
        return options_text(given, self._standard_options, words)

    @cached_property
    def _standard_options(self) -> dict[str, Any]:
        return self.full_options({})

    def words(self, options: object, position: object | None) -> tuple[list[int], list[int] | None]:
        """Both as the core takes them."""
        return self.codec.options_words(options), (
            None if position is None else self.codec.position_words(options, position)
        )

    # ---- refusals ----

    @cached_property
    def errors(self) -> dict[str, str]:
        """Every code with which this game refuses, and a sentence for it."""
        own, unused = (service_data(self.name).get(key, {}) for key in ("errors", "unused"))
        return {
            code: own.get(code) or explain.SENTENCES.get(code) or code.replace("_", " ").capitalize() + "."
            for code in (*explain.SENTENCES, *self.raw.errors)
            if code not in unused
        }

    def explain_start(self, options: object, position: object | None, code: str) -> Explanation:
        """What lies behind the `code` with which these options or this Position have been refused."""
        found = self._explained_start(options, position, code)
        blamed = "/position" if position is not None and "position" in code else "/options"
        return explain.printable(found or Explanation(self.errors[code], {}, blamed))

    def _explained_start(self, options: object, position: object | None, code: str) -> Explanation | None:
        lacks = f"{self.codec.title} has no option"
        found = explain.of_form(options, self.codec.options_type, "The options", lacks)
        if found is not None:
            return explain.below("/options", found)
        found = (
            None if position is None else explain.of_form(position, self.codec.position_type, "The Position")
        )
        if found is not None:
            return explain.below("/position", found)
        if not isinstance(self.codec, ExplainingStart) or not isinstance(options, dict):
            return None
        return self.codec.explain_start(
            options, position, code, self.raw.explain_start(*self.words(options, position))
        )

    # ---- names and numbers of a match ----

    def tables(self, raw: RawState, setup: bytes) -> Tables:
        """The names of the match with this setup. A few are kept: reading them costs more than most calls."""
        tables = self._tables.get(setup)
        if tables is None:
            labels = setup[self.raw.setup_size :]
            tables = self.codec.tables(self.raw.setup_fields(raw), labels)
            self._tables[setup] = tables
            while len(self._tables) > _TABLES_KEPT:
                self._tables.popitem(last=False)
        return tables

    def actor_number(self, actor: str, seats: tuple[str, ...]) -> int:
        """The number of an actor in a match of these seats. Raises UnknownSeat."""
        try:
            return self._actors[seats][actor]
        except KeyError:
            return self._number(self._actors, actor, seats, {SERVER: binding.SERVER})

    def viewer_number(self, viewer: str, seats: tuple[str, ...]) -> int:
        """The number of a viewer in a match of these seats. Raises UnknownSeat."""
        try:
            return self._viewers[seats][viewer]
        except KeyError:
            return self._number(self._viewers, viewer, seats, {SPECTATOR: binding.SPECTATOR})

    def numbered_seats(self, seats: tuple[str, ...]) -> tuple[str, ...]:
        """The seats by their numbers, of a match of these (Codec.seats_are_numbered_by)."""
        return self.seats if self.codec.seats_are_numbered_by == "game" else seats

    def _number(
        self,
        known: dict[tuple[str, ...], dict[str, int]],
        who: str,
        seats: tuple[str, ...],
        other: dict[str, int],
    ) -> int:
        """The numbers that the game's C file goes by (Codec.seats_are_numbered_by)."""
        if seats not in known:
            # All that the match leaves out share the last number, where they have none of their own.
            absent = dict.fromkeys(self.seats, binding.SEATS_MAX - 1)
            numbered = {seat: number for number, seat in enumerate(self.numbered_seats(seats))}
            known[seats] = absent | numbered | other
        try:
            return known[seats][who]
        except KeyError:
            raise UnknownSeat(who) from None

    def seats_of(self, bits: int, seats: tuple[str, ...]) -> tuple[str, ...]:
        """The seats, of a match of these, whose actor's bit is set."""
        known = self._bits.get((bits, seats))
        if known is None:
            known = tuple(seat for seat in seats if bits >> self.actor_number(seat, seats) & 1)
            self._bits[bits, seats] = known
        return known

    def traces_of(
        self, numbers: Sequence[int], view: Callable[[], Any], seats: Sequence[str], *, taken: bool
    ) -> list[Trace]:
        """The core's numbers as traces, with the codec's names. `view`: gives the viewer's, before the action."""
        codec = self.codec
        owners = Owners(
            view, look_of(self.name).layers or (), seats, getattr(codec, "seat_by_owner", _nobody)
        )
        spaces, levels = getattr(codec, "trace_spaces", ()), getattr(codec, "trace_levels", ())
        return decoded(numbers, spaces, levels, owners, taken=taken)
