"""Ratings on the page: one's own place in a leaderboard, and the way that ratings went."""

from __future__ import annotations

import re
from itertools import combinations
from typing import Any

from playwright.sync_api import Browser, Page, expect

from tests.servers import WarlogServer
from tests.service.api import Api, begun, ok, two
from tests.service.waiting import eventually
from tests.web.pages import PATIENCE_MS, PHONE, Person, axe

DUEL: dict[str, Any] = {"options": {"army": "preset"}, "mode": "competitive"}

# What is asked about Pairs is answered late; `late`: the answer has come.
PAIRS_LATE = """{
  const { fetch } = window;
  window.fetch = async (request) => {
    if (!String(request.url ?? request).includes("pool=pairs")) return fetch(request);
    const answer = await fetch(new Request(request, { signal: null }));
    await new Promise((go) => setTimeout(go, 1_000));
    setTimeout(() => (window.late = true), 100);
    return answer;
  };
}"""


def rated_match(api: Api) -> tuple[Api, Api]:
    """The winner and the loser."""
    red, blue, match = two(api, **DUEL)
    played_to_the_end(red, blue, match)
    return red, blue


def beaten(red: Api, blue: Api) -> None:
    """In one more rated match, in which red is the winner."""
    match = begun(red, blue, **DUEL)
    played_to_the_end(red, blue, match)


def played_to_the_end(red: Api, blue: Api, match: str) -> None:
    """Blue gives up."""
    seats = {"red": red, "blue": blue}
    for _ in range(24):
        acting = red.match(match)["to_act"][0]
        active = ok(seats[acting].get(f"/matches/{match}/view", params={"seat": acting}))["view"]["active"]
        ok(seats[acting].act(match, acting, {"type": "defend", "piece": active}), 201)
    blue.resign(match, "blue")


def test_a_rated_match_is_seen_in_the_leaderboard_and_on_the_players_page(
    chromium: Browser, server: WarlogServer
) -> None:
    with Api(server.url) as stranger:
        red, blue = rated_match(stranger)
        rating = ok(red.get(f"/players/{red.id}/ratings"))["ratings"][0]
        somebody = Person(chromium, server.url, **PHONE)
        page = somebody.page
        somebody.sign_in(red)
        page.add_init_script(PAIRS_LATE)
        page.goto(f"{server.url}/standing")
        page.get_by_label("Game").select_option("hex")
        own = page.get_by_role("row").filter(has_text=red.name)
        expect(own).to_contain_text(f"{rating['rating']} ± {rating['deviation']} (provisional)")
        expect(own).to_contain_text("(you)")
        pool = page.get_by_label("Kind of match")
        pool.select_option("pairs")
        pool.select_option("duel")
        eventually(lambda: page.evaluate("window.late === true"))
        expect(pool).to_have_value("duel")
        expect(own).to_contain_text(f"{rating['rating']} ±", timeout=1_000)
        pool.select_option("pairs")
        expect(page).to_have_url(f"{server.url}/standing/hex?pool=pairs")
        page.reload()
        expect(pool).to_have_value("pairs")
        page.locator("header .who").click()
        page.wait_for_url("**/me")
        page.go_back()
        expect(pool).to_have_value("pairs")
        page.go_back()
        expect(pool).to_have_value("duel")
        expect(own).to_contain_text(f"{rating['rating']} ±")
        assert axe(page) == []
        page.goto(f"{server.url}/p/{blue.id}")
        expect(page.get_by_role("heading", name="Ratings")).to_be_visible()
        expect(page.get_by_role("img", name="in 1 match")).to_be_visible()
        page.get_by_text("Latest changes").click()
        lost = page.get_by_role("listitem").filter(has_text="1500 →")
        loser = ok(blue.get(f"/players/{blue.id}/ratings"))["ratings"][0]["rating"]
        expect(lost).to_contain_text(f"1500 → {loser}")
        expect(lost.get_by_role("link", name="the match")).to_have_attribute("href", re.compile("^/m/m_"))
        expect(page.get_by_role("button", name="Follow", exact=True)).to_be_visible()
        assert axe(page) == []
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
        page.goto(f"{server.url}/p/{red.id}")
        expect(page.get_by_role("heading", name="Achievements")).to_be_visible()
        first = page.get_by_role("listitem").filter(has_text="First win")
        expect(first.get_by_role("link", name="the match")).to_be_visible()
        expect(page.get_by_role("listitem").filter(has_text="Regular")).to_contain_text("1 of 10")
        expect(page.get_by_role("row").filter(has_text="red")).to_contain_text("Duelred100")
        achievements = ok(red.get("/achievements"))["achievements"]
        everything = page.locator("details").filter(has_text="All achievements")
        expect(everything.get_by_role("listitem")).to_have_count(0)
        everything.get_by_text("All achievements").click()
        expect(everything.get_by_role("listitem")).to_have_count(len(achievements))
        expect(everything.get_by_role("heading", name="All games")).to_be_visible()
        expect(everything.get_by_role("listitem").filter(has_text="First win")).to_contain_text("✓ earned")
        earned = ok(red.get(f"/players/{red.id}/achievements"))["achievements"]
        expect(everything.get_by_text("✓ earned")).to_have_count(len(earned))
        assert axe(page) == []
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
        page.goto(f"{server.url}/standing/hex")
        expect(page.get_by_role("row").filter(has_text=red.name)).to_be_visible()
        expect(page.get_by_role("heading", name="Statistics")).to_be_visible()
        page.goto(f"{server.url}/people")
        page.get_by_role("searchbox", name="Name").fill(blue.name)
        page.get_by_role("button", name="Find").click()
        expect(page.get_by_role("link", name=blue.name, exact=True)).to_be_visible()
        somebody.close()
        assert somebody.complaints == []


