"""What happens to a player reaches all tabs of his browser, however the connection is cut."""

from __future__ import annotations

import re
from pathlib import Path

from playwright.sync_api import Browser, Page, Request, expect

from tests.servers import RedisServer, WarlogServer
from tests.service.api import UNLIMITED, Api, ok, two
from tests.web.cuts import Network
from tests.web.pages import Person

FEEDS_MAX = 4  # of one browser: the player's own, and three of matches


class Streams:
    """The feeds that the pages of a browser hold open."""

    def __init__(self) -> None:
        self.open: dict[Request, Page] = {}
        self.most = 0
        self.personal: list[Request] = []

    def watch(self, page: Page) -> None:
        page.on("request", lambda request: self._began(page, request))
        page.on("requestfinished", self._ended)
        page.on("requestfailed", self._ended)
        page.on("close", self._closed)

    def _began(self, page: Page, request: Request) -> None:
        if not request.url.partition("?")[0].endswith("/feed"):
            return
        self.open[request] = page
        self.most = max(self.most, len(self.open))
        if "/players/me/" in request.url:
            self.personal.append(request)

    def _ended(self, request: Request) -> None:
        self.open.pop(request, None)

    def _closed(self, page: Page) -> None:
        self.open = {request: where for request, where in self.open.items() if where is not page}


LOOK = "seen => { self.seen = seen; document.dispatchEvent(new Event('visibilitychange')) }"
CAN_HIDE = "Object.defineProperty(document, 'visibilityState', {get: () => self.seen ?? 'visible'})"


def turn_to(api: dict[str, Api], match: str, seat: str) -> None:
    """All defend until this seat is to act."""
    while (acting := next(iter(api.values())).match(match)["to_act"][0]) != seat:
        own = api[acting]
        active = ok(own.get(f"/matches/{match}/view", params={"seat": acting}))["view"]["active"]
        ok(own.act(match, acting, {"type": "defend", "piece": active}), 201)


def test_ten_tabs_share_one_feed_and_hear_the_same(person: Person, server: WarlogServer) -> None:
    with Api(server.url) as api:
        red, blue, match = two(api)
        seats = {"red": red, "blue": blue}
        turn_to(seats, match, "blue")
        person.sign_in(red)
        streams = Streams()
        pages = [person.page, *(person.context.new_page() for _ in range(9))]
        for page in pages:
            streams.watch(page)
            page.goto(server.url + ("/" if page is pages[0] else f"/m/{match}"))
            page.wait_for_selector(".matches li" if page is pages[0] else ".board")
        for page in pages:
            expect(page).not_to_have_title(re.compile(r"^\("))
        turn_to(seats, match, "red")
        for page in pages:
            expect(page).to_have_title(re.compile(r"^\(1\) "))
        for page in pages[1:]:
            expect(page.get_by_role("main").get_by_role("status").first).to_contain_text("Your turn")
        home = pages[0]
        expect(home.get_by_role("link", name="1 match waits for you")).to_be_visible()
        expect(home.locator(".matches .acts")).to_contain_text("Your turn")
        expect(home.locator(".news")).to_contain_text(f"against {blue.name}: it is your turn.")
        assert len(streams.personal) == 1
        assert streams.most <= FEEDS_MAX

        # The tab that follows is closed: another one goes on behind the last notice.
        leader = streams.open[streams.personal[0]]
        leader.close()
        pages.remove(leader)
        turn_to(seats, match, "blue")
        for page in pages:
            expect(page).not_to_have_title(re.compile(r"^\("))
        ok(blue.command(match, {"type": "propose", "proposal": {"kind": "undo", "to": 4}}), 201)
        for page in pages:
            expect(page).to_have_title(re.compile(r"^\(1\) "))
        assert len(streams.personal) == 2
        assert streams.personal[1].header_value("last-event-id")
        assert streams.most <= FEEDS_MAX

        # What is answered in one tab is answered in all.
        pages[-1].get_by_role("button", name="Decline").click()
        for page in pages:
            expect(page).not_to_have_title(re.compile(r"^\("))


def test_a_hidden_tab_gives_its_feed_away_and_has_no_gap_when_it_is_shown(
    person: Person, server: WarlogServer
) -> None:
    with Api(server.url) as api:
        red, blue, match = two(api)
        person.sign_in(red)
        page = person.page
        page.add_init_script(CAN_HIDE)
        streams = Streams()
        streams.watch(page)
        with page.expect_request(f"**/{match}/feed*"):
            page.goto(f"{server.url}/m/{match}")
        page.wait_for_selector(".board")
        with page.expect_event("requestfailed", lambda request: f"{match}/feed" in request.url):
            page.evaluate(LOOK, "hidden")
        assert [request.url for request in streams.open] == [f"{server.url}/v1/players/me/feed"]
        seats = {"red": red, "blue": blue}
        for seat in ("blue", "red", "blue"):
            turn_to(seats, match, seat)
        version = red.match(match)["version"]
        with page.expect_request(f"**/{match}/feed*"):
            page.evaluate(LOOK, "visible")
        page.wait_for_selector(f"text=Event {version} of {version}")
        events = page.locator(".events li")
        expect(events.first).to_have_attribute("value", str(version))
        assert [int(one.get_attribute("value") or 0) for one in events.all()] == [*range(version, 0, -1)]


def begun_buying(person: Person) -> tuple[Page, str]:
    """A match in which this person is about to buy an army, with twelve archers in the form."""
    match = person.choose("Hex Tactics", "Play here, both sides")
    page = person.page
    page.get_by_role("button", name="Recruit an army …", exact=True).click()
    page.get_by_role("spinbutton", name="Archer", exact=True).fill("12")
    return page, match


