"""Players and their tokens. An account is a name; who has one of its tokens is that player.

A token is 256 random bits, shown once and kept as its SHA-256: that is enough for what nobody can guess. Recently
seen tokens are remembered in the process. A revocation empties that memory here at once and elsewhere by a message;
while messages might be missed nothing is remembered at all.
"""

import asyncio
import base64
import hashlib
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress

import msgspec

from ..clock_and_random import World
from ..errors import (
    BadParameter,
    IdempotencyKeyReused,
    InsufficientScope,
    MalformedBody,
    QuotaExceeded,
    Unauthenticated,
    UnknownPlayer,
    UnknownToken,
)
from ..match.bots import BOT, PERSON
from ..match.match import rfc3339
from ..match.model import Player
from ..redis import keys
from ..redis.append_notices import Watch
from ..redis.claims import Claim, Claims
from ..redis.connection import Connection
from ..redis.idempotency import TTL_SECONDS, Key
from .directory import Directory

NAME_CHARACTERS_MAX = 40
TOKEN_BYTES = 32
PLAYER_KEY_MIN = 22  # characters: 128 random bits as base64
REMEMBERED_MAX = 50_000
# Of tokens that are not remembered, at the same time in a process; others wait their turn. However many tokens are
# tried, Redis has so many questions of this process before it, and a good token waits for a few round trips.
LOOK_UPS_MAX = 64
_TOKEN = re.compile(r"wl_[A-Za-z0-9_-]{43}", re.ASCII)


class Account(msgspec.Struct, frozen=True):
    id: str
    name: str
    created_at: str


class Token(msgspec.Struct, frozen=True):
    """What its owner may see of a token later on."""

    id: str
    label: str
    scopes: tuple[str, ...]
    created_at: str
    expires_at: str | None = None  # of a session


class NewToken(msgspec.Struct, frozen=True):
    """The only time that `token` itself is shown."""

    token: str
    id: str
    label: str
    scopes: tuple[str, ...]
    created_at: str
    expires_at: str | None = None


class Caller(msgspec.Struct, frozen=True):
    """The player of a request, the token, and what the token may do."""

    player: Player
    scopes: tuple[str, ...]
    token_id: str
    token_hash: str
    expires_ms: int | None = None

    @property
    def id(self) -> str:
        return self.player.id

    @property
    def name(self) -> str:
        return self.player.name


class _StoredToken(msgspec.Struct, frozen=True):
    """In the player's list of tokens."""

    label: str
    scopes: tuple[str, ...]
    created_ms: int
    hash: str
    expires_ms: int | None = None
    parent: str | None = None  # the id of the token that a session was begun with, and ends with


