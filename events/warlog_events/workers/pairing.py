"""Quick pairing: players who want the same match wait in one queue, and who has waited longest is seated first.

    join ──▶ waiting ──▶ pairing ──▶ paired (with the match), or waiting again in the old place
                 │           └─────▶ refused (the rules of a seat turned him away)
                 └─────────────────▶ left, expired (his client has gone), withdrawn (paired from another queue)

What is in Redis changes in whole steps (lua/pairing.lua). A pairing stands on record with the id of its match before
the match is made, and until it has been settled: after a crash any worker makes the same match, or finds it made, since
an id can be used once. Who gives a pairing up voids that id first, so that nobody who was slower still makes the match.
"""

import asyncio
import hashlib
import logging
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal

import msgspec
from msgspec import UNSET, Meta, UnsetType

from ..clock_and_random import World
from ..errors import (
    BodyTooLarge,
    NotForBots,
    QuotaExceeded,
    Refused,
    TryAgain,
    UnknownEntry,
    VersionConflict,
    WarlogError,
    WrongStatus,
)
from ..match import policy
from ..match.bots import is_bot
from ..match.commands import Wanted
from ..match.creation import check_seconds, game_of
from ..match.match import rfc3339
from ..match.model import Player, encode
from ..match.proposals import check_beginning, merged
from ..matches import Matches
from ..players.relations import Relations
from ..redis import keys
from ..redis.append_notices import Watch
from ..redis.claims import Claim, Claims
from ..redis.connection import Connection
from ..redis.idempotency import Key
from ..redis.wire import Word
from ..standing.standings import Standings

log = logging.getLogger("warlog.pairing")

ANY_NUMBER = 10**9
SPEC_BYTES_MAX = 8_192
GIVEN_UP_MS = 2_000  # after which a pairing is taken up by others than who began it
PAUSE_SECONDS = 0.5
BATCH = 100
OVER = ("paired", "withdrawn", "refused", "left", "expired")


class Entry(msgspec.Struct, frozen=True, kw_only=True):
    """One player's wait for one match, in the form of the API."""

    id: Annotated[str, Meta(description="id of the entry")]
    game: Annotated[str, Meta(description="name of the game")]
    options: Annotated[
        dict[str, Any],
        Meta(description="all options of the match", extra_json_schema={"x-component": "GameOptions"}),
    ]
    mode: Annotated[
        Literal["casual", "competitive"], Meta(description="in a casual match the players may go back")
    ]
    move_seconds: Annotated[int, Meta(description="seconds for each turn; 0: no limit")]
    setup_seconds: Annotated[int, Meta(description="seconds for setting up; 0: no limit")]
    players: Annotated[int, Meta(description="how many make a match")]
    status: Annotated[
        Literal["waiting", "pairing", "paired", "withdrawn", "refused", "left", "expired"],
        Meta(description="how far it is"),
    ]
    place: Annotated[int | None, Meta(description="1: the next to be seated; null: no longer waiting")]
    since: Annotated[
        str,
        Meta(description="when it began to wait (RFC 3339, UTC)", extra_json_schema={"format": "date-time"}),
    ]
    match: Annotated[str | None, Meta(description="id of the match that was found (`paired`, `withdrawn`)")]
    code: Annotated[str | None, Meta(description="why the player was turned away (`refused`)")]

    @property
    def is_over(self) -> bool:
        return self.status in OVER


class _Spec(msgspec.Struct, frozen=True):
    """`wanted`: as the match is made. `known`: all options, as they are shown."""

    wanted: Wanted
    known: dict[str, Any]
    seconds: int


class _Placed(msgspec.Struct, frozen=True):
    id: str
    player: str
    name: str


class Making(msgspec.Struct, frozen=True):
    """A pairing on record (lua/pairing.lua)."""

    match: str
    queue: str
    spec: str
    entries: list[_Placed]
    aside: str


_spec = msgspec.json.Decoder(_Spec)
_making = msgspec.json.Decoder(Making)
_joined = msgspec.json.Decoder(tuple[Entry, bool])


