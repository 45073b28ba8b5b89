"""What a game says of its actions is enough to act: a player that knows no game fills all of them."""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Iterator
from functools import cache
from typing import Any, get_args

import jsonschema
import msgspec
import pytest

import warlog_core
from tests.core.games import GAMES, lines, playthroughs, starts
from tests.description.player import NoRoom, Player
from warlog_core.actions import ActionKind, DescribedActions, Role, notes_of
from warlog_core.explain import schema_at

Json = dict[str, Any]


@cache
def described(name: str, options: str) -> Json:
    found: Json = json.loads(msgspec.json.encode(warlog_core.game(name).describe(json.loads(options))))
    return found


def player_for(name: str, options: Json, rng: random.Random) -> Player:
    return Player(described(name, json.dumps(options)), rng)


def recorded(name: str) -> Iterator[tuple[Json, warlog_core.State]]:
    """Options and state before every event of the published matches."""
    for path in playthroughs():
        first, *steps = lines(path)
        if first["game"] != name:
            continue
        game = warlog_core.game(name)
        state = game.new(options=first["options"], position=first.get("position"), draws=first["draws"])
        for step in steps:
            yield first["options"], state
            if "error" not in step:
                state.apply(step["seat"], step["action"], draws=step["draws"])


def fill_everything(name: str, rng: random.Random, every: int) -> Counter[str]:
    """At every so many events of each published match an action of each type that each seat may take."""
    filled: Counter[str] = Counter()
    validators: dict[int, Any] = {}
    for number, (options, state) in enumerate(recorded(name)):
        if number % every:
            continue
        player = player_for(name, options, rng)
        schema = described(name, json.dumps(options))["actions"]
        fits = validators.setdefault(id(schema), jsonschema.Draft202012Validator(schema))
        for seat in state.seats:
            listing = state.legal(seat, plain=True)
            view = state.view(seat, plain=True) if listing else {}
            for type_ in sorted({one["type"] for one in listing}):
                try:
                    action = player.act(view, listing, seat, type_)
                except NoRoom:
                    continue
                assert state.check(seat, action) is None, (name, action, state.check(seat, action))
                if filled[type_] < 40:
                    fits.validate(action)
                filled[type_] += 1
    return filled


def test_only_what_is_shown_fits_a_role() -> None:
    player = player_for("wec", {}, random.Random(0))
    view = warlog_core.game("wec").new(draws=bytes).view("black", plain=True)
    assert player.fits({"role": "piece"}, 1, view)
    assert not player.fits({"role": "piece"}, 9999, view)
    assert not player.fits({"role": "piece"}, "king", view)
    assert player.fits({"role": "direction"}, "ne", view)
    assert not player.fits({"role": "direction"}, "up", view)


@pytest.mark.parametrize("name", GAMES)
def test_an_action_of_every_type_is_filled_from_the_description_alone(name: str, seed: int) -> None:
    moments = sum(1 for _ in recorded(name))
    filled = fill_everything(name, random.Random(seed), every=7 if moments > 200 else 1)
    types = {signature.name for signature in warlog_core.game(name).raw.actions if not signature.server_only}
    assert {*filled} <= types
    assert len(filled) >= len(types) - (8 if name == "confrontation" else 3), types - {*filled}
    assert filled.total() > min(200, moments)


@pytest.mark.soak
@pytest.mark.parametrize("name", GAMES)
def test_every_published_match_can_be_filled_event_by_event(name: str, seed: int) -> None:
    filled: Counter[str] = Counter()
    types = {signature.name for signature in warlog_core.game(name).raw.actions if not signature.server_only}
    for round_ in range(3):
        filled += fill_everything(name, random.Random(f"{seed} {round_}"), every=1)
    assert {*filled} == types


# ---- words of choices ----------------------------------------------------------------------------------------


def texts(value: Any) -> set[str]:
    """All texts in a value, and the keys of its objects."""
    if isinstance(value, dict):
        return {*value}.union(*map(texts, value.values()))
    if isinstance(value, list):
        return set[str]().union(*map(texts, value))
    return {value} if isinstance(value, str) else set()


