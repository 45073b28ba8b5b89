"""Finished matches move ratings: once, in the order of settlement, and to the same bytes after a rebuild."""

from __future__ import annotations

import asyncio
import json
import random
from typing import Any

import pytest

from tests.events.standing.desk import DUEL, Desk
from tests.events.table import ADA, BOB, DAN, EVE, Hands, make_accounts, table_at
from tests.load.standing import round_trips
from tests.servers import AnyRedis
from warlog_events.errors import Unavailable
from warlog_events.match.bots import house
from warlog_events.match.commands import CreateMatch, Prepare
from warlog_events.match.model import Player
from warlog_events.players import ledger
from warlog_events.reading.replayed import Run
from warlog_events.redis import keys
from warlog_events.redis.activity_reader import Passed
from warlog_events.standing.counting import Teller, count_match
from warlog_events.standing.ratings import ALGORITHM, DAY_MS, MU, SIGMA_MAX, Rating
from warlog_events.standing.standings import news_after
from warlog_events.workers import settler
from warlog_events.workers.settler import BATCH

POOL = ("hex", "duel")
PEOPLE = (ADA, BOB, EVE, DAN)


async def rating(desk: Desk, player: Player) -> Rating | None:
    return (await desk.standings.ratings(player.id)).get(POOL)


async def changes(desk: Desk, player: Player, *, own: bool = True) -> list[Any]:
    return (await desk.standings.history(player.id, *POOL, 0, 1000, own=own))[0]


async def news(desk: Desk) -> list[tuple[str, str, str]]:
    """What players are told: whom, of what type, and why a rating has not changed. Without achievements."""
    found = await news_after(desk.table.connection.pipe, "")
    return [(one.player, one.kind, one.unrated) for _, one in found if not one.key]


async def test_a_match_moves_the_ratings_of_both_and_stands_in_their_histories(own_redis: AnyRedis) -> None:
    async with table_at(own_redis.url) as table:
        desk = Desk(table)
        match = await desk.duel(random.Random(1))
        await desk.catch_up()
        winner, loser = (
            (ADA, BOB) if match.fold.result and match.fold.result.winners == ["red"] else (BOB, ADA)
        )
        won, lost = await rating(desk, winner), await rating(desk, loser)
        assert won is not None
        assert lost is not None
        assert won.mu > MU > lost.mu
        assert (won.matches, lost.matches) == (1, 1)
        (change,) = await changes(desk, winner)
        assert (change.match, change.at) == (match.id, match.fold.updated_at)
        assert (change.before.mu, change.before.sigma) == (MU, SIGMA_MAX)
        assert (change.after.mu, change.after.sigma) == (won.mu, won.sigma)
        assert await rating(desk, EVE) is None


async def test_what_is_no_fair_match_of_a_pool_moves_nothing(own_redis: AnyRedis) -> None:
    rng = random.Random(2)
    async with table_at(own_redis.url) as table:
        desk = Desk(table)
        await desk.duel(rng, mode="casual")
        await desk.duel(rng, actions=3)  # too short
        await desk.duel(rng, options={"army": "preset", "width": 9})  # of no pool
        await desk.catch_up()
        assert [await rating(desk, player) for player in PEOPLE] == [None] * 4
        logged = [entry async for entry in desk.standings.log(0, 1000)]
        assert sorted(entry.settled.unrated for entry in logged) == ["options", "short"]
        told = await news(desk)
        assert sorted(told) == [
            (one.id, "not_rated", why) for one in (ADA, BOB) for why in ("options", "short")
        ]


async def test_bots_stand_apart_their_ratings_alone_move(own_redis: AnyRedis) -> None:
    rng, bot = random.Random(3), Player("bt_program", "program")
    async with table_at(own_redis.url) as table:
        await make_accounts(table.connection, bot, house(5))
        desk = Desk(table)
        for _ in range(30):
            await desk.duel(rng, (ADA, bot))
        await desk.catch_up()
        assert await rating(desk, ADA) is None
        assert (ADA.id, "not_rated", "bots") in await news(desk)
        assert bot.id not in {player for player, kind, _ in await news(desk) if kind == "not_rated"}
        program = await rating(desk, bot)
        assert program is not None
        assert program.matches == 30
        assert not program.is_provisional
        assert await desk.standings.board(*POOL, None, 10) == ([], None)