def overflow(page: Page) -> list[int]:
    """How many pixels the page is wider than each screen, the narrowest first."""
    over = []
    for width in (360, 390, 1280):
        page.set_viewport_size({"width": width, "height": 844})
        over.append(page.evaluate("document.documentElement.scrollWidth") - width)
    return over


def test_long_names_and_wide_tables_fit_a_narrow_screen(chromium: Browser, server: WarlogServer) -> None:
    with Api(server.url) as stranger:
        long = stranger.player("Unbroken" * 5)
        beaten(long, stranger.player())
        somebody = Person(chromium, server.url)
        page = somebody.page
        somebody.sign_in(long)
        page.goto(f"{server.url}/standing/hex")
        expect(page.get_by_role("row").filter(has_text=long.name)).to_be_visible()
        assert overflow(page) == [0, 0, 0]
        told = ok(long.get(f"/players/{long.id}/statistics"))
        outcomes = {**told["statistics"][0]["seats"][0], "pool": "WeaponizedMassDestruction"}
        seats = ("white", "black", "ConfederationOfTheSouth")
        told["statistics"][0]["seats"] = [{**outcomes, "seat": seat} for seat in seats]
        page.route("**/v1/players/*/statistics", lambda route: route.fulfill(json=told))
        for path in ("/me", f"/p/{long.id}"):
            page.goto(server.url + path)
            expect(page.get_by_role("row").filter(has_text="ConfederationOfTheSouth")).to_be_visible()
            expect(page.get_by_role("heading", name=long.name)).to_be_visible()
            expect(page.locator(".matches").get_by_text(long.name)).to_be_visible()
            assert overflow(page) == [0, 0, 0]
        somebody.close()
        assert somebody.complaints == []


