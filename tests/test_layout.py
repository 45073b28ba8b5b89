"""Traits of the source tree that no compiler checks: imports, where a game is named, what is pinned."""

from __future__ import annotations

import ast
import json
import os
import re
import subprocess
import sys
from collections.abc import Collection, Iterator
from pathlib import Path

import pytest

from tests.longest import LONGEST

ROOT = Path(__file__).resolve().parent.parent
SHARED = ROOT.parent / "shared"
PACKAGES = {
    "warlog_core": ROOT / "core_c" / "warlog_core",
    "warlog_events": ROOT / "events" / "warlog_events",
    "warlog_service": ROOT / "service" / "warlog_service",
    "warlog_client": ROOT / "clients" / "python" / "warlog_client",
    "warlog_bots": ROOT / "clients" / "bots" / "src" / "warlog_bots",
}
MAY_IMPORT: dict[str, set[str]] = {
    "warlog_core": set(),
    "warlog_events": {"warlog_core"},
    "warlog_service": {"warlog_core", "warlog_events"},
    "warlog_client": set(),
    "warlog_bots": {"warlog_core", "warlog_client"},
}
NOT_OURS = {".git", ".venv", ".venv-newest", "build", "dist", "node_modules", "warlog-data", "__pycache__"}
GAMES = sorted(file.stem for file in (ROOT / "core_c/src/games").glob("*.c") if "_" not in file.stem)


def our_files(*suffixes: str) -> Iterator[Path]:
    """Every file of the tree that is no product of a build, of one of the suffixes (none given: all)."""
    for folder, folders, names in os.walk(ROOT):
        folders[:] = sorted(
            name
            for name in folders
            if name not in NOT_OURS and not name.endswith((".egg-info", "_cache", ".hypothesis"))
        )
        for name in sorted(names):
            path = Path(folder, name)
            if (
                (not suffixes or path.suffix in suffixes)
                and not name.startswith("_core.")
                and path.suffix != ".o"
            ):
                yield path


