"""The games as environments for learning, behind the interfaces that researchers use (docs/RESEARCH.md).

    env, raw_env   PettingZoo AEC environments          pip install "warlog-core[zoo]"
    vector         many matches in one call, into NumPy arrays
    openspiel      games of OpenSpiel                   pip install "warlog-core[openspiel]"

Nothing of this is needed by `warlog_core` itself, and each function imports what it needs.

>>> from warlog_core import zoo
>>> zoo.raw_env("junqi", options={"mode": "flip", "players": 2}).possible_agents
['south_0', 'north_1']
>>> zoo.vector("junqi", 3, options={"mode": "flip", "players": 2}).arrays.observations.shape
(3, 26, 17, 17)
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from warlog_core.zoo._needs import needed

if TYPE_CHECKING:
    from warlog_core.zoo.aec import Match
    from warlog_core.zoo.vectors import Arrays, Vector


def env(
    game: str,
    *,
    options: Mapping[str, Any] | None = None,
    max_cycles: int = 2000,
    gives_up: bool = False,
    render_mode: str | None = None,
) -> Any:
    """A PettingZoo AEC environment of matches with these options, in PettingZoo's usual wrappers.

    An action that is not legal ends the match for the agent who took it with a reward of -1, with a warning, and in a
    wrong order of calls there is an error: these are PettingZoo's wrappers. `raw_env` raises BadNumber instead.

    >>> env("hex", options={"army": "recruit"}).metadata["presets_only"]
    ('recruit',)

    max_cycles   actions in a match before it is truncated
    gives_up     may agents resign and offer draws, too?
    render_mode  "ansi": `render` gives the view of the agent who is to act, as JSON text

    `metadata["presets_only"]` names the actions that may be made up of parts with these options, such as armies: only
    their presets have numbers. Raises Refused for options that the rules refuse, NotNumbered for those with which a
    seat has to choose and can choose nothing that has a number."""
    with needed("zoo"):
        from warlog_core.zoo import aec
    match = aec.Match(
        game, dict(options or {}), max_cycles=max_cycles, gives_up=gives_up, render_mode=render_mode
    )
    return aec.wrapped(match)


def raw_env(
    game: str,
    *,
    options: Mapping[str, Any] | None = None,
    max_cycles: int = 2000,
    gives_up: bool = False,
    render_mode: str | None = None,
) -> Match:
    """As `env`, without wrappers.

    >>> env = raw_env("junqi", options={"players": 2})
    >>> env.reset(seed=1)
    >>> env.step("first")
    Traceback (most recent call last):
    ...
    warlog_core.errors.BadNumber: 'first' is no integer: actions are numbers from 0 to 17674
    """
    with needed("zoo"):
        from warlog_core.zoo.aec import Match
    return Match(game, dict(options or {}), max_cycles=max_cycles, gives_up=gives_up, render_mode=render_mode)


def vector(
    game: str,
    n: int,
    *,
    options: Mapping[str, Any] | None = None,
    seed: int = 0,
    threads: int = 1,
    max_cycles: int = 0,
    gives_up: bool = False,
    arrays: Arrays | None = None,
) -> Vector:
    """n matches that are stepped in one call, each begun anew when it is over (`vectors.Vector`).

    arrays      where observations, masks, rewards, ends and seats go: the caller's own, or else new ones
    threads     how many work on a step; the matches do not depend on it
    max_cycles  actions in a match before it is cut; 0: none is

    Raises Refused, NotNumbered and BadArrays.

    >>> vector("hex", 8, threads=2).arrays.seats.shape
    (8,)
    """
    with needed("zoo"):
        from warlog_core.zoo.vectors import Vector
    return Vector(
        game,
        n,
        dict(options or {}),
        seed=seed,
        threads=threads,
        max_cycles=max_cycles,
        gives_up=gives_up,
        arrays=arrays,
    )


__all__ = ["env", "raw_env", "vector"]
