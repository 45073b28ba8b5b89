"""A slow reading of the book in plain Python, against the core: every move and its path, setups, settlements, effects.

It knows the book's data file and what views and Positions say, and looks everything up anew each time."""

from __future__ import annotations

import itertools
import json
import random
from collections.abc import Iterator
from typing import Any

import msgspec
import pytest

import warlog_core
from warlog_core import State
from warlog_core.codecs import book_data

GAME = warlog_core.game("junqi")
BOOK: dict[str, Any] = book_data("junqi")
INDEX = {space["id"]: space["index"] for space in BOOK["spaces"]}
KIND = {space["id"]: space["kind"] for space in BOOK["spaces"]}
EDGES = {frozenset(edge) for edge in BOOK["roads"] + BOOK["rails"]}
RAILS = {frozenset(edge) for edge in BOOK["rails"]}
SPECS = {spec["type"]: spec for spec in BOOK["piece_types"]}
MODES: list[dict[str, Any]] = [
    {},
    {"open_allies": True, "quiet_limit": 12},
    {"players": 2, "min_steps_draw": 3, "min_steps_resign": 3},
    {"players": 2, "wings": "closed"},
    {"mode": "flip"},
    {"mode": "flip", "mines_guard_flag": False, "quiet_limit": 9},
]


# ---- 3.1 and 7.4: moves ----------------------------------------------------------------------------------------


class Board:
    """Section 2.6 and what stands where: space → piece, as in a Position, with its seat."""

    def __init__(self, options: dict[str, Any], position: dict[str, Any]) -> None:
        self.flip = options.get("mode") == "flip"
        closed = self.flip or options.get("wings") == "closed"
        self.active = [space for space in INDEX if not (closed and space[0] in "EW")]
        self.players = options.get("players", 2 if self.flip else 4)
        self.guarded = self.flip and options.get("mines_guard_flag", True)
        colors = {color: seat for seat, color in position.get("colors", {}).items()}
        self.pieces = {piece["at"]: piece for piece in position["pieces"]}
        self.owner = {
            at: piece["seat"] if not self.flip else colors.get(piece["color"])
            for at, piece in self.pieces.items()
        }
        self.position = position

    def is_down(self, space: str) -> bool:
        return bool(self.pieces[space].get("face") == "down")

    def friends(self, seat: str) -> set[str]:
        teams = BOOK["teams"][str(self.players)]
        return next({*team["seats"]} for team in teams if seat in team["seats"])

    def free(self, spaces: Any) -> bool:
        return all(space in self.active and space not in self.pieces for space in spaces)

    def line_runs(self, start: str) -> Iterator[list[str]]:
        """Every run along a line from `start`, as the spaces in between and both ends."""
        for line in BOOK["lines"]:
            spaces = line["spaces"]
            if start in spaces:
                for end in spaces:
                    if end != start:
                        a, b = spaces.index(start), spaces.index(end)
                        yield spaces[a : b + 1] if a < b else spaces[b : a + 1][::-1]

    def free_runs(self, start: str) -> dict[str, list[str]]:
        """Destination → the shortest path with the smallest sequence of indexes, found by growing all of them."""
        best: dict[str, list[str]] = {}
        paths = [[start]]
        while paths:
            longer = [
                [*path, space]
                for path in paths
                for space in INDEX
                if frozenset((path[-1], space)) in RAILS and space in self.active and space != start
            ]
            longer.sort(key=lambda path: [INDEX[space] for space in path])
            paths = []
            for path in longer:
                if path[-1] not in best:
                    best[path[-1]] = path
                    if path[-1] not in self.pieces:
                        paths.append(path)
        return best

    def paths(self, start: str) -> dict[str, list[str]]:
        """Where the piece on `start` comes by 3.1, whatever stands there, and how."""
        found = {space: [start, space] for space in self.active if frozenset((start, space)) in EDGES}
        if self.pieces[start]["type"] == "engineer":
            return found | self.free_runs(start)
        for run in self.line_runs(start):
            if self.free(run[1:-1]) and run[-1] in self.active:
                found[run[-1]] = run
        return found

    def may_go(self, seat: str, space: str) -> bool:
        """7.4, checks 7 to 10."""
        if space not in self.pieces:
            return True
        if self.flip and self.is_down(space):
            return False
        if self.owner[space] in self.friends(seat) or KIND[space] == "camp":
            return False
        piece = self.pieces[space]
        if not self.guarded or piece["type"] != "flag":
            return True
        return not any(p["type"] == "mine" and p["color"] == piece["color"] for p in self.pieces.values())

    def moves(self, seat: str) -> dict[tuple[int, str], list[str]]:
        """(piece, to) → path: every legal move of the seat, in the order of the listing."""
        found = {}
        for start, piece in self.pieces.items():
            if self.owner[start] != seat or not SPECS[piece["type"]]["moves"]:
                continue
            if self.is_down(start) if self.flip else KIND[start] == "headquarters":
                continue
            for to, path in self.paths(start).items():
                if self.may_go(seat, to):
                    found[piece["piece"], to] = path
        return dict(sorted(found.items(), key=lambda item: (item[0][0], INDEX[item[0][1]])))

    def flips(self) -> list[str]:
        return sorted((at for at in self.pieces if self.flip and self.is_down(at)), key=INDEX.__getitem__)


