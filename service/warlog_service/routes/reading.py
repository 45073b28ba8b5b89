"""What a reader may know of a match, now or as of a version."""

from __future__ import annotations

from collections.abc import Sequence

from litestar import get
from litestar.params import FromPath

from warlog_core import State
from warlog_events.errors import Competitive, NotYourSeat, NoView
from warlog_events.match.match import Match
from warlog_events.match.model import SPECTATOR, Reader
from warlog_events.reading.past import Past
from warlog_service import auth, schema
from warlog_service.backend import service_of
from warlog_service.heavy import Large, Result
from warlog_service.openapi import call
from warlog_service.requests import AnyRequest, asked, header
from warlog_service.responses import JSON, PRIVATE, TEXT, Answer, encode, matches, not_modified, private
from warlog_service.schema.queries import ACTIONS_MAX, EVENTS_MAX, LINES_MAX, NODES_MAX

SEAT_ERRORS = ("unknown_match", "unknown_seat", "not_your_seat")
VIEWER_ERRORS = (*SEAT_ERRORS, "no_spectators")


@get(
    "/matches/{match_id:str}/view",
    opt=call(
        sends=("ETag",),
        query=schema.ViewQuery,
        answer=schema.View,
        headers=("If-None-Match",),
        errors=(*VIEWER_ERRORS, "no_view", "unknown_version"),
    ),
)
async def get_view(request: AnyRequest, match_id: FromPath[str]) -> Answer:
    """The board as a seat of yours sees it, or as a spectator does; with `at`, as it was after that version.

    `seat=all` gives the whole position if the match is over or has an open record, or if you hold every seat of a
    casual match; then the view of any seat may be asked for, too. If the rule book has no Position for this state (it
    has none for a match that is over), `position` is null and `views` has the view of every seat; together they show
    everything. The ETag changes with the version, the viewer and what has been disclosed."""
    query = asked(request.scope, schema.ViewQuery)
    past, match, player = await match_of(request, match_id)
    viewer = query.seat or SPECTATOR
    if viewer == "all":
        if not match.may_see_all(player):
            raise NotYourSeat(
                "The whole position is shown when the match is over. While it runs, only a player who holds every "
                "seat of a casual match sees it, unless the match was created with an open record.",
                version=match.version,
            )
    elif query.seat is None:
        match.spectator(player)
    else:
        _check_view(match, player, query.seat)
    tag = _tag(match, viewer)
    if matches(header(request.scope, b"if-none-match"), tag):
        return not_modified(tag, PRIVATE)
    at = match.version if query.at is None else query.at
    state = match.state if query.at is None else await state_at(request, past, match, player, at)
    if state is None:
        raise NoView("The board does not exist before the match starts.")
    answer: dict[str, object] = {"version": match.version, "at": at, "seat": viewer}
    if viewer != "all":
        answer["view"] = state.view(viewer)
    elif (position := state.position()) is not None:
        answer["position"] = position
    else:
        answer |= {"position": None, "views": {seat: state.view(seat) for seat in state.seats}}
    return private(answer, 200, (b"etag", tag))


@get(
    "/matches/{match_id:str}/position",
    opt=call(
        query=schema.PositionQuery,
        answer=schema.SeenPosition,
        errors=(*SEAT_ERRORS, "competitive", "no_view", "unknown_version"),
    ),
)
async def get_position(request: AnyRequest, match_id: FromPath[str]) -> Answer:
    """What your seat sees of a casual match, as a Position for an editor: change it and propose it (`edit`).

    It lacks whatever the seat does not see, which is lost if the other players accept the proposal. A match cannot
    always begin from it. It is null when the match is over. The complete Position is in `view?seat=all`, for those who
    may see everything."""
    query = asked(request.scope, schema.PositionQuery)
    past, match, player = await match_of(request, match_id)
    match.check_seat(player, query.seat)
    if match.mode == "competitive":
        raise Competitive("A competitive match is not edited.", version=match.version)
    at = match.version if query.at is None else query.at
    state = match.state if query.at is None else await state_at(request, past, match, player, at)
    if state is None:
        raise NoView("The board does not exist before the match starts.")
    position = state.position_seen_by(query.seat)
    return private({"version": match.version, "at": at, "seat": query.seat, "position": position})


