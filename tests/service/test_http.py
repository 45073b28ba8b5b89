"""HTTP/1.1 as RFC 9112 (and what RFC 9110 says about messages) asks of a server, and what attackers make of it.

How each MUST of a server is met. "parser": llhttp without its leniencies, by httptools; "protocol":
service/warlog_service/uvicorn_protocol.py; "uvicorn": its RequestResponseCycle. 400 always ends the connection.

RFC 9112
2.2   Parse a message as octets, not as text: parser. Bare CR in a request line, header or chunk line: 400, parser (so
      is a bare LF, which a server MAY take). An empty line before the request line is skipped (SHOULD): parser; such
      lines count as bytes of the head. Whitespace between the start line and the first header: 400, parser. Octets that
      are no request: 400, and the connection is closed.
2.3   The version is HTTP/1.1 in all answers; the highest that we conform to within the major version of the request:
      uvicorn. Requests of other versions than 1.0 and 1.1, and without one: 400, protocol. (A request line that ends in
      RTSP/1.0 is read as one of HTTP/1.0: the parser does not tell them apart.)
3     Whitespace in a request target: 400, parser. A target that is too long: 431 as of the whole head, not 414
      (header_bytes_max), protocol. An unknown method: 400 where the parser does not know it, otherwise 405.
3.2   No Host, more than one, or one that is no host and port: 400, protocol; HTTP/1.0 may leave it out.
3.2.1 origin-form: what routes see. A path with `//` is no route: app.
3.2.2 absolute-form is accepted; Host is used for nothing, so there is nothing to replace: protocol.
3.2.3 authority-form is for CONNECT, which a server that is no proxy need not know: 400, protocol.
3.2.4 asterisk-form: 400, protocol; there are no options of the whole server.
5.1   Whitespace between a field's name and the colon: 400, parser.
5.2   obs-fold: 400, parser.
6     A body follows where Content-Length or Transfer-Encoding say so, whatever the method, and also where Upgrade asks
      for another protocol: protocol, since httptools would stop behind the head.
6.1   Transfer-Encoding with Content-Length: 400, parser. Any coding but `chunked`, or that twice: 400 (501 is a
      SHOULD), protocol. In HTTP/1.0: 400 as faulty framing, protocol. No Transfer-Encoding in an answer to HTTP/1.0,
      in 1xx or 204: protocol, uvicorn.
6.2   Content-Length in no answer with Transfer-Encoding, 1xx or 204: uvicorn, which also checks its value.
6.3   Content-Length that is no number, too large, empty, or there twice, even with equal values: 400, parser. A request
      with neither has no body: parser. A body that does not come to its end is not used: 408 after request_seconds_max,
      or the connection ends, and the application hears of a disconnect.
6.3   Length of an answer: Content-Length, chunks, or for HTTP/1.0 the end of the connection: uvicorn, protocol.
7.1   Chunks are decoded; sizes that overflow, signs, whitespace, `0x`, bare LF: 400, parser.
7.1.1 Unknown chunk extensions are ignored, within bounds: protocol.
7.1.2 Trailers are dropped, never merged into the headers: protocol.
7.4   TE is not used.
8     Incomplete requests: see 6.3.
9.2   A client's answers come in the order of its requests; what was done is answered before
      a fault behind it: protocol.
9.3   Persistent connections: HTTP/1.1 without `close`; HTTP/1.0 always ends (MAY). After an answer that did not wait
      for its body, that body is read and dropped up to 256 KB, otherwise the connection is closed: protocol.
9.3.2 Pipelined requests are answered in their order, one after the other.
9.6   After `close` was received or sent no further request is processed: parser (lenient_data_after_close drops what
      comes), protocol. Closing in stages (answer, end of writing, reading for two seconds, close): protocol.
11    Nothing of a request gets into the head of an answer unchecked: control characters are refused by uvicorn and
      `_plain_line` (test_connections.py); X-Request-ID is echoed only if it is `[A-Za-z0-9._-]{1,64}`.

RFC 9110
6.5.1 Trailers are not merged into headers: protocol.
6.6.1 Date in answers: uvicorn; in those of the protocol, too.
7.8   Upgrade is ignored, and so is HTTP2-Settings: protocol.
8.6   Content-Length is checked against what is sent: uvicorn.
9.3.2 HEAD: the head of GET without a body: uvicorn, app.
10.1.1 100 (Continue) is sent when the body is asked for, never to HTTP/1.0, and such a connection ends with the answer,
      since the client may or may not send the body after any other answer: protocol.
10.2.1, 15.5.6 405 has Allow: app.
11.6.1 401 has WWW-Authenticate: problems.
15.2  1xx to no HTTP/1.0 client: protocol.
"""

from __future__ import annotations

import json
import shutil
import socket
import subprocess
import time
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

import pytest

from tests.nginx import nginx
from tests.servers import WarlogServer
from tests.service.api import UNLIMITED, Api, ok, refused
from tests.service.bounds import MEGABYTE, Bounded
from tests.service.test_connections import Line, post, resign, version
from tests.service.waiting import eventually
from tests.service.wire import exchange
from warlog_service import uvicorn_protocol
from warlog_service.logs import TURNED_AWAY_EVERY_SECONDS

CHUNKED = b"transfer-encoding: chunked\r\n"
UPGRADES = [
    b"connection: Upgrade, HTTP2-Settings\r\nupgrade: h2c\r\nhttp2-settings: AAMAAABkAAQAoAAAAAIAAAAA\r\n",
    b"connection: upgrade\r\nupgrade: websocket\r\nsec-websocket-key: x\r\nsec-websocket-version: 13\r\n",
    b"Upgrade: TLS/1.0, h2c\r\nConnection: keep-alive\r\nConnection: Upgrade\r\n",
    b"connection: upgrade\r\nupgrade: \xff\r\n",
]
INNER = b"GET /v1/games/hex HTTP/1.1\r\nhost: x\r\n\r\n"
"""A request that must not be answered where it is the body of another one."""


