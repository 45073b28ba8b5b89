"""What a listing of many actions with their traces costs the server: the route, and its parts beside it.

The position is found by random play: the one in which a seat has nearest to `ACTIONS` actions.
"""

from __future__ import annotations

import random
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import msgspec

import warlog_core
from tests.load.bench import UNLIMITED, cpu_seconds
from tests.load.wire import Wire
from tests.servers import WarlogServer

GAME = "universal"
ACTIONS = 559
PLIES = 60
SEEDS = 400
CALLS = 300
ROUNDS = 5


async def figures(show: Callable[[str, str], None]) -> None:
    state, seat = crowded()
    listed = state.legal(seat)
    print(f"traces ({GAME}, {len(listed)} actions), ms at least")
    show("the listing, from Python", least(lambda: state.legal(seat)))
    show("its traces", least(lambda: state.traces(seat)))
    encode = msgspec.json.Encoder().encode
    traces = state.traces(seat)
    show("their JSON", least(lambda: (encode(listed), encode(traces))))
    with (
        tempfile.TemporaryDirectory(prefix="warlog-traces-") as data,
        WarlogServer(Path(data), environment=UNLIMITED) as server,
    ):
        match, wire = await seated(server.url, state)
        path = f"/v1/matches/{match}/actions?seat={seat}"
        for title, query in (("GET actions", ""), ("GET actions with traces", "&trace=true")):
            took = []
            for _ in range(ROUNDS):
                before = cpu_seconds(server.pid)
                for _ in range(CALLS):
                    await wire.request("GET", path + query)
                took.append(1000 * (cpu_seconds(server.pid) - before) / CALLS)
            show(f"{title}, processor of the server", f"{min(took):.2f} to {max(took):.2f} ms")
        wire.close()


def crowded() -> tuple[warlog_core.State, str]:
    """A position and its seat."""
    game = warlog_core.game(GAME)
    nearest: tuple[int, warlog_core.State, str] | None = None
    for seed in range(SEEDS):
        state, rng = game.new(draws=bytes), random.Random(seed)
        for _ in range(PLIES):
            state.play_randomly(rng, 1)
            if state.result is not None:
                break
            for seat in state.to_act:
                away = abs(len(state.listing(seat)) - ACTIONS)
                if nearest is None or away < nearest[0]:
                    nearest = away, state.copy(), seat
        if nearest is not None and nearest[0] == 0:
            break
    assert nearest is not None
    return nearest[1:]


async def seated(url: str, state: warlog_core.State) -> tuple[str, Wire]:
    """A match that begins from this position, one player in every seat."""
    stranger = await Wire.open(url)
    account = await stranger.json("POST", "/v1/players", {"name": "bench"})
    stranger.close()
    wire = await Wire.open(url, str(account["token"]))
    begin = {
        "game": GAME,
        "mode": "casual",
        "seats": dict.fromkeys(state.seats, "me"),
        "position": state.position(plain=True),
    }
    made = await wire.json("POST", "/v1/matches", begin)
    return str(made["match"]["id"]), wire  # type: ignore[index]


def least(work: Callable[[], object], times: int = 200) -> str:
    took = []
    for _ in range(times):
        began = time.thread_time_ns()
        work()
        took.append(time.thread_time_ns() - began)
    return f"{min(took) / 1e6:.2f} ms"
