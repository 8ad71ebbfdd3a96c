"""`fiducial artifacts`: prepare workspaces for agents, and run agents in them."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import click

from ..errors import UsageError
from ..settings.verbs.artifacts import ArtifactsDoctorSettings, ArtifactsPrepareSettings, ArtifactsRunSettings
from .declared_options import options_of
from .exit_codes import EXIT_GATE, EXIT_OK
from .printing import command_line

_RUN_EXAMPLES = """\b
Examples:
  fiducial artifacts run cases.jsonl --agent 'my-agent --do {task} --in {workspace}' --out work --allow-code
  fiducial artifacts run cases.jsonl --mock --out selftest --allow-code
"""


@click.group(no_args_is_help=True)
def command() -> None:
    """Prepare workspaces of challenges; run agents in them."""


@command.command(
    short_help="Prepare a workspace for every challenge.",
    epilog="Example: fiducial artifacts prepare cases.jsonl --out work",
)
@options_of(ArtifactsPrepareSettings)
def prepare(*, cases: Path, out: Path, system: str | None, only: tuple[str, ...]) -> None:
    """Prepare a workspace with the agent's files for every challenge in CASES.

    When the agent has run, grade its work: `fiducial run CASES --outputs OUT/outputs.jsonl`.
    """
    from ..api.artifacts import prepare_workspaces
    from ..api.terminal_text import counted

    cases = _selected(cases, out, only)
    count = prepare_workspaces(cases, out, system=system or "agent")
    click.echo(f"{counted(count, 'workspace')}, named in {out / 'outputs.jsonl'}")


@command.command(short_help="Run an agent on every challenge and check its work.", epilog=_RUN_EXAMPLES)
@options_of(ArtifactsRunSettings)
def run(
    *,
    cases: Path,
    agent: str | None,
    mock: bool,
    out: Path,
    system: str | None,
    cutoff: float | None,
    trials: int,
    only: tuple[str, ...],
    tests: tuple[str, ...],
    **options: Any,
) -> int:
    """Run an agent on every challenge in CASES and check its work.

    Each challenge has its own workspace and cutoff. The agent runs with your rights, network and environment: in the current folder, or
    in its workspace if COMMAND has no {workspace}. Code that it leaves runs in a sandbox. OUT gets outputs.jsonl (for `fiducial run`),
    verdicts.jsonl, report.json in agbenchmark's form, skills.html, logs and workspaces. Exit code 1: a mock failed.
    """
    from ..api.artifacts import run_agent

    if mock == (agent is not None):
        raise UsageError("expected either --agent COMMAND or --mock")
    if mock and trials > 1:
        raise UsageError("--mock runs no agent, so that all --trials would be the same")
    artifact_run = run_agent(
        _selected(cases, out, (*only, *(f"name={name}" for name in tests))),
        out,
        command=agent,
        system=system or ("mock" if mock else "agent"),
        environment=dict(os.environ),
        cutoff=cutoff,
        trials=trials,
        recorded_command=command_line(),
        progress=True,
        **options,
    )
    click.echo(str(artifact_run))
    click.echo(
        f"report: {out / 'report.json'}; outputs: {out / 'outputs.jsonl'}; "
        f"skill tree: {artifact_run.write_skills(out / 'skills.html')}"
    )
    return EXIT_GATE if mock and artifact_run.failed else EXIT_OK


def _selected(cases: Path, out: Path, only: tuple[str, ...]) -> Path:
    if not only:
        return cases
    from ..api.selecting import selected_files  # only a selection reads the cases once more

    return selected_files(cases, [], only, out)[0]


@command.command(
    short_help="Show how this machine sandboxes code.", epilog="Example: fiducial artifacts doctor"
)
@options_of(ArtifactsDoctorSettings)
def doctor() -> int:
    """Show how this machine sandboxes the code of workspaces.

    Lists the limits in force and the gaps. Exit code 1: code of workspaces cannot run here.
    """
    from ..api.artifacts import sandbox  # only when there is work to do

    diagnosis = sandbox()
    click.echo(str(diagnosis))
    return EXIT_GATE if diagnosis.problem is not None else EXIT_OK
