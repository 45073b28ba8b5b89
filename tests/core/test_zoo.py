"""PettingZoo environments and vectors of matches."""

from __future__ import annotations

import gc
import importlib
import sys
import threading
import warnings
from functools import partial
from typing import Any

import numpy as np
import pytest
from pettingzoo.test import api_test, render_test, seed_test

import warlog_core
from tests import numbers
from warlog_core import BadArrays, BadNumber, Busy, NotNumbered, zoo
from warlog_core.binding import RawVector
from warlog_core.zoo import vectors
from warlog_core.zoo.vectors import CUT, ENDED, Arrays, Vector

SMALL = {"width": 7, "height": 5, "army": "preset"}


# ---- PettingZoo ----


@pytest.mark.parametrize(("name", "options"), numbers.starts(), ids=str)
def test_an_environment_passes_pettingzoos_own_tests_without_a_warning(
    name: str, options: dict[str, Any]
) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        env = zoo.env(name, options=options, max_cycles=25, render_mode="ansi")
        api_test(env, num_cycles=40)
        seed_test(lambda: zoo.env(name, options=options, max_cycles=12), num_cycles=3)


@pytest.mark.parametrize("name", sorted(numbers.OPTIONS))
def test_an_environment_passes_pettingzoos_test_of_renderings(name: str) -> None:
    options = numbers.OPTIONS[name][1]
    made: Any = partial(
        zoo.env, name, options=options, max_cycles=6
    )  # called with `render_mode`, unlike its type
    render_test(made)


def test_a_seed_is_a_match_with_all_its_draws() -> None:
    def played(seed: int) -> list[bytes]:
        env = zoo.raw_env("hex", options=SMALL)
        env.reset(seed=seed)
        for _ in range(60):
            env.step(int(env.infos[env.agent_selection]["action_mask"].argmax()))
        return [env.state_of_match.data]

    assert played(3) == played(3)
    assert played(3) != played(4)


@pytest.mark.parametrize("name", sorted(numbers.OPTIONS))
def test_a_match_that_is_too_long_is_truncated(name: str) -> None:
    # PettingZoo's max_cycles_test is for agents that act all at once, and takes actions that are not legal.
    env = zoo.env(name, options=numbers.OPTIONS[name][1], max_cycles=5)
    env.reset(seed=1)
    steps = 0
    for _agent in env.agent_iter():
        _, _, terminated, truncated, info = env.last()
        assert not terminated
        assert truncated == (steps >= 5)
        steps += not truncated
        env.step(None if truncated else int(info["action_mask"].argmax()))
    assert steps == 5


def test_rewards_come_with_the_end_to_those_who_won_and_lost() -> None:
    env = zoo.env("hex", options=SMALL, gives_up=True)
    env.reset(seed=1)
    resign = next(f.first for f in env.unwrapped.numbering.families if f.name == "resign")
    loser = env.agent_selection
    assert env.last()[4]["action_mask"][resign] == 1
    env.step(resign)
    assert {agent: env.rewards[agent] for agent in env.agents} == {
        agent: -1.0 if agent == loser else 1.0 for agent in env.agents
    }


def test_an_illegal_action_is_an_error_and_in_the_wrappers_loses() -> None:
    raw = zoo.raw_env("hex", options=SMALL)
    raw.reset(seed=1)
    before = raw.state_of_match.data
    illegal = int(raw.infos[raw.agent_selection]["action_mask"].argmin())
    for number in (illegal, -1, 10**9, 2**80, None):
        with pytest.raises(BadNumber):
            raw.step(number)
    no_integers: list[Any] = [1.5, float("nan"), "3", b"3", [3], np.float32(3), np.array([3]), {"a": 1}, True]
    for value in no_integers:
        with pytest.raises(BadNumber, match=r"is no integer: actions are numbers from 0 to \d+"):
            raw.step(value)
    assert raw.state_of_match.data == before
    legal = int(raw.infos[raw.agent_selection]["action_mask"].argmax())
    for like in (np.int64, np.uint16, np.array):  # what is an integer is taken
        again = zoo.raw_env("hex", options=SMALL)
        again.reset(seed=1)
        action: Any = like(legal)
        again.step(action)
        assert again.state_of_match.data != before
    env = zoo.env("hex", options=SMALL)
    env.reset(seed=1)
    agent = env.agent_selection
    env.last()
    env.step(illegal)
    assert env.terminations[agent]
    assert env.rewards[agent] == -1


