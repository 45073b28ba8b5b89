"""`make simulate ARGS="--seeds 100"`: that many bad days, each repeatable by its seed."""

from __future__ import annotations

import argparse
import ctypes
import os
import random
import signal
import sys
import time
from collections import Counter
from pathlib import Path

ADDR_NO_RANDOMIZE = 0x0040000


def main() -> int:
    given = _parser().parse_args()
    signal.signal(
        signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM)
    )  # so that what was started ends, too
    from tests.simulate import campaign
    from tests.simulate.mutants import MUTANTS

    if given.mutant and given.mutant not in MUTANTS:
        print("\n".join(f"{one.name:38} {one.says}" for one in MUTANTS.values()))
        return 2
    try:
        if given.seed is not None:
            report = campaign.one(given.seed, given.mutant)
            _tell(report, given.mutant, shrink=not given.as_it_was, whole=given.whole)
            return int(bool(report.findings) != bool(given.mutant))
        return _many(given)
    finally:
        campaign.end()


def _many(given: argparse.Namespace) -> int:
    from tests.simulate import campaign
    from tests.simulate.mutants import MUTANTS

    first = given.first if given.first is not None else random.SystemRandom().randrange(10**6)
    done = _done(given.resume)
    count = MUTANTS[given.mutant].within if given.mutant and given.seeds is None else given.seeds or 100
    seeds = [seed for seed in range(first, first + count) if seed not in done]
    jobs = 1 if given.mutant else given.jobs or min(os.cpu_count() or 1, 4)
    left = f", {len(done)} of them done before" if done else ""
    print(f"seeds {first} to {first + count - 1}{left} (--first {first} repeats them), {jobs} processes")
    began, hours, survived, faults, figures = time.perf_counter(), 0.0, 0, Counter[str](), Counter[str]()
    failed: list[int] = []
    for number, report in enumerate(campaign.each(seeds, jobs, given.mutant), 1):
        hours += report.hours
        faults.update(fault.kind for fault in report.faults)
        figures.update(report.figures)
        if report.findings:
            failed.append(report.seed)
            print(f"seed {report.seed} fails, the {number}. that was tried", flush=True)
            _tell(report, given.mutant, shrink=not given.as_it_was)
            if given.mutant:
                break
        else:
            survived += 1
            _note(given.resume, report.seed)
        if number % 10 == 0:
            print(f"  {number} seeds, {number / (time.perf_counter() - began):.2f} a second", flush=True)
    seconds = time.perf_counter() - began
    tried = survived + len(failed)
    print(
        f"{tried} seeds in {seconds:.0f} s: {tried / seconds:.2f} seeds a second, "
        f"{seconds / max(tried, 1):.2f} s each; {hours:.2f} simulated hours"
    )
    print("faults: " + ", ".join(f"{count} {kind}" for kind, count in sorted(faults.items())))
    print("; ".join(f"{count} {name}" for name, count in figures.items()))
    print(f"{survived} survived, {len(failed)} failed" + (f": {failed}" if failed else ""))
    return int(bool(failed) != bool(given.mutant))


def _tell(report: object, mutant: str, *, shrink: bool = True, whole: bool = False) -> None:
    """What was found, the faults that it needs, and what happened."""
    from tests.simulate import campaign
    from tests.simulate.run import Report
    from tests.simulate.timeline import around

    assert isinstance(report, Report)
    if report.findings and shrink:
        report = campaign.fewest(report, mutant)
    repeat = f"--seed {report.seed}" + (f" --mutant {mutant}" if mutant else "")
    print(f'\nseed {report.seed}, timeline {report.digest} (make simulate ARGS="{repeat}")')
    for finding in report.findings[:8]:
        print(f"  FOUND  {finding[:600]}")
    print(
        "  faults:" + "".join(f"\n    {fault}" for fault in report.faults)
        if report.faults
        else "  without any fault"
    )
    lines = report.lines if whole else around(report.lines, report.findings[:3])
    if report.findings or whole:
        print("  timeline:")
        for line in lines:
            print(f"    {line}")
    print()


def _done(file: Path | None) -> set[int]:
    return {int(line) for line in file.read_text().split()} if file is not None and file.exists() else set()


def _note(file: Path | None, seed: int) -> None:
    if file is not None:
        with file.open("a") as lines:
            lines.write(f"{seed}\n")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="simulate", description="A whole Warlog through bad days, by seed.")
    parser.add_argument(
        "--seeds", type=int, help="how many; default 100, with --mutant as many as it may take"
    )
    parser.add_argument("--first", type=int, help="the first of them; default any")
    parser.add_argument("--seed", type=int, help="this one alone, with its timeline")
    parser.add_argument(
        "--whole", action="store_true", help="with --seed: the whole timeline, nothing shrunk"
    )
    parser.add_argument("--as-it-was", action="store_true", help="a failure is told with all its faults")
    parser.add_argument("--mutant", default="", help="with this bug in the service; `list` lists them")
    parser.add_argument("--jobs", type=int, help="processes; default one for each processor, at most 4")
    parser.add_argument(
        "--resume", type=Path, help="a file in which survived seeds are noted and not run again"
    )
    return parser


def _alike() -> None:
    """Python begins again with the same hashes, and the same addresses where the system lets us: two runs of a seed
    are the same to the byte."""
    if os.environ.get("PYTHONHASHSEED") == "0":
        return
    if sys.platform == "linux":
        ctypes.CDLL(None).personality(ADDR_NO_RANDOMIZE)
    os.environ["PYTHONHASHSEED"] = "0"
    os.execv(sys.executable, [sys.executable, "-m", "tests.simulate", *sys.argv[1:]])


if __name__ == "__main__":
    _alike()
    sys.exit(main())
