"""Two people find each other, follow, challenge, decline and play, block each other, and one leaves for good."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from tests.servers import RedisServer, WarlogServer
from tests.service.api import UNLIMITED, Api, ok
from tests.service.test_challenges import a_day_later
from tests.service.waiting import eventually
from tests.web.pages import PHONE, Person, axe

# What the page shows, it has read since its feed began: nothing falls between the two, however late the feed begins.
FEEDS_LATE = """{
  const { fetch } = window;
  window.fetch = async (request) => {
    if (String(request.url ?? request).endsWith("/players/me/feed")) await new Promise((go) => setTimeout(go, 1_500));
    return fetch(request);
  };
}"""


@pytest.fixture
def two(chromium: Browser, server: WarlogServer) -> Iterator[tuple[Person, Person]]:
    people = Person(chromium, server.url), Person(chromium, server.url, **PHONE)
    yield people
    for somebody in people:
        somebody.close()
        assert somebody.complaints == []


def test_one_finds_and_challenges_another_who_declines_and_then_plays(
    two: tuple[Person, Person], server: WarlogServer
) -> None:
    (one, other), (ada, ben) = (
        [person.page for person in two],
        [Api(server.url).player(name) for name in ("Ada", "Benno")],
    )
    for person, api in zip(two, (ada, ben), strict=True):
        person.sign_in(api)
        person.page.goto(f"{server.url}/people")
    one.get_by_role("searchbox", name="Name").fill("benn")
    one.get_by_role("button", name="Find").click()
    one.get_by_role("link", name="Benno").click()
    one.get_by_role("button", name="Follow", exact=True).click()
    expect(one.get_by_role("button", name="Unfollow")).to_be_visible()
    one.get_by_label("Game").select_option("hex")
    one.get_by_role("button", name="Challenge").click()
    one.wait_for_url("**/m/*")
    expect(one.locator(".seats")).to_contain_text("challenged, no answer yet")
    expect(one.get_by_text("Benno has been told of your challenge.")).to_be_visible()
    expect(one.get_by_text("Send this link to your friend")).to_have_count(0)
    expect(one.get_by_role("textbox", name="A link to this match")).to_be_hidden()
    assert axe(one) == []

    expect(other.locator(".news")).to_contain_text("against Ada: you are challenged.")
    expect(other.locator(".news")).to_contain_text("casual: you can go back · The standard options.")
    assert axe(other) == []
    other.get_by_role("button", name="Decline").click()
    other.get_by_role("button", name="Not with these options").click()
    expect(other.locator(".news")).to_have_count(0)
    other.wait_for_timeout(1_500)  # his own feed tells it, too
    assert other.locator(".news").count() == 0
    declined = "The challenge was declined: “Not with these options”."
    expect(one.get_by_role("main").get_by_role("status")).to_have_text(declined)
    one.reload()
    expect(one.get_by_role("main").get_by_role("status")).to_have_text(declined)
    one.add_init_script(FEEDS_LATE)
    one.goto(server.url)
    match = ada.create(seats={"red": "me", "blue": ben.id})["match"]["id"]
    expect(one.locator(".matches").first).to_contain_text("challenged, no answer yet")
    ok(ben.post(f"/matches/{match}/decline", {"reason": "later"}), 201)
    expect(one.locator(".news")).to_contain_text("against Benno: the challenge is declined. “Later”")
    one.goto(f"{server.url}/p/{ben.id}")
    expect(one.get_by_role("button", name="Unfollow")).to_be_visible()
    one.get_by_label("Game").select_option("hex")
    one.get_by_role("button", name="Challenge").click()
    one.wait_for_url("**/m/*")
    one.get_by_role("link", name="Warlog").click()
    expect(one.locator(".matches").first).to_contain_text("challenged, no answer yet")
    one.go_back()
    expect(other.get_by_role("link", name="1 match waits for you")).to_be_visible()
    other.get_by_role("link", name="Warlog").click()
    expect(other.locator(".matches").first).to_contain_text("You are challenged")
    other.get_by_role("button", name="Play", exact=True).click()
    other.wait_for_url("**/m/*")
    expect(other.locator(".board").first).to_be_visible()
    expect(one.locator(".board").first).to_be_visible()
    expect(one.locator(".seats li").filter(has_text="Benno")).to_contain_text("here now", timeout=20_000)
    assert one.locator(".present").count() == 1  # not beside one's own seat

    with ben.personal_feed():
        one.goto(f"{server.url}/people")
        followed = one.get_by_role("listitem").filter(has_text="Benno")
        expect(followed).to_contain_text("here now")
        expect(followed.get_by_role("link", name=re.compile("^Watch"))).to_be_visible()
        assert axe(one) == []

    spec = {"options": {"army": "preset"}, "mode": "competitive"}
    made = ada.create(**spec, seats={"red": "me", "blue": ben.id})["match"]
    match, terms = made["id"], f"for points · {made['options_text']}"
    assert "standard" in terms
    expect(other.locator(".news")).to_contain_text(terms)
    other.goto(f"{server.url}/m/{match}")
    expect(other.locator(".lobby")).to_contain_text(terms)
    assert axe(other) == []
    assert other.evaluate("document.documentElement.scrollWidth") <= 390
    for api, seat in ((ada, "red"), (ben, "blue")):
        ok(api.command(match, {"type": "prepare", "seat": seat}), 201)
    for page in (one, other):
        page.goto(f"{server.url}/m/{match}")
    idle = [page.get_by_text("It is not your turn.") for page in (one, other)]
    eventually(lambda: [words.count() for words in idle] in ([0, 1], [1, 0]))


def test_the_challenger_sees_that_nobody_has_answered_for_a_day(chromium: Browser, tmp_path: Path) -> None:
    with (
        RedisServer(fsync="no") as redis,
        WarlogServer(tmp_path, redis=redis.url, environment=UNLIMITED) as server,
        Api(server.url) as stranger,
    ):
        ada, ben = stranger.player("Ada"), stranger.player("Benno")
        person = Person(chromium, server.url, **PHONE)
        page, state = person.page, person.page.get_by_role("main").get_by_role("status")
        person.sign_in(ada)
        matches = [ada.create(seats={"red": "me", "blue": ben.id})["match"]["id"] for _ in range(2)]
        page.goto(f"{server.url}/m/{matches[0]}")
        expect(page.locator(".seats")).to_contain_text("challenged, no answer yet")
        a_day_later(redis.url)
        expect(state).to_have_text("The challenge has lapsed: no answer within a day.")
        assert axe(page) == []
        # The other one, at which he did not look.
        page.goto(f"{server.url}/m/{matches[1]}")
        expect(state).to_have_text("The challenge has lapsed: no answer within a day.")
        person.close()
        assert person.complaints == []


def test_one_blocks_another_and_leaves_for_good(person: Person, server: WarlogServer, tmp_path: Path) -> None:
    with Api(server.url) as stranger:
        ada, ben = stranger.player("Ada Q."), stranger.player("Ben Q.")
        page = person.page
        person.sign_in(ada)
        page.goto(f"{server.url}/p/{ben.id}")
        page.get_by_role("button", name="Block Ben Q.").click()
        page.get_by_role("button", name="Yes").click()
        expect(page.get_by_role("button", name="Unblock")).to_be_visible()
        expect(page.get_by_role("button", name="Challenge")).to_have_count(0)
        assert axe(page) == []
        assert [one["player"]["id"] for one in ok(ada.get("/players/me/blocked"))["players"]] == [ben.id]
        page.goto(f"{server.url}/people")
        page.get_by_role("button", name="Unblock Ben Q.").click()
        expect(page.get_by_role("button", name="Unblock Ben Q.")).to_have_count(0)

        page.goto(f"{server.url}/me")
        page.get_by_text("Leave for good", exact=True).first.click()
        field = page.get_by_label("Repeat your name: Ada Q.")
        leave = page.get_by_role("button", name="Leave for good")
        field.fill("Ada")
        expect(leave).to_be_disabled()
        field.fill("Ada Q.")
        leave.click()
        expect(page.get_by_role("link", name="Sign in")).to_be_visible()
        assert ok(stranger.get("/players", params={"name": "Ada Q."}))["players"] == []
