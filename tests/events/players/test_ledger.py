"""Gold and scores: nothing is lost, nothing comes from nowhere, and nothing happens twice, whoever dies in between."""

from __future__ import annotations

import asyncio
import random
import subprocess
import sys
import time
from collections import Counter
from collections.abc import AsyncIterator

import pytest

from tests.events.books import balanced, journal, ledger_at
from tests.servers import AnyRedis
from warlog_events import errors
from warlog_events.players.ledger import Hold, Ledger, Moved
from warlog_events.redis.connection import Connection

MATCH = "m_000_aaaaaaaaaaaaaaaa"
Books = tuple[Ledger, Connection]


@pytest.fixture
async def books(own_redis: AnyRedis) -> AsyncIterator[Books]:
    async with ledger_at(own_redis.url) as opened:
        yield opened


async def test_an_account_is_opened_once_with_what_the_house_gives(books: Books) -> None:
    ledger, _ = books
    assert await ledger.open("pl_ada")
    assert not await ledger.open("pl_ada")
    assert (await ledger.holdings(["pl_ada"]))["pl_ada"].gold == 1_000
    assert await balanced(*books) == {"house": -1_000, "pl_ada": 1_000}


async def test_a_hold_is_what_it_is_set_to_however_often(books: Books) -> None:
    ledger, _ = books
    for _ in range(3):
        await ledger.hold(MATCH, Hold("south", "pl_ada", 300, 4))
    await ledger.hold(MATCH, Hold("north", "pl_ada", 200, 5))
    found = (await ledger.holdings(["pl_ada"]))["pl_ada"]
    assert (found.gold, found.held) == (500, 500)
    with pytest.raises(errors.Refused) as refused:
        await ledger.hold(MATCH, Hold("north", "pl_ada", 701, 6))
    assert refused.value.code == "insufficient_gold"
    assert await ledger.hold(MATCH, Hold("north", "pl_ada", 700, 6)) == 500
    assert await ledger.hold(MATCH, Hold("south", "pl_ada", 0, 6)) == -300
    assert await ledger.holds([MATCH]) == [[Hold("north", "pl_ada", 700, 6)]]
    await balanced(*books)


async def test_two_opponents_have_so_many_matches_that_count_on_one_day(books: Books) -> None:
    ledger, _ = books
    both = ("pl_ada", "pl_bob")
    asked = [ledger.meet(f"m_{n}", [both], 2) for n in range(4)]
    assert sorted(map(len, await asyncio.gather(*asked))) == [0, 0, 1, 1]
    counted = [n for n in range(4) if not await ledger.meet(f"m_{n}", [both], 2)]
    assert len(counted) == 2  # asked again, as after a conflict, it is what it was
    # One pair that has had its share is enough, and nobody else loses any of his by it.
    others = [("pl_ada", "pl_eve"), ("pl_bob", "pl_eve")]
    for _ in range(3):
        assert await ledger.meet("m_4", [both, *others], 2) == {both}
    assert await ledger.meet("m_5", others, 1) == set()
    assert await ledger.meet("m_6", others[:1], 1) == {others[0]}


async def test_a_hold_that_somebody_has_decided_anew_is_not_given_back(books: Books) -> None:
    ledger, _ = books
    old = Hold("south", "pl_ada", 300, 4)
    await ledger.hold(MATCH, old)
    await ledger.hold(MATCH, Hold("south", "pl_ada", 300, 7))
    assert not await ledger.shrink(MATCH, old, 0, 7)
    assert await ledger.shrink(MATCH, Hold("south", "pl_ada", 300, 7), 100, 8)
    assert await ledger.holds([MATCH]) == [[Hold("south", "pl_ada", 100, 8)]]
    assert await ledger.shrink(MATCH, Hold("south", "pl_ada", 100, 8), 0, 9)
    assert not await ledger.shrink(MATCH, Hold("south", "pl_ada", 100, 8), 0, 9)
    assert await ledger.held_since(2**52, 0, 10) == []
    assert (await balanced(*books))["pl_ada"] == 1_000


