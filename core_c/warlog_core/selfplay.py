"""Random play from Python. Numbers only, no name is made: what is measured is the price of crossing the boundary."""

from __future__ import annotations

import random
import struct

from warlog_core.binding import ACTION_BYTES, OPEN_BYTES, Loop, RawGame, RawState

TRIES = 8  # most actions may be chosen, so that trying again is cheaper than sifting the whole listing


def play_randomly(game: RawGame, raw: RawState, rng: random.Random, actions_max: int, play_on: bool) -> int:
    """See `State.play_randomly`."""
    give_up = {struct.pack("=i", number) for number, action in enumerate(game.actions) if action.gives_up}
    unwanted = tuple(give_up) if play_on else ()
    loop = Loop(game, raw, rng.randbytes)
    random_share, take = rng.random, loop.take
    n_taken = 0
    n = loop.begin() if actions_max > 0 else 0
    while n:
        listing = loop.listing
        for _ in range(TRIES):
            index = int(random_share() * n)
            action = listing[index * ACTION_BYTES : (index + 1) * ACTION_BYTES]
            if not action.startswith(unwanted) and OPEN_BYTES not in action:
                break
        else:
            fit = _fit(listing[: n * ACTION_BYTES], unwanted)
            if not fit:
                break
            index = rng.choice(fit)
        n_taken += 1
        if n_taken == actions_max:
            take(index)
            break
        n = take(index)
    return n_taken


def _fit(listing: bytes, unwanted: tuple[bytes, ...]) -> list[int]:
    """The places of what may be chosen: no open template, and none of the unwanted while there is another."""
    actions = [listing[at : at + ACTION_BYTES] for at in range(0, len(listing), ACTION_BYTES)]
    closed = [index for index, action in enumerate(actions) if OPEN_BYTES not in action]
    return [index for index in closed if not actions[index].startswith(unwanted)] or closed
