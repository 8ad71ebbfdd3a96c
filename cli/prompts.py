"""``fiducial prompts``: the prompt files, and what is sent to a model."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ..errors import InputError, UsageError
from ..report.text import visible
from .options import INPUT_FILE, Number, worlds

if TYPE_CHECKING:
    from ..judges.prompt_file import PromptFile
    from ..records import Case, Message, Output

_NO_MODEL = "no model"
"""Stands in where a judge is loaded to be looked at, not to be asked."""

_AGENT_PROMPT = "bfcl"
"""Not a judge: the leaderboard's own prompt to an agent."""


@click.group(no_args_is_help=True, epilog="Example: fiducial prompts show tool_call_accuracy/reasons")
def command() -> None:
    """List, show, render, check and import judge prompts."""


@command.command(
    "list",
    short_help="List the prompts that come with fiducial.",
    epilog="Example: fiducial prompts list --json",
)
@click.option("--json", "as_json", is_flag=True, help="As JSON, for machines.")
def list_(*, as_json: bool) -> None:
    """List the prompts that come with fiducial; * marks the variant that a judge's bare name means."""
    from ..judges import find_prompt, shipped_prompts  # noqa: PLC0415 - jinja2 and YAML are slow to import
    from ..judges.catalogue import SPLITTER  # noqa: PLC0415 - likewise
    from ..judges.prompt_file import read_prompt_file  # noqa: PLC0415 - likewise

    rows: list[dict[str, object]] = []
    for name, path in shipped_prompts().items():
        prompt = read_prompt_file(path)
        default = find_prompt(name.judge)[0] == name
        rows.append(
            {
                "judge": name.judge,
                "variant": name.variant,
                "default": default,
                "inputs": list(prompt.inputs),
                "scale": str(prompt.scale),
                "reply": (prompt.parse or {}).get("mode"),
                "description": prompt.description,
            }
        )
        if not as_json:
            click.echo(f"{'*' if default else ' '} {name!s:36} {prompt.description}")
    if as_json:
        click.echo(json.dumps(rows, indent=2))
    else:
        splitter = read_prompt_file(find_prompt(str(SPLITTER))[1])
        click.echo(f"  {SPLITTER!s:36} {splitter.description}")


@command.command(short_help="Print a prompt file.", epilog="Example: fiducial prompts show groundedness")
@click.argument("judge")
def show(*, judge: str) -> None:
    """Print the prompt file of JUDGE: a name, a name/variant, or a path."""
    from ..judges import find_prompt  # noqa: PLC0415 - jinja2 and YAML are slow to import
    from ..judges.front_matter import read_prompt_text  # noqa: PLC0415 - likewise

    click.echo(visible(read_prompt_text(find_prompt(judge)[1])), nl=False)


@command.command(
    short_help="Print the messages that a judge would be sent.",
    epilog="Example: fiducial prompts render tool_call_accuracy --cases cases.jsonl --outputs outputs.jsonl --id trip-07",
)
@click.argument("judge")
@click.option(
    "--cases", "--case", "cases", type=INPUT_FILE, required=True, help="The cases file (JSON Lines)."
)
@click.option("--outputs", type=INPUT_FILE, help="What the systems produced (JSON Lines).")
@click.option("--id", "case_id", required=True, help="Which case.")
@click.option("--system", help="Whose output; the first when left out.")
@click.option("--trial", type=int, default=0, show_default=True, help="Which of its attempts.")
@worlds
@click.option("--json", "as_json", is_flag=True, help="As the request's body.")
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
    """Print the messages that JUDGE would be sent for one output, in full.

    JUDGE may also be `bfcl`: the prompt that asks an agent for calls as text, for a case made by `fiducial cases bfcl`.
    """
    if judge == _AGENT_PROMPT:
        messages, parameters = _agent_messages(cases, case_id), dict[str, object]()
    else:
        if outputs is None:
            raise UsageError("--outputs is needed: a judge is asked about a case and an output")
        item = _find(cases, outputs, case_id, system, trial)
        messages, parameters = _judge_messages(judge, *item, worlds)
    if as_json:
        click.echo(json.dumps({"messages": messages, **parameters}, indent=2, ensure_ascii=False))
        return
    for message in messages:
        click.secho(f"[{visible(message['role'])}]", bold=True)
        click.echo(f"{visible(message['content'])}\n")


def _judge_messages(
    judge: str, case: Case, output: Output, worlds: tuple[str, ...]
) -> tuple[list[Message], dict[str, object]]:
    from ..api.check_options import worlds_of  # noqa: PLC0415 - likewise
    from ..evaluation.judging.worlds import replay_in  # noqa: PLC0415 - likewise
    from ..judges import load_judge  # noqa: PLC0415 - jinja2 and YAML are slow to import
    from ..judges.inputs import NotApplicableError  # noqa: PLC0415 - likewise

    loaded = load_judge(judge, model=_NO_MODEL, replay=replay_in(worlds_of(worlds)))
    try:
        return loaded.messages(case, output), dict(loaded.parameters)
    except NotApplicableError as error:
        raise UsageError(f"{judge} does not apply to {output.key}: {error}") from error


