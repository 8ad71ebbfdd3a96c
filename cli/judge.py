"""`fiducial judge`: a judge's verdicts only, in the same kind of run folder."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import click

from .jury_options import jury_options, jury_rule
from .model_options import batch_mode, model_access, model_options, prices
from .options import FOLDER, INPUT_FILE, SpreadCommand, cases_and_outputs, gates

_EXAMPLE = """\b
Examples:
  fiducial judge cases.jsonl --outputs outputs.jsonl --judge tool_call_accuracy --model gpt-4.1-mini --out judged
  fiducial judge cases.jsonl --outputs outputs.jsonl --judge my_judge.prompty \\
      --model my-model --base-url http://127.0.0.1:8000/v1 --out judged
  fiducial judge cases.jsonl --outputs outputs.jsonl --judge groundedness@small groundedness@large \
      --jury escalate --out judged
  fiducial judge --reparse judged
"""


def _reparse(ctx: click.Context, _param: click.Parameter, folder: Path | None) -> None:
    """What ``--reparse`` does; before the other options are looked at, since it goes with none of them."""
    if folder is not None and not ctx.resilient_parsing:
        from .reparse import show_reparsed  # noqa: PLC0415 - numpy and scipy are slow to import

        ctx.exit(show_reparsed(folder))


@click.command("judge", cls=SpreadCommand, epilog=_EXAMPLE)
@click.option(
    "--reparse",
    type=FOLDER,
    metavar="RUN",
    is_eager=True,
    expose_value=False,
    callback=_reparse,
    help="Read the replies of a run again, as parsers are now, and leave; nobody is asked.",
)
@cases_and_outputs
@click.option(
    "--judge",
    "judges",
    multiple=True,
    required=True,
    metavar="JUDGE...",
    help="NAME, NAME/VARIANT, or a .prompty file; @MODEL may follow.",
)
@click.option("--labels", type=INPUT_FILE, help="Trusted verdicts to calibrate against (JSON Lines).")
@click.option(
    "--pass-at", type=click.FloatRange(0, 1), default=0.5, show_default=True, help="Score that passes."
)
@click.option("--out", type=FOLDER, required=True, help="The run folder; the same command resumes it.")
@jury_options
@model_options
@gates
def command(
    cases: Path,
    outputs: tuple[Path, ...],
    judges: tuple[str, ...],
    labels: Path | None,
    pass_at: float,
    out: Path,
    fail_under: tuple[str, ...],
    min_graded: float | None,
    **options: Any,
) -> int:
    """Ask judges about every output, without checking any.

    Exit code 3: finished, but calls to the model failed; the same command asks again for these alone.
    """
    from ..evaluation.pipeline import Plan  # noqa: PLC0415 - numpy and scipy are slow to import
    from .evaluate import command_line, evaluate  # noqa: PLC0415 - likewise

    plan = Plan(
        cases=cases,
        outputs=outputs,
        out=out,
        command=command_line(),
        judges=judges,
        model=options["model"],
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
