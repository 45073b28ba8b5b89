"""What the service answers, as frozen Structs.

Fields that are not named here are ignored, because the service may add some. `None` stands for what an answer
leaves out. What a rule book defines (options, actions, effects, views, positions) stays plain JSON:
`GET /v1/games/{game}` describes it (game.py), and this SDK knows no game.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

from msgspec import Struct

if TYPE_CHECKING:
    from .literals import (
        BeginningKind,
        Consent,
        HealthStatus,
        MatchStatus,
        Mode,
        PairingStatus,
        Scope,
        Seating,
        VerdictStatus,
        Visibility,
    )
    from .shapes import OpenProposal
else:  # A word that this SDK does not know is no reason to refuse an answer.
    BeginningKind = Consent = MatchStatus = Mode = PairingStatus = Scope = Seating = str
    HealthStatus = VerdictStatus = Visibility = str
    OpenProposal = dict  # told apart by `kind`, of which there may be more


Json = dict[str, Any]
Given = Mapping[str, Any]
"""What is sent as JSON: a `dict`, or a `TypedDict` of `warlog_client.game_types`."""
Seats = str | Sequence[str] | None
"""As whom one looks: a seat or seats that one holds; None: all that one holds, a spectator where none."""


class Player(Struct, frozen=True):
    """`bot`: a program plays for the account."""

    id: str
    name: str
    created_at: datetime | None = None
    bot: bool = False


class Standing(Struct, frozen=True):
    """A player's competitive matches of one game. `score` and `rank` are for games with points; a rank has `level`,
    `name` and more. A match from which the player fled is also one that he won, drew or lost."""

    game: str
    won: int = 0
    drawn: int = 0
    lost: int = 0
    fled: int = 0
    score: int | None = None
    rank: Json | None = None


class Account(Struct, frozen=True):
    """`gold` is all of it, also what is set aside for the matches that the player plays now."""

    id: str
    name: str
    created_at: datetime
    gold: int = 0
    games: list[Standing] = []
    bot: bool = False


class OwnAccount(Struct, frozen=True):
    """`held`: how much of the gold is set aside for running matches."""

    player: Account
    held: int = 0


class RatingValue(Struct, frozen=True):
    """`rating` ± `deviation` is what people are shown; `mu` and `sigma` are what the algorithm has."""

    rating: int
    deviation: int
    mu: float
    sigma: float


class Rating(RatingValue, frozen=True, kw_only=True):
    """In one pool of a game, as it is now. provisional: too uncertain for the leaderboard."""

    game: str
    pool: str
    provisional: bool
    algorithm: str
    matches: int
    last_match_at: str


class RatingChange(Struct, frozen=True):
    """By one match; `match` is None where only the player himself may know of it. `algorithm`: its name and version;
    numbers of another one cannot be compared."""

    match: str | None
    at: str
    before: RatingValue
    after: RatingValue
    algorithm: str


class Achievement(Struct, frozen=True, kw_only=True):
    """Something to try. `game` is None where all games share it; `count` says in how many matches it is to be done."""

    key: str
    game: str | None = None
    name: str
    text: str
    count: int = 1


class EarnedAchievement(Achievement, frozen=True, kw_only=True):
    """By a match, which is None where only the player himself may know of it."""

    at: datetime
    match: str | None = None


class BegunAchievement(Achievement, frozen=True, kw_only=True):
    """Done in `times` matches of `count`."""

    times: int


class OwnAchievements(Struct, frozen=True):
    """What a player has achieved, the newest first, and what he is on the way to."""

    achievements: list[EarnedAchievement]
    begun: list[BegunAchievement] = []


class SeatOutcomes(Struct, frozen=True):
    """Matches from one seat in one pool; None: with options of no pool."""

    pool: str | None
    seat: str
    won: int
    drawn: int
    lost: int


class MatchLength(Struct, frozen=True):
    """`actions` and `seconds` are means; `longest` is in actions."""

    actions: float
    longest: int
    seconds: float


class Favourite(Struct, frozen=True):
    """An opening or purchase, and how often."""

    name: str
    times: int


class GameStatistics(Struct, frozen=True, kw_only=True):
    """The counted matches of a game."""

    game: str
    played: int
    seats: list[SeatOutcomes]
    length: MatchLength
    favourites: list[Favourite]


class PlayerStatistics(GameStatistics, frozen=True, kw_only=True):
    """Those of one player."""

    won: int
    drawn: int
    lost: int
    streak: int
    best_streak: int


class Placed(Struct, frozen=True):
    """A line of a leaderboard: by points `score` and `rank`, by rating `rating`. The best place is 1; None is that of
    one's own provisional rating."""

    place: int | None
    player: Player
    score: int | None = None
    rank: Json | None = None
    rating: Rating | None = None


