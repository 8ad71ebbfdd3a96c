"""The Makefile's targets: options are given only by whoever calls them."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

from each_row import each_row

ROOT = Path(__file__).parents[2]
MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")
OPTIONAL = re.findall(r"\$\((?:if|or) \$\((\w+)\)", MAKEFILE)
"""Variables that change a command if they are given."""


def commands_of(target: str, *settings: str) -> str:
    """Return what a target would run, in the environment of nobody."""
    make = ["make", "--no-print-directory", "--dry-run", target, *settings]
    return subprocess.run(
        make, cwd=ROOT, env={"PATH": "/usr/bin:/bin"}, capture_output=True, text=True, check=True
    ).stdout


@each_row("name", OPTIONAL)
def test_a_variable_that_is_an_option_of_a_target_has_no_value_of_its_own(name: str):
    assert not re.search(rf"^{name}\s*[:?+]?=", MAKEFILE, re.MULTILINE)


def test_requests_are_those_of_the_suite_unless_another_set_is_named():
    (asked,) = [line for line in commands_of("requests").splitlines() if "make_requests.py" in line]
    assert re.findall(r"--\w+", asked) == ["--out"]
    assert "--audit" in commands_of("requests", "AUDIT=1")
    assert "--ladder" in commands_of("requests", "LADDER=1")
