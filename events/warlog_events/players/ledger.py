"""What players own: gold, and their scores and records in each game. A ledger, kept by double entry.

Every transfer is one script and one entry of the journal, whose postings add up to nothing; the house stands on the
other side of whatever comes into being or vanishes. So at any moment, whoever has crashed, the gold of all players,
what is held for matches, and the house's (mostly below zero) add up to nothing, too.

    grant    house → player                 once under each name: what an account begins with
    hold     player → what he holds         a seat's stake, before the seat is taken
    release  what he holds → player         he left, or the match came to nothing
    settle   all holds of a match → back; losers → winners, house

This is no read model: nothing but a backup brings it back.
"""

from collections.abc import Iterable, Mapping, Sequence

import msgspec

from ..clock_and_random import World
from ..errors import BadParameter, VersionConflict
from ..match.stakes import insufficient
from ..redis import keys
from ..redis.connection import Connection
from ..redis.wire import Word

STARTING_GOLD = 1_000
OUTCOMES = ("won", "drawn", "lost", "fled")
JOURNAL_PAGE = 1_000
_TOP = 5_000_000_000_000  # settle.lua


class Record(msgspec.Struct, frozen=True):
    """Competitive matches of one game. A match from which the player fled is also one that he won, drew or lost.
    `score` None: none has moved points."""

    game: str
    score: int | None = None
    won: int = 0
    drawn: int = 0
    lost: int = 0
    fled: int = 0


class Holdings(msgspec.Struct, frozen=True):
    """gold   what the player may dispose of
    held   what is set aside for the matches he plays
    """

    gold: int
    held: int
    records: dict[str, Record]


class Hold(msgspec.Struct, frozen=True):
    """Gold set aside for a seat; `version` is that of the match on which it was decided. `seat` may be "": a player who
    waits to be given one."""

    seat: str
    player: str
    amount: int
    version: int


class Moved(msgspec.Struct, frozen=True):
    """What a match moved for one player. gold: received less paid. outcome: one of OUTCOMES but `fled`, "" for none.
    points: None where the match moves none."""

    player: str
    gold: int = 0
    points: int | None = None
    outcome: str = ""
    fled: bool = False


class Placed(msgspec.Struct, frozen=True):
    """A place in a game's table; the best is 1."""

    place: int
    player: str
    score: int


class Entry(msgspec.Struct, frozen=True):
    """One transfer. postings: (account, amount), adding up to 0; an account is "house", a player's id, or that and
    " held"."""

    number: int
    kind: str
    at: int
    match: str
    postings: list[tuple[str, int]]


