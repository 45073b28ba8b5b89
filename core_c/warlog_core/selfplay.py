"""Random play from Python. Numbers only, no name is made: what is measured is the price of crossing the boundary."""

from __future__ import annotations

import random
import struct

from warlog_core.binding import ACTION_BYTES, OPEN_BYTES, RawGame, RawState


def play_randomly(game: RawGame, raw: RawState, rng: random.Random, actions_max: int, play_on: bool) -> int:
    """See `State.play_randomly`."""
    give_up = {struct.pack("=i", number) for number, action in enumerate(game.actions) if action.gives_up}
    unwanted = give_up if play_on else set()
    below, entropy = rng.random, rng.randbytes
    n_taken = 0
    while n_taken < actions_max:
        seats = game.to_act(raw)
        if not seats:
            break
        if seats & (seats - 1):
            seats = 1 << rng.choice([seat for seat in range(seats.bit_length()) if seats >> seat & 1])
        seat = seats.bit_length() - 1
        listing = game.legal(raw, seat)
        n = len(listing) // ACTION_BYTES
        for _ in range(
            8
        ):  # most may be chosen, so that trying again is cheaper than sifting the whole listing
            at = int(below() * n) * ACTION_BYTES
            action = listing[at : at + ACTION_BYTES]
            if action[:4] not in unwanted and OPEN_BYTES not in action:
                break
        else:
            fit = _fit(listing, unwanted)
            if not fit:
                break
            action = rng.choice(fit)
        game.take(raw, seat, action, entropy)
        n_taken += 1
    return n_taken


def _fit(listing: bytes, unwanted: set[bytes]) -> list[bytes]:
    """The actions that may be chosen: no open template, and none of the unwanted ones while there is another."""
    actions = [listing[at : at + ACTION_BYTES] for at in range(0, len(listing), ACTION_BYTES)]
    closed = [action for action in actions if OPEN_BYTES not in action]
    return [action for action in closed if action[:4] not in unwanted] or closed
