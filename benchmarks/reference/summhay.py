"""Six judges on levels 0, 0.5 and 1, item by item and as means over summaries."""

from __future__ import annotations

from typing import Any

import numpy as np
from reference_names import GRADED, LEVELS

from .devai import NORMAL, binary_panel, correction
from .ledger import Commands, Found, Ours, Rows, half_width, interval


def values(run: Commands, rows: Rows, expected: dict[str, Any]) -> Ours:
    """Every value that has a name."""
    ours: Ours = {}
    for judge in expected["per_insight"]:
        mine = [row for row in rows if row["judge"] == judge]
        _graded(ours, f"per_insight/{judge}", run, mine, judge)
        _levels(ours, f"per_insight/{judge}", run, mine, judge)
        binary_panel(ours, f"per_insight/{judge}/binarised_any_coverage", run, mine, judge)
        means = _summaries(mine)
        _graded(ours, f"per_summary_mean/{judge}", run, means, judge)
        by_system, how = run("calibrate", means)
        for system, panels in by_system["slices"]["system"].items():
            bias = panels[judge]["statistics"]["signed_bias"]["value"]
            ours[f"self_preference_delta/{judge}/{system}"] = Found(
                bias, f"{how}, of means of summaries, slices of system"
            )
            ours[f"published/values/{judge}/{system}"] = Found(
                bias, f"{how}, of means of summaries, slices of system", 0.00051
            )
        _published(ours, expected, judge)
    for count in (100, 300):
        mine = [row for row in rows if row["judge"] == "gpt-4o"]
        correction(ours, f"prevalence_correction/gpt-4o|n={count}", run, mine, count)
    return ours


def _published(ours: Ours, expected: dict[str, Any], judge: str) -> None:
    if judge in expected["published_correlation_and_linking"]["values"]:
        found = ours[f"per_insight/{judge}/pearson"]
        ours[f"published_correlation_and_linking/values/{judge}[0]"] = Found(found.value, found.how, 0.00051)


def _summaries(rows: Rows) -> Rows:
    groups: dict[str, list[tuple[float, float]]] = {}
    systems = {row["cluster"]: row["system"] for row in rows}
    for row in rows:
        groups.setdefault(row["cluster"], []).append((row["label"], row["score"]))
    return [
        {
            "item_id": summary,
            "judge": rows[0]["judge"],
            "system": systems[summary],
            "label": float(np.mean([label for label, _ in pairs])),
            "score": float(np.mean([score for _, score in pairs])),
        }
        for summary, pairs in groups.items()
    ]


def _graded(ours: Ours, path: str, run: Commands, rows: Rows, judge: str) -> None:
    result, how = run("calibrate", rows, "--interval", "wald")
    panel = result["judges"][judge]
    ours[f"{path}/n"], ours[f"{path}/n_missing"] = Found(panel["n"], how), Found(panel["n_missing"], how)
    for theirs, name in GRADED.items():
        ours[f"{path}/{theirs}"] = Found(panel["statistics"][name]["value"], how)
    interval(ours, f"{path}/pearson_ci95_fisher", panel["statistics"]["pearson"], how)
    ours[f"{path}/icc/ICC2"] = Found(panel["statistics"]["icc_a1"]["value"], how)
    means, how = run("estimate", rows)
    ours[f"{path}/mean_true"] = Found(means["all"]["estimates"]["labels_only"]["value"], how)
    ours[f"{path}/mean_judge"] = Found(means["all"]["judge_mean"], how)


def _levels(ours: Ours, path: str, run: Commands, rows: Rows, judge: str) -> None:
    result, how = run("calibrate", rows, "--levels", "0,0.5,1", "--interval", "wald")
    found = result["categories"][judge]
    for theirs, name in LEVELS.items():
        ours[f"{path}/{theirs}"] = Found(found["statistics"][name]["value"], how)
        ours[f"{path}/{theirs}_se"] = Found(half_width(found["statistics"][name]) / NORMAL, how)
    for row, counts in enumerate(found["table"]):
        for column, count in enumerate(counts):
            ours[f"{path}/table_true_rows_judge_cols[{row}][{column}]"] = Found(count, how)
