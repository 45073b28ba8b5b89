"""The core of Universal Chess beside the plain reading of its book in universal_book.py."""

from __future__ import annotations

import json
import random
from typing import Any

import msgspec
import pytest

import warlog_core
from tests.core.games import starts
from tests.core.test_universal_replay import MATCHES, random_options
from tests.core.universal_book import BOARD, FIELDS, STRENGTH, Judge, Player, Reader, expected_auto, name
from tests.turns import by_turns
from warlog_core import State

GAME = warlog_core.game("universal")
STARTS = [(options, position) for name, options, position in starts() if name == "universal"]


@pytest.mark.parametrize("i", by_turns(range(len(STARTS)), 3))
def test_the_listing_is_that_of_the_plain_reader(i: int, seed: int) -> None:
    options, position = STARTS[i]
    rng = random.Random(f"{seed} {json.dumps(options, sort_keys=True)}")
    state = GAME.new(options=options, position=position)
    full = GAME.full_options(options)
    for _ in range(8):
        reader = Reader(state.view("spectator", plain=True), full)
        for seat in state.seats:
            assert state.legal(seat, plain=True) == reader.legal(seat)
        for piece in reader.view["pieces"]:
            assert reader.boosted(piece) is ("boosted" in piece)
        if not state.to_act:
            break
        # Kinds of actions are taken equally often, so that the rare ones occur.
        seat = state.to_act[0]
        listed = state.legal(seat, plain=True)
        kinds = sorted({action["type"] for action in listed} - {"resign", "offer_draw", "accept_draw"})
        kind = rng.choice(kinds or ["resign"])
        action = rng.choice([action for action in listed if action["type"] == kind])
        event = state.apply(seat, action)
        if action.get("pay") == "auto" and getattr(event.effects[0], "spaces", None):
            spaces = event.effects[0].spaces
            assert spaces == expected_auto(reader, seat, len(spaces))
        state.playout(rng.getrandbits(60), rng.choice((0, 0, 1, 5, 40)), play_on=True)


# ---- what actions do, and with which code they are refused ----


def random_position(rng: random.Random, options: dict[str, Any]) -> dict[str, Any]:
    """A crowded Position in which rare things are near: thralls, conquests at their end, poor factions, many dead."""
    seats = GAME.full_options(options)["factions"]
    middle = rng.randrange(5, 17), rng.randrange(5, 17)  # there is room for five areas of twenty around it
    near = [s for s in BOARD if max(abs(s[0] - middle[0]), abs(s[1] - middle[1])) <= 6]
    places = [name(s) for s in rng.sample(near, len(near))]
    kinds = [kind for kind in STRENGTH if kind != "mighty" and (options["psionics"] or kind != "psionic")]
    owners = rng.sample([name(s) for s in near], len(near))
    area: dict[str, list[str]] = {}
    for seat in seats:
        n = rng.choice((1, 3, 8, 20))
        area[seat], owners = owners[:n], owners[n:]
    pieces: list[dict[str, Any]] = []
    for seat in seats:
        more = ["psionic"] if options["psionics"] and rng.random() < 0.6 else []
        for kind in ["mighty", *more, *rng.choices(kinds, k=rng.randrange(8))]:
            piece: dict[str, Any] = {"id": len(pieces) + 1, "kind": kind, "seat": seat, "space": places.pop()}
            if rng.random() < 0.2:
                piece["frozen"] = True
            if rng.random() < 0.4:
                piece["conquering"] = rng.randrange(1, 4)
            if options["veterans"]:
                piece["merits"] = rng.choice((0, 0, 1, 2, options["veteran_merits"] - 1, 255))
            pieces.append(piece)
    for psionic in [piece for piece in pieces if piece["kind"] == "psionic"]:
        mine = [p for p in pieces if p["seat"] == psionic["seat"] and p["kind"] not in ("mighty", "psionic")]
        free = [piece for piece in mine if "origin" not in piece]
        if free and rng.random() < 0.6:
            thrall = rng.choice(free)
            thrall["origin"] = rng.choice([seat for seat in seats if seat != thrall["seat"]])
            psionic["holds"] = thrall["id"]
    dead = [
        {"id": len(pieces) + 1 + i, "kind": rng.choice(kinds), "seat": rng.choice(seats)}
        for i in range(rng.randrange(12))
    ]
    # Conquests must not be of the own side's spaces.
    for piece in pieces:
        if piece["space"] in area[piece["seat"]] or options.get("mode") == "double":
            piece.pop("conquering", None)
    return {
        "pieces": pieces,
        "dead": dead,
        "area": area,
        "promotions": rng.choice((0, 1, 999, 1000)),
        "breedings_left": rng.randrange(3),
        "next_id": rng.choice((91, 254, 255, 256)),
        "quiet": rng.choice((0, 9, 9999, 10000)),
    }


def random_start(rng: random.Random) -> tuple[State, dict[str, Any]]:
    options = random_options(rng)
    position = random_position(rng, options) if rng.random() < 0.7 else None
    return GAME.new(options=options, position=position), GAME.full_options(options)


