"""The tables of limits in deploy/RUNBOOK.md and in the OpenAPI document: what a stranger can make the server keep or
do, and how much of it.

The numbers are the defaults of the settings, and the constants that the code compares with. A test holds the RUNBOOK to
it, and it to the names of all limits and quotas. `python -m warlog_service.limit_table` prints it.
"""

from __future__ import annotations

from typing import NamedTuple

from warlog_events import analyses
from warlog_events.match import creation, policy, records
from warlog_events.players import accounts
from warlog_events.reading import personal_feed
from warlog_events.workers import pairing
from warlog_service import requests, server, uvicorn_protocol
from warlog_service.limits import BURST_SECONDS
from warlog_service.schema import queries
from warlog_service.settings import Settings


class Limit(NamedTuple):
    """settings: their names; without one the number is `fixed`. codes: of the answers beyond it, most usual first."""

    of: str
    codes: str
    protects: str
    settings: str = ""
    fixed: int = 0

    def row(self, defaults: Settings) -> str:
        """For operators."""
        numbers, codes = self._told(defaults)
        settings = ", ".join(f"`{name}`" for name in self.settings.split()) or "fixed"
        return f"| {self.of} | {numbers} | {settings} | {codes} | {self.protects} |"

    def row_for_clients(self, defaults: Settings) -> str:
        numbers, codes = self._told(defaults)
        return f"| {self.of} | {numbers} | {codes} |"

    def _told(self, defaults: Settings) -> tuple[str, str]:
        numbers = [getattr(defaults, name) for name in self.settings.split()] or [self.fixed]
        told = ", ".join("half of the memory" if number is None else f"{number:,.10g}" for number in numbers)
        return told, ", ".join(f"`{code}`" for code in self.codes.split()) or "–"


MANY, QUOTA, LARGE = "too_many_requests", "quota_exceeded", "body_too_large"
PAGE = "the time and memory of one answer; `next` leads on"

