"""Actions and effects by their signatures: what the C file states of each (warlog.h), the codec does not repeat.

A signature names the fields of an action or an effect and says of which *kind* each is: a space, a seat, a row of some
table of names. A codec says once for each kind what its numbers stand for, as a `Kind`; from both follows how records
become Structs, and posted actions records. The Structs are the public models; that they have the fields of the
signatures is checked when a codec is made.

Every event passes here, so signatures are compiled: each becomes one lambda, such as

    lambda struct, k0, k1: lambda w: struct(w[0], k0[w[1]], (UNSET if w[2] == ABSENT else k1[w[2]]))
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, NoReturn, get_args

import msgspec
from msgspec import UNSET

from warlog_core.binding import ABSENT, ACTION_FIELDS, WORD_ABSENT, Signature
from warlog_core.codecs._actions import Encoder, piece_and_space, type_name
from warlog_core.codecs._words import Reader, WrongShape, int64_field, known_name, numbered


class Kind(NamedTuple):
    """What the numbers of a kind stand for. Of one kind a codec sets the same fields for every match.

    decode  the JSON value of a number: by a function or a table; None: the number itself
    read    the number of a posted value, for kinds that actions have; raises WrongShape
    items   instead of `read`, for a list in an action: the number of the field (mostly the length), and the items
    take    instead of `decode`, for something of several words in an effect: its JSON value, taken from the iterator
    """

    decode: Callable[[int], Any] | Sequence[Any] | None = None
    read: Reader | None = None
    items: Callable[[object], tuple[int, Sequence[int]]] | None = None
    take: Callable[[Iterator[int]], Any] | None = None


Kinds = Mapping[str, Kind]

NUMBER = Kind()


def table(names: Sequence[str], first: int = 0) -> Kind:
    """Rows of a table of names, numbered from `first`. A name that it does not have is malformed."""
    return Kind((*[""] * first, *names), known_name(numbered(names, first)))


class _Row(NamedTuple):
    """A signature with the Struct that has its fields; `optional`: which of them may be absent."""

    number: int
    signature: Signature
    struct: Any
    optional: tuple[bool, ...]


def _rows(signatures: Sequence[Signature], union: Any) -> list[_Row]:
    """Raises TypeError unless the Structs of the union are those of the signatures, in their order.

    The field `open` of an action marks a template in a listing, and is of the Struct alone."""
    rows = []
    for number, (signature, struct) in enumerate(zip(signatures, get_args(union), strict=True)):
        theirs = (signature.name, [parameter.name for parameter in signature.parameters])
        ours = (type_name(struct), [name for name in struct.__struct_encode_fields__ if name != "open"])
        if ours != theirs:
            raise TypeError(f"the Struct {ours} is not the C file's {theirs}")
        optional = tuple(field.default is UNSET for field in msgspec.structs.fields(struct))
        rows.append(_Row(number, signature, struct, optional))
    return rows


def _compiled(source: str) -> Callable[..., Any]:
    names = {"UNSET": UNSET, "ABSENT": ABSENT, "WORD_ABSENT": WORD_ABSENT, "many": _many, "wrong": _wrong}
    factory: Callable[..., Any] = eval(source, names)
    return factory


def _many(take: Callable[[Iterator[int]], Any], n: int, left: Iterator[int]) -> list[Any]:
    return [take(left) for _ in range(n)]


def _wrong() -> NoReturn:
    raise WrongShape


def _constructor(struct: Any) -> Callable[..., Any]:
    """Makes the Struct of its fields in order, also where it takes them by keyword alone."""
    names = struct.__struct_fields__
    if struct.__match_args__ == names:
        constructor: Callable[..., Any] = struct
        return constructor
    arguments = ", ".join(names)
    keywords = ", ".join(f"{name}={name}" for name in names)
    return _compiled(f"lambda struct: lambda {arguments}: struct({keywords})")(struct)  # type: ignore[no-any-return]


def _value(kind: Kind, name: str, number: str) -> str:
    """The expression for one number; `name` is what the kind's `decode` is called in it."""
    if kind.decode is None:
        return number
    return f"{name}({number})" if callable(kind.decode) else f"{name}[{number}]"


def _unless_absent(optional: bool, number: str, absent: str, value: str) -> str:
    return f"(UNSET if {number} == {absent} else {value})" if optional else value


# ---- effects ----


class Effects:
    """The effects of a game, out of their records."""

    def __init__(self, signatures: Sequence[Signature], union: Any) -> None:
        self._rows = _rows(signatures, union)
        self._factories: list[Callable[..., Any]] = []

    def decoders(self, kinds: Kinds) -> list[Callable[[Sequence[int]], Any]]:
        """For each type of effect what makes its Struct of the arguments of its record."""
        if not self._factories:
            self._factories = [_effect_factory(row, kinds) for row in self._rows]
        return [
            factory(*[kinds[p.kind].take or kinds[p.kind].decode for p in row.signature.parameters])
            for row, factory in zip(self._rows, self._factories, strict=True)
        ]


