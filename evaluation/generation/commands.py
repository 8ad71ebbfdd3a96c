"""Commands as agents: the case on standard input as JSON, the output on standard output."""

from __future__ import annotations

import shlex
import shutil
import tempfile
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from ...deterministic.sandbox.limits import Limits
from ...deterministic.sandbox.running import CommandResult, SandboxError, Stopper, run_trusted
from ...errors import AgentSetupError, ConfigurationError, UsageError
from ...records import Case
from ...records.explanations import nearest
from ...records.json_text import encode_json
from ...spelling import setting
from .code.code_files import INTERPRETER
from .printed_answer import MAX_OUTPUT, TOO_MUCH, printed_start, read_answer

_UNBOUNDED = 1 << 50
"""Limit that no agent reaches: the user trusts the agent, and only its time and output are limited."""
_SCRIPT_SUFFIXES = (".py", ".js", ".mjs", ".cjs", ".ts", ".sh", ".rb", ".pl", ".php")
_RUN_WORDS = frozenset({"run", "exec"})
"""Words between `uv`, `poetry` or `bun` and the program that they run."""
_NOT_STARTED = {126, 127}
"""Exit codes of a shell whose program cannot be started, or does not exist."""
_RUN_WITH_CASE = 'exec "$0" "$@" < "$FIDUCIAL_CASE"'
"""Shell script that runs its arguments, from ``$0`` on, as a command with the case on standard input."""


class _Attempt(NamedTuple):
    """Folder of one attempt, and the means to end its processes."""

    folder: str
    stopper: Stopper


class CommandAgent:
    """Command started once per attempt, with the user's rights; its child processes end with it.

    Args:
        command: Its words.
        environment: Its environment variables, to which those of the attempt are added.
        seconds: Time limit of one attempt.
    """

    def __init__(self, command: Sequence[str], environment: Mapping[str, str], *, seconds: float) -> None:
        self._command = list(command)
        self._environment = environment
        self._seconds = seconds
        self._running = set[Stopper]()
        self._ended = False

    @contextmanager
    def _attempt(self) -> Generator[_Attempt]:
        """Make a folder for one attempt, and end its command when the block ends.

        Raises:
            ConfigurationError: The folder cannot be made or filled, which is not the agent's failure.
        """
        stopper = Stopper()
        self._running.add(stopper)
        if self._ended:  # an attempt that began while all were being ended
            stopper.stop()
        try:
            with tempfile.TemporaryDirectory(prefix="fiducial-") as folder:
                yield _Attempt(folder, stopper)
        except OSError as error:
            raise ConfigurationError(f"the agent cannot be run: {error}") from error
        finally:
            stopper.stop()
            self._running.discard(stopper)

    def _run(self, script: str, stopper: Stopper, trial: int, **variables: str) -> CommandResult:
        """Run the command in a shell script that redirects its streams.

        Raises:
            AgentSetupError: The command cannot be started.
            ConfigurationError: The process cannot be run, which is not the agent's failure.
        """
        environment = {**self._environment, **variables, "FIDUCIAL_TRIAL": str(trial)}
        limits = Limits(
            wall_seconds=self._seconds,
            memory_bytes=_UNBOUNDED,
            processes=_UNBOUNDED,
            output_bytes=MAX_OUTPUT,
        )
        try:
            run = run_trusted(
                ["/bin/sh", "-c", script, *self._command], Path.cwd(), environment, limits, stopper
            )
        except SandboxError as error:
            raise ConfigurationError(f"the agent cannot be run: {error}") from error
        if run.ended_by == "start":
            raise AgentSetupError(f"the agent cannot be started: {run.err.decode(errors='replace')}")
        if run.ended_by == "exit" and run.code in _NOT_STARTED:
            raise AgentSetupError(f"the agent cannot be started: {_exit_text(run)}")
        return run

    def _failure(self, run: CommandResult) -> dict[str, Any] | None:
        """Return the failure of a run, or None if it ended well."""
        if run.ended_well:
            return None
        if run.ended_by == "exit":
            return {"error": _exit_text(run)}
        return {
            "error": f"no answer within {self._seconds:g} s"
            if run.ended_by == "time"
            else f"ended by {run.ended_by}"
        }

    def end(self) -> None:
        """End all running commands, and each that starts later."""
        self._ended = True
        stoppers = [*self._running]
        for stopper in stoppers:  # all at once, so that their grace periods run at the same time
            stopper.request_stop()
        for stopper in stoppers:
            stopper.stop()


