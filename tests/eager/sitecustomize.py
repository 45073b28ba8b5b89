"""Python imports this first where this folder is on its path: the process does not give way to others, whatever it asks
for. The house's analyses have the lowest priority, and would get no time while other tests use every core."""

import os

os.nice = lambda increment: 0
