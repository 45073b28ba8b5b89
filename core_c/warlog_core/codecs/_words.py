"""From strangers' JSON to the small numbers that the C rules take: what the codecs of all games share.

A *reader* takes one JSON value and gives its number. It raises `WrongShape` for a value that its place can never hold,
of which the codec makes the verdict *malformed*. A value of the right sort that the rules refuse with a code of their
own (an unknown name, an integer beyond every range) becomes a reserved number instead, since other checks may go first.

Options and Positions are made of *words* (64 bits), actions of *fields* (32 bits), each with its own reserved numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Container, Mapping, Sequence
from typing import Any

from warlog_core.binding import OUT_OF_RANGE, UNKNOWN, WORD_ABSENT, WORD_OUT_OF_RANGE, WORD_UNKNOWN
from warlog_core.jsonvalue import INT64_MAX, INT64_MIN, is_integer

Reader = Callable[[object], int]

_WORD_LIMIT = 2**62
FIELD_LIMIT = 2**31 - 16


class WrongShape(Exception):
    """The value has not the JSON type, or lacks or exceeds the fields, that its place wants."""


def with_verdict(words: Callable[..., list[int]], *given: object) -> list[int]:
    """Options or a Position as C reads them: the verdict 0 and the words made of them, or 1 if they are malformed."""
    try:
        return [0, *words(*given)]
    except WrongShape:
        return [1]


# ---- objects and lists ----


def object_of(value: object, required: Collection[str], optional: Container[str] = ()) -> dict[str, Any]:
    """The value as an object with all of the required fields and no others but the optional ones."""
    if type(value) is not dict:
        raise WrongShape
    if not all(name in value for name in required):
        raise WrongShape
    if not all(name in required or name in optional for name in value):
        raise WrongShape
    return value


def list_of(value: object) -> list[Any]:
    """The value as a list of anything."""
    if type(value) is not list:
        raise WrongShape
    return value


# ---- words ----


def int_word(value: object) -> int:
    """An integer of any size."""
    if not is_integer(value):
        raise WrongShape
    assert isinstance(value, int)
    return value if -_WORD_LIMIT <= value <= _WORD_LIMIT else WORD_OUT_OF_RANGE


def int64_word(value: object) -> int:
    """An integer, where one that does not fit 64 bits is malformed."""
    return _fitting(int_word(value), value)


def _fitting(number: int, value: object) -> int:
    assert isinstance(value, int)
    if not INT64_MIN <= value <= INT64_MAX:
        raise WrongShape
    return number


def bool_word(value: object) -> int:
    """`true` or `false`."""
    if type(value) is not bool:
        raise WrongShape
    return int(value)


def true_word(value: object) -> int:
    """A flag that is `true` or absent. As good for a field."""
    if value is not True:
        raise WrongShape
    return 1


def numbered(names: Sequence[str], first: int = 0) -> dict[str, int]:
    """The numbers of names that are known by their place."""
    return {name: number for number, name in enumerate(names, first)}


def name_word(numbers: Mapping[str, int]) -> Reader:
    """A reader of names, for which an unknown one is an error of its own."""

    def word(value: object) -> int:
        if type(value) is not str:
            raise WrongShape
        return numbers.get(value, WORD_UNKNOWN)

    return word


def known_name(numbers: Mapping[str, int]) -> Reader:
    """A reader of names, for which an unknown one is malformed. As good for fields."""

    def word(value: object) -> int:
        if type(value) is not str or value not in numbers:
            raise WrongShape
        return numbers[value]

    return word


def optional_word(value: Mapping[str, Any], name: str, reader: Reader) -> int:
    """The word of one field of an object, which may be absent."""
    return reader(value[name]) if name in value else WORD_ABSENT


def row_words(value: Mapping[str, Any], readers: Mapping[str, Reader]) -> list[int]:
    """The words of these fields of an object, in the order of `readers`; each may be absent."""
    return [reader(value[name]) if name in value else WORD_ABSENT for name, reader in readers.items()]


# ---- fields of actions ----


def int_field(value: object) -> int:
    """An integer of any size."""
    if type(value) is not int:
        raise WrongShape
    return value if -FIELD_LIMIT <= value <= FIELD_LIMIT else OUT_OF_RANGE


def int64_field(value: object) -> int:
    """An integer, where one that does not fit 64 bits is malformed."""
    return _fitting(int_field(value), value)


def name_field(numbers: Mapping[str, int]) -> Reader:
    """A reader of names, of spaces above all, for which an unknown one is an error of its own."""

    def field(value: object) -> int:
        if type(value) is not str:
            raise WrongShape
        return numbers.get(value, UNKNOWN)

    return field
