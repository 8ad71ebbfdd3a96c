"""An agent that is a command: a case as JSON on its standard input, an output as JSON on its standard output."""

from __future__ import annotations

import asyncio
import shlex
import shutil
import tempfile
from collections.abc import Mapping, Sequence
from concurrent.futures import Executor
from pathlib import Path
from typing import Any

import msgspec

from ...deterministic.sandbox.limits import Limits
from ...deterministic.sandbox.running import Reins, Run, SandboxError, run_agent
from ...errors import ConfigurationError, RecordError, UsageError
from ...records import Case
from .attempt import Attempt, Made, Took
from .own_agents import answer_fields, output_of

MOST_OUTPUT = 16 * 1024 * 1024
"""Bytes that a command may print; the rest is read and dropped."""

_UNBOUNDED = 1 << 50
_SHOWN = 200
_READ_CASE = 'exec "$0" "$@" < "$FIDUCIAL_CASE"'


class CommandAgent:
    """A command of the user's, started once for each attempt, with the user's rights; whatever it starts ends with it.

    It is told of a case what is to be done, and not how it is graded.

    Args:
        command: Its words.
        environment: All of its environment; ``FIDUCIAL_CASE`` and ``FIDUCIAL_TRIAL`` are added.
        system: What it is called in outputs.
        seconds: How long it may take, each time.
        threads: Where it is waited for.
        reins: Can end it before.
    """

    def __init__(
        self,
        command: Sequence[str],
        environment: Mapping[str, str],
        *,
        system: str,
        seconds: float,
        threads: Executor,
        reins: Reins,
    ) -> None:
        self.system = system
        self.took = Took()
        self._command = list(command)
        self._environment = environment
        self._seconds = seconds
        self._threads = threads
        self._reins = reins

    async def work(self, case: Case, trial: int) -> Made:
        """See `Agent.work`. Whatever the command does but print an output is the system's own failure.

        Raises:
            ConfigurationError: The command cannot be started.
        """
        run = await asyncio.get_running_loop().run_in_executor(self._threads, self._run, case, trial)
        attempt = Attempt(case=case)
        try:
            output = output_of(self._answer(run), attempt, self.system, trial, turned=False)
        except (RecordError, UsageError) as error:
            fields = {"error": f"it printed what is no output: {error}"}
            output = output_of(fields, attempt, self.system, trial, turned=False)
        return Made(output, attempt)

    def _run(self, case: Case, trial: int) -> Run:
        with tempfile.TemporaryDirectory(prefix="fiducial-") as folder:
            file = Path(folder, "case.json")
            file.write_bytes(msgspec.json.encode(told_of(case)))
            environment = {**self._environment, "FIDUCIAL_CASE": str(file), "FIDUCIAL_TRIAL": str(trial)}
            return started(_READ_CASE, self._command, environment, self._seconds, self._reins)

    def _answer(self, run: Run) -> Any:
        """What it printed, or how it failed."""
        if not run.ended_well:
            return {"error": ended_by(run, self._seconds)}
        if run.cut:
            return {"error": f"it printed more than {MOST_OUTPUT >> 20} MiB"}
        try:
            answer = msgspec.json.decode(run.out)
        except msgspec.DecodeError:
            return {"error": f"it printed what is no JSON: {shown(run.out)}"}
        if answer_fields(answer) is None:
            return {"error": f"it printed what is no output: {shown(run.out)}"}
        return answer


def started(
    script: str, command: Sequence[str], environment: Mapping[str, str], seconds: float, reins: Reins
) -> Run:
    """Run a command of the user's, by a shell that lays its streams.

    Raises:
        ConfigurationError: It cannot be started.
    """
    limits = Limits(
        wall_seconds=seconds, memory_bytes=_UNBOUNDED, processes=_UNBOUNDED, output_bytes=MOST_OUTPUT
    )
    try:
        run = run_agent(["/bin/sh", "-c", script, *command], Path.cwd(), environment, limits, reins)
    except SandboxError as error:
        raise ConfigurationError(f"the agent cannot be run: {error}") from error
    if run.by == "start":
        raise ConfigurationError(f"the agent cannot be started: {run.err.decode(errors='replace')}")
    return run


def ended_by(run: Run, seconds: float) -> str:
    """How a command failed that did not end well."""
    if run.by == "exit":
        return f"exit code {run.code}: {_last_line(run.err)}"
    return f"no answer within {seconds:g} s" if run.by == "time" else f"ended by {run.by}"


def told_of(case: Case) -> dict[str, Any]:
    """What an agent in another process is told of a case: nothing of how it is graded."""
    return {
        "id": case.id,
        "kind": case.kind,
        "messages": case.messages,
        "tools": case.tools,
        "context": case.context,
    }


def command_words(command: str) -> list[str]:
    """The words of a command that can be started.

    Raises:
        UsageError: It is none, or there is no such program.
    """
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise UsageError(f"--agent: {error}: {command!r}") from error
    if not words or shutil.which(words[0]) is None:
        raise UsageError(f"--agent: no such command: {words[0] if words else command!r}")
    return words


def _last_line(raw: bytes) -> str:
    return shown(raw.strip().rpartition(b"\n")[2]) or "it said nothing"


def shown(raw: bytes) -> str:
    """The beginning of what a command printed, on one line."""
    return " ".join(raw[:_SHOWN].decode("utf-8", "replace").split())
