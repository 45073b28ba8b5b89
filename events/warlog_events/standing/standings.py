"""What finished matches have made of the players, in Redis: the log of settlements, and what is made of it.

The log is no read model. Everything else here is made from it and from the matches, in the log's order, some matches
per step (lua/fold.lua): a step is whole, and is done once, however many processes fold and wherever they die. `folded`
says how far that is. `reset` forgets everything and sets it to 0, and the same steps follow again.
"""

import asyncio
import itertools
from collections.abc import AsyncIterator, Iterable, Sequence
from typing import Any, NamedTuple

import msgspec

from ..clock_and_random import World
from ..errors import BadParameter
from ..match.bots import HOUSE, is_bot
from ..match.match import rfc3339
from ..redis import keys
from ..redis.connection import Connection
from ..redis.pipe import Client
from ..redis.wire import Word
from .counting import KnownStatistics, count_match
from .ratings import DAY_MS, Rating
from .settled import Change, Facts, Settled
from .statistics import Career, OwnStatistics, Statistics

FORM = 5  # of what is made: another build's is made again
_LAST = 5_000_000_000_000  # from which an order is taken, so that the best comes first among texts
FOREIGN = -1  # `folded` of what a newer build has made
LAPSED_AT_ONCE = 100
NEWS_KEPT, NEWS_PAGE = 10_000, 100  # entries
KEPT = ("state", "log", "gone", "news")  # of which nothing is made anew

_resets = itertools.count()
_pack = msgspec.msgpack.Encoder().encode
_settled = msgspec.json.Decoder(Settled)
_encode = msgspec.json.Encoder().encode
_statistics = msgspec.json.Decoder(Statistics).decode
_own = msgspec.json.Decoder(OwnStatistics).decode
_career = msgspec.json.Decoder(Career).decode

_CAREER = ""  # the field of a player's statistics that is of no game

Commands = list[tuple[str, ...]]


class Logged(NamedTuple):
    """An entry of the log. version: of the match when it was settled."""

    number: int
    match: str
    version: int
    settled: Settled


class Before(NamedTuple):
    """What is known of the players of a match before it.

    ratings  player → that of the match's pool
    met      two opponents → their rated matches of the day on which it ended
    day      which day `met` is of in Redis, "" for none
    counts   of a match that may count
    """

    ratings: dict[str, Rating]
    met: dict[tuple[str, str], int]
    day: str
    counts: KnownStatistics | None


class Known:
    """What there is of the players of some matches. As each of these is settled (`take`; its statistics are counted in
    place), it becomes what there is before the next one."""

    def __init__(
        self,
        ratings: dict[tuple[str, str], Rating],
        met: dict[str, int],
        day: str,
        everyone: dict[str, Statistics],
        own: dict[tuple[str, str], OwnStatistics],
        careers: dict[str, Career],
    ) -> None:
        """ratings: by "<game> <pool>" and player. own: by game and player. met: of `day`, by their fields in Redis."""
        self._ratings = ratings
        self._met = met
        self._day = day
        self._everyone = everyone
        self._own = own
        self._careers = careers

    def before(self, facts: Facts) -> Before:
        game, pool = facts.game, f"{facts.game} {facts.pool}"
        is_today = _day(facts.at) <= self._day
        people = [] if facts.counted is None else facts.people
        counts = None
        if people:
            own = {player: self._own[game, player] for player in people}
            counts = KnownStatistics(
                self._everyone[game], own, {player: self._careers[player] for player in people}
            )
        return Before(
            {player: self._ratings[pool, player] for player in facts.players},
            {pair: self._met.get(_met(game, pair), 0) if is_today else 0 for pair in facts.meetings},
            self._day,
            counts,
        )

    def take(self, facts: Facts, settled: Settled) -> None:
        """The match has been settled so."""
        if not settled.pool:
            return
        pool, day = f"{facts.game} {facts.pool}", max(_day(facts.at), self._day)
        for change in settled.changes:
            self._ratings[pool, change.player] = _after(change, facts, self._ratings[pool, change.player])
        if day != self._day:
            self._day = day
            self._met.clear()
        for pair in facts.meetings:
            field = _met(facts.game, pair)
            self._met[field] = self._met.get(field, 0) + 1


class Place(NamedTuple):
    """A place in a leaderboard; the best is 1. None: the rating is provisional, or there is none."""

    place: int | None
    player: str
    rating: Rating


class Achieved(NamedTuple):
    """An achievement of a player. match: None where only the player may know of it."""

    key: str
    at: int
    match: str | None


