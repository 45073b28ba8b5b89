"""A match from its creation to its end: seats, preparing, proposals, and who may do what."""

from __future__ import annotations

import random
from collections.abc import AsyncIterator

import msgspec
import pytest
import pytest_asyncio

from tests.events.table import ADA, ALL, BATTLE, BOB, EVE, HIDDEN, SPECTATOR, Table, choice, table_at
from tests.servers import AnyRedis
from warlog_events import errors
from warlog_events.match import policy
from warlog_events.match.commands import (
    Abort,
    Accept,
    Act,
    Competitive,
    CreateMatch,
    Edit,
    Join,
    LeaveSeat,
    Options,
    Prepare,
    Propose,
    Reject,
    Rematch,
    TakeSeat,
    Undo,
    Wanted,
)
from warlog_events.match.fold import created, evolve
from warlog_events.match.match import Match
from warlog_events.match.model import STRANGER, MatchCreated, OptionsChanged, Player, Reader
from warlog_events.match.proposals import Beginning
from warlog_events.match.seating import rotated
from warlog_events.match.stored import StoredEvent
from warlog_events.redis.idempotency import Key

RESIGN: dict[str, object] = {"type": "resign"}


@pytest_asyncio.fixture
async def table(redis_server: AnyRedis) -> AsyncIterator[Table]:
    async with table_at(redis_server.url) as table:
        yield table


# ---- creation and seats


async def test_a_hot_seat_match_has_started_at_version_2(table: Table) -> None:
    match = await table.hot_seat()
    assert (match.status, match.version) == ("playing", 2)
    assert [event["type"] for event in await table.events(match)] == ["match_created", "match_started"]


async def test_a_match_starts_when_every_seat_is_held_and_prepared(table: Table) -> None:
    made = await table.matches.new.create(CreateMatch("hex", BATTLE, {"red": "me", "blue": "open"}), ADA)
    match = made.match
    assert (match.status, match.version, made.invitations) == ("lobby", 1, {})
    await table.do(match, Prepare("red"), ADA)
    with pytest.raises(errors.WrongStatus):
        await table.do(match, Prepare("red"), ADA)
    match = (await table.do(match, TakeSeat("blue"), BOB)).match
    assert match.status == "lobby"
    done = await table.do(match, Prepare("blue"), BOB)
    assert (done.match.status, done.version) == ("playing", 4)
    event = done.event(SPECTATOR)
    assert event["type"] == "match_started"
    assert event["draws"]


async def test_acting_before_the_start_or_from_a_foreign_seat_is_refused(table: Table) -> None:
    match = (await table.matches.new.create(CreateMatch("hex", BATTLE, {"red": "me"}), ADA)).match
    with pytest.raises(errors.WrongStatus):
        await table.do(match, Act("red", RESIGN), ADA)
    match = await table.duel()
    with pytest.raises(errors.NotYourSeat):
        await table.do(match, Act("red", RESIGN), BOB)
    with pytest.raises(errors.NotYourSeat):
        await table.do(match, Act("red", RESIGN), EVE)
    with pytest.raises(errors.UnknownSeat):
        await table.do(match, Act("green", RESIGN), ADA)


async def test_the_rule_book_decides_what_is_inside_an_action_and_an_ended_match_says_so_first(
    table: Table,
) -> None:
    match = await table.hot_seat()
    nonsense: list[object] = [
        [],
        7,
        None,
        {"type": "nonsense"},
        {"type": "timeout", "seat": "red"},
        {"type": "move"},
    ]
    for action in nonsense:
        with pytest.raises(errors.Refused) as refused:
            await table.do(match, Act("red", action))
        assert refused.value.code == "malformed_action"
    match = await table.finish(match)
    for action in [*nonsense, RESIGN]:
        with pytest.raises(errors.Refused) as refused:
            await table.do(match, Act("red", action))
        assert refused.value.code == "match_over"
    assert (await table.load(match)).version == match.version


