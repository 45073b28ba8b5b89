"""How long a search may take where others wait."""

from __future__ import annotations

import random

import pytest

from warlog_bots.pace import (
    ANSWER_SECONDS,
    BURST_SECONDS,
    SEARCH_SECONDS_MAX,
    Budget,
    Speeds,
    due_at,
    share,
)


def test_a_single_search_takes_a_second_and_many_share_the_time_that_people_wait() -> None:
    assert share(10.0, [10.0 + ANSWER_SECONDS]) == SEARCH_SECONDS_MAX
    assert share(10.0, []) == SEARCH_SECONDS_MAX
    assert share(10.0, [13.0] * 100) == pytest.approx(0.01)
    assert share(10.0, [9.0]) == 0


def test_all_searches_end_when_they_are_due_if_each_takes_its_share(seed: int) -> None:
    """One after the other, the most urgent first, while new ones come."""
    rng = random.Random(seed)
    now, dues = 0.0, [rng.uniform(0.5, ANSWER_SECONDS) for _ in range(20)]
    for _ in range(200):
        dues.sort()
        now += share(now, dues)
        assert now <= dues.pop(0) + 1e-9, f"seed {seed}"
        if rng.random() < 0.9:
            dues.append(now + ANSWER_SECONDS)
        if not dues:
            break


def test_an_answer_is_due_well_before_the_clock_runs_out() -> None:
    assert due_at(5.0, None) == due_at(5.0, 3600.0) == 5.0 + ANSWER_SECONDS
    assert 5.0 < due_at(5.0, 2.0) <= 6.0
    assert due_at(5.0, -1.0) == 5.0


def test_a_budget_is_spent_and_saved_up_again() -> None:
    budget = Budget(0.25, 100.0)
    assert budget.left(100.0) == BURST_SECONDS
    budget.spend(BURST_SECONDS + 1)
    assert budget.left(100.0) == 0
    assert budget.left(108.0) == pytest.approx(1.0)
    assert budget.left(1000.0) == BURST_SECONDS


def test_a_match_is_as_fast_as_in_its_last_search_and_a_new_one_as_others_of_its_game() -> None:
    speeds = Speeds()
    assert speeds.iterations("m", "hex", 1.0) is None
    speeds.learn("m", "hex", 100, 1.0)
    assert speeds.iterations("m", "hex", 0.5) == speeds.iterations("n", "hex", 0.5) == 50
    speeds.learn("m", "hex", 1000, 1.0)
    assert speeds.iterations("m", "hex", 0.5) == 500
    assert 50 < (speeds.iterations("n", "hex", 0.5) or 0) < 500
    speeds.forget("m")
    assert speeds.iterations("m", "hex", 0.5) == speeds.iterations("n", "hex", 0.5)