def begin(options: dict[str, Any], rng: random.Random) -> State:
    state = GAME.new(options=options, draws=rng.randbytes)
    for seat in state.seats:
        state.apply(seat, {"type": "ready"}, draws=rng.randbytes)
    return state


def battles_first(state: State, rng: random.Random) -> tuple[str, dict[str, Any]]:
    """A random action, more often one by which something is lost or flipped, so that boards become empty."""
    (seat,) = state.to_act
    actions = [a for a in state.legal(seat, plain=True) if a["type"] in ("move", "flip")]
    taken = {piece["at"] for piece in state.view("spectator", plain=True)["pieces"]}
    hot = [a for a in actions if a["type"] == "flip" or a["to"] in taken]
    return seat, rng.choice(hot if hot and rng.random() < 0.6 else actions)


@pytest.mark.parametrize("options", MODES, ids=json.dumps)
def test_moves_and_their_paths_are_those_of_the_slow_reading(options: dict[str, Any], seed: int) -> None:
    rng = random.Random(f"{seed} {options}")
    n_long = n_matches = 0
    while n_matches < 2 or n_long < 6:
        n_matches += 1
        state = begin(options, rng)
        while state.to_act:
            board = Board(options, state.position(plain=True))
            (seat,) = state.to_act
            moves = board.moves(seat)
            listed = [a for a in state.legal(seat, plain=True) if a["type"] in ("move", "flip")]
            assert listed == [
                *({"type": "move", "piece": piece, "to": to} for piece, to in moves),
                *({"type": "flip", "at": at} for at in board.flips()),
            ]
            _, action = battles_first(state, rng)
            event = state.apply(seat, action, draws=rng.randbytes)
            if action["type"] == "move":
                path = moves[action["piece"], action["to"]]
                effect = next(e for e in msgspec.to_builtins(event.effects) if e["type"] == "move")
                assert effect["path"] == path
                assert state.view("spectator", plain=True)["last_move"]["path"] == path
                n_long += len(path) > 2


def test_an_engineer_on_every_railway_space_of_random_boards_takes_the_smallest_of_the_shortest_paths(
    seed: int,
) -> None:
    rng = random.Random(seed)
    rails = [space["id"] for space in BOOK["spaces"] if space["railway"]]
    ties = 0
    for start in rails:
        others = rng.sample([space for space in rails if space != start], rng.randrange(30))
        seats = BOOK["seats"]["4"]
        kinds = [
            (seat, kind)
            for seat in seats
            for kind in ("captain", "lieutenant", "major", "colonel")
            for _ in (0, 1)
        ]
        placed = [
            {"seat": s, "type": k, "at": at}
            for (s, k), at in zip(rng.sample(kinds, len(kinds)), others, strict=False)
        ]
        flags = [{"seat": seat, "type": "flag", "at": f"{seat[0].upper()}62"} for seat in seats]
        engineer = {"seat": "south", "type": "engineer", "at": start}
        # Somebody can always move: a field marshal of south on the base line.
        given = {
            "turn": "south",
            "pieces": [*flags, engineer, {"seat": "south", "type": "field_marshal", "at": "S65"}, *placed],
        }
        state = GAME.new(position=given)
        board = Board({}, state.position(plain=True))
        moves = board.moves("south")
        listed = [(a["piece"], a["to"]) for a in state.legal("south", plain=True) if a["type"] == "move"]
        assert listed == list(moves)
        for (piece, to), path in moves.items():
            if piece == 18:
                event = state.copy().apply("south", {"type": "move", "piece": 18, "to": to})
                assert msgspec.to_builtins(event.effects[0])["path"] == path, (start, to, others)
                ties += len(path) > 3
    assert ties > 100


