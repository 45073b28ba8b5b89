"""What players bring to a match and set aside for it: scores, gold and layouts, from their accounts.

Gold is held before the event that needs it is appended (a seat taken, a higher stake, a rematch), so a seat without
its stake cannot come to be. The other way round is repaired: a hold whose event was never appended, or whose player has
left, is given back by `reconcile`, which the bookkeeper calls for every match that moves (bookkeeper.py).
"""

from collections.abc import Iterable

import msgspec

from warlog_core import Game

from ..errors import Refused, WarlogError
from ..match import policy
from ..match.match import Match
from ..match.model import SPECTATOR
from ..match.stakes import AccountsBrought, AccountsNeeded, wanted_holds
from .layouts import Library
from .ledger import Hold, Ledger


class StakeSettings(msgspec.Struct, frozen=True):
    """stake_matches_min        matches of a game that a player has finished, without fleeing, before he may sit down
                             where gold is at stake
    counted_matches_per_day  of the same two opponents; 0: any number
    counted_any_options      matches count also with options beyond the range that the game names
    """

    stake_matches_min: int = 0
    counted_matches_per_day: int = 0
    counted_any_options: bool = False


class Stakes:
    def __init__(self, ledger: Ledger, library: Library, settings: StakeSettings | None = None) -> None:
        self.ledger = ledger
        self.library = library
        self.settings = settings or StakeSettings()

    async def brought(self, match_id: str, game: Game, wanted: AccountsNeeded) -> dict[str, AccountsBrought]:
        """A few round trips; asked for when a match starts. From then on it is one of those that count for those who
        meet in it today."""
        ids, settings = sorted(wanted.players), self.settings
        holdings, (holds,) = await self.ledger.holdings(ids), await self.ledger.holds([match_id])
        last = {}
        if policy.layout_rules(game) is not None:
            last = await self.library.last(ids, game.name)
        met: set[tuple[str, str]] = set()
        if settings.counted_matches_per_day and (settings.counted_any_options or not wanted.beyond):
            met = await self.ledger.meet(match_id, wanted.opponents, settings.counted_matches_per_day)
        found = {}
        for player in ids:
            record = holdings[player].records.get(game.name)
            score = 0 if record is None or record.score is None else record.score
            held = {hold.seat: hold.amount for hold in holds if hold.player == player}
            found[player] = AccountsBrought(
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
            accounting = policy.accounting(match.game)
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