def all_of(url: str, request: bytes, *, seconds: float = 10) -> bytes:
    """All that comes back until the connection is closed. A request that ends with LAST ends it."""
    parts = urlsplit(url)
    found = b""
    with socket.create_connection((parts.hostname or "", parts.port or 80), timeout=seconds) as wire:
        wire.sendall(request)
        try:
            while data := wire.recv(65536):
                found += data
        except ConnectionResetError:
            pass
    return found


LAST = b"GET /health/live HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n"


def statuses(answers: bytes) -> list[int]:
    return [int(part[:3]) for part in answers.split(b"HTTP/1.1 ")[1:]]


def account(name: str) -> bytes:
    return json.dumps({"name": name}).encode()


# ---- an upgrade that is not taken -----------------------------------------------------------------------------------


@pytest.mark.parametrize("upgrade", UPGRADES)
@pytest.mark.parametrize("chunked", [False, True])
@pytest.mark.parametrize("cut", [None, 30, -30, -1])
def test_the_body_of_a_request_to_upgrade_is_its_body(
    server: WarlogServer, upgrade: bytes, chunked: bool, cut: int | None
) -> None:
    body = account("upgraded") + b" " * 40
    framing = CHUNKED if chunked else b"content-length: %d\r\n" % len(body)
    sent = b"%x\r\n%b\r\n0\r\n\r\n" % (len(body), body) if chunked else body
    request = b"POST /v1/players HTTP/1.1\r\nhost: x\r\n" + upgrade + framing + b"\r\n" + sent
    with Line(server.url) as line:
        line.send(*([request] if cut is None else [request[:cut], request[cut:]]))
        made = line.reply()
        assert made.status == 201
        assert json.loads(made.body)["player"]["name"] == "upgraded"
        line.send(INNER)
        assert line.reply().status == 200  # the connection is still good
    assert statuses(all_of(server.url, request * 3 + LAST)) == [201, 201, 201, 200]


@pytest.mark.parametrize("upgrade", UPGRADES)
def test_a_request_in_the_body_of_a_request_to_upgrade_is_not_answered(
    server: WarlogServer, upgrade: bytes
) -> None:
    length = b"content-length: %d\r\n\r\n" % len(INNER)
    for method, path in ((b"POST", b"/v1/players"), (b"GET", b"/v1/games"), (b"POST", b"/v1/nothing")):
        request = b"%b %b HTTP/1.1\r\nhost: x\r\n%b%b%b" % (method, path, upgrade, length, INNER)
        for packets in ([request + LAST], [request[: -len(INNER)], INNER, LAST]):
            with Line(server.url) as line:
                line.send(*packets)
                first, second = line.reply(), line.reply()
                assert first.status in (400, 200, 404)
                assert second.body == b'{"status":"live"}'
                assert line.is_closed()


def test_an_upgrade_with_connection_close_is_the_last_request(server: WarlogServer) -> None:
    request = b"GET /health/live HTTP/1.1\r\nhost: x\r\nconnection: close, upgrade\r\nupgrade: h2c\r\n\r\n"
    assert statuses(all_of(server.url, request + INNER)) == [200]


def test_curl_may_ask_for_http2_and_post(server: WarlogServer) -> None:
    curl = shutil.which("curl")
    if curl is None:
        pytest.skip("curl is not installed; the same bytes are sent by the tests above")
    done = subprocess.run(
        [curl, "-sS", "--http2", "-X", "POST", f"{server.url}/v1/players", "-d", '{"name":"curl"}',
         "-w", "%{http_code}", "--next", "--http2", "-sS", f"{server.url}/health/live"],
        capture_output=True, timeout=20, check=False,
    )  # fmt: skip
    if b"does not support" in done.stderr:
        pytest.skip("this curl was built without HTTP/2")
    assert done.returncode == 0, done.stderr
    answer, _, rest = done.stdout.partition(b'201{"status"')
    assert json.loads(answer)["player"]["name"] == "curl"
    assert rest == b':"live"}'


# ---- what is refused ------------------------------------------------------------------------------------------------

H = b"POST /v1/players HTTP/1.1\r\nhost: x\r\n"
C = H + CHUNKED + b"\r\n"
NAME = account("x" * 8)  # 20 bytes

