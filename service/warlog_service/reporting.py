"""What a process says, and with which code it ends, when it cannot do its work."""

import sys
from collections.abc import Callable

from warlog_events.errors import RedisUnsuitable, WarlogError
from warlog_service.settings import BadSettings


def reporting(run: Callable[[], int]) -> int:
    """Returns what `run` returns. For an error that an operator can mend: 1, after one line on stderr."""
    try:
        return run()
    except (BadSettings, RedisUnsuitable, WarlogError, OSError) as error:
        print(f"warlog: {error}", file=sys.stderr)
        return 1