@pytest.mark.parametrize("options", MODES[2:4], ids=json.dumps)
def test_every_single_piece_on_an_empty_board_goes_where_the_book_lets_it(options: dict[str, Any]) -> None:
    """Cell by cell: roads, rails and lines of both two-seat boards."""
    flags = [{"seat": "south", "type": "flag", "at": "S62"}, {"seat": "north", "type": "flag", "at": "N62"}]
    for kind, space in itertools.product(("colonel", "engineer"), INDEX):
        if space in ("S62", "N62") or (options.get("wings") == "closed" and space[0] in "EW"):
            continue
        other = {"seat": "south", "type": "general", "at": "S61" if space != "S61" else "S65"}
        given = {"turn": "south", "pieces": [*flags, other, {"seat": "south", "type": kind, "at": space}]}
        state = GAME.new(options=options, position=given)
        moves = Board(options, state.position(plain=True)).moves("south")
        listed = [(a["piece"], a["to"]) for a in state.legal("south", plain=True) if a["type"] == "move"]
        assert listed == list(moves), (kind, space)


# ---- 4: setups -------------------------------------------------------------------------------------------------


def layout_of(draws: Iterator[int]) -> dict[str, int]:
    """4.3, read aloud: cell → id within the army."""
    cells = [f"{line}{column}" for line in range(1, 7) for column in range(1, 6)]
    camps = ("22", "24", "33", "42", "44")
    empty = {cell: True for cell in cells if cell not in camps}
    placed: dict[str, int] = {}

    def place(piece: int, candidates: list[str]) -> None:
        left = [cell for cell in candidates if empty.get(cell)]
        cell = left[next(draws)] if len(left) >= 2 else left[0]
        placed[cell] = piece
        empty[cell] = False

    place(1, ["62", "64"])
    for piece in (23, 24, 25):
        place(piece, cells[20:])
    for piece in (21, 22):
        place(piece, cells[5:])
    for piece in range(2, 21):
        place(piece, cells)
    return placed


@pytest.mark.parametrize("options", [{}, {"players": 2}, {"players": 2, "wings": "closed"}], ids=json.dumps)
def test_a_drawn_layout_is_that_of_the_slow_reading(options: dict[str, Any], seed: int) -> None:
    rng = random.Random(f"{seed} {options}")
    for _ in range(20):
        state = GAME.new(options=options, draws=rng.randbytes)
        assert state.started is not None
        draws = iter(state.started.draws)
        given = BOOK["layout"]["all_zero_draws"]
        wanted = {}
        for army, seat in enumerate(state.seats):
            for cell, piece in layout_of(draws).items():
                wanted[25 * army + piece] = f"{seat[0].upper()}{cell}"
        assert next(draws, None) is None
        found = {p["piece"]: p["at"] for p in state.position(plain=True)["pieces"]}
        assert found == wanted
        seat = rng.choice(state.seats)
        state.apply(seat, {"type": "layout", "layout": given})
        own = {p["piece"]: p["at"] for p in state.position(plain=True)["pieces"] if p["seat"] == seat}
        used = dict.fromkeys(SPECS, 0)
        for kind, cell in zip(given, BOOK["layout"]["cells"], strict=True):
            piece = 25 * state.seats.index(seat) + SPECS[kind]["army_ids"][used[kind]]
            used[kind] += 1
            assert own[piece] == f"{seat[0].upper()}{cell}"


def test_a_drawn_shuffle_is_that_of_the_slow_reading(seed: int) -> None:
    rng = random.Random(seed)
    for _ in range(20):
        state = GAME.new(options={"mode": "flip"}, draws=rng.randbytes)
        assert state.started is not None
        draws = iter(state.started.draws)
        left = list(range(1, 51))
        wanted = {at: left.pop(next(draws) if len(left) > 1 else 0) for at in BOOK["flip_setup"]["spaces"]}
        assert {p["at"]: p["piece"] for p in state.position(plain=True)["pieces"]} == wanted


# ---- 9: settlements --------------------------------------------------------------------------------------------


def level(score: int) -> int:
    return max(int(rank["level"]) for rank in BOOK["ranks"] if rank.get("threshold", score) <= score)


