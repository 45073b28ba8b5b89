"""docs/STRENGTH.md and docs/BALANCE.md, from the results of the ladder."""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path
from statistics import median

import warlog_core
from tests.ladder import many_seats
from tests.ladder.many_seats import Shared
from tests.ladder.matches import CLEAR, Idle, Played, Served, Timed
from tests.ladder.players import numbers_of
from tests.ladder.statistics import Score, is_settled, likelihood, ratings
from tests.ladder.tables import TABLES
from warlog_core import LEVELS

ROOT = Path(__file__).resolve().parent.parent.parent
Result = Played | Timed | Shared | Served | Idle
NAMES = {"random", "greedy", *map(str, LEVELS)}
STRONG = {"7", "8"}  # whose matches show how fair a game is
FAIR = 0.6
ENOUGH = 20  # matches of which something may be said
UNJOINED = 2_000  # a standard error that says that nothing is known

STRENGTH = """# How strong the computer opponents are

Written by `make ladder` (`python -m tests.ladder --report`) from its results. What is measured:

* **Levels** 1 to 8 (`warlog_core.level`), against each other, against **random** play (any listed action, once it has
  prepared itself as the levels without a book do) and against **greedy** play (one action ahead: of all listed actions
  the one with the best `evaluate` after it, on average over three worlds and dice that its seat thinks possible). Every
  player sees what its seat may see.
* **Matches** in pairs: the same seed for all draws, with the seats swapped; two seats or two teams. A match that is not
  over after the table's limit of actions is judged by `evaluate`: won from {clear} % on, else drawn.
* **Part** is the part of their iterations that both levels may use: a twentieth of level 8's is the most, so that
  matches are quick. A full match has part "all"; the weakest levels always play with all they have.
* Playing stops when the question is settled by a sequential test (5 % errors of either kind; of neighbours it asks:
  50 % or 60 %?), when the number of matches is reached, or when time is up. A draw is half a win. Intervals are
  Wilson's, of 95 %; that tests stop early makes them a little too narrow.
* **Elo**: the likeliest ratings by all results of the table, random play being 0, with standard errors. All results of
  a level count for it, whatever its part was. Where nearly every match is won, the difference is a lower bound.
* Levels play as the house's bots do, with their books and beliefs (level 8 of both kinds of chess begins by a book of
  openings). `SEARCH_VERSION` was {version} when this was
  written.
* **At random**: the share of a level's actions that chance chooses, out of 2 or 64 that are drawn, but for those that
  are much worse at a glance (`drawn` and `slip` in `rules/<game>_opponent.json`).
* Every action of every match was allowed: a match ends with an error where one is not.

What a belief is worth and how quick OpenSpiel's search is stands in [PERFORMANCE.md](PERFORMANCE.md).

"""

BALANCE = """# How fair the games are

Written by `make ladder` (`python -m tests.ladder --report`) from its results: matches of the computer opponents of
levels 7 and 8 against each other and themselves, at a twentieth of their iterations or more
([STRENGTH.md](STRENGTH.md) has the settings), with the options that are named there. The first side is that of the
first seat. The rules stay as they are, whatever is found here. `SEARCH_VERSION` was {version} when this was written.

"""


def version_of(game: str) -> str:
    """Names what a game's levels depend on: their numbers, the search, the game's rules and its judgement."""
    core = ROOT / "core_c"
    files = [
        core / "src" / "search.c",
        core / "src" / "playing.c",
        core / "src" / "belief.c",
        *sorted((core / "src" / "games").glob(f"{game}*.[ch]")),
        core / "warlog_core" / "rules" / f"{game}_opponent.json",
        core / "warlog_core" / "rules" / f"{game}_openings.json",
        core / "warlog_core" / "levels.py",
    ]
    digest = hashlib.sha256()
    for file in files:
        digest.update(file.read_bytes() if file.is_file() else b"")
    return digest.hexdigest()[:12]


