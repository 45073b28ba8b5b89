"""What browsers may do: pages of other origins with a token, Warlog's own pages with a session (a cookie)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.chromium import PAGE, pages, seen_by
from tests.nginx import nginx
from tests.servers import WarlogServer
from tests.service.api import Api, ok, refused
from warlog_service.browsers import COOKIE, Cors
from warlog_service.origins import BadOrigin, Origins

SAME = {"Sec-Fetch-Site": "same-origin"}
FRIEND = "https://play.example.org"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WarlogServer]:
    environment = {"WARLOG_CORS_ORIGINS": f"{FRIEND}, http://127.0.0.1:1"}
    with WarlogServer(tmp_path_factory.mktemp("data"), environment=environment) as running:
        yield running


@pytest.fixture
def ada(server: WarlogServer) -> Iterator[Api]:
    with Api(server.url) as api:
        yield api.player("ada")


def asked(server: WarlogServer, method: str, path: str, **headers: str) -> httpx.Response:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return httpx.request(method, f"{server.url}/v1{path}", headers=named)


def session_of(server: WarlogServer, api: Api, **headers: str) -> tuple[dict[str, Any], str]:
    """The answer, and the cookie as a browser would send it."""
    answer = asked(
        server, "POST", "/sessions", authorization=f"Bearer {api.token}", sec_fetch_site="same-origin", **headers
    )  # fmt: skip
    return ok(answer, 201), answer.headers["set-cookie"].partition(";")[0]


# ---- other origins ----


def test_a_page_of_another_origin_may_read_every_header_that_the_document_names(server: WarlogServer) -> None:
    answer = asked(server, "GET", "/openapi.json", origin=FRIEND)
    named = {
        name
        for path in ok(answer)["paths"].values()
        for call in path.values()
        if isinstance(call, dict)
        for reply in call["responses"].values()
        for name in reply.get("headers", {})
    }
    assert {"ETag", "Link", "Retry-After"} < named
    readable = set(answer.headers["access-control-expose-headers"].split(", "))
    # Browsers give cookies to no page. `Allow` comes with 405, of no call.
    assert readable == named - {"Set-Cookie"} | {"Allow"}


def test_a_page_of_a_named_origin_may_read_every_kind_of_answer(server: WarlogServer, ada: Api) -> None:
    match = ada.alone(game="hex", options={"army": "preset"})
    for path in ("/games", f"/matches/{match}", "/nowhere", "/matches/none", f"/matches/{match}/history"):
        answer = asked(server, "GET", path, origin=FRIEND)
        assert answer.headers["access-control-allow-origin"] == FRIEND, path
        assert "ETag" in answer.headers["access-control-expose-headers"]
        assert "Origin" in answer.headers["vary"]
        assert "access-control-allow-credentials" not in answer.headers
    command = httpx.post(
        f"{server.url}/v1/matches/{match}/commands",
        headers={"origin": FRIEND, "authorization": f"Bearer {ada.token}"},
        json={"type": "act", "seat": "red", "action": {"type": "resign"}},
    )
    assert (command.status_code, command.json().get("code")) in {(201, None), (422, "not_your_turn")}
    assert command.headers["access-control-allow-origin"] == FRIEND
    with httpx.stream("GET", f"{server.url}/v1/matches/{match}/feed", headers={"origin": FRIEND}) as feed:
        assert feed.headers["content-type"].startswith("text/event-stream")
        assert feed.headers["access-control-allow-origin"] == FRIEND


@pytest.mark.parametrize("origin", ["https://evil.example.org", "null", f"{FRIEND}.evil.example", "https://"])
def test_a_page_of_another_origin_may_read_nothing(server: WarlogServer, origin: str) -> None:
    answer = asked(server, "GET", "/games", origin=origin)
    assert "access-control-allow-origin" not in answer.headers
    assert "Origin" in answer.headers["vary"]
    preflight = asked(server, "OPTIONS", "/games", origin=origin, access_control_request_method="POST")
    assert not any(name.startswith("access-control") for name in preflight.headers)


def test_a_preflight_is_answered_before_any_token_is_asked_for(server: WarlogServer) -> None:
    answer = asked(
        server, "OPTIONS", "/matches/m_1/commands", origin=FRIEND, access_control_request_method="POST",
        access_control_request_headers="authorization,content-type,idempotency-key",
    )  # fmt: skip
    assert answer.status_code == 204
    assert "POST" in answer.headers["access-control-allow-methods"]
    for name in (
        "Authorization",
        "Content-Type",
        "Idempotency-Key",
        "If-Match",
        "If-None-Match",
        "Last-Event-ID",
    ):
        assert name in answer.headers["access-control-allow-headers"]
    assert answer.headers["access-control-max-age"] == "86400"
    assert answer.headers["access-control-allow-origin"] == FRIEND


def test_options_without_an_origin_lists_the_methods(server: WarlogServer) -> None:
    assert set(asked(server, "OPTIONS", "/matches").headers["allow"].split(", ")) >= {"GET", "POST"}


def test_without_the_setting_nobody_is_allowed() -> None:
    scope: Any = {"type": "http", "method": "GET", "headers": [(b"origin", b"https://x")], "state": {}}
    assert Cors(Origins()).headers(scope) == []


@pytest.mark.parametrize(
    "wrong", ["play.example.org", "https://a.example/path", "ftp://a.example", "https://a/?q"]
)
def test_what_is_no_origin_is_a_bad_setting(wrong: str) -> None:
    with pytest.raises(BadOrigin, match="no origin"):
        Origins(wrong)


def test_every_origin_can_be_allowed() -> None:
    scope: Any = {"type": "http", "method": "GET", "headers": [(b"origin", b"https://x")], "state": {}}
    assert (b"access-control-allow-origin", b"*") in Cors(Origins("*")).headers(scope)


# ---- sessions ----


def test_a_session_is_a_cookie_that_no_script_reads_and_no_other_site_sends(
    server: WarlogServer, ada: Api
) -> None:
    answer = asked(
        server, "POST", "/sessions", authorization=f"Bearer {ada.token}", sec_fetch_site="same-origin"
    )
    session = ok(answer, 201)
    assert set(session) == {"id", "scopes", "created_at", "expires_at"}
    cookie = answer.headers["set-cookie"]
    assert {"HttpOnly", "SameSite=Strict", "Path=/v1", f"Max-Age={30 * 86400}"} <= set(cookie.split("; "))
    assert "Secure" not in cookie
    assert str(ada.token) not in cookie
    secure = asked(
        server, "POST", "/sessions", authorization=f"Bearer {ada.token}", sec_fetch_site="same-origin",
        origin="https://warlog.example.org",
    )  # fmt: skip
    assert "Secure" in secure.headers["set-cookie"].split("; ")


def test_the_cookie_is_its_player_until_the_session_ends(server: WarlogServer, ada: Api) -> None:
    session, cookie = session_of(server, ada)
    me = asked(server, "GET", "/players/me", cookie=cookie, **SAME)
    assert ok(me)["player"]["id"] == ada.id
    typed = asked(server, "GET", "/players/me", cookie=cookie, sec_fetch_site="none")
    assert ok(typed)["player"]["id"] == ada.id
    old_browser = asked(server, "GET", "/players/me", cookie=cookie, origin=server.url)
    assert ok(old_browser)["player"]["id"] == ada.id
    listed = {token["id"]: token for token in ok(ada.get("/tokens"))["tokens"]}
    assert listed[session["id"]]["expires_at"] == session["expires_at"]
    ended = asked(server, "DELETE", "/sessions", cookie=cookie, **SAME)
    assert ended.status_code == 204
    assert "Max-Age=0" in ended.headers["set-cookie"]
    problem = refused(asked(server, "GET", "/players/me", cookie=cookie, **SAME), 401, "unauthenticated")
    assert "session has ended" in problem["detail"]
    # An ended one can still be taken away, or the page could never be rid of it.
    assert asked(server, "DELETE", "/sessions", cookie=cookie, **SAME).status_code == 204


@pytest.mark.parametrize(
    "forged",
    [
        {"sec_fetch_site": "cross-site"},
        {"sec_fetch_site": "same-site"},
        {"sec_fetch_site": "cross-site", "origin": "SELF"},
        {"origin": "https://evil.example.org"},
        {"origin": "null"},
        {},
    ],
)
def test_a_forged_request_is_refused_and_does_nothing(
    server: WarlogServer, ada: Api, forged: dict[str, str]
) -> None:
    _, cookie = session_of(server, ada)
    sent = {name: server.url if value == "SELF" else value for name, value in forged.items()}
    before = len(ok(ada.get("/tokens"))["tokens"])
    for method, path in (
        ("GET", "/players/me"),
        ("POST", "/tokens"),
        ("POST", "/matches"),
        ("DELETE", "/sessions"),
    ):
        refused(asked(server, method, path, cookie=cookie, **sent), 403, "cross_origin")
    refused(
        asked(server, "POST", "/sessions", authorization=f"Bearer {ada.token}", **sent), 403, "cross_origin"
    )
    assert len(ok(ada.get("/tokens"))["tokens"]) == before
    assert ok(asked(server, "GET", "/players/me", cookie=cookie, **SAME))["player"]["id"] == ada.id


def test_a_typed_address_does_nothing_but_read(server: WarlogServer, ada: Api) -> None:
    _, cookie = session_of(server, ada)
    refused(asked(server, "POST", "/matches", cookie=cookie, sec_fetch_site="none"), 403, "cross_origin")


def test_a_session_begins_no_other_which_would_outlive_the_token(server: WarlogServer, ada: Api) -> None:
    _, cookie = session_of(server, ada)
    problem = refused(asked(server, "POST", "/sessions", cookie=cookie, **SAME), 403, "insufficient_scope")
    assert "send a token" in problem["detail"]


def test_a_session_ends_with_the_token_that_it_was_begun_with(server: WarlogServer, ada: Api) -> None:
    second = ok(ada.post("/tokens", {"label": "of a page"}), 201)
    with Api(server.url, second["token"]) as page:
        _, cookie = session_of(server, page)
    assert ok(asked(server, "GET", "/players/me", cookie=cookie, **SAME))["player"]["id"] == ada.id
    assert ada.delete(f"/tokens/{second['id']}").status_code == 204
    refused(asked(server, "GET", "/players/me", cookie=cookie, **SAME), 401, "unauthenticated")


def test_a_token_comes_before_a_cookie(server: WarlogServer, ada: Api) -> None:
    _, cookie = session_of(server, ada)
    with Api(server.url) as other:
        ben = other.player("ben")
    answer = asked(server, "GET", "/players/me", cookie=cookie, authorization=f"Bearer {ben.token}")
    assert ok(answer)["player"]["id"] == ben.id


@pytest.mark.parametrize(
    "cookie", [f"{COOKIE}=", f"{COOKIE}=wl_x", f'{COOKIE}="; a=b', f"{COOKIE}={'x' * 9000}"]
)
def test_a_cookie_that_is_none_is_refused_as_a_bad_token(server: WarlogServer, cookie: str) -> None:
    answer = asked(server, "GET", "/players/me", cookie=cookie, **SAME)
    refused(answer, 401, "unauthenticated")


# ---- a real browser ----


@pytest.mark.parametrize("every", [False, True], ids=["named", "every"])
def test_a_real_browser_reads_with_a_token_from_an_allowed_origin_only(tmp_path: Path, every: bool) -> None:
    site, profile = tmp_path / "site", tmp_path / "profile"
    site.mkdir()
    with pages(site) as friend, pages(site, "localhost") as stranger:
        environment = {"WARLOG_CORS_ORIGINS": "*" if every else friend}
        with WarlogServer(tmp_path / "data", environment=environment) as server, Api(server.url) as api:
            ada = api.player("ada")
            match = ada.alone(game="hex", options={"army": "preset"})
            token = f'{{Authorization: "Bearer {ada.token}", "Content-Type": "application/json"}}'
            script = f"""
            const url = "{server.url}/v1";
            await ask("games", url + "/games");
            await ask("me", url + "/players/me", {{headers: {token}}});
            await ask("command", url + "/matches/{match}/commands", {{method: "POST", headers: {token},
              body: JSON.stringify({{type: "propose", proposal: {{kind: "undo", to: 1}}}})}});
            await ask("session", url + "/sessions",
              {{method: "POST", headers: {token}, credentials: "include"}});
            """
            (site / "page.html").write_text(PAGE % script)
            seen = seen_by(profile, f"{friend}/page.html")
            assert seen["games"]["status"] == 200
            assert "hex" in seen["games"]["body"]
            assert ada.id in seen["me"]["body"]
            assert "status" in seen["command"]
            assert "error" in seen["session"]  # with cookies nothing of another origin is ever read
            other = seen_by(profile, f"{stranger}/page.html")
            assert set(other) == set(seen)
            read = {name for name, answer in other.items() if "error" not in answer}
            assert read == ({"games", "me", "command"} if every else set())


def test_a_real_browser_has_a_session_on_its_own_pages_and_sends_it_from_no_other(tmp_path: Path) -> None:
    site, profile = tmp_path / "site", tmp_path / "profile"
    site.mkdir()
    with WarlogServer(tmp_path / "data") as server, pages(site) as other:
        page = f"location /page.html {{ root {site}; }} location /again.html {{ root {site}; }}"
        with nginx(tmp_path, server.url.removeprefix("http://"), more=page) as own, Api(server.url) as api:
            ada = api.player("ada")
            (site / "page.html").write_text(
                PAGE
                % f"""
                await ask("before", "/v1/players/me");
                await ask("session", "/v1/sessions",
                  {{method: "POST", headers: {{Authorization: "Bearer {ada.token}"}}}});
                seen.cookie = document.cookie;
                await ask("me", "/v1/players/me");
                seen.feed = await new Promise((done) => {{
                  const feed = new EventSource("/v1/players/me/feed");
                  feed.addEventListener("ready", () => {{ feed.close(); done("ready"); }});
                  feed.onerror = () => {{ feed.close(); done("refused"); }};
                }});
                """
            )
            seen = seen_by(profile, f"{own}/page.html")
            assert seen["before"]["status"] == 401
            assert seen["session"]["status"] == 201
            assert seen["cookie"] == ""
            assert ada.id in seen["me"]["body"]
            assert seen["feed"] == "ready"
            (site / "again.html").write_text(
                PAGE
                % f"""
                await ask("me", "{own}/v1/players/me", {{credentials: "include", mode: "no-cors"}});
                await ask("end", "{own}/v1/sessions", {{method: "DELETE", credentials: "include"}});
                """
            )
            forged = seen_by(profile, f"{other}/again.html")
            assert "error" in forged["end"]
            assert "error" not in forged["me"]
            assert ada.id not in str(forged)
            again = [token for token in ok(ada.get("/tokens"))["tokens"] if token["expires_at"]]
            assert len(again) == 1