@get(
    "/matches/{match_id:str}/seen",
    opt=call(
        sends=("ETag",),
        query=schema.SeenQuery,
        answer=schema.Seen,
        headers=("If-None-Match",),
        errors=(*SEAT_ERRORS, "no_view", "unknown_version"),
    ),
)
async def get_seen(request: AnyRequest, match_id: FromPath[str]) -> Answer:
    """What a seat knows, as bytes for the rules library `warlog_core`; with `at`, as it was after that version.

    `warlog_core.game(game, rules_version).load(setup, state)` makes a state of it, which lists the seat's legal actions
    and can be searched. Whoever may read the view of the seat may read this."""
    query = asked(request.scope, schema.SeenQuery)
    past, match, player = await match_of(request, match_id)
    _check_view(match, player, query.seat)
    tag = _tag(match, query.seat)
    if matches(header(request.scope, b"if-none-match"), tag):
        return not_modified(tag, PRIVATE)
    at = match.version if query.at is None else query.at
    state = match.state if query.at is None else await state_at(request, past, match, player, at)
    if state is None:
        raise NoView("The board does not exist before the match starts.")
    answer: dict[str, object] = {
        "match": match.id,
        "version": match.version,
        "at": at,
        "seat": query.seat,
        "game": match.game_name,
        "rules_version": match.rules_version,
        "setup": state.setup if match.is_over else state.public_setup,
        "state": state.seen_by(query.seat).data,
    }
    if (seed := await past.bot_seed(match, query.seat, player)) is not None:
        answer["seed"] = seed
    return private(answer, 200, (b"etag", tag))


@get(
    "/matches/{match_id:str}/actions",
    opt=call(
        sends=("ETag",),
        query=schema.ActionsQuery,
        answer=schema.Actions,
        headers=("If-None-Match",),
        errors=(*SEAT_ERRORS, "no_view", "unknown_version"),
    ),
)
async def get_actions(request: AnyRequest, match_id: FromPath[str]) -> Answer:
    """Every legal action of a seat that you hold, in canonical order, ready to be posted as a command.

    `type` and `piece` filter the list; `total` counts the actions before filtering. An action with `"open": true` is a
    template: `form` in the game's description says what you may fill in. A list of more than 20,000 is cut; ask for the
    rest with `after` set to the answer's `next`.

    With `trace=true`, `traces` says of each of these actions where it leads, as far as the seat sees: the spaces
    passed, the pieces hit and taken, and those that stand in the way."""
    query = asked(request.scope, schema.ActionsQuery)
    past, match, player = await match_of(request, match_id)
    match.check_seat(player, query.seat)
    tag = _tag(match, query.seat)
    if matches(header(request.scope, b"if-none-match"), tag):
        return not_modified(tag, PRIVATE)
    at = match.version if query.at is None else query.at
    state = match.state if query.at is None else await state_at(request, past, match, player, at)
    if state is None:
        raise NoView("There are no actions before the match starts.")
    actions = [] if query.at is None and match.status == "aborted" else state.legal(query.seat)
    chosen: Sequence[int] = range(len(actions))
    if query.type is not None:
        chosen = [one for one in chosen if type(actions[one]).__struct_config__.tag == query.type]
    if query.piece is not None:
        chosen = [one for one in chosen if getattr(actions[one], "piece", None) == query.piece]
    page = chosen[query.after : query.after + ACTIONS_MAX]
    answer: dict[str, object] = {
        "game": match.game_name,
        "version": match.version,
        "at": at,
        "seat": query.seat,
        "total": len(actions),
        "actions": [actions[one] for one in page],
    }
    if query.trace:
        traces = state.traces(query.seat) if page else []
        answer["traces"] = [traces[one] for one in page]
    if query.after + len(page) < len(chosen):
        answer["next"] = query.after + len(page)
    return private(answer, 200, (b"etag", tag))


