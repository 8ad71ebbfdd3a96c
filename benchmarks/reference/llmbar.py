"""One judge's fifteen prompts in both orders: comparisons, and verdicts the order flips."""

from __future__ import annotations

from typing import Any

import numpy as np

from fiducial.calibration.comparison.significance import benjamini_hochberg, holm

from .devai import NORMAL
from .ledger import Commands, Found, Ours, Rows, half_width, interval

VANILLA = "GPT-4:Vanilla"


def values(run: Commands, rows: Rows, expected: dict[str, Any]) -> Ours:
    """Every value that has a name."""
    ours: Ours = {}
    _prompts(ours, run, rows)
    cells: dict[str, Rows] = {}
    for row in rows:
        cells.setdefault(f"{row['subset']}|{row['judge']}", []).append(row)
    for cell in expected["cells"]:
        _orders(ours, f"cells/{cell}", run, cells[cell])
    return ours


def _prompts(ours: Ours, run: Commands, rows: Rows) -> None:
    first = [row for row in rows if row["order"] == "AB"]
    unanswered = {row["item_id"] for row in first if row["score"] is None}
    common = [row for row in first if row["item_id"] not in unanswered]
    result, how = run("compare", common, "--against", VANILLA, "--interval", "wald")
    how = f"{how}, of the items that every prompt answered in this order"
    exact: dict[str, float] = {}
    for pair in result["pairs"]:
        name = f"{pair['a']} vs {pair['b']}"
        path = f"prompts_vs_vanilla_order_AB/{name}"
        exact[name] = pair["exact_p"]
        counts = {
            "n": pair["n"],
            "both_right": pair["both_right"],
            "only_first_right": pair["a_only_right"],
            "only_second_right": pair["b_only_right"],
            "both_wrong": pair["both_wrong"],
            "mcnemar_exact_p": pair["exact_p"],
            "mcnemar_midp": pair["midp"],
            "accuracy_difference": pair["difference"]["value"],
            "difference_se_paired": half_width(pair["difference"]) / NORMAL,
        }
        for key, value in counts.items():
            ours[f"{path}/{key}"] = Found(value, how)
        interval(ours, f"{path}/difference_ci95_wald", pair["difference"], how)
    for key, method in (("holm", holm), ("bh", benjamini_hochberg)):
        for name, p in zip(exact, method(np.array(list(exact.values()))).tolist(), strict=True):
            ours[f"adjusted/{key}/{name}"] = Found(p, f"calibration.multiple_tests, {key}, of the exact p")
    ours["n_common"] = Found(result["pairs"][0]["n"], how)


def _orders(ours: Ours, path: str, run: Commands, rows: Rows) -> None:
    """One prompt on one subset: the two orders as two judges, and as label and score of one."""
    by_order = {order: [row for row in rows if row["order"] == order] for order in ("AB", "BA")}
    judged = [
        {key: row[key] for key in ("item_id", "label", "score")} | {"judge": row["order"]} for row in rows
    ]
    panels, how = run("calibrate", judged)
    right = {order: panels["judges"][order]["tp"] + panels["judges"][order]["tn"] for order in by_order}
    for order, panel in panels["judges"].items():
        ours[f"{path}/right_{order}"] = Found(right[order], how)
        ours[f"{path}/missing_{order}"] = Found(panel["n_missing"], how)
        ours[f"{path}/published/correct_{'False' if order == 'AB' else 'True'}"] = Found(
            right[order], how, -1
        )
    ours[f"{path}/n"] = Found(len(by_order["AB"]), how)
    shares = [
        panels["judges"][order]["missing"]["accuracy"]["count_as_disagreement"]["value"] for order in by_order
    ]
    ours[f"{path}/accuracy_average"] = Found(
        sum(shares) / 2, f"{how}, mean of both orders, missing counted wrong"
    )
    pairs, how = run("compare", judged)
    ours[f"{path}/right_both"] = Found(pairs["pairs"][0]["both_right"], how)
    seconds = {row["item_id"]: row["score"] for row in by_order["BA"]}
    turned = [
        {"item_id": row["item_id"], "judge": "AB", "score": row["score"], "label": seconds[row["item_id"]]}
        for row in by_order["AB"]
    ]
    steady, how = run("calibrate", turned)
    panel, how = steady["judges"]["AB"], f"{how}, one order as the label of the other"
    ours[f"{path}/same_both_orders"] = Found(panel["tp"] + panel["tn"], how)
    same = (panel["tp"] + panel["tn"]) / len(turned)
    ours[f"{path}/order_agreement_rate"] = Found(same, f"{how}; of all, missing counted as differing")
    kappa = Found(panel["statistics"]["cohen_kappa"]["value"], how)
    ours[f"{path}/order_agreement_kappa"] = ours[f"{path}/published/kappa_agreement"] = kappa
    # Output 1 is shown first in order AB: passing it there and not in BA is a taste for what comes first.
    ours[f"{path}/prefers_first_shown"] = Found(panel["fp"], how)
    ours[f"{path}/prefers_second_shown"] = Found(panel["fn"], how)
    printed = {
        "correct_False": right["AB"],
        "correct_True": right["BA"],
        "correct_average": (right["AB"] + right["BA"]) / 2,
        "correct_both": pairs["pairs"][0]["both_right"],
        "equal": panel["tp"] + panel["tn"],
    }
    for key, count in printed.items():
        ours[f"{path}/published/{key}"] = Found(count / len(turned), "of the counts above", 0.00051)
    sides, how = run("compare", judged, "--right", "score")
    ours[f"{path}/position_sign_test_p"] = Found(sides["pairs"][0]["exact_p"], how)
