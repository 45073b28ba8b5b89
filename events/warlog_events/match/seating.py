"""Who gets which seat: when players join with wishes (`"seating": "wish"`; wec 6.6), and in a rematch; and who may have
one."""

import hashlib
from collections.abc import Callable, Mapping, Sequence, Set
from typing import Any

import warlog_core

from ..errors import AlreadyDisclosed, Competitive, NotYourSeat
from . import policy
from .bots import HOUSE
from .fold import Joined
from .match import Match
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


def invitation_hash(secret: str) -> str:
    """What is stored of an invitation."""
    return hashlib.sha256(secret.encode()).hexdigest()


def check_sides(
    match: Match | None,
    holders: Mapping[str, Player],
    options: Mapping[str, Any],
    position: Mapping[str, Any] | None,
    mode: str,
    game: warlog_core.Game | None = None,
) -> None:
    """Competitive: nobody but a house bot holds seats of two sides. Raises Competitive. `game` where there is no match
    yet."""
    holders = {seat: player for seat, player in holders.items() if player.id not in HOUSE}
    if mode != "competitive" or len({player.id for player in holders.values()}) == len(holders):
        return
    rules = game if match is None else match.game
    assert rules is not None
    if policy.competitive_hot_seat(rules) and len({player.id for player in holders.values()}) == 1:
        return
    sides = policy.sides(rules, options, position)
    side_of: dict[str, int] = {}
    for seat, player in holders.items():
        if side_of.setdefault(player.id, sides[seat]) != sides[seat]:
            version = None if match is None else match.version
            raise Competitive(
                "In a competitive match a player holds seats of one side only.", version=version
            )


def check_secret(match: Match, players: Set[str]) -> None:
    """May these players (ids) hold seats, with the beginning that the match has? Raises AlreadyDisclosed."""
    if match.mode == "competitive":
        check_unknown(match.game, match.fold.position, {match.fold.editor}, players, match.version)


def check_saved(
    match: Match, saved: Mapping[str, Player], holders: Mapping[str, Player], waiting: Set[str] = frozenset()
) -> None:
    """A saved match that a rule book keeps for its players is theirs alone, each in the seat that he had (wec 6.6).
    `waiting`: ids of those who will have some seat. Raises NotYourSeat."""
    known = {holder.id for holder in saved.values()}
    if any(saved.get(seat, holder).id != holder.id for seat, holder in holders.items()) or (
        saved and not waiting <= known
    ):
        raise NotYourSeat(
            "A saved match is only for its own players, each in his own seat.", version=match.version
        )


def check_unknown(
    game: warlog_core.Game,
    position: Mapping[str, object] | None,
    known_to: Set[str],
    players: Set[str],
    version: int | None,
) -> None:
    """Nobody may have a seat in a competitive match who knows what the Position hides from which it begins.
    `known_to`, `players`: ids of players.

    Where the book lets the players themselves propose Positions for one (wec 6.6), both know that when they agree.
    Raises AlreadyDisclosed."""
    if policy.positions_are_agreed_on(game):
        return
    if position is not None and not known_to.isdisjoint(players):
        if not policy.position_is_open(game, position):
            raise AlreadyDisclosed(
                "The player of a seat knows what this Position is to hide from the others.", version=version
            )