REFUSED: dict[str, bytes] = {
    # Content-Length and Transfer-Encoding that may be read in two ways
    "CL.TE": H + b"content-length: 6\r\n" + CHUNKED + b"\r\n0\r\n\r\nG",
    "TE.CL": H + CHUNKED + b"content-length: 4\r\n\r\n5c\r\nGPOST / HTTP/1.1\r\n",
    "CL.0 in a chunked one": H + b"content-length: 0\r\n" + CHUNKED + b"\r\n0\r\n\r\n",
    "TE xchunked": H + b"transfer-encoding: xchunked\r\n\r\n0\r\n\r\n",
    "TE space before colon": H + b"transfer-encoding : chunked\r\n\r\n0\r\n\r\n",
    "TE folded": H + b"transfer-encoding:\r\n chunked\r\n\r\n0\r\n\r\n",
    "TE vertical tab": H + b"transfer-encoding: \x0bchunked\r\n\r\n0\r\n\r\n",
    "TE form feed": H + b"transfer-encoding: \x0cchunked\r\n\r\n0\r\n\r\n",
    "TE NUL": H + b"transfer-encoding: chunked\x00\r\n\r\n0\r\n\r\n",
    "TE quoted": H + b'transfer-encoding: "chunked"\r\n\r\n0\r\n\r\n',
    "TE parameter": H + b"transfer-encoding: chunked;q=1\r\n\r\n0\r\n\r\n",
    "TE chunked, identity": H + b"transfer-encoding: chunked, identity\r\n\r\n0\r\n\r\n",
    "TE identity, chunked": H + b"transfer-encoding: identity, chunked\r\n\r\n0\r\n\r\n",
    "TE gzip, chunked": H + b"transfer-encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
    "TE chunked, chunked": H + b"transfer-encoding: chunked, chunked\r\n\r\n0\r\n\r\n",
    "TE leading comma": H + b"transfer-encoding: ,chunked\r\n\r\n0\r\n\r\n",
    "TE trailing comma": H + b"transfer-encoding: chunked,\r\n\r\n0\r\n\r\n",
    "TE identity": H + b"transfer-encoding: identity\r\ncontent-length: 0\r\n\r\n",
    "TE identity alone": H + b"transfer-encoding: identity\r\n\r\n",
    "TE empty": H + b"transfer-encoding:\r\n\r\n0\r\n\r\n",
    "TE twice": H + CHUNKED + CHUNKED + b"\r\n0\r\n\r\n",
    "TE chunked and cow": H + CHUNKED + b"transfer-encoding: cow\r\n\r\n0\r\n\r\n",
    "TE cow and chunked": H + b"transfer-encoding: cow\r\n" + CHUNKED + b"\r\n0\r\n\r\n",
    "TE behind bare LF": H + b"x: y\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n",
    "TE behind bare CR": H + b"x: y\rtransfer-encoding: chunked\r\n\r\n0\r\n\r\n",
    "TE in HTTP/1.0": b"POST /v1/players HTTP/1.0\r\nhost: x\r\n" + CHUNKED + b"\r\n0\r\n\r\n",
    "TE with an upgrade": H + UPGRADES[0] + b"transfer-encoding: cow\r\n\r\n0\r\n\r\n",
    "CL and TE with an upgrade": H + UPGRADES[0] + b"content-length: 4\r\n" + CHUNKED + b"\r\n0\r\n\r\n",
    "CL twice, the same": H + b"content-length: 20\r\ncontent-length: 20\r\n\r\n" + NAME,
    "CL twice, different": H + b"content-length: 20\r\ncontent-length: 1\r\n\r\n" + NAME,
    "CL list": H + b"content-length: 20, 20\r\n\r\n" + NAME,
    "CL plus": H + b"content-length: +20\r\n\r\n" + NAME,
    "CL minus": H + b"content-length: -20\r\n\r\n" + NAME,
    "CL hexadecimal": H + b"content-length: 0x14\r\n\r\n" + NAME,
    "CL underscore": H + b"content-length: 2_0\r\n\r\n" + NAME,
    "CL two words": H + b"content-length: 20 0\r\n\r\n" + NAME,
    "CL fraction": H + b"content-length: 20.0\r\n\r\n" + NAME,
    "CL empty": H + b"content-length:\r\n\r\n" + NAME,
    "CL 2^64": H + b"content-length: 18446744073709551616\r\n\r\n",
    "CL of thirty digits": H + b"content-length: " + b"9" * 30 + b"\r\n\r\n",
    "CL other digits": H + b"content-length: \xd9\xa2\r\n\r\n" + NAME,
    # chunks
    "chunk size empty": C + b"\r\n\r\n",
    "chunk size minus": C + b"-14\r\n" + NAME,
    "chunk size plus": C + b"+14\r\n" + NAME,
    "chunk size 0x": C + b"0x14\r\n" + NAME,
    "chunk size underscore": C + b"1_4\r\n" + NAME,
    "chunk size, space before": C + b" 14\r\n" + NAME + b"\r\n0\r\n\r\n",
    "chunk size, space behind": C + b"14 \r\n" + NAME + b"\r\n0\r\n\r\n",
    "chunk size, tab behind": C + b"14\t\r\n" + NAME + b"\r\n0\r\n\r\n",
    "chunk size, bare LF": C + b"14\n" + NAME + b"\r\n0\r\n\r\n",
    "chunk size, bare CR": C + b"14\rX" + NAME + b"\r\n0\r\n\r\n",
    "chunk size 2^64": C + b"10000000000000014\r\n" + NAME + b"\r\n0\r\n\r\n",
    "chunk of another size, longer": C + b"13\r\n" + NAME + b"\r\n0\r\n\r\n",
    "chunk of another size, shorter": C + b"15\r\n" + NAME + b"\r\n0\r\n\r\n",
    "chunk without its end": C + b"14\r\n" + NAME + b"0\r\n\r\n",
    "chunk with bare LF at its end": C + b"14\r\n" + NAME + b"\n0\r\n\r\n",
    "extension with bare LF": C + b"14;a\n" + NAME + b"\r\n0\r\n\r\n",
    "extension with NUL": C + b"14;a=\x00\r\n" + NAME + b"\r\n0\r\n\r\n",
    "extension with a line end in quotes": C + b'14;a="\r\n"\r\n' + NAME + b"\r\n0\r\n\r\n",
    "last chunk with bare LF": C + b"14\r\n" + NAME + b"\r\n0\n\n",
    "trailer folded": C + b"14\r\n" + NAME + b"\r\n0\r\na: b\r\n c\r\n\r\n",
    "trailer Content-Length": C + b"14\r\n" + NAME + b"\r\n0\r\ncontent-length: 3\r\n\r\n",
    "trailer Transfer-Encoding": C + b"14\r\n" + NAME + b"\r\n0\r\ntransfer-encoding: cow\r\n\r\n",
    "trailer without a colon": C + b"14\r\n" + NAME + b"\r\n0\r\nab\r\n\r\n",
    # Host
    "no Host": b"GET /v1/games HTTP/1.1\r\n\r\n",
    "no Host with absolute-form": b"GET http://x/v1/games HTTP/1.1\r\n\r\n",
    "Host twice": b"GET /v1/games HTTP/1.1\r\nhost: x\r\nhost: y\r\n\r\n",
    "Host twice, the same": b"GET /v1/games HTTP/1.1\r\nHost: x\r\nhost: x\r\n\r\n",
    "Host twice in HTTP/1.0": b"GET /v1/games HTTP/1.0\r\nhost: x\r\nhost: y\r\n\r\n",
    "Host empty": b"GET /v1/games HTTP/1.1\r\nhost:\r\n\r\n",
    "Host list": b"GET /v1/games HTTP/1.1\r\nhost: x, y\r\n\r\n",
    "Host with a path": b"GET /v1/games HTTP/1.1\r\nhost: x/v1\r\n\r\n",
    "Host with a user": b"GET /v1/games HTTP/1.1\r\nhost: a@x\r\n\r\n",
    "Host with a port that is none": b"GET /v1/games HTTP/1.1\r\nhost: x:y\r\n\r\n",
    "Host not ASCII": b"GET /v1/games HTTP/1.1\r\nhost: \xff\r\n\r\n",
    "Host behind a space": b"GET /v1/games HTTP/1.1\r\n host: x\r\n\r\n",
    # the head
    "fold": b"GET /v1/games HTTP/1.1\r\nhost: x\r\nx: a\r\n b\r\n\r\n",
    "space before colon": b"GET /v1/games HTTP/1.1\r\nhost: x\r\nx : a\r\n\r\n",
    "no colon": b"GET /v1/games HTTP/1.1\r\nhost: x\r\nabc\r\n\r\n",
    "no name": b"GET /v1/games HTTP/1.1\r\nhost: x\r\n: a\r\n\r\n",
    "name with a space": b"GET /v1/games HTTP/1.1\r\nhost: x\r\na b: c\r\n\r\n",
    "name with NUL": b"GET /v1/games HTTP/1.1\r\nhost: x\r\na\x00: c\r\n\r\n",
    "name not ASCII": b"GET /v1/games HTTP/1.1\r\nhost: x\r\n\xe4: c\r\n\r\n",
    "value with NUL": b"GET /v1/games HTTP/1.1\r\nhost: x\r\na: b\x00c\r\n\r\n",
    "value with DEL": b"GET /v1/games HTTP/1.1\r\nhost: x\r\na: b\x7fc\r\n\r\n",
    "bare LF after a header": b"GET /v1/games HTTP/1.1\r\nhost: x\nx: y\r\n\r\n",
    "bare CR after a header": b"GET /v1/games HTTP/1.1\r\nhost: x\rx: y\r\n\r\n",
    "bare LF everywhere": b"GET /v1/games HTTP/1.1\nhost: x\n\n",
    "bare LF at the end": b"GET /v1/games HTTP/1.1\r\nhost: x\r\n\n",
    "bare CR after the request line": b"GET /v1/games HTTP/1.1\rhost: x\r\n\r\n",
    # the request line
    "no version": b"GET /v1/games\r\n\r\n",
    "no version, with headers": b"GET /v1/games\r\nhost: x\r\n\r\n",
    "HTTP/0.9": b"GET /v1/games HTTP/0.9\r\nhost: x\r\n\r\n",
    "HTTP/1.2": b"GET /v1/games HTTP/1.2\r\nhost: x\r\n\r\n",
    "HTTP/1.10": b"GET /v1/games HTTP/1.10\r\nhost: x\r\n\r\n",
    "HTTP/01.1": b"GET /v1/games HTTP/01.1\r\nhost: x\r\n\r\n",
    "HTTP/2.0": b"GET /v1/games HTTP/2.0\r\nhost: x\r\n\r\n",
    "http/1.1": b"GET /v1/games http/1.1\r\nhost: x\r\n\r\n",
    "HTTP/2 by prior knowledge": b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\x00\x00\x00\x04\x00\x00\x00\x00\x00",
    "TLS": b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + b"\x00" * 64,
    "method in small letters": b"get /v1/games HTTP/1.1\r\nhost: x\r\n\r\n",
    "method unknown": b"FOO /v1/games HTTP/1.1\r\nhost: x\r\n\r\n",
    "method with NUL": b"GE\x00T /v1/games HTTP/1.1\r\nhost: x\r\n\r\n",
    "method of 64 KB": b"A" * 65_536 + b" /v1/games HTTP/1.1\r\nhost: x\r\n\r\n",
    "space before the method": b" GET /v1/games HTTP/1.1\r\nhost: x\r\n\r\n",
    "tab behind the method": b"GET\t/v1/games HTTP/1.1\r\nhost: x\r\n\r\n",
    "space behind the version": b"GET /v1/games HTTP/1.1 \r\nhost: x\r\n\r\n",
    "target with a space": b"GET /v1/games /x HTTP/1.1\r\nhost: x\r\n\r\n",
    "target with NUL": b"GET /v1/games\x00 HTTP/1.1\r\nhost: x\r\n\r\n",
    "target not ASCII": b"GET /v1/g\xe4mes HTTP/1.1\r\nhost: x\r\n\r\n",
    "target with a fragment": b"GET /v1/games#a HTTP/1.1\r\nhost: x\r\n\r\n",
    "target relative": b"GET v1/games HTTP/1.1\r\nhost: x\r\n\r\n",
    "target asterisk": b"GET * HTTP/1.1\r\nhost: x\r\n\r\n",
    "target asterisk of OPTIONS": b"OPTIONS * HTTP/1.1\r\nhost: x\r\n\r\n",
    "target of another scheme": b"GET file:///etc/passwd HTTP/1.1\r\nhost: x\r\n\r\n",
    "target without an authority": b"GET http:///v1/games HTTP/1.1\r\nhost: x\r\n\r\n",
    "target with a user": b"GET http://a@x/v1/games HTTP/1.1\r\nhost: x\r\n\r\n",
    "CONNECT": b"CONNECT x:443 HTTP/1.1\r\nhost: x:443\r\n\r\n",
    "CONNECT with a body": b"CONNECT x:443 HTTP/1.1\r\nhost: x\r\ncontent-length: 4\r\n\r\nGET ",
    "CONNECT to a path": b"CONNECT /v1/games HTTP/1.1\r\nhost: x\r\n\r\n",
}  # fmt: skip
"""What must be refused, with the connection closed: the well-known cases of request smuggling and malformed requests.
Whatever comes behind it is not answered."""