def _agent_messages(cases: Path, case_id: str) -> list[Message]:
    from ..formats.bfcl import assemble_prompt  # noqa: PLC0415 - msgspec is slow to import

    return assemble_prompt(_find_case(cases, case_id))


@command.command(
    short_help="Say whether prompt files can be used.",
    epilog="Example: fiducial prompts check my_judge.prompty",
)
@click.argument("files", type=INPUT_FILE, nargs=-1, required=True)
def check(*, files: tuple[Path, ...]) -> None:
    """Say whether prompt FILES can be used, with which inputs, and how replies are read.

    Exit code 2: one cannot; the message names file and line.
    """
    from ..judges import load_judge  # noqa: PLC0415 - jinja2 and YAML are slow to import
    from ..judges.portability import portability_problems  # noqa: PLC0415 - likewise

    for file in files:
        if file.suffix != ".prompty":
            raise UsageError(f"{file}: prompt files end in .prompty")
        prompt = load_judge(str(file), model=_NO_MODEL).prompt
        click.echo(f"{file}: {_summary(prompt)}")
        for problem in portability_problems(prompt):
            click.echo(f"  not portable: {problem}")


@command.command(
    "import",
    short_help="Make a prompt file of chat messages in JSON, or of another tool's prompt file.",
    epilog="Example: fiducial prompts import theirs.prompty --scale 1-5 --input answer=response --out relevance.prompty",
)
@click.argument("file", type=INPUT_FILE)
@click.option("--out", type=INPUT_FILE, required=True, help="The prompt file to write.")
@click.option(
    "--input",
    "inputs",
    metavar="[THEIRS=]OURS",
    multiple=True,
    help="An input to be judged, perhaps under a name of the prompt's own, e.g. answer=response; may be given several times.",
)
@click.option(
    "--scale",
    metavar="WORST-BEST",
    help="Which scores are possible, e.g. 1-5; or 5-1, where 1 is the best.  [default for chat messages: 0-1]",
)
@click.option(
    "--step",
    type=Number(0, min_open=True),
    help="Distance of neighbouring scores, e.g. 1 for whole numbers.  [default: any number in between is a score]",
)
def import_(*, file: Path, out: Path, inputs: tuple[str, ...], scale: str | None, step: float | None) -> None:
    """Make a prompt file of FILE: a JSON file with a chat message or several, or a .prompty file of promptflow, prompty 2 or azure-ai-evaluation.

    Chat messages are kept to the letter, {{braces}} too; what is to be judged follows them, a section an input. Of a prompt file the
    template is kept, and its inputs are filled from the inputs of ours that --input names.
    """
    from ..judges.prompt_import import import_prompt  # noqa: PLC0415 - jinja2 and YAML are slow to import
    from ..records import atomic_write  # noqa: PLC0415 - likewise

    if out.suffix != ".prompty":
        raise UsageError(f"--out {out}: prompt files end in .prompty")
    text, prompt = import_prompt(file, out, inputs, scale, step)
    with atomic_write(out) as target:
        target.write(text.encode())
    click.echo(f"{out}: {_summary(prompt)}")


def _summary(prompt: PromptFile) -> str:
    declared = prompt.parse
    reply = (
        "as the prompt suggests" if declared is None else ", ".join(f"{k} {v}" for k, v in declared.items())
    )
    cut = "" if prompt.pass_at is None else f"; passes at {prompt.pass_at:g} of 1"
    inputs = [f"{name} ({each.source})" if each.source else name for name, each in prompt.inputs.items()]
    return f"ok; inputs {', '.join(inputs) or 'none'}; score {prompt.scale}{cut}; reply {reply}"


def _find_case(cases: Path, case_id: str) -> Case:
    from ..records import CaseIndex  # noqa: PLC0415 - msgspec is slow to import

    with CaseIndex(cases) as index:
        if case_id not in index:
            raise InputError(f"there is no case {case_id!r}", path=cases)
        return index[case_id]


def _find(cases: Path, outputs: Path, case_id: str, system: str | None, trial: int) -> tuple[Case, Output]:
    from ..records import Output, read_records  # noqa: PLC0415 - msgspec is slow to import

    case = _find_case(cases, case_id)
    for output in read_records(outputs, Output):
        if output.case_id == case_id and output.trial == trial and system in {None, output.system}:
            return case, output
    whose = "" if system is None else f" by {system}"
    raise InputError(f"there is no output{whose} for the case {case_id!r}, trial {trial}", path=outputs)
