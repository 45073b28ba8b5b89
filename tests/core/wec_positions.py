"""Random Positions and options of Weaponized Chess, and what must hold of every Position."""

from __future__ import annotations

import copy
import json
import random
from collections import Counter
from collections.abc import Sequence
from typing import Any

import warlog_core
from tests.core.games import TESTS
from warlog_core import Refused, State
from warlog_core.codecs.wec_structs import (
    DIRECTION_STEPS,
    DIRECTIONS,
    HITS,
    INHERENT_WEAPONS,
    KINDS,
    LEVELS,
    SQUARES,
    TYPES,
)

GAME = warlog_core.game("wec")
BOOK: dict[str, Any] = json.loads(
    (TESTS.parent / "core_c" / "warlog_core" / "rules" / "wec.json").read_text(encoding="utf-8")
)
TYPE: dict[str, dict[str, Any]] = {spec["type"]: spec for spec in BOOK["piece_types"]}
SEATS = ("black", "white")
PASSENGERS = (
    "conversion_pawn",
    "cleric",
    "stun_pawn",
    "flame_pawn",
    "tank",
    "aaa",
    "stealth_pawn",
    "jet",
    "queen",
)
PRIMARIES = ("king", "dictator", "avatar", "president")


def random_options(rng: random.Random) -> dict[str, Any]:
    """About half of the options away from their defaults; always valid."""
    options: dict[str, Any] = {}
    for spec in BOOK["options"]:
        if rng.random() < 0.5 or spec["name"] == "sub_jet_combat":
            continue
        if spec["type"] == "boolean":
            options[spec["name"]] = rng.random() < 0.5
        elif spec["type"] == "integer":
            options[spec["name"]] = rng.randint(spec["min"], min(spec["max"], 9))
        else:
            options[spec["name"]] = rng.choice(spec["values"])
    if options.get("action_restriction") == "move_only" and rng.random() < 0.7:
        del options["action_restriction"]  # most of the rules sleep under it
    if (
        options.get("action_restriction") == "move_only"
        and options.get("movement", "weaponized") != "weaponized"
    ):
        options["sub_jet_combat"] = rng.random() < 0.5
    return options


def _articles(rng: random.Random, type_: str, turn: int) -> list[Any]:
    n = rng.choice((0, 0, 1, 1, 2, 3))
    kinds = [rng.choice(KINDS) for _ in range(n)]
    if type_ == "xxx_pawn":
        kinds = kinds[:2]
    elif n > 1:
        kinds[rng.randrange(n)] = "xxx"
    return [
        {"kind": kind, "ready_turn": turn + rng.randint(1, 6)} if rng.random() < 0.1 else kind
        for kind in kinds
    ]


def _piece(
    rng: random.Random, id_: int, seat: str, turn: int, types: Sequence[str], squares: Sequence[str]
) -> dict[str, Any]:
    type_ = rng.choice([t for t in types if t not in PRIMARIES])
    spec = TYPE[type_]
    piece: dict[str, Any] = {"id": id_, "seat": seat, "type": type_, "at": rng.choice(squares)}
    piece["level"] = rng.choice(spec["native"]) if rng.random() < 0.8 else rng.choice(LEVELS)
    piece["articles"] = _articles(rng, type_, turn)
    if spec["handed"]:
        piece["hand"] = rng.choice(("left", "right"))
    if spec["class"] == "pawn":
        piece["unmoved"] = rng.random() < 0.5
    if rng.random() < 0.1:
        piece["stunned_until"] = turn + rng.randint(1, 5)
    if rng.random() < 0.1:
        piece["revealed_until"] = turn + rng.randint(0, 1)
    if INHERENT_WEAPONS[type_] and rng.random() < 0.15:
        piece["ready_turns"] = {rng.choice(INHERENT_WEAPONS[type_]): turn + rng.randint(1, 7)}
    return piece


def _accepted(options: dict[str, Any], position: dict[str, Any]) -> bool:
    try:
        GAME.check_options(options, position)
    except Refused:
        return False
    return True