@pytest.mark.parametrize("name", REFUSED)
def test_what_may_be_read_in_two_ways_is_refused_and_ends_the_connection(
    server: WarlogServer, name: str
) -> None:
    for packets in ([REFUSED[name] + INNER], [REFUSED[name], INNER]):
        found = b""
        with Line(server.url) as line:
            try:
                for packet in packets:
                    line.socket.sendall(packet)
                while data := line.socket.recv(65536):
                    found += data
            except (BrokenPipeError, ConnectionResetError):
                pass
        assert statuses(found) in ([400], [431]), (name, found)
        assert b'"code":"malformed_request"' in found or b'"code":"headers_too_large"' in found
        assert b"connection: close" in found
        assert b"\r\ndate: " in found


TAKEN: dict[str, tuple[bytes, int]] = {
    "empty lines before": (b"\r\n\r\nGET /v1/games HTTP/1.1\r\nhost: x\r\n\r\n", 200),
    "no space behind a colon": (b"GET /v1/games HTTP/1.1\r\nhost:x\r\n\r\n", 200),
    "tabs around a value": (b"GET /v1/games HTTP/1.1\r\nhost:\tx\t\r\n\r\n", 200),
    "Host with a port": (b"GET /v1/games HTTP/1.1\r\nhost: x.example:8000\r\n\r\n", 200),
    "Host IPv6": (b"GET /v1/games HTTP/1.1\r\nhost: [::1]:8000\r\n\r\n", 200),
    "absolute-form": (b"GET http://elsewhere/v1/games HTTP/1.1\r\nhost: x\r\n\r\n", 200),
    "absolute-form, HTTPS": (b"GET HTTPS://[::1]:1/v1/games?a=/ HTTP/1.1\r\nhost: x\r\n\r\n", 200),
    "absolute-form without a path": (b"GET http://x HTTP/1.1\r\nhost: x\r\n\r\n", 200),
    "absolute-form, only a query": (b"GET http://x?a HTTP/1.1\r\nhost: x\r\n\r\n", 200),
    "GET with a body": (b"GET /v1/games HTTP/1.1\r\nhost: x\r\ncontent-length: 20\r\n\r\n" + NAME, 200),
    "chunks": (C + b"14\r\n" + NAME + b"\r\n0\r\n\r\n", 201),
    "chunks in large letters": (H + b"Transfer-Encoding: CHUNKED \r\n\r\n14\r\n" + NAME + b"\r\n0\r\n\r\n", 201),
    "chunks with an extension": (C + b'0014;a=b;c="d;e"\r\n' + NAME + b"\r\n0;x\r\n\r\n", 201),
    "chunks of one byte": (C + b"".join(b"1\r\n%c\r\n" % byte for byte in NAME) + b"0\r\n\r\n", 201),
    "chunks with trailers": (C + b"14\r\n" + NAME + b"\r\n0\r\nx: y\r\nhost: z\r\n\r\n", 201),
    "length with zeros": (H + b"content-length: 0020\r\n\r\n" + NAME, 201),
    "unknown method of the parser's": (b"PURGE /v1/games HTTP/1.1\r\nhost: x\r\n\r\n", 405),
    "TRACE": (b"TRACE /v1/games HTTP/1.1\r\nhost: x\r\n\r\n", 405),
    "Expect of something else": (b"GET /v1/games HTTP/1.1\r\nhost: x\r\nexpect: cake\r\n\r\n", 200),
}  # fmt: skip


