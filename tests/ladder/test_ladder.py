"""The ladder itself: its statistics, that its matches can be repeated, and that a run goes on where it ended."""

from __future__ import annotations

import math
import random
from collections import Counter
from pathlib import Path
from typing import Any

import msgspec
import pytest

import warlog_core
from tests.core.games import GAMES
from tests.core.test_search import opening
from tests.ladder import alphabeta, likely, many_seats, matches, openings
from tests.ladder.__main__ import PAIRS, bounds, questions, results_of, run
from tests.ladder.likely import Hidden, by_deeds, fitted, mean_bits, shares
from tests.ladder.losses import Judge
from tests.ladder.losses import play as losses_of
from tests.ladder.many_seats import play_shared
from tests.ladder.matches import Idle, Played, Served, Table, play_match, sides_of
from tests.ladder.players import OPENING, Player, play_at_random
from tests.ladder.report import ENOUGH, of_doubled, of_neighbours, write_reports
from tests.ladder.statistics import Score, is_settled, ratings
from tests.ladder.tables import TABLES
from warlog_core import Belief, Choice, State
from warlog_core.codecs._actions import type_name
from warlog_core.levels import Branch, Openings, complete_actions, opponent_of


def test_every_game_of_the_build_has_a_table() -> None:
    assert {table.game for table in TABLES.values()} == {*GAMES}


@pytest.mark.parametrize("name", TABLES)
def test_random_play_ends_its_preparation(name: str) -> None:
    table = Table(TABLES[name].game, TABLES[name].options, 60)
    game = warlog_core.game(table.game)
    state = game.new(options=table.options, draws=random.Random(1).randbytes)
    kinds: set[str] = set()
    for number in range(table.actions_max):
        if state.result is not None:
            break
        seat = state.to_act[0]
        kinds = {type_name(one) for one in complete_actions(state.seen_by(seat), seat)}
        action = play_at_random(state.seen_by(seat), seat, number, None)
        state.apply(seat, action, draws=random.Random(number).randbytes)
    assert not kinds & {*opponent_of(table.game).finish}


@pytest.mark.parametrize("name", TABLES)
def test_a_match_is_the_same_every_time(name: str) -> None:
    one, two = (play_match(name, TABLES[name], ("random", "1"), (1.0, 1.0), 3, "v") for _ in range(2))
    assert (one.points, one.reason, one.actions) == (two.points, two.reason, two.actions)
    assert sum(one.thought) == one.actions


@pytest.mark.parametrize(("one", "other"), [("6", "5"), ("iterations=9,belief=1", "iterations=9,belief=0")])
def test_who_has_a_belief_plays_with_it(monkeypatch: pytest.MonkeyPatch, one: str, other: str) -> None:
    beliefs: dict[str, list[bool]] = {one: [], other: []}

    def spy(name: str, share: float, arena: bytearray) -> Player:
        def play(seen: State, seat: str, seed: int, belief: Belief | None) -> Any:
            beliefs[name].append(belief is not None and belief.worlds > 0)
            return None

        return play

    monkeypatch.setattr(matches, "player", spy)
    table = Table("junqi", {"players": 2}, 20)
    play_match("junqi", table, (one, other), (1.0, 1.0), 3, "v")
    assert not any(beliefs[other])
    assert beliefs[one][-1]


def test_a_search_takes_up_the_belief_that_it_is_given(monkeypatch: pytest.MonkeyPatch) -> None:
    given: list[Belief | None] = []
    search = warlog_core.search

    def spy(*args: Any, belief: Belief | None, **settings: Any) -> Choice | None:
        given.append(belief)
        return search(*args, belief=belief, **settings)

    monkeypatch.setattr(warlog_core, "search", spy)
    table = Table("junqi", {"players": 2}, 80)
    played = play_match("junqi", table, ("iterations=9,belief=1", "random"), (1.0, 1.0), 3, "v")
    assert played.actions == 80
    assert any(belief is not None and belief.worlds for belief in given)


