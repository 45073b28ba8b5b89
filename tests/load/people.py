"""What many people who follow their own feeds cost a server while nothing happens, and how soon one of them hears of a
command. `make followers`.

Each follower is a player with a connection of his own, which takes a file descriptor here and one in the server; where
the limit (`ulimit -Hn`) is lower, there are fewer of them, and the output says how many.
"""

from __future__ import annotations

import asyncio
import random
import resource
import socket
import tempfile
import time
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from tests.load.bench import UNLIMITED, children, cpu_seconds, show
from tests.load.wire import Wire
from tests.servers import WarlogServer

SPARE_FILES = 500
OPENING_AT_ONCE = 100
SETTLING_SECONDS = 20.0
COMMANDS = 200
HEX = {"game": "hex", "options": {"army": "preset"}, "consent": "all"}


async def figures_of_people(people: int, seconds: float) -> None:
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))  # the server inherits it
    if people > most - SPARE_FILES:
        people = most - SPARE_FILES
        print(f"{most} file descriptors: {people:,} followers")
    with (
        tempfile.TemporaryDirectory(prefix="warlog-people-") as data,
        WarlogServer(Path(data), environment=UNLIMITED) as server,
    ):
        pids = {"server": server.pid, "Redis": children(server.pid)[0]}
        print(f"{people:,} people follow their own feeds, one serving process")
        print(f"  before they come: {await cpu_shares(pids, min(seconds, 20.0))}")
        followers = Followers(server.url)
        began = time.perf_counter()
        tokens = await registered(server.url, people)
        memory = resident(server.pid)
        for start in range(0, people, OPENING_AT_ONCE):
            await asyncio.gather(*map(followers.follow, tokens[start : start + OPENING_AT_ONCE]))
        show("they come within", f"{time.perf_counter() - began:.0f} s")
        await asyncio.sleep(SETTLING_SECONDS)
        before = followers.received
        print(f"  while nothing happens: {await cpu_shares(pids, seconds)}")
        show("heartbeats that came", f"{(followers.received - before) / seconds:,.0f} a second")
        show("memory of the server, each", f"{(resident(server.pid) - memory) / people / 1000:.1f} KB")
        delays = sorted(await delays_of_commands(server.url))
        median, last = delays[len(delays) // 2], delays[int(0.99 * len(delays))]
        show("from a command to its notice, median and p99", f"{1000 * median:.1f}, {1000 * last:.1f} ms")
        followers.close()


async def cpu_shares(pids: dict[str, int], seconds: float) -> str:
    before = {name: cpu_seconds(pid) for name, pid in pids.items()}
    began = time.perf_counter()
    await asyncio.sleep(seconds)
    took = time.perf_counter() - began
    shares = {name: 100 * (cpu_seconds(pid) - before[name]) / took for name, pid in pids.items()}
    parts = ", ".join(f"{name} {share:.1f} %" for name, share in shares.items())
    return f"{parts} of a core (over {took:.0f} s)"


def resident(pid: int) -> int:
    """Bytes."""
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * resource.getpagesize()


async def registered(url: str, count: int) -> list[str]:
    """The tokens of so many new players."""
    left = iter(range(count))
    tokens: list[str] = []

    async def register() -> None:
        wire = await Wire.open(url)
        for _ in left:
            made = await wire.json("POST", "/v1/players", {"name": "follower"})
            tokens.append(str(made["token"]))
        wire.close()

    await asyncio.gather(*(register() for _ in range(OPENING_AT_ONCE)))
    return tokens


class Followers:
    """received  heartbeats so far"""

    def __init__(self, url: str) -> None:
        self.received = 0
        self._parts = urlsplit(url)
        self._sockets: list[socket.socket] = []

    async def follow(self, token: str) -> None:
        """No reader and task for each of them: this program shares the cores with the server."""
        loop = asyncio.get_running_loop()
        connection = socket.socket()
        connection.setblocking(False)
        await loop.sock_connect(connection, (self._parts.hostname, self._parts.port))
        headers = f"host: {self._parts.netloc}\r\nauthorization: Bearer {token}\r\n\r\n"
        request = f"GET /v1/players/me/feed HTTP/1.1\r\n{headers}"
        await loop.sock_sendall(connection, request.encode())
        head = b""
        while b"event: ready" not in head:
            more = await loop.sock_recv(connection, 4096)
            assert more, head
            head += more
        self._sockets.append(connection)
        loop.add_reader(connection, self._heard, connection)

    def _heard(self, connection: socket.socket) -> None:
        if not connection.recv(4096):
            raise ConnectionError("a feed has ended")
        self.received += 1

    def close(self) -> None:
        for connection in self._sockets:
            asyncio.get_running_loop().remove_reader(connection)
            connection.close()


async def delays_of_commands(url: str) -> list[float]:
    """Seconds from the sending of a proposal to its arrival at the feed of the one who is asked."""
    stranger = await Wire.open(url)
    players: list[Any] = [
        await stranger.json("POST", "/v1/players", {"name": name}) for name in ("ada", "bob")
    ]
    ada, bob, reader = [await Wire.open(url, str(players[i]["token"])) for i in (0, 1, 1)]
    feed = await reader.events("/v1/players/me/feed")
    made: Any = await ada.json(
        "POST", "/v1/matches", {**HEX, "seats": {"red": "me", "blue": players[1]["player"]["id"]}}
    )
    commands = f"/v1/matches/{made['match']['id']}/commands"
    for wire, seat in ((ada, "red"), (bob, "blue")):
        await wire.json("POST", commands, {"type": "prepare", "seat": seat})
    delays = []
    for _ in range(COMMANDS):
        await asyncio.sleep(random.uniform(0.01, 0.1))
        sent = time.perf_counter()
        await ada.json("POST", commands, {"type": "propose", "proposal": {"kind": "undo", "to": 3}})
        while b'"type":"proposal"' not in await feed.next():
            pass
        delays.append(time.perf_counter() - sent)
    return delays
