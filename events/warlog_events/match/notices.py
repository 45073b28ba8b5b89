"""What an append says to the people whom it concerns: the notices of their personal feeds.

The writer of an append knows the match before and after it, so nobody has to find out later what has changed. The
notices go into the activity entry of the bucket; `workers/notifier.py` hands them to their people.

A notice has what the summary shows to everybody who may know of the match, and the seats of the one to whom it is
addressed. So nothing that is hidden can be in it. Who holds several seats gets one notice of a kind.
"""

from collections.abc import Mapping, Sequence

import msgspec

from .match import Match, result_json, rfc3339
from .model import Player

LEAPS = frozenset({"time_travelled", "position_edited"})
"""After them everybody who is to act is told so again: it is another position, and clocks begin anew."""


class Notice(msgspec.Struct, frozen=True, array_like=True):
    """As it stands in the activity entry.

    seats     of the player: those that he holds; for your_turn those that are to act
    deadline  your_turn: the first of these seats' deadlines, in ms; 0 for none
    """

    kind: str
    player: str
    seats: Sequence[str]
    deadline: int = 0


class Notices(msgspec.Struct, frozen=True, array_like=True):
    """Of one append.

    at        of its last event, in ms
    status    of the match after it
    result    {"winners", "reason"} of a finished match
    proposal  the kind of the new one, "" if there is none
    """

    at: int
    game: str
    status: str
    result: dict[str, object] | None
    proposal: str
    notices: list[Notice]


encode = msgspec.json.Encoder().encode
decode = msgspec.json.Decoder(Notices).decode


def notices_of(before: Match | None, after: Match, last_type: str) -> bytes:
    """The notices of an append, encoded; b"" if it concerns nobody, as most actions. `before` None: it has made the
    match. `last_type`: of its last event."""
    fold, was = after.fold, None if before is None else before.fold
    leap = last_type in LEAPS
    proposal = fold.proposal
    if proposal is not None and was is not None and was.proposal is not None:
        if was.proposal.version == proposal.version:
            proposal = None
    if before is not None and was is not None and proposal is None and not leap:
        if was.holders is fold.holders and was.status == fold.status and before.to_act == after.to_act:
            return b""
    held = _seats_of(fold.seats, fold.holders)
    known = set() if was is None else {holder.id for holder in was.holders.values()}
    notices = [Notice("seated", player, seats) for player, seats in held.items() if player not in known]
    if fold.started_version and (was is None or not was.started_version):
        notices += [Notice("match_started", player, held.get(player, ())) for player in sorted(after.members)]
    if fold.status == "playing":
        notices += _turns(None if leap else before, after)
    if proposal is not None:
        asked = [player for player in held if player != proposal.player.id]
        notices += [Notice("proposal", player, held[player]) for player in asked]
    if fold.status in ("finished", "aborted") and (was is None or was.status != fold.status):
        notices += [Notice("match_over", player, held.get(player, ())) for player in sorted(after.members)]
    if not notices:
        return b""
    kind = "" if proposal is None else str(proposal.proposal["kind"])
    result = None if fold.result is None else result_json(fold.result)
    return encode(Notices(fold.updated_at, fold.game, fold.status, result, kind, notices))


def _turns(before: Match | None, after: Match) -> list[Notice]:
    """To whom the turn comes: those who are to act with some seat now, and were not with any before."""
    holders, was = after.fold.holders, before.fold.holders if before is not None else {}
    acting = [] if before is None else before.to_act
    waited_for = {was[seat].id for seat in acting if seat in was}
    seats: dict[str, list[str]] = {}
    for seat in after.to_act:
        if seat in holders and (player := holders[seat].id) not in waited_for:
            seats.setdefault(player, []).append(seat)
    deadlines = after.deadlines
    return [
        Notice(
            "your_turn", player, own, min((deadlines[seat] for seat in own if seat in deadlines), default=0)
        )
        for player, own in seats.items()
    ]


def _seats_of(seats: Sequence[str], holders: Mapping[str, Player]) -> dict[str, list[str]]:
    """Player → his seats, in seat order."""
    found: dict[str, list[str]] = {}
    for seat in seats:
        if seat in holders:
            found.setdefault(holders[seat].id, []).append(seat)
    return found


def json_of(match_id: str, version: int, notices: Notices, notice: Notice) -> bytes:
    """A notice as its reader gets it: a member of `schema.Notice`."""
    shown: dict[str, object] = {
        "type": notice.kind,
        "match": match_id,
        "game": notices.game,
        "version": version,
        "at": rfc3339(notices.at),
        "seats": notice.seats,
    }
    if notice.kind == "your_turn" and notice.deadline:
        shown["deadline"] = rfc3339(notice.deadline)
    elif notice.kind == "proposal":
        shown["proposal"] = notices.proposal
    elif notice.kind == "match_over":
        shown["status"] = notices.status
        shown["result"] = notices.result
    return encode(shown)
