"""The web board in a real Chromium, against a real server: by mouse, by keyboard, by two people, and by bad ones."""

from __future__ import annotations

import gzip
import random
import re
import subprocess
from pathlib import Path
from typing import Literal

import pytest
from playwright.sync_api import Browser, Route, expect

import warlog_core
from tests import node as nodes
from tests.servers import WarlogServer
from tests.turns import by_turns
from tests.web.pages import PHONE, Person, axe

ROOT = Path(__file__).resolve().parents[2]
BUILT = ROOT / "service/warlog_service/web"
WEB = ROOT / "clients/web"
NARROW = 360  # pixels of a small telephone, on which every board must fit
NAMES = {name: warlog_core.game(name).codec.title for name in warlog_core.games()}


@pytest.mark.parametrize("game", by_turns(warlog_core.games(), 2))
def test_somebody_who_does_not_know_a_game_can_play_it_by_mouse(person: Person, game: str) -> None:
    match = person.choose(NAMES[game], "Play here, both sides")
    person.page.wait_for_selector(".actions")
    person.play(random.Random(f"mouse {game}"), 16)
    person.settle()
    assert person.page.locator(".trouble").all_inner_texts() == []
    version = person.ask(f"/v1/matches/{match}")["match"]["version"]
    assert person.events() == version
    assert version >= 5
    person.page.set_viewport_size({"width": NARROW, "height": 844})
    person.page.reload()
    person.page.wait_for_selector(".board")
    person.page.get_by_role("button", name="First").click()
    person.page.wait_for_selector(f"text=Event 2 of {version}")  # match_started: the first with a board
    person.settle()
    assert person.page.locator(".trouble").all_inner_texts() == []
    assert person.page.evaluate("document.documentElement.scrollWidth") <= NARROW


def test_who_goes_back_sees_the_other_line_beside_his_own(person: Person) -> None:
    match = person.choose(NAMES["wec"], "Play here, both sides")
    page = person.page
    page.wait_for_selector(".actions")
    person.play(random.Random("first line"), 20)
    person.settle()
    before = person.events()
    assert before >= 5
    page.get_by_role("button", name="Back").click()
    page.get_by_role("button", name="Back").click()
    page.wait_for_selector(f"text=Event {before - 2} of {before}")
    page.get_by_role("button", name="Play on from here").click()
    page.wait_for_selector(f"text=Event {before + 1} of {before + 1}")
    person.play(random.Random("second line"), 12)
    person.settle()
    page.wait_for_selector("text=2 lines of play")
    lines = page.get_by_role("region", name="Lines of play").get_by_role("listitem")
    expect(lines).to_have_count(2)
    expect(lines.nth(0)).to_have_text("from the beginning")
    expect(lines.nth(1)).to_have_text(re.compile(rf"^after event {before - 2}: \w"))
    lines.nth(0).get_by_role("button").click()  # to where it was left
    page.wait_for_selector(f"text=Event {before} of")
    expect(lines.nth(0).get_by_role("button")).to_have_attribute("aria-pressed", "true")
    expect(lines.nth(1).get_by_role("button")).to_have_attribute("aria-pressed", "false")
    nodes = person.ask(f"/v1/matches/{match}/timeline")["nodes"]
    went = next(node for node in nodes if node["version"] == before + 1)
    assert went["parent"] == before - 2


def test_a_friend_follows_the_link_and_learns_nothing_that_is_hidden(
    chromium: Browser, server: WarlogServer, person: Person
) -> None:
    match = person.choose(NAMES["junqi"], "Play a friend")
    friend = Person(chromium, server.url)
    friend.page.goto(person.page.url)
    for _ in range(3):
        friend.page.get_by_role("button", name="Sit here").first.click()
        friend.settle()
    for _ in range(3):
        friend.page.get_by_role("button", name="I am ready").first.click()
        friend.settle()
    person.page.get_by_role("button", name="I am ready").click()
    for one in (person, friend):
        one.page.wait_for_selector(".board")
    person.page.get_by_role("button", name="Lay out the army").click()
    person.page.get_by_role("button", name="Done").click()
    friend.page.wait_for_selector("text=Event 9 of")
    person.page.get_by_role("button", name="Ready", exact=True).click()
    friend.play(random.Random("friend"), 12)
    friend.settle()
    own = person.ask(f"/v1/matches/{match}/view?seat=south")["view"]["pieces"]
    assert all("type" in piece for piece in own if piece["seat"] == "south")
    shown, own_shown = (
        [
            body for body in one.received if '"viewer"' in body and '"guide"' not in body
        ]  # views, no description
        for one in (friend, person)
    )
    assert len(shown) >= 3
    uncovered = re.compile(r'\{[^{}]*"seat":"south"[^{}]*"type":').search
    assert any(map(uncovered, own_shown))  # whose pieces they are sees their ranks
    assert not any(map(uncovered, shown))
    assert friend.complaints == []
    friend.close()


def test_on_a_phone_a_large_board_can_be_made_larger_and_is_moved_alone(
    chromium: Browser, server: WarlogServer
) -> None:
    person = Person(chromium, server.url, **PHONE)
    page = person.page
    person.choose(NAMES["confrontation"], "Play here, both sides")
    page.wait_for_selector(".board")
    expect(page.get_by_role("button", name="Larger board")).to_have_count(0)
    person.choose(NAMES["universal"], "Play here, both sides")
    larger = page.get_by_role("button", name="Larger board")
    widths = []
    for pressed in ("false", "true"):
        expect(larger).to_have_attribute("aria-pressed", pressed)
        widths.append(
            page.locator("svg.board").first.evaluate("board => board.getBoundingClientRect().width")
        )
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
        larger.click()
    assert widths[0] <= 390 < 780 <= widths[1]
    person.close()
    assert person.complaints == []