async def test_a_seat_by_invitation_needs_exactly_its_invitation(table: Table) -> None:
    made = await table.matches.new.create(
        CreateMatch("hex", BATTLE, {"red": "me", "blue": "invite"}, visibility="private"), ADA
    )
    match, secret = made.match, made.invitations["blue"]
    for wrong in ("", "wli_wrong", secret[:-1]):
        for expected in (None, match.version, 99):
            with pytest.raises(errors.UnknownMatch):  # a stranger does not even learn that the match exists
                await table.do(match, TakeSeat("blue", wrong), BOB, if_match=expected)
    with pytest.raises(errors.WrongInvitation):
        await table.do(match, TakeSeat("blue", "wli_wrong"), ADA)
    taken = await table.do(match, TakeSeat("blue", secret), BOB)
    assert taken.match.holders["blue"] == BOB
    with pytest.raises(errors.UnknownMatch):  # it is spent
        await table.do(match, TakeSeat("blue", secret), EVE)
    stored = b"".join(event.body for event in await table.store.events(match.id))
    assert secret.encode() not in stored


async def test_a_private_match_does_not_exist_for_strangers(table: Table) -> None:
    match = await table.hot_seat(visibility="private")
    for stranger in (None, EVE.id):
        with pytest.raises(errors.UnknownMatch):
            await table.matches.admission.load(match.id, stranger)
    with pytest.raises(errors.UnknownMatch):
        await table.do(match, Act("red", RESIGN), EVE)
    for unknown in ("m_000_aaaaaaaaaaaaaaaa", "m_999_aaaaaaaaaaaaaaaa", "nonsense", ""):
        with pytest.raises(errors.UnknownMatch):
            await table.matches.admission.load(unknown, ADA.id)


async def test_leaving_a_seat_unprepares_it_and_is_for_the_lobby_alone(table: Table) -> None:
    match = (await table.matches.new.create(CreateMatch("hex", BATTLE, {"red": "me"}), ADA)).match
    await table.do(match, Prepare("red"), ADA)
    match = (await table.do(match, LeaveSeat("red"), ADA)).match
    assert match.holders == {}
    match = (await table.do(match, TakeSeat("red"), BOB)).match
    assert match.summary(SPECTATOR)["seats"] == [
        {"seat": "red", "player": {"id": BOB.id, "name": "bob"}, "prepared": False},
        {"seat": "blue", "player": None, "prepared": False},
    ]
    match = await table.hot_seat()
    with pytest.raises(errors.WrongStatus):
        await table.do(match, LeaveSeat("red"), ADA)


async def test_wishes_are_granted_and_contested_ones_drawn_for(table: Table) -> None:
    players = [Player(f"pl_{name}", name) for name in ("one", "two", "three", "four")]
    spec = CreateMatch("hex", {"seats": 4, "army": "preset"}, seating="wish")
    match = (await table.matches.new.create(spec, ADA)).match
    with pytest.raises(errors.WrongStatus):
        await table.do(match, TakeSeat("red"), BOB)
    with pytest.raises(errors.UnknownSeat):
        await table.do(match, Join("purple"), players[0])
    *first, done = [
        await table.do(match, Join(wish), player)
        for player, wish in zip(players, ("green", "green", None, "red"), strict=True)
    ]
    assert [one.match.holders for one in first] == [{}, {}, {}]
    event = done.event(SPECTATOR)
    assert event["type"] == "seats_assigned"
    draws = event["draws"]
    assert isinstance(draws, list)
    (draw,) = draws
    by_name = {seat: player.name for seat, player in done.match.holders.items()}
    winner, loser = (("one", "two"), ("two", "one"))[draw]
    # red was wished by one alone; the others get blue and yellow in order of joining.
    rest = [name for name in ("one", "two", "three") if name != winner]
    assert by_name == {"red": "four", "green": winner, "blue": rest[0], "yellow": rest[1]}
    assert loser in rest
    with pytest.raises(errors.SeatIsTaken):
        await table.do(match, Join(), EVE)


# ---- consent


