"""Sandboxes where the platform forbids namespaces.

The launcher runs with that part switched off.
"""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from ordinary_user import order_to, reachable_interpreter, read_report

from fiducial.deterministic.sandbox import landlock, syscalls
from fiducial.deterministic.sandbox.limits import Limits

INTERPRETER = reachable_interpreter()

pytestmark = pytest.mark.skipif(
    sys.platform != "linux" or INTERPRETER is None,
    reason="needs Linux, and an interpreter that every user can run",
)

WITHOUT_NAMESPACES = (
    "from fiducial.deterministic.sandbox import launcher; "
    "launcher.leave_namespaces = lambda **options: False; launcher.main()"
)


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder that another user can be given, unlike one below pytest's own."""
    with tempfile.TemporaryDirectory(prefix="second-choice-") as name:
        yield Path(name)


def launch(folder: Path, command: list[str], seconds: float = 2) -> subprocess.CompletedProcess[bytes]:
    source, scratch = folder / "source", folder / "scratch"
    source.mkdir(exist_ok=True)
    scratch.mkdir()
    limits = Limits(wall_seconds=seconds, processes=30, memory_bytes=400 << 20)
    order = order_to(command, source, scratch, limits)
    launcher = [sys.executable, "-c", WITHOUT_NAMESPACES]
    return subprocess.run(launcher, input=order, capture_output=True, check=False)


def report_on(folder: Path, code: str, seconds: float = 2) -> dict[str, Any]:
    assert INTERPRETER is not None
    (folder / "source").mkdir()
    (folder / "source" / "script.py").write_text(code)
    launched = launch(folder, [INTERPRETER, "script.py"], seconds)
    assert launched.returncode == 0, launched.stderr.decode()
    return read_report(launched.stdout)


def printed(report: dict[str, Any]) -> str:
    return report["runs"][0]["out"]


@pytest.mark.attack("sandbox without namespaces")
@pytest.mark.skipif(os.geteuid() != 0, reason="root alone is bound by no limit on processes")
def test_what_only_root_could_run_is_refused(folder: Path):
    private = folder / "private"
    private.mkdir(mode=0o700)
    program = private / "program"
    program.write_text("#!/bin/sh\ntouch ran.txt\n")
    program.chmod(0o755)
    refused = launch(folder, [str(program)])
    assert refused.returncode != 0
    assert b"processes could not be bounded" in refused.stderr
    assert list(folder.rglob("ran.txt")) == []


def test_the_report_says_that_it_is_the_second_choice(folder: Path):
    report = report_on(folder, "print('here')")
    assert printed(report) == "here\n"
    assert report["processes"] == "adopted"
    assert report["files"] == ("writes confined" if landlock.version() else "not confined")
    without_filter = "no TCP" if landlock.version() >= landlock.TCP_SINCE else "not denied"
    assert report["network"] == ("no sockets" if syscalls.can_filter() else without_filter)


@pytest.mark.attack("sandbox without namespaces")
@pytest.mark.skipif(not syscalls.can_filter(), reason="the kernel does not filter system calls")
def test_no_server_of_the_machine_can_be_spoken_to(folder: Path):
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(folder / "server"))
        server.listen()
        (folder / "server").chmod(0o777)
        folder.chmod(0o755)
        code = (
            "import socket\nsocket.socketpair()\n"
            f"for kind, place in ((socket.AF_UNIX, {str(folder / 'server')!r}), (socket.AF_INET, ('127.0.0.1', 9))):\n"
            "  try: socket.socket(kind).connect(place)\n"
            "  except OSError as error: print(type(error).__name__)"
        )
        assert printed(report_on(folder, code)) == "PermissionError\nPermissionError\n"


@pytest.mark.attack("sandbox without namespaces")
@pytest.mark.skipif(not landlock.version(), reason="the kernel has no Landlock")
def test_nothing_outside_the_workspace_can_be_written(folder: Path):
    outside = folder / "outside.txt"
    outside.write_text("before")
    code = (
        "def tried(path):\n"
        "    try: open(path, 'a').write('x')\n"
        "    except OSError as error: return type(error).__name__\n"
        "    return 'written'\n"
        f"print(tried('inside.txt'), tried({str(outside)!r}), tried('/dev/null'))"
    )
    assert printed(report_on(folder, code)) == "written PermissionError written\n"
    assert outside.read_text() == "before"


@pytest.mark.attack("sandbox without namespaces")
@pytest.mark.parametrize(
    ("code", "seconds", "ended"),
    [
        ("import os\nwhile True: os.fork()", 2, {"exit", "processes", "memory", "time"}),
        ("import time\nwhile True: time.sleep(1)", 2, {"time"}),
        (
            "import os, time\nfor _ in range(9):\n if not os.fork():\n  x = bytearray(b'1') * (90 << 20); time.sleep(90)\ntime.sleep(90)",
            60,  # a busy machine takes its time to write 400 MiB
            {"memory"},
        ),
    ],
)
def test_limits_hold_and_nothing_is_left_running(folder: Path, code: str, seconds: float, ended: set[str]):
    report = report_on(folder, code, seconds)
    assert report["runs"][0]["ended_by"] in ended
    assert processes_in(folder) == []


@pytest.mark.attack("sandbox without namespaces")
def test_a_daemon_is_found_and_ended(folder: Path):
    code = "import os, time\nif not os.fork():\n os.setsid()\n if not os.fork(): time.sleep(60)\n os._exit(0)"
    assert report_on(folder, code)["runs"][0]["code"] == 0
    time.sleep(0.1)
    assert processes_in(folder) == []


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


@pytest.mark.attack("sandbox without namespaces")
def test_what_a_command_started_ends_with_the_launcher_that_is_told_to(folder: Path):
    assert INTERPRETER is not None
    code = "import subprocess, sys, time; subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)']); time.sleep(600)"
    order = order_to([INTERPRETER, "-c", code], folder, None, Limits(wall_seconds=600, processes=30))
    command = [sys.executable, "-c", WITHOUT_NAMESPACES]
    with subprocess.Popen(command, stdin=subprocess.PIPE, start_new_session=True) as launcher:
        assert launcher.stdin is not None
        launcher.stdin.write(order)
        launcher.stdin.close()
        deadline = time.monotonic() + 60
        while len(processes_in(folder)) < 2:
            assert time.monotonic() < deadline
            time.sleep(0.05)
        launcher.terminate()
    assert processes_in(folder) == []
