"""Challenges graded by running code: copy the hidden tests in, run, and score the output."""

from __future__ import annotations

import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

import msgspec

from ..options import CheckOptions
from ..sandbox.limits import Limits
from ..sandbox.running import CommandResult, Confinement, Exam, SandboxError, run_confined
from .challenge import Challenge, ChallengeError
from .copying import copy_plain_files, copy_tree
from .needed_modules import missing_modules, standard_modules
from .workspace_files import MAX_FILE_BYTES, WorkspaceFault, choose_files, locate, printable_name, read_bytes

_EXAM = Path(__file__).with_name("exam.py")
_MAX_ERROR_LENGTH = 200


class CodeOutput(NamedTuple):
    """Output of each file, in which words are searched, and the confinement of the code."""

    contents: list[tuple[str, str]]
    confinement: Confinement


class CodeFault(WorkspaceFault):
    """The code failed."""

    def __init__(self, error_type: str, reason: str, confinement: Confinement) -> None:
        self.confinement = confinement
        super().__init__(error_type, reason)


def holds_other_tests(challenge: Challenge, workspace: Path) -> bool:
    """Return whether agbenchmark would run other tests than the hidden ones.

    pytest also runs the agent's tests; for scripts, the workspace may have a different file of the same name.
    """
    tests = challenge.hidden_tests()
    if tests is None or challenge.evaluation == "pytest":
        return tests is not None
    return any(_holds_another(workspace, test) for test in tests.iterdir() if test.is_file())


def _holds_another(workspace: Path, test: Path) -> bool:
    """Return whether the workspace has a different plain file with a test's name."""
    try:
        return read_bytes(workspace / test.name, test.name, MAX_FILE_BYTES) != test.read_bytes()
    except WorkspaceFault as problem:
        return problem.error_type == "file_too_large"


