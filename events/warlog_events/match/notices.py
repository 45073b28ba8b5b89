"""What an append says to the people whom it concerns: the notices of their personal feeds.

The writer of an append knows the match before and after it, so nobody has to find out later what has changed. The
notices go into the activity entry of the bucket; `workers/notifier.py` hands them to their people.

A notice has what the summary shows to everybody who may know of the match, and the seats of the one to whom it is
addressed. So nothing that is hidden can be in it. Who holds several seats gets one notice of a kind.
"""

from collections.abc import Sequence

import msgspec

from .fold import Fold
from .match import Match, result_json, rfc3339
from .model import ActionTaken, Body
from .policy import offers_draw

LEAPS = frozenset({"time_travelled", "position_edited"})
"""After one of these everybody who is to act gets `your_turn` again: the position is another one, clocks start anew."""


DONE = {
    "options": "options_changed",
    "undo": "time_travelled",
    "edit": "position_edited",
    "competitive": "became_competitive",
    "abort": "match_aborted",
    "rematch": "rematch_agreed",
}
"""Kind of a proposal → the event by which it takes effect."""


class Notice(msgspec.Struct, frozen=True, array_like=True):
    """As it stands in the activity entry.

    seats     of the player: those that he holds; for your_turn those that are to act, for draw_offered those that may
              answer
    deadline  your_turn: the first of these seats' deadlines, in ms; 0 for none
    """

    kind: str
    player: str
    seats: Sequence[str]
    deadline: int = 0


class Notices(msgspec.Struct, frozen=True, array_like=True):
    """Of one append. What has its default at the end is left out (`_encoded`).

    at        of its last event, in ms
    proposal  the kind of the new one, "" if there is none
    status    of the match after it, if it is over
    result    {"winners", "reason"} of a finished match
    declined  why the seats of a challenge were left: "later" …, "" where nobody said it
    over      the kind of the proposal that was open before, and what became of it; None: there was none, or it still is
    """

    at: int
    game: str
    notices: list[Notice]
    proposal: str = ""
    status: str = ""
    result: dict[str, object] | None = None
    declined: str = ""
    over: tuple[str, str] | None = None


Row = tuple[str, str, Sequence[str]] | tuple[str, str, Sequence[str], int]
"""A Notice that is to be encoded, without a deadline that is 0."""

encode = msgspec.json.Encoder().encode
decode = msgspec.json.Decoder(Notices).decode


def notices_of(before: Match | None, after: Match, last_type: str, last: Body) -> bytes:
    """The notices of an append, encoded; b"" if it concerns nobody, as most actions. `before` None: it has made the
    match. `last_type`, `last`: of its last event."""
    fold = after.fold
    if before is None:
        return _encoded(fold, "", [*_arrivals(None, after), *_turns(None, after), *_endings(None, after)])
    was = before.fold
    leap = last_type in LEAPS
    same = was.holders is fold.holders and was.challenged is fold.challenged
    if same and was.status == fold.status and fold.proposal is None and was.proposal is None:
        # So it is after nearly every action: at most the turn passes on.
        offers = _offers(after, last)
        if before.to_act == after.to_act and not leap and not offers:
            return b""
        return _encoded(fold, "", [*offers, *_turns(None if leap else before, after)])
    notices = [*_arrivals(before, after), *_answers(was, fold)]
    proposal, kind, over = fold.proposal, "", None
    if was.proposal is not None and (proposal is None or was.proposal.version != proposal.version):
        proposer, ended = was.proposal.player.id, str(was.proposal.proposal["kind"])
        notices.append(("proposal_over", proposer, after.people.seated.get(proposer, ())))
        over = ended, _outcome(ended, last_type)
    notices += _offers(after, last)
    notices += _turns(None if leap else before, after)
    if proposal is not None and (was.proposal is None or was.proposal.version != proposal.version):
        kind = str(proposal.proposal["kind"])
        held = after.people.seated
        notices += [
            ("proposal", player, seats) for player, seats in held.items() if player != proposal.player.id
        ]
    return _encoded(fold, kind, [*notices, *_endings(before, after)], over)


def _outcome(kind: str, last_type: str) -> str:
    if last_type == "proposal_rejected":
        return "rejected"
    return "accepted" if last_type == DONE[kind] else "lapsed"