def write_reports(results: Sequence[Result], folder: Path = ROOT / "docs") -> None:
    """Of each table the results of the version that was played last."""
    shared: dict[str, list[Shared]] = {table: [] for table in many_seats.TABLES}
    matches: dict[str, list[Played]] = {table: [] for table in TABLES}
    searches: dict[str, list[Played]] = {table: [] for table in TABLES}
    times: dict[str, list[Timed]] = {table: [] for table in TABLES}
    service: list[Served | Idle] = []
    for one in results:
        if isinstance(one, Timed):
            times[one.table].append(one)
        elif isinstance(one, Shared):
            shared[one.table].append(one)
        elif isinstance(one, Served | Idle):
            service.append(one)
        elif {*one.players} <= NAMES:
            matches[one.table].append(one)
        else:
            searches[one.table].append(one)
    for table, played in matches.items():
        matches[table] = [one for one in played if one.version == played[-1].version]
        searches[table] = [one for one in searches[table] if played and one.version == played[-1].version]
    head = STRENGTH.format(clear=round(100 * CLEAR), version=warlog_core.SEARCH_VERSION)
    strength = [head, *_aims(matches), *_order(matches, searches, times), *_speed(times), *_service(service)]
    for table, played in matches.items():
        strength += _strength_of(table, played, times[table])
    (folder / "STRENGTH.md").write_text("\n".join(strength).rstrip() + "\n", encoding="utf-8")
    for table, seats in shared.items():
        shared[table] = [one for one in seats if one.version == seats[-1].version]
    balance = [BALANCE.format(version=warlog_core.SEARCH_VERSION), *_balance(matches), *_by_seat(shared)]
    (folder / "BALANCE.md").write_text("\n".join(balance).rstrip() + "\n", encoding="utf-8")


def _scores(played: Iterable[Played]) -> dict[tuple[str, str, float], Score]:
    """By pair and part, each pair in one order: the higher level first, random and greedy play last."""
    found: dict[tuple[str, str, float], Score] = {}
    for one in played:
        names = one.players
        ordered = sorted(names, key=_rank)
        points = one.points if list(names) == ordered else 1 - one.points
        key = (ordered[0], ordered[1], one.shares[0])
        if names[0] != names[1]:
            found[key] = found.get(key, Score()).plus(points)
    return dict(sorted(found.items(), key=lambda item: [_rank(name) for name in item[0][:2]] + [item[0][2]]))


def _rank(name: str) -> int:
    return -int(name) if name.isdecimal() else 1 if name == "greedy" else 2


def _percent(score: Score) -> str:
    low, high = score.interval()
    return f"{100 * score.share:.0f} % ({100 * low:.0f} to {100 * high:.0f})"


def _counts(score: Score) -> str:
    return f"{score.won}, {score.drawn}, {score.lost}"


def _part(share: float) -> str:
    return "all" if share == 1 else f"1/{1 / share:.3g}"


# ---- strength --------------------------------------------------------------------------------------------------


def _aims(matches: dict[str, list[Played]]) -> list[str]:
    lines = [
        "## What was aimed at",
        "",
        "Level 8 is to have 98 % against random play and 85 % against greedy play, level 1 at most 70 % against",
        f"random play. An aim is missed when the interval ends before it, and open with fewer than {ENOUGH} matches.",
        "",
        "| table | part | level 8 : random | level 8 : greedy | level 1 : random |",
        "|---|---|---|---|---|",
    ]
    for table, played in matches.items():
        scores = _scores(played)
        for share in sorted({key[2] for key in scores if key[0] == "8" and key[1] in ("random", "greedy")}):
            cells = [
                _aim(scores.get(("8", "random", share)), 0.98),
                _aim(scores.get(("8", "greedy", share)), 0.85),
                _aim(scores.get(("1", "random", 1.0)), 0.7, at_most=True),
            ]
            lines.append(f"| {table} | {_part(share)} | {' | '.join(cells)} |")
    return [*lines, ""]


NEIGHBOURS = 0.6
SLOWEST_MS = 1500