class Changed(NamedTuple):
    """A match's change of a rating, as μ and σ in ten-thousandths. match: None where only the player may know of it.
    algorithm: of this change."""

    match: str | None
    at: int
    before: Rating
    after: Rating
    algorithm: str

    def json(self) -> dict[str, Any]:
        return {
            "match": self.match,
            "at": rfc3339(self.at),
            "before": self.before.json(),
            "after": self.after.json(),
            "algorithm": self.algorithm,
        }


class News(msgspec.Struct, frozen=True, array_like=True):
    """For a player's feed: what a match has made of him, and his seats in it.

    key            of the achievement; "" where it is of his rating
    pool           in which that has changed
    before, after  μ and σ of that
    unrated        why it has not changed; "" where it has
    """

    player: str
    key: str
    match: str
    game: str
    version: int
    at: int
    seats: list[str]
    pool: str = ""
    before: tuple[int, int] = (0, 0)
    after: tuple[int, int] = (0, 0)
    unrated: str = ""

    @property
    def kind(self) -> str:
        """Its type in the feed."""
        if self.key:
            return "achievement"
        return "not_rated" if self.unrated else "rating_changed"


_news_of = msgspec.json.Decoder(News).decode


async def news_after(pipe: Client, after: str) -> list[tuple[str, News]]:
    """What players are to be told after this entry ("" for the first), with the entries' ids, the oldest first; a page
    of them."""
    start = f"({after}" if after else "-"
    entries = await pipe.call("XRANGE", keys.standing("news"), start, "+", "COUNT", NEWS_PAGE)
    return [(entry_id.decode(), _news_of(flat[1])) for entry_id, flat in entries]


