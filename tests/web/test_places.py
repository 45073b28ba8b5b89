"""The pages around a match: finding somebody to play with, options, one's own page, learning; in both languages."""

from __future__ import annotations

import re
from typing import Literal

import pytest
from playwright.sync_api import Browser, expect

from tests.servers import WarlogServer
from tests.service.api import Api
from tests.turns import by_turns
from tests.web.pages import Person, axe


def test_two_who_look_for_an_opponent_find_each_other(
    chromium: Browser, server: WarlogServer, person: Person
) -> None:
    page = person.page

    def look(one: Person) -> None:
        one.home()
        card = one.page.get_by_role("region", name="Universal Chess", exact=True)
        card.get_by_role("button", name="Find an opponent").click()

    look(person)
    looking = page.locator(".looking")
    expect(looking).to_contain_text(re.compile(r"Universal Chess: Looking for an opponent \(\d+ s\)"))
    looking.get_by_role("button", name="Cancel").click()
    expect(looking).to_have_count(0)
    look(person)
    expect(looking).to_have_count(1)
    page.reload()
    expect(looking).to_have_count(1)
    others = [Person(chromium, server.url) for _ in range(4)]
    for other in others:
        look(other)
    for one in (person, *others):
        one.page.wait_for_url("**/m/*")
        one.page.wait_for_selector(".board")
    assert {one.page.url for one in others} == {page.url}
    for other in others:
        assert other.complaints == []
        other.close()


def test_a_match_has_the_options_that_were_chosen_and_kept(person: Person) -> None:
    page = person.page
    person.choose("Hex Tactics", "Play here, both sides")  # makes the account
    person.home()
    card = page.get_by_role("region", name="Hex Tactics", exact=True)
    card.get_by_role("link", name="Options").click()
    page.get_by_text("Rules: the standard game").click()
    page.get_by_role("spinbutton", name="army points").fill("500")
    page.get_by_text("Rules: 1 change").wait_for()
    page.get_by_label("Keep under a name").fill("small")
    page.get_by_role("button", name="Keep", exact=True).click()
    page.get_by_label("Rules that you have kept").wait_for()
    page.get_by_label("Who can see it").select_option("private")
    page.get_by_label("Time for each turn").select_option("300")
    page.get_by_label("Side").select_option("blue")
    page.get_by_role("button", name="Play a friend").click()
    page.wait_for_url("**/m/*")
    match = person.ask(f"/v1/matches/{page.url.rpartition('/')[2]}")["match"]
    assert match["options"]["army_points"] == 500
    assert (match["visibility"], match["move_seconds"]) == ("private", 300)
    assert [one["seat"] for one in match["seats"] if one["player"]] == ["blue"]
    lobby = page.url

    page.goto(f"{person.url}/new/hex")
    page.get_by_text("Rules: the standard game").click()
    page.get_by_label("Rules that you have kept").select_option("small")
    expect(page.get_by_role("spinbutton", name="army points")).to_have_value("500")
    page.goto(f"{person.url}/me")
    page.get_by_role("button", name="Delete small").click()
    page.get_by_role("button", name="Yes").click()
    expect(page.get_by_role("button", name="Delete small")).to_have_count(0)
    assert person.ask("/v1/players/me/options/hex") == {"options": []}

    # Chromium reports that a match that never began has no board: here nobody listens.
    tab = person.context.new_page()
    tab.goto(lobby)
    tab.get_by_role("button", name="End without a result").click()
    expect(tab.get_by_role("status").get_by_text("The match was ended without a result.")).to_be_visible()


