"""Self-play by tree search over information sets, written as records that a server imports and shows on its board.

    python examples/selfplay.py --game junqi --matches 2 --iterations 200     # selfplay-0.json, selfplay-1.json

Each seat searches from what it may know and from nothing else. Needs `pip install warlog-core`. With a server,
`warlog` for one, a record is sent with `warlog_client`:

    client.import_record(json.loads(Path("selfplay-0.json").read_text()))
"""

from __future__ import annotations

import argparse
import json
import random
from pathlib import Path
from typing import Any

import msgspec

import warlog_core
from warlog_core import Event, State


def choose(state: State, seat: str, rng: random.Random, iterations: int, arena: bytearray) -> Any:
    """The action of a seat, as the strongest level takes it: armies and layouts from books, the rest by search. At
    random, where nothing is found."""
    seed = rng.getrandbits(63)
    choice = warlog_core.play(
        state.seen_by(seat), seat, level=8, seed=seed, iterations=iterations, arena=arena
    )
    if choice is not None:
        return choice.action
    return rng.choice([action for action in state.legal(seat, plain=True) if not action.get("open")])


def play(game: str, options: dict[str, Any], seed: int, iterations: int, actions_max: int) -> dict[str, Any]:
    """A match, as a record: the options, the draws of the start, and each action with its draws."""
    rng, arena = random.Random(seed), bytearray(16 << 20)
    state = warlog_core.game(game).new(options=options, draws=rng.randbytes)
    assert state.started is not None
    started, events = state.started.draws, list[dict[str, Any]]()
    while state.to_act and len(events) < actions_max:
        seat = state.to_act[0]
        event: Event = state.apply(seat, choose(state, seat, rng, iterations, arena), rng.randbytes)
        action = msgspec.to_builtins(event.action)
        events.append({"seat": seat, "action": action, "draws": event.draws, "hash": state.hash})
    return {
        "warlog_record": 1,
        "game": game,
        "options": options,
        "setup": {"draws": started},
        "events": events,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description="Self-play, as records.")
    parser.add_argument("--game", default="hex", choices=warlog_core.games())
    parser.add_argument("--options", type=json.loads, default={"army": "preset"}, help="as JSON")
    parser.add_argument("--matches", type=int, default=1)
    parser.add_argument("--iterations", type=int, default=500, help="of each search")
    parser.add_argument("--actions", type=int, default=2000, help="after which a match is left as it is")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    for i in range(arguments.matches):
        record = play(
            arguments.game, arguments.options, arguments.seed + i, arguments.iterations, arguments.actions
        )
        path = Path(f"selfplay-{i}.json")
        path.write_text(json.dumps(record, indent=1), encoding="utf-8")
        print(f"{path}: {len(record['events'])} actions")


if __name__ == "__main__":
    main()
