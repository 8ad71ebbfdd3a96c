"""Items of the seed systems: each has a check, and those that need no server pass.

Items that need another environment are left out, too.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_each_item_has_a_check():
    code = "import seeds; seeds.results({0}); kit = sys.modules['seed_items.kit']; print(sorted({n for each in kit.ITEMS for n in each.numbers}) == sorted(seeds.titles()))"
    done = subprocess.run(
        [sys.executable, "-c", f"import sys; {code}"],
        cwd=ROOT / "benchmarks",
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout == "True\n", done.stderr


def test_items_of_single_turns_pass():
    numbers = [str(number) for number in (7, 20, 31, 32, 37, 41, 45, 46, 63, 66, 76, 100, 131, 136, 137)]
    done = subprocess.run(
        [sys.executable, "benchmarks/seeds.py", *numbers],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, "0 missing" in done.stdout) == (0, True), done.stdout + done.stderr
