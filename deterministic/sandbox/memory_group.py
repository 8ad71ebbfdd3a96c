"""Kernel memory group (cgroup, version 2 or 1) of a sandbox.

The kernel counts all memory of the group, also memory that belongs to no process. The process that starts the launcher makes the group
and removes it; the launcher has each command join. If no group can be made, memory is watched process by process. The maker of a group
keeps a lock on it. If the lock is free, the maker was killed, and the next maker removes the group.
"""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

_MOUNTS, _OWN_GROUPS = Path("/proc/self/mounts"), Path("/proc/self/cgroup")
_LIMIT_FILES = {"memory.max": "memory.swap.max", "memory.limit_in_bytes": "memory.memsw.limit_in_bytes"}
"""By version: the file of the memory limit, and that of the limit on swap (version 2) or on memory and swap (version 1)."""

# Files that count the processes ended for lack of memory, by version.
_EVENT_FILES = ("memory.events", "memory.oom_control")
_REMOVAL_SECONDS, _PAUSE_SECONDS = 1.0, 0.01
"""Time for the ended processes of a group to disappear, and the pause between attempts to remove it."""


class MemoryGroup:
    """A memory group, locked by this process."""

    def __init__(self, folder: Path, descriptor: int) -> None:
        self.folder = folder
        self._descriptor: int | None = descriptor

    def was_full(self) -> bool:
        """Return whether the kernel ended a process of the group for lack of memory."""
        for name in _EVENT_FILES:
            with suppress(OSError):
                counts = dict(line.split() for line in (self.folder / name).read_text("ascii").splitlines())
                return int(counts.get("oom_kill", 0)) > 0
        return False

    def remove(self) -> None:
        """Remove the group; wait a moment for its ended processes to disappear."""
        deadline = time.monotonic() + _REMOVAL_SECONDS
        while self.folder.exists() and time.monotonic() < deadline:
            with suppress(OSError):
                self.folder.rmdir()
                break
            time.sleep(_PAUSE_SECONDS)
        if self._descriptor is not None:
            os.close(self._descriptor)
        self._descriptor = None


def make_group(name: str, memory_bytes: int) -> MemoryGroup | None:
    """Make a memory group, and remove groups that killed processes left behind.

    Args:
        name: Name of the group. Groups left behind are recognised by the part of the name before the first hyphen.
        memory_bytes: The memory limit.

    Returns:
        The group, below this process's own group or beside it, or None if the user may not make one or the machine has none.
    """
    for parent in _possible_parents():
        _remove_abandoned(parent, name.partition("-")[0])
        try:
            group = _create(parent / name)
        except OSError:
            continue
        for limit, swap_limit in _LIMIT_FILES.items():
            with suppress(OSError):
                _write(group.folder / limit, memory_bytes)
                with suppress(OSError):  # without such a file, nothing is swapped, or it is not counted
                    _write(group.folder / swap_limit, 0 if limit == "memory.max" else memory_bytes)
                return group
        group.remove()
    return None


def _create(folder: Path) -> MemoryGroup:
    while True:
        folder.mkdir()
        with suppress(FileNotFoundError):  # another process removed it before it was locked
            descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            # The locked folder may have been removed and made anew in the meantime.
            if folder.exists() and os.path.samestat(os.fstat(descriptor), folder.stat()):
                return MemoryGroup(folder, descriptor)
            os.close(descriptor)


def _remove_abandoned(parent: Path, prefix: str) -> None:
    """Remove groups that nobody has locked; the kernel keeps groups with live processes."""
    with suppress(OSError):
        for folder in parent.glob(f"{prefix}-*"):
            with suppress(OSError):
                descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
                try:
                    fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    folder.rmdir()
                finally:
                    os.close(descriptor)


def make_join(group: str | None) -> Callable[[], None] | None:
    """Return a function with which a new process joins the group, or None if it cannot join.

    The group's file is opened now, since a private root hides it later. A child process tries whether it can join.
    """
    if group is None:
        return None
    try:
        descriptor = os.open(Path(group, "cgroup.procs"), os.O_WRONLY | os.O_CLOEXEC)
    except OSError:
        return None
    child = os.fork()
    if child == 0:
        try:
            os.write(descriptor, b"0")
        except OSError:
            os._exit(1)
        os._exit(0)
    _, status = os.waitpid(child, 0)
    return None if status else lambda: _join(descriptor)


def _join(descriptor: int) -> None:
    os.write(descriptor, b"0")  # 0 is the writing process, in any namespace


def _write(file: Path, value: int) -> None:
    with file.open("r+", encoding="ascii") as opened:
        opened.write(str(value))


def _possible_parents() -> Iterator[Path]:
    """Yield folders in which a group may be made: this process's group, and its parent.

    The parent is needed in version 2, where a group with processes may not contain groups.
    """
    try:
        mounts = [line.split() for line in _MOUNTS.read_text("utf-8").splitlines()]
        groups = [line.split(":", 2) for line in _OWN_GROUPS.read_text("utf-8").splitlines()]
    except (OSError, UnicodeDecodeError):
        return
    # Lines are `ID:CONTROLLERS:PATH` of a group, and `DEVICE MOUNT_POINT TYPE OPTIONS ...` of a mount.
    for _, controllers, path in groups:
        for _, mount_point, kind, options, *_ in mounts:
            folder = Path(mount_point, path.lstrip("/"))
            if kind == "cgroup2" and not controllers:
                yield from dict.fromkeys((folder, folder.parent if path != "/" else folder))
            elif kind == "cgroup" and "memory" in controllers.split(",") and "memory" in options.split(","):
                yield folder
