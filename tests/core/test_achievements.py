"""Each achievement is earned by a match of the real rules, and not by every match."""

from __future__ import annotations

import random
from functools import cache

import pytest

import warlog_core
from warlog_core import CoreError, State
from warlog_core.achievements import Tally, achievements_of, read, tally, tally_of

Earned = dict[str, set[str]]

MATCHES: dict[str, dict[tuple[int, str], tuple[str, int]]] = {
    "confrontation": {
        (0, "{}"): ("underdog regicide untouched smallest_army", 4),
        (1, '{"races": true, "treasure": true}'): (
            "attacker pawn_storm power treasure bulwark no_one_left",
            8,
        ),
        (2, '{"races": true, "seats": 4}'): ("many_enemies", 8),
        (4, '{"races": true, "treasure": true}'): ("panic fire", 6),
        (5, '{"races": true, "seats": 4}'): ("healer", 11),
        (7, '{"races": true, "treasure": true}'): ("queen_hunter", 9),
    },
    "hex": {
        (0, '{"army": "preset"}'): ("riposte healer long_march shield_wall", 5),
        (1, '{"army": "preset", "seats": 3}'): ("harvest early_blood last_stack many_enemies", 13),
        (2, '{"army": "preset", "round_limit": 10, "limit_result": "hit_points"}'): ("on_points", 5),
        (3, '{"army": "recruit"}'): ("untouched", 4),
        (4, '{"army": "preset"}'): ("patience", 8),
        (7, '{"army": "recruit"}'): ("summoner", 5),
        (31, '{"army": "recruit"}'): ("sharpshooter", 5),
    },
    "junqi": {
        (0, "{}"): (
            "marshal_hunter fortress express flag bomb_marshal trades "
            "flag_win attacker marshal_lives last_five",
            17,
        ),
        (2, '{"mode": "flip"}'): ("opener", 9),
        (3, "{}"): ("partner", 16),
        (5, '{"mode": "flip"}'): ("sapper", 8),
        (72, "{}"): ("bombs_kept", 12),
    },
    "universal": {
        (0, "{}"): (
            "settler necromancer summoner promotion mighty_hunter breeder two_mighties hunter curse freezer",
            15,
        ),
        (3, "{}"): ("sacrifice", 16),
        (8, "{}"): ("few_losses", 19),
        (10, "{}"): ("clean_hands", 21),
        (102, "{}"): ("landlord", 24),
    },
    "wec": {
        (0, '{"movement": "weaponized"}'): (
            "arsonist rocketeer flak landing collector torpedo barter torpedo_win by_weapon",
            14,
        ),
        (2, "{}"): ("convert", 14),
        (4, '{"movement": "mass_destruction"}'): ("stunning by_hand", 17),
        (5, "{}"): ("reserves", 18),
        (6, '{"movement": "weaponized"}'): ("both_tanks", 15),
        (22, '{"movement": "mass_destruction"}'): ("new_faith", 15),
    },
}
"""game → seed and options of a random match → what it earns that no match before it has, and how much it earns in
all, every seat counted."""

GIVE_UP = frozenset({"resign", "offer_draw", "accept_draw", "decline_draw"})
ACTIONS_MAX = 4000


@cache
def played(game: str, seed: int, options: str) -> tuple[State, Tally]:
    """A match at random; the last state, and what has been told of it."""
    rng = random.Random(seed)
    state = warlog_core.game(game).new(options=warlog_core.loads(options.encode()), draws=rng.randbytes)
    told = tally(state.game, state)
    if state.started is not None:
        told.take(state.started)
    for _ in range(ACTIONS_MAX):
        if state.result is not None:
            break
        step(state, told, rng)
    return state, told


def step(state: State, told: Tally, rng: random.Random) -> None:
    seat = rng.choice(state.to_act)
    listing = state.listing(seat)
    while True:
        action = listing[rng.randrange(len(listing))]
        if action.__struct_config__.tag in GIVE_UP and rng.random() > 0.001:
            continue
        try:
            told.take(state.apply(seat, action, draws=rng.randbytes))
        except CoreError:  # an open template
            continue
        return


def earned(state: State, told: Tally) -> Earned:
    result = state.result
    assert result is not None
    return {seat: set(told.earned(seat, seat in result.winners, state)) for seat in state.seats}


CASES = [
    pytest.param(game, *match, key, id=f"{game}-{key}")
    for game, matches in MATCHES.items()
    for match, (keys, _) in matches.items()
    for key in keys.split()
]


@pytest.mark.parametrize(("game", "seed", "options", "key"), CASES)
def test_a_match_earns_it(game: str, seed: int, options: str, key: str) -> None:
    seats = earned(*played(game, seed, options))
    assert any(key in keys for keys in seats.values())


@pytest.mark.parametrize("game", MATCHES)
def test_no_achievement_is_without_its_match(game: str) -> None:
    found = {
        key for match in MATCHES[game] for keys in earned(*played(game, *match)).values() for key in keys
    }
    assert found == set(achievements_of(game))
    assert 10 <= len(found) <= 15
    assert all(one.count >= 1 and one.text.endswith(".") for one in achievements_of(game).values())


@pytest.mark.parametrize("game", MATCHES)
def test_these_matches_earn_as_much_as_they_did(game: str) -> None:
    for match, (_, total) in MATCHES[game].items():
        assert sum(map(len, earned(*played(game, *match)).values())) == total, match


@pytest.mark.parametrize("game", MATCHES)
def test_who_resigns_at_once_has_earned_nothing(game: str) -> None:
    state = warlog_core.game(game).new(draws=random.Random(1).randbytes)
    told = tally(state.game, state)
    for seat in state.seats:
        if state.result is None and state.check(seat, {"type": "resign"}) is None:
            told.take(state.apply(seat, {"type": "resign"}))
    if state.result is not None:
        loser = next(seat for seat in state.seats if seat not in state.result.winners)
        assert set(told.earned(loser, False, state)) == set()


@pytest.mark.parametrize("game", MATCHES)
def test_favourites_are_few_short_names(game: str) -> None:
    names = [
        name
        for match in MATCHES[game]
        for seat in played(game, *match)[0].seats
        for name in played(game, *match)[1].favourites(seat)
    ]
    assert names
    assert all(0 < len(name) <= 40 for name in names)


def test_a_game_that_brings_none_has_none() -> None:
    assert achievements_of("none") == {}
    assert tally_of("none") is Tally


@pytest.mark.parametrize(
    ("raw", "said"),
    [
        (
            b'{"a": {"name": "A", "text": "B.", "points": 3}}',
            "rules/x.json, a: Object contains unknown field `points`",
        ),
        (b'{"a": {"name": "A"}}', "rules/x.json, a: Object missing required field `text`"),
        (
            b'{"a": {"name": "A", "text": "B.", "count": "many"}}',
            "rules/x.json, a: Expected `int`, got `str` - at `$.count`",
        ),
        (b'{"a"', "rules/x.json: Input data was truncated"),
    ],
)
def test_wrong_data_are_refused_with_file_key_and_field(raw: bytes, said: str) -> None:
    with pytest.raises(ValueError, match="rules/x") as refused:
        read("rules/x.json", raw)
    assert str(refused.value) == said
