"""What the documents name exists: links, headings, entries of DECISIONS.md. And DECISIONS.md stays short."""

from __future__ import annotations

import io
import re
import tokenize
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.test_layout import GAMES, ROOT, our_files

DOCUMENTS = sorted(our_files(".md"))
# What has been done keeps the names of its time.
PROSE = [path for path in DOCUMENTS if path.name != "CHANGELOG.md" and "rules" not in path.parts]
ENTRY = re.compile(r"^## (\d+)\. (.+?) \((\d{4}-\d{2}-\d{2})\)$", re.MULTILINE)
DECISIONS = (ROOT / "DECISIONS.md").read_text()


def prose(path: Path) -> str:
    """A document without its blocks of code."""
    return re.sub(r"^```.*?^```$", "", path.read_text(), flags=re.MULTILINE | re.DOTALL)


def anchors(path: Path) -> set[str]:
    """What `#…` may name in a document: its headings, as GitHub writes them."""
    found: set[str] = set()
    for heading in re.findall(r"^#+ +(.+?) *$", prose(path), flags=re.MULTILINE):
        kept = re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
        again = 1
        name = kept
        while name in found:
            name, again = f"{kept}-{again}", again + 1
        found.add(name)
    return found


def links(path: Path) -> list[str]:
    """The targets of a document's links, those within backticks left out."""
    text = re.sub(r"`[^`]*`", "", prose(path))
    return re.findall(r"\]\(<?([^)\s>]+)>?\)", text) + re.findall(r"^\[[^\]]+\]: +(\S+)", text, re.MULTILINE)


def dangling(path: Path) -> list[str]:
    """The relative links of a document that lead nowhere."""
    lost: list[str] = []
    for link in links(path):
        if re.match(r"[a-z]+:", link):
            continue
        target, _, anchor = link.partition("#")
        file = (path.parent / target).resolve() if target else path
        if not file.exists() or (anchor and anchor not in anchors(file)):
            lost.append(link)
    return lost


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_relative_link_leads_to_a_file_and_a_heading(path: Path) -> None:
    assert dangling(path) == []


