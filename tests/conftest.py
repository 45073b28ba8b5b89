"""What all tests share: one printed seed for everything random."""

import os
import random

import pytest

SEED = int(os.environ.get("WARLOG_SEED") or random.SystemRandom().randrange(2**32))


def pytest_report_header(config: pytest.Config) -> str:
    return f"random tests: WARLOG_SEED={SEED} repeats this run"


@pytest.fixture(scope="session")
def seed() -> int:
    """The seed of this run. Random tests derive theirs from it and say it when they fail."""
    return SEED
