"""`fiducial run`: check, judge, calibrate and report."""

from __future__ import annotations

from typing import Any

import click

from .generate import WORKS, agent_options, model_setting_options, tool_options
from .label_options import label_options
from .model_options import RunOptions, jury_options, model_options, select_options
from .shared_options import (
    JUDGE_HELP,
    MultiValueCommand,
    cases_argument,
    checking_options,
    engine_options,
    gate_options,
    keep_only,
    only_option,
    option,
    outputs_option,
    run_folder_options,
    scale_option,
    section,
    workspaces_of,
    written_beside,
)

_EXAMPLE = """\b
Examples:
  fiducial run cases.jsonl --outputs outputs.jsonl --out run
  fiducial run cases.jsonl --generate my-model --judge groundedness --model gpt-4.1-mini --out run
  fiducial run cases.jsonl --outputs a.jsonl b.jsonl --judge tool_call_accuracy \\
      --model gpt-4.1-mini --judge-on 200 --out run
  fiducial run cases.jsonl --outputs outputs.jsonl --judge tool_call_accuracy/direct \\
      --model my-model --base-url http://127.0.0.1:8000/v1 --judge-on all --out run
"""


@click.command("run", cls=MultiValueCommand, epilog=_EXAMPLE)
@cases_argument
@outputs_option(required=False)
@section(
    WORKS,
    option("--generate", metavar="MODEL", help="Generate outputs with this model first; they are kept in the run folder."),
    option("--generate-base-url", metavar="URL[,key-env=NAME]", help="Endpoint of that model; --api-key-env is not sent there.  [default: the judges']"),
    agent_options,
    model_setting_options,
    tool_options,
)  # fmt: skip
@option("--judge", "judges", multiple=True, metavar="JUDGE...", help=f"{JUDGE_HELP}; @MODEL may follow.")
@scale_option("judges")
@option(
    "--judge-on",
    default="200",
    metavar="open|all|N",
    help="open: undecided outputs (no checker decided them); all: every output; N: undecided ones, and N checked ones to calibrate on.",
)
@only_option
@run_folder_options
@label_options
@checking_options
@engine_options
@jury_options
@model_options
@gate_options
def command(judge_on: str, **options: Any) -> int:
    """Check outputs, judge the undecided ones, calibrate, report.

    With --generate or --agent, generate the outputs first. CASES holds the tasks and how they are graded (JSON Lines; `fiducial cases`
    and `fiducial import` make it from other tools' data). Exit code 3: finished, but calls to the model, or custom checkers, failed; the
    same command retries only these.
    """
    from ..api.checking import check_options
    from ..api.run_files import engine_of, parse_judge_on
    from .evaluate import evaluate_command_line

    if options["labels_patch"] is not None:
        from ..api.labels import corrected_file

        corrected = corrected_file(options["cases"], options["labels_patch"], written_beside(options))
        options["cases"] = [corrected]
        if not options["dry_run"]:
            click.echo(f"corrected cases: {corrected}", err=True)
    keep_only(options)
    return evaluate_command_line(
        select_options(RunOptions, options),
        options=check_options(
            options["rules"], options["functions"], options["worlds"], **workspaces_of(options)
        ),
        names=options["names"],
        judge_on=parse_judge_on(judge_on),
        workers=options["workers"],
        engine=engine_of(options["engine"], options["address"], options["workers"]),
    )