class Standings:
    def __init__(self, connection: Connection, world: World) -> None:
        self._pipe = connection.pipe
        self._follower = connection.follower
        self._world = world

    # ---- folding

    async def folded(self) -> tuple[int | None, int]:
        """The number of the last entry of the log that all this is made of, None if it has to be made anew (`reset`);
        and that of the log's last. Of what a newer build has made, nothing is left to do."""
        text, newest = await self._pipe.many(
            (
                ("HGET", keys.standing("state"), "folded"),
                ("XREVRANGE", keys.standing("log"), "+", "-", "COUNT", 1),
            )
        )
        last = int(newest[0][0].partition(b"-")[0]) if newest else 0
        form, _, number = (text or b"").partition(b" ")
        if not number.isdigit() or int(form) < FORM:
            return None, last
        return (int(number) if int(form) == FORM else FOREIGN), last

    async def reset(self) -> None:
        """Forgets everything but the log. Nobody folds meanwhile; if several do this, the last one to begin does."""
        token = f"{FORM} resetting {self._follower} {next(_resets)}"
        await self._pipe.call("HSET", keys.standing("state"), "folded", token, write=True)
        kept = {keys.standing(what).encode() for what in KEPT}
        cursor = b"0"
        while True:
            cursor, names = await self._pipe.call("SCAN", cursor, "MATCH", keys.standing("*"), "COUNT", 1000)
            gone: Commands = [("DEL", name.decode()) for name in names if name not in kept]
            if gone and not await self._step(token, token, gone):
                return
            if cursor == b"0":
                break
        await self._step(token, _folded(0), [])

    async def known(self, matches: Sequence[Facts]) -> Known:
        """Of the players of these matches, before the first of them. One round trip."""
        rated = {(f"{facts.game} {facts.pool}", player) for facts in matches for player in facts.players}
        met = {_met(facts.game, pair) for facts in matches for pair in facts.meetings}
        counted = [facts for facts in matches if facts.counted is not None]
        games = {facts.game for facts in counted}
        played = {(facts.game, player) for facts in counted for player in facts.people}
        (day, *meetings), ratings, everyone, own = await asyncio.gather(
            self._pipe.call("HMGET", keys.standing("met"), "day", *met),
            self._each((f"ratings:{player}", pool) for pool, player in rated),
            self._each(("statistics", game) for game in games),
            self._pipe.many(
                ("HMGET", keys.standing(f"statistics:{player}"), game, _CAREER) for game, player in played
            ),
        )
        return Known(
            dict(zip(rated, map(Rating.parse, ratings), strict=True)),
            {field: int(count or 0) for field, count in zip(met, meetings, strict=True)},
            "" if day is None else day.decode(),
            {game: _statistics(text or b"{}") for game, text in zip(games, everyone, strict=True)},
            {both: _own(text or b"{}") for both, (text, _) in zip(played, own, strict=True)},
            {player: _career(text or b"{}") for (_, player), (_, text) in zip(played, own, strict=True)},
        )

    async def _each(self, fields: Iterable[tuple[str, str]]) -> list[bytes | None]:
        return await self._pipe.many(("HGET", keys.standing(key), field) for key, field in fields)

    async def fold(self, after: int, steps: Sequence[tuple[Logged, Commands]], *, is_new: bool) -> bool:
        """Entries that follow on each other, each with what is made of it; False, and nothing is done, if another
        process was faster. `after`: the number of what is folded so far. `is_new`: the log gets the entries, too."""
        commands: Commands = []
        for (number, match_id, version, settled), of_match in steps:
            if is_new:
                words = ("match", match_id, "version", str(version), "body", _encode(settled).decode())
                commands.append(("XADD", keys.standing("log"), f"{number}-0", *words))
            commands += of_match
        return await self._step(_folded(after), _folded(steps[-1][0].number), commands)

    async def _step(self, before: str, after: str, commands: Commands) -> bool:
        arguments: list[Word] = [before, after, _pack(commands)]
        return bool(await self._pipe.script("fold", [keys.standing("state")], arguments))

    async def lapse(self, folded: int, now: int) -> None:
        """Takes from the leaderboards who has become provisional for not having played."""
        due = ("ZRANGEBYSCORE", keys.standing("lapses"), "-inf", now, "LIMIT", 0, LAPSED_AT_ONCE)
        while found := [one.decode() for one in await self._pipe.call(*due)]:
            parts = [one.split(" ") for one in found]
            ratings = await self._pipe.many(
                ("HGET", keys.standing(f"ratings:{player}"), f"{game} {pool}") for game, pool, player in parts
            )
            commands: Commands = [("ZREM", keys.standing("lapses"), *found)]
            for (game, pool, player), rating in zip(parts, map(Rating.parse, ratings), strict=True):
                commands.append(("ZREM", keys.standing(f"board:{game} {pool}"), member(player, rating)))
            if not await self._step(_folded(folded), _folded(folded), commands):
                return

    async def forget(self, player: str) -> None:
        """A player who has left for good has no ratings, and stands in no table. Others keep what they won."""
        await self._pipe.call("SADD", keys.standing("gone"), player, write=True)
        while True:
            folded, _ = await self.folded()
            if folded is None or folded == FOREIGN:
                return  # it is being made anew, without him
            if await self._step(_folded(folded), _folded(folded), await self._forgetting(player)):
                return

    async def forget_gone(self) -> None:
        """Those who had left before everything was made anew."""
        for player in await self._pipe.call("SMEMBERS", keys.standing("gone")):
            await self.forget(player.decode())

    async def _forgetting(self, player: str) -> Commands:
        flat = await self._pipe.call("HGETALL", keys.standing(f"ratings:{player}"))
        own = ("ratings", "statistics", "achievements")
        commands: Commands = [("DEL", *(keys.standing(f"{what}:{player}") for what in own))]
        for field, text in zip(flat[::2], flat[1::2], strict=True):
            pool, rating = field.decode(), Rating.parse(text)
            commands += [
                ("DEL", keys.standing(f"history:{player} {pool}")),
                ("ZREM", keys.standing(f"board:{pool}"), member(player, rating)),
                ("ZREM", keys.standing("lapses"), f"{pool} {player}"),
            ]
        return commands

    async def log(self, after: int, last: int) -> AsyncIterator[Logged]:
        """The entries after number `after`, up to `last`."""
        while after < last:
            page = ("XRANGE", keys.standing("log"), f"{after + 1}-0", f"{last}-0", "COUNT", 100)
            entries = await self._pipe.call(*page)
            for entry_id, flat in entries:
                fields = dict(zip(flat[::2], flat[1::2], strict=True))
                after = int(entry_id.partition(b"-")[0])
                body = _settled.decode(fields[b"body"])
                yield Logged(after, fields[b"match"].decode(), int(fields[b"version"]), body)
            if not entries:
                return

    # ---- reading

    async def achievements(self, player: str, *, own: bool) -> list[Achieved]:
        """The newest first. `own`: the player himself asks."""
        flat = await self._pipe.call("HGETALL", keys.standing(f"achievements:{player}"))
        found = []
        for key, row in zip(flat[::2], flat[1::2], strict=True):
            at, match_id, public = row.decode().split(" ")
            found.append(Achieved(key.decode(), int(at), match_id if own or public == "1" else None))
        return sorted(found, key=lambda one: (-one.at, one.key))

    async def own_statistics(self, player: str) -> tuple[dict[str, OwnStatistics], Career]:
        """By game, in their order; and over all games."""
        flat = await self._pipe.call("HGETALL", keys.standing(f"statistics:{player}"))
        found = {name.decode(): text for name, text in zip(flat[::2], flat[1::2], strict=True)}
        career = found.pop(_CAREER, None)
        games = {game: _own(found[game]) for game in sorted(found)}
        return games, Career() if career is None else _career(career)

    async def statistics(self, game: str) -> Statistics:
        """Of everybody."""
        text = await self._pipe.call("HGET", keys.standing("statistics"), game)
        return Statistics() if text is None else _statistics(text)

    async def ratings(self, player: str) -> dict[tuple[str, str], Rating]:
        """Of each game and pool that he has played, in their order, as they are now."""
        flat = await self._pipe.call("HGETALL", keys.standing(f"ratings:{player}"))
        found = dict(zip(flat[::2], flat[1::2], strict=True))
        now = self._world.now_ms()
        return {
            (game, pool): Rating.parse(found[field]).aged(now)
            for field in sorted(found)
            for game, pool in [field.decode().split(" ")]
        }

    async def rating(self, player: str, game: str, pool: str) -> Rating:
        text = await self._pipe.call("HGET", keys.standing(f"ratings:{player}"), f"{game} {pool}")
        return Rating.parse(text).aged(self._world.now_ms())

    async def history(
        self, player: str, game: str, pool: str, after: int, limit: int, *, own: bool
    ) -> tuple[list[Changed], int | None]:
        """The changes from number `after` + 1 on, the oldest first, and the number after which to go on. `own`: the
        player himself asks."""
        key = keys.standing(f"history:{player} {game} {pool}")
        rows = await self._pipe.call("LRANGE", key, after, after + limit)
        return [_changed(row, own) for row in rows[:limit]], after + limit if len(rows) > limit else None

    async def board(
        self, game: str, pool: str, after: str | None, limit: int
    ) -> tuple[list[Place], str | None]:
        """The players of a pool whose ratings are not provisional, the best first, from behind the cursor `after`.
        Raises BadParameter for a cursor that is none."""
        key, start, before = keys.standing(f"board:{game} {pool}"), "-", "-"
        if after is not None:
            order, space, player = after.partition(" ")
            if len(order) != 13 or not order.isdigit() or not space or not player.isprintable():
                raise BadParameter("`after` is no cursor of this list.")
            start, before = f"({after}", f"[{after}"
        members, place = await self._pipe.many(
            (("ZRANGEBYLEX", key, start, "+", "LIMIT", 0, limit + 1), ("ZLEXCOUNT", key, "-", before))
        )
        rows = [member.decode() for member in members[:limit]]
        players = [row.partition(" ")[2] for row in rows]
        field, now = f"{game} {pool}", self._world.now_ms()
        found = await self._pipe.many(("HGET", keys.standing(f"ratings:{one}"), field) for one in players)
        places = [
            Place(number, player, Rating.parse(text).aged(now))
            for number, (player, text) in enumerate(zip(players, found, strict=True), place + 1)
        ]
        return places, rows[-1] if len(members) > limit else None

    async def place(self, player: str, game: str, pool: str) -> Place | None:
        """None: he has no rating there."""
        text = await self._pipe.call("HGET", keys.standing(f"ratings:{player}"), f"{game} {pool}")
        if text is None:
            return None
        rating, key = Rating.parse(text), keys.standing(f"board:{game} {pool}")
        place = await self._pipe.call("ZRANK", key, member(player, rating))
        return Place(None if place is None else place + 1, player, rating.aged(self._world.now_ms()))


