"""docs/formats.md is what the formats say of themselves, and its example runs."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

from scripts import script

DOCS = Path(__file__).parents[2] / "docs"
PAGE = (DOCS / "formats.md").read_text("utf-8")


def test_the_page_is_what_the_formats_say():
    assert script("docs/formats_page.py").page() == PAGE, "run python docs/formats_page.py"


def test_the_example_runs(tmp_path: Path):
    (block,) = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    done = subprocess.run(
        [sys.executable, "-c", block], capture_output=True, text=True, cwd=tmp_path, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout == "memory_answer 1.0\n"
