"""What must hold of every explanation, and a way to demand it of every refusal that a test meets."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

import pytest

from warlog_core import Explanation, Game, Refused, State
from warlog_core.codecs import service_data


def at(value: Any, path: str) -> Any:
    """What a JSON Pointer names, or the object that lacks it. Raises LookupError for one that leads nowhere."""
    steps = [step.replace("~1", "/").replace("~0", "~") for step in path.split("/")[1:]]
    for index, step in enumerate(steps):
        if isinstance(value, dict) and step not in value and index == len(steps) - 1:
            return value
        value = value[int(step)] if isinstance(value, list) else value[step]
    return value


def reads_as_a_sentence(detail: str) -> bool:
    """It begins with a capital letter, a number, something quoted, or the name of a space, and ends as a sentence."""
    return re.match(r"[A-Z0-9\"`]|[a-z]{1,2}[0-9]{1,2}\b", detail) is not None and detail.endswith((".", "?"))


def without_sections(text: str) -> str:
    """A sentence of a rule book for who does not have the book before him: it names no section."""
    return re.sub(r" \((\d(\.?\d)*|below)\)|, see \d(\.?\d)*|; format in \d(\.?\d)*", "", text)


def assert_explained(why: Explanation | None, body: Any) -> None:
    """A sentence, facts that are JSON, and a path that leads to a place."""
    assert why is not None
    assert reads_as_a_sentence(why.detail), why.detail
    assert len(why.detail.split()) > 2, why.detail
    assert json.loads(json.dumps(why.members)) == why.members
    if why.path:
        at(body, why.path)


def assert_action_explained(state: State, actor: str, action: Any, code: str) -> None:
    """Also: a path wherever a part of the action is at fault."""
    if "errors" not in service_data(state.game.name):
        return
    why = state.explain(actor, action, code)
    assert_explained(why, action)
    pathless = {"match_over", *service_data(state.game.name).get("pathless", ())}
    if isinstance(action, dict) and actor in state.seats:
        assert (code in pathless) != bool(why.path), (code, action, why)


def assert_start_explained(game: Game, options: Any, position: Any, refused: Refused) -> None:
    if "errors" not in service_data(game.name):
        return
    why = refused.explanation
    assert_explained(why, {"options": options, "position": position})
    assert why is not None
    assert why.path.startswith(("/options", "/position")), (refused.code, why)


def demand(monkeypatch: pytest.MonkeyPatch) -> None:
    """From now on every refusal by a State or a Game is looked at."""

    def acting(method: Callable[..., Any]) -> Callable[..., Any]:
        def call(state: State, actor: str, action: object, *more: Any, **named: Any) -> Any:
            try:
                answer = method(state, actor, action, *more, **named)
            except Refused as refused:
                assert_action_explained(state, actor, action, refused.code)
                raise
            if isinstance(answer, str):  # of `check`
                assert_action_explained(state, actor, action, answer)
            return answer

        return call

    def starting(method: Callable[..., Any]) -> Callable[..., Any]:
        def call(game: Game, *given: Any, **named: Any) -> Any:
            try:
                return method(game, *given, **named)
            except Refused as refused:
                options = named.get("options", given[0] if given else {})
                position = named.get("position", given[1] if len(given) > 1 else None)
                assert_start_explained(game, options, position, refused)
                raise

        return call

    for name in ("check", "apply", "after"):
        monkeypatch.setattr(State, name, acting(getattr(State, name)))
    for name in ("check_options", "new"):
        monkeypatch.setattr(Game, name, starting(getattr(Game, name)))
