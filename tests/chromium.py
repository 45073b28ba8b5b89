"""A real Chromium that runs a page's script: the machine's own, else one that `make test` gets.

python -m tests.chromium        prints where it is; installs one if there is none, or says why it could not
"""

from __future__ import annotations

import html
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache, partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

# A page whose script leaves what it saw as JSON in the document, which Chromium prints when the page is at rest.
PAGE = """<!doctype html><title>test</title><pre id="seen"></pre><script>
const seen = {};
const say = () => { document.getElementById("seen").textContent = JSON.stringify(seen) };
async function ask(name, url, options) {
  try {
    const answer = await fetch(url, options);
    seen[name] = {status: answer.status, etag: answer.headers.get("etag"), body: await answer.text()};
  } catch (error) { seen[name] = {error: String(error)} }
  say();
}
(async () => {
%s
say();
})();
</script>
"""


# The one without windows needs a quarter of the processor to open a page (0.2 instead of 0.9 seconds).
NAMES = ("chromium-headless-shell", "chromium", "google-chrome", "chromium-browser")
PLAYWRIGHT = (sys.executable, "-m", "playwright")
INSTALL_SECONDS_MAX = 300
HOW = (
    "The tests of pages need Chromium, and this machine has none. `make chromium`, which is a part of `make test`, "
    "installs one where it may. Or install your system's package (`apt-get install chromium` on Debian), or name an "
    "executable in WARLOG_CHROMIUM."
)


def executable() -> str:
    """Where Chromium is. A test that finds none fails: it is not skipped."""
    found = _found()
    if found is None:
        pytest.fail(HOW, pytrace=False)
    return found


@cache
def _found() -> str | None:
    """The one that WARLOG_CHROMIUM names, else that of the PATH, else the one that Playwright has installed."""
    named = os.environ.get("WARLOG_CHROMIUM")
    if named:
        return shutil.which(named)
    return next(filter(None, map(shutil.which, NAMES)), None) or _of_playwright()


def _of_playwright() -> str | None:
    listed = _run(*PLAYWRIGHT, "install", "--dry-run", "--no-shell", "chromium")
    folder = re.search(r"Install location: +(.*chromium-.*)", listed.stdout)
    programs = sorted(Path(folder[1]).glob("chrome-*/chrome")) if folder else []
    return str(programs[0]) if programs else None


def install() -> str:
    """Gets a Chromium: Debian's package where this user may install one, else Playwright's. Raises SystemExit."""
    tried = []
    apt = _with_apt()
    libraries = ("--with-deps",) if apt else ()
    for command in (*apt, (*PLAYWRIGHT, "install", "--no-shell", *libraries, "chromium")):
        print("there is no Chromium here:", *command, file=sys.stderr, flush=True)
        done = _run(*command)
        _found.cache_clear()
        if (found := _found()) is not None:
            return found
        lines = [line.strip() for line in (done.stdout + done.stderr).splitlines() if line.strip()]
        errors = [line for line in lines if line.startswith(("E: ", "Error: "))]
        said = next(iter(errors or reversed(lines)), "no output")
        tried.append(f"  {' '.join(command)}: exit code {done.returncode}, {said}")
    raise SystemExit("\n".join([HOW, "What was tried:", *tried]))


def _with_apt() -> list[tuple[str, ...]]:
    """What installs Debian's package. None where there is no apt, or where apt would ask for a password."""
    if shutil.which("apt-get") is None:
        return []
    before = () if os.geteuid() == 0 else ("sudo", "-n")
    if before and (shutil.which("sudo") is None or _run("sudo", "-n", "true").returncode != 0):
        return []
    apt = (*before, "apt-get", "-q", "-y")
    return [(*apt, "update"), (*apt, "install", "--no-install-recommends", "chromium")]


def _run(*command: str) -> subprocess.CompletedProcess[str]:
    """Runs a command to its end, which is not later than INSTALL_SECONDS_MAX from now; it is not asked anything."""
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    try:
        return subprocess.run(
            command, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True,
            timeout=INSTALL_SECONDS_MAX,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return subprocess.CompletedProcess(command, 124, "", f"not done after {INSTALL_SECONDS_MAX} s")
    except OSError as error:
        return subprocess.CompletedProcess(command, 127, "", str(error))


def seen_by(folder: Path, url: str) -> dict[str, Any]:
    """What the script of a PAGE at this URL saw. `folder`: of the browser's profile, which is kept in between."""
    done = subprocess.run(
        [executable(), "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
         "--disable-background-networking", "--disable-component-update", "--disable-sync",
         f"--user-data-dir={folder}", "--timeout=60000", "--virtual-time-budget=20000", "--dump-dom", url],
        capture_output=True, text=True, timeout=180, check=True,
    )  # fmt: skip
    found = re.search(r'<pre id="seen">(.*?)</pre>', done.stdout, re.DOTALL)
    assert found is not None, done.stdout + done.stderr
    seen: dict[str, Any] = json.loads(html.unescape(found[1]))
    return seen


@contextmanager
def pages(folder: Path, host: str = "127.0.0.1") -> Iterator[str]:
    """Serves the files of a folder; the origin."""

    class Quiet(SimpleHTTPRequestHandler):
        def log_message(self, format: str, *args: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(folder)))
    thread = Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://{host}:{server.server_address[1]}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


if __name__ == "__main__":
    print(_found() or install())
