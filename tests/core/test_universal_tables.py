"""The tables that universal.c and its codec hold, against the rule book's data and prose, cell by cell."""

from __future__ import annotations

import itertools
import json
import re
from importlib import resources
from typing import Any

import pytest

import warlog_core
from tests.core.explained import without_sections
from warlog_core import Refused, State

GAME = warlog_core.game("universal")
BOOK: dict[str, Any] = json.loads(
    resources.files("warlog_core").joinpath("rules/universal.json").read_text(encoding="utf-8")
)
SEATS: list[str] = BOOK["seats"]
KINDS: dict[str, dict[str, Any]] = {kind["id"]: kind for kind in BOOK["kinds"]}
FACTIONS: dict[str, dict[str, Any]] = {faction["id"]: faction for faction in BOOK["factions"]}
SPACES = [f"{chr(ord('a') + file)}{rank}" for rank in range(1, 21) for file in range(20)]
CENTRE = (9, 10)  # j10, counted from 0 across and from 1 upwards


def name(file: int, rank: int) -> str:
    return f"{chr(ord('a') + file)}{rank}"


def place(space: str) -> tuple[int, int]:
    return ord(space[0]) - ord("a"), int(space[1:])


def position(pieces: list[dict[str, Any]], **more: Any) -> dict[str, Any]:
    """Pieces, and far away what a match of majora and good cannot be without, unless they bring it."""
    have = {piece["seat"] for piece in pieces if piece["kind"] == "mighty"}
    others = [
        {"id": 250 + i, "kind": "mighty", "seat": seat, "space": space}
        for i, (seat, space) in enumerate((("majora", "a1"), ("good", "t20")))
        if seat not in have
    ]
    return {"pieces": [*pieces, *others], "area": {"majora": ["a1"], "good": ["t20"]}, **more}


def start(pieces: list[dict[str, Any]], options: Any = None, **more: Any) -> State:
    options = {"factions": ["majora", "good"], "psionics": True, **(options or {})}
    return GAME.new(options=options, position=position(pieces, **more))


def destinations(state: State, piece: int) -> set[str]:
    return {
        action["to"]
        for seat in state.seats
        for action in state.legal(seat, plain=True)
        if action["type"] == "move" and action["piece"] == piece
    }


# ---- names ----


def test_names_and_their_order_are_the_books() -> None:
    raw = GAME.raw
    assert list(GAME.seats) == SEATS
    assert list(raw.phases) == ["play", "over"]
    assert list(raw.reasons) == BOOK["result_reasons"]
    assert [action.name for action in raw.actions] == [row["type"] for row in BOOK["actions"]]
    assert {action.name for action in raw.actions if action.server_only} == {
        row["type"] for row in BOOK["actions"] if row.get("poster") == "server"
    }
    codes = {*BOOK["errors"], *BOOK["position_errors"]}
    assert set(raw.errors) <= codes
    shared = {"match_over", "malformed_action", "unknown_space", "invalid_options", "invalid_position"}
    assert codes <= {*raw.errors, *shared, "not_your_turn", "not_your_piece", "illegal_destination"}


def test_the_codecs_actions_have_the_books_fields_in_the_books_order() -> None:
    structs = GAME.codec.action_type.__args__
    assert [struct.__struct_config__.tag for struct in structs] == [row["type"] for row in BOOK["actions"]]
    assert [list(struct.__struct_fields__) for struct in structs] == [
        row["fields"] for row in BOOK["actions"]
    ]


def test_effects_and_their_fields_are_those_of_the_books_table() -> None:
    section = GAME.rules().partition("### Effects")[2].partition("\n### ")[0]
    examples = [
        json.loads(f"[{cell}]".replace("`", ""))
        for cell in re.findall(r"\| (`\{\"type\".*\}`) \|$", section, flags=re.M)
    ]
    found = {effect["type"]: list(effect) for row in examples for effect in row}
    structs = {struct.__struct_config__.tag: struct for struct in GAME.codec.effect_type.__args__}
    assert [effect.name for effect in GAME.raw.effects] == list(structs)
    assert found.keys() <= structs.keys()
    assert len(found) >= 24
    for effect, fields in found.items():
        own = ["type", *structs[effect].__struct_encode_fields__]
        assert [field for field in own if field != "previous" or field in fields] == fields, effect


# ---- 2. board ----