@get(
    "/matches/{match_id:str}/trace",
    opt=call(query=schema.TraceQuery, answer=schema.EventTrace, errors=(*VIEWER_ERRORS, "unknown_version")),
)
async def get_trace(request: AnyRequest, match_id: FromPath[str]) -> Answer:
    """What event `at` did on the board, as a seat of yours saw it, or as a spectator did: for an animation.

    The trace is made from the views before and after the event. It is null if the event is no action, or if the seat
    did not see the whole action. Who may see everything may ask for any seat, as with `view`."""
    query = asked(request.scope, schema.TraceQuery)
    past, match, player = await match_of(request, match_id)
    viewer = query.seat or SPECTATOR
    if query.seat is None:
        match.spectator(player)
    else:
        _check_view(match, player, query.seat)
    trace = None
    if past.is_of_a_board(match, query.at):
        before = await state_at(request, past, match, player, query.at - 1)
        trace = await past.trace(match, before, query.at, viewer)
    return private({"version": match.version, "at": query.at, "seat": viewer, "trace": trace})


@get(
    "/matches/{match_id:str}/events",
    opt=call(
        sends=("ETag",),
        query=schema.EventsQuery,
        answer=schema.Events,
        headers=("If-None-Match",),
        errors=VIEWER_ERRORS,
    ),
)
async def get_events(request: AnyRequest, match_id: FromPath[str]) -> Large:
    """All events of the match. What you may not know at present is left out of each."""
    query = asked(request.scope, schema.EventsQuery)
    past, match, player = await match_of(request, match_id)
    reader = reader_of(match, player, query.seat)
    tag, service = tag_of(match, reader), service_of(request.scope)
    who = auth.asker(service, request.scope, player)
    if matches(header(request.scope, b"if-none-match"), tag):
        return Large(service.heavy, who, not_modified(tag, PRIVATE))
    after, limit = query.after, min(query.limit, EVENTS_MAX)

    async def make() -> Result:
        events = await past.events(match, reader, after, limit)
        last = after + len(events)
        more = last if last < match.version and events else None
        return Result(encode({"events": events, "next": more, "version": match.version}))

    headers = [JSON, *PRIVATE, (b"etag", tag)]
    many = min(limit, match.version - after) > service.settings.heavy_events
    if many or _is_deep(request, past, match, after + 1):
        key = ("events", match.id, match.chain, reader, after, limit)
        result = await service.heavy.result(who, key, make)
    else:
        result = await make()
    return Large(service.heavy, who, Answer(200, headers, result.body))


@get(
    "/matches/{match_id:str}/timeline",
    opt=call(query=schema.VersionPage, answer=schema.Timeline, errors=("unknown_match", "no_spectators")),
)
async def get_timeline(request: AnyRequest, match_id: FromPath[str]) -> Answer:
    """The tree of lines of play: each version with its parent, the version before it. `head` is the newest."""
    query = asked(request.scope, schema.VersionPage)
    past, match, player = await match_of(request, match_id)
    match.reader(player)
    nodes = past.timeline(match, query.after, min(query.limit, NODES_MAX))
    last = query.after + len(nodes)
    return private(
        {"head": match.version, "nodes": nodes, "next": last if last < match.version and nodes else None}
    )


