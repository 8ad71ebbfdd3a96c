"""The launcher's main program: reads an order, shuts itself in, runs the commands, writes a report.

It is started by `running` as a Python process of its own, isolated from environment, site packages and working folder. Order
and report are JSON, on standard input and output.
"""

from __future__ import annotations

import base64
import json
import os
import sys
from contextlib import suppress
from typing import Any

from . import kernel
from .confinement import Order, leave_namespaces, settle
from .execution import Ended, execute
from .limits import Limits


def main() -> None:
    """Do what the order on standard input says."""
    document: dict[str, Any] = json.load(sys.stdin)
    limits = Limits(**document.pop("limits"))
    order = Order(**document, limits=limits)
    with suppress(OSError):
        kernel.die_with_parent()
    own_namespace = leave_namespaces(confined=order.scratch is not None)
    if own_namespace:
        child = os.fork()
        if child:
            _, status = os.waitpid(child, 0)
            os._exit(os.waitstatus_to_exitcode(status) & 0xFF)
        kernel.die_with_parent()
    else:
        with suppress(OSError):
            kernel.adopt_orphans()
    json.dump(_carry_out(order, own_namespace=own_namespace), sys.stdout)
    sys.stdout.flush()
    os._exit(0)


def _carry_out(order: Order, *, own_namespace: bool) -> dict[str, Any]:
    place = settle(order, own_namespace=own_namespace)
    environment = order.environment
    if order.scratch is not None:
        environment = {**environment, "HOME": str(place.folder), "TMPDIR": str(place.folder.with_name("tmp"))}
    runs: list[dict[str, Any]] = []
    for command in order.commands:
        ended = execute(
            command,
            str(place.folder),
            environment,
            order.limits,
            place.prepare,
            own_namespace=own_namespace,
        )
        runs.append(_record(ended))
        if ended.by != "exit" or ended.code:
            break
    processes = "own namespace" if own_namespace else "adopted"
    return {"files": place.files, "network": place.network, "processes": processes, "runs": runs}


def _record(ended: Ended) -> dict[str, Any]:
    return {
        **ended._asdict(),
        "out": base64.b64encode(ended.out).decode("ascii"),
        "err": base64.b64encode(ended.err).decode("ascii"),
    }
