"""Main program of the launcher: read a request, confine itself, run commands, report.

`running` starts it as a separate Python process, isolated from environment, site packages and working folder. The request is JSON on
standard input. The report is lines of JSON on standard output: how commands are confined, then how each ended. If it breaks off after
the first line, a command ended the launcher.

It starts once for each attempt of an agent, so it imports little: half of its time is imports.
"""

from __future__ import annotations

import binascii
import json
import os
import signal
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from . import kernel, landlock
from .confinement import LaunchRequest, SandboxSetup, leave_namespaces, set_up
from .limits import Limits
from .memory_group import joining
from .processes import end_all
from .supervision import Ended, execute
from .syscalls import can_filter


def main() -> None:
    """Carry out the request on standard input."""
    document: dict[str, Any] = json.load(sys.stdin)
    # The first process of a namespace gets only those signals that it handles, and Python handles this one.
    signal.signal(signal.SIGINT, lambda _number, _frame: None)
    limits = Limits(**document.pop("limits"))
    parent = document.pop("parent")
    request = LaunchRequest(**document, limits=limits)
    with suppress(OSError):
        kernel.die_with_parent()
    if os.getppid() != parent:
        os._exit(1)  # it ended before the kernel was told
    join = None if request.scratch is None else joining(request.group)
    own_namespace = leave_namespaces(confined=request.scratch is not None)
    if own_namespace:
        _become_first_process()
    else:
        # Nothing else ends the processes that commands start.
        signal.signal(signal.SIGTERM, _end_with_all)
        with suppress(OSError):
            kernel.adopt_orphans()
            kernel.die_with_parent(signal.SIGTERM)
    with suppress(OSError):
        kernel.protect_memory()
    _carry_out(request, join, own_namespace=own_namespace)
    os._exit(0)


def _become_first_process() -> None:
    """Go on in a child, the first process of the new namespace; the parent waits for it."""
    read_end, write_end = os.pipe()
    child = os.fork()
    if child:
        _, status = os.waitpid(child, 0)
        os._exit(os.waitstatus_to_exitcode(status) & 0xFF)
    os.close(write_end)
    kernel.die_with_parent()
    _require_parent(read_end)


def _require_parent(pipe: int) -> None:
    """Exit if the parent ended before the kernel was told to end this process with it.

    The first process of a namespace cannot see its parent. It reads from a pipe that only the parent holds open.
    """
    os.set_blocking(pipe, False)
    with suppress(BlockingIOError):
        os.read(pipe, 1)
        os._exit(1)


def _end_with_all(_number: int, _frame: object) -> None:
    end_all(own_namespace=False)
    os._exit(1)


def _carry_out(request: LaunchRequest, join: Callable[[], None] | None, *, own_namespace: bool) -> None:
    setup = set_up(request, own_namespace=own_namespace)

    def prepare() -> None:
        if join is not None:
            join()
        setup.prepare()

    memory = "watched" if join is None else "accounted"
    _report({**_confinement(request, setup, own_namespace=own_namespace), "memory": memory})
    environment = request.environment
    if request.scratch is not None:
        environment = {**environment, "HOME": str(setup.folder), "TMPDIR": str(setup.folder.with_name("tmp"))}
    needs_proof = request.proven or [False] * len(request.commands)
    for command, prove in zip(request.commands, needs_proof, strict=True):
        ended = execute(
            command,
            str(setup.folder),
            environment,
            request.limits,
            prepare,
            own_namespace=own_namespace,
            exam=str(setup.exam) if prove else None,
        )
        _report(_record(ended))
        if ended.ended_by != "exit" or ended.code:
            break


def _confinement(request: LaunchRequest, setup: SandboxSetup, *, own_namespace: bool) -> dict[str, str]:
    """Return the fields of `running.Confinement`, but for memory."""
    processes = "own namespace" if own_namespace else "adopted"
    if not own_namespace and os.geteuid() != 0 and landlock.version() < landlock.SCOPES_SINCE:
        processes = "adopted, others in reach"
    calls = "filtered" if request.scratch is not None and can_filter() else "not filtered"
    return {"files": setup.files, "network": setup.network, "processes": processes, "calls": calls}


def _report(line: dict[str, Any]) -> None:
    sys.stdout.write(f"{json.dumps(line)}\n")
    sys.stdout.flush()


def _record(ended: Ended) -> dict[str, Any]:
    return {
        **ended._asdict(),
        "out": _as_base64(ended.out),
        "err": _as_base64(ended.err),
    }


def _as_base64(content: bytes) -> str:
    return binascii.b2a_base64(content, newline=False).decode("ascii")
