"""How a person plays on the page, who knows nothing of the game: with the mouse, or with the keyboard alone.

Both go by what a person sees and a screen reader says: roles, names and texts, never classes. What is clicked is drawn
at random from what the page offers.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from playwright.sync_api import Locator, expect

from tests.web.pages import Person

CLICKS_MAX = 40  # for one action, with those that were begun and dropped
TABS_MAX = 400
ARROWS_MAX = 120

# Role, name and text of the element that has the focus.
FOCUSED = """() => {
  const one = document.activeElement;
  return {role: one.getAttribute("role") ?? one.tagName.toLowerCase(), name: one.getAttribute("aria-label") ?? "",
          text: one.innerText ?? "", grid: one.closest("[role=grid]")?.getAttribute("aria-label") ?? ""};
}"""
# How far a cell is from the one that has the focus.
AWAY = """(cell) => {
  const middle = (one) => { const box = one.firstElementChild.getBoundingClientRect();
                            return [box.x + box.width / 2, box.y + box.height / 2] };
  const [[x, y], [a, b]] = [middle(document.activeElement), middle(cell)];
  return document.activeElement === cell ? null : [a - x, b - y];
}"""
NAMED = """(one) => [one.getAttribute("role") ?? "button", one.getAttribute("aria-label") ?? "", one.innerText ?? ""]"""
DRAWN_TWICE = "() => new Promise((go) => requestAnimationFrame(() => requestAnimationFrame(go)))"


class Hand:
    """Plays with the mouse."""

    def __init__(self, person: Person, rng: random.Random) -> None:
        self.person = person
        self.page = person.page
        self.rng = rng
        self.actions = self.page.get_by_role("region", name="What you can do")

    # ---- one action ----

    def act(self) -> None:
        """Takes one action of those that the page offers."""
        before = self.person.events()
        expect(self.actions.get_by_text(re.compile(r"\([1-9][0-9]*\)"))).to_be_visible()
        offered = []
        for _ in range(CLICKS_MAX):
            offered.append(self.step())
            self.settle()
            if self.person.events() > before:
                return
        raise AssertionError(f"no action came of {offered}")

    def step(self) -> str:
        """One click of a person who looks for an action; what it was."""
        done = self.page.get_by_role("button", name="Done", exact=True)
        if done.count():
            self.fill()
            return self.press(done)
        buttons, cells = (
            self.buttons(),
            self.cells("go here", "take here", "point here", "hit your own here") or self.cells("act"),
        )
        if buttons and (not cells or self.rng.random() < 0.5):
            return self.press(self.rng.choice(buttons))
        if cells:
            return self.press(self.rng.choice(cells))
        assert self.is_begun(), f"nothing is offered:\n{self.page.locator('body').aria_snapshot()}"
        return self.press(self.actions.get_by_role("button", name="Cancel", exact=True))

    def fill(self) -> None:
        """Buys something, where a form asks what to buy: little enough for any budget."""
        more = self.page.get_by_role("button", name=re.compile(r"^\+ "))
        if names := more.evaluate_all("all => all.map((one) => one.ariaLabel)"):
            wanted = self.rng.choice(names)
            self.press(self.page.get_by_role("button", name=wanted, exact=True))

    def give_up(self) -> None:
        """Resigns; in a phase in which nobody can, it is played on."""
        resign = self.actions.get_by_role("button", name="Resign", exact=True)
        if resign.count() == 0:
            return self.act()
        self.press(resign)
        self.press(self.actions.get_by_role("button", name="Yes", exact=True))
        self.settle()

    # ---- what is offered ----

    def is_begun(self) -> bool:
        return self.actions.get_by_role("button", name="Cancel", exact=True).count() > 0

    def buttons(self) -> list[Locator]:
        """The actions that stand as buttons under the hint; those that give the match up do not."""
        row = self.actions.locator("xpath=./*[following-sibling::details][not(@role)]").get_by_role("button")
        said = row.evaluate_all('all => all.map((one) => one.disabled ? "Cancel" : one.innerText)')
        return [row.nth(at) for at, text in enumerate(said) if text != "Cancel"]

    def cells(self, *can: str) -> list[Locator]:
        """The spaces, and the pieces beside the board, with which something can be done."""
        said = ", ".join(f'[aria-label$="can {one}"]' for one in can)
        found = self.page.locator(f":is([role=gridcell], button):is({said})")
        return [found.nth(at) for at in range(found.count())]

    # ---- how ----

    def press(self, what: Locator) -> str:
        """Presses a button or a space; its name."""
        role, label, text = map(str, what.evaluate(NAMED))
        self.press_named(what, role, label, text)
        return label or text

    def press_named(self, what: Locator, role: str, label: str, text: str) -> None:
        # What is drawn over a space lets the click through, which Playwright does not see.
        what.click(force=role == "gridcell")

    def settle(self) -> None:
        """Waits until the page has drawn what the click meant, and until its command is done."""
        self.page.evaluate(DRAWN_TWICE)
        self.page.wait_for_selector("main:not(:has([aria-busy=true]))")


class Keys(Hand):
    """Plays with the keyboard alone: on the board by arrow keys, or in the list of actions by its search."""

    def step(self) -> str:
        is_filling = self.page.get_by_role("button", name="Done", exact=True).count() > 0
        if is_filling or self.is_begun() or self.buttons() or self.rng.random() < 0.6:
            return super().step()
        return self.search()

    def press_named(self, what: Locator, role: str, label: str, text: str) -> None:
        if role == "gridcell":
            self.go_to(what)
        else:
            self.tab_to(lambda at: at["role"] == "button" and (at["name"], at["text"]) == (label, text))
        self.page.keyboard.press("Enter")

    def search(self) -> str:
        """Finds an action in the list by a word of it, and takes it."""
        opened = self.actions.get_by_role("searchbox")
        if not opened.is_visible():
            self.tab_to(lambda at: at["role"] == "summary" and at["text"].startswith("What you can do"))
            self.page.keyboard.press("Enter")
            expect(opened).to_be_visible()
        self.tab_to(lambda at: at["role"] == "input" and at["name"] == "Search")
        self.page.keyboard.press("Control+A")
        self.page.keyboard.press("Delete")
        listed = self.actions.get_by_role("list").get_by_role("button")
        expect(listed.first).to_be_visible()
        chosen = self.rng.choice(listed.all_inner_texts())
        self.page.keyboard.type(chosen)
        expect(listed.first).to_have_text(re.compile(re.escape(chosen)))
        self.tab_to(lambda at: at["role"] == "button" and at["text"] == chosen)
        self.page.keyboard.press("Enter")
        return chosen

    def tab_to(self, wanted: Callable[[dict[str, Any]], bool]) -> None:
        seen: list[str] = []
        for _ in range(TABS_MAX):
            at = self.page.evaluate(FOCUSED)
            if wanted(at):
                return
            seen.append(f"{at['role']} {at['name'] or at['text'][:30]}")
            self.page.keyboard.press("Tab")
        raise AssertionError(f"the Tab key leads to {list(dict.fromkeys(seen))} only")

    def go_to(self, cell: Locator) -> None:
        """To the grid of this cell by Tab, then by arrow keys."""
        grid = cell.locator("xpath=ancestor::*[@role='grid']").get_attribute("aria-label")
        self.tab_to(lambda at: at["role"] == "gridcell" and at["grid"] == grid)
        for _ in range(ARROWS_MAX):
            away = cell.evaluate(AWAY)
            if away is None:
                return
            self.page.keyboard.press(self.towards(*away))
        raise AssertionError(f"arrow keys do not lead to {cell.get_attribute('aria-label')}")

    def towards(self, x: float, y: float) -> str:
        """The arrow key that leads nearer; now and then another one, which leads around corners."""
        if self.rng.random() < 0.2:
            return self.rng.choice(["ArrowRight", "ArrowLeft", "ArrowUp", "ArrowDown"])
        if self.rng.random() * (abs(x) + abs(y)) < abs(x):
            return "ArrowRight" if x > 0 else "ArrowLeft"
        return "ArrowDown" if y > 0 else "ArrowUp"


class Table:
    """A match of persons, each at a browser of his own, who hold the seats in turn."""

    def __init__(self, owner: Mapping[str, Hand], match: str) -> None:
        """`owner`: whose seat each one is."""
        self.owner = owner
        self.hands = list(dict.fromkeys(owner.values()))
        self.path = f"/v1/matches/{match}"

    @classmethod
    def made(cls, game: str, hands: Sequence[Hand], options: dict[str, Any] | None = None) -> Table:
        """One that begins at once, and everybody looks at it."""
        first = hands[0].person
        described = first.ask(f"/v1/games/{game}")
        owner = {seat["id"]: hands[at % len(hands)] for at, seat in enumerate(described["seats"])}
        seats = {seat: "me" if hand is hands[0] else "open" for seat, hand in owner.items()}
        made = first.ask("/v1/matches", {"game": game, "seats": seats, "options": options or {}})
        table = cls(owner, made["match"]["id"])
        for seat, hand in owner.items():
            if hand is not hands[0]:
                hand.person.ask(f"{table.path}/seats/{seat}", {}, "PUT")
        for seat, hand in owner.items():
            if len(hands) > 1:
                hand.person.ask(f"{table.path}/commands", {"type": "prepare", "seat": seat})
        for hand in hands:
            hand.page.goto(f"{hand.person.url}/m/{made['match']['id']}")
        return table

    def match(self) -> dict[str, Any]:
        found: dict[str, Any] = self.hands[0].person.ask(self.path)["match"]
        return found

    def play(self, actions: int, loser: Hand | None = None) -> dict[str, Any]:
        """So many actions, then one after the other resigns, or the loser alone; the match when it is over."""
        for number in range(actions + 40):
            now = self.shown()
            if now["status"] != "playing":
                return now
            hand = self.owner[now["to_act"][0]]
            if number < actions or (loser is not None and hand is not loser):
                hand.act()
            else:
                hand.give_up()
        raise AssertionError("the match did not end")

    def shown(self) -> dict[str, Any]:
        """The match, once every screen shows its newest event."""
        now = self.match()
        for hand in self.hands:
            hand.page.wait_for_selector(f"text=Event {now['version']} of {now['version']}")
            hand.settle()
        return now
