"""The tables that junqi.c and its codec hold, against the rule book's data and prose, cell by cell."""

from __future__ import annotations

import contextlib
import re
from collections import defaultdict
from typing import Any

import msgspec
import pytest

import warlog_core
from tests.core.explained import without_sections
from tests.core.games import TESTS
from warlog_core import Refused
from warlog_core.codecs import book_data

GAME = warlog_core.game("junqi")
BOOK: dict[str, Any] = book_data("junqi")
SPACES = [space["id"] for space in BOOK["spaces"]]
HEADER = (TESTS.parent / "core_c" / "src" / "games" / "junqi_board.h").read_text(encoding="utf-8")
TYPES = [spec["type"] for spec in BOOK["piece_types"]]
FLAGS = [{"seat": seat, "type": "flag", "at": f"{seat[0].upper()}62"} for seat in BOOK["seats"]["4"]]


def table(name: str) -> dict[str, list[str]]:
    """The rows of a C table, by their designator."""
    body = re.search(rf"{name}\[[^;]*= \{{\n(.*?)\n\}};", HEADER, flags=re.DOTALL)
    assert body is not None
    rows = re.findall(r"\[(\w+)\] = \{(.*)\},", body[1])
    return {row: re.findall(r"\w+", cells) for row, cells in rows}


def position(*pieces: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"turn": "south", "steps": 50, "pieces": [*FLAGS, *pieces], **more}


# ---- 2. Board ------------------------------------------------------------------------------------------------


def test_the_spaces_have_the_books_indexes() -> None:
    body = HEADER[HEADER.index("/* 2.1 */") :].partition("SPACES,")[0]
    assert re.findall(r"\b[SENWC]\d\d\b", body) == SPACES
    assert [space["index"] for space in BOOK["spaces"]] == list(range(len(SPACES)))
    assert list(GAME.codec.tables({"n_seats": 4, "mode": 0}, b"").seats) == BOOK["seats"]["4"]


@pytest.mark.parametrize(("name", "edges"), [("ROADS", "roads"), ("RAILS", "rails")])
def test_every_edge_is_in_its_table_both_ways_and_no_other(name: str, edges: str) -> None:
    wanted: dict[str, list[str]] = {space: ["EDGE"] for space in SPACES}
    for one, other in BOOK[edges]:
        wanted[one].append(other)
        wanted[other].append(one)
    order = {space: index for index, space in enumerate([*SPACES, "EDGE"])}
    assert table(name) == {space: sorted(around, key=order.__getitem__) for space, around in wanted.items()}


def test_every_line_is_in_its_table_and_every_space_knows_its_place() -> None:
    lines = table("LINE")
    assert list(lines) == [line["id"].upper().replace("-", "_") for line in BOOK["lines"]]
    assert list(lines.values()) == [["EDGE", *line["spaces"], "EDGE"] for line in BOOK["lines"]]
    places: dict[str, list[str]] = defaultdict(list)
    for name, spaces in lines.items():
        for place, space in enumerate(spaces):
            places[space] += [name, str(place)] if space != "EDGE" else []
    assert table("THROUGH") == {space: found for space, found in places.items() if found}
    on_rails = [space["id"] for space in BOOK["spaces"] if space["railway"]]
    assert sorted(table("THROUGH"), key=SPACES.index) == on_rails


def test_every_space_is_of_its_kind() -> None:
    army = re.search(r"#define ARMY_KINDS(.*?)\nstatic", HEADER, flags=re.DOTALL)
    assert army is not None
    kinds = [kind.lower() for kind in re.findall(r"[A-Z]+", army[1])]
    wanted = [space["kind"] for space in BOOK["spaces"]]
    assert kinds * 4 + ["palace"] * 9 == wanted


def test_the_numbers_of_the_book_are_those_of_its_tables() -> None:
    counts = BOOK["counts"]
    assert (len(SPACES), len(BOOK["roads"]), len(BOOK["rails"])) == (
        counts["spaces"],
        counts["roads"],
        counts["rails"],
    )
    assert len(BOOK["lines"]) == counts["lines"]
    assert sum(space["railway"] for space in BOOK["spaces"]) == counts["railway_spaces"]


