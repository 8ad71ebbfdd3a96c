"""Time and memory of the cluster bootstrap, and of panel and command on a million rows.

Run it with ``make bench``, or by itself.
"""

from __future__ import annotations

import json
import tempfile
import time
from pathlib import Path

import numpy as np
from commands import FIDUCIAL, peak_megabytes, run_to_end

from fiducial.calibration import ESTIMATORS, Sample, Settings, make_sample, measure
from fiducial.calibration.intervals.bootstrap import bootstrap

ROWS, CLUSTERS, REPLICATES = 100_000, 10_000, 10_000
SLICES = {"task": 2, "source": 3, "length": 4, "language": 5, "topic": 6, "day": 7}


def simulate(rows: int, clusters: int, *, graded: bool = False) -> Sample:
    """Simulate a judge of about 0.85 accuracy, with clusters that are easy or hard."""
    rng = np.random.default_rng(20260101)
    cluster = rng.integers(clusters, size=rows)
    ease = rng.normal(size=clusters)[cluster]
    label = (ease + rng.normal(size=rows) > 0).astype(float)
    right = rng.random(rows) < 1 / (1 + np.exp(-1.75 - ease))
    score = np.where(right, label, 1 - label)
    if graded:
        score = np.clip(score + rng.normal(scale=0.1, size=rows), 0, 1)
    return make_sample(label, score, cluster)


def timed_bootstrap() -> None:
    """Time the bootstrap of kappa, MCC and TPR: 10,000 replicates in 10,000 clusters.

    There are 100,000 rows; the target is 2 seconds on one core.
    """
    sample = simulate(ROWS, CLUSTERS)
    before = peak_megabytes()
    started = time.perf_counter()
    names = ("cohen_kappa", "mcc", "true_positive_rate")
    bootstrap([ESTIMATORS[name].of(sample.cells) for name in names], sample, replicates=REPLICATES, seed=0)
    took = time.perf_counter() - started
    print(f"bootstrap of {', '.join(names)}: {REPLICATES:,} replicates, {ROWS:,} rows, {CLUSTERS:,} clusters")
    print(
        f"  {took:.2f} s, {peak_megabytes() - before:.0f} MB more than before, {len(sample.sizes)} groups of clusters; "
        f"{time.process_time():.2f} s of processor since the process started, imports and data included"
    )


def timed_panel(rows: int, clusters: int, *, graded: bool) -> None:
    """Time every statistic with its interval, on simulated data."""
    started = time.perf_counter()
    sample = simulate(rows, clusters, graded=graded)
    reduced = time.perf_counter()
    measure(ESTIMATORS.values(), sample, Settings())
    took = time.perf_counter() - reduced
    kind = "fractional" if graded else "0/1"
    print(
        f"whole panel, {rows:,} {kind} rows in {clusters:,} clusters ({len(sample.cells.label):,} distinct pairs)"
    )
    print(
        f"  {reduced - started:.2f} s to simulate and reduce, {took:.2f} s to measure, peak {peak_megabytes():.0f} MB"
    )


def write_table(path: Path, rows: int, clusters: int) -> None:
    """Write a judge's 0/1 verdicts as JSON Lines, with a column for each of the slices."""
    rng = np.random.default_rng(20260102)
    label = rng.integers(2, size=rows)
    score = np.where(rng.random(rows) < 0.85, label, 1 - label)
    columns = {"score": score, "label": label, "cluster": rng.integers(clusters, size=rows)}
    columns |= {name: rng.integers(count, size=rows) for name, count in SLICES.items()}
    with path.open("w", encoding="utf-8") as file:
        for number, row in enumerate(zip(*(column.tolist() for column in columns.values()), strict=True)):
            values = {"item_id": f"q{number}", "judge": "j", **dict(zip(columns, row, strict=True))}
            file.write(json.dumps(values) + "\n")


def timed_command(rows: int, clusters: int) -> None:
    """Time ``fiducial calibrate`` on a file, from start to exit, in its own process."""
    with tempfile.TemporaryDirectory() as folder:
        table = Path(folder) / "table.jsonl"
        write_table(table, rows, clusters)
        used = run_to_end([FIDUCIAL, "calibrate", str(table)], Path(folder))
    print(
        f"fiducial calibrate, a file of {rows:,} rows in {clusters:,} clusters, "
        f"{len(SLICES)} slices of {sum(SLICES.values())} values"
    )
    print(f"  {used.wall:.1f} s, {used.processor:.1f} s of processor, peak {used.memory:.0f} MB")


def main() -> None:
    """Print all measurements."""
    timed_bootstrap()
    timed_panel(2_000, 2_000, graded=False)
    timed_panel(2_000, 2_000, graded=True)
    timed_panel(1_000_000, 50_000, graded=False)
    timed_panel(100_000, 10_000, graded=True)
    timed_command(1_000_000, 50_000)


if __name__ == "__main__":
    main()
