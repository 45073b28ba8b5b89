"""Matches as a whole: the lobby's list, a new one, the summary of one."""

from __future__ import annotations

from litestar import get, post
from litestar.params import FromPath
from msgspec import Raw

import warlog_core
from warlog_core.explain import one_of, pointer
from warlog_events.errors import BadParameter, Unauthenticated, UnknownPlayer, named
from warlog_events.match.bots import LEVELS, is_wanted
from warlog_events.match.commands import CreateMatch
from warlog_events.match.match import at_time
from warlog_events.match.model import Player, Reader
from warlog_service import auth, schema
from warlog_service.backend import Service, service_of
from warlog_service.openapi import call
from warlog_service.requests import AnyRequest, asked, decode, header, key_of, read_body
from warlog_service.responses import PRIVATE, Answer, matches, not_modified, private
from warlog_service.routes.reading import match_of, tag_of
from warlog_service.schema.queries import ENTRIES_MAX

NOT_IDS = {"me", "open", "invite"}


@get("/matches", opt=call(query=schema.MatchesQuery, answer=schema.Matches, errors=("unknown_game",)))
async def get_matches(request: AnyRequest) -> Answer:
    """List public matches and your own, the newest first. A page may be empty and still have a `next`.

    `player=me` gives yours alone, `turn=mine` those that wait for you, `watchable=true` those that you may watch;
    `game=hex&options={"seats":4}` those with these options."""
    service = service_of(request.scope)
    caller = await auth.caller_or_none(service, request.scope)
    query = asked(request.scope, schema.MatchesQuery)
    if caller is None and (query.player == "me" or query.turn is not None):
        raise Unauthenticated("`player=me` and `turn` need a token.")
    found, after = await service.backend.lobby.matches(
        query, caller.id if caller else None, min(query.limit, ENTRIES_MAX), _options(query.options)
    )
    now = service.world.now_ms()
    timed = [one if b'"deadlines":{}' in bytes(one) else Raw(at_time(bytes(one), now)) for one in found]
    return private({"matches": timed, "next": after})


@post(
    "/matches",
    opt=call(
        sends=("Location",),
        body=CreateMatch,
        answer=schema.MatchCreated,
        status=201,
        token=True,
        headers=("Idempotency-Key",),
        errors=("unknown_game", "unknown_seat", "unknown_player", "unknown_scenario", "competitive", "invalid_options",
                "already_disclosed", "unknown_bot", "not_challenged", "too_few_matches", "quota_exceeded",
                "idempotency_key_reused", "invalid_position",
                "other codes of the rule book's options and Position"),
    ),
)  # fmt: skip
async def post_match(request: AnyRequest) -> Answer:
    """Create a match.

    `seats` gives for each seat `me`, `open`, `invite`, a player id, or a bot of the house (`bot:1` to `bot:8`). The
    answer has the invitations, which are shown only here. A seat with a player id is a challenge: the player hears of
    it in the personal feed, and takes the seat or declines; it lapses after a day. If you and bots of the house have
    all seats, the match starts with this call.

    With an `Idempotency-Key` the call can be repeated for 24 hours: the repeat makes nothing, and gets the first answer
    with its invitations. Any other call of yours that makes something, and this one with another body, needs another
    key."""
    service = service_of(request.scope)
    caller = await auth.caller(service, request.scope)
    auth.spend_one(service.limits.commands, caller.id, request.scope)
    body = await read_body(request.scope, request.receive, service.settings.body_bytes_max)
    spec: CreateMatch = decode(body, CreateMatch)
    made = await service.backend.matches.new.create(
        spec,
        caller.player,
        players=await _players(service, spec),
        key=key_of(request.scope, b"POST /matches\0", body),
    )
    location = (b"location", f"/v1/matches/{made.match.id}".encode())
    summary = made.match.summary_at(made.match.reader(caller.id), made.match.fold.updated_at)
    return private({"match": summary, "invitations": made.invitations}, 201, location)


@get(
    "/matches/{match_id:str}",
    opt=call(
        sends=("ETag",), answer=schema.MatchAnswer, headers=("If-None-Match",), errors=("unknown_match",)
    ),
)
async def get_match(request: AnyRequest, match_id: FromPath[str]) -> Answer:
    """Status, seats, options, version, who may act until when, and the result.

    Beside deadlines stands `now`, the server's time, so that a countdown needs no clock of your own."""
    _, match, player = await match_of(request, match_id)
    reader = Reader(match.seats_of(player), player)
    tag = tag_of(match, reader)
    if matches(header(request.scope, b"if-none-match"), tag):
        return not_modified(tag, PRIVATE)
    now = service_of(request.scope).world.now_ms()
    return private({"match": match.summary_at(reader, now)}, 200, (b"etag", tag))


@get("/matches/{match_id:str}/here", opt=call(answer=schema.Here, token=True, errors=("unknown_match",)))
async def get_here(request: AnyRequest, match_id: FromPath[str]) -> Answer:
    """The seats whose players are here now: whose personal feeds are open, or were until a moment ago.

    Your own seats are among them while you follow your feed. A player who has blocked you never is."""
    service = service_of(request.scope)
    caller = await auth.caller(service, request.scope)
    backend = service.backend
    match = await backend.matches.admission.readable(match_id, caller.id)
    here = await backend.here(caller.id, [holder.id for holder in match.holders.values()])
    return private({"here": [seat for seat, holder in match.holders.items() if holder.id in here]})


def _options(text: str | None) -> dict[str, object]:
    """Raises BadParameter."""
    try:
        options = warlog_core.loads(text) if text else {}
    except ValueError as error:
        raise BadParameter(f"The parameter `options` is not JSON: {error}.") from None
    if not isinstance(options, dict):
        raise BadParameter("The parameter `options` must be a JSON object.")
    return options


async def _players(service: Service, spec: CreateMatch) -> dict[str, Player]:
    """The accounts that the seats name. Raises UnknownPlayer."""
    players: dict[str, Player] = {}
    for seat, who in sorted(spec.seats.items()):
        if who in NOT_IDS or is_wanted(who) or who in players:
            continue
        try:
            players[who] = await service.backend.accounts.named(who)
        except UnknownPlayer:
            words = [*sorted(NOT_IDS), *(f"bot:{level}" for level in LEVELS)]
            raise UnknownPlayer(
                f"There is no player {named(who)}: a seat is given to {one_of(words)}, or to a player by his id.",
                path=pointer("seats", seat),
                extra={"allowed": words},
            ) from None
    return players


handlers = [get_matches, post_match, get_match, get_here]
