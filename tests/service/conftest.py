"""One real server, with its embedded Redis, per test module; and a thin client that says what went wrong."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.servers import WarlogServer
from tests.service.api import UNLIMITED, Api


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WarlogServer]:
    with WarlogServer(tmp_path_factory.mktemp("warlog"), environment=UNLIMITED) as running:
        yield running


@pytest.fixture
def api(server: WarlogServer) -> Iterator[Api]:
    """The server as a stranger sees it; `api.player()` makes an account."""
    with Api(server.url) as stranger:
        yield stranger
