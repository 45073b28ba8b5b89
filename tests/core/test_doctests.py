"""The examples in the docstrings of the core are run."""

from __future__ import annotations

import doctest
import importlib
from pathlib import Path

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
