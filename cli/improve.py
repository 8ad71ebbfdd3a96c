"""`fiducial improve`: find a better judge prompt, and prove it on locked items."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import click

from ..settings.judging_settings import JudgingSettings
from ..settings.verbs.improve import ImproveSettings
from .declared_options import options_of
from .exit_codes import EXIT_GATE, EXIT_OK, EXIT_PARTIAL
from .label_options import grade_arguments, header_arguments
from .model_options import model_access, select_options
from .printing import command_line, emit
from .shared_options import MultiValueCommand, pairs

_HELP = """Find a better prompt for a judge from labelled items.

\b
Examples:
  fiducial improve run --prompt rubric@gpt-4.1-mini --model gpt-4.1 --out better
  fiducial improve run --prompt my_judge.prompty --candidate shorter.prompty stricter.prompty --model my-model \\
      --base-url http://127.0.0.1:8000/v1 --out better
  fiducial improve graded.csv --map answer=response --prompt my_judge.prompty --model my-model --out better -v

Items are divided by group. Candidates compete on one part; the best one is looked at once on the other, and audited. It is written only
if it agrees more with the labels and no planted fault or attack passes more often. Exit code 1: no prompt was written; 3: calls failed.
"""


@click.command("improve", cls=MultiValueCommand, help=_HELP)
@options_of(ImproveSettings)
def command(
    *,
    labelled: Path,
    prompt: str,
    out: Path,
    columns: tuple[str, ...],
    json_file: str | None,
    **options: Any,
) -> int:
    """Find a better prompt for a judge from labelled items."""
    from ..api.improving import REPORT, improve

    judging = select_options(JudgingSettings, options)
    names = ("candidates", "model", "proposals", "probes", "adjudications", "holdout", "margin", "sample")
    reading: Any = {"map": pairs("--map", columns), **header_arguments(), **grade_arguments()}
    improvement = improve(
        labelled,
        prompt,
        out=out,
        reading=reading,
        judge_parameters=judging.judge_parameters,
        worlds=options["worlds"],
        access=cache(lambda: model_access(judging)),
        prices=judging.price,
        command=command_line(),
        progress=True,
        **{name: options[name] for name in (*names, "seed", "criterion")},
    )
    emit(improvement, json_file, closing=[f"report: {out / REPORT}"])
    if improvement.failed:
        return EXIT_PARTIAL
    return EXIT_OK if improvement.improved else EXIT_GATE
