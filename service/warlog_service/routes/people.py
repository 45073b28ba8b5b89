"""People find each other: by name, and in lists that each keeps for himself."""

from __future__ import annotations

from typing import Any

from litestar import delete, get, put
from litestar.params import FromPath

from warlog_events.match.proposal_json import player_json
from warlog_events.players.relations import Related
from warlog_service import auth, schema
from warlog_service.backend import service_of
from warlog_service.openapi import call
from warlog_service.requests import AnyRequest, asked
from warlog_service.responses import Answer, private
from warlog_service.schema.queries import PEOPLE_MAX

MATCHES_MAX = 3  # of one player, that are shown
RELATION = ("bad_parameter", "unknown_player", "quota_exceeded")


@get("/players", opt=call(query=schema.PlayersQuery, answer=schema.FoundPlayers))
async def get_players(request: AnyRequest) -> Answer:
    """Find players by the beginning of their names, in upper or lower case. Several may have the same name."""
    service = service_of(request.scope)
    await auth.caller_or_none(service, request.scope)
    query = asked(request.scope, schema.PlayersQuery)
    found, after = await service.backend.directory.search(
        query.name, query.after, min(query.limit, PEOPLE_MAX)
    )
    return private({"players": [player_json(player) for player in found], "next": after})


@get("/players/me/following", opt=call(query=schema.Page, answer=schema.Following, token=True))
async def get_following(request: AnyRequest) -> Answer:
    """The players whom you follow: who of them is here, and plays what you may watch.

    A page may be shorter than asked for, or empty, and still have a `next`: players who have left for good are left
    out."""
    service = service_of(request.scope)
    caller = await auth.caller(service, request.scope)
    page = asked(request.scope, schema.Page)
    backend = service.backend
    found, after = await backend.relations.page(
        "following", caller.id, page.after, min(page.limit, PEOPLE_MAX)
    )
    ids = [one.player.id for one in found]
    here = await backend.here(caller.id, ids)
    watchable = await backend.lobby.watchable(ids, MATCHES_MAX)
    players = [
        {**_related(one), "here": one.player.id in here, "matches": matches}
        for one, matches in zip(found, watchable, strict=True)
    ]
    return private({"players": players, "next": after})


@put("/players/me/following/{player_id:str}", opt=call(answer=schema.Related, token=True, errors=RELATION))
async def put_following(request: AnyRequest, player_id: FromPath[str]) -> Answer:
    """Follow a player. The player is not told."""
    service = service_of(request.scope)
    caller = await auth.caller(service, request.scope)
    return private(_related(await service.backend.relations.add("following", caller.id, player_id)))


@delete(
    "/players/me/following/{player_id:str}",
    status_code=200,  # Litestar's; the Answer says 204
    opt=call(answer=None, status=204, token=True),
)
async def delete_following(request: AnyRequest, player_id: FromPath[str]) -> Answer:
    """Stop following a player. Without effect if you do not follow the player."""
    service = service_of(request.scope)
    caller = await auth.caller(service, request.scope)
    await service.backend.relations.remove("following", caller.id, player_id)
    return Answer(204, [], b"")


@get("/players/me/blocked", opt=call(query=schema.Page, answer=schema.Blocked, token=True))
async def get_blocked(request: AnyRequest) -> Answer:
    """The players whom you have blocked. Nobody else sees this."""
    service = service_of(request.scope)
    caller = await auth.caller(service, request.scope)
    page = asked(request.scope, schema.Page)
    found, after = await service.backend.relations.page(
        "blocked", caller.id, page.after, min(page.limit, PEOPLE_MAX)
    )
    return private({"players": [_related(one) for one in found], "next": after})


@put("/players/me/blocked/{player_id:str}", opt=call(answer=schema.Related, token=True, errors=RELATION))
async def put_blocked(request: AnyRequest, player_id: FromPath[str]) -> Answer:
    """Block a player, and stop following the player.

    A blocked player cannot challenge you or propose a rematch, takes no seat in a lobby in which you are, is not paired
    with you, never sees you as `here`, and is not told. Open challenges from this player are declined
    (`not_now`). Matches that you play together go on."""
    service = service_of(request.scope)
    caller = await auth.caller(service, request.scope)
    return private(_related(await service.backend.blocking.block(caller.player, player_id)))


@delete(
    "/players/me/blocked/{player_id:str}",
    status_code=200,  # Litestar's; the Answer says 204
    opt=call(answer=None, status=204, token=True),
)
async def delete_blocked(request: AnyRequest, player_id: FromPath[str]) -> Answer:
    """Unblock a player. Without effect if the player is not blocked."""
    service = service_of(request.scope)
    caller = await auth.caller(service, request.scope)
    await service.backend.relations.remove("blocked", caller.id, player_id)
    await service.backend.pairing.avoid(caller.id)
    return Answer(204, [], b"")


def _related(one: Related) -> dict[str, Any]:
    return {"player": player_json(one.player), "since": one.since}


handlers: list[Any] = [
    get_players,
    get_following,
    put_following,
    delete_following,
    get_blocked,
    put_blocked,
    delete_blocked,
]