def archers(page: Page) -> str:
    return page.get_by_role("spinbutton", name="Archer", exact=True).input_value()


def test_what_is_done_while_the_server_is_away_is_done_once(chromium: Browser, tmp_path: Path) -> None:
    with (
        RedisServer() as redis,
        WarlogServer(tmp_path, redis=redis.url, environment=UNLIMITED) as server,
        Network(server.url) as network,
    ):
        person = Person(chromium, network.url)
        page, match = begun_buying(person)
        cut = page.locator(".cut")

        # The answer is lost on its way: the page asks again with the same key.
        network.lose_an_answer()
        page.get_by_role("button", name="Done").click()
        page.wait_for_selector("text=Event 3 of 3")
        assert len(network.keys) == 2
        assert len(set(network.keys)) == 1
        assert person.ask(f"/v1/matches/{match}")["match"]["version"] == 3

        # The server is killed. What was typed stays, what is sent waits, and the feed goes on without a gap.
        page.get_by_role("button", name="Recruit an army …", exact=True).click()
        page.get_by_role("spinbutton", name="Archer", exact=True).fill("7")
        server.kill()
        expect(cut).to_be_visible()
        page.get_by_role("button", name="Done").click()
        expect(page.get_by_role("button", name="Done")).to_be_disabled()
        assert archers(page) == "7"
        server.start()
        network.server = server.url
        page.wait_for_selector("text=Event 4 of 4")
        expect(cut).to_have_count(0)
        assert len(set(network.keys)) == 2
        assert person.ask(f"/v1/matches/{match}")["match"]["version"] == 4

        # The network is cut, and something happens elsewhere meanwhile.
        network.cut()
        expect(cut).to_be_visible()
        with Api(server.url) as api:
            cookies = {one.get("name"): one.get("value") for one in person.context.cookies()}
            own = Api(server.url, cookies["warlog_session"])
            turn_to({"red": own, "blue": own}, match, "blue")
            turn_to({"red": own, "blue": own}, match, "red")
            version = own.match(match)["version"]
            assert api.get(f"/matches/{match}").status_code == 200
        network.mend()
        page.wait_for_selector(f"text=Event {version} of {version}")
        expect(cut).to_have_count(0)
        expect(page.locator(".events li")).to_have_count(version)
        values = [int(one.get_attribute("value") or 0) for one in page.locator(".events li").all()]
        assert values == [*range(version, 0, -1)]

        # What waits is sent by the page that is loaded anew, and not once more by the next.
        sent = len(set(network.keys))
        network.cut()
        expect(cut).to_be_visible()
        defend = page.get_by_role("region", name="What you can do")
        defend.get_by_text(re.compile("^What you can do")).click()
        defend.get_by_role("list").get_by_role("button", name=re.compile("^Defend")).click()
        expect(page.locator(".table")).to_have_attribute("aria-busy", "true")
        page.goto("about:blank")
        network.mend()
        page.goto(f"{network.url}/m/{match}")
        page.wait_for_selector(f"text=Event {version + 1} of {version + 1}")
        page.reload()
        page.wait_for_selector(f"text=Event {version + 1} of {version + 1}")
        assert len(set(network.keys)) == sent + 1
        assert page.evaluate("sessionStorage.getItem('commands')") == "[]"
        person.close()


def test_a_refused_form_and_an_ended_session_lose_nothing_typed(
    chromium: Browser, server: WarlogServer
) -> None:
    person = Person(chromium, server.url)
    with Api(server.url) as api:
        known = api.player("Known")
        person.sign_in(known)
        page, match = begun_buying(person)
        page.get_by_role("spinbutton", name="Dragon", exact=True).fill("99")
        page.get_by_role("button", name="Done").click()
        expect(page.locator(".trouble")).to_be_visible()
        assert archers(page) == "12"
        page.get_by_role("spinbutton", name="Dragon", exact=True).fill("0")
        page.get_by_role("button", name="Close").click()

        tokens = ok(known.get("/tokens"))["tokens"]
        session = next(one["id"] for one in tokens if one["expires_at"])
        assert known.delete(f"/tokens/{session}").status_code == 204
        expect(page.get_by_role("alert")).to_contain_text("Your session has ended")
        assert archers(page) == "12"
        page.get_by_label("Token").fill("wl_wrong")
        page.get_by_role("button", name="Sign in").click()
        expect(page.locator(".trouble")).to_have_count(2)  # and why that was refused
        page.get_by_label("Token").fill(known.token or "")
        page.get_by_role("button", name="Sign in").click()
        expect(page.locator(".trouble", has_text="ended")).to_have_count(0)
        assert archers(page) == "12"
        page.get_by_role("button", name="Done").click()
        page.wait_for_selector("text=Event 3 of 3")
        assert known.match(match)["version"] == 3
    person.close()


def test_who_acts_on_an_old_board_is_told_and_sees_the_new_one(
    chromium: Browser, server: WarlogServer
) -> None:
    person = Person(chromium, server.url)
    with Api(server.url) as api:
        known = api.player()
        match = known.alone()
        person.sign_in(known)
        page = person.page
        page.add_init_script(CAN_HIDE)
        page.goto(f"{server.url}/m/{match}")
        page.wait_for_selector(".actions")
        with page.expect_event("requestfailed", lambda request: "/feed" in request.url):
            page.evaluate(LOOK, "hidden")  # it hears nothing any more
        known.defend(match)
        version = known.match(match)["version"]
        page.get_by_text("What you can do").click()
        page.get_by_role("searchbox").fill("defend")
        page.locator(".list button").first.click()
        expect(page.get_by_role("alert")).to_contain_text("Something has happened in the match meanwhile")
        page.wait_for_selector(f"text=Event {version} of {version}")
        assert known.match(match)["version"] == version
    person.close()