def commands_of(facts: Facts, settled: Settled, before: Before, *, is_new: bool) -> Commands:
    """What is made of a match. `is_new`: the players are told of it, too."""
    return [
        *_rated(facts, settled, before, is_new=is_new),
        *_counted(facts, settled, before, is_new=is_new),
        *(_not_rated(facts, settled) if is_new else ()),
    ]


def _rated(facts: Facts, settled: Settled, before: Before, *, is_new: bool) -> Commands:
    """Of one that is rated: ratings, their history, the leaderboard, who has met whom."""
    if not settled.pool:
        return []
    pool, commands = f"{facts.game} {settled.pool}", Commands()
    board, lapses = keys.standing(f"board:{pool}"), keys.standing("lapses")
    for change in settled.changes:
        player, was = change.player, before.ratings[change.player]
        now = _after(change, facts, was)
        numbers = map(str, (settled.at, *change.before, *change.after, int(facts.public)))
        row = (facts.match, *numbers, settled.algorithm)
        commands += [
            ("HSET", keys.standing(f"ratings:{player}"), pool, now.text),
            ("RPUSH", keys.standing(f"history:{player} {pool}"), " ".join(row)),
        ]
        if is_new and player not in HOUSE:
            commands.append(
                _news(facts, change.player, pool=settled.pool, before=change.before, after=change.after)
            )
        if is_bot(player):
            continue  # programs stand in no leaderboard
        if was.matches:
            commands.append(("ZREM", board, member(player, was)))
        if now.is_provisional:
            commands.append(("ZREM", lapses, f"{pool} {player}"))
        else:
            commands += [
                ("ZADD", board, "0", member(player, now)),
                ("ZADD", lapses, str(now.provisional_at), f"{pool} {player}"),
            ]
    return [*commands, *_met_again(facts, before)]