async def test_an_undo_needs_the_other_player(table: Table) -> None:
    match = await table.play(await table.duel(), 3, random.Random(1))
    version = match.version
    done = await table.do(match, Propose(Undo(version - 2)), ADA)
    proposal = done.version
    shown = done.match.summary(SPECTATOR)["proposal"]
    assert shown == {
        "version": proposal,
        "player": {"id": ADA.id, "name": "ada"},
        "kind": "undo",
        "to": version - 2,
        "accepted": [],
        "waiting_for": [BOB.id],
    }
    with pytest.raises(errors.NotYourSeat):
        await table.do(match, Accept(proposal), EVE)
    with pytest.raises(errors.WrongStatus):
        await table.do(match, Accept(proposal), ADA)
    with pytest.raises(errors.ProposalChanged):
        await table.do(match, Accept(proposal - 1), BOB)
    done = await table.do(match, Accept(proposal), BOB)
    assert done.event(SPECTATOR)["type"] == "time_travelled"
    with pytest.raises(errors.NoProposal):
        await table.do(match, Accept(proposal), BOB)


async def test_a_rejected_proposal_is_gone_and_changes_nothing(table: Table) -> None:
    match = await table.play(await table.duel(), 3, random.Random(1))
    for rejecting in (ADA, BOB):
        done = await table.do(match, Propose(Undo(5)), ADA)
        after = (await table.do(match, Reject(done.version), rejecting)).match
        assert after.fold.proposal is None
        assert after.state is not None
        assert match.state is not None
        assert after.state.data == match.state.data


async def test_an_action_or_another_proposal_replaces_the_open_one(table: Table) -> None:
    rng = random.Random(2)
    match = await table.play(await table.duel(), 3, rng)
    first = (await table.do(match, Propose(Undo(5)), ADA)).version
    second = (await table.do(match, Propose(Undo(4)), BOB)).version
    with pytest.raises(errors.ProposalChanged):
        await table.do(match, Accept(first), BOB)
    match = await table.play((await table.load(match)), 1, rng)
    with pytest.raises(errors.NoProposal):
        await table.do(match, Accept(second), ADA)


async def test_with_four_players_everybody_must_agree_once(table: Table) -> None:
    players = [ADA, BOB, EVE, Player("pl_dan", "dan")]
    seats = dict(zip(("red", "blue", "green", "yellow"), (p.id for p in players), strict=True))
    spec = CreateMatch("hex", {"seats": 4, "army": "preset"}, {**seats, "red": "me"})
    match = (await table.matches.new.create(spec, ADA, players={p.id: p for p in players})).match
    *_, done = [
        await table.do(match, Prepare(seat), player) for seat, player in zip(seats, players, strict=True)
    ]
    assert done.match.status == "playing"
    proposal = (await table.do(match, Propose(Undo(done.version)), BOB)).version
    kinds = []
    for player in (ADA, EVE, players[3]):
        done = await table.do(match, Accept(proposal), player)
        kinds.append(done.event(SPECTATOR)["type"])
        if player is not players[3]:
            with pytest.raises(errors.WrongStatus):
                await table.do(match, Accept(proposal), player)
    assert kinds == ["proposal_accepted", "proposal_accepted", "time_travelled"]


async def test_without_consent_undo_options_and_edit_happen_at_once_but_not_the_rest(table: Table) -> None:
    match = await table.duel(consent="none")
    match = await table.play(match, 2, random.Random(3))
    assert (await table.do(match, Propose(Undo(4)), BOB)).event(SPECTATOR)["type"] == "time_travelled"
    position = match.state.position(plain=True) if match.state else {}
    assert (await table.do(match, Propose(Edit(position)), BOB)).event(SPECTATOR)["type"] == "position_edited"
    match = await table.finish(await table.load(match))
    assert (await table.do(match, Propose(Rematch()), BOB)).event(SPECTATOR)["type"] == "proposal_made"


def test_an_option_change_that_0_1_stored_leaves_the_prepared_seats_as_it_did() -> None:
    fold = created(
        "m_000_x",
        StoredEvent(1, "match_created", "", ADA.id, 0, b"{}", None, "", ""),
        MatchCreated("hex", 1, ["red", "blue"], ADA, "", prepared=["red", "blue"]),
    )
    stored = StoredEvent(2, "options_changed", "", ADA.id, 1, b"{}", None, "", "")
    for prepared, left in ((None, ("red", "blue")), (["red"], ("red",)), ([], ())):
        body = OptionsChanged({"width": 9}, ["red", "blue"], ADA, prepared=prepared)
        assert evolve(fold, stored, body, options={}, seed="").prepared == left
    old = msgspec.json.decode(
        b'{"options":{},"seats":["red","blue"],"player":{"id":"a","name":"b"}}', type=OptionsChanged
    )
    assert old.prepared is None


