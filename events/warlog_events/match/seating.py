"""Who gets which seat: when players joined with wishes (`"seating": "wish"`; wec 6.6), and in a rematch."""

from collections.abc import Callable, Mapping, Sequence

from .fold import Joined
from .model import Player


def draw_from(entropy: Callable[[int], bytes]) -> Callable[[int], int]:
    """`draw(n)` of the rule books over a block of entropy: little-endian words, rejected where they would favour
    a value."""
    used = 0

    def draw(n: int) -> int:
        nonlocal used
        limit = 2**32 // n * n
        while True:
            used += 4
            word = int.from_bytes(entropy(used)[-4:], "little")
            if word < limit:
                return word % n

    return draw


def recorded(draws: Sequence[int]) -> Callable[[int], int]:
    """`draw(n)` that gives what was drawn before. Raises ValueError for what cannot have been."""
    left = iter(draws)

    def draw(n: int) -> int:
        value = next(left, None)
        if value is None or not 0 <= value < n:
            raise ValueError(f"{value} is no draw({n})")
        return value

    return draw


def assign(
    free: Sequence[str], waiting: Sequence[Joined], draw: Callable[[int], int]
) -> tuple[Mapping[str, Player], list[int]]:
    """Gives each of the free seats (in seat order) to one of as many players (in order of joining); and the draws.

    A seat that one player wished is his; one that several wished goes to one of them by `draw`; the others get
    the remaining seats in order of joining."""
    draws: list[int] = []
    given: dict[str, Player] = {}
    for seat in free:
        wishers = [entry.player for entry in waiting if entry.wish == seat]
        if len(wishers) > 1:
            draws.append(draw(len(wishers)))
            given[seat] = wishers[draws[-1]]
        elif wishers:
            given[seat] = wishers[0]
    served = {player.id for player in given.values()}
    others = (entry.player for entry in waiting if entry.player.id not in served)
    for seat in free:
        if seat not in given:
            given[seat] = next(others)
    return {seat: given[seat] for seat in free}, draws


def rotated(
    seats: Sequence[str], holders: Mapping[str, Player], sides: Mapping[str, int]
) -> dict[str, Player]:
    """Everybody some seats further on, as few as keep partners together: the next seat, unless a seat's side
    (seat → side) would then be torn apart. Where none does, as with sides of different sizes, the next seat."""
    count = len(seats)
    turned = [
        {seats[(index + by) % count]: holders[seat] for index, seat in enumerate(seats)}
        for by in range(1, count)
    ]
    changed = [given for given in turned if given != holders]
    together = _partnerships(holders, sides)
    kept = [given for given in changed if _partnerships(given, sides) == together]
    given = next(iter(kept or changed), holders)
    return {seat: given[seat] for seat in seats}


def _partnerships(holders: Mapping[str, Player], sides: Mapping[str, int]) -> set[tuple[str, ...]]:
    """Who play together (ids), side by side."""
    together: dict[int, list[str]] = {}
    for seat, player in holders.items():
        together.setdefault(sides[seat], []).append(player.id)
    return {tuple(sorted(ids)) for ids in together.values()}
