"""What a command leads to: `decide_command` writes its event (seldom two, and all of a record) on a draft of the newest
known version of the match, or raises what the command is refused for.

Plain functions: no I/O, no clock, no randomness but what the draft hands in. Proposals are in proposals.py; what is
checked before somebody gets a seat is in seating.py.
"""

import hmac

from msgspec import UnsetType
from msgspec.structs import replace

import warlog_core
from warlog_core import State

from ..errors import (
    BadParameter,
    NoChallenge,
    NotForBots,
    NotYourSeat,
    QuotaExceeded,
    SeatIsTaken,
    UnknownMatch,
    VersionConflict,
    WrongInvitation,
    WrongStatus,
    explained,
    refused,
)
from . import bots, policy
from .commands import Accept, Act, AnyCommand, Decline, Join, LeaveSeat, Prepare, Propose, Reject, TakeSeat
from .draft import Draft
from .fold import SPENT, with_wish
from .match import Match
from .model import (
    SERVER,
    ActionTaken,
    ChallengeDeclined,
    MatchAborted,
    MatchStarted,
    Player,
    PlayerJoined,
    Search,
    SeatLeft,
    SeatPrepared,
    SeatsAssigned,
    SeatTaken,
)
from .proposals import DecisionContext, accept, propose, reject
from .records import replay_record
from .replay import start_of
from .seating import assign, check_saved, check_secret, check_sides, draw_from, invitation_hash
from .stakes import filled, why_uncounted


def check_known(match: Match, command: AnyCommand, player: Player) -> None:
    """Checked before anything else of the loaded match: a private match exists only for its players and for who holds
    an invitation. Raises UnknownMatch."""
    if match.fold.visibility == "public":
        return
    if not match.may_know(player.id) and not (isinstance(command, TakeSeat) and _invited(match, command)):
        raise UnknownMatch()


def _invited(match: Match, command: TakeSeat) -> bool:
    invitation = match.fold.invitations.get(command.seat, SPENT)
    return invitation != SPENT and hmac.compare_digest(invitation, invitation_hash(command.invitation))


def check_version(draft: Draft, command: AnyCommand, if_match: int | None, first_decided_ms: int) -> None:
    """Is the match still the one that the command is for? Raises VersionConflict where the match has another version
    than the sender asks for; where he asks for none, if an action no longer fits after another writer's event.

    if_match          the version that the sender asks for, with If-Match; None: he asks for none
    first_decided_ms  when the command was decided for the first time
    """
    match = draft.match
    if if_match is None:
        still = draft.overtaken is None or _is_still_for(draft.overtaken, match, command, first_decided_ms)
    else:
        still = if_match == match.version
    if not still:
        detail = f"The match has moved on to version {match.version}."
        if if_match is not None and if_match > match.version:
            detail = f"The match has no version {if_match} yet: it is at version {match.version}."
        raise VersionConflict(detail, version=match.version)


def _is_still_for(overtaken: Match, match: Match, command: AnyCommand, first_decided_ms: int) -> bool:
    """After a conflict: an action is tried again only if its seat is still to act and has not begun to think anew; any
    other command always.

    overtaken  the match on which it was decided before; another writer's event was appended instead
    match      the match with that event
    """
    if not isinstance(command, Act):
        return True
    if match.fold.updated_at < first_decided_ms:
        return True  # all of it happened before the command came: only this process had not heard of it yet
    then, now = overtaken.state, match.state
    if then is None or now is None or command.seat not in match.seats:
        return False
    # `clock` is a number that changes when the seat's time to think begins anew. It is not a time.
    return then.clock(command.seat) == now.clock(command.seat) and command.seat in now.to_act


def decide_command(draft: Draft, command: AnyCommand, player: Player, context: DecisionContext) -> None:
    """Writes what the command leads to, or raises what it is refused for."""
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
        case Decline():
            decline(draft, command, player)
        case Propose():
            propose(draft, command, player, context)
        case Accept():
            accept(draft, command, player, context)
        case Reject():
            reject(draft, command, player)


def act(draft: Draft, command: Act, player: Player) -> None:
    """A seat acts. Whose turn it is, the rule book decides. A finished match is let through: its refusal, `match_over`,
    is the rule book's, too."""
    match = draft.match
    match.check_seat(player.id, command.seat)
    match.check_status("playing", "finished")
    search = None if isinstance(command.search, UnsetType) else command.search
    if search is not None and player.id not in bots.HOUSE:
        raise BadParameter(
            "Only a bot of the house says how it searched.", path="/search", version=match.version
        )
    _take_action(draft, match, command.seat, command.action, search)


