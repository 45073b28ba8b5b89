"""Scripts that Redis runs: lua/<name>.lua."""

import hashlib
from collections.abc import Sequence
from functools import cache
from importlib import resources

import msgspec

from .wire import Word, pack


class Script(msgspec.Struct, frozen=True):
    name: str
    source: str
    sha1: str


@cache
def script(name: str) -> Script:
    """lua/<name>.lua"""
    source = resources.files("warlog_events.redis").joinpath("lua", f"{name}.lua").read_text("utf-8")
    return Script(name, source, hashlib.sha1(source.encode(), usedforsecurity=False).hexdigest())


class Prepared:
    """A script's call on these keys, packed once for as often as it is made: only the arguments are others each time.

    words   the call as far as it is always the same
    """

    __slots__ = ("_packed", "script", "words")

    def __init__(self, name: str, keys: Sequence[str]) -> None:
        self.script = code = script(name)
        self.words: tuple[Word, ...] = ("EVALSHA", code.sha1, len(keys), *keys)
        self._packed = _without_count(self.words)

    def pack(self, arguments: tuple[bytes, ...]) -> bytes:
        """The whole call as it is sent: the number of its words, and the words, each after its length (RESP)."""
        words = len(self.words) + len(arguments)
        return b"*%d\r\n%b%b" % (words, self._packed, _without_count(arguments))

    def whole(self, arguments: tuple[bytes, ...]) -> tuple[Word, ...]:
        """The call for a Redis that has forgotten the script."""
        return ("EVAL", self.script.source, *self.words[2:], *arguments)


def _without_count(words: tuple[Word, ...]) -> bytes:
    """Words as they are sent, without the line before them that says how many there are."""
    return pack(words).partition(b"\r\n")[2]
