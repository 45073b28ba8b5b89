"""Which actions have no numbers, found out when an environment is made."""

from __future__ import annotations

import random

from warlog_core.binding import OPEN_BYTES, record_of
from warlog_core.errors import NotNumbered
from warlog_core.numbering import Numbering
from warlog_core.rule_set import RuleSet
from warlog_core.state import State

SETTING_UP_STEPS = 24  # more than any game needs until all seats have armies, layouts and terrain


def presets_only(rules: RuleSet, numbering: Numbering, start: State) -> tuple[str, ...]:
    """The types of actions that may be made up of parts with these options: only their presets have numbers.

    Raises NotNumbered where a seat has to choose and nothing that it may choose has a number."""
    found: dict[str, None] = {}
    state, rng = start.copy(), random.Random(0)
    made_of_parts = any(p.many for action in rules.raw.actions for p in action.parameters)
    for _ in range(SETTING_UP_STEPS if made_of_parts else 1):
        if not state.to_act:
            break
        for seat in state.to_act:
            _require_number(rules, numbering, state, seat)
            listing = state.listing(seat)
            for key in (listing.key(i) for i in range(len(listing))):
                if OPEN_BYTES in key:
                    found[rules.raw.actions[record_of(key)[0]].name] = None
        seat = state.to_act[0]
        last = numbering.numbers(state, seat, play_on=True)[-1]  # what ends a phase stands at the end
        state.apply(seat, numbering.decode(state, seat, last), rng.randbytes)
    return tuple(found)


def _require_number(rules: RuleSet, numbering: Numbering, state: State, seat: str) -> None:
    gives_up = {action.name for action in rules.raw.actions if action.gives_up}
    given_up = {family.first for family in numbering.families if family.action in gives_up}
    if not set(numbering.numbers(state, seat, play_on=True)) - given_up:
        raise NotNumbered(
            f"with these options {seat} has nothing to choose but an open template ({state.phase}), "
            "and numbers cover presets alone"
        )
