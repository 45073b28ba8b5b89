"""PettingZoo AEC environments.

>>> from warlog_core import zoo
>>> env = zoo.env("junqi", options={"players": 2})
>>> env.reset(seed=1)
>>> for agent in env.agent_iter(10):
...     observation, reward, terminated, truncated, info = env.last()
...     env.step(None if terminated or truncated else int(info["action_mask"].argmax()))
>>> observation.shape
(26, 17, 17)

Without wrappers there is a match behind the same interface, `zoo.raw_env`:

>>> raw = zoo.raw_env("junqi", options={"players": 2}, gives_up=True, render_mode="ansi")
>>> isinstance(raw, Match), str(raw)
(True, 'warlog_junqi_v1')
>>> raw.reset(seed=1)
>>> agent = raw.agent_selection
>>> agent, raw.seats[agent], raw.playing(raw.state_of_match)
('south_0', 'south', ('south', 'north'))
>>> raw.observation_space(agent).contains(raw.observe(agent)), raw.action_space(agent)
(True, Discrete(17675))
>>> raw.render().splitlines()[1]
'  "game": "junqi",'
>>> raw.step(raw.numbering.numbers(raw.state_of_match, "south")[-1])  # ready
>>> raw.agent_selection, raw.rewards
('north_1', {'south_0': 0.0, 'north_1': 0.0})
>>> rewards_of(raw.state_of_match, raw.seats) == raw.rewards
True
>>> raw.close()
>>> type(wrapped(raw)).__name__  # what zoo.env gives
'OrderEnforcingWrapper'
"""

from __future__ import annotations

import operator
import random
from typing import Any

import gymnasium
import msgspec
import numpy as np
from numpy.typing import NDArray
from pettingzoo import AECEnv
from pettingzoo.utils import wrappers

import warlog_core
from warlog_core.errors import BadNumber
from warlog_core.numbering import Numbering
from warlog_core.state import State
from warlog_core.zoo._cover import presets_only


