"""What a player sees without looking for it: what may still be done, what came of it, what he is asked, and on which
level of the board something can be clicked."""

from __future__ import annotations

import re
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.servers import WarlogServer
from tests.service.api import SMALL, Api, begun, ok
from tests.service.waiting import eventually
from tests.web.pages import Person
from tests.web.pictures import midst

FLYER = {
    "pieces": [
        {"id": 90, "seat": "black", "type": "king", "at": "e1"},
        {"id": 91, "seat": "white", "type": "king", "at": "f10"},
        {"id": 1, "seat": "black", "type": "destroyer", "at": "d4", "articles": ["jump_pack"]},
    ]
}


def two_in_wec(url: str) -> tuple[Api, Api, str]:
    """A running match of Weaponized Chess, black and white."""
    black, white = (Api(url).player(name) for name in ("Ada", "Benno"))
    spec = {"game": "wec", "options": {}, "seats": {"black": "me", "white": white.id}}
    match = str(ok(black.post("/matches", spec), 201)["match"]["id"])
    for player, seat in ((white, "white"), (black, "black")):
        ok(player.command(match, {"type": "prepare", "seat": seat}), 201)
    return black, white, match


def end_turn(black: Api, match: str) -> None:
    """After a move, as the rules want one."""
    moves = ok(black.get(f"/matches/{match}/actions?seat=black&type=move"))["actions"]
    moved = next(one for one in moves if not one.get("open"))
    for action in (moved, {"type": "end_turn"}):
        ok(black.command(match, {"type": "act", "seat": "black", "action": action}), 201)


def test_a_phone_shows_the_level_that_has_the_targets(phone: Person) -> None:
    phone.begin("wec")
    page = phone.page
    level = {name: page.get_by_role("button", name=name, exact=True) for name in ("ground", "air")}
    expect(level["ground"]).to_have_attribute("aria-pressed", "true")
    page.locator('[data-level="ground"] [data-space="d1"]').focus()
    page.keyboard.press("Enter")
    expect(level["ground"]).to_have_attribute("aria-pressed", "true")  # something can be clicked there, too
    page.get_by_role("button", name=re.compile("Jet · Fire · SAM launcher")).click()
    expect(level["air"]).to_have_attribute("aria-pressed", "true")
    expect(page.locator('[data-level="air"] .space.go').first).to_be_visible()


def test_what_may_still_be_done_in_a_turn_is_said(person: Person) -> None:
    match = person.begin("wec")
    may = person.page.get_by_text("In this turn you may:")
    expect(may).to_contain_text("Move · Push · Fire")
    expect(may).not_to_contain_text("End the turn")
    moves = person.ask(f"/v1/matches/{match}/actions?seat=black&type=move")["actions"]
    person.ask(f"/v1/matches/{match}/commands", {"type": "act", "seat": "black", "action": moves[0]})
    expect(may).to_contain_text("End the turn")
    expect(may).not_to_contain_text("Move")
    # So it can when a piece has been clicked, but not while a shot is aimed that would be lost.
    page = person.page
    end, cancel = (page.get_by_role("button", name=name) for name in ("End the turn", "Cancel"))
    page.locator('[data-level="ground"] [data-space="d1"]').focus()
    page.keyboard.press("Enter")
    cancel.wait_for()
    expect(end).to_be_visible()
    page.get_by_role("button", name=re.compile("Jet · Fire · SAM launcher")).click()
    page.locator('[data-level="air"] .space.go').first.focus()
    page.keyboard.press("Enter")
    expect(page.locator(".actions button.main", has_text="Fire")).to_have_count(1)
    expect(end).to_have_count(0)
    cancel.click()
    version = person.events()
    end.click()
    person.page.get_by_text("Black: End the turn").first.wait_for()
    assert person.events() > version


def test_a_shot_without_effect_says_so(person: Person) -> None:
    match = person.begin("wec")
    fires = person.ask(f"/v1/matches/{match}/actions?seat=black&type=fire&trace=true")
    harmless = next(
        action
        for action, trace in zip(fires["actions"], fires["traces"], strict=True)
        if action["weapon"] == "flame" and not trace["hits"]
    )
    done = person.ask(f"/v1/matches/{match}/commands", {"type": "act", "seat": "black", "action": harmless})
    said = "uses Flame"
    happened = person.page.locator(".happened")
    expect(happened).to_contain_text(said)
    expect(happened).to_contain_text("nobody in sight is harmed")
    expect(person.page.locator(f".events li[value='{done['version']}']")).to_contain_text("harmed")


