"""Run the code of challenges in a sandbox, with hidden tests, and return its output."""

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
"""Longer error lines are cut in a verdict's reason, in characters."""


class CodeOutput(NamedTuple):
    """Output of a workspace's code."""

    contents: list[tuple[str, str]]
    """Name of each script and its output, which is searched for words."""
    confinement: Confinement


class CodeFault(WorkspaceFault):
    """The workspace's code failed, or ran into a limit of the sandbox."""

    def __init__(self, error_type: str, reason: str, confinement: Confinement) -> None:
        self.confinement = confinement
        super().__init__(error_type, reason)


def has_other_tests(challenge: Challenge, workspace: Path) -> bool:
    """Return whether agbenchmark would run other tests than the hidden ones.

    With pytest it also runs tests that the agent wrote. With scripts it runs the workspace's file if one has the name of a hidden test.
    """
    tests = challenge.hidden_tests()
    if tests is None or challenge.evaluation == "pytest":
        return tests is not None
    return any(_has_different_file(workspace, test) for test in tests.iterdir() if test.is_file())


def _has_different_file(workspace: Path, test: Path) -> bool:
    """Return whether the workspace has a plain file with a test's name and another content."""
    try:
        return read_bytes(workspace / test.name, test.name, MAX_FILE_BYTES) != test.read_bytes()
    except WorkspaceFault as problem:
        return problem.error_type == "file_too_large"


def run_code(
    challenge: Challenge, workspace: Path, options: CheckOptions, *, replace_tests: bool = True
) -> CodeOutput:
    """Run a challenge's scripts, or its tests, in a sandbox on a copy of the workspace.

    By strict rules, no file of the workspace can replace a library.

    Args:
        challenge: The challenge.
        workspace: The folder that the agent worked in.
        options: Rule set and limits.
        replace_tests: Whether hidden tests replace files of the same names. If False, the workspace's files are run instead.

    Raises:
        ChallengeError: The challenge cannot be run here.
        WorkspaceFault: The workspace cannot be used.
        CodeFault: The code failed, or ran into a limit.
    """
    limits, strict = options.artifacts.limits, options.rules == "strict"
    _require_modules(challenge, None if strict else workspace)
    with tempfile.TemporaryDirectory(prefix="fiducial-", ignore_cleanup_errors=True) as folder:
        copy = Path(folder).resolve() / "workspace"
        copy_tree(workspace, copy, limits.disk_bytes // 2)  # the other half is left for what the code writes
        hidden_names = _copy_hidden_tests(challenge, copy, Path(folder, "exam"), replace=replace_tests)
        if not replace_tests:
            hidden_names = []  # the workspace's files are run, and only hidden tests can prove their end
        names = ["pytest"] if challenge.evaluation == "pytest" else choose_files(copy, challenge.files)
        commands = [_command(challenge, copy, name, hidden_names, strict=strict) for name in names]
        if not commands:
            raise WorkspaceFault("missing_file", f"no file to be run: none matches {challenge.files}")
        proofs_needed = [bool(hidden_names) and name in (*hidden_names, "pytest") for name in names]
        exam = (
            Exam(Path(folder, "exam"), proofs_needed, hidden_names if strict else [])
            if hidden_names
            else None
        )
        try:
            report = run_confined(commands, copy, limits, exam)
        except SandboxError as error:
            raise ChallengeError(f"the code cannot be run: {error}") from error
        for name, run, needs_proof in zip(names, report.runs, proofs_needed, strict=False):
            _require_pass(name, run, limits, report.confinement, needs_proof=needs_proof)
    contents = [
        (name, _decode_output(name, run, report.confinement))
        for name, run in zip(names, report.runs, strict=True)
    ]
    return CodeOutput(contents, report.confinement)


def _require_modules(challenge: Challenge, workspace: Path | None) -> None:
    if missing_names := missing_modules(challenge, workspace):
        raise ChallengeError(
            f"the hidden tests import {' and '.join(missing_names)}, neither installed here nor in the challenge's artifacts_out"
        )


def confinement_evidence(confinement: Confinement) -> dict[str, str]:
    """Return the confinement of the code as evidence of a verdict."""
    return msgspec.to_builtins(confinement)


def _copy_hidden_tests(challenge: Challenge, copy: Path, exam: Path, *, replace: bool) -> list[str]:
    """Copy the hidden tests into the workspace's copy and the exam folder; return their names.

    Sandboxed code cannot change the exam folder.
    """
    exam.mkdir()
    tests = challenge.hidden_tests()
    if tests is None:
        return []
    try:
        copy_plain_files(tests, copy, replace=replace)
        names = copy_plain_files(tests, exam)
        # Used if the tests have no configuration, so that pytest does not look for one in the workspace.
        (exam / "fiducial-exam.ini").write_text("[pytest]\n", encoding="utf-8")
    except OSError as error:
        raise ChallengeError(f"the hidden tests cannot be copied: {error}") from error
    return names


def _command(challenge: Challenge, copy: Path, name: str, hidden: list[str], *, strict: bool) -> list[str]:
    """Return the command: that of `exam` for hidden tests or strict rules, else agbenchmark's."""
    standard_names = standard_modules(challenge) if hidden else []
    rules = ":".join(
        ["strict" if strict else "bfcl", ",".join(challenge.solution_modules()), ",".join(standard_names)]
    )
    # With -P, Python leaves the folder off its path until `exam` adds it.
    program = [sys.executable, "-P", "-c", _EXAM.read_text("utf-8"), rules]
    if challenge.evaluation == "pytest":
        if find_spec("pytest") is None:
            raise ChallengeError("the challenge needs pytest, which is not installed")
        if hidden or strict:
            return [*program, "pytest", *_select_test_files(hidden)]
        return [sys.executable, "-m", "pytest"]
    locate(copy, name)
    if strict or name in hidden:
        return [*program, "script", name]
    # Python would read a name with a leading hyphen as an option.
    return [sys.executable, f"./{name}" if name.startswith("-") else name]


def _select_test_files(hidden: list[str]) -> list[str]:
    """Return the files that pytest would find by name, or all modules if there are none."""
    modules = [name for name in hidden if name.endswith(".py") and name != "conftest.py"]
    return [name for name in modules if name.startswith("test_") or name.endswith("_test.py")] or modules


def _require_pass(
    name: str, run: CommandResult, limits: Limits, confinement: Confinement, *, needs_proof: bool
) -> None:
    """Raise an error if a script failed, or did not prove that the hidden test ran to its end.

    A script failed if its exit code is not 0 or, as in agbenchmark, if its error output contains ``error``.
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
    elif needs_proof and not run.proven:
        problem = "script_failed", "it ended before the hidden test did"
    if problem is not None:
        raise CodeFault(problem[0], f"{printable_name(name)}: {problem[1]}", confinement)


def _last_error_line(run: CommandResult) -> str:
    last_line = run.err.decode(errors="replace").strip().rpartition("\n")[2].strip()
    return f": {last_line[:_MAX_ERROR_LENGTH]}" if last_line else ""


def _decode_output(name: str, run: CommandResult, confinement: Confinement) -> str:
    try:
        text = run.out.decode("utf-8")
    except UnicodeDecodeError as error:
        if not run.truncated:
            raise CodeFault(
                "not_utf8", f"{printable_name(name)}: its output is not UTF-8", confinement
            ) from error
        text = run.out.decode("utf-8", "replace")  # the limit may have split a character
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    return f"Output: {text}\n"  # as agbenchmark writes it, so words are found in the same text