def _take_action(
    draft: Draft, match: Match, actor: str, action: object, search: Search | None = None
) -> None:
    assert match.state is not None
    try:
        state, resolved = match.state.after(actor, action, draft.draw)
    except warlog_core.Refused as error:
        why = match.state.explain(actor, action, error.code)
        raise explained(error.code, why, pointer="/action", version=match.version) from error
    # `resolved`: what the core says of the action (its draws and effects). A player's action is kept as a Struct, which
    # encodes faster, to the same bytes; the server's as a dict, because `fold.evolve` looks into it. The seat of the
    # server's event is "server".
    taken = resolved.action if actor == SERVER else resolved.struct()
    # `ending`: None, or where the action ends the match: result, settlement, and the seeds that are still secret.
    body = ActionTaken(taken, draft.ending(state), search)
    draft.write(body, seat=actor, draws=resolved.draws, state=state, resolved=resolved)


def check_proposal_bytes(draft: Draft, most: int) -> None:
    """After the event has been written: all proposals of a match together may carry `most` bytes; 0: any number. Raises
    QuotaExceeded."""
    if not most or draft.before is None:
        return
    had, has = draft.before.fold.proposal_bytes, draft.match.fold.proposal_bytes
    if has > most and has > had:
        detail = (
            f"The proposals of this match have carried {had} bytes, and with this one they would carry more than "
            f"{most}. Propose something smaller, or begin a new match."
        )
        raise QuotaExceeded("proposal_bytes_per_match", had, most, detail)


def check_length(draft: Draft, command: AnyCommand, most: int) -> None:
    """After the event has been written: a match of more than `most` events (0: any number) can still be left and
    resigned, and end. Raises QuotaExceeded."""
    match, before = draft.match, draft.before
    if not most or before is None or match.version <= most:
        return
    ends = match.status != before.status and match.status in ("finished", "aborted")
    resigns = isinstance(command, Act) and policy.resigns(command.action)
    if not (ends or resigns or isinstance(command, LeaveSeat)):
        raise too_long(before.version, most)


def too_long(have: int, most: int) -> QuotaExceeded:
    """A match of `have` events, where `most` is the limit."""
    detail = f"A match has at most {most} events. Then its players can only resign, leave and end it: begin a new one."
    return QuotaExceeded("events_per_match", have, most, detail)


def prepare(draft: Draft, command: Prepare, player: Player) -> None:
    """Prepares a seat. If it is the last one, the event is the start of the match."""
    match = draft.match
    match.check_status("lobby")
    match.check_seat(player.id, command.seat)
    prepared = {*match.fold.prepared, command.seat}
    if command.seat in match.fold.prepared:
        raise WrongStatus(f"The seat {command.seat} is prepared already.", version=match.version)
    if prepared == set(match.seats) == set(match.holders):
        check_secret(match, {holder.id for holder in match.holders.values()})
        start(draft, player, seat=command.seat)
    else:
        draft.write(SeatPrepared(), seat=command.seat)


def start(draft: Draft, player: Player, *, seat: str = "") -> None:
    """The start of the match: from the options and the Position agreed, or from a record, which is then appended
    whole. Raises AccountsNeeded."""
    match, fold = draft.match, draft.match.fold
    if fold.record is not None:
        replay_record(draft, fold.record, player, seat=seat)
        return
    beginning = (draft.game, fold.options, fold.position, fold.mode, fold.holders, draft.brought)
    added, uncounted = filled(*beginning), why_uncounted(*beginning)
    try:
        state = start_of(draft.game, fold.options, added, fold.position, draft.draw)
    except warlog_core.Refused as error:
        raise refused(error, version=match.version) from error
    assert state.started is not None
    body = MatchStarted(added, uncounted=uncounted)
    draft.write(body, seat=seat, draws=state.started.draws, state=state, resolved=state.started)