def test_options_that_are_lists_and_tables_are_chosen_too(person: Person) -> None:
    page = person.page
    page.goto(f"{person.url}/new/universal")
    page.get_by_text("Rules: the standard game").click()
    page.locator("summary", has_text="factions").click()
    for faction in ("chaos", "evil", "good"):
        page.get_by_label("Add: factions").select_option(faction)
    page.get_by_role("button", name="Take away Evil").click()
    page.get_by_role("button", name="Play here, both sides").click()
    page.wait_for_url("**/m/*")
    match = person.ask(f"/v1/matches/{page.url.rpartition('/')[2]}")["match"]
    assert {one["seat"] for one in match["seats"]} == {"chaos", "good"}
    # One faction alone is no game, which the page may have asked before the second was added.
    person.complaints = [one for one in person.complaints if "422" not in one]

    page.goto(f"{person.url}/new/confrontation")
    page.get_by_text("Rules: the standard game").click()
    page.locator("summary", has_text="piece table").click()
    pawn = page.get_by_role("group", name="pawn", exact=True)
    pawn.get_by_label("cost").fill("2")
    page.get_by_text("Rules: 1 change").wait_for()
    page.get_by_role("button", name="Play here, both sides").click()
    page.wait_for_url("**/m/*")
    match = person.ask(f"/v1/matches/{page.url.rpartition('/')[2]}")["match"]
    assert match["options"]["piece_table"]["pawn"] == {"move": 2, "combat": 1, "cost": 2}
    # A list of one faction was refused when the page asked who would sit where.
    person.complaints = [one for one in person.complaints if "422" not in one]


def test_an_army_of_nothing_is_refused_in_a_sentence(person: Person) -> None:
    person.begin("hex")
    page = person.page
    page.locator(".actions").get_by_role("button", name="Recruit an army …").click()
    page.get_by_text("Choose 1 to 7 kinds (0 so far)").wait_for()
    page.get_by_role("button", name="Done").click()
    expect(page.locator(".trouble")).to_contain_text("An army has at least one stack.")
    page.get_by_role("button", name="+ Archer").click()
    page.get_by_text("Choose 1 to 7 kinds (1 so far)").wait_for()
    person.complaints = [one for one in person.complaints if "422" not in one]


def test_a_layout_is_kept_and_used_in_another_match(person: Person) -> None:
    page = person.page
    laid: list[list[str]] = []
    for which in range(2):
        person.choose("Siguo Junqi", "Play here, both sides")
        page.get_by_role("button", name="Lay out the army …", exact=True).first.click()
        slots = page.locator(".slots b")
        if which == 0:
            page.get_by_label("Keep under a name").fill("wall")
            page.get_by_role("button", name="Keep", exact=True).click()
            page.get_by_label("Use one that you have kept").wait_for()
        else:
            page.get_by_label("Use one that you have kept").select_option("wall")
        laid.append(slots.all_inner_texts())
    assert len(laid[0]) == 25
    assert laid[0] == laid[1]


def test_a_token_takes_the_account_to_another_browser(
    chromium: Browser, server: WarlogServer, person: Person
) -> None:
    page = person.page
    person.choose("Hex Tactics", "Play here, both sides")
    name = page.locator("header .who").inner_text()
    page.locator("header .who").click()
    expect(page.get_by_role("heading", level=1)).to_have_text(name)
    expect(page.get_by_text("this browser")).to_be_visible()
    page.get_by_label("What the token is for").fill("telephone")
    page.get_by_role("button", name="Make a token").click()
    token = page.locator("code.token").inner_text()
    assert token.startswith("wl_")

    other = Person(chromium, server.url)
    other.page.goto(f"{server.url}/me")
    other.page.get_by_label("Token").fill(token)
    other.page.get_by_role("button", name="Sign in").click()
    expect(other.page.get_by_role("heading", level=1)).to_have_text(name)
    expect(other.page.locator(".matches li")).to_have_count(1)

    # Ending the token ends the session that began with it.
    page.get_by_role("button", name="End telephone").click()
    page.get_by_role("button", name="Yes").click()
    expect(page.get_by_role("button", name="End telephone")).to_have_count(0)
    expect(other.page.get_by_role("alert")).to_contain_text("Your session has ended")
    other.page.get_by_role("button", name="Go on as a new guest").click()
    expect(other.page.get_by_text("You have no account here yet")).to_be_visible()
    assert other.complaints == []
    other.close()

    page.get_by_role("button", name="Sign out").click()
    page.get_by_role("button", name="Yes").click()
    expect(page.get_by_text("You have no account here yet")).to_be_visible()
    page.goto(f"{server.url}/")
    page.wait_for_selector(".game")


