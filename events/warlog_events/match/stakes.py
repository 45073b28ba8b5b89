"""What players bring to a match from their accounts, scores, gold and layouts, and what the match needs of it."""

from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from warlog_core import Game
from warlog_core.accounts import Standing

from ..errors import Refused
from . import policy
from .bots import is_bot
from .match import Match
from .model import Player


class AccountsBrought(msgspec.Struct, frozen=True):
    """What a player comes with.

    gold    what he may dispose of
    held    seat → what is set aside for it in this match
    layout  the one he had last, None for none
    met     opponents here with whom today's counted matches are used up
    lenient  here matches count with any options
    """

    score: int = 0
    gold: int = 0
    held: dict[str, int] = {}
    layout: Any = None
    met: tuple[str, ...] = ()
    lenient: bool = False


class AccountsNeeded(Exception):
    """A match is to start, and what these players bring is not known yet: `Stakes.brought` tells.

    opponents  pairs of them on different sides, by id
    beyond     the options are outside the range that counts
    """

    def __init__(
        self,
        players: Iterable[str],
        opponents: Iterable[tuple[str, str]] = (),
        *,
        beyond: bool = False,
    ) -> None:
        super().__init__()
        self.players = frozenset(players)
        self.opponents = frozenset(opponents)
        self.beyond = beyond


def filled(
    game: Game,
    options: Mapping[str, Any],
    position: object | None,
    mode: str,
    holders: Mapping[str, Player],
    brought: Mapping[str, AccountsBrought],
) -> dict[str, object]:
    """The options that the server adds at the start, none of which anybody may know before the end.

    Layouts are a default in casual matches, too; who plays against himself has none that is his.

    Raises AccountsNeeded, Refused (insufficient_gold)."""
    accounting = policy.accounting(game) if mode == "competitive" else None
    layouts = policy.layout_rules(game)
    players = {holder.id for holder in holders.values()}
    if len(players) < 2:
        layouts = None
    if accounting is None and layouts is None:
        return {}
    if not players <= brought.keys():
        if accounting is None:
            raise AccountsNeeded(players)
        opponents = _opponents(game, options, position, holders)
        beyond = bool(_beyond_counted(game, options, position))
        raise AccountsNeeded(players, opponents, beyond=beyond)
    found: dict[str, object] = {}
    if accounting is not None:
        needed = accounting.hold(options)

        def standing(seat: str) -> Standing:
            player = holders[seat].id
            of = brought[player]
            gold = of.gold + of.held.get(seat, of.held.get("", 0))
            if gold < needed:
                raise insufficient(player, needed, gold)
            return Standing(of.score, gold)

        found |= accounting.options(options, standing)
    if layouts is not None:
        last = {seat: brought[holder.id].layout for seat, holder in holders.items()}
        known = {seat: layout for seat, layout in last.items() if layout is not None}
        found |= layouts.options(options, position, known)
    return found


def why_uncounted(
    game: Game,
    options: Mapping[str, Any],
    position: object | None,
    mode: str,
    holders: Mapping[str, Player],
    brought: Mapping[str, AccountsBrought],
) -> list[str]:
    """Why a match that starts like this will move no points and no gold: options beyond the range that the game names
    as counted, by name; `position`; `same_players`; `bots`, where some player is a program. Empty: it will, or it is of
    a kind that never does.

    To be asked after `filled`, which sees to it that `brought` is known."""
    if mode != "competitive" or policy.accounting(game) is None:
        return []
    here = [brought[holder.id] for holder in holders.values()]
    beyond = [] if any(one.lenient for one in here) else _beyond_counted(game, options, position)
    if any(one.met for one in here):
        beyond = [*beyond, "same_players"]
    return [*beyond, "bots"] if any(is_bot(holder.id) for holder in holders.values()) else beyond


def _beyond_counted(game: Game, options: Mapping[str, Any], position: object | None) -> list[str]:
    beyond = policy.beyond_counted(game, options)
    return beyond if position is None else [*beyond, "position"]


def _opponents(
    game: Game, options: Mapping[str, Any], position: object | None, holders: Mapping[str, Player]
) -> set[tuple[str, str]]:
    sides = policy.sides(game, options, position)
    return {
        (one.id, other.id)
        for seat, one in holders.items()
        for against, other in holders.items()
        if one.id < other.id and sides[seat] != sides[against]
    }


def wanted_holds(match: Match) -> dict[tuple[str, str], int]:
    """(seat, player) → gold that must be set aside before the match may be as it is. In a match whose seats are given
    by wish the seat is "": who has joined holds as much as who sits."""
    fold = match.fold
    if fold.mode != "competitive" or fold.status not in ("lobby", "playing"):
        return {}
    amount = policy.stake(match.game, fold.options, fold.mode)
    if not amount:
        return {}
    if fold.seating == "wish":
        players = {entry.player.id for entry in fold.joined} | {one.id for one in fold.holders.values()}
        return {("", player): amount for player in sorted(players)}
    return {(seat, holder.id): amount for seat, holder in fold.holders.items()}


def insufficient(player: str, needed: int, there: int) -> Refused:
    """`extra` says who."""
    detail = f"A seat needs {needed} gold, and the player has {there}."
    return Refused("insufficient_gold", detail, extra={"player": player, "have": there, "needed": needed})
