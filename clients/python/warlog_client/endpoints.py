"""The calls of the API, written once for both clients, in the order of the API's own table. Those whose name is also
that of a subject (`matches`, `games` …) stand in `namespaces`.

A method here only describes its request; `methods` makes it a blocking one on `Client` and one to be awaited
on `AsyncClient`. Each raises the refusals of `errors`, Unreachable and UnexpectedReply.
"""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence
from typing import Any, TypedDict, Unpack

import msgspec

from . import descriptions, models
from .events import ActionTakenEvent, Event, read_event
from .literals import Consent, DeclineReason, Mode, Scope, Seating, Visibility
from .methods import endpoint, paged
from .models import Given, Json, Seats
from .request import (
    Page,
    Request,
    T,
    described_as,
    field_as,
    get,
    json_as,
    lines_of,
    list_of,
    looked_at,
    nothing,
    pages,
    pages_of,
    post,
    read_as,
    send,
    text,
)

PAGE = 100
"""Items of a list that are asked for at a time."""

ANALYSIS_SECONDS = 30.0
"""For which an analysis may be waited for: the service takes 20 at most."""

# The replies, each decoder made once.
_ACTIONS = json_as(models.Actions)
_EVENT_TRACE = json_as(models.EventTrace)
_CREATED = json_as(models.Created)
_EVENT = read_as(read_event)
_ENTRIES = field_as(list[models.PairingEntry], "entries")
_ENTRY = field_as(models.PairingEntry, "entry")
_ACTION_TAKEN = json_as(ActionTakenEvent)
_DATA = json_as(dict[str, Any])
_GAME = described_as(looked_at(descriptions.Game).of)
_HEALTH = json_as(models.Health)
_IMPORTED = json_as(models.Imported)
_MATCH = field_as(models.Match, "match")
_MATCH_BOARD = described_as(looked_at(descriptions.MatchBoard).of)
_NEW_TOKEN = json_as(models.NewToken)
_ACCOUNT = field_as(models.Account, "player")
_OWN_ACCOUNT = json_as(models.OwnAccount)
_LAYOUT = field_as(models.Layout, "layout")
_JSON = json_as(dict[str, Any])
_OWN_PLACE = field_as(models.Placed | None, "you")  # type: ignore[arg-type]
_ACHIEVEMENTS = field_as(list[models.Achievement], "achievements")
_OWN_ACHIEVEMENTS = json_as(models.OwnAchievements)
_STATISTICS = field_as(list[models.PlayerStatistics], "statistics")
_GAME_STATISTICS = json_as(models.GameStatistics)
_RATINGS = field_as(list[models.Rating], "ratings")
_REGISTERED = json_as(models.Registered)
_OWN_OPTIONS = field_as(models.OwnOptions, "options")
_SCENARIO = field_as(models.Scenario, "scenario")
_VERDICT = json_as(models.Verdict)
_RELATED = json_as(models.Related)
_VIEW = json_as(models.View)
_WHOLE = json_as(models.Whole)
_SEEN_POSITION = json_as(models.SeenPosition)
_BOTS = json_as(models.Bots)
_SEEN = json_as(models.Seen)
_HERE = field_as(list[str], "here")
_ANALYSIS = json_as(models.Analysis)


class How(TypedDict, total=False):
    """What every command may be sent with.

    if_match         the version on which the command rests; VersionConflict if the match has moved on
    idempotency_key  a fresh one by default. After a lost connection or a 503 the command is sent again with
                     the same key, so it takes effect once however often it was sent; with a key of one's own
                     that holds across restarts of one's own process, too
    """

    if_match: int | None
    idempotency_key: str | None


def _command(
    request: Request[T], *, if_match: int | None = None, idempotency_key: str | None = None
) -> Request[T]:
    request = _once(request, idempotency_key)
    if if_match is None:
        return request
    return msgspec.structs.replace(request, headers={**request.headers, "If-Match": f'"{if_match}"'})


def _once(request: Request[T], idempotency_key: str | None) -> Request[T]:
    """With this key, or a fresh one, so that it takes effect once however often it is sent."""
    headers = {**request.headers, "Idempotency-Key": idempotency_key or uuid.uuid4().hex}
    return msgspec.structs.replace(request, headers=headers, repeatable=True)


def _post_command(match: str, body: Json, how: How) -> Request[Event]:
    return _command(post(_EVENT, "matches", match, "commands", body=body), **how)


