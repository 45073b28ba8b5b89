"""What the registry says of a game: its names, the signatures of its actions and effects, the layout of its structs."""

from __future__ import annotations

from typing import Any

from warlog_core._core import ffi, lib
from warlog_core.binding.values import Parameter, Signature
from warlog_core.layout import Field


def text_of(name: Any) -> str:
    text = ffi.string(name)
    assert isinstance(text, bytes)
    return text.decode()


def texts_of(names: Any) -> tuple[str, ...]:
    found: list[str] = []
    while names[len(found)] != ffi.NULL:
        found.append(text_of(names[len(found)]))
    return tuple(found)


def signatures_of(rows: Any) -> tuple[Signature, ...]:
    found: list[Signature] = []
    while (row := rows[len(found)]).name != ffi.NULL:
        parameters = (row.parameters[i] for i in range(row.n_parameters))
        found.append(
            Signature(
                text_of(row.name),
                tuple(
                    Parameter(text_of(p.name), text_of(p.kind), bool(p.many), bool(p.optional))
                    for p in parameters
                ),
                bool(row.flags & lib.WL_SERVER_ONLY),
                bool(row.flags & lib.WL_GIVES_UP),
            )
        )
    return tuple(found)


def fields_of(layout: Any) -> tuple[Field, ...]:
    found: list[Field] = []
    while (f := layout[len(found)]).name != ffi.NULL:
        row = fields_of(f.row) if f.row != ffi.NULL else None
        found.append(
            Field(text_of(f.name), f.offset, f.size, f.count, bool(f.is_signed), f.n_size, f.n_offset, row)
        )
    return tuple(found)