def run_code(
    challenge: Challenge, workspace: Path, options: CheckOptions, *, replace_tests: bool = True
) -> CodeOutput:
    """Run a challenge's scripts, or its tests, in a sandbox, on a copy of the workspace.

    By strict rules, no file of the workspace can replace a library. Without ``replace_tests``, files of the workspace are kept instead of
    the hidden tests of the same names.

    Raises:
        ChallengeError: The challenge cannot be run here.
        WorkspaceFault: The workspace cannot be used.
        CodeFault: The code failed, or ran into a limit.
    """
    limits, strict = options.artifacts.limits, options.rules == "strict"
    _require_modules(challenge, None if strict else workspace)
    with tempfile.TemporaryDirectory(prefix="fiducial-", ignore_cleanup_errors=True) as folder:
        copy = Path(folder).resolve() / "workspace"
        copy_tree(workspace, copy, limits.disk_bytes // 2)
        hidden = _copy_hidden_tests(challenge, copy, Path(folder, "exam"), replace=replace_tests)
        if not replace_tests:
            hidden = []
        names = ["pytest"] if challenge.evaluation == "pytest" else choose_files(copy, challenge.files)
        commands = [_command(challenge, copy, name, hidden, strict=strict) for name in names]
        if not commands:
            raise WorkspaceFault("missing_file", f"no file to be run: none matches {challenge.files}")
        proven = [bool(hidden) and name in (*hidden, "pytest") for name in names]
        exam = Exam(Path(folder, "exam"), proven, hidden if strict else []) if hidden else None
        try:
            report = run_confined(commands, copy, limits, exam)
        except SandboxError as error:
            raise ChallengeError(f"the code cannot be run: {error}") from error
        for name, run, prove in zip(names, report.runs, proven, strict=False):
            _require_pass(name, run, limits, report.confinement, prove=prove)
    contents = [
        (name, _printed(name, run, report.confinement)) for name, run in zip(names, report.runs, strict=True)
    ]
    return CodeOutput(contents, report.confinement)


def _require_modules(challenge: Challenge, workspace: Path | None) -> None:
    """Refuse a challenge whose hidden tests import what is missing here."""
    if missing := missing_modules(challenge, workspace):
        raise ChallengeError(
            f"the hidden tests import {' and '.join(missing)}, neither installed here nor in the challenge's artifacts_out"
        )


def confinement_evidence(confinement: Confinement) -> dict[str, str]:
    """Return the confinement of the code, for a verdict's evidence."""
    return msgspec.to_builtins(confinement)


def _copy_hidden_tests(challenge: Challenge, copy: Path, exam: Path, *, replace: bool) -> list[str]:
    """Copy the hidden tests into the workspace's copy and the exam folder; return their names.

    The code in the copy cannot change the exam folder.
    """
    exam.mkdir()
    tests = challenge.hidden_tests()
    if tests is None:
        return []
    try:
        copy_plain_files(tests, copy, replace=replace)
        names = copy_plain_files(tests, exam)
        (exam / "fiducial-exam.ini").write_text("[pytest]\n", encoding="utf-8")
    except OSError as error:
        raise ChallengeError(f"the hidden tests cannot be copied: {error}") from error
    return names


def _command(challenge: Challenge, copy: Path, name: str, hidden: list[str], *, strict: bool) -> list[str]:
    """Return agbenchmark's command, or that of `exam` for hidden tests or strict rules."""
    used = standard_modules(challenge) if hidden else []
    rules = ":".join(["strict" if strict else "bfcl", ",".join(challenge.solution_modules()), ",".join(used)])
    program = [sys.executable, "-P", "-c", _EXAM.read_text("utf-8"), rules]
    if challenge.evaluation == "pytest":
        if find_spec("pytest") is None:
            raise ChallengeError("the challenge needs pytest, which is not installed")
        if hidden or strict:
            return [*program, "pytest", *_tests_among(hidden)]
        return [sys.executable, "-m", "pytest"]
    locate(copy, name)
    if strict or name in hidden:
        return [*program, "script", name]
    return [sys.executable, f"./{name}" if name.startswith("-") else name]


def _tests_among(hidden: list[str]) -> list[str]:
    """Return the files that pytest would find; if no name matches, every module."""
    modules = [name for name in hidden if name.endswith(".py") and name != "conftest.py"]
    return [name for name in modules if name.startswith("test_") or name.endswith("_test.py")] or modules


def _require_pass(
    name: str, run: CommandResult, limits: Limits, confinement: Confinement, *, prove: bool
) -> None:
    """Raise an error if a script failed, or did not prove that the hidden test ran to its end.

    It failed if its exit code says so or, as in agbenchmark, if its error output contains ``error``.
    """
    problem: tuple[str, str] | None = None
    if run.ended_by == "time":
        problem = "timeout", f"not done after {limits.wall_seconds:g} s"
    elif run.out_of_time:
        problem = "timeout", f"not done after {limits.cpu_seconds} s of processor time"
    elif run.ended_by in {"memory", "processes"}:
        problem = f"{run.ended_by}_limit", f"ran into the limit on {run.ended_by}"
    elif run.ended_by == "lost":
        problem = "script_failed", "it ended the process that watched over it"
    elif run.code:
        problem = "script_failed", f"exit code {run.code}{_last_error_line(run)}"
    elif b"error" in run.err:
        problem = "script_failed", f"'error' on its error output{_last_error_line(run)}"
    elif prove and not run.proven:
        problem = "script_failed", "it ended before the hidden test did"
    if problem is not None:
        raise CodeFault(problem[0], f"{printable_name(name)}: {problem[1]}", confinement)


def _last_error_line(run: CommandResult) -> str:
    last = run.err.decode(errors="replace").strip().rpartition("\n")[2].strip()
    return f": {last[:_MAX_ERROR_LENGTH]}" if last else ""


def _printed(name: str, run: CommandResult, confinement: Confinement) -> str:
    try:
        text = run.out.decode("utf-8")
    except UnicodeDecodeError as error:
        if not run.truncated:
            raise CodeFault(
                "not_utf8", f"{printable_name(name)}: its output is not UTF-8", confinement
            ) from error
        text = run.out.decode("utf-8", "replace")  # the limit may have split a character
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    return f"Output: {text}\n"
