"""`fiducial artifacts`: prepare workspaces for agents, and run agents in them."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import click

from ..errors import UsageError
from .exit_codes import EXIT_GATE, EXIT_OK
from .param_types import INPUT_FILE, OUT_FOLDER, Number, Whole
from .printing import command_line
from .shared_options import only_option, option, workspace_options

_RUN_EXAMPLES = """\b
Examples:
  fiducial artifacts run cases.jsonl --agent 'my-agent --do {task} --in {workspace}' --out work --allow-code
  fiducial artifacts run cases.jsonl --mock --out selftest --allow-code
"""

_SYSTEM = option("--system", help="Name of the agent in outputs and verdicts.")


@click.group(no_args_is_help=True)
def command() -> None:
    """Prepare workspaces of challenges; run agents in them."""


@command.command(
    short_help="Prepare a workspace for every challenge.",
    epilog="Example: fiducial artifacts prepare cases.jsonl --out work",
)
@click.argument("cases", type=INPUT_FILE)
@option("--out", type=OUT_FOLDER, required=True, help="Folder for workspaces and outputs.jsonl.")
@_SYSTEM
@only_option
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
@click.argument("cases", type=INPUT_FILE)
@option("--agent", metavar="COMMAND", help="The agent's command line; {task} and {workspace} are filled in.")
@option("--mock", is_flag=True, help="Run no agent; test every challenge with its own solution.")
@only_option
@option(
    "--test",
    "tests",
    multiple=True,
    metavar="NAME",
    help="Only challenges of this name, as in agbenchmark; may be given several times.",
)
@option("--out", type=OUT_FOLDER, required=True, help="Output folder; the same command resumes it.")
@_SYSTEM
@option(
    "--cutoff",
    type=Number(0, min_open=True),
    metavar="SECONDS",
    help="Time limit of the agent per challenge, instead of the challenge's own.",
)
@option(
    "--trials",
    type=Whole(1, 1000),
    default=1,
    help="Attempts at each challenge, each in its own workspace; FIDUCIAL_TRIAL has the number.",
)
@option(
    "--rules",
    type=click.Choice(["bfcl", "strict"]),
    default="strict",
    help="strict: no file of a workspace stands in for a library or a hidden test.",
)
@workspace_options
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
def doctor() -> int:
    """Show how this machine sandboxes the code of workspaces.

    Lists the limits in force and the gaps. Exit code 1: code of workspaces cannot run here.
    """
    from ..api.artifacts import sandbox  # only when there is work to do

    diagnosis = sandbox()
    click.echo(str(diagnosis))
    return EXIT_GATE if diagnosis.problem is not None else EXIT_OK
