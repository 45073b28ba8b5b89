"""One call in the document: its parameters, body, answers, headers and problems."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from litestar.handlers import HTTPRouteHandler

from warlog_service.codes import CODES, TRANSPORT, Code
from warlog_service.openapi.calls import Call
from warlog_service.openapi.games import Json, name_in, ref
from warlog_service.openapi.words import HEADER_SCHEMAS, HEADERS, PARAMETERS, TAGS
from warlog_service.responses import encode

PROBLEM = "application/problem+json"

# What a request may meet before the call itself is reached.
LIMITED = ("too_many_requests", "unavailable", "disk_full")
BEFORE = {"caller": ("unauthenticated", "cross_origin", *LIMITED), "address": LIMITED, "nobody": ()}
WITH_A_BODY = ("bad_parameter", "malformed_body", "body_too_large")
LEFT = ("RateLimit", "RateLimit-Policy")
TEXTS = {200: "The answer.", 201: "It has been done.", 204: "It has been done; there is no more to say."}


def operation(
    path: str,
    handler: HTTPRouteHandler,
    call: Call,
    schema_of: Mapping[Any, Json],
    query: Json,
    example: Json,
) -> Json:
    """`query`: the component of the call's query. `example`: as it was recorded."""
    text = _text(handler)
    made: Json = {
        "operationId": handler.fn.__name__,
        "tags": [_tag(path)],
        "summary": _summary(text),
        "description": text,
        "parameters": [*_parameters(path, call, query)],
        "security": _security(call),
    }
    if call.body is not None:
        content = _content(schema_of[call.body], example.get("body"))
        made["requestBody"] = {"required": not call.body_may_lack, "content": {"application/json": content}}
    saves = call.token and "GET" not in handler.http_methods
    made["responses"] = {**_done(call, schema_of, example), **_problems(call, saves=saves)}
    return made


def _summary(text: str) -> str:
    """The first sentence. A dot that ends none has no space behind it."""
    first = text.partition("\n\n")[0].replace("\n", " ")
    return first.partition(". ")[0].rstrip(".")


def _security(call: Call) -> list[Json]:
    if call.counts_for != "caller":
        return []
    known: list[Json] = [{"token": []}, {"session": []}]
    return known if call.token else [{}, *known]


def headers() -> Json:
    """The components that answers refer to."""
    return {name: {"description": text, "schema": {"type": type_}} for name, (text, type_) in HEADERS.items()}


def _tag(path: str) -> str:
    """`me` is a player, too; what has no tag of its own is for operators."""
    parts = path.split("/")
    return parts[2] if parts[1] == "v1" and parts[2] in TAGS else "operations"


def _parameters(path: str, call: Call, query: Json) -> Iterable[Json]:
    for part in path.split("/"):
        if part.startswith("{"):
            name = part[1:-1]
            yield {"name": name, "in": "path", "required": True, "schema": {"type": "string"}} | _said(name)
    needed = query.get("required", [])
    for name, schema in query.get("properties", {}).items():
        text, bare = _described(name, schema)
        yield {"name": name, "in": "query", "required": name in needed, "description": text, "schema": bare}
    for name in call.headers:
        sent = name.partition(" of ")[0]  # what it means and looks like may depend on the call
        yield {"name": sent, "in": "header", "required": False, "schema": HEADER_SCHEMAS[name]} | _said(name)


def _said(name: str) -> Json:
    return {"description": PARAMETERS[name]}


def _described(name: str, schema: Json) -> tuple[str, Json]:
    """What a parameter is, and its schema, without null: a parameter is there, or it is not."""
    if "anyOf" in schema and {"type": "null"} in schema["anyOf"]:
        rest = [one for one in schema["anyOf"] if one != {"type": "null"}]
        schema = {name: value for name, value in schema.items() if name not in ("anyOf", "default")}
        schema |= rest[0] if len(rest) == 1 else {"anyOf": rest}
    text = schema.get("description") or PARAMETERS[name]
    return text, {name: value for name, value in schema.items() if name != "description"}


def _done(call: Call, schema_of: Mapping[Any, Json], example: Json) -> Json:
    done: Json = {"description": TEXTS[call.status], "headers": _headers(call, call.sends)}
    if isinstance(call.answer, str):
        schema: Json = {"type": "string"}
        if call.stream is not None:
            named = schema_of[call.stream]
            schema |= {"contentMediaType": "application/json", "contentSchema": named}
            # Generators of clients make of it a text, and show what stands here.
            schema["description"] = f"Events; the `data` of each is JSON: a `{name_in(named)}`."
        done["content"] = {call.answer: _content(schema, example.get("text"))}
    elif call.answer is not None:
        done["content"] = {"application/json": _content(schema_of[call.answer], example.get("answer"))}
    answers = {str(call.status): done}
    if call.already is not None:
        answers[str(call.already)] = {**done, "description": "It was there already."}
    if "If-None-Match" in call.headers:
        answers["304"] = {
            "description": "What you have is still right.",
            "headers": _headers(call, (name for name in call.sends if name == "ETag")),
        }
    return answers


