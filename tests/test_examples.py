"""The examples for research run, in a short form."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
BLOCKS = re.findall(
    r"^```python\n(.*?)^```$", (ROOT / "docs" / "RESEARCH.md").read_text(), re.MULTILINE | re.DOTALL
)


def run(*arguments: str, cwd: Path) -> str:
    done = subprocess.run([sys.executable, *arguments], cwd=cwd, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_ppo_learns_a_step_and_draws_its_curve(tmp_path: Path) -> None:
    told = run(str(ROOT / "examples" / "ppo_hex.py"), "--updates", "1", cwd=tmp_path)
    assert "of the points" in told
    assert (tmp_path / "learning.svg").read_text().startswith("<svg")


@pytest.mark.parametrize("block", BLOCKS, ids=range(len(BLOCKS)))
def test_the_examples_of_the_page_run(block: str, tmp_path: Path) -> None:
    if "openspiel" in block:
        pytest.importorskip("pyspiel", reason="OpenSpiel has no wheel for this Python")
    run("-c", block, cwd=tmp_path)
