"""Quick pairing: wait for others who want the same match."""

from __future__ import annotations

import asyncio

from litestar import delete, get, post
from litestar.params import FromPath
from litestar.types import Scope, Send

from warlog_events.errors import Unauthenticated, WarlogError
from warlog_events.match.commands import Wanted
from warlog_events.players.accounts import Caller
from warlog_events.workers.pairing import Entry
from warlog_service import auth, schema
from warlog_service.backend import Service, service_of
from warlog_service.openapi import call
from warlog_service.requests import AnyRequest, asked, decode, key_of, read_body
from warlog_service.responses import Answer, encode, private
from warlog_service.sse import EventStream

WAIT_SECONDS_MAX = 30


@post(
    "/pairing",
    opt=call(
        sends=("Location",),
        body=Wanted,
        answer=schema.PairingAnswer,
        status=201,
        already=200,
        token=True,
        headers=("Idempotency-Key",),
        errors=(
            "not_for_bots",
            "quota_exceeded",
            "idempotency_key_reused",
            "unknown_game",
            "invalid_options",
            "other codes of the rule book's options",
        ),
    ),
)
async def post_pairing(request: AnyRequest) -> Answer:
    """Wait in a queue for other players who want the same match. Equal options (defaults filled in) share a queue.

    The players who have waited longest are seated first; seats are drawn by lot, and the match begins at once. You may
    wait in several queues: your first match ends your other entries. If you wait in this queue already, you get
    the existing entry (200). Ask for the entry or follow its feed now and then: without either it expires after a
    minute.

    With an `Idempotency-Key` the call can be repeated for 24 hours: the repeat gets the first answer, with the entry
    as it stood then. Any other call of yours that makes something needs another key."""
    scope = request.scope
    service = service_of(scope)
    caller = await auth.caller(service, scope)
    auth.spend_one(service.limits.commands, caller.id, request.scope)
    body = await read_body(scope, request.receive, service.settings.body_bytes_max)
    wanted: Wanted = decode(body, Wanted)
    key = key_of(scope, b"POST /pairing\0", body)
    entry, new = await service.backend.pairing.join(caller.player, wanted, key)
    location = (b"location", f"/v1/pairing/{entry.id}".encode())
    return private({"entry": entry}, 201 if new else 200, location)


@get("/pairing", opt=call(answer=schema.Pairings, token=True))
async def get_pairings(request: AnyRequest) -> Answer:
    """Your entries: those that wait, and the latest that ended within the last hour."""
    service = service_of(request.scope)
    caller = await auth.caller(service, request.scope)
    return private({"entries": await service.backend.pairing.entries(caller.id)})


@get(
    "/pairing/{entry_id:str}",
    opt=call(query=schema.PairingQuery, answer=schema.PairingAnswer, token=True, errors=("unknown_entry",)),
)
async def get_pairing(request: AnyRequest, entry_id: FromPath[str]) -> Answer:
    """One entry. With `wait=20` the answer comes when the entry's status changes, after 20 seconds at the latest."""
    service = service_of(request.scope)
    caller = await auth.caller(service, request.scope)
    query = asked(request.scope, schema.PairingQuery)
    pairing = service.backend.pairing
    entry = await pairing.entry(caller.id, entry_id)
    if query.wait and not entry.is_over:
        service.limits.feeds.enter(caller.id)
        try:
            entry = await _waited(service, caller, entry, min(query.wait, WAIT_SECONDS_MAX))
        finally:
            service.limits.feeds.leave(caller.id)
    return private({"entry": entry})


async def _waited(service: Service, caller: Caller, entry: Entry, seconds: float) -> Entry:
    """The entry when it stands otherwise, or after so long. Raises Unauthenticated as soon as the token is revoked."""
    accounts, revoked = service.backend.accounts, asyncio.Event()
    with accounts.staying(caller, revoked.set):
        ends = asyncio.create_task(revoked.wait())
        change = asyncio.create_task(
            service.backend.pairing.change(caller.id, entry.id, entry.status, seconds)
        )
        try:
            if await accounts.valid(caller):  # not revoked since it was looked at
                await asyncio.wait((change, ends), return_when=asyncio.FIRST_COMPLETED)
            if not revoked.is_set() and await accounts.valid(caller):
                return await change
        finally:
            change.cancel()
            ends.cancel()
    raise Unauthenticated("The token has been revoked.")


@delete(
    "/pairing/{entry_id:str}",
    status_code=200,  # Litestar's; the Answer says 204
    opt=call(answer=None, status=204, token=True, errors=("unknown_entry", "wrong_status")),
)
async def delete_pairing(request: AnyRequest, entry_id: FromPath[str]) -> Answer:
    """Stop waiting. 409 `wrong_status` if a match is being made for you at this moment."""
    service = service_of(request.scope)
    caller = await auth.caller(service, request.scope)
    await service.backend.pairing.leave(caller.id, entry_id)
    return Answer(204, [], b"")


@get(
    "/pairing/{entry_id:str}/feed",
    opt=call(answer="text/event-stream", stream=schema.PairingFeed, token=True, errors=("unknown_entry",)),
)
async def get_pairing_feed(request: AnyRequest, entry_id: FromPath[str]) -> EntryStream:
    """Server-Sent Events: the entry now, and again after each change of its status, which is the event's name.

    `heartbeat` comes every 15 seconds. The last event, `closing`, says why the stream ends: `over` (the entry has
    ended), `shutdown`, or a problem's code."""
    service = service_of(request.scope)
    caller = await auth.caller(service, request.scope)
    return EntryStream(service, caller, await service.backend.pairing.entry(caller.id, entry_id))


class EntryStream(EventStream):
    """The feed of a pairing entry: while open, its player is present."""

    def __init__(self, service: Service, caller: Caller, entry: Entry) -> None:
        super().__init__(service, caller)
        self._player = caller.id
        self._entry = entry
        self._ending: asyncio.Future[str] = asyncio.get_running_loop().create_future()

    def close(self, code: str) -> None:
        if not self._ending.done():
            self._ending.set_result(code)

    async def follow(self, scope: Scope, send: Send) -> str:
        entry, shown = self._entry, ""
        while True:
            if entry.status != shown:
                shown = entry.status
                name = shown.encode()
                await self.write(
                    send, b'event: %b\ndata: {"type":"%b",%b\n\n' % (name, name, encode(entry)[1:])
                )
            if entry.is_over:
                return "over"
            change = asyncio.create_task(self._change(shown))
            try:
                await asyncio.wait((change, self._ending), return_when=asyncio.FIRST_COMPLETED)
                if not change.done():
                    return self._ending.result()
                entry = change.result()
            except WarlogError as error:
                return error.code
            finally:
                change.cancel()

    async def _change(self, shown: str) -> Entry:
        """Looks now and then, too: that is how the player shows that he is still there."""
        seconds = self._service.settings.feed_heartbeat_ms / 1000
        return await self._service.backend.pairing.change(self._player, self._entry.id, shown, seconds)


handlers = [post_pairing, get_pairings, get_pairing, delete_pairing, get_pairing_feed]