def test_a_journey_is_called_no_shot(person: Person) -> None:
    person.begin("wec", position=FLYER)
    person.page.locator('[data-level="ground"] [data-space="d4"]').focus()
    person.page.keyboard.press("Enter")
    kinds = person.page.get_by_role("group", name="Kinds of actions")
    expect(kinds).to_contain_text("Travel · Jump pack")
    expect(kinds).not_to_contain_text("Fire · Jump pack")


def test_what_the_other_side_does_is_told_as_far_as_it_is_seen(person: Person, server: WarlogServer) -> None:
    black, white, match = two_in_wec(server.url)
    person.sign_in(white)
    person.page.goto(f"{server.url}/m/{match}")
    told = set[bool]()
    for kind in ("pick_up", "move", "end_turn"):
        for action in ok(black.get(f"/matches/{match}/actions?seat=black&type={kind}"))["actions"][:1]:
            version = ok(black.act(match, "black", action), 201)["version"]
            (event,) = ok(white.get(f"/matches/{match}/events?seat=white&after={version - 1}"))["events"]
            assert "action" not in event
            line = person.page.locator(f".events li[value='{version}']")
            moved = any(effect["type"] == "moved" for effect in event.get("effects", []))
            if moved:
                (effect,) = event["effects"]
                expect(line).to_contain_text(f"{effect['from']} → {effect['to']}")
                expect(person.page.locator(".trail polyline")).to_have_count(1)
            told.add(moved)
            expect(line).to_contain_text("Black")
            expect(line).not_to_contain_text("action taken")
            if kind == "end_turn":
                expect(line).to_contain_text("ends the turn")
    assert told == {True, False}


def test_an_ability_that_one_tap_would_pay_is_asked_about_and_shows_what_it_takes(person: Person) -> None:
    match = person.begin("universal", options={"first": "good"})
    page = person.page
    before = person.events()
    ability = page.get_by_role("button", name="Sacrificial moves · costs 5 spaces")
    ability.click()
    asked = page.get_by_role("alertdialog")
    expect(asked).to_contain_text("costs 5 spaces: sure?")
    page.locator("[role=gridcell][aria-label$='can act']").first.click(force=True)
    expect(asked).to_have_count(0)  # another action has been begun
    page.get_by_role("button", name="Cancel", exact=True).click()
    ability.click()
    expect(page.locator(".pays path")).to_have_count(5)
    paid = page.locator("[role=gridcell][aria-label*='would be paid']")
    spaces = sorted(paid.evaluate_all("all => all.map((one) => one.dataset.space)"))
    assert person.events() == before
    asked.get_by_role("button", name="Yes").click()
    page.wait_for_selector(f"text=Event {before + 1} of {before + 1}")
    (event,) = person.ask(f"/v1/matches/{match}/events?after={before}")["events"]
    assert sorted(event["effects"][0]["spaces"]) == spaces
    line = page.locator(f".events li[value='{before + 1}']")
    expect(line).to_contain_text("Good: Sacrificial moves; Good pays with")
    expect(page.locator(".pays path")).to_have_count(0)


def test_an_offer_of_a_draw_is_a_question_that_stands_out(person: Person, server: WarlogServer) -> None:
    black, white, match = two_in_wec(server.url)
    person.sign_in(white)
    page = person.page
    page.goto(f"{server.url}/m/{match}")
    page.wait_for_selector(".actions")
    ok(black.act(match, "black", {"type": "offer_draw"}), 201)
    question = page.get_by_role("alert").filter(has_text="A draw is offered to you.")
    question.get_by_role("button", name="Accept draw").click()
    page.get_by_role("alertdialog").get_by_role("button", name="Yes").click()
    expect(page.locator(".state")).to_contain_text("A draw (")


