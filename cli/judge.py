"""`fiducial judge`: judge without checkers, into a run folder."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from .exit_codes import EXIT_OK, EXIT_PARTIAL
from .label_options import label_options
from .model_options import RunOptions, jury_options, model_options, select_options
from .param_types import EXISTING_FOLDER
from .shared_options import (
    JUDGE_HELP,
    MultiValueCommand,
    cases_and_outputs,
    environment_option,
    gate_options,
    keep_only,
    only_option,
    option,
    run_folder_options,
    scale_option,
)

_EXAMPLE = """\b
Examples:
  fiducial judge cases.jsonl --outputs outputs.jsonl --judge tool_call_accuracy --model gpt-4.1-mini --out judged
  fiducial judge cases.jsonl --outputs outputs.jsonl --judge my_judge.prompty \\
      --model my-model --base-url http://127.0.0.1:8000/v1 --out judged
  fiducial judge cases.jsonl --outputs outputs.jsonl --judge groundedness@small groundedness@large \\
      --jury escalate --out judged
  fiducial judge cases.jsonl --outputs outputs.jsonl --judge groundedness --model m --split-statements --out judged
  fiducial judge --reparse judged
"""


def _reparse(ctx: click.Context, _param: click.Parameter, folder: Path | None) -> None:
    """Reparse a run for ``--reparse``, and exit.

    It precedes the checks of other options, none of which it accepts.
    """
    if folder is not None and not ctx.resilient_parsing:
        from ..api.run_files import reparse

        reparsed = reparse(folder, progress=True)
        click.echo(str(reparsed))
        failed = reparsed.summary is not None and reparsed.summary.counts.failed
        ctx.exit(EXIT_PARTIAL if failed else EXIT_OK)


@click.command("judge", cls=MultiValueCommand, epilog=_EXAMPLE)
@option(
    "--reparse",
    type=EXISTING_FOLDER,
    metavar="RUN",
    is_eager=True,
    expose_value=False,
    callback=_reparse,
    help="Parse a run's stored replies again with the current parsers, and exit; no model is called.",
)
@cases_and_outputs
@option(
    "--judge",
    "judges",
    multiple=True,
    required=True,
    metavar="JUDGE...",
    help=f"{JUDGE_HELP}; @MODEL may follow.",
)
@scale_option("judges")
@environment_option
@only_option
@run_folder_options
@label_options
@jury_options
@model_options
@gate_options
def command(**options: Any) -> int:
    """Run judges on every output, without checkers.

    Exit code 3: finished, but calls to the model failed; the same command retries only these.
    """
    from .evaluate import evaluate_command_line

    keep_only(options)
    return evaluate_command_line(select_options(RunOptions, options))
