"""A player's own sets of options, game by game. A match with these options must be possible."""

from __future__ import annotations

from typing import Any

from litestar import delete, get, put
from litestar.params import FromPath

from warlog_service import auth, schema
from warlog_service.backend import service_of
from warlog_service.openapi import call
from warlog_service.requests import AnyRequest, decode, read_body
from warlog_service.responses import Answer, private
from warlog_service.routes.games import known

GAME = ("unknown_game",)
OPTIONS = (*GAME, "unknown_options")


@get("/players/me/options/{game:str}", opt=call(answer=schema.OwnOptionsList, token=True, errors=GAME))
async def get_own_options_list(request: AnyRequest, game: FromPath[str]) -> Answer:
    """Your saved sets of options for a game, by name."""
    service = service_of(request.scope)
    caller = await auth.caller(service, request.scope)
    return private({"options": await service.backend.own_options.all(caller.id, known(game))})


@put(
    "/players/me/options/{game:str}/{name:str}",
    opt=call(
        body=schema.NewOwnOptions,
        answer=schema.OwnOptionsAnswer,
        token=True,
        errors=(*GAME, "invalid_options", "other codes of the rule book's options", "quota_exceeded"),
    ),
)
async def put_own_options(request: AnyRequest, game: FromPath[str], name: FromPath[str]) -> Answer:
    """Save a set of options under a name; an older set with this name is replaced. At most 50 for each game.

    An option that you leave out has its default. To play with the set, put it into `POST /matches` or a proposal."""
    service = service_of(request.scope)
    caller = await auth.caller(service, request.scope)
    body = await read_body(request.scope, request.receive, service.settings.body_bytes_max)
    new: schema.NewOwnOptions = decode(body, schema.NewOwnOptions)
    saved = await service.backend.own_options.save(caller.id, known(game), name, new.options)
    return private({"options": saved})


@get(
    "/players/me/options/{game:str}/{name:str}",
    opt=call(answer=schema.OwnOptionsAnswer, token=True, errors=OPTIONS),
)
async def get_own_options(request: AnyRequest, game: FromPath[str], name: FromPath[str]) -> Answer:
    """One of your saved sets of options."""
    service = service_of(request.scope)
    caller = await auth.caller(service, request.scope)
    return private({"options": await service.backend.own_options.get(caller.id, known(game), name)})


@delete(
    "/players/me/options/{game:str}/{name:str}",
    status_code=200,  # Litestar's; the Answer says 204
    opt=call(answer=None, status=204, token=True, errors=OPTIONS),
)
async def delete_own_options(request: AnyRequest, game: FromPath[str], name: FromPath[str]) -> Answer:
    """Delete a set of options. Matches that were made with it keep their options."""
    service = service_of(request.scope)
    caller = await auth.caller(service, request.scope)
    await service.backend.own_options.delete(caller.id, known(game), name)
    return Answer(204, [], b"")


handlers: list[Any] = [get_own_options_list, put_own_options, get_own_options, delete_own_options]
