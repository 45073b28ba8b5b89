"""`<warlog-board>` in a page of another origin, as somebody puts it there with a line of script and one of markup."""

from __future__ import annotations

import functools
import http.server
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
from playwright.sync_api import Browser

from tests.servers import WarlogServer
from tests.service.api import UNLIMITED, Api
from tests.web.pages import Person

PAGE = """<!doctype html><title>A page of somebody else</title>
<script type="module" src="{url}/web/board.js"></script>
<warlog-board match="{match}"></warlog-board>
"""


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:
        pass


@contextmanager
def site(folder: Path) -> Iterator[str]:
    """Serves the folder; its origin."""
    with http.server.ThreadingHTTPServer(
        ("127.0.0.1", 0), functools.partial(Quiet, directory=folder)
    ) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()
        thread.join()


def test_a_page_of_another_origin_shows_a_match_and_follows_it(chromium: Browser, tmp_path: Path) -> None:
    folder = tmp_path / "site"
    folder.mkdir()
    with site(folder) as origin:
        environment = {**UNLIMITED, "WARLOG_CORS_ORIGINS": origin}
        with WarlogServer(tmp_path / "data", environment=environment) as server, Api(server.url) as api:
            ada = api.player("ada")
            match = str(
                ada.create(game="wec", options={}, seats={"black": "me", "white": "me"})["match"]["id"]
            )
            (folder / "index.html").write_text(PAGE.format(url=server.url, match=match), encoding="utf-8")
            reader = Person(chromium, origin)
            page = reader.page
            page.goto(origin)
            page.wait_for_selector("warlog-board .board")  # Playwright looks into shadow roots
            board = page.locator("warlog-board")
            assert page.locator("warlog-board .board").count() == 3
            assert page.locator('warlog-board .moving[data-at="a2"]').count() == 1
            picked = board.evaluate(
                """(board) => new Promise((go) => {
                    board.addEventListener('space', (event) => go(event.detail), {once: true});
                    board.shadowRoot.querySelector('[data-level="ground"] [data-space="c4"]')
                        .dispatchEvent(new MouseEvent('click', {bubbles: true}));
                })"""
            )
            assert picked == {"space": "c4", "level": "ground"}
            seat, move = next(
                (seat, action)
                for seat in ("black", "white")
                for action in ada.get(f"/matches/{match}/actions", params={"seat": seat}).json()["actions"]
                if action["type"] == "move" and action["to"].endswith("4")
            )
            ada.act(match, seat, move)
            page.wait_for_selector(f'warlog-board .moving[data-at="{move["to"]}"]')
            board.evaluate("(board) => board.setAttribute('at', '2')")
            page.wait_for_selector(f'warlog-board .moving[data-at="{move["to"]}"]', state="detached")
            board.evaluate("(board) => board.setAttribute('match', 'm_000_aaaaaaaaaaaaaaaa')")
            page.wait_for_selector("warlog-board [role=alert]")
            reader.close()


def test_a_script_with_a_name_that_stays_is_asked_for_again(tmp_path: Path) -> None:
    with WarlogServer(tmp_path, environment=UNLIMITED) as server, httpx.Client(base_url=server.url) as client:
        script = client.get("/web/board.js")
        assert script.headers["cache-control"] == "no-cache"
        again = client.get("/web/board.js", headers={"If-None-Match": script.headers["etag"]})
        assert (again.status_code, again.content) == (304, b"")
        assert client.get("/web/board.js", headers={"If-None-Match": '"other"'}).content == script.content
        page = client.get("/").text
        hashed = next(part for part in page.split('"') if part.startswith("/web/app-"))
        assert "immutable" in client.get(hashed).headers["cache-control"]
