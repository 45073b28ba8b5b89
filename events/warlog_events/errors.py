"""Everything that can go wrong above the core, one exception per stable code of the API.

    WarlogError
    ├─ BadRequest                    the request itself is wrong
    │  ├─ MalformedBody              the body is not JSON, or not the JSON that the call expects
    │  ├─ WrongName                  the name that is to be repeated is another one
    │  ├─ BadParameter               a path, query or header value that is not allowed
    │  └─ BodyTooLarge               more bytes than this call takes
    ├─ Unauthenticated               no token, or one that is unknown or revoked
    ├─ Forbidden                     the caller may not do this
    │  ├─ NotYourSeat                another player holds that seat, or nobody does
    │  ├─ CrossOrigin                the session of a browser, on a request that no page of this server made
    │  ├─ InsufficientScope          the token lacks a scope
    │  ├─ WrongInvitation            the seat needs an invitation, and this is not the right one
    │  ├─ NoSpectators               the running match may not be watched
    │  ├─ NotForBots                 quick pairing, for an account that is a program's
    │  ├─ NotChallenged              this player takes no challenge from the caller
    │  ├─ Competitive                undo, option change or edit in a competitive match
    │  └─ Hidden                     the complete record of a running match in which others hide something
    ├─ Unknown                       does not exist, or the caller may not know that it does
    │  ├─ UnknownMatch  UnknownSeat  UnknownGame  UnknownVersion  UnknownPlayer  UnknownScenario
    │  ├─ UnknownToken  UnknownLayout  UnknownOptions  the caller has none with this id, or name
    │  ├─ UnknownEntry               the caller has no entry with this id in a pairing queue
    │  └─ NoView                     the board does not exist before the match starts
    ├─ Conflict                      the match is in another state than the request assumes
    │  ├─ VersionConflict            the match has moved on (`version` is its newest version)
    │  ├─ SeatIsTaken                another player has the seat, or the caller has one already
    │  ├─ WrongStatus                the status (lobby, playing, finished, aborted) does not allow this
    │  ├─ NoProposal                 no proposal is open
    │  ├─ NoChallenge                no challenge of the caller is open
    │  ├─ ProposalChanged            the open proposal is not the one named
    │  ├─ AlreadyDisclosed           a secret that the request would have to keep is known already
    │  ├─ IdempotencyKeyReused       the key was used with another body
    │  └─ TooLate                    the seat's deadline has passed
    ├─ Refused                       the rule book says no; `code` is the rule book's
    ├─ TooManyRequests               a rate limit, with its name and the time to wait
    │  └─ QuotaExceeded              a limit on stored things, with its name
    ├─ IntegrityError                a stored match contradicts itself; it is frozen, logged and counted
    │  ├─ Frozen                     it was frozen before
    │  └─ NoWorld                    nothing fits what a seat knows of it, so it is not analysed; it is not frozen
    └─ TryAgain                      the request is correct
       ├─ Unavailable                nothing was done; try again later
       │  ├─ ClockSkew               our clock differed from Redis's and has been set; try again at once
       │  └─ DiskFull                nothing is written until the disk has room again
       └─ Unconfirmed                perhaps done; repeat with the same Idempotency-Key to learn whether

Which HTTP status each becomes is decided in one table of the service. Classes without a `code` are only for catching.

`Repeated` is not in the tree, because it is no error: it says that the same command was accepted before.
"""

import logging
from collections.abc import Mapping
from typing import Literal

import msgspec

import warlog_core
from warlog_core.explain import SENTENCES, quoted


class WarlogError(Exception):
    """`code` is part of the API and never changes; `detail` is for people: one sentence that a player understands.

    text      what the code says in general; the detail where none is given
    facts     names of the members that `extra` may have
    version   the match's newest version, where the answer should carry it
    path      a JSON Pointer to the part of the request's body that is at fault; "" where no part is
    extra     further members of the problem document, JSON values
    """

    code: str = "internal"
    text: str = ""
    facts: tuple[str, ...] = ()

    def __init__(
        self,
        detail: str = "",
        *,
        version: int | None = None,
        path: str = "",
        extra: Mapping[str, object] | None = None,
    ) -> None:
        self.detail = detail or self.text
        super().__init__(self.detail or self.code)
        self.version = version
        self.path = path
        self.extra: Mapping[str, object] = extra or {}


