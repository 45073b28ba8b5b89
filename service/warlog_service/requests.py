"""What handlers take from a request: its body, decoded and bounded, and a header or two."""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from hashlib import sha256
from typing import Any, TypeVar
from urllib.parse import parse_qsl

import msgspec
from litestar import Request
from litestar.exceptions import ClientException
from litestar.types import Receive, Scope
from msgspec import NODEFAULT
from msgspec.structs import FieldInfo, fields

import warlog_core
from warlog_core import Explanation, explain
from warlog_events.errors import BadParameter, BodyTooLarge, MalformedBody
from warlog_events.redis.idempotency import Key
from warlog_service.responses import connection_of

AnyRequest = Request[Any, Any, Any]
Query = TypeVar("Query", bound=msgspec.Struct)

IDEMPOTENCY_KEY_MAX = 200  # characters


def by_name(headers: list[tuple[bytes, bytes]]) -> dict[bytes, bytes]:
    """The headers by name, for `header`. The first of several equal names wins."""
    return dict(reversed(headers))


def header(scope: Scope, name: bytes) -> str | None:
    """The first header of this lower-case name, or None."""
    state: Any = scope["state"]
    try:
        value: bytes | None = state["headers"].get(name)
    except KeyError:  # under any other server than ours
        state["headers"] = by_name([*scope["headers"]])
        return header(scope, name)
    return None if value is None else value.decode("latin-1")


def body_at_hand(scope: Scope, most: int) -> bytes | None:
    """`read_body`, where all of it has come. None: it has to be awaited."""
    connection = connection_of(scope)
    body = None if connection is None else connection.take_body()
    if body is not None and len(body) > most:
        raise BodyTooLarge(f"The body may have at most {most} bytes.", extra={"maximum": most})
    return body


async def read_body(
    scope: Scope, receive: Receive, most: int, came: Callable[[int], None] | None = None
) -> bytes:
    """The whole body. `came` is called with the number of bytes of each part, and may raise to refuse the body.

    Raises BodyTooLarge as soon as the body is known to have more than `most` bytes."""
    if (body := body_at_hand(scope, most)) is not None:
        if came is not None:
            came(len(body))
        return body
    announced = header(scope, b"content-length")
    if announced is not None and int(announced) > most:  # the parser has seen to it that it is a number
        raise BodyTooLarge(f"The body may have at most {most} bytes.", extra={"maximum": most})
    parts: list[bytes] = []
    size = 0
    while True:
        message = await receive()
        if message["type"] != "http.request":
            raise ClientException("The connection was closed before the whole body had come.")
        parts.append(message["body"])
        size += len(message["body"])
        if size > most:
            raise BodyTooLarge(f"The body may have at most {most} bytes.", extra={"maximum": most})
        if came is not None:
            came(len(message["body"]))
        if not message["more_body"]:
            return b"".join(parts)


async def until_gone(receive: Receive) -> None:
    """Returns when the client has closed the connection."""
    while (await receive())["type"] != "http.disconnect":
        pass


def decode(body: bytes, form: Any) -> Any:
    """The body as a Struct of type `form`; what is free-form in it stays as `warlog_core.loads` reads it.
    Nothing is `{}`.

    Raises MalformedBody."""
    return decoder(form)(body)


@cache
def decoder(form: Any) -> Callable[[bytes], Any]:
    """`decode` for this form."""
    at_once = msgspec.json.Decoder(form).decode

    def decode_form(body: bytes) -> Any:
        body = body or b"{}"
        try:
            return at_once(body)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
            pass  # refused, or an integer too large for msgspec, which `loads` can read: it decides, at leisure
        try:
            given = warlog_core.loads(body)
        except (ValueError, RecursionError) as error:
            raise MalformedBody(f"The body is not JSON: {error}.") from None
        try:
            return msgspec.convert(given, form)
        except (ValueError, RecursionError):
            why = explain.of_form(given, form, "The body")
            if why is None:
                raise MalformedBody(
                    "The body is nested too deeply, or has a number that is too large."
                ) from None
            why = explain.printable(why)
            raise MalformedBody(why.detail, path=why.path, extra=why.members) from None

    return decode_form


