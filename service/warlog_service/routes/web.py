"""The web board: the page at `/`, and its script and style, which are built from clients/web."""

from __future__ import annotations

import gzip
import hashlib
import re
from functools import cache
from importlib import resources
from typing import NamedTuple

from litestar import get
from litestar.exceptions import NotFoundException
from litestar.params import FromPath

from warlog_service import auth
from warlog_service.backend import service_of
from warlog_service.requests import AnyRequest, header
from warlog_service.responses import Answer, Headers, matches, not_modified

TYPES = {
    "html": b"text/html; charset=utf-8",
    "js": b"text/javascript; charset=utf-8",
    "css": b"text/css; charset=utf-8",
}
SAFE: Headers = [
    # The page runs its own script alone, is in no frame, and sends nothing elsewhere.
    (
        b"content-security-policy",
        b"default-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
        b"object-src 'none'",
    ),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
]
# Most files have the hash of their content in their name. The page and the element for other pages have none.
FOR_EVER = (b"cache-control", b"public, max-age=31536000, immutable")
ASK_AGAIN = (b"cache-control", b"no-cache")
HAS_HASH = re.compile(r"-[0-9A-Z]{8}\.")


class File(NamedTuple):
    content: bytes
    zipped: bytes
    type: bytes
    tag: bytes


@cache
def files() -> dict[str, File]:
    """Of the package's folder `web`, by name."""
    found = {}
    for entry in resources.files("warlog_service").joinpath("web").iterdir():
        content = entry.read_bytes()
        kind = TYPES[entry.name.rpartition(".")[2]]
        found[entry.name] = File(content, gzip.compress(content, mtime=0), kind, _tag(content))
    return found


def _tag(content: bytes) -> bytes:
    """Weak: the same for the content and for its compressed form."""
    return b'W/"%s"' % hashlib.sha256(content).hexdigest()[:16].encode("ascii")


async def _file(request: AnyRequest, name: str) -> Answer:
    auth.spend(service_of(request.scope), request.scope)
    file = files().get(name)
    if file is None:
        raise NotFoundException
    caching = [FOR_EVER if HAS_HASH.search(name) else ASK_AGAIN, (b"vary", b"Accept-Encoding")]
    if matches(header(request.scope, b"if-none-match"), file.tag.removeprefix(b"W/")):
        return not_modified(file.tag, caching)
    headers = [(b"content-type", file.type), (b"etag", file.tag), *caching, *SAFE]
    if "gzip" in (header(request.scope, b"accept-encoding") or ""):
        return Answer(200, [*headers, (b"content-encoding", b"gzip")], file.zipped)
    return Answer(200, headers, file.content)


@get("/")
async def get_home(request: AnyRequest) -> Answer:
    return await _file(request, "index.html")


PAGES = [
    "/m/{match_id:str}",
    "/new/{game:str}",
    "/learn/{game:str}",
    "/edit/{game:str}",
    "/edit/{game:str}/{match_id:str}/{version:str}",
    "/s/{scenario_id:str}",
    "/import",
    "/me",
    "/people",
    "/standing",
    "/standing/{game:str}",
    "/p/{player_id:str}",
]


@get(PAGES)
async def get_page(request: AnyRequest) -> Answer:
    """The same page, which reads its own address."""
    return await _file(request, "index.html")


@get("/web/{name:str}")
async def get_file(request: AnyRequest, name: FromPath[str]) -> Answer:
    return await _file(request, name)


pages = [get_home, get_page, get_file]