@pytest.mark.parametrize("name", TAKEN)
def test_what_is_unusual_but_right_is_answered_and_what_follows_too(server: WarlogServer, name: str) -> None:
    request, status = TAKEN[name]
    assert statuses(all_of(server.url, request + LAST)) == [status, 200]
    with Line(server.url) as line:
        line.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for at in range(0, len(request), 7):
            line.socket.sendall(request[at : at + 7])
        assert line.reply().status == status
        line.send(LAST)
        assert line.reply().status == 200


def test_trailers_are_no_headers(server: WarlogServer, api: Api) -> None:
    ada = api.player()
    trailers = f"authorization: Bearer {ada.token}\r\nx-request-id: evil\r\nidempotency-key: {'k' * 300}\r\n".encode()
    request = (
        b"POST /v1/tokens HTTP/1.1\r\nhost: x\r\n" + CHUNKED + b"\r\n2\r\n{}\r\n0\r\n" + trailers + b"\r\n"
    )
    next_one = b"GET /v1/players/me HTTP/1.1\r\nhost: x\r\n\r\n"
    answers = all_of(server.url, request + next_one + LAST)
    assert statuses(answers) == [401, 401, 200]
    assert b"x-request-id: evil" not in answers


# ---- order, closing, continuing -------------------------------------------------------------------------------------


