"""What matches have made of the players: gold, scores and records, ratings, and the tables by score and by rating."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from litestar import get
from litestar.params import FromPath

import warlog_core
from warlog_events.errors import UnknownPool, named
from warlog_events.match import policy
from warlog_events.match.bots import HOUSE
from warlog_events.match.match import rfc3339
from warlog_events.match.model import Player
from warlog_events.match.proposal_json import player_json
from warlog_events.players.accounts import Account, Caller
from warlog_events.players.ledger import Holdings, Record
from warlog_events.standing.ratings import ALGORITHM, Rating
from warlog_events.standing.standings import Place
from warlog_service import auth, schema
from warlog_service.backend import Service, service_of
from warlog_service.openapi import call
from warlog_service.requests import AnyRequest, asked
from warlog_service.responses import Answer, private
from warlog_service.routes.games import known
from warlog_service.schema.queries import ENTRIES_MAX


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


@get("/players/{player_id:str}/ratings", opt=call(answer=schema.Ratings, errors=("unknown_player",)))
async def get_ratings(request: AnyRequest, player_id: FromPath[str]) -> Answer:
    """How strong a player is: a rating for each game and pool in which he has had rated matches.

    Competitive matches with the options of a pool are rated (`pools` of `GET /v1/games/{game}`). Those with fewer
    actions than its `actions_min` are not, nor more than a few a day between the same players (a setting of the server,
    usually 10).
    Where bots play with people, only the bots' ratings move."""
    service = service_of(request.scope)
    await auth.caller_or_none(service, request.scope)
    backend = service.backend
    await backend.accounts.player(player_id)
    await backend.settle()
    found = await backend.standings.ratings(player_id)
    return private({"ratings": ratings_json(found)})


@get(
    "/players/{player_id:str}/ratings/{game:str}/{pool:str}/history",
    opt=call(
        query=schema.HistoryPage,
        answer=schema.RatingHistory,
        errors=("unknown_player", "unknown_game", "unknown_pool"),
    ),
)
async def get_rating_history(
    request: AnyRequest, player_id: FromPath[str], game: FromPath[str], pool: FromPath[str]
) -> Answer:
    """Each match that moved a rating, with the rating before and after it."""
    service = service_of(request.scope)
    caller = await auth.caller_or_none(service, request.scope)
    _check_pool(game, pool)
    page = asked(request.scope, schema.HistoryPage)
    backend = service.backend
    await backend.accounts.player(player_id)
    await backend.settle()
    changes, after = await backend.standings.history(
        player_id,
        game,
        pool,
        page.after,
        min(page.limit, ENTRIES_MAX),
        own=caller is not None and caller.id == player_id,
    )
    shown = [change.json() for change in changes]
    return private({"game": game, "pool": pool, "algorithm": ALGORITHM, "changes": shown, "next": after})


@get(
    "/games/{game:str}/leaderboard",
    opt=call(
        query=schema.LeaderboardQuery,
        answer=schema.Leaderboard,
        errors=("unknown_game", "unknown_pool"),
    ),
)
async def get_leaderboard(request: AnyRequest, game: FromPath[str]) -> Answer:
    """The players of a game, the best first.

    With `pool`: by rating (μ − 3σ), the players whose rating in it is not provisional. Without: by score, the players
    whose competitive matches have moved points."""
    service = service_of(request.scope)
    caller = await auth.caller_or_none(service, request.scope)
    known(game)
    query = asked(request.scope, schema.LeaderboardQuery)
    await service.backend.settle()
    if query.pool is None:
        return private(await _by_points(service, game, query))
    _check_pool(game, query.pool)
    return private(await _by_rating(service, game, query.pool, query, caller))


async def _by_points(service: Service, game: str, query: schema.LeaderboardQuery) -> dict[str, Any]:
    accounting, backend = policy.accounting(known(game)), service.backend
    placed, after = await backend.ledger.table(game, query.after, min(query.limit, ENTRIES_MAX))
    names = await backend.accounts.names([row.player for row in placed])
    players = [
        {
            "place": row.place,
            "player": player_json(Player(row.player, name)),
            "score": row.score,
            "rank": None if accounting is None else accounting.rank(row.score),
        }
        for row, name in zip(placed, names, strict=True)
        if name  # else he has left for good
    ]
    return {"game": game, "players": players, "next": after}


async def _by_rating(
    service: Service, game: str, pool: str, query: schema.LeaderboardQuery, caller: Caller | None
) -> dict[str, Any]:
    backend = service.backend
    places, after = await backend.standings.board(game, pool, query.after, min(query.limit, ENTRIES_MAX))
    names = await backend.accounts.names([place.player for place in places])

    def line(place: Place, name: str) -> dict[str, Any]:
        player = player_json(Player(place.player, name))
        return {"place": place.place, "player": player, "rating": rating_json(game, pool, place.rating)}

    shown = {
        "game": game,
        "pool": pool,
        "players": [line(place, name) for place, name in zip(places, names, strict=True) if name],
        "next": after,
    }
    if caller is None:
        return shown
    own = await backend.standings.place(caller.id, game, pool)
    return {**shown, "you": None if own is None else line(own, caller.player.name)}


def _check_pool(game: str, pool: str) -> None:
    """Raises UnknownGame, UnknownPool."""
    pools = policy.rated(known(game)).pools
    if pool not in pools:
        raise UnknownPool(f"{named(game)} has no pool {named(pool)}.", extra={"allowed": [*pools]})


def rating_json(game: str, pool: str, rating: Rating) -> dict[str, Any]:
    return {
        "game": game,
        "pool": pool,
        **rating.json(),
        "provisional": rating.is_provisional,
        "algorithm": ALGORITHM,
        "matches": rating.matches,
        "last_match_at": rfc3339(rating.at),
    }


def ratings_json(ratings: Mapping[tuple[str, str], Rating]) -> list[dict[str, Any]]:
    """By game and pool."""
    return [rating_json(game, pool, rating) for (game, pool), rating in ratings.items()]


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


handlers: list[Any] = [get_me, get_player, get_ratings, get_rating_history, get_leaderboard]
