"""Kernel memory group (cgroup, version 2 or 1) of a sandbox.

It counts all memory, whichever process holds it, or none.

Our side makes a group and removes it; the launcher has each command join. If no group can be made, memory is watched process by process.
The maker of a group holds a lock on it. A group whose maker was killed is recognised by its free lock, and removed by the next.
"""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

_MOUNTS, _OWN = Path("/proc/self/mounts"), Path("/proc/self/cgroup")
_LIMITS = {"memory.max": "memory.swap.max", "memory.limit_in_bytes": "memory.memsw.limit_in_bytes"}
"""The file that takes the limit, by version, and the one that takes that of memory and disk, or of disk alone."""

_EVENTS = ("memory.events", "memory.oom_control")
_PATIENCE, _PAUSE = 1.0, 0.01


class MemoryGroup:
    """A group that was made."""

    def __init__(self, folder: Path, descriptor: int) -> None:
        self.folder = folder
        self._descriptor: int | None = descriptor

    def was_full(self) -> bool:
        """Return whether the kernel ended a process of the group for lack of memory."""
        for name in _EVENTS:
            with suppress(OSError):
                counts = dict(line.split() for line in (self.folder / name).read_text("ascii").splitlines())
                return int(counts.get("oom_kill", 0)) > 0
        return False

    def remove(self) -> None:
        """Remove it; its processes have been ended, and are given a moment to be gone."""
        deadline = time.monotonic() + _PATIENCE
        while self.folder.exists() and time.monotonic() < deadline:
            with suppress(OSError):
                self.folder.rmdir()
                break
            time.sleep(_PAUSE)
        if self._descriptor is not None:
            os.close(self._descriptor)
        self._descriptor = None


def make_group(name: str, memory_bytes: int) -> MemoryGroup | None:
    """Make a group below this process's own, or beside it; None if that is impossible.

    This user, or this machine, may be unable to make one.

    Groups of killed makers whose names begin with the same word are removed.
    """
    for parent in _parents():
        _sweep(parent, name.partition("-")[0])
        try:
            group = _made(parent / name)
        except OSError:
            continue
        for limit, with_disk in _LIMITS.items():
            with suppress(OSError):
                _put(group.folder / limit, memory_bytes)
                with suppress(OSError):  # without such a file, nothing is swapped, or it is not counted
                    _put(group.folder / with_disk, 0 if limit == "memory.max" else memory_bytes)
                return group
        group.remove()
    return None


def _made(folder: Path) -> MemoryGroup:
    while True:
        folder.mkdir()
        with suppress(FileNotFoundError):  # another process removed it before it was held
            descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            if folder.exists() and os.path.samestat(os.fstat(descriptor), folder.stat()):
                return MemoryGroup(folder, descriptor)
            os.close(descriptor)


def _sweep(parent: Path, word: str) -> None:
    """Remove groups without a holder; the kernel keeps one in which a process lives."""
    with suppress(OSError):
        for folder in parent.glob(f"{word}-*"):
            with suppress(OSError):
                descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
                try:
                    fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    folder.rmdir()
                finally:
                    os.close(descriptor)


def joining(group: str | None) -> Callable[[], None] | None:
    """Return a function by which a new process joins the group; None if it could not join.

    The group's file is opened at once: later it is out of sight.
    """
    if group is None:
        return None
    try:
        place = os.open(Path(group, "cgroup.procs"), os.O_WRONLY | os.O_CLOEXEC)
    except OSError:
        return None
    child = os.fork()
    if child == 0:
        try:
            os.write(place, b"0")
        except OSError:
            os._exit(1)
        os._exit(0)
    _, status = os.waitpid(child, 0)
    return None if status else lambda: _join(place)


def _join(place: int) -> None:
    os.write(place, b"0")  # whoever writes it, in whatever namespace


def _put(file: Path, value: int) -> None:
    with file.open("r+", encoding="ascii") as opened:
        opened.write(str(value))


def _parents() -> Iterator[Path]:
    """Yield folders below which a group may be made: this process's group, or its parent.

    The parent comes in for version 2, if the process's own group may hold no groups.
    """
    try:
        mounts = [line.split() for line in _MOUNTS.read_text("utf-8").splitlines()]
        own = [line.split(":", 2) for line in _OWN.read_text("utf-8").splitlines()]
    except (OSError, UnicodeDecodeError):
        return
    for _, controllers, path in own:
        for _, place, kind, options, *_ in mounts:
            folder = Path(place, path.lstrip("/"))
            if kind == "cgroup2" and not controllers:
                yield from dict.fromkeys((folder, folder.parent if path != "/" else folder))
            elif kind == "cgroup" and "memory" in controllers.split(",") and "memory" in options.split(","):
                yield folder
