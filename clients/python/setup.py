import re
from pathlib import Path

from setuptools import setup

# The version stands once, in the core's package; an sdist, which has no core beside it, says its own.
HERE = Path(__file__).resolve().parent
CORE = HERE.parents[1] / "core_c" / "warlog_core" / "__init__.py"
if CORE.exists():
    found = re.search(r'^__version__ = "(.+)"$', CORE.read_text(encoding="utf-8"), re.MULTILINE)
else:
    found = re.search(r"^Version: (.+)$", (HERE / "PKG-INFO").read_text(encoding="utf-8"), re.MULTILINE)
assert found is not None
setup(version=found[1])
