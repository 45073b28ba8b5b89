"""What clients saw: each command with what became of it, each reading of a feed, each pairing."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

Outcome = Literal["done", "refused", "unknown"]


@dataclass
class Command:
    """One command of a player under one key, however often it was sent.

    outcome  what the last answer said; `unknown`: nobody answered, or an earlier sending may still have been done
    version  of its event, if it is done
    began, ended   when it was first sent, and when the last answer came
    """

    player: str
    match: str
    key: str
    body: dict[str, Any]
    began: float
    ended: float = 0.0
    outcome: Outcome = "unknown"
    code: str = ""
    version: int = 0
    answers: list[bytes] = field(default_factory=list)
    sent: int = 0


@dataclass
class Reading:
    """One connection of a reader to the feed of a match: (version, type, data, when)."""

    reader: str
    match: str
    seats: tuple[str, ...]
    after: int
    began: float
    token: str | None
    events: list[tuple[int, str, dict[str, Any], float]] = field(default_factory=list)
    closing: str = ""
    ended: float = 0.0


@dataclass
class Waiting:
    """One entry for a pairing, and the matches that it was ever said to have become."""

    player: str
    entry: str
    matches: set[str] = field(default_factory=set)
    status: str = ""


@dataclass
class History:
    players: dict[str, str] = field(default_factory=dict)  # id → name
    tokens: dict[str, str] = field(default_factory=dict)
    matches: dict[str, list[str]] = field(default_factory=dict)  # match → the ids of its players
    commands: list[Command] = field(default_factory=list)
    readings: list[Reading] = field(default_factory=list)
    pairings: list[Waiting] = field(default_factory=list)
    created: dict[str, set[str]] = field(
        default_factory=dict
    )  # key of a creation → ids that it was answered with
    deadlines: dict[tuple[str, int, str], float] = field(default_factory=dict)  # match, version, seat → ms
    given_up: set[str] = field(
        default_factory=set
    )  # matches that cannot go on, since something of them is lost
    broken: list[str] = field(default_factory=list)  # what no client should ever get
    appended: dict[tuple[str, int], list[float]] = field(
        default_factory=dict
    )  # when Redis has done it: network.py
    refusals: dict[str, int] = field(default_factory=dict)