class Match(AECEnv):  # type: ignore[misc]  # pettingzoo says nothing of its types
    """A match after another. Agents are called after their seats: "red_0" is the first seat of the match.

    An observation is what its agent may know, as planes; `infos[agent]["action_mask"]` has a 1 for each action that he
    may take, of the agent who is to act. Where several seats are to act at once, the first of them is asked first: the
    others do not see what it did before they may. Rewards come with the end: 1 for those who have won, -1 for those who
    have lost, 0 in a draw. `metadata["presets_only"]` names the actions of which only presets have numbers."""

    def __init__(
        self, game: str, options: dict[str, Any], *, max_cycles: int, gives_up: bool, render_mode: str | None
    ) -> None:
        super().__init__()
        self.metadata = {
            "name": f"warlog_{game}_v{warlog_core.game(game).rules_version}",
            "render_modes": ["ansi"],
            "is_parallelizable": False,
        }
        self.render_mode = render_mode
        self.game = warlog_core.game(game)
        self.options = options
        self._max_cycles = max_cycles
        self._play_on = not gives_up
        self._entropy = random.Random(0)
        self.state_of_match: State = self._started()
        self.numbering: Numbering = self.game.numbering(self.state_of_match)
        self.metadata["presets_only"] = presets_only(self.game, self.numbering, self.state_of_match)
        self.seats = {f"{seat}_{i}": seat for i, seat in enumerate(self.playing(self.state_of_match))}
        self._agents = {seat: agent for agent, seat in self.seats.items()}
        self.possible_agents = list(self.seats)
        self.agents: list[str] = []
        planes = self.numbering.shape
        self.observation_spaces = {
            agent: gymnasium.spaces.Box(0.0, 1.0, planes, np.float32) for agent in self.possible_agents
        }
        self.action_spaces = {
            agent: gymnasium.spaces.Discrete(self.numbering.n_actions) for agent in self.possible_agents
        }

    @staticmethod
    def playing(state: State) -> tuple[str, ...]:
        """The seats that can do anything: a game may have seats for those who do not play in this match."""
        able = tuple(seat for seat in state.seats if state.listing(seat) or seat in state.to_act)
        return able or state.seats

    def _started(self) -> State:
        return self.game.new(options=self.options, draws=self._entropy.randbytes)

    # ---- PettingZoo's interface ----

    def observation_space(self, agent: str) -> gymnasium.spaces.Space[Any]:
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> gymnasium.spaces.Space[Any]:
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begins a match. All its draws come from the seed; without one they go on from where they are."""
        if seed is not None:
            self._entropy = random.Random(seed)
        self.state_of_match = self._started()
        self._cycles = 0
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self._ask()

    def step(self, action: int | None) -> None:
        """Takes the action of the agent who is to act. Raises BadNumber, and then nothing has changed."""
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        number = _within(action, self.numbering.n_actions)
        if not self.infos[agent]["action_mask"][number]:
            raise BadNumber(f"{number} is no action that {agent} may take now: info['action_mask'] has those")
        seat, state = self.seats[agent], self.state_of_match
        state.apply(seat, self.numbering.decode(state, seat, number), self._entropy.randbytes)
        self._cycles += 1
        self._cumulative_rewards[agent] = 0.0
        self.rewards = rewards_of(state, self.seats)
        if state.result is not None:
            self.terminations = dict.fromkeys(self.agents, True)
        elif self._cycles >= self._max_cycles:
            self.truncations = dict.fromkeys(self.agents, True)
        self._ask()
        self._accumulate_rewards()

    def observe(self, agent: str) -> NDArray[np.float32]:
        planes = self.numbering.observe(self.state_of_match, self.seats[agent])
        return np.asarray(planes, np.float32)

    def render(self) -> str | None:
        """The view of the agent who is to act, as JSON text."""
        if self.render_mode is None:
            gymnasium.logger.warn('no render_mode was given: env(…, render_mode="ansi")')
            return None
        view = self.state_of_match.view(self.seats[self.agent_selection], plain=True)
        return msgspec.json.format(msgspec.json.encode(view)).decode()

    def close(self) -> None:
        """There is nothing to close."""

    def __str__(self) -> str:
        return str(self.metadata["name"])

    # ---- within ----

    def _ask(self) -> None:
        """Who is to act, and what he may do."""
        nothing = np.zeros(self.numbering.n_actions, np.int8)
        self.infos = {agent: {"action_mask": nothing} for agent in self.agents}
        to_act = self.state_of_match.to_act
        if to_act:
            self.agent_selection = self._agents[to_act[0]]
            mask = nothing.copy()
            mask[self.numbering.numbers(self.state_of_match, to_act[0], play_on=self._play_on)] = 1
            self.infos[self.agent_selection] = {"action_mask": mask}


def _within(action: object, n: int) -> int:
    """The action as an index of a mask. Raises BadNumber."""
    try:
        number = operator.index(action)  # type: ignore[arg-type]  # whether it can, is the question
    except TypeError:
        number = None
    if number is None or isinstance(action, bool):
        raise BadNumber(f"{action!r} is no integer: actions are numbers from 0 to {n - 1}")
    if not 0 <= number < n:
        raise BadNumber(f"numbers go from 0 to {n - 1}")
    return number


def rewards_of(state: State, seats: dict[str, str]) -> dict[str, float]:
    """What a state is worth at its end: 1 to who has won, -1 to who has lost; before it, and in a draw, 0."""
    result = state.result
    winners = [] if result is None else [seat for seat in seats.values() if seat in result.winners]
    if not winners or len(winners) == len(seats):
        return dict.fromkeys(seats, 0.0)
    return {agent: 1.0 if seat in winners else -1.0 for agent, seat in seats.items()}


def wrapped(match: Match) -> Any:
    """In PettingZoo's own wrappers: an illegal action loses, a wrong order of calls is an error."""
    illegal = wrappers.TerminateIllegalWrapper(match, illegal_reward=-1)
    return wrappers.OrderEnforcingWrapper(wrappers.AssertOutOfBoundsWrapper(illegal))