@get(
    "/matches/{match_id:str}/history",
    opt=call(sends=("Link",), query=schema.HistoryQuery, answer="text/plain", errors=VIEWER_ERRORS),
)
async def get_history(request: AnyRequest, match_id: FromPath[str]) -> Large:
    """The current line in the game's notation, as far as you may know it. A `Link` header names the next page.

    It is complete if the match is over or has an open record, or if you hold every seat of a casual match."""
    query = asked(request.scope, schema.HistoryQuery)
    past, match, player = await match_of(request, match_id)
    reader = reader_of(match, player, query.seat)
    limit, service = min(query.limit, LINES_MAX), service_of(request.scope)
    who = auth.asker(service, request.scope, player)

    async def make() -> Result:
        text, after = await past.history(match, reader, query.after, limit)
        return Result(text.encode(), after)

    if match.version <= service.settings.heavy_events:
        text, after = await make()
    else:
        key = ("history", match.id, match.chain, reader, query.after, limit)
        text, after = await service.heavy.result(who, key, make)
    headers = [TEXT, *PRIVATE]
    if after is not None:
        seats = "".join(f"&seat={seat}" for seat in query.seat)
        headers.append(
            (b"link", f'</v1/matches/{match.id}/history?after={after}{seats}>; rel="next"'.encode())
        )
    return Large(service.heavy, who, Answer(200, headers, text))


@get(
    "/matches/{match_id:str}/board",
    opt=call(answer=schema.Board, errors=("unknown_match",)),
)
async def get_board(request: AnyRequest, match_id: FromPath[str]) -> Answer:
    """The board's geometry and the seats, with the options of this match."""
    _, match, _ = await match_of(request, match_id)
    return private({"board": match.board(), "seats": match.seats})


async def match_of(request: AnyRequest, match_id: str) -> tuple[Past, Match, str | None]:
    """The match as it is now, and the player who asks."""
    service = service_of(request.scope)
    caller = await auth.caller_or_none(service, request.scope)
    player = caller.id if caller else None
    matches = service.backend.matches
    return matches.past, await matches.admission.readable(match_id, player), player


async def state_at(request: AnyRequest, past: Past, match: Match, player: str | None, at: int) -> State:
    """The state after version `at`, which may be heavy work. Raises NoView, UnknownVersion."""
    if at == match.version or not _is_deep(request, past, match, at):  # the newest is in memory
        return await past.state_at(match, at)
    service = service_of(request.scope)
    async with service.heavy.turn(auth.asker(service, request.scope, player)):
        return await past.state_at(match, at)


def _is_deep(request: AnyRequest, past: Past, match: Match, version: int) -> bool:
    """Has a long match to be replayed as a whole, because what is in memory of it begins after `version`?"""
    long = match.version > service_of(request.scope).settings.heavy_events
    return long and past.is_deep(match, version)


def _check_view(match: Match, player: str | None, seat: str) -> None:
    """Raises UnknownSeat, or NotYourSeat unless the player may read the view of this seat."""
    if seat not in match.fold.seats or not match.may_see_all(player):
        match.check_seat(player, seat)


def reader_of(match: Match, player: str | None, seats: list[str]) -> Reader:
    """With the knowledge of these seats, all of which the player must hold; of every seat he holds where none is named.

    Raises UnknownSeat, NotYourSeat, NoSpectators."""
    if not seats:
        return match.reader(player)
    for seat in seats:
        match.check_seat(player, seat)
    return Reader(tuple(seat for seat in match.seats if seat in seats), player)


def tag_of(match: Match, reader: Reader) -> bytes:
    """The ETag of what this reader gets: `"18.black.0"`.

    A seat has one holder, who is thereby named; without one the player is, since he sees the Position that he
    himself proposed or set."""
    if reader.seats or reader.player is None:
        return _tag(match, "+".join(reader.seats) or SPECTATOR)
    return _tag(match, f"{SPECTATOR}:{reader.player}")


def _tag(match: Match, viewer: str) -> bytes:
    return f'"{match.version}.{viewer}.{match.disclosure_stamp()}"'.encode()


handlers = [
    get_view,
    get_position,
    get_seen,
    get_actions,
    get_trace,
    get_events,
    get_timeline,
    get_history,
    get_board,
]
