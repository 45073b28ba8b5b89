"""One event as one reader may see it, in the form of `schema.Event` (warlog_service/schema/).

`live_json` is what feeds and the answer to a command give, `event_json` what `/events` gives. An action that hides
nothing (as most) is encoded once for everybody; of any other event a form is built for each kind of reader.

Each type of event has a function that *builds* what is shown from a list of its fields (`SHOWN`): a field that is
forgotten here is hidden. What the rules made of an event comes from the core, which says for every effect who may see
it.
"""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import msgspec

from warlog_core import Event, Visible

from ..match import policy
from ..match.match import Match, at_time, rfc3339
from ..match.model import (
    SPECTATOR,
    ActionTaken,
    BecameCompetitive,
    Body,
    ChallengeDeclined,
    Ending,
    MatchAborted,
    MatchCreated,
    MatchStarted,
    OptionsChanged,
    Player,
    PlayerJoined,
    PositionEdited,
    ProposalAccepted,
    ProposalMade,
    ProposalRejected,
    Reader,
    RematchAgreed,
    SeatLeft,
    SeatPrepared,
    SeatsAssigned,
    SeatTaken,
    TimeTravelled,
)
from ..match.proposal_json import bots_json, player_json, position_is_for, proposed_json, record_json
from .replayed import EventWithState

Json = dict[str, Any]


def live_json(match: Match, event: EventWithState, reader: Reader, now_ms: int | None = None) -> bytes:
    """The event as feeds and the answer to its command give it: `event_json` with `to_act` and, of the newest,
    `deadlines` and `now`. Encoded once for all who get the same.

    now_ms  the server's time; None: that of the event
    """
    if now_ms is not None:
        return _with_live_fields(match, event, _event_bytes(match, event, reader), now_ms)
    if event.public_live is not None:
        return event.public_live
    if (shared := public_json(event)) is not None:
        event.public_live = _with_live_fields(match, event, shared, event.stored.at)
        return event.public_live
    reader = _reader_class(event, reader)
    if reader not in event.live:
        shown = event_json(match, event, reader)
        # `event_json` gives two classes of readers the same object if they see the same: then they share its bytes.
        same = [made for other, made in event.live.values() if other is shown]
        made = (
            same[0] if same else _with_live_fields(match, event, msgspec.json.encode(shown), event.stored.at)
        )
        event.live[reader] = shown, made
    return event.live[reader][1]


def _with_live_fields(match: Match, event: EventWithState, encoded: bytes, now_ms: int) -> bytes:
    """The encoded event with `to_act`, `deadlines` and, where there are deadlines, `now`."""
    newest = event.stored.version == match.version
    if newest:
        turn = match.turn_json()
    else:
        to_act = [] if event.state is None else event.state.to_act
        turn = b'"to_act":%b,"deadlines":{}' % msgspec.json.encode(to_act)
    live = b"%b,%b}" % (encoded[:-1], turn)
    return at_time(live, now_ms) if newest and match.deadlines else live


def _reader_class(event: EventWithState, reader: Reader) -> Reader:
    """Readers of one class get the same. Positions are shown to who made them, so there the player matters."""
    if isinstance(event.body, MatchCreated | OptionsChanged | PositionEdited | ProposalMade):
        return reader
    return Reader(reader.seats, None)


def _event_bytes(match: Match, event: EventWithState, reader: Reader) -> bytes:
    return public_json(event) or msgspec.json.encode(event_json(match, event, reader))


def public_json(event: EventWithState) -> bytes | None:
    """The encoded event if everybody gets the same, whoever he is and whenever he asks: an action that hides
    nothing, as most. None for any other, and for those of house bots, of which more is shown after the end."""
    if event.public is None and isinstance(event.body, ActionTaken) and event.body.search is None:
        resolved, stored = event.resolved, event.stored
        if resolved is not None and resolved.hides_nothing:
            if event.body.ending is None:
                at = rfc3339(stored.at)
                shown: object = _Acted(
                    stored.version,
                    stored.type,
                    stored.seat,
                    at,
                    resolved.struct(),
                    resolved.draws,
                    resolved.effects,
                )
            else:
                shown = _action_json(event, Visible(resolved.action, resolved.draws, resolved.effects))
            event.public = msgspec.json.encode(shown)
    return event.public


class _Acted(msgspec.Struct):
    """What `_action_json` gives of most actions."""

    version: int
    type: str
    seat: str
    at: str
    action: object
    draws: list[int]
    effects: list[Any]


class _Shown(NamedTuple):
    """What a builder needs beside the event's body.

    match  today's newest version, which says what has been disclosed since
    """

    match: Match
    event: EventWithState
    reader: Reader

    @property
    def version(self) -> int:
        return self.event.stored.version


