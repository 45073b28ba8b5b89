"""The bots of clients/bots/README.md, run as they stand. Only the address is another."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests import node
from tests.bots.conftest import Hall
from tests.bots.test_engine import acted, begun, passed
from tests.servers import WarlogServer
from tests.test_guide import ADDRESS, ROOT, built

README = (ROOT / "clients/bots/README.md").read_text(encoding="utf-8")


def program(language: str, url: str) -> str:
    (bot,) = re.findall(rf"^```{language}\n(.*?)^```$", README, flags=re.MULTILINE | re.DOTALL)
    assert ADDRESS in bot
    return str(bot).replace(ADDRESS, url)


@contextmanager
def running(command: list[str], folder: Path) -> Iterator[str]:
    """The id of the bot's account, which it prints."""
    bot = subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, text=True)
    assert bot.stdout is not None
    try:
        yield bot.stdout.readline().strip()
        assert bot.poll() is None, "the bot has ended"
    finally:
        bot.kill()
        bot.wait()
        bot.stdout.close()


@pytest.mark.parametrize("language", ["python", "ts"])
async def test_the_bot_of_the_readme_is_invited_and_answers(
    hall: Hall, warlog_server: WarlogServer, tmp_path: Path, language: str
) -> None:
    url = warlog_server.url
    if language == "python":
        command = [sys.executable, "-c", program("python", url)]
    else:
        command = node.command("node", str(built(program("ts", url), tmp_path)))
    with running(command, tmp_path) as bot:
        person, match = await begun(hall, bot)
        for _ in range(3):
            match = await passed(person, (await acted(person, match)).id)
