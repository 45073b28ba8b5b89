"""When a bot gives up, offers or accepts a draw; what it chooses where the search finds nothing."""

from __future__ import annotations

from warlog_bots.manners import DECIDED, EVEN_FOR, LOST_FOR, LOST_TURNS, Mood, any_of

ALL = ["move", "offer_draw", "resign"]
ASKED = [*ALL, "accept_draw", "decline_draw"]


def said(values: list[float], legal: list[str] = ALL, players: int = 2) -> list[str | None]:
    """Of a seat that decides once in a turn."""
    mood = Mood()
    return [mood.instead(legal.__contains__, value, players, 2 * turn) for turn, value in enumerate(values)]


def test_what_seems_lost_at_a_glance_is_resigned_too_but_even_it_is_not_called() -> None:
    mood = Mood()
    words = [
        mood.instead(ALL.__contains__, 0.01, 2, 2 * turn, searched=turn % 3 == 0) for turn in range(LOST_FOR)
    ]
    assert words == [None] * (LOST_FOR - 1) + ["resign"]
    mood = Mood()
    assert {
        mood.instead(ALL.__contains__, 0.5, 2, 2 * turn, searched=False) for turn in range(EVEN_FOR + 1)
    } == {None}


def test_a_bot_resigns_what_has_been_lost_for_some_time() -> None:
    assert said([0.01] * LOST_FOR) == [None] * (LOST_FOR - 1) + ["resign"]
    assert said([0.01, 0.3] * LOST_FOR) == [None] * (2 * LOST_FOR)
    assert said([0.01] * 20, ["move"]) == [None] * 20


def test_a_bot_does_not_resign_in_the_middle_of_one_bad_turn() -> None:
    mood = Mood()
    actions = range(LOST_FOR)  # of one turn
    versions = [10 * turn + action for turn in range(LOST_TURNS) for action in actions]
    words = [mood.instead(ALL.__contains__, 0.01, 2, version) for version in versions]
    assert words.index("resign") == (LOST_TURNS - 1) * LOST_FOR
    assert mood.instead(ALL.__contains__, 0.3, 2, 100) is None
    assert mood.instead(ALL.__contains__, 0.01, 2, 101) is None


def test_a_bot_does_not_resign_for_its_allies() -> None:
    assert said([0.01] * 20, players=4) == [None] * 20


def test_a_bot_offers_a_draw_once_when_nothing_has_moved_for_long() -> None:
    words = said([0.5] * 3 * EVEN_FOR)
    assert words[EVEN_FOR - 1] == "offer_draw"
    assert words.count("offer_draw") == 1
    assert said([0.5, 0.6] * EVEN_FOR) == [None] * 2 * EVEN_FOR


def test_a_drawn_offer_is_declined_by_who_stands_better() -> None:
    assert said([0.6], ASKED) == ["decline_draw"]
    assert said([0.3], ASKED) == ["accept_draw"]
    assert said([0.5], ASKED) == ["decline_draw"]  # the match has hardly begun
    assert said([0.5] * DECIDED, ASKED, players=4)[-1] == "accept_draw"
    assert Mood().answer(ASKED.__contains__, 0.3) == "accept_draw"  # of what was not searched for, too
    assert Mood().answer(["move"].__contains__, 0.3) is None
    assert said([0.6], ["move", "accept_draw"]) == [None]


def test_where_the_search_finds_nothing_any_action_is_chosen_that_does_not_give_up() -> None:
    listed = [{"type": one} for one in ALL]
    assert any_of(listed, 1) == {"type": "move"}
    assert any_of([{"type": "buy", "open": True}, {"type": "resign"}], 1) == {"type": "resign"}
    assert any_of([{"type": "buy", "open": True}], 1) is None
    chosen = {str(any_of([*listed, {"type": "fire"}], seed)) for seed in range(20)}
    assert chosen == {"{'type': 'move'}", "{'type': 'fire'}"}
