"""Origins of web pages, as the setting `cors_origins` names them."""

from __future__ import annotations

from urllib.parse import urlsplit


class BadOrigin(Exception):
    """The setting names something that is no origin."""


class Origins:
    """`every`: `*` is among them."""

    def __init__(self, text: str = "") -> None:
        """Origins (`https://play.example.org`) with commas or spaces between them, or `*`. Raises BadOrigin."""
        words = text.replace(",", " ").split()
        self.every = "*" in words
        self.named = frozenset(words) - {"*"}
        for word in self.named:
            parts = urlsplit(word)
            if parts.scheme not in ("http", "https") or f"{parts.scheme}://{parts.netloc}" != word:
                raise BadOrigin(f"{word!r} is no origin such as https://play.example.org")

    def __bool__(self) -> bool:
        return self.every or bool(self.named)

    def __contains__(self, origin: str) -> bool:
        return self.every or origin in self.named
