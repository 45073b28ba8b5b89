"""Writes the types of the games for the Python SDK anew: python -m tests.clients.make_game_types

They are what `docs/openapi.json` says of each game's options, actions, views, effects and Positions, as `TypedDict`s.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from warlog_service.openapi.components import reached
from warlog_service.openapi.games import COMMON

ROOT = Path(__file__).resolve().parents[2]
DOCUMENT = ROOT / "docs" / "openapi.json"
FILE = ROOT / "clients" / "python" / "warlog_client" / "game_types.py"
HEAD = '''"""The games' own JSON: options, actions, views, effects and Positions of each, as `TypedDict`s for editors
and type checkers. `HexAction` is any action of Hex Tactics, `HexMove` one of them; `HexView` what one seat sees.

`make openapi` writes this file from the service's OpenAPI document. When the program runs, it is all plain JSON.
"""

'''
HOW = [
    "--input-file-type=openapi", "--output-model-type=typing.TypedDict", "--target-python-version=3.11",
    "--no-use-closed-typed-dict", "--use-schema-description", "--use-single-line-docstring",
    "--enum-field-as-literal=all", "--use-double-quotes", "--formatters=builtin", "--disable-timestamp",
    f"--custom-file-header={HEAD}",
]  # fmt: skip


def made() -> str:
    """The file as it should be."""
    document: dict[str, Any] = json.loads(DOCUMENT.read_bytes())
    schemas = document["components"]["schemas"]
    games = [
        name.removesuffix("Code")
        for name in schemas
        if name.endswith("Code") and name not in ("Code", "GameCode")
    ]
    parts = {
        f"{game}{part}" for game in games for part in ("Code", *COMMON)
    }  # of answers, which have Structs
    own = {name: one for name, one in schemas.items() if name.startswith(tuple(games)) and name not in parts}
    wanted = {*own} | reached(schemas, [*own.values()])
    components = {"schemas": {name: schemas[name] for name in sorted(wanted)}}
    with tempfile.TemporaryDirectory() as folder:
        given, found = Path(folder, "given.json"), Path(folder, "found.py")
        given.write_text(json.dumps({**document, "paths": {}, "components": components}))
        files = [f"--input={given}", f"--output={found}"]
        subprocess.run([sys.executable, "-m", "datamodel_code_generator", *HOW, *files], check=True)
        return found.read_text(encoding="utf-8")


if __name__ == "__main__":
    FILE.write_text(made(), encoding="utf-8")