def take_seat(draft: Draft, command: TakeSeat, player: Player) -> None:
    """A player sits down."""
    match = draft.match
    if command.seat not in match.seats:
        raise match.unknown_seat(command.seat)
    match.check_status("lobby")
    if match.seating == "wish":
        raise WrongStatus("In this match seats are assigned by wish; join it instead.", version=match.version)
    if command.seat in match.fold.challenged and match.holds(player.id, command.seat) and not command.player:
        prepare(draft, Prepare(command.seat), player)  # he takes up the challenge
        return
    if command.seat in match.holders:
        raise SeatIsTaken(f"The seat {command.seat} is taken.", version=match.version)
    if command.player:
        _seat_bot(draft, command, player)
        return
    if command.seat in match.fold.invitations and not _invited(match, command):
        # Nobody can be invited any more to a seat whose invitation was used, and which was left: it is the creator's.
        spent = match.fold.invitations[command.seat] == SPENT
        if not spent or player.id != match.fold.creator.id:
            detail = (
                "The invitation to this seat has been used."
                if spent
                else "This seat can only be taken with its invitation."
            )
            raise WrongInvitation(detail, version=match.version)
    _check_person(player)
    holders = {**match.holders, command.seat: player}
    check_sides(match, holders, match.fold.options, match.fold.position, match.mode)
    check_secret(match, {player.id})
    check_saved(match, match.fold.saved, holders)
    draft.write(SeatTaken(player), seat=command.seat)


def _seat_bot(draft: Draft, command: TakeSeat, player: Player) -> None:
    """A house bot sits down, and is content. If it was the last one, the match starts."""
    match = draft.match
    bot = bots.wanted(command.player, path="/player", version=match.version)
    _check_host(match, player)
    if command.seat in match.fold.invitations and player.id != match.fold.creator.id:
        raise WrongInvitation("This seat can only be taken with its invitation.", version=match.version)
    if policy.stake(match.game, match.fold.options, match.mode):
        raise BadParameter("A bot of the house has no gold to stake.", path="/player", version=match.version)
    check_saved(match, match.fold.saved, {**match.holders, command.seat: bot})
    draft.write(SeatTaken(bot, draft.new_seed()), seat=command.seat)
    match = draft.match
    if set(match.fold.prepared) == set(match.seats) == set(match.holders):
        check_secret(match, bots.of_people(match.holders.values()))
        start(draft, player)


def _check_person(player: Player) -> None:
    """Raises NotForBots for the house's, which would sit down without a commitment."""
    if player.id in bots.HOUSE:
        raise NotForBots("A bot of the house does not sit down by itself: players give it seats.")


def _check_host(match: Match, player: Player) -> None:
    """Raises NotYourSeat unless the player may give seats to house bots, and take these away."""
    if not match.seats_of(player.id) and match.fold.creator.id != player.id:
        detail = "Only a player who holds a seat, or who made the match, gives seats to bots of the house."
        raise NotYourSeat(detail, version=match.version)


def leave_seat(draft: Draft, command: LeaveSeat, player: Player) -> None:
    """In the lobby the seat is free again, also that of a house bot. Who leaves a running match flees, where its rules
    know that."""
    match = draft.match
    if command.seat in match.fold.bots and match.status == "lobby":
        _check_host(match, player)
    else:
        match.check_seat(player.id, command.seat)
    if match.flee_seconds is not None:
        act_as_server(draft, {"type": "flee", "seat": command.seat})
        return
    match.check_status("lobby")
    draft.write(SeatLeft(), seat=command.seat)


def decline(draft: Draft, command: Decline, player: Player) -> None:
    """The player does not take the seats that he was given."""
    match = draft.match
    seats = [seat for seat in match.fold.challenged if match.holds(player.id, seat)]
    if not seats:
        raise NoChallenge(version=match.version)
    draft.write(ChallengeDeclined(seats, command.reason, player))
    _give_up_if_alone(draft)


def wait_for(draft: Draft, deadline: int) -> None:
    """The draft is for a deadline that has passed. Redis appends it only if its clock agrees."""
    draft.not_before = deadline + 1


def lapse(draft: Draft) -> None:
    """Nobody has answered the challenges for long."""
    draft.write(ChallengeDeclined(list(draft.match.fold.challenged), "lapsed"))
    _give_up_if_alone(draft)


def _give_up_if_alone(draft: Draft) -> None:
    """Aborts a match in which only its maker and bots of the house are left, if all others were challenged: it was
    never meant for anybody else."""
    match = draft.match
    free = [seat for seat in match.seats if seat not in match.holders]
    if bots.of_people(match.holders.values()) <= {match.fold.creator.id} and set(free) <= set(
        match.fold.given
    ):
        draft.write(MatchAborted(reason="declined"))


