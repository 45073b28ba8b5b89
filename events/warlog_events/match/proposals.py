"""Everything that needs consent: proposing, accepting, rejecting, and what each kind of proposal does.

A proposal is checked when it is made and again when it takes effect; any action in
between makes it lapse, so the board is the same.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from typing import Any, NamedTuple

import msgspec
from msgspec import UNSET

import warlog_core

from .. import errors
from ..errors import (
    AlreadyDisclosed,
    BadParameter,
    Hidden,
    NoProposal,
    NotYourSeat,
    ProposalChanged,
    Refused,
    UnknownVersion,
    WrongStatus,
    explained,
    named,
    refused,
)
from ..statistics import Counts
from . import policy
from .commands import (
    Abort,
    Accept,
    Competitive,
    Edit,
    Options,
    Propose,
    Reject,
    Rematch,
    Undo,
)
from .draft import Draft
from .match import Match
from .model import (
    BecameCompetitive,
    MatchAborted,
    OpenProposal,
    OptionsChanged,
    Player,
    PositionEdited,
    ProposalAccepted,
    ProposalMade,
    ProposalRejected,
    RematchAgreed,
)
from .proposal_json import in_force, position_is_for
from .records import check_record, parse_record
from .replay import start_of, state_at
from .seating import check_saved, check_sides, check_unknown

Proposed = dict[str, Any]


class Beginning(msgspec.Struct, frozen=True):
    """What a scenario stands for: the options and the Position to begin with."""

    game: str
    options: dict[str, object]
    position: dict[str, object] | None


class Found(msgspec.Struct, frozen=True):
    """saved  seat → who had it in the match of which a record is proposed, where that matters"""

    scenario: Beginning | None = None
    saved: Mapping[str, Player] = {}


NOTHING = Found()


class DecisionContext(NamedTuple):
    """What deciding on a command may need from outside the match.

    counts      what has been done in this process
    found       what it names, looked up
    rematch_id  the id of a match's rematch, by the match's id
    """

    counts: Counts
    rematch_id: Callable[[str], str]
    found: Found = NOTHING


def propose(draft: Draft, command: Propose, player: Player, around: DecisionContext) -> None:
    """Makes the proposal, or carries it out at once where nobody else has to agree."""
    match = draft.match
    need_holder(match, player)
    proposed = _plain(command.proposal, around)
    others = _others(match, proposed, player)
    alone = not others or _is_own_choice(match, proposed, player)
    if match.consent == "none" and proposed["kind"] in ("options", "undo", "edit"):
        alone = not others or not _moves_gold(match, proposed)
    _check_sight(match, proposed, player)
    if alone:
        with _unseen_untold(match, proposed, player, player):
            _do(draft, proposed, player, None, around)
    else:
        _check(draft, proposed, player, around)
        if isinstance(proposed.get("position"), dict):
            proposed["in_force"] = in_force(match, proposed)
        replaced = match.fold.proposal
        draft.write(ProposalMade(proposed, player, None if replaced is None else replaced.version))


def accept(draft: Draft, command: Accept, player: Player, around: DecisionContext) -> None:
    """One more agrees; with the last one it is done."""
    match = draft.match
    proposal = _open(match, command.proposal)
    need_holder(match, player)
    if player.id == proposal.player.id or player.id in proposal.accepted:
        raise WrongStatus("You have agreed to this proposal already.", version=match.version)
    others = _others(match, proposal.proposal, proposal.player)
    if player.id not in others:
        raise NotYourSeat("Only a player who holds a seat may accept.", version=match.version)
    if others - {*proposal.accepted, player.id}:
        draft.write(ProposalAccepted(proposal.version, player))
        return
    with _unseen_untold(match, proposal.proposal, proposal.player, player):
        _do(draft, proposal.proposal, proposal.player, proposal.version, around)


def reject(draft: Draft, command: Reject, player: Player) -> None:
    """Closes the proposal; its proposer may do so, too."""
    match = draft.match
    proposal = _open(match, command.proposal)
    need_holder(match, player)
    draft.write(ProposalRejected(proposal.version, player))


def _others(match: Match, proposed: Proposed, player: Player) -> set[str]:
    """The ids of those who have to agree. A player who has not answered a challenge is not asked to withdraw it."""
    asked = [
        holder
        for seat, holder in match.holders.items()
        if proposed["kind"] != "abort" or seat not in match.fold.challenged
    ]
    return {holder.id for holder in asked} - {player.id}


def need_holder(match: Match, player: Player) -> None:
    """Only players with a seat, and in the lobby the match's creator, deal with proposals. Raises NotYourSeat."""
    if match.seats_of(player.id):
        return
    if match.status == "lobby" and match.fold.creator.id == player.id:
        return
    raise NotYourSeat("Only players with a seat may propose, accept or reject.", version=match.version)