def test_who_has_agreed_to_a_rematch_comes_to_it(person: Person, other: Person, server: WarlogServer) -> None:
    ada, ben = (Api(server.url).player(name) for name in ("Ada", "Benno"))
    match = begun(ada, ben)
    person.sign_in(ada)
    other.sign_in(ben)
    ok(ada.act(match, "red", {"type": "resign"}), 201)
    for one in (person, other):
        one.page.goto(f"{server.url}/m/{match}")
    person.page.get_by_role("button", name="Rematch").click()
    other.page.get_by_role("button", name="Accept").click()
    eventually(lambda: "rematch" in ada.match(match))
    for one in (person, other):
        one.page.wait_for_url(f"**/m/{ada.match(match)['rematch']}")
    watcher = person.page
    watcher.goto(f"{server.url}/m/{match}")  # who comes back to look at the old one, stays
    expect(watcher.get_by_role("link", name="Rematch")).to_be_visible()


def test_the_kinds_of_a_game_can_be_chosen_before_the_options(person: Person, server: WarlogServer) -> None:
    person.register("Ada")
    page = person.page
    page.goto(f"{server.url}/new/junqi")
    game = page.get_by_role("combobox", name="Game", exact=True)
    expect(game.locator("option")).to_have_text(["Four players", "Two players", "Flip"])
    expect(game).to_have_value("four")
    game.select_option("two")
    page.get_by_role("button", name="Play here, both sides").click()
    page.wait_for_url("**/m/*")
    expect(page.locator(".seats li")).to_have_count(2)
    page.goto(f"{server.url}/new/hex")
    expect(game.locator("option")).to_have_text(["Duel", "Pairs"])
    page.get_by_text("Rules: the standard game").click()
    page.locator(".options label").filter(has_text=re.compile("^seats")).get_by_role("spinbutton").fill("3")
    expect(game).to_have_value("")  # a kind that has no name
    game.select_option("duel")
    expect(page.get_by_text("Rules: the standard game")).to_be_visible()


@pytest.mark.parametrize("game", ["confrontation", "hex", "junqi", "universal", "wec"])
def test_no_option_is_explained_by_a_section_of_the_book(server: WarlogServer, game: str) -> None:
    schema = ok(Api(server.url).get(f"/games/{game}"))["options"]
    texts = [one.get("description", "") for one in schema["properties"].values()]
    assert not [text for text in texts if re.search(r"\d\.\d|\b(see|in) \d|below\)", text)]


def test_who_edits_a_running_match_is_told_that_he_does_not_have_all_of_it(
    person: Person, server: WarlogServer
) -> None:
    _black, white, match = two_in_wec(server.url)
    person.sign_in(white)
    page = person.page
    part = page.get_by_text("what you do not see there is not on it")
    page.goto(f"{server.url}/edit/wec/{match}/3")
    expect(page.get_by_text("A match can begin from this board.")).to_be_visible()
    expect(part).to_be_visible()
    page.reload()
    expect(part).to_be_visible()
    page.get_by_role("button", name="Start position").click()
    expect(part).to_have_count(0)


IN_SIGHT = """(box, whose) => {
  const seen = box.getBoundingClientRect();
  return [...box.querySelectorAll(`.space[aria-label*=" ${whose}"] rect`)].map((one) => one.getBoundingClientRect())
    .map(({ left, right }) => left >= seen.left - 1 && right <= seen.right + 1);
}"""


@pytest.mark.parametrize("first", ["balance", "good"])  # in the middle of the board, and at its side
def test_a_larger_board_opens_where_the_readers_pieces_stand(phone: Person, first: str) -> None:
    phone.begin("universal", options={"first": first})
    page = phone.page
    page.get_by_role("button", name="Larger board").click()
    seen = page.locator(".large").evaluate(IN_SIGHT, first.capitalize())
    assert len(seen) > 8
    assert all(seen)


