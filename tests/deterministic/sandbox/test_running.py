from __future__ import annotations

import os
import signal
import socket
import sys
import threading
import time
from pathlib import Path

import pytest

from fiducial.deterministic.sandbox import running
from fiducial.deterministic.sandbox.limits import Limits
from fiducial.deterministic.sandbox.running import (
    CommandResult,
    SandboxError,
    SandboxReport,
    Stopper,
    run_confined,
    run_trusted,
)

LIMITS = Limits(wall_seconds=10)


def report_on(folder: Path, code: str, limits: Limits = LIMITS) -> SandboxReport:
    (folder / "script.py").write_text(code)
    return run_confined([[sys.executable, "script.py"]], folder, limits)


def run_of(folder: Path, code: str, limits: Limits = LIMITS) -> CommandResult:
    return report_on(folder, code, limits).runs[0]


@pytest.mark.attack("sandbox")
def test_a_command_finds_a_copy_of_the_folder_and_cannot_change_the_original(tmp_path: Path):
    (tmp_path / "data.txt").write_text("before")
    run = run_of(tmp_path, "f = open('data.txt', 'r+'); print(f.read()); f.write('after')")
    assert (run.ended_by, run.code, run.out) == ("exit", 0, b"before\n")
    assert (tmp_path / "data.txt").read_text() == "before"


