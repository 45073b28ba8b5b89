"""What a rule book says about matches rather than about play: sides, spectators, clocks, what is whose to set.

The core's codec of a game may answer these (the attributes named here); a game whose book says nothing gets the
strict default.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any

import msgspec
from msgspec import UNSET, Struct, UnsetType
from msgspec.structs import fields

from warlog_core import Game, State
from warlog_core.accounts import Accounting, LayoutRules, Standing
from warlog_core.codecs import service_data

from ..errors import BadParameter, Refused, named
from .model import SPECTATOR

SETUP_SECONDS = 300
# Some ten times what any game needs. Lists in which a rule book overlooks what is said twice have no other end, and
# options stand in every list of matches.
OPTIONS_BYTES_MAX, POSITION_BYTES_MAX = 40_000, 150_000


def resigns(action: object) -> bool:
    """Giving up has this name in every game that knows it."""
    return isinstance(action, dict) and action.get("type") == "resign"


def offers_draw(action: object) -> bool:
    """Likewise. `action`: as the rules have taken it."""
    return isinstance(action, Struct) and action.__struct_config__.tag == "offer_draw"


def check_size(
    options: Mapping[str, object],
    position: Mapping[str, object] | None,
    *,
    pointer: str | None = "",
    version: int | None = None,
) -> None:
    """Valid options, and a Position, are kept only if they are not far larger than any match needs. Raises Refused
    with the code of what is invalid; `pointer`: where they stand in the request (JSON Pointer; None: not in it)."""
    for name, value, most in (
        ("options", options, OPTIONS_BYTES_MAX),
        ("position", position, POSITION_BYTES_MAX),
    ):
        have = len(msgspec.json.encode(value))
        if have > most:
            what = "The options have" if name == "options" else "The Position has"
            raise Refused(
                f"invalid_{name}",
                f"{what} {have} bytes, but at most {most} are kept.",
                version=version,
                path="" if pointer is None else f"{pointer}/{name}",
                extra={"have": have, "maximum": most},
            )


def spectators_may_watch(game: Game) -> bool:
    """May a spectator follow a running competitive match? Only where he knows no more than every seat does."""
    return getattr(game.codec, "spectators", "none") == "open"


def sides(game: Game, options: object, position: object | None) -> dict[str, int]:
    """seat → side, for valid options. Seats of one side may be held by one player of a competitive match.

    Asked of the codec, if it knows, or read off a match that is begun and thrown away, where the views say it."""
    own: Callable[[Mapping[str, object]], dict[str, int]] | None = getattr(game.codec, "sides", None)
    if own is not None:
        return own(game.full_options(options))
    full = nominal(game, dict(options) if isinstance(options, Mapping) else {}, "competitive")
    view = game.new(options=full, position=position, draws=bytes).view(SPECTATOR, plain=True)
    entries: list[Any] = view.get("seats", []) if isinstance(view, dict) else []
    known = {entry["seat"]: entry["side"] for entry in entries if isinstance(entry, dict) and "side" in entry}
    seats = game.seats_for(full)
    return {seat: known.get(seat, -1 - index) for index, seat in enumerate(seats)}


def hands(game: Game, options: Mapping[str, object], seats: Sequence[str]) -> tuple[tuple[str, ...], ...]:
    """The seats that these valid options give, put together as players hold them: mostly one each."""
    own: Callable[[Mapping[str, object]], list[list[str]]] | None = getattr(game.codec, "hands", None)
    if own is not None:
        return tuple(tuple(hand) for hand in own(game.full_options(options)))
    return tuple((seat,) for seat in seats)


def move_seconds(full_options: Mapping[str, object], setting: int) -> int:
    """Thinking time: the game's own option where it has one, else the match's setting."""
    own = full_options.get("move_seconds", setting)
    return own if isinstance(own, int) else setting


def with_move_seconds(
    game: Game, options: Mapping[str, object], seconds: int | UnsetType
) -> tuple[Mapping[str, object], int]:
    """The options that a client gives, with his `move_seconds` in the game's own option where it has one; and those
    seconds. Raises BadParameter where he gives both and they differ."""
    if isinstance(seconds, UnsetType):
        return options, 0
    if "move_seconds" not in option_names(game):
        return options, seconds
    own = options.get("move_seconds")
    if own is not None and (type(own) is not int or own != seconds):
        raise BadParameter(
            f"`move_seconds` is {seconds} for the match and {named(own)} in its options, but must be the same.",
            path="/move_seconds",
        )
    return {**options, "move_seconds": seconds}, seconds


def flee_seconds(full_options: Mapping[str, object]) -> int | None:
    """How long a player of a competitive match may be away; None where the game knows no fleeing."""
    own = full_options.get("flee_seconds")
    return own if isinstance(own, int) else None


def setup_seconds(mode: str, asked: int | UnsetType = UNSET) -> int:
    """How long a seat may take to set up, 0 for any time; `asked`: what the match says."""
    if not isinstance(asked, UnsetType):
        return asked
    return SETUP_SECONDS if mode == "competitive" else 0


def setup_phases(game: Game) -> frozenset[str]:
    """Phases in which seats set up, before play; `setup_seconds` bounds them. Empty where the game has none."""
    return frozenset(service_data(game.name).get("setup_phases", ()))


def server_options(game: Game) -> frozenset[str]:
    """Options that the server alone may set in a competitive match."""
    return frozenset(getattr(game.codec, "server_options", ()))


def known_options(game: Game, options: Mapping[str, object], mode: str, over: bool) -> dict[str, object]:
    """What may be shown of these valid options, with defaults, in the book's order. `over`: of a match that is."""
    full: dict[str, object] = game.full_options(options)
    hidden = frozenset() if over else secret_options(game, mode)
    return {name: value for name, value in full.items() if name not in hidden} if hidden else full