class BadRequest(WarlogError):
    pass


class MalformedBody(BadRequest):
    code = "malformed_body"
    text = "The body is not JSON, or not the JSON that this call expects."
    facts = ("allowed", "needed", "minimum", "maximum")


class BadParameter(BadRequest):
    code = "bad_parameter"
    text = "A value in the path, the query or a header is not allowed, or two values in the body conflict."
    facts = ("allowed", "needed", "minimum", "maximum")


class BodyTooLarge(BadRequest):
    code = "body_too_large"
    text = "The body is larger than this call takes."
    facts = ("maximum",)


class WrongName(BadRequest):
    code = "wrong_name"
    text = "To leave for good, repeat the name of your account exactly as it is."


class Unauthenticated(WarlogError):
    code = "unauthenticated"
    text = "The request has no token, or one that is unknown or revoked."


class Forbidden(WarlogError):
    pass


class NotYourSeat(Forbidden):
    code = "not_your_seat"
    text = "You do not hold this seat."


class CrossOrigin(Forbidden):
    code = "cross_origin"
    text = "The request uses a session but no page of this server sent it."


class InsufficientScope(Forbidden):
    code = "insufficient_scope"
    text = "The token lacks a scope that this call needs."


class WrongInvitation(Forbidden):
    code = "wrong_invitation"
    text = "This seat can only be taken with its invitation."


class NoSpectators(Forbidden):
    code = "no_spectators"
    text = "Spectators can see this match only when it is over."


class NotForBots(Forbidden):
    code = "not_for_bots"
    text = "Bot accounts cannot do this."


class NotChallenged(Forbidden):
    """Whether he has blocked the caller, or has too many challenges, is not said."""

    code = "not_challenged"
    text = "The player takes no challenge from you at present."
    facts = ("player",)


class Competitive(Forbidden):
    code = "competitive"
    text = "This is not possible in a competitive match."


class Hidden(Forbidden):
    code = "hidden"
    text = "Parts of this match are hidden from you while it runs."


class Unknown(WarlogError):
    pass


class UnknownMatch(Unknown):
    code = "unknown_match"
    text = "There is no such match, or it is private."


class UnknownSeat(Unknown):
    """allowed: the seats of the match"""

    code = "unknown_seat"
    text = "This match has no such seat."
    facts = ("allowed",)


class UnknownGame(Unknown):
    code = "unknown_game"
    text = "There is no such game."
    facts = ("allowed",)


class UnknownPool(Unknown):
    """allowed: the pools of the game"""

    code = "unknown_pool"
    text = "This game has no such pool of ratings."
    facts = ("allowed",)


class UnknownVersion(Unknown):
    code = "unknown_version"
    text = "This match has no such version."
    facts = ("minimum", "maximum")


class UnknownPlayer(Unknown):
    code = "unknown_player"
    text = "There is no such player."
    facts = ("allowed",)


class UnknownScenario(Unknown):
    code = "unknown_scenario"
    text = "There is no such scenario, or it is private."


class UnknownToken(Unknown):
    code = "unknown_token"
    text = "You have no such token."


class UnknownEntry(Unknown):
    code = "unknown_entry"
    text = "You have no such entry in a pairing queue."


class UnknownLayout(Unknown):
    code = "unknown_layout"
    text = "You have no layout with this name."


class UnknownOptions(Unknown):
    code = "unknown_options"
    text = "You have no saved options with this name."


class NoView(Unknown):
    code = "no_view"
    text = "The board does not exist before the match starts."


class Conflict(WarlogError):
    pass


class VersionConflict(Conflict):
    code = "version_conflict"
    text = "The match has moved on."


