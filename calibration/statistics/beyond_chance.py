"""Chance-corrected agreement on categories: kappa, pi, AC1 and AC2, nominal alpha.

Tables are counts ``(..., q, q)``: rows one rater, columns the other, q the declared categories, at least 2. Each function gives shape ``(...)``, at
most 1; NaN where chance agrees for certain (both raters use one and the same category only), or the table is empty.
"""

from __future__ import annotations

import numpy as np

from ..arrays import FloatArray, ratio


def cohen_kappa(table: FloatArray) -> FloatArray:
    """(p_o - p_e) / (1 - p_e), with p_e from the two raters' own margins.

    Source: Cohen 1960. Depends on prevalence and on the judge's bias; read it beside both.
    """
    share = _shares(table)
    return _beyond(_matched(share), (share.sum(axis=-1) * share.sum(axis=-2)).sum(axis=-1))


def weighted_kappa_table(table: FloatArray, disagreement: FloatArray) -> FloatArray:
    """Compute weighted kappa: 1 - observed cost / cost by chance.

    Each pair of categories has its cost ``(q, q)``, 0 on the diagonal.

    Source: Cohen 1968.
    """
    share = _shares(table)
    chance = share.sum(axis=-1)[..., :, None] * share.sum(axis=-2)[..., None, :]
    return 1 - ratio((share * disagreement).sum(axis=(-2, -1)), (chance * disagreement).sum(axis=(-2, -1)))


def scott_pi(table: FloatArray) -> FloatArray:
    """Like kappa, with p_e from the mean of the two margins.

    Source: Scott 1955. Never above Cohen's kappa.
    """
    share = _shares(table)
    return _beyond(_matched(share), (_margin(share) ** 2).sum(axis=-1))


def gwet_ac1(table: FloatArray) -> FloatArray:
    """Compute Gwet's AC1.

    Chance agreement is p_e = sum of pi_k (1 - pi_k) / (q - 1), pi the mean of the margins.

    Source: Gwet 2008. On a set that is 95 % right a judge that always passes has 0.947: never read it alone.
    """
    return gwet_ac2(table, np.eye(table.shape[-1]))


def gwet_ac2(table: FloatArray, agreement: FloatArray) -> FloatArray:
    """Compute Gwet's AC2: AC1 in which near misses count for something.

    Chance agreement is p_e = sum of weights * sum of pi_k (1 - pi_k) / (q (q - 1)), with weights ``(q, q)``
    of 1 on the diagonal.

    Source: Gwet, Handbook of Inter-Rater Reliability, 2014.
    """
    share, q = _shares(table), table.shape[-1]
    margin = _margin(share)
    expected = agreement.sum() * (margin * (1 - margin)).sum(axis=-1) / (q * (q - 1))
    return _beyond((share * agreement).sum(axis=(-2, -1)), expected)


def brennan_prediger(table: FloatArray) -> FloatArray:
    """Chance is 1 / q, whoever uses which category.

    Source: Brennan and Prediger 1981.
    """
    return _beyond(_matched(_shares(table)), np.asarray(1 / table.shape[-1]))


def alpha_nominal(table: FloatArray) -> FloatArray:
    """Krippendorff's nominal alpha of two raters without gaps."""
    values = 2 * table.sum(axis=(-2, -1))
    margin = table.sum(axis=-1) + table.sum(axis=-2)
    differ = values / 2 - _matched(table)
    return 1 - (values - 1) * ratio(differ, (values**2 - (margin**2).sum(axis=-1)) / 2)


def _shares(table: FloatArray) -> FloatArray:
    return ratio(table, table.sum(axis=(-2, -1), keepdims=True))


def _matched(table: FloatArray) -> FloatArray:
    return np.einsum("...ii->...", table)


def _margin(share: FloatArray) -> FloatArray:
    return (share.sum(axis=-1) + share.sum(axis=-2)) / 2


def _beyond(observed: FloatArray, expected: FloatArray) -> FloatArray:
    return ratio(observed - expected, 1 - expected)
