"""Is this what the rules, the seeds and nothing else made? Needs a record and the core, no Redis: `warlog verify FILE`."""

from collections.abc import Mapping
from typing import Literal

import msgspec


class Verdict(msgspec.Struct, frozen=True):
    """verified   every draw follows from the published seeds, every hash and chain from replaying
    unseeded   replay agrees, but for some draws there is no seed to check them against
    failed     `version` is the first event that is not what it says, `detail` why
    """

    status: Literal["verified", "unseeded", "failed"]
    events: int
    version: int | None = None
    detail: str = ""


def verify_record(record: Mapping[str, object]) -> Verdict:
    """Never raises for what is in the record: whatever is wrong is a verdict."""
    raise NotImplementedError
