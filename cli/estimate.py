"""`fiducial estimate`: estimate the true pass rate from judge scores and some labels."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..settings.verbs.estimate import EstimateSettings
from .declared_options import options_of
from .printing import emit
from .table_options import load_table, show_choices

if TYPE_CHECKING:
    from ..api.table_results import Estimation

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
@options_of(EstimateSettings)
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
    dry_run: bool,
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
    if dry_run:
        show_choices(tables, columns, labels, lambda table: _rate_line(estimate(table, **options)))
        return
    table = load_table(tables, columns, labels, draws=draw, open_only=open_only, tags=tags)
    lists = {"phases": phases, "judges": judges, "reweight_by": reweight_by}
    estimation = estimate(table, **{name: text.split(",") for name, text in lists.items() if text}, **options)
    emit(estimation, json_file)


def _rate_line(estimation: Estimation) -> str:
    part = estimation.all
    value = "-" if part.rate.value is None else f"{part.rate.value:.2f}"
    correction = "uncorrected" if part.reported is None else f"{part.n_labelled:,} labels"
    return f"{'mean' if part.is_mean else 'pass rate'} {value} ({correction})"
