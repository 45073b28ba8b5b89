"""Reading C structs by the layout tables that the core carries (warlog.h, section 1).

A layout is compiled once into `struct` formats; reading a record is then one `unpack_from` for its plain fields and one
`iter_unpack` for each list of rows.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import Any, Protocol

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


class Buffer(Protocol):
    """Bytes, or the binding's window on C memory: what `struct` reads and a slice of which is bytes."""

    def __buffer__(self, flags: int, /) -> memoryview: ...
    def __getitem__(self, part: slice, /) -> Any: ...


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

    def n_used(self, buffer: Any, base: int) -> int:
        if self.counter is None:
            return self.count
        n: int = self.counter.unpack_from(buffer, base + self.n_offset)[0]
        return min(n, self.count)

    def read(self, buffer: Any, base: int) -> list[Row]:
        n = self.n_used(buffer, base)
        if not n:
            return []
        start = base + self.offset
        return list(self.plain.iter_unpack(buffer[start : start + n * self.size]))

    def read_each(self, buffer: Any, base: int, step: int, n: int) -> list[list[Row]]:
        """The lists of `n` rows, the first of which lies at `base` and the next `step` bytes further."""
        starts = range(base, base + n * step, step)
        if self.counter is None:
            return [self.read(buffer, start) for start in starts]
        # Most of them are empty. That is seen here, since a call for each would take longer than all the rest.
        used, n_offset = self.counter.unpack_from, self.n_offset
        return [self.read(buffer, start) if used(buffer, start + n_offset)[0] else [] for start in starts]


class Layout:
    """A compiled layout.

    `read` gives a dict: integers as int, arrays as tuple (as far as they are in use), one inner struct as a tuple of
    its plain fields, a list of structs as a list of such tuples; a list inside the rows of `seats`, say `army`, stands
    under "seats.army", one list for each row. The order within tuples is that of `rows[name]`."""

    def __init__(self, fields: Sequence[Field], size: int) -> None:
        self.fields = tuple(fields)
        self.size = size
        self.rows: dict[str, tuple[str, ...]] = {}
        numbers = [f for f in fields if f.row is None and f.count == 1 and not f.n_size]
        self._numbers = _compile(numbers, None)
        self._number_names = tuple(f.name for f in sorted(numbers, key=_offset))
        self._arrays = tuple(
            (f.name, f.offset, _CODES[f.size, int(f.signed)], f.count, _counter(f), f.n_offset)
            for f in fields
            if f.row is None and (f.count != 1 or f.n_size)
        )
        self._single = tuple(
            self._rows(f, f.name) for f in fields if f.row is not None and f.count == 1 and not f.n_size
        )
        self._lists = tuple(
            self._rows(f, f.name) for f in fields if f.row is not None and (f.count != 1 or f.n_size)
        )

    def _rows(self, field: Field, name: str) -> _Rows:
        assert field.row is not None
        plain = sorted((f for f in field.row if f.row is None), key=_offset)
        self.rows[name] = tuple(
            label
            for f in plain
            for label in ([f.name] if f.count == 1 else [f"{f.name}.{i}" for i in range(f.count)])
        )
        return _Rows(
            name,
            field.offset,
            field.size,
            field.count,
            _counter(field),
            field.n_offset,
            _compile(plain, field.size),
            tuple(self._rows(f, f"{name}.{f.name}") for f in field.row if f.row is not None),
        )

    def read(self, buffer: Buffer, offset: int = 0) -> dict[str, Any]:
        """The fields of the record that starts at `offset` in `buffer`."""
        values: dict[str, Any] = dict(
            zip(self._number_names, self._numbers.unpack_from(buffer, offset), strict=True)
        )
        for name, at, code, count, counter, n_offset in self._arrays:
            if counter is not None:
                count = min(count, counter.unpack_from(buffer, offset + n_offset)[0])
            values[name] = struct.unpack_from(f"={count}{code}", buffer, offset + at)
        for rows in self._single:
            values[rows.name] = rows.plain.unpack_from(buffer, offset + rows.offset)
        for rows in self._lists:
            values[rows.name] = rows.read(buffer, offset)
            for inner in rows.inner:
                values[inner.name] = inner.read_each(
                    buffer, offset + rows.offset, rows.size, len(values[rows.name])
                )
        return values

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
