"""Many questions at once, in one process."""

from __future__ import annotations

import asyncio
import threading
import time
from functools import cache

import pytest

import warlog_core
from tests.bots.conftest import SECONDS_MAX
from tests.core.test_search import opening
from warlog_bots import Thinker
from warlog_bots.pace import due_at
from warlog_bots.thinker import ITERATIONS_MIN, REMEMBER_SECONDS, TRIAL_ITERATIONS, Question
from warlog_core import Belief, Choice, State, Stop

CROWD = 100
LONG = 1_000_000  # as many iterations as take a minute or more


battle = cache(opening)


def asked(seed: int, number: int, due: float) -> Question:
    state = battle("universal", seed)
    seat = state.to_act[0]
    return Question(f"m_{number}", state.seen_by(seat), seat, 8, number, due)


async def answers(thinker: Thinker, questions: list[Question]) -> list[Choice]:
    found = await asyncio.gather(*map(thinker.think, questions))
    return [choice for choice in found if choice is not None]


async def test_searches_are_shorter_where_many_wait_and_as_long_as_the_level_allows_where_nobody_does(
    seed: int,
) -> None:
    thinker = Thinker()
    due = due_at(time.monotonic(), None)
    crowd = await answers(thinker, [asked(seed, number, due) for number in range(CROWD)])
    assert len(crowd) == CROWD
    assert all(choice.iterations >= ITERATIONS_MIN for choice in crowd)
    (alone,) = await answers(thinker, [asked(seed, CROWD, time.monotonic() + 600)])
    assert max(choice.iterations for choice in crowd) < alone.iterations
    assert alone.iterations <= warlog_core.level("universal", 8).iterations
    assert (thinker.figures.searches, thinker.figures.waiting) == (CROWD + 1, 0)
    await thinker.close()


async def test_what_is_due_first_is_answered_first(seed: int) -> None:
    thinker, order = Thinker(), list[int]()

    async def ask(number: int, due: float) -> None:
        await thinker.think(asked(seed, number, due))
        order.append(number)

    now = time.monotonic()
    await asyncio.gather(ask(0, now + 1), ask(1, now + 3), ask(2, now + 2))
    assert order[1:] == [2, 1] or order == [0, 2, 1]
    await thinker.close()


async def test_a_budget_that_is_spent_leaves_short_searches(seed: int) -> None:
    thinker = Thinker(budget=0.001)
    late = time.monotonic() + 600
    found = [TRIAL_ITERATIONS]
    async with asyncio.timeout(SECONDS_MAX):
        while found[-1] > ITERATIONS_MIN:
            found.append((await answers(thinker, [asked(seed, 0, late)]))[0].iterations)
    assert max(found) > TRIAL_ITERATIONS
    await thinker.close()


async def test_a_question_that_nobody_waits_for_any_more_is_left_out(seed: int) -> None:
    thinker = Thinker()
    late = time.monotonic() + 600
    first = asyncio.create_task(thinker.think(asked(seed, 0, late)))
    second = asyncio.create_task(thinker.think(asked(seed, 1, late + 1)))
    await asyncio.sleep(0)
    second.cancel()
    assert await first is not None
    await asyncio.gather(second, return_exceptions=True)
    assert thinker.figures.searches == 1
    await thinker.close()


async def test_a_search_that_nobody_waits_for_any_more_is_broken_off(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    thinker, at_it = Thinker(), threading.Event()

    def play(seen: State, seat: str, *, stop: Stop, **_: object) -> Choice | None:
        at_it.set()
        return warlog_core.search(seen, seat, seed=seed, iterations=LONG, stop=stop)

    monkeypatch.setattr(warlog_core, "play", play)
    asking = asyncio.create_task(thinker.think(asked(seed, 0, time.monotonic() + 600)))
    assert await asyncio.to_thread(at_it.wait, SECONDS_MAX)
    asking.cancel()
    await asyncio.gather(asking, return_exceptions=True)
    monkeypatch.undo()
    assert await answers(thinker, [asked(seed, 1, time.monotonic() + 600)])
    assert thinker.figures.searches == 2
    assert 0 < thinker.figures.iterations < LONG  # of the second one alone
    await thinker.close()


@cache
def begun() -> State:
    """What South of Siguo Junqi sees when play begins."""
    state = warlog_core.game("junqi").new(options={"players": 2}, draws=bytes)
    while state.phase == "layout":
        state.apply(state.to_act[0], {"type": "ready"}, draws=bytes)
    return state.seen_by("south")


async def test_beliefs_take_their_turn_and_are_left_as_they_are_where_there_is_no_time(seed: int) -> None:
    """No clock runs out because many matches have much to remember."""
    thinker, order = Thinker(), list[object]()
    soon, late = time.monotonic() + REMEMBER_SECONDS / 2, time.monotonic() + 600
    beliefs = [Belief("south", 1) for _ in range(2)]

    async def ask(number: int) -> None:
        await thinker.think(asked(seed, number, late))
        order.append(number)

    async def remember(belief: Belief, due: float) -> None:
        order.append(await thinker.remember(belief, begun(), due))

    await asyncio.gather(ask(0), remember(beliefs[0], late + 1), ask(1), remember(beliefs[1], soon))
    assert order == [False, 0, 1, True]
    assert [belief.worlds > 0 for belief in beliefs] == [True, False]
    await thinker.close()


async def test_what_a_belief_costs_is_spent() -> None:
    thinker, belief, late = Thinker(budget=0.0), Belief("south", 1), time.monotonic() + 600
    before = thinker.budget.left(time.monotonic())
    assert await thinker.remember(belief, begun(), late)
    assert thinker.budget.left(time.monotonic()) < before
    thinker.budget.spend(before)
    held = belief.worlds
    assert not await thinker.remember(belief, begun(), late)
    assert belief.worlds == held
    await thinker.close()
