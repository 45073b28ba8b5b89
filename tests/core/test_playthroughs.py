"""The published random matches (tests/playthroughs): every view, listing, effect and refusal comes out again."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import msgspec
import pytest

import warlog_core
from tests.core.games import GAMES, digest, lines, playthroughs
from tests.core.patterns import same
from warlog_core import CoreError, State, Step


def by_name(path: Path) -> str:
    return path.stem


def test_every_game_has_a_recorded_match() -> None:
    assert {path.stem.partition("-")[0] for path in playthroughs()} == set(GAMES)


def check_views(state: State, digests: dict[str, str], full: dict[str, object]) -> None:
    for viewer, expected in digests.items():
        view = state.view(viewer, plain=True)
        if viewer in full:
            assert same(view, full[viewer]), viewer
        assert digest(view) == expected, f"view of {viewer}: {view}"


@pytest.mark.parametrize("path", playthroughs(), ids=by_name)
def test_every_view_listing_effect_and_refusal_of_a_recorded_match_comes_out_again(path: Path) -> None:
    first, *steps = lines(path)
    game = warlog_core.game(first["game"])
    state = game.new(options=first["options"], position=first.get("position"), draws=first["draws"])
    assert state.started is not None
    assert list(state.seats) == first["seats"] == list(game.seats_for(first["options"]))
    assert state.started.draws == first["draws"]
    check_views(state, first["views"], first.get("full_views", {}))
    for step in steps:
        where = f"step {step['n']}"
        if "error" in step:
            before = state.data
            with pytest.raises(warlog_core.Refused) as refused:
                state.apply(step["seat"], step["action"], draws=step.get("draws", []))
            assert refused.value.code == step["error"], where
            assert state.data == before, where
            continue
        event = state.apply(step["seat"], step["action"], draws=step["draws"])
        assert event.draws == step["draws"], where
        assert same(event.action, step["action"]), where
        if step["effects"] is not None:  # the recordings of one game leave them out
            assert same(msgspec.to_builtins(event.effects), step["effects"]), where
        check_views(state, step["views"], step.get("full_views", {}))
        for seat, expected in step["legal"].items():
            assert digest(state.legal(seat, plain=True)) == expected, f"{where}, listing of {seat}"
        result = state.result
        assert same(step.get("result"), None if result is None else msgspec.to_builtins(result)), where


@pytest.mark.parametrize("path", playthroughs(), ids=by_name)
def test_replay_in_one_call_gives_the_same_bytes_checkpoints_and_effects_as_single_steps(path: Path) -> None:
    first, *steps = lines(path)
    game = warlog_core.game(first["game"])
    state = game.new(options=first["options"], position=first.get("position"), draws=first["draws"])
    start = state.copy()
    recorded, bytes_after, effects, values = [], [], [], []
    types = {effect.name: number for number, effect in enumerate(game.raw.effects)}
    lists = {  # of spaces or pieces, each of which is one number
        types[effect.name]: effect.parameters
        for effect in game.raw.effects
        if effect.parameters
        and effect.parameters[-1].many
        and effect.parameters[-1].kind in ("space", "piece")
    }
    for step in steps:
        if "error" not in step:
            event = state.apply(step["seat"], step["action"], draws=step["draws"])
            effects += [(step["seat"], types[one.__struct_config__.tag], one) for one in event.effects]
            with suppress(CoreError):  # a game need not evaluate
                values.append(state.evaluate())
            recorded.append(Step(step["seat"], step["action"], step["draws"], state.hash))
            bytes_after.append(state.data)
    assert start.copy().replay(recorded, every=7) == bytes_after[6::7]
    every = dict.fromkeys(types.values(), 0)
    some = dict.fromkeys((number for number in every if number % 2), 0)
    for entries in (1, 3):
        least = {number: len(parameters) + entries for number, parameters in lists.items()}
        long = [
            (actor, type_, effect)
            for actor, type_, effect in effects
            if type_ not in lists or len(getattr(effect, lists[type_][-1].name)) >= entries
        ]
        assert start.copy().replay_effects(recorded, every | least).effects == long
    for wanted in (every, some, dict[int, int]()):
        at_once = start.copy()
        replayed = at_once.replay_effects(recorded, wanted, every=7, first=3)
        assert replayed.effects == [one for one in effects if one[1] in wanted]
        assert replayed.values == values[2::7]
        assert at_once.data == state.data
