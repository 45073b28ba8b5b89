"""A player's command, from its request to its answer. What it leads to is decided by `PlayerCommands.execute`
(warlog_events/player_commands.py).

`Front` (app.py) sends `POST /matches/{match_id}/commands` past Litestar straight to `run_command`. `post_command`
documents the call, and takes it where Litestar routes it after all (a path with a slash at its end). The calls that are
special commands (taking a seat, leaving it, joining) go through `run_command`, too.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial
from typing import NamedTuple

from litestar import delete, post, put
from litestar.params import FromPath
from litestar.types import Receive, Scope

from warlog_events.errors import Accepted, UnknownMatch, WarlogError
from warlog_events.match.commands import (
    AnyCommand,
    Command,
    Decline,
    Join,
    LeaveSeat,
    Options,
    Propose,
    TakeSeat,
)
from warlog_events.match.model import Player, Reader
from warlog_events.results import Done
from warlog_service import auth, schema
from warlog_service.backend import Service, service_of
from warlog_service.openapi import call
from warlog_service.requests import (
    AnyRequest,
    decode,
    decoder,
    if_match,
    key_of,
    read_body,
)
from warlog_service.responses import JSON, PRIVATE, Answer
from warlog_service.routes.reading import tag_of

MATCH_ERRORS = (
    "unknown_match",
    "version_conflict",
    "idempotency_key_reused",
)
HEADERS = ("If-Match", "Idempotency-Key")


class CallKind(NamedTuple):
    """How one of the calls that are commands is read and answered.

    decode     makes the command of the body
    call_id    tells the calls of one match apart: an Idempotency-Key is for one body of one call
    answer     the body of the answer for this player
    status     of the answer
    """

    decode: Callable[[bytes], AnyCommand]
    call_id: bytes
    answer: Callable[[Done, Reader], bytes]
    status: int


COMMAND = CallKind(decoder(Command), b"command\0", Done.event_answer, 201)


@post(
    "/matches/{match_id:str}/commands",
    opt=call(sends=("ETag",),
        body=Command,
        answer=schema.LiveEvent,
        status=201,
        token=True,
        headers=HEADERS,
        errors=(*MATCH_ERRORS, "wrong_status", "not_your_seat", "unknown_seat", "too_late", "no_proposal",
                "proposal_changed",
                "competitive", "already_disclosed", "hidden", "unknown_version", "unknown_scenario",
                "too_few_matches", "quota_exceeded", "not_challenged",
                "every code of the game's rule book"),
    ),
)  # fmt: skip
async def post_command(request: AnyRequest, match_id: FromPath[str]) -> Answer:
    """Send one command: it becomes one event, or it is refused and nothing is appended.

    With `If-Match: "17"` the command is refused with `version_conflict` if the match has moved on since version 17.
    With an `Idempotency-Key` the command can be repeated for 24 hours: the repeat gets the first answer.

    The answer is the event as your feed shows it, with the knowledge of all seats that you hold. The match's summary is
    `GET /matches/{match_id}`. If the last `prepare` starts a match from a record, all events of the record follow, and
    the answer is the last of them."""
    return await run_command(service_of(request.scope), request.scope, request.receive, match_id)


async def run_command(
    service: Service,
    scope: Scope,
    receive: Receive,
    match_id: str,
    kind: CallKind = COMMAND,
) -> Answer:
    """Who sends the command, what it says, what came of it."""
    # Without waiting if the token is in memory; else Redis is asked.
    caller = auth.caller_at_once(service, scope) or await auth.caller(service, scope)
    player = caller.player
    # The limit of requests has been spent where the caller was found.
    auth.spend_one(service.limits.commands, player.id, scope)
    body = await read_body(scope, receive, service.settings.body_bytes_max)
    key = key_of(scope, kind.call_id, body)
    command = kind.decode(body)
    matches = service.backend.matches
    execute = partial(matches.player_commands.execute, match_id, command, player, if_match(scope), key)
    try:
        heavy = _replays_a_record(command)
        done = await (_in_heavy_slot(execute, service, scope, player) if heavy else execute())
    except WarlogError as error:
        # A refusal of a match that is not for the caller to know of is counted under no game.
        game = "" if isinstance(error, UnknownMatch) else matches.loader.game_name(match_id)
        service.metrics.traffic.command_refused(game, error)
        raise
    service.metrics.traffic.commanded(done.match.game_name, "done" if done.accepted is None else "repeated")
    if done.accepted is not None:  # the command of this Idempotency-Key was accepted before
        done = await _first_answer(service, scope, player, done, done.accepted)
    reader = done.reader(player.id)  # with the seats that he holds after the command
    tag = tag_of(done.match, reader)
    return Answer(kind.status, [JSON, *PRIVATE, (b"etag", tag)], kind.answer(done, reader))


async def _first_answer(
    service: Service, scope: Scope, player: Player, done: Done, accepted: Accepted
) -> Done:
    """The answer of the first time. A match that has gone on since is replayed as far as it had come."""
    answer = partial(service.backend.matches.player_commands.first_answer, done.match, accepted)
    gone_on = done.version != accepted.version
    heavy = gone_on and accepted.version > service.settings.heavy_events
    return await (_in_heavy_slot(answer, service, scope, player) if heavy else answer())


async def _in_heavy_slot(
    work: Callable[[], Awaitable[Done]], service: Service, scope: Scope, player: Player
) -> Done:
    """Does it in one of the few slots for heavy requests (heavy.py)."""
    async with service.heavy.turn(auth.asker(service, scope, player.id)):
        return await work()


def _replays_a_record(command: AnyCommand) -> bool:
    """Does it propose a record (or `{"history": …}`), all of which is replayed to decide on it?"""
    if not isinstance(command, Propose) or not isinstance(command.proposal, Options):
        return False
    return isinstance(command.proposal.record, dict)


@put(
    "/matches/{match_id:str}/seats/{seat:str}",
    opt=call(
        sends=("ETag",),
        body=schema.SeatClaim,
        answer=schema.MatchAnswer,
        token=True,
        headers=HEADERS,
        errors=(
            *MATCH_ERRORS,
            "wrong_status",
            "unknown_seat",
            "not_your_seat",
            "not_for_bots",
            "unknown_bot",
            "seat_taken",
            "wrong_invitation",
            "not_challenged",
            "competitive",
            "already_disclosed",
            "too_few_matches",
            "quota_exceeded",
            "every code of the game's rule book",
        ),
    ),
)
async def put_seat(request: AnyRequest, match_id: FromPath[str], seat: FromPath[str]) -> Answer:
    """Take a seat, with its invitation if it needs one.

    One player may hold several seats. If you were challenged, you hold the seat already: this call prepares it.

    With `player` (`bot:1` to `bot:8`) a bot of the house gets the seat, and is prepared at once. The maker of the match
    and every player with a seat may do this, and may take the seat from the bot again before the start.

    When the last seat is prepared, the match starts."""

    def take(body: bytes) -> TakeSeat:
        claim: schema.SeatClaim = decode(body, schema.SeatClaim)
        return TakeSeat(seat, claim.invitation or "", claim.player or "")

    return await _change(request, match_id, b"take " + seat.encode(), take, 200)


@delete(
    "/matches/{match_id:str}/seats/{seat:str}",
    status_code=200,
    opt=call(
        sends=("ETag",),
        answer=schema.MatchAnswer,
        token=True,
        headers=HEADERS,
        errors=(
            *MATCH_ERRORS,
            "wrong_status",
            "unknown_seat",
            "not_your_seat",
            "every code of the game's rule book",
        ),
    ),
)
async def delete_seat(request: AnyRequest, match_id: FromPath[str], seat: FromPath[str]) -> Answer:
    """Leave a seat, or take one from a bot of the house before the start.

    In a running competitive match, if its game has fleeing, the player flees."""
    return await _change(request, match_id, b"leave " + seat.encode(), lambda body: LeaveSeat(seat), 200)


@post(
    "/matches/{match_id:str}/decline",
    opt=call(
        sends=("ETag",),
        body=schema.Declined,
        answer=schema.MatchAnswer,
        status=201,
        token=True,
        headers=HEADERS,
        errors=(*MATCH_ERRORS, "no_challenge", "quota_exceeded"),
    ),
)
async def post_decline(request: AnyRequest, match_id: FromPath[str]) -> Answer:
    """Decline a challenge: you do not take the seats that the maker of the match has given you.

    The maker gets a notice with the reason. If nobody else was to play, the match is aborted.

    A challenge that nobody answers lapses after a day (`deadlines` of the match)."""

    def declined(body: bytes) -> Decline:
        return Decline(decode(body, schema.Declined).reason)

    return await _change(request, match_id, b"decline ", declined, 201)


@post(
    "/matches/{match_id:str}/join",
    opt=call(
        sends=("ETag",),
        body=schema.Wish,
        answer=schema.MatchAnswer,
        status=201,
        token=True,
        headers=HEADERS,
        errors=(
            *MATCH_ERRORS,
            "wrong_status",
            "unknown_seat",
            "not_your_seat",
            "seat_taken",
            "not_challenged",
            "not_for_bots",
            "already_disclosed",
            "too_few_matches",
            "quota_exceeded",
            "every code of the game's rule book",
        ),
    ),
)
async def post_join(request: AnyRequest, match_id: FromPath[str]) -> Answer:
    """Join a match with `"seating": "wish"`; the seats are assigned when enough players have joined."""
    return await _change(request, match_id, b"join ", lambda body: Join(decode(body, schema.Wish).wish), 201)


def _change(
    request: AnyRequest,
    match_id: str,
    call_id: bytes,
    decode_command: Callable[[bytes], AnyCommand],
    status: int,
) -> Awaitable[Answer]:
    kind = CallKind(decode_command, b"seat\0" + call_id, Done.match_answer, status)
    return run_command(service_of(request.scope), request.scope, request.receive, match_id, kind)


handlers = [post_command, put_seat, delete_seat, post_decline, post_join]