def test_what_twice_the_iterations_are_worth_is_the_score_of_who_has_them() -> None:
    def played(one: str, two: str, points: float) -> Played:
        return Played("hex", (one, two), (1.0, 1.0), 1, points, "", 1, (0.0, 0.0), (1, 1), "v")

    results = [
        played("iterations=100", "iterations=50", 1.0),
        played("iterations=50", "iterations=100", 0.0),
        played("iterations=200", "iterations=100", 0.0),
        played("iterations=200", "iterations=50", 0.0),  # four times as many
        played("iterations=100,trust=1", "iterations=50", 0.0),
        played("iterations=100,belief=1", "iterations=50", 0.0),
        played("iterations=100,belief=1", "iterations=50,belief=1", 0.5),
        played("8", "4", 0.0),
    ]
    assert of_doubled(results) == {
        (100, False): Score(2, 0, 0),
        (200, False): Score(0, 0, 1),
        (100, True): Score(0, 1, 0),
    }


def test_a_share_has_an_interval_that_shrinks_with_matches() -> None:
    low, high = Score(50, 0, 50).interval()
    assert (round(low, 3), round(high, 3)) == (0.404, 0.596)  # as tables of Wilson's interval have it
    assert Score(0, 20, 0).share == 0.5
    assert Score().interval() == (0.0, 1.0)
    assert Score(500, 0, 500).interval()[0] > low


@pytest.mark.parametrize(("true", "stronger"), [(0.45, False), (0.65, True)])
def test_the_sequential_test_ends_and_is_seldom_wrong(true: float, stronger: bool) -> None:
    wrong = 0
    for seed in range(100):
        rng, score = random.Random(seed), Score()
        while not is_settled(score, 0.5, 0.6):
            score = score.plus(float(rng.random() < true))
            assert score.n < 2_000
        wrong += (score.share > 0.55) is not stronger
    assert wrong <= 8


def test_a_step_between_levels_is_reached_when_the_sequential_test_says_so() -> None:
    assert of_neighbours(Score(8, 0, 0)) == "reached"
    assert of_neighbours(Score(18, 0, 12)) == "open"  # 60 %, but of 30 alone
    assert of_neighbours(Score(100, 0, 120)) == "missed"


