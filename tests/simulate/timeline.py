"""What happened in a run: a digest of every byte that was delivered, and lines for people."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Sequence

LINE_CHARACTERS_MAX = 230
LINES_MAX = 120
AROUND_S = 0.8
MATCH = re.compile(r"m_\d{3}_[a-z2-7]{16}")
COMMAND = re.compile(r"player \d-\d{5}")
VERSION = re.compile(r"version (\d+)")


class Timeline:
    def __init__(self, now: Callable[[], float]) -> None:
        self._now = now
        self._digest = hashlib.blake2b(digest_size=8)
        self.lines: list[tuple[float, str]] = []
        self.got: dict[str, list[tuple[float, bytes]]] = {}  # by client, every byte that came, and when

    def delivered(self, kind: str, number: int, *parts: bytes) -> None:
        """What was delivered, for the digest alone."""
        self._digest.update(f"{self._now():.6f} {kind} {number} ".encode())
        for part in parts:
            self._digest.update(part)

    def came(self, client: str, status: int, piece: bytes) -> None:
        """To a client."""
        self.delivered(client, status, piece)
        self.got.setdefault(client, []).append((self._now(), piece))

    def note(self, text: str) -> None:
        now = self._now()
        self._digest.update(f"{now:.6f} {text}".encode())
        self.lines.append((now, text[:LINE_CHARACTERS_MAX]))

    @property
    def digest(self) -> str:
        return self._digest.hexdigest()

    @property
    def written(self) -> list[str]:
        return [f"{at:10.4f}  {text}" for at, text in self.lines]


def around(lines: Sequence[str], findings: Sequence[str]) -> list[str]:
    """The lines that explain these findings: their matches, at the time of the versions and commands that they name;
    and every fault, start and end until then."""
    said = " ".join(findings)
    matches = set(MATCH.findall(said))
    names = set(COMMAND.findall(said)) | {f" {number} " for number in VERSION.findall(said)}
    ours = [line for line in lines if any(match in line for match in matches)]
    times = [_at(line) for line in ours if any(name in f"{line} " for name in names)] or [_at(lines[-1])]
    shown = []
    for line in lines:
        at = _at(line)
        if MATCH.search(line) is None:
            near = at <= max(times) + AROUND_S
        else:
            near = any(match in line for match in matches) and any(abs(at - one) < AROUND_S for one in times)
        if near:
            shown.append(line)
    left_out = len(shown) - LINES_MAX
    if left_out > 0:
        shown = [*shown[: LINES_MAX // 2], f"… {left_out} lines", *shown[-LINES_MAX // 2 :]]
    return shown


def _at(line: str) -> float:
    return float(line.split()[0])
