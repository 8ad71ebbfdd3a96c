"""What is left running of what a test started."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from pathlib import Path


def nothing_runs(mark: str, seconds: float = 20.0) -> bool:
    """Whether no process names a place in its command line; one that was ended is given a moment to be gone."""
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
