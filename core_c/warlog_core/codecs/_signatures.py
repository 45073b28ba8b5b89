"""Actions and effects by their signatures: what the C file states of each (warlog.h), the codec does not repeat.

A signature names the fields of an action or an effect and says of which *kind* each is: a space, a seat, a row of some
table of names. A codec says once for each kind what its numbers stand for, as a `Kind`. From both follow the Structs,
which are the public models, how records become Structs, and how posted actions become records. A codec may bring
Structs of its own for actions whose fields no kind tells; that they have the fields of the signatures is checked when
the codec is made.

Every event passes here, so signatures are compiled: each becomes one lambda, such as

    lambda struct, k0, k1: lambda w: struct(w[0], k0[w[1]], (UNSET if w[2] == ABSENT else k1[w[2]]))
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from keyword import iskeyword
from typing import Any, Literal, NamedTuple, NoReturn, Union

import msgspec
from msgspec import UNSET, Struct, UnsetType

from warlog_core.binding import ABSENT, ACTION_FIELDS, WORD_ABSENT, Signature
from warlog_core.codecs import ActionStruct, EffectStruct
from warlog_core.codecs._actions import Encoder, piece_and_space, type_name
from warlog_core.codecs._words import Reader, WrongShape, int64_field, known_name, numbered


class Kind(NamedTuple):
    """What the numbers of a kind stand for. Of one kind a codec sets the same fields for every match.

    decode  the JSON value of a number: by a function or a table; None: the number itself
    read    the number of a posted value, for kinds that actions have; raises WrongShape
    items   instead of `read`, for a list in an action: the number of the field (mostly the length), and the items
    take    instead of `decode`, for something of several words in an effect: its JSON value, taken from the iterator
    type    the type of its JSON values, as the Structs have it
    posted  the same in actions, where a pattern or a text is to be shown with it
    """

    decode: Callable[[int], Any] | Sequence[Any] | None = None
    read: Reader | None = None
    items: Callable[[object], tuple[int, Sequence[int]]] | None = None
    take: Callable[[Iterator[int]], Any] | None = None
    type: Any = None
    posted: Any = None


Kinds = Mapping[str, Kind]

NUMBER = Kind(type=int)
_LITERAL: Any = Literal  # of names that no type checker knows
_NONE: Mapping[str, str] = {}


def table(names: Sequence[str], first: int = 0, of: Any = None) -> Kind:
    """Rows of a table of names, numbered from `first`. A name that it does not have is malformed.

    `of`: the type of the values, where the Structs shall not list the names."""
    type_ = of or _LITERAL[tuple(names)]
    return Kind((*[""] * first, *names), known_name(numbered(names, first)), type=type_)


class _Row(NamedTuple):
    """A signature with the Struct that has its fields."""

    number: int
    signature: Signature
    struct: Any


def _made_struct(
    signature: Signature, base: type[Struct], types: Mapping[str, Any], name: str, text: str | None
) -> type[Struct]:
    """The Struct of a signature; `types`: of which type the values of a kind are."""
    fields = []
    for parameter in signature.parameters:
        type_: Any = types[parameter.kind]
        if parameter.many:
            type_ = list[type_]
        default: dict[str, Any] = {}
        if parameter.optional:
            type_, default = type_ | UnsetType, {"default": UNSET}
        attribute = f"{parameter.name}_" if iskeyword(parameter.name) else parameter.name
        fields.append((attribute, type_, msgspec.field(name=parameter.name, **default)))
    optional = [parameter.optional for parameter in signature.parameters]
    return msgspec.defstruct(
        name,
        fields,
        bases=(base,),
        tag=signature.name,
        frozen=True,
        kw_only=optional != sorted(optional),  # one that may be absent stands before one that may not
        namespace={"__doc__": text},
    )


def _is_template(struct: Any) -> bool:
    """Is it also what stands in a listing for all actions of its type? Then `open` is set, and the fields are not."""
    return "open" in struct.__struct_fields__


def _checked(signature: Signature, struct: type[Struct]) -> type[Struct]:
    """A Struct of the codec's own. Raises TypeError unless it has the fields of the signature."""
    fields = [field for field in msgspec.structs.fields(struct) if field.name != "open"]
    ours = [(field.encode_name, _is_template(struct) or field.default is UNSET) for field in fields]
    theirs = [(p.name, _is_template(struct) or p.optional) for p in signature.parameters]
    if ours != theirs:
        raise TypeError(f"the Struct {type_name(struct)} has {ours}, the C file {theirs}")
    return struct


