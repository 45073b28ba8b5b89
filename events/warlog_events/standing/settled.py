"""How a finished match counts: what it is rated in, who played against whom, and what is written of it into the log of
settlements. Values and functions only."""

from collections.abc import Mapping, Sequence
from functools import cached_property, lru_cache
from itertools import combinations

import msgspec

import warlog_core

from ..match import policy
from ..match.bots import HOUSE, is_bot
from ..match.match import Match
from ..match.model import SERVER
from ..match.notices import LEAPS as BACK
from ..match.stored import StoredEvent
from ..match.upcast import body_of
from .counting import Counted, Seated, Tallied, is_fair, may_count
from .ratings import ALGORITHM, Rating, rate

_encode = msgspec.json.Encoder(order="sorted").encode


class Played(msgspec.Struct, frozen=True):
    """What the events of a finished match say of it as a whole.

    ended      when, ms
    actions    by players
    went_back  somebody took something back, or changed board or options, after the start
    """

    ended: int = 0
    actions: int = 0
    went_back: bool = False


def played(events: Sequence[StoredEvent], started: int) -> Played:
    """`started`: the version of `match_started`."""
    actions, went_back = 0, False
    for event in events:
        if event.type == "action_taken":
            actions += event.seat != SERVER
        else:
            went_back |= event.type in BACK or (event.type == "options_changed" and event.version > started)
    return Played(_ended(events), actions, went_back)


def _ended(events: Sequence[StoredEvent]) -> int:
    for event in reversed(events):
        if b'"ending"' in event.body and getattr(body_of(event), "ending", None) is not None:
            return event.at
    return 0


class Facts(msgspec.Struct, frozen=True, kw_only=True, dict=True):
    """Of a finished match, what the standing of its players depends on.

    pool     of its options, "" for none
    unrated  why it moves no ratings, whoever played it; "" if it may move some
    sides    the players of each side, by id
    ranks    of each side; 0 for the best, the same for equal ones
    holders  each seat with its player
    public   everybody may know of the match
    counted  for statistics and achievements; None: it does not count
    """

    match: str
    version: int
    game: str
    at: int
    pool: str
    unrated: str
    sides: Sequence[tuple[str, ...]]
    ranks: Sequence[int]
    holders: Sequence[tuple[str, str]]
    public: bool
    counted: Counted | None = None

    @cached_property
    def players(self) -> list[str]:
        return sorted({player for side in self.sides for player in side})

    @cached_property
    def people(self) -> list[str]:
        """Without the bots of the house."""
        return [player for player in self.players if player not in HOUSE]

    @cached_property
    def meetings(self) -> list[tuple[str, str]]:
        """Each two opponents, the smaller id first."""
        return sorted(
            {
                (min(one, other), max(one, other))
                for side, against in combinations(self.sides, 2)
                for one in side
                for other in against
            }
        )


def facts_of(match: Match, of: Played) -> Facts:
    """Without `counted`."""
    fold = match.fold
    assert fold.result is not None
    pool, numbers = _pool_and_sides(match)
    seats: dict[int, list[str]] = {}
    for seat in match.seats:
        seats.setdefault(numbers[seat], []).append(seat)
    winners = set(fold.result.winners)
    sides = [tuple(sorted({fold.holders[seat].id for seat in side})) for side in seats.values()]
    return Facts(
        match=match.id,
        version=match.version,
        game=match.game_name,
        at=of.ended,
        pool=pool,
        unrated=_unrated(match, of, sides, pool),
        sides=sides,
        ranks=[0 if not winners or winners.intersection(side) else 1 for side in seats.values()],
        holders=[(seat, fold.holders[seat].id) for seat in match.seats],
        public=match.visibility == "public",
    )


def _pool_and_sides(match: Match) -> tuple[str, Mapping[str, int]]:
    """The pool of the match's options, and seat → side. To find this out a match may have to be begun, so it is
    kept."""
    fold = match.fold
    if fold.position is not None:
        pool = policy.pool_of(match.game, fold.options)
        return pool, policy.sides(match.game, fold.options, fold.position)
    return _pool_and_sides_by(match.game_name, match.game.rules_version, _encode(fold.options))


@lru_cache(maxsize=500)
def _pool_and_sides_by(game: str, rules_version: int, options: bytes) -> tuple[str, Mapping[str, int]]:
    rules, plain = warlog_core.game(game, rules_version), msgspec.json.decode(options)
    return policy.pool_of(rules, plain), policy.sides(rules, plain, None)