async def test_a_match_is_settled_once_and_holds_nothing_afterwards(books: Books) -> None:
    ledger, _ = books
    await ledger.hold(MATCH, Hold("south", "pl_ada", 500, 1))
    await ledger.hold(MATCH, Hold("north", "pl_bob", 500, 2))
    moved = [Moved("pl_ada", 80, 2, "won"), Moved("pl_bob", -100, -4, "lost", fled=True)]
    assert await ledger.settle(MATCH, "war", moved, 20)
    assert not await ledger.settle(MATCH, "war", moved, 20)
    found = await ledger.holdings(["pl_ada", "pl_bob"])
    assert {name: (one.gold, one.held) for name, one in found.items()} == {
        "pl_ada": (1_080, 0),
        "pl_bob": (900, 0),
    }
    bob = found["pl_bob"].records["war"]
    assert (bob.score, bob.won, bob.lost, bob.fled) == (-4, 0, 1, 1)
    assert await ledger.settled([MATCH, "m_000_bbbbbbbbbbbbbbbb"]) == [True, False]
    with pytest.raises(errors.VersionConflict):
        await ledger.hold(MATCH, Hold("south", "pl_ada", 500, 9))
    assert (await balanced(*books))["house"] == -2_000 + 20


async def test_points_alone_move_no_gold_and_a_record_alone_gives_no_place_in_the_table(books: Books) -> None:
    ledger, _ = books
    await ledger.settle(MATCH, "war", [Moved("pl_ada", 0, 2, "won"), Moved("pl_bob", 0, None, "drawn")])
    assert [row.player for row in (await ledger.table("war", None, 10))[0]] == ["pl_ada"]
    found = await ledger.holdings(["pl_ada", "pl_bob"])
    assert found["pl_bob"].records["war"].score is None
    assert {name: one.gold for name, one in found.items()} == {"pl_ada": 1_000, "pl_bob": 1_000}
    assert [entry.postings for entry in await journal(ledger)] == [[]]


async def test_a_table_is_read_page_by_page_best_first_each_player_once(books: Books) -> None:
    ledger, _ = books
    rng = random.Random(5)
    scores = {f"pl_{i:02}": rng.randrange(-20, 20) for i in range(30)}
    for number, (player, score) in enumerate(scores.items()):
        half = score // 2
        for part, points in enumerate((half, score - half)):  # a score that has moved stands in one place
            await ledger.settle(f"m{number}.{part}", "war", [Moved(player, 0, points, "won")])
    seen, after = [], None
    while True:
        page, after = await ledger.table("war", after, 7)
        seen += page
        if after is None:
            break
    assert [(row.player, row.score) for row in seen] == sorted(scores.items(), key=lambda it: (-it[1], it[0]))
    assert [row.place for row in seen] == list(range(1, 31))
    for wrong in ("x", "1234567890123", "1234567890123 \n"):
        with pytest.raises(errors.BadParameter):
            await ledger.table("war", wrong, 7)


class Match:
    """A made-up match of four: who sits where, and what its end moves, decided beforehand."""

    def __init__(self, rng: random.Random, number: int, players: int) -> None:
        self.id = f"m_{number}"
        self.seats = rng.sample([f"pl_{i:03}" for i in range(players)], 4)
        self.stake = rng.choice((1, 10, 10, 50, 900))
        self.played = rng.random() < 0.8
        fled = [player for player in self.seats if rng.random() < 0.15]
        drawn = rng.random() < 0.2
        winners = set() if drawn else set(self.seats[::2] if rng.random() < 0.5 else self.seats[1::2])
        paying = fled if drawn else [one for one in self.seats if one not in winners or one in fled]
        sharing = [one for one in winners if one not in fled]
        pot = self.stake * len(paying)
        self.house = 0 if sharing else pot
        nets = Counter(dict.fromkeys(paying, -self.stake))
        for player in sharing:
            nets[player] += pot // len(sharing)
        self.house += pot - pot // len(sharing) * len(sharing) if sharing else 0
        self.moved = [
            Moved(
                player,
                nets[player],
                2 if player in winners else 0 if drawn else -2,
                "drawn" if drawn else "won" if player in winners else "lost",
                player in fled,
            )
            for player in sorted(self.seats)
        ]

    async def run(self, ledger: Ledger, rng: random.Random, dies: float) -> bool | None:
        """What a process does for it, step by step, and after each it may be gone (None). False: somebody was short."""
        for version, (seat, player) in enumerate(zip("abcd", self.seats, strict=True), 1):
            try:
                await ledger.hold(self.id, Hold(seat, player, self.stake, version))
            except errors.Refused:
                return False
            except errors.VersionConflict:
                return True  # a process that died had come to the end
            if rng.random() < dies:
                return None
        if self.played:
            await ledger.settle(self.id, "war", self.moved, self.house)
            return None if rng.random() < dies else True
        return False

    async def give_back(self, ledger: Ledger, rng: random.Random, dies: float) -> bool:
        """As the bookkeeper does. False: it died half way."""
        for hold in (await ledger.holds([self.id]))[0]:
            await ledger.shrink(self.id, hold, 0, hold.version)
            if rng.random() < dies:
                return False
        return True


