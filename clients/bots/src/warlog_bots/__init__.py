"""Computer opponents. They play over the REST API as people do, through the SDK, and think with the rules library.

    python -m warlog_bots --url http://127.0.0.1:8000 --level 5      # every match of the account in WARLOG_TOKEN

README.md in clients/bots shows how to write a bot of one's own.
"""

from .engine import Engine
from .thinker import Thinker

__all__ = ["Engine", "Thinker"]
