"""What a route says of itself: what it takes and answers. Litestar's `opt` of its handler."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal

from litestar import Litestar
from litestar.handlers import HTTPRouteHandler
from litestar.routes import HTTPRoute
from msgspec import Struct
from msgspec.structs import fields


class Call(Struct, frozen=True, kw_only=True):
    """What a route takes and answers.

    answer   a Struct, or the media type of an answer that is no JSON
    already  the status where what was asked for was there before, with the same answer
    stream   of an answer in Server-Sent Events: what `data` of each has
    errors   the codes of its own, beside those that every call may answer; words that are no code stand for codes of
             the game's rule book
    headers  request headers that the call reads
    sends    headers of the answer, beside those that every answer may have
    token    whether the call needs a token
    counts_for  for whom a request counts in the rate limits: its caller, who has a token or a session or else an
             address; its address, since no token is looked at; or nobody
    """

    answer: Any
    status: int = 200
    already: int | None = None
    query: type[Struct] | None = None
    body: Any = None
    stream: Any = None
    errors: tuple[str, ...] = ()
    headers: tuple[str, ...] = ()
    sends: tuple[str, ...] = ()
    token: bool = False
    counts_for: Literal["caller", "address", "nobody"] = "caller"

    @property
    def body_may_lack(self) -> bool:
        """Nothing is `{}` (requests.decode), which this body may be."""
        is_struct = isinstance(self.body, type) and issubclass(self.body, Struct)
        return is_struct and not any(field.required for field in fields(self.body))

    def __deepcopy__(self, memo: object) -> Call:
        """Litestar copies every handler; a type is not copied."""
        return self


def call(**described: Any) -> dict[str, Any]:
    """The `opt` of a route handler."""
    return {"call": Call(**described)}


ALSO = ("/v1/health",)
"""Second paths of operations, which have one place in the document."""


def calls(app: Litestar) -> Iterator[tuple[str, str, HTTPRouteHandler, Call]]:
    """(method, path with {names}, handler, call) of every call of the API."""
    for route in app.routes:
        if isinstance(route, HTTPRoute) and not route.path.startswith(ALSO):
            for handler in route.route_handlers:
                if "call" in handler.opt:
                    for method in handler.http_methods:
                        yield str(method), route.path_format, handler, handler.opt["call"]