async def carry_through(match: Match, ledger: Ledger, rng: random.Random, dies: float) -> bool:
    """Until it is settled (True) or given back (False), however often who does it dies between two calls."""
    while True:
        done = await match.run(ledger, rng, dies)
        if done:
            return True
        if done is False:
            while not await match.give_back(ledger, rng, dies):
                pass
            return False


async def check(ledger: Ledger, connection: Connection, matches: list[Match]) -> int:
    """Every account beside what a straightforward recomputation gives; how many matches were settled."""
    settled = [
        match
        for match, done in zip(matches, await ledger.settled([m.id for m in matches]), strict=True)
        if done
    ]
    assert all(match.played for match in settled)
    total = await balanced(ledger, connection)
    gold, scores, records = Counter[str](), Counter[str](), Counter[tuple[str, str]]()
    for match in settled:
        for one in match.moved:
            gold[one.player] += one.gold
            scores[one.player] += one.points or 0
            records[one.player, one.outcome] += 1
            records[one.player, "fled"] += one.fled
    players = sorted({player for match in matches for player in match.seats})
    for player, found in (await ledger.holdings(players)).items():
        assert (found.gold, found.held) == (1_000 + gold[player], 0), player
        record = found.records.get("war")
        if record is not None:
            assert record.score == scores[player]
            assert all(
                getattr(record, name) == records[player, name] for name in ("won", "drawn", "lost", "fled")
            )
    granted = sum(1_000 for account in total if account.startswith("pl_") and not account.endswith(" held"))
    assert total["house"] == sum(match.house for match in settled) - granted
    assert sum(total[player] for player in players) + total["house"] == 0
    return len(settled)


@pytest.mark.parametrize("count", [600, pytest.param(5_000, marks=pytest.mark.soak)])
async def test_random_matches_come_out_right_though_everybody_dies_between_two_calls(
    own_redis: AnyRedis, seed: int, count: int
) -> None:
    rng = random.Random(seed)
    matches = [Match(rng, number, 60) for number in range(count)]
    async with ledger_at(own_redis.url) as (ledger, connection), ledger_at(own_redis.url) as (other, _):
        at_once = asyncio.Semaphore(8)

        async def one(match: Match) -> None:
            async with at_once:
                # Two workers now and then do the same at the same time.
                ledgers = [ledger, other] if rng.random() < 0.2 else [rng.choice((ledger, other))]
                await asyncio.gather(*(carry_through(match, it, rng, 0.15) for it in ledgers))

        await asyncio.gather(*map(one, matches))
        for match in matches:  # of two at once, one may have held again what the other had just given back
            if not (await ledger.settled([match.id]))[0]:
                await match.give_back(ledger, rng, 0)
        assert await check(ledger, connection, matches) > count / 6


@pytest.mark.parametrize("kills", [6, pytest.param(100, marks=pytest.mark.soak)])
async def test_random_matches_come_out_right_though_processes_are_killed(
    own_redis: AnyRedis, seed: int, kills: int
) -> None:
    rng = random.Random(seed)
    count = 400 * kills
    matches = [Match(rng, number, 60) for number in range(count)]
    async with ledger_at(own_redis.url) as (ledger, connection):
        first = 0
        for _ in range(kills):
            command = [sys.executable, "-m", __name__, own_redis.url, str(seed), str(count), str(first)]
            with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
                assert process.stdout is not None
                assert await asyncio.to_thread(process.stdout.readline) == b"begins\n"
                while not await ledger.held_since(2**52, 0, 1):
                    await asyncio.sleep(0)  # the first one dies as soon as something is held
                time.sleep(rng.uniform(0.02, 0.3) if first else 0)
                process.kill()
                process.communicate()
            first += 400
            # The books balance at every moment, not only in the end.
            total = await balanced(ledger, connection)
            assert sum(total.values()) == 0
        assert await ledger.held_since(2**52, 0, 10)  # somebody was in the midst of something
        for match in matches:
            if not (await ledger.settled([match.id]))[0]:
                await match.give_back(ledger, rng, 0)
        assert await check(ledger, connection, matches) > 0


async def main(url: str, seed: str, count: str, first: str) -> None:
    rng = random.Random(int(seed))
    matches = [Match(rng, number, 60) for number in range(int(count))]
    async with ledger_at(url) as (ledger, _):
        print("begins", flush=True)
        at_once = asyncio.Semaphore(8)

        async def one(match: Match) -> None:
            async with at_once:
                await carry_through(match, ledger, rng, 0)

        await asyncio.gather(*map(one, matches[int(first) :]))


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
