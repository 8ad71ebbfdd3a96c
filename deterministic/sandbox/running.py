"""Run the launcher.

This process stays intact whatever happens in the sandbox.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager, nullcontext, suppress
from pathlib import Path

import msgspec

from ...records.typed_values import decode_json
from .installation import package_variables, python_folders
from .limits import Limits
from .memory_group import MemoryGroup, make_group

_BOOT = (
    "import sys, types; package = types.ModuleType('sandbox'); package.__path__ = [sys.argv[1]]; "
    "sys.modules['sandbox'] = package; from sandbox.launcher import main; main()"
)
"""Makes a package of this folder without importing the rest of the package, which the launcher does not need."""

_GRACE_SECONDS = 20.0
"""Time beyond all limits after which a silent launcher counts as dead."""

_CLEANUP_SECONDS = 5.0
"""Time that a launcher without a namespace gets to end the processes that its commands started."""


class SandboxError(Exception):
    """The launcher failed, so nothing is known about the command."""


class CommandResult(msgspec.Struct, frozen=True):
    """Result of one command.

    Attributes:
        ended_by: ``exit``, or the limit that ended it: ``time``, ``memory``, ``processes``; ``start`` if it could not be started;
            ``lost`` if it ended the launcher, which supervised it.
        code: Its exit code; negative for a signal.
        out: Its output, up to the limit.
        err: Its error output, up to the limit.
        truncated: Whether part of either was dropped.
        seconds: How long it took.
        proven: Whether it proved that the hidden tests ran to their end.
    """

    ended_by: str
    code: int
    out: bytes
    err: bytes
    truncated: bool
    seconds: float
    proven: bool = False

    @property
    def ended_well(self) -> bool:
        """True if the command was not stopped and ended with exit code 0."""
        return self.ended_by == "exit" and not self.code

    @property
    def out_of_time(self) -> bool:
        """True if the command hit the limit on time or processor time."""
        return self.ended_by == "time" or self.code == -signal.SIGXCPU


class Confinement(msgspec.Struct, frozen=True):
    """Confinement that the platform provided.

    Attributes:
        files: ``private root`` (they see only their workspace and programs), ``writes confined`` or ``not confined``.
        network: ``none`` (a loopback interface of its own), ``no sockets``, ``no TCP`` or ``not denied``.
        processes: ``own namespace``, or ``adopted``: ended one by one; ``adopted, others in reach`` if code can end other processes
            of its user.
        calls: ``filtered``, or ``not filtered``: system calls that evade limits are not denied.
        memory: ``accounted`` by the kernel as a whole, or ``watched`` process by process.
    """

    files: str
    network: str
    processes: str
    calls: str = "not filtered"
    memory: str = "watched"


class SandboxReport(msgspec.Struct, frozen=True):
    """Results of the commands, up to the first failure."""

    confinement: Confinement
    runs: list[CommandResult]


class Exam(msgspec.Struct, frozen=True):
    """Hidden tests that commands are to run.

    Attributes:
        folder: Their folder; the commands can read and not change them.
        proven: For each command, whether it must prove that it ran them to their end.
        read_only: Files of the commands' folder that they cannot change, if the platform supports that.
    """

    folder: Path
    proven: list[bool]
    read_only: list[str]


def run_confined(
    commands: Sequence[Sequence[str]], source: Path, limits: Limits, exam: Exam | None = None
) -> SandboxReport:
    """Run commands in sequence in a copy of a folder, confined as the platform allows.

    Args:
        commands: The commands; each runs only if the one before ended with exit code 0.
        source: A folder of plain files and folders; not changed.
        limits: What each command may use.
        exam: Hidden tests; a command that must prove something reads their folder from standard input.

    Raises:
        SandboxError: The launcher failed.
    """
    with tempfile.TemporaryDirectory(prefix="fiducial-", ignore_cleanup_errors=True) as folder:
        scratch = Path(folder, "root")
        scratch.mkdir()
        environment = {
            "PATH": os.pathsep.join([str(Path(sys.executable).parent), "/usr/local/bin", os.defpath]),
            "LANG": "C.UTF-8",
            **package_variables(),
        }
        group = make_group(Path(folder).name, limits.memory_bytes)
        try:
            report = _launch(commands, source, scratch, environment, limits, exam=exam, group=group)
            return report if group is None else _with_memory_as_cause(report, group)
        finally:
            if group is not None:
                group.remove()


class Stopper:
    """Handle for stopping, from one thread, commands that other threads wait for."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._processes: set[subprocess.Popen[bytes]] = set()
        self._stopped = False

    @contextmanager
    def registered(self, launcher: subprocess.Popen[bytes]) -> Generator[None]:
        """Register a command's launcher within the block; end it if a stop was requested."""
        with self._lock:
            self._processes.add(launcher)
            if self._stopped:
                _end(launcher)
        try:
            yield
        finally:
            with self._lock:
                self._processes.discard(launcher)

    def request_stop(self) -> None:
        """Ask all commands to end, also those still to be started, without waiting."""
        with self._lock:
            self._stopped = True
            for launcher in self._processes:
                _signal(launcher, signal.SIGTERM)

    def stop(self) -> None:
        """End all commands, also those still to be started."""
        self.request_stop()
        with self._lock:
            for launcher in self._processes:
                _end(launcher)