def random_payment(rng: random.Random, action: dict[str, Any], area: list[str]) -> dict[str, Any]:
    """With a list that is mostly right, too."""
    if "pay" not in action or rng.random() < 0.5:
        return action
    n = rng.randrange(len(area) + 2)
    pool = area if rng.random() < 0.9 else [name(s) for s in BOARD]
    return {
        **action,
        "pay": rng.choices(pool, k=n) if rng.random() < 0.2 else rng.sample(pool, min(n, len(pool))),
    }


def slip(rng: random.Random, action: dict[str, Any], seat: str, view: dict[str, Any]) -> dict[str, Any]:
    """A plausible action that is mostly wrong; seldom one that is none at all."""
    own = [piece["id"] for piece in view["pieces"] if piece["seat"] == seat]
    spaces = [piece["space"] for piece in view["pieces"]] + [name(rng.choice(BOARD))]
    ids = [piece["id"] for piece in (*view["pieces"], *view["dead"])] + [0, 90, 255, 256, 10**30]
    area = view["area"].get(seat, [])
    fields: dict[str, Any] = {
        "type": rng.choice(list(FIELDS)),
        "piece": rng.choice((rng.choice(own or [1]), rng.choice(own or [1]), rng.choice(ids))),
        "summoned": rng.choice((rng.choice(own or [1]), rng.choice(ids))),
        "raised": rng.choice(ids),
        "to": rng.choice((action.get("to", "a1"), rng.choice(spaces))),
        "target": rng.choice(spaces),
        "pay": rng.choice(("auto", area[:3], area[:2], area[:2] * 2, ["a1"])),
        "conquer": True,
        "seat": rng.choice(GAME.seats),
    }
    wrong: dict[str, Any] = {
        "type": "fly", "piece": "1", "summoned": 1.0, "raised": None, "to": "u1", "target": "a21", "seat": "red",
        "pay": rng.choice(("all", ["a1", "z1"], ["a1", 1], None)), "conquer": rng.choice((False, 1)),
    }  # fmt: skip
    kind = rng.choice((action["type"], fields["type"]))
    slipped = {"type": kind, **{field: fields[field] for field in FIELDS[kind]}}
    if kind == "move" and rng.random() < 0.5:
        slipped["conquer"] = True
    if kind == action["type"]:  # most of it is right
        slipped |= {field: action[field] for field in action if rng.random() < 0.7}
    if rng.random() < 0.1:
        field = rng.choice(list(wrong))
        slipped[field] = wrong[field]
    return {field: slipped[field] for field in slipped if rng.random() < 0.99}


def rare_first(rng: random.Random, listed: list[dict[str, Any]], view: dict[str, Any]) -> dict[str, Any]:
    """A listed action of a random kind, a capture as often as not; draws and resignations seldom."""
    seldom = {"resign": 0.01, "offer_draw": 0.05, "accept_draw": 0.3, "decline_draw": 0.3}
    kinds = sorted({action["type"] for action in listed} - {k for k, p in seldom.items() if rng.random() > p})
    kind = rng.choice(kinds or ["resign"])
    chosen = [action for action in listed if action["type"] == kind]
    taken = {piece["space"] for piece in view["pieces"]}
    captures = [action for action in chosen if action.get("to") in taken]
    return rng.choice(captures if captures and rng.random() < 0.5 else chosen)


@pytest.mark.parametrize("matches", [8, pytest.param(MATCHES, marks=pytest.mark.soak)])
def test_what_actions_do_and_why_they_are_refused_is_as_the_plain_reading_has_it(
    matches: int, seed: int
) -> None:
    rng = random.Random(seed)
    seen: set[str] = set()
    for number in range(10 * MATCHES):
        if number >= matches and len(seen) > 45:  # with some seeds, what is rare needs more matches
            break
        state, options = random_start(rng)
        for _ in range(30):
            if not state.to_act:
                break
            view = state.view("spectator", plain=True)
            seat = state.to_act[0] if rng.random() < 0.9 else rng.choice(list(view["area"]))
            judge, listed = Judge(view, options), state.legal(seat, plain=True)
            assert listed == judge.legal(seat)
            poster, action = seat, random_payment(rng, rare_first(rng, listed, view), view["area"][seat])
            if rng.random() < 0.01:
                poster, action = "server", {"type": "timeout", "seat": seat}
            posted = [(poster, action)]
            for _ in range(6):
                who = seat if rng.random() < 0.9 else rng.choice((*GAME.seats, "server"))
                posted.append((who, slip(rng, action, seat, view)))
            for who, one in posted:
                code = judge.code(who, one)
                assert state.check(who, one) == code, (who, one, view)
                seen.add(code or "legal")
            if judge.code(poster, action) is not None:
                continue
            event = state.apply(poster, action)
            player = Player(view, options)
            player.take(poster, action)
            assert msgspec.to_builtins(event.effects) == player.effects, (poster, action, view)
            assert state.view("spectator", plain=True) == player.view(), (poster, action, view)
            seen |= {effect["type"] for effect in player.effects}
    assert len(seen) > 45, seen
