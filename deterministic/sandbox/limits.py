"""Limits on a command, and their enforcement by the operating system."""

from __future__ import annotations

from typing import NamedTuple

_MIB = 1024 * 1024


class Limits(NamedTuple):
    """Limits on a command.

    Attributes:
        wall_seconds: Time until it is killed.
        cpu_seconds: Processor time of each of its processes.
        memory_bytes: Address space of each process, and resident memory of all of them together.
        file_bytes: Size of each file it writes.
        disk_bytes: All its files together, if it has its own file system.
        processes: Processes and threads at once.
        open_files: Open files of each process.
        output_bytes: Bytes of its output, and of its error output, that are kept; the rest is dropped.
    """

    wall_seconds: float = 60.0
    cpu_seconds: int = 60
    memory_bytes: int = 2048 * _MIB
    file_bytes: int = 64 * _MIB
    disk_bytes: int = 256 * _MIB
    processes: int = 64
    open_files: int = 256
    output_bytes: int = _MIB


def apply_limits(limits: Limits) -> None:
    """Set limits on this process and its children that they cannot raise again."""
    import resource  # noqa: PLC0415 - not on Windows, where limits can still be stated

    for kind, value in (
        (resource.RLIMIT_CPU, limits.cpu_seconds),
        (resource.RLIMIT_AS, limits.memory_bytes),
        (resource.RLIMIT_FSIZE, limits.file_bytes),
        (resource.RLIMIT_NPROC, limits.processes),
        (resource.RLIMIT_NOFILE, limits.open_files),
        (resource.RLIMIT_CORE, 0),
    ):
        _, hard = resource.getrlimit(kind)
        allowed = value if hard == resource.RLIM_INFINITY else min(value, hard)
        # The hard limit on processor time is a second higher: the first signal says which limit it was.
        slack = 1 if kind == resource.RLIMIT_CPU and hard == resource.RLIM_INFINITY else 0
        resource.setrlimit(kind, (allowed, allowed + slack))
