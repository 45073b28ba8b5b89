"""What a Redis Cluster costs: the same matches over a cluster of three primaries and three replicas and over one Redis.

Two servers, one over each, take turns second by second. Both Redis are reached by TCP on this machine, append-only
files on. `python -m tests.load.bench --only cluster`
"""

from __future__ import annotations

import tempfile
from pathlib import Path

from tests.cluster import RedisCluster, free_ports
from tests.load.bench import UNLIMITED, Battle, Tally, cpu_seconds, drive, show
from tests.servers import RedisServer, WarlogServer


async def figures_of_a_cluster(name: str, levels: list[int], seconds: float) -> None:
    print(f"cluster, {name}: a command and its delivery to both feeds")
    port = str(free_ports(1)[0])
    with (
        tempfile.TemporaryDirectory() as folder,
        RedisServer(fsync="no", config={"port": port}) as single,
        RedisCluster() as cluster,
        WarlogServer(
            Path(folder) / "1", redis=f"redis://127.0.0.1:{port}", environment=UNLIMITED
        ) as over_one,
        WarlogServer(Path(folder) / "6", redis=cluster.url, environment=UNLIMITED) as over_six,
    ):
        redis = {over_one.pid: [single.pid], over_six.pid: [node.pid for node in cluster.nodes]}
        for level in levels:
            tallies: list[Tally] = []
            tables: list[list[Battle]] = []
            for server in (over_one, over_six):
                tallies.append(Tally())
                tables.append([Battle(server.url, name, seed) for seed in range(level)])
                for battle in tables[-1]:
                    await battle.open()
            for _ in range(max(1, round(seconds))):
                for server, battles, tally in zip((over_one, over_six), tables, tallies, strict=True):
                    before = sum(map(cpu_seconds, redis[server.pid]))
                    await drive(server.pid, battles, 1.0, tally)
                    tally.redis_cpu += sum(map(cpu_seconds, redis[server.pid])) - before
            one, six = tallies
            print(one.line(f"  {level:>3} matches, one Redis"))
            print(six.line(f"  {level:>3} matches, cluster"))
            share = (len(six.latencies) / six.server_cpu) / (len(one.latencies) / one.server_cpu)
            show(f"share of one Redis per server-CPU-second at {level}", f"{100 * share:.0f} %")
