"""Main program of the launcher: read a request, confine itself, run commands, report.

`running` starts it as a separate Python process, isolated from environment, site packages and working folder. It reads the request as
JSON from standard input. It reports on standard output, in lines of JSON: how commands are confined, then how each of them ended. If
the report stops early after its first line, a command has killed the launcher.

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
from .memory_group import make_join
from .processes import end_all
from .supervision import CommandEnd, execute
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
        os._exit(1)  # the parent ended before the kernel was told to end this process with it
    join = None if request.scratch is None else make_join(request.group)
    own_namespace = leave_namespaces(confined=request.scratch is not None)
    if own_namespace:
        _become_first_process()
    else:
        # Nothing else ends the processes that commands start.
        signal.signal(signal.SIGTERM, _end_with_descendants)
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
        # The code is negative if a signal ended the child.
        os._exit(os.waitstatus_to_exitcode(status) & 0xFF)
    os.close(write_end)
    kernel.die_with_parent()  # the kernel forgets the parent's own wish at a fork
    _require_parent(read_end)


def _require_parent(pipe: int) -> None:
    """Exit if the parent ended before the kernel was told to end this process with it.

    The first process of a namespace cannot see its parent, so it reads from a pipe that only the parent can write to: the pipe is at its
    end if the parent is gone, and would block if not.
    """
    os.set_blocking(pipe, False)
    with suppress(BlockingIOError):
        os.read(pipe, 1)
        os._exit(1)


def _end_with_descendants(_number: int, _frame: object) -> None:
    end_all(own_namespace=False)
    os._exit(1)


def _carry_out(request: LaunchRequest, join: Callable[[], None] | None, *, own_namespace: bool) -> None:
    setup = set_up(request, own_namespace=own_namespace)

    def prepare() -> None:
        if join is not None:
            join()
        setup.prepare()

    memory = "watched" if join is None else "accounted"
    _report({**_describe_confinement(request, setup, own_namespace=own_namespace), "memory": memory})
    environment = request.environment
    if request.scratch is not None:
        environment = {**environment, "HOME": str(setup.folder), "TMPDIR": str(setup.folder.with_name("tmp"))}
    proofs_needed = request.proven or [False] * len(request.commands)
    for command, needs_proof in zip(request.commands, proofs_needed, strict=True):
        command_end = execute(
            command,
            str(setup.folder),
            environment,
            request.limits,
            prepare,
            own_namespace=own_namespace,
            exam=str(setup.exam) if needs_proof else None,
        )
        _report(_to_json(command_end))
        if command_end.ended_by != "exit" or command_end.code:
            break


def _describe_confinement(
    request: LaunchRequest, setup: SandboxSetup, *, own_namespace: bool
) -> dict[str, str]:
    """Return the fields of `running.Confinement`, except memory."""
    processes = "own namespace" if own_namespace else "adopted"
    if not own_namespace and os.geteuid() != 0 and landlock.version() < landlock.SCOPES_SINCE:
        processes = "adopted, others in reach"
    calls = "filtered" if request.scratch is not None and can_filter() else "not filtered"
    return {"files": setup.files, "network": setup.network, "processes": processes, "calls": calls}


def _report(record: dict[str, Any]) -> None:
    sys.stdout.write(f"{json.dumps(record)}\n")
    sys.stdout.flush()


def _to_json(command_end: CommandEnd) -> dict[str, Any]:
    return {
        **command_end._asdict(),
        "out": _as_base64(command_end.out),
        "err": _as_base64(command_end.err),
    }


def _as_base64(content: bytes) -> str:
    return binascii.b2a_base64(content, newline=False).decode("ascii")
