"""Limits on the resources of a command, and their enforcement by the operating system."""

from __future__ import annotations

from typing import NamedTuple

_MIB = 1024 * 1024


class Limits(NamedTuple):
    """Limits on the resources of a command.

    Attributes:
        wall_seconds: Elapsed time until the command is killed.
        cpu_seconds: Processor time, per process.
        memory_bytes: Address space per process, and resident memory of all its processes together.
        file_bytes: Size of a file that it writes, per file.
        disk_bytes: Size of all its files together, if it has its own file system.
        processes: Processes and threads at the same time.
        open_files: Open files, per process.
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
    """Set limits on this process and its children, which they cannot raise again."""
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
        # At the soft limit the kernel sends SIGXCPU, which names the cause; at the hard limit SIGKILL, which does not.
        slack = 1 if kind == resource.RLIMIT_CPU and hard == resource.RLIM_INFINITY else 0
        resource.setrlimit(kind, (allowed, allowed + slack))
