"""Rates corrected by an audit of the labels: the correction, small audits, and refusals."""

from __future__ import annotations

import numpy as np
import pytest
from known_numbers import ends_of, reason_of

from fiducial.calibration import Sample, Settings, make_sample, table_from_rows
from fiducial.calibration.agreement.label_audit import (
    audit_effect,
    audited_verdicts,
    corrected_rates,
    doubly_sampled,
)
from fiducial.calibration.intervals.closed_forms import wilson_interval


def table(tn: int, fp: int, fn: int, tp: int) -> Sample:
    """Rows of a checker's label and a judge's score."""
    times = [tn, fp, fn, tp]
    return make_sample(np.repeat([0.0, 0, 1, 1], times), np.repeat([0.0, 1, 0, 1], times))


def test_the_correction_undoes_what_errors_of_the_labels_did() -> None:
    # 600 right, 400 wrong; labels miss a quarter of the right and pass a tenth of the wrong; the judge errs by a tenth.
    right_passed, right_failed, wrong_passed, wrong_failed = 540, 60, 40, 360
    tp = 0.75 * right_passed + 0.1 * wrong_passed
    fn = 0.75 * right_failed + 0.1 * wrong_failed
    sample = table(60 - 45 + 360 - 36, round(580 - tp), round(fn), round(tp))
    found = corrected_rates(sample, np.array([[90.0, 10.0], [25.0, 75.0]]))
    assert found.prevalence.value == pytest.approx(0.6, abs=2e-3)
    assert found.true_positive_rate.value == pytest.approx(0.9, abs=2e-3)
    assert found.true_negative_rate.value == pytest.approx(0.9, abs=5e-3)


def test_rates_of_the_labels_have_wilsons_interval() -> None:
    found = corrected_rates(table(400, 50, 50, 500), np.array([[30.0, 0.0], [4.0, 36.0]]))
    specificity, sensitivity = found.label_specificity, found.label_sensitivity
    assert (specificity.low, specificity.high) == pytest.approx(wilson_interval(1.0, 30))
    assert (sensitivity.low, sensitivity.high) == pytest.approx(wilson_interval(0.9, 40))


def test_an_audit_that_saw_no_error_does_not_prove_that_there_is_none() -> None:
    sample = table(400, 50, 50, 500)
    few, many = (corrected_rates(sample, np.array([[n, 0.0], [0.0, n]])) for n in (20.0, 2_000.0))
    width = [
        (rates.true_positive_rate.high or 0) - (rates.true_positive_rate.low or 0) for rates in (few, many)
    ]
    assert few.true_positive_rate.value == many.true_positive_rate.value
    assert width[0] > 1.5 * width[1]


@pytest.mark.parametrize(
    "audit", [[[5.0, 5.0], [6.0, 4.0]], [[10.0, 0.0], [0.0, 0.0]]], ids=["no better than chance", "one class"]
)
def test_labels_that_say_nothing_correct_nothing(audit: list[list[float]]) -> None:
    found = corrected_rates(table(40, 5, 5, 50), np.array(audit))
    assert found.true_positive_rate.value is None
    assert "no better than chance, or lacks a class" in (found.true_positive_rate.undefined or "")
    assert found.label_specificity.value is not None


def simulated(rng: np.random.Generator, shared: float) -> tuple[Sample, np.ndarray, np.ndarray]:
    """Return 1,000 rows, 200 of them audited; the judge copies a share of the labels' errors.

    Labels miss a quarter; the judge's TPR is 0.95 and its TNR 0.85.
    """
    right = rng.random(1_000) < 0.6
    label = np.where(right, rng.random(1_000) < 0.75, rng.random(1_000) >= 0.97)
    score = np.where(right, rng.random(1_000) < 0.95, rng.random(1_000) >= 0.85)
    score = np.where((label != right) & (rng.random(1_000) < shared), label, score)
    verdicts = np.zeros((2, 2, 2))
    np.add.at(verdicts, tuple(array[:200].astype(int) for array in (label, score, right)), 1.0)
    return make_sample(label.astype(float), score.astype(float)), verdicts.sum(axis=1).T, verdicts


