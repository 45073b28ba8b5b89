"""JSON from strangers, decoded so that the rule books' distinctions survive.

The books tell `1` from `1.0` and from `true`, and give an integer of a hundred digits an error code like any other.
"""

from __future__ import annotations

import json
import sys
from typing import NoReturn

import msgspec

INT64_MIN, INT64_MAX = -(2**63), 2**63 - 1
# Integers longer than this many digits are cut to ±BIG: no rule tells them apart, and making them costs quadratic time.
_DIGITS_MAX = 100
_DEPTH_MAX = 100
_BIG: int = 10**_DIGITS_MAX


def loads(raw: bytes | str) -> object:
    """The value of a JSON text. Integers are int (beyond a hundred digits cut to ±10^100), other numbers float.

    What comes out can be encoded again: a lone surrogate in a string becomes U+FFFD, 1e999 the largest float, and
    nothing is nested more than a hundred deep. Raises ValueError for that, for what is not JSON or not UTF-8."""
    try:
        value = _decode(raw)
    except RecursionError:
        raise ValueError("nested too deeply") from None
    # A text with few brackets cannot be deep, and most have few.
    n_brackets = (
        raw.count("[") + raw.count("{") if isinstance(raw, str) else raw.count(b"[") + raw.count(b"{")
    )
    if n_brackets > _DEPTH_MAX and _is_deep(value):
        raise ValueError("nested too deeply")
    return value


def _decode(raw: bytes | str) -> object:
    try:
        return msgspec.json.decode(raw)
    except UnicodeDecodeError:
        raise ValueError("not UTF-8") from None
    except msgspec.MsgspecError:
        pass  # no JSON, or JSON that msgspec does not take: huge numbers, lone surrogates. The slow decoder knows.
    text = raw if isinstance(raw, str) else bytes(raw).decode("utf-8")
    try:
        value = json.loads(text, parse_int=_integer, parse_float=_float, parse_constant=_no_constant)
    except json.JSONDecodeError as error:
        raise ValueError(f"{error.msg.lower()} in line {error.lineno}, column {error.colno}") from None
    return _encodable(value)


def _is_deep(value: object) -> bool:
    level = [value]
    for _ in range(_DEPTH_MAX):
        level = [
            inner
            for outer in level
            for inner in (
                outer.values() if isinstance(outer, dict) else outer if isinstance(outer, list) else ()
            )
            if isinstance(inner, dict | list)
        ]
        if not level:
            return False
    return True


def _encodable(value: object) -> object:
    """Lone surrogates become U+FFFD: they are no characters, and nothing that holds one could be stored or sent."""
    if isinstance(value, str):
        return (
            value if is_text(value) else value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        )
    if isinstance(value, list):
        return [_encodable(entry) for entry in value]
    if isinstance(value, dict):
        return {_encodable(name): _encodable(entry) for name, entry in value.items()}
    return value


def _integer(digits: str) -> int:
    if len(digits) <= _DIGITS_MAX:
        return int(digits)
    return -_BIG if digits.startswith("-") else _BIG


def _float(digits: str) -> float:
    value = float(digits)
    # Infinity has no JSON form; the largest float is as wrong a value to every rule.
    return max(-sys.float_info.max, min(sys.float_info.max, value))


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


def is_integer(value: object) -> bool:
    """The books' *integer*: a JSON integer (not `true`, not `7.0`)."""
    return type(value) is int


def is_text(value: object) -> bool:
    """A string that has a UTF-8 form: no lone surrogates, which could never be stored or sent back."""
    if type(value) is not str:
        return False
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True
