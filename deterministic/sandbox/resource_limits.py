"""How the operating system is told what a process may use."""

from __future__ import annotations

import resource

from .limits import Limits


def apply_limits(limits: Limits) -> None:
    """Bind this process, and whatever it starts, to limits that it cannot raise again.

    Args:
        limits: What it may use.
    """
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