def settlement(full: dict[str, Any], view: dict[str, Any]) -> dict[str, Any]:
    """9.3 and 9.4 from the options and the facts of the ended match."""
    winners = view["result"]["winners"]
    seats = [entry["seat"] for entry in view["seats"]]
    fleers = [entry["seat"] for entry in view["seats"] if entry.get("cause") == "fled"]
    losers = [seat for seat in seats if winners and seat not in winners]
    lowest = min(level(score) for score in full["scores"].values())
    multiplier = 2 ** max(0, lowest - full["doubling_from_level"] + 1)
    points = full["win_points"] * multiplier
    scores = []
    for seat in seats:
        if seat in fleers:
            delta = -full["flee_factor"] * points
        elif not winners:
            delta = 0
        elif seat in losers:
            delta = -points
        else:
            delta = points if view["steps"] > full["min_steps_score"] else 0
        before = full["scores"][seat]
        after = before + delta
        scores.append({"seat": seat, "before": before, "delta": delta, "after": after, "level": level(after)})
    settled: dict[str, Any] = {"multiplier": multiplier, "scores": scores}
    if full["stake"] > 0:
        g = min(multiplier, full["gold_cap"])
        amount = full["stake"] * g
        paid = {seat: amount if seat in losers or seat in fleers else 0 for seat in seats}
        sharers = [seat for seat in winners if seat not in fleers]
        share = sum(paid.values()) // len(sharers) if sharers else 0
        accounts = [
            {
                "seat": seat,
                "paid": paid[seat],
                "received": share if seat in sharers else 0,
                "net": (share if seat in sharers else 0) - paid[seat],
            }
            for seat in seats
        ]
        house = 0 if winners else sum(paid.values())
        settled["gold"] = {"stake": full["stake"], "multiplier": g, "accounts": accounts, "house": house}
    return settled


def test_settlements_are_those_of_the_slow_reading(seed: int) -> None:
    rng = random.Random(seed)
    seen: set[tuple[bool, bool, int]] = set()
    for number in range(1500):
        if number >= 150 and len(seen) >= 6:  # draws after which somebody has fled are rare
            break
        players = rng.choice((2, 4))
        seats = BOOK["seats"][str(players)]
        stake = rng.choice((0, 1, 7, 10**9))
        options: dict[str, Any] = {
            "players": players,
            "min_steps_resign": 0,
            "min_steps_draw": 0,
            "min_steps_score": rng.choice((0, 3, 1000)),
            "quiet_limit": rng.choice((0, 4)),
            "win_points": rng.choice((0, 1, 2, 1000)),
            "flee_factor": rng.randint(1, 10),
            "doubling_from_level": rng.randint(2, 21),
            "scores": {seat: rng.choice((-(10**9), -5, 9, 10, 150, 10**6, 10**9)) for seat in seats},
            "stake": stake,
            "gold_cap": rng.randint(1, 100),
        }
        if stake:
            options["balances"] = dict.fromkeys(seats, 10**12)
        state = begin(options, rng)
        while state.to_act:
            seat, action = battles_first(state, rng)
            if rng.random() < 0.2:
                alive = [
                    e["seat"] for e in state.view("spectator", plain=True)["seats"] if e["status"] == "alive"
                ]
                seat, action = "server", {"type": "flee", "seat": rng.choice(alive)}
            elif rng.random() < 0.1 and state.view("spectator", plain=True)["steps"] > 0:
                action = {"type": "resign"}
            state.apply(seat, action, draws=rng.randbytes)
        view = state.view("spectator", plain=True)
        wanted = settlement(GAME.full_options(options), view)
        assert view["settlement"] == wanted
        if stake:
            gold = wanted["gold"]
            assert sum(account["net"] for account in gold["accounts"]) + gold["house"] == 0
            assert view["gold"] == {
                "stake": stake,
                "multiplier": gold["multiplier"],
                "frozen": stake * gold["multiplier"],
            }
        causes = {entry.get("cause") for entry in view["seats"]}
        seen.add((bool(view["result"]["winners"]), "fled" in causes, players))
    assert len(seen) >= 6, seen


# ---- 10.5: effects tell everything that a spectator's view shows ---------------------------------------------------


