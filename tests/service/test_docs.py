"""The page that shows the OpenAPI document: from this server alone, and it works in a real browser."""

from __future__ import annotations

import gzip
import hashlib
import re
import subprocess
from pathlib import Path
from typing import Any

from tests.chromium import executable
from tests.service.api import Api
from tests.service.declared import answers_of

DOCS = Path(__file__).parents[2] / "docs"
REDOC = Path(__file__).parents[2] / "service" / "warlog_service" / "redoc"


def test_the_script_is_the_one_that_its_note_names() -> None:
    script = gzip.decompress((REDOC / "redoc.standalone.js.gz").read_bytes())
    note = (REDOC / "README.md").read_text(encoding="utf-8")
    assert hashlib.sha256(script).hexdigest() in note
    version = re.search(r"`redoc` (\S+)", note)
    assert version is not None
    assert f'Version: "{version[1]}"' in (REDOC / "LICENSE.txt").read_text(encoding="utf-8")


def test_the_page_asks_no_other_host_and_its_policy_forbids_it(api: Api) -> None:
    page = api.get("/docs")
    assert page.status_code == 200
    assert "//" not in page.text
    policy = dict(part.split(" ", 1) for part in page.headers["content-security-policy"].split("; "))
    assert policy["default-src"] == "'none'"
    sources = {source for allowed in policy.values() for source in allowed.split()}
    assert sources == {"'none'", "'self'", "'unsafe-inline'", "data:", "blob:"}
    assert "'unsafe-inline'" not in policy["script-src"]


def test_the_script_comes_compressed_to_those_who_take_it_and_is_kept(api: Api) -> None:
    packed = api.get("/docs/redoc.js", headers={"accept-encoding": "gzip"})
    plain = api.get("/docs/redoc.js", headers={"accept-encoding": "identity"})
    assert packed.headers["content-encoding"] == "gzip"
    assert "content-encoding" not in plain.headers
    assert packed.text == plain.text
    assert packed.headers["etag"] != plain.headers["etag"]
    again = api.get(
        "/docs/redoc.js", headers={"accept-encoding": "gzip", "if-none-match": packed.headers["etag"]}
    )
    assert again.status_code == 304


def test_a_browser_shows_the_guide_and_every_call(api: Api, tmp_path: Path) -> None:
    done = subprocess.run(
        [executable(), "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--enable-logging=stderr",
         "--disable-background-networking", "--disable-component-update", "--disable-sync",
         f"--user-data-dir={tmp_path}", "--timeout=60000", "--virtual-time-budget=30000", "--dump-dom",
         f"{api.url}/v1/docs"],
        capture_output=True, text=True, timeout=180, check=True,
    )  # fmt: skip
    for methods in api.get("/openapi.json").json()["paths"].values():
        for operation in methods.values():
            assert f"operation/{operation['operationId']}" in done.stdout, operation["operationId"]
    pages = "".join((DOCS / name).read_text(encoding="utf-8") for name in ("GUIDE.md", "CLIENTS.md"))
    for heading in re.findall(r"^##? (.*)$", pages, flags=re.MULTILINE):
        assert heading.replace("'", "&#x27;") in done.stdout or heading in done.stdout, heading
    refused = [line for line in done.stderr.splitlines() if "Content Security Policy" in line]
    assert all("img-src" in line and "cdn.redoc.ly" in line for line in refused), refused  # Redoc's logo


def test_the_text_has_the_guide_and_every_call_with_its_refusals(api: Api) -> None:
    answer = api.get("/docs.md")
    assert answer.headers["content-type"] == "text/markdown; charset=utf-8"
    text, document = answer.text, api.get("/openapi.json").json()
    assert text.startswith(document["info"]["description"])
    seen = set[str]()
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            section = text.partition(f"\n### {method.upper()} {path}\n")[2].partition("\n##")[0]
            assert operation["description"] in section
            assert "``" not in section
            assert ("\n* takes " in section) == ("requestBody" in operation)
            assert all(f"* `{one['name']}`" in section for one in operation["parameters"])
            refusals = {
                status: one for status, one in answers_of(document, operation).items() if status[0] in "45"
            }
            codes = {code for one in refusals.values() for code in of(one)}
            assert all(f"`{code}`" in section for code in codes), path
            seen |= codes
    assert len(seen) > 40
    assert api.get("/docs.md", headers={"if-none-match": answer.headers["etag"]}).status_code == 304


def of(answer: dict[str, Any]) -> set[str]:
    (content,) = answer["content"].values()
    code = content["schema"]["allOf"][1]["properties"]["code"]
    return {word for one in code.get("anyOf", [code]) for word in one.get("enum", ())}
