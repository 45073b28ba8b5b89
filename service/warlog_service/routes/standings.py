"""What matches have made of the players: gold, scores and records, and the tables by score."""

from __future__ import annotations

from typing import Any

from litestar import get
from litestar.params import FromPath

import warlog_core
from warlog_events.match import policy
from warlog_events.match.bots import HOUSE
from warlog_events.match.model import Player
from warlog_events.match.proposal_json import player_json
from warlog_events.players.accounts import Account
from warlog_events.players.ledger import Holdings, Record
from warlog_service import auth, schema
from warlog_service.backend import Service, service_of
from warlog_service.openapi import call
from warlog_service.requests import AnyRequest, asked
from warlog_service.responses import Answer, private
from warlog_service.routes.games import known

PLAYERS_MAX = 200


@get("/players/me", opt=call(answer=schema.MyAccount, token=True))
async def get_me(request: AnyRequest) -> Answer:
    """Your account, and how much of its gold is set aside for running matches."""
    service = service_of(request.scope)
    caller = await auth.caller(service, request.scope)
    holdings = await _holdings(service, caller.id)
    account = await service.backend.accounts.player(caller.id)
    return private({"player": account_json(account, holdings), "held": holdings.held})


@get("/players/{player_id:str}", opt=call(answer=schema.AccountAnswer, errors=("unknown_player",)))
async def get_player(request: AnyRequest, player_id: FromPath[str]) -> Answer:
    """The public part of an account: gold, and for each game score, rank and record of competitive matches."""
    service = service_of(request.scope)
    await auth.caller_or_none(service, request.scope)
    if player_id in HOUSE:
        await service.backend.house.open()
    account = await service.backend.accounts.player(player_id)
    return private({"player": account_json(account, await _holdings(service, player_id))})


@get(
    "/games/{game:str}/leaderboard",
    opt=call(query=schema.Page, answer=schema.Leaderboard, errors=("unknown_game",)),
)
async def get_leaderboard(request: AnyRequest, game: FromPath[str]) -> Answer:
    """The players whose competitive matches of this game have moved points, the highest score first."""
    service = service_of(request.scope)
    await auth.caller_or_none(service, request.scope)
    accounting = policy.accounting(known(game))
    page = asked(request.scope, schema.Page)
    backend = service.backend
    if backend.keeps_books:
        await backend.bookkeeper.catch_up()
    placed, after = await backend.ledger.table(game, page.after, min(page.limit, PLAYERS_MAX))
    names = await backend.accounts.names([row.player for row in placed])
    players = [
        {
            "place": row.place,
            "player": player_json(Player(row.player, name)),
            "score": row.score,
            "rank": None if accounting is None else accounting.rank(row.score),
        }
        for row, name in zip(placed, names, strict=True)
    ]
    return private({"game": game, "players": players, "next": after})


async def _holdings(service: Service, player: str) -> Holdings:
    """With every match that was over before the question."""
    backend = service.backend
    if backend.keeps_books:
        await backend.bookkeeper.catch_up()
    return (await backend.ledger.holdings([player]))[player]


def account_json(account: Account, holdings: Holdings) -> dict[str, Any]:
    """What everybody may know."""
    return {
        **player_json(Player(account.id, account.name)),
        "created_at": account.created_at,
        "gold": holdings.gold + holdings.held,
        "games": [
            one for game in warlog_core.games() if (one := _standing(game, holdings.records.get(game)))
        ],
    }


def _standing(game: str, record: Record | None) -> dict[str, Any] | None:
    """In a game that he has played, or in which everybody has a rank from the beginning."""
    accounting = policy.accounting(warlog_core.game(game))
    if record is None and accounting is None:
        return None
    record = record or Record(game)
    standing: dict[str, Any] = {"game": game}
    if accounting is not None:
        standing["score"] = record.score or 0
        standing["rank"] = accounting.rank(record.score or 0)
    return standing | {"won": record.won, "drawn": record.drawn, "lost": record.lost, "fled": record.fled}


handlers: list[Any] = [get_me, get_player, get_leaderboard]
