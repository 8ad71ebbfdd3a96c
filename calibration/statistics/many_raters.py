"""Agreement of any number of raters beyond chance, with gaps: Gwet's AC1, Fleiss' kappa, Brennan and Prediger's coefficient."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from ..arrays import FloatArray, ratio


class ManyRaters(NamedTuple):
    """A coefficient of many raters and its standard error over items."""

    value: float
    standard_error: float


def gwet_ac1_many(ratings: FloatArray) -> ManyRaters:
    """AC1: chance from how evenly the categories are used, so that it does not collapse when one dominates.

    Source: Gwet 2008; see `_agreement` for arguments, result and errors.
    """
    return _agreement(ratings, lambda margin: (1 - margin) / (len(margin) - 1))


def fleiss_kappa(ratings: FloatArray) -> ManyRaters:
    """Fleiss' kappa, which is Scott's pi for many raters: chance from the mean margin.

    Source: Fleiss 1971; with gaps Gwet 2014. See `_agreement` for arguments, result and errors.
    """
    return _agreement(ratings, lambda margin: margin)


def brennan_prediger(ratings: FloatArray) -> ManyRaters:
    """Brennan and Prediger's coefficient: chance is 1 / categories, whoever uses which.

    Source: Brennan and Prediger 1981. See `_agreement` for arguments, result and errors.
    """
    return _agreement(ratings, lambda margin: np.full(len(margin), 1 / len(margin)))


def _agreement(ratings: FloatArray, chance_of: Callable[[FloatArray], FloatArray]) -> ManyRaters:
    """Agreement of pairs of raters less that by chance, as a share of what is left.

    Source: Gwet 2008, 2014; the standard error is that of items drawn at random, without finite correction.

    Args:
        ratings: How many raters put each item in each category, shape ``(items, q)``, q the declared categories; rows may
            sum to different numbers of raters. Items nobody rated are left out, those rated once tell margins only.
        chance_of: For each category the chance that a rating in it is agreed with, from the margin; shape ``(q,)`` each.

    Returns:
        The coefficient and its standard error; NaN when no item has two ratings, or agreement by chance is certain.

    Raises:
        ValueError: Fewer than two categories.
    """
    if ratings.shape[1] < 2:  # noqa: PLR2004 - chance needs two categories
        raise ValueError("agreement beyond chance needs at least two categories")
    ratings = ratings[ratings.sum(axis=1) > 0]
    raters = ratings.sum(axis=1)
    paired = raters > 1
    n, n_paired = len(ratings), int(paired.sum())
    if not n_paired:
        return ManyRaters(float("nan"), float("nan"))
    pairs = np.where(paired, raters * (raters - 1), 1.0)
    agreement = np.where(paired, (ratings * (ratings - 1)).sum(axis=1) / pairs, 0.0)
    share = ratings / raters[:, None]
    margin = share.mean(axis=0)
    by_category = chance_of(margin)
    expected = float(margin @ by_category)
    value = float(ratio(np.asarray(agreement.sum() / n_paired - expected), np.asarray(1 - expected)))
    if not np.isfinite(value):
        return ManyRaters(value, value)
    own = (n / n_paired) * (agreement - expected * paired) / (1 - expected)
    # The factor 2: each rating takes part in chance on both sides of a pair.
    residual = own - 2 * (1 - value) * (share @ by_category - expected) / (1 - expected) - value
    return ManyRaters(value, float(np.sqrt((residual**2).sum() / (n * (n - 1)))) if n > 1 else float("nan"))
