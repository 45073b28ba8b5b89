"""A real browser on the page of a real server."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from playwright.sync_api import (
    Browser,
    BrowserContext,
    Error,
    Locator,
    Page,
    TimeoutError,
    expect,
    sync_playwright,
)

from tests import chromium
from tests.service.api import Api

ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    # Pictures are the same whatever the machine's settings for letters and colours are.
    "--font-render-hinting=none",
    "--force-color-profile=srgb",
]
ROOT = Path(__file__).resolve().parents[2]
PATIENCE_MS = 60_000  # the machine may be busy
expect.set_options(timeout=PATIENCE_MS)
PHONE: dict[str, Any] = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}


@contextmanager
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=chromium.executable(), args=ARGUMENTS)
        try:
            yield opened
        finally:
            opened.close()


def axe(page: Page) -> list[str]:
    """What axe finds wrong on the page; to describe what is right, too, would take it twice as long."""
    page.evaluate((ROOT / "clients/node_modules/axe-core/axe.min.js").read_text(encoding="utf-8"))
    violations = page.evaluate("axe.run({resultTypes: ['violations']})")["violations"]
    return [f"{one['id']}: {one['nodes'][0]['html']}" for one in violations]


def middle(place: Locator) -> tuple[float, float]:
    box = place.bounding_box()
    assert box
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def drag(page: Page, start: tuple[float, float], end: tuple[float, float]) -> None:
    page.mouse.move(*start)
    page.mouse.down()
    page.mouse.move(*end, steps=4)
    page.mouse.up()


def swipe(page: Page, start: tuple[float, float], end: tuple[float, float]) -> None:
    """The same with a finger."""
    screen = page.context.new_cdp_session(page)

    def touch(kind: str, *points: tuple[float, float]) -> None:
        where = [{"x": x, "y": y} for x, y in points]
        screen.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": where})

    touch("touchStart", start)
    for part in range(1, 5):
        x, y = ((a * (4 - part) + b * part) / 4 for a, b in zip(start, end, strict=True))
        touch("touchMove", (x, y))
    touch("touchEnd")
    screen.detach()


class Person:
    """Somebody with a browser of his own.

    complaints  what the page said in its console, but for what the server refuses on purpose
    received    every body that the server sent to it
    """

    def __init__(self, opened: Browser, url: str, **how: Any) -> None:
        self.url = url
        self.complaints: list[str] = []
        self.received: list[str] = []
        self.context: BrowserContext = opened.new_context(
            **{"viewport": {"width": 1280, "height": 900}, "reduced_motion": "reduce", **how}
        )
        self.page: Page = self.context.new_page()
        self.page.set_default_timeout(PATIENCE_MS)
        self.page.on("console", self._heard)
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("response", self._got)

    def _heard(self, message: Any) -> None:
        # Chromium reports every refusal; who has no session yet is refused once.
        if message.type in ("error", "warning") and "401 (Unauthorized)" not in message.text:
            self.complaints.append(message.text)

    def _got(self, response: Any) -> None:
        if "/v1/" in response.url and "/feed" not in response.url:
            with suppress(Error):  # the page has gone on to another address
                self.received.append(response.text())

    def sign_in(self, api: Api) -> None:
        """The browser has a session of this player."""
        headers = {"Authorization": f"Bearer {api.token}", "Sec-Fetch-Site": "same-origin"}
        assert self.context.request.post(self.url + "/v1/sessions", headers=headers).status == 201

    def home(self) -> None:
        self.page.goto(self.url + "/")
        self.page.wait_for_selector(".game")

    def choose(self, game: str, button: str) -> str:
        """Begins a match from the first page; its id."""
        self.home()
        card = self.page.get_by_role("region", name=game, exact=True)
        card.get_by_role("button", name=button).click()
        self.page.wait_for_url("**/m/*")
        return self.page.url.rpartition("/")[2]

    def begin(self, game: str, **spec: Any) -> str:
        """Begins a match in which this person has both seats, and goes to its page; its id."""
        self.register("Ada")
        seats = [seat["id"] for seat in self.ask(f"/v1/games/{game}")["seats"]]
        body = {"game": game, "seats": dict.fromkeys(seats, "me"), "consent": "none", **spec}
        match: str = self.ask("/v1/matches", body)["match"]["id"]
        self.page.goto(f"{self.url}/m/{match}")
        self.page.wait_for_selector(".actions")
        return match

    def do_first(self, match: str) -> None:
        """Takes the first action that is listed, other than by a click."""
        seat = self.ask(f"/v1/matches/{match}")["match"]["to_act"][0]
        actions = self.ask(f"/v1/matches/{match}/actions?seat={seat}")["actions"]
        action = next(one for one in actions if not one.get("open") and one["type"] != "resign")
        self.ask(f"/v1/matches/{match}/commands", {"type": "act", "seat": seat, "action": action})

    def play(self, rng: random.Random, clicks: int) -> None:
        """Clicks on the board and on actions at random, as somebody who does not know the game."""
        page = self.page
        for _ in range(clicks):
            self.settle()
            if page.locator(".after button", has_text="Rematch").count():
                return
            form = page.locator("form.template")
            buttons = page.locator(".actions > .row > button.main:enabled")
            there = page.locator(".space.go, .space.take, .space.own, .lies.go, .lies.take, .lies.own")
            begins = page.locator(".space.can, .lies.can")
            with suppress(TimeoutError):  # the board has changed under the hand; the next click looks anew
                if form.count():
                    form.get_by_role("button", name="Done").click(timeout=3_000)
                elif (n := buttons.count()) and (rng.random() < 0.3 or not (there.count() or begins.count())):
                    buttons.nth(rng.randrange(n)).click(timeout=3_000)
                elif n := there.count():
                    there.nth(rng.randrange(n)).click(timeout=3_000, force=True)
                elif n := begins.count():
                    begins.nth(rng.randrange(n)).click(timeout=3_000, force=True)

    def settle(self) -> None:
        """Waits until nothing is under way."""
        self.page.wait_for_selector("main.match:not(:has([aria-busy=true]))")
        self.page.wait_for_timeout(60)

    def events(self) -> int:
        """How many events the page knows of."""
        return int(self.page.locator(".slider .row span").inner_text().split()[-1])

    def ask(self, path: str, body: Any = None, method: str = "") -> Any:
        """The server's answer for this person, as a script of the page would get it."""
        answer = self.context.request.fetch(
            self.url + path,
            method=method or ("GET" if body is None else "POST"),
            headers={"Sec-Fetch-Site": "same-origin", "Content-Type": "application/json"},
            data=None if body is None else json.dumps(body).encode(),  # Playwright's own JSON rounds integers
        )
        assert answer.ok, answer.text()
        return json.loads(answer.text() or "null")

    def register(self, name: str) -> str:
        """Makes an account, and a session in this browser; the account's token."""
        token: str = self.ask("/v1/players", {"name": name})["token"]
        headers = {"Authorization": f"Bearer {token}", "Sec-Fetch-Site": "same-origin"}
        assert self.context.request.post(self.url + "/v1/sessions", headers=headers).ok
        return token

    def close(self) -> None:
        self.context.close()
