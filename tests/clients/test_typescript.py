"""The TypeScript SDK alone: the npm package warlog-client in a folder that has nothing but what it declares."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from random import Random

import pytest

import warlog_core
from tests import chromium, node
from tests.clients.cutting import CuttingProxy, plays_though_cut
from tests.cluster import free_ports
from tests.servers import WarlogServer
from warlog_client import Client

ROOT = Path(__file__).resolve().parents[2]
SDK = ROOT / "clients" / "typescript"
CONSUMER = Path(__file__).with_name("consumer")
# What the package declares, and what these need.
DEPENDENCIES = ["openapi-fetch", "openapi-typescript-helpers", "eventsource-parser"]
STRICTEST = {
    "target": "ES2022",
    "module": "NodeNext",
    "strict": True,
    "exactOptionalPropertyTypes": True,
    "noUncheckedIndexedAccess": True,
    "noPropertyAccessFromIndexSignature": True,
    "verbatimModuleSyntax": True,
    "isolatedModules": True,
}


def done(tool: str, *arguments: str, cwd: Path) -> str:
    """What a tool says that must succeed."""
    ran = node.run(tool, *arguments, cwd=cwd, capture_output=True, timeout=300)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    return ran.stdout


def compiled(folder: Path, **options: object) -> None:
    """The TypeScript files in a folder, with every check there is and these options."""
    settings = {"compilerOptions": {**STRICTEST, **options}, "include": ["*.ts"]}
    (folder / "tsconfig.json").write_text(json.dumps(settings))
    done("tsc", "-p", ".", cwd=folder)


@pytest.fixture(scope="module")
def tarball(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Built as it is published, in a folder of its own."""
    folder = tmp_path_factory.mktemp("package")
    for name in ("package.json", "README.md", "LICENSE"):
        shutil.copy2(SDK / name, folder / name)
    done("tsc", "-p", str(SDK), "--outDir", str(folder / "dist"), cwd=folder)
    done("npm", "pack", "--silent", cwd=folder)
    (made,) = folder.glob("*.tgz")
    return made


