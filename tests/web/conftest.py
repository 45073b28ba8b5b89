"""A browser and a server for the tests of one file, and somebody before the page."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from playwright.sync_api import Browser

from tests.servers import WarlogServer
from tests.service.api import UNLIMITED
from tests.web.pages import PHONE, Person, browser


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    with browser() as opened:
        yield opened


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WarlogServer]:
    with WarlogServer(tmp_path_factory.mktemp("web"), environment=UNLIMITED) as running:
        yield running


@contextmanager
def somebody(chromium: Browser, server: WarlogServer, **how: Any) -> Iterator[Person]:
    """The page must have had nothing to complain of in the end."""
    person = Person(chromium, server.url, **how)
    yield person
    person.close()
    assert person.complaints == []


@pytest.fixture
def person(chromium: Browser, server: WarlogServer) -> Iterator[Person]:
    with somebody(chromium, server) as person:
        yield person


@pytest.fixture
def other(chromium: Browser, server: WarlogServer) -> Iterator[Person]:
    with somebody(chromium, server) as other:
        yield other


@pytest.fixture
def phone(chromium: Browser, server: WarlogServer) -> Iterator[Person]:
    with somebody(chromium, server, **PHONE) as person:
        yield person
