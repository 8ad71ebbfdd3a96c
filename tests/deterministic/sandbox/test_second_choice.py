"""What holds where the platform forbids namespaces: the launcher is run with that part of it switched off."""

from __future__ import annotations

import base64
import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from fiducial.deterministic.sandbox import landlock
from fiducial.deterministic.sandbox.limits import Limits

ROOT_ALONE = os.geteuid() == 0 and not all(
    place.stat().st_mode & 0o001
    for place in (Path(sys.executable).resolve(), *Path(sys.executable).resolve().parents)
)
"""Only root can run this interpreter, so there is no second choice: nothing would bound its processes."""

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the second choice is Linux's too")
bounded = pytest.mark.skipif(
    ROOT_ALONE, reason="only root can run this interpreter: there is no second choice here"
)

WITHOUT_NAMESPACES = (
    "from fiducial.deterministic.sandbox import launcher; "
    "launcher.leave_namespaces = lambda **options: False; launcher.main()"
)


def report_on(folder: Path, code: str) -> dict[str, Any]:
    source, scratch = folder / "source", folder / "scratch" / "root"
    source.mkdir()
    scratch.mkdir(parents=True)
    (source / "script.py").write_text(code)
    order = {
        "commands": [[sys.executable, "script.py"]],
        "source": str(source),
        "scratch": str(scratch),
        "readable": [],
        "environment": {},
        "limits": Limits(wall_seconds=2, processes=30, memory_bytes=400 << 20)._asdict(),
    }
    launched = subprocess.run(
        [sys.executable, "-c", WITHOUT_NAMESPACES],
        input=json.dumps(order).encode(),
        capture_output=True,
        check=True,
    )
    return json.loads(launched.stdout)


def printed(report: dict[str, Any]) -> str:
    return base64.b64decode(report["runs"][0]["out"]).decode()


@pytest.mark.skipif(not ROOT_ALONE, reason="another user can run this interpreter")
def test_where_nothing_would_bound_its_processes_code_is_refused(tmp_path: Path):
    with pytest.raises(subprocess.CalledProcessError) as refused:
        report_on(tmp_path, "open('ran.txt', 'w')")
    assert b"processes could not be bounded" in refused.value.stderr
    assert list(tmp_path.rglob("ran.txt")) == []


@bounded
def test_the_report_says_that_it_is_the_second_choice(tmp_path: Path):
    report = report_on(tmp_path, "print('here')")
    assert printed(report) == "here\n"
    assert report["processes"] == "adopted"
    assert report["files"] == ("writes confined" if landlock.version() else "not confined")
    assert report["network"] == ("no TCP" if landlock.version() >= landlock.TCP_SINCE else "not denied")


@bounded
@pytest.mark.skipif(not landlock.version(), reason="the kernel has no Landlock")
def test_nothing_outside_the_workspace_can_be_written(tmp_path: Path):
    outside = tmp_path / "outside.txt"
    outside.write_text("before")
    code = (
        "def tried(path):\n"
        "    try: open(path, 'a').write('x')\n"
        "    except OSError as error: return type(error).__name__\n"
        "    return 'written'\n"
        f"print(tried('inside.txt'), tried({str(outside)!r}), tried('/dev/null'))"
    )
    assert printed(report_on(tmp_path, code)) == "written PermissionError written\n"
    assert outside.read_text() == "before"


@bounded
@pytest.mark.parametrize(
    ("code", "ended"),
    [
        ("import os\nwhile True: os.fork()", {"exit", "processes", "memory", "time"}),
        ("import time\nwhile True: time.sleep(1)", {"time"}),
        (
            "import os, time\nfor _ in range(9):\n if not os.fork():\n  x = bytearray(b'1') * (90 << 20); time.sleep(9)\ntime.sleep(9)",
            {"memory"},
        ),
    ],
)
def test_limits_hold_and_nothing_is_left_running(tmp_path: Path, code: str, ended: set[str]):
    report = report_on(tmp_path, code)
    assert report["runs"][0]["by"] in ended
    assert processes_in(tmp_path) == []


@bounded
def test_a_daemon_is_found_and_ended(tmp_path: Path):
    code = "import os, time\nif not os.fork():\n os.setsid()\n if not os.fork(): time.sleep(60)\n os._exit(0)"
    assert report_on(tmp_path, code)["runs"][0]["code"] == 0
    time.sleep(0.1)
    assert processes_in(tmp_path) == []


def processes_in(folder: Path) -> list[str]:
    found: list[str] = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal():
            try:
                place = str((entry / "cwd").readlink())
            except OSError:
                continue
            if place.startswith(str(folder)):
                found.append(entry.name)
    return found