def _order(
    matches: dict[str, list[Played]], searches: dict[str, list[Played]], times: dict[str, list[Timed]]
) -> list[str]:
    lines = [
        f"Each level is to have about {100 * NEIGHBOURS:.0f} % against the one below, by the sequential test (50 % or",
        f"{100 * NEIGHBOURS:.0f} %?; with the part where it is not reached), twice the iterations are to be worth",
        f"something, and level 8 is to answer within {SLOWEST_MS:,} ms of processor time 99 times of 100. Twice the",
        "iterations: all matches of the next table together; the interval has to be above 50 %.",
        "",
        "| table | levels against the one below | twice the iterations | level 8, ms, 99 % |",
        "|---|---|---|---|",
    ]
    for table, played in matches.items():
        if not played:
            continue
        scores = _scores(played)
        below = [
            (one, share, of_neighbours(score))
            for (one, two, share), score in scores.items()
            if one.isdecimal() and two == str(int(one) - 1)
        ]
        reached = {one for one, _, found in below if found == "reached"}
        said = [f"reached: {', '.join(sorted(reached))}"] if reached else []
        said += [
            f"{verdict}: {', '.join(of)}"
            for verdict in ("missed", "open")
            if (of := [f"{one} ({_part(share)})" for one, share, found in below if found == verdict])
        ]
        doubled = sum(of_doubled(searches[table]).values(), Score())
        timed = [one for one in times[table] if one.level == LEVELS[-1]]
        slow = f"{timed[-1].slowest:.0f}: " if timed else "–"
        if timed:
            slow += "reached" if timed[-1].slowest <= SLOWEST_MS else "missed"
        low, high = doubled.interval()
        worth = "reached" if low > 0.5 else "missed" if high < 0.5 else "open"
        lines.append(
            f"| {table} | {'; '.join(said)} | {_percent(doubled)} of {doubled.n}: {worth} | {slow} |"
        )
    return [*lines, "", *_doublings(searches)]


def _doublings(searches: dict[str, list[Played]]) -> list[str]:
    doubled = {table: of_doubled(played) for table, played in searches.items()}
    counts = sorted({count for scores in doubled.values() for count, _ in scores})
    if not counts:
        return []
    lines = [
        "So many iterations against half as many, both searches as the game's levels go about it, but without actions",
        "at random, and without a belief where none is named:",
        "",
        f"| table | {' | '.join(f'{count:,}' for count in counts)} |",
        f"|---|{'---|' * len(counts)}",
    ]
    for table, scores in doubled.items():
        for belief in sorted({belief for _, belief in scores}):
            cells = [
                f"{_percent(score)} of {score.n}" if (score := scores.get((count, belief))) else "–"
                for count in counts
            ]
            lines.append(f"| {table}{', with a belief' if belief else ''} | {' | '.join(cells)} |")
    return [*lines, ""]


def of_neighbours(score: Score) -> str:
    """Is a level stronger than the one below?"""
    if not is_settled(score, 0.5, NEIGHBOURS):
        return "open"
    return "reached" if likelihood(score, 0.5, NEIGHBOURS) > 0 else "missed"


def of_doubled(played: Iterable[Played]) -> dict[tuple[int, bool], Score]:
    """Of searches with twice the iterations of the other, which is otherwise the same: by their iterations, and whether
    both have a belief."""
    scores: dict[tuple[int, bool], Score] = {}
    for one in played:
        (first, belief), (second, other) = (_iterations_of(name) for name in one.players)
        if belief != other:
            continue
        if first == 2 * second > 0:
            scores[first, belief] = scores.get((first, belief), Score()).plus(one.points)
        elif second == 2 * first > 0:
            scores[second, belief] = scores.get((second, belief), Score()).plus(1 - one.points)
    return scores


def _iterations_of(name: str) -> tuple[int, bool]:
    """And whether it has a belief; 0 for what is not a search that has the usual settings."""
    numbers = numbers_of(name)
    iterations, belief = numbers.pop("iterations", 0), bool(numbers.pop("belief", 0))
    return (0 if numbers else iterations), belief


