"""One event as one reader may see it, in the JSON of API.md.

Each type has a function that *builds* what is shown from a whitelist of its fields: a field that is forgotten
here is hidden. What the rules made of an event comes from the core, which says for every effect who may see it.
"""

from collections.abc import Callable
from typing import Any

import msgspec

from warlog_core import Event, Visible

from ..match import policy
from ..match.match import Match, rfc3339
from ..match.model import (
    SPECTATOR,
    ActionTaken,
    BecameCompetitive,
    Body,
    Ending,
    MatchAborted,
    MatchCreated,
    MatchStarted,
    OptionsChanged,
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
from ..match.proposal_json import player_json, position_is_for, proposed_json, record_json
from ..match.stored import StoredEvent
from .replayed import ReplayedEvent

Json = dict[str, Any]


def event_json(match: Match, told: ReplayedEvent, reader: Reader) -> Json:
    """The event in the form of API.md; effects are Structs. Not to be changed: readers who get the same share it.

    `match`: today's head, which says what has been disclosed since."""
    if not isinstance(told.body, ActionTaken) or told.core is None:
        return _event_json(match, told.stored, told.body, told.core, reader)
    seen = visible(match, told.stored.version, told.core, reader)
    form = (seen.action is told.core.action, seen.draws is None, *map(id, seen.effects))
    if not form[0]:
        return _action_json(told, seen)
    shown = told.shown.get(form)
    if shown is None:
        shown = told.shown[form] = _action_json(told, seen)
    return shown


def public_json(told: ReplayedEvent) -> bytes | None:
    """The encoded event if everybody gets the same, whoever he is and whenever he asks: an action that hides
    nothing. Most do not, and this is made once for the answer and all feeds. None for any other."""
    if told.public is None and isinstance(told.body, ActionTaken):
        core, stored = told.core, told.stored
        if core is not None and core.hides_nothing:
            if told.body.ending is None:
                at = rfc3339(stored.at)
                shown: object = _Acted(
                    stored.version, stored.type, stored.seat, at, core.struct(), core.draws, core.effects
                )
            else:
                shown = _action_json(told, Visible(core.action, core.draws, core.effects))
            told.public = msgspec.json.encode(shown)
    return told.public


class _Acted(msgspec.Struct):
    """What `_action_json` gives of most actions."""

    version: int
    type: str
    seat: str
    at: str
    action: object
    draws: list[int]
    effects: list[Any]


def _action_json(told: ReplayedEvent, seen: Visible) -> Json:
    assert isinstance(told.body, ActionTaken)
    stored = told.stored
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
    _ending(shown, told.body.ending)
    return shown


def _event_json(match: Match, stored: StoredEvent, body: Body, core: Event | None, reader: Reader) -> Json:
    shown: Json = {"version": stored.version, "type": stored.type}
    if stored.seat:
        shown["seat"] = stored.seat
    shown["at"] = rfc3339(stored.at)
    SHOWN[type(body)](shown, match, stored, body, core, reader)
    return shown


def visible(match: Match, version: int, core: Event, reader: Reader) -> Visible:
    """What the reader may know of the action, the draws and the effects today: whatever any of his seats may.

    Who holds every seat of a casual match gets the action and the effects whole."""
    disclosed = match.disclosed(version)
    if not reader.seats:
        return core.visible(SPECTATOR, disclosed)
    seen = core.visible(reader.seats, disclosed)
    if reader.seats == match.seats and match.mode == "casual":
        return Visible(core.action, seen.draws, core.effects)
    return seen


def _rules(shown: Json, match: Match, stored: StoredEvent, core: Event | None, reader: Reader) -> None:
    assert core is not None, stored.type
    seen = visible(match, stored.version, core, reader)
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


def _position(
    shown: Json,
    match: Match,
    stored: StoredEvent,
    position: dict[str, object] | None,
    by: str,
    reader: Reader,
) -> None:
    if position is not None:
        if position_is_for(match, position, by, reader, match.is_open_book(stored.version)):
            shown["position"] = position
        else:
            shown["with"] = "position"


def _match_created(
    shown: Json, match: Match, stored: StoredEvent, body: MatchCreated, core: Event | None, reader: Reader
) -> None:
    shown["game"] = body.game
    shown["rules_version"] = body.rules_version
    shown["mode"] = body.mode
    shown["options"] = _known(match, body.options)
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
    _position(shown, match, stored, body.position, body.creator.id, reader)
    if body.imported is not None:
        shown["imported"] = body.imported
    if body.rematch_of is not None:
        shown["rematch_of"] = body.rematch_of


def _player_joined(
    shown: Json, match: Match, stored: StoredEvent, body: PlayerJoined, core: Event | None, reader: Reader
) -> None:
    shown["player"] = player_json(body.player)
    shown["wish"] = body.wish


def _seats_assigned(
    shown: Json, match: Match, stored: StoredEvent, body: SeatsAssigned, core: Event | None, reader: Reader
) -> None:
    shown["player"] = player_json(body.player)
    shown["wish"] = body.wish
    shown["seats"] = [{"seat": seat, "player": player_json(holder)} for seat, holder in body.holders.items()]
    shown["draws"] = stored.draws or []


def _seat_taken(
    shown: Json, match: Match, stored: StoredEvent, body: SeatTaken, core: Event | None, reader: Reader
) -> None:
    shown["player"] = player_json(body.player)


def _nothing_more(
    shown: Json, match: Match, stored: StoredEvent, body: Body, core: Event | None, reader: Reader
) -> None:
    pass


def _match_started(
    shown: Json, match: Match, stored: StoredEvent, body: MatchStarted, core: Event | None, reader: Reader
) -> None:
    _rules(shown, match, stored, core, reader)
    if match.mode == "competitive" and policy.accounting(match.game) is not None:
        _counted(shown, body.uncounted)
    if body.filled and match.is_open_book(stored.version):
        shown["filled"] = body.filled


def _counted(shown: Json, uncounted: list[str]) -> None:
    shown["counted"] = not uncounted
    if uncounted:
        shown["uncounted"] = uncounted


def _proposal_made(
    shown: Json, match: Match, stored: StoredEvent, body: ProposalMade, core: Event | None, reader: Reader
) -> None:
    shown["player"] = player_json(body.player)
    is_open = match.fold.proposal is not None and match.fold.proposal.version == stored.version
    disclosed = match.is_over and not is_open
    shown["proposal"] = proposed_json(match, body.proposal, body.player.id, reader, disclosed)
    if body.replaces is not None:
        shown["replaces"] = body.replaces


def _proposal_answered(
    shown: Json,
    match: Match,
    stored: StoredEvent,
    body: ProposalAccepted | ProposalRejected,
    core: Event | None,
    reader: Reader,
) -> None:
    shown["player"] = player_json(body.player)
    shown["proposal"] = body.proposal


def _agreed(shown: Json, body: OptionsChanged | PositionEdited | BecameCompetitive | RematchAgreed) -> None:
    shown["player"] = player_json(body.player)
    shown["proposal"] = body.proposal


def _options_changed(
    shown: Json, match: Match, stored: StoredEvent, body: OptionsChanged, core: Event | None, reader: Reader
) -> None:
    _agreed(shown, body)
    shown["options"] = _known(match, body.options)
    shown["seats"] = body.seats
    if body.prepared is not None:
        shown["prepared"] = body.prepared
    _position(shown, match, stored, body.position, body.player.id, reader)
    if body.record is not None:
        shown["import"] = record_json(match, body.record)


def _time_travelled(
    shown: Json, match: Match, stored: StoredEvent, body: TimeTravelled, core: Event | None, reader: Reader
) -> None:
    if body.player is not None:
        shown["player"] = player_json(body.player)
    shown["proposal"] = body.proposal
    shown["to"] = body.to
    if body.seed_commitment is not None:
        shown["seed_commitment"] = body.seed_commitment
    _ending(shown, body.ending)


def _position_edited(
    shown: Json, match: Match, stored: StoredEvent, body: PositionEdited, core: Event | None, reader: Reader
) -> None:
    _agreed(shown, body)
    _position(shown, match, stored, body.position, body.player.id, reader)
    if body.seed_commitment is not None:
        shown["seed_commitment"] = body.seed_commitment
    _rules(shown, match, stored, core, reader)


def _became_competitive(
    shown: Json,
    match: Match,
    stored: StoredEvent,
    body: BecameCompetitive,
    core: Event | None,
    reader: Reader,
) -> None:
    _agreed(shown, body)
    if body.setup_seconds is not None:
        shown["setup_seconds"] = body.setup_seconds
    if body.uncounted:
        _counted(shown, body.uncounted)


def _rematch_agreed(
    shown: Json, match: Match, stored: StoredEvent, body: RematchAgreed, core: Event | None, reader: Reader
) -> None:
    _agreed(shown, body)
    shown["match"] = body.match


def _match_aborted(
    shown: Json, match: Match, stored: StoredEvent, body: MatchAborted, core: Event | None, reader: Reader
) -> None:
    if body.player is not None:
        shown["player"] = player_json(body.player)
        shown["proposal"] = body.proposal
    if body.reason is not None:
        shown["reason"] = body.reason


# Actions, the most frequent by far, are above.
SHOWN: dict[type[Any], Callable[..., None]] = {
    MatchCreated: _match_created,
    PlayerJoined: _player_joined,
    SeatsAssigned: _seats_assigned,
    SeatTaken: _seat_taken,
    SeatLeft: _nothing_more,
    SeatPrepared: _nothing_more,
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
