"""Loads what a proposal refers to, because deciding does no I/O: a scenario, or a match whose record is continued.

A history in a game's notation is parsed here, too, in a thread of its own.
"""

from collections.abc import Awaitable, Callable, Mapping
from typing import Protocol

from msgspec.structs import replace

from .errors import BadParameter, UnknownMatch
from .match import policy, records
from .match.commands import Options, Propose
from .match.match import Match
from .match.model import Player
from .match.proposals import NOTHING, Beginning, Found, need_holder
from .threads import Threads

Load = Callable[[str, str | None], Awaitable[Match]]
"""`Admission.load`: a match by its id, for a player who may know of it."""


class ScenarioLookup(Protocol):
    async def __call__(self, scenario_id: str, player_id: str) -> Beginning:
        """Raises UnknownScenario, also for one that `player_id` may not see."""
        ...


class Lookups:
    def __init__(self, load: Load, scenario: ScenarioLookup | None, heavy_threads: Threads) -> None:
        self._heavy_threads = heavy_threads
        self._load = load
        self._scenario = scenario

    async def scenario(self, scenario_id: str, caller: Player, game: str) -> Beginning:
        """Raises UnknownScenario, BadParameter (one of another game)."""
        if self._scenario is None:
            raise BadParameter("This server keeps no scenarios.")
        found = await self._scenario(scenario_id, caller.id)
        if found.game != game:
            raise BadParameter(f"The scenario is of the game {found.game}, not of {game}.")
        return found

    async def proposed(self, match_id: str, command: Propose, caller: Player) -> tuple[Propose, Found]:
        """What the proposal names; and the command, with a history that is proposed to go on from (wec 10.6)
        already made a record.

        Raises UnknownMatch, UnknownScenario, BadParameter, NotYourSeat, Refused (the history)."""
        options = command.proposal
        if not isinstance(options, Options):
            return command, NOTHING
        scenario: Beginning | None = None
        saved: Mapping[str, Player] = {}
        if isinstance(options.scenario, str):
            match = await self._load(match_id, caller.id)
            scenario = await self.scenario(options.scenario, caller, match.game_name)
        if isinstance(options.record, dict):
            match = await self._load(match_id, caller.id)
            saved = await self._saved_by(match, options.record.get("match"), caller)
            if "history" in options.record:
                need_holder(match, caller)
                record = await self._heavy_threads.run(records.with_history_read, options.record)
                command = replace(command, proposal=replace(options, record=record))
        return command, Found(scenario, saved)

    async def _saved_by(self, match: Match, name: object, caller: Player) -> Mapping[str, Player]:
        """The players, by seat, of the match whose record is proposed, if the rule book reserves it for them (wec 6.6)
        and several played it. Empty otherwise, as for a history (`name` None) and for a match unknown here."""
        if not isinstance(name, str) or not policy.saved_for_its_players(match.game):
            return {}
        try:
            saved = await self._load(name, caller.id)
        except UnknownMatch:
            return {}
        several = len({holder.id for holder in saved.holders.values()}) > 1
        if not several or saved.game_name != match.game_name:
            return {}
        return {seat: Player(holder.id) for seat, holder in saved.holders.items()}