GARBAGE = [
    b"\x00garbage\r\n\r\n",
    b"GET /v1/games HTTP/1.1\r\n\r\n",
    REFUSED["CL.TE"],
    b"GET / HTTP/1.1\r\nhost: x\r\nx: " + b"y" * 60_000,
    b"\x00" * 600_000,
]


@pytest.mark.parametrize("garbage", GARBAGE)
def test_what_was_done_is_answered_before_what_is_wrong_behind_it(
    server: WarlogServer, api: Api, garbage: bytes
) -> None:
    ada = api.player()
    matches = [ada.alone() for _ in range(3)]
    requests = b"".join(post(ada, match, resign("red")) for match in matches)
    with Line(server.url) as line:
        line.socket.sendall(requests + garbage)
        replies = [line.reply() for _ in range(4)]
        assert [reply.status for reply in replies[:3]] == [201] * 3
        assert [ada.match(match)["status"] for match in matches] == ["finished"] * 3
        assert (replies[3].status, replies[3].code) in (
            (400, "malformed_request"),
            (431, "headers_too_large"),
        )
        if len(garbage) < 1_000:
            assert line.is_closed()
    assert all(ada.match(match)["status"] == "finished" for match in matches)


def test_a_fault_in_a_body_is_the_answer_to_that_request(server: WarlogServer, api: Api) -> None:
    ada = api.player()
    match, other = ada.alone(), ada.alone()
    good = post(ada, other, resign("red"))
    for size in (100, 100_000):  # a short one is held until its end, a long one begun before
        bad = post(ada, match, resign("red", size), chunked=True)
        bad = bad[: -len(b"\r\n0\r\n\r\n")] + b"XX"
        answers = all_of(server.url, good + bad)
        assert statuses(answers) in ([201, 400], [422, 400])
    assert version(ada, match) == 2


def test_nothing_behind_close_is_processed(server: WarlogServer, api: Api) -> None:
    ada = api.player()
    match = ada.alone()
    behind = post(ada, match, resign("red"))
    for last in (LAST, LAST.replace(b"1.1", b"1.0"), b"GET /health/live HTTP/1.0\r\n\r\n"):
        assert statuses(all_of(server.url, last + behind)) == [200]
    assert version(ada, match) == 2


def test_who_expects_to_continue_and_is_refused_has_his_connection_closed(
    server: WarlogServer, api: Api
) -> None:
    ada = api.player()
    match = ada.alone()
    head = b"POST /v1/nothing HTTP/1.1\r\nhost: x\r\nexpect: 100-continue\r\ncontent-length: 1000\r\n\r\n"
    answers = all_of(server.url, head + post(ada, match, resign("red")))
    assert statuses(answers) == [404]
    assert b"connection: close" in answers
    assert version(ada, match) == 2


def test_http_1_0_gets_neither_chunks_nor_100(server: WarlogServer, api: Api) -> None:
    ada = api.player()
    match = ada.alone()
    old = post(ada, match, resign("red"), "expect: 100-continue").replace(b"HTTP/1.1", b"HTTP/1.0", 1)
    assert statuses(all_of(server.url, old)) == [201]
    feed = f"GET /v1/matches/{match}/feed HTTP/1.0\r\nauthorization: Bearer {ada.token}\r\n\r\n".encode()
    with Line(server.url) as line:
        line.send(feed)
        found = b""
        while b"\n\n" not in found:
            found += line.socket.recv(65536)
        head, _, body = found.partition(b"\r\n\r\n")
        assert b"transfer-encoding" not in head.lower()
        assert b"connection: close" in head
        assert body.startswith((b"id: ", b"event: "))


# ---- routes -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "path", ["//v1/games", "/v1//games", "/v1/games//", "///", "/%2Fv1/games", "//x/v1/games"]
)
def test_two_slashes_are_no_route(server: WarlogServer, path: str) -> None:
    for method in (b"GET", b"POST", b"OPTIONS"):
        request = b"%b %b HTTP/1.1\r\nhost: x\r\ncontent-length: 0\r\n\r\n" % (method, path.encode())
        reply = exchange(server.url, request)
        assert reply is not None
        assert (reply.status, reply.code) == (404, "unknown_route")


@pytest.mark.parametrize(
    ("path", "allowed"),
    [
        ("/matches", "GET, HEAD, OPTIONS, POST"),
        ("/matches/m_000_aaaaaaaaaaaaaaaa/commands", "OPTIONS, POST"),
        ("/matches/m_000_aaaaaaaaaaaaaaaa/seats/red", "DELETE, OPTIONS, PUT"),
        ("/games/hex", "GET, HEAD, OPTIONS"),
        ("/tokens", "GET, HEAD, OPTIONS, POST"),
        ("/players/me", "DELETE, GET, HEAD, OPTIONS"),
    ],
)
def test_options_and_405_list_the_methods_that_there_are(api: Api, path: str, allowed: str) -> None:
    asked = api.http.options(path)
    assert (asked.status_code, asked.headers["allow"], asked.content) == (204, allowed, b"")
    wrong = api.http.request("PATCH", path)
    refused(wrong, 405, "method_not_allowed")
    assert wrong.headers["allow"] == allowed


