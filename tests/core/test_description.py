"""What a client is told of a game: schemas that every real thing fits, geometry, and the plain history."""

from __future__ import annotations

import json
import random
from typing import Any

import jsonschema
import msgspec
import pytest

import warlog_core
from tests.core.games import GAMES, lines, playthroughs, starts
from warlog_core import Refused, history_line, history_result
from warlog_core.codecs import service_data


@pytest.mark.parametrize("name", GAMES)
def test_the_description_is_plain_json_with_all_the_api_promises(name: str) -> None:
    described = warlog_core.game(name).describe()
    assert json.loads(msgspec.json.encode(described)) == described
    promised = [
        "game",
        "name",
        "rules_version",
        "seats",
        "spectators",
        "board",
        "pieces",
        "options",
        "actions",
    ]
    assert {*promised, "effects", "view", "presets"} <= described.keys()
    spaces = {space["id"]: space for space in described["board"]["spaces"]}
    assert len(spaces) == len(described["board"]["spaces"])
    for space in spaces.values():
        assert space.keys() >= {"id", "x", "y", "region", "neighbours"}
        for other in space["neighbours"]:
            assert space["id"] in spaces[other]["neighbours"]
    for schema in ("options", "position", "actions", "effects", "view"):
        if schema in described:
            jsonschema.Draft202012Validator.check_schema(described[schema])