def test_the_regions_of_every_space_are_the_books() -> None:
    described = GAME.describe()["board"]
    assert [space["id"] for space in described["spaces"]] == SPACES
    region_of = {space["id"]: space["region"] for space in described["spaces"]}
    for region in BOOK["board"]["regions"]:
        assert [space for space in SPACES if region_of[space] == region["id"]] == region["spaces"]
        assert len(region["spaces"]) == region["count"]
    assert [region["colour"] for region in described["regions"]] == [
        region["colour"] for region in BOOK["board"]["regions"]
    ]


def test_the_first_owners_are_the_home_factions() -> None:
    area = GAME.new().view("majora", plain=True)["area"]
    homes = {region["home"]: region["spaces"] for region in BOOK["board"]["regions"] if region.get("home")}
    assert area == homes
    few = GAME.new(options={"factions": ["chaos", "balance"]}).view("chaos", plain=True)["area"]
    assert few == {seat: homes[seat] for seat in ("chaos", "balance")}


@pytest.mark.parametrize("space", SPACES[::7])
def test_a_conquest_takes_the_time_of_its_region(space: str) -> None:
    region = next(region for region in BOOK["board"]["regions"] if space in region["spaces"])
    where = "middle" if region["id"] == "middle" else "faction_region"
    for kind in ("mighty", "commander", "angel"):
        piece = {"id": 7, "kind": kind, "seat": "majora", "space": space}
        others = {"majora": "b1", "good": "s20"}
        pieces = [piece] + [
            {"id": 200 + i, "kind": "mighty", "seat": seat, "space": at if at != space else "k1"}
            for i, (seat, at) in enumerate(others.items())
            if not (kind == "mighty" and seat == "majora")
        ]
        area = {"majora": ["k5"], "good": ["k6"]} if space != "k5" else {"majora": ["k4"], "good": ["k6"]}
        if space == "k6":
            area = {"majora": ["k5"], "good": ["k7"]}
        state = start(pieces, area=area)
        effect = state.apply("majora", {"type": "conquer", "piece": 7}).effects[0]
        assert effect.turns == KINDS[kind]["conquest_turns"][where]


# ---- 3. pieces ----


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("veteran", [0, 1], ids=["", "as_a_veteran"])
def test_the_conquest_times_of_a_kind_are_the_books(kind: str, veteran: int) -> None:
    options = {"veterans": True, "veteran_merits": 1}
    for space, where in (("j5", "middle"), ("j10", "faction_region")):
        piece = {"id": 7, "kind": kind, "seat": "majora", "space": space, "merits": veteran}
        event = start([piece], options).apply("majora", {"type": "conquer", "piece": 7})
        assert event.effects[0].turns == max(1, KINDS[kind]["conquest_turns"][where] - veteran)


def along(rule: dict[str, Any]) -> set[str]:
    """Where a slide or a leap leads from the centre of an empty board."""
    steps = (
        [(df * n, dr * n) for df, dr in rule["directions"] for n in range(1, rule["max"] + 1)]
        if rule["type"] == "slide"
        else rule["offsets"]
    )
    file, rank = CENTRE
    return {name(file + df, rank + dr) for df, dr in steps if 0 <= file + df < 20 and 1 <= rank + dr <= 20}


def ringed(rule: dict[str, Any]) -> set[str]:
    far = rule["distance"]
    file, rank = CENTRE
    return {
        name(file + df, rank + dr)
        for df, dr in itertools.product(range(-far, far + 1), repeat=2)
        if max(abs(df), abs(dr)) == far
    }


def reached(rule: dict[str, Any]) -> set[str]:
    return ringed(rule) if rule["type"] == "ring" else along(rule)


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "mighty"])
def test_the_movement_of_a_kind_is_the_books(kind: str) -> None:
    piece = {"id": 7, "kind": kind, "seat": "majora", "space": name(*CENTRE)}
    assert destinations(start([piece]), 7) == reached(KINDS[kind]["basic"])
    veteran = start([{**piece, "merits": 3}], {"veterans": True})
    boosted = KINDS[kind].get("boosted")
    both = reached(KINDS[kind]["basic"]) | (reached(boosted) if boosted else set())
    assert destinations(veteran, 7) == both
    assert ("boosted" in veteran.view("good", plain=True)["pieces"][0]) is (boosted is not None)


