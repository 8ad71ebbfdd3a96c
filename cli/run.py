"""`fiducial run`: the whole way."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import click

from .jury_options import jury_options, jury_rule
from .model_options import batch_mode, model_access, model_options, prices
from .options import FOLDER, INPUT_FILE, SpreadCommand, cases_and_outputs, checking, gates

_EXAMPLE = """\b
Examples:
  fiducial run cases.jsonl --outputs outputs.jsonl --out run
  fiducial run cases.jsonl --outputs a.jsonl b.jsonl --judge tool_call_accuracy \\
      --model gpt-4.1-mini --judge-on 200 --out run
  fiducial run cases.jsonl --outputs outputs.jsonl --judge tool_call_accuracy/direct \\
      --model my-model --base-url http://127.0.0.1:8000/v1 --judge-on all --out run
"""


@click.command("run", cls=SpreadCommand, epilog=_EXAMPLE)
@cases_and_outputs
@click.option(
    "--judge",
    "judges",
    multiple=True,
    metavar="JUDGE...",
    help="NAME, NAME/VARIANT, or a .prompty file; @MODEL may follow.",
)
@click.option(
    "--judge-on",
    default="200",
    show_default=True,
    metavar="open|all|N",
    help="open: what no checker decided; all: everything; N: what is open, and N decided outputs to calibrate on.",
)
@click.option("--labels", type=INPUT_FILE, help="Trusted verdicts of people or by construction (JSON Lines).")
@click.option(
    "--pass-at", type=click.FloatRange(0, 1), default=0.5, show_default=True, help="Score that passes."
)
@click.option("--out", type=FOLDER, required=True, help="The run folder; the same command resumes it.")
@checking
@jury_options
@model_options
@gates
def command(
    cases: Path,
    outputs: tuple[Path, ...],
    judges: tuple[str, ...],
    judge_on: str,
    labels: Path | None,
    pass_at: float,
    out: Path,
    fail_under: tuple[str, ...],
    min_graded: float | None,
    **options: Any,
) -> int:
    """Check outputs, judge what is open, calibrate the judge, report.

    CASES says what was to be done and how it is graded (JSON Lines; `fiducial cases` makes it of other people's files).
    Exit code 3: finished, but calls to the model failed; the same command asks again for these alone.
    """
    from ..evaluation.pipeline import Plan  # noqa: PLC0415 - numpy and scipy are slow to import
    from ..evaluation.selection import parse_judge_on  # noqa: PLC0415 - likewise
    from .evaluate import check_options, command_line, evaluate  # noqa: PLC0415 - likewise

    plan = Plan(
        cases=cases,
        outputs=outputs,
        out=out,
        command=command_line(),
        options=check_options(options),
        names=options["names"],
        judges=judges,
        model=options["model"],
        judge_on=parse_judge_on(judge_on),
        labels=labels,
        pass_at=pass_at,
        repeats=options["repeats"],
        prices=prices(options),
        jury=jury_rule(options),
        batch=batch_mode(options),
    )
    access = cache(lambda: model_access(options))  # once: all judges share its budget
    if options["dry_run"]:
        from .dry_run import show_forecast  # noqa: PLC0415 - likewise

        return show_forecast(plan, access())
    return evaluate(plan, access, fail_under=fail_under, min_graded=min_graded)
