"""Hints while a match runs, and the computer's opinion of every board when it is over, in a real Chromium."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, expect

from tests.servers import EAGER, WarlogServer
from tests.service.api import UNLIMITED, Api, ok, two
from tests.web.pages import Person, axe


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WarlogServer]:
    folder = tmp_path_factory.mktemp("analysis")
    with WarlogServer(folder, arguments=["--bots", "1"], environment={**UNLIMITED, **EAGER}) as running:
        yield running


@pytest.fixture
def player(server: WarlogServer, person: Person) -> Iterator[Api]:
    """The account of the person before the page, when a program plays for the house."""
    with Api(server.url) as stranger:
        while not ok(stranger.get("/bots"))["alive"]:
            person.page.wait_for_timeout(200)
        account = stranger.player()
        person.sign_in(account)
        yield account


def test_a_hint_says_what_could_be_done_and_shows_it_on_the_board(person: Person, player: Api) -> None:
    page, match = person.page, player.alone()
    page.goto(f"{person.url}/m/{match}")
    page.get_by_role("button", name="Hint").click()
    advice = page.get_by_role("region", name="The computer's advice")
    lines = advice.get_by_role("listitem")
    expect(lines.first).to_contain_text("%")
    arrows = page.locator(".board .arrows > g")
    expect(arrows).to_have_count(lines.count())
    expect(arrows.last).to_contain_text("%")  # the best one is above the others
    lines.first.get_by_role("button").focus()
    expect(arrows.first).to_have_text("1")
    assert axe(page) == []
    player.defend(match)  # what was said holds for the board that it was said of
    expect(lines).to_have_count(0)
    expect(arrows).to_have_count(0)


def test_when_a_match_is_over_every_board_is_analysed_for_every_seat(
    person: Person, player: Api, server: WarlogServer
) -> None:
    page = person.page
    red, _, match = two(Api(server.url))
    (acting,) = red.match(match)["to_act"]
    at = red.match(match)["version"]
    page.goto(f"{person.url}/m/{match}")
    expect(page.locator(".state")).to_be_visible()
    expect(page.get_by_role("button", name="Hint")).to_have_count(0)  # other people play
    red.resign(match, "red")
    page.evaluate("localStorage.language = 'zh'")
    page.reload()
    slider = page.locator(".slider input")
    slider.fill(str(at))
    page.get_by_label("方", exact=True).or_(page.locator(".analysis select")).first.select_option(acting)
    page.locator(".analysis button").first.click()
    expect(page.locator(".analysis li").first).to_contain_text("%")
    expect(page.locator(".board .arrows > g").first).to_be_visible()
    slider.fill(str(at + 1))
    expect(page.locator(".analysis li")).to_have_count(0)


def test_without_a_program_nobody_is_offered_a_hint(
    chromium: Browser, tmp_path_factory: pytest.TempPathFactory
) -> None:
    with (
        WarlogServer(tmp_path_factory.mktemp("quiet"), environment=UNLIMITED) as server,
        Api(server.url) as api,
    ):
        person, ada = Person(chromium, server.url), api.player()
        person.sign_in(ada)
        with person.page.expect_response("**/v1/bots"):
            person.page.goto(f"{server.url}/m/{ada.alone()}")
        expect(person.page.get_by_role("region", name="What you can do")).to_be_visible()
        expect(person.page.get_by_role("button", name="Hint")).to_have_count(0)
        assert person.complaints == []
        person.close()
