"""What people stumbled over who did not know the page: headers that were squeezed, clicks that meant nothing, boards of
the past that looked like the present."""

from __future__ import annotations

import json
import re
from itertools import pairwise

import pytest
from playwright.sync_api import Route, expect

from tests.servers import WarlogServer
from tests.service.api import SMALL, Api, ok, two
from tests.service.waiting import eventually
from tests.turns import by_turns
from tests.web.pages import Person

PAUSES_S = [5, 10, 20, 40, 60, 60]
# When the page has asked for the player's own feed, by its own clock; and how many answers have not come.
ASKED_AT = """{
  const { fetch } = window;
  window.asked = [];
  window.unanswered = 0;
  window.fetch = (request) => {
    if (String(request.url ?? request).includes("/players/me/feed")) asked.push(Date.now());
    unanswered++;
    return fetch(request).finally(() => unanswered--);
  };
}"""
# Of a tree that is wider than its box: is the event that is shown in it?
IS_IN_SIGHT = """(box) => {
  const [here, seen] = [box.querySelector("circle.here"), box].map((one) => one.getBoundingClientRect());
  return box.scrollWidth > box.clientWidth && here.left >= seen.left && here.right <= seen.right;
}"""
LINE_PX = 40  # two lines of text are higher


@pytest.mark.parametrize("name", by_turns(["Ada", "W" * 40, "An oddly long name of forty characters!!"], 3))
def test_the_header_has_room_for_every_name_on_a_phone(
    phone: Person, server: WarlogServer, name: str
) -> None:
    api, other = Api(server.url).player(name), Api(server.url).player("Benno")
    other.create(seats={"red": "me", "blue": api.id})
    phone.sign_in(api)
    page = phone.page
    page.goto(server.url)
    header = page.locator("header")
    waits = header.get_by_role("link", name="1 match waits for you")
    expect(waits).to_be_visible()
    boxes = [
        one.bounding_box()
        for one in (
            waits,
            header.get_by_role("link", name="Warlog"),
            header.get_by_role("link", name=name, exact=True),
            header.get_by_role("combobox", name="Language"),
        )
    ]
    assert all(
        box is not None and box["height"] <= LINE_PX and box["x"] + box["width"] <= 390 for box in boxes
    ), boxes
    who = boxes[2]
    assert who is not None, boxes
    assert who["width"] >= 30, boxes
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


@pytest.mark.parametrize("visibility", ["public", "private"])
def test_a_challenge_that_is_declined_elsewhere_leaves_no_complaint(
    phone: Person, server: WarlogServer, visibility: str
) -> None:
    """The page does not ask as somebody who he is not any more."""
    ada, ben = (Api(server.url).player(name) for name in ("Ada", "Benno"))
    match = ada.create(seats={"red": "me", "blue": ben.id}, visibility=visibility)["match"]["id"]
    phone.sign_in(ben)
    page = phone.page
    page.goto(f"{server.url}/m/{match}")
    with page.expect_response(f"**/v1/matches/{match}/feed*"):
        expect(page.get_by_role("button", name="Decline")).to_be_visible()
    ok(ben.post(f"/matches/{match}/decline", {"reason": "later"}), 201)
    main = page.get_by_role("main")
    expect(main).to_contain_text(
        "The challenge was declined: “Later”."
        if visibility == "public"
        else "You cannot see this match any more."
    )
    expect(page.get_by_role("button", name="Decline")).to_have_count(0)
    page.wait_for_timeout(1_500)  # whatever else it asks for
    assert visibility == "private" or page.get_by_role("alert").count() == 0


def test_a_feed_that_is_refused_is_asked_for_after_ever_longer_pauses(
    phone: Person, server: WarlogServer
) -> None:
    phone.register("Ada")
    page = phone.page
    problem = {
        "type": "about:blank",
        "title": "No",
        "status": 403,
        "code": "insufficient_scope",
        "detail": "No.",
    }
    page.route(
        "**/v1/players/me/feed*",
        lambda route: route.fulfill(
            status=403, content_type="application/problem+json", body=json.dumps(problem)
        ),
    )
    page.clock.install()
    page.add_init_script(ASKED_AT)
    page.goto(server.url)
    asked: list[float] = []
    for _ in range(300):
        asked = page.evaluate("asked")
        if len(asked) == len(PAUSES_S) + 1:
            break
        while page.evaluate("unanswered"):  # they come in their own time
            page.wait_for_timeout(10)
        page.wait_for_timeout(20)
        page.clock.run_for(1_000)
    pauses = [(after - before) / 1_000 for before, after in pairwise(asked)]
    # The page has to be seen to ask: a second or more comes on top.
    assert all(least <= found <= least + 4.5 for least, found in zip(PAUSES_S, pauses, strict=True)), pauses
    page.close()
    assert set(phone.complaints) == {
        "Failed to load resource: the server responded with a status of 403 (Forbidden)"
    }
    phone.complaints.clear()


