"""Whole matches on the page, by two persons at two browsers: with the mouse, and with the keyboard alone."""

from __future__ import annotations

import random
import re
from typing import Any

import pytest
from playwright.sync_api import Browser, expect

import warlog_core
from tests.servers import WarlogServer
from tests.turns import by_turns
from tests.web.hands import Hand, Keys, Table
from tests.web.pages import Person

GAMES = warlog_core.games()
SOAK_MATCHES, SOAK_ACTIONS = 20, 80
RESIGNS_EARLY = {"junqi": {"min_steps_resign": 0}}

# To which cells the arrow keys lead from the first one, how many there are, and how far a press of a key leads.
REACHED = """(grid) => {
  const cells = grid.querySelectorAll("[role=gridcell]");
  const reached = new Set([cells[0]]);
  const far = [];
  const middle = (one) => { const {x, y, width, height} = one.firstElementChild.getBoundingClientRect();
                            return [x + width / 2, y + height / 2] };
  for (const cell of reached) {
    for (const key of ["ArrowRight", "ArrowLeft", "ArrowUp", "ArrowDown"]) {
      cell.focus();
      cell.dispatchEvent(new KeyboardEvent("keydown", {key, bubbles: true}));
      const there = document.activeElement;
      if (there !== cell) far.push(Math.hypot(middle(there)[0] - middle(cell)[0], middle(there)[1] - middle(cell)[1]));
      reached.add(there);
    }
  }
  return [reached.size, cells.length, Math.max(...far) / Math.min(...far)];
}"""


def whole_match(
    chromium: Browser,
    url: str,
    game: str,
    kinds: list[type[Hand]],
    seed: str,
    actions: int,
    options: dict[str, Any] | None = None,
) -> None:
    """Plays it to its end. Both see the same result; no answer was unexpected, and no console has a complaint."""
    people = [Person(chromium, url) for _ in kinds]
    hands = []
    for number, (person, kind) in enumerate(zip(people, kinds, strict=True)):
        person.register(f"{kind.__name__} {number}")
        hands.append(kind(person, random.Random(f"{seed} {number}")))
    table = Table.made(game, hands, options)
    over = table.play(actions)
    assert over["status"] == "finished"
    names = {seat["id"]: seat["name"] for seat in people[0].ask(f"/v1/games/{game}")["seats"]}
    won = re.compile("|".join(names[seat] for seat in over["result"]["winners"]))
    for person in people:
        expect(person.page.get_by_role("status").filter(has_text=won).first).to_be_visible()
    for person in people:
        assert person.page.get_by_role("alert").all_inner_texts() == []
        assert person.complaints == []
        person.close()


# Every game is played with the mouse in test_page.py in every run; a whole match of two people, of one game, and a
# short one: the soak plays twenty of each game, of 80 actions.
@pytest.mark.parametrize("game", by_turns(GAMES, len(GAMES)))
def test_two_people_play_a_whole_match_with_the_mouse(
    chromium: Browser, server: WarlogServer, game: str
) -> None:
    whole_match(chromium, server.url, game, [Hand, Hand], f"mouse {game}", 5, RESIGNS_EARLY.get(game))


@pytest.mark.parametrize("game", by_turns(GAMES, 3))
def test_a_whole_match_is_played_with_the_keyboard_alone(
    chromium: Browser, server: WarlogServer, game: str
) -> None:
    whole_match(chromium, server.url, game, [Keys], f"keys {game}", 4, RESIGNS_EARLY.get(game))


@pytest.mark.parametrize("game", by_turns(GAMES, 2))
def test_arrow_keys_lead_to_every_space_and_skip_none(
    chromium: Browser, server: WarlogServer, game: str
) -> None:
    person = Person(chromium, server.url)
    person.register("arrows")
    Table.made(game, [Keys(person, random.Random(1))])
    reached, all_of_them, farthest = person.page.get_by_role("grid").first.evaluate(REACHED)
    assert reached == all_of_them
    if person.ask(f"/v1/games/{game}")["board"]["kind"] != "graph":  # there, spaces are not all as far apart
        assert farthest < 1.1
    person.close()


@pytest.mark.soak
@pytest.mark.parametrize("number", range(SOAK_MATCHES))
@pytest.mark.parametrize("game", GAMES)
def test_twenty_matches_of_two_people_without_one_unexpected_answer(
    chromium: Browser, server: WarlogServer, game: str, number: int, seed: int
) -> None:
    kinds: list[type[Hand]] = [Hand, Keys if number % 2 else Hand]
    whole_match(chromium, server.url, game, kinds, f"{seed} {game} {number}", SOAK_ACTIONS)
