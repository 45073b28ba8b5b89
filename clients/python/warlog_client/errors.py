"""Everything that can go wrong when one speaks to Warlog, as one tree.

WarlogError
├── Unreachable                 no answer, however often it was asked
├── UnexpectedReply             an answer that Warlog does not give
├── BrokenFeed                  the feed does not go on where it was
└── Problem                     the service refused; one class for each code of the API
    ├── BadRequest          400   MalformedBody  BadParameter  WrongName
    ├── Unauthenticated     401
    ├── Forbidden           403   NotYourSeat  InsufficientScope  WrongInvitation  NoSpectators  Competitive
    │                             Hidden  CrossOrigin  NotForBots  NotChallenged
    ├── NotFound            404   UnknownMatch  UnknownSeat  UnknownGame  UnknownVersion  UnknownPlayer
    │                             UnknownScenario  UnknownToken  UnknownEntry  UnknownLayout  UnknownOptions
    │                             UnknownPool  NoView
    ├── Conflict            409   VersionConflict  SeatTaken  WrongStatus  NoProposal  ProposalChanged
    │                             AlreadyDisclosed  IdempotencyKeyReused  TooLate  NoChallenge
    ├── BodyTooLarge        413
    ├── RuleRefused         422   every code of the rule books, in `code`
    ├── TooManyRequests     429   QuotaExceeded
    ├── ServerFault         500   IntegrityError
    └── ServiceUnavailable  503   Unavailable  DiskFull  Unconfirmed

A code that this SDK does not know yet is raised as the class of its status, an unknown status as `Problem`.
"""

from __future__ import annotations

from typing import Any, ClassVar, Literal

import msgspec

from .literals import Code


class WarlogError(Exception):
    """Anything that this SDK raises by itself."""


class Unreachable(WarlogError):
    """No answer came, after all the attempts that were safe. The cause is httpx's exception."""


class UnexpectedReply(WarlogError):
    """The answer was none of Warlog's: not JSON, another shape, or an error without a problem document."""


class BrokenFeed(WarlogError):
    """The feed did not go on where it was, and did not when asked again: it left out versions, or the match has lost
    some, perhaps because the server came back from a backup. Read the match anew."""


class ProblemBody(msgspec.Struct, frozen=True):
    """The fields of a problem document (RFC 9457) that Warlog fills in."""

    code: str
    title: str = ""
    status: int = 0
    detail: str = ""
    path: str = ""
    version: int | None = None


class Problem(WarlogError):
    """A refusal of the service. Nothing was appended, except perhaps with `Unconfirmed`.

    code         stable, snake_case; a rule book's code for a refused action
    path         JSON Pointer to the part of the request's body that is at fault; "" where the service told none
    version      the match's version that refused, where the service told it
    retry_after  seconds after which asking again makes sense, where the service told it
    body         the whole problem document, with whatever else it holds
    """

    known_code: ClassVar[Code | Literal[""]] = ""

    def __init__(
        self,
        problem: ProblemBody,
        *,
        status: int,
        retry_after: float | None = None,
        body: dict[str, Any] | None = None,
    ) -> None:
        text = problem.detail or problem.title
        super().__init__(f"{problem.code}: {text}" if text else problem.code)
        self.code = problem.code
        self.title = problem.title
        self.detail = problem.detail
        self.path = problem.path
        self.version = problem.version
        self.status = status
        self.retry_after = retry_after
        self.body = body or {}


class BadRequest(Problem):
    """400: the request itself is wrong."""


class MalformedBody(BadRequest):
    """The body is not JSON, or not the JSON that this call expects."""

    known_code = "malformed_body"


class BadParameter(BadRequest):
    """A value in the path, the query or a header is not allowed, or two values in the body conflict."""

    known_code = "bad_parameter"


class WrongName(BadRequest):
    """To leave for good, repeat the name of your account exactly as it is."""

    known_code = "wrong_name"


class Unauthenticated(Problem):
    """The request has no token, or one that is unknown or revoked."""

    known_code = "unauthenticated"


class Forbidden(Problem):
    """403: known, but not allowed."""


class NotYourSeat(Forbidden):
    """You do not hold this seat."""

    known_code = "not_your_seat"


class CrossOrigin(Forbidden):
    """The request uses a session but no page of this server sent it."""

    known_code = "cross_origin"


class InsufficientScope(Forbidden):
    """The token lacks a scope that this call needs."""

    known_code = "insufficient_scope"


class WrongInvitation(Forbidden):
    """This seat can only be taken with its invitation."""

    known_code = "wrong_invitation"


class NoSpectators(Forbidden):
    """Spectators can see this match only when it is over."""

    known_code = "no_spectators"


class Competitive(Forbidden):
    """This is not possible in a competitive match."""

    known_code = "competitive"


