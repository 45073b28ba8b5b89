"""New matches: created, imported, or agreed upon as a rematch. Each writes the first events of a draft."""

import base64
import hashlib
from collections.abc import Callable, Mapping, Sequence

import msgspec
from msgspec import UnsetType

import warlog_core
from warlog_core.explain import nearest, pointer

from ..errors import (
    BadParameter,
    BodyTooLarge,
    Refused,
    UnknownGame,
    UnknownPlayer,
    UnknownSeat,
    named,
)
from . import bots, policy
from .commands import SECONDS_MAX, CreateMatch, Wanted
from .decide import start
from .draft import Draft
from .match import Match
from .model import MatchCreated, Player
from .proposals import Beginning, check_beginning, merged
from .records import Record, bad_record, replay_record
from .seating import check_sides, check_unknown, invitation_hash, rotated
from .verify import verify_record

INVITATION_BYTES = 20
# An import is one command, of which Redis takes a million words; an event may become two of nine, each with a seed.
RECORD_EVENTS_MAX = 40_000


class Created(msgspec.Struct, frozen=True):
    """`invitations`: seat → the secret to hand on; it is nowhere else."""

    match: Match
    invitations: dict[str, str]


class Imported(msgspec.Struct, frozen=True):
    """`versions`: the record's version, as text → the new match's."""

    match: Match
    versions: dict[str, int]


def game_of(name: str, rules_version: int | None = None) -> warlog_core.Game:
    """Raises UnknownGame."""
    try:
        return warlog_core.game(name, rules_version)
    except warlog_core.UnknownGame as error:
        games = [*warlog_core.games()]
        raise UnknownGame(
            f"There is no game {named(name)}.{nearest(name, games)}", path="/game", extra={"allowed": games}
        ) from error


def check_seconds(name: str, seconds: int | UnsetType) -> None:
    """Raises BadParameter."""
    if not isinstance(seconds, UnsetType) and not 0 <= seconds <= SECONDS_MAX:
        raise BadParameter(
            f"`{name}` must be a number from 0 to {SECONDS_MAX}.",
            path=f"/{name}",
            extra={"minimum": 0, "maximum": SECONDS_MAX},
        )


def begin(
    draft: Draft,
    spec: CreateMatch,
    caller: Player,
    players: Mapping[str, Player],
    beginning: Beginning | None,
    secret_of: Callable[[str], bytes],
) -> dict[str, str]:
    """`match_created`, and `match_started` at once where nobody but the creator and house bots holds a seat, and every
    seat is held; gives the invitations.

    secret_of  INVITATION_BYTES random bytes for the invitation to a seat"""
    check_seconds("move_seconds", spec.move_seconds)
    check_seconds("setup_seconds", spec.setup_seconds)
    if spec.open_record and spec.mode == "competitive":
        raise BadParameter("Only a casual match can have an open record.", path="/open_record")
    given, move_seconds = policy.with_move_seconds(draft.game, spec.options, spec.move_seconds)
    options = merged(draft.game, {}, given)
    position = spec.position if isinstance(spec.position, dict) else None
    if beginning is not None:
        options, position = merged(draft.game, beginning.options, given), beginning.position
    seats = check_beginning(draft.game, options, position, spec.mode, None)
    if spec.seating == "wish" and spec.seats:
        raise BadParameter(
            "Where seats are assigned by wish, nobody has a seat before all have joined.", path="/seats"
        )
    if spec.seating == "wish" and spec.visibility == "private":
        raise BadParameter(
            "A private match cannot assign seats by wish, as nobody could join it.", path="/seating"
        )
    holders, invited = _seated(spec.seats, seats, caller, players)
    check_sides(None, holders, options, position, spec.mode, draft.game)
    sitting = {player.id for player in holders.values()}
    if spec.mode == "competitive":
        check_unknown(draft.game, position, {caller.id}, sitting, None)
    if policy.stake(draft.game, options, spec.mode) and sitting - {caller.id}:
        raise BadParameter("Where gold is at stake, players take their seats themselves.", path="/seats")
    alone = set(holders) == set(seats) and bots.of_people(holders.values()) <= {caller.id}
    of_house = [seat for seat in seats if seat in holders and holders[seat].id in bots.HOUSE]
    secrets = {seat: invitation(secret_of(seat)) for seat in invited}
    created = MatchCreated(
        game=draft.game.name,
        rules_version=draft.game.rules_version,
        seats=list(seats),
        creator=caller,
        seed_commitment=draft.new_seed(),
        options=options,
        position=position,
        mode=spec.mode,
        consent=spec.consent,
        move_seconds=move_seconds,
        visibility=spec.visibility,
        seating=spec.seating,
        holders={seat: holders[seat] for seat in seats if seat in holders},
        invitations={seat: invitation_hash(secret) for seat, secret in secrets.items()},
        prepared=list(seats) if alone else of_house,
        setup_seconds=policy.setup_seconds(spec.mode, spec.setup_seconds),
        open_record=spec.open_record,
        bots={seat: draft.new_seed() for seat in of_house},
    )
    draft.write(created)
    if alone:
        start(draft, caller)
    return secrets