class AnsweringCommand(CommandAgent):
    """A command that is given a case and prints its answer, as a function for `CallableAgent`.

    It gets the task of a case without the grading facts. Printing anything but an output is a failure of the system.
    """

    def __call__(self, case: Case, trial: int) -> Any:
        """Return the command's printed answer, or its failure."""
        with self._attempt() as (folder, stopper):
            case_file = Path(folder, "case.json")
            case_file.write_bytes(encode_json(case_for_agent(case)))
            run = self._run(_RUN_WITH_CASE, stopper, trial, FIDUCIAL_CASE=str(case_file))
        failure = self._failure(run) or (TOO_MUCH if run.truncated else None)
        return failure or read_answer(run.out, case)


def case_for_agent(case: Case) -> dict[str, Any]:
    """Return a case as sent to an agent in another process, without grading facts."""
    return {name: getattr(case, name) for name in ("id", "kind", "messages", "tools", "context")}


def command_words(command: str) -> list[str]:
    """Split a command into words, and check that its program and script exist.

    Raises:
        UsageError: It has no words, or its program or script does not exist.
    """
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise UsageError(f"{setting('agent')}: {error}: {command!r}") from error
    if not words or shutil.which(words[0]) is None:
        raise UsageError(f"{setting('agent')}: {_no_command(words[0] if words else command)}")
    script = _script_of(words)
    if script is not None and not script.exists():
        neighbours = [str(script.with_name(path.name)) for path in script.parent.glob(f"*{script.suffix}")]
        hint = nearest(str(script), neighbours) or "; name it by its path from that folder"
        raise UsageError(f"{setting('agent')}: no such file: {str(script)!r} in {Path.cwd()}{hint}")
    return words


def require_no_placeholders(words: Sequence[str]) -> None:
    """Refuse ``{task}`` and ``{workspace}``, which only runs in workspaces fill in.

    Raises:
        UsageError: A word is one of these placeholders.
    """
    placeholder = next((word for word in words if word in {"{task}", "{workspace}"}), None)
    if placeholder is not None:
        raise UsageError(
            f"{setting('agent')}: {placeholder} is filled in by `fiducial artifacts run`; here the command reads the case as JSON on its standard input"
        )


def require_absolute_script(words: Sequence[str]) -> None:
    """Refuse a script named by a relative path if the command starts in a workspace.

    Raises:
        UsageError: The script would not be found there.
    """
    script = _script_of(words)
    if script is not None and not script.is_absolute() and not any("{workspace}" in word for word in words):
        raise UsageError(
            f"{setting('agent')}: without {{workspace}} the command starts in the workspace, where {str(script)!r} is not; name it {shlex.quote(str(script.absolute()))}"
        )


def _no_command(word: str) -> str:
    """Return why a program cannot be started, and what to type if it is a file here."""
    if not Path(word).is_file():
        return f"no such command: {word!r}; name a program on PATH, or a path from {Path.cwd()}"
    program = "python" if word.endswith(".py") else "PROGRAM"
    return f"{word!r} is no command: type '{program} {word}', or make it executable and type its path"


def _script_of(words: Sequence[str]) -> Path | None:
    """Return the script that an interpreter runs, or None if the words do not show one."""
    for word in words:
        if "=" in word or "{" in word:
            return None
        # The first word is the program, whose existence `command_words` checks by itself.
        if word.endswith(_SCRIPT_SUFFIXES) and word != words[0]:
            return Path(word)
        if not (word.startswith("-") or word in _RUN_WORDS or INTERPRETER.fullmatch(Path(word).name)):
            return None  # the word of another program, or the value of an option
    return None


def _exit_text(run: CommandResult) -> str:
    line = printed_start(run.err.strip().rpartition(b"\n")[2])
    return f"exit code {run.code}: {line}" if line else f"exit code {run.code}, no error text"
