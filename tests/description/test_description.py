"""What a game says of itself is whole, agrees with its views, and is enough to draw it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path
from typing import Any, get_args

import msgspec
import pytest

import warlog_core
from tests.core.games import GAMES, lines, playthroughs, starts, vectors
from tests.description import draw
from tests.description.draw import PATTERNS
from tests.description.scenes import PICTURES, Scene, pictures, scenes
from warlog_client import Game, drawing
from warlog_client.drawing import find, found_by
from warlog_core import description
from warlog_core.codecs import service_data

EVERY = 12  # moments of each playthrough that are looked at


@pytest.fixture(scope="module", params=GAMES)
def game(request: pytest.FixtureRequest) -> warlog_core.Game:
    return warlog_core.game(request.param)


@pytest.fixture(scope="module")
def seen(game: warlog_core.Game) -> list[Scene]:
    """The start, and many moments of all published matches."""
    return list(scenes(game.name, EVERY))


def descriptions(game: warlog_core.Game) -> Iterator[dict[str, Any]]:
    """With the defaults, and with each of the options of the test data."""
    given: list[dict[str, Any]] = [{}] + [options for name, options, _ in starts() if name == game.name]
    for options in {json.dumps(one, sort_keys=True): one for one in given}.values():
        yield game.describe(options)


def values(value: Any, path: str = "", *, keys: bool = False) -> Iterator[tuple[str, Any]]:
    """Each text and number in a view, with its path through objects; lists add nothing. With `keys` those, too."""
    if isinstance(value, dict):
        for name, one in value.items():
            inner = f"{path}.{name}" if path else name
            if keys:
                yield inner, name
            yield from values(one, inner, keys=keys)
    elif isinstance(value, list):
        for one in value:
            yield from values(one, path, keys=keys)
    else:
        yield path, value


def covers(said: str, path: str) -> bool:
    return path == said or path.startswith(f"{said}.")


# ---- the pictures ------------------------------------------------------------------------------------------


def test_each_game_is_drawn_from_its_description_and_a_view_alone(game: warlog_core.Game) -> None:
    """If a picture changed on purpose: `python -m tests.description.scenes`, and look at it."""
    drawn = dict(pictures(game.name))
    kept = {path.name: path.read_text(encoding="utf-8") for path in PICTURES.glob(f"{game.name}-*.svg")}
    assert drawn.keys() == kept.keys()
    for name, picture in drawn.items():
        assert picture == kept[name], f"{name} is another picture"


def test_every_layer_is_drawn_in_a_picture(game: warlog_core.Game) -> None:
    if not description.look_of(game.name).layers:
        return  # a game that says nothing of drawing
    left = {(one.get("refers", one["from"]), one["draw"]) if one["draw"] == "tray" else (one["from"], one["draw"])
            for one in game.describe()["look"]}  # fmt: skip
    for scene in scenes(game.name):
        things = drawing.drawn(Game.of(scene.described), scene.views[scene.viewer()])
        left -= {(one.layer["from"], one.layer["draw"]) for one in things}
    assert left == set()


def test_the_renderer_names_no_game_nor_anything_of_one(game: warlog_core.Game) -> None:
    files = (Path(draw.__file__), Path(drawing.__file__))
    source = "".join(file.read_text(encoding="utf-8") for file in files)
    described = game.describe({})
    words = {game.name, *(seat["id"] for seat in described["seats"])}
    words |= {entry["key"] for catalogue in described["catalogues"] for entry in described[catalogue]}
    words -= {*get_args(description.Drawing), *PATTERNS}
    assert not {
        word for word in words if not word.isdigit() and re.search(rf'["\']{re.escape(word)}["\']', source)
    }


def test_the_pictures_are_small() -> None:
    assert sum(path.stat().st_size for path in PICTURES.glob("*.svg")) < 2_200_000


# ---- layers ------------------------------------------------------------------------------------------------


def test_every_space_in_a_view_is_drawn_or_is_said_not_to_be(seen: list[Scene]) -> None:
    for scene in seen:
        look, spaces = scene.described["look"], {space["id"] for space in scene.described["board"]["spaces"]}
        for view in scene.views.values():
            places = {path for path, value in values(view) if isinstance(value, str) and value in spaces}
            for path in sorted(places):
                drawn = any(path in drawn_paths(layer, view) for layer in look)
                said = any(covers(one, path) for one in scene.described["not_drawn"])
                assert drawn != said, f"{scene.name}: {path}"


def drawn_paths(layer: dict[str, Any], view: Any) -> set[str]:
    """Where the spaces stand that a layer draws."""
    source = layer["from"]
    if "keyed" in layer:
        return {f"{source}.{key}" for opened, _ in find(view, source) for key in opened}
    found, parts = {source}, source.split(".")
    for name in (layer.get("space"), layer.get("spaces")):
        if name:  # of what is found, or of an object around it
            found |= {".".join([*parts[:n], name]) for n in range(len(parts) + 1)}
    return found


def test_every_piece_in_a_view_is_drawn_or_is_said_not_to_be(seen: list[Scene]) -> None:
    """A piece is what has the key of a piece beside its owner."""
    for scene in seen:
        kinds = {entry["key"] for entry in scene.described["pieces"]}
        layers = [layer for layer in scene.described["look"] if layer["draw"] in ("piece", "ghost", "tray")]
        levels = {layer.get("level") for layer in layers}  # a level may be called as a piece is
        for view in scene.views.values():
            named = [path.rpartition(".") for path, value in values(view, keys=True) if value in kinds]
            places = {place for place, _, field in named if field not in levels}
            for path in sorted(places):
                drawn = any(layer["from"] == path for layer in layers)
                assert drawn or any(covers(one, path) for one in scene.described["not_drawn"]), (
                    scene.name,
                    path,
                )


def test_every_type_that_a_layer_draws_has_its_entry(seen: list[Scene]) -> None:
    for scene in seen:
        for layer in scene.described["look"]:
            keys = {entry["key"] for entry in scene.described[layer.get("catalogue", "pieces")]}
            for view in scene.views.values():
                for value, fields in found_by(layer, view):
                    type_ = fields.get("keyed type", fields.get(layer.get("type")))
                    if isinstance(value, str) and "type" not in layer and layer["draw"] in ("tray", "heap"):
                        type_ = value
                    assert type_ is None or type_ in keys, (scene.name, layer, type_)
                    if layer["draw"] in ("piece", "ghost"):
                        assert type_ is not None or "hidden" in layer, (scene.name, layer)


def test_layers_name_only_what_the_description_and_the_view_have(
    game: warlog_core.Game, seen: list[Scene]
) -> None:
    schema = game.schema("view")
    for described in descriptions(game):
        owners = {one["id"] for one in (*described["seats"], *described["owners"])}
        words = [entry["key"] for entry in described["marks"]]
        marks = {part for key in words for part in (key, key.partition(".")[0])}
        directions = {one["name"] for one in described["board"]["directions"]}
        for layer in described["look"]:
            assert layer.get("catalogue", "pieces") in described["catalogues"]
            assert {*layer.get("marks", ()), *({layer["mark"]} if "mark" in layer else ())} <= marks, layer
            assert layer.get("badge", layer["draw"]) in {*marks, layer["draw"]}, layer
            assert layer.get("refers", layer["from"]) in {one["from"] for one in described["look"]}
            assert not layer.get("direction") or directions
            assert layer["from"].partition(".")[0] in properties(schema)
        used = {
            m
            for layer in described["look"]
            for m in (layer.get("mark"), layer.get("badge"), *layer.get("marks", ()))
        }
        assert {key.partition(".")[0] for key in words} <= used, "words for a mark that no layer uses"
        for path in described["not_drawn"]:
            assert path.partition(".")[0] in properties(schema)
        assert owners
    for scene in seen:
        owners = {one["id"] for one in (*scene.described["seats"], *scene.described["owners"])}
        for layer in scene.described["look"]:
            for view in scene.views.values():
                for _, fields in found_by(layer, view):
                    names = layer.get("owner", ())
                    for name in [names] if isinstance(names, str) else names:
                        assert fields.get(name, next(iter(owners))) in owners
                    assert fields.get("keyed owner", next(iter(owners))) in owners


def test_an_editor_draws_all_of_the_position_that_it_begins_with(game: warlog_core.Game) -> None:
    for described in descriptions(game):
        editor, spaces = described["editor"], {space["id"] for space in described["board"]["spaces"]}
        start = editor["start"]
        drawn = {path for layer in editor["layers"] for path in drawn_paths(layer, start)}
        for path in {path for path, value in values(start) if isinstance(value, str) and value in spaces}:
            assert path in drawn, path
        for path in editor["derived"]:
            assert not [*find(start, path)]
        for layer in editor["layers"]:
            keys = (
                {entry["key"] for entry in described[layer["catalogue"]]} if "catalogue" in layer else set()
            )
            assert keys or layer.get("catalogue", "pieces") == "pieces"
            assert layer["from"].partition(".")[0] in properties(game.schema("position"))


def test_a_match_can_begin_from_the_position_that_an_editor_begins_with(game: warlog_core.Game) -> None:
    for name, options, position in starts():
        if name == game.name and position is None and "layouts" not in options:  # which a Position replaces
            editor = game.describe(options)["editor"]
            game.check_options(options, editor["start"])
            assert editor == game.describe(options)["editor"]
            if "turn" in editor:
                assert [*find(editor["start"], editor["turn"])], "nobody's turn"


def properties(schema: dict[str, Any]) -> set[str]:
    return set(schema["properties"])


# ---- catalogues, seats, board ------------------------------------------------------------------------------


def test_catalogues_have_one_shape_with_a_symbol_and_a_sentence_each(game: warlog_core.Game) -> None:
    for described in descriptions(game):
        assert {"pieces", "presets", "marks"} <= {*described["catalogues"]}
        for catalogue in described["catalogues"]:
            entries = described[catalogue]
            for entry in entries:
                msgspec.convert(entry, description.CatalogueEntry)
                assert entry["name"]
                assert 1 <= len(entry["symbol"]) <= 3, (catalogue, entry["key"], entry["symbol"])
                assert re.search(r"[.!]$", entry["text"]), (catalogue, entry["key"])
                assert entry["text"] != f"{entry['name']}." or not description.look_of(game.name).layers
            for field in ("key", "symbol"):
                found = [entry[field].casefold() for entry in entries]
                assert len({*found}) == len(found), (catalogue, field, sorted(found))
        levels = described["board"]["levels"]
        for piece in described["pieces"]:
            assert piece["levels"]
            assert {*piece["levels"]} <= {*levels}
        if len(levels) > 1:
            heights = {entry["key"]: entry["height"] for entry in described["levels"]}
            assert heights.keys() == {*levels}
            assert heights[levels[0]] == 0
            assert len({*heights.values()}) == len(levels)


def test_words_in_schemas_name_the_catalogue_that_has_them(game: warlog_core.Game) -> None:
    def enums(node: Any) -> Iterator[dict[str, Any]]:
        if isinstance(node, list):
            for one in node:
                yield from enums(one)
        elif isinstance(node, dict):
            if "enum" in node:
                yield node
            for one in node.values():
                yield from enums(one)

    described = game.describe()
    for schema in (described["options"], described["view"], described["position"]):
        for one in enums(schema):
            words = {word for word in one["enum"] if word is not None}
            if "catalogue" in one:
                assert words <= {entry["key"] for entry in described[one["catalogue"]]}
            elif len(words) > 1:
                for name in described["catalogues"]:
                    assert not words <= {entry["key"] for entry in described[name]}, (name, words)


def test_names_for_display_begin_with_a_capital_in_every_game(game: warlog_core.Game) -> None:
    described = game.describe({})
    board = described["board"]
    kinds = [*board["space_kinds"], *board["edge_kinds"], *board["regions"]]
    entries = [entry for catalogue in described["catalogues"] for entry in described[catalogue]]
    for one in (*described["seats"], *described["owners"], *kinds, *entries):
        assert not one["name"][0].islower(), one["name"]


def test_seats_are_told_apart_with_colour_and_without(game: warlog_core.Game) -> None:
    assert {*PATTERNS} | {"plain"} == {*description.PATTERNS}, "the renderer draws every pattern"
    for described in descriptions(game):
        for group in (described["seats"], described["owners"]):
            for one, other in combinations(group, 2):
                assert one["pattern"] != other["pattern"]
                assert distance(one["colour"], other["colour"]) > 100, (one["id"], other["id"])
                assert one["name"] != other["name"]


def distance(one: str, other: str) -> float:
    """Of two colours `#rrggbb`, 0 to 441."""
    channels = [[int(colour[n : n + 2], 16) for n in (1, 3, 5)] for colour in (one, other)]
    return float(sum((a - b) ** 2 for a, b in zip(*channels, strict=True)) ** 0.5)


def test_homes_are_spaces_of_the_board_and_seats_have_teams(game: warlog_core.Game) -> None:
    for described in descriptions(game):
        spaces = {space["id"]: space for space in described["board"]["spaces"]}
        seats = [seat["id"] for seat in described["seats"]]
        for seat in described["seats"]:
            msgspec.convert(seat, description.DescribedSeat)
            assert seat["home"] == [space for space in spaces if seat["id"] in spaces[space]["zone"]]
            assert len(seat["home"]) == len({*seat["home"]})
        assert {seat for space in spaces.values() for seat in space["zone"]} <= {*seats}
        teams = [seat["team"] for seat in described["seats"]]
        assert {*teams} == {*range(len({*teams}))}


def test_a_board_says_of_every_space_and_edge_what_it_is(game: warlog_core.Game) -> None:
    for described in descriptions(game):
        board = described["board"]
        plain = msgspec.convert(board, description.DescribedBoard)
        msgspec.convert(described["axes"], description.Axes)
        regions, kinds = {one.id for one in plain.regions}, {one.key for one in plain.space_kinds}
        assert {space.kind for space in plain.spaces} == kinds
        assert {edge.kind for edge in plain.edges} == {one.key for one in plain.edge_kinds}
        assert {space.region for space in plain.spaces} <= regions | {None}
        ids = {space.id for space in plain.spaces}
        assert {end for edge in plain.edges for end in (edge.origin, edge.to)} <= ids
        assert ("rows" in described["axes"]) == (board["kind"] == "hex")
        if plain.edges:
            around = {frozenset((edge.origin, edge.to)) for edge in plain.edges}
            assert around == {
                frozenset((space.id, other)) for space in plain.spaces for other in space.neighbours
            }


def test_the_start_places_seats_in_their_homes(game: warlog_core.Game) -> None:
    """Where a seat has a home and its pieces stand from the start, they stand there, whatever the options."""
    for name, options, position in starts():
        if name != game.name or position is not None:
            continue
        described, state = game.describe(options), game.new(options=options, draws=bytes)
        homes = {seat["id"]: seat["home"] for seat in described["seats"]}
        for layer in described["look"]:
            names = layer.get("owner", "")
            for _, fields in (
                found_by(layer, state.view("spectator", plain=True)) if layer["draw"] == "piece" else ()
            ):
                owner = fields.get(names if isinstance(names, str) else names[0])
                space = fields.get(layer["space"])
                if space and homes.get(owner):
                    assert space in homes[owner], (options, owner, space)


# ---- errors, guide, data -----------------------------------------------------------------------------------


def test_every_code_that_a_game_answered_is_explained(game: warlog_core.Game) -> None:
    told = {
        step["error"]
        for path in playthroughs()
        if path.stem.startswith(f"{game.name}-")
        for step in lines(path)
        if step.get("error")
    }
    for vector in vectors():
        if vector["game"] == game.name:
            told |= {
                value
                for path, value in values(vector)
                if path.rpartition(".")[2] in ("error", "expect_setup_error")
            }
    assert told
    assert told - {None} <= game.errors.keys()
    book = json.loads(game.data())
    named = {*book.get("errors", ()), *book.get("position_errors", ())}
    assert named <= game.errors.keys()
    if service_data(game.name):  # the toy's book leaves out what all games share
        printed = {*re.findall(r"`([a-z_]+)`", game.rules())}
        assert game.errors.keys() <= printed, "a code that the rule book does not name"


def test_boards_of_the_guide_belong_to_a_section_and_show_what_can_be_done(game: warlog_core.Game) -> None:
    described = game.describe({})
    headings = re.findall(r"^## (.+)$", described["guide"], re.M)
    spaces = {space["id"] for space in described["board"]["spaces"]}
    if description.look_of(game.name).layers:
        assert len(described["scenes"]) >= 2
    for scene in described["scenes"]:
        assert scene["under"] in headings
        named = set(re.findall(r"\b[A-Za-z][0-9]+\b", scene["text"]))
        assert named <= spaces
        state = game.new(position=scene["position"], draws=bytes)
        listed = state.legal(scene["seat"], plain=True)
        assert scene["seat"] in state.to_act
        assert scene["actions"] == [action for action in listed if not action.get("open")]
        assert len(scene["traces"]) == len(scene["actions"]) > 2


def test_the_guide_is_two_or_three_pages_for_a_player(game: warlog_core.Game) -> None:
    guide = game.describe({})["guide"]
    if not description.look_of(game.name).layers:
        return
    assert guide.startswith(f"# {game.codec.title}\n")
    assert 600 <= len(guide.split()) <= 1500
    headings = re.findall(r"^## (.+)$", guide, re.M)
    assert headings[0] == "Aim"
    assert {"Your turn", "The pieces", "Tips"} <= {*headings}
    assert not re.search(r"`[a-z]+_[a-z_]+`", guide), "words of the API mean nothing to a player"