class SeatIsTaken(Conflict):
    code = "seat_taken"
    text = "Another player has this seat, or you have one already."


class WrongStatus(Conflict):
    code = "wrong_status"
    text = "The status of the match does not allow this."


class NoProposal(Conflict):
    code = "no_proposal"
    text = "No proposal is open: it has been decided on, or has lapsed with an action that was taken since."


class NoChallenge(Conflict):
    code = "no_challenge"
    text = (
        "No challenge in this match waits for your answer; perhaps it was answered, withdrawn, or has lapsed."
    )


class ProposalChanged(Conflict):
    code = "proposal_changed"
    text = "The open proposal is not the one that you named."


class AlreadyDisclosed(Conflict):
    code = "already_disclosed"
    text = "This is not possible: a secret that must be kept is known already."


class IdempotencyKeyReused(Conflict):
    code = "idempotency_key_reused"
    text = "This `Idempotency-Key` was used with another body before."


class TooLate(Conflict):
    code = "too_late"
    text = "The deadline of this seat has passed."


REFUSALS = {
    **SENTENCES,
    "bad_record": "The record contradicts itself, or does not fit the rules.",
    "insufficient_gold": "The player does not have the gold that a seat needs.",
    "too_few_matches": "The player has not finished enough matches to play for gold.",
    "unknown_bot": "The house has no such bot.",
    "no_search": "There is no search for this game: its bots play at random.",
    "nothing_to_choose": "This seat has no action to choose at this version.",
}
"""Codes of `Refused` that do not belong to one game, and what they say in general. A game has more."""
REFUSAL_FACTS = (
    *("minimum", "maximum", "allowed", "have", "needed", "cost", "budget"),
    *("space", "piece", "seat", "line", "place", "record_version", "player"),
)
"""Names of the members with which a refusal by the rules may say more."""


class Refused(WarlogError):
    """The only class whose instances have different codes: those of the rule books, `invalid_options` …"""

    text = "The rules do not allow this."

    def __init__(
        self,
        code: str,
        detail: str = "",
        *,
        version: int | None = None,
        path: str = "",
        extra: Mapping[str, object] | None = None,
    ) -> None:
        self.code = code
        super().__init__(detail or REFUSALS.get(code, ""), version=version, path=path, extra=extra)


def named(name: object) -> str:
    """A name or value from a request, for use in a sentence: quoted, cut to a bounded length, valid in UTF-8."""
    return quoted(name).encode("utf-8", "backslashreplace").decode()


def refused(error: warlog_core.Refused, *, pointer: str | None = "", version: int | None = None) -> Refused:
    """The core's refusal of options, a Position or a notation, as an exception of ours.

    pointer  where they stand in the request's body (a JSON Pointer); None: they are not in this request"""
    return explained(error.code, error.explanation, pointer=pointer, version=version)


def explained(
    code: str,
    why: warlog_core.Explanation | None,
    *,
    pointer: str | None = "",
    version: int | None = None,
    extra: Mapping[str, object] | None = None,
) -> Refused:
    """A refusal with the core's explanation. `pointer` as in `refused`."""
    if why is None:
        return Refused(code, version=version, extra=extra)
    path = pointer + why.path if why.path and pointer is not None else ""
    return Refused(code, why.detail, version=version, path=path, extra={**why.members, **(extra or {})})


LimitName = Literal[
    "requests_per_caller",
    "requests_per_address",
    "commands_per_caller",
    "accounts_per_address",
    "failures_per_address",
    "feeds_per_caller",
    "heavy_per_caller",
    "heavy_per_address",
    "heavy_bytes_max",
    "analyses_per_caller",
]
QuotaName = Literal[
    "tokens_per_player",
    "layouts_per_game",
    "options_per_game",
    "scenarios_per_player",
    "lobbies_per_player",
    "matches_per_player",
    "matches_per_day",
    "imports_per_day",
    "events_per_match",
    "proposal_bytes_per_match",
    "pairing_entries",
    "following_per_player",
    "blocked_per_player",
    "challenges_per_player",
]


