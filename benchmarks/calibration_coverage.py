"""We test the tester: coverage of every interval and size of every test that the product prints, on simulated judges.

    python benchmarks/calibration_coverage.py [DRAWS] [TABLE ...] [--short]

2,000 draws take some ten minutes of one core; tables that resample much take a half or a quarter of the draws, and say how
many. Targets, for at least 100 labels and 30 of each class: 93.5 to 96.5 % for a nominal 95 %, at least 94.5 % for exact
methods, no more than 5.5 % rejections where the hypothesis holds.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "support"))

from simulation import (
    beside,
    budgets,
    choices,
    comparisons,
    contests,
    drift,
    estimates,
    labels,
    panel,
    plans,
    raters,
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
    "raters": raters.reliabilities,
    "probabilities": beside.probabilities,
    "recalibrations": beside.recalibrations,
    "systems": beside.systems,
    "rates": true_rate.rates,
    "chosen": estimates.chosen,
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
    "cuts": choices.cuts,
    "best": choices.best,
    "half-widths": plans.half_widths,
    "assured": plans.assured,
    "power": plans.power,
    "budgets": budgets.budgets,
}


def main() -> None:
    """Print the tables asked for, or all."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("draws", nargs="?", type=int, default=500)
    parser.add_argument("tables", nargs="*", metavar="TABLE", help=", ".join(TABLES))
    parser.add_argument(
        "--short", action="store_true", help="one line a table: the smallest and the largest number"
    )
    arguments = parser.parse_args()
    unknown = set(arguments.tables) - TABLES.keys()
    if unknown:
        parser.error(f"no such table: {', '.join(sorted(unknown))}; there are {', '.join(TABLES)}")
    for name in arguments.tables or TABLES:
        started = time.perf_counter()
        for tally in TABLES[name](arguments.draws):
            print("\n".join(tally.short() if arguments.short else ["", *tally.lines()]), flush=True)
        print(f"({name}: {time.perf_counter() - started:.0f} s)", flush=True)


if __name__ == "__main__":
    main()
