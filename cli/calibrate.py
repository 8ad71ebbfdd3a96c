"""`fiducial calibrate`: measure agreement of judges with trusted labels."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..errors import UsageError
from ..settings.verbs.calibrate import CalibrateSettings
from .declared_options import options_of
from .exit_codes import EXIT_OK
from .option_sources import require_untyped
from .printing import emit, print_gate_failures
from .table_options import load_pairs, load_table, show_choices

if TYPE_CHECKING:
    from ..api.table_results import Calibration

_SINGLE_OUTPUT_OPTIONS = ("adjudications", "slices", "cascade", "levels", "pass_at", "label_audit", "max_error", "threshold_for", "recalibrate", "interval", "error_costs")  # fmt: skip
"""Options that mean nothing for verdicts on pairs."""

_EXAMPLE = """\b
Example:
  fiducial calibrate verdicts.csv --column label=gold --json calibration.json
  fiducial calibrate RUN_FOLDER --slice system --fail-under cohen_kappa=0.6
"""


@click.command("calibrate", epilog=_EXAMPLE)
@options_of(CalibrateSettings)
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
    dry_run: bool,
    **options: Any,
) -> int:
    """Compare judges with trusted labels, every rate with its denominator and interval.

    TABLE is JSON Lines, CSV or Parquet with the columns item_id, judge, score, label (and cluster, system, repeat,
    order, if known), or a run folder; or a table of pairs of outputs, with a judge's choices and people's.
    """
    from ..api.gates import judge_gate_failures, parse_gates
    from ..api.pair_results import pair_calibration
    from ..api.table_statistics import STATISTICS, calibrate

    if options["label_audit"] is None:
        require_untyped(["label_audit_by"], "goes with --label-audit")
    minimums = parse_gates(gates, STATISTICS)
    if dry_run:
        fast_options: dict[str, Any] = {**options, "replicates": 100}  # no interval is shown
        show_choices(tables, columns, labels, lambda table: _accuracies(calibrate(table, **fast_options)))
        return EXIT_OK
    pairs = load_pairs(tables, columns, labels)
    if pairs is not None:
        require_untyped(_SINGLE_OUTPUT_OPTIONS, "is for verdicts on single outputs; these are on pairs")
        pair_results = pair_calibration(pairs, replicates=options["replicates"])
        emit(pair_results, json_file)
        return print_gate_failures(judge_gate_failures(minimums, pair_results.judges))
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
        full=partial(calibration.document, slices=slices),
        screen=partial(calibration.screen, slices=slices),
    )
    return print_gate_failures(judge_gate_failures(minimums, calibration.judges))


def _accuracies(calibration: Calibration) -> str:
    rates = ((name, judge.statistics["accuracy"]) for name, judge in calibration.judges.items())
    return ", ".join(
        f"{name} accuracy {'-' if rate.value is None else f'{rate.value:.2f}'} (n {rate.n:,})"
        for name, rate in rates
    )


def _numbers(text: str) -> list[float]:
    try:
        return [float(level) for level in text.split(",")]
    except ValueError:
        raise UsageError(f"--levels expects numbers separated by commas (0,0.5,1), got {text!r}") from None