def folded(view: dict[str, Any], effects: list[dict[str, Any]], action: dict[str, Any]) -> dict[str, Any]:
    """The spectator's view after these effects, as far as they tell it."""
    after: dict[str, Any] = json.loads(json.dumps(view))
    pieces = {piece["at"]: piece for piece in after["pieces"]}
    seats = {entry["seat"]: entry for entry in after["seats"]}
    flip = after["mode"] == "flip"
    moved: tuple[dict[str, Any], str] | None = None  # what goes where, unless it is lost
    for effect in effects:
        kind = effect["type"]
        if kind == "ready":
            seats[effect["seat"]]["ready"] = True
        elif kind == "start":
            after.update(phase="play", first=effect["seat"], to_act=[effect["seat"]])
        elif kind == "offer":
            waiting = [s for s, e in seats.items() if e["status"] == "alive" and s != effect["seat"]]
            after["offer"] = {"by": effect["seat"], "accepted": [], "waiting": waiting}
            seats[effect["seat"]]["offered"] = True
        elif kind == "accept":
            after["offer"]["waiting"].remove(effect["seat"])
            answered = {*after["offer"]["accepted"], effect["seat"]}
            after["offer"]["accepted"] = [seat for seat in seats if seat in answered]
        elif kind in ("offer_cancelled", "decline"):
            del after["offer"]
        elif kind == "move":
            after["steps"] += 1
            after["quiet_steps"] += 1
            seats[effect["seat"]]["offered"] = False
            after["last_move"] = {name: effect[name] for name in ("seat", "from", "to", "path")}
            moved = pieces.pop(effect["from"]), effect["to"]
        elif kind == "flip":
            after["steps"] += 1
            after["quiet_steps"] = 0
            seats[effect["seat"]]["offered"] = False
            after["last_move"] = {"seat": effect["seat"], "at": effect["at"]}
            pieces[effect["at"]] = {
                "color": effect["color"],
                "type": effect["kind"],
                "at": effect["at"],
                "face": "up",
            }
        elif kind == "colors":
            after["colors"] = {"south": effect["south"], "north": effect["north"]}
            for seat in seats:
                seats[seat]["count"] = 25
        elif kind == "battle":
            after["quiet_steps"] = 0
            after["last_move"]["outcome"] = effect["outcome"]
            if effect["outcome"] == "both":
                del pieces[effect["at"]]
            if effect["outcome"] != "attacker":
                moved = None
        elif kind == "lost":
            seats[effect["seat"]]["count"] -= 1
            if flip:
                after["lost"].append(
                    {"seat": effect["seat"], "color": effect["color"], "type": effect["kind"]}
                )
        elif kind == "reveal_flag":
            seats[effect["seat"]]["flag_revealed"] = True
            pieces[effect["at"]]["type"] = "flag"
        elif kind == "timeout":
            seats[effect["seat"]]["timeouts"] = effect["timeouts"]
        elif kind == "defeat":
            seats[effect["seat"]].update(status="defeated", cause=effect["cause"])
            if not flip:
                seats[effect["seat"]]["flag_revealed"] = False
        elif kind == "army_removed":
            for space in effect["spaces"]:
                del pieces[space]
            seats[effect["seat"]]["count"] = 0
        elif kind == "turn":
            after["to_act"] = [effect["seat"]]
        if moved and kind == ("battle" if "battle" in [e["type"] for e in effects] else "move"):
            pieces[moved[1]] = {**moved[0], "at": moved[1]}
    colors = after.get("colors", {})
    for piece in pieces.values() if flip else ():
        owner = [seat for seat, color in colors.items() if color == piece.get("color")]
        if owner:
            piece["seat"] = owner[0]
    after["pieces"] = sorted(pieces.values(), key=lambda piece: INDEX[piece["at"]])
    return after


@pytest.mark.parametrize("options", MODES, ids=json.dumps)
def test_the_effects_of_an_event_lead_from_one_view_of_a_spectator_to_the_next(
    options: dict[str, Any], seed: int
) -> None:
    rng = random.Random(f"{seed} {options}")
    options = {**options, "min_steps_draw": 0, "min_steps_resign": 20, "max_timeouts": 3}
    for _ in range(3):
        state = begin(options, rng)
        for _ in range(400):
            before = state.view("spectator", plain=True)
            if rng.random() < 0.7:
                seat, action = battles_first(state, rng)
            elif rng.random() < 0.15:
                seat, action = "server", {"type": "timeout", "seat": state.to_act[0]}
            else:
                seat = rng.choice(state.seats)
                actions = [
                    a for a in state.legal(seat, plain=True) if a["type"] != "resign" or rng.random() < 0.1
                ]
                if not actions:
                    continue
                action = rng.choice(actions[-3:])
            event = state.apply(seat, action, draws=rng.randbytes)
            if not state.to_act:
                break
            effects = msgspec.to_builtins(event.visible("spectator", state.disclosure).effects)
            after = state.view("spectator", plain=True)
            told = folded(before, effects, action)
            for view in (told, after):
                view["lost"] = sorted(view["lost"], key=json.dumps)
            assert json.loads(json.dumps(told, sort_keys=True)) == json.loads(
                json.dumps(after, sort_keys=True)
            ), effects
