"""Runs of one agent on a series of challenges.

Each challenge has its time limit (cutoff), and each result is saved at once.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import product
from pathlib import Path

import msgspec

from ...deterministic.artifacts.challenge import challenge_of
from ...deterministic.artifacts.copying import copy_plain_files
from ...deterministic.sandbox.limits import Limits
from ...deterministic.sandbox.running import CommandResult, SandboxError, run_trusted
from ...errors import InputError
from ...records import Case, Output, message_text
from ...records.case import Record
from ..progress import Progress
from ..store.journal import Journal
from .workspaces import OUTPUTS, lay_out, workspace_of, workspace_output

RUNS, LOGS = "runs.jsonl", "logs"
"""File with the records of runs, and folder with what the agent printed."""

DEFAULT_CUTOFF = 60.0
"""Time limit of a challenge whose cutoff is 0 or missing, in seconds, as in agbenchmark."""

_PLACEHOLDER = re.compile(r"\{(task|workspace)\}")
_UNBOUNDED = 1 << 50
"""Limit that no agent reaches, in bytes or processes: the user trusts it, and only its time is limited."""


class AgentPlan(msgspec.Struct, frozen=True, kw_only=True):
    """Settings for running an agent.

    Attributes:
        command: Its command line; ``{task}`` and ``{workspace}`` are filled in. None for a mock run: the challenges' own solutions.
        system: Its name in outputs and verdicts.
        environment: Its whole environment; nothing is inherited.
        cutoff: Time limit for every challenge, in seconds, or None for each challenge's own.
        trials: Attempts at each challenge.
    """

    command: Sequence[str] | None
    system: str
    environment: Mapping[str, str] = {}
    cutoff: float | None = None
    trials: int = 1


class AgentRun(Record, frozen=True, kw_only=True):
    """Record of one agent run on one challenge; a line of ``runs.jsonl``.

    Attributes:
        case_id: The challenge.
        trial: Number of the attempt.
        seconds: Duration.
        exit_code: Exit code; negative for a signal.
        reached_cutoff: Whether it was stopped at its cutoff.
    """

    case_id: str
    trial: int = 0
    seconds: float
    exit_code: int
    reached_cutoff: bool


def run_agents(cases: Iterable[Case], out: Path, plan: AgentPlan, progress: Progress) -> None:
    """Run an agent for each planned attempt at a challenge that has no output yet.

    Workspaces, outputs, runs and logs go to the folder ``out``.

    A challenge counts as done when its line in ``outputs.jsonl`` is written: work that a kill interrupted is repeated from the start.

    Raises:
        InputError: A case is not a challenge, or the agent cannot be started.
    """
    (out / LOGS).mkdir(parents=True, exist_ok=True)
    with Journal(out / OUTPUTS, Output) as outputs, Journal(out / RUNS, AgentRun) as runs:
        done = {(output.case_id, output.trial) for output in outputs}
        for case, trial in product(cases, range(plan.trials)):
            if (case.id, trial) not in done:
                workspace = workspace_of(case, out, trial)
                lay_out(case, workspace, solved=plan.command is None)
                if plan.command is not None:
                    runs.append(_run_one(case, trial, workspace, plan, out / LOGS))
                    runs.flush()
                outputs.append(workspace_output(case, out, plan.system, trial))
                outputs.flush()
            progress.advance()


def _run_one(case: Case, trial: int, workspace: Path, plan: AgentPlan, logs: Path) -> AgentRun:
    command = plan.command or ()
    cutoff = plan.cutoff or _cutoff_of(case)
    environment = {**plan.environment, "FIDUCIAL_TRIAL": str(trial)}
    limits = Limits(wall_seconds=cutoff, memory_bytes=_UNBOUNDED, processes=_UNBOUNDED)
    try:
        run = run_trusted(
            _fill_in(command, case, workspace), _start_folder(command, workspace), environment, limits
        )
    except SandboxError as error:
        raise InputError(f"case {case.id!r}: the agent cannot be run: {error}") from error
    if run.ended_by == "start":
        stderr = run.err.decode(errors="replace")
        raise InputError(f"case {case.id!r}: the agent cannot be started: {stderr}")
    _write_log(logs / f"{workspace.name}.txt", run)
    _copy_hidden_tests(case, workspace)  # after the agent has ended, so that it cannot read them
    return AgentRun(
        case_id=case.id,
        trial=trial,
        seconds=round(run.seconds, 3),
        exit_code=run.code,
        reached_cutoff=run.ended_by == "time",
    )


def _start_folder(command: Sequence[str], workspace: Path) -> Path:
    """Return the agent's start folder.

    An agent that is given its workspace starts in the user's folder, so that its own files are found;
    any other starts in the workspace.
    """
    return Path.cwd() if any("{workspace}" in part for part in command) else workspace


def _cutoff_of(case: Case) -> float:
    cutoff = case.reference.get("cutoff")
    return float(cutoff) if isinstance(cutoff, int | float) and cutoff > 0 else DEFAULT_CUTOFF


def _fill_in(command: Sequence[str], case: Case, workspace: Path) -> list[str]:
    """Fill in the placeholders of the command; substituted text is not expanded again."""
    task = "\n".join(message_text(message) for message in case.all_messages)
    if "\0" in task:
        raise InputError(f"case {case.id!r}: the task holds a NUL, which no command line can")
    values = {"task": task, "workspace": str(workspace.resolve())}
    return [_PLACEHOLDER.sub(lambda match: values[match[1]], part) for part in command]


def _copy_hidden_tests(case: Case, workspace: Path) -> None:
    """Copy the hidden tests into the workspace after the agent is done, as agbenchmark does.

    The checker does not rely on them.
    """
    tests = challenge_of(case).hidden_tests()
    if tests is None or workspace.is_symlink() or not workspace.is_dir():
        return
    try:
        copy_plain_files(tests, workspace)
    except (OSError, RecursionError):
        return  # a workspace that takes no files is the checker's to describe


def _write_log(path: Path, run: CommandResult) -> None:
    parts = [f"ended by {run.ended_by}, exit code {run.code}, {run.seconds:.1f} s\n".encode()]
    for title, text in (("output", run.out), ("errors", run.err)):
        parts += [f"\n--- {title}\n".encode(), text]
    path.write_bytes(b"".join(parts))
