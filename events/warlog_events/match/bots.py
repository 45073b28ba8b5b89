"""Players who are programs: their ids say so. The house has one account for each level of its computer opponents.

A house bot commits itself to a secret seed when it sits down. The seed of each of its actions is made of that seed and
a version (`action_seed`), so that nobody can choose it, and after the end everybody can find the action again
(verify_bots.py).
"""

import hashlib
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from ..errors import Refused, named
from .model import Body, MatchCreated, Player, PositionEdited, SeatTaken, TimeTravelled

LEVELS = range(1, 9)
PERSON, BOT = "pl_", "bt_"  # with which the ids of accounts begin
_HOUSE = f"{BOT}house_"
_WANTED = "bot:"


def is_bot(player_id: str) -> bool:
    return player_id.startswith(BOT)


def house(level: int) -> Player:
    """The account that plays this level."""
    return Player(f"{_HOUSE}{level}", f"Bot level {level}")


HOUSE: Mapping[str, int] = {house(level).id: level for level in LEVELS}
"""The ids of the house's accounts, each with its level."""


def is_wanted(who: str) -> bool:
    """Does a request name a house bot here (`bot:5`), instead of a player?"""
    return who.startswith(_WANTED)


def wanted(who: str, *, path: str, version: int | None = None) -> Player:
    """The house bot that a request names. Raises Refused (unknown_bot); `path`: where it stands in the request."""
    level = who.removeprefix(_WANTED)
    if level not in map(str, LEVELS):
        allowed = [f"{_WANTED}{one}" for one in LEVELS]
        detail = f"There is no bot {named(who)}: the house has {allowed[0]} to {allowed[-1]}."
        raise Refused("unknown_bot", detail, path=path, version=version, extra={"allowed": allowed})
    return house(int(level))


def of_people(holders: Iterable[Player]) -> set[str]:
    """The ids of the players among these who are not the house's."""
    return {holder.id for holder in holders if holder.id not in HOUSE}


class Committed(NamedTuple):
    """A commitment of a house bot. `version`: of the event that made it."""

    seat: str
    level: int
    version: int
    name: str


class Commitments(list[Committed]):
    """Those of a match, in the order of its events."""

    def add(self, version: int, seat: str, body: Body) -> None:
        """One event more. `seat`: the event's."""
        held = {one.seat: one.level for one in self}
        made: dict[str, str] = {}
        match body:
            case MatchCreated(bots=made, holders=holders):
                held = {taken: HOUSE.get(holders[taken].id, 0) for taken in made if taken in holders}
            case SeatTaken(bot=str() as name, player=player):
                made, held = {seat: name}, {seat: HOUSE.get(player.id, 0)}
            case TimeTravelled(bots=made) | PositionEdited(bots=made):
                pass
        self += [Committed(taken, held.get(taken, 0), version, name) for taken, name in made.items()]

    def recorded(self, seeds: Mapping[str, str]) -> list[dict[str, str | int]]:
        """As a record has them. `seeds`: commitment → seed in hex, of all of them."""
        return [
            {
                "seat": one.seat,
                "level": one.level,
                "version": one.version,
                "seed_hash": one.name,
                "seed": seeds[one.name],
            }
            for one in self
        ]

    def of(self, seat: str, version: int) -> Committed | None:
        """The one in force when the seat decided its event of this version."""
        made = [one for one in self if one.seat == seat and one.version < version]
        return made[-1] if made else None


def action_seed(seed: bytes, version: int) -> int:
    """With which `warlog_core.play` decides what a house bot does at this version of its match."""
    return int.from_bytes(hashlib.sha256(seed + str(version).encode()).digest()[:8], "big")


def belief_seed(seed: bytes) -> int:
    """With which a house bot begins to remember what its seat sees (`warlog_core.Belief`)."""
    return int.from_bytes(hashlib.sha256(seed + b"belief").digest()[:8], "big")
