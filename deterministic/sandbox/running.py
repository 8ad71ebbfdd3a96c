"""Our side of the sandbox: starts the launcher, hands it an order, reads its report, and outlives whatever happens there."""

from __future__ import annotations

import json
import os
import signal
import site
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec

from .limits import Limits

_BOOT = (
    "import sys, types; package = types.ModuleType('sandbox'); package.__path__ = [sys.argv[1]]; "
    "sys.modules['sandbox'] = package; from sandbox.launcher import main; main()"
)
"""Makes a package of this folder without importing the product, which the launcher needs nothing of."""

_GRACE = 20.0
"""Seconds beyond all limits until a launcher that says nothing is taken for dead."""


class SandboxError(Exception):
    """The launcher could not do its work; nothing is known of the command."""


class Run(msgspec.Struct, frozen=True):
    """How one command ended.

    Attributes:
        by: ``exit``, or the limit that ended it: ``time``, ``memory``, ``processes``; ``start`` when it could not be started.
        code: Its exit code; negative for a signal.
        out: Its output, as far as it is kept.
        err: Its error output, as far as it is kept.
        cut: Whether some of either was dropped.
        seconds: How long it took.
    """

    by: str
    code: int
    out: bytes
    err: bytes
    cut: bool
    seconds: float

    @property
    def out_of_time(self) -> bool:
        """Whether it ran into the limit on time, or on processor time."""
        return self.by == "time" or self.code == -signal.SIGXCPU


class Confinement(msgspec.Struct, frozen=True):
    """How far the platform allowed to shut commands in.

    Attributes:
        files: ``private root`` (they see only their workspace and programs), ``writes confined`` or ``not confined``.
        network: ``none``, ``no TCP`` or ``not denied``.
        processes: ``own namespace``, or ``adopted``: ended one by one.
    """

    files: str
    network: str
    processes: str


class SandboxReport(msgspec.Struct, frozen=True):
    """What the commands did, up to the first that did not end well."""

    confinement: Confinement
    runs: list[Run]


def run_confined(commands: Sequence[Sequence[str]], source: Path, limits: Limits) -> SandboxReport:
    """Run commands one after another in a copy of a folder, shut in as far as the platform allows.

    Args:
        commands: The commands; the second runs when the first ended with exit code 0.
        source: A folder of plain files and folders; not changed.
        limits: What each command may use.

    Returns:
        How they ended.

    Raises:
        SandboxError: The launcher failed.
    """
    with tempfile.TemporaryDirectory(prefix="fiducial-", ignore_cleanup_errors=True) as folder:
        scratch = Path(folder, "root")
        scratch.mkdir()
        environment = {
            "PATH": os.pathsep.join([str(Path(sys.executable).parent), "/usr/local/bin", os.defpath])
        }
        return _launch(commands, source, scratch, {**environment, "LANG": "C.UTF-8"}, limits)


def run_agent(command: Sequence[str], workspace: Path, environment: Mapping[str, str], limits: Limits) -> Run:
    """Run a command that the user trusts, in a folder, under a limit on time; nothing it started is left behind.

    Args:
        command: The command.
        workspace: Where it runs.
        environment: All of its environment.
        limits: Only time, memory of all its processes, their number and the output kept are bounded.

    Returns:
        How it ended.

    Raises:
        SandboxError: The launcher failed.
    """
    return _launch([command], workspace, None, environment, limits).runs[0]


def _launch(
    commands: Sequence[Sequence[str]],
    source: Path,
    scratch: Path | None,
    environment: Mapping[str, str],
    limits: Limits,
) -> SandboxReport:
    order = {
        "commands": [list(command) for command in commands],
        "source": str(source.resolve()),
        "scratch": None if scratch is None else str(scratch.resolve()),
        "readable": _interpreter_folders(),
        "environment": dict(environment),
        "limits": limits._asdict(),
    }
    launcher = subprocess.Popen(  # noqa: S603 - our own interpreter and launcher
        [sys.executable, "-I", "-S", "-c", _BOOT, str(Path(__file__).parent)],
        cwd="/",
        env={},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    with launcher:
        try:
            patience = limits.wall_seconds * len(commands) + _GRACE
            report, complaint = launcher.communicate(json.dumps(order).encode(), timeout=patience)
        except subprocess.TimeoutExpired as error:
            raise SandboxError("the launcher did not answer in time") from error
        finally:
            _end(launcher)
    return _read_report(report, complaint)


def _end(launcher: subprocess.Popen[bytes]) -> None:
    """End the launcher and its session; its children end with it, by the kernel's care."""
    if launcher.returncode is None:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(launcher.pid, signal.SIGKILL)


def _read_report(report: bytes, complaint: bytes) -> SandboxReport:
    try:
        document: dict[str, Any] = msgspec.json.decode(report, type=dict[str, Any])
        runs = msgspec.convert(document.pop("runs"), list[Run])
        return SandboxReport(msgspec.convert(document, Confinement), runs)
    except (msgspec.DecodeError, KeyError) as error:
        last = complaint.decode(errors="replace").strip().rpartition("\n")[2]
        raise SandboxError(f"the launcher failed: {last or 'it was killed'}") from error


def _interpreter_folders() -> list[str]:
    """Where the interpreter and the packages it can import are."""
    packages = [path for path in sys.path if path.endswith(("site-packages", "dist-packages"))]
    return list(
        dict.fromkeys([sys.base_prefix, sys.prefix, *packages, *([user] if (user := site.USER_BASE) else [])])
    )
