"""The computer as an opponent, chosen by its level, in a real Chromium against a real server."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Route, expect

from tests.servers import EAGER, WarlogServer
from tests.service.api import UNLIMITED
from tests.web.pages import Person


def alive(route: Route) -> None:
    """The server's answer, as if a program played for its bots."""
    answer = route.fetch(headers={**route.request.headers, "sec-fetch-site": "same-origin"})
    route.fulfill(response=answer, body=json.dumps({**answer.json(), "alive": True}))


@pytest.fixture
def somebody(person: Person) -> Person:
    person.page.route("**/v1/bots", alive)
    return person


def test_while_no_program_plays_for_them_no_bots_are_offered(person: Person) -> None:
    with person.page.expect_response("**/v1/bots"):
        person.home()
    expect(person.page.get_by_role("button", name="Play here, both sides")).to_have_count(5)
    expect(person.page.get_by_role("button", name="Play the computer")).to_have_count(0)


def test_the_computer_is_chosen_by_its_level_at_home(somebody: Person) -> None:
    page = somebody.page
    somebody.home()
    card = page.get_by_role("region", name="Universal Chess", exact=True)
    card.get_by_label("Level of the computer").select_option("1")
    card.get_by_role("button", name="Play the computer").click()
    page.wait_for_url("**/m/*")
    expect(page.locator(".seats").get_by_text("Computer, level 1")).to_have_count(4)
    match = somebody.ask(f"/v1/matches/{page.url.rpartition('/')[2]}")["match"]
    assert (match["status"], match["consent"]) == ("playing", "none")
    somebody.home()  # the level is kept
    kept = page.get_by_role("region", name="Hex Tactics", exact=True).get_by_label("Level of the computer")
    expect(kept).to_have_value("1")


def test_a_level_tells_its_rating_once_it_is_no_longer_provisional(person: Person) -> None:
    """Of the kind of match in which it has played most."""

    def rated(route: Route) -> None:
        answer = route.fetch()
        said = {**answer.json(), "alive": True}
        some = {"game": "hex", "provisional": False}
        said["bots"][2]["ratings"] = [
            {**some, "pool": "melee", "rating": 1444, "matches": 11},
            {**some, "pool": "duel", "rating": 1658, "matches": 12},
        ]
        said["bots"][3]["ratings"] = [
            {**some, "pool": "duel", "rating": 1555, "matches": 3, "provisional": True}
        ]
        route.fulfill(response=answer, json=said)

    person.page.route("**/v1/bots", rated)
    person.home()
    options = person.page.get_by_role("region", name="Hex Tactics", exact=True).get_by_role("option")
    expect(options).to_have_text(
        ["Level 1, for beginners", "Level 2", "Level 3, rated 1658", *(f"Level {n}" for n in range(4, 9))]
    )
    others = person.page.get_by_role("region", name="Siguo Junqi", exact=True)
    expect(others.get_by_role("option", name="Level 3", exact=True)).to_have_count(1)


def test_a_person_plays_the_computer(chromium: Browser, tmp_path: Path) -> None:
    with WarlogServer(tmp_path, arguments=["--bots", "1"], environment={**UNLIMITED, **EAGER}) as server:
        person = Person(chromium, server.url)
        page = person.page
        while not person.ask("/v1/bots")["alive"]:  # its process starts
            page.wait_for_timeout(200)
        person.home()
        card = page.get_by_role("region", name="Universal Chess", exact=True)
        card.get_by_label("Level of the computer").select_option("1")
        card.get_by_role("button", name="Play the computer").click()
        page.wait_for_url("**/m/*")
        mine = page.locator(".state", has_text="Your turn")
        rng = random.Random("computer")
        for _ in range(2):  # the second time the others have answered
            expect(mine).to_be_visible()
            person.settle()
            before = person.events()
            while person.events() == before:
                person.play(rng, 1)
        expect(mine).to_be_visible()
        events = person.ask(f"/v1/matches/{page.url.rpartition('/')[2]}/events")["events"]
        assert len({one["seat"] for one in events if one.get("seat")}) == 5
        assert person.complaints == []
        person.close()


def test_an_ally_is_no_opponent_and_the_games_own_clock_is_seen(somebody: Person) -> None:
    page = somebody.page
    page.goto(f"{somebody.url}/new/junqi")
    page.get_by_label("With you: North").select_option("bot:2")
    for seat in ("East", "West"):
        page.get_by_label(f"Against you: {seat}").select_option("bot:1")
    clock = page.get_by_label("Time for each turn")
    expect(clock).to_have_value("30")
    clock.fill("300")
    page.get_by_role("button", name="Play the computer").click()
    page.wait_for_url("**/m/*")
    match = somebody.ask(f"/v1/matches/{page.url.rpartition('/')[2]}")["match"]
    assert match["options"]["move_seconds"] == 300
    assert match["bots"]["north"]["level"] == 2


def test_every_seat_can_have_a_bot_of_its_own(somebody: Person) -> None:
    page = somebody.page
    page.goto(f"{somebody.url}/new/hex")
    page.get_by_text("Rules: the standard game").click()
    page.get_by_role("spinbutton", name="seats").fill("3")
    page.get_by_label("Side").select_option("blue")
    page.get_by_label("Against you: Red").select_option("bot:8")
    page.get_by_role("button", name="Play a friend and the computer").click()
    page.wait_for_url("**/m/*")
    seats = page.locator(".seats li")
    expect(seats.nth(0)).to_contain_text("Computer, level 8")
    # The seat that is still free goes to the computer, too, once nobody else comes.
    seats.nth(2).get_by_label("Level of the computer").select_option("3")
    seats.nth(2).get_by_role("button", name="Give it to the computer").click()
    expect(seats.nth(2)).to_contain_text("Computer, level 3")
    seats.nth(1).get_by_role("button", name="I am ready").click()
    page.wait_for_selector(".board")

    page.goto(f"{somebody.url}/new/confrontation")
    page.evaluate("localStorage.language = 'zh'")
    page.reload()
    page.get_by_label("对手：Black").select_option("bot:2")
    page.get_by_role("button", name="与电脑对弈").click()
    page.wait_for_url("**/m/*")
    expect(page.locator(".seats")).to_contain_text("电脑（2 级）")