def test_options_lists_what_the_document_says(api: Api) -> None:
    for path, operations in ok(api.get("/openapi.json"))["paths"].items():
        real = path.replace("{", "").replace("}", "")
        answer = api.http.options(f"{api.url}{real}")
        assert answer.status_code == 204, real
        listed = set(answer.headers["allow"].split(", ")) - {"OPTIONS", "HEAD"}
        known = {method.upper() for method in operations}
        assert known <= listed, (path, known, listed)


def test_unknown_routes_and_upgrades_cost_as_much_as_others(tmp_path: Path) -> None:
    """And write next to nothing."""
    log = tmp_path / "log"
    environment = {**UNLIMITED, "WARLOG_REQUESTS_PER_ADDRESS": "0.5"}
    with (
        log.open("wb") as errors,
        WarlogServer(tmp_path / "data", environment=environment, errors=errors) as server,
    ):
        before, began = log.stat().st_size, time.monotonic()
        upgrade = "GET /v1/games HTTP/1.1\r\nhost: x\r\nconnection: upgrade\r\nupgrade: h2c\r\n\r\n"
        kinds = {
            "known": "GET /v1/games HTTP/1.1\r\nhost: x\r\n\r\n",
            "unknown": "GET /v1/nothing HTTP/1.1\r\nhost: x\r\n\r\n",
            "method": "PATCH /v1/games HTTP/1.1\r\nhost: x\r\n\r\n",
            "slashes": "GET //v1/games HTTP/1.1\r\nhost: x\r\n\r\n",
            "options": "OPTIONS /v1/games HTTP/1.1\r\nhost: x\r\n\r\n",
            "upgrade": upgrade,
            "malformed": "GET /v1/games HTTP/1.1\r\n\r\n",
        }
        for name, request in kinds.items():
            found: list[int] = []
            deadline = time.monotonic() + 20
            while found.count(429) < 3 and time.monotonic() < deadline:
                reply = exchange(server.url, request.encode())
                assert reply is not None
                found.append(reply.status)
                assert reply.status != 429 or int(reply.headers["retry-after"]) >= 1
            assert found.count(429) >= 3, (name, found)
            with Bounded(
                f"{FLOOD_REQUESTS} requests: {name}",
                server.pid,
                memory=MEMORY_MAX,
                seconds=FLOOD_REQUESTS * CPU_SECONDS_PER_REQUEST_MAX,
            ):
                for _ in range(0, FLOOD_REQUESTS, 100):
                    whole = (request * 99).encode() + LAST
                    assert max(statuses(all_of(server.url, whole))) < 500
        text = log.read_text()[before:]
    lines = [json.loads(line) for line in text.splitlines()]
    minutes = 1 + (time.monotonic() - began) // TURNED_AWAY_EVERY_SECONDS
    assert len([line for line in lines if line["logger"] == "warlog.access"]) <= minutes, text
    assert not [line for line in lines if line["logger"] == "uvicorn.error"]


def test_uvicorn_is_one_whose_methods_are_known() -> None:
    uvicorn_protocol.check_hooks(uvicorn_protocol.HOOKS)
    with pytest.raises(ImportError, match=r"Old\.on_body\(body\).*does not have: install"):
        uvicorn_protocol.check_hooks({type("Old", (), {}): {"on_body": "body"}})


# ---- behind nginx ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("connection", "more"),
    [
        ("", ""),
        (
            "upgrade",
            "proxy_set_header Upgrade $http_upgrade; proxy_request_buffering off;",
        ),  # as for WebSockets
    ],
)
def test_behind_nginx_everybody_gets_his_own_answers(
    server: WarlogServer, api: Api, tmp_path: Path, connection: str, more: str
) -> None:
    """All connections of clients share few connections to the server: an answer too many or too few on one of those
    would be somebody else's."""
    games = {name: api.get(f"/games/{name}").content for name in ("hex", "junqi")}
    cases = [*REFUSED.values(), *(request for request, _ in TAKEN.values())]
    for upgrade in UPGRADES:
        length = b"content-length: %d\r\n\r\n" % len(INNER)
        for start in (b"POST /v1/players", b"GET /v1/games", b"POST /v1/nothing"):
            cases.append(start + b" HTTP/1.1\r\nhost: x\r\n" + upgrade + length + INNER)
            cases.append(
                b"%b HTTP/1.1\r\nhost: x\r\n%b%b\r\n%x\r\n%b\r\n0\r\n\r\n"
                % (start, upgrade, CHUNKED, len(INNER), INNER)
            )
    upstream = server.url.removeprefix("http://")
    with nginx(tmp_path, upstream, connection=connection, more=more) as url, Api(url) as ada, Api(url) as eve:
        for case in cases:
            with Line(url) as line:
                line.socket.sendall(case)
                line.socket.settimeout(0.02)  # the answer does not matter, nor whether there is one
                with suppress(TimeoutError, ConnectionResetError):
                    line.socket.recv(65536)
            for client, (name, body) in zip((ada, eve), games.items(), strict=True):
                got = client.get(f"/games/{name}")
                assert (got.status_code, got.content) == (200, body), (case, got.text[:200])
        assert ok(ada.http.post("/players", json={"name": "behind"}), 201)["player"]["name"] == "behind"


# ---- bounds ---------------------------------------------------------------------------------------------------------

SENT_MAX = 64 * MEGABYTE  # by an attacker whom nobody stops
MEMORY_MAX = 24 * MEGABYTE  # by which any of these attacks lets the process grow
CPU_SECONDS_MAX = 2.0  # that it takes of it
CPU_SECONDS_PER_REQUEST_MAX = 0.003
FLOOD_REQUESTS = 1_000
CPU_SECONDS_PER_MEGABYTE_MAX = (
    0.4  # of small requests, each of them whole: how many come in is up to the kernel's buffers
)