def words_of(schema: Json, inside: Json) -> tuple[bool, set[str]]:
    """Can a value that fits this schema hold a word, and which words does the schema name?"""
    if "$ref" in schema:
        return words_of(inside[schema["$ref"].rpartition("/")[2]], inside)
    named = {value for value in schema.get("enum", ()) if isinstance(value, str)}
    parts = [schema[key] for key in ("items", "additionalProperties") if isinstance(schema.get(key), dict)]
    found = [words_of(part, inside) for part in [*parts, *schema.get("properties", {}).values()]]
    able = bool(named) or schema.get("type") == "string" or "additionalProperties" in schema
    return able or any(one for one, _ in found), named.union(*(words for _, words in found))


def keys_of(form: Json) -> set[str]:
    """The types and choices that a form names."""
    counts = [form.get("count"), *form.get("seats", {}).values()]
    match form["fill"]:
        case "budget":
            return {*form["costs"], *form.get("free", {})}
        case "lists" | "choice":
            return {*form["of"]}
        case "slots":
            return {*form["counts"]}.union(*(slot["types"] for slot in form["slots"]))
        case "payment":
            return set[str]().union(*(one for one in counts if isinstance(one, dict)))
    assert form["fill"] in ("number", "area")
    return set()


def all_options(name: str) -> list[str]:
    given = [options for game, options, _ in (*MORE_STARTS, *starts()) if game == name]
    return sorted({json.dumps(options) for options in [{}, *given]})


@pytest.mark.parametrize("name", GAMES)
def test_every_word_of_a_choice_or_form_stands_once_in_the_catalogue_that_it_names(name: str) -> None:
    for options in all_options(name):
        found = described(name, options)
        inside, where = found["actions"]["$defs"], found["actions"]["discriminator"]["mapping"]
        for type_ in where:
            schema = inside[where[type_].rpartition("/")[2]]
            for field, one in schema["properties"].items():
                able, words = words_of(one, inside) if one.get("role") == "choice" else (False, set[str]())
                assert able == ("catalogue" in one), (type_, field)
                in_catalogue(found, one, words, type_, field)
            for field, form in schema.get("form", {}).items():
                assert bool(keys_of(form)) == ("catalogue" in form), (type_, field)
                in_catalogue(found, form, keys_of(form), type_, field)
                own = schema["properties"][field]
                assert own.get("catalogue", form.get("catalogue")) == form.get("catalogue")


def in_catalogue(found: Json, one: Json, words: set[str], *where: str) -> None:
    if "catalogue" in one:
        assert one["catalogue"] in found["catalogues"], where
        keys = Counter(entry["key"] for entry in found[one["catalogue"]])
        assert {word: keys[word] for word in words} == dict.fromkeys(words, 1), where


@pytest.mark.parametrize("name", GAMES)
def test_every_word_that_is_listed_stands_in_the_catalogue_of_its_field(name: str) -> None:
    seen: Counter[tuple[str, str]] = Counter()
    for number, (options, state) in enumerate(recorded(name)):
        if number % 5:
            continue
        found = described(name, json.dumps(options))
        types = player_for(name, options, random.Random(0)).types
        for seat in state.to_act:
            for action in state.legal(seat, plain=True):
                for field, one in types[action["type"]]["properties"].items():
                    if "catalogue" in one and field in action:
                        words = texts(action[field])
                        in_catalogue(found, one, words, action["type"], field)
                        seen[action["type"], field] += len(words)
    for type_, schema in player_for(name, {}, random.Random(0)).types.items():
        for field, one in schema["properties"].items():
            assert "catalogue" not in one or "open" in schema or seen[type_, field], (type_, field)


# ---- forms ---------------------------------------------------------------------------------------------------

Start = tuple[Json, warlog_core.State, str, Json]


# Starts with forms that no start of the test data has.
MORE_STARTS: list[tuple[str, Json, Any]] = [
    ("confrontation", {"terrain": "players"}, None),
    ("confrontation", {"terrain": "players", "seats": 3, "races": True, "spells_per_bishop": 1}, None),
    ("confrontation", {"races": True, "army_points": 60, "free_pawns": 1, "spells_per_bishop": 0}, None),
    ("hex", {"army_points": 150, "max_stacks": 2}, None),
    ("hex", {"army_points": 100000, "seats": 4}, None),
    ("junqi", {"players": 2, "wings": "closed"}, None),
]


