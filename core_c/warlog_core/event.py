"""What an action did, and what each reader may know of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import msgspec
from msgspec import Struct

from warlog_core import binding
from warlog_core.codecs import Tables
from warlog_core.rule_set import RuleSet

_encode = msgspec.json.Encoder().encode
_encode_sorted = msgspec.json.Encoder(order="sorted").encode
_REC_HEAD, _REC_EFFECT = binding.REC_HEAD, binding.REC_EFFECT


class Visible(Struct, frozen=True):
    """What one reader may know of an event: None is nothing; redacted forms where the book has them."""

    action: dict[str, Any] | None
    draws: list[int] | None
    effects: list[Any]


class Event(Struct, eq=False):
    """What an accepted action (or the start) did. Effects are decoded when they are first asked for."""

    _game: RuleSet
    _tables: Tables
    actor: str
    _posted: tuple[Sequence[int], Sequence[int]] | None  # the action's numbers, and the items of its list
    _words: list[int]  # the event's records, one after the other (warlog.h, section 6)
    draws: list[int]
    hides_nothing: bool  # everybody may know all of it, whatever has been disclosed
    _action: dict[str, Any] | None = None
    _action_struct: Struct | None = None
    _records: list[tuple[int, int, int, int, list[int]]] | None = None
    _effects: list[Any] | None = None
    _public: Visible | None = None  # what everybody sees of an event that hides nothing

    @property
    def action(self) -> dict[str, Any] | None:
        """The action as posted, plain, its fields in the book's order; None for the start."""
        if self._action is None and self._posted is not None:
            self._action = msgspec.to_builtins(self.struct())
        return self._action

    @property
    def action_json(self) -> bytes:
        """`action` as JSON, made anew for everybody who asks, as are the next two."""
        return _encode(self.struct())

    @property
    def action_sorted_json(self) -> bytes:
        """`action` as JSON with its keys in alphabetical order, those of what is inside it likewise."""
        return _encode_sorted(self.struct())

    @property
    def effects_json(self) -> bytes:
        """`effects` as JSON."""
        return _encode(self.effects)

    @property
    def effects(self) -> list[Any]:
        """Every effect, whole, in order: Structs of the game's codec."""
        if self._effects is None:
            effect, words, at, end = self._tables.effect, self._words, 0, len(self._words)
            self._effects = []
            while at < end:
                next_ = at + words[at]
                # [length | kind | audience | unlock | type | argument …] each
                if words[at + 1] == _REC_EFFECT:
                    self._effects.append(effect(words[at + _REC_HEAD - 1], words[at + _REC_HEAD : next_]))
                at = next_
        return self._effects

    def tell(self, listeners: Mapping[int, Callable[[str, Any], None]]) -> None:
        """Calls for each effect, in order, the listener of its type, with the actor and the whole effect.
        listeners: by the type's place in `raw.effects` of the game."""
        effect, words, at, end = self._tables.effect, self._words, 0, len(self._words)
        while at < end:
            next_ = at + words[at]
            type_ = words[at + _REC_HEAD - 1]
            if type_ in listeners and words[at + 1] == _REC_EFFECT:
                listeners[type_](self.actor, effect(type_, words[at + _REC_HEAD : next_]))
            at = next_

    def visible(self, viewer: str | Iterable[str], disclosed: int) -> Visible:
        """The event as `viewer` may know it when `disclosed` is the match's disclosure.

        A viewer is a seat or "spectator", or several seats whose knowledge somebody has together. An event without
        secrets gives the same object to everybody. Raises UnknownSeat."""
        bit = 0
        for one in (viewer,) if isinstance(viewer, str) else viewer:
            bit |= 1 << self._game.viewer_number(one, self._tables.seats)
        if self.hides_nothing:
            if self._public is None:
                self._public = Visible(self.action, self.draws, self.effects)
            return self._public
        action, draws = self.action, self.draws
        effects: list[Any] = []
        whole = self.effects
        n_whole = 0
        taken = False
        shown_action: dict[str, Any] | None = action
        shown_draws: list[int] | None = draws
        for kind, audience, unlock, type_, words in self._split():
            may = bool(audience & bit or unlock & disclosed)
            if kind == binding.REC_EFFECT:
                taken = may
                if may:
                    effects.append(whole[n_whole])
                n_whole += 1
            elif kind == binding.REC_EFFECT_ALT:
                if may and not taken:
                    taken = True
                    effects.append(self._tables.effect(type_, words))
            elif kind == binding.REC_ACTION:
                taken = may
                shown_action = action if may else None
            elif kind == binding.REC_ACTION_ALT:
                if may and not taken:
                    taken = True
                    shown_action = self._tables.action_alt(type_, words)
            else:
                shown_draws = draws if may else None
        return Visible(shown_action, shown_draws, effects)

    def forms(self, viewer: str) -> list[tuple[Any, Any | None]]:
        """Each whole effect, with the form that `viewer` was given of it at the time (None: nothing)."""
        bit = 1 << self._game.viewer_number(viewer, self._tables.seats)
        found: list[tuple[Any, Any | None]] = []
        whole = iter(self.effects)
        for kind, audience, _, type_, words in self._split():
            if kind == binding.REC_EFFECT:
                effect = next(whole)
                found.append((effect, effect if audience & bit else None))
            elif kind == binding.REC_EFFECT_ALT and audience & bit and found[-1][1] is None:
                found[-1] = (found[-1][0], self._tables.effect(type_, words))
        return found

    def struct(self) -> Struct | None:
        """The action as a Struct of the game's codec; None for the start."""
        if self._action_struct is None and self._posted is not None:
            self._action_struct = self._tables.action(*self._posted)
        return self._action_struct

    def _split(self) -> list[tuple[int, int, int, int, list[int]]]:
        """The records as (kind, audience, unlock, type, arguments)."""
        if self._records is None:
            records = []
            words, at, end = self._words, 0, len(self._words)
            while at < end:
                length, kind, audience, unlock, type_ = words[at : at + _REC_HEAD]
                records.append((kind, audience, unlock, type_, words[at + _REC_HEAD : at + length]))
                at += length
            self._records = records
        return self._records