def test_two_that_change_places_are_clicked_in_either_order(person: Person) -> None:
    match = person.begin("junqi")
    listed = person.ask(f"/v1/matches/{match}/actions?seat=south&type=swap")["actions"]
    swap = next(one for one in listed if not any(other["a"] == one["b"] for other in listed))
    page = person.page
    page.get_by_role("combobox").first.wait_for()
    before = person.events()
    second = page.locator(f'[data-space="{swap["b"]}"]')
    expect(second).to_have_class(re.compile(r"\bcan\b"))
    second.click(force=True)
    page.locator(f'[data-space="{swap["a"]}"]').click(force=True)
    page.wait_for_selector(f"text=Event {before + 1} of {before + 1}")
    (event,) = person.ask(f"/v1/matches/{match}/events?after={before}&seat=south")["events"]
    assert (event["action"]["a"], event["action"]["b"]) == (swap["a"], swap["b"])


def without(action: dict[str, Any], field: str) -> dict[str, Any]:
    return {key: value for key, value in action.items() if key != field}


def test_whom_a_piece_may_carry_is_a_choice_in_words(person: Person) -> None:
    match = person.begin("wec")
    moves = person.ask(f"/v1/matches/{match}/actions?seat=black&type=move")["actions"]
    pieces = person.ask(f"/v1/matches/{match}/view?seat=black")["view"]["pieces"]
    choppers = {one["piece"]: one["at"] for one in pieces if one["type"] == "chopper"}
    carried = next(
        one for one in moves if one["piece"] in choppers and "carry" in one and without(one, "carry") in moves
    )
    where = choppers[carried["piece"]]
    page = person.page
    shared = page.locator(f'[data-level="ground"] [data-space="{where}"]')
    shared.focus()
    page.keyboard.press("Enter")
    page.get_by_role("group", name="Kinds of actions").get_by_role("button", name="Chopper · Move").click()
    page.locator(f'[data-level="{carried["level"]}"] [data-space="{carried["to"]}"]').click(force=True)
    near = page.locator(".near").get_by_role("button")
    expect(near.filter(has_text="Move · carry")).to_be_visible()
    expect(near.filter(has_not_text="carry")).to_be_visible()
    for button in near.all():  # nothing beside the board is covered
        box, table = button.bounding_box(), page.locator(".table").bounding_box()
        assert box is not None
        assert table is not None
        assert box["x"] + box["width"] <= table["x"] + table["width"]


def test_what_is_asked_beside_a_click_covers_nothing_below_the_board(phone: Person) -> None:
    """On a phone the buttons stand there."""
    phone.begin("universal", position=midst("universal"))
    mighty = phone.page.locator('[data-space="a1"]')  # in the lowest rank
    mighty.click(force=True)
    near, space = phone.page.locator(".near").bounding_box(), mighty.bounding_box()
    assert near is not None
    assert space is not None
    assert near["y"] + near["height"] <= space["y"] + space["height"]


def test_news_move_nothing_under_the_hand(person: Person, server: WarlogServer) -> None:
    black, white, match = two_in_wec(server.url)
    person.sign_in(white)
    page = person.page
    page.goto(f"{server.url}/m/{match}")
    board = page.locator(".boards")
    board.wait_for()
    before = board.bounding_box()
    other = black.create(seats={"red": "me", "blue": white.id})["match"]["id"]
    expect(page.locator(".news")).to_contain_text("Hex Tactics")
    assert board.bounding_box() == before
    assert other


def test_that_it_is_ones_turn_elsewhere_leaves_the_corner_after_a_while_unless_it_is_being_read(
    person: Person, server: WarlogServer
) -> None:
    black, white, match = two_in_wec(server.url)
    person.sign_in(white)
    page = person.page
    page.clock.install()
    page.goto(server.url)
    page.wait_for_selector(".matches li")
    end_turn(black, match)
    news = page.locator(".news")
    expect(news).to_contain_text("it is your turn")
    news.hover()
    page.clock.run_for(40_000)
    expect(news).to_be_visible()
    page.mouse.move(5, 5)
    page.clock.run_for(20_000)
    expect(news).to_have_count(0)
    expect(page.locator("header .count")).to_be_visible()