@pytest.mark.parametrize(
    ("options", "n_spaces"),
    [({}, 129), ({"players": 2}, 129), ({"players": 2, "wings": "closed"}, 69), ({"mode": "flip"}, 69)],
    ids=str,
)
def test_the_board_that_is_described_is_the_graph_of_the_active_spaces(
    options: dict[str, Any], n_spaces: int
) -> None:
    board = GAME.describe(options)["board"]
    here = {space["id"]: space for space in board["spaces"]}
    assert len(here) == n_spaces
    assert list(here) == [space for space in SPACES if space in here]
    for space in BOOK["spaces"]:
        if space["id"] in here:
            assert here[space["id"]].items() >= {
                (k, v) for k, v in space.items() if k not in ("seat", "index")
            }
    for kind, edges in (("road", BOOK["roads"]), ("rail", BOOK["rails"])):
        wanted = {frozenset(edge) for edge in edges if here.keys() >= set(edge)}
        assert {frozenset((e["from"], e["to"])) for e in board["edges"] if e["kind"] == kind} == wanted
    for space in here.values():
        joined = [{e["from"], e["to"]} - {space["id"]} for e in board["edges"] if space["id"] in e.values()]
        assert set(space["neighbours"]) == set().union(*joined)
    rails = [{e["from"], e["to"]} for e in board["edges"] if e["kind"] == "rail"]
    for line in board["lines"]:
        pairs = zip(line["spaces"], line["spaces"][1:], strict=False)
        assert all(set(pair) in rails for pair in pairs)
    assert {
        frozenset(pair)
        for line in board["lines"]
        for pair in zip(line["spaces"], line["spaces"][1:], strict=False)
    } == {frozenset(rail) for rail in rails}, "every track is on a line"


def test_every_edge_can_be_drawn_straight_or_as_its_arc() -> None:
    board = GAME.describe()["board"]
    at = {space["id"]: (space["x"], space["y"]) for space in board["spaces"]}
    arcs = 0
    for edge in board["edges"]:
        ends = at[edge["from"]], at[edge["to"]]
        if "arc" in edge:
            arcs += 1
            (x, y), radius = edge["arc"]["center"], edge["arc"]["radius"]
            assert all((a - x) ** 2 + (b - y) ** 2 == radius**2 for a, b in ends)
        else:
            assert max(abs(ends[0][0] - ends[1][0]), abs(ends[0][1] - ends[1][1])) in (1, 2)
    assert arcs == len(BOOK["arcs"]) == 4


# ---- 3. Pieces -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", ["standard", "flip"])
def test_ids_belong_to_the_types_of_the_book(mode: str) -> None:
    pieces = GAME.new(options={"mode": mode, "players": 2}, draws=bytes).position(plain=True)["pieces"]
    blocks = BOOK["army_id_blocks"]["flip" if mode == "flip" else "standard_2"]
    for army, (first, last) in blocks.items():
        owned = [piece for piece in pieces if army in (piece.get("seat"), piece.get("color"))]
        assert [piece["piece"] for piece in owned] == list(range(first, last + 1))
        for spec in BOOK["piece_types"]:
            ids = [piece["piece"] - first + 1 for piece in owned if piece["type"] == spec["type"]]
            assert ids == spec["army_ids"]
            assert len(ids) == spec["count"]


def test_four_armies_have_the_books_ids() -> None:
    pieces = GAME.new(draws=bytes).position(plain=True)["pieces"]
    for seat, (first, last) in BOOK["army_id_blocks"]["standard_4"].items():
        assert [p["piece"] for p in pieces if p["seat"] == seat] == list(range(first, last + 1))


