"""A browser and a server for the tests of one file, and somebody before the page."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser

from tests.servers import WarlogServer
from tests.service.api import UNLIMITED
from tests.web.pages import Person, browser


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    with browser() as opened:
        yield opened


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WarlogServer]:
    with WarlogServer(tmp_path_factory.mktemp("web"), environment=UNLIMITED) as running:
        yield running


@pytest.fixture
def person(chromium: Browser, server: WarlogServer) -> Iterator[Person]:
    """The page must have had nothing to complain of in the end."""
    somebody = Person(chromium, server.url)
    yield somebody
    somebody.close()
    assert somebody.complaints == []