async def test_a_second_proposal_names_the_one_that_it_replaces(table: Table) -> None:
    match = await table.duel()
    start = match.started_at_version
    first = await table.do(match, Propose(Undo(start)), ADA)
    assert "replaces" not in first.event(SPECTATOR)
    second = await table.do(match, Propose(Undo(start)), BOB)
    assert second.event(SPECTATOR)["replaces"] == first.version
    events = await table.matches.past.events(await table.load(match), STRANGER)
    assert [event.get("replaces") for event in events if event["type"] == "proposal_made"] == [
        None,
        first.version,
    ]
    await table.do(match, Reject(second.version), ADA)
    assert "replaces" not in (await table.do(match, Propose(Undo(start)), ADA)).event(SPECTATOR)


async def test_options_that_change_the_seats_empty_those_that_vanish_and_unprepare_everybody(
    table: Table,
) -> None:
    seats = {"red": "me", "blue": BOB.id, "green": EVE.id, "yellow": "open"}
    spec = CreateMatch("hex", {"seats": 4, "army": "preset"}, seats)
    match = (await table.matches.new.create(spec, ADA, players={BOB.id: BOB, EVE.id: EVE})).match
    await table.do(match, Prepare("red"), ADA)
    await table.do(match, Prepare("blue"), BOB)
    done = await table.do(match, Propose(Options(options={"round_limit": 9})), ADA)
    await table.do(match, Accept(done.version), BOB)
    match = (await table.do(match, Accept(done.version), EVE)).match
    assert match.fold.prepared == ("red",)  # the seats are the same, but only the proposer is still content
    assert (await table.matches.newest(match.id)).fold.prepared == ("red",)
    await table.do(match, Prepare("blue"), BOB)
    done = await table.do(match, Propose(Options(options={"seats": 2, "round_limit": None})), BOB)
    await table.do(match, Accept(done.version), ADA)
    match = (await table.do(match, Accept(done.version), EVE)).match
    assert match.seats == ("red", "blue")
    assert set(match.holders) == {"red", "blue"}
    assert match.fold.prepared == ()
    assert match.fold.options == {"seats": 2, "army": "preset"}


async def test_bad_options_and_positions_are_refused_with_the_books_code_when_proposed(table: Table) -> None:
    match = (await table.matches.new.create(CreateMatch("hex", BATTLE, {"red": "me"}), ADA)).match
    cases: list[tuple[Options, str]] = [
        (Options(options={"width": 3}), "invalid_options"),
        (Options(options={"roster": [], "army": "recruit"}), "bad_roster"),
        (Options(position={"phase": "nowhere"}), "position_bad_phase"),
    ]
    for proposal, code in cases:
        with pytest.raises(errors.Refused) as refused:
            await table.do(match, Propose(proposal), ADA)
        assert refused.value.code == code
    with pytest.raises(errors.Refused):
        await table.matches.new.create(CreateMatch("hex", {"width": 3}), ADA)
    with pytest.raises(errors.UnknownGame):
        await table.matches.new.create(CreateMatch("chess"), ADA)
    with pytest.raises(errors.UnknownSeat):
        await table.matches.new.create(CreateMatch("hex", {}, {"green": "me"}), ADA)
    with pytest.raises(errors.UnknownPlayer):
        await table.matches.new.create(CreateMatch("hex", {}, {"red": "pl_nobody"}), ADA)


async def test_a_position_agreed_in_the_lobby_is_where_the_match_starts(table: Table) -> None:
    other = await table.play(await table.hot_seat(), 9, random.Random(4))
    assert other.state is not None
    position = other.state.position(plain=True)
    match = (await table.matches.new.create(CreateMatch("hex", BATTLE, {"red": "me"}), ADA)).match
    match = (await table.do(match, Propose(Options(position=position)), ADA)).match
    await table.do(match, TakeSeat("blue"), ADA)
    await table.do(match, Prepare("red"), ADA)
    match = (await table.do(match, Prepare("blue"), ADA)).match
    assert match.state is not None
    assert match.state.position(plain=True) == position