class NotForBots(Forbidden):
    """Bot accounts cannot do this."""

    known_code = "not_for_bots"


class NotChallenged(Forbidden):
    """The player takes no challenge from you at present."""

    known_code = "not_challenged"


class Hidden(Forbidden):
    """Parts of this match are hidden from you while it runs."""

    known_code = "hidden"


class NotFound(Problem):
    """404: it does not exist, or the caller may not know that it does."""


class UnknownMatch(NotFound):
    """There is no such match, or it is private."""

    known_code = "unknown_match"


class UnknownSeat(NotFound):
    """This match has no such seat."""

    known_code = "unknown_seat"


class UnknownGame(NotFound):
    """There is no such game."""

    known_code = "unknown_game"


class UnknownPool(NotFound):
    """This game has no such pool of ratings."""

    known_code = "unknown_pool"


class UnknownVersion(NotFound):
    """This match has no such version."""

    known_code = "unknown_version"


class UnknownPlayer(NotFound):
    """There is no such player."""

    known_code = "unknown_player"


class UnknownScenario(NotFound):
    """There is no such scenario, or it is private."""

    known_code = "unknown_scenario"


class UnknownEntry(NotFound):
    """You have no such entry in a pairing queue."""

    known_code = "unknown_entry"


class UnknownToken(NotFound):
    """You have no such token."""

    known_code = "unknown_token"


class UnknownLayout(NotFound):
    """You have no layout with this name."""

    known_code = "unknown_layout"


class UnknownOptions(NotFound):
    """You have no saved options with this name."""

    known_code = "unknown_options"


class NoView(NotFound):
    """The board does not exist before the match starts."""

    known_code = "no_view"


class Conflict(Problem):
    """409: the match is not, or no longer, as the caller thought."""


class VersionConflict(Conflict):
    """The match has moved on."""

    known_code = "version_conflict"


class SeatTaken(Conflict):
    """Another player has this seat, or you have one already."""

    known_code = "seat_taken"


class WrongStatus(Conflict):
    """The status of the match does not allow this."""

    known_code = "wrong_status"


class NoProposal(Conflict):
    """No proposal is open: it has been decided on, or has lapsed with an action that was taken since."""

    known_code = "no_proposal"


class NoChallenge(Conflict):
    """No challenge in this match waits for your answer; perhaps it was answered, withdrawn, or has lapsed."""

    known_code = "no_challenge"


class ProposalChanged(Conflict):
    """The open proposal is not the one that you named."""

    known_code = "proposal_changed"


class AlreadyDisclosed(Conflict):
    """This is not possible: a secret that must be kept is known already."""

    known_code = "already_disclosed"


class IdempotencyKeyReused(Conflict):
    """This `Idempotency-Key` was used with another body before."""

    known_code = "idempotency_key_reused"


class TooLate(Conflict):
    """The deadline of this seat has passed."""

    known_code = "too_late"


class BodyTooLarge(Problem):
    """The body is larger than this call takes."""

    known_code = "body_too_large"


class RuleRefused(Problem):
    """422: the rule book refuses; `code` is the rule book's own."""


class TooManyRequests(Problem):
    """A limit is reached (`limit` names it); the next request is possible after `Retry-After` seconds."""

    known_code: ClassVar[Code | Literal[""]] = "too_many_requests"


class QuotaExceeded(TooManyRequests):
    """A quota is used up (`quota` names it); delete something, or wait until something ends."""

    known_code = "quota_exceeded"


class ServerFault(Problem):
    """500: a fault of the server, not of the request."""


class IntegrityError(ServerFault):
    """This match is damaged: it accepts no more commands, and can be read up to the damage."""

    known_code = "integrity_error"


class ServiceUnavailable(Problem):
    """503: not now."""


class Unavailable(ServiceUnavailable):
    """The server cannot do this now; try again soon."""

    known_code = "unavailable"


class DiskFull(ServiceUnavailable):
    """The server's disk is full; nothing can be saved until there is room again."""

    known_code = "disk_full"


class Unconfirmed(ServiceUnavailable):
    """It is not known yet whether this was saved; try again, with the same `Idempotency-Key` if you sent one."""

    known_code = "unconfirmed"


_BY_STATUS: dict[int, type[Problem]] = {
    400: BadRequest,
    401: Unauthenticated,
    403: Forbidden,
    404: NotFound,
    409: Conflict,
    413: BodyTooLarge,
    422: RuleRefused,
    429: TooManyRequests,
    500: ServerFault,
    503: ServiceUnavailable,
}


def problem_class(status: int, code: str) -> type[Problem]:
    """Its class. The status first: `unknown_seat` is a 404, but also a code of rule books (422)."""
    group = _BY_STATUS.get(status, Problem)
    return next((leaf for leaf in group.__subclasses__() if leaf.known_code == code), group)
