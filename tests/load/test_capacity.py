"""The model of capacity: what its pages say is what it says, and it behaves as its costs do."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.load.capacity import (
    FULL,
    GB,
    SIZES,
    TYPICAL,
    Costs,
    Demand,
    Size,
    check,
    good_for,
    limits,
    need,
    processes_of_a_match,
    sizes,
    smallest,
    told,
)
from tests.load.over_time import Course, Window

ROOT = Path(__file__).resolve().parents[2]
SIZE = Size("", 4, 1, True, 4 * GB, days=1)


def test_the_pages_say_what_the_model_says() -> None:
    command = "python -m tests.load.capacity --sizes > deploy/SIZES.md"
    assert (ROOT / "deploy" / "SIZES.md").read_text("utf-8") == sizes(), command
    page = (ROOT / "docs" / "CAPACITY.md").read_text("utf-8")
    million = Demand(1e6, 1e6, 1e5, 10)
    for by_match in (True, False):
        size = smallest(million, Costs(), 16 * GB, by_match=by_match, days=0.042)
        for name, value in told(million, size, Costs()):
            assert f"  {name:<53}{value}\n" in page


def test_a_match_is_in_one_process_or_in_as_many_as_its_connections_meet() -> None:
    assert processes_of_a_match(SIZE, TYPICAL) == 1
    anywhere = [processes_of_a_match(replace(SIZE, by_match=False, workers=n), TYPICAL) for n in (1, 2, 1000)]
    assert anywhere[0] == 1
    assert 1.9 < anywhere[1] < 2
    assert 5 < anywhere[2] < 2 * TYPICAL.seats


@pytest.mark.parametrize("size", SIZES, ids=lambda size: size.name)
def test_what_a_size_is_good_for_fills_one_thing_and_no_other(size: Size) -> None:
    demand, full = good_for(size, Costs(), TYPICAL)
    shares = {name: share for share, name in limits(need(demand, size, Costs()), size)}
    assert shares.pop(full) == pytest.approx(1)
    assert max(shares.values()) < 1


def test_the_smallest_size_bears_it_and_one_less_of_anything_does_not() -> None:
    demand = Demand(1e5, 1e5, 2e4, 10)
    size = smallest(demand, Costs(), 4 * GB, by_match=True, days=1 / 24)
    assert max(limits(need(demand, size, Costs()), size))[0] <= 1
    for less in (replace(size, workers=size.workers - 1), replace(size, redis=size.redis - 1)):
        assert max(limits(need(demand, less, Costs()), less))[0] > 1


def test_a_load_test_is_compared_with_the_model_in_its_steady_part_alone() -> None:
    def window(at: float, commands: float, cores: float) -> Window:
        processor = {"worker 1": cores, "worker 2": cores, "Redis": 0.1}
        return Window(at, {"hex": commands / 2, "wec": commands / 2}, {}, {}, processor, {})

    course = Course("", 10, [window(5, 500, 0.9), window(15, 100, 0.1), window(20, 100, 0.2)])
    rows = dict(check(course, replace(TYPICAL, here=0, matches=100), 2, Costs()))
    assert rows["commands a second"] == "100.0"
    measured, modelled = map(float, rows["cores of the service: measured, by the model"].split(", "))
    assert measured == pytest.approx(0.3)
    assert 0.1 * Costs().move_ms < modelled < 0.4
    assert rows["cores of Redis: measured, by the model"].startswith("0.100, ")


def test_a_core_is_full_before_it_is_busy_all_the_time() -> None:
    moves = FULL * 1000 / Costs().move_ms
    busy = need(Demand(0, 0, moves, 1, events=1e9), replace(SIZE, workers=1), Costs())
    assert {name: share for share, name in limits(busy, replace(SIZE, workers=1))}[
        "processor of the serving processes"
    ] == pytest.approx(1, abs=0.15)
