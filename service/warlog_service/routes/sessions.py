"""Sessions of Warlog's own pages: a token in a cookie that no script can read."""

from __future__ import annotations

from litestar import delete, post

from warlog_events.errors import CrossOrigin
from warlog_service import auth, schema
from warlog_service.backend import service_of
from warlog_service.browsers import cookie, is_same_origin, is_secure, session_token
from warlog_service.openapi import call
from warlog_service.requests import AnyRequest
from warlog_service.responses import JSON, PRIVATE, Answer, encode

DAY_SECONDS = 86_400


@post(
    "/sessions",
    opt=call(
        sends=("Set-Cookie",),
        answer=schema.Session,
        status=201,
        token=True,
        errors=("quota_exceeded",),
    ),
)
async def post_session(request: AnyRequest) -> Answer:
    """Begin a session for a page of this server: the token of the request becomes a cookie.

    The cookie is `HttpOnly` and `SameSite=Strict`, so the page need not keep the token where scripts can read it.

    The session has the token's scopes, lasts for `expires_at`, and ends with the token. `GET /v1/tokens` lists it, and
    `DELETE /v1/tokens/{token_id}` ends it from elsewhere. Requests with the cookie count only if a page of this server
    makes them."""
    service, scope = service_of(request.scope), request.scope
    caller = await auth.caller(service, scope)
    if not is_same_origin(scope):
        raise CrossOrigin("Only a page of this server can begin a session; others send a token.")
    days = service.settings.session_days
    session = await service.backend.accounts.create_session(caller, days * DAY_SECONDS * 1000)
    assert session.expires_at is not None  # what sessions do
    answer = schema.Session(session.id, list(session.scopes), session.created_at, session.expires_at)
    given = cookie(session.token, days * DAY_SECONDS, secure=is_secure(scope))
    return Answer(201, [JSON, *PRIVATE, given], encode(answer))


@delete(
    "/sessions",
    status_code=200,
    opt=call(
        sends=("Set-Cookie",),
        answer=None,
        status=204,
        errors=("cross_origin", "unconfirmed"),
        counts_for="address",
    ),
)
async def delete_session(request: AnyRequest) -> Answer:
    """End the session of this browser and take its cookie away. Without a session nothing is done."""
    service, scope = service_of(request.scope), request.scope
    auth.spend_one(service.limits.addresses, auth.address(service, scope), scope)
    if not is_same_origin(scope):
        raise CrossOrigin("Only a page of this server can end its session.")
    accounts = service.backend.accounts
    if (token := session_token(scope)) and (caller := await accounts.authenticate(token)) is not None:
        await accounts.revoke(caller.id, caller.token_id)
    return Answer(204, [cookie("", 0, secure=is_secure(scope))], b"")


handlers = [post_session, delete_session]
