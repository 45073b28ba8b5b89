"""The board of a match in a real Chromium: what an event did is shown and told, and what a click means is seen."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Browser, Locator, Route, expect

from tests.servers import WarlogServer
from tests.web.pages import PHONE, Person, drag, middle, swipe
from tests.web.pictures import midst

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
        "Black: Destroyer at d4 uses Torpedo launcher at d5, strength 1",
        "Torpedo appears at d5, flying n",
        "Torpedo explodes at d5",
        "White: Sub lost at d5 (Torpedo)",
    ]
    assert person.complaints == []
    person.close()


def test_what_was_clicked_is_explained_in_the_words_of_the_game(person: Person) -> None:
    person.begin("wec", position=TORPEDO)
    about = person.page.get_by_role("region", name="What is here")
    assert about.count() == 0
    space(person, "d4").click()
    about.get_by_text("Launches torpedoes and detects submerged enemies nearby").wait_for()
    space(person, "d5", "sub").click()  # an enemy submarine
    about.get_by_text("d5, sub").wait_for()
    assert "Dives, launches torpedoes" in about.inner_text()


def test_where_an_action_leads_is_seen_before_it_is_chosen(person: Person) -> None:
    person.begin("wec", position=TORPEDO)
    person.page.get_by_text("What you can do").click()
    person.page.get_by_role("searchbox").fill("torpedo launcher e")
    assert person.page.locator(".trail").count() == 0
    person.page.locator(".list button").first.focus()
    assert person.page.locator('[data-level="sub"] .trail').count() == 1
    person.page.get_by_role("searchbox").focus()
    assert person.page.locator(".trail").count() == 0


@pytest.mark.parametrize(("options", "veiled"), [({}, 1), ({"submersion": False}, 0)])
def test_an_own_piece_that_others_may_not_see_looks_so(
    person: Person, options: dict[str, bool], veiled: int
) -> None:
    person.begin("wec", position=TORPEDO | {"to_move": "white"}, options=options)
    assert person.page.locator(".piece.veiled").count() == veiled


def test_each_kind_of_action_of_a_piece_can_be_looked_at_alone(person: Person) -> None:
    person.begin("wec", position=TORPEDO)
    space(person, "d4").click()
    there = person.page.locator(".space.go, .space.take")
    kinds = person.page.get_by_role("group", name="Kinds of actions")
    every = there.count()
    kinds.get_by_role("button", name="Move").click()
    moves = there.count()
    assert 0 < moves < every
    assert person.page.locator("path.aim").count() == 0
    kinds.get_by_role("button", name="Fire · Torpedo launcher").click()
    assert person.page.locator("path.aim").count() > 0
    kinds.get_by_role("button", name="Fire · Torpedo launcher").click()
    assert there.count() == every


def test_a_piece_is_dragged_to_where_it_goes(person: Person) -> None:
    person.begin("confrontation", position=PAWNS)
    drag(person.page, middle(space(person, "a2")), middle(space(person, "a3")))
    told = person.page.get_by_role("region", name="What happened")
    told.get_by_text("White Pawn a2 → a3").wait_for()
    drag(
        person.page, middle(space(person, "d4")), middle(space(person, "h8"))
    )  # where it cannot go: nothing is done
    assert person.events() == 3
    assert person.page.locator(".dragged, .lifted").count() == 0


def test_a_piece_is_dragged_with_a_finger(chromium: Browser, server: WarlogServer) -> None:
    person = Person(chromium, server.url, **PHONE)
    person.begin("confrontation", position=PAWNS)
    swipe(person.page, middle(space(person, "a2")), middle(space(person, "a3")))
    told = person.page.get_by_role("region", name="What happened")
    told.get_by_text("White Pawn a2 → a3").wait_for()
    person.close()
    assert person.complaints == []


def battle(person: Person, *units: tuple[str, str, str, int]) -> None:
    """Hex Tactics with these stacks: seat, unit, space, how many. They act in this order."""
    stacks = [
        {"id": number, "seat": seat, "unit": unit, "space": at, "count": count}
        for number, (seat, unit, at, count) in enumerate(units, 1)
    ]
    queue = [one["id"] for one in stacks]
    person.begin("hex", position={"stacks": stacks, "queue": queue}, options={"obstacles": "none"})


def test_a_blow_by_which_nobody_falls_has_no_number(person: Person) -> None:
    battle(person, ("red", "militia", "d5", 1), ("blue", "swordsman", "e5", 10))
    person.page.locator('[data-space="d5"]').click(force=True)
    target = person.page.locator('[data-space="e5"]')
    expect(target).to_have_attribute("aria-label", "e5, Swordsman Blue 10, can take here")
    expect(person.page.locator("text.harm")).to_have_count(0)


def test_what_a_blow_would_do_is_told_before_it_is_struck(person: Person) -> None:
    battle(person, ("red", "swordsman", "d5", 10), ("blue", "archer", "f5", 10), ("blue", "wolf", "e6", 10))
    page = person.page
    archers, swordsmen, told = (
        page.locator(one) for one in ('[data-space="f5"]', '[data-space="d5"]', ".expected li")
    )
    swordsmen.click(force=True)
    expect(archers).to_have_attribute("aria-label", "f5, Archer Blue 10, 7…10 would fall, can take here")
    expect(page.locator("text.harm")).to_have_text(["−7…10", "−5…8"], use_inner_text=False)
    archers.click(force=True)
    # From wherever it is struck, the blow is the same, and told once.
    expect(told).to_have_text(
        [
            "Blue Archer f5: damage 80 (60 to 100), 10 (7 to 10) fall",
            "Red Swordsman d5: damage 0 (0 to 6), 0 fall",
        ]
    )
    page.keyboard.press("Escape")
    swordsmen.click(force=True)
    page.locator('[data-space="e5"]').click(force=True)
    expect(told.filter(has_text="Blue Archer f5")).to_have_text(
        "Blue Archer f5: damage 80 (60 to 100), 10 (7 to 10) fall"
    )
    expect(told).to_have_count(4)  # and what is struck strikes back
    archers.click(force=True)
    page.get_by_role("region", name="What happened").get_by_text("Archer").first.wait_for()
    expect(told).to_have_count(0)


def test_a_layout_is_made_by_drag_on_the_board(person: Person) -> None:
    match = person.begin("junqi")
    page = person.page
    page.get_by_role("button", name="Lay out the army").click()
    own = page.locator(".space.can")
    first = own.first
    name = first.get_attribute("data-space")
    piece = page.locator(f'.moving[data-at="{name}"] .symbol')
    before = piece.text_content()
    mouse = page.mouse
    mouse.move(*middle(first))
    mouse.down()
    mouse.move(middle(first)[0] + 20, middle(first)[1] + 20, steps=3)
    fits = page.locator(".space.go").all()
    others = [one.get_attribute("data-space") for one in fits]
    symbols = {one: page.locator(f'.moving[data-at="{one}"] .symbol').text_content() for one in others}
    other = next(one for one, symbol in symbols.items() if symbol != before)
    mouse.move(*middle(page.locator(f'[data-space="{other}"]')), steps=3)
    mouse.up()
    page.locator(f'.moving[data-at="{name}"]', has_text=symbols[other]).wait_for()
    assert page.locator(f'.moving[data-at="{other}"] .symbol').text_content() == before
    page.get_by_role("button", name="Done").click()
    page.wait_for_selector("form.template", state="detached")
    seat = next(event for event in person.ask(f"/v1/matches/{match}/events")["events"] if event.get("seat"))[
        "seat"
    ]
    view = person.ask(f"/v1/matches/{match}/view?seat={seat}")["view"]["pieces"]
    names = {entry["key"]: entry["symbol"] for entry in person.ask("/v1/games/junqi")["pieces"]}
    assert names[next(one for one in view if one["at"] == name)["type"]] == symbols[other]


def test_an_area_is_chosen_by_clicks_on_the_board(person: Person) -> None:
    match = person.begin("confrontation", options={"terrain": "players"})
    page = person.page
    for seat in range(2):
        page.locator(".actions").get_by_role("button", name="Submit an army …").click()
        page.get_by_role("button", name="Done").click()
        page.wait_for_selector(f"text=Event {3 + seat} of")
    page.locator(".actions").get_by_role("button", name="Choose your place").first.click()
    page.get_by_role("button", name="Place terrain").first.click()
    page.wait_for_selector(".space.chosen")
    while page.locator(".space.chosen").count():  # those that the form began with
        page.locator(".space.chosen").first.click()
    assert page.locator(".space.chosen").count() == 0
    for name in ("c4", "d4", "c5", "d5"):
        space(person, name).click()
        assert page.get_by_role("checkbox", name=name).is_checked()
    assert "can" not in (space(person, "a1").get_attribute("class") or "").split()  # in a zone
    page.get_by_role("button", name="Done").click()
    page.get_by_role("region", name="What happened").get_by_text("c4, d4, c5, d5").wait_for()
    (area,) = person.ask(f"/v1/matches/{match}/view")["view"]["terrain"]
    assert area["spaces"] == ["c4", "d4", "c5", "d5"]


def test_a_click_is_asked_about_where_the_reader_wants_it(person: Person) -> None:
    person.begin("confrontation", position=PAWNS)
    page = person.page
    page.get_by_text("How you see and play it").click()
    page.get_by_label("Ask first").select_option("takes")
    space(person, "a2").click()
    space(person, "a3").click()
    page.wait_for_selector("text=Event 3 of 3")  # it takes nothing
    space(person, "d4").click()
    space(person, "d5").click()
    question = page.locator(".near").get_by_role("alertdialog")
    question.get_by_role("button", name="No").click()
    assert person.events() == 3
    space(person, "d4").click()
    space(person, "d5").click()
    question.get_by_role("button", name="Yes").click()
    page.wait_for_selector("text=Event 4 of 4")
    page.reload()
    page.wait_for_selector(".actions")
    assert page.get_by_label("Ask first").input_value() == "takes"


def test_a_question_is_withdrawn_when_another_kind_of_action_is_chosen(person: Person) -> None:
    units = [("red", "archer", "d5"), ("blue", "wolf", "g5")]
    stacks = [
        {"id": number, "seat": seat, "unit": unit, "space": at, "count": 10}
        for number, (seat, unit, at) in enumerate(units, 1)
    ]
    person.begin("hex", position={"stacks": stacks, "queue": [1, 2]}, options={"obstacles": "none"})
    page = person.page
    page.get_by_text("How you see and play it").click()
    page.get_by_label("Ask first").select_option("all")
    expect(page.locator('[data-space="d5"]')).to_have_attribute(
        "aria-label", "d5, Archer Red 10, In turn, can act"
    )
    question, kinds = page.get_by_role("alertdialog"), page.get_by_role("group", name="Kinds of actions")
    page.locator('[data-space="d5"]').click(force=True)
    page.get_by_role("button", name="Defend", exact=True).first.click()
    expect(question.first).to_be_visible()
    kinds.get_by_role("button", name="Move", exact=True).click()
    expect(question).to_have_count(0)
    expect(kinds.get_by_role("button", pressed=True)).to_have_text("Move")


def test_a_match_that_is_over_is_seen_by_any_seat_and_whole_and_is_verified_draw_by_draw(
    chromium: Browser, server: WarlogServer, person: Person
) -> None:
    person.begin("wec", position=TORPEDO)
    page = person.page
    page.get_by_role("button", name="Resign").click()
    page.get_by_role("button", name="Yes").click()
    page.wait_for_selector("text=won (")
    stranger = Person(chromium, server.url)
    stranger.page.goto(page.url)
    stranger.page.get_by_role("button", name="First").click()
    hidden = stranger.page.locator('[data-level="sub"] .moving[data-at="d5"]')
    views = stranger.page.get_by_label("Seen as")
    views.select_option("spectator")
    stranger.settle()
    views.select_option("white")
    hidden.wait_for()
    views.select_option("all")
    stranger.settle()
    assert hidden.count() == 1
    assert stranger.page.locator('[data-level="ground"] .moving').count() == 3
    stranger.page.get_by_role("button", name="Verify").click()
    stranger.page.get_by_text("Every draw follows").wait_for()
    assert stranger.complaints == []
    stranger.close()


def test_who_goes_to_the_first_event_before_it_is_read_sees_the_first_board(person: Person) -> None:
    page = person.page
    person.begin("wec", position=TORPEDO)
    page.get_by_role("button", name="Resign").click()
    page.get_by_role("button", name="Yes").click()
    page.wait_for_selector("text=Event 3 of 3")
    waiting: list[Route] = []
    page.route(re.compile(r"/events\?.*after=0"), lambda route: waiting.append(route))
    page.reload()
    page.get_by_role("button", name="First").click()
    page.wait_for_selector("text=Event 1 of 3")
    for route in waiting:
        route.continue_()
    page.wait_for_selector("text=Event 2 of 3")
    expect(page.get_by_role("grid").first).to_be_visible()
    page.unroute_all()


def test_a_first_click_on_a_piece_is_a_look_and_does_nothing_yet(person: Person) -> None:
    person.begin("universal", position=midst("universal"))
    before = person.events()
    mighty = space(person, "a1")
    mighty.click(force=True)  # the only action there: it would be frozen
    near = person.page.locator(".near").get_by_role("button", name="Freeze")
    near.wait_for()
    expect(person.page.get_by_role("region", name="What is here")).to_contain_text("Mighty · Majora")
    assert person.events() == before
    person.page.keyboard.press("Escape")
    near.wait_for(state="detached")
    mighty.click(force=True)
    mighty.click(force=True)
    person.page.wait_for_selector(f"text=Event {before + 1} of {before + 1}")


def test_the_only_level_that_is_shown_says_what_is_above_and_below(person: Person) -> None:
    person.begin("wec", position=TORPEDO)
    marker = person.page.locator(".markers")
    assert marker.count() == 0
    person.page.get_by_text("How you see and play it").click()
    person.page.get_by_label("Seen as").select_option("white")  # who knows where his sub is
    person.page.get_by_role("button", name="air", exact=True).click()
    expect(marker.locator("text")).to_have_text(["G·K", "G·DS", "S·SU", "G·K"])
    person.page.get_by_role("button", name="sub", exact=True).click()
    expect(marker.locator("text")).to_have_text(["G·K", "G·DS", "G·K"])


def test_a_printed_board_is_alone_and_light(person: Person) -> None:
    person.begin("confrontation", position=PAWNS)
    person.page.emulate_media(media="print", color_scheme="dark")
    expect(person.page.get_by_role("grid")).to_be_visible()
    expect(person.page.get_by_role("complementary")).to_have_count(0)  # what is not shown has no role
    expect(person.page.get_by_role("banner")).to_have_count(0)
    colour = space(person, "a2").locator("rect").evaluate("one => getComputedStyle(one).fill")
    assert colour == "rgb(244, 234, 214)"
    assert b"/Page" in person.page.pdf()


def test_ready_armies_say_what_they_hold_and_partners_who_they_are(person: Person) -> None:
    person.begin("hex")
    host = person.page.get_by_role("button", name="Take a ready army · Host")
    expect(host).to_contain_text("Swordsman 15, Archer 20")
    person.begin("junqi")
    expect(person.page.locator(".seats li").first).to_contain_text("with North")


def test_of_two_pieces_on_a_space_the_one_under_the_hand_is_meant(person: Person) -> None:
    person.begin("wec")
    page = person.page
    shared = page.locator('[data-level="ground"] [data-space="d1"]')  # a chopper, and a jet to its right
    kinds = page.get_by_role("group", name="Kinds of actions")
    x, y = middle(shared.locator("rect"))
    page.mouse.click(x + 12, y)
    expect(kinds).to_contain_text("SAM launcher")
    expect(kinds).not_to_contain_text("Stun")
    page.mouse.click(x - 12, y)
    expect(kinds).to_contain_text("Stun")
    expect(kinds).not_to_contain_text("SAM launcher")
    page.keyboard.press("Escape")
    shared.focus()
    page.keyboard.press("Enter")  # no hand: both, each with its name
    expect(kinds).to_contain_text("Chopper · Fire · Stun")
    expect(kinds).to_contain_text("Jet · Fire · SAM launcher")


def test_a_shot_that_would_hit_ones_own_looks_otherwise_than_one_that_takes(person: Person) -> None:
    person.begin("wec")
    page = person.page
    page.get_by_role("gridcell", name=re.compile("^c2, .*can act$")).first.click(force=True)
    own = page.get_by_role("gridcell", name=re.compile("can hit your own here$"))
    expect(own.first).to_be_visible()
    names = own.evaluate_all("all => all.map((one) => one.dataset.space)")
    assert names == ["b1", "c1", "d1", "b2", "d2"]
    expect(page.locator(".targets .own")).to_have_count(own.count())
    expect(page.locator(".targets .take")).to_have_count(0)


def test_a_choice_is_called_as_the_catalogue_has_it_that_its_field_or_form_names(person: Person) -> None:
    """Not as the first catalogue that has the same key."""
    page = person.page

    def told(route: Route) -> None:
        answer = route.fetch(headers={**route.request.headers, "sec-fetch-site": "same-origin"})
        said = answer.json()
        wrong = {"name": "Another", "symbol": "?", "text": "Another."}
        for catalogue in ("weapons", "spells"):
            said["pieces"] += [{**wrong, "key": entry["key"]} for entry in said.get(catalogue, [])]
        route.fulfill(response=answer, json=said)

    page.route(re.compile(r"/v1/games/(wec|confrontation)(\?|$)"), told)
    person.begin("wec")
    shared = page.locator('[data-level="ground"] [data-space="d1"]')
    shared.focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("group", name="Kinds of actions")).to_contain_text("Chopper · Fire · Stun")
    expect(page.get_by_role("region", name="What is here")).to_contain_text("levels: Ground (G), Air (A)")
    expect(page.get_by_role("region", name="What is here")).not_to_contain_text("native")
    person.begin("confrontation")
    page.get_by_role("button", name=re.compile("^Submit an army.*…")).click()
    page.get_by_role("button", name="+ Bishop").click()
    spells = page.locator(".template select").first.locator("option")
    expect(spells).to_have_text(["Fireball", "Heal", "Hurt", "Judgement", "Panic"])