LIMITS = (
    # requests
    Limit("requests of a player in a second", MANY, "the processor", "requests_per_caller"),
    Limit(
        "requests without a token of an address in a second", MANY, "the processor", "requests_per_address"
    ),
    Limit("commands of a player in a second", MANY, "the processor and Redis", "commands_per_caller"),
    Limit(
        "requests with a bad token of an address in a second",
        MANY,
        "tokens, from guessing",
        "failures_per_address",
    ),
    Limit("bytes of a body", LARGE, "memory of the server", "body_bytes_max"),
    Limit(
        "bytes of the line and headers of a request",
        "headers_too_large",
        "memory of the server",
        "header_bytes_max",
    ),
    Limit(
        "lines of headers", "headers_too_large", "memory of the server", fixed=uvicorn_protocol.HEADERS_MAX
    ),
    Limit(
        "seconds in which a request comes in, or its answer is read",
        "request_timeout",
        "connections",
        "request_seconds_max",
    ),
    Limit(
        "seconds that a connection may be idle; how many there are is for the proxy to limit",
        "",
        "connections",
        fixed=server.IDLE_SECONDS,
    ),
    Limit(
        "characters of an `Idempotency-Key`",
        "bad_parameter",
        "memory of Redis",
        fixed=requests.IDEMPOTENCY_KEY_MAX,
    ),
    Limit(
        "long requests running in a process, and those that wait",
        "unavailable",
        "the processor: the event loop goes on",
        "heavy_at_once heavy_waiting",
    ),
    Limit(
        "long requests of a player or an address running or waiting",
        MANY,
        "the others' long requests",
        "heavy_per_caller",
    ),
    Limit(
        "bytes of imports and large answers in memory, in a process; a fourth for one caller",
        f"{MANY} unavailable",
        "memory of the server",
        "heavy_bytes_max",
    ),
    Limit(
        "analyses that wait for the computer; one of each player or address",
        f"{MANY} unavailable",
        "the processor, from long polls",
        fixed=analyses.WAITING_MAX,
    ),
    Limit("feeds of a player or an address open at once", MANY, "memory of the server", "feeds_per_caller"),
    Limit(
        "notices that wait for the reader of a personal feed; then it ends with `slow_reader`",
        "",
        "memory of the server",
        fixed=personal_feed.NOTICES_MAX,
    ),
    # accounts
    Limit(
        "new accounts of an address in a second",
        MANY,
        "memory of Redis, and gold (see above)",
        "accounts_per_address",
    ),
    Limit(
        "characters of a name",
        "malformed_body",
        "memory of Redis, and the page",
        fixed=accounts.NAME_CHARACTERS_MAX,
    ),
    Limit("tokens and sessions of a player", QUOTA, "memory of Redis", "tokens_per_player"),
    Limit(
        "players whom a player follows, and has blocked",
        QUOTA,
        "memory of Redis",
        "following_per_player blocked_per_player",
    ),
    Limit("scenarios of a player", QUOTA, "memory of Redis", "scenarios_per_player"),
    Limit(
        "layouts, and sets of options, of a player in a game",
        QUOTA,
        "memory of Redis",
        "layouts_per_game options_per_game",
    ),
    # matches
    Limit(
        "lobbies of a player, and lobbies and running matches together",
        QUOTA,
        "memory of Redis, and the lists of matches",
        "lobbies_per_player matches_per_player",
    ),
    Limit("seconds that a lobby is kept without an event", "", "the lists of matches", "lobby_seconds"),
    Limit("matches that a player makes in a day", QUOTA, "disk and archive", "matches_per_day"),
    Limit("imports of a player in a day", QUOTA, "the processor, disk and archive", "imports_per_day"),
    Limit("bytes of an import", LARGE, "memory of the server", "import_bytes_max"),
    Limit("events of an import", LARGE, "memory of Redis", fixed=creation.RECORD_EVENTS_MAX),
    Limit(
        "characters of a history in an import",
        "malformed_body",
        "the processor",
        fixed=records.HISTORY_CHARACTERS_MAX,
    ),
    Limit("events of a match", QUOTA, "memory of Redis, and the time of a verification", "events_per_match"),
    Limit("bytes of all proposals of a match", QUOTA, "memory of Redis", "proposal_bytes_per_match"),
    Limit("bytes of options", "invalid_options", "memory of Redis", fixed=policy.OPTIONS_BYTES_MAX),
    Limit("bytes of a Position", "invalid_position", "memory of Redis", fixed=policy.POSITION_BYTES_MAX),
    Limit(
        "challenges that wait for a player's answer",
        QUOTA,
        "people, from a flood of them",
        "challenges_per_player",
    ),
    Limit("entries of a player in pairing", QUOTA, "memory of Redis", "pairing_entries"),
    Limit("bytes of what an entry asks for", LARGE, "memory of Redis", fixed=pairing.SPEC_BYTES_MAX),
    Limit(
        "seconds until a pairing entry ends whose player is away",
        "",
        "waiting players, from an absent opponent",
        "pairing_seconds",
    ),
    # pages: beyond it, a page is shorter than its `limit`, and `next` leads on
    Limit("events of a page", "", PAGE, fixed=queries.EVENTS_MAX),
    Limit("nodes of a page of a timeline", "", PAGE, fixed=queries.NODES_MAX),
    Limit("lines of a page of a history", "", PAGE, fixed=queries.LINES_MAX),
    Limit("actions of a page", "", PAGE, fixed=queries.ACTIONS_MAX),
    Limit("people of a page: found, followed, blocked", "", PAGE, fixed=queries.PEOPLE_MAX),
    Limit("entries of a page of any other list", "", PAGE, fixed=queries.ENTRIES_MAX),
    # all together
    Limit(
        "bytes of the embedded Redis; what only grows is refused from nine tenths on",
        "unavailable",
        "running matches",
        "redis_bytes_max",
    ),
)


def markdown() -> str:
    defaults = Settings()
    head = ("| at most | default | setting | beyond it | what that protects |", "|---|---|---|---|---|")
    more = (
        "Where a setting is 0, there is no limit. What each setting does in detail stands in the table above."
    )
    return "\n".join([*head, *(limit.row(defaults) for limit in LIMITS), "", f"{_RATES} {more}", ""])


def for_clients() -> str:
    """In Markdown, without what only operators ask."""
    defaults = Settings()
    head = ("| at most | number | beyond it |", "|---|---|---|")
    return "\n".join([*head, *(limit.row_for_clients(defaults) for limit in LIMITS), "", _RATES])


_RATES = f"A burst may use the rate of {BURST_SECONDS:g} seconds."


if __name__ == "__main__":
    print(markdown(), end="")