@pytest.mark.parametrize("defender", TYPES)
@pytest.mark.parametrize("attacker", BOOK["battle"])
@pytest.mark.parametrize("mode", ["standard", "flip"])
def test_a_battle_ends_as_the_book_says(mode: str, attacker: str, defender: str) -> None:
    if mode == "standard":
        at = "E62" if defender == "flag" else "E51"
        struck = [] if defender == "flag" else [{"seat": "east", "type": defender, "at": at}]
        given = position(
            {"seat": "south", "type": attacker, "at": "E52"},
            *struck,
            *({"seat": seat, "type": "captain", "at": f"{seat[0].upper()}11"} for seat in BOOK["seats"]["4"]),
        )
        state = GAME.new(position=given)
    else:
        given = {
            "turn": "south", "steps": 50, "colors": {"south": "red", "north": "black"},
            "pieces": [
                {"color": "red", "type": "flag", "at": "S62"},
                {"color": "red", "type": attacker, "at": "N52"},
                {"color": "red", "type": "captain", "at": "S11"},
                {"color": "black", "type": "captain", "at": "N11"},
                *([] if defender == "flag" else [{"color": "black", "type": "flag", "at": "N62"}]),
                {"color": "black", "type": defender, "at": "N51"},
            ],
        }  # fmt: skip
        at = "N51"
        state = GAME.new(options={"mode": "flip"}, position=given)
    (piece,) = (p["piece"] for p in state.position(plain=True)["pieces"] if p["at"] in ("E52", "N52"))
    event = state.apply("south", {"type": "move", "piece": piece, "to": at})
    battle = next(e for e in msgspec.to_builtins(event.effects) if e["type"] == "battle")
    assert battle["outcome"] == BOOK["battle"][attacker][defender]
    lost = [e["kind"] for e in msgspec.to_builtins(event.effects) if e["type"] == "lost"]
    assert (
        lost
        == {"attacker": [defender], "defender": [attacker], "both": [attacker, defender]}[battle["outcome"]]
    )


@pytest.mark.parametrize("spec", BOOK["piece_types"], ids=lambda spec: spec["type"])
def test_what_moves_and_what_runs_free_is_the_books(spec: dict[str, Any]) -> None:
    given = [{"seat": "south", "type": "captain", "at": "S11"}]
    if spec["type"] == "flag":
        state = GAME.new(position=position(*given))
    else:
        state = GAME.new(position=position(*given, {"seat": "south", "type": spec["type"], "at": "S53"}))
    first = 14 if spec["type"] == "captain" else spec["army_ids"][0]
    if spec["type"] == "captain":
        first = 13  # the second captain that is listed
    moves = {a["to"] for a in state.legal("south", plain=True) if a["type"] == "move" and a["piece"] == first}
    assert bool(moves) is spec["moves"]
    assert ("N53" in moves) is spec["free_run"]


# ---- 4. Setup and options ------------------------------------------------------------------------------------


def test_the_cells_of_a_layout_are_the_books_and_zeros_give_the_books_layout() -> None:
    layout = BOOK["layout"]
    state = GAME.new(draws=[0] * 96)
    for seat in state.seats:
        own = [p for p in state.position(plain=True)["pieces"] if p["seat"] == seat]
        by_space = {piece["at"][1:]: piece["type"] for piece in own}
        assert [by_space[cell] for cell in layout["cells"]] == layout["all_zero_draws"]


def sizes_of(options: dict[str, Any], n_draws: int) -> list[int]:
    """How large each draw of the setup is: the greatest value that is taken, plus one."""
    draws = [0] * n_draws
    found = []
    for index in range(n_draws):
        size = 1
        while True:
            try:
                GAME.new(options=options, draws=[*draws[:index], size, *draws[index + 1 :]])
            except warlog_core.BadDraws:
                break
            size += 1
        found.append(size)
    return found


def test_the_draws_of_a_layout_and_of_the_shuffle_are_as_large_as_the_book_says() -> None:
    layout = BOOK["layout"]["all_zero_draws"]
    assert sizes_of({"players": 2, "layouts": {"north": layout}}, 24) == BOOK["layout"]["draw_sizes"]
    assert sizes_of({"mode": "flip"}, 49) == BOOK["flip_setup"]["draw_sizes"]


