"""Events hold players' ids. Their names are taken from the accounts when events are read; no account is ever renamed.

0.1 stored names in its events. They are part of its chains, and stay.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, TypeVar

import msgspec
from msgspec.structs import replace

from .model import BODIES, Body, Player
from .stored import StoredEvent

SOMEBODY = "somebody"
"""The name of everybody who has left for good."""

# The fields of bodies that hold players: one, or one for each seat.
ONE, BY_SEAT = ("player", "creator"), ("holders", "saved")

B = TypeVar("B", bound=msgspec.Struct)


class _Players(msgspec.Struct):
    """What a stored body says of players, whatever its type."""

    player: Player | None = None
    creator: Player | None = None
    holders: dict[str, Player] = {}


_players = msgspec.json.Decoder(_Players)
_FIELDS = {
    body: tuple(name for name in (*ONE, *BY_SEAT) if name in body.__struct_fields__)
    for body in BODIES.values()
}


def without_names(body: B) -> B:
    """As it is stored."""
    if not _FIELDS[type(body)]:  # an action, as most
        return body
    return _with(body, lambda player: Player(player.id) if player.name else player)


def with_names(body: Body, names: Mapping[str, str]) -> Body:
    """`names`: player id → name. A player whose name is stored, or is not among them, stays as he is; but who has left
    for good is somebody, whatever is stored."""
    if not names:
        return body

    def named(player: Player) -> Player:
        name = names.get(player.id, "")
        return player if player.name and name != SOMEBODY else Player(player.id, name)

    return _with(body, named)


def names_in(body: Body) -> dict[str, str]:
    """Player id → name, of those that the body names."""
    return {player.id: player.name for player in _in(body) if player.name}


def players_in(events: Iterable[StoredEvent]) -> set[str]:
    """The ids of players in these events, as far as the events can be read at all. Nobody asks for the names of those
    for whom a match was saved."""
    found: set[str] = set()
    for event in events:
        if event.type == "action_taken":
            continue
        try:
            said = _players.decode(event.body)
        except (ValueError, RecursionError, msgspec.MsgspecError):
            continue  # who replays the event raises IntegrityError
        found.update(
            player.id for player in filter(None, (said.player, said.creator, *said.holders.values()))
        )
    return found


def _in(body: Any) -> Iterator[Player]:
    for field in _FIELDS[type(body)]:
        value = getattr(body, field)
        if isinstance(value, Player):
            yield value
        elif value:
            yield from value.values()


def _with(body: B, change: Any) -> B:
    """The body with each of its players changed."""
    changes: dict[str, Any] = {}
    for field in _FIELDS[type(body)]:
        value = getattr(body, field)
        if isinstance(value, Player):
            changes[field] = change(value)
        elif value:
            changes[field] = {seat: change(player) for seat, player in value.items()}
    return replace(body, **changes) if changes else body
