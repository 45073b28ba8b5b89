"""All that is known of building the extension module `warlog_core._core`.

`python core_c/build_ffi.py` builds it in place (in warlog_core); setuptools builds it through
`cffi_modules = ["build_ffi.py:ffibuilder"]`. Games are found by file name: `src/games/<game>.c` is a game,
`src/games/<game>_<more>.c` a second file of one. What Python may call is read from `include/warlog.h`, so header and
binding cannot drift apart.
"""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path

from cffi import FFI

HERE = Path(__file__).resolve().parent
STRICT = ["-O2", "-std=c11", "-Wall", "-Wextra", "-Wconversion", "-Werror"]
# The module has one entry, which Python calls. Without this every call from file to file would go through a table.
HIDDEN = ["-fvisibility=hidden"]

# The wrapper that cffi generates is not ours to tidy: it converts freely between int and size_t, and calls nothing
# of its own with unused parameters. Everything before this text (Python.h) is a header and clean already.
WRAPPER = """
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wsign-conversion"
#pragma GCC diagnostic ignored "-Wunused-parameter"
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"
#pragma GCC diagnostic ignored "-Wcast-function-type"
#include "warlog.h"
"""


def game_names(folder: Path = HERE) -> list[str]:
    """The games of this source tree, sorted: every `src/games/<name>.c` without an underscore in its name."""
    return sorted(path.stem for path in (folder / "src" / "games").glob("*.c") if "_" not in path.stem)


def game_definition(folder: Path = HERE) -> str:
    """The value of WL_GAMES, which registry.c expands: `WL_GAME(hex) WL_GAME(toy)`."""
    return " ".join(f"WL_GAME({name})" for name in game_names(folder))


def declarations(header: str) -> str:
    """The part of warlog.h that cffi understands: types, enums, functions, and integer macros as `#define X ...`."""
    text = re.sub(r"/\*.*?\*/", " ", header, flags=re.DOTALL).replace("\\\n", " ")
    kept: list[str] = []
    for line in text.splitlines():
        if macro := re.fullmatch(r"#define\s+(\w+)\s+([^{\s].*)", line):
            kept.append(f"#define {macro[1]} ...")
        elif not line.startswith("#"):
            kept.append(line)
    return "\n".join(kept)


def make_builder(*, relative: bool = True) -> FFI:
    """The cffi builder. setuptools wants paths `relative` to the folder it runs in, for its sdist."""

    def name(path: Path) -> str:
        return os.path.relpath(path) if relative else str(path)

    sources = [*sorted((HERE / "src").glob("*.c")), *sorted((HERE / "src" / "games").glob("*.c"))]
    headers = [*(HERE / "include").glob("*.h"), *(HERE / "src").rglob("*.h")]
    builder = FFI()
    builder.cdef(declarations((HERE / "include" / "warlog.h").read_text(encoding="utf-8")))
    builder.set_source(
        "warlog_core._core",
        WRAPPER,
        sources=[name(path) for path in sources],
        include_dirs=[name(HERE / "include"), name(HERE / "src")],
        define_macros=[("WL_GAMES", game_definition())],
        extra_compile_args=[*STRICT, *HIDDEN],
        depends=[name(path) for path in headers],
        py_limited_api=True,
    )
    return builder


def build_in_place() -> Path:
    """Compiles `_core.abi3.so` into warlog_core/ and returns its path; objects stay in core_c/build/ffi."""
    work = HERE / "build" / "ffi"
    work.mkdir(parents=True, exist_ok=True)
    # Whole paths, because objects are put below `work` along the path of their source.
    built = Path(make_builder(relative=False).compile(tmpdir=str(work), verbose="-v" in sys.argv))
    target = HERE / "warlog_core" / built.name
    # A new file, never new bytes in the old one: a running process may have it mapped.
    temporary = target.with_suffix(".new")
    temporary.write_bytes(built.read_bytes())
    temporary.replace(target)
    return target


if __name__ == "__main__":
    print(build_in_place())
else:
    ffibuilder = make_builder()
