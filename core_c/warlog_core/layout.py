"""Reading C structs by the layout tables that the core carries (warlog.h, section 1).

A layout is compiled once into `struct` formats; reading a record is then one `unpack_from` for its plain fields and
one more for each array or list that is asked for.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from operator import itemgetter
from typing import Any

Row = tuple[int, ...]

_CODES = {
    (1, 0): "B",
    (1, 1): "b",
    (2, 0): "H",
    (2, 1): "h",
    (4, 0): "I",
    (4, 1): "i",
    (8, 0): "Q",
    (8, 1): "q",
}


@dataclass(frozen=True, slots=True)
class Field:
    """One `wl_field`: offsets and sizes in bytes, `count` elements, `n_size` 0 when all are in use."""

    name: str
    offset: int
    size: int
    count: int
    signed: bool
    n_size: int
    n_offset: int
    row: tuple[Field, ...] | None

    @property
    def code(self) -> str:
        return f"{self.count}{_CODES[self.size, int(self.signed)]}"


@dataclass(frozen=True, slots=True)
class _Rows:
    """A list of rows, compiled. `inner` are the lists inside each row."""

    name: str
    offset: int
    size: int
    count: int
    counter: struct.Struct | None
    n_offset: int
    plain: struct.Struct
    inner: tuple[_Rows, ...]

    def n_used(self, record: bytes, base: int) -> int:
        if self.counter is None:
            return self.count
        n: int = self.counter.unpack_from(record, base + self.n_offset)[0]
        return min(n, self.count)

    def read(self, record: bytes, base: int = 0) -> list[Row]:
        n = self.n_used(record, base)
        if not n:
            return []
        start = base + self.offset
        return list(self.plain.iter_unpack(record[start : start + n * self.size]))

    def read_each(self, record: bytes, base: int, step: int, n: int) -> list[list[Row]]:
        """The lists of `n` rows, the first of which lies at `base` and the next `step` bytes further."""
        starts = range(base, base + n * step, step)
        if self.counter is None:
            return [self.read(record, start) for start in starts]
        # Most of them are empty. That is seen here, since a call for each would take longer than all the rest.
        used, n_offset = self.counter.unpack_from, self.n_offset
        return [self.read(record, start) if used(record, start + n_offset)[0] else [] for start in starts]

    def read_inner(self, inner: _Rows, record: bytes) -> list[list[Row]]:
        return inner.read_each(record, self.offset, self.size, self.n_used(record, 0))

    def split(self, record: bytes) -> tuple[bytes, ...]:
        """The bytes of each row in use."""
        return _cut(self.size, self.n_used(record, 0)).unpack_from(record, self.offset)


class Fields(dict[str, Any]):
    """The fields of one record by name, as `Layout` says.

    Numbers are here from the beginning, arrays and lists from when they are first asked for (as in a defaultdict): a
    view needs few of those of its state."""

    __slots__ = ("_layout", "_record")

    def __init__(self, layout: Layout, record: bytes) -> None:
        super().__init__(layout.numbers(record))
        self._layout = layout
        self._record = record

    def __missing__(self, name: str) -> Any:
        value = self[name] = self._layout.readers[name](self._record)
        return value

    def records(self, name: str) -> tuple[bytes, ...]:
        """The bytes of each row of a list, for `Layout.row_reader`."""
        return self._layout.lists[name].split(self._record)

    def whole(self) -> dict[str, Any]:
        """All fields."""
        return {**self, **{name: self[name] for name in self._layout.readers}}


class Layout:
    """A compiled layout.

    `read` gives integers as int, arrays as tuple (as far as they are in use), one inner struct as a tuple of
    its plain fields, a list of structs as a list of such tuples; a list inside the rows of `seats`, say `army`, stands
    under "seats.army", one list for each row. The order within tuples is that of `rows[name]`.

    readers  the arrays and lists of a record, by name
    lists    the lists of structs, those inside of rows too, by name"""

    def __init__(self, fields: Sequence[Field], size: int) -> None:
        self.fields = tuple(fields)
        self.size = size
        self.rows: dict[str, tuple[str, ...]] = {}
        self.lists: dict[str, _Rows] = {}
        self.readers: dict[str, Callable[[bytes], Any]] = {}
        plain = [f for f in fields if f.row is None and f.count == 1 and not f.n_size]
        self._numbers = _compile(plain, None)
        self._number_names = tuple(f.name for f in sorted(plain, key=_offset))
        for field in fields:
            if field.row is not None:
                self._read_rows(self._rows(field, field.name), single=field.count == 1 and not field.n_size)
            elif field.count != 1 or field.n_size:
                self.readers[field.name] = _array_reader(field)

    def _read_rows(self, rows: _Rows, *, single: bool) -> None:
        if single:
            self.readers[rows.name] = lambda record: rows.plain.unpack_from(record, rows.offset)
            return
        self.readers[rows.name] = rows.read
        for inner in rows.inner:
            self.readers[inner.name] = partial(rows.read_inner, inner)

    def _rows(self, field: Field, name: str) -> _Rows:
        assert field.row is not None
        plain = sorted((f for f in field.row if f.row is None), key=_offset)
        self.rows[name] = tuple(
            label
            for f in plain
            for label in ([f.name] if f.count == 1 else [f"{f.name}.{i}" for i in range(f.count)])
        )
        rows = self.lists[name] = _Rows(
            name,
            field.offset,
            field.size,
            field.count,
            _counter(field),
            field.n_offset,
            _compile(plain, field.size),
            tuple(self._rows(f, f"{name}.{f.name}") for f in field.row if f.row is not None),
        )
        return rows

    def numbers(self, record: bytes) -> dict[str, int]:
        """The plain fields of a record."""
        return dict(zip(self._number_names, self._numbers.unpack_from(record), strict=True))

    def read(self, record: bytes) -> Fields:
        return Fields(self, record)

    def replace(self, record: bytes, values: Mapping[str, int]) -> bytes:
        """The record with these numbers in plain fields; in an array, in each of its elements. Raises KeyError."""
        by_name = {field.name: field for field in self.fields}
        changed = bytearray(record)
        for name, value in values.items():
            field = by_name[name]
            struct.pack_into(f"={field.code}", changed, field.offset, *[value] * field.count)
        return bytes(changed)

    def row_picker(self, rows: str, names: Sequence[str]) -> Callable[[Row], Row]:
        """A function that gives the named fields (two or more) of a row, in that order. Raises ValueError."""
        have = self.rows[rows]
        return itemgetter(*(have.index(name) for name in names))

    def row_reader(self, rows: str, names: Sequence[str]) -> Callable[[bytes], Row]:
        """As `row_picker`, of a row's bytes."""
        unpack, pick = self.lists[rows].plain.unpack, self.row_picker(rows, names)
        return lambda record: pick(unpack(record))