def event_json(match: Match, event: EventWithState, reader: Reader) -> Json:
    """The event in the form of `schema.Event`; effects are Structs. Not to be changed: readers who get the same
    share it.

    match  today's newest version, which says what has been disclosed since
    """
    if isinstance(event.body, ActionTaken) and event.resolved is not None:
        version, search = event.stored.version, event.body.search
        shown = _shared_action(event, visible(match, version, event.resolved, reader))
        if search is not None and match.is_open_book(version):
            return {**shown, "search": {"iterations": search.iterations}}
        return shown
    stored = event.stored
    shown = {"version": stored.version, "type": stored.type}
    if stored.seat:
        shown["seat"] = stored.seat
    shown["at"] = rfc3339(stored.at)
    SHOWN[type(event.body)](shown, event.body, _Shown(match, event, reader))
    return shown


def _shared_action(event: EventWithState, seen: Visible) -> Json:
    """An action, built once for all who see as much of it."""
    assert event.resolved is not None
    if seen.action is not event.resolved.action:
        return _action_json(event, seen)
    form = (seen.draws is None, *map(id, seen.effects))
    shown = event.shown.get(form)
    if shown is None:
        shown = event.shown[form] = _action_json(event, seen)
    return shown


def _action_json(event: EventWithState, seen: Visible) -> Json:
    assert isinstance(event.body, ActionTaken)
    stored = event.stored
    shown: Json = {
        "version": stored.version,
        "type": stored.type,
        "seat": stored.seat,
        "at": rfc3339(stored.at),
    }
    if seen.action is not None:
        shown["action"] = seen.action
    if seen.draws is not None:
        shown["draws"] = seen.draws
    shown["effects"] = seen.effects
    _ending(shown, event.body.ending)
    return shown


def visible(match: Match, version: int, resolved: Event, reader: Reader) -> Visible:
    """What the reader may know of the action, the draws and the effects today: whatever any of his seats may.

    Who holds every seat of a casual match gets the action and the effects whole."""
    disclosed = match.disclosed(version)
    if not reader.seats:
        return resolved.visible(SPECTATOR, disclosed)
    seen = resolved.visible(reader.seats, disclosed)
    if reader.seats == match.seats and match.mode == "casual":
        return Visible(resolved.action, seen.draws, resolved.effects)
    return seen


def _draws_and_effects(shown: Json, about: _Shown) -> None:
    resolved = about.event.resolved
    assert resolved is not None, about.event.stored.type
    seen = visible(about.match, about.version, resolved, about.reader)
    if seen.draws is not None:
        shown["draws"] = seen.draws
    shown["effects"] = seen.effects


def _ending(shown: Json, ending: Ending | None) -> None:
    if ending is not None:
        shown["result"] = {"winners": ending.result.winners, "reason": ending.result.reason}
        shown["seeds"] = dict(ending.seeds)
        if ending.settlement is not None:
            shown["settlement"] = ending.settlement


def _known(match: Match, options: dict[str, object]) -> dict[str, object]:
    return policy.known_options(match.game, options, match.mode, match.is_over)


def _position(shown: Json, position: dict[str, object] | None, by: str, about: _Shown) -> None:
    if position is not None:
        match = about.match
        if position_is_for(match, position, by, about.reader, match.is_open_book(about.version)):
            shown["position"] = position
        else:
            shown["with"] = "position"


def _match_created(shown: Json, body: MatchCreated, about: _Shown) -> None:
    shown["game"] = body.game
    shown["rules_version"] = body.rules_version
    shown["mode"] = body.mode
    shown["options"] = _known(about.match, body.options)
    shown["consent"] = body.consent
    shown["move_seconds"] = body.move_seconds
    shown["setup_seconds"] = body.setup_seconds
    shown["visibility"] = body.visibility
    shown["seating"] = body.seating
    shown["open_record"] = body.open_record
    holders = body.holders
    shown["seats"] = [
        {"seat": seat, "player": player_json(holders[seat]) if seat in holders else None}
        for seat in body.seats
    ]
    shown["creator"] = player_json(body.creator)
    shown["seed_commitment"] = body.seed_commitment
    _position(shown, body.position, body.creator.id, about)
    if body.imported is not None:
        shown["imported"] = body.imported
    if body.rematch_of is not None:
        shown["rematch_of"] = body.rematch_of
    _bots(shown, body.bots, body.holders)


def _bots(shown: Json, commitments: dict[str, str], holders: Mapping[str, Player]) -> None:
    if commitments:
        shown["bots"] = bots_json(commitments, holders)


def _player_joined(shown: Json, body: PlayerJoined, about: _Shown) -> None:
    shown["player"] = player_json(body.player)
    shown["wish"] = body.wish


def _seats_assigned(shown: Json, body: SeatsAssigned, about: _Shown) -> None:
    shown["player"] = player_json(body.player)
    shown["wish"] = body.wish
    shown["seats"] = [{"seat": seat, "player": player_json(holder)} for seat, holder in body.holders.items()]
    shown["draws"] = about.event.stored.draws or []