def random_position(
    rng: random.Random,
    options: dict[str, Any],
    n: int = 34,
    *,
    types: Sequence[str] = TYPES,
    squares: Sequence[str] = SQUARES,
) -> dict[str, Any]:
    """A valid Position with some `n` pieces of these types on these squares, loose articles, projectiles,
    reinforcements and ghosts."""
    turn = rng.randint(1, 9)
    ids = rng.sample(range(1, 300), n + 12)
    position: dict[str, Any] = {"turn": turn, "to_move": rng.choice(SEATS), "pieces": []}
    for seat in SEATS:
        king = {"id": ids.pop(), "seat": seat, "type": rng.choice(PRIMARIES), "at": rng.choice(SQUARES)}
        position["pieces"].append(king)
    if position["pieces"][0]["at"] == position["pieces"][1]["at"]:
        position["pieces"][1]["at"] = "a1" if position["pieces"][0]["at"] != "a1" else "j10"
    pieces = [_piece(rng, ids.pop(), rng.choice(SEATS), turn, types, squares) for _ in range(n)]
    wanted: list[tuple[str, dict[str, Any]]] = [("pieces", piece) for piece in pieces]
    wanted += [
        ("articles", {"at": at, "articles": [rng.choice(KINDS) for _ in range(rng.randint(1, 2))]})
        for at in rng.sample(SQUARES, 25)
    ]
    for _ in range(4):
        missile: dict[str, Any] = {
            "kind": rng.choice(("rocket", "sam", "torpedo")),
            "seat": rng.choice(SEATS),
            "at": rng.choice(squares),
            "direction": rng.choice(DIRECTIONS),
            "strength": rng.randint(1, 3),
        }
        level = {"sam": "air", "torpedo": "sub"}.get(missile["kind"])
        enemies = [p["id"] for p in pieces if p["seat"] != missile["seat"] and p["level"] == level]
        if enemies and rng.random() < 0.6:
            missile["target"] = rng.choice(enemies)
        wanted.append(("projectiles", missile))
    for _ in range(4):
        type_ = rng.choice(TYPES)
        waiting: dict[str, Any] = {
            "id": ids.pop(),
            "seat": rng.choice(SEATS),
            "type": type_,
            "at": rng.choice(SQUARES),
        }
        if TYPE[type_]["handed"]:
            waiting["hand"] = "left"
        wanted.append(("reinforcements", waiting))
    for kind, entry in wanted:  # what does not fit is left out again
        position.setdefault(kind, []).append(entry)
        if not _accepted(options, position):
            position[kind].pop()
    for piece in position["pieces"]:
        enemies = [p["id"] for p in position["pieces"] if p["seat"] != piece["seat"]]
        if piece["type"] == "stealth_pawn" and rng.random() < 0.5:
            piece["lock"] = rng.choice(enemies)
        transports = [a for a in piece.get("articles", []) if a in ("bicycle", "jump_pack", "scuba")]
        level = piece.get("level", "ground")
        if transports and {"bicycle": "ground", "jump_pack": "air", "scuba": "sub"}[transports[0]] == level:
            piece["journey"] = {
                "article": transports[0],
                "to": piece["at"],
                "path": "beeline",
                "remaining": [],
            }
            if not _accepted(options, position):
                del piece["journey"]
    position["ghosts"] = {
        seat: [
            {
                "type": rng.choice(TYPES),
                "at": rng.choice(SQUARES),
                "level": rng.choice(LEVELS),
                "turn": rng.randint(1, turn),
            }
            for _ in range(rng.randint(0, 4))
        ]
        for seat in SEATS
    }
    GAME.check_options(options, position)
    return position


def _crowd_in(rng: random.Random, position: dict[str, Any], options: dict[str, Any]) -> None:
    """Passengers, pieces on journeys, locks of articles and a half-turn under way, wherever they fit."""
    for piece in list(position["pieces"]):
        before = copy.deepcopy(piece)
        if piece["type"] in PRIMARIES:
            continue
        carriers = [
            p for p in position["pieces"] if p["type"] in ("chopper", "sub") and p.get("level") != "ground"
        ]
        if carriers and rng.random() < 0.3:
            carrier = rng.choice(carriers)
            piece.update(at=carrier["at"], level=carrier.get("level", "ground"), seat=carrier["seat"])
        elif rng.random() < 0.2:
            level, article = rng.choice((("ground", "bicycle"), ("air", "jump_pack"), ("sub", "scuba")))
            way = [piece["at"]]
            for _ in range(rng.randint(article == "bicycle", 4)):
                at = BOOK["board"]["spaces"].index(way[-1])
                dr, df = rng.choice(DIRECTION_STEPS)
                if 0 <= at // 10 + dr < 10 and 0 <= at % 10 + df < 10:
                    way.append(SQUARES[at + 10 * dr + df])
            piece["level"] = level
            piece["articles"] = [article]
            path = rng.choice(("beeline", "port", "starboard"))
            piece["journey"] = {"article": article, "to": way[-1], "path": path, "remaining": way[1:]}
        for article in piece.get("articles", []):
            if article == "anti_stealth" and rng.random() < 0.7:
                lock = rng.choice(position["pieces"])["id"]
                piece["articles"] = [
                    {"kind": a, "lock": lock} if a == "anti_stealth" else a for a in piece["articles"]
                ]
                break
        if not _accepted(options, position):
            piece.clear()
            piece.update(before)
    ids = [p["id"] for p in position["pieces"]]
    state: dict[str, Any] = {
        name: rng.sample(ids, min(len(ids), rng.randint(0, 3)))
        for name in ("acted", "fired", "moved_pieces", "converted", "travelled")
    }
    state |= {name: rng.randint(0, 1) for name in ("fires", "pick_ups", "drops", "exchanges", "reinforces")}
    state["moved"] = rng.random() < 0.3
    state["vacated"] = rng.sample(SQUARES, 20) + [r["at"] for r in position.get("reinforcements", [])][:2]
    state["vacated"] = sorted(set(state["vacated"]))
    state["hits"] = [
        {"piece": id_, rng.choice(HITS): rng.randint(1, 2)} for id_ in rng.sample(ids, min(len(ids), 4))
    ]
    position["turn_state"] = state
    if rng.random() < 0.2:
        position["draw_offer"] = rng.choice(SEATS)
    if not _accepted(options, position):
        raise AssertionError("what was put in does not fit")


