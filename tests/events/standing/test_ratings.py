"""Ratings as numbers: how they move, how they grow uncertain, and in which order they stand."""

from __future__ import annotations

import random

from openskill.models import PlackettLuce

from warlog_events.standing.ratings import (
    DAY_MS,
    MU,
    SIGMA_MAX,
    SIGMA_PER_DAY,
    SIGMA_PROVISIONAL,
    UNIT,
    Rating,
    rate,
)

NOW = 1_763_790_000_000


def duels(count: int, *, every_ms: int = DAY_MS) -> list[Rating]:
    """A player's ratings who wins every other match against others as strong as he was at first."""
    found = [Rating()]
    for number in range(count):
        (own,), _ = rate([[found[-1]], [Rating()]], [number % 2, 1 - number % 2], NOW + number * every_ms)
        found.append(own)
    return found


def test_the_winner_rises_and_the_loser_falls_by_as_much_and_both_become_more_certain() -> None:
    ((winner,), (loser,)) = rate([[Rating()], [Rating()]], [0, 1], NOW)
    assert winner.mu - MU == MU - loser.mu > UNIT
    assert winner.sigma == loser.sigma < SIGMA_MAX
    assert (winner.at, winner.matches) == (NOW, 1)


def test_a_draw_draws_ratings_together() -> None:
    strong, weak = Rating(30 * UNIT, 4 * UNIT), Rating(20 * UNIT, 4 * UNIT)
    ((fell,), (rose,)) = rate([[strong], [weak]], [0, 0], NOW)
    assert fell.mu < strong.mu
    assert rose.mu > weak.mu


def test_a_team_wins_together_and_of_five_one_rises_and_four_fall() -> None:
    pair, other = rate([[Rating(), Rating(30 * UNIT)], [Rating(), Rating()]], [0, 1], NOW)
    assert pair[0].mu > MU
    assert pair[1].mu > 30 * UNIT
    assert all(one.mu < MU for one in other)
    moved = [team[0].mu - MU for team in rate([[Rating()]] * 5, [1, 1, 0, 1, 1], NOW)]
    assert [delta > 0 for delta in moved] == [False, False, True, False, False]


def test_what_is_shown_begins_at_1500_and_is_provisional_until_some_matches_have_been_played() -> None:
    found = duels(20)
    assert found[0].json() == {"rating": 1500, "deviation": 499, "mu": 25.0, "sigma": 8.3333}
    assert [rating.is_provisional for rating in found] == sorted(
        (rating.is_provisional for rating in found), reverse=True
    )
    first = next(number for number, rating in enumerate(found) if not rating.is_provisional)
    assert 8 <= first <= 14


def test_who_is_away_becomes_uncertain_day_by_day_and_at_last_provisional() -> None:
    rating = duels(30)[-1]
    assert rating.aged(rating.at + 5 * DAY_MS).sigma == rating.sigma + 5 * SIGMA_PER_DAY
    assert rating.aged(rating.at + 5 * DAY_MS).mu == rating.mu
    assert rating.aged(rating.at - DAY_MS).sigma == rating.sigma
    at = rating.provisional_at
    assert not rating.aged(at - 1).is_provisional
    assert rating.aged(at).is_provisional
    assert rating.aged(at + 100_000 * DAY_MS).sigma == SIGMA_MAX
    assert Rating().aged(NOW) == Rating()  # who has never played was not away


def test_time_changes_the_order_of_nobody(seed: int) -> None:
    rng = random.Random(seed)
    for _ in range(500):
        one, other = (
            Rating(
                rng.randrange(50 * UNIT),
                rng.randrange(UNIT, SIGMA_PROVISIONAL),
                NOW - rng.randrange(90 * DAY_MS),
            )
            for _ in range(2)
        )
        now = min(one.provisional_at, other.provisional_at) - 1  # until then both stand in the table
        first, second = (rating.aged(now) for rating in (one, other))
        below = (first.mu - 3 * first.sigma) - (second.mu - 3 * second.sigma)
        stood = now > max(one.at, other.at)
        if stood and abs(below) > 10:  # ten-thousandths: of rounding
            assert (one.order > other.order) == (below > 0)


def test_a_rating_is_stored_as_text_and_comes_back(seed: int) -> None:
    rating = duels(7)[-1]
    assert Rating.parse(rating.text.encode()) == rating
    assert Rating.parse(None) == Rating()


def test_teams_are_rated_as_the_model_rates_lists(seed: int) -> None:
    """The model copies lists, and ours not."""
    rng, model = random.Random(seed), PlackettLuce()
    for _ in range(200):
        teams = [
            [
                Rating(rng.randrange(10 * UNIT, 40 * UNIT), rng.randrange(UNIT, SIGMA_MAX), NOW, 3)
                for _ in range(size)
            ]
            for size in [rng.randrange(1, 4) for _ in range(rng.randrange(2, 6))]
        ]
        ranks = [rng.randrange(3) for _ in teams]
        lists = [[model.rating(one.mu / UNIT, one.sigma / UNIT) for one in team] for team in teams]
        expected = model.rate(lists, ranks=[float(rank) for rank in ranks])
        assert [[(one.mu, one.sigma) for one in team] for team in rate(teams, ranks, NOW)] == [
            [(round(one.mu * UNIT), min(SIGMA_MAX, round(one.sigma * UNIT))) for one in team]
            for team in expected
        ]
