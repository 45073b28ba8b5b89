"""The games: enough to draw and play any of them without knowing it."""

from __future__ import annotations

from functools import cache, lru_cache
from hashlib import sha256
from typing import Any

import msgspec
from litestar import get, post
from litestar.params import FromPath

import warlog_core
from warlog_events.errors import BadParameter, UnknownGame, named
from warlog_events.match import policy
from warlog_service import auth, schema
from warlog_service.backend import service_of
from warlog_service.openapi import call
from warlog_service.requests import AnyRequest, asked, decode, header, read_body
from warlog_service.responses import (
    JSON,
    MARKDOWN,
    PUBLIC,
    Answer,
    encode,
    matches,
    not_modified,
    private,
)

GAME = ("unknown_game", "invalid_options", "other codes of the rule book's options")


@get("/games", opt=call(sends=("ETag",), answer=schema.Games, headers=("If-None-Match",)))
async def get_games(request: AnyRequest) -> Answer:
    """The games of this server."""
    await auth.caller_or_none(service_of(request.scope), request.scope)
    return _shared(request, JSON, _listed())


@get(
    "/games/{game:str}",
    opt=call(
        sends=("ETag",), query=schema.GameQuery, answer=schema.Game, errors=GAME, headers=("If-None-Match",)
    ),
)
async def get_game(request: AnyRequest, game: FromPath[str]) -> Answer:
    """All that is needed to draw a game, to build its inputs and to explain it: board, seats, pieces, layers, schemas.

    What depends on options is given for those in `options`. The example shows the beginning of each list and table."""
    await auth.caller_or_none(service_of(request.scope), request.scope)
    return _shared(request, JSON, _described(game, asked(request.scope, schema.GameQuery).options or ""))


@get(
    "/games/{game:str}/rules",
    opt=call(sends=("ETag",), answer="text/markdown", errors=("unknown_game",), headers=("If-None-Match",)),
)
async def get_rules(request: AnyRequest, game: FromPath[str]) -> Answer:
    """The rule book of a game."""
    await auth.caller_or_none(service_of(request.scope), request.scope)
    return _shared(request, MARKDOWN, known(game).rules().encode())


@get(
    "/games/{game:str}/data",
    opt=call(sends=("ETag",), answer=schema.Data, errors=("unknown_game",), headers=("If-None-Match",)),
)
async def get_data(request: AnyRequest, game: FromPath[str]) -> Answer:
    """The data file of a game's rule book, as it is: piece tables, paths, options and whatever else the book prints."""
    await auth.caller_or_none(service_of(request.scope), request.scope)
    return _shared(request, JSON, known(game).data())


@post(
    "/games/{game:str}/positions/check",
    status_code=200,
    opt=call(
        body=schema.PositionCheck,
        answer=schema.Fine,
        errors=(*GAME, "invalid_position", "every position_… code"),
    ),
)
async def post_position_check(request: AnyRequest, game: FromPath[str]) -> Answer:
    """Check whether a match can start from this Position with these options; if not, the code is the rule book's."""
    service = service_of(request.scope)
    await auth.caller_or_none(service, request.scope)
    body = await read_body(request.scope, request.receive, service.settings.body_bytes_max)
    check: schema.PositionCheck = decode(body, schema.PositionCheck)
    known(game).check_options(check.options, check.position)
    policy.check_size(check.options, check.position)
    return private({"ok": True})


@cache
def _listed() -> bytes:
    described = (
        msgspec.json.decode(_described(name, ""), type=schema.GameSummary) for name in warlog_core.games()
    )
    return encode({"games": list(described)})


@lru_cache(maxsize=64)
def _described(game: str, options: str) -> bytes:
    """The description of a game with these options (JSON; "" for the defaults). Raises UnknownGame,
    BadParameter, Refused."""
    try:
        given = warlog_core.loads(options) if options else {}
    except ValueError as error:
        raise BadParameter(f"The parameter `options` is not JSON: {error}.") from None
    found = known(game)
    found.check_options(given)
    counted = policy.counted_range(found)
    described = found.describe(given) | {"pools": _pools(found)}
    return encode(described | ({"counted": counted} if counted else {}))


def _pools(game: warlog_core.Game) -> list[dict[str, Any]]:
    rated = policy.rated(game)
    return [
        {
            "pool": key,
            "name": pool.name,
            "options": pool.options,
            "any": [*rated.any, *pool.any],
            "actions_min": rated.actions_min,
        }
        for key, pool in rated.pools.items()
    ]


def known(game: str) -> warlog_core.Game:
    """Raises UnknownGame."""
    if game not in warlog_core.games():
        raise UnknownGame(f"There is no game {named(game)}.", extra={"allowed": list(warlog_core.games())})
    return warlog_core.game(game)


def _shared(request: AnyRequest, kind: tuple[bytes, bytes], body: bytes) -> Answer:
    tag = b'"%b"' % sha256(body).hexdigest()[:16].encode()
    if matches(header(request.scope, b"if-none-match"), tag):
        return not_modified(tag, PUBLIC)
    return Answer(200, [kind, *PUBLIC, (b"etag", tag)], body)


handlers: list[Any] = [get_games, get_game, get_rules, get_data, post_position_check]