async def test_a_lobby_may_be_aborted_with_consent_and_a_running_match_may_not(table: Table) -> None:
    match = (await table.matches.new.create(CreateMatch("hex", BATTLE, {"red": "me"}), ADA)).match
    await table.do(match, TakeSeat("blue"), BOB)
    done = await table.do(match, Propose(Abort()), ADA)
    match = (await table.do(match, Accept(done.version), BOB)).match
    assert match.status == "aborted"
    for command in (Prepare("red"), Propose(Abort()), Propose(Competitive()), Propose(Rematch())):
        with pytest.raises(errors.WrongStatus):
            await table.do(match, command, ADA)
    with pytest.raises(errors.WrongStatus):
        await table.do(await table.hot_seat(), Propose(Abort()), ADA)


async def test_a_rematch_has_the_same_players_settings_and_beginning(table: Table) -> None:
    match = await table.duel(move_seconds=600)
    with pytest.raises(errors.WrongStatus):
        await table.do(match, Propose(Rematch()), ADA)
    match = await table.finish(match)
    done = await table.do(match, Propose(Rematch()), ADA)
    done = await table.do(match, Accept(done.version), BOB)
    again = await table.matches.admission.load(str(done.event(SPECTATOR)["match"]), None)
    assert (again.status, again.fold.options) == ("lobby", match.fold.options)
    assert again.holders == {"red": BOB, "blue": ADA}
    assert again.move_seconds == 600
    assert again.fold.rematch_of == match.id
    with pytest.raises(errors.WrongStatus):
        await table.do(match, Propose(Rematch()), ADA)
    await table.do(again, Prepare("red"), BOB)
    assert (await table.do(again, Prepare("blue"), ADA)).match.status == "playing"


async def test_a_rematch_is_made_though_the_clock_was_off(redis_server: AnyRedis) -> None:
    """Its first events kept the wrong time, and were refused again and again."""
    async with table_at(redis_server.url) as table:
        match = await table.finish(await table.hot_seat())
        table.world.offset_ms += 60_000
        done = await table.do(match, Propose(Rematch()), ADA)
        assert done.match.fold.rematch is not None
        again = await table.matches.admission.load(done.match.fold.rematch, ADA.id)
        assert abs(again.fold.created_at - done.match.fold.updated_at) < 10_000


async def test_the_rematch_of_a_match_with_wishes_keeps_its_players_and_turns_their_seats(
    table: Table,
) -> None:
    match = (await table.matches.new.create(CreateMatch("wec", {}, seating="wish"), ADA)).match
    await table.do(match, Join("white"), ADA)
    match = (await table.do(match, Join("white"), BOB)).match
    for seat, player in match.holders.items():
        await table.do(match, Prepare(seat), player)
    loser = match.holders["black"]
    await table.do(match, Act("black", {"type": "resign"}), loser)
    proposal = await table.do(match, Propose(Rematch()), ADA)
    done = await table.do(match, Accept(proposal.version), BOB)
    again = await table.matches.admission.load(str(done.event(SPECTATOR)["match"]), None)
    assert again.seating == "wish"
    assert again.holders == {"black": match.holders["white"], "white": match.holders["black"]}
    await table.do(again, LeaveSeat("white"), again.holders["white"])
    again = (await table.do(again, Join(None), EVE)).match
    assert again.holders["white"] == EVE


@pytest.mark.parametrize(
    ("game", "options", "count"),
    [
        ("hex", {"army": "preset", "seats": 4, "teams": "pairs"}, 4),
        ("hex", {"army": "preset", "seats": 3}, 3),
        ("universal", {}, 5),
        ("universal", {"mode": "double", "pairing": "rows"}, 2),
    ],
)
async def test_a_rematch_of_any_number_of_players_turns_their_seats(
    table: Table, game: str, options: dict[str, object], count: int
) -> None:
    players = [Player(f"pl_{number}", f"player {number}") for number in range(count)]
    match = await table.matches.new.create_paired(table.store.new_match_id(), Wanted(game, options), players)
    sides = policy.sides(match.game, options, None)
    while not match.is_over:
        match = await table.act(match, match.to_act[0], {"type": "resign"})
    done = await table.do(match, Propose(Rematch()), players[0])
    version = done.version
    for player in players[1:]:
        done = await table.do(match, Accept(version), player)
    again = await table.matches.admission.load(str(done.event(SPECTATOR)["match"]), None)

    def partners(match: Match) -> set[frozenset[str]]:
        by_side: dict[int, set[str]] = {}
        for seat, holder in match.holders.items():
            by_side.setdefault(sides[seat], set()).add(holder.id)
        return {frozenset(ids) for ids in by_side.values()}

    assert partners(again) == partners(match)
    assert all(again.holders[seat] != holder for seat, holder in match.holders.items())
    if count == len(match.seats):
        turned = [match.holders[seat] for seat in (match.seats[-1], *match.seats[:-1])]
        assert [again.holders[seat] for seat in match.seats] == turned