class Related(Struct, frozen=True):
    """A player whom one follows or has blocked, and when that began."""

    player: Player
    since: datetime


class WatchableMatch(Struct, frozen=True):
    """A running match that everybody may watch."""

    match: str
    game: str
    mode: Mode


class Followed(Struct, frozen=True):
    """A player whom one follows. `here`: the personal feed is open, or was until a moment ago."""

    player: Player
    since: datetime
    here: bool = False
    matches: list[WatchableMatch] = []


class Layout(Struct, frozen=True):
    """A starting layout of one's own. The one named `last` is that with which the next match begins."""

    game: str
    name: str
    layout: Any
    saved_at: datetime


class OwnOptions(Struct, frozen=True):
    """A set of options of one's own. `options_text` says how they differ from the standard."""

    game: str
    name: str
    options: Json
    options_text: str = ""
    saved_at: datetime | None = None


class Registered(Struct, frozen=True):
    """A new player and its first token, which is never shown again."""

    player: Player
    token: str
    scopes: list[Scope]


class Token(Struct, frozen=True):
    id: str
    label: str
    scopes: list[Scope]
    created_at: datetime | None = None
    expires_at: datetime | None = None
    """Of the session of a browser."""


class NewToken(Struct, frozen=True):
    """`token` is the secret, never shown again; `id` is what revokes it."""

    id: str
    token: str
    label: str
    scopes: list[Scope]
    created_at: datetime | None = None
    expires_at: datetime | None = None


class Seat(Struct, frozen=True):
    """`player` is None while nobody holds the seat. by_invitation: only who has the invitation may take it.
    challenged: the maker of the match has given it to the player, who has not answered."""

    seat: str
    player: Player | None = None
    prepared: bool = False
    by_invitation: bool = False
    challenged: bool = False


class Joined(Struct, frozen=True):
    """Who has joined a match whose seats are given by wish; `wish` None: any seat."""

    player: Player
    wish: str | None = None


class Beginning(Struct, frozen=True):
    """How a match in the lobby will begin: with the game's own setup, from a position, or where a record ends.

    views          by seat, as one's own seats would see it
    events, match  of the record: how many events it has, and the id of its match
    """

    kind: BeginningKind
    position: Json | None = None
    options: Json | None = None
    views: dict[str, Json] | None = None
    events: int | None = None
    match: str | None = None


class BotSeat(Struct, frozen=True):
    """A bot of the house in a match. `seed`: when the match is over."""

    level: int
    seed_hash: str
    seed: str | None = None


class HouseBot(Struct, frozen=True):
    """A level of the house's bots; `bot:5` names it where a match is made."""

    level: int
    player: Player
    ratings: list[Rating] = []


class BotsOfGame(Struct, frozen=True):
    """search: whether they search, or play at random. iterations: of the search, by level."""

    game: str
    search: bool
    iterations: dict[int, int] = {}


class Bots(Struct, frozen=True):
    """The bots of the house. alive: whether a program plays for them at present."""

    alive: bool
    bots: list[HouseBot]
    games: list[BotsOfGame]


