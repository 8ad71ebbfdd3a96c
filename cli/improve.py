"""`fiducial improve`: find a better judge prompt, and prove it on locked items."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import click

from .exit_codes import EXIT_GATE, EXIT_OK, EXIT_PARTIAL
from .label_options import grade_arguments, grade_options
from .model_options import JudgingOptions, access_options, model_access, parameter_option, select_options
from .param_types import EXISTING_FOLDER, INPUT, INPUT_FILE, OUT_FOLDER, Number, Whole
from .printing import command_line, emit, verbose_option
from .shared_options import MultiValueCommand, compose, environment_option, json_option, option, pairs

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
@click.argument("labelled", metavar="RUN|TABLE", type=INPUT)
@compose(
    option("--prompt", required=True, metavar="JUDGE", help="The current prompt: NAME, NAME/VARIANT, or a .prompty file; @MODEL names the judging model."),
    option("--candidate", "candidates", type=INPUT_FILE, multiple=True, metavar="FILE...", help="Prompt files to try."),
    option("--model", metavar="NAME", help="The judging model, unless --prompt names it; it also writes candidates if no file is named."),
    option("--proposals", type=Whole(0, 16), help="Candidates that the model writes.  [default: 4 without --candidate, else 0]"),
    option("--out", type=OUT_FOLDER, required=True, help="The output folder; the same command resumes it."),
    option("--probes", type=EXISTING_FOLDER, help="Probes of `audit mutate`.  [default: made of the holdout]"),
    option("--adjudications", type=INPUT_FILE, help="Decisions on labels, beside those of the run (docs/adjudication.md)."),
    option("--holdout", type=Number(0, 1), default=0.5, help="Share of the groups to hold out."),
    option("--margin", type=Number(0, 1), default=0.1, help="Largest tolerated loss on the probes of one operator."),
    option("--sample", type=Whole(1), default=200, help="Maximum probes per operator."),
    option("--seed", type=int, default=0, help="Seed of the division."),
    option("--criterion", help="Criterion of a good answer, for tables without one."),
    option("--map", "columns", multiple=True, metavar="NAME=COLUMN", help="Name a column that is not recognised: answer=response."),
    grade_options,
    parameter_option,
)  # fmt: skip
@environment_option
@json_option
@verbose_option
@access_options
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

    judging = select_options(JudgingOptions, options)
    names = ("candidates", "model", "proposals", "probes", "adjudications", "holdout", "margin", "sample")
    reading: Any = {"map": pairs("--map", columns), **grade_arguments()}
    improvement = improve(
        labelled,
        prompt,
        out=out,
        reading=reading,
        judge_parameters=judging.judge_parameters,
        worlds=judging.worlds,
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
