"""What a server tells Prometheus, as numbers."""

from __future__ import annotations

import httpx
from prometheus_client.parser import text_string_to_metric_families

from tests.servers import WarlogServer


def scrapes(server: WarlogServer) -> list[str]:
    """The text of each serving process."""
    return [httpx.get(url, timeout=30).text for url in server.metrics]


def figures(server: WarlogServer, name: str, **labels: str) -> dict[tuple[str, ...], float]:
    """The samples of this name that have these labels, processes added up: value by the values of their other
    labels."""
    found: dict[tuple[str, ...], float] = {}
    for text in scrapes(server):
        for family in text_string_to_metric_families(text):
            for sample in family.samples:
                if sample.name == name and labels.items() <= sample.labels.items():
                    rest = tuple(
                        value for label, value in sorted(sample.labels.items()) if label not in labels
                    )
                    found[rest] = found.get(rest, 0.0) + sample.value
    return found


def figure(server: WarlogServer, name: str, **labels: str) -> float:
    return sum(figures(server, name, **labels).values())