@pytest.mark.parametrize(
    ("sides", "turned"),
    [
        ((0, 1), "ba"),
        ((0, 1, 2), "cab"),
        ((0, 1, 2, 3, 4), "eabcd"),
        ((0, 1, 0, 1), "dabc"),  # partners sit across
        ((0, 0, 1, 1), "cdab"),  # partners sit side by side
        ((0, 0, 1), "cab"),  # nothing keeps them together
    ],
)
def test_rotating_seats_changes_everybodys_and_keeps_partners_together(
    sides: tuple[int, ...], turned: str
) -> None:
    seats = [f"seat{number}" for number in range(len(sides))]
    holders = {seat: Player(name, name) for seat, name in zip(seats, "abcde", strict=False)}
    given = rotated(seats, holders, dict(zip(seats, sides, strict=True)))
    assert "".join(given[seat].name for seat in seats) == turned
    assert list(given) == seats


def test_who_holds_both_seats_of_a_side_gets_both_of_the_other() -> None:
    seats = ["a", "b", "c", "d"]
    for sides in ((0, 1, 0, 1), (0, 0, 1, 1), (0, 1, 1, 0)):
        by_side = dict(zip(seats, sides, strict=True))
        holders = {seat: (ADA, BOB)[side] for seat, side in by_side.items()}
        assert rotated(seats, holders, by_side) == {s: (BOB, ADA)[side] for s, side in by_side.items()}


# ---- competitive


async def test_a_competitive_match_knows_no_undo_no_edit_and_no_option_change(table: Table) -> None:
    match = await table.play(await table.duel(mode="competitive"), 4, random.Random(5))
    position = match.state.position(plain=True) if match.state else {}
    for proposal in (Undo(4), Edit(position), Options(options={"round_limit": 9})):
        with pytest.raises(errors.Competitive):
            await table.do(match, Propose(proposal), ADA)
    with pytest.raises(errors.WrongStatus):
        await table.do(match, Propose(Competitive()), ADA)
    assert match.spectator() == SPECTATOR  # a spectator of hex knows no more than every seat


async def test_in_a_competitive_match_a_player_holds_seats_of_one_side(table: Table) -> None:
    with pytest.raises(errors.Competitive):
        await table.hot_seat(mode="competitive")
    pairs: dict[str, object] = {"seats": 4, "teams": "pairs", "army": "preset"}
    spec = CreateMatch("hex", pairs, {"red": "me", "green": "me"}, mode="competitive")
    match = (await table.matches.new.create(spec, ADA)).match
    with pytest.raises(errors.Competitive):
        await table.do(match, TakeSeat("blue"), ADA)
    await table.do(match, TakeSeat("blue"), BOB)
    await table.do(match, TakeSeat("yellow"), BOB)
    with pytest.raises(errors.Competitive):  # without teams the same seats would be on two sides
        await table.do(match, Propose(Options(options={"teams": "none"})), ADA)


async def test_a_match_becomes_competitive_by_consent_and_before_the_start_only(table: Table) -> None:
    match = (await table.matches.new.create(CreateMatch("hex", BATTLE, {"red": "me"}), ADA)).match
    await table.do(match, TakeSeat("blue"), BOB)
    done = await table.do(match, Propose(Competitive()), BOB)
    assert done.match.mode == "casual"
    match = (await table.do(match, Accept(done.version), ADA)).match
    assert match.mode == "competitive"
    with pytest.raises(errors.WrongStatus):
        await table.do(await table.hot_seat(), Propose(Competitive()), ADA)


# ---- expected versions, retries


