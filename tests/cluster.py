"""A real Redis Cluster for tests: three primaries, each with a replica, all processes of their own.

Made with CLUSTER commands alone, so that the `redis-server` binary is all it needs. Nodes are known by their place: 0
to 2 begin as primaries and 3 to 5 as their replicas, but fail-overs change that: ask `primary_of`.
"""

from __future__ import annotations

import math
import os
import random
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

from redis import Redis
from redis.crc import key_slot
from redis.exceptions import RedisError

from tests.servers import START_SECONDS_MAX, Closes, redis_executable

SLOTS = 16384
# The bus listens 10,000 above; both stay below the ports that the system gives to outgoing connections.
PORTS = range(15_000, 22_000)


def wait_until(condition: Callable[[], object], seconds: float = START_SECONDS_MAX) -> None:
    deadline = time.monotonic() + seconds
    while True:
        with suppress(RedisError, OSError):
            if condition():
                return
        if time.monotonic() > deadline:
            raise TimeoutError("the cluster did not get there")
        time.sleep(0.02)


class Node:
    """One redis-server of the cluster. A paused one is as good as cut off, and knows nothing of it afterwards."""

    def __init__(self, folder: Path, port: int, config: Mapping[str, str]) -> None:
        self.folder = folder
        self.port = port
        self._config = config
        self._process: subprocess.Popen[bytes] | None = None
        self.redis: Any = Redis(port=port, socket_timeout=5)
        folder.mkdir()

    @property
    def pid(self) -> int:
        assert self._process is not None
        return self._process.pid

    @property
    def id(self) -> str:
        return str(self.redis.execute_command("CLUSTER MYID").decode())

    @property
    def epoch(self) -> int:
        """The latest that it has heard of."""
        return int(self.redis.execute_command("CLUSTER INFO")["cluster_current_epoch"])

    @property
    def running(self) -> bool:
        return self._process is not None

    def start(self) -> None:
        assert self._process is None
        options = {
            "port": str(self.port),
            "bind": "127.0.0.1",
            "dir": str(self.folder),
            "cluster-enabled": "yes",
            "appendonly": "yes",
            "save": "",
            **self._config,
        }
        words = [word for name, value in options.items() for word in (f"--{name}", value)]
        self._process = subprocess.Popen(
            [redis_executable(), *words, "--logfile", str(self.folder / "redis.log")]
        )
        wait_until(self.redis.ping)

    def kill(self) -> None:
        """kill -9."""
        if self._process is not None:
            self._process.kill()
            self._process.wait(20)
            self._process = None
            self.redis.close()

    def pause(self) -> None:
        os.kill(self.pid, signal.SIGSTOP)

    def resume(self) -> None:
        os.kill(self.pid, signal.SIGCONT)

    def is_primary(self) -> bool:
        return bool(self.redis.execute_command("ROLE")[0] == b"master")