def counts(match: Match, of: Played, facts: Facts) -> bool:
    """For statistics and achievements, unless the same players have met too often. A bot of the house may have several
    seats."""
    if facts.unrated not in ("", "casual", "options", "alone") or not may_count(match.mode, facts.players):
        return False
    people = [[player for player in side if player not in HOUSE] for side in facts.sides]
    return not _flaw(match, of, people)


def counted_of(match: Match, of: Played, facts: Facts, tallied: Tallied) -> Counted:
    fold = match.fold
    assert fold.result is not None
    winners = fold.result.winners
    return Counted(
        seats=[Seated(seat, fold.holders[seat].id, _outcome(seat, winners)) for seat in match.seats],
        actions=of.actions,
        ms=max(0, of.ended - fold.started_at),
        fair=is_fair(match, facts.pool),
        reason=fold.result.reason,
        tallied=tallied,
    )


def _outcome(seat: str, winners: Sequence[str]) -> str:
    return "drawn" if not winners else "won" if seat in winners else "lost"


def _unrated(match: Match, of: Played, sides: Sequence[Sequence[str]], pool: str) -> str:
    if match.fold.mode != "competitive":
        return "casual"
    if flaw := _flaw(match, of, sides):
        return flaw
    if set(match.fold.uncounted) - {"bots"}:
        return "uncounted"
    return "" if pool else "options"


def _flaw(match: Match, of: Played, sides: Sequence[Sequence[str]]) -> str:
    """Why it is no whole match of different players."""
    fold = match.fold
    players = [player for side in sides for player in side]
    if len(sides) < 2 or len(players) > len(set(players)):
        return "alone"
    if of.went_back or fold.position is not None or fold.imported is not None or fold.imported_until:
        return "went_back"
    return "short" if of.actions < policy.rated(match.game).actions_min else ""


class Change(msgspec.Struct, frozen=True, array_like=True):
    """before, after: μ and σ in ten-thousandths; before with the uncertainty of the time without a match."""

    player: str
    before: tuple[int, int]
    after: tuple[int, int]


class Settled(msgspec.Struct, frozen=True, omit_defaults=True):
    """What the log has of a match.

    at         when it ended, ms
    pool       in which it is rated; "" if it is not
    algorithm  that made the changes; "" where there are none
    unrated  why not. `damaged` (its record does not verify), `undone` (it was not over any more) and `failed` (what
             counts it has a bug) count nowhere
    """

    at: int = 0
    pool: str = ""
    unrated: str = ""
    changes: list[Change] = []
    algorithm: str = ""


def settle(
    facts: Facts, ratings: Mapping[str, Rating], met: Mapping[tuple[str, str], int], most: int
) -> Settled:
    """How it counts. met: how many rated matches two opponents have had that day; most: that they may have, 0 for any
    number."""
    unrated = facts.unrated
    if not unrated and most and any(count >= most for count in met.values()):
        unrated = "same_players"
    if unrated:
        return Settled(facts.at, unrated=unrated)
    return rated(facts, ratings)


def rated(facts: Facts, ratings: Mapping[str, Rating]) -> Settled:
    """How it counts, since it is rated."""
    return Settled(facts.at, facts.pool, changes=changes_of(facts, ratings), algorithm=ALGORITHM)


def changes_of(facts: Facts, ratings: Mapping[str, Rating]) -> list[Change]:
    """Of those whose ratings move: where programs play with people, the ratings of the programs alone."""
    before = [[ratings[player].aged(facts.at) for player in side] for side in facts.sides]
    after = rate(before, facts.ranks, facts.at)
    moved = set(filter(is_bot, facts.players)) or set(facts.players)
    return sorted(
        (
            Change(player, (was.mu, was.sigma), (now.mu, now.sigma))
            for side, olds, news in zip(facts.sides, before, after, strict=True)
            for player, was, now in zip(side, olds, news, strict=True)
            if player in moved
        ),
        key=lambda change: change.player,
    )


def still_true(changes: Sequence[Change], ratings: Mapping[str, Rating], at: int) -> bool:
    """Did they begin from these ratings? Otherwise a match before this one does not count any more."""
    aged = {change.player: ratings[change.player].aged(at) for change in changes}
    return all(change.before == (aged[change.player].mu, aged[change.player].sigma) for change in changes)