@pytest.fixture(scope="module")
def installed(tarball: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the package and the dependencies that it declares, taken from `clients`: nothing is fetched."""
    folder = tmp_path_factory.mktemp("consumer")
    (folder / "package.json").write_text('{"private": true, "type": "module"}')
    packages = [str(node.CLIENTS / "node_modules" / name) for name in DEPENDENCIES]
    how = ["--offline", "--install-links", "--ignore-scripts", "--no-audit", "--no-fund", "--silent"]
    done("npm", "install", *how, str(tarball), *packages, cwd=folder)
    return folder


@pytest.fixture(scope="module")
def consumer(installed: Path, warlog_server: WarlogServer) -> Path:
    """The consumer and the examples of the README in JavaScript, type-checked as for a browser, far from our own
    settings; the declarations of the libraries are checked, too."""
    for name in ("play.ts", "bot.ts", "types.ts", "naive.ts"):
        shutil.copy2(CONSUMER / name, installed)
    (installed / "process.d.ts").write_text(
        "declare const process: { argv: string[]; exit(code: number): never };"
    )
    examples = re.findall(r"```ts\n(.*?)```", (SDK / "README.md").read_text(), flags=re.DOTALL)
    assert len(examples) >= 5
    for i, example in enumerate(examples):
        (installed / f"example{i}.ts").write_text(example.replace("http://127.0.0.1:8000", warlog_server.url))
    compiled(installed, lib=["ES2022", "DOM"], types=[], skipLibCheck=False)
    return installed


def test_the_types_are_those_of_the_committed_document(tmp_path: Path) -> None:
    """As openapi-typescript makes them with its default settings."""
    scripts = json.loads((SDK / "package.json").read_text())["scripts"]
    _, document, _, committed = scripts["types"].split()
    made = tmp_path / "openapi.ts"
    done("openapi-typescript", document, "-o", str(made), cwd=SDK)
    assert (SDK / committed).read_text() == made.read_text(), "`make openapi` writes them anew"


def test_it_has_warlogs_version_and_licence_and_what_it_exports(tarball: Path, installed: Path) -> None:
    package = installed / "node_modules" / "warlog-client"
    said = json.loads((package / "package.json").read_text())
    assert (said["version"], said["license"]) == (warlog_core.__version__, "Apache-2.0")
    assert (package / "LICENSE").read_bytes() == (ROOT / "LICENSE").read_bytes()
    assert {path.name for path in package.iterdir()} == {"package.json", "README.md", "LICENSE", "dist"}
    done("publint", "--strict", str(tarball), cwd=installed)
    done("attw", str(tarball), "--profile", "esm-only", "--no-emoji", cwd=installed)


def test_it_needs_nothing_that_only_node_has(installed: Path) -> None:
    for file in (installed / "node_modules/warlog-client/dist").glob("*.js"):
        text = re.sub(r"/\*.*?\*/|//[^\n]*", "", file.read_text(), flags=re.DOTALL)
        assert not re.search(r"""\b(node:|require\(|process\.|Buffer\b|setImmediate)""", text), file.name


def test_a_consumer_is_type_checked_strictly_for_node_too(consumer: Path) -> None:
    """With the types of Node.js instead of a browser's."""
    folder = consumer / "node"
    folder.mkdir()
    shutil.copy2(CONSUMER / "play.ts", folder)
    for name in ("@types/node", "undici-types"):
        shutil.copytree(node.CLIENTS / "node_modules" / name, folder / "node_modules" / name)
    compiled(folder, lib=["ES2022"], types=["node"], skipLibCheck=True, noEmit=True)


def test_every_code_of_the_service_and_of_the_rule_books_is_in_the_types(consumer: Path) -> None:
    """And no other, but for those of the SDK itself."""
    folder = consumer / "codes"
    folder.mkdir()
    listed = set(re.findall(r"^\| \d+ \| `(\w+)`", (ROOT / "docs/ERRORS.md").read_text(), flags=re.MULTILINE))
    codes = listed.union(*(warlog_core.game(game).errors for game in warlog_core.games()))
    (folder / "codes.ts").write_text(
        'import type { ClientCode, Code } from "warlog-client";\n'
        f"export const codes: Record<Exclude<Code, ClientCode>, 1> = {json.dumps(dict.fromkeys(codes, 1))};\n"
    )
    compiled(folder, lib=["ES2022", "DOM"], types=[], skipLibCheck=True, noEmit=True)


def test_a_bot_plays_that_was_written_with_the_types_of_the_document_alone(
    consumer: Path, warlog_server: WarlogServer
) -> None:
    """openapi-typescript with default settings: what may be left out of requests is optional, and what is always in
    answers is there; `match.game` tells what its options are."""
    said = done("node", "naive.js", warlog_server.url, cwd=consumer)
    assert [line.split()[0] for line in said.splitlines()] == ["hex", "wec"]
    for line in said.splitlines():
        game, actions, *_, told, rounds = line.split()
        assert int(told) == int(actions) + 2  # created and started
        assert rounds == ("3" if game == "hex" else "-")


def test_a_bot_of_its_readers_plays_every_game_to_its_end(
    consumer: Path, warlog_server: WarlogServer
) -> None:
    ends = [line.split() for line in done("node", "bot.js", warlog_server.url, cwd=consumer).splitlines()]
    assert [game for game, _, _ in ends] == [*warlog_core.games()]
    assert all(int(version) > 10 and reason != "undefined" for _, version, reason in ends), ends


def test_the_first_examples_in_its_readme_play(consumer: Path) -> None:
    said = done("node", "example0.js", cwd=consumer)
    assert re.search(r"\[.*\] '?\w+'?", said)
    version, *ends = done("node", "example1.js", cwd=consumer).splitlines()
    assert version.isdigit()
    assert len(ends) == 2, "each seat tells the end"
    assert all(re.fullmatch(r"(white|black) (\[.*\]|aborted)", end) for end in ends)


def test_the_first_example_plays_in_deno_too(consumer: Path) -> None:
    how = ["run", "--quiet", "--allow-net=127.0.0.1", "--node-modules-dir=manual", "example0.js"]
    assert re.search(r"\[.*\] '?\w+'?", done("deno", *how, cwd=consumer))


# Plays both seats by what the feed says.
PAGE = """<!doctype html><title>test</title>
<script type="importmap">{"imports": {
  "warlog-client": "./node_modules/warlog-client/dist/index.js",
  "openapi-fetch": "./node_modules/openapi-fetch/dist/index.mjs",
  "eventsource-parser": "./node_modules/eventsource-parser/dist/index.js"
}}</script>
<script type="module">
import { isComplete, Warlog } from "warlog-client";
const stranger = new Warlog({ url: "%s" });
const warlog = stranger.withToken((await stranger.players.create("a page")).token);
const seats = { red: "me", blue: "me" };
const { match } = await warlog.matches.create({ game: "hex", seats, options: { army: "preset" } });
const hex = warlog.match(match);
for await (const { version, to_act: [seat] } of hex.feed()) {
  if (version > 7) break;
  if (seat && version > 1) await hex.act(seat, (await hex.actions(seat)).actions.find(isComplete));
}
</script>
"""


def test_a_page_of_another_origin_plays_in_a_real_browser(installed: Path, tmp_path: Path) -> None:
    flags = [
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        "--no-first-run",
        f"--user-data-dir={tmp_path / 'profile'}",
    ]
    with (
        chromium.pages(installed) as origin,
        WarlogServer(tmp_path / "data", environment={"WARLOG_CORS_ORIGINS": origin}) as server,
    ):
        (installed / "page.html").write_text(PAGE % server.url)
        command = [chromium.executable(), *flags, f"{origin}/page.html"]
        # In a group of its own: Debian's command for the browser without windows is a shell that waits for it.
        browser = subprocess.Popen(
            command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True
        )
        try:
            with Client(server.url) as client:
                deadline = time.monotonic() + 60
                while [match.version for match in client.matches()] != [8]:
                    assert time.monotonic() < deadline
                    time.sleep(0.1)
        finally:
            os.killpg(browser.pid, signal.SIGTERM)
            browser.wait(20)


@pytest.fixture
def server(tmp_path: Path) -> Iterator[WarlogServer]:
    with WarlogServer(tmp_path / "data", arguments=["--port", str(free_ports(1)[0])]) as server:
        yield server


@pytest.mark.parametrize("moves", [12, pytest.param(None, id="whole", marks=pytest.mark.soak)])
def test_it_plays_every_game_though_feeds_are_cut_and_the_server_is_killed_in_each_match(
    consumer: Path, server: WarlogServer, seed: int, moves: int | None
) -> None:
    plays_though_cut(node.command("node", "play.js"), consumer, server, seed, moves)


def test_its_own_tests_pass_against_a_real_server_and_one_that_is_killed_in_every_match(
    warlog_server: WarlogServer, server: WarlogServer, seed: int
) -> None:
    done("tsc", "-p", "test", cwd=SDK)
    with closing(CuttingProxy(server, Random(seed), kills_at={6})) as proxy:
        addresses = {"WARLOG_URL": warlog_server.url, "WARLOG_CUT_URL": proxy.url}
        environment = {**node.environment(), **addresses, "NO_COLOR": "1"}
        ran = node.run("vitest", "run", cwd=SDK, capture_output=True, timeout=300, env=environment)
    assert ran.returncode == 0, f"seed {seed}\n" + ran.stdout + ran.stderr
    assert "skipped" not in ran.stdout
    with Client(server.url) as client:
        matches = {match.id for match in client.matches()}
    assert len(matches) == len(warlog_core.games())
    assert proxy.kills == dict.fromkeys(matches, 1)
    assert all(proxy.cuts[match] for match in matches), proxy.cuts