@cache
def _cut(size: int, n: int) -> struct.Struct:
    """The format that cuts `n` rows apart."""
    return struct.Struct(f"{size}s" * n)


def _array_reader(field: Field) -> Callable[[bytes], tuple[int, ...]]:
    code, offset, n_offset, counter = (
        _CODES[field.size, int(field.signed)],
        field.offset,
        field.n_offset,
        _counter(field),
    )
    if counter is None:
        whole = struct.Struct("=" + field.code)
        return lambda record: whole.unpack_from(record, offset)

    def read(record: bytes) -> tuple[int, ...]:
        count = min(field.count, counter.unpack_from(record, n_offset)[0])
        return struct.unpack_from(f"={count}{code}", record, offset)

    return read


def _offset(field: Field) -> int:
    return field.offset


def _counter(field: Field) -> struct.Struct | None:
    return struct.Struct("=" + _CODES[field.n_size, 0]) if field.n_size else None


def _compile(fields: Sequence[Field], size: int | None) -> struct.Struct:
    """The format that reads these fields by ascending offset, with pad bytes between them (and up to `size`)."""
    codes, at = ["="], 0
    for field in sorted(fields, key=_offset):
        codes.append(f"{field.offset - at}x{field.code}")
        at = field.offset + field.size * field.count
    if size is not None:
        codes.append(f"{size - at}x")
    return struct.Struct("".join(codes))
