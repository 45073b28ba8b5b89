"""The bots of the house."""

from __future__ import annotations

import asyncio
from typing import Any

from litestar import get

import warlog_core
from warlog_events.match.bots import HOUSE, LEVELS, house
from warlog_events.match.proposal_json import player_json
from warlog_service import auth, schema
from warlog_service.backend import service_of
from warlog_service.openapi import call
from warlog_service.requests import AnyRequest
from warlog_service.responses import Answer, private
from warlog_service.routes.standings import ratings_json


@get("/bots", opt=call(answer=schema.Bots))
async def get_bots(request: AnyRequest) -> Answer:
    """The bots of the house: eight levels, each with its account and ratings, and how they play each game.

    They accept a draw when they stand worse, or when nothing has come of a long match, give up what they have lost, and
    agree to going back in casual matches and to a rematch. `alive` is false while no program plays for them: a match
    with one then waits. Seats are given to them in `POST /matches` and `PUT /matches/{id}/seats/{seat}`, as `bot:1` to
    `bot:8`."""
    service = service_of(request.scope)
    await auth.caller_or_none(service, request.scope)
    backend = service.backend
    alive = any(await backend.personal_feeds.followed_lately(HOUSE))
    await backend.settle()
    found = await asyncio.gather(*[backend.standings.ratings(house(level).id) for level in LEVELS])
    levels = [
        {"level": level, "player": player_json(house(level)), "ratings": ratings_json(ratings)}
        for level, ratings in zip(LEVELS, found, strict=True)
    ]
    return private({"alive": alive, "bots": levels, "games": [_how(game) for game in warlog_core.games()]})


def _how(name: str) -> dict[str, Any]:
    iterations = {str(level): warlog_core.level(name, level).iterations for level in LEVELS}
    search = warlog_core.game(name).raw.has_search
    return {"game": name, "search": search, "iterations": iterations if search else {}}


handlers = [get_bots]