def _open(match: Match, version: int) -> OpenProposal:
    proposal = match.fold.proposal
    if proposal is None:
        raise NoProposal(version=match.version)
    if proposal.version != version:
        raise ProposalChanged(
            f"The open proposal is number {proposal.version}, not {version}.",
            version=match.version,
            path="/proposal",
        )
    return proposal


def _plain(
    proposal: Options | Undo | Edit | Competitive | Abort | Rematch, around: DecisionContext
) -> Proposed:
    """The proposal as it is stored: JSON, with a scenario resolved."""
    plain: Proposed = msgspec.to_builtins(proposal)
    if isinstance(proposal, Options):
        given = [x is not UNSET for x in (proposal.position, proposal.scenario, proposal.record)]
        if sum(given) > 1:
            raise BadParameter("Give at most one of `position`, `scenario` and `import`.", path="/proposal")
        found = around.found
        if found.scenario is not None:
            plain["scenario_options"], plain["position"] = found.scenario.options, found.scenario.position
        if found.saved and "import" in plain:
            plain["saved"] = msgspec.to_builtins(found.saved)
    return plain


def _is_own_choice(match: Match, proposed: Proposed, player: Player) -> bool:
    """Only options that the rule book leaves to a seat that this player holds."""
    if proposed["kind"] != "options" or not proposed.keys() <= {"kind", "options"}:
        return False
    own: set[str] = set()
    for seat in match.seats_of(player.id):
        own |= policy.own_options(match.game, seat)
    return bool(own) and proposed.get("options", {}).keys() <= own


def _sees(match: Match, position: Mapping[str, object], maker: str, player: Player) -> bool:
    """Does this player know the whole of a Position that `maker` (an id) has made?"""
    return position_is_for(match, position, maker, match.reader(player.id), disclosed=False)


def _check_sight(match: Match, proposed: Proposed, player: Player) -> None:
    """Whether a Position goes with other options tells of the Position: who does not see all of it may change them only
    together with it. Raises Hidden."""
    fold = match.fold
    if fold.started_version or fold.position is None or not proposed.keys() <= {"kind", "options"}:
        return
    if proposed["kind"] != "options" or _is_own_choice(match, proposed, player):
        return
    if not _sees(match, fold.position, fold.editor, player):
        detail = (
            "The match is to begin from a Position that hides something from you. Propose another beginning together "
            "with these options, or ask who has made the Position to propose them."
        )
        raise Hidden(detail, version=match.version)


@contextmanager
def _unseen_untold(match: Match, proposed: Proposed, proposer: Player, player: Player) -> Iterator[None]:
    """Of a Position that `player` does not see whole he is not told what is wrong with it, should it not go with the
    options any more."""
    try:
        yield
    except Refused as refusal:
        position, maker = proposed.get("position"), proposer.id
        if "position" not in proposed and not match.fold.started_version:
            position, maker = match.fold.position, match.fold.editor
        if (
            refusal.code == "invalid_options"
            or not isinstance(position, dict)
            or _sees(match, position, maker, player)
        ):
            raise
        detail = "The Position, which hides something from you, does not go with these options."
        raise Refused("invalid_position", detail, version=match.version) from None


def _moves_gold(match: Match, proposed: Proposed) -> bool:
    """Nobody's gold is set aside without his consent."""
    if match.mode != "competitive" or proposed["kind"] != "options":
        return False
    options = {**proposed.get("scenario_options", match.fold.options), **proposed.get("options", {})}
    before, after = (policy.stake(match.game, one, match.mode) for one in (match.fold.options, options))
    return before != after


def _check(draft: Draft, proposed: Proposed, player: Player, around: DecisionContext) -> None:
    """Raises what `_do` would raise now."""
    trial = Draft(
        draft.match_id,
        draft.game,
        draft.match,
        at=draft.at,
        by=draft.by,
        secrets=draft.secrets,
        token_bytes=bytes,
    )
    _do(trial, proposed, player, None, DecisionContext(around.counts, around.rematch_id))