def with_forms(name: str, rng: random.Random, done: Counter[str], most: int) -> Iterator[Start]:
    """Options, state, seat and a listed action of a type with a form, from the starts of the test data, some events on.

    The caller counts in `done`. This ends when `done` has `most` of each type, or when no start adds to it any more."""
    forms = {type_ for type_, one in player_for(name, {}, rng).types.items() if "form" in one}
    games, already = list[tuple[str, Json, Any]](), -1
    while any(done[type_] < most for type_ in forms):
        if not games:
            if done.total() == already:
                return
            games, already = [entry for entry in (*MORE_STARTS, *starts()) if entry[0] == name], done.total()
        start = rng.choice(games)
        _, options, position = start
        state = warlog_core.game(name).new(options=options, position=position, draws=rng.randbytes)
        types, until_now = player_for(name, options, rng).types, done.total()
        for _ in range(60):
            before = state.hash
            for seat in state.to_act:
                listed = {one["type"]: one for one in state.legal(seat, plain=True)}
                for type_, one in listed.items():
                    if "form" in types[type_] and done[type_] < most:
                        yield options, state, seat, one
            if state.hash == before and not state.play_randomly(rng, rng.randint(1, 3)):
                break
        if done.total() == until_now:
            games.remove(start)


def accepted(
    options: Json, state: warlog_core.State, seat: str, type_: str, rng: random.Random, number: int
) -> Iterator[Json]:
    """So many actions of a type that is listed; none where the board has no room for one."""
    player, view = player_for(state.game.name, options, rng), state.view(seat, plain=True)
    listing = [one for one in state.legal(seat, plain=True) if one["type"] == type_]
    for _ in range(number):
        try:
            action = player.act(view, listing, seat, type_)
        except NoRoom:
            return
        assert state.check(seat, action) is None, (options, action, state.check(seat, action))
        yield action


def fill_forms(name: str, rng: random.Random, each: int) -> Counter[str]:
    """So many actions of each type with a form, all that it describes filled by it: none that is listed whole, and none
    where the rules choose."""
    filled: Counter[str] = Counter()
    for options, state, seat, listed in with_forms(name, rng, filled, each):
        type_, action = listed["type"], None
        forms = player_for(name, options, rng).types[type_]["form"]
        for action in accepted(options, state, seat, type_, rng, min(20, each - filled[type_])):
            filled[type_] += all(
                action.get(field) not in (None, one.get("auto")) for field, one in forms.items()
            )
        if action and listed.get("open") and rng.random() < 0.7:
            state.apply(seat, action, draws=rng.randbytes)  # what is filled in next has to heed it
    return filled


def with_a_form(name: str) -> set[str]:
    return {type_ for type_, one in player_for(name, {}, random.Random(0)).types.items() if "form" in one}


FORMS = [name for name in GAMES if "form" in json.dumps(warlog_core.game(name).describe()["actions"])]


@pytest.mark.parametrize("name", FORMS)
def test_what_a_form_allows_is_accepted(name: str, seed: int) -> None:
    assert fill_forms(name, random.Random(seed), 250) == dict.fromkeys(with_a_form(name), 250)


@pytest.mark.soak
@pytest.mark.parametrize("name", FORMS)
def test_ten_thousand_of_each_form_are_accepted(name: str, seed: int) -> None:
    filled = fill_forms(name, random.Random(f"soak {seed}"), 10_000)
    print(name, dict(filled))
    assert filled == dict.fromkeys(with_a_form(name), 10_000)


@pytest.mark.soak
@pytest.mark.parametrize("name", GAMES)
def test_ten_thousand_of_each_action_are_accepted(name: str, seed: int) -> None:
    """At random moments of the published matches."""
    rng, moments = random.Random(f"soak {seed}"), dict[str, list[tuple[Json, warlog_core.State, str]]]()
    for options, state in recorded(name):
        kept = state.copy()
        for seat in state.seats:
            for type_ in {one["type"] for one in state.legal(seat, plain=True)}:
                moments.setdefault(type_, []).append((options, kept, seat))
    filled: Counter[str] = Counter()
    for type_, found in sorted(moments.items()):
        for options, state, seat in rng.choices(found, k=2_000):
            number = min(20, 10_000 - filled[type_])
            filled[type_] += sum(1 for _ in accepted(options, state, seat, type_, rng, number))
            if filled[type_] == 10_000:
                break
    print(name, dict(filled))
    types = {signature.name for signature in warlog_core.game(name).raw.actions if not signature.server_only}
    assert filled == dict.fromkeys(types, 10_000)


