"""Matches as a whole: the lobby's list, a new one, the summary of one."""

from __future__ import annotations

from litestar import get, post
from litestar.params import FromPath

from warlog_events.commands import CreateMatch
from warlog_events.errors import Unauthenticated
from warlog_events.model import Player, Reader
from warlog_service import auth, schema
from warlog_service.answers import PRIVATE, Answer, matches, not_modified, private
from warlog_service.openapi import call
from warlog_service.requests import AnyRequest, asked, decode, header, read_body
from warlog_service.routes.reading import match_of, tag_of
from warlog_service.running import Service, service_of

MATCHES_MAX = 200
NOT_IDS = {"me", "open", "invite"}


@get("/matches", opt=call(query=schema.MatchesQuery, answer=schema.Matches, errors=("unknown_player",)))
async def get_matches(request: AnyRequest) -> Answer:
    """Public matches and your own, the newest first. `player=me` gives yours alone."""
    service = service_of(request.scope)
    caller = await auth.reader(service, request.scope)
    query = asked(request.scope, schema.MatchesQuery)
    if query.player == "me" and caller is None:
        raise Unauthenticated("`player=me` needs a token")
    found, after = await service.backend.lobby.matches(
        query, caller.id if caller else None, min(query.limit, MATCHES_MAX)
    )
    return private({"matches": found, "next": after})


@post(
    "/matches",
    opt=call(
        body=CreateMatch,
        answer=schema.MatchCreated,
        status=201,
        token=True,
        errors=("unknown_game", "unknown_seat", "unknown_player", "unknown_scenario", "competitive", "invalid_options",
                "invalid_position", "other codes of the rule book's options and Position"),
    ),
)  # fmt: skip
async def post_match(request: AnyRequest) -> Answer:
    """A new match. `seats` says of each seat `me`, `open`, `invite` or a player id; the invitations are shown
    this once.

    Who takes all seats for himself starts the match with this call."""
    service = service_of(request.scope)
    caller = await auth.caller(service, request.scope)
    service.limits.commands.spend(caller.id)
    body = await read_body(request.scope, request.receive, service.settings.body_bytes_max)
    spec: CreateMatch = decode(body, CreateMatch)
    made = await service.backend.matches.create(spec, caller.player, players=await _players(service, spec))
    location = (b"location", f"/v1/matches/{made.match.id}".encode())
    summary = made.match.summary(made.match.reader(caller.id))
    return private({"match": summary, "invitations": made.invitations}, 201, location)


@get(
    "/matches/{match_id:str}",
    opt=call(answer=schema.MatchAnswer, headers=("If-None-Match",), errors=("unknown_match",)),
)
async def get_match(request: AnyRequest, match_id: FromPath[str]) -> Answer:
    """Status, seats, options, version, who may act until when, and the result."""
    _, match, player = await match_of(request, match_id)
    reader = Reader(match.seats_of(player), player)
    tag = tag_of(match, reader)
    if matches(header(request.scope, b"if-none-match"), tag):
        return not_modified(tag, PRIVATE)
    return private({"match": match.summary(reader)}, 200, (b"etag", tag))


async def _players(service: Service, spec: CreateMatch) -> dict[str, Player]:
    """The accounts that the seats name. Raises UnknownPlayer."""
    ids = set(spec.seats.values()) - NOT_IDS
    return {id: await service.backend.accounts.named(id) for id in sorted(ids)}


handlers = [get_matches, post_match, get_match]
