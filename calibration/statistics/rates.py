"""Rates and scores of the 2x2 table, and agreement beyond chance.

Tables are ``[[tn, fp], [fn, tp]]``, shape ``(..., 2, 2)``: rows are the trusted label, columns the judge, and "pass"
is positive.

Tables of categories are counts ``(..., q, q)`` of q declared categories, at least 2: rows are one rater, columns
the other. Agreement on them is at most 1. It is NaN if the table is empty, or if agreement by chance is certain
because both raters use only one category, the same one.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..arrays import FloatArray, ratio


@dataclass(frozen=True, eq=False)
class Proportion:
    """Share of some cells of the 2x2 table in others, as a function of tables.

    Attributes:
        successes: 1 for the cells that count as a success, shape ``(2, 2)``.
        trials: 1 for the cells that are in the denominator, shape ``(2, 2)``.
    """

    successes: FloatArray
    trials: FloatArray

    def __call__(self, table: FloatArray) -> FloatArray:
        """Return the share for each table, shape ``(...)``; NaN where the denominator is empty."""
        return ratio((table * self.successes).sum(axis=(-2, -1)), (table * self.trials).sum(axis=(-2, -1)))


def _proportion(successes: list[list[int]], trials: list[list[int]]) -> Proportion:
    return Proportion(np.array(successes, dtype=np.float64), np.array(trials, dtype=np.float64))


_ALL_CELLS = [[1, 1], [1, 1]]

accuracy = _proportion([[1, 0], [0, 1]], _ALL_CELLS)
"""Share of rows on which judge and label agree."""

true_positive_rate = _proportion([[0, 0], [0, 1]], [[0, 0], [1, 1]])
"""Sensitivity: share of right rows that the judge passes."""

true_negative_rate = _proportion([[1, 0], [0, 0]], [[1, 1], [0, 0]])
"""Specificity: share of wrong rows that the judge fails."""

precision = _proportion([[0, 0], [0, 1]], [[0, 1], [0, 1]])
"""Share of rows passed by the judge that are right."""

prevalence = _proportion([[0, 0], [1, 1]], _ALL_CELLS)
"""Share of rows that are right."""

judge_rate = _proportion([[0, 1], [0, 1]], _ALL_CELLS)
"""Share of rows that the judge passes."""


def bias(table: FloatArray) -> FloatArray:
    """Compute judge rate minus prevalence; above 0, the judge is too lenient."""
    return ratio(table[..., 0, 1] - table[..., 1, 0], table.sum(axis=(-2, -1)))


def balanced_accuracy(table: FloatArray) -> FloatArray:
    """Compute the mean of true positive and true negative rate; a constant judge has 1/2."""
    return (true_positive_rate(table) + true_negative_rate(table)) / 2


def f1_positive(table: FloatArray) -> FloatArray:
    """Compute F1: 2 tp / (2 tp + fp + fn).

    It ignores true negatives: a judge that always passes has 2p / (1 + p).
    """
    double = 2 * table[..., 1, 1]
    return ratio(double, double + table[..., 0, 1] + table[..., 1, 0])


def f1_macro(table: FloatArray) -> FloatArray:
    """Compute the mean of the F1 of "pass" and the F1 of "fail"."""
    return (f1_positive(table) + f1_positive(table[..., ::-1, ::-1])) / 2


def mcc(table: FloatArray) -> FloatArray:
    """Compute Matthews' correlation of 0/1 label and verdict; NaN if a margin is empty.

    It is Pearson's: (tp tn - fp fn) / sqrt((tp + fp)(tp + fn)(tn + fp)(tn + fn)).

    Source: Matthews 1975. With N unlabelled and n labelled rows a judge of this correlation cuts the variance
    of the corrected rate by the factor ``1 - mcc**2 * N / (N + n)``.
    """
    total = table.sum(axis=(-2, -1), keepdims=True)
    # Shares, because a product of four large counts would not be exact.
    share = ratio(table, total)
    row, column = share.sum(axis=-1), share.sum(axis=-2)
    margins = row[..., 0] * row[..., 1] * column[..., 0] * column[..., 1]
    return ratio(
        share[..., 1, 1] * share[..., 0, 0] - share[..., 0, 1] * share[..., 1, 0],
        np.sqrt(margins),
    )


def cohen_kappa(table: FloatArray) -> FloatArray:
    """Compute Cohen's kappa: (p_o - p_e) / (1 - p_e), with p_e from both raters' margins.

    Source: Cohen 1960. It depends on prevalence and on the judge's bias; read it with both.
    """
    share = _shares(table)
    return _beyond_chance(_diagonal_sum(share), (share.sum(axis=-1) * share.sum(axis=-2)).sum(axis=-1))


def weighted_kappa_table(table: FloatArray, disagreement: FloatArray) -> FloatArray:
    """Compute weighted kappa: 1 - observed cost / cost by chance.

    ``disagreement``, shape ``(q, q)``, is the cost of each pair of categories, 0 on the diagonal.

    Source: Cohen 1968.
    """
    share = _shares(table)
    chance = share.sum(axis=-1)[..., :, None] * share.sum(axis=-2)[..., None, :]
    return 1 - ratio((share * disagreement).sum(axis=(-2, -1)), (chance * disagreement).sum(axis=(-2, -1)))


def scott_pi(table: FloatArray) -> FloatArray:
    """Compute Scott's pi: kappa with p_e from the mean of the two margins.

    Source: Scott 1955. It is never above Cohen's kappa.
    """
    share = _shares(table)
    return _beyond_chance(_diagonal_sum(share), (_mean_margin(share) ** 2).sum(axis=-1))


def gwet_ac1(table: FloatArray) -> FloatArray:
    """Compute Gwet's AC1.

    Chance agreement is p_e = sum of pi_k (1 - pi_k) / (q - 1), pi the mean of the margins.

    Source: Gwet 2008. If 95 % of rows are right, a judge that always passes has 0.947: never read it alone.
    """
    return gwet_ac2(table, np.eye(table.shape[-1]))


def gwet_ac2(table: FloatArray, agreement: FloatArray) -> FloatArray:
    """Compute Gwet's AC2: AC1 with partial credit for near misses.

    Chance agreement is p_e = sum of weights * sum of pi_k (1 - pi_k) / (q (q - 1)), with weights ``(q, q)``
    of 1 on the diagonal.

    Source: Gwet, Handbook of Inter-Rater Reliability, 2014.
    """
    share, q = _shares(table), table.shape[-1]
    margin = _mean_margin(share)
    expected = agreement.sum() * (margin * (1 - margin)).sum(axis=-1) / (q * (q - 1))
    return _beyond_chance((share * agreement).sum(axis=(-2, -1)), expected)


def brennan_prediger(table: FloatArray) -> FloatArray:
    """Compute Brennan and Prediger's coefficient, with a chance agreement of 1 / q.

    Source: Brennan and Prediger 1981.
    """
    return _beyond_chance(_diagonal_sum(_shares(table)), np.asarray(1 / table.shape[-1]))


def alpha_nominal(table: FloatArray) -> FloatArray:
    """Compute Krippendorff's nominal alpha of two raters without missing values."""
    n_values = 2 * table.sum(axis=(-2, -1))
    margin = table.sum(axis=-1) + table.sum(axis=-2)
    disagreements = n_values / 2 - _diagonal_sum(table)
    # Pairs of unequal values, if all values of both raters are pooled.
    unequal_pairs = (n_values**2 - (margin**2).sum(axis=-1)) / 2
    return 1 - (n_values - 1) * ratio(disagreements, unequal_pairs)


def _shares(table: FloatArray) -> FloatArray:
    return ratio(table, table.sum(axis=(-2, -1), keepdims=True))


def _diagonal_sum(table: FloatArray) -> FloatArray:
    return np.einsum("...ii->...", table)


def _mean_margin(share: FloatArray) -> FloatArray:
    return (share.sum(axis=-1) + share.sum(axis=-2)) / 2


def _beyond_chance(observed: FloatArray, expected: FloatArray) -> FloatArray:
    return ratio(observed - expected, 1 - expected)
