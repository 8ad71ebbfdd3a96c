"""Sandboxes of an ordinary user, who shares one user with the code.

The launcher is run as an ordinary user, also by root.
"""

from __future__ import annotations

import signal
import sys
from typing import Any

import pytest
from ordinary_user import reachable_interpreter, report_to_ordinary_user

from fiducial.deterministic.sandbox.limits import Limits

pytestmark = pytest.mark.skipif(
    sys.platform != "linux" or reachable_interpreter() is None,
    reason="needs Linux, and an interpreter that every user can run",
)

LIMITS = Limits(wall_seconds=60)


def report_on(code: str) -> dict[str, Any]:
    report = report_to_ordinary_user(code, LIMITS)
    if report["processes"] != "own namespace":
        pytest.skip("needs namespaces of an ordinary user")
    return report


@pytest.mark.attack("sandbox")
def test_no_signal_to_the_watcher_hides_a_failure():
    numbers = [number for number in range(1, 32) if number != signal.SIGSTOP]
    code = f"import os, time\nfor n in {numbers}: os.kill(1, n)\ntime.sleep(0.2)\nraise SystemExit(3)"
    assert [run["code"] for run in report_on(code)["runs"]] == [3]


@pytest.mark.attack("sandbox")
@pytest.mark.parametrize(
    "place", ["/etc/ld.so.preload", "/fiducial-new", "/dev/new", "/usr/new", "/etc/passwd"]
)
def test_nothing_but_the_workspace_and_tmp_can_be_written(place: str):
    code = f"open('here', 'w')\nopen('/tmp/here', 'w')\ntry: open({place!r}, 'w')\nexcept OSError as error: print(type(error).__name__)"
    run = report_on(code)["runs"][0]
    assert (run["code"], run["out"]) in {(0, "OSError\n"), (0, "PermissionError\n")}


@pytest.mark.attack("sandbox")
def test_the_report_cannot_be_written_by_the_command():
    code = "import os\nfor n in range(9):\n  try: os.write(os.open(f'/proc/1/fd/{n}', os.O_WRONLY), b'{}')\n  except OSError as e: print(e.errno)"
    report = report_on(code)
    assert report["runs"][0]["out"].split() == ["13"] * 9