def _do(
    draft: Draft, proposed: Proposed, player: Player, proposal: int | None, around: DecisionContext
) -> None:
    match proposed["kind"]:
        case "options":
            _change_options(draft, proposed, player, proposal)
        case "undo":
            _travel(draft, proposed["to"], player, proposal, around.counts)
        case "edit":
            _edit(draft, proposed["position"], player, proposal)
        case "competitive":
            _become_competitive(draft, player, proposal)
        case "abort":
            draft.match.check_status("lobby")
            draft.write(MatchAborted(player, proposal))
        case "rematch":
            draft.match.check_status("finished")
            if draft.match.fold.rematch is not None:
                raise WrongStatus("A rematch has been agreed on already.", version=draft.match.version)
            _check_rematch(draft.match)
            draft.write(RematchAgreed(around.rematch_id(draft.match_id), player, proposal))


def _check_rematch(match: Match) -> None:
    """Its Position is known to all by now. Raises AlreadyDisclosed."""
    if match.mode == "competitive":
        players = _players(match, match.holders)
        check_unknown(match.game, match.fold.position, players, players, match.version)


def _players(match: Match, holders: Mapping[str, Player]) -> set[str]:
    """Ids of those who have seats, or wait for them."""
    waiting = {entry.player.id for entry in match.fold.joined}
    return waiting | {holder.id for holder in holders.values()}


def _need_casual(match: Match) -> None:
    if match.mode == "competitive":
        raise errors.Competitive("This is not possible in a competitive match.", version=match.version)


def _change_options(draft: Draft, proposed: Proposed, player: Player, proposal: int | None) -> None:
    match, fold = draft.match, draft.match.fold
    if not fold.started_version:
        match.check_status("lobby")
        _change_beginning(draft, proposed, player, proposal)
        return
    _need_casual(match)
    match.check_status("playing")
    if not proposed.keys() <= {"kind", "options"}:
        raise WrongStatus("How a match begins can be changed only before its start.", version=match.version)
    pointer = "/proposal" if proposal is None else None
    options = merged(draft.game, fold.options, proposed.get("options", {}), pointer=pointer)
    assert match.state is not None
    state = match.state.copy()
    try:
        state.reconfigure({**options, **fold.filled})
    except warlog_core.Refused as error:
        raise refused(error, pointer=pointer, version=match.version) from error
    policy.check_size(options, None, pointer=pointer, version=match.version)
    draft.write(OptionsChanged(options, list(match.seats), player, proposal), state=state)


def _change_beginning(draft: Draft, proposed: Proposed, player: Player, proposal: int | None) -> None:
    """Options, Position or record with which the match is to start."""
    match, fold = draft.match, draft.match.fold
    pointer = "/proposal" if proposal is None else None
    record: dict[str, object] | None = proposed.get("import")
    saved = msgspec.convert(proposed.get("saved", {}), dict[str, Player])
    parsed = None
    if record is not None:
        _need_casual(match)
        parsed = parse_record(record, pointer=None if pointer is None else f"{pointer}/import")
        if parsed.game != fold.game:
            raise BadParameter(f"The record is of the game {named(parsed.game)}, not of {fold.game}.")
        options, position = parsed.options, parsed.position
    else:
        before = proposed.get("scenario_options", fold.options)
        options = merged(draft.game, before, proposed.get("options", {}), pointer=pointer)
        position = proposed.get("position", fold.position)
    seats = check_beginning(draft.game, options, position, fold.mode, match, pointer=pointer)
    if parsed is not None:
        check_record(draft.game, parsed)
    holders = {seat: holder for seat, holder in match.holders.items() if seat in seats}
    check_sides(match, holders, options, position, fold.mode)
    if fold.mode == "competitive":
        known_to = {fold.editor if position == fold.position else player.id}
        check_unknown(draft.game, position, known_to, _players(match, holders), match.version)
    check_saved(match, saved, holders, _players(match, {}))
    # All but the proposer have to say anew that they are content; house bots always are.
    stays = {seat for seat in fold.prepared if match.holds(player.id, seat) or seat in fold.bots}
    prepared = [seat for seat in fold.prepared if seats == fold.seats and seat in stays]
    draft.write(OptionsChanged(options, list(seats), player, proposal, position, record, saved, prepared))