async def test_a_stale_expected_version_is_a_conflict_and_appends_nothing(table: Table) -> None:
    match = await table.play(await table.hot_seat(), 3, random.Random(6))
    seat, action = choice(match, random.Random(6))
    for stale in (match.version - 1, match.version + 1, 0):
        with pytest.raises(errors.VersionConflict) as conflict:
            await table.do(match, Act(seat, action), if_match=stale)
        assert conflict.value.version == match.version
    done = await table.do(match, Act(seat, action), if_match=match.version)
    assert done.version == match.version + 1


async def test_a_repeated_key_gets_the_first_answer_byte_for_byte_and_appends_nothing(table: Table) -> None:
    rng = random.Random(7)
    match = await table.duel()
    seat, action = choice(match, rng)
    player = match.holders[seat]
    key = Key("6f0c", "digest")
    first = await table.do(match, Act(seat, action), player, key=key, if_match=match.version)
    assert first.accepted is None
    answer = await table.answer(first, player)
    await table.play(first.match, 5, rng)
    head = (await table.load(match)).version
    # The command would now be refused: by the rules, and by the stale expected version.
    for expected in (None, match.version):
        again = await table.do(match, Act(seat, action), player, key=key, if_match=expected)
        assert again.accepted is not None
        assert await table.answer(again, player) == answer
    with pytest.raises(errors.IdempotencyKeyReused):
        await table.do(match, Act(seat, {"type": "resign"}), player, key=Key("6f0c", "another"))
    assert (await table.load(match)).version == head
    other = ADA if player == BOB else BOB  # a key belongs to a player and a match
    other_seat = "red" if seat == "blue" else "blue"
    done = await table.do(match, Act(other_seat, {"type": "resign"}), other, key=key)
    assert done.accepted is None


async def test_a_refused_command_is_not_remembered(table: Table) -> None:
    match = await table.hot_seat()
    key = Key("k", "d")
    with pytest.raises(errors.Refused):
        await table.do(match, Act("red", {"type": "nonsense"}), key=key)
    done = await table.do(match, Act(match.to_act[0], {"type": "resign"}), key=key)
    assert done.accepted is None


# ---- readers


async def test_a_reader_has_the_knowledge_of_the_seats_that_he_holds(table: Table) -> None:
    match = await table.duel(HIDDEN)
    assert match.reader(ADA.id) == Reader(("red",), ADA.id)
    assert match.reader(BOB.id, "blue") == Reader(("blue",), BOB.id)
    assert match.reader(EVE.id) == Reader((), EVE.id)
    with pytest.raises(errors.NotYourSeat):
        match.reader(ADA.id, "blue")
    with pytest.raises(errors.UnknownSeat):
        match.reader(ADA.id, "green")
    assert not match.may_see_all(ADA.id)
    alone = await table.hot_seat(HIDDEN)
    assert alone.may_see_all(ADA.id)
    assert alone.reader(ADA.id) == ALL


async def test_a_scenario_is_proposed_once_though_it_has_gone_when_the_command_is_repeated(
    redis_server: AnyRedis,
) -> None:
    saved = {"sc_1": Beginning("hex", HIDDEN, None)}

    async def scenario(scenario_id: str, player_id: str) -> Beginning:
        if scenario_id not in saved:
            raise errors.UnknownScenario("no such scenario")
        return saved[scenario_id]

    async with (
        table_at(redis_server.url, scenario=scenario) as one,
        table_at(redis_server.url, scenario=scenario) as two,
    ):
        spec = CreateMatch("hex", BATTLE, {"red": "me", "blue": "invite"}, visibility="private")
        made = await one.matches.new.create(spec, ADA)
        match, command, key = made.match, Propose(Options(scenario="sc_1")), Key("k", "d")
        await two.load(match)
        await one.do(match, TakeSeat("blue", made.invitations["blue"]), BOB)
        first = await two.do(
            match, command, BOB, key=key
        )  # who is a member, of which this process had not heard
        saved.clear()
        again = await one.do(match, command, BOB, key=key)
        assert await one.answer(again, BOB) == await two.answer(first, BOB)
        with pytest.raises(errors.IdempotencyKeyReused):
            await one.do(match, Propose(Options(scenario="sc_2")), BOB, key=Key("k", "another"))
        with pytest.raises(errors.UnknownScenario):
            await one.do(match, command, BOB)