def leave_for_good(draft: Draft, player: Player) -> None:
    """The player will not be back. In the lobby his seats are free; a lobby that he made and nobody else has come to is
    aborted. In a running match he resigns, or is out by the rules' own way, if they have one now."""
    match = draft.match
    others = bots.of_people(match.holders.values()) - {player.id}
    if match.status == "lobby":
        seats = [seat for seat in match.fold.challenged if match.holds(player.id, seat)]
        if seats:
            draft.write(ChallengeDeclined(seats, "not_now", player))
            _give_up_if_alone(draft)
        for seat in draft.match.seats_of(player.id):
            draft.write(SeatLeft(), seat=seat)
        if draft.match.status == "lobby" and match.fold.creator.id == player.id and not others:
            draft.write(MatchAborted(reason="abandoned"))
    elif match.status == "playing":
        for seat in match.seats_of(player.id):
            _leave_running(draft, seat)


def _leave_running(draft: Draft, seat: str) -> None:
    match, resign = draft.match, {"type": "resign"}
    if match.status != "playing" or match.state is None:
        return
    if match.state.check(seat, resign) is None:
        _take_action(draft, match, seat, resign)
    # In play a `timeout` may only pass the turn on, where players can flee (Siguo Junqi).
    elif (way_out := _way_out(match.state, seat, "flee", "timeout")) is not None:
        act_as_server(draft, way_out)


def join(draft: Draft, command: Join, player: Player) -> None:
    """A player joins with a wish. When as many wait as there are free seats, they are seated.

    Other options may have left as many or more waiting: then the next one who joins brings the first of them to
    their seats."""
    match, fold = draft.match, draft.match.fold
    match.check_status("lobby")
    if match.seating != "wish":
        raise WrongStatus(
            "In this match players take their seats themselves, without wishes.", version=match.version
        )
    if command.wish is not None and command.wish not in match.seats:
        raise match.unknown_seat(command.wish, path="/wish")
    _check_person(player)
    seated = {holder.id for holder in match.holders.values()}
    if player.id in seated:
        raise SeatIsTaken("You have a seat in this match already.", version=match.version)
    check_secret(match, {player.id})
    check_saved(match, fold.saved, {}, {player.id})
    free = [seat for seat in match.seats if seat not in match.holders]
    waiting = with_wish(
        (entry for entry in fold.joined if entry.player.id not in seated), player, command.wish
    )
    if player not in [entry.player for entry in waiting[: len(free)]]:
        left = "is taken" if not free else "goes to those who joined before you, once one of them joins again"
        raise SeatIsTaken(f"Every seat {left}.", version=match.version)
    waiting = waiting[: len(free)]
    if len(waiting) < len(free):
        draft.write(PlayerJoined(player, command.wish))
        return
    if fold.saved:
        seats = {holder.id: seat for seat, holder in fold.saved.items()}
        waiting = [replace(entry, wish=seats[entry.player.id]) for entry in waiting]
    given, draws = assign(free, waiting, draw_from(draft.draw))
    holders = {**match.holders, **given}
    in_order = {seat: holders[seat] for seat in match.seats if seat in holders}
    draft.write(SeatsAssigned(player, in_order, command.wish), draws=draws)


def act_as_server(draft: Draft, action: dict[str, object]) -> None:
    """The server's own actions: `timeout` and the like."""
    match = draft.match
    match.check_status("playing")
    _take_action(draft, match, SERVER, action)


def end_setup(draft: Draft, now_ms: int) -> None:
    """The time for setting up is over for some seats. If no seat is ready, the match is aborted. Otherwise the first
    late seat, in seat order, is out: by the game's `timeout`, or by `flee` where this phase has no `timeout`."""
    match, state = draft.match, draft.match.state
    assert state is not None
    waiting = state.to_act
    late = [seat for seat in waiting if match.deadlines.get(seat, now_ms) < now_ms]
    if late == waiting and not any(_way_out(state, seat) for seat in match.seats if seat not in waiting):
        wait_for(draft, max(match.deadlines[seat] for seat in late))
        draft.write(MatchAborted(reason="nobody_ready"))
    elif late:
        wait_for(draft, match.deadlines[late[0]])
        act_as_server(draft, _way_out(state, late[0]) or {"type": "timeout", "seat": late[0]})


def _way_out(state: State, seat: str, *kinds: str) -> dict[str, object] | None:
    """The action with which the server takes a seat out of the match, the first of these kinds that the rules allow:
    `timeout` or `flee` unless others are named. None for a seat that is out."""
    for kind in kinds or ("timeout", "flee"):
        action: dict[str, object] = {"type": kind, "seat": seat}
        if state.check(SERVER, action) is None:
            return action
    return None
