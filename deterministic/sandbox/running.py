"""Start the launcher, hand it an order and read its report.

This side of the sandbox survives whatever happens in it.
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

from .installation import own_packages_only, python_folders
from .limits import Limits
from .memory_group import MemoryGroup, make_group

_BOOT = (
    "import sys, types; package = types.ModuleType('sandbox'); package.__path__ = [sys.argv[1]]; "
    "sys.modules['sandbox'] = package; from sandbox.launcher import main; main()"
)
"""Makes a package of this folder without importing the product, which the launcher needs nothing of."""

_GRACE = 20.0
"""Seconds beyond all limits until a launcher that says nothing is taken for dead."""

_LAST_WORK = 5.0
"""Seconds that a launcher without a namespace gets to end what its commands have started."""


class SandboxError(Exception):
    """The launcher could not do its work; nothing is known of the command."""


class CommandResult(msgspec.Struct, frozen=True):
    """Result of one command.

    Attributes:
        by: ``exit``, or the limit that ended it: ``time``, ``memory``, ``processes``; ``start`` when it could not be started;
            ``lost`` when it ended the launcher, which watched it.
        code: Its exit code; negative for a signal.
        out: Its output, or the part that is kept.
        err: Its error output, or the part that is kept.
        cut: Whether some of either was dropped.
        seconds: How long it took.
        proven: Whether it came to the end that it was to prove.
    """

    by: str
    code: int
    out: bytes
    err: bytes
    cut: bool
    seconds: float
    proven: bool = False

    @property
    def ended_well(self) -> bool:
        """True if the command ended, without being stopped, with exit code 0."""
        return self.by == "exit" and not self.code

    @property
    def out_of_time(self) -> bool:
        """True if the command hit the limit on time or processor time."""
        return self.by == "time" or self.code == -signal.SIGXCPU


class Confinement(msgspec.Struct, frozen=True):
    """Confinement of commands that the platform allowed.

    Attributes:
        files: ``private root`` (they see only their workspace and programs), ``writes confined`` or ``not confined``.
        network: ``none`` (a loopback interface of its own), ``no sockets``, ``no TCP`` or ``not denied``.
        processes: ``own namespace``, or ``adopted``: ended one by one; ``adopted, others in reach`` if code can end other processes
            of its user.
        calls: ``filtered``, or ``not filtered``: system calls that pass limits are not denied.
        memory: ``accounted`` by the kernel, all of it; or ``watched``, process by process.
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
        proven: For each command, whether it is to prove that it ran them to their end.
        fixed: Files of the commands' folder that they cannot change, if the platform can do that.
    """

    folder: Path
    proven: list[bool]
    fixed: list[str]


def run_confined(
    commands: Sequence[Sequence[str]], source: Path, limits: Limits, exam: Exam | None = None
) -> SandboxReport:
    """Run commands in sequence in a copy of a folder, confined as the platform allows.

    Args:
        commands: The commands; the second runs when the first ended with exit code 0.
        source: A folder of plain files and folders; not changed.
        limits: What each command may use.
        exam: Hidden tests; a command that is to prove something finds on its standard input where they are.

    Raises:
        SandboxError: The launcher failed.
    """
    with tempfile.TemporaryDirectory(prefix="fiducial-", ignore_cleanup_errors=True) as folder:
        scratch = Path(folder, "root")
        scratch.mkdir()
        environment = {
            "PATH": os.pathsep.join([str(Path(sys.executable).parent), "/usr/local/bin", os.defpath]),
            "LANG": "C.UTF-8",
            **own_packages_only(),
        }
        group = make_group(Path(folder).name, limits.memory_bytes)
        try:
            report = _launch(commands, source, scratch, environment, limits, exam=exam, group=group)
            return report if group is None else _with_full_memory(report, group)
        finally:
            if group is not None:
                group.remove()


class Reins:
    """Handle to end commands that other threads wait for, all at once."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._processes: set[subprocess.Popen[bytes]] = set()
        self._over = False

    @contextmanager
    def holding(self, launcher: subprocess.Popen[bytes]) -> Generator[None]:
        """Hold a command's launcher; end it at once if all were to be ended."""
        with self._lock:
            self._processes.add(launcher)
            if self._over:
                _end(launcher)
        try:
            yield
        finally:
            with self._lock:
                self._processes.discard(launcher)

    def tell_all(self) -> None:
        """Ask them to end, and any still to be started, without waiting."""
        with self._lock:
            self._over = True
            for launcher in self._processes:
                _tell(launcher, signal.SIGTERM)

    def end_all(self) -> None:
        """End them, and any still to be started."""
        self.tell_all()
        with self._lock:
            for launcher in self._processes:
                _end(launcher)


