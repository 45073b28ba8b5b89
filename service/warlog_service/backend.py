"""A running process: its settings, what it counts and limits, and what lies behind the API once Redis answers."""

from __future__ import annotations

import asyncio
import logging
import socket
import time
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Protocol

from litestar.types import Scope

from warlog_events.analyses import Analyses
from warlog_events.clock_and_random import World
from warlog_events.errors import DiskFull, Unavailable, WarlogError
from warlog_events.match_settings import MatchSettings
from warlog_events.matches import Matches
from warlog_events.memory.archive import Archive, Files
from warlog_events.players.accounts import Accounts
from warlog_events.players.challenges import Challenges
from warlog_events.players.directory import Directory
from warlog_events.players.house import House
from warlog_events.players.layouts import Library
from warlog_events.players.ledger import Ledger
from warlog_events.players.own_options import OptionsKept
from warlog_events.players.presence import Presence
from warlog_events.players.quotas import Quotas, QuotaSettings
from warlog_events.players.relations import Relations
from warlog_events.players.scenarios import Scenarios
from warlog_events.players.stakes import Stakes, StakeSettings
from warlog_events.reading.personal_feed import PersonalFeeds
from warlog_events.redis.append_notices import Watch
from warlog_events.redis.claims import Claims
from warlog_events.redis.connection import Connection, RedisUnsuitable, open_redis
from warlog_events.redis.lease import Lease
from warlog_events.redis.store import Store
from warlog_events.standing.counting import catalogue
from warlog_events.standing.standings import Standings
from warlog_events.threads import Threads
from warlog_events.workers.abandoned import Abandoned
from warlog_events.workers.absence import Absence
from warlog_events.workers.blocking import Blocking
from warlog_events.workers.bookkeeper import Bookkeeper
from warlog_events.workers.clock import Clock
from warlog_events.workers.leaving import Forget, Leaving
from warlog_events.workers.lobby import Lobby
from warlog_events.workers.notifier import Notifier
from warlog_events.workers.pairing import Pairing
from warlog_events.workers.projector import Projector
from warlog_events.workers.settler import Settler
from warlog_service.bots import Bots
from warlog_service.heavy import Heavy
from warlog_service.limits import Limits
from warlog_service.logs import is_json
from warlog_service.metrics import Metrics
from warlog_service.metrics_listener import MetricsListener
from warlog_service.settings import BadSettings, Settings
from warlog_service.sockets import bound

log = logging.getLogger("warlog")

RECONNECT_SECONDS = 0.5
UNSUITABLE_SECONDS = 2.0  # before a Redis that does not suit is looked at again: somebody has to change it
FULL_SECONDS = 1.0  # before work goes on that a full disk has stopped
PATIENCE_SECONDS = 1.0  # after which the service starts without Redis


class Stream(Protocol):
    """What is open for long: it is told when to end."""

    def close(self, code: str) -> None: ...