class Ledger:
    def __init__(self, connection: Connection, world: World, starting_gold: int = STARTING_GOLD) -> None:
        self._pipe = connection.pipe
        self._world = world
        self.starting_gold = starting_gold

    async def open(self, player: str) -> bool:
        """The account with what everybody begins with; False if it is open already."""
        done = await self._script("grant", player, "start", self.starting_gold, self._now())
        return bool(done)

    async def close(self, player: str, games: Sequence[str]) -> bool:
        """The account is no more: its gold is the house's, its places in the tables are free. False while something is
        set aside for a match."""
        return bool(await self._script("close", player, self._now(), *games))

    async def hold(self, match_id: str, hold: Hold) -> int:
        """Sets the hold of this seat and player to this amount, whatever it was; gives the change.

        Raises Refused (insufficient_gold), VersionConflict where the match has been settled."""
        while True:
            words = (match_id, hold.seat, hold.player, hold.amount, hold.version, "", self._now())
            reply = await self._script("hold", *words)
            match reply:
                case [b"done", change]:
                    return int(change)
                case [b"closed"]:
                    raise VersionConflict("The gold of this match has been paid out already.")
                case [b"short", gold]:
                    if not await self.open(hold.player):
                        raise insufficient(hold.player, hold.amount, int(gold))
                case _:
                    raise AssertionError(f"hold.lua replied {reply!r}")

    async def shrink(self, match_id: str, hold: Hold, amount: int, version: int) -> bool:
        """What is held becomes `amount`, not more than it is; 0 gives all back. False if it is no longer held as
        `hold` says: somebody has decided anew meanwhile."""
        assert amount <= hold.amount
        words = (match_id, hold.seat, hold.player, amount, version, hold.version, self._now())
        reply = await self._script("hold", *words)
        return isinstance(reply, list) and reply[0] == b"done"

    async def holds(self, matches: Sequence[str]) -> list[list[Hold]]:
        """What is held for each of these matches."""
        found = await self._pipe.many(("HGETALL", keys.ledger(f"held:{match}")) for match in matches)
        return [[_hold(*pair) for pair in zip(flat[::2], flat[1::2], strict=True)] for flat in found]

    async def held_since(self, before_ms: int, skip: int, limit: int) -> list[str]:
        """Matches for which something has been held since before then, the oldest first."""
        found = await self._pipe.call(
            "ZRANGEBYSCORE", keys.ledger("open"), "-inf", before_ms, "LIMIT", skip, limit
        )
        return [match.decode() for match in found]

    async def settle(self, match_id: str, game: str, moved: Sequence[Moved], house: int = 0) -> bool:
        """Gives back what is held for the match, and moves what it moved. Once: False if that had been done."""
        assert sum(one.gold for one in moved) + house == 0
        words: list[Word] = [match_id, game, self._now(), house]
        for one in moved:
            ranked = "" if one.points is None else "ranked"
            words += (one.player, one.gold, one.points or 0, one.outcome, "fled" if one.fled else "", ranked)
        return bool(await self._script("settle", *words))

    async def meet(
        self, match_id: str, opponents: Iterable[tuple[str, str]], most: int
    ) -> set[tuple[str, str]]:
        """This match is one of at most so many today that count for each two opponents (ids, the smaller first). Those
        for whom it is one too many: then it does for nobody."""
        pairs = [" ".join(pair) for pair in sorted(opponents)]
        full = await self._script("meet", match_id, most, self._now(), *pairs)
        assert isinstance(full, list)
        return {(first, second) for first, _, second in (pair.decode().partition(" ") for pair in full)}

    async def settled(self, matches: Sequence[str]) -> list[bool]:
        if not matches:
            return []
        return [
            number is not None for number in await self._pipe.call("HMGET", keys.ledger("settled"), *matches)
        ]

    async def holdings(self, players: Sequence[str]) -> dict[str, Holdings]:
        """Of each player. One whose account is not open yet has what it will be opened with."""
        found = await self._pipe.many(("HGETALL", keys.ledger(f"account:{player}")) for player in players)
        return {player: self._holdings(flat) for player, flat in zip(players, found, strict=True)}

    def of_a_new_player(self) -> Holdings:
        return self._holdings([])

    def _holdings(self, flat: list[bytes]) -> Holdings:
        fields = {name.decode(): value for name, value in zip(flat[::2], flat[1::2], strict=True)}
        records: dict[str, dict[str, int]] = {}
        for name, value in fields.items():
            what, _, game = name.partition(" ")
            if what == "score" or what in OUTCOMES:
                records.setdefault(game, {})[what] = int(value)
        return Holdings(
            int(fields.get("gold", self.starting_gold)),
            int(fields.get("held", 0)),
            {game: msgspec.convert({"game": game, **records[game]}, Record) for game in sorted(records)},
        )

    async def table(self, game: str, after: str | None, limit: int) -> tuple[list[Placed], str | None]:
        """Players by score, the greatest first, from behind the cursor `after`; with the cursor of the next page, None
        at the end. Players with the same score stand by id. Raises BadParameter for a cursor that is none."""
        key, start, place = keys.ledger(f"table:{game}"), "-", 0
        if after is not None:
            score, space, player = after.partition(" ")
            if len(score) != 13 or not score.isdigit() or not space or not player.isprintable():
                raise BadParameter("`after` is no cursor of this list.")
            start = f"({after}"
        members, place = await self._pipe.many(
            (
                ("ZRANGEBYLEX", key, start, "+", "LIMIT", 0, limit + 1),
                ("ZLEXCOUNT", key, "-", f"[{after}" if after is not None else "-"),
            )
        )
        rows = [member.decode() for member in members[:limit]]
        found = []
        for number, row in enumerate(rows, place + 1):
            score, _, player = row.partition(" ")
            found.append(Placed(number, player, _TOP - int(score)))
        return found, rows[-1] if len(members) > limit else None

    # ---- for the worker that settles, and for who checks the books

    async def checkpoints(self, buckets: int) -> dict[int, int]:
        flat = await self._pipe.call("HGETALL", keys.ledger("checkpoint"))
        stored = {int(bucket): int(number) for bucket, number in zip(flat[::2], flat[1::2], strict=True)}
        return {bucket: stored.get(bucket, 0) for bucket in range(buckets)}

    async def put_checkpoints(self, numbers: Mapping[int, int]) -> None:
        """Several workers may do so at once: none of them does harm by looking at something again."""
        words: list[Word] = []
        for bucket, number in numbers.items():
            words += (bucket, number)
        if words:
            await self._pipe.call("HSET", keys.ledger("checkpoint"), *words, write=True)

    async def journal_end(self) -> int:
        """The number of the newest entry; 0: there is none."""
        newest = await self._pipe.call("XREVRANGE", keys.ledger("journal"), "+", "-", "COUNT", 1)
        return _entry(*newest[0]).number if newest else 0

    async def journal(self, after: int = 0) -> list[Entry]:
        """At most JOURNAL_PAGE entries from number `after` + 1 on."""
        page = ("XRANGE", keys.ledger("journal"), f"{after + 1}-0", "+", "COUNT", JOURNAL_PAGE)
        return [_entry(*entry) for entry in await self._pipe.call(*page)]

    def _now(self) -> Word:
        return self._world.now_ms() if self._world.is_fixed else ""

    async def _script(self, name: str, *words: Word) -> list[bytes] | int:
        reply: list[bytes] | int = await self._pipe.script(
            name, [keys.ledger("journal")], [keys.ledger(""), *words]
        )
        return reply


def _hold(field: bytes, value: bytes) -> Hold:
    seat, _, player = field.decode().rpartition(" ")
    amount, _, version = value.partition(b" ")
    return Hold(seat, player, int(amount), int(version))


def _entry(entry_id: bytes, flat: list[bytes]) -> Entry:
    fields = dict(zip(flat[::2], flat[1::2], strict=True))
    return Entry(
        int(entry_id[: entry_id.index(b"-")]),
        fields[b"kind"].decode(),
        int(fields[b"at"]),
        fields[b"match"].decode(),
        msgspec.json.decode(fields[b"postings"], type=list[tuple[str, int]]),
    )
