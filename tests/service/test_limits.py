"""Limits by address: what one caller does wrong is not laid at another's door, whoever stands between."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from tests.nginx import nginx
from tests.servers import WarlogServer
from tests.service.api import UNLIMITED, Api, ok, refused
from tests.service.bounds import MEGABYTE, Bounded
from tests.service.test_http import LAST, all_of, statuses
from warlog_events.errors import TooManyRequests
from warlog_service.limits import TokenBuckets
from warlog_service.proxies import HOPS_MAX, Proxies, ProxiesUnreadable
from warlog_service.settings import BadSettings, read

BAD = "wl_" + "A" * 43

# ---- whom a request is from (no server)

TRUSTED = Proxies("127.0.0.1, 10.0.0.0/8 2001:db8:1::/48")


def said(*values: str, name: str = "x-forwarded-for", by: str = "127.0.0.1") -> str:
    return TRUSTED.client(by, [(name.encode(), value.encode("latin-1")) for value in values])


@pytest.mark.parametrize(
    ("values", "client"),
    [
        (("192.0.2.1",), "192.0.2.1"),
        (("192.0.2.1:4711",), "192.0.2.1"),
        (("6.6.6.6, 192.0.2.1",), "192.0.2.1"),
        (("6.6.6.6,192.0.2.1 , 10.1.2.3",), "192.0.2.1"),
        (("6.6.6.6", "192.0.2.1", "10.1.2.3"), "192.0.2.1"),
        (("10.0.0.1, 10.0.0.2",), "10.0.0.1"),
        (("2001:db8::7",), "2001:db8::/64"),
        (("[2001:db8::7]:443",), "2001:db8::/64"),
        (("::ffff:192.0.2.1",), "192.0.2.1"),
        (("<script>, 192.0.2.1",), "192.0.2.1"),
        # What does not say where it was: the proxy itself is all that is known.
        ((), "127.0.0.1"),
        (("",), "127.0.0.1"),
        (("192.0.2.1, ",), "127.0.0.1"),
        (("192.0.2.1, unknown, 10.0.0.1",), "127.0.0.1"),
        (("192.0.2.1:x",), "127.0.0.1"),
        (("[192.0.2.1",), "127.0.0.1"),
        (("fe80::1%eth0",), "127.0.0.1"),
        (("192.0.2.999",), "127.0.0.1"),
        (("0" * 30_000,), "127.0.0.1"),
        (("192.0.2.1" + ", 10.0.0.1" * HOPS_MAX,), "127.0.0.1"),
        (("\xff\xfe",), "127.0.0.1"),
    ],
)
def test_the_rightmost_address_that_is_no_proxys_is_the_clients(values: tuple[str, ...], client: str) -> None:
    assert said(*values) == client


@pytest.mark.parametrize(
    ("values", "client"),
    [
        (("for=192.0.2.1",), "192.0.2.1"),
        (('For="[2001:db8:cafe::17]:4711"',), "2001:db8:cafe::/64"),
        (("for=192.0.2.1;proto=https;by=203.0.113.43",), "192.0.2.1"),
        (("proto=https;FOR=192.0.2.1:80, for=10.0.0.1",), "192.0.2.1"),
        (('for=6.6.6.6, for="192.0.2.1"', "for=10.0.0.1"), "192.0.2.1"),
        (('for="192.0.2\\.1"',), "192.0.2.1"),
        (('for="6.6.6.6, for=7.7.7.7";by="a;b", for=192.0.2.1',), "192.0.2.1"),
        (("for=_hidden, for=192.0.2.1",), "192.0.2.1"),
        # An obfuscated name, no `for`, what is not of the form.
        (("for=unknown",), "127.0.0.1"),
        (("for=_hidden",), "127.0.0.1"),
        (("by=192.0.2.1",), "127.0.0.1"),
        (("192.0.2.1",), "127.0.0.1"),
        (('for="6.6.6.6, for=192.0.2.1',), "127.0.0.1"),
        (('for="6.6.6.6\\, for="192.0.2.1"',), "127.0.0.1"),
        ((";,=" * 5_000,), "127.0.0.1"),
        (('for="' + "\\" * 30_001,), "127.0.0.1"),
    ],
)
def test_forwarded_is_read_as_its_rfc_has_it(values: tuple[str, ...], client: str) -> None:
    assert said(*values, name="forwarded") == client


def test_what_is_not_said_by_a_trusted_proxy_is_not_believed() -> None:
    lie = [(b"x-forwarded-for", b"6.6.6.6"), (b"forwarded", b"for=6.6.6.6")]
    assert TRUSTED.client("192.0.2.9", lie) == "192.0.2.9"
    assert Proxies("").client("127.0.0.1", lie) == "127.0.0.1"
    assert TRUSTED.client("::ffff:10.0.0.1", lie) == "6.6.6.6"


def test_a_header_that_the_proxy_hands_on_unread_moves_nobody_to_another_address() -> None:
    """It writes the one, and whatever the client has put into the other stays as it is."""
    for own, other in (("x-forwarded-for", "forwarded"), ("forwarded", "x-forwarded-for")):
        form = {"x-forwarded-for": "%s", "forwarded": "for=%s"}
        lie = form[other] % "6.6.6.6"
        headers = [(own.encode(), (form[own] % "192.0.2.1").encode()), (other.encode(), lie.encode())]
        assert TRUSTED.client("127.0.0.1", headers) == "127.0.0.1"
        same = [headers[0], (other.encode(), (form[other] % "192.0.2.1").encode())]
        assert TRUSTED.client("127.0.0.1", same) == "192.0.2.1"


def test_a_household_of_ipv6_is_one_caller() -> None:
    off = Proxies()
    assert off.client("2001:db8::1", []) == off.client("2001:db8::ffff:2", []) == "2001:db8::/64"
    assert off.client("2001:db8:0:1::1", []) != off.client("2001:db8::1", [])


def test_a_setting_that_names_no_address_is_refused_at_the_start() -> None:
    with pytest.raises(ProxiesUnreadable):
        Proxies("10.0.0.0/8, localhost")
    with pytest.raises(BadSettings, match=r"WARLOG_TRUSTED_PROXIES.*10\.0\.0\.0/99"):
        read({"WARLOG_TRUSTED_PROXIES": "10.0.0.0/99"})


# ---- what is left


def test_what_is_left_of_a_limit_is_told_as_its_draft_has_it() -> None:
    now = 0.0
    limit = TokenBuckets("requests_per_caller", 0.5, lambda: now, "requests")
    policy = (b"ratelimit-policy", b'"requests";q=5;w=10')
    told = []
    for _ in range(5):
        told.append(limit.spend("ada"))
        assert told[-1] == limit.headers("ada")
    assert told == [[policy, (b"ratelimit", b'"requests";r=%d;t=%d' % (4 - i, 2 * i + 2))] for i in range(5)]
    with pytest.raises(TooManyRequests):
        limit.spend("ada")
    now = 3.0
    assert limit.headers("ada") == [policy, (b"ratelimit", b'"requests";r=1;t=7')]
    assert limit.headers("bob") == [policy, (b"ratelimit", b'"requests";r=5;t=0')]
    assert TokenBuckets("requests_per_caller", 0, lambda: now, "requests").spend("ada") == []


def test_answers_and_refusals_tell_what_is_left(tmp_path: Path) -> None:
    rates = {"WARLOG_REQUESTS_PER_CALLER": "0.02", "WARLOG_COMMANDS_PER_CALLER": "0.01"}
    with WarlogServer(tmp_path, environment={**UNLIMITED, **rates}) as server, Api(server.url) as stranger:
        ada, bob = stranger.player(), stranger.player()
        answer = ada.get("/players/me")
        assert answer.headers["ratelimit-policy"] == '"requests";q=1;w=50'
        assert re.fullmatch(r'"requests";r=0;t=\d+', answer.headers["ratelimit"])
        limited = ada.get("/players/me")
        refused(limited, 429, "too_many_requests")
        assert re.fullmatch(r'"requests";r=0;t=\d+', limited.headers["ratelimit"])
        wrong = bob.post("/matches/m_000_aaaaaaaaaaaaaaaa/commands", {"type": "prepare", "seat": "red"})
        assert wrong.status_code == 404
        assert wrong.headers["ratelimit-policy"] == '"requests";q=1;w=50, "commands";q=1;w=100'
        assert "ratelimit" not in stranger.get("/games").headers


# ---- bad tokens

FEW = {**UNLIMITED, "WARLOG_FAILURES_PER_ADDRESS": "0.5", "WARLOG_REQUESTS_PER_ADDRESS": "0.5"}


@pytest.fixture(scope="module")
def strict(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WarlogServer]:
    with WarlogServer(
        tmp_path_factory.mktemp("strict"), environment={**FEW, "WARLOG_TRUSTED_PROXIES": "127.0.0.1"}
    ) as running:
        yield running


def test_bad_tokens_stop_no_good_one_from_the_same_address(strict: WarlogServer) -> None:
    """209 of 222 were refused."""

    async def run(tokens: list[str]) -> tuple[list[int], list[int]]:
        limits = httpx.Limits(max_connections=60)
        async with httpx.AsyncClient(base_url=f"{strict.url}/v1", timeout=60, limits=limits) as client:

            async def ask(token: str) -> int:
                return (
                    await client.get("/players/me", headers={"authorization": f"Bearer {token}"})
                ).status_code

            bad = [ask("wl_" + f"{number:043d}") for number in range(150)]
            good = [ask(token) for token in tokens * 3]  # seen for the first time, and remembered
            answers = await asyncio.gather(*(one for pair in zip(good, bad, strict=False) for one in pair))
            answers += await asyncio.gather(*bad[len(good) :])
            return answers[::2][: len(good)], answers[1 : 2 * len(good) : 2] + answers[2 * len(good) :]

    with Api(strict.url) as api:
        tokens = [str(api.player().token) for _ in range(15)]
        for _ in range(20):
            api.http.get("/players/me", headers={"authorization": f"Bearer {BAD}"})
        last = api.http.get("/players/me", headers={"authorization": f"Bearer {BAD}"})
        assert refused(last, 429, "too_many_requests")["limit"] == "failures_per_address"
        good, bad = asyncio.run(run(tokens))
        assert good == [200] * len(good)
        assert set(bad) <= {401, 429}
        assert bad.count(401) < 20


BAD_TOKENS = 2_000


def test_bad_tokens_each_of_its_own_from_as_many_addresses_take_bounded_memory_and_time(
    strict: WarlogServer,
) -> None:
    """Nothing is remembered of each for long, neither of the token nor of the address."""

    def request(number: int) -> bytes:
        return (
            b"GET /v1/players/me HTTP/1.1\r\nhost: x\r\nauthorization: Bearer wl_%043d\r\n"
            b"x-forwarded-for: 2001:db8:%x:%x::1\r\n\r\n" % (number, number >> 8, number & 255)
        )

    with Api(strict.url) as api:
        ada = api.player()
        with Bounded(
            f"{BAD_TOKENS} bad tokens", strict.pid, memory=24 * MEGABYTE, seconds=BAD_TOKENS * 0.004
        ):
            for start in range(0, BAD_TOKENS, 100):
                flood = b"".join(request(number) for number in range(start, start + 100))
                assert statuses(all_of(strict.url, flood + LAST)) == [401] * 100 + [200]
        assert ada.get("/players/me").status_code == 200


def test_without_a_proxy_that_is_trusted_the_headers_are_no_way_round_a_limit(tmp_path: Path) -> None:
    with WarlogServer(tmp_path, environment=FEW) as server, Api(server.url) as api:
        answers = [
            api.http.get(
                "/games", headers={"x-forwarded-for": f"192.0.2.{n}", "forwarded": f"for=192.0.2.{n}"}
            )
            for n in range(20)
        ]
        assert {answer.status_code for answer in answers} == {200, 429}


def test_behind_a_trusted_proxy_each_client_has_limits_of_his_own(strict: WarlogServer) -> None:
    with Api(strict.url) as api:

        def status(client: str) -> int:
            return api.http.get("/games", headers={"x-forwarded-for": f"6.6.6.6, {client}"}).status_code

        assert {status("192.0.2.1") for _ in range(20)} == {200, 429}
        assert status("192.0.2.2") == 200


# ---- a real nginx


def test_behind_nginx_bad_tokens_and_floods_of_one_client_are_his_alone(
    strict: WarlogServer, tmp_path: Path
) -> None:
    with nginx(tmp_path, strict.url.removeprefix("http://")) as url:

        def client(local: str, token: str | None = None) -> httpx.Client:
            """From another address of loopback, and so another client to nginx."""
            headers = {"authorization": f"Bearer {token}"} if token else {}
            transport = httpx.HTTPTransport(local_address=local)
            return httpx.Client(base_url=f"{url}/v1", transport=transport, headers=headers, timeout=20)

        with client("127.0.0.11") as eve, client("127.0.0.12") as ada:
            lies = [{"x-forwarded-for": f"192.0.2.{n}"} for n in range(20)]
            assert {eve.get("/games", headers=lie).status_code for lie in lies} == {200, 429}
            assert ada.get("/games").status_code == 200
            spoiled = [eve.get("/games", headers={"authorization": f"Bearer {BAD}"}) for _ in range(20)]
            assert {answer.status_code for answer in spoiled} == {401, 429}
            assert ada.get("/games", headers={"authorization": f"Bearer {BAD}"}).status_code == 401
            # What eve says of herself in the other header makes her nobody, not somebody else.
            posing = [
                eve.get("/games", headers={"forwarded": "for=127.0.0.12"}).status_code for _ in range(20)
            ]
            assert 429 in posing
            assert ada.get("/games").status_code == 200
            token = ok(ada.post("/players", json={"name": "ada"}), 201)["token"]
        with client("127.0.0.11", token) as same:
            assert same.get("/players/me").status_code == 200
