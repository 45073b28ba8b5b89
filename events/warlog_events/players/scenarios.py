"""Saved positions of the board editor, and those that are shipped with the rules. They are no part of any match: one
that starts from a scenario copies it."""

from functools import cache
from typing import Any, Protocol

import msgspec

import warlog_core

from ..clock_and_random import World
from ..errors import BadParameter, QuotaExceeded, UnknownScenario
from ..match.match import rfc3339
from ..match.proposals import Beginning
from ..redis import keys
from ..redis.connection import Connection
from ..redis.wire import Word

SHIPPED_BY = "warlog"
SHIPPED_AT = rfc3339(0)


class Saved(Protocol):
    """What a client saves, checked by the rules core before it comes here."""

    @property
    def game(self) -> str: ...
    @property
    def name(self) -> str: ...
    @property
    def options(self) -> dict[str, Any]: ...
    @property
    def position(self) -> dict[str, Any] | None: ...
    @property
    def visibility(self) -> str: ...


class Scenario(msgspec.Struct, frozen=True):
    """position    None for options alone: a match from it begins with the game's own setup
    visibility  "public", or "private" for its owner (a player id) alone
    """

    id: str
    game: str
    name: str
    options: dict[str, Any]
    position: dict[str, Any] | None
    owner: str
    visibility: str
    created_at: str


class Listed(msgspec.Struct, frozen=True):
    """A Scenario in a list: without what is long."""

    id: str
    game: str
    name: str
    owner: str
    visibility: str
    created_at: str


class Shipped(msgspec.Struct, frozen=True):
    """A scenario of the rules, in whose list it stands as if it were older than all that players save.

    member  its place in that list, as Redis has it for the others
    """

    member: str
    scenario: Scenario
    beginning: Beginning


@cache
def shipped() -> dict[str, Shipped]:
    """Every scenario of every game in this build by its id, in the order of the lists."""
    found = [
        (game, one)
        for name in warlog_core.games()
        for game in [warlog_core.game(name)]
        for one in game.scenarios
    ]
    return {
        id: Shipped(
            f"{len(found) - number:013d}:{id}",
            Scenario(
                id=id,
                game=game.name,
                name=one.name,
                options=one.options,
                # Where it is the game's own setup, this is what an editor may start from.
                position=one.position or game.new(options=one.options, draws=bytes).position(plain=True),
                owner=SHIPPED_BY,
                visibility="public",
                created_at=SHIPPED_AT,
            ),
            Beginning(game.name, one.options, one.position),
        )
        for number, (game, one) in enumerate(found)
        for id in [f"sc_{game.name}_{one.id}"]
    }


class Scenarios:
    def __init__(self, connection: Connection, world: World, *, scenarios_per_player: int = 0) -> None:
        """scenarios_per_player: 0 for any number."""
        self._scenarios_max = scenarios_per_player
        self._pipe = connection.pipe
        self._world = world
        connection.keep_time(world)

    async def save(self, owner: str, saved: Saved) -> Scenario:
        """Raises QuotaExceeded."""
        self._pipe.check_growth(keys.scenarios(owner, ""))
        created_ms = self._world.now_ms()
        scenario = Scenario(
            id=self._world.new_id("sc_"),
            game=saved.game,
            name=saved.name,
            options=saved.options,
            position=saved.position,
            owner=owner,
            visibility=saved.visibility,
            created_at=rfc3339(created_ms),
        )
        member = f"{created_ms:013d}:{scenario.id}"
        all_of_his, *others = _indexes(scenario)
        have = await self._pipe.script(
            "scenario",
            [all_of_his, keys.scenario(scenario.id), *others],
            [member, msgspec.json.encode(scenario), self._scenarios_max, len(others)],
        )
        if have != -1:
            detail = f"You have {have} scenarios, and {self._scenarios_max} is the limit. Delete one first."
            raise QuotaExceeded("scenarios_per_player", have, self._scenarios_max, detail)
        return scenario

    async def get(self, scenario_id: str, player: str | None) -> Scenario:
        """Raises UnknownScenario, also for another's private one."""
        if scenario_id in shipped():
            return shipped()[scenario_id].scenario
        raw = None
        if scenario_id.startswith("sc_"):  # the lists' keys begin like those of scenarios
            raw = await self._pipe.call("HGET", keys.scenario(scenario_id), "json")
        if raw is not None:
            scenario: Scenario = msgspec.json.decode(raw, type=Scenario)
            if scenario.visibility == "public" or scenario.owner == player:
                return scenario
        raise UnknownScenario("There is no such scenario, or it is private.")

    async def beginning(self, scenario_id: str, player: str) -> Beginning:
        """What a match may start from. Raises UnknownScenario."""
        if scenario_id in shipped():
            return shipped()[scenario_id].beginning
        scenario = await self.get(scenario_id, player)
        return Beginning(scenario.game, scenario.options, scenario.position)

    async def delete(self, scenario_id: str, owner: str) -> None:
        """Raises UnknownScenario, also for another's, though it be public."""
        scenario = await self.get(scenario_id, owner)
        member = await self._pipe.call("HGET", keys.scenario(scenario_id), "member")
        if scenario.owner != owner or member is None:
            raise UnknownScenario("You have no scenario with this id.")
        commands: list[tuple[Word, ...]] = [("ZREM", index, member) for index in _indexes(scenario)]
        await self._pipe.atomically([*commands, ("DEL", keys.scenario(scenario_id))])

    async def delete_all(self, owner: str) -> None:
        """However often; public ones, too. Matches that began from them go on."""
        while members := await self._pipe.call("ZRANGE", keys.scenarios(owner, ""), 0, 99):
            for member in members:
                await self.delete(member.decode().partition(":")[2], owner)

    async def page(
        self, *, owner: str | None = None, game: str | None = None, after: str | None = None, limit: int = 50
    ) -> tuple[list[Listed], str | None]:
        """The newest first: all of `owner`'s, or with None everybody's public ones. `after` is the cursor of the page
        before; the second value is that of the next, None at the end. Raises BadParameter for a cursor that is none."""
        if after is not None and not after.isprintable():
            raise BadParameter("`after` is no cursor of this list.")
        index = keys.scenarios(owner or "public", game or "")
        start = "+" if after is None else f"({after}"
        members = await self._pipe.call("ZREVRANGEBYLEX", index, start, "-", "LIMIT", 0, limit + 1)
        shown = [member.decode() for member in members[:limit]]
        found = await self._pipe.many(
            ("HGET", keys.scenario(member.partition(":")[2]), "json") for member in shown
        )
        # None: deleted since the line above.
        scenarios = [msgspec.json.decode(raw, type=Listed) for raw in found if raw is not None]
        more = len(members) > limit
        if owner is None and not more:
            older = [
                one
                for one in shipped().values()
                if game in (None, "", one.scenario.game) and (after is None or one.member < after)
            ]
            room = limit - len(shown)
            more = len(older) > room
            for one in older[:room]:
                scenarios.append(msgspec.convert(one.scenario, Listed, from_attributes=True))
                shown.append(one.member)
        return scenarios, shown[-1] if more and shown else None


def _indexes(scenario: Scenario) -> list[str]:
    of = [scenario.owner, *(["public"] if scenario.visibility == "public" else [])]
    return [keys.scenarios(who, game) for who in of for game in ("", scenario.game)]
