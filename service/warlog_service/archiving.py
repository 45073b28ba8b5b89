"""`warlog archive` and `warlog restore`: matches leave Redis for the archive, and come back."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

import msgspec
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from warlog_events.errors import WarlogError
from warlog_events.match.match import rfc3339
from warlog_events.memory.archive import Files
from warlog_events.workers.archiver import Archiver, Outcome
from warlog_service.backend import Backend, Service
from warlog_service.settings import BadSettings, Settings

DAY_MS = 86_400_000


def archive(settings: Settings, older_than_days: float, limit: int | None) -> int:
    """Whatever has been over for so long; at most `limit` matches. The exit code: 1 if some could not be verified."""

    async def run() -> int:
        async with _backend(settings) as (backend, files):
            return await _archive(backend, files, older_than_days, limit)

    return asyncio.run(run())


def restore(settings: Settings, matches: Sequence[str]) -> int:
    """These matches (ids) are in Redis again. The exit code: 1 if one of them was not in the archive."""

    async def run() -> int:
        code = 0
        async with _backend(settings) as (backend, _):
            for match in matches:
                code |= await _restore(backend, match)
        return code

    return asyncio.run(run())


async def _archive(backend: Backend, files: Files, older_than_days: float, limit: int | None) -> int:
    before = rfc3339(int(backend.world.now_ms() - older_than_days * DAY_MS))
    archiver = Archiver(backend.matches, files)
    done: list[Outcome] = []
    console = Console(stderr=True)
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        TextColumn("{task.fields[archived]} archived, {task.fields[megabytes]:.1f} MB"),
    )
    with Progress(*columns, console=console, disable=not console.is_terminal) as progress:
        task = progress.add_task("looking", total=await archiver.count(), archived=0, megabytes=0.0)
        async for looked_at, matches in archiver.candidates(before):
            for match in matches:
                if limit is not None and _archived(done) >= limit:
                    return _said(done)
                done.append(await archiver.archive(match))
                if done[-1].status == "failed":
                    progress.console.print(
                        f"{match} stays: {done[-1].detail}", highlight=False, soft_wrap=True
                    )
                megabytes = sum(outcome.bytes for outcome in done) / 1e6
                progress.update(task, archived=_archived(done), megabytes=megabytes)
            progress.advance(task, looked_at)
    return _said(done)


def _said(done: Sequence[Outcome]) -> int:
    failed = sum(outcome.status == "failed" for outcome in done)
    size = sum(outcome.bytes for outcome in done)
    print(f"{_archived(done)} archived ({size} bytes), {failed} failed")
    return 1 if failed else 0


def _archived(done: Sequence[Outcome]) -> int:
    return sum(outcome.status == "archived" for outcome in done)


async def _restore(backend: Backend, match: str) -> int:
    try:
        if backend.store.is_id(match) and await backend.store.restore(match):
            print(f"{match}: restored")
            return 0
        problem = "not in the archive"
    except WarlogError as error:
        problem = str(error)
    print(f"{match}: {problem}", file=sys.stderr)
    return 1


@asynccontextmanager
async def _backend(settings: Settings) -> AsyncIterator[tuple[Backend, Files]]:
    """Raises BadSettings without an archive."""
    service = Service(msgspec.structs.replace(settings, background=False))
    if service.files is None:
        raise BadSettings("no archive is set: give --archive, or WARLOG_ARCHIVE")
    await service.start()
    try:
        yield service.backend, service.files
    finally:
        await service.stop()