@pytest.mark.parametrize("seat", SEATS)
def test_the_movement_of_a_mighty_is_the_books(seat: str) -> None:
    other = "evil" if seat != "evil" else "majora"
    own_area = [name(*CENTRE), "a1", "t20", "k12"]
    state = GAME.new(
        options={"factions": [seat, other], "first": seat},
        position={
            "pieces": [
                {"id": 7, "kind": "mighty", "seat": seat, "space": name(*CENTRE)},
                {"id": 8, "kind": "mighty", "seat": other, "space": "a20"},
            ],
            "area": {seat: own_area, other: ["a19"]},
        },
    )
    wanted: set[str] = set()
    for rule in FACTIONS[seat]["mighty"]:
        if rule["type"] == "slide":
            wanted |= along(rule)
        elif "max_distance" in rule:
            for far in range(1, rule["max_distance"] + 1):
                wanted |= ringed({"distance": far})
        else:
            wanted |= set(own_area) - {name(*CENTRE)}
    assert destinations(state, 7) == wanted


def test_strengths_decide_immunity_as_in_the_books_table() -> None:
    for defender, attacker in itertools.product(KINDS, KINDS):
        if "mighty" in (defender, attacker):
            continue
        rule = KINDS[attacker]["basic"]
        target = min(reached(rule), key=SPACES.index)
        for owned in (True, False):
            state = start(
                [
                    {"id": 7, "kind": attacker, "seat": "majora", "space": name(*CENTRE)},
                    {"id": 8, "kind": defender, "seat": "good", "space": target},
                ],
                area={"majora": ["a1"], "good": ["t20", *([target] if owned else [])]},
            )
            immune = owned and KINDS[attacker]["strength"] > KINDS[defender]["strength"]
            code = state.check("majora", {"type": "move", "piece": 7, "to": target})
            assert code == ("immune" if immune else None), (defender, attacker)


def images(step: list[int], row: tuple[int, int, bool]) -> tuple[int, int]:
    """A step of a ring path, mirrored: signs along the two axes, and whether these change places."""
    sign, other_sign, swapped = row
    along, across = sign * step[0], other_sign * step[1]
    return (across, along) if swapped else (along, across)


@pytest.mark.parametrize(
    "row", BOOK["knight_ring_paths"], ids=lambda row: "ring_{}_{}".format(*row["displacement"])
)
def test_a_ring_move_is_open_exactly_when_one_of_the_books_paths_is_free(row: dict[str, Any]) -> None:
    """All mirror images of the displacement, with every set of blockers on the spaces of its paths."""
    file, rank = CENTRE
    passed = sorted({tuple(step) for path in row["paths"] for step in path})
    for mirror in itertools.product((1, -1), (1, -1), (False, True)):
        df, dr = images(row["displacement"], mirror)
        for n in range(len(passed) + 1):
            for blocked in itertools.combinations(passed, n):
                pieces = [{"id": 7, "kind": "knight", "seat": "majora", "space": name(*CENTRE), "merits": 3}]
                for i, step in enumerate(blocked):
                    bf, br = images(list(step), mirror)
                    space = name(file + bf, rank + br)
                    pieces.append({"id": 8 + i, "kind": "angel", "seat": "good", "space": space})
                state = start(pieces, {"veterans": True})
                is_open = any(all(tuple(step) not in blocked for step in path) for path in row["paths"])
                assert (name(file + df, rank + dr) in destinations(state, 7)) is is_open, (mirror, blocked)


def test_which_kinds_can_be_summoned_is_the_books() -> None:
    for kind in KINDS:
        if kind == "mighty":
            continue
        pieces = [
            {"id": 7, "kind": "wizard", "seat": "majora", "space": "j10"},
            {"id": 8, "kind": kind, "seat": "majora", "space": "c5"},
        ]
        action = {"type": "summon", "piece": 7, "summoned": 8, "to": "j11", "pay": "auto"}
        code = start(pieces).check("majora", action)
        assert code == (None if KINDS[kind]["summonable"] else "wrong_kind")


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "mighty"])
@pytest.mark.parametrize("seat", ["evil", "balance"])
def test_the_prices_of_necromancy_are_the_books(kind: str, seat: str) -> None:
    cost = KINDS[kind]["necromancy_cost"]
    if FACTIONS[seat].get("half_cost"):
        cost = (cost + 1) // 2
    caster = 8 if seat == "evil" else 9
    for n_owned in (cost - 1, cost):
        state = GAME.new(
            options={"factions": ["evil", "balance"], "psionics": True, "first": seat},
            position={
                "pieces": [
                    {"id": 8, "kind": "mighty", "seat": "evil", "space": "j10"},
                    {"id": 9, "kind": "wizard", "seat": "balance", "space": "c5"},
                    {"id": 10, "kind": "mighty", "seat": "balance", "space": "t5"},
                ],
                "dead": [{"id": 20, "kind": kind, "seat": seat}],
                "area": {"evil": ["a1"], "balance": ["b1"], seat: SPACES[50 : 50 + n_owned] or ["d1"]},
            },
        )
        action = {"type": "necromancy", "piece": caster, "raised": 20, "to": "k11", "pay": "auto"}
        if seat == "balance":
            action["to"] = "c6"
        code = state.check(seat, action)
        if kind == "commander" and seat == "balance":
            assert code == "wrong_kind"
        elif n_owned == cost:
            assert code is None
        elif cost > 1:
            assert code == "cannot_pay"