def test_the_enemy_is_clicked_before_the_space_from_which_he_is_struck(person: Person) -> None:
    riders = [{"unit": "cavalry", "count": 5}]  # they reach the other side of a small board
    person.begin("hex", options={**SMALL, "armies": {"red": riders, "blue": riders}})
    page = person.page
    page.locator("[role=gridcell][aria-label$='can act']").click(force=True)
    struck = page.locator("[role=gridcell][aria-label*='would fall']").first
    expect(struck).to_have_attribute("aria-label", re.compile("can take here$"))
    struck.click(force=True)
    expect(page.locator("[role=gridcell][aria-label$='can take here']")).to_have_count(0)
    before = person.events()
    page.locator("[role=gridcell][aria-label$='can go here']").first.click(force=True)
    page.wait_for_selector(f"text=Event {before + 1} of {before + 1}")
    expect(page.locator(".happened")).to_contain_text("melee")


def test_who_looks_at_the_past_is_told_and_comes_back(phone: Person, server: WarlogServer) -> None:
    ada, ben, match = two(Api(server.url))
    phone.sign_in(ben)
    page = phone.page
    page.goto(f"{server.url}/m/{match}")
    before = ada.match(match)
    seat = before["to_act"][0]
    mover = ada if seat == "red" else ben
    active = ok(mover.get(f"/matches/{match}/view", params={"seat": seat}))["view"]["active"]
    ok(mover.act(match, seat, {"type": "defend", "piece": active}), 201)
    at = before["version"]
    ok(ada.command(match, {"type": "propose", "proposal": {"kind": "undo", "to": at}}), 201)
    expect(page.locator(".events")).to_contain_text(f"{ada.name} proposes: to go back (event {at})")
    page.get_by_role("button", name=f"Look at event {at}").click()
    expect(page.get_by_text(f"You look at the past: event {at} of {at + 2}.")).to_be_visible()
    page.get_by_role("button", name="Go to the present").click()
    expect(page.get_by_text("You look at the past")).to_have_count(0)
    page.get_by_role("button", name=f"Look at event {at}").click()
    page.get_by_role("button", name="Accept").click()
    expect(page.get_by_text(f"Event {at + 3} of {at + 3}")).to_be_visible()
    expect(page.get_by_text("You look at the past")).to_have_count(0)


def test_the_board_of_a_match_is_edited_without_asking_for_what_is_hidden(
    phone: Person, server: WarlogServer
) -> None:
    _ada, ben, match = two(Api(server.url))
    phone.sign_in(ben)
    phone.page.goto(f"{server.url}/m/{match}")
    phone.page.get_by_text("Keep and share").click()
    phone.page.get_by_role("link", name="Edit the board from here").click()
    expect(phone.page.get_by_text("A match can begin from this board.")).to_be_visible()


def test_what_an_ability_costs_is_said_before_it_is_paid(person: Person) -> None:
    match = person.begin("universal")
    first = person.ask(f"/v1/matches/{match}/actions?seat=majora")["actions"][0]
    person.ask(f"/v1/matches/{match}/commands", {"type": "act", "seat": "majora", "action": first})
    page = person.page
    page.locator("[role=gridcell][aria-label*='Demon Chaos'][aria-label$='can act']").last.click(force=True)
    page.get_by_role("button", name=re.compile("^Breed a demon · costs 3 spaces")).click()
    before = person.events()
    page.locator("[role=gridcell][aria-label$='can go here']").first.click(force=True)
    page.get_by_role("button", name="Choose what to pay with …").click()
    form = page.locator("form.template")
    expect(form.get_by_role("checkbox", checked=True)).to_have_count(3)
    form.get_by_role("button", name="Done").click()
    page.wait_for_selector(f"text=Event {before + 1} of {before + 1}")
    expect(page.locator(".happened")).to_contain_text("Chaos pays with")


def test_a_layout_begins_with_what_stands_on_the_board(person: Person) -> None:
    person.begin("junqi")
    page = person.page
    page.get_by_role("button", name="Lay out the army …").click()
    for slot in page.locator(".slots button").evaluate_all("all => all.map((one) => one.ariaLabel)"):
        space, piece = slot.split(": ")
        cell = page.locator(f"[role=gridcell][aria-label^='{space},']")
        expect(cell).to_have_attribute("aria-label", re.compile(f"^{space}, .*{piece}"))
    page.get_by_role("button", name="Cancel").click()


def test_a_refusal_is_forgotten_when_something_succeeds(person: Person) -> None:
    person.begin("hex")
    page = person.page
    page.get_by_role("button", name="Recruit an army …").click()
    page.get_by_label("Dragon", exact=True).fill("50")
    page.get_by_role("button", name="Done").click()
    expect(page.get_by_role("alert")).to_contain_text("This army costs")
    page.get_by_label("Dragon", exact=True).fill("1")
    page.get_by_role("button", name="Done").click()
    expect(page.get_by_role("alert")).to_have_count(0)
    expect(page.locator(".events")).to_contain_text("Recruit an army Dragon 1")
    person.complaints.clear()  # Chromium reports every refusal


def test_a_guest_of_a_lobby_is_asked_to_sit_down(phone: Person, server: WarlogServer) -> None:
    match = Api(server.url).player("Ada").create(seats={"red": "me", "blue": "open"})["match"]["id"]
    page = phone.page
    page.goto(f"{server.url}/m/{match}")
    expect(page.get_by_text("Take a free seat to play.")).to_be_visible()
    expect(page.get_by_text("Send this link to your friend")).to_have_count(0)


