"""A match as it is after one version: what the events say (fold.py) and, once it has started, the core's state
beside it."""

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from functools import lru_cache
from operator import attrgetter
from typing import Any, Generic, Self, TypeVar, overload

import msgspec

from warlog_core import Game, State

from ..errors import Hidden, NoSpectators, NotYourSeat, UnknownSeat, WrongStatus, named
from . import policy
from .bots import is_bot
from .fold import Fold
from .model import STRANGER, Player, Reader, Result
from .people import People
from .proposal_json import beginning_json, bots_json, player_json, proposal_json
from .timeline import Timeline

T = TypeVar("T")


class lazy(Generic[T]):
    """functools.cached_property without the lock that it takes before Python 3.12, and which costs more than most of
    what is kept here."""

    def __init__(self, make: Callable[[Any], T]) -> None:
        self._make = make
        self._name = make.__name__
        self.__doc__ = make.__doc__

    @overload
    def __get__(self, instance: None, owner: object) -> Self: ...
    @overload
    def __get__(self, instance: object, owner: object) -> T: ...
    def __get__(self, instance: object, owner: object) -> Self | T:
        if instance is None:
            return self
        value = self._make(instance)
        # Not by `__dict__`: once that has been made, every field of the instance is slower to read.
        setattr(instance, self._name, value)
        return value


_THOUSANDTHS = tuple(f".{ms:03}Z" for ms in range(1000))


@lru_cache(maxsize=1024)
def rfc3339(ms: int) -> str:
    """Milliseconds since 1970 as text in UTC, always with three decimals."""
    second, rest = divmod(ms, 1000)
    return _second(second) + _THOUSANDTHS[rest]


@lru_cache(maxsize=1024)
def _second(seconds: int) -> str:
    """Most times that are shown lie in one of a few seconds, and writing dates is slow."""
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%S")


def at_time(encoded: bytes, now_ms: int) -> bytes:
    """A JSON object with the server's time added as `now`: with its deadlines, a client computes what time is left."""
    return b'%b,"now":"%b"}' % (encoded[:-1], rfc3339(now_ms).encode())


def milliseconds(text: str) -> int:
    """The inverse of rfc3339. Raises ValueError."""
    moment = datetime.fromisoformat(text)
    if moment.tzinfo is None:
        raise ValueError("a time without its zone")
    since = moment - datetime(1970, 1, 1, tzinfo=UTC)
    return (since.days * 86_400 + since.seconds) * 1000 + since.microseconds // 1000


_WHEN = {"lobby": "before the start", "playing": "while a match is running", "finished": "after the end"}
_IS = {"lobby": "has not started", "playing": "is running", "finished": "is over", "aborted": "was aborted"}

_start_depends_on = attrgetter(
    *("holders", "prepared", "invitations", "challenged"),
    *("mode", "started_version", "seed", "rematch", "bots", "bot_seeds"),
)


class Terms:
    """What follows from the options, the mode and whether the match is over, worked out once for as long as they stay.

    known         all options that may be known, with defaults; shared, not to be changed
    known_json    the same, encoded: every summary has it
    text          how the options that may be known differ from the standard
    move_seconds  thinking time; 0 for none, as in every match that goes on from a record
    setup_seconds how long a seat may take to set up; 0 for any time, as in those, and in a game without such phases
    flee_seconds  how long a player may be away; None where being away is no matter
    """

    def __init__(self, game: Game, fold: Fold) -> None:
        full = game.full_options(fold.options)
        self.options, self.mode, self.over = fold.options, fold.mode, fold.status == "finished"
        set_ = {**fold.options, **fold.filled} if self.over else fold.options
        self.known = policy.known_options(game, set_, fold.mode, self.over)
        self.known_json = msgspec.Raw(msgspec.json.encode(self.known))
        self.text = game.options_text(set_, self.known)
        self.summary_start: tuple[object, bytes] | None = None  # Match.summary_start_json
        own = policy.move_seconds(full, fold.move_seconds)
        imported = fold.imported is not None or fold.record is not None or fold.imported_until > 0
        self.move_seconds = 0 if imported else own
        self._setup_phases = policy.setup_phases(game)
        self.setup_seconds = fold.setup_seconds if self._setup_phases and not imported else 0
        self.clocked = bool(self.move_seconds or self.setup_seconds)
        self.flee_seconds = policy.flee_seconds(full) if fold.mode == "competitive" and not imported else None

    def setup_phase(self, state: State) -> str:
        """The phase, if it is one that `setup_seconds` bound; else ""."""
        if not self.setup_seconds:
            return ""
        phase = state.phase
        return phase if phase in self._setup_phases else ""

    def fit(self, fold: Fold) -> bool:
        """Do they hold for this match still?"""
        same = self.options is fold.options and self.mode == fold.mode
        return same and self.over == (fold.status == "finished")