class Accounts:
    """Everything but a remembered `authenticate` and `valid` is a round trip, and raises Unavailable or, where
    something is written, Unconfirmed."""

    def __init__(
        self,
        connection: Connection,
        world: World,
        watch: Watch,
        *,
        claims: Claims | None = None,
        tokens_per_player: int = 0,
    ) -> None:
        """tokens_per_player: 0 for any number."""
        self._tokens_max = tokens_per_player
        self._pipe = connection.pipe
        self._claims = claims or Claims(connection, world)
        self._directory = Directory(connection)
        self._world = world
        self._watch = watch
        self._remembered: dict[str, Caller] = {}  # by the token's hash
        self._hashes: dict[str, str] = {}  # of tokens that were known once
        self._staying: dict[str, list[Callable[[], None]]] = {}  # by the token's hash
        self._listening = False
        self._looking_up = asyncio.Semaphore(LOOK_UPS_MAX)
        self._revocations = 0  # grows whenever something was or may have been revoked
        connection.keep_time(world)
        watch.subscribe(keys.REVOKED, self._revoked, self._missed)

    async def create_player(
        self,
        name: str,
        scopes: tuple[str, ...] = ("play",),
        *,
        bot: bool = False,
        address: str = "",
        key: Key | None = None,
    ) -> tuple[Account, str]:
        """The account and its first token. With a `key` that was used before from this address, those of that time.
        `bot`: of a program, which its id says from now on (match/bots.py).

        Raises MalformedBody for a name that is none; IdempotencyKeyReused, BadParameter for a key that may be guessed:
        who repeats it gets the token."""
        if not 1 <= len(name) <= NAME_CHARACTERS_MAX or not name.isprintable() or name != name.strip():
            raise MalformedBody(
                f"A name has 1 to {NAME_CHARACTERS_MAX} printable characters and no space at either end.",
                path="/name",
            )
        kind = BOT if bot else PERSON
        if key is not None:
            if len(key.key) < PLAYER_KEY_MIN:
                raise BadParameter(
                    f"To open an account, `Idempotency-Key` must have at least {PLAYER_KEY_MIN} characters, at random "
                    "(a UUID will do): whoever repeats it gets the token.",
                    extra={"minimum": PLAYER_KEY_MIN},
                )

            async def create(claim: Claim) -> tuple[Account, str]:
                return await self._create_once(name, scopes, claim, kind)

            return await self._claims.once(f"address {address}", key.key, key.digest, create)
        player = self._world.new_id(kind)
        self._pipe.check_growth(keys.player(player))
        created_ms = self._world.now_ms()
        await self._pipe.call("HSET", keys.player(player), "name", name, "created_at", created_ms, write=True)
        await self._directory.enter([Player(player, name)])
        new = await self._add_token(Player(player, name), "", scopes)
        return Account(player, name, rfc3339(created_ms)), new.token

    async def _create_once(
        self, name: str, scopes: tuple[str, ...], claim: Claim, kind: str
    ) -> tuple[Account, str]:
        """However often, and wherever it stopped before. A token that has been revoked since is not made valid
        again."""
        player = Player(claim.id(kind), name)
        token, token_hash = _token(claim.secret("token", TOKEN_BYTES))
        token_id, now_ms = claim.id("tk_"), self._world.now_ms()
        stored = msgspec.json.encode(_StoredToken("", scopes, now_ms, token_hash))
        of_player = [keys.player(player.id), keys.tokens(player.id)]
        kept_name, created_ms, listed = await self._pipe.script(
            "new_player", of_player, (name, now_ms, token_id, stored)
        )
        if kept_name.decode() != name:
            raise IdempotencyKeyReused()
        await self._directory.enter([player])
        if listed:
            caller = msgspec.json.encode(Caller(player, scopes, token_id, token_hash))
            await self._pipe.call("SET", keys.token(token_hash), caller, write=True)
            if not await self._pipe.call("HEXISTS", keys.tokens(player.id), token_id):
                await self._forget(token_hash)  # it was revoked between these steps
        return Account(player.id, name, rfc3339(int(created_ms))), token

    async def open_with_token(self, player: Player, token: str, scopes: tuple[str, ...] = ("play",)) -> None:
        """An account with this id, name and token, as far as it is not there already; however often, and wherever it
        stopped before."""
        token_hash, now_ms = hashlib.sha256(token.encode()).hexdigest(), self._world.now_ms()
        token_id = f"tk_{token_hash[:16]}"
        stored = msgspec.json.encode(_StoredToken("", scopes, now_ms, token_hash))
        caller = msgspec.json.encode(Caller(player, scopes, token_id, token_hash))
        # The name last: with it, the account is there.
        for name, value in (("created_at", now_ms), ("name", player.name)):
            await self._pipe.call("HSETNX", keys.player(player.id), name, value, write=True)
        await self._pipe.call("HSETNX", keys.tokens(player.id), token_id, stored, write=True)
        await self._pipe.call("SET", keys.token(token_hash), caller, write=True)

    async def erase(self, player: Player) -> None:
        """The account is gone: its name, and its tokens. However often, and wherever it stopped before."""
        await self.revoke_all(player.id)
        await self._directory.remove(player)
        # It stays as an empty one, so that no repeated call opens it again.
        await self._pipe.call("HSET", keys.player(player.id), "name", "", write=True)

    async def keep_gone(self, caller: Caller, key: Key) -> None:
        """The caller leaves for good by a request with this key."""
        name = keys.gone(caller.token_hash, key.key)
        await self._pipe.call("SET", name, key.digest, "EX", TTL_SECONDS, write=True)

    async def has_gone(self, token: str, key: Key) -> bool:
        """Did the owner of this token leave for good by this very request?"""
        name = keys.gone(hashlib.sha256(token.encode()).hexdigest(), key.key)
        return bool(await self._pipe.call("GET", name) == key.digest.encode())

    async def revoke_all(self, player_id: str) -> None:
        """Every token that the player has."""
        for token_id in await self._stored(player_id):
            with suppress(UnknownToken):
                await self.revoke(player_id, token_id)

    async def player(self, player_id: str) -> Account:
        """Raises UnknownPlayer."""
        name, created_ms = await self._pipe.call("HMGET", keys.player(player_id), "name", "created_at")
        if not name:
            raise UnknownPlayer("There is no player with this id, or the player has left for good.")
        return Account(player_id, name.decode(), rfc3339(int(created_ms)))

    async def named(self, player_id: str) -> Player:
        """As a match writes a player down. Raises UnknownPlayer."""
        account = await self.player(player_id)
        return Player(account.id, account.name)

    async def names(self, player_ids: Sequence[str]) -> list[str]:
        """Of players that there are, or were ("")."""
        found = await self._pipe.many(("HGET", keys.player(player), "name") for player in player_ids)
        return ["" if name is None else name.decode() for name in found]

    async def create_token(self, player_id: str, label: str, scopes: Sequence[str]) -> NewToken:
        """Raises UnknownPlayer, QuotaExceeded. Whether the caller may give these scopes is his to check."""
        player = await self.named(player_id)
        self._pipe.check_growth(keys.tokens(player_id))
        return await self._add_token(player, label, tuple(scopes))

    async def create_session(self, caller: Caller, lasts_ms: int) -> NewToken:
        """A token for the cookie of a browser: with the caller's scopes, for this time, and as long as his token lives.

        Raises QuotaExceeded, InsufficientScope for a caller who comes by a session, Unauthenticated if his token was
        revoked meanwhile."""
        if caller.expires_ms is not None:
            raise InsufficientScope("A session cannot begin another one; send a token.")
        self._pipe.check_growth(keys.tokens(caller.id))
        now_ms = self._world.now_ms()
        for token_id, stored in (await self._stored(caller.id)).items():
            if stored.expires_ms is not None and stored.expires_ms <= now_ms:
                await self._pipe.call("HDEL", keys.tokens(caller.id), token_id, write=True)
        session = await self._add_token(
            caller.player, "session", caller.scopes, lasts_ms=lasts_ms, parent=caller.token_id
        )
        if await self._look_up(caller.token_hash) is None:  # who revoked it may not have seen the session
            with suppress(UnknownToken):
                await self.revoke(caller.id, session.id)
            raise Unauthenticated("The token has been revoked.")
        return session

    async def tokens(
        self, player_id: str, after: str | None = None, limit: int = 50
    ) -> tuple[list[Token], str | None]:
        """The oldest first, from behind the cursor `after`; with the cursor of the next page, None at the end."""
        now_ms = self._world.now_ms()
        stored = {
            id: token
            for id, token in (await self._stored(player_id)).items()
            if token.expires_ms is None or token.expires_ms > now_ms
        }
        cursors = {f"{token.created_ms:013d}:{id}": id for id, token in stored.items()}
        found = sorted(cursor for cursor in cursors if after is None or cursor > after)
        page = [
            Token(
                id,
                stored[id].label,
                stored[id].scopes,
                rfc3339(stored[id].created_ms),
                _rfc3339(stored[id].expires_ms),
            )
            for id in (cursors[cursor] for cursor in found[:limit])
        ]
        return page, found[limit - 1] if len(found) > limit else None

    async def revoke(self, player_id: str, token_id: str) -> None:
        """At once and everywhere, with the sessions that were begun with it. Raises UnknownToken."""
        stored = (await self._stored(player_id)).get(token_id)
        if stored is None:
            raise UnknownToken("You have no token with this id.")
        # First what counts. Should we die in between, the list still shows the token, and it can be revoked again: it
        # leaves the list when every process has been told, and its sessions have ended.
        await self._forget(stored.hash)
        for session_id, session in (await self._stored(player_id)).items():
            if session.parent == token_id:
                await self._forget(session.hash)
                await self._pipe.call("HDEL", keys.tokens(player_id), session_id, write=True)
        await self._pipe.call("HDEL", keys.tokens(player_id), token_id, write=True)
        # A call that was just making it valid (`_create_once`) has now, or sees that it is no longer listed.
        await self._forget(stored.hash)

    async def _forget(self, token_hash: str) -> None:
        """The token opens nothing from now on, here and in every process."""
        await self._pipe.call("DEL", keys.token(token_hash), write=True)
        self._revoked(token_hash.encode())
        await self._pipe.call("PUBLISH", keys.REVOKED, token_hash, write=True)

    async def authenticate(self, token: str) -> Caller | None:
        """None for a token that is unknown or revoked, or no token at all."""
        if _TOKEN.fullmatch(token) is None:
            return None
        token_hash = hashlib.sha256(token.encode()).hexdigest()
        caller = self._remembered.get(token_hash) or await self._look_up(token_hash)
        if caller is not None and self._has_expired(caller):
            self._remembered.pop(token_hash, None)
            return None
        if caller is not None:
            if len(self._hashes) >= REMEMBERED_MAX:
                self._hashes.clear()
            self._hashes[token] = token_hash
        return caller

    def remembered(self, token: str) -> Caller | None:
        """`authenticate` as far as it takes neither a round trip nor the hash of the token; None: ask there."""
        token_hash = self._hashes.get(token)
        caller = None if token_hash is None else self._remembered.get(token_hash)
        return None if caller is None or self._has_expired(caller) else caller

    async def valid(self, caller: Caller) -> bool:
        """Neither revoked nor expired since `authenticate`: for those who stay long."""
        if self._has_expired(caller):
            return False
        return caller.token_hash in self._remembered or await self._look_up(caller.token_hash) is not None

    def _has_expired(self, caller: Caller) -> bool:
        return caller.expires_ms is not None and caller.expires_ms <= self._world.now_ms()

    @contextmanager
    def staying(self, caller: Caller, revoked: Callable[[], None]) -> Iterator[None]:
        """`revoked()` as soon as the token is revoked, here or in another process. It must not block. Who begins to
        stay asks `valid` once, and now and then, for messages may be missed."""
        staying = self._staying.setdefault(caller.token_hash, [])
        staying.append(revoked)
        try:
            yield
        finally:
            staying.remove(revoked)
            if not staying:
                self._staying.pop(caller.token_hash, None)

    async def _look_up(self, token_hash: str) -> Caller | None:
        async with self._looking_up:
            revocations = self._revocations
            raw = await self._pipe.call("GET", keys.token(token_hash))
        if raw is None:
            return None
        caller: Caller = msgspec.json.decode(raw, type=Caller)
        # The message of a revocation comes on another connection and may have overtaken this reply.
        if self._listening and revocations == self._revocations:
            if len(self._remembered) >= REMEMBERED_MAX:
                del self._remembered[next(iter(self._remembered))]
            self._remembered[token_hash] = caller
        return caller

    async def _stored(self, player_id: str) -> dict[str, _StoredToken]:
        """By the token's id, expired sessions included."""
        flat = await self._pipe.call("HGETALL", keys.tokens(player_id))
        return {
            flat[i].decode(): msgspec.json.decode(flat[i + 1], type=_StoredToken)
            for i in range(0, len(flat), 2)
        }

    async def _add_token(
        self,
        player: Player,
        label: str,
        scopes: tuple[str, ...],
        *,
        lasts_ms: int | None = None,
        parent: str | None = None,
    ) -> NewToken:
        """lasts_ms: None for a token that does not expire."""
        token, token_hash = _token(self._world.token_bytes(TOKEN_BYTES))
        token_id = self._world.new_id("tk_")
        now_ms = self._world.now_ms()
        expires_ms = None if lasts_ms is None else now_ms + lasts_ms
        stored = _StoredToken(label, scopes, now_ms, token_hash, expires_ms, parent)
        # Last what makes it valid: a token that nobody could list or revoke must not come to be.
        kept = (token_id, msgspec.json.encode(stored), self._tokens_max, "")
        have = await self._pipe.script("keep", [keys.tokens(player.id)], kept)
        if have != -1:
            detail = f"You have {have} tokens, and {self._tokens_max} is the limit. Revoke one first."
            raise QuotaExceeded("tokens_per_player", have, self._tokens_max, detail)
        caller = Caller(player, scopes, token_id, token_hash, expires_ms)
        until = () if lasts_ms is None else ("PX", lasts_ms)
        await self._pipe.call("SET", keys.token(token_hash), msgspec.json.encode(caller), *until, write=True)
        return NewToken(token, token_id, label, scopes, rfc3339(now_ms), _rfc3339(expires_ms))

    def _revoked(self, token_hash: bytes) -> None:
        self._revocations += 1
        self._remembered.pop(token_hash.decode(), None)
        for revoked in tuple(self._staying.get(token_hash.decode(), ())):
            revoked()

    def _missed(self) -> None:
        self._revocations += 1
        self._remembered.clear()
        self._hashes.clear()
        self._listening = self._watch.ready


def _token(secret: bytes) -> tuple[str, str]:
    """The token, and the hash by which it is found."""
    token = "wl_" + base64.urlsafe_b64encode(secret).decode().rstrip("=")
    return token, hashlib.sha256(token.encode()).hexdigest()


def _rfc3339(ms: int | None) -> str | None:
    return None if ms is None else rfc3339(ms)
