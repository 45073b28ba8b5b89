"""Many matches that are stepped together.

>>> from warlog_core import zoo
>>> vector = zoo.vector("hex", 64, options={"width": 7, "height": 5, "army": "preset"}, seed=1)
>>> arrays = vector.arrays
>>> arrays.masks.shape, arrays.masks.dtype
((64, 1092), dtype('uint8'))
>>> vector.step(arrays.masks.argmax(axis=1))
>>> arrays.ends.any()
np.False_

The arrays may be one's own:

>>> mine = vector.new_arrays()
>>> small = {"width": 7, "height": 5, "army": "preset"}
>>> again = zoo.vector("hex", 64, options=small, seed=1, max_cycles=1, arrays=mine)
>>> again.arrays is mine, again.n, again.seats, again.numbering.n_actions, again.presets_only
(True, 64, ('red', 'blue'), 1092, ())
>>> mine.observations.shape, mine.rewards.tolist()[0]
((64, 26, 5, 7), [0.0, 0.0])
>>> again.step(mine.masks.argmax(axis=1))
>>> set(mine.ends.tolist()) == {CUT}, CUT, ENDED  # each match was cut after one action
(True, 2, 1)
>>> mine._fields == Arrays._fields, isinstance(again, Vector)
(True, True)
>>> again.close()
"""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable
from functools import partial
from itertools import combinations
from queue import SimpleQueue
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

import warlog_core
from warlog_core.binding import RawVector, VectorSettings
from warlog_core.errors import BadArrays, BadNumber, Busy
from warlog_core.zoo._cover import presets_only

ENDED = 1  # in `ends`: the match is over
CUT = 2  # it was too long


class Arrays(NamedTuple):
    """What a step tells, of each match of a vector: the caller's own arrays, in C order.

    Of the seat that is to act: what it knows, a 1 for each action that it may take, and its place among the seats. Of
    the step: what it brought each seat, and whether it ended the match: 0 goes on, 1 (ENDED) is over, 2 (CUT) was too
    long. Where it ended, another match has begun, of which observation, mask and seat tell."""

    observations: NDArray[np.float32]
    masks: NDArray[np.uint8]
    rewards: NDArray[np.float32]
    ends: NDArray[np.uint8]
    seats: NDArray[np.int32]


class Vector:
    """n matches. `arrays` has what the last step told, or the start; `numbering` what its numbers and planes are.

    `seats` are the names of the seats by their numbers. Some games number all that they have, also those that do not
    play in these matches: they are never to act, and their reward is 0. `presets_only` names the actions of which only
    presets have numbers."""

    def __init__(
        self,
        game: str,
        n: int,
        options: dict[str, Any],
        *,
        seed: int,
        threads: int,
        max_cycles: int,
        gives_up: bool,
        arrays: Arrays | None,
    ) -> None:
        rules = warlog_core.game(game)
        rules.check_options(options)
        state = rules.new(options=options, draws=bytes)
        self.numbering = rules.numbering(state)
        self.presets_only = presets_only(rules, self.numbering, state)
        self.seats = rules.numbered_seats(state.seats)
        self.n = n
        self._shapes = _shapes(n, self.numbering.shape, self.numbering.n_actions, len(self.seats))
        if n < 1 or threads < 1 or max_cycles < 0:
            raise ValueError("a vector has at least one match and one thread, and max_cycles is not negative")
        self.arrays = self.new_arrays() if arrays is None else arrays
        self._check_arrays()
        self._lock = threading.Lock()
        words, _ = rules.words(options, None)
        self._parts: list[tuple[slice, RawVector]] = []
        for part in _parts(n, threads):
            settings = VectorSettings(seed % 2**64, max_cycles, part.start, not gives_up)
            columns = [array[part] for array in self.arrays]
            self._parts.append((part, RawVector(rules.raw, part.stop - part.start, words, settings, columns)))
        (_, self._mine), *others = self._parts
        self._helpers = [_Helper(raw) for _, raw in others]
        self._end = weakref.finalize(self, _end, self._helpers)

    def new_arrays(self) -> Arrays:
        """Arrays as this vector needs them, all zero."""
        arrays: list[NDArray[Any]] = [np.zeros(shape, dtype) for shape, dtype in self._shapes]
        return Arrays(*arrays)

    def step(self, actions: NDArray[np.integer[Any]]) -> None:
        """Takes an action in each match, and fills `arrays`.

        Raises BadNumber, with the place of the first such match, where a number is not legal: then no match has been
        stepped. Raises BadArrays for numbers of a wrong size or type, and Busy where another thread is at it."""
        numbers = _actions(actions, self.n)
        if not self._lock.acquire(blocking=False):
            raise Busy("another thread is at work on this vector")
        try:
            self._step(numbers)
        finally:
            self._lock.release()

    def _step(self, numbers: NDArray[np.int32]) -> None:
        if not self._helpers:
            _named(self._parts[0][0], lambda: self._mine.step(numbers))
            return
        if not self._end.alive:
            raise ValueError("this vector is closed")
        # All numbers are looked at, which takes little, before any thread takes an action. This thread takes its share.
        for part, raw in self._parts:
            _named(part, partial(raw.check, numbers[part]))
        for helper in self._helpers:
            helper.begin()
        try:
            self._mine.take()
        finally:
            failures = [helper.end() for helper in self._helpers]
        for failure in filter(None, failures):
            raise failure

    def close(self) -> None:
        """Ends the threads. A vector with several takes no step any more."""
        self._end()
        for helper in self._helpers:
            helper.join()

    def _check_arrays(self) -> None:
        if len(self.arrays) != len(Arrays._fields):
            raise BadArrays(f"arrays are {', '.join(Arrays._fields)}")
        for name, array, (shape, dtype) in zip(Arrays._fields, self.arrays, self._shapes, strict=True):
            if not isinstance(array, np.ndarray) or array.dtype != dtype:
                raise BadArrays(f"{name} is an array of {np.dtype(dtype).name}")
            if array.shape != shape:
                raise BadArrays(f"{name} has the shape {shape}, not {array.shape}")
            if not array.flags.c_contiguous or not array.flags.writeable:
                raise BadArrays(f"{name} lies in C order, without gaps, and can be written to")
            if not array.flags.aligned:
                raise BadArrays(f"{name} are aligned to {array.itemsize} bytes")
        for (one, first), (other, second) in combinations(zip(Arrays._fields, self.arrays, strict=True), 2):
            if np.may_share_memory(first, second):  # exact, of arrays without gaps
                raise BadArrays(f"{one} and {other} overlap")