def run_trusted(
    command: Sequence[str],
    workspace: Path,
    environment: Mapping[str, str],
    limits: Limits,
    stopper: Stopper | None = None,
) -> CommandResult:
    """Run a command that the user trusts in a folder; end all processes that it started.

    Args:
        command: The command.
        workspace: The folder that it runs in.
        environment: Its whole environment.
        limits: Only time, memory of all its processes, their number and the output kept are bounded.
        stopper: Can stop it early.

    Raises:
        SandboxError: The launcher failed.
    """
    return _launch([command], workspace, None, environment, limits, stopper=stopper).runs[0]


def _launch(
    commands: Sequence[Sequence[str]],
    source: Path,
    scratch: Path | None,
    environment: Mapping[str, str],
    limits: Limits,
    *,
    exam: Exam | None = None,
    group: MemoryGroup | None = None,
    stopper: Stopper | None = None,
) -> SandboxReport:
    request: dict[str, object] = {
        "parent": os.getpid(),
        "commands": [list(command) for command in commands],
        "source": str(source.resolve()),
        "scratch": None if scratch is None else str(scratch.resolve()),
        "readable": python_folders(),
        "environment": dict(environment),
        "limits": limits._asdict(),
        "group": None if group is None else str(group.folder),
    }
    if exam is not None:
        request |= {"exam": str(exam.folder.resolve()), "proven": exam.proven, "read_only": exam.read_only}
    launcher = subprocess.Popen(  # noqa: S603 - our own interpreter and launcher
        [sys.executable, "-I", "-S", "-c", _BOOT, str(Path(__file__).parent)],
        cwd="/",
        env={},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    with launcher, nullcontext() if stopper is None else stopper.registered(launcher):
        try:
            timeout = limits.wall_seconds * len(commands) + _GRACE_SECONDS
            report, errors = launcher.communicate(json.dumps(request).encode(), timeout=timeout)
        except subprocess.TimeoutExpired as error:
            report, errors = error.output or b"", b"it did not answer in time"
        finally:
            _end(launcher)
    return _read_report(report, errors, len(commands))


def _with_memory_as_cause(report: SandboxReport, group: MemoryGroup) -> SandboxReport:
    """Return the report, with memory as the cause of a failure if the kernel says so."""
    if (
        not report.runs
        or report.runs[-1].ended_by != "exit"
        or not report.runs[-1].code
        or not group.was_full()
    ):
        return report
    *before, last = report.runs
    return msgspec.structs.replace(report, runs=[*before, msgspec.structs.replace(last, ended_by="memory")])


def _end(launcher: subprocess.Popen[bytes]) -> None:
    """End the launcher and its session.

    The kernel ends its children with it; without a namespace, the launcher does.
    """
    _signal(launcher, signal.SIGTERM)
    with suppress(subprocess.TimeoutExpired):
        launcher.wait(_CLEANUP_SECONDS)
    _signal(launcher, signal.SIGKILL)


def _signal(launcher: subprocess.Popen[bytes], number: int) -> None:
    if launcher.returncode is None:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(launcher.pid, number)


def _read_report(report: bytes, errors: bytes, commands: int) -> SandboxReport:
    """Read the report's lines; the last may be cut short.

    After the first line commands were running. If their results are missing without a failure, one of them ended the launcher.
    """
    lines = report.split(b"\n")[:-1]
    try:
        confinement = decode_json(lines[0], Confinement)
        runs = [decode_json(line, CommandResult) for line in lines[1:]]
    except (msgspec.DecodeError, IndexError) as error:
        last = errors.decode(errors="replace").strip().rpartition("\n")[2]
        raise SandboxError(f"the launcher failed: {last or 'it was killed'}") from error
    if len(runs) < commands and all(run.ended_by == "exit" and not run.code for run in runs):
        runs.append(CommandResult("lost", -signal.SIGKILL, b"", b"", truncated=False, seconds=0.0))
    return SandboxReport(confinement, runs)