# ---- 4. setup and options ----


@pytest.mark.parametrize("psionics", [False, True])
def test_the_initial_position_is_the_books(psionics: bool) -> None:
    view = GAME.new(options={"psionics": psionics}).view("spectator", plain=True)
    wanted = BOOK["setup"]["pieces"] + (BOOK["setup"]["psionics"] if psionics else [])
    pieces = [{k: piece[k] for k in ("id", "kind", "seat", "space")} for piece in view["pieces"]]
    assert pieces == sorted(wanted, key=lambda piece: piece["id"])
    assert view["next_id"] == BOOK["setup"]["next_id"]


def test_the_initial_position_is_the_books_diagram() -> None:
    diagram = re.findall(r"^(?: |\d)\d ((?:\S ){19}\S)$", GAME.rules(), flags=re.MULTILINE)
    assert len(diagram) == 20
    letters = {piece["space"]: KINDS[piece["kind"]]["letter"] for piece in BOOK["setup"]["pieces"]}
    marks = {"one": "1", "two": "2", "three": "3", "four": "4", "greyness": "g", "middle": "."}
    region = {space: marks[row["id"]] for row in BOOK["board"]["regions"] for space in row["spaces"]}
    for rank, line in zip(range(20, 0, -1), diagram, strict=True):
        assert line.split() == [letters.get(name(file, rank), region[name(file, rank)]) for file in range(20)]


def test_the_corner_armies_are_turned_by_a_quarter_from_corner_to_corner() -> None:
    at = {piece["id"]: place(piece["space"]) for piece in GAME.new().view("good", plain=True)["pieces"]}
    for slot, k in itertools.product(range(17), range(3)):
        file, rank = at[1 + slot + 17 * k]
        assert at[18 + slot + 17 * k] == (rank - 1, 20 - file)


def test_turn_orders_and_sides_are_the_books() -> None:
    assert list(GAME.new().seats) == BOOK["turn_order"]["standard"]
    for row in BOOK["turn_order"]["double"]:
        options = {"mode": "double", "pairing": row["id"]}
        view = GAME.new(options=options).view("evil", plain=True)
        assert view["order"] == row["order"] == list(GAME.seats_for(options))
        assert view["teams"] == row["teams"]
        sides = GAME.codec.sides(GAME.full_options(options))  # type: ignore[attr-defined]
        assert [{seat for seat in sides if sides[seat] == side} for side in (0, 1)] == [
            set(team) for team in row["teams"]
        ]
    for n in range(2, 6):
        for factions in itertools.combinations(SEATS, n):
            options = {"factions": list(reversed(factions))}
            assert GAME.seats_for(options) == factions
            assert len(set(GAME.codec.sides(GAME.full_options(options)).values())) == n  # type: ignore[attr-defined]


def test_defaults_types_and_ranges_of_the_options_are_the_books() -> None:
    schema = GAME.schema("options")["properties"]
    assert list(schema) == [option["id"] for option in BOOK["options"]]
    for option in BOOK["options"]:
        described = schema[option["id"]]
        if option["id"] not in ("factions", "first"):
            assert described["default"] == option["default"], option
        if option["type"] == "integer":
            assert (described["minimum"], described["maximum"]) == (option["min"], option["max"])
        if "values" in option:
            assert sorted(described["enum"]) == sorted(option["values"])
    for mode in ("standard", "double"):
        full = GAME.full_options({"mode": mode})
        assert list(full) == list(schema)
        assert full["factions"] == BOOK["options"][1]["default"][mode]
        assert full["first"] == "majora"
    assert GAME.full_options({"factions": ["evil", "chaos"]})["first"] == "chaos"