def test_the_whole_turn_of_the_other_side_is_told_not_its_last_event_alone(
    person: Person, server: WarlogServer
) -> None:
    black, white, match = two_in_wec(server.url)
    person.sign_in(white)
    page = person.page
    page.goto(f"{server.url}/m/{match}")
    told = page.get_by_role("region", name="What happened")
    expect(page.locator(".state")).to_contain_text("Black")
    end_turn(black, match)
    expect(page.locator(".state")).to_contain_text("Your turn")
    expect(told).to_contain_text("Black: Dozer")
    expect(told).to_contain_text("Black ends the turn")
    expect(page.locator(".earlier polyline")).not_to_have_count(0)
    # When the reader has acted, that is the past.
    moves = ok(white.get(f"/matches/{match}/actions?seat=white&type=move"))["actions"]
    ok(white.command(match, {"type": "act", "seat": "white", "action": moves[0]}), 201)
    expect(told).to_contain_text("White")
    expect(told).not_to_contain_text("Black: Dozer")
    expect(page.locator(".earlier polyline")).to_have_count(0)


def test_the_only_piece_that_may_act_is_named(person: Person) -> None:
    match = person.begin("hex", options=SMALL)
    view = person.ask(f"/v1/matches/{match}/view?seat=red")["view"]
    active = next(one for one in view["stacks"] if one["id"] == view["active"])
    hint = person.page.get_by_role("region", name="What you can do").locator(".hint")
    expect(hint).to_contain_text(f"{active['space']} is to act: choose it.")


def test_how_a_match_ended_reads_as_it_was(person: Person) -> None:
    match = person.begin("wec")
    resign = {"type": "act", "seat": "black", "action": {"type": "resign"}}
    person.ask(f"/v1/matches/{match}/commands", resign)
    expect(person.page.locator(".state")).to_have_text("White won (the other side has given up).")


def test_who_plays_somebody_else_is_told_whether_he_has_won(
    person: Person, other: Person, server: WarlogServer
) -> None:
    black, white, match = two_in_wec(server.url)
    person.sign_in(white)
    other.sign_in(black)
    ok(black.command(match, {"type": "act", "seat": "black", "action": {"type": "resign"}}), 201)
    for one, told in ((person, "You won."), (other, "You lost.")):
        one.page.goto(f"{server.url}/m/{match}")
        state = one.page.locator(".state")
        expect(state).to_have_text(f"White won (the other side has given up). {told}")


def test_a_choice_of_payment_begins_with_what_would_be_paid(person: Person) -> None:
    match = person.begin("universal", options={"first": "chaos"})
    page = person.page
    demon = page.locator("[role=gridcell][aria-label*='Demon Chaos'][aria-label$='can act']")
    demon.last.click(force=True)
    page.get_by_role("button", name=re.compile("^Breed a demon · costs 3 spaces")).click()
    page.locator("[role=gridcell][aria-label$='can go here']").first.click(force=True)
    crossed = page.locator("[role=gridcell][aria-label*='would be paid']")
    expect(crossed).to_have_count(3)
    paid = crossed.evaluate_all("all => all.map((one) => one.dataset.space)")
    page.get_by_role("button", name="Choose what to pay with …").click()
    expect(page.locator(".pays path")).to_have_count(0)
    chosen = page.locator("form.template input:checked")
    expect(chosen).to_have_count(3)
    another = page.locator("form.template .spaces label:not(:has(:checked))").first
    name = another.inner_text().strip()
    another.click()
    expect(chosen).to_have_count(3)  # in place of one of them
    page.get_by_role("button", name="Done").click()
    page.wait_for_selector("form.template", state="detached")
    event = person.ask(f"/v1/matches/{match}/events?after=2")["events"][0]
    assert {name} < set(event["action"]["pay"]) <= {name, *paid}


PANIC = {
    "seats": [{"seat": "white"}, {"seat": "black"}],
    "active": "white",
    "pieces": [
        {"id": 1, "seat": "white", "type": "king", "at": "e1"},
        {"id": 2, "seat": "white", "type": "bishop", "at": "c1", "spells": ["panic"]},
        {"id": 4, "seat": "black", "type": "king", "at": "e8"},
        {"id": 5, "seat": "black", "type": "queen", "at": "g5"},
    ],
}


