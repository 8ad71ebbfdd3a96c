"""Processes of a sandbox: count them, measure their memory, and end them all."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

_PROC = Path("/proc")
_PAGE = os.sysconf("SC_PAGE_SIZE")
_PARENT_FIELD, _THREADS_FIELD, _PAGES_FIELD = 1, 17, 21
_PAUSE = 0.005


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


def usage() -> ProcessUsage:
    """Return the resources used by this process's descendants; zero without /proc."""
    found = _descendants()
    return ProcessUsage(len(found), sum(process.memory_bytes for process in found))


def threads_of_user() -> int:
    """Count the threads of this process's user, as the limit on processes does."""
    user = os.geteuid()
    return sum(process.threads for process in _all_processes() if process.user == user)


def end_all(*, own_namespace: bool) -> None:
    """Kill every descendant, and wait until none is left.

    In a process namespace of our own one call reaches all at once, and none can be born meanwhile. Elsewhere descendants are
    searched and killed until a search finds none: orphans come to us, as their adopter.
    """
    while True:
        if own_namespace:
            _kill(-1)
        else:
            for process in _descendants():
                _kill(process.pid)
        if not _reap():
            return
        time.sleep(_PAUSE)


def _reap() -> bool:
    """Wait for the children that have ended; return whether others are left."""
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
    found = children.get(os.getpid(), [])
    for process in found:  # grows while it is walked
        found.extend(children.get(process.pid, []))
    return found


def _all_processes() -> Iterator[_Process]:
    """Yield the processes in /proc, if it belongs to this process's namespace.

    Another namespace's /proc would name strangers.
    """
    try:
        ours = (_PROC / "self").readlink() == Path(str(os.getpid()))
        entries = list(_PROC.iterdir()) if ours else []
    except OSError:
        return
    for entry in entries:
        if entry.name.isdecimal():
            try:
                text = (entry / "stat").read_text(encoding="utf-8", errors="replace")
                user = entry.stat().st_uid
            except OSError:
                continue
            # The name of the program, in parentheses, may hold anything.
            fields = text[text.rfind(")") + 2 :].split()
            parent, threads, pages = (int(fields[n]) for n in (_PARENT_FIELD, _THREADS_FIELD, _PAGES_FIELD))
            yield _Process(int(entry.name), parent, user, threads, pages * _PAGE)
