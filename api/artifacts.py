"""Artifact challenges: prepare workspaces, run agents, check the machine's sandboxing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Unpack

from ..deterministic.artifacts.needed_modules import runs_code
from ..deterministic.options import Rules
from ..deterministic.sandbox.diagnosis import SandboxDiagnosis, diagnose
from ..deterministic.sandbox.limits import Limits
from ..errors import UsageError
from ..evaluation.artifacts.attempts import AgentPlan, run_agents
from ..evaluation.artifacts.outcome import AgentResults, conclude_artifacts
from ..evaluation.artifacts.skills import skill_tree
from ..evaluation.artifacts.workspaces import lay_out_workspaces as lay_out_all
from ..evaluation.generation.commands import command_words, require_absolute_script
from ..records import Case, kind_spec, read_records
from ..report.document import document
from ..report.page import ResultPage, document_page
from ..report.text.artifact_text import artifacts_document, skills_document
from ..spelling import flag
from .checking import Workspaces, check_options
from .display import Presentation, bind_display
from .paths import FilePath, input_path, written_path
from .progress_bars import show_progress


def prepare_workspaces(cases: FilePath, out: FilePath, *, system: str = "agent") -> int:
    """Prepare a workspace for every challenge.

    Each workspace contains the files that the agent needs. An ``outputs.jsonl`` next to the workspaces lists them.
    """
    return lay_out_all(read_records(input_path(cases), Case), written_path(out), system=system)


def _write_skills(results: AgentResults, html: Path) -> Path:
    return document_page(
        html, ResultPage(title="Skill tree", answer=skills_document(skill_tree(results.attempts)))
    )


bind_display(AgentResults, Presentation(make_document=artifacts_document, writers={"skills": _write_skills}))


def run_agent(
    cases: FilePath,
    out: FilePath,
    *,
    command: str | None,
    system: str,
    environment: Mapping[str, str],
    cutoff: float | None = None,
    trials: int = 1,
    rules: Rules = "strict",
    recorded_command: str = "fiducial.run_agent",
    progress: bool | None = None,
    **workspaces: Unpack[Workspaces],
) -> AgentResults:
    """Run an agent on every challenge and check what it leaves; the same call resumes.

    Each challenge has its own workspace and cutoff.

    Args:
        cases: File of challenges.
        out: Folder for outputs, verdicts, report, logs and workspaces.
        command: The agent's command line, with ``{task}`` and ``{workspace}``; None tests every challenge with its own solution.
        system: Name of the agent in outputs and verdicts.
        environment: All environment variables of the agent.
        cutoff: Time limit per challenge, in seconds, or None for each challenge's own.
        trials: Attempts at each challenge, each in its own workspace.
        rules: ``strict`` or ``bfcl``.
        recorded_command: The command line, for the record.
        progress: Whether to show progress; None shows it on a terminal and in a notebook.
        **workspaces: Options for reading workspaces; see `Workspaces`.
    """
    words = None if command is None else command_words(command)
    if words is not None:
        require_absolute_script(words)
    plan = AgentPlan(command=words, system=system, environment=environment, cutoff=cutoff, trials=trials)
    check_settings = check_options(rules, {}, {}, **workspaces)
    path, started = input_path(cases), datetime.now(UTC)
    if words is not None and not check_settings.artifacts.allow_code:
        _require_no_code(path)
    with show_progress(enabled=progress) as progress_display:
        progress_display.begin(
            "laying out" if command is None else "running", trials * sum(1 for _ in read_records(path, Case))
        )
        run_agents(read_records(path, Case), written_path(out), plan, progress_display)
    ended = datetime.now(UTC)
    return conclude_artifacts(
        path, written_path(out), plan, check_settings, command=recorded_command, started=started, ended=ended
    )


def _require_no_code(cases: Path) -> None:
    """Raise a UsageError if an agent's work could not be graded without running its code."""
    for case in read_records(cases, Case):
        if kind_spec(case.kind).family == "workspace" and runs_code(case):
            raise UsageError(
                f"case {case.id!r} runs the code that the agent leaves behind: add {flag('allow_code')}"
            )


def sandbox() -> SandboxDiagnosis:
    """Return the sandboxing that this machine offers for code in workspaces."""
    return diagnose(Limits())


@document
def _confinement(diagnosis: SandboxDiagnosis) -> Iterator[str]:
    if diagnosis.confinement is not None:
        for name in diagnosis.confinement.__struct_fields__:
            yield f"{name}: {getattr(diagnosis.confinement, name)}"
        yield _limits_line(Limits())
    if diagnosis.problem is not None:
        yield f"code cannot be run: {diagnosis.problem}"
        return
    yield from (f"not bounded: {sentence}" for sentence in diagnosis.open)


def _limits_line(limits: Limits) -> str:
    mib = 1 << 20
    return (
        f"limits: {limits.wall_seconds:g} s, {limits.cpu_seconds} s of processor time, {limits.memory_bytes // mib:,} MiB of memory, "
        f"{limits.file_bytes // mib} MiB a file, {limits.processes} processes, {limits.open_files} open files, "
        f"{limits.output_bytes // mib} MiB of output; with a private root {limits.disk_bytes // mib} MiB of files"
    )


bind_display(SandboxDiagnosis, Presentation[SandboxDiagnosis](make_document=_confinement))
