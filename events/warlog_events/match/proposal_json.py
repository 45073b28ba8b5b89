"""The open proposal, and how a match is to begin, as JSON (warlog_service/schema/).

Only its maker knows a whole Position. A player who is asked to play it sees it as his seats would: he must
agree to it (wec 6.6), and no seat may learn what is hidden (wec 8). A record is named, not shown.
"""

from collections.abc import Mapping
from typing import Any, Protocol

import warlog_core

from . import bots, policy
from .fold import Fold
from .model import OpenProposal, Player, Reader

Json = dict[str, Any]


class _Match(Protocol):
    """What is read here of a `Match`, whose file imports this one."""

    @property
    def game(self) -> warlog_core.Game: ...
    @property
    def fold(self) -> Fold: ...


def player_json(player: Player) -> Json:
    shown = {"id": player.id, "name": player.name}
    return {**shown, "bot": True} if bots.is_bot(player.id) else shown


def bots_json(
    commitments: Mapping[str, str], holders: Mapping[str, Player], seeds: Mapping[str, str] = {}
) -> Json:
    """By seat: the level of each house bot and the commitment to its seed; the seed itself as far as it is known."""
    return {
        seat: {"level": bots.HOUSE.get(holders[seat].id), "seed_hash": name}
        | ({"seed": seeds[name]} if name in seeds else {})
        for seat, name in commitments.items()
    }


def position_is_for(
    match: _Match, position: Mapping[str, object], editor: str, reader: Reader, disclosed: bool
) -> bool:
    """A Position is server knowledge: shown to who made it, and to others where it holds no secret, or it has been
    `disclosed` by the end of the match that went through it."""
    return disclosed or reader.player == editor or policy.position_is_open(match.game, position)


def beginning_json(match: _Match, reader: Reader) -> Json:
    """How a match in the lobby will begin: from the game's own setup, a Position, or a record."""
    fold = match.fold
    if fold.record is not None:
        return {"kind": "import", **record_json(match, fold.record)}
    if fold.position is None:
        return {"kind": "standard"}
    if position_is_for(match, fold.position, fold.editor, reader, disclosed=False):
        return {"kind": "position", "position": fold.position}
    return {"kind": "position", **_views(match, fold.options, fold.position, reader)}


def proposal_json(match: _Match, proposal: OpenProposal | None, reader: Reader) -> Json | None:
    """The open proposal, with who has accepted it and who has yet to answer."""
    if proposal is None:
        return None
    others = {player.id for player in match.fold.holders.values()} - {proposal.player.id}
    return {
        "version": proposal.version,
        "player": player_json(proposal.player),
        **proposed_json(match, proposal.proposal, proposal.player.id, reader, disclosed=False),
        "accepted": [player for player in proposal.accepted if player in others],
        "waiting_for": sorted(others.difference(proposal.accepted)),
    }


def proposed_json(
    match: _Match, proposal: Mapping[str, Any], proposer: str, reader: Reader, disclosed: bool
) -> Json:
    """A proposal's own fields, from a whitelist; Positions and records only as far as `reader` may know them.

    `disclosed`: the match is over, and the proposal is history. An open one may be about to begin it anew."""
    shown: Json = {"kind": proposal["kind"]}
    if "to" in proposal:
        shown["to"] = proposal["to"]
    if "scenario" in proposal:
        shown["scenario"] = proposal["scenario"]
    if isinstance(proposal.get("options"), dict):
        shown["options"] = _known(match, proposal["options"])
    position = proposal.get("position")
    if isinstance(position, dict):
        if position_is_for(match, position, proposer, reader, disclosed):
            shown["position"] = position
        else:
            shown["with"] = "position"
            if "in_force" in proposal:
                shown |= _views(match, proposal["in_force"], position, reader)
    elif "position" in proposal:
        shown["position"] = None
    if isinstance(proposal.get("import"), dict):
        shown["import"] = record_json(match, proposal["import"])
    elif "import" in proposal:
        shown["import"] = None
    return shown


def in_force(match: _Match, proposal: Mapping[str, Any]) -> dict[str, object]:
    """The options under which the Position of this proposal would be played: null takes one back. Stored with the
    proposal, so that what was shown of it stays as it was."""
    options = proposal.get("scenario_options", match.fold.options) | proposal.get("options", {})
    return {name: value for name, value in (options | match.fold.filled).items() if value is not None}


def _views(
    match: _Match, options: Mapping[str, object], position: Mapping[str, object], reader: Reader
) -> Json:
    """`views`: the start from this Position as each seat of the reader's would have it, where a book has the players
    agree on Positions."""
    if not policy.positions_are_agreed_on(match.game) or not reader.seats:
        return {}
    try:
        state = match.game.new(
            options=policy.nominal(match.game, options, match.fold.mode), position=position
        )
    except warlog_core.Refused:
        return {}  # the options have changed since
    views = {seat: state.view(seat, plain=True) for seat in reader.seats if seat in state.seats}
    return {"views": views} if views else {}


def _known(match: _Match, options: Mapping[str, object]) -> dict[str, object]:
    hidden = policy.secret_options(match.game, match.fold.mode)
    return {name: value for name, value in options.items() if name not in hidden}


def record_json(match: _Match, record: Mapping[str, Any]) -> Json:
    """Of a record, what says which it is and what one would play by; its hidden actions stay hidden."""
    events = record.get("events")
    shown: Json = {"events": len(events) if isinstance(events, list) else 0}
    if isinstance(record.get("match"), str):
        shown["match"] = record["match"]
    if isinstance(record.get("options"), dict):
        shown["options"] = _known(match, record["options"])
    return shown