class Result(Struct, frozen=True):
    """No winners means a draw; `reason` is one of the rule book's."""

    winners: list[str]
    reason: str


class Match(Struct, frozen=True):
    """The summary of a match.

    status     lobby, playing, finished (with `result`), aborted (without)
    version    the number of its newest event
    options    all options that may be known, defaults included; `options_text` says how they differ from the standard
    proposal   what waits for consent; its `version` is its name in `accept` and `reject`
    deadlines  by seat; empty without clocks
    setup_seconds  how long a seat may take to set up; 0 for any time
    now        the server's time at the answer, beside deadlines
    bots       by seat: the bots of the house
    rematch    the match that follows this one by agreement, `rematch_of` the one before
    open_record  everybody may have the complete record, notation and position while the match runs
    counted    of a running competitive match: will it move points and gold? If not, `uncounted` says why
    beginning  in the lobby: how it will begin
    joined     in the lobby, where seats are given by wish: who has joined
    imported   it was made from a record
    """

    id: str
    game: str
    rules_version: int
    mode: Mode
    status: MatchStatus
    version: int
    options: Json
    consent: Consent
    move_seconds: int
    visibility: Visibility
    seats: list[Seat]
    to_act: list[str]
    deadlines: dict[str, datetime] = {}
    now: datetime | None = None
    proposal: OpenProposal | None = None
    result: Result | None = None
    seed_commitment: str | None = None
    seating: Seating | None = None
    rematch: str | None = None
    rematch_of: str | None = None
    open_record: bool = False
    created_at: datetime | None = None
    updated_at: datetime | None = None
    setup_seconds: int = 0
    options_text: str = ""
    counted: bool | None = None
    uncounted: list[str] = []
    creator: Player | None = None
    beginning: Beginning | None = None
    joined: list[Joined] = []
    imported: bool = False
    bots: dict[str, BotSeat] = {}

    @property
    def is_over(self) -> bool:
        """Has the match ended, with a `result` or aborted?"""
        return self.status in ("finished", "aborted")


class Created(Struct, frozen=True):
    """A new match, and the invitation of every seat that is taken with one, never shown again."""

    match: Match
    invitations: dict[str, str] = {}


class PairingEntry(Struct, frozen=True):
    """The wait for a match.

    players  how many make the match
    status   waiting, pairing (it is being made), paired (with `match`), withdrawn (a match was found in another
             queue: `match`), refused (`code` says why), left, expired
    place    1: the next to be seated; None unless waiting
    """

    id: str
    game: str
    options: Json
    mode: Mode
    move_seconds: int
    players: int
    status: PairingStatus
    setup_seconds: int = 0
    place: int | None = None
    since: datetime | None = None
    match: str | None = None
    code: str | None = None

    @property
    def is_over(self) -> bool:
        return self.status not in ("waiting", "pairing")


class Imported(Struct, frozen=True):
    """`versions` maps each version of the record to the one that it has in the new match."""

    match: Match
    versions: dict[int, int] = {}


class View(Struct, frozen=True):
    """What a seat or the spectator sees as of version `at`."""

    version: int
    at: int
    seat: str
    view: Json


class Whole(Struct, frozen=True):
    """Everything as of version `at`: the `position`, or the `views` of all seats where there is none, as at the end."""

    version: int
    at: int
    seat: str = "all"
    position: Json | None = None
    views: dict[str, Json] | None = None


class SeenPosition(Struct, frozen=True):
    """What a seat sees as a Position, to be edited; None: the match is over, or there is none for this state."""

    version: int
    at: int
    seat: str
    position: Json | None


class Seen(Struct, frozen=True):
    """What a seat knew as of version `at`, as bytes for `warlog_core.game(game, rules_version).load(setup, state)`.
    `seed`: for a bot of the house alone, in hex."""

    match: str
    version: int
    at: int
    seat: str
    game: str
    rules_version: int
    setup: bytes
    state: bytes
    seed: str | None = None


