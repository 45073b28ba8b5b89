"""The application as a process serves it: with traces or without."""

from __future__ import annotations

from warlog_service.app import Front
from warlog_service.settings import Settings


def front_of(settings: Settings) -> Front:
    """Raises BadSettings where traces are wanted and their libraries are not installed."""
    if not settings.traces:
        return Front(settings)
    from warlog_service.tracing import TracedFront

    return TracedFront(settings)
