"""What the computer thinks of a board: asked by readers, answered by the programs of the house's bots."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Coroutine
from typing import Any, TypeVar

import msgspec
from litestar import post
from litestar.params import FromPath
from litestar.types import Receive

import warlog_core
from warlog_core import State
from warlog_events.errors import InsufficientScope, NoView, NoWorld, Refused, Unavailable
from warlog_events.match.bots import HOUSE
from warlog_events.match.match import Match
from warlog_events.players.accounts import Caller
from warlog_service import auth, schema
from warlog_service.backend import Backend, Service, service_of
from warlog_service.openapi import call
from warlog_service.requests import AnyRequest, decode, read_body, until_gone
from warlog_service.responses import Answer, private
from warlog_service.routes.reading import SEAT_ERRORS, match_of, state_at

LEVEL = 8  # with whose settings the computer searches
SEED_BYTES = 6  # a number that JavaScript has, too
TAKE_SECONDS = 5.0

NOBODY = Answer(499, [], b"")
"""To a connection that has been closed: it is never sent. The status is for the figures, as nginx has it."""

T = TypeVar("T")

log = logging.getLogger("warlog")


@post(
    "/matches/{match_id:str}/analysis",
    status_code=200,
    opt=call(
        body=schema.AnalysisWanted,
        answer=schema.Analysis,
        errors=(*SEAT_ERRORS, "hidden", "no_view", "unknown_version", "no_search", "nothing_to_choose"),
    ),
)
async def post_analysis(request: AnyRequest, match_id: FromPath[str]) -> Answer:
    """What the computer would do as a seat: the best actions with their values and what it expects to follow.

    It knows what the seat knew then, and no more. While a match is running you may ask for a seat of yours if the match
    is casual and all others are yours or bots'; when it is over everybody may ask for every seat. One analysis at a
    time; it ends when you close the connection. 503 `unavailable` where no program plays for the house's bots, or none
    has time: matches come first."""
    service = service_of(request.scope)
    past, match, player = await match_of(request, match_id)
    body = await read_body(request.scope, request.receive, service.settings.body_bytes_max)
    wanted: schema.AnalysisWanted = decode(body, schema.AnalysisWanted)
    match.check_may_analyse(player, wanted.seat)
    at = match.version if wanted.at is None else wanted.at
    state = match.state if wanted.at is None else await state_at(request, past, match, player, at)
    if state is None:
        raise NoView("The board does not exist before the match starts.")
    _check_choice(match, state, wanted.seat, at)
    if not any(await service.backend.personal_feeds.followed_lately(HOUSE)):
        raise Unavailable("No program plays for the bots of this server, so nobody can analyse.")
    task = _task(service.backend, match, state, wanted)
    who = auth.asker(service, request.scope, player).caller
    asking = service.backend.analyses.ask(who, msgspec.json.encode(task))
    found = await _while_here(request.receive, asking)
    if found is None:
        return NOBODY
    done = msgspec.json.decode(found, type=schema.AnalysisDone)
    if done.failed:
        log.error("%s: nothing fits what %s knows at version %d", match.id, wanted.seat, at)
        raise NoWorld(version=match.version)
    return private(_answer(match, state, wanted.seat, at, task, done))


def _check_choice(match: Match, state: State, seat: str, at: int) -> None:
    """Raises Refused where there is nothing to search for."""
    if not state.game.raw.has_search:
        raise Refused("no_search", version=match.version)
    if seat not in state.to_act:
        acting = " and ".join(state.to_act)
        turn = f"it is the turn of {acting}" if acting else "the match is over"
        detail = f"After version {at} {turn}."
        raise Refused("nothing_to_choose", detail, path="/seat", version=match.version)


def _task(backend: Backend, match: Match, state: State, wanted: schema.AnalysisWanted) -> schema.AnalysisTask:
    most = warlog_core.level(match.game_name, LEVEL).iterations
    return schema.AnalysisTask(
        match=match.id,
        game=match.game_name,
        rules_version=match.rules_version,
        setup=state.public_setup,
        state=state.seen_by(wanted.seat).data,
        seat=wanted.seat,
        seed=int.from_bytes(backend.world.token_bytes(SEED_BYTES)),
        iterations=most if wanted.iterations is None else min(most, wanted.iterations),
        lines=wanted.lines,
    )


def _answer(
    match: Match, state: State, seat: str, at: int, task: schema.AnalysisTask, done: schema.AnalysisDone
) -> schema.Analysis:
    if not done.found:
        detail = f"The computer finds no action for {seat} after version {at}."
        raise Refused("nothing_to_choose", detail, version=match.version)
    listed, traces = state.legal(seat, plain=True), state.traces(seat)
    return schema.Analysis(
        version=match.version,
        at=at,
        seat=seat,
        actions=[
            schema.AnalysedAction(
                action=one.action,
                value=one.value,
                visits=one.visits,
                line=one.line,
                trace=traces[listed.index(one.action)] if one.action in listed else None,
            )
            for one in done.found
        ],
        seed=task.seed,
        iterations=done.iterations,
    )


async def _while_here(receive: Receive, work: Coroutine[Any, Any, T]) -> T | None:
    """The result of the work, which is cancelled when the client closes the connection: None then."""
    working, leaving = asyncio.create_task(work), asyncio.create_task(until_gone(receive))
    try:
        await asyncio.wait((working, leaving), return_when=asyncio.FIRST_COMPLETED)
        return working.result() if working.done() else None
    finally:
        for task in (working, leaving):
            task.cancel()
        await asyncio.wait((working, leaving))


# ---- for the programs of the house. Not in the OpenAPI document: they come with the server.


async def _program(service: Service, request: AnyRequest) -> Caller:
    """Raises InsufficientScope for anybody else."""
    caller = await auth.caller(service, request.scope)
    if caller.id not in HOUSE:
        raise InsufficientScope("This call is for the programs of the house's bots alone.")
    return caller


@post("/bots/analyses", status_code=200)
async def post_take(request: AnyRequest) -> Answer:
    """The next analysis for a program; without one, after some seconds, null."""
    service = service_of(request.scope)
    await _program(service, request)
    taken = await _while_here(request.receive, service.backend.analyses.take(TAKE_SECONDS))
    if taken is None:
        return private({"analysis": None})
    task = msgspec.Raw(taken.question)
    return private({"analysis": {"id": taken.id, "number": taken.number, "task": task}})


@post("/bots/analyses/{analysis_id:str}/{number:int}", status_code=200)
async def post_done(request: AnyRequest, analysis_id: FromPath[str], number: FromPath[int]) -> Answer:
    """What a program has found; without a body: it is still at it. `wanted` false: nobody waits for it any more."""
    service = service_of(request.scope)
    await _program(service, request)
    body = await read_body(request.scope, request.receive, service.settings.body_bytes_max)
    analyses = service.backend.analyses
    if not body:
        return private({"wanted": await analyses.beat(analysis_id, number)})
    done = msgspec.json.encode(decode(body, schema.AnalysisDone))
    return private({"wanted": await analyses.answer(analysis_id, number, done)})


handlers = [post_analysis, post_take, post_done]
