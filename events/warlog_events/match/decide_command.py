"""Decides a player's command, of any type, on a draft of the newest known version of the match."""

from ..errors import QuotaExceeded, VersionConflict
from . import policy
from .commands import Accept, Act, AnyCommand, Join, LeaveSeat, Prepare, Propose, Reject, TakeSeat
from .decide import act, join, leave_seat, prepare, take_seat
from .draft import Draft
from .match import Match
from .model import Player
from .proposals import ProposalContext, accept, propose, reject


def decide_command(draft: Draft, command: AnyCommand, player: Player, context: ProposalContext) -> None:
    """Writes one event, or raises what the command is refused for."""
    match command:
        case Act():
            context.counts.core_calls += 1
            act(draft, command, player)
        case Prepare():
            prepare(draft, command, player)
        case TakeSeat():
            take_seat(draft, command, player)
        case LeaveSeat():
            leave_seat(draft, command, player)
        case Join():
            join(draft, command, player)
        case Propose():
            propose(draft, command, player, context)
        case Accept():
            accept(draft, command, player, context)
        case Reject():
            reject(draft, command, player)


def check_version(draft: Draft, command: AnyCommand, expected: int | None, began_at: int) -> None:
    """Is the match still the one that the command is for? Raises VersionConflict.

    expected  the version that the sender asks for; None: he does not
    began_at  when the command was decided for the first time, in ms
    """
    match = draft.match
    if expected is None:
        still = draft.beaten is None or _is_still_for(draft.beaten, match, command, began_at)
    else:
        still = expected == match.version
    if not still:
        raise VersionConflict(f"The match has moved on to version {match.version}.", version=match.version)


def _is_still_for(beaten: Match, match: Match, command: AnyCommand, began_at: int) -> bool:
    """After a conflict an action is tried again only if its seat is still to act and has not begun to think anew.

    What happened before the command came is no conflict: only this process had not heard of it yet."""
    if not isinstance(command, Act) or beaten.version == match.version or match.fold.updated_at < began_at:
        return True
    before, now = beaten.state, match.state
    if before is None or now is None or command.seat not in match.seats:
        return False
    return before.clock(command.seat) == now.clock(command.seat) and command.seat in now.to_act


def check_carried(draft: Draft, most: int) -> None:
    """All proposals of a match together may carry `most` bytes; 0: any number. Raises QuotaExceeded."""
    began = draft.began
    if most and began is not None and most < draft.match.fold.carried > began.fold.carried:
        detail = (
            f"The proposals of this match have carried {began.fold.carried} bytes, and with this one they would "
            f"carry more than {most}. Propose something smaller, or begin a new match."
        )
        raise QuotaExceeded("proposal_bytes_per_match", began.fold.carried, most, detail)


def check_length(draft: Draft, command: AnyCommand, most: int) -> None:
    """A match of `most` events (0: any number) can still be left and resigned, and end. Raises QuotaExceeded."""
    match, began = draft.match, draft.began
    if not most or began is None or match.version <= most:
        return
    ends = match.status != began.status and match.status in ("finished", "aborted")
    resigns = isinstance(command, Act) and policy.resigns(command.action)
    if not (ends or resigns or isinstance(command, LeaveSeat)):
        raise too_long(began.version, most)


def too_long(have: int, most: int) -> QuotaExceeded:
    """A match of `have` events, where `most` is the limit."""
    detail = f"A match has at most {most} events. Then its players can only resign, leave and end it: begin a new one."
    return QuotaExceeded("events_per_match", have, most, detail)
