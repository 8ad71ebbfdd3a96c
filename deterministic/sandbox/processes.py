"""Processes of a sandbox: count them, measure their memory, and end them all."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

_PROC = Path("/proc")
_PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")
_PARENT_FIELD, _THREADS_FIELD, _PAGES_FIELD = 1, 17, 21
"""Positions in ``/proc/PID/stat`` behind the program's name (manual page proc_pid_stat(5))."""

_PAUSE_SECONDS = 0.005
"""Pause before descendants that are left are killed again."""


class ProcessUsage(NamedTuple):
    """Resources used by the processes of a sandbox at one moment."""

    processes: int
    memory_bytes: int


class _Process(NamedTuple):
    pid: int
    parent: int
    user: int
    threads: int
    memory_bytes: int


def measure_usage() -> ProcessUsage:
    """Return the resources used by this process's descendants, or zeros without /proc."""
    descendants = _descendants()
    return ProcessUsage(len(descendants), sum(process.memory_bytes for process in descendants))


def threads_of_user() -> int:
    """Count the threads of this process's user, which the limit on processes counts, too."""
    user = os.geteuid()
    return sum(process.threads for process in _all_processes() if process.user == user)


def end_all(*, own_namespace: bool) -> None:
    """Kill every descendant, and wait until none is left.

    In a process namespace of their own, one call kills all at once. Elsewhere descendants are searched for and killed until there are
    none; orphans among them become children of this process, which adopts them.
    """
    while True:
        if own_namespace:
            _kill(-1)
        else:
            for process in _descendants():
                _kill(process.pid)
        if not _reap():
            return
        time.sleep(_PAUSE_SECONDS)


def _reap() -> bool:
    """Wait for the children that have ended, and return whether others are left."""
    while True:
        try:
            pid, _ = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return False
        if pid == 0:
            return True


def _kill(pid: int) -> None:
    try:
        os.kill(pid, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        return


def _descendants() -> list[_Process]:
    children: dict[int, list[_Process]] = {}
    for process in _all_processes():
        children.setdefault(process.parent, []).append(process)
    descendants = children.get(os.getpid(), [])
    for process in descendants:  # grows during the loop
        descendants.extend(children.get(process.pid, []))
    return descendants


def _all_processes() -> Iterator[_Process]:
    """Yield the processes in /proc, or none if /proc belongs to another namespace."""
    try:
        same_namespace = (_PROC / "self").readlink() == Path(str(os.getpid()))
        entries = list(_PROC.iterdir()) if same_namespace else []
    except OSError:
        return
    for entry in entries:
        if entry.name.isdecimal():
            try:
                text = (entry / "stat").read_text(encoding="utf-8", errors="replace")
                user = entry.stat().st_uid
            except OSError:
                continue
            # The name of the program, in parentheses, may contain any character.
            fields = text[text.rfind(")") + 2 :].split()
            parent, threads, pages = (
                int(fields[index]) for index in (_PARENT_FIELD, _THREADS_FIELD, _PAGES_FIELD)
            )
            yield _Process(int(entry.name), parent, user, threads, pages * _PAGE_BYTES)