def _rows(
    signatures: Sequence[Signature],
    base: type[Struct],
    types: Mapping[str, Any],
    texts: Mapping[str, str],
    names: Mapping[str, str] = _NONE,
    own: Collection[type[Struct]] = (),
) -> list[_Row]:
    """Each signature with one of the codec's own Structs, or with one made of it."""
    own_of = {type_name(struct): struct for struct in own}
    if unknown := own_of.keys() - {signature.name for signature in signatures}:
        raise TypeError(f"the C file has no {sorted(unknown)}")
    rows = []
    for number, signature in enumerate(signatures):
        type_ = signature.name
        if type_ in own_of:
            struct = _checked(signature, own_of[type_])
        else:
            name = names.get(type_) or type_.title().replace("_", "")
            struct = _made_struct(signature, base, types, name, texts.get(type_))
        rows.append(_Row(number, signature, struct))
    return rows


def _union(rows: Sequence[_Row]) -> Any:
    """The tagged union of the Structs, in the order of the signatures."""
    return Union[tuple(row.struct for row in rows)]  # noqa: UP007


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
    """The effects of a game, out of their records.

    texts   type → what its schema says of it, where the fields do not say enough
    names   type → the name of its schema, where that is not the type in capitals
    """

    def __init__(
        self,
        signatures: Sequence[Signature],
        kinds: Kinds,
        texts: Mapping[str, str] = _NONE,
        names: Mapping[str, str] = _NONE,
    ) -> None:
        types = {name: kind.type for name, kind in kinds.items()}
        self._rows = _rows(signatures, EffectStruct, types, texts, names)
        self.union = _union(self._rows)
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
    for i, parameter in enumerate(parameters):
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
        values.append(_unless_absent(parameter.optional, word, "WORD_ABSENT", value))
    names = ", ".join(f"k{i}" for i in range(len(parameters)))
    construct = _constructor(row.struct)
    factory = _compiled(f"lambda struct: lambda {names}: lambda w: struct({', '.join(values)})")
    return factory(construct)  # type: ignore[no-any-return]


# ---- actions ----


class Actions:
    """The actions of a game, both ways.

    texts   type → what its schema says of it
    own     Structs of the codec for types whose shape no signature tells
    """

    def __init__(
        self,
        signatures: Sequence[Signature],
        kinds: Kinds,
        texts: Mapping[str, str] = _NONE,
        own: Collection[type[Struct]] = (),
    ) -> None:
        types = {name: kind.posted or kind.type for name, kind in kinds.items()}
        self._rows = _rows(signatures, ActionStruct, types, texts, own=own)
        self.union = _union(self._rows)
        self.names = tuple(signature.name for signature in signatures)
        self.numbers = numbered(self.names)
        self._encoder_factories: dict[str, Callable[..., Any]] = {}
        self._maker_factories: dict[str, Callable[..., Any]] = {}

    def encoders(
        self, kinds: Kinds, but: Collection[str] = (), spaces: Mapping[str, int] | None = None
    ) -> dict[str, Encoder]:
        """For each type, `but` these, what makes the record of a posted action. With the numbers of the `spaces` it
        takes half the time where a piece and a space are all, and the piece must fit 64 bits."""
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
        """For each type (its number), `but` these, what makes the Struct of a record."""
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
    values, items, n_expected = [str(row.number)], "()", str(1 + len(parameters))
    for i, parameter in enumerate(parameters):
        value = f"k{i}(a[{parameter.name!r}])"
        if kinds[parameter.kind].items:
            value, items = f"(m := {value})[0]", "m[1]"
        if parameter.optional:
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
        _unless_absent(
            parameter.optional, f"r[{i}]", "ABSENT", _value(kinds[parameter.kind], f"k{i}", f"r[{i}]")
        )
        for i, parameter in enumerate(parameters, 1)
    ]
    names = ", ".join(f"k{i}" for i in range(1, 1 + len(parameters)))
    factory = _compiled(f"lambda struct: lambda {names}: lambda r: struct({', '.join(values)})")
    return factory(_constructor(row.struct))  # type: ignore[no-any-return]
