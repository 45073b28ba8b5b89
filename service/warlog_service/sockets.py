"""Listening sockets: how they are made, and how they are named to the process that started the server."""

from __future__ import annotations

import socket

BACKLOG = 2048


def bound(host: str, port: int) -> socket.socket:
    """A socket that listens there; connections wait in the kernel until somebody accepts them. Port 0: any free
    one. Raises OSError."""
    family, _, _, _, address = socket.getaddrinfo(
        host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
    )[0]
    listener = socket.create_server(address[:2], family=family, backlog=BACKLOG)
    listener.setblocking(False)
    return listener


def url_of(listener: socket.socket) -> str:
    host, port = listener.getsockname()[:2]
    shown = f"[{host}]" if ":" in host else host
    return f"http://{shown}:{port}"


def local_url_of(listener: socket.socket) -> str:
    """By which this machine reaches it, also where it listens on all addresses."""
    return url_of(listener).replace("//0.0.0.0:", "//127.0.0.1:").replace("//[::]:", "//[::1]:")
