"""`fiducial calibrate`: measure agreement of judges with trusted labels."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import click

from ..errors import UsageError
from .option_sources import refuse_typed
from .param_types import INPUT_FILE, Number
from .printing import emit, print_gate_failures
from .shared_options import compose, option
from .table_options import load_table, table_options

_EXAMPLE = """\b
Example:
  fiducial calibrate verdicts.csv --column label=gold --json calibration.json
  fiducial calibrate RUN_FOLDER --slice system --fail-under cohen_kappa=0.6
"""


@click.command("calibrate", epilog=_EXAMPLE)
@table_options(resamples=True)
@compose(
    option("--interval", type=click.Choice(["wilson", "wald", "cluster-t", "bootstrap"]),
           help="Intervals of another kind, to compare with other software. Default: Wilson on the cluster-effective n for proportions, BCa cluster bootstrap for the rest."),
    option("--slice", "slices", multiple=True, metavar="COLUMN", help="Also print each value of this column."),
    option("--label-audit", type=INPUT_FILE,
           help="A person's verdicts (JSONL) on a random sample of the labelled items, to correct for wrong labels."),
    option("--label-audit-by", type=click.Choice(["double-sampling", "gart-buck"]), default="double-sampling",
           help="gart-buck needs no verdicts on the audited items, and holds only if judge and labels share no errors."),
    option("--adjudications", type=INPUT_FILE,
           help="People's decisions on who is right if judge and label differ (`fiducial review --of disagreements`), besides those in run folders."),
    option("--max-error", type=Number(0, 1, min_open=True, max_open=True),
           help="Find the confidence above which verdicts are wrong at most this often, guaranteed at 90 %."),
    option("--cascade", metavar="A,B,...",
           help="Certify a cascade of judges together; each gets the items that earlier ones were unsure of (needs --max-error)."),
    option("--levels", metavar="A,B,...", help="All values that labels and scores can have (0,0.5,1): adds agreement on these categories."),
    option("--threshold-for", metavar="STAT",
           help="Find the --pass-at that maximises STAT, e.g. balanced_accuracy."),
    option("--recalibrate", type=click.Choice(["isotonic", "platt"]),
           help="Map scores to rates, and print the Brier score on held-out items before and after."),
    option("--fail-under", "gates", multiple=True, metavar="STAT=VALUE", help="Exit 1 when a judge's value, not the lower end of its interval, is below VALUE, or undefined."),
)  # fmt: skip
def command(
    *,
    tables: tuple[Path, ...],
    labels: tuple[Path, ...],
    columns: tuple[str, ...],
    adjudications: Path | None,
    json_file: str | None,
    slices: tuple[str, ...],
    gates: tuple[str, ...],
    cascade: str | None,
    levels: str | None,
    **options: Any,
) -> int:
    """Compare judges with trusted labels, every rate with its denominator and interval.

    TABLE is JSON Lines, CSV or Parquet with the columns item_id, judge, score, label (and cluster, system, repeat,
    order, if known), or a run folder.
    """
    from ..api.gates import judge_gate_failures, parse_gates
    from ..api.table_statistics import STATISTICS, calibrate

    if options["label_audit"] is None:
        refuse_typed(["label_audit_by"], "goes with --label-audit")
    minimums = parse_gates(gates, STATISTICS)
    table = load_table(tables, columns, labels, lexical=True, adjudications=adjudications)
    for name in slices:
        if name not in table.columns:
            raise UsageError(f"--slice {name}: the table has no such column of few values; {table.slices()}")
    calibration = calibrate(
        table,
        cascade=None if cascade is None else cascade.split(","),
        levels=None if levels is None else _numbers(levels),
        **options,
    )
    emit(
        calibration,
        json_file,
        full=calibration.document(slices=slices),
        screen=partial(calibration.screen, slices=slices),
    )
    return print_gate_failures(judge_gate_failures(minimums, calibration.judges))


def _numbers(text: str) -> list[float]:
    try:
        return [float(level) for level in text.split(",")]
    except ValueError:
        raise UsageError(f"--levels expects numbers separated by commas (0,0.5,1), got {text!r}") from None
