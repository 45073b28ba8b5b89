"""Reading what has happened to a match: boards, events, the tree of lines, the history, the record, the verdict.

Every call gets a `Match`, the match after one version, and reads no further than that version.
"""

from collections.abc import Callable

from warlog_core import State, Trace

from ..errors import WrongStatus
from ..match.match import Match
from ..match.model import STRANGER, ActionTaken, Reader
from ..match.verify import Verdict, verify_record
from . import history
from .export import check_export, export_match
from .pages import Pages, T, check_version
from .replayed import EventWithState
from .visible import event_json


class Past(Pages):
    async def each_now(
        self, match_id: str, after: int, limit: int, use: Callable[[Match, EventWithState], T]
    ) -> list[T]:
        """As `each`, of the match as it is now."""
        return await self.each((await self._loader.current(match_id, fresh=True)).match, after, limit, use)

    async def events(
        self, match: Match, reader: Reader, after: int = 0, limit: int = 100
    ) -> list[dict[str, object]]:
        """Events `after`+1 … as `reader` may see them today, every version, in the form of `schema.Event`."""
        return await self.each(match, after, limit, lambda match, event: event_json(match, event, reader))

    def is_of_a_board(self, match: Match, version: int) -> bool:
        """Was there a board before this event? Raises UnknownVersion."""
        check_version(match, version)
        return match.state is not None and version > match.started_at_version

    async def trace(self, match: Match, before: State, version: int, viewer: str) -> Trace | None:
        """What event `version` did, as `viewer` (a seat, or the spectator) saw it; `before` is the state before it.

        None if it is no action, or if the viewer did not see the whole action."""

        def traced(_: Match, event: EventWithState) -> Trace | None:
            if event.resolved is None or event.state is None or not isinstance(event.body, ActionTaken):
                return None
            if event.resolved.visible(viewer, event.state.disclosure).action is not event.resolved.action:
                return None
            return before.trace_to(event.state, event.stored.seat, event.body.action, viewer)

        (trace,) = await self.each(match, version - 1, 1, traced)
        return trace

    async def bot_seed(self, match: Match, seat: str, player: str | None) -> str | None:
        """The seed, in hex, of the house bot that holds the seat: for this bot alone, whose account asks."""
        name = match.fold.bots.get(seat)
        if name is None or not match.holds(player, seat):
            return None
        return (await self.store.secrets(match.id)).get(name)

    def timeline(self, match: Match, after: int = 0, limit: int = 100) -> list[dict[str, object]]:
        """`{"version", "parent"}` of the versions after `after`; the first has no parent."""
        last = min(match.version, after + limit)
        nodes: list[dict[str, object]] = []
        for version in range(after + 1, last + 1):
            parent = match.timeline.parent(version)
            nodes.append({"version": version} if parent is None else {"version": version, "parent": parent})
        return nodes

    async def history(
        self, match: Match, reader: Reader, after: int = 0, limit: int = 1000
    ) -> tuple[str, int | None]:
        """The notation of the current line from after version `after`, at most `limit` lines, and the version
        after which to go on, None at the end."""
        return await history.lines(self, match, await self.whole(match), reader, after, limit)

    async def export(self, match: Match, reader: Reader) -> dict[str, object]:
        """The record, in the form of `schema.Record`. Seeds, hashes and chain are in it once the match is over.

        Raises WrongStatus in the lobby, Hidden to who may not know all of a running match."""
        return await export_match(self, match, await self.whole(match), reader)

    def check_export(self, match: Match, reader: Reader) -> None:
        """Raises what `export` raises before it begins."""
        check_export(match, reader)

    async def archived(self, match: Match) -> dict[str, object]:
        """The record of a match that has started and is over or aborted, for the archive: no route gives it."""
        return await export_match(self, match, await self.whole(match), STRANGER, for_archive=True)

    async def verify(self, match: Match) -> Verdict:
        """Everything that is stored, from the first event on. Raises WrongStatus unless the match is over."""
        self.check_verify(match)
        return await self._heavy_threads.run(verify_record, await self.export(match, STRANGER))

    def check_verify(self, match: Match) -> None:
        """Raises WrongStatus."""
        if not match.is_over:
            raise WrongStatus("A match can be verified when it is over.", version=match.version)
