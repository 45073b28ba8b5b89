"""The examples in the docstrings of the core are run."""

from __future__ import annotations

import doctest
import importlib
import re
from pathlib import Path
from types import ModuleType

import pytest

import warlog_core

PACKAGE = Path(warlog_core.__file__).parent
MODULES = sorted(
    ".".join(["warlog_core", *path.relative_to(PACKAGE).with_suffix("").parts]).removesuffix(".__init__")
    for path in PACKAGE.rglob("*.py")
    if ">>> " in path.read_text(encoding="utf-8")
)


def test_what_people_begin_with_has_an_example() -> None:
    begun_with = {
        ".game",
        ".state",
        ".rule_set",
        ".opponent",
        ".numbering",
        ".zoo",
        ".zoo.aec",
        ".zoo.vectors",
    }
    assert {f"warlog_core{name}" for name in begun_with} <= set(MODULES)


@pytest.mark.parametrize("name", MODULES)
def test_the_examples_of_a_module_tell_what_they_say(name: str) -> None:
    failed, tried = doctest.testmod(importlib.import_module(name))
    assert (failed, tried > 0) == (0, True)


def used_in(module: ModuleType) -> set[str]:
    """The words of the examples in a module."""
    tests = doctest.DocTestFinder().find(module)
    return {
        word for test in tests for example in test.examples for word in re.findall(r"\w+", example.source)
    }


@pytest.mark.parametrize("name", ["zoo", "zoo.aec", "zoo.vectors", "zoo.openspiel"])
def test_the_examples_of_the_zoo_use_all_that_there_is(name: str) -> None:
    if name == "zoo.openspiel":
        pytest.importorskip("pyspiel", reason="OpenSpiel has no wheel for this Python")
    module = importlib.import_module(f"warlog_core.{name}")
    own = {
        word: value
        for word, value in vars(module).items()
        if not word.startswith("_")
        and (
            getattr(value, "__module__", None) == module.__name__
            or (word.isupper() and word != "TYPE_CHECKING")
        )
    }
    methods = {
        method
        for value in own.values()
        if isinstance(value, type)
        for method in vars(value)
        if not method.startswith("_")
    }
    assert own.keys() >= set(getattr(module, "__all__", own))
    assert {*own, *methods} - used_in(module) == set()


PAGE = Path(__file__).resolve().parents[2] / "docs" / "LIBRARY.md"


def test_the_page_of_the_library_tells_what_it_says() -> None:
    text = re.sub(r"^```.*$", "", PAGE.read_text(encoding="utf-8"), flags=re.MULTILINE)
    page = doctest.DocTestParser().get_doctest(text, {}, PAGE.name, str(PAGE), 0)
    failed, tried = doctest.DocTestRunner().run(page)
    assert (failed, tried > 60) == (0, True)


def test_the_page_of_the_library_uses_all_that_there_is() -> None:
    lines = PAGE.read_text(encoding="utf-8").splitlines()
    used = {
        word
        for line in lines
        if line.startswith((">>> ", "... "))
        for word in re.findall(r"\w+", line.partition("#")[0])
    }
    offered = (getattr(warlog_core, name) for name in warlog_core.__all__)
    classes = [one for one in offered if isinstance(one, type) and not issubclass(one, Exception)]
    public = {name for of in classes for name in vars(of) if not name.startswith("_")}
    assert {*warlog_core.__all__, *public} - used == set()