def test_the_games_are_there_before_it_is_known_who_asks(person: Person) -> None:
    held: list[Route] = []
    person.page.route("**/v1/players/me", lambda route: held.append(route), times=1)
    person.home()
    expect(person.page.locator(".game h3")).to_have_text([*NAMES.values()])
    assert len(held) == 1
    held[0].continue_()
    expect(person.page.get_by_role("heading", name="Matches to watch")).to_be_visible()


def test_a_move_is_made_with_the_keyboard_alone(person: Person) -> None:
    person.choose(NAMES["wec"], "Play here, both sides")
    page = person.page
    page.wait_for_selector(".actions")
    first = page.locator('[data-level="ground"] .space').first
    first.focus()
    at = first.get_attribute("data-space")
    page.keyboard.press("ArrowRight")
    focused = "document.activeElement.dataset.space"
    assert page.evaluate(focused) != at
    page.keyboard.press("ArrowLeft")
    assert page.evaluate(focused) == at
    page.keyboard.press("Enter")
    page.wait_for_selector(".space.chosen")
    page.keyboard.press("Escape")
    page.wait_for_selector(".space.chosen", state="detached")
    page.get_by_text("What you can do").click()
    page.get_by_role("searchbox").fill("move")
    page.locator(".list button").first.focus()
    page.keyboard.press("Enter")
    page.wait_for_selector("text=Event 3 of 3")


def test_markup_in_a_name_is_shown_and_not_run(chromium: Browser, server: WarlogServer) -> None:
    name = "<img src=x onerror=pwned=1>"
    person = Person(chromium, server.url)
    request = person.context.request
    made = request.post(server.url + "/v1/players", data={"name": name}).json()
    request.post(
        server.url + "/v1/sessions",
        headers={"Authorization": f"Bearer {made['token']}", "Sec-Fetch-Site": "same-origin"},
    )
    person.choose(NAMES["hex"], "Play here, both sides")
    person.page.wait_for_selector(".seats li")
    assert name in person.page.locator(".seats").inner_text()
    person.home()
    expect(person.page.locator(".matches").first).to_contain_text(name)
    assert person.page.evaluate("typeof pwned") == "undefined"
    assert person.complaints == []
    person.close()


def test_what_is_not_there_is_said_in_a_sentence(chromium: Browser, server: WarlogServer) -> None:
    person = Person(chromium, server.url)
    person.page.goto(server.url + "/m/m_000_aaaaaaaaaaaaaaaa")
    assert person.page.locator("[role=alert]").inner_text() != ""
    person.page.get_by_role("link", name="All games").click()
    person.page.wait_for_selector(".game")
    person.close()


def test_the_page_speaks_chinese(person: Person) -> None:
    person.home()
    person.page.get_by_label("Language").select_option("zh")
    person.page.wait_for_selector("text=选择游戏")
    assert person.page.evaluate("document.documentElement.lang") == "zh"
    person.page.reload()
    person.page.wait_for_selector("text=选择游戏")


@pytest.mark.parametrize(
    ("width", "scheme", "seen"),
    by_turns(
        [(1280, "light", "wec"), (NARROW, "dark", "confrontation")],
        2,
        name=lambda shown: f"{shown[0]}-{shown[1]}",
    ),
)
def test_axe_finds_nothing(
    chromium: Browser, server: WarlogServer, width: int, scheme: Literal["light", "dark"], seen: str
) -> None:
    person = Person(chromium, server.url, viewport={"width": width, "height": 844}, color_scheme=scheme)
    person.home()
    assert axe(person.page) == []
    person.choose(NAMES[seen], "Play here, both sides")
    person.page.wait_for_selector(".actions")
    assert axe(person.page) == []
    assert person.page.evaluate("document.documentElement.scrollWidth") <= width
    if width < 400:
        person.page.goto(f"{server.url}/learn/hex")
        person.page.wait_for_selector("article h1")
        assert axe(person.page) == []
    person.close()


def test_the_committed_page_is_the_one_that_is_built(tmp_path: Path) -> None:
    nodes.run("tsc", "-p", "web", check=True, timeout=300)
    built_by = nodes.command("node", str(WEB / "build.mjs"), "--out", str(tmp_path))
    subprocess.run(built_by, cwd=WEB, check=True, timeout=120)
    built = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    assert built == {path.name: path.read_bytes() for path in BUILT.iterdir()}, "`make web` builds it"
    at_once = re.findall(r"/web/([\w.-]+)", built["index.html"].decode())
    assert len(at_once) > 2
    assert sum(len(gzip.compress(built[name])) for name in at_once) <= 90 * 1024


def test_a_page_whose_script_cannot_be_loaded_says_so_and_is_there_when_it_can(person: Person) -> None:
    person.home()
    person.page.route("**/web/learn-*.js", lambda route: route.abort())
    person.page.get_by_role("link", name="How to play").first.click()
    expect(person.page.get_by_role("alert")).to_have_text(re.compile("could not be loaded"))
    assert all("net::ERR_FAILED" in one for one in person.complaints)
    person.complaints.clear()
    person.page.unroute_all()
    person.page.get_by_role("button", name="Load the page again").click()
    expect(person.page.get_by_role("article").first).to_be_visible()


def test_the_page_knows_no_game() -> None:
    for path in (WEB / "src").iterdir():
        text = path.read_text(encoding="utf-8").casefold()
        for game, title in NAMES.items():
            assert not re.search(rf"\b{game}\b", text), path.name
            assert title.casefold() not in text, path.name
