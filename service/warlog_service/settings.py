"""The settings: an environment variable `WARLOG_*`, or a flag of `warlog serve`, which takes precedence."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal

import msgspec
from msgspec import Meta, Struct

from warlog_service.origins import BadOrigin, Origins
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
    metrics_host: str = "127.0.0.1"  # address on which /metrics is served; the public port does not have it
    metrics_port: Port = 0  # 0 as with `port`; worker i of a supervisor has metrics_port + i
    data: str = "warlog-data"  # folder of the embedded Redis
    archive: str | None = None  # folder or any fsspec URL of archived matches
    redis: str | None = None  # a redis:// or redis+cluster:// URL; none: an embedded Redis is started
    buckets: Annotated[int, Meta(ge=1, le=1000)] = 64  # fixed when a database is first used
    durability: Durability = "everysec"
    replicas: Positive = 1  # confirmations awaited with durability=replicated
    redis_bytes_max: Positive | None = None  # memory of the embedded Redis; none: half of the machine's
    ballast_bytes: Annotated[int, Meta(ge=0)] = 32 * 1_048_576  # size of a file; see RUNBOOK, A full disk
    workers: Annotated[int, Meta(ge=0)] = 0  # serving processes under a supervisor; 0: this process serves
    background: bool = True  # run the background work (projector, clock …) if no other process does
    bots: Count = 1  # processes for the house's bots; 0: none here (`warlog bots` may run elsewhere)
    bots_budget: Annotated[float, Meta(gt=0, le=1)] = 1.0  # processor seconds per second, of each of them
    drain_ms: Annotated[int, Meta(ge=0)] = 1_000  # how long open connections are still served at the end
    pairing_seconds: Annotated[int, Meta(ge=0)] = 60  # a silent player's entry then expires; 0: never
    lobby_seconds: Annotated[int, Meta(ge=0)] = 259_200  # a lobby without events is then aborted; 0: never
    starting_gold: Annotated[int, Meta(ge=0, le=10**12)] = 1_000  # gold of a new account

    # Seconds between two comparisons of a match in memory with its stored events; 0: only before snapshots.
    compare_seconds: Annotated[float, Meta(ge=0)] = 60.0
    stake_matches_min: Count = 10  # counted matches of a game, not fled, that a player needs for a stake
    counted_matches_per_day: Count = 10  # between the same two opponents; 0: any number
    counted_any_options: bool = False  # matches count also with options outside the game's range

    # Quotas; 0: any number.
    lobbies_per_player: Count = 20  # open lobbies that one player has made
    matches_per_player: Count = 200  # open lobbies and running matches that one player has made
    matches_per_day: Count = 2_000  # that one player makes, imports included
    imports_per_day: Count = 100
    challenges_per_player: Count = 50  # that wait for one player's answer
    events_per_match: Count = 50_000  # then players can only resign, leave and end the match
    proposal_bytes_per_match: Count = 4 * MEGABYTE  # all proposals, and the changes that they made
    scenarios_per_player: Count = 200
    layouts_per_game: Count = 200  # of one player
    options_per_game: Count = 50  # saved sets of options of one player
    tokens_per_player: Count = 100
    pairing_entries: Count = 8  # of one player at the same time
    following_per_player: Count = 500
    blocked_per_player: Count = 500

    # Heavy requests: verify, export, import; for a match of more than `heavy_events` events its history, a page of more
    # events than that, and a past board that is not in memory.
    heavy_at_once: Positive = 2
    heavy_waiting: Annotated[int, Meta(ge=0)] = 32  # requests in the queue; those beyond are refused
    heavy_per_caller: Annotated[int, Meta(ge=0)] = 4  # waiting and being worked on; 0: any number
    heavy_bytes_max: Positive = 256 * MEGABYTE  # memory for large bodies and answers; a fourth is for results
    heavy_events: Annotated[int, Meta(ge=0)] = 200

    body_bytes_max: Positive = MEGABYTE // 4
    import_bytes_max: Positive = 16 * MEGABYTE
    header_bytes_max: Positive = 32_768
    request_seconds_max: Annotated[float, Meta(gt=0)] = 60.0  # time in which a whole request must come in
    feed_heartbeat_ms: Positive = 15_000

    requests_per_caller: Rate = 1_000.0
    requests_per_address: Rate = 500.0  # requests without a token
    commands_per_caller: Rate = 500.0
    accounts_per_address: Rate = 20.0
    failures_per_address: Rate = 20.0  # requests with a bad token
    trusted_proxies: str = ""  # addresses and CIDR ranges of proxies whose forwarding headers are trusted
    cors_origins: str = ""  # origins whose pages may read answers, or *
    session_days: Positive = 30
    feeds_per_caller: Annotated[int, Meta(ge=0)] = 256  # open at once; without a token: per address

    log_format: LogFormat = "auto"  # text if standard error is a terminal, otherwise JSON
    traces: bool = False  # OpenTelemetry, configured by the OTEL_* variables
    access_log: Annotated[float, Meta(ge=0, le=1)] = 0.0  # share of requests that are logged; 5xx always are

    test_world: str | None = None  # for tests: a seed that makes clock, ids and secrets predictable


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
        Origins(settings.cors_origins)
        return settings
    except ProxiesUnreadable as error:
        raise BadSettings(f"WARLOG_TRUSTED_PROXIES: {error}") from None
    except BadOrigin as error:
        raise BadSettings(f"WARLOG_CORS_ORIGINS: {error}") from None
    except msgspec.ValidationError as error:
        raise BadSettings(str(error).replace("$.", "WARLOG_").replace("`$`", "the settings")) from None
