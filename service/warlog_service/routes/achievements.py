"""Achievements and statistics: what counted matches have earned their players, and how they went."""

from __future__ import annotations

from typing import Any

from litestar import get
from litestar.params import FromPath

from warlog_core.achievements import Achievement
from warlog_events.match.match import rfc3339
from warlog_events.standing.counting import SHARED, catalogue
from warlog_service import auth, schema
from warlog_service.backend import service_of
from warlog_service.openapi import call
from warlog_service.requests import AnyRequest
from warlog_service.responses import Answer, private
from warlog_service.routes.games import known


@get("/achievements", opt=call(answer=schema.Achievements))
async def get_achievements(request: AnyRequest) -> Answer:
    """All achievements, first those that the games share.

    A match counts if it is competitive, or casual with one person against bots of the house of level 5 and above. It
    must have ended, be long enough, begin from the game's own start, and not have gone back. Where a game has pools of
    options, only matches with those of a pool earn achievements."""
    await auth.caller_or_none(service_of(request.scope), request.scope)
    return private({"achievements": [_described(key, one) for key, one in catalogue().items()]})


@get(
    "/players/{player_id:str}/achievements",
    opt=call(answer=schema.OwnAchievements, errors=("unknown_player",)),
)
async def get_player_achievements(request: AnyRequest, player_id: FromPath[str]) -> Answer:
    """What a player has achieved, the newest first, with the match that earned each. `begun` has achievements that take
    several matches, of which the player has played some."""
    service = service_of(request.scope)
    caller = await auth.caller_or_none(service, request.scope)
    backend, own = service.backend, caller is not None and caller.id == player_id
    await backend.accounts.player(player_id)
    await backend.settle()
    achieved = await backend.standings.achievements(player_id, own=own)
    games, career = await backend.standings.own_statistics(player_id)
    times = {f"{SHARED}.{key}": count for key, count in career.times.items()}
    times |= {f"{game}.{key}": count for game, one in games.items() for key, count in one.times.items()}
    known_, have = catalogue(), {one.key for one in achieved}
    shown = [
        {**_described(one.key, known_[one.key]), "at": rfc3339(one.at), "match": one.match}
        for one in achieved
        if one.key in known_  # else of a game that another build plays
    ]
    begun = [
        {**_described(key, one), "times": times[key]}
        for key, one in known_.items()
        if key in times and key not in have
    ]
    return private({"achievements": shown, "begun": begun})


@get(
    "/players/{player_id:str}/statistics",
    opt=call(answer=schema.OwnStatistics, errors=("unknown_player",)),
)
async def get_player_statistics(request: AnyRequest, player_id: FromPath[str]) -> Answer:
    """What a player has played, game by game: the matches that count for achievements, and those with options of no
    pool."""
    service = service_of(request.scope)
    await auth.caller_or_none(service, request.scope)
    backend = service.backend
    await backend.accounts.player(player_id)
    await backend.settle()
    games, _ = await backend.standings.own_statistics(player_id)
    return private({"statistics": [{"game": game, **one.json()} for game, one in games.items()]})


@get("/games/{game:str}/statistics", opt=call(answer=schema.GameStatistics, errors=("unknown_game",)))
async def get_game_statistics(request: AnyRequest, game: FromPath[str]) -> Answer:
    """How the counted matches of everybody went: which seats win, how long it takes, how players begin."""
    service = service_of(request.scope)
    await auth.caller_or_none(service, request.scope)
    known(game)
    await service.backend.settle()
    return private({"game": game, **(await service.backend.standings.statistics(game)).json()})


def _described(key: str, one: Achievement) -> dict[str, Any]:
    game = key.partition(".")[0]
    return {
        "key": key,
        "game": None if game == SHARED else game,
        "name": one.name,
        "text": one.text,
        "count": one.count,
    }


handlers: list[Any] = [get_achievements, get_player_achievements, get_player_statistics, get_game_statistics]