def test_where_only_a_space_is_to_be_chosen_that_is_said(person: Person) -> None:
    match = person.begin("confrontation", position=PANIC)
    cast = {"type": "cast", "piece": 2, "spell": "panic", "target": "g5"}
    person.ask(f"/v1/matches/{match}/commands", {"type": "act", "seat": "white", "action": cast})
    actions = person.page.get_by_role("region", name="What you can do")
    expect(actions.locator(".hint")).to_contain_text("Choose one of the marked spaces.")
    person.page.locator("[role=gridcell][aria-label$='can go here'], .space.can").first.click(force=True)
    expect(person.page.locator(".happened")).to_contain_text("Queen")


def test_what_a_spell_does_and_costs_is_said_where_it_is_bought(phone: Person) -> None:
    phone.begin("confrontation")
    page = phone.page
    page.get_by_role("button", name="Submit an army …").click()
    form = page.locator("form.template")
    form.get_by_label("+ Bishop").click()
    expect(form).to_contain_text("2 are included, each further one costs 1 point")
    expect(form).to_contain_text("Battle at a distance against one enemy piece.")
    form.get_by_label("bishops 1.1").select_option("panic")
    expect(form.locator("dt").first).to_have_text("Panic")


def test_the_marks_on_the_board_are_explained(person: Person) -> None:
    person.begin("hex", options={"army": "preset"})
    legend = person.page.locator(".legend")
    expect(legend).to_have_text("")
    below = legend.bounding_box()
    person.page.locator(".space.can").first.focus()
    person.page.keyboard.press("Enter")
    expect(legend).to_have_text("can go here")
    now = legend.bounding_box()
    assert below is not None
    assert now is not None
    assert (below["y"], below["height"]) == (now["y"], now["height"])  # nothing moves under the finger


def test_what_a_piece_has_now_is_told_beside_what_its_kind_has(person: Person) -> None:
    match = person.begin("hex", options={"army": "preset"})
    person.page.locator(".space.can").first.focus()
    person.page.keyboard.press("Enter")
    stack = person.ask(f"/v1/matches/{match}/view?seat=red")["view"]["stacks"][0]
    person.page.keyboard.press("Escape")
    person.page.locator(f'[data-space="{stack["space"]}"]').focus()
    person.page.keyboard.press("Enter")
    now = f"Now: Units {stack['count']} · start count {stack['start_count']} · top hp {stack['top_hp']}"
    expect(person.page.get_by_role("region", name="What is here")).to_contain_text(now)


def test_reinforcements_say_where_they_come_in(person: Person) -> None:
    match = person.begin("wec")
    waiting = person.ask(f"/v1/matches/{match}/view?seat=black")["view"]["reinforcements"]
    tray = person.page.get_by_role("region", name="Black: Reinforcements")
    expect(tray.locator("small")).to_have_text([one["at"] for one in waiting])


def test_an_action_that_names_no_space_stands_in_the_list_of_events(person: Person) -> None:
    person.begin("hex", options={"army": "preset"})
    person.page.locator(".space.can").first.focus()
    person.page.keyboard.press("Enter")
    person.page.get_by_role("button", name="Defend", exact=True).click()
    expect(person.page.locator(".events li[value='3']")).to_contain_text("defend", ignore_case=True)


def test_levels_have_names_in_chinese(person: Person) -> None:
    person.begin("wec")
    person.page.get_by_role("combobox").first.select_option("zh")
    expect(person.page.locator(".levels")).to_contain_text("水下")


def test_the_list_of_events_tells_who_has_won_a_battle(person: Person) -> None:
    pieces = [
        (1, "white", "king", "e1"),
        (2, "white", "knight", "d4"),
        (3, "black", "king", "e8"),
        (4, "black", "pawn", "d5"),
    ]
    position = {
        "seats": [{"seat": "white"}, {"seat": "black"}],
        "active": "white",
        "pieces": [dict(zip(("id", "seat", "type", "at"), one, strict=True)) for one in pieces],
    }
    match = person.begin("confrontation", position=position)
    attack = {"type": "move", "piece": 2, "to": "d5"}
    done = person.ask(f"/v1/matches/{match}/commands", {"type": "act", "seat": "white", "action": attack})
    (result,) = (one for one in done["effects"] if one["type"] == "battle_result")
    told = f"{result['attack_total']} against {result['defend_total']}; winner:"
    expect(person.page.locator(f".events li[value='{done['version']}']")).to_contain_text(told)