def _after(change: Change, facts: Facts, was: Rating) -> Rating:
    return Rating(*change.after, max(facts.at, was.at), was.matches + 1)


def _counted(facts: Facts, settled: Settled, before: Before, *, is_new: bool) -> Commands:
    """Of one that counts: statistics, and what is earned."""
    counted, counts = facts.counted, before.counts
    if counted is None or counts is None or settled.unrated == "same_players":
        return []
    awards = count_match(facts.game, facts.pool, counted, counts, before.ratings if settled.pool else {})
    commands: Commands = [("HSET", keys.standing("statistics"), facts.game, _text(counts.everyone))]
    for player, own in counts.own.items():
        both = (facts.game, _text(own), _CAREER, _text(counts.careers[player]))
        commands.append(("HSET", keys.standing(f"statistics:{player}"), *both))
    for player, key in awards:
        row = f"{facts.at} {facts.match} {int(facts.public)}"
        commands.append(("HSET", keys.standing(f"achievements:{player}"), key, row))
    if is_new:
        commands += [_news(facts, player, key) for player, key in awards]
    return commands


def _not_rated(facts: Facts, settled: Settled) -> Commands:
    """Tells the players of a competitive match whose ratings it has not moved, why not."""
    # A rated match moves the ratings of all its players, unless programs play.
    why = settled.unrated or "bots"
    if why == "casual":
        return []
    moved = {change.player for change in settled.changes}
    people = [player for player in facts.players if player not in HOUSE and player not in moved]
    return [_news(facts, player, unrated=why) for player in people]


def _news(facts: Facts, player: str, key: str = "", **of_rating: Any) -> tuple[str, ...]:
    seats = sorted(seat for seat, holder in facts.holders if holder == player)
    news = News(player, key, facts.match, facts.game, facts.version, facts.at, seats, **of_rating)
    return ("XADD", keys.standing("news"), "MAXLEN", "~", str(NEWS_KEPT), "*", "body", _text(news))


def _text(value: msgspec.Struct) -> str:
    return _encode(value).decode()


def _met_again(facts: Facts, before: Before) -> Commands:
    """A match that ended on a day before the newest counts for that one, so that days never go back."""
    day, key = max(_day(facts.at), before.day), keys.standing("met")
    commands: Commands = [] if day == before.day else [("DEL", key), ("HSET", key, "day", day)]
    return [*commands, *(("HINCRBY", key, _met(facts.game, pair), "1") for pair in facts.meetings)]


def _folded(number: int) -> str:
    return f"{FORM} {number}"


def _day(at: int) -> str:
    """Since 1970, five digits, so that texts have their order."""
    return f"{at // DAY_MS:05}"


def _met(game: str, pair: tuple[str, str]) -> str:
    return f"{game} {pair[0]} {pair[1]}"


def member(player: str, rating: Rating) -> str:
    """Of a leaderboard."""
    return f"{_LAST - rating.order:013} {player}"


def _changed(row: bytes, own: bool) -> Changed:
    match_id, at, *numbers, public, algorithm = row.decode().split(" ")
    mu, sigma, mu_after, sigma_after = map(int, numbers)
    shown = match_id if own or public == "1" else None
    return Changed(shown, int(at), Rating(mu, sigma), Rating(mu_after, sigma_after), algorithm)
