"""`fiducial trials`: estimate pass^k and pass@k over repeated trials."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from ..errors import UsageError
from .printing import emit, print_gate_failures
from .shared_options import option
from .table_options import load_table, table_options

_EXAMPLE = """\b
Examples:
  fiducial run cases.jsonl --generate my-model --trials 8 --out run
  fiducial trials run --k 1,4,8
  fiducial trials run --fail-under pass^4=0.5
  fiducial trials trials.csv --labels labels.csv --json trials.json
"""


def _numbers(_ctx: click.Context, _param: click.Parameter, text: str | None) -> tuple[int, ...] | None:
    if text is None:
        return None
    try:
        return tuple(int(each) for each in text.split(","))
    except ValueError as error:
        raise UsageError(f"--k {text}: expected whole numbers separated by commas") from error


@click.command("trials", epilog=_EXAMPLE)
@table_options(resamples=False)
@option(
    *("--k", "ks"),
    metavar="N,N,...",
    callback=_numbers,
    help="Numbers of trials.  [default: those of a case, and powers of two below]",
)
@option(
    "--fail-under",
    "gates",
    multiple=True,
    metavar="pass^K=VALUE",
    help="Exit 1 when pass^K or pass@K of a system, not the lower end of its interval, is below VALUE, or undefined; may be given several times.",
)
def command(
    *,
    tables: tuple[Path, ...],
    labels: tuple[Path, ...],
    columns: tuple[str, ...],
    ks: tuple[int, ...] | None,
    gates: tuple[str, ...],
    json_file: str | None,
    **options: Any,
) -> int:
    """Estimate pass^k (all of k trials pass) and pass@k (at least one does).

    Trials of a case count together. If a judge graded, labels correct its errors, which grow with k.
    """
    from ..api.gates import parse_trial_gates, trial_gate_failures, trials_in_gates
    from ..api.trials import trials

    minimums = parse_trial_gates(gates)
    if minimums:
        ks = (*(ks or ()), *trials_in_gates(minimums))
    table = load_table(tables, columns, labels, outputs=True)
    rates = trials(table.with_pass_at(options["pass_at"]), ks)
    emit(rates, json_file)
    return print_gate_failures(trial_gate_failures(minimums, rates.systems))
