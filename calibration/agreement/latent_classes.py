"""Expectation maximization of Dawid and Skene's two-class model."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..arrays import FloatArray, ratio


class LatentClasses(NamedTuple):
    """The fitted model; leading axes are those of the weights.

    Attributes:
        prevalence: Share of right items, shape ``(...)``.
        true_positive_rate: True positive rate by rater, shape ``(..., J)``; NaN if it judged no such item.
        true_negative_rate: True negative rate by rater, in the same form.
        p_right: Chance that an item of each pattern is right, shape ``(..., k)``.
    """

    prevalence: FloatArray
    true_positive_rate: FloatArray
    true_negative_rate: FloatArray
    p_right: FloatArray


def majority(patterns: FloatArray) -> FloatArray:
    """Return the share of verdicts that pass, by pattern ``(J, k)``: where the fit starts."""
    passed, failed = _verdicts(patterns)
    return passed.sum(axis=0) / (passed + failed).sum(axis=0)


def fit_classes(
    patterns: FloatArray, counts: FloatArray, start: FloatArray, *, steps: int, tolerance: float
) -> LatentClasses:
    """Fit the model to weighted patterns of verdicts.

    Source: Dawid and Skene 1979.

    Args:
        patterns: Distinct verdicts, 1, 0 or neither without one, shape ``(J, k)``.
        counts: Weight of each pattern, shape ``(..., k)``.
        start: Chance that an item of each pattern is right to begin with, shape ``(..., k)``.
        steps: Most steps.
        tolerance: Change of all chances below which the fit stops.
    """
    passed, failed = _verdicts(patterns)
    p_right = start
    for _ in range(steps):
        prevalence, rates = _m_step(p_right, passed, failed, counts)
        before, p_right = p_right, _e_step(prevalence, rates, passed, failed)
        if np.abs(p_right - before).max() < tolerance:
            break
    prevalence, rates = _m_step(p_right, passed, failed, counts)
    return LatentClasses(prevalence, *rates, p_right)


def _verdicts(patterns: FloatArray) -> tuple[FloatArray, FloatArray]:
    return (patterns == 1).astype(np.float64), (patterns == 0).astype(np.float64)


def _m_step(
    p_right: FloatArray, passed: FloatArray, failed: FloatArray, counts: FloatArray
) -> tuple[FloatArray, tuple[FloatArray, FloatArray]]:
    """Return the prevalence and the raters' rates that maximize the expected likelihood."""
    expected_right, expected_wrong = counts * p_right, counts * (1 - p_right)
    judged = (passed + failed).T
    tpr = ratio(expected_right @ passed.T, expected_right @ judged)
    tnr = ratio(expected_wrong @ failed.T, expected_wrong @ judged)
    return expected_right.sum(axis=-1) / counts.sum(axis=-1), (tpr, tnr)


def _e_step(
    prevalence: FloatArray, rates: tuple[FloatArray, FloatArray], passed: FloatArray, failed: FloatArray
) -> FloatArray:
    """Return the posterior probability that items of each pattern are right."""
    # The rate of an empty class is unknown. Rates are kept above 0 so that their logarithms are finite.
    tpr, tnr = (np.clip(np.nan_to_num(rate, nan=0.5), 1e-300, 1.0) for rate in rates)
    fnr, fpr = (np.clip(1 - rate, 1e-300, 1.0) for rate in (tpr, tnr))
    right, wrong = (np.log(np.clip(array, 1e-300, 1.0))[..., None] for array in (prevalence, 1 - prevalence))
    log_right = right + np.log(tpr) @ passed + np.log(fnr) @ failed
    log_wrong = wrong + np.log(tnr) @ failed + np.log(fpr) @ passed
    return 1 / (1 + np.exp(np.clip(log_wrong - log_right, -700, 700)))
