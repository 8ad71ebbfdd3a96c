"""``fiducial batch``: write a judge's requests as batch files, and read their results back.

Results are read into a run folder.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from .param_types import EXISTING_FOLDER, FOLDER, INPUT_FILE, OUT_FILE, Whole
from .printing import command_line
from .shared_options import (
    JUDGE_HELP,
    MultiValueCommand,
    cases_and_outputs,
    compose,
    environment_option,
    gate_options,
    one_labels_option,
    option,
    pass_at_option,
    scale_option,
)

_judging = compose(
    cases_and_outputs,
    option("--judge", "judges", multiple=True, required=True, metavar="JUDGE...", help=f"{JUDGE_HELP}."),
    scale_option("judges"),
    option("--model", required=True, metavar="NAME", help="The judging model."),
    option("--repeats", type=Whole(1, 100), default=1, help="Number of times each output is judged."),
    environment_option,
)  # fmt: skip

_EXPORT_EXAMPLE = """\b
Examples:
  fiducial batch export cases.jsonl --outputs outputs.jsonl --judge groundedness --model gpt-4.1-mini --out requests.jsonl
  vllm run-batch -i requests.jsonl -o results.jsonl --model gpt-4.1-mini
"""
_IMPORT_EXAMPLE = """\b
Example:
  fiducial batch import cases.jsonl --outputs outputs.jsonl --judge groundedness --model gpt-4.1-mini \\
      --results results.jsonl --out judged
"""


@click.group(no_args_is_help=True)
def command() -> None:
    """Judge through batch files in OpenAI's format: export, have them answered, import.

    `fiducial judge --batch` does all three at a provider's batch endpoint.
    """


@command.command(cls=MultiValueCommand, epilog=_EXPORT_EXAMPLE)
@_judging
@option("--results", type=INPUT_FILE, multiple=True, metavar="FILE...", help="Results received so far.")
@option("--run", type=EXISTING_FOLDER, help="Skip outputs that have a verdict in this run folder.")
@option("--out", type=OUT_FILE, required=True, help="The batch file; long ones are split and numbered.")
def export(*, out: Path, **options: Any) -> None:
    """Write judge requests as batch files.

    Each request is named by a hash of its content (`custom_id`): equal requests have equal names in every export and are written once.
    With earlier results, only missing replies are requested, and unreadable ones once more.
    """
    from ..api.batches import export_batch
    from ..api.terminal_text import counted

    files = export_batch(out, progress=True, **options)
    for file in files:
        click.echo(f"{file.path}: {counted(file.requests, 'request')}")
    if not files:
        click.echo("no request remains; no file was written")


@command.command(
    name="import",
    short_help="Read batch results into a run folder.",
    cls=MultiValueCommand,
    epilog=_IMPORT_EXAMPLE,
)
@_judging
@option(
    "--results",
    type=INPUT_FILE,
    multiple=True,
    required=True,
    metavar="FILE...",
    help="Result and error files of batches, earlier ones first.",
)
@one_labels_option("Trusted verdicts to calibrate against (JSON Lines).")
@pass_at_option
@compose(
    option("--record", type=OUT_FILE, help="Also append every reply to this file, for --replay."),
    option("--expect-served-by", metavar="MODEL", help="Accept replies only from this model, in any release, if the file names the model."),
    option("--out", type=FOLDER, required=True, help="The run folder; a further import adds to it."),
)  # fmt: skip
@gate_options
def import_(
    *,
    results: tuple[Path, ...],
    record: Path | None,
    expect_served_by: str | None,
    worlds: tuple[str, ...],
    **options: Any,
) -> int:
    """Read batch results into a run folder, as `fiducial judge` writes it.

    Requests without a result, or with an error, are `failed`; importing again with more results replaces them.
    """
    from ..api.batches import access_to_results
    from ..api.checking import worlds_of
    from ..api.run_files import plan_of
    from .evaluate import evaluate

    output_options = {name: options.pop(name) for name in ("fail_under", "min_graded", "verbose", "quiet")}
    plan = plan_of(command=command_line(), environments=worlds_of(worlds), **options)
    notes: list[str] = []
    access = access_to_results(
        results, record, served_by=expect_served_by, model=options["model"], on_note=notes.append
    )
    code = evaluate(plan, access, **output_options)
    for line in notes:
        click.echo(line, err=True)
    return code
