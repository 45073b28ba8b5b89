"""What a match is found by in the lists of matches (workers/lobby.py): a few public fields of its summary."""

from collections.abc import Mapping
from typing import Any

import msgspec

from .match import Match, milliseconds
from .model import STRANGER


class LobbyEntry(msgspec.Struct, frozen=True):
    """What a match is found by.

    open        anybody may take a seat
    players     all who may know of it
    idle_since  in the lobby: when something last happened, in ms
    """

    game: str
    status: str
    mode: str
    public: bool
    open: bool
    players: list[str]
    created_at: int
    idle_since: int | None = None


def entry_of(summary: Mapping[str, Any]) -> LobbyEntry:
    """From a spectator's summary of the match (match.Match.summary)."""
    seats = summary["seats"]
    players = {seat["player"]["id"] for seat in seats if seat["player"] is not None}
    players |= {entry["player"]["id"] for entry in summary.get("joined", ())}
    in_lobby = summary["status"] == "lobby"
    is_open = in_lobby and any(
        seat["player"] is None and not seat.get("by_invitation", False) for seat in seats
    )
    return LobbyEntry(
        summary["game"],
        summary["status"],
        summary["mode"],
        summary["visibility"] == "public",
        is_open,
        sorted(players | {summary["creator"]["id"]}),
        milliseconds(summary["created_at"]),
        milliseconds(summary["updated_at"]) if in_lobby else None,
    )


def lobby_entry_json(match: Match) -> bytes:
    """The match's entry, encoded. After the lobby it changes only together with the summary's start or the
    status."""
    return msgspec.json.encode(entry_of(match.summary(STRANGER)))
