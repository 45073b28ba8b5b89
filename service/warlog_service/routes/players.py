"""Accounts: a name and its tokens."""

from __future__ import annotations

from litestar import delete, get, post
from litestar.params import FromPath

from warlog_events.errors import InsufficientScope, Unauthenticated
from warlog_service import auth, schema
from warlog_service.backend import service_of
from warlog_service.openapi import call
from warlog_service.requests import AnyRequest, asked, decode, key_of, read_body
from warlog_service.responses import Answer, private
from warlog_service.routes.standings import account_json
from warlog_service.schema.queries import ENTRIES_MAX


@post("/players", opt=call(body=schema.NewPlayer, answer=schema.PlayerCreated, status=201,
                           headers=("Idempotency-Key",), counts_for="address",
                           errors=("idempotency_key_reused", "unconfirmed")))  # fmt: skip
async def post_player(request: AnyRequest) -> Answer:
    """Open an account. The answer has its first token, which is never shown again.

    With `"bot": true` it is the account of a program: it is marked wherever it is shown, and not paired with people.

    With an `Idempotency-Key` the call can be repeated from the same address for 24 hours: the repeat makes nothing, and
    gets the first answer with its token. So the key must be kept as secret as the token, and be as hard to guess: it
    has at least 22 random characters. A UUID will do."""
    service = service_of(request.scope)
    address = auth.address(service, request.scope)
    auth.spend_one(service.limits.accounts, address, request.scope)
    body = await read_body(request.scope, request.receive, service.settings.body_bytes_max)
    new: schema.NewPlayer = decode(body, schema.NewPlayer)
    key = key_of(request.scope, b"POST /players\0", body)
    player, token = await service.backend.accounts.create_player(
        new.name, bot=new.bot, address=address, key=key
    )
    ledger = service.backend.ledger
    await ledger.open(player.id)
    account = account_json(player, ledger.of_a_new_player())
    return private({"player": account, "token": token, "scopes": ["play"]}, 201)


@post("/tokens", opt=call(body=schema.NewToken, answer=schema.TokenCreated, status=201, token=True,
                          errors=("quota_exceeded",)))  # fmt: skip
async def post_token(request: AnyRequest) -> Answer:
    """Make another token for your account, with no scope that the present token lacks. It is never shown again."""
    service = service_of(request.scope)
    caller = await auth.caller(service, request.scope)
    body = await read_body(request.scope, request.receive, service.settings.body_bytes_max)
    new: schema.NewToken = decode(body, schema.NewToken)
    if not set(new.scopes) <= set(caller.scopes):
        raise InsufficientScope("A token cannot give more scopes than it has itself.", path="/scopes")
    return private(await service.backend.accounts.create_token(caller.id, new.label, tuple(new.scopes)), 201)


@get("/tokens", opt=call(query=schema.Page, answer=schema.Tokens, token=True))
async def get_tokens(request: AnyRequest) -> Answer:
    """The tokens of your account, without the secrets."""
    service = service_of(request.scope)
    caller = await auth.caller(service, request.scope)
    page = asked(request.scope, schema.Page)
    tokens, after = await service.backend.accounts.tokens(caller.id, page.after, min(page.limit, ENTRIES_MAX))
    return private({"tokens": tokens, "next": after})


@delete(
    "/tokens/{token_id:str}",
    status_code=200,  # Litestar's; the Answer says 204
    opt=call(answer=None, status=204, token=True, errors=("unknown_token",)),
)
async def delete_token(request: AnyRequest, token_id: FromPath[str]) -> Answer:
    """Revoke a token at once. Feeds that were opened with it, and calls that wait, end."""
    service = service_of(request.scope)
    caller = await auth.caller(service, request.scope)
    await service.backend.accounts.revoke(caller.id, token_id)
    return Answer(204, [], b"")


@delete(
    "/players/me",
    status_code=200,  # Litestar's; the Answer says 204
    opt=call(
        body=schema.Leave,
        answer=None,
        status=204,
        token=True,
        headers=("Idempotency-Key",),
        errors=("wrong_name",),
    ),
)
async def delete_me(request: AnyRequest) -> Answer:
    """Delete your account for good.

    There is no way back; the body must repeat the name of your account, so that nobody does this by accident.

    At once all your tokens and sessions end, and nobody finds your name any more. Within seconds you have resigned your
    running matches, and left lobbies and queues; your layouts, options, scenarios, lists of people, places in tables
    and gold are deleted. Matches stay as they were, with `somebody` in your seats.

    With an `Idempotency-Key` the call can be repeated with the same token for 24 hours, and gets the same answer."""
    service = service_of(request.scope)
    body = await read_body(request.scope, request.receive, service.settings.body_bytes_max)
    key = key_of(request.scope, b"DELETE /players/me\0", body)
    try:
        caller = await auth.caller(service, request.scope)
    except Unauthenticated:
        token = auth.token_of(request.scope)
        if key is None or token is None or not await service.backend.accounts.has_gone(token, key):
            raise
        return Answer(204, [], b"")
    leave: schema.Leave = decode(body, schema.Leave)
    await service.backend.leaving.begin(caller, leave.name, key)
    return Answer(204, [], b"")


handlers = [post_player, delete_me, post_token, get_tokens, delete_token]
