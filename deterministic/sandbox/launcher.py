"""Main program of the launcher: read an order, confine itself, run commands, report.

It is started by `running` as a Python process of its own, isolated from environment, site packages and working folder. The order is
JSON on standard input, the report lines of JSON on standard output: how far commands are shut in, then how each ended. A report that
breaks off after its first line says that a command ended the launcher.
"""

from __future__ import annotations

import base64
import json
import os
import signal
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from . import kernel, landlock
from .confinement import Order, leave_namespaces, settle
from .limits import Limits
from .memory_group import joining
from .processes import end_all
from .supervision import Ended, execute
from .syscalls import can_filter


def main() -> None:
    """Do what the order on standard input says."""
    document: dict[str, Any] = json.load(sys.stdin)
    # The first process of a namespace gets only those signals that it handles, and Python handles this one.
    signal.signal(signal.SIGINT, lambda _number, _frame: None)
    limits = Limits(**document.pop("limits"))
    parent = document.pop("parent")
    order = Order(**document, limits=limits)
    with suppress(OSError):
        kernel.die_with_parent()
    if os.getppid() != parent:
        os._exit(1)  # it ended before the kernel was told
    join = None if order.scratch is None else joining(order.group)
    own_namespace = leave_namespaces(confined=order.scratch is not None)
    if own_namespace:
        parent_ended, held = os.pipe()
        child = os.fork()
        if child:
            _, status = os.waitpid(child, 0)
            os._exit(os.waitstatus_to_exitcode(status) & 0xFF)
        os.close(held)
        kernel.die_with_parent()
        _require_parent(parent_ended)
    else:
        # Here nothing else ends what commands have started.
        signal.signal(signal.SIGTERM, _end_with_all)
        with suppress(OSError):
            kernel.adopt_orphans()
            kernel.die_with_parent(signal.SIGTERM)
    with suppress(OSError):
        kernel.be_private()
    _carry_out(order, join, own_namespace=own_namespace)
    os._exit(0)


def _require_parent(ended: int) -> None:
    """End if the parent ended before the kernel was told to end this process with it.

    The first process of a namespace cannot ask for its parent. It reads from a pipe that only the parent holds open.
    """
    os.set_blocking(ended, False)
    with suppress(BlockingIOError):
        os.read(ended, 1)
        os._exit(1)


def _end_with_all(_number: int, _frame: object) -> None:
    end_all(own_namespace=False)
    os._exit(1)


def _carry_out(order: Order, join: Callable[[], None] | None, *, own_namespace: bool) -> None:
    place = settle(order, own_namespace=own_namespace)

    def prepare() -> None:
        if join is not None:
            join()
        place.prepare()

    memory = "watched" if join is None else "accounted"
    processes = "own namespace" if own_namespace else "adopted"
    if not own_namespace and os.geteuid() != 0 and landlock.version() < landlock.SCOPES_SINCE:
        processes = "adopted, others in reach"
    calls = "filtered" if order.scratch is not None and can_filter() else "not filtered"
    _report(
        {
            "files": place.files,
            "network": place.network,
            "processes": processes,
            "calls": calls,
            "memory": memory,
        }
    )
    environment = order.environment
    if order.scratch is not None:
        environment = {**environment, "HOME": str(place.folder), "TMPDIR": str(place.folder.with_name("tmp"))}
    proven = order.proven or [False] * len(order.commands)
    for command, to_be_proven in zip(order.commands, proven, strict=True):
        ended = execute(
            command,
            str(place.folder),
            environment,
            order.limits,
            prepare,
            own_namespace=own_namespace,
            exam=str(place.exam) if to_be_proven else None,
        )
        _report(_record(ended))
        if ended.by != "exit" or ended.code:
            break


def _report(line: dict[str, Any]) -> None:
    sys.stdout.write(f"{json.dumps(line)}\n")
    sys.stdout.flush()


def _record(ended: Ended) -> dict[str, Any]:
    return {
        **ended._asdict(),
        "out": base64.b64encode(ended.out).decode("ascii"),
        "err": base64.b64encode(ended.err).decode("ascii"),
    }