def _aim(score: Score | None, aim: float, *, at_most: bool = False) -> str:
    if score is None:
        return "–"
    low, high = score.interval()
    missed = low > aim if at_most else high < aim
    reached = score.n >= ENOUGH and (score.share <= aim if at_most else score.share >= aim)
    return f"{_percent(score)} of {score.n}: {'missed' if missed else 'reached' if reached else 'open'}"


def _strength_of(table: str, played: list[Played], times: list[Timed]) -> list[str]:
    if not played:
        return []
    row = TABLES[table]
    options = f"`{row.options}`" if row.options else "the usual ones"
    scores = _scores(played)
    lines = [
        f"## {warlog_core.game(row.game).codec.title}: `{table}`",
        "",
        f"Options: {options}; at most {row.actions_max} actions; {len(played)} matches.",
        "",
        "| players | part | won, drawn, lost | share (95 %) |",
        "|---|---|---|---|",
    ]
    for (one, two, share), score in scores.items():
        lines.append(f"| {one} : {two} | {_part(share)} | {_counts(score)} | {_percent(score)} |")
    return [*lines, "", *_levels(table, played, scores, times), ""]


def _levels(
    table: str, played: list[Played], scores: dict[tuple[str, str, float], Score], times: list[Timed]
) -> list[str]:
    elo = ratings(_of_pairs(scores), "random")
    speed = _speeds(played)
    lines = [
        "| player | iterations | at random | Elo | actions a second | at full length, ms: median, 99 % |",
        "|---|---|---|---|---|---|",
    ]
    game = TABLES[table].game
    for name in [*map(str, reversed(LEVELS)), "greedy", "random"]:
        if name not in elo or name not in speed:
            continue
        value, error = elo[name]
        cells = ["", "", _elo(value, error) if name != "random" else "0", f"{speed[name]:.0f}", ""]
        if name.isdecimal():
            level = warlog_core.level(game, int(name))
            cells[:2] = f"{level.iterations:,}", f"{100 * level.random:.0f} %"
            if timed := [one for one in times if one.level == int(name)]:
                cells[4] = f"{timed[-1].median:.0f}, {timed[-1].slowest:.0f}"
        lines.append(f"| {name} | {' | '.join(cells)} |")
    return lines


def _of_pairs(scores: dict[tuple[str, str, float], Score]) -> dict[tuple[str, str], Score]:
    """All parts together."""
    pairs: dict[tuple[str, str], Score] = {}
    for (one, two, _), score in scores.items():
        pairs[one, two] = pairs.get((one, two), Score()) + score
    return pairs


def _elo(value: float, error: float) -> str:
    """Nothing for who has met nobody that, by others, has met random play."""
    return f"{value:.0f} ± {error:.0f}" if error < UNJOINED else "–"


def _speed(times: dict[str, list[Timed]]) -> list[str]:
    lines = [
        "## What the search costs",
        "",
        "Of level 8, on one core, processor time; with whatever else this machine did.",
        "",
        "| table | iterations a second | samples a second | bytes of arena per 1,000 iterations, at most |",
        "|---|---|---|---|",
    ]
    for table, timed in times.items():
        if timed:
            last = timed[-1]
            lines.append(f"| {table} | {last.iterations:,.0f} | {last.samples:,.0f} | {last.memory:,.0f} |")
    return [*lines, ""]


def _service(found: Sequence[Served | Idle]) -> list[str]:
    """Of each number of matches the last measurement."""
    served = {(one.level, one.matches): one for one in found if isinstance(one, Served)}
    idle = [one for one in found if isinstance(one, Idle)]
    lines = ["## As players", ""] if found else []
    if served:
        lines += [
            "People who act at random, over REST, against one process of the house's bots on one core, in all games",
            "(`tests.load.opponents --core 0`). Everybody is to be answered within five seconds, and no bot is to lose",
            "on time.",
            "",
            "| level | matches at once | answers | seconds until one: median, 99 %, longest | iterations of a search |"
            " clock, time-outs |",
            "|---|---|---|---|---|---|",
        ]
    for _, one in sorted(served.items()):
        waits = f"{one.median:.2f}, {one.slowest:.2f}, {one.longest:.2f}"
        lines.append(
            f"| {one.level} | {one.matches} | {one.answers:,} | {waits} | {one.iterations:,.0f} |"
            f" {one.move_seconds} s, {one.timeouts} |"
        )
    if idle:
        lines += [
            "",
            f"A server whose bots sit in no match takes {idle[-1].percent:.2f} % of a core more than one without bots"
            " (aim: at most 0.3 %).",
        ]
    return [*lines, ""] if lines else []