@pytest.mark.parametrize("path", playthroughs(), ids=lambda path: path.stem)
def test_every_real_view_effect_action_option_and_position_fits_its_schema(path: Any) -> None:
    first, *steps = lines(path)
    game = warlog_core.game(first["game"])
    fits = {
        what: jsonschema.Draft202012Validator(game.schema(what))
        for what in ("options", "position", "action", "effect", "view")
    }
    fits["options"].validate(first["options"])
    fits["options"].validate(game.full_options(first["options"]))
    state = game.new(options=first["options"], position=first.get("position"), draws=first["draws"])
    for step in steps[:: max(1, len(steps) // 12)]:
        seat = step["seat"] if step["seat"] in state.seats else state.seats[0]  # not the server
        fits["view"].validate(state.view(seat, plain=True))
        if state.position() is not None:
            fits["position"].validate(state.position(plain=True))
        for action in state.legal(seat, plain=True)[:20]:
            fits["action"].validate(action)
        for effect in step.get("effects") or []:
            fits["effect"].validate(effect)
        assert not fits["action"].is_valid({"type": "move", "piece": 1, "to": "a1", "more": 1})
        state = game.load(state.setup, state.data)
        state.playout(step["n"], 3)


def is_part_of(given: Any, full: Any) -> bool:
    """What is given stands in the full value, inside tables too."""
    if isinstance(given, dict):
        return all(name in full and is_part_of(value, full[name]) for name, value in given.items())
    return bool(given == full)


@pytest.mark.parametrize("name", GAMES)
def test_full_options_keep_what_is_given_and_start_the_same_match(name: str) -> None:
    game = warlog_core.game(name)
    for _, options, position in [entry for entry in starts() if entry[0] == name]:
        full = game.full_options(options)
        assert is_part_of(options, full)
        assert game.full_options(full) == full
        one = game.new(options=options, position=position, draws=bytes)
        other = game.new(options=full, position=position, draws=bytes)
        assert (one.setup, one.data) == (other.setup, other.data)


@pytest.mark.parametrize("name", GAMES)
def test_questions_about_options_that_are_wrong_are_refused(name: str) -> None:
    game = warlog_core.game(name)
    for ask in (game.describe, game.board, game.seats_for, game.check_options):
        with pytest.raises(Refused) as refused:
            ask({"no_such_option": 1})
        assert refused.value.code == "invalid_options"


@pytest.mark.parametrize("name", GAMES)
def test_the_rule_book_comes_with_the_rules(name: str) -> None:
    assert warlog_core.game(name).rules().startswith("# ")


def test_a_line_of_history_is_as_the_conventions_print_it() -> None:
    attack = {"type": "attack", "piece": 3, "target": "g5"}
    effects: list[dict[str, Any]] = [{"type": "damage"}, {"type": "killed"}]
    assert (
        history_line(14, "red", attack, [3], effects)
        == "14. red attack piece=3 target=g5 [3] (damage, killed)"
    )
    assert (
        history_line(2, "server", {"type": "timeout", "seat": "blue"}, [], [])
        == "2. server timeout seat=blue"
    )
    army = {"type": "recruit", "army": [{"unit": "wolf", "count": 2}]}
    assert history_line(3, "red", army, None, []) == '3. red recruit army=[{"count":2,"unit":"wolf"}]'
    layout = {"type": "layout", "layout": ["captain", "mine"], "open": True, "at": [1, 2]}
    assert history_line(4, "red", layout, [], []) == "4. red layout layout=captain,mine open=true at=1,2"
    assert history_line(5, "red", None, None, []) == "5. red"
    assert history_result(["red", "green"], "elimination") == "result red,green elimination"
    assert history_result([], "draw_agreed") == "result - draw_agreed"


def test_a_history_of_real_events_names_draws_and_effects() -> None:
    game = warlog_core.game("hex")
    position = {
        "stacks": [
            {"id": 1, "seat": "red", "unit": "swordsman", "space": "d5", "count": 10},
            {"id": 2, "seat": "blue", "unit": "swordsman", "space": "e5", "count": 10},
        ],
        "queue": [1, 2],
    }
    state = game.new(position=position)
    event = state.apply("red", {"target": "e5", "piece": 1, "type": "attack"}, draws=[12, 16])
    line = history_line(3, "red", event.action, event.draws, event.effects)
    assert line == "3. red attack piece=1 target=e5 [12, 16] (attacked, attacked, turn_started)"


@pytest.mark.parametrize(
    ("name", "options", "text"),
    [
        *((name, {}, "The standard options.") for name in GAMES),
        (
            "wec",
            {"flame_range": 2, "stealth": False},
            "Flame range 2 (standard 1); stealth off (standard on).",
        ),
        ("wec", {"flame_range": 1}, "The standard options."),
        (
            "confrontation",
            {"piece_table": {"king": {"combat": 4}}},
            "Piece table king combat 4 (standard 3).",
        ),
        ("hex", {"seats": 4, "teams": "pairs"}, "Seats 4 (standard 2); teams pairs (standard none)."),
        (
            "junqi",
            {"players": 2, "stake": 10, "gold_cap": 5, "balances": {"south": 900, "north": 60}},
            "Players 2 (standard 4); gold staked by each player 10 (standard 0); "
            "gold of south 900; gold of north 60.",
        ),
        (
            "universal",
            {"factions": ["majora", "good"]},
            "Factions majora, good (standard majora, chaos, good, evil, balance).",
        ),
    ],
)
def test_a_text_says_how_the_options_differ_from_the_standard(name: str, options: Any, text: str) -> None:
    game = warlog_core.game(name)
    game.check_options(options)
    assert game.options_text(options) == game.describe(options)["options_text"] == text


def test_every_options_of_the_test_data_have_a_text() -> None:
    for name, options, _ in starts():
        game = warlog_core.game(name)
        text = game.options_text(options)
        differs = any(
            value != game.full_options({}).get(option)
            for option, value in game.full_options(options).items()
            if option in options
        )
        assert differs == (text != "The standard options."), (name, options, text)
        assert text[0].isupper()
        assert text.isprintable()


@pytest.mark.parametrize("name", GAMES)
def test_the_words_for_options_are_those_of_options_that_the_game_has(name: str) -> None:
    schema = warlog_core.game(name).schema("options")
    assert service_data(name).get("option_words", {}).keys() <= schema["properties"].keys()


@pytest.mark.parametrize("name", GAMES)
def test_a_start_is_described_as_each_seat_sees_it_and_whether_it_is_drawn(name: str) -> None:
    game = warlog_core.game(name)
    for options in [{}, *(options for of, options, position in starts() if of == name and position is None)]:
        described = game.describe(options)
        assert described["setup"] == game.describe(options)["setup"]
        states = [game.new(options=options, draws=random.Random(seed).randbytes) for seed in range(8)]
        assert described["setup"].keys() == {"spectator", *states[0].seats}
        if not described["setup_drawn"]:
            for state in states:
                for viewer, view in described["setup"].items():
                    assert view == state.view(viewer, plain=True)
        else:
            assert len({state.data for state in states}) > 1


def test_the_description_of_confrontation_says_how_large_an_army_may_be() -> None:
    game = warlog_core.game("confrontation")
    army = game.describe({"free_pawns": 4})["army"]
    assert army == {
        "points": 15,
        "max_pieces": 16,
        "free": {"king": 1, "pawn": 4},
        "max_spells_per_bishop": 99,
    }
    state = game.new(options={"free_pawns": 4, "army_points": 60})
    bought = army["max_pieces"] - sum(army["free"].values())
    seat = state.seats[0]
    assert state.check(seat, {"type": "army", "pieces": {"pawn": bought}}) is None
    assert state.check(seat, {"type": "army", "pieces": {"pawn": bought + 1}}) == "too_many_pieces"


@pytest.mark.parametrize("name", GAMES)
def test_a_view_of_a_match_that_is_over_shows_no_open_draw_offer(name: str) -> None:
    """wec 7.9: the offer ends with the match (0.1 went on showing it)."""
    game = warlog_core.game(name)
    if "offer_draw" not in json.dumps(game.schema("action")):
        return
    state = game.new(draws=bytes)
    rng = random.Random(7)

    def of_type(kind: str) -> tuple[str, Any] | None:
        for seat in state.seats:
            for action in state.legal(seat, plain=True):
                if action["type"] == kind:
                    return seat, action
        return None

    while (offer := of_type("offer_draw")) is None:
        state.play_randomly(rng, 1)
    state.apply(*offer, draws=bytes)
    while state.result is None:
        resigning = of_type("resign")
        assert resigning is not None
        state.apply(*resigning, draws=bytes)
    for viewer in ("spectator", *state.seats):
        view = state.view(viewer, plain=True)
        assert view.get("draw_offer") is None
        assert view.get("offer") is None
        assert not any(seat.get("draw_offer") for seat in view.get("seats", []))
    assert state.position() is None


@pytest.mark.parametrize("name", GAMES)
def test_an_editor_begins_with_what_the_seat_sees(name: str, seed: int) -> None:
    """Each piece that the seat knows, once, with an id."""
    game = warlog_core.game(name)
    for number in range(8):
        state = game.new(draws=bytes)
        state.playout(seed + number, 30 + 40 * number, play_on=True)
        for seat in state.seats:
            seen = state.position_seen_by(seat)
            if (
                state.position(plain=True) is None
            ):  # it is over, or a phase has none, as Confrontation's setup
                assert seen is None
                continue
            assert seen is not None
            ids = [piece.get("id", piece.get("piece")) for piece in seen.get("pieces", [])]
            assert len(set(ids)) == len(ids)
            if name == "wec":
                view = state.view(seat, plain=True)
                assert sorted(map(_place, seen["pieces"])) == sorted(
                    map(_place, (*view["pieces"], *view["enemies"]))
                )
                # A piece may stay where it is because of one that the seat does not see: such a Position is no start.
                if len(seen["pieces"]) == len(state.position(plain=True)["pieces"]):
                    game.check_options({}, seen)


def _place(piece: dict[str, Any]) -> tuple[str, str, str, str]:
    return piece["seat"], piece["type"], piece["at"], piece["level"]