class TooManyRequests(WarlogError):
    """retry_after is in seconds; `limit` is the limit's name, shown to the client."""

    code = "too_many_requests"
    text = "A limit is reached (`limit` names it); the next request is possible after `Retry-After` seconds."
    facts: tuple[str, ...] = ("limit",)

    def __init__(self, retry_after: float, limit: LimitName | QuotaName, detail: str = "") -> None:
        general = f"The limit {limit} is reached; the next request is possible after `Retry-After` seconds."
        super().__init__(detail or general, extra={"limit": limit})
        self.retry_after = retry_after
        self.limit = limit


class QuotaExceeded(TooManyRequests):
    """`quota` is the quota's name, `have` and `limit` the present and the allowed number, `player` the id of its owner
    if that may be another player than the caller. retry_after 0: waiting does not help, deleting something does."""

    code = "quota_exceeded"
    text = "A quota is used up (`quota` names it); delete something, or wait until something ends."
    facts = ("quota", "have", "limit", "player")

    def __init__(
        self,
        quota: QuotaName,
        have: int,
        limit: int,
        detail: str,
        *,
        player: str = "",
        retry_after: float = 0,
    ) -> None:
        super().__init__(retry_after, quota, detail)
        self.extra = {"quota": quota, "have": have, "limit": limit} | ({"player": player} if player else {})


class IntegrityError(WarlogError):
    """first_bad  the first version that differs from what was written; 0 if no event is at fault
    reported   the damage has been logged and counted
    """

    code = "integrity_error"
    text = "This match is damaged: it accepts no more commands, and can be read up to the damage."

    def __init__(self, detail: str = "", *, version: int | None = None, first_bad: int = 0) -> None:
        super().__init__(detail, version=version)
        self.first_bad = first_bad
        self.reported = False


class Frozen(IntegrityError):
    """The match was frozen before, by another process or by an operator: the stored events may be sound."""


class NoWorld(IntegrityError):
    text = "The computer finds no state of the match that fits what this seat knows. This is a fault of the server."


class TryAgain(WarlogError):
    """retry_after, in seconds, becomes the Retry-After header. `said` is what Redis said, for the log alone."""

    retry_after: float = 1.0
    said: str = ""

    def __str__(self) -> str:
        return self.said or super().__str__()


class Unavailable(TryAgain):
    code = "unavailable"
    text = "The server cannot do this now; try again soon."


class ClockSkew(Unavailable):
    retry_after = 0.0


class DiskFull(Unavailable):
    code = "disk_full"
    text = "The server's disk is full; nothing can be saved until there is room again."
    retry_after = 30.0


class Unconfirmed(TryAgain):
    code = "unconfirmed"
    text = "It is not known yet whether this was saved; try again, with the same `Idempotency-Key` if you sent one."


class RedisUnsuitable(Exception):
    """This Redis, or this setting of it, could not keep Warlog's promises. Says what to change."""


class Accepted(msgspec.Struct, frozen=True):
    """What is stored under an Idempotency-Key about the command that used it (redis/idempotency.py).

    version    the match's newest version after the command
    deadlines  of the seats after the command, in ms: they are not in the events
    """

    version: int
    deadlines: Mapping[str, int] = {}


class Repeated(Exception):
    """This Idempotency-Key was used before with the same body; `accepted` describes that command."""

    def __init__(self, accepted: Accepted) -> None:
        super().__init__("the command was accepted before")
        self.accepted = accepted


def report(log: logging.Logger, error: Exception, what: str, *of: object) -> None:
    """Logs the failure of one match, so that work on other matches can go on; a bug with its traceback.

    `what` and `of` are the message and its arguments. A damaged match is reported once."""
    if isinstance(error, IntegrityError) and error.reported:
        return
    log.error(f"{what}: %s", *of, error, exc_info=None if isinstance(error, WarlogError) else error)
