"""Two people make a match for points on the page, play it there to its end, and see there what has come of it."""

from __future__ import annotations

import random

from playwright.sync_api import Browser, Locator, Page, expect

from tests.servers import WarlogServer
from tests.service.api import Api, begun, ok
from tests.service.waiting import eventually
from tests.web.hands import Hand, Table
from tests.web.pages import PATIENCE_MS, Person

ACTIONS_MIN = 12  # of hex: a shorter match is not rated
DRAWS = 10  # until a rating is not provisional


def drawn(red: Api, blue: Api) -> None:
    """A rated match that moves neither of two equal ratings: only their uncertainty shrinks."""
    match = begun(red, blue, options={"army": "preset"}, mode="competitive")
    seats = {"red": red, "blue": blue}
    for _ in range(ACTIONS_MIN):
        acting = red.match(match)["to_act"][0]
        active = ok(seats[acting].get(f"/matches/{match}/view", params={"seat": acting}))["view"]["active"]
        ok(seats[acting].act(match, acting, {"type": "defend", "piece": active}), 201)
    acting = red.match(match)["to_act"][0]
    ok(seats[acting].act(match, acting, {"type": "offer_draw"}), 201)
    other = "blue" if acting == "red" else "red"
    ok(seats[other].act(match, other, {"type": "accept_draw"}), 201)


def sat_down(one: Page, other: Page, url: str) -> str:
    """One makes a match for points and the other takes his seat, both by clicks; the match's id."""
    one.goto(f"{url}/new/hex")
    one.get_by_label("Kind of match").select_option(label="for points")
    one.get_by_text("Rules: the standard game").click()
    one.locator("label", has_text="where armies come from").get_by_role("combobox").select_option("preset")
    one.get_by_role("button", name="Play a friend").click()
    one.wait_for_url("**/m/*")
    other.goto(one.get_by_role("textbox").first.input_value())
    other.get_by_role("button", name="Sit here").click()
    for page in (one, other):
        page.get_by_role("button", name="I am ready").click()
    for page in (one, other):
        expect(page.get_by_role("grid").first).to_be_visible()
    return one.url.rpartition("/")[2]


def is_clear(page: Page, told: Locator) -> bool:
    """Does the board lie beside this?"""
    over, board = told.locator("> *").bounding_box(), page.get_by_role("grid").first.bounding_box()
    assert over
    assert board
    return over["x"] >= board["x"] + board["width"]


def rows(page: Page, url: str) -> list[str]:
    """The leaderboard, as this reader sees it."""
    page.goto(f"{url}/standing/hex")
    expect(page.get_by_role("row").filter(has_text="(you)")).to_be_visible()
    return page.get_by_role("table").first.locator("tbody").get_by_role("row").all_inner_texts()


def test_two_people_play_a_rated_match_by_clicks_and_see_what_has_come_of_it(
    chromium: Browser, server: WarlogServer
) -> None:
    """Both have drawn until their ratings are not provisional. Who stands below wins, and that is his first win."""
    with Api(server.url) as stranger:
        apis = {name: stranger.player(name) for name in ("Ada W.", "Ben W.")}
        for _ in range(DRAWS):
            drawn(*apis.values())
        people = {name: Person(chromium, server.url) for name in apis}
        for name, person in people.items():
            person.sign_in(apis[name])
        page = people["Ada W."].page

        def both_placed() -> bool:
            return sum("1500 ±" in row and "provisional" not in row for row in rows(page, server.url)) == 2

        eventually(both_placed, PATIENCE_MS / 1000)
        before = rows(page, server.url)
        upper, lower = (next(name for name in apis if name in row) for row in before)

        hands = {name: Hand(person, random.Random(name)) for name, person in people.items()}
        match = sat_down(people["Ada W."].page, people["Ben W."].page, server.url)
        owner: dict[str, Hand] = {"red": hands["Ada W."], "blue": hands["Ben W."]}
        over = Table(owner, match).play(ACTIONS_MIN, loser=hands[upper])
        assert [owner[seat] for seat in over["result"]["winners"]] == [hands[lower]]

        told = people[lower].page.get_by_role("status").filter(has_text="you have earned an achievement:")
        expect(told).to_be_visible()
        assert is_clear(people[lower].page, told), "the news lie over the board"
        rating = {
            name: ok(api.get(f"/players/{api.id}/ratings"))["ratings"][0]["rating"]
            for name, api in apis.items()
        }
        assert rating[lower] > 1500 > rating[upper]
        expect(told).to_contain_text(f"your rating is now {rating[lower]} (+{rating[lower] - 1500}); ")
        expect(told).to_contain_text("First win")
        lost = people[upper].page.get_by_role("status").filter(has_text="your rating is now")
        expect(lost).to_contain_text(f"{rating[upper]} (−{1500 - rating[upper]})")
        expect(lost).not_to_contain_text("First win")

        for name, person in people.items():  # each looks at the other's profile
            page = person.page
            of = lower if name == upper else upper
            page.goto(f"{server.url}/p/{apis[of].id}")
            page.get_by_text("Latest changes").click()
            change = page.get_by_role("listitem").filter(has_text=f"1500 → {rating[of]}")
            expect(change.get_by_role("link", name="the match")).to_have_attribute("href", f"/m/{match}")
            first = page.get_by_role("listitem").filter(has_text="First win")
            if of == lower:
                expect(first.get_by_role("link", name="the match")).to_have_attribute("href", f"/m/{match}")
            else:
                expect(page.get_by_role("heading", name="Achievements")).to_be_visible()
                expect(first).to_have_count(0)
        now = rows(page, server.url)
        assert [next(one for one in apis if one in row) for row in now] == [lower, upper]
        assert [str(rating[one]) in row for one, row in zip((lower, upper), now, strict=True)] == [
            True,
            True,
        ]
        for person in people.values():
            person.close()
            assert person.complaints == []