@cache
def _fields(form: type[msgspec.Struct]) -> tuple[FieldInfo, ...]:
    """msgspec works them out anew each time, which takes longer than the rest of a small answer."""
    return fields(form)


def asked(scope: Scope, form: type[Query]) -> Query:
    """The query string as a Struct: a list field takes every value of its name, any other field only one.

    Raises BadParameter. Names that the form does not have are ignored, as everywhere on the web."""
    given: dict[str, list[str]] = {}
    if scope["query_string"]:
        try:
            pairs = parse_qsl(
                scope["query_string"].decode("latin-1"), keep_blank_values=True, max_num_fields=100
            )
        except ValueError:
            raise BadParameter("The query has too many parameters.") from None
        for name, value in pairs:
            given.setdefault(name, []).append(value)
    values: dict[str, object] = {}
    for field in _fields(form):
        if (found := given.get(field.encode_name)) is None:
            continue
        if field.default_factory is not NODEFAULT:  # a list
            values[field.encode_name] = found
        elif len(found) > 1:
            raise BadParameter(
                f"The parameter `{field.encode_name}` is given {len(found)} times instead of once."
            )
        else:
            values[field.encode_name] = found[0]
    try:
        query = msgspec.convert(values, form, strict=False)
    except msgspec.ValidationError as error:
        why = _wrong_in(values, form)
        if why is None:
            raise BadParameter(f"The query does not fit: {error}.") from None
        raise BadParameter(why.detail, extra=why.members) from None
    for field in _fields(form):
        if (
            field.encode_name in values and getattr(query, field.name) is None
        ):  # to msgspec the text is a null
            raise BadParameter(f"The parameter `{field.encode_name}` is null. Leave it out instead.")
    return query


def _wrong_in(values: dict[str, object], form: type[msgspec.Struct]) -> Explanation | None:
    """What is wrong with the query: its texts as far as they are numbers, true or false are taken for such."""
    for field in _fields(form):
        if (text := values.get(field.encode_name)) is not None:
            with suppress(msgspec.ValidationError):
                values[field.encode_name] = msgspec.convert(text, field.type, strict=False)
            if isinstance(text, str) and re.fullmatch(r"-?[0-9]{1,18}", text):
                values[field.encode_name] = int(text)
    why = explain.of_form(values, form, "The query")
    return None if why is None else explain.printable(why)


def if_match(scope: Scope) -> int | None:
    """The version of an If-Match header: `"17"`, as the ETag of a view (`"17.black.0"`), or bare. `*` asks for nothing.

    Raises BadParameter."""
    given = header(scope, b"if-match")
    if given is None or given.strip() == "*":
        return None
    digits = given.strip().removeprefix("W/").strip('"').split(".", 1)[0]
    if not (digits.isascii() and digits.isdigit() and len(digits) <= 15):
        raise BadParameter('`If-Match` must be a version such as "17".')
    return int(digits)


def key_of(scope: Scope, call_id: bytes, body: bytes) -> Key | None:
    """The Idempotency-Key, which is for this body and this path. Raises BadParameter."""
    key = idempotency_key(scope)
    return None if key is None else Key(key, sha256(call_id + body).hexdigest())


def idempotency_key(scope: Scope) -> str | None:
    """Raises BadParameter for a key that is empty, too long or not printable ASCII."""
    key = header(scope, b"idempotency-key")
    if key is None:
        return None
    if not (0 < len(key) <= IDEMPOTENCY_KEY_MAX and key.isascii() and key.isprintable()):
        raise BadParameter(
            f"`Idempotency-Key` must have 1 to {IDEMPOTENCY_KEY_MAX} printable ASCII characters."
        )
    return key