def test_an_area_may_be_all_that_is_free_and_is_not_made_where_less_is() -> None:
    player = player_for("confrontation", {"terrain": "players"}, random.Random(0))
    for free in (["a4", "b4", "b5", "c5"], ["a4", "b4", "b5", "d5"]):
        form = {"fill": "area", "sizes": [4, 8], "not": [*{*player.spaces} - {*free}]}
        if "c5" in free:
            assert sorted(player.area(form, {}, {}, "white")) == free
        else:
            with pytest.raises(NoRoom):
                player.area(form, {}, {}, "white")


def cost(form: Json, bought: Any) -> int:
    keys = form.get("entry")
    pairs = bought.items() if keys is None else [(one[keys["type"]], one[keys["count"]]) for one in bought]
    return sum(form["costs"][type_] * count for type_, count in pairs)


def wrong(form: Json, field: str, action: Json, view: Json, seat: str) -> Iterator[tuple[Json, str]]:
    """The action with more than its form allows, and the path that the refusal must begin with."""
    value = action[field]
    match form["fill"]:
        case "budget":
            type_ = min(form["costs"], key=lambda one: form["costs"][one])
            more = (form["limit"] - cost(form, value)) // form["costs"][type_] + 1
            if keys := form.get("entry"):
                most = form["entries"]["max"]
                one = {keys["type"]: type_, keys["count"]: 1}
                yield {**action, field: [one] * (most + 1)}, f"/{field}"
                yield {**action, field: []}, f"/{field}"
                yield {**action, field: [{**one, keys["count"]: form["count"]["max"] + 1}]}, f"/{field}/0"
                if len(value) < most and more <= form["count"]["max"]:
                    yield {**action, field: [*value, {**one, keys["count"]: more}]}, f"/{field}"
            else:
                yield {**action, field: {**value, type_: value.get(type_, 0) + max(more, 1)}}, f"/{field}"
        case "slots":
            for at, slot in enumerate(form["slots"]):
                if shut := {*form["counts"]} - {*slot["types"]}:
                    other = value.index(min(shut))
                    changed = list(value)
                    changed[at], changed[other] = changed[other], changed[at]
                    yield {**action, field: changed}, f"/{field}/{at}"
            yield {**action, field: value[:-1]}, f"/{field}"
        case "area":
            yield {**action, field: value[:-1]}, f"/{field}"
            yield {**action, field: [form["not"][0], *value[1:]]}, f"/{field}"
        case "payment":
            own = view[form["from"]][seat]
            foreign = [space for other, area in view[form["from"]].items() if other != seat for space in area]
            more_spaces = [space for space in own if space not in value]
            yield {**action, field: [*value, *(more_spaces or own)[:1]]}, f"/{field}"
            if value:
                yield {**action, field: value[:-1]}, f"/{field}"
                yield {**action, field: [*value[:-1], foreign[0]]}, f"/{field}/{len(value) - 1}"
        case "choice":
            yield {**action, field: "nonsense"}, f"/{field}"
        case "number":
            yield {**action, field: form["max"] + 1}, f"/{field}"
        case "lists":
            if value and form["length"]["min"]:
                yield {**action, field: [[], *value[1:]]}, f"/{field}"
            yield {**action, field: [*value, form["of"][:1] * form["length"]["min"]]}, f"/{field}"


@pytest.mark.parametrize("name", FORMS)
def test_what_a_form_does_not_allow_is_refused_with_code_and_path(name: str, seed: int) -> None:
    rng, codes = random.Random(seed), Counter[tuple[str, str]]()
    tried: Counter[str] = Counter()
    for options, state, seat, listed in with_forms(name, rng, tried, 25):
        player, listing = player_for(name, options, rng), state.legal(seat, plain=True)
        view, type_ = state.view(seat, plain=True), listed["type"]
        try:
            action = player.act(view, listing, seat, type_)
        except NoRoom:
            continue
        tried[type_] += 1
        for field, form in player.types[type_]["form"].items():
            if field not in action or action[field] == form.get("auto"):
                continue  # a listed action that leaves it out, or the rules choose
            for spoiled, path in wrong(form, field, action, view, seat):
                code = state.check(seat, spoiled)
                assert code is not None, (options, spoiled)
                explained = state.explain(seat, spoiled, code)
                assert explained.path.startswith(path.split("/")[0] + f"/{field}"), (code, spoiled, explained)
                assert explained.path.startswith(path) or form["fill"] in ("area", "slots"), (
                    code,
                    spoiled,
                    explained,
                )
                assert explained.detail
                codes[field, code] += 1
    assert codes, name