def test_the_shuffle_goes_over_the_books_spaces_in_their_order() -> None:
    pieces = GAME.new(options={"mode": "flip"}, draws=[0] * 49).position(plain=True)["pieces"]
    assert [piece["at"] for piece in pieces] == BOOK["flip_setup"]["spaces"]


@pytest.mark.parametrize("place", range(25))
def test_a_type_may_stand_where_the_book_lets_it(place: int) -> None:
    """Each type in each cell, exchanged with what stands there in the layout of zeros."""
    book = BOOK["layout"]
    cell = book["cells"][place]
    line = int(cell[0])
    allowed = {
        "flag": cell in book["flag_cells"],
        "mine": line in book["mine_lines"],
        "bomb": line not in book["bomb_forbidden_lines"],
    }
    for other, kind in enumerate(book["all_zero_draws"]):
        layout = list(book["all_zero_draws"])
        layout[place], layout[other] = layout[other], layout[place]
        back = book["cells"][other]
        there = {
            "flag": back in book["flag_cells"],
            "mine": int(back[0]) in book["mine_lines"],
            "bomb": int(back[0]) not in book["bomb_forbidden_lines"],
        }
        wanted = allowed.get(kind, True) and there.get(book["all_zero_draws"][place], True)
        state = GAME.new(options={"players": 2}, draws=bytes)
        assert (state.check("south", {"type": "layout", "layout": layout}) is None) is wanted
        with contextlib.nullcontext() if wanted else pytest.raises(Refused, match="illegal_layout"):
            GAME.check_options({"layouts": {"west": layout}})


def test_defaults_types_and_ranges_of_the_options_are_the_books() -> None:
    schema = GAME.schema("options")["properties"]
    assert list(schema) == [option["name"] for option in BOOK["options"]]
    for option in BOOK["options"]:
        described = schema[option["name"]]
        if option["type"] == "integer" and "values" not in option:
            assert (described["minimum"], described["maximum"]) == (option["min"], option["max"])
        elif option["type"] in ("string", "integer"):
            assert sorted(described["enum"]) == sorted(option["values"])
        if not isinstance(option.get("default"), dict) and "default" in option and option["name"] != "wings":
            assert described["default"] == option["default"]


@pytest.mark.parametrize("players", ["2", "4"])
def test_the_defaults_that_depend_on_the_seats_are_the_books(players: str) -> None:
    full = GAME.full_options({"players": int(players)})
    for option in BOOK["options"]:
        if isinstance(option.get("default"), dict) and option["name"] in ("min_steps_score", "win_points"):
            assert full[option["name"]] == option["default"][players]
    assert full["scores"] == dict.fromkeys(BOOK["seats"][players], 0)
    assert GAME.full_options({})["players"] == 4
    assert GAME.full_options({"mode": "flip"})["players"] == 2


def test_the_texts_of_the_options_are_the_books() -> None:
    section = GAME.rules().partition("### 4.1 Options")[2].partition("\n### ")[0]
    rows = dict(re.findall(r"^\| `(\w+)` \|.*\| ([^|]+) \|$", section, flags=re.MULTILINE))
    schema = GAME.schema("options")["properties"]
    for name, row in rows.items():
        if name not in ("players", "wings"):  # whose defaults the table has in another column
            assert schema[name]["description"].startswith(without_sections(row)), name


@pytest.mark.parametrize(
    "option",
    [o for o in BOOK["options"] if o["type"] == "integer" and "min" in o],
    ids=lambda o: o["name"],
)
def test_an_integer_option_is_accepted_up_to_its_bounds_and_not_beyond(option: dict[str, Any]) -> None:
    base: dict[str, Any] = {"players": 2, "balances": {"south": 10**12, "north": 10**12}}
    for value in (option["min"], option["max"]):
        GAME.check_options({**base, option["name"]: value})
    for value in (option["min"] - 1, option["max"] + 1, True, 1.0, "1", None, 2**70, -(2**70)):
        with pytest.raises(Refused) as refused:
            GAME.check_options({**base, option["name"]: value})
        assert refused.value.code == "invalid_options"


# ---- 7 to 10. Names ------------------------------------------------------------------------------------------


