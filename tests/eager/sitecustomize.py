"""For servers of tests that have this folder on PYTHONPATH: Python imports this file at its start, and `os.nice` does
nothing. Otherwise the house's programs, which lower their priority, get no time while other tests use every core."""

import os

os.nice = lambda increment: 0
