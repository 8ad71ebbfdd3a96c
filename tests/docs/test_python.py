"""The examples of docs/python.md run as they stand there, one after another, and write nothing."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

_PAGE = Path(__file__).parents[2] / "docs" / "python.md"


def test_the_examples_run_in_order_and_write_nothing(tmp_path: Path):
    blocks = re.findall(r"```python\n(.*?)```", _PAGE.read_text("utf-8"), re.DOTALL)
    assert len(blocks) == 5
    command = [sys.executable, "-c", "\n".join(blocks)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("1.0\n1.000 [")
    assert list(tmp_path.iterdir()) == []
