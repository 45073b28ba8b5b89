"""Descriptors that turn the description of a request into a method of both clients, and of their namespaces.

On a `Client` the method blocks and returns the reply; on an `AsyncClient` it is awaited. Type checkers know.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from functools import wraps
from typing import Any, Concatenate, Generic, ParamSpec, Protocol, Self, TypeVar, overload

from .request import Page, Request

P = ParamSpec("P")
T = TypeVar("T")


class Blocking(Protocol):
    """What a method needs of a `Client`."""

    def send(self, request: Request[T]) -> T: ...
    def pages(self, first: Request[Page[T]]) -> Iterator[T]: ...


class Awaited(Protocol):
    """What a method needs of an `AsyncClient`."""

    async def send(self, request: Request[T]) -> T: ...
    def pages(self, first: Request[Page[T]]) -> AsyncIterator[T]: ...


C = TypeVar("C", covariant=True)


class Namespace(Generic[C]):
    """Some methods of a client, under a name of their own."""

    def __init__(self, client: C) -> None:
        self._client = client


class endpoint(Generic[P, T]):
    """A call with one reply."""

    def __init__(self, describe: Callable[Concatenate[Any, P], Request[T]]) -> None:
        self._describe = describe
        self.__doc__ = describe.__doc__

    @overload
    def __get__(self, client: None, owner: type) -> Self: ...
    @overload
    def __get__(self, client: Blocking | Namespace[Blocking], owner: type) -> Callable[P, T]: ...
    @overload
    def __get__(
        self, client: Awaited | Namespace[Awaited], owner: type
    ) -> Callable[P, Coroutine[Any, Any, T]]: ...
    def __get__(self, client: Any, owner: type) -> Any:
        if client is None:
            return self
        if isinstance(client, Namespace):
            client = client._client

        @wraps(self._describe)
        def call(*args: P.args, **kwargs: P.kwargs) -> Any:
            return client.send(self._describe(client, *args, **kwargs))

        return call


class paged(Generic[P, T]):
    """A call whose reply comes in pages: the method gives an iterator over the items of all of them."""

    def __init__(self, describe: Callable[Concatenate[Any, P], Request[Page[T]]]) -> None:
        self._describe = describe
        self.__doc__ = describe.__doc__

    @overload
    def __get__(self, client: None, owner: type) -> Self: ...
    @overload
    def __get__(self, client: Blocking | Namespace[Blocking], owner: type) -> Callable[P, Iterator[T]]: ...
    @overload
    def __get__(self, client: Awaited | Namespace[Awaited], owner: type) -> Callable[P, AsyncIterator[T]]: ...
    def __get__(self, client: Any, owner: type) -> Any:
        if client is None:
            return self
        if isinstance(client, Namespace):
            client = client._client

        @wraps(self._describe)
        def call(*args: P.args, **kwargs: P.kwargs) -> Any:
            return client.pages(self._describe(client, *args, **kwargs))

        return call