def check_beginning(
    game: warlog_core.Game,
    options: Mapping[str, object],
    position: Mapping[str, object] | None,
    mode: str,
    match: Match | None,
    *,
    pointer: str | None = "",
) -> tuple[str, ...]:
    """The seats of a match with these options from this Position, which stand at `pointer` in the request (None: not in
    it). Raises Refused with the rule book's code."""
    version = None if match is None else match.version
    if mode == "competitive" and not policy.server_options(game).isdisjoint(options):
        (name, *_) = sorted(policy.server_options(game).intersection(options))
        detail = f"In a competitive match the server sets the option {name}."
        raise Refused(
            "invalid_options",
            detail,
            version=version,
            path="" if pointer is None else f"{pointer}/options/{name}",
        )
    try:
        whole = policy.nominal(game, options, mode)
        game.check_options(whole, position)
        policy.check_size(options, position, pointer=pointer, version=version)
        return game.seats_for(whole)
    except warlog_core.Refused as error:
        missing = policy.balances_missing(game, options) if error.code == "insufficient_gold" else ""
        if missing and mode == "casual":
            detail = f"Where gold is at stake, {missing} must say how much of it the player of each seat has."
            path = "" if pointer is None else f"{pointer}/options/{missing}"
            raise Refused("invalid_options", detail, version=version, path=path) from error
        raise refused(error, pointer=pointer, version=version) from error


def merged(
    game: warlog_core.Game,
    options: Mapping[str, object],
    changes: Mapping[str, object],
    *,
    pointer: str | None = "",
) -> dict[str, object]:
    """The options with these changes; null takes an option back to its default. Raises Refused (invalid_options) for
    null in one that the game does not have. `pointer` as for `check_beginning`."""
    unknown = {name for name, value in changes.items() if value is None}.difference(policy.option_names(game))
    if unknown:
        why = game.explain_start({min(unknown): None}, None, "invalid_options")
        raise explained("invalid_options", why, pointer=pointer)
    merged = {**options, **changes}
    return {name: value for name, value in merged.items() if value is not None}


def _travel(draft: Draft, to: int, player: Player, proposal: int | None, counts: Counts) -> None:
    """What was after event `to` is current again."""
    match, fold = draft.match, draft.match.fold
    _need_casual(match)
    match.check_status("playing", "finished")
    if not fold.started_version <= to <= match.version:
        raise UnknownVersion(
            f"The match can go back to the versions {fold.started_version} to {match.version}.",
            version=match.version,
            extra={"minimum": fold.started_version, "maximum": match.version},
        )
    if to == match.version and match.state is not None:
        state = match.state
    else:
        state = state_at(match.timeline, draft.game, to, counts)
    draft.travel(to, state, player, proposal)


def _edit(draft: Draft, position: dict[str, object], player: Player, proposal: int | None) -> None:
    """The match goes on from a Position as a new one would."""
    match, fold = draft.match, draft.match.fold
    _need_casual(match)
    match.check_status("playing", "finished")
    seed = draft.new_seed_if_published()
    pointer = "/proposal" if proposal is None else None
    try:
        state = start_of(draft.game, fold.options, fold.filled, position, partial(draft.draw, seed=seed))
    except warlog_core.Refused as error:
        raise refused(error, pointer=pointer, version=match.version) from error
    policy.check_size({}, position, pointer=pointer, version=match.version)
    assert state.started is not None
    body = PositionEdited(position, player, proposal, seed, draft.new_bot_seeds())
    draft.write(body, draws=state.started.draws, state=state, resolved=state.started)


def _become_competitive(draft: Draft, player: Player, proposal: int | None) -> None:
    """Once and for good: before the start, or later where the book allows it and nothing has been shown that
    should not (where the players agree on Positions, both know what they have shown each other)."""
    match, fold = draft.match, draft.match.fold
    if match.mode == "competitive":
        raise WrongStatus("The match is competitive already.", version=match.version)
    if fold.started_version and not policy.competitive_in_play(match.game):
        match.check_status("lobby")
    match.check_status("lobby", "playing")
    if fold.started_version and fold.open_record:
        raise AlreadyDisclosed("Everybody can read the record of this match so far.", version=match.version)
    if not policy.positions_are_agreed_on(match.game):
        if fold.imported is not None or fold.record is not None or fold.imported_until:
            raise AlreadyDisclosed("A record has shown what is hidden in this match.", version=match.version)
        if fold.started_version and match.timeline.jumps:
            raise AlreadyDisclosed(
                "The match has been taken back, and its players know what was hidden.", version=match.version
            )
    check_beginning(match.game, fold.options, None, "competitive", match, pointer=None)
    check_sides(match, fold.holders, fold.options, fold.position, "competitive")
    if not fold.started_version:
        players = _players(match, fold.holders)
        check_unknown(match.game, fold.position, {fold.editor}, players, match.version)
    bounded = None if fold.setup_seconds or fold.started_version else policy.setup_seconds("competitive")
    # Points were not brought to it, so none can be taken from it.
    late = fold.started_version > 0 and policy.accounting(match.game) is not None
    draft.write(BecameCompetitive(player, proposal, bounded, ["started_casual"] if late else []))