def _seated(
    wanted: Mapping[str, str], seats: Sequence[str], caller: Player, players: Mapping[str, Player]
) -> tuple[dict[str, Player], list[str]]:
    """Who sits where, and the seats that need an invitation. `wanted`: CreateMatch.seats."""
    holders: dict[str, Player] = {}
    invited: list[str] = []
    for seat, who in wanted.items():
        if seat not in seats:
            raise UnknownSeat(
                f"This match has no seat {named(seat)}.",
                path=pointer("seats", seat),
                extra={"allowed": [*seats]},
            )
        if who == "me":
            holders[seat] = caller
        elif who == "invite":
            invited.append(seat)
        elif bots.is_wanted(who):
            holders[seat] = bots.wanted(who, path=pointer("seats", seat))
        elif who != "open":
            if who not in players:
                raise UnknownPlayer(f"There is no player {named(who)}.", path=pointer("seats", seat))
            holders[seat] = players[who]
    return holders, invited


def begin_paired(draft: Draft, wanted: Wanted, players: Sequence[Player]) -> None:
    """A match of players who were paired, the longest-waiting first: seats by lot, and it starts at once.

    The lot is the match's id, so that everybody who makes this match deals the same."""
    options, creator = merged(draft.game, {}, wanted.options), players[0]
    seats = check_beginning(draft.game, options, None, wanted.mode, None)
    hands = policy.hands(draft.game, options, seats)
    dealt = sorted(players, key=lambda one: hashlib.sha256(f"{draft.match_id} {one.id}".encode()).digest())
    held = {seat: player for hand, player in zip(hands, dealt, strict=True) for seat in hand}
    created = MatchCreated(
        game=draft.game.name,
        rules_version=draft.game.rules_version,
        seats=list(seats),
        creator=creator,
        seed_commitment=draft.new_seed(),
        options=options,
        mode=wanted.mode,
        move_seconds=0 if isinstance(wanted.move_seconds, UnsetType) else wanted.move_seconds,
        holders={seat: held[seat] for seat in seats},
        prepared=list(seats),
        setup_seconds=policy.setup_seconds(wanted.mode, wanted.setup_seconds),
    )
    draft.write(created)
    start(draft, creator)


def check_import(record: Record, raw: Mapping[str, object]) -> None:
    """A record that says more than actions and draws must be right in that, too. Raises Refused (bad_record),
    BodyTooLarge."""
    if len(record.events) > RECORD_EVENTS_MAX:
        raise BodyTooLarge(f"A record has at most {RECORD_EVENTS_MAX} events.")
    if record.log and all(entry.type != "match_started" for entry in record.log):
        raise bad_record(record.setup.version, "This match never started.")
    if record.seeds is not None or record.log is not None:
        verdict = verify_record(raw)
        if verdict.status == "failed":
            raise bad_record(verdict.version or 0, verdict.detail)


def begin_import(draft: Draft, record: Record, caller: Player, visibility: str) -> dict[int, int]:
    """The whole record as a casual match of the caller's; gives the record's version → the new one's."""
    if visibility not in ("public", "private"):
        raise BadParameter("`visibility` must be `public` or `private`.")
    try:
        seats = check_beginning(draft.game, record.options, record.position, "casual", None)
    except Refused as refused:
        refused.detail = f"Record version {record.setup.version}: {refused.detail}"
        refused.extra = {**refused.extra, "record_version": record.setup.version}
        raise
    if record.seats is not None and tuple(record.seats) != seats:
        raise bad_record(record.setup.version, f"The seats are {', '.join(seats)}.")
    created = MatchCreated(
        game=draft.game.name,
        rules_version=draft.game.rules_version,
        seats=list(seats),
        creator=caller,
        seed_commitment=draft.new_seed(),
        options=record.options,
        position=record.position,
        visibility="private" if visibility == "private" else "public",
        holders=dict.fromkeys(seats, caller),
        prepared=list(seats),
        imported=record.match,
    )
    draft.write(created)
    versions = replay_record(draft, record, caller)
    result = draft.match.fold.result
    if record.result is not None and record.result != result:
        raise bad_record(max(versions), "The match that is replayed ends with another result.")
    return versions


def begin_rematch(draft: Draft, match: Match) -> None:
    """A match like that one, from its own beginning, with the same players, each in another's seat."""
    fold = match.fold
    options = dict(match.timeline.bases[0].options)
    alone = len(bots.of_people(fold.holders.values())) <= 1
    sides = policy.sides(draft.game, options, fold.position)
    holders = rotated(fold.seats, fold.holders, sides)
    of_house = [seat for seat in fold.seats if holders[seat].id in bots.HOUSE]
    created = MatchCreated(
        game=draft.game.name,
        rules_version=draft.game.rules_version,
        seats=list(fold.seats),
        creator=fold.creator,
        seed_commitment=draft.new_seed(),
        options=options,
        position=fold.position,
        mode=fold.mode,
        consent=fold.consent,
        move_seconds=fold.move_seconds,
        visibility=fold.visibility,
        seating=fold.seating,
        holders=holders,
        prepared=list(fold.seats) if alone else of_house,
        rematch_of=fold.match,
        setup_seconds=fold.setup_seconds,
        open_record=fold.open_record,
        bots={seat: draft.new_seed() for seat in of_house},
    )
    draft.write(created)
    if alone:
        start(draft, fold.creator)


def invitation(secret: bytes) -> str:
    return "wli_" + base64.b32encode(secret).decode().lower()
