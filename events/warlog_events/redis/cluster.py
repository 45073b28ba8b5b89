"""A Redis Cluster behind the interface of one server: a Line to each primary, and a map of who serves which slot.

A command goes to the primary of its key's slot. What that one does not do because the slot has gone elsewhere (MOVED)
or is on its way (ASK, TRYAGAIN) is asked of the right one, for a few seconds if need be: such a refusal says that
nothing was done. A command whose *answer* was lost is never sent again from here: it is Unconfirmed, as with a single
server, because only an idempotency key can tell whether it was done.

The map is what all primaries say, who are asked once a second. Of two servers that have a slot the one of the later
configuration epoch has it, which is the nodes' own rule: a primary that has been cut off from the others goes on
believing in itself. What one node says of another counts for nothing where that one says otherwise.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Collection, Coroutine, Iterable, Sequence
from contextlib import suppress
from functools import lru_cache
from typing import Any, NamedTuple

from msgspec.structs import replace
from redis.crc import key_slot
from redis.exceptions import ResponseError

from ..errors import Unavailable, Unconfirmed
from .capacity import Room
from .keys import nothing_beside
from .pipe import PAUSE_S_MIN, Address, Client, Line
from .wire import AWAY, Asked, Reply, Wire, Word, away

log = logging.getLogger("warlog.redis")

SLOTS = 16384
LOOK_EVERY_S = 1.0  # at what the primaries say; sooner when something seems to have changed
LOOK_AGAIN_S = 0.1
ANSWER_S_MAX = 1.0  # for what a node says about the cluster
FOLLOW_S_MAX = 5.0  # how long a command follows its slot around
PAUSE_S_MAX = 0.2  # between two attempts of it
RETIRE_S = 10.0  # how long a connection stays to a node that serves nothing any more

PART_AWAY = "A part of the server's database does not answer; try again soon."
MOVING = "A part of the server's database is being moved; try again soon."

Endpoint = tuple[str, int]

# Where a command's first key stands, if not behind its name; 0: it has none, and any node will do. All keys of a
# command are in one slot, and so is everything that a pattern with a hash tag finds.
_KEY_AT = {
    "EVAL": 3,
    "EVALSHA": 3,
    "SCAN": 3,
    "ECHO": 0,
    "PING": 0,
    "PUBLISH": 0,
    "TIME": 0,
}

_DECLARE_ALL_KEYS = {"append", "admit", "follow"}


def slot_of(key: Word) -> int:
    text = key.decode("latin-1") if isinstance(key, bytes) else str(key)
    start = text.find("{") + 1
    end = text.find("}", start)
    if 0 < start < end:
        return _slot_of_tag(text[start:end], isinstance(key, bytes))
    return key_slot(key if isinstance(key, bytes) else text.encode())


@lru_cache(maxsize=4096)
def _slot_of_tag(tag: str, is_latin: bool) -> int:
    return key_slot(tag.encode("latin-1" if is_latin else "utf-8"))


def _key(words: Sequence[Word]) -> Word | None:
    """The first key; None for a command without any."""
    at = _KEY_AT.get(str(words[0]), 1)
    return words[at] if 0 < at < len(words) else None


class Claim(NamedTuple):
    """`owner`, whose configuration epoch is `epoch`, serves the slots from `first` to `last`."""

    first: int
    last: int
    owner: Endpoint
    epoch: int


class View(NamedTuple):
    """What one node says of the cluster.

    ok        it is in touch with most of it
    of        who says it, if it serves anything itself
    replicas  whom else one might ask
    """

    ok: bool
    of: Endpoint | None
    claims: list[Claim]
    replicas: set[Endpoint]


async def _look(wire: Wire, at: Address) -> View:
    """Raises Unavailable when there is no answer in time."""
    try:
        async with asyncio.timeout(ANSWER_S_MAX):
            info, nodes, slots = await asyncio.gather(
                *(wire.send_once(("CLUSTER", what)) for what in ("INFO", "NODES", "SLOTS"))
            )
    except TimeoutError as error:
        raise away("no answer from a node of the cluster") from error
    said = dict(line.partition(":")[::2] for line in info.decode().splitlines())
    # <id> <address> <flags> <primary> <ping> <pong> <configuration epoch> …
    known = {words[0]: words for words in map(bytes.split, nodes.splitlines())}
    claims: list[Claim] = []
    of: Endpoint | None = None
    replicas: set[Endpoint] = set()
    for first, last, primary, *others in slots:
        owner = _endpoint(primary, at)
        _, _, flags, _, _, _, epoch, *_ = known[primary[2]]
        claims.append(Claim(first, last, owner, int(epoch)))
        if b"myself" in flags:
            of = owner
        replicas.update(_endpoint(other, at) for other in others)
    return View(said["cluster_state"] == "ok", of, claims, replicas)


def _endpoint(node: Reply, at: Address) -> Endpoint:
    """Of [host, port, id …]. A node that does not know its own name is where we found it."""
    host = (node[0] or b"").decode()
    return (at.host if host in ("", "?") else host), int(node[1])


class ClusterPipe(Client):
    """The primaries of a cluster, as one Client.

    seeds    where somebody of the cluster is
    greet    what a new connection to a primary must first say and check
    changed  called with the slots whose server has changed, or was away and is back, once it can be asked: it may have
             less than we were told it had
    """

    def __init__(
        self,
        seeds: Sequence[Address],
        greet: Callable[[Wire], Awaitable[None]],
        changed: Callable[[Collection[int]], None] = lambda slots: None,
        *,
        replicas: int = 0,
        wait_ms: int = 1000,
        looks: bool = False,
    ) -> None:
        self._seeds = list(seeds)
        self._greet = greet
        self._changed = changed
        self._replicas_wanted = replicas
        self._wait_ms = wait_ms
        self._looks = looks
        self._lines: dict[Endpoint, Line] = {}  # to the server of each slot that is in use
        self._owners: list[Endpoint | None] = [None] * SLOTS
        self._epochs = [-1] * SLOTS  # of the owners' claims
        self._views: list[View] = []  # that the map was last made of
        self._replicas: set[Endpoint] = set()
        self._deaf: set[Endpoint] = set()  # primaries that have lost touch with the others
        self._unsaid: set[int] = set()  # slots to be told to `changed`
        self._idle_since: dict[Endpoint, float] = {}  # of lines to nodes that serve nothing now
        self._stale = asyncio.Event()
        self._keeping: asyncio.Task[None] | None = None
        self._tasks: set[asyncio.Task[None]] = set()

    # -- life

    async def open(self) -> None:
        """Raises Unavailable unless every primary can be reached, and whatever `greet` raises."""
        try:
            self._take(await self._look_around(), start=False)
            if any(owner is None for owner in self._owners):
                raise away("some slots of the cluster have no server")
            await asyncio.gather(*(line.open() for line in self._lines.values()))
        except BaseException:
            await self.close()
            raise
        self._unsaid.clear()
        self._keeping = asyncio.create_task(self._keep(), name="warlog redis cluster")

    async def close(self) -> None:
        tasks = [*self._tasks, *([] if self._keeping is None else [self._keeping])]
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks)
        lines, self._lines = self._lines, {}
        self._owners = [None] * SLOTS
        await asyncio.gather(*(line.close() for line in lines.values()))
        self._epochs = [-1] * SLOTS
        self._views = []

    @property
    def ready(self) -> bool:
        """Some commands can be done: who has lost one primary of three still serves two thirds."""
        return any(line.ready for line in self._lines.values())

    @property
    def reached(self) -> float:
        return 1 - self.slots_away / SLOTS

    @property
    def slots_away(self) -> int:
        """How many slots cannot be reached now."""
        return SLOTS - sum(map(self._is_served, range(SLOTS)))

    @property
    def rooms(self) -> Collection[Room]:
        return [self._lines[owner].room for owner in {*self._owners} if owner is not None]

    def check_growth(self, key: str) -> None:
        if (owner := self._owners[slot_of(key)]) is not None:
            self._lines[owner].room.check_growth()

    def is_in_touch(self, endpoint: Endpoint) -> bool:
        """A primary that hears the others."""
        return endpoint in self._lines and endpoint not in self._deaf

    async def locate(self) -> Address:
        """A primary that hears the others, for further connections of one's own. Raises Unavailable."""
        for endpoint, line in self._lines.items():
            if line.ready and endpoint not in self._deaf:
                return self._address(endpoint)
        raise Unavailable(PART_AWAY)

    # -- commands

    def send(self, *words: Word, write: bool = False, packed: bytes | None = None) -> asyncio.Future[Reply]:
        wire = self._line_for(words).wire
        if wire is None:
            self._stale.set()
            raise Unavailable(PART_AWAY)
        return wire.send(words, write, packed)

    async def atomically(self, commands: Iterable[Sequence[Word]]) -> list[Reply]:
        queued = list(commands)
        slot = slot_of(queued[0][1])

        async def transaction(wire: Wire) -> list[Reply]:
            sent = [wire.send_once(words, True) for words in (("MULTI",), *queued, ("EXEC",))]
            answers: Any = await asyncio.gather(*sent, return_exceptions=True)
            # Of several the first says why; EXEC's only that there was something.
            _raise_first(answers)
            _raise_first(done := answers[-1])
            return list(done)

        line = self._line_for(queued[0])
        if line.wire is None:
            self._stale.set()
            raise Unavailable(PART_AWAY)
        try:
            return await transaction(line.wire)
        except (ResponseError, Unavailable) as refusal:
            if not _is_elsewhere(refusal):
                raise
            replies: list[Reply] = await self._follow(slot, refusal, transaction)
            return replies

    async def script(
        self, name: str, keys: Sequence[str], arguments: Sequence[Word], *, write: bool = True
    ) -> Reply:
        """With one more key, which never exists, for a script that makes up keys of its own: as long as the slot is on
        its way, Redis then refuses the whole script (TRYAGAIN) instead of one of its writes."""
        if name not in _DECLARE_ALL_KEYS:
            keys = [*keys, nothing_beside(keys[0])]
        return await super().script(name, keys, arguments, write=write)

    def _line_for(self, words: Sequence[Word]) -> Line:
        key = _key(words)
        if key is None:
            for line in self._lines.values():
                if line.ready:
                    return line
            raise Unavailable(PART_AWAY)
        owner = self._owners[slot_of(key)]
        if owner is None:
            self._stale.set()
            raise Unavailable(PART_AWAY)
        return self._lines[owner]

    # -- redirections

    def _refused(self, reply: ResponseError, asked: Asked) -> bool:
        future, write, words = asked
        if "CLUSTERDOWN" in str(reply):
            self._stale.set()
        if not words or not _is_elsewhere(reply):
            return False
        self._spawn(self._settle_elsewhere(future, bool(write), words, reply))
        return True

    async def _settle_elsewhere(
        self, future: asyncio.Future[Reply], write: bool, words: Sequence[Word], refusal: Exception
    ) -> None:
        key = _key(words)
        assert key is not None
        try:
            reply = await self._follow(
                slot_of(key), refusal, lambda wire: wire.send_once(words, write), future.done
            )
        except asyncio.CancelledError:
            if not future.done():
                future.set_exception(Unconfirmed() if write else Unavailable(AWAY))
            raise
        except Exception as error:
            if not future.done():
                future.set_exception(error)
        else:
            if not future.done():
                future.set_result(reply)

    async def _follow(
        self,
        slot: int,
        refusal: Exception,
        send: Callable[[Wire], Awaitable[Reply]],
        abandoned: Callable[[], bool] = lambda: False,
    ) -> Reply:
        """Sends a command that was refused (MOVED, ASK, TRYAGAIN) to the slot's server until it is done."""
        loop = asyncio.get_running_loop()
        until = loop.time() + FOLLOW_S_MAX
        pause = 0.0
        while loop.time() < until and not abandoned():
            kind, _, rest = _said(refusal).partition(" ")
            if kind == "TRYAGAIN":
                pause = max(pause, PAUSE_S_MIN)
            await asyncio.sleep(pause)
            pause = min(max(2 * pause, PAUSE_S_MIN / 4), PAUSE_S_MAX)
            endpoint = self._owners[slot] if kind == "TRYAGAIN" else self._named(rest)
            if kind == "MOVED":
                self._moved(slot, endpoint)
            if endpoint is None or (wire := await self._wire_to(endpoint, until)) is None:
                refusal = Unavailable(PART_AWAY)
                break
            try:
                if kind == "ASK":  # both in this tick, hence one behind the other
                    wire.send_once(("ASKING",)).add_done_callback(_ignore)
                return await send(wire)
            except (ResponseError, Unavailable) as error:
                if not _is_elsewhere(error):
                    raise
                refusal = error
        raise Unavailable(MOVING)

    def _named(self, slot_and_place: str) -> Endpoint:
        """Of "3999 127.0.0.1:6381". A node that does not know its host's name leaves that out."""
        host, _, port = slot_and_place.partition(" ")[2].rpartition(":")
        return host or self._seeds[0].host, int(port)

    def _moved(self, slot: int, endpoint: Endpoint | None) -> None:
        self._stale.set()
        if endpoint is not None and self._owners[slot] != endpoint:
            self._line(endpoint)
            self._owners[slot] = endpoint
            self._unsaid.add(slot)

    async def _wire_to(self, endpoint: Endpoint, until: float) -> Wire | None:
        """To somebody who may be new to us. None: not in time."""
        loop = asyncio.get_running_loop()
        line = self._line(endpoint)
        while line.wire is None and loop.time() < until:
            await asyncio.sleep(PAUSE_S_MIN)
        return line.wire

    # -- who serves what

    async def _keep(self) -> None:
        while True:
            settled = not self._unsaid and all(line.ready for line in self._lines.values())
            with suppress(TimeoutError):
                async with asyncio.timeout(LOOK_EVERY_S if settled else LOOK_AGAIN_S):
                    await self._stale.wait()
            self._stale.clear()
            try:
                self._take(await self._look_around())
            except Unavailable as error:
                log.warning("the cluster: %s", error)
            except Exception:
                log.exception("the map of the cluster could not be read")
            self._say()
            await asyncio.sleep(LOOK_AGAIN_S)

    async def _look_around(self) -> list[View]:
        """What those say who are in touch with the others. Replicas and seeds are asked only if no primary is. Raises
        Unavailable, or what was wrong with the first."""
        asked = [(endpoint, line.wire) for endpoint, line in self._lines.items() if line.wire is not None]
        looks = (_look(wire, self._address(endpoint)) for endpoint, wire in asked)
        answers: list[View | BaseException] = await asyncio.gather(*looks, return_exceptions=True)
        for (endpoint, wire), answer in zip(asked, answers, strict=True):
            self._hear(endpoint, wire, answer)
        if not any(isinstance(answer, View) and answer.ok for answer in answers):
            known = {(seed.host, seed.port) for seed in self._seeds} | self._replicas | {*self._lines}
            others = (self._look_at(self._address(one)) for one in known)
            answers = await asyncio.gather(*others, return_exceptions=True)
        good = [answer for answer in answers if isinstance(answer, View) and answer.ok]
        if good:
            return good
        for answer in answers:
            if isinstance(answer, BaseException):
                raise answer
        raise away("no node of the cluster is in touch with most of the others")

    async def _look_at(self, address: Address) -> View:
        async def here() -> Address:
            return address

        async def nothing(wire: Wire) -> None:
            pass

        wire = await Line(here, nothing).dial()
        try:
            return await _look(wire, address)
        finally:
            wire.drop()

    def _hear(self, endpoint: Endpoint, wire: Wire, answer: View | BaseException) -> None:
        if isinstance(answer, View):
            if answer.ok == (endpoint in self._deaf):
                (self._deaf.remove if answer.ok else self._deaf.add)(endpoint)
                self._tell(())
        elif endpoint not in self._owners:
            # A server that has been replaced and does not even answer: who still waits for it is told at once.
            wire.drop()

    def _take(self, views: list[View], *, start: bool = True) -> None:
        """The map is brought up to what they claim; what nobody claims stays as it was."""
        if views != self._views:
            self._views = views
            self._replicas = set().union(*(view.replicas for view in views))
            own = {view.of: _slots(c for c in view.claims if c.owner == view.of) for view in views}
            for claim in (claim for view in views for claim in view.claims):
                for slot in own.get(claim.owner, _ALL).intersection(range(claim.first, claim.last + 1)):
                    self._learn(slot, claim)
        serving = {owner for owner in {*self._owners} if owner is not None}
        for endpoint in serving:
            self._line(endpoint, start=start)
        self._retire(serving)

    def _learn(self, slot: int, claim: Claim) -> None:
        if claim.epoch >= self._epochs[slot]:
            self._epochs[slot] = claim.epoch
            if self._owners[slot] != claim.owner:
                self._owners[slot] = claim.owner
                self._unsaid.add(slot)

    def _retire(self, serving: set[Endpoint]) -> None:
        """Lets go of nodes that have served nothing for a while: the last replies may still be on their way."""
        now = asyncio.get_running_loop().time()
        for endpoint in [*self._lines]:
            if endpoint in serving:
                self._idle_since.pop(endpoint, None)
            elif self._idle_since.setdefault(endpoint, now) < now - RETIRE_S:
                del self._idle_since[endpoint]
                self._deaf.discard(endpoint)
                self._spawn(self._lines.pop(endpoint).close())

    def _line(self, endpoint: Endpoint, *, start: bool = True) -> Line:
        line = self._lines.get(endpoint)
        if line is None:
            address = self._address(endpoint)

            async def locate() -> Address:
                return address

            line = self._lines[endpoint] = Line(
                locate,
                self._greet,
                lambda: self._lost(endpoint),
                self._stale.set,
                replicas=self._replicas_wanted,
                wait_ms=self._wait_ms,
                refused=self._refused,
                looks=self._looks,
            )
            if start:
                line.start()
        return line

    def _lost(self, endpoint: Endpoint) -> None:
        """What its slots hold when they are back is to be looked at: it may be less than before."""
        self._unsaid.update(slot for slot, owner in enumerate(self._owners) if owner == endpoint)
        self._stale.set()

    def _say(self) -> None:
        back = {slot for slot in self._unsaid if self._is_served(slot)}
        if back:
            self._unsaid -= back
            self._tell(back)

    def _is_served(self, slot: int) -> bool:
        owner = self._owners[slot]
        return owner is not None and self._lines[owner].ready

    def _tell(self, slots: Collection[int]) -> None:
        try:
            self._changed(slots)
        except Exception:
            log.exception("a change of the cluster's map was not taken in")

    def _address(self, endpoint: Endpoint) -> Address:
        return replace(self._seeds[0], host=endpoint[0], port=endpoint[1])

    def _spawn(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)


def _slots(claims: Iterable[Claim]) -> set[int]:
    return {slot for claim in claims for slot in range(claim.first, claim.last + 1)}


_ALL = {*range(SLOTS)}


def _is_elsewhere(error: Exception) -> bool:
    """Nothing was done, because the slot, or a part of it, is at another node."""
    return _said(error).startswith(("MOVED ", "ASK ", "TRYAGAIN"))


def _said(error: Exception) -> str:
    """In Redis's words."""
    return error.said if isinstance(error, Unavailable) else str(error)


def _raise_first(replies: Iterable[Reply]) -> None:
    for reply in replies:
        if isinstance(reply, BaseException):
            raise reply


def _ignore(done: asyncio.Future[Reply]) -> None:
    """A future that nobody awaits must not complain of its exception."""
    if not done.cancelled():
        done.exception()
