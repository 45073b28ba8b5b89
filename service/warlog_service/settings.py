"""What an operator may set: by `WARLOG_*` in the environment, or by a flag of `warlog serve`, which wins."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal

import msgspec
from msgspec import Meta, Struct

from warlog_service.proxies import Proxies, ProxiesUnreadable

Durability = Literal["everysec", "always", "replicated"]
LogFormat = Literal["auto", "json", "text"]
PORT_MAX = 65535
Port = Annotated[int, Meta(ge=0, le=PORT_MAX)]
Positive = Annotated[int, Meta(ge=1)]
Count = Annotated[int, Meta(ge=0)]
Rate = Annotated[float, Meta(ge=0)]

MEGABYTE = 1_000_000


class BadSettings(Exception):
    """A setting that is unknown or out of range; the text names it."""


class Settings(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Every setting with its default. Rates are tokens per second, and 0 switches the limit off; a burst is
    ten seconds' worth."""

    host: str = "127.0.0.1"
    port: Port = 8000  # 0: any free one; the address is printed
    metrics_host: str = "127.0.0.1"  # where /metrics is, which the public port has not
    metrics_port: Port = 0  # as `port`; worker i of a supervisor has metrics_port + i
    data: str = "warlog-data"  # where the embedded Redis keeps its append-only file
    archive: str | None = None  # a folder or any fsspec URL of matches that have left Redis
    redis: str | None = None  # a redis:// or redis+cluster:// URL; none: embedded
    buckets: Annotated[int, Meta(ge=1, le=1000)] = 64  # fixed when a database is first used
    durability: Durability = "everysec"
    replicas: Positive = 1  # confirmations awaited with durability=replicated
    redis_bytes_max: Positive | None = None  # memory of the embedded Redis; none: half of the machine's
    ballast_bytes: Annotated[int, Meta(ge=0)] = 32 * 1_048_576  # of disk kept for when there is no other
    workers: Annotated[int, Meta(ge=0)] = 0  # serving processes under a supervisor; 0: this process serves
    background: bool = True  # projector, clock and the like, in one of the processes
    drain_ms: Annotated[int, Meta(ge=0)] = 1_000  # for open connections to be used once more at the end
    pairing_seconds: Annotated[int, Meta(ge=0)] = 60  # after which who waits in silence has gone; 0: never
    lobby_seconds: Annotated[int, Meta(ge=0)] = 259_200  # after which a lobby without events ends; 0: never
    starting_gold: Annotated[int, Meta(ge=0, le=10**12)] = 1_000  # what an account is opened with

    # Between two comparisons of each match in memory with its stored events; 0: only before snapshots.
    compare_seconds: Annotated[float, Meta(ge=0)] = 60.0
    stake_matches_min: Count = 10  # of a game, finished without fleeing, before playing it for gold
    counted_matches_per_day: Count = 10  # of the same two opponents; 0: any number
    counted_any_options: bool = False  # points and gold also beyond the range that a game names as counted

    lobbies_per_player: Count = (
        20  # open at a time, of those that he made; 0, as in all that follow: any number
    )
    matches_per_player: Count = 200  # lobbies and running ones that he made
    matches_per_day: Count = 2_000  # that he makes, imports included
    imports_per_day: Count = 100
    events_per_match: Count = 50_000  # beyond which players only end it
    proposal_bytes_per_match: Count = 4 * MEGABYTE  # of all that is proposed and changed in it
    scenarios_per_player: Count = 200
    layouts_per_game: Count = 200  # of one player
    options_per_game: Count = 50  # sets of them, of one player
    tokens_per_player: Count = 100
    pairing_entries: Count = 8  # of one player that wait at once

    # Work on whole matches: verify, export, import; of a match of more than `heavy_events` its history, a page of more
    # events than that, and a past board that is not in memory.
    heavy_at_once: Positive = 2
    heavy_waiting: Annotated[int, Meta(ge=0)] = 32  # requests in the queue; those beyond are refused
    heavy_per_caller: Annotated[int, Meta(ge=0)] = 4  # waiting or being worked on; 0: any number
    heavy_bytes_max: Positive = 256 * MEGABYTE  # of large bodies and answers; a fourth for results
    heavy_events: Annotated[int, Meta(ge=0)] = 200

    body_bytes_max: Positive = MEGABYTE // 4
    import_bytes_max: Positive = 16 * MEGABYTE
    header_bytes_max: Positive = 32_768
    request_seconds_max: Annotated[float, Meta(gt=0)] = 60.0  # for a request to come in whole
    feed_heartbeat_ms: Positive = 15_000

    requests_per_caller: Rate = 1_000.0
    requests_per_address: Rate = 500.0  # of those without a token
    commands_per_caller: Rate = 500.0
    accounts_per_address: Rate = 20.0
    failures_per_address: Rate = 20.0  # tokens that are none
    trusted_proxies: str = ""  # addresses and CIDR ranges whose word on the client's address is taken
    feeds_per_caller: Annotated[int, Meta(ge=0)] = 256  # open at once; also per address without a token

    log_format: LogFormat = "auto"  # of standard error: text at a terminal, otherwise JSON
    traces: bool = False  # OpenTelemetry, as the OTEL_* variables say
    access_log: Annotated[float, Meta(ge=0, le=1)] = (
        0.0  # the share of requests that are logged; 500s always are
    )

    test_world: str | None = None  # a seed: clock, ids and secrets are then the same in every run


def read(environ: Mapping[str, str], **flags: object) -> Settings:
    """The settings of this process. A flag that is None was not given. Raises BadSettings."""
    given: dict[str, object] = {
        name: environ[f"WARLOG_{name.upper()}"]
        for name in Settings.__struct_fields__
        if f"WARLOG_{name.upper()}" in environ
    }
    given.update((name, value) for name, value in flags.items() if value is not None)
    try:
        settings = msgspec.convert(
            {name: value for name, value in given.items() if value != ""}, Settings, strict=False
        )
        Proxies(settings.trusted_proxies)
        return settings
    except ProxiesUnreadable as error:
        raise BadSettings(f"WARLOG_TRUSTED_PROXIES: {error}") from None
    except msgspec.ValidationError as error:
        raise BadSettings(str(error).replace("$.", "WARLOG_").replace("`$`", "the settings")) from None
