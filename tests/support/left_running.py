"""Processes of commands that are ended while they run, and their leftovers."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from signal import Signals


def signalled(
    sign: Signals, ready: Callable[[], bool], command: Sequence[str | Path]
) -> subprocess.CompletedProcess[str]:
    """Send a command or a script a signal once something is ready; return its result."""
    module = [] if Path(command[0]).suffix == ".py" else ["-m", "fiducial"]
    process = subprocess.Popen(
        [sys.executable, *module, *map(str, command)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    deadline = time.monotonic() + 120
    while not ready():
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < deadline, "it does not get on"
        time.sleep(0.02)
    process.send_signal(sign)
    out, err = process.communicate(timeout=60)
    return subprocess.CompletedProcess(process.args, process.returncode, out, err)


def nothing_runs(mark: str, seconds: float = 20.0) -> bool:
    """Return whether no process names ``mark``, waiting a moment for those that were ended."""
    deadline = time.monotonic() + seconds
    while found := [*running(mark)]:
        if time.monotonic() > deadline:
            print(found)
            return False
        time.sleep(0.05)
    return True


def running(mark: str) -> Iterator[str]:
    """The command lines that name it, but for this process's own."""
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal() and int(entry.name) != os.getpid():
            try:
                command = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
            except OSError:
                continue
            if mark in command:
                yield command
