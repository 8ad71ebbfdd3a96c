"""Estimates of cases with unequal trials and weight 1, by how labels were chosen."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from each_row import each_row

import fiducial as fd
from fiducial.calibration.arrays import FloatArray


def rows() -> list[dict[str, Any]]:
    """Return trials of 40 easy cases (two each) and 40 hard ones (six), a third labelled."""
    rng = np.random.default_rng(6)
    result: list[dict[str, Any]] = []
    for case in range(80):
        hard = case % 2 == 1
        for trial in range(6 if hard else 2):
            right = rng.random() < (0.4 if hard else 0.9)
            passed = right if rng.random() < 0.85 else not right
            result.append(
                {
                    "item_id": f"c{case}|s|{trial}",
                    "judge": "j",
                    "cluster": f"c{case}",
                    "kind": "hard" if hard else "easy",
                    "score": float(passed),
                    "label": float(right) if rng.random() < 0.35 else None,
                }
            )
    return result


ROWS = rows()
SCORE: FloatArray = np.array([row["score"] for row in ROWS])
LABEL: FloatArray = np.array([np.nan if row["label"] is None else row["label"] for row in ROWS])
HARD = np.array([row["kind"] == "hard" for row in ROWS])
WEIGHT: FloatArray = np.where(HARD, 1 / 6, 1 / 2)
KNOWN = np.isfinite(LABEL)


def mean(values: FloatArray, rows: np.ndarray) -> float:
    return float(WEIGHT[rows] @ values[rows] / WEIGHT[rows].sum())


def test_rogan_and_gladens_rates_are_of_cases():
    found = fd.estimate(ROWS, labels_chosen_by="label").all
    sensitivity = mean(SCORE, KNOWN & (LABEL == 1.0))
    specificity = 1 - mean(SCORE, KNOWN & (LABEL == 0.0))
    rate = mean(SCORE, np.ones(len(ROWS), dtype=bool))
    assert found.reported == "rogan_gladen"
    assert found.rate.value == pytest.approx((rate + specificity - 1) / (sensitivity + specificity - 1))
    elsewhere = fd.estimate(ROWS, labels_chosen_by="elsewhere").all
    others = mean(SCORE, ~KNOWN)
    assert elsewhere.rate.value == pytest.approx((others + specificity - 1) / (sensitivity + specificity - 1))


def test_post_stratified_means_are_of_cases():
    found = fd.estimate(ROWS, labels_chosen_by="random").all.estimates["post_stratified"]
    passed = SCORE == 1.0
    rate = mean(SCORE, ~KNOWN)
    by_hand = rate * mean(LABEL, KNOWN & passed) + (1 - rate) * mean(LABEL, KNOWN & ~passed)
    assert found.value == pytest.approx(by_hand)
    assert found.low is not None


def test_strata_weigh_by_their_cases():
    found = fd.estimate(ROWS, strata="kind").all
    assert found.reported == "stratified_ppi"
    assert found.strata is not None
    # Half of the cases are hard, and three in four outputs.
    parts = [found.strata[kind].estimate.value or 0.0 for kind in ("easy", "hard")]
    assert found.rate.value == pytest.approx(sum(parts) / 2, abs=0.01)


@each_row(
    ("options", "name"),
    [
        ({"labels_chosen_by": "random", "target": "finite"}, "ppi_plus_plus"),
        ({"strata": "kind", "target": "finite"}, "stratified_ppi"),
    ],
)
def test_a_finite_set_is_refused_with_its_reason(options: dict[str, Any], name: str):
    found = fd.estimate(ROWS, **options).all.estimates[name]
    assert found.value is None
    assert "unequal numbers of trials" in (found.undefined or "")


def test_labels_drawn_with_unequal_chances_are_refused_with_their_reason():
    drawn = [row | {"label_probability": 0.35 if row["label"] is not None else None} for row in ROWS]
    found = fd.estimate(drawn).all.estimates["active"]
    assert found.value is None
    assert "unequal numbers of trials" in (found.undefined or "")