def _arrivals(before: Match | None, after: Match) -> list[Row]:
    """Who holds a seat and held none, and that the match has begun. Whom the maker of a lobby has given a seat is
    challenged: he has agreed to nothing yet."""
    held, known, fold = after.people.seated, {} if before is None else before.people.seated, after.fold
    challenged = set(fold.challenged)
    notices: list[Row] = [
        ("challenged" if before is None and not challenged.isdisjoint(seats) else "seated", player, seats)
        for player, seats in held.items()
        if player not in known
    ]
    if after.started_at_version and (before is None or not before.started_at_version):
        notices += [
            ("match_started", player, held.get(player, ())) for player in sorted(after.people.members)
        ]
    return notices


def _answers(was: Fold, fold: Fold) -> list[Row]:
    """What the maker of a match hears of those whom he challenged: that somebody accepts, while others are waited for;
    that somebody declines, or does not answer. Then who was challenged hears it, too: it may have been elsewhere."""
    answered: dict[str, list[str]] = {}
    for seat in was.challenged:
        if seat not in fold.challenged:
            answered.setdefault(was.holders[seat].id, []).append(seat)
    notices: list[Row] = []
    for player, seats in answered.items():
        if any(seat in fold.holders for seat in seats):
            notices += [("accepted", fold.creator.id, seats)] if fold.status == "lobby" else []
        else:
            notices += [("declined", to, seats) for to in (fold.creator.id, player)]
    return notices


def _turns(before: Match | None, after: Match) -> list[Row]:
    """To whom the turn comes: those who are to act with some seat now, and were not with any before."""
    if after.fold.status != "playing":
        return []
    holders = after.fold.holders
    seats: dict[str, list[str]] = {}
    for seat in after.to_act:
        if seat in holders:
            seats.setdefault(holders[seat].id, []).append(seat)
    if before is not None:
        holders = before.fold.holders
        for seat in before.to_act:
            if seat in holders:
                seats.pop(holders[seat].id, None)
    at = after.deadlines
    if not at:
        return [("your_turn", player, own) for player, own in seats.items()]
    first = {
        player: min((at[seat] for seat in own if seat in at), default=0) for player, own in seats.items()
    }
    return [("your_turn", player, own, first[player]) for player, own in seats.items()]


def _offers(after: Match, last: Body) -> list[Row]:
    """To whom a draw has been offered: who holds a seat that may accept it, in turn or not."""
    if not isinstance(last, ActionTaken) or not offers_draw(last.action) or after.state is None:
        return []
    seats: dict[str, list[str]] = {}
    for seat, holder in after.fold.holders.items():
        if after.state.check(seat, {"type": "accept_draw"}) is None:
            seats.setdefault(holder.id, []).append(seat)
    return [("draw_offered", player, own) for player, own in seats.items()]


def _endings(before: Match | None, after: Match) -> list[Row]:
    """That the match is over."""
    status = after.fold.status
    if status not in ("finished", "aborted") or (before is not None and before.fold.status == status):
        return []
    held = after.people.seated
    return [("match_over", player, held.get(player, ())) for player in sorted(after.people.members)]


def _encoded(fold: Fold, proposal: str, notices: list[Row], over: tuple[str, str] | None = None) -> bytes:
    if not notices:
        return b""
    declined = any(notice[0] == "declined" for notice in notices)
    if declined or over is not None or fold.status in ("finished", "aborted"):
        result = None if fold.result is None else result_json(fold.result)
        status = fold.status if fold.status in ("finished", "aborted") else ""
        row = (fold.updated_at, fold.game, notices, proposal, status, result)
        if over is not None:
            return encode((*row, fold.declined if declined else "", over))
        return encode((*row, fold.declined) if declined else row)
    if proposal:
        return encode((fold.updated_at, fold.game, notices, proposal))
    return encode((fold.updated_at, fold.game, notices))


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
    elif notice.kind == "proposal_over" and notices.over is not None:
        shown["proposal"], shown["outcome"] = notices.over
    elif notice.kind == "declined" and notices.declined:
        shown["reason"] = notices.declined
    elif notice.kind == "match_over":
        shown["status"] = notices.status
        shown["result"] = notices.result
    return encode(shown)