async def test_the_same_two_move_ratings_so_many_times_a_day(own_redis: AnyRedis) -> None:
    """Two accounts of one owner: one gives up to the other all day long."""
    hands, rng = Hands("met"), random.Random(4)
    async with table_at(own_redis.url, world=hands.world) as table:
        desk = Desk(table, hands.world, matches_per_day=3)
        for _ in range(5):
            await desk.duel(rng)
        await desk.catch_up()
        assert len(await changes(desk, ADA)) == 3
        await desk.duel(rng, (ADA, EVE))
        await desk.catch_up()
        assert len(await changes(desk, ADA)) == 4
        hands.now_ms += DAY_MS
        await desk.duel(rng)
        await desk.catch_up()
        assert len(await changes(desk, ADA)) == 5
        met = await table.connection.redis.hgetall(keys.standing("met"))
        assert len(met) == 2  # the day and one pair: yesterday's are gone


async def test_accounts_that_flee_at_once_move_nothing_and_those_that_lose_move_less_and_less(
    own_redis: AnyRedis,
) -> None:
    """It bounds what is gained by throwaway accounts, and does not prevent it (docs/SECURITY.md)."""
    rng = random.Random(5)
    thrown = [Player(f"pl_thrown{number}", f"thrown {number}") for number in range(12)]
    async with table_at(own_redis.url) as table:
        await make_accounts(table.connection, *thrown)
        desk = Desk(table, matches_per_day=2)
        for player in thrown:
            await desk.duel(rng, (ADA, player), actions=1)
        await desk.catch_up()
        assert await rating(desk, ADA) is None
        for player in thrown:
            for _ in range(3):
                await lost_by(desk, player, rng)
        await desk.catch_up()
        gains = [change.after.mu - change.before.mu for change in await changes(desk, ADA)]
        assert len(gains) == 24  # two of three
        assert gains[-1] < gains[0] / 3


async def lost_by(desk: Desk, loser: Player, rng: random.Random) -> None:
    """`loser` plays as long as he must, and gives up to ada."""
    spec = CreateMatch("hex", DUEL, {"red": "me", "blue": loser.id}, mode="competitive")
    match = (await desk.table.matches.new.create(spec, ADA, players={loser.id: loser})).match
    match = (await desk.table.do(match, Prepare("red"), ADA)).match
    match = await desk.table.play((await desk.table.do(match, Prepare("blue"), loser)).match, 14, rng)
    while not match.is_over:
        match = (
            await desk.table.act(match, "blue", {"type": "resign"})
            if match.to_act == ["blue"]
            else await desk.table.play(match, 1, rng)
        )


async def test_the_table_has_who_is_not_provisional_and_who_is_away_long_enough_leaves_it(
    own_redis: AnyRedis,
) -> None:
    hands, rng = Hands("board"), random.Random(6)
    async with table_at(own_redis.url, world=hands.world) as table:
        desk = Desk(table, hands.world)
        for number in range(40):
            await desk.duel(rng, (ADA, BOB) if number % 3 else (EVE, ADA))
        await desk.duel(rng, (DAN, EVE))
        await desk.catch_up()
        places, after = await desk.standings.board(*POOL, None, 100)
        assert after is None
        assert [place.place for place in places] == [*range(1, len(places) + 1)]
        assert {place.player for place in places} == {ADA.id, BOB.id, EVE.id}
        below = [place.rating.mu - 3 * place.rating.sigma for place in places]
        assert below == sorted(below, reverse=True)
        own = await desk.standings.place(places[1].player, *POOL)
        assert own == places[1]
        provisional = await desk.standings.place(DAN.id, *POOL)
        assert provisional is not None
        assert provisional.place is None
        # Page by page it is the same.
        first, after = await desk.standings.board(*POOL, None, 2)
        rest, end = await desk.standings.board(*POOL, after, 2)
        assert ([*first, *rest], end) == (places, None)
        hands.now_ms = 1 + max(place.rating.provisional_at for place in places)
        await Desk(table, hands.world).settler.step()
        assert await desk.standings.board(*POOL, None, 100) == ([], None)


async def test_of_a_private_match_the_history_tells_strangers_no_id(own_redis: AnyRedis) -> None:
    async with table_at(own_redis.url) as table:
        desk = Desk(table)
        match = await desk.duel(random.Random(7), visibility="private")
        await desk.catch_up()
        assert [change.match for change in await changes(desk, ADA)] == [match.id]
        assert [change.match for change in await changes(desk, ADA, own=False)] == [None]