MADE_OF_PARTS: list[tuple[str, dict[str, Any], tuple[str, ...]]] = [
    ("confrontation", {}, ("army",)),
    ("confrontation", {"seats": 4, "terrain": "players"}, ("army", "place_terrain")),
    ("hex", {}, ("recruit",)),
    ("hex", {"army": "preset", "deployment": "chosen"}, ()),
    ("junqi", {}, ("layout",)),
    ("junqi", {"mode": "flip"}, ()),
    ("universal", {}, ()),
    ("wec", {}, ()),
]


@pytest.mark.parametrize(("name", "options", "expected"), MADE_OF_PARTS, ids=str)
def test_what_the_numbers_do_not_cover_is_said_at_creation(
    name: str, options: dict[str, Any], expected: tuple[str, ...]
) -> None:
    assert zoo.env(name, options=options).metadata["presets_only"] == expected
    assert zoo.vector(name, 1, options=options).presets_only == expected


@pytest.mark.parametrize("name", ["confrontation", "hex", "junqi"])
def test_options_with_which_a_seat_could_choose_nothing_are_refused_with_a_sentence(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    # No options of the five books leave a seat without a preset (core_c/tests/fuzz.h looks for such), so that the
    # numbers of the phase in which there are templates are taken away here.
    numbered, start = warlog_core.Numbering.numbers, warlog_core.game(name).new(draws=bytes)

    def without(of: warlog_core.Numbering, state: warlog_core.State, seat: str, **flags: bool) -> list[int]:
        return [] if state.phase == start.phase else numbered(of, state, seat, **flags)

    monkeypatch.setattr(warlog_core.Numbering, "numbers", without)
    sentence = f"{start.to_act[0]} has nothing to choose but an open template .{start.phase}."
    with pytest.raises(NotNumbered, match=sentence):
        zoo.env(name)
    with pytest.raises(NotNumbered, match=sentence):
        zoo.vector(name, 2)


def test_a_seat_that_could_choose_nothing_later_while_it_sets_up_is_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    numbered = warlog_core.Numbering.numbers

    def without(of: warlog_core.Numbering, state: warlog_core.State, seat: str, **flags: bool) -> list[int]:
        return [] if state.phase == "terrain" else numbered(of, state, seat, **flags)

    monkeypatch.setattr(warlog_core.Numbering, "numbers", without)
    zoo.env("confrontation")
    with pytest.raises(NotNumbered, match=r"but an open template .terrain."):
        zoo.env("confrontation", options={"terrain": "players"})


def test_options_that_the_rules_refuse_are_refused() -> None:
    with pytest.raises(warlog_core.Refused, match="invalid_options"):
        zoo.env("hex", options={"width": 3})
    with pytest.raises(warlog_core.Refused, match="invalid_options"):
        zoo.vector("hex", 1, options={"width": 3})


def test_a_seat_that_does_not_play_has_no_reward() -> None:
    vector = zoo.vector("universal", 4, options={"factions": ["majora", "evil"]}, gives_up=True)
    resign = next(f.first for f in vector.numbering.families if f.name == "resign")
    seats = vector.arrays.seats.copy()
    vector.step(np.full(4, resign))
    playing = [vector.seats.index(seat) for seat in ("majora", "evil")]
    for rewards, loser in zip(vector.arrays.rewards, seats, strict=True):
        assert rewards[loser] == -1
        assert sorted(rewards[playing]) == [-1, 1]
        assert np.abs(rewards).sum() == 2


def test_a_seat_that_does_not_play_is_no_agent() -> None:
    env = zoo.raw_env("universal", options={"factions": ["majora", "evil"]})
    assert env.possible_agents == ["majora_0", "evil_1"]


# ---- vectors ----


def random_actions(arrays: Arrays, rng: np.random.Generator) -> Any:
    return (rng.random(arrays.masks.shape) * arrays.masks).argmax(axis=1)


def played(vector: Vector, steps: int) -> tuple[int, bytes]:
    """How many matches ended, and all that the arrays told."""
    rng, ended, told = np.random.default_rng(1), 0, b""
    for _ in range(steps):
        vector.step(random_actions(vector.arrays, rng))
        ended += int((vector.arrays.ends == ENDED).sum())
        told += b"".join(array.tobytes() for array in vector.arrays)
    return ended, told


@pytest.mark.parametrize(("name", "options"), numbers.starts(), ids=str)
def test_a_vector_steps_matches_of_every_game(name: str, options: dict[str, Any]) -> None:
    vector = zoo.vector(name, 3, options=options, seed=4, max_cycles=9)
    rng = np.random.default_rng(2)
    for step in range(1, 19):
        vector.step(random_actions(vector.arrays, rng))
        assert vector.arrays.masks.any(axis=1).all()
        assert (vector.arrays.ends == (CUT if step % 9 == 0 else 0)).all()
        assert vector.arrays.observations.min() >= 0
        assert vector.arrays.observations.max() <= 1


@pytest.mark.parametrize(("name", "options"), numbers.starts(), ids=str)
def test_a_vector_writes_into_its_arrays_alone(name: str, options: dict[str, Any]) -> None:
    arrays: list[Any] = [*zoo.vector(name, 2, options=options).arrays]
    wide: list[Any] = [np.full(array.size + 512, 77, array.dtype) for array in arrays]
    mine = Arrays(*(one[256:-256].reshape(array.shape) for one, array in zip(wide, arrays, strict=True)))
    vector = zoo.vector(name, 2, options=options, seed=4, max_cycles=5, arrays=mine)
    played(vector, 6)
    assert all((one[:256] == 77).all() and (one[-256:] == 77).all() for one in wide)
    assert set(mine.seats) <= set(range(len(vector.seats)))


@pytest.mark.parametrize(("name", "options"), numbers.starts(), ids=str)
def test_a_step_leaves_nothing_of_what_was_in_its_arrays(name: str, options: dict[str, Any]) -> None:
    clean, dirty = (zoo.vector(name, 2, options=options, seed=4, max_cycles=5) for _ in range(2))
    rng = np.random.default_rng(3)
    for _ in range(6):
        actions = random_actions(clean.arrays, rng)
        for array in dirty.arrays:
            array.fill(77)
        clean.step(actions)
        dirty.step(actions)
        assert same_arrays(clean.arrays, dirty.arrays)


@pytest.mark.parametrize("name", sorted(numbers.OPTIONS))
def test_the_matches_of_a_vector_do_not_depend_on_its_threads(name: str) -> None:
    options = numbers.OPTIONS[name][1]
    one, three = (
        zoo.vector(name, 5, options=options, seed=9, threads=threads, max_cycles=30) for threads in (1, 3)
    )
    rng = np.random.default_rng(1)
    for _ in range(70):
        assert same_arrays(one.arrays, three.arrays)
        actions = random_actions(one.arrays, rng)
        one.step(actions)
        three.step(actions)
    three.close()


@pytest.mark.parametrize(
    ("name", "options"), [("confrontation", {}), ("hex", {"obstacles": "none", "deployment": "chosen"})]
)
def test_what_the_first_seat_chooses_in_secret_is_in_no_array_until_it_is_known(
    name: str, options: dict[str, Any]
) -> None:
    vectors = [zoo.vector(name, 2, options=options, seed=3) for _ in range(2)]
    first = [np.flatnonzero(mask) for mask in vectors[0].arrays.masks]
    assert same_arrays(vectors[0].arrays, vectors[1].arrays)
    vectors[0].step(np.array([numbers[0] for numbers in first]))
    vectors[1].step(np.array([first[0][-1 if name == "confrontation" else 1], first[1][0]]))
    assert set(vectors[0].arrays.seats) == {1}
    assert same_arrays(vectors[0].arrays, vectors[1].arrays)  # all that the second seat sees
    # From now on all armies are known, at the latest when they stand on the board: the matches with different ones look
    # different, those with the same ones the same.
    different = 0
    for _ in range(40):
        for vector in vectors:
            vector.step(vector.numbering.n_actions - 1 - vector.arrays.masks[:, ::-1].argmax(axis=1))
        one, other = (vector.arrays.observations for vector in vectors)
        assert np.array_equal(one[1], other[1])
        different += not np.array_equal(one[0], other[0])
    assert different > 0


def test_another_seed_is_other_matches() -> None:
    one, other = (zoo.vector("hex", 7, options=SMALL, seed=seed) for seed in (9, 8))
    assert not np.array_equal(one.arrays.masks, other.arrays.masks)


def test_a_vector_tells_what_the_environment_tells() -> None:
    vector = zoo.vector("junqi", 1, options={"mode": "flip", "players": 2}, seed=1)
    arrays = vector.arrays
    numbering = vector.numbering
    state = warlog_core.game("junqi").new(options={"mode": "flip", "players": 2}, draws=bytes)
    seat = state.seats[arrays.seats[0]]
    assert state.to_act[0] == seat
    assert set(np.flatnonzero(arrays.masks[0])) == set(numbering.numbers(state, seat, play_on=True))
    assert np.array_equal(arrays.observations[0], np.asarray(numbering.observe(state, seat)))


@pytest.mark.parametrize("threads", [1, 2, 3])
@pytest.mark.parametrize("at", [0, 2, 5])
def test_a_number_that_is_not_legal_names_its_match_and_no_match_is_stepped(threads: int, at: int) -> None:
    vector, untouched = (
        zoo.vector("hex", 6, options=SMALL, seed=1, threads=threads, max_cycles=4) for _ in range(2)
    )
    for _ in range(6):
        actions = vector.arrays.masks.argmax(axis=1)
        wrong = actions.copy()
        wrong[at] = vector.arrays.masks[at].argmin()
        wrong[-1] = -1 if at == 5 else vector.arrays.masks[-1].argmin()
        before = [array.tobytes() for array in vector.arrays]
        with pytest.raises(BadNumber, match=f"match {at}") as caught:
            vector.step(wrong.astype(np.int32))
        assert caught.value.index == at
        assert [array.tobytes() for array in vector.arrays] == before
        vector.step(actions)
        untouched.step(actions)
        assert same_arrays(vector.arrays, untouched.arrays)
    vector.close()
    untouched.close()


def same_arrays(one: Arrays, other: Arrays) -> bool:
    pairs: Any = zip(one, other, strict=True)
    return all(np.array_equal(a, b) for a, b in pairs)


def test_arrays_of_a_wrong_type_size_or_order_are_refused() -> None:
    right = zoo.vector("hex", 4, options=SMALL).new_arrays()
    wrong: dict[str, Any] = {
        "observations": np.zeros(right.observations.shape, np.float64),
        "masks": np.asfortranarray(right.masks),
        "rewards": right.rewards[:3],
        "ends": right.ends.tolist(),
        "seats": np.zeros(8, np.int32)[::2],
    }
    read_only = right.masks.copy()
    read_only.flags.writeable = False
    for name, array in [*wrong.items(), ("masks", read_only)]:
        with pytest.raises(BadArrays, match=name):
            zoo.vector("hex", 4, options=SMALL, arrays=right._replace(**{name: array}))
    unaligned = np.zeros(right.observations.nbytes + 1, np.uint8)[1:].view(np.float32)
    with pytest.raises(BadArrays, match="observations are aligned to 4 bytes"):
        zoo.vector(
            "hex",
            4,
            options=SMALL,
            arrays=right._replace(observations=unaligned.reshape(right.observations.shape)),
        )
    mine = zoo.vector("hex", 4, options=SMALL, arrays=right)
    assert mine.arrays.masks is right.masks
    no_actions: list[Any] = [np.zeros(4), np.zeros(3, int), [0, 0, 0, 0], np.zeros((4, 1), int)]
    for actions in no_actions:
        with pytest.raises(BadArrays, match="actions"):
            mine.step(actions)
    for number in (-1, 2**40):
        with pytest.raises(BadNumber):
            mine.step(np.full(4, number))


def test_arrays_that_overlap_are_refused() -> None:
    right = zoo.vector("hex", 4, options=SMALL).new_arrays()
    room = np.zeros(64, np.uint8)
    floats = np.zeros(right.observations.size + right.rewards.size, np.float32)
    last = floats[-1 - right.rewards.size : -1].reshape(right.rewards.shape)
    first = floats[: right.observations.size].reshape(right.observations.shape)
    for name, other, arrays in (
        ("observations", "rewards", right._replace(observations=first, rewards=last)),
        ("ends", "seats", right._replace(ends=room[12:16], seats=room[:16].view(np.int32))),
        ("masks", "ends", right._replace(ends=right.masks[0, :4])),
    ):
        with pytest.raises(BadArrays, match=f"{name} and {other} overlap"):
            zoo.vector("hex", 4, options=SMALL, arrays=arrays)
    beside = right._replace(ends=room[16:20], seats=room[:16].view(np.int32))
    zoo.vector("hex", 4, options=SMALL, arrays=beside)


def test_actions_may_lie_anywhere() -> None:
    taken, expected = (zoo.vector("hex", 4, options=SMALL, seed=1) for _ in range(2))
    for _ in range(10):
        actions = expected.arrays.masks.argmax(axis=1).astype(np.int32)
        unaligned = np.zeros(17, np.uint8)[1:].view(np.int32)
        unaligned[:] = actions
        assert not unaligned.flags.aligned
        assert vectors._actions(unaligned, 4).flags.aligned  # some processors do without, C does not
        taken.step(unaligned)
        expected.step(np.repeat(actions, 2)[::2].astype(">i8"))
        assert same_arrays(taken.arrays, expected.arrays)


def test_two_threads_on_one_vector_are_an_error() -> None:
    vector = zoo.vector("hex", 64, options=SMALL)
    actions = vector.arrays.masks.argmax(axis=1)
    inside = threading.Event()
    leave = threading.Event()

    def stay(numbers: Any) -> None:
        inside.set()
        leave.wait(10)

    vector._step = stay  # type: ignore[method-assign]
    first = threading.Thread(target=vector.step, args=(actions,))
    first.start()
    inside.wait(10)
    with pytest.raises(Busy, match="another thread"):
        vector.step(actions)
    leave.set()
    first.join()


def helpers() -> list[threading.Thread]:
    return [thread for thread in threading.enumerate() if thread.name == "warlog-vector"]


def test_the_threads_of_a_vector_end_with_it() -> None:
    gc.collect()
    before = helpers()
    closed, dropped = (zoo.vector("hex", 6, options=SMALL, threads=3) for _ in range(2))
    assert len(helpers()) == len(before) + 4
    closed.close()
    with pytest.raises(ValueError, match="closed"):
        closed.step(closed.arrays.masks.argmax(axis=1))
    assert len(helpers()) == len(before) + 2
    of_dropped = [helper._thread for helper in dropped._helpers]
    del dropped
    gc.collect()
    for thread in of_dropped:
        thread.join(10)
    assert helpers() == before


def test_what_goes_wrong_in_a_thread_is_raised_after_all_have_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    vector, other = (zoo.vector("hex", 6, options=SMALL, seed=3, threads=2) for _ in range(2))
    actions = vector.arrays.masks.argmax(axis=1)
    take = RawVector.take
    taken: list[int] = []

    def fails_in_a_thread(raw: Any) -> None:
        take(raw)
        taken.append(1)
        if threading.current_thread() is not threading.main_thread():
            raise Busy("of all things")

    with monkeypatch.context() as patched:
        patched.setattr(RawVector, "take", fails_in_a_thread)
        with pytest.raises(Busy, match="of all things"):
            vector.step(actions)
    assert len(taken) == 2
    other.step(actions)
    for _ in range(3):  # the next steps wait for their own answers
        assert same_arrays(vector.arrays, other.arrays)
        actions = vector.arrays.masks.argmax(axis=1)
        vector.step(actions)
        other.step(actions)


def test_a_step_after_one_that_was_interrupted_waits_for_its_own_answer() -> None:
    vector, other = (zoo.vector("hex", 6, options=SMALL, seed=3, threads=2) for _ in range(2))
    (helper,) = vector._helpers
    helper._answers.put((0, None))  # as if nobody had waited for it
    for _ in range(3):
        actions = vector.arrays.masks.argmax(axis=1)
        vector.step(actions)
        assert helper._answers.empty()
        other.step(actions)
        assert same_arrays(vector.arrays, other.arrays)


def test_other_threads_go_on_while_a_vector_takes_its_steps() -> None:
    vector = zoo.vector("wec", 200)
    counted, told = 0, list[int]()

    def steps() -> None:
        for _ in range(21):
            actions = vector.arrays.masks.argmax(axis=1)
            before = counted
            vector.step(actions)
            told.append(counted - before)

    for _ in range(10):  # a busy machine may not let this thread run at all for a while
        told.clear()
        other = threading.Thread(target=steps)
        other.start()
        while other.is_alive():
            counted += 1
        if sorted(told)[10] > 100:
            return
    raise AssertionError(told)  # next to none if a step held the interpreter


def test_without_pettingzoo_a_sentence_says_what_installs_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pettingzoo", None)
    monkeypatch.delitem(sys.modules, "warlog_core.zoo.aec", raising=False)
    monkeypatch.delattr(zoo, "aec", raising=False)
    with pytest.raises(ImportError, match=r"pip install \"warlog-core\[zoo\]\""):
        zoo.env("hex")


def test_without_openspiel_a_sentence_says_what_installs_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyspiel", None)
    monkeypatch.delitem(sys.modules, "warlog_core.zoo.openspiel", raising=False)
    monkeypatch.delattr(zoo, "openspiel", raising=False)
    with pytest.raises(ImportError, match=r"pyspiel is missing: pip install \"warlog-core\[openspiel\]\""):
        importlib.import_module("warlog_core.zoo.openspiel")
