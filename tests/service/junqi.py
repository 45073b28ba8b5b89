"""Matches of Siguo Junqi over REST: what the tests of accounts, clocks and layouts sit down to."""

from __future__ import annotations

from typing import Any

from tests.service.api import Api, ok

FOUR = ("south", "east", "north", "west")
TWO = ("south", "north")

LAYOUT = [
    "field_marshal", "general", "major_general", "major_general", "brigadier", "bomb", "bomb",
    "brigadier", "colonel", "colonel", "major", "major", "captain", "captain", "captain", "mine",
    "mine", "mine", "lieutenant", "lieutenant", "lieutenant", "flag", "engineer", "engineer",
    "engineer",
]  # fmt: skip
"""A legal layout (4.2)."""

QUICK: dict[str, Any] = {"min_steps_score": 0, "min_steps_resign": 0, "min_steps_draw": 0, "move_seconds": 0}
"""Options of matches that may be given up at once, and count all the same."""


def lobby(
    seats: tuple[str, ...],
    players: list[Api],
    *,
    mode: str = "competitive",
    setup_seconds: int | None = None,
    **options: Any,
) -> str:
    """A lobby in which everybody has taken his seat; whose seat nobody has prepared."""
    chosen = {"players": len(seats), **QUICK, **options}
    wanted = {seat: "me" if seat == seats[0] else "open" for seat in seats}
    more = {} if setup_seconds is None else {"setup_seconds": setup_seconds}
    made = players[0].create(game="junqi", options=chosen, seats=wanted, mode=mode, **more)
    match = str(made["match"]["id"])
    for seat, player in list(zip(seats, players, strict=True))[1:]:
        ok(player.put(f"/matches/{match}/seats/{seat}", {}))
    return match


def started(seats: tuple[str, ...], players: list[Api], **more: Any) -> str:
    """In the layout phase."""
    match = lobby(seats, players, **more)
    for seat, player in zip(seats, players, strict=True):
        ok(player.command(match, {"type": "prepare", "seat": seat}), 201)
    return match


def playing(seats: tuple[str, ...], players: list[Api], **more: Any) -> str:
    """In play, everybody with the layout that came by itself."""
    match = started(seats, players, **more)
    for seat, player in zip(seats, players, strict=True):
        ok(player.act(match, seat, {"type": "ready"}), 201)
    return match


def step(match: str, of: dict[str, Api]) -> str:
    """The seat to move makes its first legal move; which it was."""
    seat: str = next(iter(of.values())).match(match)["to_act"][0]
    listed = ok(of[seat].get(f"/matches/{match}/actions?seat={seat}&type=move"))["actions"]
    ok(of[seat].act(match, seat, listed[0]), 201)
    return seat


def account(player: Api) -> dict[str, Any]:
    found: dict[str, Any] = ok(player.get("/players/me"))
    return found


def gold(player: Api) -> tuple[int, int]:
    """(all of it, what is set aside)"""
    found = account(player)
    return found["player"]["gold"], found["held"]


def standing(player: Api) -> dict[str, Any]:
    (found,) = (one for one in account(player)["player"]["games"] if one["game"] == "junqi")
    return dict(found)