class Touched(Struct, frozen=True):
    """A piece that an action touches, where it stands, and its seat, if you see whose it is."""

    space: str
    piece: int | None = None
    level: str | None = None
    owner: str | None = None


class Harm(Struct, frozen=True):
    """What a blow of a listed action does by the middle one of its rolls, and between which bounds. The first is the
    action's own; what follows are the answers to it: the stronger the blow, the weaker they are."""

    space: str
    damage: int
    damage_min: int
    damage_max: int
    killed: int
    killed_min: int
    killed_max: int
    piece: int | None = None
    level: str | None = None


class Trace(Struct, frozen=True):
    """Where an action leads, as far as one viewer sees it: the spaces passed, the pieces hit and taken, those that
    stand in the way, what its blows do, and what it is paid with."""

    path: list[str]
    hits: list[Touched] = []
    takes: list[Touched] = []
    levels: list[str] = []
    risk: list[Touched] = []
    harm: list[Harm] = []
    pays: list[str] = []


class EventTrace(Struct, frozen=True):
    """What event `at` did, as `seat` saw it; None: it is no action, or the seat did not see the whole action."""

    version: int
    at: int
    seat: str
    trace: Trace | None = None


class Expected(Struct, frozen=True):
    """An action that the computer expects to follow."""

    seat: str
    action: Json


class Analysed(Struct, frozen=True):
    """An action, how likely the seat's side is to win after it (0 to 1), how often the search went there, what is
    expected to follow, and where the action leads."""

    action: Json
    value: float
    visits: int
    line: list[Expected]
    trace: Trace | None = None


class Analysis(Struct, frozen=True):
    """What the computer would do as `seat` at version `at`, the best action first. `warlog_core.play` finds it again,
    with level 8, this seed and so many iterations."""

    version: int
    at: int
    seat: str
    actions: list[Analysed]
    seed: int
    iterations: int


class Actions(Struct, frozen=True):
    """Every legal action of `seat` at version `at`, ready to be posted; `open` marks a template. `traces`, where they
    are asked for, has the trace of each, in the same order."""

    game: str
    version: int
    at: int
    seat: str
    total: int
    actions: list[Json]
    traces: list[Trace] = []
    next: int | None = None


class Node(Struct, frozen=True):
    """One version in the tree of lines."""

    version: int
    parent: int | None = None


class Verdict(Struct, frozen=True):
    """`status` is verified, unseeded (no seed tells what the draws should have been), or failed, at `version`."""

    status: VerdictStatus
    events: int | None = None
    version: int | None = None
    detail: str = ""


class Scenario(Struct, frozen=True):
    """A saved position with its options; `position` None: options alone."""

    id: str
    game: str
    name: str
    options: Json = {}
    position: Json | None = None
    owner: str | None = None
    visibility: Visibility | None = None
    created_at: datetime | None = None


class Health(Struct, frozen=True):
    status: HealthStatus


class Undo(Struct, frozen=True, tag_field="kind", tag="undo"):
    """Make the state after version `to`, of any line, current again."""

    to: int


class ChangeOptions(
    Struct, frozen=True, tag_field="kind", tag="options", omit_defaults=True, rename={"import_": "import"}
):
    """Change options; before the start also the position, given, of a scenario, or of a record."""

    options: Given = {}
    position: Given | None = None
    scenario: str | None = None
    import_: Given | None = None


class Edit(Struct, frozen=True, tag_field="kind", tag="edit"):
    """Replace the position."""

    position: Given


class MakeCompetitive(Struct, frozen=True, tag_field="kind", tag="competitive"):
    """From now on it counts."""


class Abort(Struct, frozen=True, tag_field="kind", tag="abort"):
    """End the match in the lobby, without a result. A running match ends by its rules: its players may resign."""


class Rematch(Struct, frozen=True, tag_field="kind", tag="rematch"):
    """The same again, with the seats rotated."""


Proposal = Undo | ChangeOptions | Edit | MakeCompetitive | Abort | Rematch
