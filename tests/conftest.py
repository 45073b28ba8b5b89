"""What all tests share: one printed seed for everything random."""

import atexit
import gc
import os
import random
import tempfile
from collections.abc import Iterator
from pathlib import Path

import certifi
import pytest

from tests.longest import rank
from tests.servers import RedisServer, WarlogServer

# Set for the worker processes of pytest-xdist, too: they inherit the environment, so one seed repeats the whole run.
SEED = int(os.environ.get("WARLOG_SEED") or random.SystemRandom().randrange(2**32))
os.environ["WARLOG_SEED"] = str(SEED)
# Every `warlog serve` that a test starts would have a process for bots beside it. Those that are about bots say so.
os.environ.setdefault("WARLOG_BOTS", "0")


def _one_authority() -> str:
    """A file with one certificate. Every httpx client reads all that it trusts, a hundred of them, though no test
    speaks TLS with anybody but itself: half of what a short test of the clients took."""
    first, end, _ = Path(certifi.where()).read_text(encoding="utf-8").partition("-----END CERTIFICATE-----\n")
    handle, name = tempfile.mkstemp(prefix="warlog-", suffix=".pem")
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        file.write(first + end)
    atexit.register(os.unlink, name)
    return name


if "SSL_CERT_FILE" not in os.environ:  # as it is in the worker processes, which inherit it
    os.environ["SSL_CERT_FILE"] = _one_authority()


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """Of `-n logical`: two processes for a core. A test waits for half of its time and more, for servers that
    start, for a disk or for something to happen; one process for each core would leave it idle then."""
    cores = os.cpu_count() or 1
    return int(os.environ.get("PYTEST_XDIST_AUTO_NUM_WORKERS") or 2 * cores)


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    """Files are handed out in the order of the collection, not those with the most tests first."""
    config.option.loadscopereorder = False


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """What takes longest begins first, so that no process is left alone with it in the end."""
    items.sort(key=lambda item: rank(item.path.relative_to(config.rootpath).as_posix()))


def pytest_collection_finish() -> None:
    """The collector of garbage need not look at thousands of tests again and again: a tenth of what short ones take."""
    gc.collect()
    gc.freeze()


def pytest_report_header(config: pytest.Config) -> str:
    return f"random tests: WARLOG_SEED={SEED} repeats this run"


@pytest.fixture(scope="session")
def seed() -> int:
    """The seed of this run. Random tests derive theirs from it and say it when they fail."""
    return SEED


@pytest.fixture(scope="session")
def redis_server() -> Iterator[RedisServer]:
    """One real redis-server for the whole run. Who kills or configures one starts a `RedisServer`."""
    with RedisServer(fsync="no") as server:
        yield server


@pytest.fixture(scope="session")
def warlog_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WarlogServer]:
    """One `warlog serve` with its embedded Redis for the whole run. Rate limits are off."""
    off = {
        "WARLOG_ACCOUNTS_PER_ADDRESS": "0",
        "WARLOG_REQUESTS_PER_ADDRESS": "0",
        "WARLOG_REQUESTS_PER_CALLER": "0",
        "WARLOG_LOBBIES_PER_PLAYER": "0",
        "WARLOG_MATCHES_PER_PLAYER": "0",
        "WARLOG_MATCHES_PER_DAY": "0",
        "WARLOG_IMPORTS_PER_DAY": "0",
        "WARLOG_STAKE_MATCHES_MIN": "0",
        "WARLOG_COUNTED_MATCHES_PER_DAY": "0",
        "WARLOG_COUNTED_ANY_OPTIONS": "true",
    }
    with WarlogServer(tmp_path_factory.mktemp("warlog"), environment=off) as server:
        yield server
