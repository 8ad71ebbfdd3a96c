"""`fiducial calibrate`: how far judges agree with trusted labels."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from ..errors import UsageError
from .options import Number
from .table_input import emit, load_table, table_options

if TYPE_CHECKING:
    from ..calibration import IntervalOption, Table
    from ..calibration.cuts import PassAt
    from ..calibration.thresholds.results import Recalibrator

_LEVELS = range(2, 51)

_EXAMPLE = """\b
Example:
  fiducial calibrate verdicts.csv --column label=gold --json calibration.json
  fiducial calibrate RUN_FOLDER --slice system --fail-under cohen_kappa=0.6
"""


@click.command("calibrate", epilog=_EXAMPLE)
@table_options(resamples=True)
@click.option(
    "--interval",
    type=click.Choice(["wilson", "wald", "cluster-t", "bootstrap"]),
    help="Intervals as other software has them. Default: Wilson on the cluster-effective n for proportions, "
    "BCa cluster bootstrap for the rest.",
)
@click.option(
    "--slice", "slices", multiple=True, metavar="COLUMN", help="Also print each value of this column."
)
@click.option(
    "--label-audit",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Verdicts (JSONL) of a person on a random sample of the labelled items: corrects for errors of the labels.",
)
@click.option(
    "--max-error",
    type=Number(0, 1, min_open=True, max_open=True),
    help="Look for a confidence above which verdicts are wrong at most this often, guaranteed at 90 %.",
)
@click.option(
    "--cascade",
    metavar="A,B,...",
    help="With --max-error: judges asked one after another, each what those before it were not sure of, under one guarantee.",
)
@click.option(
    "--levels",
    metavar="A,B,...",
    help="All values that labels and scores can have (0,0.5,1): adds agreement on these categories.",
)
@click.option(
    "--threshold-for",
    metavar="STAT",
    help="Look for the score that should be --pass-at: the one that makes STAT largest, e.g. balanced_accuracy.",
)
@click.option(
    "--recalibrate",
    type=click.Choice(["isotonic", "platt"]),
    help="Map scores to rates, and say what that does to the Brier score on items that did not make the map.",
)
@click.option(
    "--fail-under",
    "gates",
    multiple=True,
    metavar="STAT=VALUE",
    help="Exit 1 when a judge is below VALUE, or has no value.",
)
def command(
    tables: tuple[Path, ...],
    labels: Path | None,
    columns: tuple[str, ...],
    pass_at: PassAt,
    seed: int,
    replicates: int,
    json_file: str | None,
    interval: IntervalOption | None,
    slices: tuple[str, ...],
    label_audit: Path | None,
    max_error: float | None,
    cascade: str | None,
    levels: str | None,
    threshold_for: str | None,
    recalibrate: Recalibrator | None,
    gates: tuple[str, ...],
) -> int:
    """Compare judges with trusted labels, every rate with its denominator and interval.

    TABLE is JSON Lines, CSV or Parquet with the columns item_id, judge, score, label (and cluster, system, repeat,
    order, where known), or a run folder.
    """
    from ..calibration import AGREEMENT, ESTIMATORS, Requests, calibrate, read_labels  # noqa: PLC0415 - numpy and scipy are slow to import
    from ..calibration.agreement.results import calibration_json  # noqa: PLC0415 - likewise
    from ..report.calibration_words import calibration_words  # noqa: PLC0415 - likewise
    from ..report.caution_words import sentences  # noqa: PLC0415 - likewise
    from ..report.lines import lines_of  # noqa: PLC0415 - likewise
    from .gates import judge_gates, parse_gates  # noqa: PLC0415 - likewise

    wanted = parse_gates(gates, ESTIMATORS)
    if threshold_for is not None and threshold_for not in AGREEMENT:
        raise UsageError(f"--threshold-for {threshold_for}: expected one of {', '.join(AGREEMENT)}")
    scale = None if levels is None else _parse_levels(levels)
    table = _with_lexical_baseline(load_table(tables, columns, labels), tables)
    for name in slices:
        if name not in table.columns:
            raise UsageError(f"--slice {name}: the table has no such column of few values; {table.slices()}")
    result = calibrate(
        table,
        pass_at=pass_at,
        interval=interval,
        seed=seed,
        replicates=replicates,
        requests=Requests(
            audit=None if label_audit is None else read_labels(label_audit),
            max_error=max_error,
            cascade=None if cascade is None else _parse_cascade(cascade, table, max_error),
            levels=scale,
            threshold_for=threshold_for,
            recalibrate=recalibrate,
        ),
    )
    failures = list(judge_gates(wanted, result.judges))
    shown = calibration_json(result) | {"warnings": sentences(result.cautions, result.judges)}
    emit(shown, lines_of(calibration_words(result, slices=slices)), json_file)
    for line in failures:
        click.echo(line, err=True)
    return 1 if failures else 0


def _with_lexical_baseline(table: Table, paths: tuple[Path, ...]) -> Table:
    """What comparing words says of the labelled outputs of run folders whose inputs are still there."""
    from ..calibration.tables.table import BASELINE  # noqa: PLC0415 - numpy and scipy are slow to import
    from ..evaluation.conclusion.lexical_baseline import lexical_scores  # noqa: PLC0415 - only run folders need it

    name = f"{BASELINE}lexical"
    folders = [path for path in paths if path.is_dir()]
    if not folders or name in table.numbers:
        return table
    labelled = table.labelled_items()
    scores = {item: score for folder in folders for item, score in lexical_scores(folder, labelled).items()}
    return table.with_numbers(name, scores) if scores else table


def _parse_cascade(text: str, table: Table, max_error: float | None) -> list[str]:
    if max_error is None:
        raise UsageError("--cascade is certified at --max-error; give both")
    names = text.split(",")
    for name in names:
        if name not in table.judge.values:
            raise UsageError(
                f"--cascade: there is no judge {name!r}; there are {', '.join(table.judge.values)}"
            )
    if len(set(names)) != len(names):
        raise UsageError("--cascade names a judge twice")
    return names


def _parse_levels(text: str) -> list[float]:
    try:
        levels = sorted({float(level) for level in text.split(",")})
    except ValueError:
        levels = []
    if len(levels) not in _LEVELS or not all(0 <= level <= 1 for level in levels):
        raise UsageError(
            f"--levels expects 2 to {_LEVELS[-1]} different numbers in [0, 1] (0,0.5,1), got {text!r}"
        )
    return levels