class Attack(NamedTuple):
    start: bytes
    then: bytes  # again and again


FLOOD = b"GET /v1/nothing HTTP/1.1\r\nhost: x\r\n\r\n"
DOCUMENT = b"GET /v1/openapi.json HTTP/1.1\r\nhost: x\r\n\r\n"
N = b"POST /v1/nothing HTTP/1.1\r\nhost: x\r\n"
ENDLESS = b"content-length: 1000000000000\r\n\r\n"
ATTACKS = {
    "trailers": Attack(C + b"0\r\n", b"a: b\r\n" * 10_000),
    "one long trailer": Attack(C + b"0\r\na: ", b"b" * 65_536),
    "one long trailer name": Attack(C + b"0\r\n", b"b" * 65_536),
    "chunk extensions": Attack(C, b"1;" + b"a" * 60_000 + b"=b\r\nx\r\n"),
    "one long chunk extension": Attack(C + b"1;a=", b"b" * 65_536),
    "a chunk size of zeros": Attack(C, b"0" * 65_536),
    "headers": Attack(b"GET / HTTP/1.1\r\n", b"a:\r\n" * 16_000),
    "one long header": Attack(b"GET / HTTP/1.1\r\na: ", b"b" * 65_536),
    "one long header name": Attack(b"GET / HTTP/1.1\r\n", b"b" * 65_536),
    "a long target": Attack(b"GET /", b"b" * 65_536),
    "a long query": Attack(b"GET /?", b"b" * 65_536),
    "empty lines": Attack(b"", b"\r\n" * 32_768),
    "empty lines behind a request": Attack(FLOOD, b"\r\n" * 32_768),
    "a body for nobody": Attack(N + ENDLESS, b"x" * 65_536),
    "a chunked body for nobody": Attack(N + CHUNKED + b"\r\n", b"10000\r\n" + b"x" * 65_536 + b"\r\n"),
    "a body of tiny chunks": Attack(C, b"1\r\n \r\n" * 10_000),
    "a body that is too large": Attack(H + ENDLESS, b" " * 65_536),
    "an upgrade's body": Attack(H + UPGRADES[0] + CHUNKED + b"\r\n0\r\n", b"a: b\r\n" * 10_000),
    "bytes behind the last answer": Attack(b"\x00", b"x" * 65_536),
    "pipelined requests whose answers nobody reads": Attack(b"", FLOOD * 2_000),
    "pipelined upgrades whose answers nobody reads": Attack(b"", (N + UPGRADES[3] + b"\r\n") * 1_000),
    "large answers that nobody reads": Attack(b"", DOCUMENT * 1_000),
    "requests behind a feed": Attack(b"FEED", FLOOD * 2_000),
}  # fmt: skip


def test_nothing_that_a_stranger_sends_takes_much_memory_or_time(server: WarlogServer, api: Api) -> None:
    ada = api.player()
    feed = (
        f"GET /v1/matches/{ada.alone()}/feed HTTP/1.1\r\nhost: x\r\nauthorization: Bearer {ada.token}\r\n\r\n"
    )
    ok(api.get("/games"))  # whose documents are made when they are first asked for, in 9 MB
    for _ in range(200):
        api.get("/openapi.json")
    for name, attack in ATTACKS.items():
        sent = 0
        with Bounded(name, server.pid, memory=MEMORY_MAX, seconds=CPU_SECONDS_MAX) as bound:
            with Line(server.url) as line:
                line.socket.settimeout(
                    0.2
                )  # no longer than that anything is taken from a peer who has to wait
                try:
                    line.socket.sendall(feed.encode() if attack.start == b"FEED" else attack.start)
                    while sent < SENT_MAX:
                        sent += line.socket.send(attack.then)
                except (TimeoutError, BrokenPipeError, ConnectionResetError):
                    pass
                ok(api.get("/games"))  # others are answered while it lasts
            bound.name = f"{name}, {sent / MEGABYTE:.1f} MB sent"
            bound.seconds = max(CPU_SECONDS_MAX, sent / MEGABYTE * CPU_SECONDS_PER_MEGABYTE_MAX)
        assert sent < SENT_MAX, name


def test_who_does_not_read_his_answers_is_cut_off(tmp_path: Path) -> None:
    environment = {**UNLIMITED, "WARLOG_REQUEST_SECONDS_MAX": "1"}
    with WarlogServer(tmp_path, environment=environment) as server, Api(server.url) as api:
        document = api.get("/openapi.json").content
        with Line(server.url, receive_bytes=4096) as line:
            line.send(DOCUMENT * (8_000_000 // len(document)))
            eventually(lambda: _reset(line.socket), 20)


@pytest.mark.soak
def test_who_reads_slowly_is_not_cut_off(tmp_path: Path) -> None:
    environment = {**UNLIMITED, "WARLOG_REQUEST_SECONDS_MAX": "5"}
    with WarlogServer(tmp_path, environment=environment) as server, Api(server.url) as api:
        document = api.get("/openapi.json").content
        count = 8_000_000 // len(document)
        with Line(server.url, receive_bytes=65_536) as line:
            line.send(DOCUMENT * count)
            for _ in range(count):
                time.sleep(20 / count)
                assert line.reply().body == document


def _reset(wire: socket.socket) -> bool:
    """Has the other side cut it off? Reads nothing."""
    try:
        wire.send(b"x")
    except (BrokenPipeError, ConnectionResetError):
        return True
    return False
