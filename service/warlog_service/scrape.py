"""One answer to `GET /metrics` for all workers, whichever of them is asked.

Each worker listens on a unix socket in a folder that the supervisor made for them, and tells its figures to whoever
connects. The one that Prometheus asks puts them together, each series with the label `worker`: the number of the
worker that counted it, small and used again, so that a worker that is replaced is to Prometheus a counter that was
reset, which `rate()` knows how to read. A sum made here would fall when a worker goes, and be read as a reset of all.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterable
from pathlib import Path

import msgspec
from prometheus_client import generate_latest
from prometheus_client.metrics_core import Metric
from prometheus_client.registry import Collector, CollectorRegistry

log = logging.getLogger("warlog.metrics")

PATIENCE_SECONDS = 1.0  # with a sibling that is busy, starting or about to go


class Family(msgspec.Struct, frozen=True, array_like=True):
    """All series of one name, with the name, labels and value of each sample."""

    name: str
    text: str
    type: str
    samples: list[tuple[str, dict[str, str], float]]


_families = msgspec.msgpack.Decoder(list[Family])


def families(registry: CollectorRegistry, labels: dict[str, str]) -> list[Family]:
    """What the registry has now, with these labels in addition."""
    return [
        Family(
            metric.name,
            metric.documentation,
            metric.type,
            [(sample.name, {**labels, **sample.labels}, sample.value) for sample in metric.samples],
        )
        for metric in registry.collect()
    ]


class _Merged(Collector):
    def __init__(self, parts: Iterable[list[Family]]) -> None:
        self._parts = parts

    def collect(self) -> Iterable[Metric]:
        merged: dict[str, Metric] = {}
        for family in (family for part in self._parts for family in part):
            metric = merged.get(family.name)
            if metric is None:
                metric = merged[family.name] = Metric(family.name, family.text, family.type)
            for name, labels, value in family.samples:
                metric.add_sample(name, labels, value)
        return merged.values()


class Siblings:
    """The workers of one supervisor, as one of them sees them: itself and, by their sockets, the others.

    number   this worker's, among those that live
    """

    def __init__(self, folder: Path, number: str, registry: CollectorRegistry) -> None:
        self._path = folder / f"{number}.sock"
        self._registry = registry
        self._labels = {"worker": number}
        self._server: asyncio.Server | None = None

    async def open(self) -> None:
        self._path.unlink(missing_ok=True)  # of a predecessor that was killed
        self._server = await asyncio.start_unix_server(self._tell, self._path)

    async def close(self) -> None:
        if self._server is not None:
            self._server.close()
        self._path.unlink(missing_ok=True)

    async def render(self) -> bytes:
        """The text for Prometheus, of all that answer."""
        others = [path for path in sorted(self._path.parent.glob("*.sock")) if path != self._path]
        parts = await asyncio.gather(*(_ask(path) for path in others))
        return generate_latest(_Merged([families(self._registry, self._labels), *parts]))

    async def _tell(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(msgspec.msgpack.encode(families(self._registry, self._labels)))
        writer.close()


async def _ask(path: Path) -> list[Family]:
    """Nothing of one that has just gone or does not answer."""
    try:
        async with asyncio.timeout(PATIENCE_SECONDS):
            reader, writer = await asyncio.open_unix_connection(path)
            try:
                return _families.decode(await reader.read())
            finally:
                writer.close()
    except (OSError, TimeoutError, msgspec.DecodeError) as error:
        log.warning("no figures from worker %s: %r", path.stem, error)
        return []
