"""What happens during a load test, window by window, and its pictures: SVG in the page, without a script."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable
from html import escape
from pathlib import Path
from typing import Any

import gevent
import msgspec

from tests.load.bench import cpu_seconds
from tests.load.people import resident

WINDOW_SECONDS = 5.0
COMMANDS = ("act", "undo", "accept", "reject", "prepare")
COLOURS = ("#1764ab", "#c0392b", "#1e8449", "#8e44ad", "#b9770e", "#117a65", "#566573")
STROKES = ('stroke-width="2"', 'stroke-dasharray="3 3"')  # this run, the one before
WIDTH, HEIGHT, LEFT, BOTTOM = 420, 150, 46, 18


class Window(msgspec.Struct):
    """at      seconds since the first player came, at its end
    commands   game → answered commands a second
    answers, deliveries   game → milliseconds, median and p99; where there were none, nothing
    processor  process → share of a core
    memory     process → MB
    """

    at: float
    commands: dict[str, float]
    answers: dict[str, tuple[float, float]]
    deliveries: dict[str, tuple[float, float]]
    processor: dict[str, float]
    memory: dict[str, float]


class Course(msgspec.Struct):
    """Of a whole run. steady: since when all players are there, in seconds like `Window.at`."""

    title: str
    steady: float
    windows: list[Window]


def read(file: Path) -> Course | None:
    """Of the run before. None: there is none, or it is of another form."""
    try:
        return msgspec.json.decode(file.read_bytes(), type=Course)
    except (OSError, msgspec.ValidationError):
        return None


class Recorder:
    """Listens to the requests of all players. commands: so far."""

    def __init__(self, environment: Any, processes: dict[str, int]) -> None:
        self.commands = 0
        self.windows: list[Window] = []
        self._processes = processes
        self._answers: dict[str, list[float]] = defaultdict(list)
        self._deliveries: dict[str, list[float]] = defaultdict(list)
        environment.events.request.add_listener(self._heard)
        self._began = time.monotonic()
        self._task = gevent.spawn(self._run)

    def now(self) -> float:
        """Seconds, as `Window.at`."""
        return time.monotonic() - self._began

    def processor(self) -> float:
        """Seconds that the serving processes have spent so far."""
        return sum(cpu_seconds(pid) for name, pid in self._processes.items() if name != "Redis")

    def stop(self) -> None:
        self._task.kill()

    def _heard(self, request_type: str, name: str, response_time: float, exception: object, **_: Any) -> None:
        what, bracket, game = name.partition(" [")
        if exception is not None or not bracket:
            return
        if request_type == "POST" and what.split(" ")[-1] in COMMANDS:
            self.commands += 1
            self._answers[game[:-1]].append(response_time)
        elif what == "delivery":
            self._deliveries[game[:-1]].append(response_time)

    def _run(self) -> None:
        before, spent = self.now(), self._spent()
        while True:
            gevent.sleep(WINDOW_SECONDS)
            now, all_spent = self.now(), self._spent()
            took = now - before
            answers, deliveries = dict(self._answers), dict(self._deliveries)
            self._answers.clear()
            self._deliveries.clear()
            self.windows.append(
                Window(
                    now,
                    {game: len(found) / took for game, found in answers.items()},
                    {game: _percentiles(found) for game, found in answers.items()},
                    {game: _percentiles(found) for game, found in deliveries.items()},
                    {name: (all_spent[name] - spent[name]) / took for name in spent},
                    {name: resident(pid) / 1e6 for name, pid in self._processes.items()},
                )
            )
            before, spent = now, all_spent

    def _spent(self) -> dict[str, float]:
        return {name: cpu_seconds(pid) for name, pid in self._processes.items()}


def _percentiles(found: list[float]) -> tuple[float, float]:
    """Median and p99."""
    ordered = sorted(found)
    return ordered[len(ordered) // 2], ordered[int(0.99 * len(ordered))]


def pictures(course: Course, before: Course | None) -> str:
    """The run before is drawn with thin dashed lines."""
    both = [course] if before is None else [course, before]
    drawn = [
        _picture("commands answered a second, by game", both, lambda one: one.commands),
        _picture("ms from a command to its answer, median", both, lambda one: _of(one.answers, 0)),
        _picture("ms from a command to its answer, p99", both, lambda one: _of(one.answers, 1)),
        _picture("ms from a command to the feeds of its match, median", both, lambda one: _of(one.deliveries, 0)),
        _picture("ms from a command to the feeds of its match, p99", both, lambda one: _of(one.deliveries, 1)),
        _picture("processor, cores of each process", both, lambda one: one.processor),
        _picture("memory of each process, MB", both, lambda one: one.memory),
    ]  # fmt: skip
    beside = "" if before is None else f"; thin and dashed: {escape(before.title)}"
    said = f"{escape(course.title)}{beside}. In the grey part players were still coming."
    return f'<p>{said}</p><div class="pictures">{"".join(drawn)}</div>'


def _of(both: dict[str, tuple[float, float]], index: int) -> dict[str, float]:
    return {game: found[index] for game, found in both.items()}


def _picture(title: str, courses: list[Course], values: Callable[[Window], dict[str, float]]) -> str:
    lines = [
        {
            name: [(one.at, values(one)[name]) for one in course.windows if name in values(one)]
            for name in sorted({name for one in course.windows for name in values(one)})
        }
        for course in courses
    ]
    points = [point for course in lines for line in course.values() for point in line]
    if not points:
        return ""
    last, most = max(x for x, _ in points), max(max(y for _, y in points), 1e-9)
    names = sorted({name for course in lines for name in course})
    colour = {name: COLOURS[number % len(COLOURS)] for number, name in enumerate(names)}

    def x(seconds: float) -> float:
        return LEFT + seconds / last * (WIDTH - LEFT - 6)

    def y(value: float) -> float:
        return HEIGHT - BOTTOM - value / most * (HEIGHT - BOTTOM - 8)

    width, height = x(courses[0].steady) - LEFT, HEIGHT - BOTTOM - 8
    coming = f'<rect x="{LEFT}" y="8" width="{width:.1f}" height="{height}" fill="#eee"/>'
    grid = "".join(
        f'<path d="M{LEFT} {y(most * part):.1f}H{WIDTH - 6}" stroke="#ddd"/>'
        f'<text x="{LEFT - 4}" y="{y(most * part) + 4:.1f}" text-anchor="end">{_short(most * part)}</text>'
        for part in (0, 0.5, 1)
    )
    seconds = "".join(
        f'<text x="{x(last * part):.1f}" y="{HEIGHT - 4}" text-anchor="middle">{last * part:.0f} s</text>'
        for part in (0, 0.5, 0.96)
    )
    drawn = "".join(
        f'<polyline points="{" ".join(f"{x(at):.1f},{y(value):.1f}" for at, value in line)}" fill="none" '
        f'stroke="{colour[name]}" {STROKES[number]}/>'
        for number, course in enumerate(lines)
        for name, line in course.items()
    )
    legend = " ".join(f'<span style="color:{colour[name]}">■ {escape(name)}</span>' for name in names)
    return (
        f"<figure><figcaption>{escape(title)}</figcaption>"
        f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{escape(title)}">'
        f"{coming}{grid}{seconds}{drawn}</svg>"
        f"<small>{legend}</small></figure>"
    )


def _short(value: float) -> str:
    return f"{value:,.0f}" if value >= 10 else f"{value:.2g}"
