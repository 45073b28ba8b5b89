"""A player's own starting layouts, game by game. The rules core judges them when they come in."""

from __future__ import annotations

from typing import Any

from litestar import delete, get, post, put
from litestar.params import FromPath

from warlog_service import auth, schema
from warlog_service.backend import service_of
from warlog_service.openapi import call
from warlog_service.requests import AnyRequest, asked, decode, read_body
from warlog_service.responses import Answer, private
from warlog_service.routes.games import known
from warlog_service.schema.queries import ENTRIES_MAX

GAME = ("unknown_game",)
LAYOUT = (*GAME, "unknown_layout")


@get(
    "/players/me/layouts/{game:str}",
    opt=call(query=schema.LayoutsQuery, answer=schema.Layouts, token=True, errors=GAME),
)
async def get_layouts(request: AnyRequest, game: FromPath[str]) -> Answer:
    """Your layouts for a game, by name. `last` is the one that you used last; your next match begins with it, too."""
    service = service_of(request.scope)
    caller = await auth.caller(service, request.scope)
    page = asked(request.scope, schema.LayoutsQuery)
    known(game)
    found, after = await service.backend.library.page(
        caller.id, game, page.after, min(page.limit, ENTRIES_MAX)
    )
    return private({"layouts": found, "next": after})


@put(
    "/players/me/layouts/{game:str}/{name:str}",
    opt=call(
        body=schema.NewLayout,
        answer=schema.LayoutAnswer,
        token=True,
        errors=("quota_exceeded", *GAME, "the code with which the game's rule book refuses a layout"),
    ),
)
async def put_layout(request: AnyRequest, game: FromPath[str], name: FromPath[str]) -> Answer:
    """Save a layout under a name; an older layout with this name is replaced. At most 200 for each game."""
    service = service_of(request.scope)
    caller = await auth.caller(service, request.scope)
    body = await read_body(request.scope, request.receive, service.settings.body_bytes_max)
    new: schema.NewLayout = decode(body, schema.NewLayout)
    known(game)
    return private({"layout": await service.backend.library.save(caller.id, game, name, new.layout)})


@get(
    "/players/me/layouts/{game:str}/{name:str}",
    opt=call(answer=schema.LayoutAnswer, token=True, errors=LAYOUT),
)
async def get_layout(request: AnyRequest, game: FromPath[str], name: FromPath[str]) -> Answer:
    """One of your layouts. To use it in a running layout phase, post it as that game's action."""
    service = service_of(request.scope)
    caller = await auth.caller(service, request.scope)
    known(game)
    return private({"layout": await service.backend.library.get(caller.id, game, name)})


@post(
    "/players/me/layouts/{game:str}/{name:str}/load",
    status_code=200,
    opt=call(answer=schema.LayoutAnswer, token=True, errors=LAYOUT),
)
async def post_layout_load(request: AnyRequest, game: FromPath[str], name: FromPath[str]) -> Answer:
    """Choose the layout with which your next match begins: it becomes `last`."""
    service = service_of(request.scope)
    caller = await auth.caller(service, request.scope)
    known(game)
    return private({"layout": await service.backend.library.load(caller.id, game, name)})


@delete(
    "/players/me/layouts/{game:str}/{name:str}",
    status_code=200,  # Litestar's; the Answer says 204
    opt=call(answer=None, status=204, token=True, errors=LAYOUT),
)
async def delete_layout(request: AnyRequest, game: FromPath[str], name: FromPath[str]) -> Answer:
    """Delete a layout. Without `last`, your next match begins with a random layout."""
    service = service_of(request.scope)
    caller = await auth.caller(service, request.scope)
    known(game)
    await service.backend.library.delete(caller.id, game, name)
    return Answer(204, [], b"")


handlers: list[Any] = [get_layouts, put_layout, get_layout, post_layout_load, delete_layout]
