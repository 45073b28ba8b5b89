"""What players bring to a match and set aside for it: scores, gold and layouts, from their accounts.

Gold is held before the event that needs it is appended (a seat taken, a higher stake, a rematch), so a seat without
its stake cannot come to be. The other way round is repaired: a hold whose event was never appended, or whose player has
left, is given back by `reconcile`, which the bookkeeper calls for every match that moves (bookkeeper.py).
"""

from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from warlog_core import Game
from warlog_core.accounts import Standing

from . import customs
from .errors import Refused, WarlogError
from .head import Match
from .ledger import Hold, Ledger, insufficient
from .library import Library
from .model import SPECTATOR, Player


class Brought(msgspec.Struct, frozen=True):
    """What a player comes with.

    gold    what he may dispose of
    held    seat → what is set aside for it in this match
    layout  the one he had last, None for none
    met     opponents here with whom he has had as many matches today as count
    lenient  here matches count with any options
    """

    score: int = 0
    gold: int = 0
    held: dict[str, int] = {}
    layout: Any = None
    met: tuple[str, ...] = ()
    lenient: bool = False


class StakeSettings(msgspec.Struct, frozen=True):
    """stake_matches_min        matches of a game that a player has finished, without fleeing, before he may sit down
                             where gold is at stake
    counted_matches_per_day  of the same two opponents; 0: any number
    counted_any_options      matches count also with options beyond the range that the game names
    """

    stake_matches_min: int = 0
    counted_matches_per_day: int = 0
    counted_any_options: bool = False