class Match:
    """Never changes; everything here is answered without I/O. The plain facts are those of `fold`.

    state      None before the start; not to be changed (copy it first)
    deadlines  seat → ms
    """

    def __init__(
        self,
        fold: Fold,
        game: Game,
        timeline: Timeline,
        state: State | None,
        deadlines: Mapping[str, int],
        terms: Terms | None = None,
        people: People | None = None,
    ) -> None:
        self.fold = fold
        self.game = game
        self.timeline = timeline
        self.state = state
        self.deadlines = deadlines
        self.terms = terms or Terms(game, fold)
        self.people = people or People(fold)
        self.id = fold.match
        self.version = fold.version
        self.status = fold.status
        # Is the summary the same for every reader?
        self.is_alike_for_all = fold.proposal is None and fold.status != "lobby"
        self.summary_start: bytes | None = None  # summary_start_json
        self.stored_summary_start = b""  # what Redis has of it, if that is known here
        self._rest_json: bytes | None = None
        self._turn_json: bytes | None = None

    def __repr__(self) -> str:
        return f"<Match {self.id} {self.fold.game} {self.status} at {self.version}>"

    # ---- facts

    @property
    def game_name(self) -> str:
        return self.fold.game

    @property
    def rules_version(self) -> int:
        return self.fold.rules_version

    @property
    def mode(self) -> str:
        return self.fold.mode

    @property
    def consent(self) -> str:
        return self.fold.consent

    @property
    def visibility(self) -> str:
        return self.fold.visibility

    @property
    def seating(self) -> str:
        return self.fold.seating

    @property
    def chain(self) -> str:
        return self.fold.chain

    @property
    def seats(self) -> tuple[str, ...]:
        return self.fold.seats

    @property
    def holders(self) -> Mapping[str, Player]:
        return self.fold.holders

    @property
    def started_at_version(self) -> int:
        """The version of `match_started`; 0 in the lobby. Earlier versions have no view."""
        return self.fold.started_version

    @property
    def is_over(self) -> bool:
        return self.fold.status == "finished"

    @property
    def flee_seconds(self) -> int | None:
        """How long a player may be away while the match is played; None where that is no matter, as in casual matches,
        in imported ones, and where somebody plays against himself."""
        if self.fold.status != "playing" or self.people.players < 2:
            return None
        return self.terms.flee_seconds

    def check_status(self, *allowed: str) -> None:
        """Raises WrongStatus unless the match is in one of these."""
        if self.fold.status not in allowed:
            when = " or ".join(_WHEN[status] for status in allowed)
            detail = f"This is possible only {when}; this match {_IS[self.status]}."
            raise WrongStatus(detail + self._waits_for(), version=self.version)

    def _waits_for(self) -> str:
        """A sentence on what is missing in the lobby for the match to start."""
        if self.fold.status != "lobby":
            return ""
        free = [seat for seat in self.seats if seat not in self.holders]
        if free:
            return f" It waits for players; free seats: {', '.join(free)}."
        unready = [seat for seat in self.seats if seat not in self.fold.prepared]
        return f" It waits for `prepare` by {' and '.join(unready)}." if unready else ""

    def board(self) -> dict[str, object]:
        """Geometry for this match's options. Costs one core call."""
        return self.game.board(policy.nominal(self.game, self.fold.options, self.mode))

    @lazy
    def to_act(self) -> list[str]:
        """Not to be changed."""
        return [] if self.state is None or self.fold.status == "aborted" else self.state.to_act

    @property
    def move_seconds(self) -> int:
        """Thinking time; 0 for none, as in every imported match."""
        return self.terms.move_seconds

    @lazy
    def disclosure(self) -> int:
        """Flags of what the rules have disclosed in the current state."""
        return 0 if self.state is None else self.state.disclosure

    def disclosed(self, version: int) -> int:
        """What has been disclosed of event `version` by now, on any line."""
        return self.timeline.disclosed(version, self.version, self.disclosure)

    def is_open_book(self, version: int) -> bool:
        """Has the match been over after event `version`? Then everybody may see all of that event."""
        return self.is_over or version <= self.timeline.over_until

    def disclosure_stamp(self) -> int:
        """Another number whenever more of the past may be shown than before: for ETags of events, history and
        export."""
        return len(self.timeline.tips) << 32 | self.disclosure

    # ---- people

    def is_member(self, player_id: str | None) -> bool:
        return player_id in self.people.members

    def may_know(self, player_id: str | None) -> bool:
        """May this player know that the match exists?"""
        return self.fold.visibility == "public" or self.is_member(player_id)

    def holds(self, player_id: str | None, seat: str) -> bool:
        holder = self.fold.holders.get(seat)
        return holder is not None and holder.id == player_id

    def seats_of(self, player_id: str | None) -> tuple[str, ...]:
        return self.people.seats_of(player_id)

    def check_seat(self, player_id: str | None, seat: str) -> None:
        """Raises UnknownSeat, or NotYourSeat unless the player holds it."""
        holder = self.fold.holders.get(seat)
        if holder is not None and holder.id == player_id:
            return
        if seat not in self.fold.seats:
            raise self.unknown_seat(seat)
        raise NotYourSeat(f"You do not hold the seat {seat}.", version=self.version)

    def check_may_analyse(self, player_id: str | None, seat: str) -> None:
        """May the player ask the computer what to do as this seat? Raises UnknownSeat, NotYourSeat; Hidden where it
        would help him against others."""
        if seat not in self.fold.seats:
            raise self.unknown_seat(seat, "/seat")
        if self.is_over:
            return
        self.check_seat(player_id, seat)
        if self.mode != "casual":
            detail = "In a competitive match there is no help: the computer analyses it when it is over."
        elif any(holder.id != player_id and not is_bot(holder.id) for holder in self.holders.values()):
            detail = "Other people play in this match: the computer analyses it when it is over."
        else:
            return
        raise Hidden(detail, version=self.version)

    def unknown_seat(self, seat: str, path: str = "") -> UnknownSeat:
        """The exception for a seat that this match has not."""
        detail = f"This match has no seat {named(seat)}."
        return UnknownSeat(detail, version=self.version, path=path, extra={"allowed": [*self.seats]})

    def reader(self, player_id: str | None, seat: str | None = None) -> Reader:
        """With `seat`: as that seat (raises UnknownSeat, NotYourSeat). Without: with the knowledge of every seat
        that the player holds; as a spectator where he holds none (raises NoSpectators)."""
        if seat is not None:
            self.check_seat(player_id, seat)
            return Reader((seat,), player_id)
        seats = self.seats_of(player_id)
        return Reader(seats, player_id) if seats else self.spectator(player_id)

    def spectator(self, player_id: str | None = None) -> Reader:
        """Raises NoSpectators where a running match may not be watched."""
        fold = self.fold
        if fold.mode == "competitive" and fold.status == "playing":
            if not policy.spectators_may_watch(self.game):
                raise NoSpectators(
                    "Spectators can see this match only when it is over.", version=self.version
                )
        return Reader((), player_id)

    def may_see_all(self, player_id: str | None) -> bool:
        """`knows_all` of a player with all his seats: `view?seat=all`."""
        return self.knows_all(Reader(self.seats_of(player_id), player_id))

    def knows_all(self, reader: Reader) -> bool:
        """May the reader have the complete record and notation? Yes if the match is over, has an open record, or is
        a casual one all of whose seats he reads for."""
        if self.is_over:
            return True
        fold = self.fold
        return fold.mode == "casual" and (fold.open_record or reader.seats == fold.seats != ())

    def informed(self, reader: Reader) -> Reader:
        """The reader, or where he `knows_all`, one with the knowledge of every seat."""
        return Reader(self.seats, reader.player) if self.knows_all(reader) else reader

    # ---- as JSON

    def summary(self, reader: Reader) -> dict[str, object]:
        """The match in the form of `schema.Match`. Not to be changed: readers who get the same share it."""
        return self._public_summary if self.is_alike_for_all else self._summary(reader)

    def summary_at(self, reader: Reader, now_ms: int) -> dict[str, object]:
        """The same as the server tells it at that time, which it says beside deadlines."""
        summary = self.summary(reader)
        return {**summary, "now": rfc3339(now_ms)} if self.deadlines else summary

    def summary_json(self, reader: Reader) -> bytes:
        """The same, encoded."""
        return b"%b,%b" % (self.summary_start_json(), self.summary_rest_json(reader))

    @lazy
    def _public_summary(self) -> dict[str, object]:
        return self._summary(STRANGER)

    # The next two are cached by hand, because every event needs them: `lazy` would cost what it saves.

    def summary_rest_json(self, reader: Reader) -> bytes:
        """The rest of the summary, which events change, without its opening brace."""
        if not self.is_alike_for_all:
            return msgspec.json.encode(self._rest_members(reader))[1:]
        if self._rest_json is None:
            fold, result = self.fold, b"null"
            if fold.result is not None:
                result = msgspec.json.encode(result_json(fold.result))
            form = b'"status":"%b","version":%d,%b,"proposal":null,"result":%b,"updated_at":"%b"}'
            self._rest_json = form % (
                fold.status.encode(),
                fold.version,
                self.turn_json(),
                result,
                rfc3339(fold.updated_at).encode(),
            )
        return self._rest_json

    def turn_json(self) -> bytes:
        """Whose turn it is, and until when: two members of a JSON object, without its braces."""
        if self._turn_json is None:
            to_act = self.to_act
            deadlines = msgspec.json.encode(self.deadlines_json()) if self.deadlines else b"{}"
            self._turn_json = b'"to_act":%b,"deadlines":%b' % (msgspec.json.encode(to_act), deadlines)
        return self._turn_json

    def summary_start_json(self) -> bytes:
        """The start of the summary, its greater part, without its closing brace. An action leaves it as it is, unless
        it ends the match; so a draft passes it on (draft.py), and an append does not carry it (appending.py)."""
        if self.summary_start is None:
            terms, stands_on = self.terms, _start_depends_on(self.fold)
            if terms.summary_start is None or terms.summary_start[0] != stands_on:
                start = {**self._start_members(), "options": terms.known_json}
                terms.summary_start = stands_on, msgspec.json.encode(start)[:-1]
            self.summary_start = terms.summary_start[1]
        return self.summary_start

    def _start_members(self) -> dict[str, object]:
        """What of the summary changes seldom: all of it hangs on the options and on `_start_depends_on`."""
        fold = self.fold
        start: dict[str, object] = {
            "id": self.id,
            "game": fold.game,
            "rules_version": fold.rules_version,
            "mode": fold.mode,
            "options": self.terms.known,
            "options_text": self.terms.text,
            "consent": fold.consent,
            "move_seconds": self.terms.move_seconds,
            "setup_seconds": self.terms.setup_seconds,
            "visibility": fold.visibility,
            "seating": fold.seating,
            "open_record": fold.open_record,
            "seats": [self._seat(seat) for seat in fold.seats],
            "seed_commitment": fold.seed,
            "creator": player_json(fold.creator),
            "created_at": rfc3339(fold.created_at),
        }
        if fold.mode == "competitive" and fold.started_version and policy.accounting(self.game) is not None:
            start["counted"] = not fold.uncounted
            if fold.uncounted:
                start["uncounted"] = list(fold.uncounted)
        if fold.imported is not None:
            start["imported"] = True
        if fold.rematch_of is not None:
            start["rematch_of"] = fold.rematch_of
        if fold.rematch is not None:
            start["rematch"] = fold.rematch
        if fold.bots:
            start["bots"] = bots_json(fold.bots, fold.holders, fold.bot_seeds)
        return start

    def _rest_members(self, reader: Reader) -> dict[str, object]:
        """The rest, which an action changes."""
        fold, result = self.fold, self.fold.result
        rest: dict[str, object] = {
            "status": fold.status,
            "version": fold.version,
            "to_act": self.to_act,
            "deadlines": self.deadlines_json(),
            "proposal": proposal_json(self, fold.proposal, reader),
            "result": None if result is None else result_json(result),
            "updated_at": rfc3339(fold.updated_at),
        }
        if fold.status == "lobby":
            rest["beginning"] = beginning_json(self, reader)
            if fold.seating == "wish":
                joined = [{"player": player_json(j.player), "wish": j.wish} for j in fold.joined]
                rest["joined"] = joined
        return rest

    def _summary(self, reader: Reader) -> dict[str, object]:
        return {**self._start_members(), **self._rest_members(reader)}

    def deadlines_json(self) -> dict[str, str]:
        return {seat: rfc3339(at) for seat, at in self.deadlines.items()}

    def _seat(self, seat: str) -> dict[str, object]:
        fold = self.fold
        holder = fold.holders.get(seat)
        entry: dict[str, object] = {
            "seat": seat,
            "player": None if holder is None else player_json(holder),
            "prepared": seat in fold.prepared or bool(fold.started_version),
        }
        if holder is None and seat in fold.invitations:
            entry["by_invitation"] = True
        if seat in fold.challenged:
            entry["challenged"] = True
        return entry


def result_json(result: Result) -> dict[str, object]:
    return {"winners": result.winners, "reason": result.reason}
