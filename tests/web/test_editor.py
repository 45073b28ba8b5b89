"""The editor of the web board, scenarios, links and records, in a real Chromium against a real server."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Locator, Page

import warlog_core
from tests.servers import WarlogServer
from tests.service.waiting import eventually
from tests.turns import by_turns
from tests.web.pages import PHONE, Person, axe, drag, middle, swipe

ROOT = Path(__file__).resolve().parents[2]
NAMES = {name: warlog_core.game(name).codec.title for name in warlog_core.games()}
# What is taken from its space and put on another one: a type of which a board may have any number, and where it may go.
MOVED = {
    "confrontation": ("pawn", "d4"),
    "hex": (None, "h6"),
    "junqi": ("engineer", "C22"),
    "universal": ("demon", "j1"),
    "wec": ("tank", "e5"),
}
POSITION = {
    "confrontation": "pieces",
    "hex": "stacks",
    "junqi": "pieces",
    "universal": "pieces",
    "wec": "pieces",
}


@pytest.fixture
def person(chromium: Browser, server: WarlogServer) -> Iterator[Person]:
    somebody = Person(chromium, server.url)
    yield somebody
    leave(somebody)


def leave(person: Person) -> None:
    """The page must have had nothing to complain of."""
    person.close()
    refused = re.compile(r"status of 4\d\d")  # Chromium reports what the server refuses on purpose
    assert [one for one in person.complaints if not refused.search(one)] == []


def edit(person: Person, game: str) -> Page:
    """The editor with a board that the server has found to be fine."""
    person.page.goto(f"{person.url}/edit/{game}")
    fine(person.page)
    return person.page


def fine(page: Page) -> None:
    page.wait_for_selector("text=A match can begin from this board.")


def wrong(page: Page) -> str:
    """The sentence that says what is wrong."""
    return page.locator(".said.wrong p, p.said.wrong").inner_text()


def click(page: Page, space: str, level: str = "") -> None:
    board = f'[data-level="{level}"] ' if level else ""
    page.locator(f'{board}[data-space="{space}"]').first.click(force=True)


def said(page: Page, space: str) -> str:
    """What a screen reader says of a space, on the first level."""
    return page.locator(f'[data-space="{space}"]').first.get_attribute("aria-label") or ""


def shown(page: Page) -> Any:
    """The Position as the text has it."""
    opened(page, "As text")
    return json.loads(page.get_by_label("Position as JSON").input_value())


def opened(page: Page, summary: str) -> None:
    page.get_by_text(summary, exact=True).locator("..").evaluate("details => { details.open = true; }")


def write(page: Page, text: str) -> None:
    opened(page, "As text")
    page.get_by_label("Position as JSON").fill(text)


@pytest.mark.parametrize("game", by_turns(warlog_core.games(), 2))
def test_a_piece_is_taken_away_put_elsewhere_and_played_with(person: Person, game: str) -> None:
    page = edit(person, game)
    described = person.ask(f"/v1/games/{game}")
    layer = next(one for one in described["editor"]["layers"] if one["draw"] == "piece")
    kind, target = MOVED[game]
    before = shown(page)[layer["from"]]
    piece = next(one for one in before if kind in (None, one[layer["type"]]))
    owner = next(one["name"] for one in described["seats"] if piece.get("seat") == one["id"])
    name = next(one["name"] for one in described["pieces"] if one["key"] == piece[layer["type"]])
    space = piece[layer["space"]]

    click(page, space)
    page.get_by_role("region", name="What you chose").get_by_role("button", name="Take it away").click()
    assert name not in said(page, space)
    assert len(shown(page)[layer["from"]]) == len(before) - 1
    page.get_by_role("button", name=owner, exact=True).click()
    page.get_by_role("region", name="What to put on the board").get_by_role(
        "button", name=name, exact=True
    ).click()
    click(page, target)
    assert f"{name} {owner}" in said(page, target)
    if game == "hex":  # a stack has a size
        page.keyboard.press("Escape")
        click(page, target)
        page.get_by_label("count", exact=True).fill("7")
    fine(page)
    page.get_by_role("button", name="Play here, both sides").click()
    page.wait_for_url("**/m/*")
    match = page.url.rpartition("/")[2]
    page.wait_for_selector(".board")
    position = person.ask(f"/v1/matches/{match}/view?seat=all")["position"]
    (there,) = (one for one in position[layer["from"]] if one.get(layer["space"]) == target)
    assert there[layer["type"]] == piece[layer["type"]]
    assert there["seat"] == piece["seat"]
    assert game != "hex" or there["count"] == 7
    assert not any(one.get(layer["space"]) == space and one["seat"] == "" for one in position[layer["from"]])


def test_what_stands_on_the_board_is_moved_changed_and_given_things_to_carry(person: Person) -> None:
    page = edit(person, "wec")
    click(page, "e1")
    click(page, "e4")
    assert "King Black" in said(page, "e4")
    assert said(page, "e1") == "e1"
    chosen = page.get_by_role("region", name="What you chose")
    chosen.get_by_label("Add: articles").select_option("flame")
    chosen.get_by_label("stunned until").fill("5")
    king = next(one for one in shown(page)["pieces"] if one["at"] == "e4")
    assert (king["articles"], king["stunned_until"]) == (["flame"], 5)
    chosen.get_by_label("level").select_option("air")
    assert "King" not in said(page, "e4")
    air = page.locator('[data-level="air"] [data-space="e4"]').get_attribute("aria-label") or ""
    assert "King Black" in air
    assert "King Black, Flame" in air  # then whether that may be
    page.get_by_label("Whose turn it is").select_option("white")
    assert shown(page)["to_move"] == "white"
    for _ in range(5):
        page.get_by_role("button", name="Undo").click()
    assert said(page, "e1") == "e1, King Black"
    assert page.get_by_role("button", name="Undo").is_disabled()


def test_things_that_are_no_pieces_are_put_down_and_taken_away(person: Person) -> None:
    page = edit(person, "confrontation")
    page.get_by_role("button", name="Terrain").click()
    page.get_by_role("button", name="Barrier").click()
    for space in ("d4", "e4"):
        click(page, space)
    page.get_by_role("button", name="Rough").first.click()
    click(page, "e4")
    barrier, rough = shown(page)["terrain"]
    assert (barrier["spaces"], rough["spaces"]) == (["d4"], ["e4"])
    page.get_by_role("button", name="Take away", exact=True).click()
    click(page, "d4")
    assert shown(page)["terrain"] == [rough]

    page = edit(person, "universal")
    page.get_by_role("button", name="Area", exact=True).click()
    page.get_by_role("button", name="Chaos", exact=True).click()
    page.get_by_role("region", name="What to put on the board").get_by_role(
        "button", name="Area"
    ).last.click()
    click(page, "a1")  # Majora's
    area = shown(page)["area"]
    assert "a1" in area["chaos"]
    assert "a1" not in area["majora"]
    page.get_by_role("button", name="Dead", exact=True).click()
    page.get_by_role("button", name="Angel").click()
    assert [one["kind"] for one in shown(page)["dead"]] == ["angel"]
    page.get_by_role("region", name="Chaos: Dead").get_by_role("button").click()
    page.keyboard.press("Delete")
    assert shown(page)["dead"] == []
    fine(page)


def test_a_mistake_is_shown_where_it_is_with_the_server_s_sentence(person: Person) -> None:
    page = edit(person, "wec")
    click(page, "a1")
    page.get_by_role("region", name="What you chose").get_by_label("hand").select_option("")
    page.wait_for_selector(".said.wrong")
    assert "needs a hand" in wrong(page)
    hand = page.get_by_role("region", name="What you chose").get_by_label("hand")
    assert hand.get_attribute("aria-invalid") == "true"
    assert said(page, "a1").endswith("this is wrong")
    assert page.get_by_role("button", name="Play here, both sides").is_disabled()
    page.get_by_role("button", name="Close").click()
    page.get_by_role("button", name="Show: Tank, a1").click()
    hand.select_option("left")
    fine(page)
    assert "wrong" not in said(page, "a1")


def test_text_that_is_no_position_is_said_to_be_none_and_is_not_lost(person: Person) -> None:
    page = edit(person, "hex")
    good = shown(page)
    write(page, '{"stacks": [')
    page.wait_for_selector("text=The text is no JSON")
    assert page.get_by_role("button", name="Play here, both sides").is_disabled()
    page.reload()
    page.wait_for_selector("text=The text is no JSON")
    opened(page, "As text")
    assert page.get_by_label("Position as JSON").input_value() == '{"stacks": ['
    for none in ("[1, 2]", "null", '"board"'):
        write(page, none)
        page.wait_for_selector("text=The text is no Position")
    for sentence, bad in {"has no field": {"bread": 1}, "stacks": {**good, "stacks": {"a": 1}}}.items():
        write(page, json.dumps(bad))
        page.wait_for_selector(f".said.wrong:has-text('{sentence}')")
    write(
        page,
        json.dumps(
            {**good, "obstacles": [], "stacks": [*good["stacks"], None, {"space": 5}, {"space": "zz"}]}
        ),
    )
    page.wait_for_selector(".said.wrong:has-text('stacks'), .said.wrong:has-text('stack')")
    page.get_by_role("button", name="Start position").click()
    fine(page)
    assert shown(page) == good
    # A whole scenario may be pasted, with its options.
    write(page, json.dumps({"name": "x", "options": {"width": 12}, "position": good}))
    page.wait_for_selector(".said.wrong")
    assert json.loads(page.get_by_label("Options of the match as JSON").input_value()) == {"width": 12}
    assert page.locator('[data-space="l1"]').count() == 1
    page.wait_for_selector('[data-space="o1"]', state="detached")


def test_a_board_goes_to_another_person_in_a_link(
    chromium: Browser, server: WarlogServer, person: Person
) -> None:
    page = edit(person, "junqi")
    click(page, "S11")
    click(page, "C22")
    opened(page, "Keep or share this board")
    page.get_by_role("button", name="Copy a link").click()
    link = page.get_by_label("Link to this board").input_value()
    other = Person(chromium, server.url)
    edit(other, "junqi")
    other.page.goto(link)
    other.page.wait_for_selector(f"text={NAMES['junqi']}")
    fine(other.page)
    assert shown(other.page) == shown(page)
    other.page.get_by_role("button", name="Undo").click()  # what was there before the link
    assert said(other.page, "C22") == "C22"
    other.page.goto(f"{server.url}/edit/junqi#{link.rpartition('#')[2][:50]}")
    other.page.wait_for_selector("text=The link holds no board")
    assert said(other.page, "C22") == "C22"
    assert other.complaints == []
    other.close()


def test_a_scenario_is_kept_found_played_and_deleted(
    chromium: Browser, server: WarlogServer, person: Person
) -> None:
    page = edit(person, "universal")
    click(page, "a1")
    click(page, "b1")
    opened(page, "Keep or share this board")
    page.get_by_label("Name").fill("<b>Mine</b>")
    page.get_by_label("Everybody may find it").check()
    page.get_by_role("button", name="Save as a scenario").click()
    link = page.get_by_label("Link to this board").input_value()
    other = Person(chromium, server.url)
    other.page.goto(link)
    fine(other.page)
    assert "Mighty Majora" in said(other.page, "b1")
    other.home()
    other.page.get_by_role("button", name="Play: <b>Mine</b>").click()
    other.page.wait_for_url("**/m/*")
    other.page.wait_for_selector(".board")
    assert "Mighty Majora" in said(other.page, "b1")
    assert other.complaints == []
    person.home()
    page.get_by_role("button", name="Delete: <b>Mine</b>").click()
    page.wait_for_selector("text=<b>Mine</b>", state="detached")
    other.page.goto(link)
    assert "no such scenario" in other.page.get_by_role("alert").inner_text()
    other.close()


def test_a_match_goes_out_as_a_record_comes_in_again_and_is_edited(person: Person) -> None:
    match = person.choose(NAMES["wec"], "Play here, both sides")
    page = person.page
    page.wait_for_selector(".actions")
    before = person.ask(f"/v1/matches/{match}/view?seat=all")["position"]
    person.play(random.Random("record"), 12)
    person.settle()
    version = person.ask(f"/v1/matches/{match}")["match"]["version"]
    end = person.ask(f"/v1/matches/{match}/view?seat=all")["position"]
    assert end != before
    page.wait_for_selector(f"text=Event {version} of {version}")
    opened(page, "Keep and share")
    with page.expect_download() as record:
        page.get_by_role("link", name="Record as a file").click()
    with page.expect_download() as notation:
        page.get_by_role("button", name="Notation as a file").click()
    page.get_by_role("button", name="First").click()
    page.wait_for_selector(f"text=Event 2 of {version}")
    page.get_by_role("link", name="Edit the board from here").click()
    fine(page)
    assert shown(page) == before
    click(page, "e1")
    click(page, "e4")
    fine(page)
    page.get_by_role("button", name="Put this board into the match").click()
    page.wait_for_url(f"**/m/{match}")
    page.wait_for_selector(f"text=Event {version + 1} of {version + 1}")
    (king,) = (
        one
        for one in person.ask(f"/v1/matches/{match}/view?seat=all")["position"]["pieces"]
        if one["type"] == "king" and one["seat"] == "black"
    )
    assert king["at"] == "e4"

    for written in (record.value.path(), notation.value.path()):
        page.goto(f"{person.url}/import")
        page.get_by_label("File of a record").set_input_files(written)
        page.get_by_label("Which game is it?").select_option("wec")
        page.get_by_role("button", name="Open").click()
        page.wait_for_url("**/m/*")
        page.wait_for_selector(".board")
        again = page.url.rpartition("/")[2]
        assert again != match
        assert person.ask(f"/v1/matches/{again}/view?seat=all")["position"] == end


def test_a_record_that_is_none_ends_in_a_sentence_and_is_not_lost(person: Person) -> None:
    page = person.page
    page.goto(f"{person.url}/import")
    page.get_by_role("button", name="Open").click()
    assert wrong(page) == "Choose a file, or paste a text."
    text = page.get_by_label("Text of a record")
    for none in ("Dear diary", "[]", "17"):
        text.fill(none)
        page.get_by_role("button", name="Open").click()
        assert wrong(page).startswith("This is no record")
    for none in (
        '{"bread": 1}',
        '{"warlog_record": 1, "game": "hex", "events": 7}',
        '{"game": "ludo", "history": "1. e4"}',
    ):
        text.fill(none)
        assert page.locator(".said.wrong").count() == 0
        page.get_by_role("button", name="Open").click()
        assert re.search(r"\w+ \w+.*\.$", wrong(page))
    text.fill("1. e4 e5")
    page.get_by_label("Which game is it?").select_option("wec")
    page.get_by_role("button", name="Open").click()
    assert re.search(r"\w+ \w+.*\.$", wrong(page))
    page.reload()
    assert text.input_value() == "1. e4 e5"


def test_a_server_that_goes_away_loses_nothing(chromium: Browser, server: WarlogServer) -> None:
    person = Person(chromium, server.url)
    page = edit(person, "confrontation")
    person.context.set_offline(True)
    page.get_by_role("button", name="Rook").click()
    click(page, "d4")
    page.wait_for_selector("text=The server does not answer.")
    assert said(page, "d4").startswith("d4, Rook White")
    assert page.get_by_role("button", name="Play here, both sides").is_disabled()
    person.context.set_offline(False)
    page.get_by_role("button", name="Check again").click()
    fine(page)
    page.reload()
    fine(page)
    assert said(page, "d4").startswith("d4, Rook White")
    person.close()


@pytest.mark.parametrize(
    ("width", "scheme", "game"),
    by_turns(
        [(1280, "light", "confrontation"), (360, "dark", "hex")],
        2,
        name=lambda shown: f"{shown[0]}-{shown[1]}",
    ),
)
def test_axe_finds_nothing_in_the_editor(
    chromium: Browser, server: WarlogServer, width: int, scheme: Any, game: str
) -> None:
    person = Person(chromium, server.url, viewport={"width": width, "height": 844}, color_scheme=scheme)
    page = edit(person, game)
    piece = page.locator(".space[aria-label*=', ']").first
    piece.click(force=True)
    page.wait_for_selector(".holds")
    for summary in ("Keep or share this board", "As text"):
        opened(page, summary)
    page.get_by_role("button", name="Copy a link").click()
    assert axe(page) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.goto(f"{server.url}/import")
    page.wait_for_selector("textarea")
    assert axe(page) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    person.close()


@pytest.mark.parametrize(
    ("game", "hand"),
    by_turns(
        [("hex", drag), ("confrontation", swipe), ("wec", drag), ("junqi", swipe), ("universal", swipe)],
        2,
        name=lambda one: one[0],
    ),
)
def test_pieces_are_dragged_onto_the_board_over_it_and_off_it(
    chromium: Browser, server: WarlogServer, game: str, hand: Any
) -> None:
    person = Person(chromium, server.url, **(PHONE if hand is swipe else {}))
    page = edit(person, game)
    if page.get_by_role("button", name="ground").count():
        page.get_by_role("button", name="ground").click()
    layer = next(one for one in person.ask(f"/v1/games/{game}")["editor"]["layers"] if one["draw"] == "piece")
    kind, target = MOVED[game]
    before = shown(page)[layer["from"]]
    piece = next(one for one in before if kind in (None, one[layer["type"]]))
    space = piece[layer["space"]]
    cells = {name: page.locator(f'[data-space="{name}"]').first for name in (space, target)}

    def here(name: str) -> list[Any]:
        return [one for one in shown(page)[layer["from"]] if one.get(layer["space"]) == name]

    # Over the board.
    page.evaluate("scrollTo(0, 0)")
    hand(page, middle(cells[space]), middle(cells[target]))
    assert here(space) == []
    assert here(target) == [{**piece, layer["space"]: target}]
    # From the palette.
    stock = page.locator(".stock li").first.locator("svg")
    page.locator(".palette").evaluate("one => one.scrollIntoView({block: 'end'})")
    hand(page, middle(stock), middle(cells[space]))
    (placed,) = here(space)
    assert placed[layer["type"]] == page.locator(".stock button").first.get_attribute("data-type")
    # Beside the board, but not between its spaces.
    box = page.locator("svg.board").first.bounding_box()
    assert box
    hand(page, middle(cells[target]), (box["x"] + box["width"] / 2, box["y"] + box["height"] + 30))
    assert here(target) == []
    assert len(shown(page)[layer["from"]]) == len(before)
    assert page.locator(".dragged, .lifted").count() == 0
    leave(person)


def field(where: Locator, name: str) -> Locator:
    """Whose label is this and no more, but for what a choice in it may be."""
    label = where.locator("label").filter(has=where.page.get_by_text(name, exact=True))
    return label.locator("input, select")


def test_what_does_not_lie_on_the_board_is_changed_without_text(person: Person) -> None:
    page = edit(person, "wec")
    rest = page.locator("details.rest")
    rest.locator("summary").click()
    rest.get_by_label("Add: ghosts").first.fill("black")
    rest.get_by_role("button", name="Add: ghosts").click()
    rest.get_by_role("button", name="Add: Black").click()
    page.wait_for_selector(".said.wrong")  # it is nowhere yet
    assert field(rest, "at").get_attribute("aria-invalid") == "true"
    field(rest, "at").fill("e5")
    field(rest, "type").select_option("sub")
    fine(page)
    click(page, "e2", "ground")  # a stealth pawn, which is locked on the enemy's
    chosen = page.get_by_role("region", name="What you chose")
    lock = field(chosen, "lock")
    assert lock.locator("option:checked").inner_text() == "Stealth pawn, f9"
    lock.select_option(label="King, f10")
    click(page, "e1", "ground")
    chosen.get_by_label("Add: articles").select_option("bicycle")
    chosen.get_by_role("button", name="Add: journey").click()
    field(chosen, "to").fill("e3")
    chosen.get_by_label("remaining").fill("e2 e3")
    chosen.get_by_label("remaining").blur()
    eventually(lambda: any(one.get("journey", {}).get("remaining") for one in shown(page)["pieces"]))
    position = shown(page)
    assert position["ghosts"] == {"black": [{"type": "sub", "at": "e5", "level": "air", "turn": 1}]}
    pieces = {one["at"]: one for one in position["pieces"] if one.get("level", "ground") == "ground"}
    assert pieces["e2"]["lock"] == pieces["f10"]["id"]
    assert pieces["e1"]["journey"] == {
        "article": "bicycle",
        "to": "e3",
        "path": "beeline",
        "remaining": ["e2", "e3"],
    }
    fine(page)

    page = edit(person, "confrontation")
    opened(page, "As text")
    page.get_by_label("Options of the match as JSON").fill('{"races": true}')
    rest.locator("summary").click()
    for race, tokens in (("elves", "3"), ("orcs", "0")):
        which = 0 if race == "elves" else 1
        field(rest, "race").nth(which).select_option(race)
        field(rest, "race tokens").nth(which).fill(tokens)
    fine(page)
    assert [one["race"] for one in shown(page)["seats"]] == ["elves", "orcs"]
