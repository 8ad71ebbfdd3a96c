"""`fiducial trials`: estimate pass^k and pass@k over repeated trials."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from ..settings.verbs.trials import TrialsSettings
from .declared_options import options_of
from .printing import emit_page, print_gate_failures
from .table_options import load_table

_EXAMPLE = """\b
Examples:
  fiducial run cases.jsonl --generate my-model --trials 8 --out run
  fiducial trials run --k 1,4,8
  fiducial trials run --fail-under pass^4=0.5
  fiducial trials trials.csv --labels labels.csv --json trials.json
"""


@click.command("trials", epilog=_EXAMPLE)
@options_of(TrialsSettings)
def command(
    *,
    tables: tuple[Path, ...],
    labels: tuple[Path, ...],
    columns: tuple[str, ...],
    ks: tuple[int, ...] | None,
    gates: tuple[str, ...],
    html: Path | None,
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
    emit_page(rates, html, json_file=json_file)
    return print_gate_failures(
        trial_gate_failures(minimums, rates.systems, *(tables if len(tables) == 1 else ()))
    )