def run_trusted(
    command: Sequence[str],
    workspace: Path,
    environment: Mapping[str, str],
    limits: Limits,
    reins: Reins | None = None,
) -> CommandResult:
    """Run a command that the user trusts, in a folder; nothing it started is left behind.

    Args:
        command: The command.
        workspace: The folder that it runs in.
        environment: All of its environment.
        limits: Only time, memory of all its processes, their number and the output kept are bounded.
        reins: Can end it before.

    Raises:
        SandboxError: The launcher failed.
    """
    return _launch([command], workspace, None, environment, limits, reins=reins).runs[0]


def _launch(
    commands: Sequence[Sequence[str]],
    source: Path,
    scratch: Path | None,
    environment: Mapping[str, str],
    limits: Limits,
    *,
    exam: Exam | None = None,
    group: MemoryGroup | None = None,
    reins: Reins | None = None,
) -> SandboxReport:
    order: dict[str, object] = {
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
        order |= {"exam": str(exam.folder.resolve()), "proven": exam.proven, "fixed": exam.fixed}
    launcher = subprocess.Popen(  # noqa: S603 - our own interpreter and launcher
        [sys.executable, "-I", "-S", "-c", _BOOT, str(Path(__file__).parent)],
        cwd="/",
        env={},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    with launcher, nullcontext() if reins is None else reins.holding(launcher):
        try:
            patience = limits.wall_seconds * len(commands) + _GRACE
            report, complaint = launcher.communicate(json.dumps(order).encode(), timeout=patience)
        except subprocess.TimeoutExpired as error:
            report, complaint = error.output or b"", b"it did not answer in time"
        finally:
            _end(launcher)
    return _read_report(report, complaint, len(commands))


def _with_full_memory(report: SandboxReport, group: MemoryGroup) -> SandboxReport:
    """Return the report, with the memory limit as cause of a failure if the kernel says so.

    That concerns the command that failed, if one did.
    """
    if not report.runs or report.runs[-1].by != "exit" or not report.runs[-1].code or not group.was_full():
        return report
    *before, last = report.runs
    return msgspec.structs.replace(report, runs=[*before, msgspec.structs.replace(last, by="memory")])


def _end(launcher: subprocess.Popen[bytes]) -> None:
    """End the launcher and its session.

    Its children end with it: by the kernel, or by the launcher if it has no namespace.
    """
    _tell(launcher, signal.SIGTERM)
    with suppress(subprocess.TimeoutExpired):
        launcher.wait(_LAST_WORK)
    _tell(launcher, signal.SIGKILL)


def _tell(launcher: subprocess.Popen[bytes], number: int) -> None:
    if launcher.returncode is None:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(launcher.pid, number)


def _read_report(report: bytes, complaint: bytes, commands: int) -> SandboxReport:
    """Read the report's lines; the last may be cut short.

    Once the first line is there commands were running: if no other is to blame, the launcher was ended by one of them.
    """
    lines = report.split(b"\n")[:-1]
    try:
        confinement = msgspec.json.decode(lines[0], type=Confinement)
        runs = [msgspec.json.decode(line, type=CommandResult) for line in lines[1:]]
    except (msgspec.DecodeError, IndexError) as error:
        last = complaint.decode(errors="replace").strip().rpartition("\n")[2]
        raise SandboxError(f"the launcher failed: {last or 'it was killed'}") from error
    if len(runs) < commands and all(run.by == "exit" and not run.code for run in runs):
        runs.append(CommandResult("lost", -signal.SIGKILL, b"", b"", cut=False, seconds=0.0))
    return SandboxReport(confinement, runs)