# ---- the description itself ----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", GAMES)
def test_every_action_has_a_kind_a_label_clicks_and_roles_and_requires_what_is_needed(name: str) -> None:
    game = warlog_core.game(name)
    schema = game.describe()["actions"]
    jsonschema.Draft202012Validator.check_schema(schema)
    msgspec.convert(msgspec.json.decode(msgspec.json.encode(schema)), DescribedActions)
    types = player_for(name, {}, random.Random(0)).types
    assert [*types] == sorted(signature.name for signature in game.raw.actions) or {*types} == {
        signature.name for signature in game.raw.actions
    }
    for signature in game.raw.actions:
        one = types[signature.name]
        fields = [parameter.name for parameter in signature.parameters]
        assert [*one["properties"]] == ["type", *fields]
        assert one["kind"] in get_args(ActionKind)
        assert (one["kind"] == "answer") == (signature.name in ("accept_draw", "decline_draw"))
        assert one["kind"] in ("answer", "meta") or not (signature.gives_up or signature.server_only)
        assert one.get("server_only", False) == signature.server_only
        by_seat = one["kind"] in ("answer", "meta") and not signature.server_only
        assert one.get("means") == (signature.name if by_seat else None)
        assert one["label"][0].isupper()
        assert sorted(one["clicks"]) == sorted(fields)
        assert all(one["properties"][field]["role"] in get_args(Role) for field in fields)
        assert all(len(one["properties"][field]["description"]) > 3 for field in fields)
        needed = [parameter.name for parameter in signature.parameters if not parameter.optional]
        assert {"type", *needed} <= {*one["required"]} <= {"type", *fields}
        assert "open" not in one["properties"]
        assert bool(one.get("open")) == (
            "open" in schema_at(game.schema("action"), {"type": signature.name}, [])["properties"]
        )
        assert not one.get("open") or one["form"] or name == "junqi"
        assert ("final" in one) == bool(one.get("open"))


@pytest.mark.parametrize("name", GAMES)
def test_what_a_games_file_says_of_actions_names_actions_and_fields_that_there_are(name: str) -> None:
    notes, types = notes_of(name), player_for(name, {}, random.Random(0)).types
    by_field = (notes.roles, notes.catalogues)
    for table in (notes.labels, notes.kinds, *by_field, notes.clicks, notes.variants, notes.again):
        assert {*table} <= {*types}
    for type_, fields in (one for noted in by_field for one in noted.items()):
        assert {*fields} <= {*types[type_]["properties"]}
    for type_, variants in notes.variants.items():
        for variant in variants:
            properties = types[type_]["properties"]
            assert {*variant.fields, *variant.when} <= {*properties}
            assert all({*values} <= {*properties[field]["enum"]} for field, values in variant.when.items())


@pytest.mark.parametrize("name", GAMES)
def test_a_template_that_is_not_final_is_listed_again_after_it_was_posted(name: str, seed: int) -> None:
    rng = random.Random(seed)
    state = warlog_core.game(name).new(draws=rng.randbytes)
    player = player_for(name, {}, rng)
    seat = state.to_act[0]
    templates = [one["type"] for one in state.legal(seat, plain=True) if one.get("open")]
    for type_ in templates:
        after = state.copy()
        filled = player.filled(player.types[type_]["form"], after.view(seat, plain=True), seat)
        after.apply(seat, {"type": type_, **filled}, draws=rng.randbytes)
        listed = [one["type"] for one in after.legal(seat, plain=True) if one.get("open")]
        assert (type_ not in listed) == player.types[type_]["final"], (name, type_)
    assert templates or not any(one.get("open") for one in player.types.values())


def test_fields_that_do_not_belong_together_do_not_fit_the_schema() -> None:
    fits = jsonschema.Draft202012Validator(warlog_core.game("wec").describe()["actions"])
    fire = {"type": "fire", "piece": 1, "weapon": "flame"}
    assert fits.is_valid({**fire, "direction": "n"})
    assert not fits.is_valid(fire)
    assert not fits.is_valid({**fire, "target": "e5"})
    assert not fits.is_valid({**fire, "direction": "n", "target": "e5"})
    assert fits.is_valid({**fire, "weapon": "scuba", "to": "e5", "path": "port"})
    assert not fits.is_valid({**fire, "weapon": "scuba", "to": "e5"})