def imported(path: Path, modules: Collection[str] = ()) -> set[str]:
    """The dotted names of the modules that a file imports, relative imports resolved against its package.

    `from package import name` gives both, the package and `package.name`, or, where the latter is one of `modules`,
    that alone."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                package = next(folder for folder in PACKAGES.values() if folder in path.parents)
                parents = path.parent.relative_to(package.parent).parts
                base = ".".join([*parents[: len(parents) - node.level + 1], *([base] if base else [])])
            for alias in node.names:
                name = f"{base}.{alias.name}"
                names |= {name} if name in modules else {base, name}
    return names


def own_files(game: str) -> set[Path]:
    """What belongs to one game, and so may name it: its C files, codec, rule book and tests."""
    core = ROOT / "core_c"
    own = {*(core / "src/games").glob(f"{game}.*"), *(core / "src/games").glob(f"{game}_*")}
    own |= {
        *(core / "warlog_core/codecs").glob(f"{game}*.py"),
        *(core / "warlog_core/rules").glob(f"{game}.*"),
    }
    return own


# ---- folders and imports ---------------------------------------------------------------------------------


@pytest.mark.parametrize("package", sorted(PACKAGES))
def test_a_package_lies_in_its_folder_and_is_typed(package: str) -> None:
    assert (PACKAGES[package] / "__init__.py").is_file()
    assert (PACKAGES[package] / "py.typed").is_file()


@pytest.mark.parametrize("package", sorted(PACKAGES))
def test_imports_point_one_way_service_to_events_to_core_and_the_client_imports_none(package: str) -> None:
    forbidden = set(PACKAGES) - MAY_IMPORT[package] - {package}
    for path in sorted(PACKAGES[package].rglob("*.py")):
        crossing = {name for name in imported(path) if name.partition(".")[0] in forbidden}
        assert not crossing, f"{path.relative_to(ROOT)} imports {sorted(crossing)}"


def test_the_bots_know_the_service_through_the_client_alone() -> None:
    for path in sorted((ROOT / "clients/bots").glob("*.py")):
        inside = {name for name in imported(path) if name.startswith("warlog_")}
        assert all(name.partition(".")[0] == "warlog_client" for name in inside), path


def test_only_the_binding_touches_the_compiled_module() -> None:
    for package, folder in PACKAGES.items():
        for path in sorted(folder.rglob("*.py")):
            names = imported(path)
            touched = names & {"warlog_core._core", "cffi"}
            touched |= {name for name in names if re.match(r"warlog_core\..*\.(ffi|lib)$", name)}
            if PACKAGES["warlog_core"] / "binding" not in path.parents:
                assert not touched, f"{package}: {path.relative_to(ROOT)} imports {sorted(touched)}"


def test_only_the_events_layer_talks_to_redis() -> None:
    for package in sorted(PACKAGES.keys() - {"warlog_events"}):
        for path in sorted(PACKAGES[package].rglob("*.py")):
            assert not {name for name in imported(path) if name.partition(".")[0] in ("redis", "hiredis")}, (
                path
            )


# ---- a game is named in its own files only ---------------------------------------------------------------


@pytest.mark.parametrize("game", GAMES)
def test_a_game_has_a_codec_a_rule_book_with_data_vectors_and_a_recorded_match(game: str) -> None:
    core = ROOT / "core_c/warlog_core"
    assert (core / "codecs" / f"{game}.py").is_file()
    assert (core / "rules" / f"{game}.md").is_file()
    assert (core / "rules" / f"{game}.json").is_file()
    assert (ROOT / "tests/vectors" / f"{game}.json").is_file()
    assert list((ROOT / "tests/playthroughs").rglob(f"{game}-*.jsonl"))


def names_a_game(tree: ast.AST, game: str) -> Iterator[ast.AST]:
    """Places where Python decides by the name of a game: in a list, as a key, compared, as a type, imported.

    A value beside a key (`{"game": "hex"}` in an example of the OpenAPI) decides nothing."""

    def is_name(node: ast.AST | None) -> bool:
        return isinstance(node, ast.Constant) and node.value == game

    for node in ast.walk(tree):
        match node:
            case ast.List(elts=parts) | ast.Tuple(elts=parts) | ast.Set(elts=parts) | ast.Dict(keys=parts):
                found = any(is_name(part) for part in parts)
            case ast.Compare(left=left, comparators=others):
                found = is_name(left) or any(is_name(other) for other in others)
            case ast.MatchValue(value=value) | ast.Subscript(slice=value):
                found = is_name(value)
            case ast.Import(names=names):
                found = any(game in name.name.split(".") for name in names)
            case ast.ImportFrom(module=module, names=names):
                found = game in (module or "").split(".") or any(game == name.name for name in names)
            case _:
                found = False
        if found:
            yield node


@pytest.mark.parametrize("game", GAMES)
def test_no_python_outside_a_games_own_files_decides_by_its_name(game: str) -> None:
    own = own_files(game)
    for folder in (*PACKAGES.values(), ROOT / "core_c"):
        for path in sorted(folder.rglob("*.py")):
            text = path.read_text()
            if (
                path not in own
                and path.name != "game_types.py"
                and "build" not in path.parts
                and game in text
            ):
                for node in names_a_game(ast.parse(text), game):
                    pytest.fail(f"{path.relative_to(ROOT)}:{getattr(node, 'lineno', 0)} names {game}")


@pytest.mark.parametrize("game", GAMES)
def test_no_shared_c_lua_or_build_file_names_a_game(game: str) -> None:
    own = own_files(game)
    word = re.compile(rf"(?<![a-z]){game}(?![a-z])")
    shared = [*our_files(".c", ".h", ".lua", ".toml"), ROOT / "Makefile", ROOT / "core_c/Makefile"]
    for path in shared:
        if path in own or (ROOT / "core_c/tests") in path.parents:
            continue
        text = path.read_text()
        if path.suffix in (".c", ".h"):
            text = re.sub(r'/\*.*?\*/|//[^\n]*|"(\\.|[^"\\\n])*"', "", text, flags=re.DOTALL)
            text = re.sub(r"^\s*#\s*error[^\n]*", "", text, flags=re.MULTILINE)
        else:
            text = re.sub(r"(--|#).*", "", text)
        assert not word.search(text), f"{path.relative_to(ROOT)} names {game}"


# ---- what is pinned, and what is not said ----------------------------------------------------------------


@pytest.mark.parametrize("lock", ["requirements.lock", "requirements-dev.lock"])
def test_every_locked_package_has_one_version_and_hashes_and_the_lock_names_no_source(lock: str) -> None:
    text = (ROOT / lock).read_text()
    for entry in re.split(r"\n(?=\S)", text.strip()):
        assert re.match(r"[a-z0-9-]+==[^ ]+ ", entry), entry
        assert "--hash=sha256:" in entry, entry
    assert "://" not in text
    assert "@ " not in text
    assert not re.search(r"^-", text, flags=re.MULTILINE)


def test_both_locks_agree() -> None:
    def pins(lock: str) -> set[str]:
        return set(re.findall(r"^\S+==\S+", (ROOT / lock).read_text(), flags=re.MULTILINE))

    assert pins("requirements.lock") <= pins("requirements-dev.lock")


def test_the_lock_of_the_clients_has_a_checksum_for_every_package_and_no_address() -> None:
    lock = json.loads((ROOT / "clients/package-lock.json").read_text())
    for name, entry in lock["packages"].items():
        if "node_modules/" in name and not entry.get("link"):
            assert entry["integrity"].startswith("sha512-"), name
            assert "resolved" not in entry, name


def test_no_file_names_a_registry() -> None:
    # Put together here, or this file would name them.
    hosts = [
        ".".join(words)
        for words in (("pypi", "org"), ("pythonhosted", "org"), ("npmjs", "org"), ("debian", "org"))
    ]
    for path in our_files():
        if path.suffix not in (".png", ".rdb", ".aof"):
            text = path.read_bytes()
            for host in hosts:
                assert host.encode() not in text, f"{path.relative_to(ROOT)} names {host}"


# ---- documents and commands ------------------------------------------------------------------------------


def make_targets() -> dict[str, str]:
    """target → its line in `make help`, empty if it has none."""
    rules = re.findall(
        r"^([a-z][a-z-]*):(?!=)[^#\n]*(?:## (.*))?$", (ROOT / "Makefile").read_text(), flags=re.MULTILINE
    )
    return dict(rules)


def test_make_help_has_a_line_for_every_target() -> None:
    assert [target for target, text in make_targets().items() if not text] == []
    said = subprocess.run(["make", "help"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    for target, text in make_targets().items():
        assert re.search(rf"^\s*make {target}\s+{re.escape(text)}$", said, flags=re.MULTILINE), target


@pytest.mark.parametrize(
    "document",
    [
        "README.md",
        "ARCHITECTURE.md",
        "CONTRIBUTING.md",
        "DECISIONS.md",
        "CHANGELOG.md",
        "docs/PERFORMANCE.md",
        ".ci/run",
    ],
)
def test_the_make_commands_that_a_document_names_exist(document: str) -> None:
    named = set(
        re.findall(r"(?:`|^\s*\$? ?)make ([a-z][a-z-]*)", (ROOT / document).read_text(), flags=re.MULTILINE)
    )
    assert named <= set(make_targets())


def test_the_warlog_commands_that_the_readme_names_exist() -> None:
    named = set(
        re.findall(
            r"(?:`|^\s*)(?:\.venv/bin/)?warlog ([a-z]+)", (ROOT / "README.md").read_text(), flags=re.MULTILINE
        )
    )
    said = subprocess.run(
        [sys.executable, "-m", "warlog_service", "--help"], capture_output=True, text=True, check=True
    )
    for command in sorted(named):
        assert re.search(rf"\b{command}\b", said.stdout), command


@pytest.mark.skipif(not SHARED.is_dir(), reason="the published rule books are not beside this clone")
@pytest.mark.parametrize(
    ("ours", "published"),
    [
        ("core_c/warlog_core/rules", "rules"),
        ("core_c/warlog_core/rules", "rules/data"),
        ("tests/vectors", "rules/vectors"),
        ("tests/playthroughs", "rules/playthroughs"),
    ],
)
def test_our_copies_of_what_is_published_are_byte_for_byte_the_same(ours: str, published: str) -> None:
    compared = 0
    for path in sorted((SHARED / published).iterdir()):
        copy = ROOT / ours / path.name
        if path.is_file() and copy.is_file() and path.name != "README.md":
            assert copy.read_bytes() == path.read_bytes(), copy.relative_to(ROOT)
            compared += 1
    assert compared


def test_the_runbook_names_every_setting() -> None:
    from warlog_service.settings import Settings

    runbook = (ROOT / "deploy" / "RUNBOOK.md").read_text()
    assert [name for name in Settings.__struct_fields__ if f"`{name}`" not in runbook] == []


# ---- what is pure, and circles ----------------------------------------------------------------------------


def module_files() -> dict[str, Path]:
    """Dotted name → file, of every module of our packages."""
    found = {}
    for folder in PACKAGES.values():
        for path in folder.rglob("*.py"):
            parts = path.relative_to(folder.parent).with_suffix("").parts
            found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


# The folders of the events layer: each may import from those before it. "" are the files beside the folders; one that
# imports from no folder (errors, statistics …) may be imported by all.
FOLDERS = ["match", "redis", "memory", "players", "reading", "standing", "", "workers"]


def test_the_folders_of_the_events_layer_import_in_one_direction() -> None:
    files = {name: path for name, path in module_files().items() if name.startswith("warlog_events.")}
    inside = {name: imported(path, files) & files.keys() for name, path in files.items()}

    def folder(name: str) -> str:
        parts = name.split(".")
        return parts[1] if len(parts) > 2 else ""

    for name, others in sorted(inside.items()):
        below = FOLDERS[: FOLDERS.index(folder(name)) + 1]
        for other in sorted(others):
            plain = not folder(other) and all(not folder(one) for one in inside[other])
            assert plain or folder(other) in below, f"{name} imports {other}"


def test_the_one_way_to_write_is_short() -> None:
    assert len((PACKAGES["warlog_events"] / "matches.py").read_text().splitlines()) <= 300


NOT_PURE = {"asyncio", "os", "random", "secrets", "time"}


def test_a_match_is_decided_without_redis_and_without_the_clock() -> None:
    """In a fresh process: whatever the modules of match/ import, and what that imports, is loaded. How long a
    replay takes may be measured."""
    inside = sorted(name for name in module_files() if name.startswith("warlog_events.match."))
    assert len(inside) > 10
    code = f"import sys, {', '.join(inside)}; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = set(done.stdout.split())
    assert not {name for name in loaded if name.partition(".")[0] in ("redis", "hiredis", "uvloop")}
    assert not {name for name in loaded if name.startswith("warlog_events.redis")}
    assert "warlog_events.clock_and_random" not in loaded
    for name in inside:
        path = module_files()[name]
        clocks = {one for one in imported(path) if one.partition(".")[0] in NOT_PURE}
        if name == "warlog_events.match.replay":
            clocks -= {"time", "time.perf_counter"}
        assert not clocks, f"{name} imports {clocks}"
        asked = re.search(r"\b(now|utcnow|today)\(", path.read_text())
        assert asked is None, f"{name} asks {asked}"


C_HEADERS = {"assert.h", "stdatomic.h", "stddef.h", "stdint.h", "string.h"}


def test_the_core_allocates_nothing_and_reads_no_clock() -> None:
    """Of the C library it has what neither allocates nor reads the clock, files or chance."""
    files = sorted((ROOT / "core_c" / "src").rglob("*.[ch]"))
    assert len(files) > 10
    for file in files:
        text = file.read_text()
        assert {*re.findall(r"#include <(.+)>", text)} <= C_HEADERS, file
        assert not re.search(r"\bstrn?dup\(", text), file


def test_the_command_line_starts_without_the_web_framework_and_without_a_redis_client() -> None:
    """`warlog --help`, and a setting that is wrong, take a third of the time."""
    code = "import sys, warlog_service.cli; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = {name.partition(".")[0] for name in done.stdout.split()}
    assert not loaded & {"litestar", "uvicorn", "redis", "hiredis", "uvloop", "prometheus_client"}


def test_every_file_that_begins_first_is_there() -> None:
    assert [path for path in LONGEST if not (ROOT / path).is_file()] == []
    assert len(set(LONGEST)) == len(LONGEST)


# The protocols of codecs name State and Game, whose modules import codecs: for type checkers alone.
TYPES_ALONE = {"warlog_core.codecs": {"warlog_core.game", "warlog_core.state"}}


def test_no_imports_go_round_in_a_circle() -> None:
    """Those within functions and for type checkers count, too."""
    files = module_files()
    graph = {
        name: imported(path, files) & files.keys() - {name} - TYPES_ALONE.get(name, set())
        for name, path in files.items()
    }
    done: set[str] = set()

    def visit(name: str, way: tuple[str, ...]) -> None:
        assert name not in way, " -> ".join([*way[way.index(name) :], name])
        if name not in done:
            for further in sorted(graph[name]):
                visit(further, (*way, name))
            done.add(name)

    for name in sorted(graph):
        visit(name, ())
    for name, others in TYPES_ALONE.items():
        run = [node for node in ast.parse(files[name].read_text()).body if isinstance(node, ast.ImportFrom)]
        assert not others & {node.module for node in run}, f"{name} imports {others} when it runs"
