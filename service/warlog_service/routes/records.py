"""Whole matches: written out, taken in, and checked."""

from __future__ import annotations

from litestar import get, post
from litestar.params import FromPath

from warlog_service import auth, schema
from warlog_service.backend import service_of
from warlog_service.heavy import Large, Result
from warlog_service.openapi import call
from warlog_service.requests import AnyRequest, asked, decode, key_of, read_body
from warlog_service.responses import JSON, PRIVATE, Answer, encode, private
from warlog_service.routes.reading import match_of


@get(
    "/matches/{match_id:str}/export",
    opt=call(
        answer=schema.ExportedRecord, errors=("unknown_match", "no_spectators", "hidden", "wrong_status")
    ),
)
async def get_export(request: AnyRequest, match_id: FromPath[str]) -> Large:
    """The complete record of a match.

    It is given if the match is over or has an open record, or if you hold every seat of a casual match; otherwise the
    answer is 403 `hidden`. It has every draw, and can be imported; while the match runs, it has no seeds. If a match
    that was over has been taken back, every reader gets the events up to that end."""
    past, match, player = await match_of(request, match_id)
    reader = match.reader(player)
    past.check_export(match, reader)
    service = service_of(request.scope)

    async def make() -> Result:
        return Result(await service.backend.heavy_threads.run(encode, await past.export(match, reader)))

    key = ("export", match.id, match.chain, reader)
    who = auth.asker(service, request.scope, player)
    result = await service.heavy.result(who, key, make)
    return Large(service.heavy, who, Answer(200, [JSON, *PRIVATE], result.body))


@get(
    "/matches/{match_id:str}/verify",
    opt=call(answer=schema.Verdict, errors=("unknown_match", "wrong_status")),
)
async def get_verify(request: AnyRequest, match_id: FromPath[str]) -> Answer:
    """Verify a match that is over: recompute every draw from the published seeds, every hash and the chain."""
    past, match, player = await match_of(request, match_id)
    past.check_verify(match)
    service = service_of(request.scope)

    async def make() -> Result:
        return Result(encode(await past.verify(match)))

    key = ("verify", match.id, match.chain)
    result = await service.heavy.result(auth.asker(service, request.scope, player), key, make)
    return Answer(200, [JSON, *PRIVATE], result.body)


@post(
    "/matches/import",
    opt=call(
        sends=("Location",),
        query=schema.ImportQuery,
        body=schema.Import,
        answer=schema.Imported,
        status=201,
        token=True,
        headers=("Idempotency-Key",),
        errors=(
            "quota_exceeded",
            "idempotency_key_reused",
            "unknown_game",
            "bad_record",
            "every code of the game's rule book",
        ),
    ),
)
async def post_import(request: AnyRequest) -> Answer:
    """Make a casual match from a record; every event is replayed and checked.

    If the game has a notation, `{"game", "history"}` will do instead of a record. You get all seats. Seeds, hashes and
    chain may be missing: a list of actions and draws is enough. The match is public unless `visibility=private`.

    With an `Idempotency-Key` the call can be repeated for 24 hours: the repeat makes nothing, and gets the first
    answer. Any other call of yours that makes something needs another key."""
    service = service_of(request.scope)
    caller = await auth.caller(service, request.scope)
    auth.spend_one(service.limits.commands, caller.id, request.scope)
    visibility = asked(request.scope, schema.ImportQuery).visibility
    who = auth.asker(service, request.scope, caller.id)
    # From the body's first byte on he has a place of his own, and of the queue's places only with the whole of it.
    with service.heavy.place(who), service.heavy.holding(who) as held:
        body = await read_body(request.scope, request.receive, service.settings.import_bytes_max, held.add)
        async with service.heavy.queued():
            run = service.backend.heavy_threads.run
            record = await run(decode, body, schema.Json)
            path_part = b"POST /matches/import?visibility=%b\0" % visibility.encode()
            key = await run(key_of, request.scope, path_part, body)
            done = await service.backend.matches.new.import_record(
                record, caller.player, visibility=visibility, key=key
            )
    location = (b"location", f"/v1/matches/{done.match.id}".encode())
    return private(
        {"match": done.match.summary(done.match.reader(caller.id)), "versions": done.versions}, 201, location
    )


handlers = [get_export, get_verify, post_import]
