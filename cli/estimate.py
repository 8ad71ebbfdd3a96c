"""`fiducial estimate`: estimate the true pass rate from judge scores and some labels."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from .param_types import INPUT_FILE, Number
from .printing import emit
from .shared_options import compose, option
from .table_options import load_table, table_options

_EXAMPLE = """\b
Example:
  fiducial estimate judged.jsonl --labels labels.jsonl --json estimate.json
  fiducial estimate judged.jsonl --labels labels.jsonl --draw draw.jsonl --target finite
  fiducial estimate judged.jsonl --labels labels.jsonl --draw first.jsonl --draw second.jsonl
  fiducial estimate judged.jsonl --labels labels.jsonl --draw draw.jsonl --strata category
  fiducial estimate cheap.jsonl expensive.jsonl --labels labels.jsonl --phases cheap,expensive
  fiducial estimate judged.csv --judges strict,lenient
  fiducial estimate judged.csv --reweight-by category
  fiducial estimate run --open-worse-by 0.1
"""


@click.command("estimate", epilog=_EXAMPLE)
@table_options(resamples=False)
@compose(
    option("--judge", metavar="NAME", help="Judge whose scores to use, if the table has several."),
    option("--interval", type=click.Choice(["score", "logit", "wald"]), default="score",
           help="score: Wilson's on the effective n, reliable with few labels and clusters; logit: as published, clustered; wald: treats items as independent."),
    option("--target", type=click.Choice(["population", "finite"]), default="population",
           help="Rate of the population behind the items, or of just these items."),
    option("--draw", multiple=True, type=INPUT_FILE,
           help="Draw probabilities of the labelled items, from `fiducial plan --next --out`; one file per round, in order."),
    option("--strata", metavar="COLUMN",
           help="Also estimate by stratum: a column of few values, `score` or, for a run, a tag of its cases. Needed for labels drawn by `fiducial plan --strata`; makes others more precise, too."),
    option("--labels-chosen-by", type=click.Choice(["score", "label", "elsewhere"]),
           help="How items were chosen for labels, if not at random: by the judge's score (stratified_ppi holds), by their true class (rogan_gladen "
                "holds), or by true class from elsewhere."),
    option("--phases", metavar="JUDGE,JUDGE",
           help="Judges of nested random samples, the one with most items first: combine them, as `fiducial plan --budget` planned."),
    option("--judges", metavar="JUDGE,JUDGE",
           help="Also combine these judges by a regression on the labels; the first is the judge of the other estimates."),
    option("--reweight-by", metavar="COLUMN,COLUMN",
           help="Also reweight labels by the columns that decided which items got one, such as a category. Map a column of numbers first: --map covariate:length=length."),
    option("--open-worse-by", type=Number(0, 1), metavar="POINTS",
           help="Correct undecided (open) outputs by the judge's errors on checked ones, if its TPR and TNR on undecided ones are lower by at most this much: 0.1 is ten points."),
)  # fmt: skip
def command(
    *,
    tables: tuple[Path, ...],
    labels: tuple[Path, ...],
    columns: tuple[str, ...],
    draw: tuple[Path, ...],
    json_file: str | None,
    phases: str | None,
    judges: str | None,
    reweight_by: str | None,
    **options: Any,
) -> None:
    """Correct a judge's pass rate with labels: PPI++, Rogan-Gladen and others.

    Other estimates are post-stratified and labels alone. Rows with a label are the labelled sample, which must be drawn at random from
    the items; if their scores show that it was not, no corrected rate is the answer until --labels-chosen-by
    says how they were chosen. Fractions are kept unless --pass-at is given. Of a run folder only undecided outputs are used:
    outputs that a checker decided need no correction, and their labels correct nothing else.
    """
    from ..api.table_statistics import estimate

    tags = [name for name in (options["strata"], *(reweight_by or "").split(",")) if name]
    open_only = options["open_worse_by"] is None
    table = load_table(tables, columns, labels, draws=draw, open_only=open_only, tags=tags)
    names = {"phases": phases, "judges": judges, "reweight_by": reweight_by}
    estimation = estimate(table, **{name: each.split(",") for name, each in names.items() if each}, **options)
    emit(estimation, json_file)
