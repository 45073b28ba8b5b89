"""The plain history of CONVENTIONS.md, "Notation": one line per action. A game may have a notation of its own."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct, to_builtins


def history_line(
    version: int,
    seat: str,
    action: Struct | Mapping[str, Any] | None,
    draws: Sequence[int] | None,
    effects: Sequence[Struct | Mapping[str, Any]],
) -> str:
    """`14. red attack piece=3 target=g5 [3] (damage, killed)`: as much as the reader may know.

    `seat` is "server" for the server's actions; `action` and `draws` are None where the reader may know nothing."""
    words = [f"{version}. {seat}"]
    if action is not None:
        plain = _plain(action)
        words.append(str(plain.pop("type")))
        words += [f"{name}={_value(value)}" for name, value in plain.items()]
    if draws:
        words.append(f"[{', '.join(map(str, draws))}]")
    if effects:
        words.append(f"({', '.join(_type(effect) for effect in effects)})")
    return " ".join(words)


def history_result(winners: Sequence[str], reason: str) -> str:
    """The last line of a finished match: `result red,green elimination`, `-` for no winners."""
    return f"result {','.join(winners) or '-'} {reason}"


def _plain(value: Struct | Mapping[str, Any]) -> dict[str, Any]:
    return dict(to_builtins(value)) if isinstance(value, Struct) else dict(value)


def _type(effect: Struct | Mapping[str, Any]) -> str:
    return str(effect.__struct_config__.tag if isinstance(effect, Struct) else effect["type"])


def _value(value: object) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, list) and not any(isinstance(entry, dict | list) for entry in value):
        return ",".join(_value(entry) for entry in value)
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