def test_a_game_is_learned_from_its_page(person: Person) -> None:
    page = person.page
    page.goto(f"{person.url}/learn/wec")
    page.locator('.space[data-space="a1"]').first.click()
    expect(page.locator(".explained")).to_contain_text("a1")
    expect(page.locator(".explained p")).not_to_have_count(1)  # and what stands there
    expect(page.get_by_text("A pawn that launches rockets")).to_be_visible()
    page.get_by_text("The whole rule book").click()
    link = page.get_by_role("navigation", name="Contents").get_by_role("link", name="3.1 Types")
    link.click()
    heading = page.locator(f'[id="{(link.get_attribute("href") or "#")[1:]}"]')
    expect(heading).to_be_in_viewport()
    expect(heading).to_have_text("3.1 Types")
    page.reload()  # the address leads there again
    expect(heading).to_be_in_viewport()


PLACES = ["/", "/new/wec", "/me", "/learn/confrontation"]


@pytest.mark.parametrize(
    ("width", "scheme"),
    by_turns([(1280, "dark"), (360, "light")], 2, name=lambda shown: f"{shown[0]}-{shown[1]}"),
)
def test_axe_finds_nothing_on_the_pages_around_a_match(
    chromium: Browser, server: WarlogServer, width: int, scheme: Literal["light", "dark"]
) -> None:
    """One way in every run, by turns; both in the soak."""
    person = Person(chromium, server.url, viewport={"width": width, "height": 844}, color_scheme=scheme)
    page = person.page
    with Api(server.url) as api:
        known = api.player("Somebody")
        person.sign_in(known)
        for place in [*PLACES, f"/p/{api.player('Another').id}"]:
            page.goto(server.url + place)
            page.wait_for_selector("main:not([aria-busy]) h1")
            for summary in page.locator("main summary").all():
                if summary.evaluate("one => !one.parentElement.open && !one.parentElement.matches('.book')"):
                    summary.click()
            assert axe(page) == [], place
            assert page.evaluate("document.documentElement.scrollWidth") <= width, place
    assert person.complaints == []
    person.close()


def test_boards_of_a_guide_show_what_a_piece_may_do_and_can_be_played_on(person: Person) -> None:
    page = person.page
    page.goto(f"{person.url}/learn/hex")
    board = page.locator(".scene").nth(1)
    archers = board.get_by_role("gridcell", name=re.compile("^d6, Archer Red"))
    archers.click(force=True)
    militia = board.get_by_role(
        "gridcell", name=re.compile(r"^e6, Militia Blue .* would fall, can take here$")
    )
    expect(board.get_by_role("gridcell", name=re.compile("can take here$"))).to_have_count(1)
    militia.click(force=True)
    expect(board.get_by_role("status")).to_have_text("Attack")
    archers.click(force=True)
    expect(board.get_by_role("status")).to_have_text("Now choose where.")
    board.get_by_role("button", name="Try it here, both sides").click()
    page.wait_for_url("**/m/*")
    expect(page.get_by_role("gridcell", name=re.compile("^e6, Militia Blue"))).to_be_visible()


def test_in_chinese_nothing_is_english_but_what_games_say(person: Person, server: WarlogServer) -> None:
    page = person.page
    with Api(server.url) as api:
        known = api.player("阿明")
        known.alone()
        person.sign_in(known)
    page.goto(server.url)
    page.evaluate("localStorage.language = 'zh'")
    for place in PLACES:
        page.goto(server.url + place)
        page.wait_for_selector("main:not([aria-busy]) h1")
        said = page.evaluate(SAID)
        # Also of players in matches that others play, and of who has left for good.
        names = re.compile(r"Warlog|Guest \d+|player \d+|Ada|somebody")
        english = [text for text in said if re.search(r"[A-Za-z]{3}", names.sub("", text))]
        assert english == ["English"], place


# Every text, and every label of an input, but those that are marked as English, are drawn on boards or name scenarios.
SAID = """() => {
  const said = [];
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walk.nextNode()) {
    const { data, parentElement } = walk.currentNode;
    if (!parentElement.closest("[lang=en], svg, script, noscript, .scenarios li")) said.push(data);
  }
  for (const one of document.querySelectorAll("[aria-label], [placeholder], [title]")) {
    if (one.closest("[lang=en], svg, .game, .scenarios li")) continue;
    said.push(one.getAttribute("aria-label") ?? "", one.placeholder ?? "", one.title ?? "");
  }
  return said;
}"""