def _headers(call: Call, names: Iterable[str]) -> Json:
    left = () if call.counts_for == "nobody" else LEFT
    return {name: {"$ref": f"#/components/headers/{name}"} for name in (*names, *left, "X-Request-Id")}


def _problems(call: Call, *, saves: bool) -> Json:
    """By status: the codes that the call may answer, and what each says. `default` is what no call answers itself.

    saves  does it save something? Who saves has a token; of the calls without one, those that save name
           `unconfirmed` themselves"""
    named = [*call.errors, *BEFORE[call.counts_for], *(WITH_A_BODY if call.body is not None else ())]
    if call.query is not None or {*call.headers} - {"If-None-Match"}:
        named.append("bad_parameter")
    if call.token:
        named.append("insufficient_scope")
    if "unknown_match" in call.errors:
        named.append("integrity_error")
    if saves:
        named.append("unconfirmed")
    by_status: dict[int, dict[str, Code]] = {}
    more = [
        f"and {words}; `errors` of `GET /v1/games/{{game}}` lists them" for words in named if " " in words
    ]
    for code in sorted({code for code in named if " " not in code}):
        by_status.setdefault(CODES[code].status, {})[code] = CODES[code]
    if more:
        by_status.setdefault(422, {})
    answers = {}
    for status, codes in sorted(by_status.items()):
        lines = [code_list(codes)] if codes else []
        allowed: list[Json] = [{"enum": [*codes]}] if codes else []
        if status == 422 and more:
            lines += more
            allowed.append(ref("GameCode"))
        code = allowed[0] if len(allowed) == 1 else {"anyOf": allowed}
        answers[str(status)] = _problem(
            call, "\n\n".join(lines), _with_code(code), _SENT_WITH.get(status, ())
        )
    return answers | {
        "default": _problem(call, "what any request may get", _with_code({"enum": [*TRANSPORT]}), ())
    }


def _with_code(code: Json) -> Json:
    text = "which refusal it is"
    return {
        "allOf": [ref("Problem"), {"type": "object", "properties": {"code": {"description": text, **code}}}]
    }


_SENT_WITH = {401: ("WWW-Authenticate",), 429: ("Retry-After",), 503: ("Retry-After",)}


def _problem(call: Call, description: str, schema: Json, sends: Iterable[str]) -> Json:
    return {
        "description": description,
        "headers": _headers(call, sends),
        "content": {PROBLEM: {"schema": schema}},
    }


def share_answers(paths: Mapping[str, Mapping[str, Json]]) -> Json:
    """The refusals that a quarter of all calls give in the same words, by name; `paths` then refers to them."""
    every = [one["responses"] for methods in paths.values() for one in methods.values()]
    places: dict[bytes, list[tuple[Json, str]]] = {}
    for answers in every:
        for status, answer in answers.items():
            if PROBLEM in answer.get("content", {}):
                places.setdefault(encode(answer), []).append((answers, status))
    shared: Json = {}
    for same in places.values():
        if len(same) < len(every) / 4:
            continue
        answers, status = same[0]
        name = _name(status, answers[status])
        shared[name] = answers[status]
        for answers, status in same:
            answers[status] = {"$ref": f"#/components/responses/{name}"}
    return dict(sorted(shared.items()))


def _name(status: str, answer: Json) -> str:
    """Of its codes: `CrossOriginOrInsufficientScope`."""
    if status == "default":
        return "AnyRequest"
    code = answer["content"][PROBLEM]["schema"]["allOf"][1]["properties"]["code"]
    return "Or".join(one.title().replace("_", "") for one in code["enum"])


def code_list(codes: Mapping[str, Code], *, with_status: bool = False) -> str:
    """In Markdown."""
    return "\n".join(
        f"* `{name}`{f' ({code.status})' if with_status else ''}: {code.text}" for name, code in codes.items()
    )


def header_list(named: Mapping[str, str]) -> str:
    """In Markdown."""
    return "\n".join(f"* `{name}`: {text}" for name, text in named.items())


def _content(schema: Json, example: Any) -> Json:
    return {"schema": schema} if example is None else {"schema": schema, "example": example}


def _text(handler: HTTPRouteHandler) -> str:
    lines = (handler.fn.__doc__ or "").strip().splitlines()
    return "\n".join(line.strip() for line in lines)
