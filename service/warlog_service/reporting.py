"""What a process says, and with which code it ends, when it cannot do its work."""

import sys
from collections.abc import Callable

from warlog_events.errors import WarlogError
from warlog_events.redis.connection import RedisUnsuitable
from warlog_service.settings import BadSettings


def reporting(run: Callable[[], int]) -> int:
    """What it returns; 1, with a word on stderr, for what whoever started it can put right."""
    try:
        return run()
    except (BadSettings, RedisUnsuitable, WarlogError, OSError) as error:
        print(f"warlog: {error}", file=sys.stderr)
        return 1
