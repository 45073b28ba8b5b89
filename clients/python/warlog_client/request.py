"""One call of the API without any I/O: what is sent, what comes back, and when to try again.

The two clients differ only in how they send and sleep; everything else of a call is here.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from typing import Any, Generic, TypeVar
from urllib.parse import quote

import httpx
import msgspec

from .errors import (
    Problem,
    ProblemBody,
    QuotaExceeded,
    ServiceUnavailable,
    TooManyRequests,
    UnexpectedReply,
    Unreachable,
    problem_class,
)

T = TypeVar("T")


def looked_at(model: type[T]) -> type[T]:
    """The model itself, after msgspec has read its type hints. It reads them at the first decoding otherwise, and the
    process crashes if two threads do that at the same time. A Decoder reads them, too."""
    msgspec.json.Decoder(model)
    return model


_PROBLEM = looked_at(ProblemBody)

# Failures after which the request has certainly not been received.
_NEVER_SENT = (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout)


Query = Mapping[str, str | list[str]]
Value = str | int | Sequence[str] | Mapping[str, Any] | None
"""What a query parameter may be given as."""


class Request(msgspec.Struct, Generic[T], frozen=True):
    """One call. `repeatable`: twice is as good as once (a GET, a command with its `Idempotency-Key`). `timeout_s`: of
    its answer, where that may take longer than others."""

    method: str
    path: str
    reply: Callable[[httpx.Response], T]
    query: Query = {}
    headers: Mapping[str, str] = {}
    body: bytes | None = None
    repeatable: bool = False
    timeout_s: float = 0.0


class Page(msgspec.Struct, Generic[T], frozen=True):
    """Some items of a long list, and the request for the next ones; None after the last."""

    items: list[T]
    rest: Request[Page[T]] | None


class Retry(msgspec.Struct, frozen=True):
    """How often to ask, and how long to wait: twice as long each time, or as long as a `Retry-After` says.

    The defaults give up after about half a minute. A feed counts anew after each event received."""

    attempts: int = 10
    wait_s: float = 0.1
    wait_s_max: float = 5.0

    def wait(self, failures: int, error: Exception | None = None) -> float:
        """Seconds to wait after that many failures in a row, of which `error` was the last."""
        if isinstance(error, Problem) and error.retry_after is not None:
            return error.retry_after
        return min(self.wait_s * 2.0 ** (failures - 1), self.wait_s_max)


def path(*parts: str) -> str:
    """`/v1/…` of these parts, each quoted, so that an id can never lead elsewhere."""
    return "/v1/" + "/".join(quote(part, safe="") for part in parts)


def query(**values: Value) -> Query:
    """Query parameters: None is left out, a list is given value by value, an object as JSON."""
    parameters: dict[str, str | list[str]] = {}
    for name, value in values.items():
        if isinstance(value, str):
            parameters[name] = value
        elif isinstance(value, Sequence):
            parameters[name] = list(value)
        elif value is not None:
            parameters[name] = msgspec.json.encode(value).decode()
    return parameters


def get(
    reply: Callable[[httpx.Response], T],
    *parts: str,
    **values: Value,
) -> Request[T]:
    return Request("GET", path(*parts), reply, query(**values), repeatable=True)


def post(reply: Callable[[httpx.Response], T], *parts: str, body: object, **values: Value) -> Request[T]:
    return msgspec.structs.replace(send("POST", reply, *parts, body=body), query=query(**values))


def send(method: str, reply: Callable[[httpx.Response], T], *parts: str, body: object = None) -> Request[T]:
    """A call that changes something and must not be repeated blindly. No content type without a body."""
    if body is None:
        return Request(method, path(*parts), reply)
    return Request(
        method,
        path(*parts),
        reply,
        headers={"Content-Type": "application/json"},
        body=msgspec.json.encode(body),
    )


def json_as(model: type[T]) -> Callable[[httpx.Response], T]:
    """A reply that is this Struct. Raises UnexpectedReply."""
    return read_as(msgspec.json.Decoder(model).decode)


def read_as(read: Callable[[bytes], T]) -> Callable[[httpx.Response], T]:
    """A reply of whose JSON `read` makes something. Raises UnexpectedReply."""

    def decode(response: httpx.Response) -> T:
        try:
            return read(response.content)
        except msgspec.DecodeError as error:
            raise UnexpectedReply(f"{response.url}: {error}") from error

    return decode


def described_as(read: Callable[[dict[str, Any]], T]) -> Callable[[httpx.Response], T]:
    """A reply of which `read` makes something. Raises UnexpectedReply."""
    whole = json_as(dict[str, Any])

    def decode(response: httpx.Response) -> T:
        try:
            return read(whole(response))
        except (msgspec.ValidationError, KeyError, TypeError) as error:
            raise UnexpectedReply(f"{response.url}: {error!r}") from error

    return decode


def field_as(model: type[T], name: str) -> Callable[[httpx.Response], T]:
    """A reply of which the one field `name` is wanted. Raises UnexpectedReply."""
    decoder = msgspec.json.Decoder(model)
    whole = json_as(dict[str, msgspec.Raw])

    def decode(response: httpx.Response) -> T:
        try:
            return decoder.decode(whole(response).get(name, b""))
        except msgspec.DecodeError as error:
            raise UnexpectedReply(f"{response.url}: {name}: {error}") from error

    return decode


def list_of(read: Callable[[msgspec.Raw], T], name: str) -> Callable[[httpx.Response], list[T]]:
    """A reply of which the list in the field `name` is wanted, each of its items read by `read`. Raises
    UnexpectedReply."""
    items = field_as(list[msgspec.Raw], name)

    def decode(response: httpx.Response) -> list[T]:
        try:
            return [read(item) for item in items(response)]
        except msgspec.DecodeError as error:
            raise UnexpectedReply(f"{response.url}: {name}: {error}") from error

    return decode


def pages_of(model: type[T], name: str, first: Request[Any]) -> Request[Page[T]]:
    """`pages` whose items are these Structs in the field `name`."""
    return pages(field_as(list[model], name), first)  # type: ignore[valid-type]


def pages(items: Callable[[httpx.Response], list[T]], first: Request[Any]) -> Request[Page[T]]:
    """The call `first` as one for a page with these items: its `next` is the parameter `after` of the page that
    follows."""
    cursor = field_as(int | str | None, "next")  # type: ignore[arg-type]

    def decode(response: httpx.Response) -> Page[T]:
        page, after = items(response), cursor(response)
        if after is None or not page:
            return Page(page, None)
        return Page(page, msgspec.structs.replace(request, query={**request.query, "after": str(after)}))

    request: Request[Page[T]] = msgspec.structs.replace(first, reply=decode)
    return request


def lines_of(first: Request[Any]) -> Request[Page[str]]:
    """The call `first` as one for some lines of text, whose `Link` header leads to those that follow."""

    def decode(response: httpx.Response) -> Page[str]:
        lines = [line for line in response.text.split("\n") if line]
        rest = response.links.get("next", {}).get("url")
        if rest is None:
            return Page(lines, None)
        after = httpx.URL(rest).params["after"]
        return Page(lines, msgspec.structs.replace(request, query={**request.query, "after": after}))

    request: Request[Page[str]] = msgspec.structs.replace(first, reply=decode)
    return request


def text(response: httpx.Response) -> str:
    return response.text


def nothing(response: httpx.Response) -> None:
    """A reply whose body says nothing (204)."""


def refusal(response: httpx.Response) -> Problem | UnexpectedReply:
    """The exception for an answer that is no success; its body must have been read."""
    try:
        body = msgspec.json.decode(response.content, type=dict[str, Any])
        problem = msgspec.convert(body, _PROBLEM)
    except (msgspec.DecodeError, msgspec.ValidationError):
        if response.status_code not in (502, 503, 504):
            return UnexpectedReply(
                f"{response.url}: status {response.status_code} without a problem document"
            )
        # A proxy in front of a service that is gone or starting: as good as the service's own 503.
        body, problem = {}, ProblemBody("unavailable", title=f"status {response.status_code} from a proxy")
    kind = problem_class(503 if response.status_code in (502, 504) else response.status_code, problem.code)
    return kind(problem, status=response.status_code, retry_after=_retry_after(response), body=body)


def _retry_after(response: httpx.Response) -> float | None:
    seconds = response.headers.get("Retry-After", "")
    return float(seconds) if seconds.isdecimal() else None


Outcome = httpx.Response | httpx.TransportError


def _comes_back(error: Exception, repeatable: bool) -> bool:
    """Whether to ask again. What was over a limit has not been looked at; behind a 503 it may have been done."""
    over_a_rate = isinstance(error, TooManyRequests) and not isinstance(error, QuotaExceeded)
    return over_a_rate or (repeatable and isinstance(error, ServiceUnavailable))


def exchange(request: Request[T], retry: Retry) -> Generator[float, Outcome, T]:
    """The course of one call: yields the seconds to wait, takes what came of sending, returns the reply.

    Asks again only where that is safe: always if the request never left, otherwise if it is repeatable.
    Never waits longer than `wait_s_max`: who is told to come back later than that gets the refusal.
    Raises the refusal, or Unreachable."""
    wait = 0.0
    for attempt in range(1, retry.attempts + 1):
        outcome = yield wait
        if isinstance(outcome, httpx.Response):
            if outcome.is_success:
                return request.reply(outcome)
            error: Exception = refusal(outcome)
            again = _comes_back(error, request.repeatable) and retry.wait(1, error) <= retry.wait_s_max
        else:
            error = Unreachable(f"{request.method} {request.path}: {outcome!r}")
            error.__cause__ = outcome
            again = request.repeatable or isinstance(outcome, _NEVER_SENT)
        if not again or attempt == retry.attempts:
            raise error
        wait = retry.wait(attempt, error)
    raise ValueError("Retry.attempts must be at least 1")