def _seat_taken(shown: Json, body: SeatTaken, about: _Shown) -> None:
    shown["player"] = player_json(body.player)
    if body.bot is not None:
        seat = about.event.stored.seat
        _bots(shown, {seat: body.bot}, {seat: body.player})


def _nothing_more(shown: Json, body: Body, about: _Shown) -> None:
    pass


def _match_started(shown: Json, body: MatchStarted, about: _Shown) -> None:
    _draws_and_effects(shown, about)
    match = about.match
    if match.mode == "competitive" and policy.accounting(match.game) is not None:
        _counted(shown, body.uncounted)
    if body.filled and match.is_open_book(about.version):
        shown["filled"] = body.filled


def _counted(shown: Json, uncounted: list[str]) -> None:
    shown["counted"] = not uncounted
    if uncounted:
        shown["uncounted"] = uncounted


def _proposal_made(shown: Json, body: ProposalMade, about: _Shown) -> None:
    shown["player"] = player_json(body.player)
    match = about.match
    is_open = match.fold.proposal is not None and match.fold.proposal.version == about.version
    disclosed = match.is_over and not is_open
    shown["proposal"] = proposed_json(match, body.proposal, body.player.id, about.reader, disclosed)
    if body.replaces is not None:
        shown["replaces"] = body.replaces


def _proposal_answered(shown: Json, body: ProposalAccepted | ProposalRejected, about: _Shown) -> None:
    shown["player"] = player_json(body.player)
    shown["proposal"] = body.proposal


def _agreed(shown: Json, body: OptionsChanged | PositionEdited | BecameCompetitive | RematchAgreed) -> None:
    shown["player"] = player_json(body.player)
    shown["proposal"] = body.proposal


def _options_changed(shown: Json, body: OptionsChanged, about: _Shown) -> None:
    _agreed(shown, body)
    shown["options"] = _known(about.match, body.options)
    shown["seats"] = body.seats
    if body.prepared is not None:
        shown["prepared"] = body.prepared
    _position(shown, body.position, body.player.id, about)
    if body.record is not None:
        shown["import"] = record_json(about.match, body.record)


def _time_travelled(shown: Json, body: TimeTravelled, about: _Shown) -> None:
    if body.player is not None:
        shown["player"] = player_json(body.player)
    shown["proposal"] = body.proposal
    shown["to"] = body.to
    if body.seed_commitment is not None:
        shown["seed_commitment"] = body.seed_commitment
    _bots(shown, body.bots, about.match.holders)
    _ending(shown, body.ending)


def _position_edited(shown: Json, body: PositionEdited, about: _Shown) -> None:
    _agreed(shown, body)
    _position(shown, body.position, body.player.id, about)
    if body.seed_commitment is not None:
        shown["seed_commitment"] = body.seed_commitment
    _bots(shown, body.bots, about.match.holders)
    _draws_and_effects(shown, about)


def _became_competitive(shown: Json, body: BecameCompetitive, about: _Shown) -> None:
    _agreed(shown, body)
    if body.setup_seconds is not None:
        shown["setup_seconds"] = body.setup_seconds
    if body.uncounted:
        _counted(shown, body.uncounted)


def _rematch_agreed(shown: Json, body: RematchAgreed, about: _Shown) -> None:
    _agreed(shown, body)
    shown["match"] = body.match


def _challenge_declined(shown: Json, body: ChallengeDeclined, about: _Shown) -> None:
    shown["seats"] = body.seats
    shown["reason"] = body.reason
    if body.player is not None:
        shown["player"] = player_json(body.player)


def _match_aborted(shown: Json, body: MatchAborted, about: _Shown) -> None:
    if body.player is not None:
        shown["player"] = player_json(body.player)
        shown["proposal"] = body.proposal
    if body.reason is not None:
        shown["reason"] = body.reason


# An action, the most frequent event by far, is `_action_json` above.
SHOWN: dict[type[Any], Callable[..., None]] = {
    MatchCreated: _match_created,
    PlayerJoined: _player_joined,
    SeatsAssigned: _seats_assigned,
    SeatTaken: _seat_taken,
    SeatLeft: _nothing_more,
    SeatPrepared: _nothing_more,
    ChallengeDeclined: _challenge_declined,
    MatchStarted: _match_started,
    ProposalMade: _proposal_made,
    ProposalAccepted: _proposal_answered,
    ProposalRejected: _proposal_answered,
    OptionsChanged: _options_changed,
    TimeTravelled: _time_travelled,
    PositionEdited: _position_edited,
    BecameCompetitive: _became_competitive,
    RematchAgreed: _rematch_agreed,
    MatchAborted: _match_aborted,
}
