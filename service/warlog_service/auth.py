"""Who asks: the bearer token of a request, as an account knows it. Rate limits are spent here, where the
caller is known."""

from __future__ import annotations

from contextlib import suppress

from litestar.types import Scope

from warlog_events.errors import CrossOrigin, InsufficientScope, TooManyRequests, Unauthenticated, Unavailable
from warlog_events.players.accounts import Caller
from warlog_service.backend import Service
from warlog_service.browsers import is_same_origin, session_token
from warlog_service.heavy import Asker
from warlog_service.limits import TokenBuckets
from warlog_service.requests import header
from warlog_service.responses import connection_of


def address(service: Service, scope: Scope) -> str:
    """The address under which requests without a token are counted (proxies.py)."""
    client = scope.get("client")
    return service.limits.proxies.client(client[0], scope["headers"]) if client else ""


def asker(service: Service, scope: Scope, player: str | None) -> Asker:
    """By whom heavy work is counted. `player` None: a request without a token."""
    where = address(service, scope)
    return Asker(player or where, where)


def spend_one(limit: TokenBuckets, key: str, scope: Scope) -> None:
    """Takes a token of a rate limit, and the answer to this request says what is left. Raises TooManyRequests."""
    try:
        left = limit.spend(key)
    except TooManyRequests:
        if (connection := connection_of(scope)) is not None:
            connection.add_headers(limit.headers(key))
        raise
    if left and (connection := connection_of(scope)) is not None:
        connection.add_headers(left)


async def caller_or_none(service: Service, scope: Scope) -> Caller | None:
    """The caller, or None for a request without a token. Raises Unauthenticated for a token that is none,
    CrossOrigin for the session cookie where no page of this server made the request, TooManyRequests.

    What others sent from the same address is nothing to a token that is known: it is looked at first, and only then
    are the failures of the address counted."""
    given = header(scope, b"authorization")
    limits, accounts = service.limits, service.backend.accounts
    session = session_token(scope) if given is None else None
    if given is None and session is None:
        spend_one(limits.addresses, address(service, scope), scope)
        return None
    if session is not None and not is_same_origin(scope):
        spend_one(limits.addresses, address(service, scope), scope)
        raise CrossOrigin("The session of this browser is for pages of this server; send a token instead.")
    scheme, _, token = (given or f"bearer {session}").partition(" ")
    caller = None
    if scheme.lower() == "bearer":
        token = token.strip()
        caller = accounts.remembered(token) or await accounts.authenticate(token)
    if caller is None:
        limits.failures.spend(address(service, scope))
        raise Unauthenticated(
            "`Authorization` must be `Bearer` and a token."
            if scheme.lower() != "bearer"
            else "The token is unknown or has been revoked; send a valid one as `Authorization: Bearer`."
            if session is None
            else "The session has ended; `DELETE /v1/sessions` takes its cookie away."
        )
    spend_one(limits.callers, caller.player.id, scope)
    return caller


def spend(service: Service, scope: Scope) -> None:
    """Takes the token of the rate limit for a request that no call of the API handles, such as one to an unknown route:
    its caller's, if he was seen lately, otherwise its address's. Raises TooManyRequests."""
    given = header(scope, b"authorization") or ""
    found = None
    if given.startswith("Bearer "):
        with suppress(Unavailable):
            found = service.backend.accounts.remembered(given[7:])
    if found is None:
        spend_one(service.limits.addresses, address(service, scope), scope)
    else:
        spend_one(service.limits.callers, found.player.id, scope)


def caller_at_once(service: Service, scope: Scope) -> Caller | None:
    """`caller` without waiting, for a token that was seen lately. None: call `caller`; the rate limit has been spent
    only if this returns a caller."""
    given = header(scope, b"authorization")
    if given is None or not given.startswith("Bearer "):
        return None
    found = service.backend.accounts.remembered(given[7:])
    if found is None or "play" not in found.scopes:
        return None
    spend_one(service.limits.callers, found.player.id, scope)
    return found


def token_of(scope: Scope) -> str | None:
    """What was sent as a token, known or not; also the session of a browser, from a page of this server."""
    given = header(scope, b"authorization")
    if given is None:
        return session_token(scope) if is_same_origin(scope) else None
    scheme, _, token = given.partition(" ")
    return token.strip() if scheme.lower() == "bearer" else None


async def caller(service: Service, scope: Scope) -> Caller:
    """Who does something. Raises Unauthenticated, InsufficientScope, TooManyRequests."""
    found = await caller_or_none(service, scope)
    if found is None:
        raise Unauthenticated(
            "This call needs a token; `POST /v1/players` makes an account and its first one."
        )
    if "play" not in found.scopes:
        raise InsufficientScope("This call needs a token with the scope `play`.")
    return found