class Backend:
    """Everything over one connection. With `background`, lists of matches and accounts are brought up to date when
    they are asked for."""

    def __init__(
        self,
        connection: Connection,
        world: World,
        settings: Settings,
        files: Files | None = None,
        heavy_threads: Threads | None = None,
    ) -> None:
        """`heavy_threads`: for work on whole matches; None: as many as the settings say."""
        self.heavy_threads = heavy_threads or Threads("heavy", settings.heavy_at_once)
        self.connection = connection
        self.world = world
        self.watch = Watch(connection)
        self.archive = None if files is None else Archive(files)
        self.store = Store(connection, world, self.archive)
        claims = Claims(connection, world)
        self.accounts = Accounts(
            connection, world, self.watch, claims=claims, tokens_per_player=settings.tokens_per_player
        )
        self.directory = Directory(connection)
        self.relations = Relations(
            connection,
            world,
            self.accounts,
            following_per_player=settings.following_per_player,
            blocked_per_player=settings.blocked_per_player,
        )
        self.scenarios = Scenarios(connection, world, scenarios_per_player=settings.scenarios_per_player)
        self.house = House(connection, world, self.accounts)
        self.analyses = Analyses(connection, world)
        self.ledger = Ledger(connection, world, settings.starting_gold)
        self.library = Library(connection, world, layouts_per_game=settings.layouts_per_game)
        self.own_options = OptionsKept(connection, world, options_per_game=settings.options_per_game)
        stakes = Stakes(
            self.ledger,
            self.library,
            StakeSettings(
                stake_matches_min=settings.stake_matches_min,
                counted_matches_per_day=settings.counted_matches_per_day,
                counted_any_options=settings.counted_any_options,
            ),
        )
        quotas = Quotas(
            connection,
            world,
            self.store,
            QuotaSettings(
                lobbies_per_player=settings.lobbies_per_player,
                matches_per_player=settings.matches_per_player,
                matches_per_day=settings.matches_per_day,
                imports_per_day=settings.imports_per_day,
                challenges_per_player=settings.challenges_per_player,
            ),
        )
        self.presence = Presence(connection, world)
        self.matches = Matches(
            self.store,
            world,
            watch=self.watch,
            scenario=lambda scenario_id, player_id: self.scenarios.beginning(scenario_id, player_id),
            stakes=stakes,
            presence=self.presence,
            quotas=quotas,
            challenges=Challenges(self.relations, quotas),
            settings=MatchSettings(
                proposal_bytes_per_match=settings.proposal_bytes_per_match,
                events_per_match=settings.events_per_match,
            ),
            claims=claims,
            heavy_threads=self.heavy_threads,
        )
        if self.archive is not None:
            self.archive.counts = self.matches.counts
        counts = self.matches.counts
        self.personal_feeds = PersonalFeeds(
            connection,
            self.watch,
            world,
            fed=lambda at: counts.notice_lags.add(max(world.now_ms() - at, 0) / 1000),
        )
        self.notifier = Notifier(connection)
        self.projector = Projector(connection, self.store)
        self.lobby = Lobby(connection, self.projector.catch_up if settings.background else None)
        self.bookkeeper = Bookkeeper(self.store, self.matches, stakes, world)
        self.standings = Standings(connection, world)
        self.settler = Settler(
            self.matches,
            self.ledger,
            self.standings,
            world,
            matches_per_day=settings.counted_matches_per_day,
        )
        self.keeps_books = settings.background
        self.absence = Absence(connection, self.matches, world)
        self.clock = Clock(self.store, self.matches, world)
        self.abandoned = Abandoned(connection, self.matches, world, settings.lobby_seconds)
        self.pairing = Pairing(
            connection,
            self.matches,
            world,
            watch=self.watch,
            claims=claims,
            relations=self.relations,
            standings=self.standings,
            patience_seconds=settings.pairing_seconds,
            entries_max=settings.pairing_entries,
        )
        self.blocking = Blocking(self.relations, self.pairing, self.lobby, self.matches)

        also: list[Forget] = [self.standings.forget]
        self.leaving = Leaving(
            connection,
            world,
            self.matches,
            self.accounts,
            self.ledger,
            self.scenarios,
            self.pairing,
            self._catch_up,
            also,
        )

    async def _catch_up(self) -> None:
        """Brings the lists of matches, the accounts and ratings up to date with all earlier appends."""
        await self.projector.catch_up()
        await self.bookkeeper.catch_up()
        await self.settler.catch_up()

    async def project(self) -> None:
        """For ever: the lists of matches; and first the index of names, where a database has none yet."""
        await self.directory.fill()
        await self.projector.run()

    async def here(self, asker: str, players: Sequence[str]) -> set[str]:
        """Those of the players who are here now. Nobody is who has blocked the asker."""
        shut_out = await self.relations.blocked_by(asker, players)
        lately = await self.personal_feeds.followed_lately(players)
        return {one for one, is_here in zip(players, lately, strict=True) if is_here} - shut_out

    async def settle(self) -> None:
        """Accounts and standings take account of every match that was over before the call, if this process may."""
        if self.keeps_books:
            await self.bookkeeper.catch_up()
            await self.settler.catch_up()

    async def close(self) -> None:
        await self.matches.close()
        await self.personal_feeds.close()
        await self.watch.close()
        await self.connection.close()