def test_a_link_to_a_file_or_heading_that_does_not_exist_is_found(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(
        "# One, two\n[a](page.md#one-two) [b](#one-two) [c](#three) [d](no.md) [e](https://x.y)\n"
    )
    assert dangling(page) == ["#three", "no.md"]


def test_decisions_are_short_and_numbered_one_after_the_other() -> None:
    assert len(DECISIONS.encode()) <= 25_000
    entries = re.split(r"^(?=## )", DECISIONS, flags=re.MULTILINE)[1:]
    for number, entry in enumerate(entries, 1):
        heading = ENTRY.match(entry)
        assert heading, entry[:80]
        assert int(heading[1]) == number
        lines = re.sub(r"^# .*", "", entry, flags=re.MULTILINE).strip().splitlines()
        assert len(lines) <= 15, f"entry {number} has {len(lines)} lines"
        assert all(len(line) <= 170 for line in lines), (
            f"entry {number} has a line of more than 170 characters"
        )


def test_every_decision_that_a_file_refers_to_exists() -> None:
    numbers = {int(found[1]) for found in ENTRY.finditer(DECISIONS)}
    for path in our_files(".md", ".py", ".c", ".h", ".lua", ".toml", ".yaml", ".yml", ".sh", ".ts"):
        for found in re.finditer(r"DECISIONS(?:\.md)?\)?,? (\d+)(?:[–-](\d+))?", path.read_text()):
            named = {int(number) for number in found.groups() if number}
            assert named <= numbers, f"{path.relative_to(ROOT)}: {found[0]}"


# The folders from which a document names files: its own, then those whose modules are named in short.
FROM = ("", "events/warlog_events", "service/warlog_service", "core_c", "core_c/warlog_core", "core_c/src")


def missing(path: Path) -> list[str]:
    """The files that a document names in full, or in short in backticks, and that do not exist.

    A path that is made of parts (`<game>.c`) or patterns, and one without a folder or an ending, is no such name."""
    lost: list[str] = []
    in_code = re.findall(
        r"(?<![\w/.])(?:core_c|events|service|clients|tests|deploy|docs)/[\w./-]+\.\w+", path.read_text()
    )
    for name in [*re.findall(r"`([\w.-]+(?:/[\w.-]+)*/?)`", prose(path)), *in_code]:
        if not re.search(r"^(core_c|events|service|clients|tests|deploy|docs)/", name) and not (
            "/" in name and re.search(r"\.(py|c|h|lua|md|json|yaml|conf)$", name)
        ):
            continue
        if not any((ROOT / folder / name).exists() for folder in FROM):
            lost.append(name)
    return lost


@pytest.mark.parametrize("path", PROSE, ids=lambda path: str(path.relative_to(ROOT)))
def test_the_files_that_a_document_names_exist(path: Path) -> None:
    assert missing(path) == []


def test_a_file_that_does_not_exist_is_found(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(
        "`match/no.py` `match/draft.py` `tests/no` `events/warlog_events/matches.py` `no/thing` `x/<y>.c`\n"
        "```\ncat docs/no.md docs/PERFORMANCE.md\n```\n"
    )
    assert missing(page) == ["match/no.py", "tests/no", "docs/no.md"]


LISTED = re.compile(
    r"^(?:service|events|core)? *\*? *((?:[\w-]+/)*\w+\.(?:py|c|lua))(?: +(.*))?$", re.MULTILINE
)


def functions_of_a_command(text: str) -> list[tuple[str, list[str]]]:
    """(file, functions) of the list in ARCHITECTURE.md, in its order."""
    block = re.search(r"^```\n(service  app\.py.*?)^```", text, re.MULTILINE | re.DOTALL)
    assert block
    assert len(LISTED.findall(block[1])) == len(block[1].splitlines())
    return [
        (file, re.split(r" {2,}", rest)[0].split(", ") if file.endswith((".py", ".c")) else [])
        for file, rest in LISTED.findall(block[1])
    ]


def has_function(path: Path, name: str) -> bool:
    text = path.read_text()
    if path.suffix == ".c":
        return re.search(rf"^(?:static )?\w+ {name}\(", text, re.MULTILINE) is not None
    *classes, function = name.split(".")
    if classes:
        found = re.search(rf"^class {classes[0]}\b.*?(?=^\S)", text + "\nend", re.MULTILINE | re.DOTALL)
        text = found[0] if found else ""
    indent = "    " if classes else "(?: {8})?"  # or in a method, as write_events
    return re.search(rf"^{indent}(?:async )?def {function}\(", text, re.MULTILINE) is not None


def test_the_functions_that_a_command_goes_through_exist() -> None:
    listed = functions_of_a_command((ROOT / "ARCHITECTURE.md").read_text())
    assert len(listed) > 15
    assert sum(len(names) for _, names in listed) > 20
    for file, names in listed:
        paths = [ROOT / folder / file for folder in FROM if (ROOT / folder / file).exists()]
        assert paths, file
        assert [name for name in names if not has_function(paths[0], name)] == [], file


def test_the_five_files_of_a_command_are_marked() -> None:
    listed = re.findall(
        r"^(?:service|events|core)? *\* (\S+)", (ROOT / "ARCHITECTURE.md").read_text(), re.MULTILINE
    )
    assert len(listed) == 5


def test_a_function_that_does_not_exist_is_found(tmp_path: Path) -> None:
    module = tmp_path / "module.py"
    module.write_text(
        "class One:\n    def act(self): ...\n\n\nclass Two:\n    async def go(self): ...\n\n\ndef act(): ...\n"
    )
    names = ["act", "One.act", "Two.go", "go", "Two.act", "One.go", "Three.act"]
    assert [name for name in names if has_function(module, name)] == ["act", "One.act", "Two.go"]


def test_a_page_of_rulings_belongs_to_a_game_and_leads_to_its_book() -> None:
    pages = sorted((ROOT / "docs/rulings").glob("*.md"))
    assert pages
    for page in pages:
        assert page.stem in GAMES
        assert f"../../core_c/warlog_core/rules/{page.stem}.md" in links(page)


# A name in a comment or docstring: a document by its name, or a file with at least one folder of ours before it.
NAMED = re.compile(r"(?<![\w/.<>*-])((?:[\w.-]+/)*[\w-]+\.md|(?:[\w-]+/)+[\w-]+\.(?:py|lua|c|h|json))\b")


def files_named(path: Path) -> set[str]:
    """The documents and files that a source file's comments and docstrings name."""
    if path.suffix == ".py":
        text = "\n".join(_comments(path.read_text()))
    else:
        text = "\n".join(re.findall(r"/\*.*?\*/|^\s*--.*$", path.read_text(), re.DOTALL | re.MULTILINE))
    return set(NAMED.findall(text))


def _comments(source: str) -> Iterator[str]:
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT or (
            token.type == tokenize.STRING and '"""' in token.string and not token.string.startswith("b")
        ):
            yield token.string


@pytest.mark.parametrize("folder", ["core_c", "events", "service", "clients"])
def test_the_files_that_comments_name_exist(folder: str) -> None:
    """By the whole path, or by its end: `match/fold.py`."""
    all_files = [str(path.relative_to(ROOT)) for path in our_files()]
    lost = [
        f"{path.relative_to(ROOT)}: {name}"
        for suffix in (".py", ".c", ".h", ".lua")
        for path in our_files(suffix)
        if path.relative_to(ROOT).parts[0] == folder
        for name in sorted(files_named(path))
        if "<" not in name and not any(f"/{known}".endswith(f"/{name}") for known in all_files)
    ]
    assert lost == []