def test_the_texts_of_the_options_are_the_books() -> None:
    section = GAME.rules().partition("### Options")[2].partition("\n**")[0]
    rows = re.findall(r"^\| `(\w+)` \|.*\| ([^|]+) \|$", section, flags=re.MULTILINE)
    schema = GAME.schema("options")["properties"]
    assert {key: schema[key]["description"] for key in schema} == {
        key: without_sections(text) for key, text in rows
    }


@pytest.mark.parametrize(
    "option", [o for o in BOOK["options"] if o["type"] == "integer"], ids=lambda o: o["id"]
)
def test_an_integer_option_is_accepted_up_to_its_bounds_and_not_beyond(option: dict[str, Any]) -> None:
    for value in (option["min"], option["max"]):
        GAME.check_options({option["id"]: value})
    for value in (option["min"] - 1, option["max"] + 1, True, float(option["min"]), "1", None, 10**100):
        with pytest.raises(Refused) as refused:
            GAME.check_options({option["id"]: value})
        assert refused.value.code == "invalid_options"


# ---- the description ----


def test_the_catalogue_shows_every_ability_with_its_cost_under_the_options() -> None:
    described = GAME.describe({"psionics": True, "psionic_cost": 9, "breeding_limit": 2})
    abilities = {ability["id"]: ability for kind in described["pieces"] for ability in kind["abilities"]}
    passive = {name for name, ability in abilities.items() if ability.get("passive")}
    assert {abilities[name]["user"] for name in passive} == {"commander"}
    assert abilities.keys() - passive == {ability["id"] for ability in BOOK["abilities"]}
    assert abilities["mind_seizure"]["cost"] == 9
    assert abilities["demon_breeding"]["cost"] == 3
    assert abilities["demon_breeding"]["limit"] == 2
    assert abilities["necromancy"]["cost"] == {
        kind: KINDS[kind]["necromancy_cost"] for kind in KINDS if kind not in ("mighty", "commander")
    }
    assert abilities["improved_necromancy"]["cost"]["commander"] == 6
    assert abilities["necromancy"]["balance_cost"] == {
        kind: 3 if kind in ("wizard", "psionic") else 2 if cost == 3 else 1
        for kind, cost in abilities["necromancy"]["cost"].items()
    }
    assert [abilities[a]["balance_cost"] for a in ("summon", "death_curse", "mind_seizure", "za_warudo")] == [
        *(1, 2, 5, 0)
    ]
    assert "balance_cost" not in abilities["demon_breeding"]
    assert all(ability["text"].endswith(".") for ability in abilities.values())
    plain = GAME.describe()["pieces"]
    assert [kind["id"] for kind in plain] == [kind for kind in KINDS if kind != "psionic"]
    assert plain[0]["movement_by_faction"] == {seat: FACTIONS[seat]["mighty"] for seat in SEATS}


def test_the_factions_that_play_have_their_colours_sides_and_abilities_in_turn_order() -> None:
    factions = {faction["faction"]: faction for faction in GAME.describe()["factions"]}
    assert list(factions) == BOOK["turn_order"]["standard"]
    assert [faction["side"] for faction in factions.values()] == [0, 1, 2, 3, 4]
    assert [faction["colour"] for faction in factions.values()] == ["red", "yellow", "violet", "blue", "grey"]
    assert [seat for seat in factions if factions[seat]["pays_half"]] == ["balance"]
    assert factions["evil"]["ability"] == "improved_necromancy"
    assert [f["faction"] for f in GAME.describe({"factions": ["good", "chaos"]})["factions"]] == [
        "chaos",
        "good",
    ]
    for row in BOOK["turn_order"]["double"]:
        described = GAME.describe({"mode": "double", "pairing": row["id"]})["factions"]
        assert [f["faction"] for f in described] == row["order"]
        assert [[f["faction"] for f in described if f["side"] == side] for side in (0, 1)] == [
            sorted(team, key=row["order"].index) for team in row["teams"]
        ]


def test_presets_say_who_plays_for_a_number_of_players() -> None:
    presets = {str(preset["players"]): preset["factions"] for preset in GAME.describe()["presets"]}
    assert presets == BOOK["default_factions_by_players"]