class BroughtWanted(Exception):
    """A match is to start, and what these players bring is not known yet: `Stakes.brought` tells.

    opponents  each two of them, by id, who would move points, if the options let them
    beyond     the options do not
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
    brought: Mapping[str, Brought],
) -> dict[str, object]:
    """The options that the server adds at the start, none of which anybody may know before the end.

    Layouts are a default in casual matches, too; who plays against himself has none that is his.

    Raises BroughtWanted, Refused (insufficient_gold)."""
    accounting = customs.accounting(game) if mode == "competitive" else None
    layouts = customs.layout_rules(game)
    players = {holder.id for holder in holders.values()}
    if len(players) < 2:
        layouts = None
    if accounting is None and layouts is None:
        return {}
    if not players <= brought.keys():
        if accounting is None:
            raise BroughtWanted(players)
        opponents = _opponents(game, options, position, holders)
        beyond = bool(_beyond_counted(game, options, position))
        raise BroughtWanted(players, opponents, beyond=beyond)
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
    brought: Mapping[str, Brought],
) -> list[str]:
    """Why a match that starts like this will move no points and no gold: options beyond the range that the game names
    as counted, by name; `position`; `same_players`. Empty: it will, or it is of a kind that never does.

    To be asked after `filled`, which sees to it that `brought` is known."""
    if mode != "competitive" or customs.accounting(game) is None:
        return []
    here = [brought[holder.id] for holder in holders.values()]
    beyond = [] if any(one.lenient for one in here) else _beyond_counted(game, options, position)
    return [*beyond, "same_players"] if any(one.met for one in here) else beyond


def _beyond_counted(game: Game, options: Mapping[str, Any], position: object | None) -> list[str]:
    beyond = customs.beyond_counted(game, options)
    return beyond if position is None else [*beyond, "position"]


def _opponents(
    game: Game, options: Mapping[str, Any], position: object | None, holders: Mapping[str, Player]
) -> set[tuple[str, str]]:
    sides = customs.sides(game, options, position)
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
    amount = customs.stake(match.game, fold.options, fold.mode)
    if not amount:
        return {}
    if fold.seating == "wish":
        players = {entry.player.id for entry in fold.joined} | {one.id for one in fold.holders.values()}
        return {("", player): amount for player in sorted(players)}
    return {(seat, holder.id): amount for seat, holder in fold.holders.items()}


class Stakes:
    def __init__(self, ledger: Ledger, library: Library, settings: StakeSettings | None = None) -> None:
        self.ledger = ledger
        self.library = library
        self.settings = settings or StakeSettings()

    async def brought(self, match: str, game: Game, wanted: BroughtWanted) -> dict[str, Brought]:
        """A few round trips; asked for when a match starts. From then on it is one of those that count for those who
        meet in it today."""
        ids, settings = sorted(wanted.players), self.settings
        holdings, (holds,) = await self.ledger.holdings(ids), await self.ledger.holds([match])
        last = {}
        if customs.layout_rules(game) is not None:
            last = await self.library.last(ids, game.name)
        met: set[tuple[str, str]] = set()
        if settings.counted_matches_per_day and (settings.counted_any_options or not wanted.beyond):
            met = await self.ledger.meet(match, wanted.opponents, settings.counted_matches_per_day)
        found = {}
        for player in ids:
            record = holdings[player].records.get(game.name)
            score = 0 if record is None or record.score is None else record.score
            held = {hold.seat: hold.amount for hold in holds if hold.player == player}
            found[player] = Brought(
                score,
                holdings[player].gold,
                held,
                last.get(player),
                tuple(sorted(other for pair in met if player in pair for other in pair if other != player)),
                settings.counted_any_options,
            )
        return found

    async def secure(self, before: Match | None, after: Match) -> None:
        """Sets aside what `after` needs and `before` did not. To be called before `after` is made to be.

        Raises Refused (insufficient_gold, too_few_matches), and then nothing has changed."""
        wanted = wanted_holds(after)
        if not wanted:
            return
        sat = {} if before is None else wanted_holds(before)
        await self._check_finished(after.game, {player for seat, player in wanted.keys() - sat.keys()})
        starts = before is not None and before.status != after.status  # then all of it is looked at once more
        known = {} if before is None or starts else wanted_holds(before)
        version = 0 if before is None else before.version
        done: list[tuple[Hold, int]] = []
        try:
            for (seat, player), amount in wanted.items():
                if known.get((seat, player)) != amount:
                    hold = Hold(seat, player, amount, version)
                    done.append((hold, amount - await self.ledger.hold(after.id, hold)))
        except WarlogError:
            for hold, was in done:
                await self.ledger.shrink(after.id, hold, min(was, hold.amount), version)
            raise

    async def _check_finished(self, game: Game, players: Iterable[str]) -> None:
        """Gold that an account is opened with is nothing to play for until its player has played.

        Raises Refused (too_few_matches)."""
        needed, ids = self.settings.stake_matches_min, sorted(players)
        if not needed or not ids:
            return
        holdings = await self.ledger.holdings(ids)
        for player in ids:
            record = holdings[player].records.get(game.name)
            finished = 0 if record is None else record.won + record.drawn + record.lost - record.fled
            if finished < needed:
                detail = (
                    f"To play for gold a player must have finished {needed} competitive matches of this game that "
                    f"count, without fleeing. There are {finished} so far."
                )
                extra = {"player": player, "have": finished, "needed": needed}
                raise Refused("too_few_matches", detail, extra=extra)

    async def reconcile(self, match: Match, holds: Iterable[Hold], *, orphans: bool = False) -> None:
        """Gives back what is held and no longer needed. `match`: as it is now.

        What rests on the match's newest version may belong to an event that is about to be appended, and is left alone
        unless it is long enough ago for that (`orphans`)."""
        wanted = wanted_holds(match)
        most = None
        if match.status == "playing" and wanted:
            accounting = customs.accounting(match.game)
            assert accounting is not None
            assert match.state is not None
            most = accounting.frozen(match.state.view(SPECTATOR, plain=True))
        for hold in holds:
            if hold.version >= match.version and not orphans:
                continue
            amount = min(wanted.get((hold.seat, hold.player), 0), hold.amount)
            if most is not None:
                amount = min(amount, most)
            if amount < hold.amount:
                await self.ledger.shrink(match.id, hold, amount, match.version)