class Service:
    """What all handlers share. `backend` raises Unavailable until Redis has answered for the first time."""

    def __init__(
        self,
        settings: Settings,
        monotonic: Callable[[], float] = time.monotonic,
        *,
        serves: bool = False,
        connect: Callable[..., Awaitable[Connection]] = open_redis,
        threads: Threads | None = None,
        machine: World | None = None,
    ) -> None:
        """`serves`: players come to this process. `threads`: for work on whole matches. `machine`: clock and
        randomness of the machine that this runs on; None: its own."""
        self._connect_to = connect
        self._machine = machine
        self._threads = threads
        self.heavy = Heavy(settings)
        self.settings = settings
        _check_achievements()
        self._serves = serves
        machine = machine or World.real()
        self.world = machine if settings.test_world is None else World.fixed(settings.test_world)
        if self.world.is_fixed:
            log.warning("a test world: the clock stands still, and ids, tokens and seeds can be foreseen")
        self.files = _files(settings)
        self.limits = Limits(settings, monotonic)
        self.metrics = Metrics()
        self.feeds: set[Stream] = set()
        self.closing = False
        self.metrics_listener: MetricsListener | None = None
        self.on_backend: Callable[[Backend], None] = lambda backend: None  # before anything is asked of it
        self._backend: Backend | None = None
        self._started = False
        self._name = machine.token_bytes(8).hex()  # among the processes that ask for a lease
        self._tasks: list[asyncio.Task[None]] = []
        self.bots: Bots | None = None
        if serves and settings.bots:
            self.bots = Bots(settings.bots, settings.bots_budget, json=is_json(settings.log_format))
        self._url = ""
        self._listens = asyncio.Event()
        self._show()

    def _show(self) -> None:
        """The figures that are read when somebody asks."""

        def of_backend(read: Callable[[Backend], float]) -> Callable[[], float]:
            return lambda: 0.0 if self._backend is None else float(read(self._backend))

        metrics = self.metrics
        metrics.work(lambda: None if self._backend is None else self._backend.matches.counts)
        metrics.gauge(
            "warlog_heavy_requests",
            "Requests for whole matches (verify, export, import, long histories) that wait or are worked on.",
            lambda: self.heavy.under_way,
        )
        metrics.gauge("warlog_feeds_open", "Feeds open now.", lambda: len(self.feeds))
        metrics.gauge(
            "warlog_feed_events_waiting",
            "Events that wait for the readers of feeds.",
            of_backend(lambda b: b.matches.feed_events_waiting),
        )
        metrics.gauge(
            "warlog_personal_feeds_open",
            "Personal feeds open now.",
            of_backend(lambda b: b.personal_feeds.open),
        )
        metrics.gauge(
            "warlog_redis_connected",
            "The share of Redis that can be reached: of one server 0 or 1.",
            of_backend(lambda b: b.connection.pipe.reached),
        )
        metrics.gauge(
            "warlog_writes_refused",
            "1 while nothing is saved, because the disk or Redis's memory is full.",
            of_backend(lambda b: float(b.connection.refuses is not None)),
        )
        metrics.gauge(
            "warlog_growth_refused",
            "The share of Redis in which nothing new is begun, because its memory is nearly full.",
            of_backend(lambda b: b.connection.crowded),
        )
        metrics.gauge(
            "warlog_cache_matches", "Matches in memory.", of_backend(lambda b: len(b.matches.cache))
        )
        metrics.gauge(
            "warlog_deadlines_overdue",
            "Deadlines that had passed at the last look and are still there.",
            of_backend(lambda b: b.clock.overdue),
        )
        if self.bots is not None:
            metrics.opponents(self.bots.total, self.bots.waiting)

    def listens_on(self, url: str) -> None:
        """Players, and the house's bots, reach this process there."""
        self._url = url
        self._listens.set()

    def show_metrics_on(self, listener: socket.socket) -> None:
        """From `start` to `stop`, `/metrics` is served on this socket."""
        self.metrics_listener = MetricsListener(self.metrics.registry, listener)

    @property
    def metrics_urls(self) -> list[str]:
        return [] if self.metrics_listener is None else [self.metrics_listener.url]

    def hide_metrics(self) -> None:
        """The process is going down; the one that replaces it shows its own from now on."""
        if self.metrics_listener is not None:
            self.metrics_listener.close()

    @property
    def backend(self) -> Backend:
        if self._backend is None:
            raise Unavailable("The server's database has not answered yet; try again soon.")
        return self._backend

    async def check_ready(self) -> None:
        """Would a command be taken now? Raises Unavailable, DiskFull."""
        connection = self.backend.connection
        if (refusal := connection.refuses) is not None:
            raise refusal
        if self.closing or not await connection.pipe.ping():
            raise Unavailable("The server's database does not answer, or the server is going down.")

    async def start(self) -> None:
        """With a URL, Redis may come later; an embedded one that does not start is an error, as is an unsuitable one
        that is there already. Raises OSError where the address for metrics is not to be had."""
        if self._serves and self.metrics_listener is None:
            self.show_metrics_on(bound(self.settings.metrics_host, self.settings.metrics_port))
        connecting = asyncio.create_task(self._connect_with_patience())
        self._tasks.append(connecting)
        await asyncio.wait([connecting], timeout=None if self.settings.redis is None else PATIENCE_SECONDS)
        if connecting.done():
            connecting.result()
        self._started = True
        if self.metrics_listener is not None:
            await self.metrics_listener.open()

    async def stop(self) -> None:
        self.hide_metrics()
        for task in self._tasks:
            task.cancel()
        for task in self._tasks:
            with suppress(asyncio.CancelledError):
                await task
        if self._backend is not None:
            await self._backend.close()

    async def _connect(self) -> None:
        settings = self.settings
        connection = await self._connect_to(
            settings.redis,
            Path(settings.data),
            settings.durability,
            replicas=settings.replicas,
            buckets=settings.buckets,
            memory_bytes=settings.redis_bytes_max,
            ballast_bytes=settings.ballast_bytes,
            machine=self._machine,
        )
        backend = Backend(connection, self.world, settings, self.files, self._threads)
        self.on_backend(backend)
        self._backend = backend
        if settings.compare_seconds:
            self._tasks.append(asyncio.create_task(self._go_on("compare", self._compare)))
        if self._serves:
            self._tasks.append(asyncio.create_task(self._go_on("presence", backend.presence.run)))
        if self.bots is not None:
            self._tasks.append(asyncio.create_task(self._work("bots", partial(self._keep_bots, self.bots))))
        if settings.background:
            self._tasks.append(asyncio.create_task(self._work("projector", backend.project)))
            self._tasks.append(asyncio.create_task(self._work("notifier", backend.notifier.run)))
            self._tasks.append(asyncio.create_task(self._work("absence", backend.absence.run)))
            self._tasks.append(asyncio.create_task(self._work("bookkeeper", backend.bookkeeper.run)))
            self._tasks.append(asyncio.create_task(self._work("settler", backend.settler.run)))
            self._tasks.append(asyncio.create_task(self._work("clock", backend.clock.run)))
            self._tasks.append(asyncio.create_task(self._work("abandoned", backend.abandoned.run)))
            self._tasks.append(asyncio.create_task(self._work("pairing", backend.pairing.run)))
            self._tasks.append(asyncio.create_task(self._work("leaving", backend.leaving.run)))

    async def _keep_bots(self, bots: Bots) -> None:
        await self._listens.wait()
        await bots.keep(self._url, self.backend.house.secret)

    async def _compare(self) -> None:
        integrity = self.backend.matches.integrity
        await integrity.compare_for_ever(self.settings.compare_seconds, asyncio.sleep)

    async def _connect_with_patience(self) -> None:
        while self._backend is None:
            try:
                await self._connect()
            except Unavailable as error:
                if self.settings.redis is None:
                    raise
                log.warning("Redis does not answer yet: %s", error)
                await asyncio.sleep(RECONNECT_SECONDS)
            except RedisUnsuitable as error:
                if not self._started:
                    raise
                log.error("%s", error)  # nobody waits for this task any more
                await asyncio.sleep(UNSUITABLE_SECONDS)

    async def _work(self, name: str, run: Callable[[], Awaitable[None]]) -> None:
        """In one process of all that share the Redis; ends only with it. After a failure it starts again where it
        had stopped, here or elsewhere."""
        lease = Lease(self.backend.connection, name, self._name)
        self.metrics.leases_held.labels(name).set_function(lambda: float(lease.held))
        await self._go_on(name, lambda: lease.keep(run))

    async def _go_on(self, name: str, run: Callable[[], Awaitable[None]]) -> None:
        while True:
            try:
                await run()
            except DiskFull:
                await asyncio.sleep(FULL_SECONDS)  # it has been said, loudly
                continue
            except WarlogError as error:
                log.warning("%s: %s", name, error)
            except Exception:
                log.exception("%s failed", name)
            self.metrics.worker_failures.labels(name).inc()
            await asyncio.sleep(RECONNECT_SECONDS)


def _files(settings: Settings) -> Files | None:
    if settings.archive is None:
        return None
    try:
        return Files(settings.archive)
    except (ValueError, ImportError) as error:
        raise BadSettings(f"WARLOG_ARCHIVE: {error}") from error


def service_of(scope: Scope) -> Service:
    service: Service = scope["litestar_app"].state["service"]
    return service


def _check_achievements() -> None:
    """Raises BadSettings where their data are wrong."""
    try:
        catalogue()
    except ValueError as error:
        raise BadSettings(str(error)) from error
