"""Of the core's tests."""

from __future__ import annotations

import pytest

from tests.core import explained


@pytest.fixture(autouse=True)
def _every_refusal_is_explained(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """In the worked examples, the recorded matches and all tests of refusals."""
    module = request.module.__name__
    if module.endswith(("_refusals", "test_playthroughs", "test_vectors")):
        explained.demand(monkeypatch)