def _effect_factory(row: _Row, kinds: Kinds) -> Callable[..., Any]:
    """Of what its parameters' kinds give: the decoder. Only the last may be a list or take several words."""
    parameters = row.signature.parameters
    values = []
    for i, (parameter, optional) in enumerate(zip(parameters, row.optional, strict=True)):
        kind, name, word = kinds[parameter.kind], f"k{i}", f"w[{i}]"
        several = parameter.many or kind.take is not None
        assert not several or i == len(parameters) - 1, (
            f"{row.signature.name}: a list that is not its last field"
        )
        if parameter.many and kind.take:
            value = f"many({name}, {word}, iter(w[{i + 1}:]))"
        elif parameter.many:
            value = f"[{_value(kind, name, 'x')} for x in w[{i + 1}:]]"
        else:
            value = f"{name}(iter(w[{i}:]))" if kind.take else _value(kind, name, word)
        values.append(_unless_absent(optional, word, "WORD_ABSENT", value))
    names = ", ".join(f"k{i}" for i in range(len(parameters)))
    construct = _constructor(row.struct)
    factory = _compiled(f"lambda struct: lambda {names}: lambda w: struct({', '.join(values)})")
    return factory(construct)  # type: ignore[no-any-return]


# ---- actions ----


class Actions:
    """The actions of a game, both ways. `but` are types of a shape that no signature tells."""

    def __init__(self, signatures: Sequence[Signature], union: Any) -> None:
        self._rows = _rows(signatures, union)
        self.names = tuple(signature.name for signature in signatures)
        self.numbers = numbered(self.names)
        self._encoder_factories: dict[str, Callable[..., Any]] = {}
        self._maker_factories: dict[str, Callable[..., Any]] = {}

    def encoders(
        self, kinds: Kinds, but: Collection[str] = (), spaces: Mapping[str, int] | None = None
    ) -> dict[str, Encoder]:
        """For each type what makes the record of a posted action. With the numbers of the `spaces` it takes half the
        time where a piece and a space are all, and the piece must fit 64 bits."""
        found: dict[str, Encoder] = {}
        for row in self._rows:
            name, parameters = row.signature.name, row.signature.parameters
            if name in but:
                continue
            if spaces and [p.kind for p in parameters] == ["piece", "space"]:
                assert kinds["piece"].read is int64_field
                found[name] = piece_and_space(row.number, parameters[1].name, spaces)
                continue
            if name not in self._encoder_factories:
                self._encoder_factories[name] = _encoder_factory(row, kinds)
            factory = self._encoder_factories[name]
            found[name] = factory(*[kinds[p.kind].items or kinds[p.kind].read for p in parameters])
        return found

    def makers(self, kinds: Kinds, but: Collection[str] = ()) -> dict[int, Callable[[Sequence[int]], Any]]:
        """For each type (its number) what makes the Struct of a record."""
        found: dict[int, Callable[[Sequence[int]], Any]] = {}
        for row in self._rows:
            name, parameters = row.signature.name, row.signature.parameters
            if name in but:
                continue
            if name not in self._maker_factories:
                self._maker_factories[name] = _maker_factory(row, kinds)
            found[row.number] = self._maker_factories[name](*[kinds[p.kind].decode for p in parameters])
        return found


def _encoder_factory(row: _Row, kinds: Kinds) -> Callable[..., Any]:
    """Of what its parameters' kinds give: the encoder of one type of action. Its fields come in the book's order, none
    too many, none missing but optional ones."""
    parameters = row.signature.parameters
    # A template lacks the fields that the posted action must have.
    is_template = "open" in row.struct.__struct_fields__
    values, items, n_expected = [str(row.number)], "()", str(1 + len(parameters))
    for i, (parameter, optional) in enumerate(zip(parameters, row.optional, strict=False)):
        value = f"k{i}(a[{parameter.name!r}])"
        if kinds[parameter.kind].items:
            value, items = f"(m := {value})[0]", "m[1]"
        if optional and not is_template:
            value = f"({value} if {parameter.name!r} in a else ABSENT)"
            n_expected += f" - ({parameter.name!r} not in a)"
        values.append(value)
    values += ["0"] * (ACTION_FIELDS - len(parameters))
    record = f"(({', '.join(values)}), {items})"
    names = ", ".join(f"k{i}" for i in range(len(parameters)))
    return _compiled(f"lambda {names}: lambda a: {record} if len(a) == {n_expected} else wrong()")


def _maker_factory(row: _Row, kinds: Kinds) -> Callable[..., Any]:
    parameters = row.signature.parameters
    values = [
        _unless_absent(optional, f"r[{i}]", "ABSENT", _value(kinds[parameter.kind], f"k{i}", f"r[{i}]"))
        for i, (parameter, optional) in enumerate(zip(parameters, row.optional, strict=False), 1)
    ]
    names = ", ".join(f"k{i}" for i in range(1, 1 + len(parameters)))
    factory = _compiled(f"lambda struct: lambda {names}: lambda r: struct({', '.join(values)})")
    return factory(_constructor(row.struct))  # type: ignore[no-any-return]