def _speeds(played: list[Played]) -> dict[str, float]:
    """Actions per second of one core, by player."""
    seconds, actions = defaultdict[str, float](float), Counter[str]()
    for one in played:
        for name, took, thought in zip(one.players, one.seconds, one.thought, strict=True):
            seconds[name] += took
            actions[name] += thought
    return {name: actions[name] / max(seconds[name], 1e-3) for name in actions}


# ---- balance ---------------------------------------------------------------------------------------------------


def _balance(matches: dict[str, list[Played]]) -> list[str]:
    lines = [
        f"Where one side has more than 60 % of {ENOUGH} matches or more, a line below the table says so.",
        "",
        "| table | matches | first side won | second | drawn | share of the first | actions: median, most | cut off |",
        "|---|---|---|---|---|---|---|---|",
    ]
    said = []
    for table, played in matches.items():
        fair = [one for one in played if {*one.players} <= STRONG]
        if not fair:
            continue
        score = Score()
        for one in fair:
            score = score.plus(one.points)
        lengths = [one.actions for one in fair]
        cut = sum(one.reason == "cut off" for one in fair)
        lines.append(
            f"| {table} | {score.n} | {score.won} | {score.lost} | {score.drawn} | {_percent(score)} |"
            f" {median(lengths):.0f}, {max(lengths)} | {cut} |"
        )
        if score.n >= ENOUGH and max(score.share, 1 - score.share) > FAIR:
            which = "first" if score.share > FAIR else "second"
            low, high = score.interval()
            sure = low > 0.5 or high < 0.5
            said.append(
                f"* `{table}`: the {which} side has more than 60 %{'' if sure else ', which may be chance'}."
            )
    reasons = ["", "How matches ended:", ""]
    for table, played in matches.items():
        fair = [one for one in played if {*one.players} <= STRONG]
        if fair:
            counted = Counter(one.reason for one in fair).most_common()
            reasons.append(f"* `{table}`: " + ", ".join(f"{n} × {reason}" for reason, n in counted) + ".")
    return [*lines, "", *said, *reasons]


def _by_seat(shared: dict[str, list[Shared]]) -> list[str]:
    if not any(shared.values()):
        return []
    lines = [
        "",
        "## Every seat for itself",
        "",
        "Level 8 on all seats, at a twentieth of its iterations. Strength is not measured at these tables.",
        "",
        "| table | options | matches | won by | drawn | cut off | actions: median, most |",
        "|---|---|---|---|---|---|---|",
    ]
    said = []
    for table, played in shared.items():
        if not played:
            continue
        row = many_seats.TABLES[table]
        won = Counter(one.winners[0] for one in played if len(one.winners) == 1)
        cut = sum(one.reason == "cut off" for one in played)
        lengths = [one.actions for one in played]
        by = ", ".join(f"{seat} {won[seat]}" for seat in played[0].seats)
        options = f"`{row.options}`" if row.options else "the usual ones"
        lines.append(
            f"| {table} | {options} | {len(played)} | {by} | {len(played) - won.total() - cut} | {cut} |"
            f" {median(lengths):.0f}, {max(lengths)} |"
        )
        most, count = won.most_common(1)[0] if won else ("", 0)
        if len(played) >= ENOUGH and count > FAIR * len(played):
            said.append(f"* `{table}`: {most} has more than 60 %.")
    return [*lines, "", *said]