def test_who_still_looks_at_the_board_is_told_there_what_he_has_lost(
    chromium: Browser, server: WarlogServer
) -> None:
    with Api(server.url) as stranger:
        red, blue, match = two(stranger, **DUEL)
        somebody = Person(chromium, server.url, **PHONE)
        page = somebody.page
        somebody.sign_in(blue)
        page.goto(f"{server.url}/m/{match}")
        page.wait_for_selector(".board")
        played_to_the_end(red, blue, match)
        rating = ok(blue.get(f"/players/{blue.id}/ratings"))["ratings"][0]["rating"]
        expect(page.locator(".news")).to_contain_text(f"your rating is now {rating} (−{1500 - rating})")
        expect(page.locator(".news").get_by_role("link", name="Go there")).to_have_count(0)
        assert axe(page) == []
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
        somebody.close()
        assert somebody.complaints == []


def test_who_gets_no_rating_is_told_why(chromium: Browser, server: WarlogServer) -> None:
    with Api(server.url) as stranger:
        red, blue, match = two(stranger, **DUEL)
        somebody = Person(chromium, server.url, **PHONE)
        page = somebody.page
        somebody.sign_in(blue)
        page.goto(f"{server.url}/m/{match}")
        page.wait_for_selector(".board")
        red.resign(match, "red")
        told = page.locator(".news")
        expect(told).to_contain_text("your rating stays as it is: the match was too short.")
        assert axe(page) == []
        somebody.close()
        assert somebody.complaints == []


def test_who_earns_something_is_told_wherever_he_is(chromium: Browser, server: WarlogServer) -> None:
    with Api(server.url) as stranger:
        red, blue, match = two(stranger, **DUEL)
        somebody = Person(chromium, server.url)
        page = somebody.page
        somebody.sign_in(red)
        page.goto(f"{server.url}/people")
        expect(page.get_by_role("searchbox", name="Name")).to_be_visible()
        played_to_the_end(red, blue, match)
        told = page.get_by_role("status").filter(has_text="you have earned an achievement:")
        expect(told).to_be_visible()
        rating = ok(red.get(f"/players/{red.id}/ratings"))["ratings"][0]["rating"]
        expect(told).to_contain_text(f"your rating is now {rating} (+{rating - 1500}); ")
        expect(told).to_contain_text("First win")
        told.get_by_role("button", name="Close").last.click()
        expect(page.get_by_text("your rating is now")).to_have_count(0)
        somebody.close()
        assert somebody.complaints == []


def test_the_table_moves(chromium: Browser, server: WarlogServer) -> None:
    """Three people play each other until their ratings are no longer provisional; then the last of them beats the
    first."""
    with Api(server.url) as stranger:
        people = {name: stranger.player(name) for name in ("Ada T.", "Ben T.", "Cem T.")}
        somebody = Person(chromium, server.url, **PHONE)
        page = somebody.page
        somebody.sign_in(people["Cem T."])

        def table() -> list[str]:
            page.goto(f"{server.url}/standing/hex")
            expect(page.get_by_role("row").filter(has_text="(you)")).to_be_visible()
            rows = page.get_by_role("table").first.get_by_role("row").all_inner_texts()
            placed = [row for row in rows if "provisional" not in row]
            return [name for row in placed for name in people if name in row]

        for turn in range(7):
            for pair in combinations(people.values(), 2):
                beaten(*pair[:: 1 if turn % 3 else -1])
        eventually(lambda: len(table()) == 3, PATIENCE_MS / 1000)
        before = table()
        for _ in range(3):
            beaten(people[before[2]], people[before[0]])
        eventually(lambda: table().index(before[2]) < 2, PATIENCE_MS / 1000)
        places = ok(stranger.get("/games/hex/leaderboard", params={"pool": "duel"}))["players"]
        assert [one["player"]["name"] for one in places] == table()
        of = {one["player"]["name"]: one["rating"] for one in places}
        page.goto(f"{server.url}/m/{begun(people['Ada T.'], people['Ben T.'], **DUEL)}")
        for name in ("Ada T.", "Ben T."):
            seat = page.locator(".seats li").filter(has_text=name)
            told = seat.get_by_title(f"Rating, Duel: ± {of[name]['deviation']}")
            expect(told).to_have_text(str(of[name]["rating"]))
        somebody.close()
        assert somebody.complaints == []