def crowded_position(rng: random.Random, options: dict[str, Any]) -> dict[str, Any]:
    """A valid Position in which much meets: few types, in a corner of the board, carried, on their way, half-way
    through a turn."""
    types = [*rng.sample(TYPES, 7), "chopper", "sub"]
    squares = [SQUARES[10 * r + f] for r in range(rng.randint(3, 6)) for f in range(rng.randint(3, 6))]
    position = random_position(rng, options, rng.choice((20, 50)), types=types, squares=squares)
    if rng.random() < 0.5:
        _board_carriers(rng, position, options, squares)
    _crowd_in(rng, position, options)
    return position


def _board_carriers(
    rng: random.Random, position: dict[str, Any], options: dict[str, Any], squares: Sequence[str]
) -> None:
    """Choppers in the air or subs below, side by side, each with somebody who can convert, stun, burn or hide."""
    type_, level = rng.choice((("chopper", "air"), ("sub", "sub")))
    free = sorted(set(range(400, 500)))
    for at in rng.sample(squares, min(len(squares), 12)):
        seat = rng.choice(SEATS)
        carrier = {"id": free.pop(), "seat": seat, "type": type_, "at": at, "level": level}
        if type_ == "chopper":
            carrier["hand"] = "left"
        if rng.random() < 0.5:
            carrier["articles"] = [rng.choice(("anti_conversion", "anti_stun", "anti_flame", "stealth"))]
        passenger = _piece(rng, free.pop(), seat, position["turn"], PASSENGERS, [at])
        passenger["level"] = level
        if rng.random() < 0.5:
            passenger["articles"] = [rng.choice(("stealth", "conversion", "stun", "anti_conversion"))]
        position["pieces"] += [carrier, passenger]
        if not _accepted(options, position):
            del position["pieces"][-2:]


def random_start(rng: random.Random) -> tuple[dict[str, Any], dict[str, Any] | None]:
    options = random_options(rng)
    return options, None if rng.random() < 0.25 else random_position(rng, options)


# ---- what must hold ------------------------------------------------------------------------------------------


def kinds_of(position: dict[str, Any]) -> Counter[str]:
    holders = [*position["pieces"], *position["articles"]]
    return Counter(
        a if isinstance(a, str) else a["kind"] for holder in holders for a in holder.get("articles", [])
    )


def check_invariants(state: State, articles: Counter[str] | None = None) -> None:
    """No article lost or doubled, no cell over capacity, no piece in two places; what is written down loads again."""
    position = state.position(plain=True)
    if position is None:
        return
    ids = [p["id"] for p in (*position["pieces"], *position["reinforcements"])]
    assert len(set(ids)) == len(ids)
    cells: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for piece in position["pieces"]:
        cells.setdefault((piece["at"], piece["level"]), []).append(piece)
        kinds = [a if isinstance(a, str) else a["kind"] for a in piece.get("articles", [])]
        capacity = 2 if piece["type"] == "xxx_pawn" else 3 if "xxx" in kinds else 1
        assert len(kinds) <= capacity, piece
    for cell, pieces in cells.items():
        assert len(pieces) <= 2, cell
        assert len(pieces) == 1 or any(TYPE[p["type"]]["coexisting"] for p in pieces), cell
    for heap in position["articles"]:
        assert 1 <= len(heap["articles"]) <= 2
    for missile in position["projectiles"]:
        level = {"rocket": "ground", "sam": "air", "torpedo": "sub"}[missile["kind"]]
        assert (missile["at"], level) not in cells, missile
    if articles is not None:
        assert kinds_of(position) == articles
    again = GAME.new(options=view_options(state), position=position)
    assert again.data == state.data


def view_options(state: State) -> dict[str, Any]:
    return dict(state.view("spectator", plain=True)["options"])
