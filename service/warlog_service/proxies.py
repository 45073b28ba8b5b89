"""Who is at the other end: the address by which limits without a token are counted.

Behind proxies that the operator names (`WARLOG_TRUSTED_PROXIES`) it is that of the client, as the proxies tell it:
each adds the address that came to it at the right of `Forwarded` (RFC 7239) or `X-Forwarded-For`. Read from the right,
the first address that is no trusted proxy's is the client's; all to the left of it a client may have made up.

A proxy writes one of the two headers and hands the other on as the client sent it. So where both are there they must
say the same; if they do not, nobody but the proxy itself is known, and it is counted.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address, ip_network
from typing import TypeAlias

Headers: TypeAlias = Iterable[tuple[bytes, bytes]]
# From one header line to its hops, the last first; None for one that does not say where it was.
Hops: TypeAlias = Callable[[str], Iterator[str | None]]
_Address: TypeAlias = IPv4Address | IPv6Address

HOPS_MAX = 16  # proxies behind one another; more is nobody's installation

# One `name=value` of a Forwarded element, and what comes after it. Lenient in what a value may hold without quotes:
# some proxies leave them out around a port.
_PAIR = re.compile(r'[ \t]*(?:([^\s=;,"]+)=([^\s=;,"]+|"(?:[^"\\]|\\.)*"))?[ \t]*(;|,|$)')


class ProxiesUnreadable(Exception):
    """The setting names something that is no address."""


class Proxies:
    """Those that may say for whom they ask."""

    def __init__(self, trusted: str = "") -> None:
        """Addresses and CIDR ranges with commas or spaces between them. Raises ProxiesUnreadable."""
        self._networks = []
        for word in trusted.replace(",", " ").split():
            try:
                self._networks.append(ip_network(word, strict=False))
            except ValueError:
                wrong = f"{word!r} is neither an address nor a range of addresses"
                raise ProxiesUnreadable(wrong) from None

    def client(self, peer: str, headers: Headers) -> str:
        """The client's address, for the connection's other end and the request's headers; in the form of `shared`."""
        if not self._networks:
            return shared(peer)
        address = _address(peer)
        if address is None or not self._trusts(address):
            return shared(peer)
        said = [
            self._rightmost(lines, hops)
            for name, hops in ((b"x-forwarded-for", _x_forwarded_for), (b"forwarded", _forwarded))
            if (lines := [value.decode("latin-1") for key, value in headers if key.lower() == name])
        ]
        if not said or None in said or len(set(said)) > 1:
            return shared(peer)
        return shared(str(said[0]))

    def _trusts(self, address: _Address) -> bool:
        return any(address in network for network in self._networks)

    def _rightmost(self, lines: list[str], hops: Hops) -> _Address | None:
        """None where a proxy of ours says something that is no address, or nothing."""
        found = None
        seen = 0
        for line in reversed(lines):
            for hop in hops(line):
                seen += 1
                address = None if hop is None or seen > HOPS_MAX else _address(hop)
                if address is None:
                    return None
                found = address
                if not self._trusts(address):
                    return found
        return found  # all of them are ours: it began with the first


def _x_forwarded_for(line: str) -> Iterator[str | None]:
    while line:
        line, _, hop = line.rpartition(",")
        yield hop.strip()


def _forwarded(line: str) -> Iterator[str | None]:
    """The hops of a `Forwarded` line. None for a malformed one: a client may have sent its beginning."""
    found: list[str | None] = [None]
    at = 0
    while True:
        pair = _PAIR.match(line, at)
        if pair is None:
            yield None
            return
        name, value, end = pair.groups()
        if name is not None and name.lower() == "for":
            found[-1] = re.sub(r"\\(.)", r"\1", value[1:-1]) if value.startswith('"') else value
        if not end:
            break
        if end == ",":
            found.append(None)
        at = pair.end()
    yield from reversed(found)


def _address(text: str) -> _Address | None:
    """Of `192.0.2.1`, `192.0.2.1:4711`, `2001:db8::1`, `[2001:db8::1]` and `[2001:db8::1]:4711`; None for any other
    text. An IPv4-mapped IPv6 address becomes its IPv4 address."""
    if text.startswith("["):
        text, bracket, port = text[1:].partition("]")
        if not bracket or (port and not (port[0] == ":" and port[1:].isdigit())):
            return None
    elif text.count(":") == 1:
        text, _, port = text.partition(":")
        if not port.isdigit():
            return None
    if "%" in text:  # a zone is nothing to anybody else
        return None
    try:
        address = ip_address(text)
    except ValueError:
        return None
    if isinstance(address, IPv6Address) and address.ipv4_mapped is not None:
        return address.ipv4_mapped
    return address


@lru_cache(maxsize=4096)
def shared(peer: str) -> str:
    """The address as limits know it. Of IPv6 that is its /64: one household has as many addresses as it likes."""
    address = _address(peer)
    if isinstance(address, IPv6Address):
        return str(IPv6Network((address, 64), strict=False))
    return peer if address is None else str(address)