def test_names_and_their_order_are_the_books() -> None:
    raw = GAME.raw
    assert list(GAME.seats) == BOOK["seats"]["4"]
    assert list(raw.reasons) == BOOK["reasons"]
    assert BOOK["reasons"][: len(BOOK["defeat_causes"])] == BOOK["defeat_causes"]
    names = [action.name for action in raw.actions]
    assert names == BOOK["action_types"] + BOOK["server_action_types"]
    assert [a.name for a in raw.actions if a.server_only] == BOOK["server_action_types"]
    codes = re.findall(
        r"^\| `(\w+)` \|", GAME.rules().partition("### 10.3 ")[2].partition("\n### ")[0], re.MULTILINE
    )
    shared = {"match_over", "malformed_action", "unknown_space", "invalid_options", "invalid_position"}
    shared |= {"wrong_phase", "not_your_turn", "not_your_piece", "illegal_destination"}
    assert [code for code in codes if code not in shared] == list(raw.errors)
    assert set(codes) >= shared


def test_the_codecs_structs_have_the_books_fields_in_the_books_order() -> None:
    book = GAME.rules()
    actions = book.partition("### 7.1 Table")[2].partition("\n### ")[0]
    for row, struct in zip(
        re.findall(r"^\| [\d–]+ \| `(\w+)` \| ([^|]*) \|", actions, re.MULTILINE),
        GAME.codec.action_type.__args__,
        strict=True,
    ):
        fields = re.findall(r"`(\w+)`", row[1])
        assert (struct.__struct_config__.tag, fields) == (
            row[0],
            [f for f in struct.__struct_encode_fields__ if f != "open"],
        )
    effects = book.partition("### 10.5 Effects")[2].partition("\n### ")[0]
    rows = re.findall(r"^\| `(\w+)` \| ([^|]*) \|", effects, re.MULTILINE)
    for row, struct in zip(rows, GAME.codec.effect_type.__args__, strict=True):
        fields = re.findall(r"`(\w+)`", row[1])
        assert (struct.__struct_config__.tag, fields) == (row[0], list(struct.__struct_encode_fields__))
    view = book.partition("### 10.4 View")[2].partition("\n### ")[0]
    names = [row[0] for row in re.findall(r"^\| `(\w+)` \| (\w+) \|", view, re.MULTILINE)]
    assert names == list(GAME.codec.view_type.__struct_encode_fields__)


@pytest.mark.parametrize("rank", BOOK["ranks"], ids=lambda rank: rank["name"])
def test_a_score_has_the_level_of_the_greatest_threshold_that_it_reaches(rank: dict[str, Any]) -> None:
    scores = [rank.get("threshold", -(10**9))]
    if rank["level"] < len(BOOK["ranks"]):
        scores.append(BOOK["ranks"][rank["level"]]["threshold"] - 1)
    for score in scores:
        state = GAME.new(
            options={"players": 2, "scores": {"south": score, "north": score}, "win_points": 0}, draws=bytes
        )
        for seat in state.seats:
            state.apply(seat, {"type": "ready"}, draws=bytes)
        state.apply("server", {"type": "flee", "seat": "south"})
        settled = state.view("spectator", plain=True)["settlement"]
        assert [entry["level"] for entry in settled["scores"]] == [rank["level"]] * 2
        assert settled["multiplier"] == 2 ** max(0, rank["level"] - 5 + 1)


def test_the_teams_are_the_books() -> None:
    for players in (2, 4):
        teams = {seat: team["team"] for team in BOOK["teams"][str(players)] for seat in team["seats"]}
        view = GAME.new(options={"players": players}, draws=bytes).view("spectator", plain=True)
        assert {entry["seat"]: entry["team"] for entry in view["seats"]} == teams
        sides = GAME.codec.sides(GAME.full_options({"players": players}))  # type: ignore[attr-defined]
        assert {seat: teams[seat] for seat in sides} == teams
        assert all((sides[a] == sides[b]) is (teams[a] == teams[b]) for a in teams for b in teams)
