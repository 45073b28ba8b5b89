"""The server keeps what the OpenAPI document promises, whatever a client sends: Schemathesis makes requests out of the
document, good and bad ones, and compares the answers with it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.servers import WarlogServer
from tests.service.api import Api

DOCUMENT = Path(__file__).parents[2] / "docs" / "openapi.json"
CHECKS = (
    "not_a_server_error",
    "status_code_conformance",
    "content_type_conformance",
    "response_headers_conformance",
    "response_schema_conformance",
    "negative_data_rejection",
    "unsupported_method",
)


def findings(server: WarlogServer, folder: Path, seed: int, *arguments: str) -> str:
    """What Schemathesis finds; "" if nothing. `default` of an answer would let pass every status."""
    document = json.loads(DOCUMENT.read_text(encoding="utf-8"))
    # Streams do not end, a wait may last for half a minute, and the token of all requests is to stay.
    left_out = [path for path in document["paths"] if path.endswith("/feed")]
    left_out += ["/v1/pairing/{entry_id}", "/v1/tokens/{token_id}"]
    for methods in document["paths"].values():
        for operation in methods.values():
            del operation["responses"]["default"]
            operation["responses"].pop("500", None)
    file = folder / "openapi.json"
    file.write_text(json.dumps(document))
    with Api(server.url) as stranger:
        token = stranger.player().token
    command = [sys.executable, "-m", "schemathesis.cli", "run", str(file), "--url", server.url]
    command += ["--header", f"Authorization: Bearer {token}", "--seed", str(seed), "--no-color"]
    command += ["--checks", ",".join(CHECKS), "--generation-database", "none", "--no-shrink"]
    command += ["--suppress-health-check", "all", "--continue-on-failure", *arguments]
    for path in left_out:
        command += ["--exclude-path", path]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=900, check=False)
    said = done.stdout[max(done.stdout.find("= FAILURES ="), 0) :]
    return "" if done.returncode == 0 else f"seed {seed}\n{said[:8000]}{done.stderr[-2000:]}"


def test_no_answer_is_other_than_the_document_says(server: WarlogServer, tmp_path: Path) -> None:
    """Always the same requests; `make soak` sends others."""
    found = findings(server, tmp_path, 1, "--phases", "examples,fuzzing", "--max-examples", "4")
    assert not found, found


@pytest.mark.soak
def test_nor_in_many_more_requests(server: WarlogServer, tmp_path: Path, seed: int) -> None:
    # A rule book may let be what it does not read of options (hex: `armies`, unless `army` is "given").
    more = ("--max-examples", "40", "--exclude-checks", "negative_data_rejection")
    found = findings(server, tmp_path, seed, "--phases", "examples,fuzzing", *more)
    assert not found, found
