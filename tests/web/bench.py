"""The figures of the page in a real Chromium, each beside its aim. `make web-bench`.

    python -m tests.web.bench [--only size,start,delivery,drag,memory] [--repeats 10]

All of it runs on this machine: the server with its embedded Redis, and headless Chromium, which draws in software.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import statistics
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from threading import Thread
from typing import Any

import httpx
from playwright.sync_api import Browser, Page

from tests.load.bench import play_hot_seat
from tests.load.wire import Wire
from tests.servers import WarlogServer
from tests.service.api import UNLIMITED
from tests.web.pages import Person, browser

COMMANDS = 200
LONG = 2_000
DRAG_SECONDS = 4.0
DELIVERED, DRAGGED, PLAYED_LONG = "wec", "universal", "hex"

# Notes when something was first on the screen, in ms since the page was asked for.
NOTED = """
window.noted = {};
const wanted = {usable: "main button:not(:disabled)", board: "main [role=grid] [role=gridcell]"};
const look = () => {
  for (const [name, what] of Object.entries(wanted)) {
    if (noted[name] === undefined && document.querySelector(what)) noted[name] = performance.now();
  }
};
new MutationObserver(() => requestAnimationFrame(look)).observe(document, {childList: true, subtree: true});
"""
# Notes when the board changed last, in ms of the machine's clock: at the frame that shows it.
CHANGED = """() => {
  window.changed = 0;
  const drawn = () => { changed = performance.timeOrigin + performance.now() };
  const inBoard = ({target}) => target.nodeType === 1 && target.closest("[role=grid]");
  const noted = (all) => { if (all.some(inBoard)) requestAnimationFrame(drawn) };
  new MutationObserver(noted).observe(document.body, {childList: true, subtree: true, attributes: true});
}"""
FRAMES = """() => {
  window.frames = [];
  const frame = (now) => { frames.push(now); requestAnimationFrame(frame) };
  requestAnimationFrame(frame);
}"""


class Watched(Person):
    """Somebody whose answers are not read a second time, and whose page can be asked by scripts from outside."""

    def __init__(self, opened: Browser, url: str) -> None:
        super().__init__(opened, url, bypass_csp=True)

    def _got(self, response: Any) -> None:
        pass


def size(chromium: Browser, url: str) -> None:
    somebody = Watched(chromium, url)
    sizes: dict[str, int] = {}
    somebody.page.on(
        "requestfinished",
        lambda request: (
            sizes.update({request.url.rpartition("/")[2]: request.sizes()["responseBodySize"]})
            if "/web/" in request.url
            else None
        ),
    )
    somebody.page.goto(url + "/")
    somebody.page.wait_for_load_state("networkidle")
    somebody.close()
    kinds = Counter[str]()
    for name, bytes_ in sizes.items():
        kinds[name.rpartition(".")[2]] += bytes_
    parts = ", ".join(f"{kind} {bytes_ / 1024:.1f}" for kind, bytes_ in sorted(kinds.items()))
    show(
        "script and style, as they are sent (KB)", f"{sum(sizes.values()) / 1024:.1f} ({parts})", "at most 90"
    )


def start(chromium: Browser, url: str, repeats: int) -> None:
    host = Watched(chromium, url)
    pages = {"usable": "/", "board": "/m/" + host.begin(DELIVERED)}
    cookies = host.context.cookies()
    times: dict[str, list[float]] = {name: [] for name in pages}
    for _ in range(repeats):
        for name, path in pages.items():
            somebody = Watched(chromium, url)  # with an empty cache
            somebody.context.add_cookies(cookies)  # type: ignore[arg-type]
            somebody.context.add_init_script(NOTED)
            somebody.page.goto(url + path)
            somebody.page.wait_for_function(f"noted.{name}")
            times[name].append(somebody.page.evaluate(f"noted.{name}"))
            somebody.close()
    host.close()
    for name, title, aim in (
        ("usable", "to the first page, usable", 500),
        ("board", f"to the first board ({DELIVERED})", 1_000),
    ):
        of = times[name]
        show(
            f"{title} (ms, median and worst of {repeats})",
            f"{statistics.median(of):.0f}, {max(of):.0f}",
            f"{aim}",
        )


def delivery(chromium: Browser, url: str) -> None:
    """Both seats act through the API; one of them has the page open. What the other one does is timed, from the answer
    to its command, which comes once the event is committed, to the last frame in which the board changes."""
    watching = Watched(chromium, url)
    with httpx.Client(base_url=url + "/v1") as other, httpx.Client(base_url=url + "/v1") as own:
        for client, token in ((other, made(other)), (own, watching.register("watching"))):
            client.headers["authorization"] = f"Bearer {token}"
        seats = [seat["id"] for seat in own.get(f"/games/{DELIVERED}").json()["seats"]]
        body = {"game": DELIVERED, "seats": {seats[0]: "me", seats[1]: "open"}}
        match = own.post("/matches", json=body).json()["match"]["id"]
        other.put(f"/matches/{match}/seats/{seats[1]}", json={}).raise_for_status()
        clients = {seats[0]: own, seats[1]: other}
        for seat, client in clients.items():
            client.post(
                f"/matches/{match}/commands", json={"type": "prepare", "seat": seat}
            ).raise_for_status()
        watching.page.goto(f"{url}/m/{match}")
        watching.page.wait_for_selector("[role=grid]")
        watching.settle()
        watching.page.evaluate(CHANGED)
        rng, times = random.Random(1), list[float]()
        while len(times) < COMMANDS:
            summary = own.get(f"/matches/{match}").json()["match"]
            assert summary["status"] == "playing"
            seat = summary["to_act"][0]
            listed = clients[seat].get(f"/matches/{match}/actions", params={"seat": seat}).json()["actions"]
            action = rng.choice([one for one in listed if one["type"] in ("move", "end_turn")] or listed)
            watching.page.evaluate("changed = 0")
            command = {"type": "act", "seat": seat, "action": action}
            done = clients[seat].post(f"/matches/{match}/commands", json=command).raise_for_status().json()
            answered = time.time() * 1000
            watching.page.wait_for_selector(f"text=Event {done['version']} of {done['version']}")
            watching.settle()
            if clients[seat] is other and watching.page.evaluate("changed"):
                times.append(watching.page.evaluate("changed") - answered)
    watching.close()
    times.sort()
    median, last = times[len(times) // 2], times[int(0.99 * len(times))]
    show(
        f"from an answer to the other's board (ms, p50 and p99 of {COMMANDS})",
        f"{median:.0f}, {last:.0f}",
        "100",
    )


def made(client: httpx.Client) -> str:
    token: str = client.post("/players", json={"name": "other"}).json()["token"]
    return token


def drag(chromium: Browser, url: str) -> None:
    somebody = Watched(chromium, url)
    somebody.begin(DRAGGED)
    page = somebody.page
    piece = page.locator('[role=gridcell][aria-label$="can act"]').first.bounding_box()
    board = page.get_by_role("grid").first.bounding_box()
    assert piece is not None
    assert board is not None
    page.mouse.move(piece["x"] + piece["width"] / 2, piece["y"] + piece["height"] / 2)
    page.mouse.down()
    page.evaluate(FRAMES)
    rng, until = random.Random(1), time.monotonic() + DRAG_SECONDS
    while time.monotonic() < until:
        x = board["x"] + rng.random() * board["width"]
        y = board["y"] + rng.random() * board["height"]
        page.mouse.move(x, y, steps=20)
    frames = page.evaluate("frames")
    page.mouse.up()
    somebody.close()
    per_second = 1000 * (len(frames) - 1) / (frames[-1] - frames[0])
    gaps = sorted(later - earlier for earlier, later in pairwise(frames))
    slow = gaps[int(0.99 * len(gaps))]
    show(
        f"frames a second while dragging ({DRAGGED}); p99 of a frame (ms)",
        f"{per_second:.0f}; {slow:.0f}",
        "50 or more",
    )


def memory(chromium: Browser, url: str) -> None:
    somebody = Watched(chromium, url)
    match = somebody.begin(PLAYED_LONG, options={"army": "preset"})
    token = somebody.ask("/v1/tokens", {"label": "plays", "scopes": ["play"]})["token"]
    page = somebody.page

    async def played() -> None:
        wire = await Wire.open(url, token)
        await play_hot_seat(wire, match, PLAYED_LONG, LONG)

    with beside(lambda: asyncio.run(played())):
        pass
    began = time.monotonic()
    newest = somebody.ask(f"/v1/matches/{match}")["match"]["version"]
    page.wait_for_selector(f"text=Event {newest} of {newest}", timeout=600_000)
    behind = time.monotonic() - began
    followed = heap(page)
    slider = page.get_by_role("slider").first
    for at in range(1, 51):
        slider.fill(str(at * newest // 50))
        somebody.settle()
    show(
        f"memory of the script after {newest:,} events that it followed (MB)", f"{followed:.1f}", "at most 80"
    )
    show("… and after 50 looks back (MB)", f"{heap(page):.1f}", "at most 80")
    show("… it shows the newest event so long after the last (s)", f"{behind:.1f}", "")
    page.reload()
    began = time.monotonic()
    page.wait_for_selector(f"text=Event {newest} of {newest}")
    show("… opened again: to the newest event (s)", f"{time.monotonic() - began:.2f}", "at once")
    somebody.close()


@contextmanager
def beside(work: Callable[[], object]) -> Iterator[None]:
    thread = Thread(target=work)
    thread.start()
    yield
    thread.join()


def heap(page: Page) -> float:
    """MB that the page's script holds once garbage is collected."""
    devtools = page.context.new_cdp_session(page)
    devtools.send("Performance.enable")
    devtools.send("HeapProfiler.collectGarbage")
    metrics = {one["name"]: one["value"] for one in devtools.send("Performance.getMetrics")["metrics"]}
    devtools.detach()
    return float(metrics["JSHeapUsedSize"]) / 2**20


def show(title: str, value: str, aim: str) -> None:
    print(f"  {title:<72}{value:<34}{aim}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--only", default="size,start,delivery,drag,memory")
    parser.add_argument("--repeats", type=int, default=10)
    arguments = parser.parse_args()
    wanted = arguments.only.split(",")
    with (
        tempfile.TemporaryDirectory() as data,
        WarlogServer(Path(data), environment=UNLIMITED) as server,
        browser() as chromium,
    ):
        show("the page", "seen", "aim")
        figures: dict[str, Callable[[], None]] = {
            "size": lambda: size(chromium, server.url),
            "start": lambda: start(chromium, server.url, arguments.repeats),
            "delivery": lambda: delivery(chromium, server.url),
            "drag": lambda: drag(chromium, server.url),
            "memory": lambda: memory(chromium, server.url),
        }
        for name in wanted:
            figures[name]()


if __name__ == "__main__":
    main()