class Endpoints:
    """The calls. Matches, players, seats and the rest are named by their ids, plain strings."""

    # ---- accounts ------------------------------------------------------------------------------------------

    @endpoint
    def create_player(
        self, name: str, *, bot: bool = False, idempotency_key: str | None = None
    ) -> Request[models.Registered]:
        """A new account with a first token. Needs no token. `bot`: a program plays for it, and everybody sees that.

        A key of one's own has at least 22 random characters and is as secret as the token: whoever repeats the call
        with it, from the same address within 24 hours, gets the token."""
        body = {"name": name, "bot": True} if bot else {"name": name}
        return _once(post(_REGISTERED, "players", body=body), idempotency_key)

    @endpoint
    def me(self) -> Request[models.Account]:
        """The player whose token this client sends."""
        return get(_ACCOUNT, "players", "me")

    @endpoint
    def account(self) -> Request[models.OwnAccount]:
        """Your own account; `held` is how much of its gold is set aside for running matches."""
        return get(_OWN_ACCOUNT, "players", "me")

    @endpoint
    def leave_for_good(self, name: str, *, idempotency_key: str | None = None) -> Request[None]:
        """Deletes one's account, for which one repeats its name. There is no way back. Running matches are resigned; in
        all matches the seat is then somebody's. Raises WrongName."""
        return _once(send("DELETE", nothing, "players", "me", body={"name": name}), idempotency_key)

    @endpoint
    def player(self, player: str) -> Request[models.Account]:
        """Gold, and in each game score, rank and record of competitive matches."""
        return get(_ACCOUNT, "players", player)

    @paged
    def find_players(self, name: str, *, limit: int = PAGE) -> Request[Page[models.Player]]:
        """Players whose names begin so, whatever the case of the letters."""
        return pages_of(models.Player, "players", get(nothing, "players", name=name, limit=limit))

    @paged
    def following(self, *, limit: int = PAGE) -> Request[Page[models.Followed]]:
        """The players whom one follows, the latest first: who is here, and plays what may be watched."""
        return pages_of(models.Followed, "players", get(nothing, "players", "me", "following", limit=limit))

    @endpoint
    def follow(self, player: str) -> Request[models.Related]:
        """Raises UnknownPlayer, QuotaExceeded."""
        return send("PUT", _RELATED, "players", "me", "following", player)

    @endpoint
    def unfollow(self, player: str) -> Request[None]:
        return send("DELETE", nothing, "players", "me", "following", player)

    @paged
    def blocked(self, *, limit: int = PAGE) -> Request[Page[models.Related]]:
        """The players whom one has blocked, the latest first."""
        return pages_of(models.Related, "players", get(nothing, "players", "me", "blocked", limit=limit))

    @endpoint
    def block(self, player: str) -> Request[models.Related]:
        """No pairing with this player from now on. Raises UnknownPlayer, QuotaExceeded."""
        return send("PUT", _RELATED, "players", "me", "blocked", player)

    @endpoint
    def unblock(self, player: str) -> Request[None]:
        return send("DELETE", nothing, "players", "me", "blocked", player)

    @endpoint
    def bots(self) -> Request[models.Bots]:
        """The bots of the house."""
        return get(_BOTS, "bots")

    @paged
    def leaderboard(
        self, game: str, *, pool: str | None = None, limit: int = PAGE
    ) -> Request[Page[models.Placed]]:
        """The players of a game, the best first: by rating in `pool`, or else by score. `limit` are fetched at once."""
        return pages_of(
            models.Placed, "players", get(nothing, "games", game, "leaderboard", pool=pool, limit=limit)
        )

    @endpoint
    def own_place(self, game: str, pool: str) -> Request[models.Placed | None]:
        """One's own line of a leaderboard by rating; None without a rated match in this pool."""
        return get(_OWN_PLACE, "games", game, "leaderboard", pool=pool, limit=1)

    @endpoint
    def ratings(self, player: str) -> Request[list[models.Rating]]:
        """Of every pool in which the player has had a rated match."""
        return get(_RATINGS, "players", player, "ratings")

    @paged
    def rating_history(
        self, player: str, game: str, pool: str, *, limit: int = PAGE
    ) -> Request[Page[models.RatingChange]]:
        """Each match that moved this rating, the oldest first; `limit` are fetched at a time."""
        path = ("players", player, "ratings", game, pool, "history")
        return pages_of(models.RatingChange, "changes", get(nothing, *path, limit=limit))

    @endpoint
    def all_achievements(self) -> Request[list[models.Achievement]]:
        """All that there are to be earned, first those that the games share."""
        return get(_ACHIEVEMENTS, "achievements")

    @endpoint
    def achievements(self, player: str) -> Request[models.OwnAchievements]:
        """What a player has achieved, with the match that earned it."""
        return get(_OWN_ACHIEVEMENTS, "players", player, "achievements")

    @endpoint
    def statistics(self, player: str) -> Request[list[models.PlayerStatistics]]:
        """What a player has played, game by game."""
        return get(_STATISTICS, "players", player, "statistics")

    @endpoint
    def game_statistics(self, game: str) -> Request[models.GameStatistics]:
        """How the counted matches of everybody went."""
        return get(_GAME_STATISTICS, "games", game, "statistics")

    @endpoint
    def create_token(self, label: str, scopes: Sequence[Scope] = ("play",)) -> Request[models.NewToken]:
        """Another token of the same player; no scope may exceed those of the token in use."""
        return post(_NEW_TOKEN, "tokens", body={"label": label, "scopes": list(scopes)})

    @endpoint
    def revoke_token(self, token: str) -> Request[None]:
        """Revokes a token by its id, at once."""
        return send("DELETE", nothing, "tokens", token)

    # ---- layouts -------------------------------------------------------------------------------------------

    @endpoint
    def layout(self, game: str, name: str) -> Request[models.Layout]:
        return get(_LAYOUT, "players", "me", "layouts", game, name)

    @endpoint
    def save_layout(self, game: str, name: str, layout: Any) -> Request[models.Layout]:
        """Raises RuleRefused for one that the rule book does not allow."""
        return send("PUT", _LAYOUT, "players", "me", "layouts", game, name, body={"layout": layout})

    @endpoint
    def load_layout(self, game: str, name: str) -> Request[models.Layout]:
        """The next match begins with it."""
        return send("POST", _LAYOUT, "players", "me", "layouts", game, name, "load")

    @endpoint
    def delete_layout(self, game: str, name: str) -> Request[None]:
        return send("DELETE", nothing, "players", "me", "layouts", game, name)

    # ---- options of one's own ------------------------------------------------------------------------------

    @paged
    def own_options_list(self, game: str) -> Request[Page[models.OwnOptions]]:
        """The sets of options that one keeps for a game, by name."""
        return pages_of(models.OwnOptions, "options", get(nothing, "players", "me", "options", game))

    @endpoint
    def save_own_options(self, game: str, name: str, options: Given) -> Request[models.OwnOptions]:
        """Raises RuleRefused for options with which no match is possible, QuotaExceeded."""
        return send("PUT", _OWN_OPTIONS, "players", "me", "options", game, name, body={"options": options})

    @endpoint
    def delete_own_options(self, game: str, name: str) -> Request[None]:
        return send("DELETE", nothing, "players", "me", "options", game, name)

    # ---- games ---------------------------------------------------------------------------------------------

    @endpoint
    def game(self, game: str, options: Given | None = None) -> Request[descriptions.Game]:
        """Board, seats, pieces and schemas; board and seats are those for `options`."""
        return get(_GAME, "games", game, options=options)

    @endpoint
    def rules(self, game: str) -> Request[str]:
        """The rule book, Markdown."""
        return get(text, "games", game, "rules")

    @endpoint
    def rule_data(self, game: str) -> Request[Json]:
        """The rule book's data file: tables of pieces, paths and options."""
        return get(_DATA, "games", game, "data")

    @endpoint
    def check_position(self, game: str, position: Given, options: Given | None = None) -> Request[None]:
        """Raises RuleRefused with the rule book's code unless a match could start from this position."""
        body = {"position": position, "options": options or {}}
        return post(nothing, "games", game, "positions", "check", body=body)

    # ---- matches -------------------------------------------------------------------------------------------

    @endpoint
    def create_match(
        self,
        game: str,
        seats: Mapping[str, str],
        *,
        options: Given | None = None,
        position: Given | None = None,
        scenario: str | None = None,
        mode: Mode | None = None,
        consent: Consent | None = None,
        move_seconds: int | None = None,
        visibility: Visibility | None = None,
        seating: Seating | None = None,
        setup_seconds: int | None = None,
        open_record: bool | None = None,
        idempotency_key: str | None = None,
    ) -> Request[models.Created]:
        """A new match; where the caller and bots of the house hold every seat, it starts at once. None: the service
        decides.

        seats          each seat `me`, `open`, `invite`, a player's id, or `bot:1` to `bot:8` for a bot of the house
        mode           `casual` or `competitive`
        consent        `all` or `none`: whether undo, option change and edit need the other players
        move_seconds   time for a decision, 0 for no clock
        visibility     `public` or `private`
        seating        `wish`: players `join` instead of taking a seat
        setup_seconds  time for layout, purchase, deployment and terrain, 0 for any time
        open_record    casual only: everybody may have the complete record and position while the match runs"""
        settings = {
            "game": game,
            "seats": dict(seats),
            "options": options,
            "position": position,
            "scenario": scenario,
            "mode": mode,
            "consent": consent,
            "move_seconds": move_seconds,
            "visibility": visibility,
            "seating": seating,
            "setup_seconds": setup_seconds,
            "open_record": open_record,
        }
        body = {name: value for name, value in settings.items() if value is not None}
        return _once(post(_CREATED, "matches", body=body), idempotency_key)

    @endpoint
    def match(self, match: str) -> Request[models.Match]:
        return get(_MATCH, "matches", match)

    @endpoint
    def take_seat(
        self,
        match: str,
        seat: str,
        invitation: str | None = None,
        *,
        player: str | None = None,
        **how: Unpack[How],
    ) -> Request[models.Match]:
        """Takes a free seat in the lobby; `prepare` it then. The seat of a challenge is prepared by this.

        `player`: `bot:1` to `bot:8` gives the seat to a bot of the house. Raises SeatTaken, WrongInvitation,
        UnknownSeat."""
        given = {"invitation": invitation, "player": player}
        body = {name: value for name, value in given.items() if value is not None}
        return _command(send("PUT", _MATCH, "matches", match, "seats", seat, body=body), **how)

    @endpoint
    def leave_seat(self, match: str, seat: str, **how: Unpack[How]) -> Request[models.Match]:
        """In the lobby: the seat is free again. In a running competitive match of a game that has fleeing, its player
        flees, and loses. Else WrongStatus."""
        return _command(send("DELETE", _MATCH, "matches", match, "seats", seat), **how)

    @endpoint
    def decline(self, match: str, reason: DeclineReason, **how: Unpack[How]) -> Request[models.Match]:
        """Declines a challenge: the seats that the maker of the match gave to the caller. Raises NoChallenge."""
        return _command(post(_MATCH, "matches", match, "decline", body={"reason": reason}), **how)

    @endpoint
    def join(self, match: str, wish: str | None = None, **how: Unpack[How]) -> Request[models.Match]:
        """Joins a match whose seats are given by wish, or changes one's wish."""
        body = {} if wish is None else {"wish": wish}
        return _command(post(_MATCH, "matches", match, "join", body=body), **how)

    # ---- quick pairing -------------------------------------------------------------------------------------

    @endpoint
    def pair(
        self,
        game: str,
        *,
        options: Given | None = None,
        mode: Mode | None = None,
        move_seconds: int | None = None,
        setup_seconds: int | None = None,
        idempotency_key: str | None = None,
    ) -> Request[models.PairingEntry]:
        """Waits, or goes on waiting, for others who want the same match. `paired` waits until there is one. A repeat
        with the same key gets the first answer."""
        settings = {"game": game, "options": options, "mode": mode, "move_seconds": move_seconds}
        settings["setup_seconds"] = setup_seconds
        body = {name: value for name, value in settings.items() if value is not None}
        return _once(post(_ENTRY, "pairing", body=body), idempotency_key)

    @endpoint
    def pairings(self) -> Request[list[models.PairingEntry]]:
        """The caller's entries: those that wait, and the last that were over within the hour."""
        return get(_ENTRIES, "pairing")

    @endpoint
    def leave_pairing(self, entry: str) -> Request[None]:
        """Stops waiting. WrongStatus in the moment in which a match is being made."""
        return send("DELETE", nothing, "pairing", entry)

    # ---- commands ------------------------------------------------------------------------------------------

    @endpoint
    def act(
        self, match: str, seat: str, action: Given, *, search: Given | None = None, **how: Unpack[How]
    ) -> Request[ActionTakenEvent]:
        """An action of the rule book. RuleRefused has the book's code.

        As for every command, the answer is its event, with `to_act` and `deadlines`. `search`: of a bot of the house
        alone, how it found the action (`{"iterations": 4000}`)."""
        body: Json = {"type": "act", "seat": seat, "action": action}
        body |= {} if search is None else {"search": search}
        return _command(post(_ACTION_TAKEN, "matches", match, "commands", body=body), **how)

    @endpoint
    def prepare(self, match: str, seat: str, **how: Unpack[How]) -> Request[Event]:
        """The seat is ready; with the last one the match starts. Every player does so for his seats, in the lobby.
        Other options or another beginning take it back for the others."""
        return _post_command(match, {"type": "prepare", "seat": seat}, how)

    @endpoint
    def propose(self, match: str, proposal: models.Proposal | Given, **how: Unpack[How]) -> Request[Event]:
        """Proposes an undo, other options, a rematch …: `Undo(to=9)`, or as JSON `{"kind": "undo", "to": 9}`.

        It happens at once where nobody else has to agree. Otherwise the others `accept` or `reject` it, by the version
        of the event that answers. It waits until the next action, or until another proposal replaces it."""
        return _post_command(match, {"type": "propose", "proposal": proposal}, how)

    @endpoint
    def accept(self, match: str, proposal: int, **how: Unpack[How]) -> Request[Event]:
        """Agrees to the proposal that was made in this version. ProposalChanged if another one is open, NoProposal if
        none is: it lapses with the next action."""
        return _post_command(match, {"type": "accept", "proposal": proposal}, how)

    @endpoint
    def reject(self, match: str, proposal: int, **how: Unpack[How]) -> Request[Event]:
        """Declines the proposal that was made in this version, or withdraws your own. Raises as `accept` does."""
        return _post_command(match, {"type": "reject", "proposal": proposal}, how)

    # ---- reading -------------------------------------------------------------------------------------------

    @endpoint
    def view(self, match: str, seat: str | None = None, *, at: int | None = None) -> Request[models.View]:
        """What the seat (None: a spectator) sees, or saw at version `at`."""
        return get(_VIEW, "matches", match, "view", seat=seat, at=at)

    @endpoint
    def whole(self, match: str, *, at: int | None = None) -> Request[models.Whole]:
        """Everything, where the caller may know it. Hidden where not."""
        return get(_WHOLE, "matches", match, "view", seat="all", at=at)

    @endpoint
    def seen_position(self, match: str, seat: str, *, at: int | None = None) -> Request[models.SeenPosition]:
        """What the seat sees of a casual match, as a `position` to edit and propose; None when the match is over."""
        return get(_SEEN_POSITION, "matches", match, "position", seat=seat, at=at)

    @endpoint
    def seen(self, match: str, seat: str, *, at: int | None = None) -> Request[models.Seen]:
        """The seat's view, or as it was at version `at`, as bytes for the rules library, which searches it:
        `warlog_core.game(seen.game, seen.rules_version).load(seen.setup, seen.state)`."""
        return get(_SEEN, "matches", match, "seen", seat=seat, at=at)

    @endpoint
    def analysis(
        self,
        match: str,
        seat: str,
        *,
        at: int | None = None,
        lines: int | None = None,
        iterations: int | None = None,
    ) -> Request[models.Analysis]:
        """What the computer would do as the seat, with what it knew at version `at`: at most so many `lines`, the best
        one first. It takes a second or two, on a busy machine longer.

        For a seat of yours in a casual match in which all others are yours or bots'; for every seat once the match is
        over. Raises Forbidden (`hidden`), RuleRefused (`nothing_to_choose`, `no_search`), ServiceUnavailable."""
        settings = {"at": at, "lines": lines, "iterations": iterations}
        body = {"seat": seat} | {name: value for name, value in settings.items() if value is not None}
        asked = post(_ANALYSIS, "matches", match, "analysis", body=body)
        return msgspec.structs.replace(asked, repeatable=True, timeout_s=ANALYSIS_SECONDS)

    @endpoint
    def actions(
        self,
        match: str,
        seat: str,
        *,
        at: int | None = None,
        type: str | None = None,
        piece: int | None = None,
        after: int | None = None,
        trace: bool = False,
    ) -> Request[models.Actions]:
        """What the seat may do, or could have done at version `at`. A seat that is not to act may still have actions:
        it can give up, and in most games offer a draw or answer to an offer. Whose turn it is says `to_act`.

        type   only actions of this type
        piece  only actions with this piece
        after  where to go on in a list that was cut: its `next`
        trace  also `traces`: for each action where it leads, and what it hits"""
        asked = {"at": at, "type": type, "piece": piece, "after": after, "trace": "true" if trace else None}
        return get(_ACTIONS, "matches", match, "actions", seat=seat, **asked)

    @endpoint
    def here(self, match: str) -> Request[list[str]]:
        """The seats whose players are here now: their personal feeds are open, or were until a moment ago."""
        return get(_HERE, "matches", match, "here")

    @endpoint
    def trace(self, match: str, at: int, *, seat: str | None = None) -> Request[models.EventTrace]:
        """What event `at` did on the board, as the seat (None: the spectator) saw it."""
        return get(_EVENT_TRACE, "matches", match, "trace", seat=seat, at=at)

    @paged
    def events(
        self, match: str, *, seat: Seats = None, after: int = 0, limit: int = PAGE
    ) -> Request[Page[Event]]:
        """Every event after that version, as these seats may know it; `limit` are fetched at a time."""
        first = get(nothing, "matches", match, "events", seat=seat, after=after, limit=limit)
        return pages(list_of(read_event, "events"), first)

    @paged
    def timeline(self, match: str, *, after: int = 0, limit: int = PAGE) -> Request[Page[models.Node]]:
        """The tree of lines: every version after that one, with its parent."""
        first = get(nothing, "matches", match, "timeline", after=after, limit=limit)
        return pages_of(models.Node, "nodes", first)

    @paged
    def history(self, match: str, *, seat: Seats = None) -> Request[Page[str]]:
        """The current line in the game's own notation, line by line, as these seats may know it."""
        return lines_of(get(nothing, "matches", match, "history", seat=seat))

    @endpoint
    def board(self, match: str) -> Request[descriptions.MatchBoard]:
        return get(_MATCH_BOARD, "matches", match, "board")

    # ---- records -------------------------------------------------------------------------------------------

    @endpoint
    def export(self, match: str) -> Request[Json]:
        """The record of the match, as JSON."""
        return get(_JSON, "matches", match, "export")

    @endpoint
    def verify(self, match: str) -> Request[models.Verdict]:
        """Recomputes every draw, hash and chain of a match that is over."""
        return get(_VERDICT, "matches", match, "verify")

    @endpoint
    def import_record(
        self, record: Given, *, visibility: Visibility | None = None, idempotency_key: str | None = None
    ) -> Request[models.Imported]:
        """A new casual match from a record, or from `{"game", "history"}`; all its seats are the caller's.

        visibility  `public` (so it is by default) or `private`"""
        request = post(_IMPORTED, "matches", "import", body=record, visibility=visibility)
        return _once(request, idempotency_key)

    # ---- scenarios -----------------------------------------------------------------------------------------

    @endpoint
    def create_scenario(
        self,
        game: str,
        name: str,
        position: Given | None = None,
        *,
        options: Given | None = None,
        visibility: Visibility = "private",
    ) -> Request[models.Scenario]:
        """Saves a position that a match could start from, or options alone. Raises RuleRefused."""
        position_with_name = {"game": game, "name": name, "position": position, "options": options or {}}
        return post(_SCENARIO, "scenarios", body={**position_with_name, "visibility": visibility})

    @endpoint
    def scenario(self, scenario: str) -> Request[models.Scenario]:
        return get(_SCENARIO, "scenarios", scenario)

    @endpoint
    def delete_scenario(self, scenario: str) -> Request[None]:
        return send("DELETE", nothing, "scenarios", scenario)

    # ---- operations ----------------------------------------------------------------------------------------

    @endpoint
    def live(self) -> Request[models.Health]:
        """The process answers."""
        return Request("GET", "/health/live", _HEALTH, repeatable=True)

    @endpoint
    def ready(self) -> Request[models.Health]:
        """The service can do its work; asked once, so a 503 is an Unavailable at once."""
        return Request("GET", "/health/ready", _HEALTH)

    @endpoint
    def openapi(self) -> Request[Json]:
        """The document of all calls."""
        return get(_JSON, "openapi.json")
