"""A real Chromium that runs a page's script, where the machine has one; otherwise the test is skipped."""

from __future__ import annotations

import html
import json
import re
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
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


def executable() -> str:
    found = shutil.which("chromium") or shutil.which("google-chrome")
    if found is None:
        pytest.skip("there is no Chromium on this machine: the test asks a real one")
    return found


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
