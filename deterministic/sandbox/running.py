"""Run commands in a sandbox: start the launcher as a separate process, and read its report.

Whatever happens in the sandbox, this process stays intact.
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
"""Program of the launcher. It makes a package of this folder alone, since importing all of fiducial would take longer."""

_GRACE_SECONDS = 20.0
"""Time in addition to the commands' limits after which a silent launcher counts as dead."""

_CLEANUP_SECONDS = 5.0
"""Time for a launcher without a process namespace to end the processes that its commands started."""


class SandboxError(Exception):
    """The launcher failed, so nothing is known about the command."""


class CommandResult(msgspec.Struct, frozen=True):
    """Result of one command.

    Attributes:
        ended_by: ``exit``, or the limit that ended it: ``time``, ``memory``, ``processes``; ``start`` if it could not be started;
            ``lost`` if it killed the launcher, which supervised it.
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
        """True if the command hit the limit on elapsed time or on processor time."""
        return self.ended_by == "time" or self.code == -signal.SIGXCPU


class Confinement(msgspec.Struct, frozen=True):
    """Confinement that the platform provided.

    Attributes:
        files: ``private root`` (commands see only their workspace and the system's programs), ``writes confined`` (they read all
            files, and change only their own) or ``not confined``.
        network: ``none`` (only a private loopback interface), ``no sockets``, ``no TCP`` or ``not denied``.
        processes: ``own namespace``; ``adopted`` if the launcher has to find and end them one by one; ``adopted, others in reach``
            if code can also end other processes of its user.
        calls: ``filtered``, or ``not filtered`` if system calls that evade limits are not denied.
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
        folder: Their folder, which the commands can read but not change.
        proven: For each command, whether it must prove that it ran the tests to their end.
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
        commands: The commands; each runs only if the previous one ended with exit code 0.
        source: A folder of plain files and folders; it is not changed.
        limits: Limits on each command.
        exam: Hidden tests, or None; a command that must prove that it ran them gets their folder on standard input.

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
        """Register a launcher while the block runs, and end it if a stop was requested."""
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
        """Ask all commands to end, also those that start later, without waiting."""
        with self._lock:
            self._stopped = True
            for launcher in self._processes:
                _signal(launcher, signal.SIGTERM)

    def stop(self) -> None:
        """End all commands, also those that start later, and wait for their end."""
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
    """Run a command that the user trusts, unconfined, and end all processes that it started.

    Args:
        command: The command.
        workspace: The folder that it runs in.
        environment: Its whole environment.
        limits: Limits; only those on time, memory of all its processes, their number and the output kept are applied.
        stopper: Handle with which another thread can stop the command early.

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
    # -I and -S isolate it from environment, working folder and site packages.
    launcher = subprocess.Popen(  # noqa: S603 - our own interpreter and launcher
        [sys.executable, "-I", "-S", "-c", _BOOT, str(Path(__file__).parent)],
        cwd="/",
        env={},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        # A process group of its own, which `_signal` reaches as a whole.
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
    *earlier_runs, last_run = report.runs or [None]
    if last_run is None or last_run.ended_by != "exit" or not last_run.code or not group.was_full():
        return report
    return msgspec.structs.replace(
        report, runs=[*earlier_runs, msgspec.structs.replace(last_run, ended_by="memory")]
    )


def _end(launcher: subprocess.Popen[bytes]) -> None:
    """End the launcher, first by a request, then by force.

    With the launcher, the kernel ends the processes of its namespace. Without a namespace, the launcher ends them on request.
    """
    _signal(launcher, signal.SIGTERM)
    with suppress(subprocess.TimeoutExpired):
        launcher.wait(_CLEANUP_SECONDS)
    _signal(launcher, signal.SIGKILL)


def _signal(launcher: subprocess.Popen[bytes], number: int) -> None:
    if launcher.returncode is None:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(launcher.pid, number)


def _read_report(report: bytes, errors: bytes, command_count: int) -> SandboxReport:
    """Decode the launcher's report.

    After its first line commands were running. If results are missing although no command failed, a command killed the launcher.

    Raises:
        SandboxError: There is no report.
    """
    lines = report.split(b"\n")[:-1]  # the last line is empty, or incomplete
    try:
        confinement = decode_json(lines[0], Confinement)
        runs = [decode_json(line, CommandResult) for line in lines[1:]]
    except (msgspec.DecodeError, IndexError) as error:
        last_line = errors.decode(errors="replace").strip().rpartition("\n")[2]
        raise SandboxError(f"the launcher failed: {last_line or 'it was killed'}") from error
    if len(runs) < command_count and all(run.ended_by == "exit" and not run.code for run in runs):
        runs.append(CommandResult("lost", -signal.SIGKILL, b"", b"", truncated=False, seconds=0.0))
    return SandboxReport(confinement, runs)