async def test_a_rebuild_makes_the_same_bytes_also_where_the_worker_died_in_it(own_redis: AnyRedis) -> None:
    hands, rng = Hands("rebuild"), random.Random(8)
    async with table_at(own_redis.url, world=hands.world) as table:
        desk = Desk(table, hands.world, matches_per_day=4)
        for number in range(30):
            hands.now_ms += rng.randrange(DAY_MS // 4)
            one, other = rng.sample(PEOPLE, 2)
            await desk.duel(rng, (one, other), actions=rng.choice((5, 20)))
            if number % 7 == 0:
                await desk.catch_up()
        await desk.catch_up()
        before = await desk.everything()
        assert len(before) > 8
        await table.forget()
        assert await desk.settler.rebuild() == 30
        assert await desk.everything() == before
        # With another number of matches a day, and by somebody who dies again and again.
        await desk.standings.reset()
        for _ in range(40):
            worker = asyncio.create_task(Desk(table, hands.world, matches_per_day=1).settler.step())
            await asyncio.sleep(rng.uniform(0, 0.02))
            worker.cancel()
            await asyncio.gather(worker, return_exceptions=True)
        await desk.catch_up()
        assert await desk.everything() == before


@pytest.mark.parametrize("count", [60, pytest.param(5_000, marks=pytest.mark.soak)])
async def test_three_workers_that_die_again_and_again_settle_as_a_rebuild_does(
    own_redis: AnyRedis, count: int, seed: int
) -> None:
    rng = random.Random(seed)
    async with (
        table_at(own_redis.url) as table,
        table_at(own_redis.url) as second,
        table_at(own_redis.url) as third,
    ):
        desk = Desk(table, matches_per_day=20)
        desks = [desk, Desk(second, matches_per_day=20), Desk(third, matches_per_day=20)]
        people = [Player(f"pl_{number}", f"player {number}") for number in range(12)]
        await make_accounts(table.connection, *people)
        died = 0
        for _ in range(count):
            one, other = rng.sample(people, 2)
            await desk.duel(rng, (one, other), actions=rng.choice((5, 16)))
            if rng.random() < 0.8:
                continue
            await desk.bookkeeper.catch_up()
            workers = [asyncio.create_task(each.settler.step()) for each in desks]
            await asyncio.sleep(rng.uniform(0, 0.01))
            died += sum([worker.cancel() for worker in workers if rng.random() < 0.7])
            for ended in await asyncio.gather(*workers, return_exceptions=True):
                assert isinstance(ended, Passed | asyncio.CancelledError), ended
        print(f"{died} workers died")
        assert died > count // 20
        await desk.catch_up()
        before = await desk.everything()
        assert len(before["log"]) == count
        await table.forget()
        assert await desk.settler.rebuild() == count
        assert await desk.everything() == before


async def test_who_begins_anew_reads_the_journal_to_its_end_and_no_further(
    own_redis: AnyRedis, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Page after page: also where all of it is settled, and the last page is full or has only a few entries."""
    for module in (ledger, settler):
        monkeypatch.setattr(module, "JOURNAL_PAGE", 4)
    rng = random.Random(13)
    async with table_at(own_redis.url) as table:
        desk = Desk(table)
        for _ in range(7):
            await desk.duel(rng)
        await desk.bookkeeper.catch_up()
        for _ in range(2):  # nothing is settled; all is
            async with asyncio.timeout(20):
                await Desk(table).settler.catch_up()
            assert len(await changes(desk, ADA)) == 7
        await desk.duel(rng)
        await desk.bookkeeper.catch_up()
        async with asyncio.timeout(20):
            await Desk(table).settler.catch_up()
        assert len(await changes(desk, ADA)) == 8
        assert await desk.ledger.journal_end() == (await desk.standings.folded())[0]


async def test_a_rebuild_without_the_archive_of_a_match_leaves_all_as_it_is(own_redis: AnyRedis) -> None:
    rng = random.Random(12)
    async with table_at(own_redis.url) as table:
        desk = Desk(table)
        matches = [await desk.duel(rng) for _ in range(3)]
        await desk.catch_up()
        before = await desk.everything()
        buried = matches[1]
        assert await table.store.bury(buried.id, buried.version, buried.chain, "somewhere")
        await table.forget()
        with pytest.raises(Unavailable, match=rf"{buried.id}.*--archive"):
            await desk.settler.rebuild()
        assert await desk.everything() == before


async def test_who_leaves_for_good_stands_nowhere_also_after_a_rebuild(own_redis: AnyRedis) -> None:
    rng = random.Random(11)
    async with table_at(own_redis.url) as table:
        desk = Desk(table)
        for _ in range(26):
            await desk.duel(rng)
        await desk.catch_up()
        assert len((await desk.standings.board(*POOL, None, 10))[0]) == 2
        await desk.standings.forget(BOB.id)
        for _ in range(2):
            (place,) = (await desk.standings.board(*POOL, None, 10))[0]
            assert place.player == ADA.id
            assert len(await changes(desk, ADA)) == 26
            assert await rating(desk, BOB) is None
            assert await changes(desk, BOB) == []
            before = await desk.everything()
            await desk.settler.rebuild()
            assert await desk.everything() == before


async def test_two_who_settle_at_once_settle_each_match_once(own_redis: AnyRedis) -> None:
    rng = random.Random(9)
    async with table_at(own_redis.url) as table, table_at(own_redis.url) as other:
        desks = [Desk(table), Desk(other), Desk(other)]
        for _ in range(12):
            await desks[0].duel(rng)
        await desks[0].bookkeeper.catch_up()
        await asyncio.gather(*[desk.settler.catch_up() for desk in desks])
        assert len(await changes(desks[0], ADA)) == 12
        numbers = [entry.number async for entry in desks[0].standings.log(0, 10_000)]
        assert len(numbers) == len(set(numbers)) == 12


async def test_a_match_whose_record_no_longer_verifies_counts_nowhere_and_the_log_says_so(
    own_redis: AnyRedis, caplog: pytest.LogCaptureFixture
) -> None:
    rng = random.Random(10)
    async with table_at(own_redis.url) as table:
        desk = Desk(table)
        matches = [await desk.duel(rng) for _ in range(3)]
        await desk.bookkeeper.catch_up()
        first, damaged, last = matches
        await damage(table.connection.redis, damaged.id)
        await desk.settler.catch_up()
        assert [change.match for change in await changes(desk, ADA)] == [first.id, last.id]
        assert f"{damaged.id}: its record does not verify, so it counts nowhere" in caplog.text
        # And one that did when it was settled: those after it are rated as if it had not been.
        await damage(table.connection.redis, first.id)
        await table.forget()
        await desk.settler.rebuild()
        (change,) = await changes(desk, ADA)
        assert change.match == last.id
        assert (change.before.mu, change.before.sigma) == (MU, SIGMA_MAX)


async def test_what_fails_to_be_counted_counts_nowhere_and_those_after_it_are_settled(
    own_redis: AnyRedis, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One game's tally raises in the midst of a match, then what counts the match for its players does."""
    rng = random.Random(12)
    async with table_at(own_redis.url) as table:
        desk = Desk(table)
        matches = [await desk.duel(rng) for _ in range(5)]
        await desk.bookkeeper.catch_up()
        _, tallied, _, counted, _ = [match.id for match in matches]
        take = Teller.take

        def bad_take(self: Teller, run: Run) -> None:
            if self._match.id == tallied and run.steps:
                raise ZeroDivisionError("a bug")
            take(self, run)

        asked: list[Any] = []

        def bad_count(*given: Any) -> Any:
            found = count_match(*given)  # what it was given has changed when it fails
            asked.append(given)
            if len(asked) == 3:  # the fourth match, since the second has not come so far
                raise KeyError("another bug")
            return found

        monkeypatch.setattr(Teller, "take", bad_take)
        monkeypatch.setattr("warlog_events.standing.standings.count_match", bad_count)
        await desk.settler.catch_up()
        assert [change.match for change in await changes(desk, ADA)] == [
            match.id for match in matches if match.id not in (tallied, counted)
        ]
        games, _ = await desk.standings.own_statistics(ADA.id)
        assert games["hex"].matches == 3
        unrated = {entry.match: entry.settled.unrated async for entry in desk.standings.log(0, 100)}
        assert [unrated[match.id] for match in matches] == ["", "failed", "", "failed", ""]
        for match_id in (tallied, counted):
            assert f"{match_id}: it cannot be counted, so it counts nowhere" in caplog.text
        # A rebuild leaves out the same ones, also by a build without the bug.
        before = await desk.everything()
        await table.forget()
        await desk.settler.rebuild()
        monkeypatch.undo()
        await desk.settler.rebuild()
        assert await desk.everything() == before


async def test_matches_found_in_one_pass_are_settled_in_the_order_in_which_they_ended(
    own_redis: AnyRedis,
) -> None:
    """Also where nothing is known any more of what was settled before."""
    hands, rng = Hands("order"), random.Random(13)
    async with table_at(own_redis.url, world=hands.world) as table:
        desk, matches = Desk(table, hands.world), []
        for _ in range(9):
            hands.now_ms += 1000
            matches.append(await desk.duel(rng, actions=12))
        await desk.catch_up()
        order = [match.id for match in matches]
        assert [entry.match async for entry in desk.standings.log(0, 100)] == order
        before = await changes(desk, ADA)
        redis = table.connection.redis
        for prefix in (keys.standing(""), keys.ledger("")):
            await redis.delete(*[name async for name in redis.scan_iter(match=f"{prefix}*")])
        again = Desk(table, hands.world)
        assert await again.bookkeeper.rescan() == 9
        await again.settler.catch_up()
        assert [entry.match async for entry in again.standings.log(0, 100)] == order
        assert await changes(again, ADA) == before


async def test_a_match_takes_four_round_trips_and_many_at_once_no_more(own_redis: AnyRedis) -> None:
    rng = random.Random(14)
    async with table_at(own_redis.url) as table:
        desk = Desk(table)
        await desk.duel(rng)
        await desk.catch_up()  # Redis knows the scripts, and nobody is due to leave a leaderboard
        for count in (1, BATCH):
            for _ in range(count):
                await desk.duel(rng)
            await desk.bookkeeper.catch_up()
            with round_trips(table.connection.pipe) as trips:
                await desk.settler.step()
            assert trips.count <= 4
            assert len(await changes(desk, ADA)) == 1 + count + (count > 1)
        # A process that has none of them in memory reads them all at once.
        async with table_at(own_redis.url) as other:
            for _ in range(BATCH):
                await desk.duel(rng)
            await desk.bookkeeper.catch_up()
            with round_trips(other.connection.pipe) as trips:
                await Desk(other).settler.step()
            assert trips.count < BATCH


async def test_the_log_says_by_which_algorithm_ratings_were_changed(own_redis: AnyRedis) -> None:
    async with table_at(own_redis.url) as table:
        desk = Desk(table)
        await desk.duel(random.Random(15))
        await desk.catch_up()
        entries: Any = await table.connection.redis.xrange(keys.standing("log"))
        assert [json.loads(fields[b"body"])["algorithm"] for _, fields in entries] == [ALGORITHM]


async def test_what_redis_has_lost_of_the_journal_is_settled_again(own_redis: AnyRedis) -> None:
    """The journal has lost its end and has grown past it, with other entries, before the settler looks again."""
    async with table_at(own_redis.url) as table:
        desk, rng = Desk(table), random.Random(16)
        matches = [await desk.duel(rng) for _ in range(4)]
        for player in (EVE, DAN):  # entries with nothing to settle come last
            await desk.ledger.open(player.id)
        await desk.catch_up()
        redis = table.connection.redis
        newest: Any = await redis.xrevrange(keys.ledger("journal"), count=1)
        for prefix in (keys.standing(""), keys.ledger("")):
            await redis.delete(*[name async for name in redis.scan_iter(match=f"{prefix}*")])
        table.connection._returns(lambda key: True)
        assert await desk.bookkeeper.rescan() == 4
        await desk.duel(rng)
        await desk.bookkeeper.catch_up()
        assert int(newest[0][0].partition(b"-")[0]) >= 5
        await desk.settler.catch_up()
        settled = [entry.match async for entry in desk.standings.log(0, 100)]
        assert settled[:4] == [match.id for match in matches]
        assert len(settled) == 5


async def test_entries_with_nothing_to_settle_are_read_once(
    own_redis: AnyRedis, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with table_at(own_redis.url) as table:
        desk = Desk(table)
        for player in (EVE, DAN):
            await desk.ledger.open(player.id)
        journal, read = desk.ledger.journal, list[int]()

        async def counted(after: int = 0) -> Any:
            entries = await journal(after)
            read.append(len(entries))
            return entries

        monkeypatch.setattr(desk.ledger, "journal", counted)
        for _ in range(4):
            await desk.settler.step()
        assert read == [2, 0, 0, 0]


async def damage(redis: Any, match_id: str) -> None:
    """The author of an event in the middle is another one."""
    stream = keys.events(match_id)
    entries = await redis.xrange(stream)
    await redis.delete(stream)
    for number, (entry_id, fields) in enumerate(entries):
        if number == 5:
            fields = {**fields, b"by": b"pl_somebody"}
        await redis.xadd(stream, fields, id=entry_id)
