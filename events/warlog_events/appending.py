"""Makes the append of a draft: its events, what goes with them, and the changed parts of the summary."""

from .match.draft import Draft
from .match.lobby_entry import lobby_entry_json
from .match.model import STRANGER
from .match.notices import notices_of
from .redis.idempotency import Idempotency, Key
from .redis.store import Append


def append_of(draft: Draft, key: Key | None, acting_seat: str | None) -> Append:
    """key          under which it is kept that the command was accepted
    acting_seat  the seat whose deadline must not have passed
    """
    match, before = draft.match, draft.before
    status = match.status
    # Holds only if the append succeeds; if not, this draft's match is thrown away.
    match.stored_summary_start = start = match.summary_start_json()
    stored = before.stored_summary_start if before is not None and before.status == status else b""
    start_unchanged = stored == start and status != "lobby"
    clocked = before is None or bool(match.deadlines or before.deadlines)
    return Append(
        match_id=draft.match_id,
        expected_version=0 if before is None else before.version,
        expected_chain="" if before is None else before.fold.chain,
        events=[one.stored for one in draft.written],
        summary_rest=match.summary_rest_json(STRANGER),
        summary_start=b"" if start_unchanged else start,
        lobby_entry=b"" if start_unchanged else lobby_entry_json(match),
        status=status,
        to_act=match.to_act,
        notices=notices_of(before, match, draft.written[-1].stored.type, draft.written[-1].body),
        secrets=draft.new_secrets,
        idempotency=None if key is None else Idempotency(draft.by, key.key, key.digest, match.deadlines),
        deadlines=match.deadlines if clocked else None,
        acting_seat=acting_seat if clocked else None,
        not_before=draft.not_before,
        invited=match.fold.invitations if before is None else {},
    )
