"""The board of a match in a real Chromium: what an event did is shown and told, and what a click means is seen."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Locator

from tests.servers import WarlogServer
from tests.service.api import UNLIMITED
from tests.web.pages import Person, browser

PAWNS = {
    "seats": [{"seat": "white"}, {"seat": "black"}],
    "active": "white",
    "pieces": [
        {"id": 1, "seat": "white", "type": "king", "at": "e1"},
        {"id": 2, "seat": "white", "type": "pawn", "at": "d4"},
        {"id": 3, "seat": "white", "type": "pawn", "at": "a2"},
        {"id": 4, "seat": "black", "type": "king", "at": "e8"},
        {"id": 5, "seat": "black", "type": "pawn", "at": "d5"},
        {"id": 6, "seat": "black", "type": "pawn", "at": "h7"},
    ],
}
TORPEDO = {
    "pieces": [
        {"id": 90, "seat": "black", "type": "king", "at": "e1"},
        {"id": 91, "seat": "white", "type": "king", "at": "f10"},
        {"id": 1, "seat": "black", "type": "destroyer", "at": "d4"},
        {"id": 2, "seat": "white", "type": "sub", "at": "d5", "level": "sub"},
    ]
}


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    with browser() as opened:
        yield opened


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WarlogServer]:
    with WarlogServer(tmp_path_factory.mktemp("web"), environment=UNLIMITED) as running:
        yield running


@pytest.fixture
def person(chromium: Browser, server: WarlogServer) -> Iterator[Person]:
    somebody = Person(chromium, server.url)
    yield somebody
    somebody.close()
    assert somebody.complaints == []


def space(person: Person, name: str, level: str = "ground") -> Locator:
    return person.page.locator(f'[data-level="{level}"] [data-space="{name}"]')


def test_a_battle_is_told_with_its_dice(person: Person) -> None:
    match = person.begin("confrontation", position=PAWNS)
    space(person, "d4").click()
    space(person, "d5").click()
    told = person.page.get_by_role("region", name="What happened")
    told.get_by_text("Battle at d5: White Pawn attacks Black Pawn").wait_for()
    event = person.ask(f"/v1/matches/{match}/events?seat=white")["events"][-1]
    rolled = next(effect for effect in event["effects"] if effect["type"] == "rolled")
    dice = told.locator(".die")
    assert [die.get_attribute("aria-label") for die in dice.all()] == [
        str(rolled["attack_die"]),
        str(rolled["defend_die"]),
    ]
    assert dice.first.locator("circle").count() == rolled["attack_die"]
    assert person.page.locator(".shown").count() == 0  # this person asked for a page that does not move


def test_what_an_event_did_is_shown_step_by_step_and_nothing_waits_for_it(
    chromium: Browser, server: WarlogServer
) -> None:
    person = Person(chromium, server.url, reduced_motion="no-preference")
    person.begin("wec", position=TORPEDO)
    person.page.evaluate(
        """() => {
            window.seen = [];
            new MutationObserver(() => {
                const now = document.querySelector('.happened .now');
                if (now && window.seen.at(-1) !== now.textContent) window.seen.push(now.textContent);
            }).observe(document.body, {subtree: true, childList: true, attributes: true});
        }"""
    )
    person.page.get_by_text("What you can do").click()
    person.page.get_by_role("searchbox").fill("torpedo launcher d5")
    person.page.locator(".list button").first.click()
    person.page.wait_for_selector(".shown")
    person.page.get_by_role("button", name="Resign").click()  # while it is being shown
    person.page.wait_for_selector(".shown", state="detached")
    assert person.page.evaluate("window.seen") == [
        "Black: Destroyer at d4 fires: Torpedo launcher at d5, strength 1",
        "Torpedo appears at d5, flying n",
        "Torpedo explodes at d5",
        "White: Sub lost at d5 (Torpedo)",
    ]
    assert person.complaints == []
    person.close()
