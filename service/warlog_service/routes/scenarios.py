"""Saved positions of the board editor. The rules core judges them when they come in."""

from __future__ import annotations

from litestar import delete, get, post
from litestar.params import FromPath

from warlog_events.errors import Unauthenticated
from warlog_events.match import policy
from warlog_events.players.own_options import check_options
from warlog_service import auth, schema
from warlog_service.backend import service_of
from warlog_service.openapi import call
from warlog_service.requests import AnyRequest, asked, decode, read_body
from warlog_service.responses import Answer, private
from warlog_service.routes.games import GAME, known
from warlog_service.schema.queries import ENTRIES_MAX


@post(
    "/scenarios",
    opt=call(
        sends=("Location",),
        body=schema.NewScenario,
        answer=schema.ScenarioAnswer,
        status=201,
        token=True,
        errors=("quota_exceeded", *GAME, "invalid_position", "every position_… code"),
    ),
)
async def post_scenario(request: AnyRequest) -> Answer:
    """Save a scenario, from which matches can start: a Position with its options, or options alone."""
    service = service_of(request.scope)
    caller = await auth.caller(service, request.scope)
    body = await read_body(request.scope, request.receive, service.settings.body_bytes_max)
    new: schema.NewScenario = decode(body, schema.NewScenario)
    game = known(new.game)
    if new.position is None:
        check_options(game, new.options)
    else:
        game.check_options(new.options, new.position)
        policy.check_size(new.options, new.position)
    saved = await service.backend.scenarios.save(caller.id, new)
    return private({"scenario": saved}, 201, (b"location", f"/v1/scenarios/{saved.id}".encode()))


@get("/scenarios", opt=call(query=schema.ScenariosQuery, answer=schema.Scenarios))
async def get_scenarios(request: AnyRequest) -> Answer:
    """Public scenarios, or with `mine=true` your own: the newest first, without their Positions."""
    service = service_of(request.scope)
    caller = await auth.caller_or_none(service, request.scope)
    query = asked(request.scope, schema.ScenariosQuery)
    if query.mine and caller is None:
        raise Unauthenticated("`mine` needs a token.")
    owner = caller.id if caller and query.mine else None
    found, after = await service.backend.scenarios.page(
        owner=owner, game=query.game, after=query.after, limit=min(query.limit, ENTRIES_MAX)
    )
    return private({"scenarios": found, "next": after})


@get("/scenarios/{scenario_id:str}", opt=call(answer=schema.ScenarioAnswer, errors=("unknown_scenario",)))
async def get_scenario(request: AnyRequest, scenario_id: FromPath[str]) -> Answer:
    """One scenario with its Position and options."""
    service = service_of(request.scope)
    caller = await auth.caller_or_none(service, request.scope)
    return private(
        {"scenario": await service.backend.scenarios.get(scenario_id, caller.id if caller else None)}
    )


@delete(
    "/scenarios/{scenario_id:str}",
    status_code=200,  # Litestar's; the Answer says 204
    opt=call(answer=None, status=204, token=True, errors=("unknown_scenario",)),
)
async def delete_scenario(request: AnyRequest, scenario_id: FromPath[str]) -> Answer:
    """Delete a scenario of yours. Matches that were started from it are not changed."""
    service = service_of(request.scope)
    caller = await auth.caller(service, request.scope)
    await service.backend.scenarios.delete(scenario_id, caller.id)
    return Answer(204, [], b"")


handlers = [post_scenario, get_scenarios, get_scenario, delete_scenario]