def test_ratings_are_those_that_the_results_are_likeliest_with() -> None:
    """Three players of which each wins 3 of 4 against the next: 191 Elo apart."""
    scores = {("b", "a"): Score(300, 0, 100), ("c", "b"): Score(250, 100, 50), ("c", "a"): Score(360, 0, 40)}
    elo = ratings(scores, "a")
    assert elo["a"] == (0.0, 0.0)
    assert elo["b"][0] == pytest.approx(191, abs=6)
    assert elo["c"][0] == pytest.approx(382, abs=12)
    assert 10 < elo["b"][1] < 25
    fewer = ratings(
        {pair: Score(score.won // 4, score.drawn // 4, score.lost // 4) for pair, score in scores.items()},
        "a",
    )
    assert fewer["b"][1] == pytest.approx(2 * elo["b"][1], rel=0.05)


def test_a_run_goes_on_where_it_ended_and_the_documents_come_from_its_results(tmp_path: Path) -> None:
    path = tmp_path / "results.jsonl"
    asked = questions(["hex"], ["1:random"], full=False)
    run(asked, path, matches=2, minutes=5, processes=1, settle=True)
    first = path.read_bytes()
    run(asked, path, matches=2, minutes=5, processes=1, settle=True)
    assert path.read_bytes() == first
    run(asked, path, matches=4, minutes=5, processes=1, settle=True)
    assert path.read_bytes().startswith(first)
    results = results_of(path)
    seeds = [one.seed for one in results if isinstance(one, Played)]
    assert seeds == [1, 1, 2, 2]
    assert [one.players for one in results if isinstance(one, Played)] == 2 * [
        ("1", "random"),
        ("random", "1"),
    ]
    write_reports(results, tmp_path)
    strength = (tmp_path / "STRENGTH.md").read_text(encoding="utf-8")
    assert "| 1 : random | all |" in strength
    assert "reached:" not in strength  # four matches say nothing
    assert ": reached" not in strength
    assert max(map(len, strength.splitlines())) <= 170
    assert "How fair" in (tmp_path / "BALANCE.md").read_text(encoding="utf-8")


def test_the_documents_say_what_bots_take_as_players(tmp_path: Path) -> None:
    """Of each number of matches what was measured last."""
    served = Served(200, 8, 20, 1_500, 0.5, 1.75, 2.875, 160.0, 0)
    results = [msgspec.structs.replace(served, longest=9.0), served, Idle(0.5), Idle(0.17)]
    path = tmp_path / "results.jsonl"
    path.write_bytes(b"\n".join(map(msgspec.json.encode, results)))
    write_reports(results_of(path), tmp_path)
    strength = (tmp_path / "STRENGTH.md").read_text(encoding="utf-8")
    assert "| 8 | 200 | 1,500 | 0.50, 1.75, 2.88 | 160 | 20 s, 0 |" in strength
    assert "9.00" not in strength
    assert "takes 0.17 % of a core more" in strength


def test_who_acts_at_random_loses_chances_and_who_acts_as_the_judge_loses_none() -> None:
    judge = Judge(iterations=60, after=20, times=3)
    table = Table("hex", {}, 60)
    random_play, judged = losses_of(table, ("random", "iterations=60"), judge, 2)
    assert random_play.actions + judged.actions <= 60
    assert 0 < random_play.others <= random_play.actions
    assert random_play.chances > 0.1
    assert random_play.points == 0
    assert abs(judged.chances) < random_play.chances / 2
    swapped = losses_of(table, ("random", "iterations=60"), judge, 3)  # the same start from the other side
    assert (swapped[0].points, swapped[1].points) == (0, 1)


@pytest.mark.parametrize("name", many_seats.TABLES)
def test_a_match_of_many_seats_is_the_same_every_time_and_shows_who_won(name: str, tmp_path: Path) -> None:
    one, two = (play_shared(name, "1", 1.0, 3, "v") for _ in range(2))
    assert one == two
    assert len(one.seats) > 2
    assert {*one.winners} <= {*one.seats}
    last = one.seats[-1]
    won = [msgspec.structs.replace(one, winners=[last])] * ENOUGH
    write_reports([*won, one], tmp_path)
    balance = (tmp_path / "BALANCE.md").read_text(encoding="utf-8")
    assert f"{last} {ENOUGH + (one.winners == [last])} |" in balance
    assert f"* `{name}`: {last} has more than 60 %." in balance


def test_a_search_with_an_opening_is_longer_in_its_first_actions() -> None:
    table = Table("universal", {"mode": "double"}, 60)
    played = [play_match("universal", table, ("iterations=5", one), (1.0, 1.0), 1, "") for one in
              ("iterations=5", "iterations=5,opening=100")]  # fmt: skip
    assert played[1].thought[1] > OPENING
    assert played[1].seconds[1] > 3 * played[0].seconds[1]


def test_alpha_beta_finds_what_is_best_after_the_best_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of the six best actions at a glance it takes the one that is best after the best answer."""
    monkeypatch.setattr(alphabeta, "DEPTH_MAX", 3)
    state = opening("universal", 1, {"mode": "double"})
    (seat,) = state.to_act
    sides = sides_of(TABLES["universal"], state)

    def worths(before: State, actor: str) -> list[tuple[float, object, State]]:
        afters = [(one, before.after(actor, one, draws=bytes)[0]) for one in complete_actions(before, actor)]
        return [(after.evaluate()[seat], one, after) for one, after in afters]

    def after_an_answer(after: State) -> float:
        (actor,) = after.to_act
        values = [value for value, _, _ in worths(after, actor)]
        return max(values) if sides[actor] == sides[seat] else min(values)

    best = sorted(worths(state, seat), key=lambda one: -one[0])[:6]
    values = {repr(action): after_an_answer(after) for _, action, after in best}
    player = alphabeta.AlphaBeta(sides, 1_000_000, 6)
    assert values[repr(player.action(state, seat))] == max(values.values())
    spent = alphabeta.AlphaBeta(sides, 1, 6)
    assert spent.action(state, seat) == best[0][1]
    assert spent.depths == {1: 1}


def test_a_book_of_openings_is_found_and_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(openings, "RULES", tmp_path)
    start = warlog_core.game("wec").new(draws=bytes)
    found = openings.grow("wec", start, positions=4, searches=2, iterations=30, processes=1)
    book = Openings({}, openings.branches(found), "by a test")
    openings.write("wec", book)
    read = msgspec.json.decode((tmp_path / "wec_openings.json").read_bytes(), type=list[Openings])
    assert read[-1] == book
    assert [one.options for one in read].count({}) == 1

    def positions(state: State, some: tuple[Branch, ...]) -> int:
        for one in some:
            assert state.check(state.to_act[0], one.action) is None
        after = [(state.after(state.to_act[0], one.action, draws=bytes)[0], one.then) for one in some]
        return 1 + sum(positions(state, then) for state, then in after if then)

    assert positions(start, book.first) == 4
    visits = Counter({b'{"type":"a"}': 60, b'{"type":"b"}': 30, b'{"type":"c"}': 29})
    assert openings.good_actions(visits) == [{"type": "a"}, {"type": "b"}]


def test_weights_are_found_where_pieces_that_move_often_are_others() -> None:
    """Among pieces of which each type came up as often: a mine in four of five that never moved, a major in the
    others. Of pieces that are as they came up nothing is to be found."""
    types, thought = ["major", "mine"], Counter({"major": 40, "mine": 40})
    uneven = [Hidden(0, (0, 0), "mine" if one % 5 else "major", thought, thought, {}) for one in range(200)]
    even = [Hidden(0, (0, 1), types[one % 2], thought, thought, {}) for one in range(200)]
    weights = fitted([*uneven, *even], types)
    assert weights[(0, 0), "mine"] / weights[(0, 0), "major"] == pytest.approx(4, rel=0.1)
    assert weights[(0, 1), "mine"] == pytest.approx(1, abs=0.02)

    def bits(pieces: list[Hidden]) -> float:
        return mean_bits((shares(one.believed, one.bucket, types, weights), one.type) for one in pieces)

    assert bits(even) == pytest.approx(1, abs=0.001)
    assert bits(uneven) == pytest.approx(0.722, abs=0.005)


def test_deeds_and_layouts_are_weighed(monkeypatch: pytest.MonkeyPatch) -> None:
    types, thought = ["major", "mine"], Counter({"major": 40, "mine": 40})
    piece = Hidden(0, (0, 0), "mine", thought, thought, {"mine": math.log(4)})
    assert mean_bits([(by_deeds(piece, types), piece.type)]) == pytest.approx(-math.log2(0.8))
    even, known = likely.bits_of_the_book(1e9)
    assert known == pytest.approx(even, abs=0.001)
    book = [one for one in opponent_of("junqi").book[:2] for _ in range(2)]  # two layouts, each twice
    alike = msgspec.structs.replace(opponent_of("junqi"), book=(*book, *book))
    monkeypatch.setattr(likely, "opponent_of", lambda _: alike)
    even, known = likely.bits_of_the_book(10)
    assert known < even - 0.3


def test_hidden_pieces_of_a_match_are_counted_by_what_they_come_up_as(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(likely, "MOVES_MAX", likely.EVERY)
    pieces = likely.match(3, 1.0, 1)
    assert pieces
    assert any(piece.deeds for piece in pieces)
    for piece in pieces:
        assert piece.sampled.total() <= likely.WORLDS
        assert piece.believed.total() == likely.WORLDS  # each world has a piece there


def test_the_usual_questions_join_all_levels() -> None:
    pairs = [tuple(pair.split(":")) for pair in PAIRS]
    for level in range(2, 9):
        assert (str(level), str(level - 1)) in pairs
    for one, two in pairs:
        low, high = bounds(one, two)
        assert 0 <= low <= high <= 1
