"""docs/GUIDE.md and docs/CLIENTS.md, run as they stand: the steps of one language are one program. Only the address is
another. And the types of every Python example in the documents."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests import node
from tests.servers import EAGER, WarlogServer
from tests.service.api import UNLIMITED, Api, ok
from tests.service.waiting import eventually

ROOT = Path(__file__).resolve().parent.parent
GUIDE = "".join((ROOT / "docs" / name).read_text(encoding="utf-8") for name in ("GUIDE.md", "CLIENTS.md"))
ADDRESS = "http://127.0.0.1:8000"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WarlogServer]:
    """As `make serve` starts it, with bots, who answer what is asked of the computer; on a busy machine, too."""
    directory = tmp_path_factory.mktemp("server")
    with (
        WarlogServer(directory, environment={**UNLIMITED, **EAGER, "WARLOG_BOTS": "1"}) as running,
        Api(running.url) as api,
    ):
        eventually(lambda: ok(api.get("/bots"))["alive"])
        yield running


def program(language: str, url: str) -> str:
    steps = re.findall(rf"^```{language}\n(.*?)^```$", GUIDE, flags=re.MULTILINE | re.DOTALL)
    assert len(steps) >= 6
    return "\n".join(steps).replace(ADDRESS, url)


def ran(command: list[str], folder: Path, **variables: str) -> str:
    environment = os.environ | variables
    run = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=120)
    assert run.returncode == 0, run.stdout + run.stderr
    return run.stdout


def test_the_guide_in_curl(server: WarlogServer, tmp_path: Path) -> None:
    told = ran(["bash", "-eu", "-c", program("sh", server.url)], tmp_path)
    assert '"type":"action_taken"' in told
    assert '"type":"time_travelled"' in told
    assert json.loads((tmp_path / "refused.json").read_text())["code"] == "unknown_space"
    assert "event: action_taken" in (tmp_path / "feed").read_text()
    assert json.loads((tmp_path / "before.json").read_text())["view"]["game"] == "hex"
    parents = [one.get("parent") for one in json.loads((tmp_path / "tree.json").read_text())["nodes"]]
    assert parents == [None, 1, 2, 2]
    assert '{"type":"recruit","open":true}' in told
    assert json.loads((tmp_path / "begun.json").read_text())["type"] == "match_started"
    assert json.loads((tmp_path / "agreed.json").read_text())["type"] == "time_travelled"
    assert json.loads((tmp_path / "bought.json").read_text())["type"] == "action_taken"
    assert json.loads((tmp_path / "mine.json").read_text())["achievements"] == []
    assert "any.first_win" in (tmp_path / "all.json").read_text()
    assert 0 < json.loads((tmp_path / "analysis.json").read_text())["actions"][0]["value"] < 1


def test_the_guide_in_python(server: WarlogServer, tmp_path: Path) -> None:
    told = ran([sys.executable, "-c", program("python", server.url)], tmp_path)
    assert "unknown_space" in told
    assert re.search(r"^piece \[\([\d.]+, [\d.]+\)\] #\w+ \w+ \d+$", told, flags=re.MULTILINE)
    assert "3 action_taken" in told
    assert "undo time_travelled\n" in told
    assert "{1: None, 2: 1, 3: 2, 4: 2}\n" in told
    assert "action_taken {'unit': 'militia', 'count': 16}\n" in told
    assert " [] []\n" in told  # nothing achieved, nothing counted
    assert re.search(r"^{'type': .*} 0\.\d+\n$", told, flags=re.MULTILINE)


def test_every_python_example_of_the_documents_is_type_checked_strictly(tmp_path: Path) -> None:
    (tmp_path / "guide.py").write_text(program("python", ADDRESS))
    for name in ("README.md", "clients/python/README.md"):
        examples = re.findall(
            r"^```python\n(.*?)^```$",
            (ROOT / name).read_text(encoding="utf-8"),
            flags=re.MULTILINE | re.DOTALL,
        )
        assert examples, name
        for number, example in enumerate(examples):
            given = 'url = ""\n' if name != "README.md" else 'token = ""\n'  # what the text around it has
            (tmp_path / f"{name.replace('/', '_')[:-3]}_{number}.py").write_text(given + example)
    files = sorted(path.name for path in tmp_path.glob("*.py"))
    ran(
        [sys.executable, "-m", "mypy", "--strict", "--no-incremental", "--config-file=", *files],
        tmp_path,
        MYPYPATH=os.pathsep.join(str(ROOT / folder) for folder in ("core_c", "clients/python")),
    )  # mypy does not see what is installed in place


def built(source: str, folder: Path) -> Path:
    """Of a program in TypeScript: type-checked as strictly as tsc can, then bundled with the SDK."""
    sdk = ROOT / "clients/typescript/src/index.ts"
    (folder / "program.ts").write_text(source)
    settings = {
        "compilerOptions": {
            "strict": True,
            "noEmit": True,
            "skipLibCheck": True,
            "target": "ES2022",
            "module": "ESNext",
            "moduleResolution": "bundler",
            "lib": ["ES2022", "DOM", "DOM.Iterable"],
            "types": [],
            "paths": {"warlog-client": [str(sdk)]},
        },
        "files": ["program.ts"],
    }
    (folder / "tsconfig.json").write_text(json.dumps(settings))
    ran(node.command("tsc", "-p", str(folder)), folder)
    bundle = folder / "program.mjs"
    how = [
        "--bundle",
        "--platform=node",
        "--format=esm",
        f"--alias:warlog-client={sdk}",
        f"--outfile={bundle}",
    ]
    ran(node.command("esbuild", str(folder / "program.ts"), *how), folder)
    return bundle


def test_the_guide_in_typescript(server: WarlogServer, tmp_path: Path) -> None:
    told = ran(node.command("node", str(built(program("ts", server.url), tmp_path))), tmp_path)
    assert "unknown_space" in told
    assert re.search(r"^piece \[ \[ [\d.]+, [\d.]+ \] \] #\w+ \w+ \d+$", told, flags=re.MULTILINE)
    assert "3 action_taken" in told
    assert "undo time_travelled\n" in told
    assert "1 undefined\n2 1\n3 2\n4 2\n" in told
    assert "action_taken [ { unit: 'militia', count: 16 } ]\n" in told
    assert "{ achievements: [], begun: [] } []\n" in told
    assert re.search(r"^{ type: .* } 0\.\d+\n$", told, flags=re.MULTILINE)
