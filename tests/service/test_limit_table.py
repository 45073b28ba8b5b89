"""The table of limits in the RUNBOOK: it is what the code has, and no limit is missing."""

from __future__ import annotations

import importlib
import re
from pathlib import Path
from typing import get_args

import pytest

from warlog_events.errors import LimitName, QuotaName
from warlog_service import codes, routes
from warlog_service.limit_table import LIMITS, PAGE, Limit, markdown
from warlog_service.settings import Settings

ROOT = Path(__file__).resolve().parents[2]
NAMED = {name for limit in LIMITS for name in limit.settings.split()}
OF_ANOTHER_ROW = {"heavy_per_address", "analyses_per_caller"}
"""The first is half of all places, the second is one; they are no settings."""


def test_the_runbook_has_the_table() -> None:
    page = (ROOT / "deploy" / "RUNBOOK.md").read_text("utf-8")
    section = page.partition("\n## Limits\n")[2].partition("\n## ")[0]
    assert section.endswith("\n" + markdown()), "python -m warlog_service.limit_table"


def test_every_limit_that_an_answer_can_name_is_in_it() -> None:
    assert {*get_args(LimitName), *get_args(QuotaName)} - OF_ANOTHER_ROW <= NAMED


def test_every_bound_of_a_page_is_in_it() -> None:
    told = {limit.fixed for limit in LIMITS if limit.protects == PAGE}
    bounds = dict[str, int]()
    for path in sorted(Path(routes.__file__).parent.glob("*.py")):
        module = importlib.import_module(f"{routes.__name__}.{path.stem}")
        for name in re.findall(r"min\(\w+\.limit, (\w+)\)", path.read_text("utf-8")):
            bounds[f"{path.stem}.{name}"] = getattr(module, name)
    assert len(bounds) >= 9
    assert {*bounds.values()} <= told, bounds


def test_every_setting_that_bounds_something_is_in_it() -> None:
    bounds = re.compile(r"_per_|_max$|_entries$|_waiting$|_at_once$")
    assert {name for name in Settings.__struct_fields__ if bounds.search(name)} - {
        "counted_matches_per_day"
    } <= NAMED


@pytest.mark.parametrize("limit", LIMITS, ids=lambda limit: limit.of[:40])
def test_a_row_has_a_number_and_codes_that_there_are(limit: Limit) -> None:
    assert {*limit.codes.split()} <= {*codes.CODES}
    if limit.settings:
        defaults = Settings()
        values = [getattr(defaults, name) for name in limit.settings.split()]
        assert all(value is None or value > 0 for value in values)
    else:
        assert limit.fixed > 0
