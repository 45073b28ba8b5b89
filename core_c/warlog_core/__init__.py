"""Warlog's rules core: five board war-games as a fast library. See `warlog_core.game`."""

from warlog_core.binding import Draws, hash_bytes
from warlog_core.codecs import Result
from warlog_core.errors import (
    BadArrays,
    BadDraws,
    BadNumber,
    BadState,
    Busy,
    CoreError,
    Explanation,
    HashMismatch,
    NotNumbered,
    NotPlayed,
    Refused,
    Stopped,
    UnknownGame,
    UnknownSeat,
)
from warlog_core.event import Event, Visible
from warlog_core.game import Game, Scenario, game, games
from warlog_core.jsonvalue import loads
from warlog_core.levels import LEVELS, SEARCH_VERSION, Level, level, play, remember
from warlog_core.notation import history_line, history_result
from warlog_core.numbering import Digit, Family, Numbering, Plane
from warlog_core.opponent import Belief, Choice, Line, Settings, Stop, search
from warlog_core.state import Listing, State, Step
from warlog_core.traces import Harm, Touched, Trace

__version__ = "0.2.0"
"""Warlog's version. Both pyproject.toml files read it from here, without an import."""

__all__ = [
    "LEVELS",
    "SEARCH_VERSION",
    "BadArrays",
    "BadDraws",
    "BadNumber",
    "BadState",
    "Belief",
    "Busy",
    "Choice",
    "CoreError",
    "Digit",
    "Draws",
    "Event",
    "Explanation",
    "Family",
    "Game",
    "Harm",
    "HashMismatch",
    "Level",
    "Line",
    "Listing",
    "NotNumbered",
    "NotPlayed",
    "Numbering",
    "Plane",
    "Refused",
    "Result",
    "Scenario",
    "Settings",
    "State",
    "Step",
    "Stop",
    "Stopped",
    "Touched",
    "Trace",
    "UnknownGame",
    "UnknownSeat",
    "Visible",
    "__version__",
    "game",
    "games",
    "hash_bytes",
    "history_line",
    "history_result",
    "level",
    "loads",
    "play",
    "remember",
    "search",
]
