"""Coverage of every interval and size of every test, on simulated judges.

    python benchmarks/calibration_coverage.py [DRAWS] [TABLE ...] [--short] [--workers 2] [--keep FOLDER]

2,000 draws take about twenty minutes on one core. Tables that resample much use a half or a quarter of the draws, and print
how many. Workers compute tables in parallel. Tables kept in a folder are reused for the same draws and the same code, so an
interrupted run continues.

Targets, for at least 100 labels and 30 of each class: 93.5 to 96.5 % for a nominal 95 %, at least 94.5 % for exact methods, at
most 5.5 % rejections under the null hypothesis.
"""

from __future__ import annotations

import hashlib
import time
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path

from commands import ROOT, described
from simulation import (
    beside,
    budgets,
    choices,
    comparisons,
    contests,
    drift,
    estimates,
    labels,
    localising,
    mean_scores,
    panel,
    plans,
    raters,
    trials,
    true_rate,
    uneven,
)
from simulation.tally import Table

TABLES: dict[str, Table] = {
    "binary": panel.binary,
    "few-clusters": panel.few_clusters,
    "uneven-rates": uneven.rates,
    "uneven-agreement": uneven.agreement,
    "graded": panel.graded,
    "means": panel.means,
    "mean-scores": mean_scores.mean_scores,
    "raters": raters.reliabilities,
    "probabilities": beside.probabilities,
    "recalibrations": beside.recalibrations,
    "systems": beside.systems,
    "rates": true_rate.rates,
    "chosen": estimates.chosen,
    "few-labels": estimates.few_labels,
    "widths": estimates.widths,
    "labelled-clusters": estimates.labelled_clusters,
    "finite": true_rate.finite,
    "active": true_rate.active,
    "rounds": beside.rounds,
    "strata": beside.fixed,
    "allocation": beside.allocated,
    "ranks": true_rate.ranking,
    "adjudications": labels.adjudications,
    "audits": labels.audits,
    "suspects": labels.suspects,
    "drift": drift.drift,
    "differences": comparisons.differences,
    "tests": comparisons.sizes,
    "clusters": contests.clusters,
    "systems-by-stratum": contests.strata,
    "certificates": choices.certificates,
    "cascades": beside.cascades,
    "thresholds": choices.thresholds,
    "cuts": choices.better_thresholds,
    "best": choices.best,
    "half-widths": plans.half_widths,
    "assured": plans.assured,
    "power": plans.power,
    "budgets": budgets.budgets,
    "trials": trials.trials,
    "localising": localising.localising,
}


def main() -> None:
    """Print the requested tables, or all."""
    parser = described(__doc__)
    parser.add_argument("draws", nargs="?", type=int, default=500)
    parser.add_argument("tables", nargs="*", metavar="TABLE", help=", ".join(TABLES))
    parser.add_argument(
        "--short", action="store_true", help="one line per table: the smallest and the largest number"
    )
    parser.add_argument("--workers", type=int, default=1, help="number of tables computed at a time")
    parser.add_argument("--keep", type=Path, metavar="FOLDER", help="folder that keeps finished tables")
    arguments = parser.parse_args()
    unknown = set(arguments.tables) - TABLES.keys()
    if unknown:
        parser.error(f"no such table: {', '.join(sorted(unknown))}; there are {', '.join(TABLES)}")
    names = arguments.tables or list(TABLES)
    make = partial(
        _printed, draws=arguments.draws, short=arguments.short, kept=_folder_of_code(arguments.keep)
    )
    with ProcessPoolExecutor(arguments.workers) as pool:
        for text in pool.map(make, names) if arguments.workers > 1 else map(make, names):
            print(text, flush=True)


def _printed(name: str, *, draws: int, short: bool, kept: Path | None) -> str:
    """Return the printed lines of a table, computed or read from ``kept``."""
    file = kept / f"{name}-{draws}{'-short' * short}.txt" if kept else None
    if file is not None and file.exists():
        return file.read_text("utf-8")
    started = time.perf_counter()
    lines = [
        line for tally in TABLES[name](draws) for line in (tally.short() if short else ("", *tally.lines()))
    ]
    text = "\n".join([*lines, f"({name}: {time.perf_counter() - started:.0f} s)"])
    if file is not None:
        file.parent.mkdir(parents=True, exist_ok=True)
        unfinished = file.with_suffix(".part")
        unfinished.write_text(text, "utf-8")
        unfinished.replace(file)
    return text


def _folder_of_code(folder: Path | None) -> Path | None:
    """Return the folder of tables made by the present code.

    After a change to a formula or simulation all tables are computed again.
    """
    if folder is None:
        return None
    code = hashlib.sha256()
    for part in (ROOT / "calibration", ROOT / "benchmarks" / "simulation"):
        for file in sorted(part.rglob("*.py")):
            code.update(file.read_bytes())
    return folder / code.hexdigest()[:16]


if __name__ == "__main__":
    main()
