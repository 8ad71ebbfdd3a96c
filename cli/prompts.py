"""``fiducial prompts``: show the prompt files and the prompts sent to a model."""

from __future__ import annotations

import json
from pathlib import Path

import click

from ..api.terminal_text import visible
from ..records import message_text
from ..settings.verbs.prompts import (
    PromptsCheckSettings,
    PromptsFlowSettings,
    PromptsImportSettings,
    PromptsListSettings,
    PromptsRenderSettings,
    PromptsShowSettings,
)
from .declared_options import options_of, scale_for
from .printing import echo_json


@click.group(no_args_is_help=True, epilog="Example: fiducial prompts show tool_call_accuracy/reasons")
def command() -> None:
    """List, show, render, check and import judge prompts."""


@command.command(
    "list",
    short_help="List the included prompts.",
    epilog="Example: fiducial prompts list --json",
)
@options_of(PromptsListSettings)
def list_(*, as_json: bool) -> None:
    """List the included prompts; * marks the default variant of a judge."""
    from ..api.prompts import prompts

    included = prompts()
    if as_json:
        echo_json(json.dumps(included.to_dict()["judges"], indent=2))
    else:
        click.echo(str(included))


@command.command(short_help="Print a prompt file.", epilog="Example: fiducial prompts show groundedness")
@options_of(PromptsShowSettings)
def show(*, judge: str) -> None:
    """Print the prompt file of JUDGE: a name, a name/variant, or a path."""
    from ..api.prompts import prompt_text

    click.echo(visible(prompt_text(judge)), nl=False)


@command.command(
    short_help="Print the messages to a judge for one output.",
    epilog="Example: fiducial prompts render tool_call_accuracy --cases cases.jsonl --outputs outputs.jsonl --id trip-07",
)
@options_of(PromptsRenderSettings)
@scale_for("judge")
def render(
    *,
    judge: str,
    cases: Path,
    outputs: Path | None,
    case_id: str,
    system: str | None,
    trial: int,
    worlds: tuple[str, ...],
    as_json: bool,
) -> None:
    """Print the full prompt of JUDGE for one output.

    JUDGE may also be `bfcl`: the prompt that asks an agent for calls as text, for a case made by `fiducial cases bfcl`.
    """
    from ..api.prompts import rendered_prompt

    messages, parameters = rendered_prompt(
        judge, cases, outputs, case_id, system=system, trial=trial, worlds=worlds
    )
    if as_json:
        echo_json(json.dumps({"messages": messages, **parameters}, indent=2, ensure_ascii=False))
        return
    for message in messages:
        click.secho(f"[{visible(message['role'])}]", bold=True)
        click.echo(f"{visible(message_text(message))}\n")


@command.command(
    short_help="Validate prompt files.",
    epilog="Example: fiducial prompts check my_judge.prompty",
)
@options_of(PromptsCheckSettings)
@scale_for("files")
def check(*, files: tuple[Path, ...]) -> None:
    """Validate prompt FILES; show their inputs and how replies are parsed.

    Exit code 2: one is invalid; the message names file and line.
    """
    from ..api.prompts import check_prompt

    for file in files:
        summary, *problems = check_prompt(file)
        click.echo(f"{file}: {summary}")
        for problem in problems:
            click.echo(f"  not portable: {problem}")


@command.command(
    short_help="Write a flow folder for promptflow.",
    epilog="Example: fiducial prompts flow groundedness --out groundedness_flow",
)
@options_of(PromptsFlowSettings)
def flow(*, judge: str, out: Path, dag: bool, model: str) -> None:
    """Write a folder for JUDGE that `pf flow test` and `pf run create` run.

    A flex flow takes the model and the endpoint by --init. A DAG flow has the model as an input, asks the endpoint in OPENAI_BASE_URL with
    OPENAI_API_KEY, and has the judge's prompts as variants: --variant '${judge.VARIANT}'.
    """
    from ..api.flow_folders import flow_folder

    folder = flow_folder(judge, out, "dag" if dag else "flex", model=model)
    settings = "" if dag else f" --init model={model}"
    click.echo(f"{folder}: pf flow test --flow {folder}{settings} --inputs ROW.json")


@command.command(
    "import",
    short_help="Make a prompt file from text, chat messages or another tool's prompt.",
    epilog="Example: fiducial prompts import theirs.prompty --scale 1-5 --input answer=response --out relevance.prompty",
)
@options_of(PromptsImportSettings)
def import_(*, file: Path, out: Path, inputs: tuple[str, ...], scale: str | None, step: float | None) -> None:
    """Make a prompt file from FILE: text, chat messages as JSON, or a .prompty file.

    The .prompty file may be of promptflow, prompty 2 or azure-ai-evaluation. Chat messages are kept verbatim, {{braces}} too; the text
    under evaluation follows them, one section per input. A template is kept, be it a prompt file or text with placeholders ({answer}
    or {{ answer }}), and --input maps its inputs to ours.
    """
    from ..api.prompts import import_prompt

    click.echo(f"{out}: {import_prompt(file, out, inputs=inputs, scale=scale, step=step)}")
