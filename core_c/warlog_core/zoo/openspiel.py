"""The games as games of OpenSpiel: "warlog_hex" and so on are registered by the import of this module.

>>> from warlog_core.zoo import openspiel
>>> game = openspiel.load("hex", options={"width": 7, "height": 5, "army": "preset", "obstacles": "none"})
>>> game.num_players(), game.num_distinct_actions(), game.observation_tensor_shape()
(2, 1092, [26, 5, 7])
>>> state = game.new_initial_state()
>>> state.is_chance_node()  # who of equal initiative comes first
True
>>> len(state.chance_outcomes()), state.current_player() == pyspiel.PlayerId.CHANCE
(2, True)
>>> while state.is_chance_node():
...     state.apply_action(state.chance_outcomes()[0][0])
>>> player = state.current_player()
>>> state.match.to_act[0] == game.start.seats[player], state.is_terminal(), state.returns()
(True, False, [0.0, 0.0])
>>> state.observation_string(player)[:13], len(state.information_state_string(player))
('{"game":"hex"', 24)
>>> other = state.resample_from_infostate(player, lambda: 0.25)
>>> other.observation_string(player) == state.observation_string(player)
True
>>> observer = game.make_py_observer()
>>> observer.set_from(state, player)
>>> observer.dict["planes"].shape, observer.string_from(state, player) == state.observation_string(player)
((26, 5, 7), True)
>>> game.max_history_length() == game.max_move_number() == 2000 + game.max_chance_nodes_in_history()
True
>>> game_string("hex", {"seats": 3}, max_game_length=500)
'warlog_hex(options=%7B%22seats%22%3A3%7D,max_game_length=500)'
>>> load("hex", gives_up=True).gives_up, DEFAULTS["max_game_length"], CHANCE_OUTCOMES_MAX
(True, 2000, 65536)
>>> isinstance(game, WarlogGame), isinstance(state, WarlogState), isinstance(observer, WarlogObserver)
(True, True, True)

Every draw of the rules is a chance node of its own, with outcomes that are all as likely. Where several seats are to
act at once, the first of them is asked first: the others do not see what it did before they may. A match of
`max_game_length` actions is a draw. `resample_from_infostate` gives a state that the player cannot tell from the
true one by what he sees now.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any
from urllib.parse import quote, unquote

import msgspec

import warlog_core
from warlog_core.errors import BadDraws
from warlog_core.numbering import Numbering
from warlog_core.state import State
from warlog_core.zoo._cover import presets_only
from warlog_core.zoo._needs import needed

with needed("openspiel"):
    import numpy as np
    import pyspiel

CHANCE_OUTCOMES_MAX = 1 << 16
DEFAULTS: dict[str, Any] = {"options": "", "max_game_length": 2000, "gives_up": False}


class _Start:
    """What all states of a game have in common; never copied."""

    def __init__(self, name: str, options: str) -> None:
        self.rules = warlog_core.game(name)
        self.options = msgspec.json.decode(options or "{}", type=dict[str, Any])
        state = self.rules.new(options=self.options, draws=bytes)
        self.seats = state.seats
        self.numbering: Numbering = self.rules.numbering(state)
        self.presets_only = presets_only(self.rules, self.numbering, state)

    def __deepcopy__(self, memo: dict[int, Any]) -> _Start:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return _start, (self.rules.name, msgspec.json.encode(self.options).decode())


@lru_cache(maxsize=64)
def _start(name: str, options: str) -> _Start:
    return _Start(name, options)


def game_string(game: str, options: Mapping[str, Any] | None = None, **parameters: object) -> str:
    """What `pyspiel.load_game` takes: the options stand in it as JSON, with every mark written as in a URL."""
    text = quote(msgspec.json.encode(dict(options or {})).decode(), safe="")
    given = {"options": text} | {name: str(value) for name, value in parameters.items()}
    return f"warlog_{game}({','.join(f'{name}={value}' for name, value in given.items())})"


def load(game: str, options: Mapping[str, Any] | None = None, **parameters: object) -> Any:
    """The game with these options (a `pyspiel.Game`). Raises Refused and NotNumbered."""
    return pyspiel.load_game(game_string(game, options, **parameters))


def _game_type(name: str) -> Any:
    rules = warlog_core.game(name)
    kinds = pyspiel.GameType
    return kinds(
        short_name=f"warlog_{name}",
        long_name=f"Warlog {rules.codec.title}",
        dynamics=kinds.Dynamics.SEQUENTIAL,
        chance_mode=kinds.ChanceMode.EXPLICIT_STOCHASTIC
        if rules.raw.draws_max
        else kinds.ChanceMode.DETERMINISTIC,
        information=kinds.Information.IMPERFECT_INFORMATION,
        utility=kinds.Utility.ZERO_SUM if len(rules.seats) == 2 else kinds.Utility.GENERAL_SUM,
        reward_model=kinds.RewardModel.TERMINAL,
        max_num_players=len(rules.seats),
        min_num_players=2,
        provides_information_state_string=True,
        provides_information_state_tensor=False,
        provides_observation_string=True,
        provides_observation_tensor=True,
        parameter_specification=DEFAULTS,
        default_loadable=True,
        provides_factored_observation_string=False,
    )


class WarlogGame(pyspiel.Game):  # type: ignore[misc]  # pyspiel says nothing of its types
    """A game of Warlog with options."""

    def __init__(self, name: str, params: Mapping[str, Any] | None = None) -> None:
        given = DEFAULTS | dict(params or {})
        self.start = _start(name, unquote(str(given["options"])))
        self.length_max = int(given["max_game_length"])
        self.gives_up = bool(given["gives_up"])
        n = len(self.start.seats)
        info = pyspiel.GameInfo(
            num_distinct_actions=self.start.numbering.n_actions,
            max_chance_outcomes=CHANCE_OUTCOMES_MAX if self.start.rules.raw.draws_max else 0,
            num_players=n,
            min_utility=-1.0,
            max_utility=1.0,
            utility_sum=0.0 if len(self.start.rules.seats) == 2 else None,
            max_game_length=self.length_max,
        )
        super().__init__(_game_type(name), info, dict(params or {}))

    def new_initial_state(self) -> WarlogState:
        return WarlogState(self)

    # OpenSpiel takes it that a match of Python has no more draws than actions; ours has several for one action.
    def max_chance_nodes_in_history(self) -> int:
        return (1 + self.length_max) * int(self.start.rules.raw.draws_max)

    def max_history_length(self) -> int:
        return self.length_max + self.max_chance_nodes_in_history()

    def max_move_number(self) -> int:
        return self.max_history_length()

    def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> WarlogObserver:
        return WarlogObserver(self.start, iig_obs_type, params)


class WarlogState(pyspiel.State):  # type: ignore[misc]
    """A match, or what is left open of it: the draws of its start, or of the action that is being taken."""

    def __init__(self, game: WarlogGame) -> None:
        super().__init__(game)
        self._start = game.start
        self._length_max = game.length_max
        self._gives_up = game.gives_up
        self._length = 0
        self._match: State | None = None
        self._taken: tuple[str, int] | None = None  # who does what, by its number, and waits for draws
        self._draws: list[int] = []
        self._asked = 0  # how many values the draw may have that is waited for
        self._recall = [b""] * len(self._start.seats)  # of each seat all that it has seen, as a digest
        self._go_on()

    # ---- OpenSpiel's interface ----

    def current_player(self) -> int:
        if self._asked:
            return int(pyspiel.PlayerId.CHANCE)
        if self.is_terminal():
            return int(pyspiel.PlayerId.TERMINAL)
        return self._start.seats.index(self.match.to_act[0])

    def is_terminal(self) -> bool:
        if self._asked:
            return False
        return not self.match.to_act or self._length >= self._length_max

    def returns(self) -> list[float]:
        result = None if self._match is None or self._asked else self._match.result
        if result is None or not 0 < len(result.winners) < len(self._start.seats):
            return [0.0] * len(self._start.seats)
        return [1.0 if seat in result.winners else -1.0 for seat in self._start.seats]

    def chance_outcomes(self) -> list[tuple[int, float]]:
        return [(value, 1.0 / self._asked) for value in range(self._asked)]

    def _legal_actions(self, player: int) -> list[int]:
        seat = self._start.seats[player]
        return sorted(self._start.numbering.numbers(self.match, seat, play_on=not self._gives_up))

    def _apply_action(self, action: int) -> None:
        if self._asked:
            self._draws.append(action)
        else:
            seat = self._start.seats[self.current_player()]
            self._taken = (seat, int(action))
            self._length += 1
        self._go_on()

    def _action_to_string(self, player: int, action: int) -> str:
        if player == pyspiel.PlayerId.CHANCE:
            return f"draw {action}"
        given = self._start.numbering.describe(action)
        return " ".join([given.pop("family"), *(f"{name}={value}" for name, value in given.items())])

    def resample_from_infostate(self, player: int, sampler: Callable[[], float]) -> WarlogState:
        seed = int(sampler() * (1 << 53)) ^ int(sampler() * (1 << 53)) << 11
        seat = self._start.seats[player]
        other: WarlogState = self.clone()
        other._match = self.match.seen_by(seat).sample(seat, seed % 2**64)
        return other

    def information_state_string(self, player: int | None = None) -> str:
        """A digest of all that the player has seen, and of what it has done."""
        return self._recall[self._player(player)].hex()

    def observation_string(self, player: int | None = None) -> str:
        """What the player sees now, as JSON."""
        seat = self._start.seats[self._player(player)]
        return "" if self._match is None else msgspec.json.encode(self._match.view(seat)).decode()

    def __str__(self) -> str:
        waits = f", a draw of {self._asked}" if self._asked else ""
        return (f"{self._match.phase} {self._match.hash}" if self._match is not None else "not begun") + waits

    # ---- within ----

    @property
    def match(self) -> State:
        """The match. Raises AssertionError before it has begun."""
        assert self._match is not None, "the draws of its start have not been made"
        return self._match

    def _player(self, player: int | None) -> int:
        n = len(self._start.seats)
        chosen = self.current_player() if player is None else player
        if not 0 <= chosen < n:
            raise pyspiel.SpielError(f"a player is a number with player >= 0 and player < {n}")
        return chosen

    def _go_on(self) -> None:
        """Takes the action, or begins the match, with the draws so far: or finds out which draw is missing."""
        try:
            if self._match is None:
                self._match = self._start.rules.new(options=self._start.options, draws=self._draws)
            elif self._taken is not None:
                seat, number = self._taken
                action = self._start.numbering.decode(self._match, seat, number)
                self._match.apply(seat, action, draws=self._draws)
        except BadDraws as error:
            if not 0 < error.asked <= CHANCE_OUTCOMES_MAX:
                raise
            self._asked = error.asked
            return
        self._remember()
        self._asked, self._draws, self._taken = 0, [], None

    def _remember(self) -> None:
        """What each seat sees now, and the seat that acted what it did."""
        for player, seat in enumerate(self._start.seats):
            seen = hashlib.blake2b(self._recall[player], digest_size=12)
            seen.update(self.match.seen_by(seat).data)
            if self._taken is not None and self._taken[0] == seat:
                seen.update(self._taken[1].to_bytes(4, "little"))
            self._recall[player] = seen.digest()


class WarlogObserver:
    """The planes of a player's view as OpenSpiel has them: one flat tensor, and a part of it for each plane."""

    def __init__(self, start: _Start, iig_obs_type: Any, params: Any) -> None:
        if params:
            raise ValueError(f"there are no parameters of observations: {params}")
        self._start = start
        self._is_whole = iig_obs_type is None or (
            iig_obs_type.public_info and iig_obs_type.private_info == pyspiel.PrivateInfoType.SINGLE_PLAYER
        )
        shape = start.numbering.shape
        self._planes = np.zeros(shape, np.float32)
        self.tensor = self._planes.reshape(-1)
        self.dict = {"planes": self._planes}

    def set_from(self, state: WarlogState, player: int) -> None:
        if state._match is None:
            self._planes.fill(0)
        else:
            self._planes[:] = self._start.numbering.observe(state._match, self._start.seats[player])

    def string_from(self, state: WarlogState, player: int) -> str | None:
        """None where what is public, or what is private, is asked for alone: a view is one thing."""
        return state.observation_string(player) if self._is_whole else None


def _register(name: str) -> None:
    class Registered(
        WarlogGame
    ):  # a class, as OpenSpiel's own are: it outlives the interpreter in the registry
        def __init__(self, params: Mapping[str, Any] | None = None) -> None:
            super().__init__(name, params)

    pyspiel.register_game(_game_type(name), Registered)


for _name in warlog_core.games():
    if warlog_core.game(_name).raw.has_numbering:
        _register(_name)