class _Helper:
    """A thread that steps its part of the matches at each `begin`. To hand a step to an executor takes as long as the
    step itself."""

    def __init__(self, raw: RawVector) -> None:
        self._asked: SimpleQueue[int] = SimpleQueue()
        self._answers: SimpleQueue[tuple[int, BaseException | None]] = SimpleQueue()
        self._step = 0
        work = partial(_work, raw, self._asked, self._answers)
        self._thread = threading.Thread(target=work, name="warlog-vector", daemon=True)
        self._thread.start()

    def begin(self) -> None:
        self._step += 1
        self._asked.put(self._step)

    def end(self) -> BaseException | None:
        """Waits until the actions are taken: what went wrong, or None."""
        while True:
            step, failure = self._answers.get()
            if step == self._step:  # nobody waited for an earlier one whose step was interrupted
                return failure

    def stop(self) -> None:
        self._asked.put(0)

    def join(self) -> None:
        self._thread.join()


def _work(
    raw: RawVector, asked: SimpleQueue[int], answers: SimpleQueue[tuple[int, BaseException | None]]
) -> None:
    while step := asked.get():
        try:
            raw.take()
            answers.put((step, None))
        except BaseException as failure:
            answers.put((step, failure))


def _end(helpers: list[_Helper]) -> None:
    for helper in helpers:
        helper.stop()


def _shapes(
    n: int, planes: tuple[int, int, int], n_actions: int, n_seats: int
) -> list[tuple[tuple[int, ...], Any]]:
    return [
        ((n, *planes), np.float32),
        ((n, n_actions), np.uint8),
        ((n, n_seats), np.float32),
        ((n,), np.uint8),
        ((n,), np.int32),
    ]


def _parts(n: int, threads: int) -> list[slice]:
    """The matches of each thread: as many as those of any other, but for one."""
    n_parts = min(n, threads)
    bounds = [n * i // n_parts for i in range(n_parts + 1)]
    return [slice(bounds[i], bounds[i + 1]) for i in range(n_parts)]


def _actions(actions: NDArray[np.integer[Any]], n: int) -> NDArray[np.int32]:
    if not isinstance(actions, np.ndarray) or actions.dtype.kind not in "iu":
        raise BadArrays("actions are an array of integers")
    if actions.shape != (n,):
        raise BadArrays(f"actions have the shape {(n,)}, not {actions.shape}")
    # One look instead of two: what is negative is large without its sign.
    if actions.dtype != np.int32 and actions.astype(np.uint64, copy=False).max() > np.iinfo(np.int32).max:
        raise BadNumber("numbers of actions are not negative, and below 2147483648")
    if actions.flags.carray:  # for which `require` takes several times as long
        return actions.astype(np.int32, copy=False)
    return np.require(actions, np.int32, ["C", "A"])


def _named(part: slice, do: Callable[[], None]) -> None:
    """Does something with the matches of a part. Raises BadNumber with the place of the match among all."""
    try:
        do()
    except BadNumber as error:
        index = part.start + (error.index or 0)
        raise BadNumber("this is the number of no legal action", index) from None