def test_who_sees_an_empty_board_is_told_where_his_pieces_lie(person: Person) -> None:
    match = person.begin("confrontation")
    hint = person.page.get_by_role("region", name="What you can do").locator(".hint")

    for _ in range(3):  # both buy an army, one chooses who begins
        person.do_first(match)
    expect(hint).to_contain_text("Choose one of the pieces that lie under the board.")
    person.page.locator(".lies.can").first.click()
    expect(hint).to_contain_text("Now choose where.")


def test_an_event_that_comes_while_the_board_is_read_does_not_mix_two_boards(person: Person) -> None:
    """The board and what can be done on it are read of one version: nothing can be clicked before that is shown."""
    match = person.begin("confrontation")
    hint = person.page.get_by_role("region", name="What you can do").locator(".hint")
    held: list[Route] = []

    def is_held() -> bool:
        person.page.wait_for_timeout(20)  # in which the page is served
        return len(held) == 1

    with person.page.expect_response(lambda answer: "/actions?" in answer.url and "seat=black" in answer.url):
        person.do_first(match)
    asked = f"**/v1/matches/{match}/actions?**"
    person.page.route(asked, lambda route: held.append(route))
    person.do_first(match)
    eventually(is_held)
    person.do_first(match)  # one chooses who begins, while the page asks what he may choose
    person.page.route(f"**/v1/matches/{match}", lambda route: held.append(route))
    held.pop().continue_()
    person.page.unroute(asked)
    eventually(is_held)  # the board has been read, and the page asks what has come since
    expect(hint).not_to_contain_text("lie under the board")
    expect(person.page.locator(".lies.can")).to_have_count(0)
    held.pop().continue_()
    expect(hint).to_contain_text("Choose one of the pieces that lie under the board.")


def test_what_was_clicked_stays_when_the_same_is_read_again(person: Person) -> None:
    match = person.begin("confrontation")
    hint = person.page.get_by_role("region", name="What you can do").locator(".hint")
    held: list[Route] = []

    def is_held() -> bool:
        person.page.wait_for_timeout(20)  # in which the page is served
        return len(held) == 1

    person.do_first(match)
    expect(hint).to_contain_text("Choose")
    person.page.route(f"**/v1/matches/{match}", lambda route: held.append(route))
    person.do_first(match)
    eventually(is_held)  # the page asks how the match stands now
    person.do_first(match)  # so the answer tells of this event as well, before the feed does
    held.pop().continue_()
    expect(hint).to_contain_text("Choose one of the pieces that lie under the board.")
    eventually(is_held)  # the feed has told of it, and the page asks once more
    person.page.locator(".lies.can").first.click()
    expect(hint).to_contain_text("Now choose where.")
    with person.page.expect_response(lambda answer: "/actions?" in answer.url):
        held.pop().continue_()
    person.page.wait_for_timeout(200)
    expect(hint).to_contain_text("Now choose where.")


def test_a_lobby_says_how_long_one_may_think(phone: Person, server: WarlogServer) -> None:
    made = Api(server.url).player("Ada").create(game="junqi", options={}, seats={"south": "me"})["match"]
    assert made["move_seconds"] == 30
    phone.page.goto(f"{server.url}/m/{made['id']}")
    expect(phone.page.locator(".lobby")).to_contain_text("Time for each turn: 30 seconds")


def test_the_way_of_a_move_begins_where_the_piece_stood_and_the_tree_shows_where_one_is(
    phone: Person, server: WarlogServer
) -> None:
    ada, ben, match = two(Api(server.url))
    phone.sign_in(ben)
    page = phone.page
    page.goto(f"{server.url}/m/{match}")
    for _ in range(30):
        (seat,) = ada.match(match)["to_act"]
        mover = ada if seat == "red" else ben
        active = ok(mover.get(f"/matches/{match}/view", params={"seat": seat}))["view"]["active"]
        ok(mover.act(match, seat, {"type": "defend", "piece": active}), 201)
    before = ada.match(match)["version"] - 1
    ok(ada.command(match, {"type": "propose", "proposal": {"kind": "undo", "to": before}}), 201)
    page.get_by_role("button", name="Accept").click()
    expect(page.get_by_role("button", name="Accept")).to_have_count(0)
    (seat,) = ada.match(match)["to_act"]
    mover = ada if seat == "red" else ben
    listed = ok(mover.get(f"/matches/{match}/actions?seat={seat}&type=move&trace=true"))
    action, way = listed["actions"][0], listed["traces"][0]["path"]
    done = ok(mover.act(match, seat, action), 201)
    expect(page.get_by_text(f"Event {done['version']} of {done['version']}")).to_be_visible()
    points = re.compile(f"^[^ ]+( [^ ]+){{{len(way)}}}$")
    expect(page.locator(".trail polyline")).to_have_attribute("points", points)
    eventually(lambda: bool(page.locator(".tree .wide").evaluate(IS_IN_SIGHT)))