@pytest.mark.parametrize("shared", [0.0, 0.8])
def test_double_sampling_covers_the_judges_rate_whatever_errors_it_shares_with_the_labels(
    shared: float,
) -> None:
    rng, rate, hits = np.random.default_rng(3), 0.95 * (1 - 0.25 * shared), np.zeros(2)
    for seed in range(150):
        sample, audit, verdicts = simulated(rng, shared)
        settings = Settings(seed=seed, replicates=400)
        for place, found in enumerate(
            (doubly_sampled(sample, audit, verdicts, settings), corrected_rates(sample, audit, settings))
        ):
            low, high = ends_of(found.true_positive_rate)
            hits[place] += low <= rate <= high
    # Three Monte Carlo errors below 95 %.
    assert hits[0] / 150 >= 0.895
    assert (hits[1] / 150 < 0.5) == (shared > 0)


def test_an_audit_of_everything_is_the_truth() -> None:
    verdicts = np.array([[[30.0, 2.0], [8.0, 5.0]], [[3.0, 4.0], [1.0, 47.0]]])
    sample = table(*verdicts.sum(axis=-1).astype(int).ravel().tolist())
    found = doubly_sampled(sample, verdicts.sum(axis=1).T, verdicts)
    assert found.prevalence.value == pytest.approx(58 / 100)
    assert found.true_positive_rate.value == pytest.approx(52 / 58)
    assert found.true_negative_rate.value == pytest.approx(33 / 42)


def test_a_pair_that_was_not_audited_is_right_as_often_as_its_label() -> None:
    verdicts = np.array([[[9.0, 1.0], [0.0, 0.0]], [[0.0, 0.0], [2.0, 18.0]]])
    found = doubly_sampled(table(40, 10, 10, 40), verdicts.sum(axis=1).T, verdicts)
    assert found.prevalence.value == pytest.approx(0.5 * 0.1 + 0.5 * 0.9)


@pytest.mark.parametrize(
    ("verdicts", "why"),
    [
        (np.zeros((2, 2, 2)), "no audited item has a verdict of this judge"),
        (
            np.array([[[0.0, 0], [0, 0]], [[1, 4], [1, 9]]]),
            "no item that the labels pass, or none that they fail",
        ),
        (np.array([[[0.0, 3], [0, 4]], [[0, 4], [0, 9]]]), "no right item, or no wrong one"),
    ],
    ids=["not judged", "one label", "one class"],
)
def test_an_audit_that_lacks_what_is_needed_corrects_nothing(verdicts: np.ndarray, why: str) -> None:
    found = doubly_sampled(table(40, 5, 5, 50), verdicts.sum(axis=1).T, verdicts)
    assert why in reason_of(found.true_negative_rate)


def test_an_item_judged_twice_counts_once() -> None:
    rows = [
        {"item_id": item, "judge": "j", "repeat": repeat, "score": float(repeat), "label": 1}
        for item in "ab"
        for repeat in (0, 1)
    ]
    counts = audited_verdicts(table_from_rows(rows), {"a": 1.0})
    assert counts.tolist() == [[[0.0, 0.0], [0.0, 0.0]], [[0.0, 0.5], [0.0, 0.5]]]


def audited_cases(*, rows: int) -> float:
    """Return the design effect of an audit where every fifth case has wrong labels.

    There are 100 outputs, in clusters of the given size.
    """
    wrong = np.arange(100) // 5 % 5 == 0
    table = table_from_rows(
        {
            "item_id": f"i{n}",
            "judge": "j",
            "score": 1.0,
            "label": float(n % 2),
            "cluster": str(n // rows),
        }
        for n in range(100)
    )
    return audit_effect(table, {f"i{n}": float(n % 2 != wrong[n]) for n in range(100)})


def test_an_audit_of_whole_cases_counts_by_what_its_errors_share():
    assert audited_cases(rows=1) == 1.0
    assert audited_cases(rows=5) > 3.0