def secret_options(game: Game, mode: str) -> frozenset[str]:
    """Options that nobody may know before the end."""
    hidden = server_options(game) if mode == "competitive" else getattr(game.codec, "secret_options", ())
    return frozenset(hidden)


def without_setup(game: Game, options: Mapping[str, object]) -> dict[str, object]:
    """The options of a match that begins from a Position, which leaves out those that speak of the setup alone."""
    setup = getattr(game.codec, "setup_options", ())
    return {name: value for name, value in options.items() if name not in setup}


@cache
def option_names(game: Game) -> frozenset[str]:
    """Every option that the game has, also those without a default."""
    return frozenset(field.encode_name for field in fields(game.codec.options_type))


def accounting(game: Game) -> Accounting | None:
    """How a game's competitive matches move points and gold; None where they do not."""
    own: Accounting | None = getattr(game.codec, "accounting", None)
    return own


def counted_range(game: Game) -> Mapping[str, Mapping[str, int]]:
    """option → `min` and `max` of the matches that move points and gold; an option that is not named may be anything.
    Empty where the game's service data say nothing."""
    found: Mapping[str, Mapping[str, int]] = service_data(game.name).get("counted", {})
    return found


def beyond_counted(game: Game, options: Mapping[str, object]) -> list[str]:
    """The options, in the book's order, by which a match moves nothing, however its rules settle it."""
    full, ranges = game.full_options(options), counted_range(game)
    return [
        name
        for name, value in full.items()
        if name in ranges
        and not (isinstance(value, int) and ranges[name]["min"] <= value <= ranges[name]["max"])
    ]


class Pool(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Options with which matches of a game are rated against each other.

    options  that differ from the defaults
    any      names of options that may have any value
    """

    name: str
    options: dict[str, Any]
    any: tuple[str, ...] = ()


class Rated(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`rated` of a game's service data: which of its competitive matches move ratings.

    pools        in this order: a match belongs to the first that it fits
    any          of all pools
    actions_min  by players, or the match was too short
    """

    pools: dict[str, Pool] = {}
    any: tuple[str, ...] = ()
    actions_min: int = 1


@cache
def rated(game: Game) -> Rated:
    """Without pools where the game's data say nothing: its matches are counted, not rated."""
    found = msgspec.convert(service_data(game.name).get("rated", {}), Rated)
    own = option_names(game)
    for key, pool in found.pools.items():
        if unknown := {*pool.options, *pool.any, *found.any} - own:
            raise ValueError(f"{game.name}: the pool {key} names options that the game has not: {unknown}")
    return found


def pool_of(game: Game, options: Mapping[str, object]) -> str:
    """The key of the pool to which a match with these options belongs; "" for none."""
    full = game.full_options(options)
    for key, pool in rated(game).pools.items():
        free = {*pool.any, *rated(game).any}
        fixed = {name: value for name, value in game.full_options(pool.options).items() if name not in free}
        if fixed == {name: value for name, value in full.items() if name not in free}:
            return key
    return ""


def layout_rules(game: Game) -> LayoutRules | None:
    """What a game's starting layouts are; None where a player has none to keep."""
    own: LayoutRules | None = getattr(game.codec, "layouts", None)
    return own


def stake(game: Game, options: Mapping[str, object], mode: str) -> int:
    """Gold that must be set aside for each seat of a match before it is taken."""
    own = accounting(game) if mode == "competitive" else None
    return 0 if own is None else own.hold(options)


def balances_missing(game: Game, options: Mapping[str, object]) -> str:
    """The name of the option that says how much gold the players of a match with a stake have, where it does not say it
    of every seat; "" otherwise. The options are valid apart from that."""
    own = accounting(game)
    return "" if own is None else own.balances_missing(options)


def nominal(game: Game, options: Mapping[str, object], mode: str) -> dict[str, object]:
    """The options with what the server will add at the start, as if everybody had just enough: to be checked before
    there are players."""
    own = accounting(game) if mode == "competitive" else None
    if own is None:
        return dict(options)
    enough = Standing(gold=own.hold(options))
    return {**options, **own.options(options, lambda seat: enough)}


def settlement(game: Game, state: State) -> dict[str, Any] | None:
    """What the end of a match moves, by its rule book."""
    own = accounting(game)
    return None if own is None else own.settlement(state.view(SPECTATOR, plain=True))


def own_options(game: Game, seat: str) -> frozenset[str]:
    """Options that are this seat's own choice: changing them needs nobody's consent."""
    own: Callable[[str], frozenset[str]] | None = getattr(game.codec, "own_options", None)
    return own(seat) if own is not None else frozenset()


def competitive_in_play(game: Game) -> bool:
    """May a match become competitive after its start?"""
    return bool(getattr(game.codec, "competitive_in_play", False))


def competitive_hot_seat(game: Game) -> bool:
    """May one player hold all sides of a competitive match?"""
    return bool(getattr(game.codec, "competitive_hot_seat", False))


def positions_are_agreed_on(game: Game) -> bool:
    """Do the players propose Positions to each other, also such as hide something?"""
    return bool(getattr(game.codec, "positions_are_agreed_on", False))


def saved_for_its_players(game: Game) -> bool:
    """Is a match that was saved for those who played it, each in his own seat?"""
    return bool(getattr(game.codec, "saved_for_its_players", False))


def position_is_open(game: Game, position: Mapping[str, object]) -> bool:
    """Does this Position hold nothing that some seat may not know? If the game does not say, it may.

    What is shipped with the rules is known to all."""
    if any(position == scenario.position for scenario in game.scenarios):
        return True
    is_open: Callable[[Mapping[str, object]], bool] | None = getattr(game.codec, "position_is_open", None)
    return bool(is_open is not None and is_open(position))