class Pairing:
    """patience_seconds: an entry whose player has not been there for so long has expired. 0: never."""

    def __init__(
        self,
        connection: Connection,
        matches: Matches,
        world: World,
        *,
        watch: Watch | None = None,
        claims: Claims | None = None,
        relations: Relations | None = None,
        standings: Standings | None = None,
        patience_seconds: int = 60,
        entries_max: int = 8,
    ) -> None:
        """`watch` None: nobody is told; who waits has to ask. `relations` None: nobody has blocked anybody.
        `standings` None: ratings do not matter.
        entries_max: that one player may have waiting at once; 0 for any number."""
        self._relations = relations
        self._entries_max = entries_max
        self._pipe = connection.pipe
        self._standings = standings
        self._claims = claims or Claims(connection, world)
        self._matches = matches
        self._world = world
        self._patience_ms = patience_seconds * 1000
        self._news: dict[str, set[asyncio.Event]] = {}  # by entry
        if watch is not None:
            watch.subscribe(keys.PAIRED, self._told, self._missed)

    # ---- players

    async def join(self, player: Player, wanted: Wanted, key: Key | None = None) -> tuple[Entry, bool]:
        """He waits from now on; False if he did so before in this queue. With a `key` that was used before, what came
        of it then. People are not paired with programs, which find each other by challenges.

        Raises NotForBots, UnknownGame, BadParameter, Refused (options), BodyTooLarge, QuotaExceeded,
        IdempotencyKeyReused."""
        if is_bot(player.id):
            raise NotForBots("A bot is not paired with people; create a match, or wait for a challenge.")
        if key is None:
            return await self._join(self._world.new_id("pq_"), player, wanted)

        async def join(claim: Claim) -> tuple[Entry, bool]:
            answer = claim.answer
            if not answer:
                joined = await self._join(claim.id("pq_"), player, wanted)
                answer = await self._claims.answered(claim, encode(joined))
            return _joined.decode(answer)

        return await self._claims.once(player.id, key.key, key.digest, join)

    async def _join(self, id: str, player: Player, wanted: Wanted) -> tuple[Entry, bool]:
        spec, players = self._spec(wanted)
        text = encode(spec)
        if len(text) > SPEC_BYTES_MAX:
            raise BodyTooLarge("These options are too large for pairing.", path="/options")
        queue = self._queue(spec)
        self._pipe.check_growth(keys.pairing("order"))
        reply = await self._step(
            *("join", id, player.id, player.name, queue, text, players, self._entries_max or ANY_NUMBER),
            await self._rating(player.id, wanted),
            *await self._avoided(player.id),
        )
        if reply[0] == b"full":
            most = self._entries_max
            detail = f"You wait in {most} queues, and {most} is the limit. Leave one first."
            raise QuotaExceeded("pairing_entries", most, most, detail)
        if reply[0] == b"new":
            await self._pair(queue)
        return await self.entry(player.id, reply[1].decode()), reply[0] != b"waiting"

    async def _rating(self, player: str, wanted: Wanted) -> Word:
        """By which he is paired; "" where what he wants is in no pool."""
        game = game_of(wanted.game)
        pool = policy.pool_of(game, wanted.options)
        if self._standings is None or not pool:
            return ""
        return (await self._standings.rating(player, game.name, pool)).shown

    async def avoid(self, player: str) -> None:
        """Whom he has blocked has changed: he may be waiting now."""
        await self._step("avoid", player, *await self._avoided(player))

    async def _avoided(self, player: str) -> list[str]:
        return [] if self._relations is None else await self._relations.blocked(player)

    async def entry(self, player: str, id: str) -> Entry:
        """How it stands; whose entry it is shows with this that he is still there. Raises UnknownEntry."""
        found = await self._entries(player, [id])
        if not found:
            raise UnknownEntry("You have no entry with this id in a pairing queue.")
        return found[0]

    async def change(self, player: str, id: str, status: str, seconds: float) -> Entry:
        """The entry as soon as it stands otherwise than `status`, or as it is after so many seconds."""
        news, patience = asyncio.Event(), asyncio.timeout(seconds)
        self._news.setdefault(id, set()).add(news)
        try:
            async with patience:
                while True:
                    news.clear()
                    entry = await self.entry(player, id)
                    if entry.status != status:
                        return entry
                    await news.wait()
        except TimeoutError:
            if not patience.expired():
                raise
            return await self.entry(player, id)
        finally:
            self._news[id].discard(news)
            if not self._news[id]:
                del self._news[id]

    def _told(self, ids: bytes) -> None:
        for id in ids.decode().split():
            for news in self._news.get(id, ()):
                news.set()

    def _missed(self) -> None:
        for listeners in self._news.values():
            for news in listeners:
                news.set()

    async def entries(self, player: str) -> list[Entry]:
        """Those that wait and those that were over within the hour; at most `entries_max` and 32."""
        own, was = await self._pipe.many(
            (
                ("SMEMBERS", keys.pairing(f"of:{player}")),
                ("LRANGE", keys.pairing(f"was:{player}"), 0, -1),
            )
        )
        return await self._entries(player, [id.decode() for id in (*sorted(own), *was)])

    async def leave(self, player: str, id: str) -> None:
        """Raises UnknownEntry; WrongStatus while a match is being made for him. Of an entry that is over: nothing."""
        reply = await self._step("leave", id, player, "left", "")
        if reply[0] == b"unknown":
            raise UnknownEntry("You have no entry with this id in a pairing queue.")
        if reply[0] == b"busy":
            raise WrongStatus("A match is being made for you.")

    async def forget(self, player: str) -> None:
        """He waits no longer, and nothing is known of his entries. Raises WrongStatus while a match is being made."""
        for entry in await self.entries(player):
            await self.leave(player, entry.id)
        ids = await self._pipe.call("LRANGE", keys.pairing(f"was:{player}"), 0, -1)
        over = (keys.pairing(f"entry:{id.decode()}") for id in ids)
        await self._pipe.call("DEL", keys.pairing(f"was:{player}"), *over, write=True)

    async def _entries(self, player: str, ids: Sequence[str]) -> list[Entry]:
        replies = await self._pipe.many(("HGETALL", keys.pairing(f"entry:{id}")) for id in ids)
        found: list[tuple[str, dict[str, str]]] = []
        for id, flat in zip(ids, replies, strict=True):
            texts = [text.decode() for text in flat]
            fields = dict(zip(texts[::2], texts[1::2], strict=True))
            if fields.get("player") == player:
                found.append((id, fields))
        now = self._world.now_ms()
        commands: list[tuple[Word, ...]] = []
        for id, fields in found:
            commands.append(("ZADD", keys.pairing("seen"), "XX", now, id))  # waiting ones alone stand there
            commands.append(("ZRANK", keys.pairing(f"waiting:{fields['queue']}"), id))
        places = (await self._pipe.many(commands))[1::2]
        return [_entry(id, fields, place) for (id, fields), place in zip(found, places, strict=True)]

    def _spec(self, wanted: Wanted) -> tuple[_Spec, int]:
        """What is wanted, checked, and how many players it takes."""
        game = game_of(wanted.game)
        check_seconds("move_seconds", wanted.move_seconds)
        check_seconds("setup_seconds", wanted.setup_seconds)
        given, own = policy.with_move_seconds(game, wanted.options, wanted.move_seconds)
        options = merged(game, {}, given)
        if not policy.server_options(game).isdisjoint(options):
            (name, *_) = sorted(policy.server_options(game).intersection(options))
            detail = f"The option {name} is for matches that players make themselves."
            raise Refused("invalid_options", detail, path=f"/options/{name}")
        seats = check_beginning(game, options, None, wanted.mode, None)
        known = game.full_options(options)
        seconds = policy.move_seconds(known, own)
        setup = wanted.setup_seconds
        if setup == policy.setup_seconds(wanted.mode) or not policy.setup_phases(game):
            setup = UNSET  # who says it and who does not say it wait together
        wanted = msgspec.structs.replace(wanted, options=options, move_seconds=own, setup_seconds=setup)
        spec = _Spec(wanted, known, seconds)
        return spec, len(policy.hands(game, options, seats))

    def _queue(self, spec: _Spec) -> str:
        """One for all who would play the same match, however they say it."""
        rules = game_of(spec.wanted.game).rules_version
        setup = () if isinstance(spec.wanted.setup_seconds, UnsetType) else (spec.wanted.setup_seconds,)
        same = (spec.wanted.game, rules, spec.wanted.mode, spec.seconds, spec.known, *setup)
        return hashlib.sha256(encode(same)).hexdigest()[:32]

    # ---- pairing

    async def run(self) -> None:
        """For ever; ends only with Unavailable, and may then be started again."""
        while True:
            if await self.step() == 0:
                await asyncio.sleep(PAUSE_SECONDS)

    async def step(self) -> int:
        """What others have left: entries of players who have gone, pairings that were begun, queues that are long
        enough. Gives the number of matches that were made here."""
        before, now = self._matches.counts.paired, self._world.now_ms()
        begun, silent, queues = await self._pipe.many(
            (
                ("ZRANGEBYSCORE", keys.pairing("begun"), "-inf", now - GIVEN_UP_MS, "LIMIT", 0, BATCH),
                ("ZRANGEBYSCORE", keys.pairing("seen"), "-inf", f"({self._since(now)}", "LIMIT", 0, BATCH),
                ("SMEMBERS", keys.pairing("queues")),
            )
        )
        for match in begun:
            raw = await self._pipe.call("HGET", keys.pairing("making"), match)
            if raw is not None:
                await self._make_in_spite(_making.decode(raw))
        for id in silent:
            player = await self._pipe.call("HGET", keys.pairing(f"entry:{id.decode()}"), "player")
            if player is not None:
                await self._step("leave", id, player, "expired", self._since(now))
        waiting = await self._pipe.many(
            ("ZCARD", keys.pairing(f"waiting:{queue.decode()}")) for queue in queues
        )
        for queue, count in zip(queues, waiting, strict=True):
            if count > 1:  # who joins looks himself; here are those whose process died before it did
                await self._pair(queue.decode())
        return self._matches.counts.paired - before

    def _since(self, now: int) -> int:
        return now - self._patience_ms if self._patience_ms else 0

    async def _pair(self, queue: str) -> None:
        """As many matches as the queue is long enough for."""
        while True:
            match, now = self._matches.store.new_match_id(), self._world.now_ms()
            reply = await self._step("take", queue, match, self._since(now))
            if reply[0] == b"short":
                return
            await self._make(_making.decode(reply[1]))

    async def _make(self, making: Making) -> None:
        """Makes the match of a recorded pairing and tells its players. Several processes may do so at once."""
        players = [Player(entry.player, entry.name) for entry in making.entries]
        try:
            await self._matches.new.create_paired(making.match, _spec.decode(making.spec).wanted, players)
            self._matches.counts.paired += 1
        except VersionConflict:
            pass  # another has made it
        except WrongStatus:  # another has given it up, and perhaps died
            await self._give_up(making, "", [])
            return
        except TryAgain as error:
            log.warning("%s is still to be made: %s", making.match, error)
            return
        except WarlogError as refused:
            if await self._matches.store.void(making.match):
                turned_away = refused.extra.get("player")
                away = [one.id for one in players if turned_away in (None, one.id)]
                log.info("%s is not made: %s", making.match, refused)
                await self._give_up(making, refused.code, away)
                return
        await self._step("made", making.match)

    async def _make_in_spite(self, making: Making) -> None:
        """`_make`, with a failure logged, so that it does not stop the other pairings."""
        try:
            await self._make(making)
        except TryAgain:
            raise
        except Exception:
            log.exception("%s cannot be made", making.match)

    async def _give_up(self, making: Making, code: str, away: Sequence[str]) -> None:
        """These players (ids) are turned away, the others wait again in their old places."""
        reply = await self._step("given", making.match, code, *away)
        for queue in dict.fromkeys(reply[1:]):
            await self._pair(queue.decode())

    async def _step(self, *words: Word) -> Any:
        now: Word = self._world.now_ms() if self._world.is_fixed else ""
        arguments = (keys.pairing(""), keys.PAIRED, now, *words)
        return await self._pipe.script("pairing", [keys.pairing("order")], arguments)


def _entry(id: str, fields: Mapping[str, str], place: int | None) -> Entry:
    spec = _spec.decode(fields["spec"])
    return Entry(
        id=id,
        game=spec.wanted.game,
        options=spec.known,
        mode=spec.wanted.mode,
        move_seconds=spec.seconds,
        setup_seconds=policy.setup_seconds(spec.wanted.mode, spec.wanted.setup_seconds),
        players=int(fields["seats"]),
        status=fields["status"],  # type: ignore[arg-type]  # the script writes no others
        place=None if place is None else place + 1,
        since=rfc3339(int(fields["since"])),
        match=fields.get("match") or None,
        code=fields.get("code") or None,
    )