class RedisCluster(Closes):
    """`url` leads to it. `config` is added to every node's.

    node_timeout_ms   a node that is silent for so long has failed; short for who wants to see a fail-over, but a busy
                      machine then gives fail-overs that nobody wants"""

    def __init__(self, *, node_timeout_ms: int = 10_000, config: Mapping[str, str] = {}) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="warlog-cluster-")
        settings = {
            "cluster-node-timeout": str(node_timeout_ms),
            "cluster-require-full-coverage": "no",
            "cluster-replica-validity-factor": "0",
            "appendfsync": "no",
            "repl-diskless-sync": "yes",
            "repl-diskless-sync-delay": "0",
            **config,
        }
        self.nodes = [Node(Path(self._folder.name) / str(port), port, settings) for port in free_ports(6)]
        try:
            self._form()
        except BaseException:
            self.close()
            raise

    @property
    def url(self) -> str:
        return "redis+cluster://" + ",".join(f"127.0.0.1:{node.port}" for node in self.nodes[:3])

    def _form(self) -> None:
        for node in self.nodes:
            node.start()
        primaries, replicas = self.nodes[:3], self.nodes[3:]
        bounds = [SLOTS * i // 3 for i in range(4)]
        for i, node in enumerate(primaries):
            node.redis.execute_command("CLUSTER SET-CONFIG-EPOCH", i + 1)
            node.redis.execute_command("CLUSTER ADDSLOTS", *range(bounds[i], bounds[i + 1]))
        # Everybody meets everybody: gossip would get there too, a few seconds later.
        for one in self.nodes:
            for other in self.nodes:
                if one is not other:
                    one.redis.execute_command("CLUSTER MEET", "127.0.0.1", other.port)
        ids = [node.id for node in primaries]
        for node, of in zip(replicas, ids, strict=True):
            wait_until(partial(node.redis.execute_command, "CLUSTER REPLICATE", of))
        self.wait()

    def wait(self) -> None:
        """Until all running nodes agree that all is well, and every running replica follows its primary."""
        running = [node for node in self.nodes if node.running]
        wait_until(lambda: all(map(_is_well, running)))
        wait_until(lambda: all(view(node) == view(running[0]) for node in running))
        wait_until(lambda: len({node.epoch for node in running}) == 1)

    def primary_of(self, key: str) -> Node:
        """Who has the key's slot."""
        return self.owner_of(key_slot(key.encode()))

    def owner_of(self, slot: int) -> Node:
        """Of all who say that they have it the one of the latest epoch."""
        return max(
            (node for node in self.nodes if node.running and view(node).get(slot) == node.port),
            key=lambda node: int(node.redis.execute_command("CLUSTER INFO")["cluster_my_epoch"]),
        )

    def replica_of(self, primary: Node) -> Node:
        for node in self.nodes:
            if node is not primary and node.running:
                role = node.redis.execute_command("ROLE")
                if role[0] == b"slave" and role[2] == primary.port:
                    return node
        raise LookupError(f"nobody follows {primary.port}")

    def move(self, slot: int, to: Node, *, keys: float = math.inf, finish: bool = True) -> None:
        """Moves a slot with what is in it, as `redis-cli --cluster reshard` does; at most so many keys, and left
        half-moved unless `finish`. Called again, it goes on. Before a slot is moved to another server than the last
        one, `wait`: two servers that number their epochs without knowing of each other both lose."""
        source = self.owner_of(slot)
        if source is to:
            return
        to.redis.execute_command("CLUSTER SETSLOT", slot, "IMPORTING", source.id)
        source.redis.execute_command("CLUSTER SETSLOT", slot, "MIGRATING", to.id)
        while keys > 0:
            found = source.redis.execute_command("CLUSTER GETKEYSINSLOT", slot, int(min(keys, 50)))
            if not found:
                break
            source.redis.execute_command("MIGRATE", "127.0.0.1", to.port, "", 0, 5000, "KEYS", *found)
            keys -= len(found)
        if finish:
            for node in (to, source, *self.nodes):
                if node.running and node.is_primary():
                    node.redis.execute_command("CLUSTER SETSLOT", slot, "NODE", to.id)

    def isolate(self, primary: Node) -> Node:
        """The primary forgets all others, and so hears none of them, and its replica takes over without asking. Both
        take writes now; who talks to the other nodes learns of the new one. Gives the replica."""
        replica = self.replica_of(primary)
        for node in self.nodes:
            if node is not primary:
                primary.redis.execute_command("CLUSTER FORGET", node.id)
        replica.redis.execute_command("CLUSTER FAILOVER TAKEOVER")
        return replica

    def flush(self) -> None:
        """Nothing is left in it."""
        for node in self.nodes:
            if node.is_primary():
                node.redis.flushall()

    def close(self) -> None:
        for node in self.nodes:
            node.kill()
        self._folder.cleanup()


def view(node: Node) -> dict[int, int]:
    """Slot → port of its primary, as this node sees it."""
    ranges = node.redis.execute_command("CLUSTER SLOTS")
    return {slot: primary[1] for first, last, primary, *_ in ranges for slot in range(first, last + 1)}


def _is_well(node: Node) -> bool:
    info = node.redis.execute_command("CLUSTER INFO")
    if info["cluster_state"] != "ok" or info["cluster_slots_ok"] != str(SLOTS):
        return False
    role = node.redis.execute_command("ROLE")
    return bool(role[0] == b"master" or role[3] == b"connected")


def free_ports(count: int) -> list[int]:
    found: list[int] = []
    for port in random.SystemRandom().sample(PORTS, len(PORTS)):  # other processes choose others
        if _is_free(port) and _is_free(port + 10_000):
            found.append(port)
        if len(found) == count:
            break
    return found


def _is_free(port: int) -> bool:
    with socket.socket() as probe:
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
    return True