@pytest.mark.attack("sandbox")
def test_the_environment_holds_nothing_of_ours(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    for name in ("OPENAI_API_KEY", "LD_PRELOAD", "LD_LIBRARY_PATH", "PYTHONPATH", "PYTHONSTARTUP"):
        monkeypatch.setenv(name, str(tmp_path))
    run = run_of(
        tmp_path, "import os; print(sorted(set(os.environ) - {'PYTHONUSERBASE', 'PYTHONNOUSERSITE'}))"
    )
    assert run.out == b"['HOME', 'LANG', 'PATH', 'PYTEST_DISABLE_PLUGIN_AUTOLOAD', 'TMPDIR']\n"
    assert run.err == b""  # where a library that is to be loaded first cannot be, the loader complains


@pytest.mark.attack("sandbox")
@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has sockets without a file")
def test_no_socket_of_the_machine_is_reached(tmp_path: Path):
    with socket.socket(socket.AF_UNIX) as nameless, socket.create_server(("127.0.0.1", 0)) as server:
        nameless.bind(f"\0fiducial-{os.getpid()}")
        nameless.listen()
        code = (
            "import socket\n"
            f"for kind, place in ((socket.AF_UNIX, {nameless.getsockname()!r}), (socket.AF_INET, {server.getsockname()!r})):\n"
            "  try: socket.socket(kind).connect(place)\n"
            "  except OSError as error: print(type(error).__name__)"
        )
        assert run_of(tmp_path, code).out in {b"ConnectionRefusedError\n" * 2, b"PermissionError\n" * 2}


@pytest.mark.attack("sandbox")
@pytest.mark.parametrize("module", ["sitecustomize", "usercustomize"])
def test_no_file_of_the_folder_runs_before_the_command(tmp_path: Path, module: str):
    """Python without a virtual environment also searches the home for the user's packages."""
    packages = tmp_path / ".local" / "lib" / f"python3.{sys.version_info[1]}" / "site-packages"
    packages.mkdir(parents=True)
    for folder in (tmp_path, packages):
        (folder / f"{module}.py").write_text("print('customized')")
        (folder / "evil.pth").write_text("import sys; print('customized')\n")
    base = getattr(sys, "_base_executable", sys.executable)
    report = run_confined([[base, "-c", "print('command')"]], tmp_path, LIMITS)
    assert report.runs[0].out == b"command\n"


@pytest.mark.slow
@pytest.mark.attack("sandbox")
@pytest.mark.parametrize("number", [number for number in range(1, 32) if number != signal.SIGKILL])
def test_no_signal_to_the_watcher_hides_a_failure(tmp_path: Path, number: int):
    code = f"import os, time\nfor n in (1, os.getppid()):\n  try: os.kill(n, {number})\n  except OSError: pass\ntime.sleep(0.1)\nraise SystemExit(3)"
    assert run_of(tmp_path, code).code


@pytest.mark.attack("sandbox")
def test_a_command_whose_launcher_breaks_off_after_it_began_is_lost(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    boot = 'import os; print(\'{"files":"f","network":"n","processes":"p"}\', flush=True); os.kill(os.getpid(), 9)'
    monkeypatch.setattr(running, "_BOOT", boot)
    report = report_on(tmp_path, "")
    assert [(run.ended_by, run.code) for run in report.runs] == [("lost", -9)]


def test_there_is_nothing_to_read_on_standard_input(tmp_path: Path):
    assert run_of(tmp_path, "import sys; print(repr(sys.stdin.read()))").out == b"''\n"


def test_packages_of_the_interpreter_can_be_imported(tmp_path: Path):
    assert run_of(tmp_path, "import msgspec, ssl, sqlite3").code == 0


def test_a_server_can_be_tested_on_loopback_where_there_is_a_network_of_its_own(tmp_path: Path):
    code = "import socket as s; a = s.create_server(('127.0.0.1', 0)); s.create_connection(a.getsockname())"
    report = report_on(tmp_path, code)
    assert report.runs[0].code == 0 or report.confinement.network != "none"


def test_output_is_kept_up_to_its_limit(tmp_path: Path):
    run = run_of(tmp_path, "print('x' * 1000)", LIMITS._replace(output_bytes=10))
    assert (run.out, run.truncated, run.code) == (b"x" * 10, True, 0)


def test_the_second_command_runs_only_when_the_first_ended_well(tmp_path: Path):
    commands = [[sys.executable, "-c", f"raise SystemExit({code})"] for code in (0, 3, 0)]
    assert [run.code for run in run_confined(commands, tmp_path, LIMITS).runs] == [0, 3]


def test_a_command_that_is_not_there_says_so(tmp_path: Path):
    run = run_confined([["no-such-program"]], tmp_path, LIMITS).runs[0]
    assert (run.ended_by, run.code) == ("start", 127)
    assert b"no-such-program" in run.err


def test_processor_time_is_told_from_other_signals(tmp_path: Path):
    assert run_of(tmp_path, "while True: pass", LIMITS._replace(cpu_seconds=1)).out_of_time
    assert not run_of(tmp_path, "import os; os.kill(os.getpid(), 15)").out_of_time


def test_an_agent_works_in_its_folder_with_the_environment_it_is_given(tmp_path: Path):
    code = "import os; open('made.txt', 'w').write(os.environ['TOKEN'])"
    environment = {**os.environ, "TOKEN": "t"}
    run = run_trusted([sys.executable, "-c", code], tmp_path, environment, LIMITS)
    assert (run.ended_by, run.code) == ("exit", 0)
    assert (tmp_path / "made.txt").read_text() == "t"


def test_an_agent_is_stopped_at_its_limit_with_everything_it_started(tmp_path: Path):
    code = (
        "import os, time\n"
        "if os.fork() == 0:\n os.setsid()\n time.sleep(0.6)\n open('late.txt', 'w')\n"
        "time.sleep(60)"
    )
    run = run_trusted(
        [sys.executable, "-c", code], tmp_path, dict(os.environ), LIMITS._replace(wall_seconds=0.4)
    )
    assert run.ended_by == "time"
    time.sleep(0.7)
    assert not (tmp_path / "late.txt").exists()


SLOW_TO_TELL_THE_KERNEL = (
    "from sandbox import kernel; import os, pathlib, time; tell = kernel.die_with_parent\n"
    "def slowly(*signals):\n"
    "  if os.getpid() == 1: pathlib.Path({place!r}).touch(); time.sleep(0.4)\n"
    "  tell(*signals)\n"
    "kernel.die_with_parent = slowly\n"
)


@pytest.mark.attack("adversity")
@pytest.mark.skipif(sys.platform != "linux" or os.geteuid() != 0, reason="needs a process namespace")
def test_an_agent_ends_that_is_ended_while_it_is_being_started(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    begun, boot = tmp_path / "begun", running._BOOT  # pyright: ignore[reportPrivateUsage] - its moments are stretched
    first, last = boot.split("from sandbox.launcher")
    slow = SLOW_TO_TELL_THE_KERNEL.format(place=str(begun))
    monkeypatch.setattr(running, "_BOOT", f"{first}\n{slow}from sandbox.launcher{last}")
    stopper, ended = Stopper(), list[Exception]()

    def work() -> None:
        try:
            run_trusted(["sleep", "600"], tmp_path, {}, Limits(wall_seconds=600), stopper)
        except SandboxError as error:
            ended.append(error)

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    while not begun.exists():
        time.sleep(0.01)
    stopper.stop()
    thread.join(60)
    assert len(ended) == 1
