"""A network between a browser and a server that can be cut, at once or when an answer comes."""

from __future__ import annotations

import re
import socket
import threading
from contextlib import suppress
from urllib.parse import urlsplit

from tests.servers import Closes

_key = re.compile(rb"\r\nidempotency-key: *([^\r]+)", re.IGNORECASE).search


class Network(Closes):
    """Hands connections on to `server`, a URL, and lists the keys of the commands that went through."""

    def __init__(self, server: str) -> None:
        self.server = server
        self.keys: list[bytes] = []
        self._loses_answer = False
        self._is_cut = False
        self._open: set[socket.socket] = set()
        self._listening = socket.create_server(("127.0.0.1", 0), backlog=64)
        self.url = f"http://127.0.0.1:{self._listening.getsockname()[1]}"
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self) -> None:
        self._listening.close()
        self.cut()

    def cut(self) -> None:
        """Ends every connection, and each new one until `mend`."""
        self._is_cut = True
        for one in list(self._open):
            with suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)

    def mend(self) -> None:
        self._is_cut = False

    def lose_an_answer(self) -> None:
        """The next command arrives, but the connection ends before its answer."""
        self._loses_answer = True

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                here = self._listening.accept()[0]
                threading.Thread(target=self._join, args=(here,), daemon=True).start()

    def _join(self, here: socket.socket) -> None:
        where = urlsplit(self.server)
        with here, suppress(OSError):
            if self._is_cut:
                return
            with socket.create_connection((where.hostname, where.port)) as there:
                ends = {here, there}
                self._open |= ends
                losing = threading.Event()
                back = threading.Thread(target=self._hand_on, args=(there, here, losing), daemon=True)
                back.start()
                self._hand_on(here, there, losing)
                back.join()
                self._open -= ends

    def _hand_on(self, source: socket.socket, target: socket.socket, losing: threading.Event) -> None:
        with suppress(OSError):
            while content := source.recv(65_536):
                if b"/commands HTTP/1.1" in content:
                    key = _key(content)
                    self.keys.append(key[1] if key else b"")
                    if self._loses_answer:
                        self._loses_answer = False
                        losing.set()
                elif losing.is_set():
                    break  # the answer
                target.sendall(content)
        for end in (source, target):
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
