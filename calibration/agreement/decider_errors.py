"""Error rate of the people who decide, estimated from outputs that two of them decided."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple, TypeVar

import numpy as np

from ..arrays import FloatArray
from ..decisions import Decision
from ..intervals.closed_forms import wilson_interval
from ..statistic import Statistic, defined
from .adjudicated_rows import RIGHT, UNDECIDABLE, UNSEEN, WRONG, AdjudicatedRows

MIN_TWICE = 20
"""Minimum number of outputs decided as right or wrong by two people, for estimating their errors."""

_MAX_DIFFERING = 0.4
"""Share of differing decisions above which two people agree hardly more often than by chance."""

_DECIDED = {"right", "wrong"}
"""Decisions that are not "undecidable"."""

_Error = TypeVar("_Error", float, FloatArray)


class DeciderErrors(NamedTuple):
    """Basis of an error rate of people.

    Attributes:
        alike: Number of outputs on which two people agree.
        apart: Number of outputs on which they differ.
    """

    alike: float
    apart: float

    def statistic(self, level: float) -> Statistic:
        """Return the share of wrong decisions, with an interval from Wilson's of disagreement."""
        n = self.alike + self.apart
        share = self.apart / n
        value, low, high = error_rate(np.array([share, *wilson_interval(share, n, level)])).tolist()
        return defined(value, (low, high), n=int(n), method="Wilson, of how often two differ", level=level)

    def drawn(self, replicates: int, rng: np.random.Generator) -> FloatArray:
        """Draw error rates from the confidence distribution of mid-P limits, ``(replicates, 1, 1)``."""
        apart = drawn_shares(np.array([[self.apart]]), np.array([[self.alike]]), replicates, rng)
        return error_rate(apart)


def decider_errors(decisions: Iterable[Sequence[Decision]]) -> DeciderErrors | None:
    """Count how often two people agree; None with too few outputs or too little agreement.

    Of three or more people on one output the first two count: a third is often asked because they differ.
    """
    first_two = [decision[:2] for decision in decisions]
    agreed = [
        pair[0].found == pair[1].found
        for pair in first_two
        if len(pair) == 2 and {decision.found for decision in pair} <= _DECIDED  # noqa: PLR2004 - the first two
    ]
    n, alike = len(agreed), sum(agreed)
    if n < MIN_TWICE or wilson_interval((n - alike) / n, n)[1] > _MAX_DIFFERING:
        return None
    return DeciderErrors(float(alike), float(n - alike))


def error_rate(apart: FloatArray) -> FloatArray:
    """Return the error rate ``e`` of each of two people from their share of differing decisions.

    They are assumed to err equally often, and independently of each other, of the truth, and of label and
    verdict. So they differ on a share ``2 e (1 - e)`` of outputs, which is solved for ``e``.
    """
    return (1 - np.sqrt(1 - 2 * np.minimum(apart, _MAX_DIFFERING))) / 2


class DecidedShares(NamedTuple):
    """Shares of each label and verdict, ``(2, 2)``, and draws of them, ``(replicates, 2, 2)``.

    Attributes:
        decidable: Share of outputs that can be decided.
        right: Share of those whose label is right.
        decidable_draws: Draws of ``decidable``.
        right_draws: Draws of ``right``.
    """

    decidable: FloatArray
    right: FloatArray
    decidable_draws: FloatArray
    right_draws: FloatArray


def decided_shares(
    rows: AdjudicatedRows, errors: DeciderErrors | None, replicates: int, rng: np.random.Generator
) -> DecidedShares:
    """Return the shares, corrected for the errors of people if these are known."""
    if errors is not None:
        return _corrected_shares(rows, errors, replicates, rng)
    wrong, right, unknown = np.moveaxis(rows.reviewed_counts, -1, 0)
    return DecidedShares(
        _share_of_first(wrong + right, unknown),
        _share_of_first(right, wrong),
        drawn_shares(wrong + right, unknown, replicates, rng),
        drawn_shares(right, wrong, replicates, rng),
    )


def _corrected_shares(
    rows: AdjudicatedRows, errors: DeciderErrors, replicates: int, rng: np.random.Generator
) -> DecidedShares:
    counts = decided_counts(rows)
    error = error_rate(np.array(errors.apart / (errors.alike + errors.apart)))
    wrong, right, weight = found_counts(counts, float(error))
    undecidable, decidable = np.moveaxis(counts.decidable, -1, 0)
    return DecidedShares(
        _share_of_first(decidable, undecidable),
        without_errors(_share_of_first(right, wrong), error, weight),
        drawn_shares(decidable, undecidable, replicates, rng),
        without_errors(drawn_shares(right, wrong, replicates, rng), errors.drawn(replicates, rng), weight),
    )


def _share_of_first(first: FloatArray, second: FloatArray) -> FloatArray:
    total = first + second
    return first / np.where(total > 0, total, 1.0)


class DecidedCounts(NamedTuple):
    """Counts of decisions in the random part of each label and verdict.

    Each has shape ``(2, 2, 2)``.

    Attributes:
        decidable: Undecidable outputs at [..., 0], decided ones at [..., 1].
        once: Outputs decided by one person, found wrong at [..., 0] and right at [..., 1].
        twice: Outputs on which two people agree, found wrong at [..., 0] and right at [..., 1].
    """

    decidable: FloatArray
    once: FloatArray
    twice: FloatArray

    @property
    def decided(self) -> FloatArray:
        """Counts of outputs found right or wrong, by label and verdict."""
        return (self.once + self.twice).sum(axis=-1)


def decided_counts(rows: AdjudicatedRows) -> DecidedCounts:
    """Count the decisions of the first two people on each output that is in a random part."""
    cell = 2 * rows.label.astype(np.int64) + rows.verdict
    # Codes below `UNDECIDABLE` are right or wrong, and those below `UNSEEN` are any decision.
    n_decided = (rows.first_two < UNDECIDABLE).sum(axis=1)
    n_right = (rows.first_two == RIGHT).sum(axis=1)
    weight = np.where(rows.drawn, rows.weight, 0.0)
    n_decisions = np.maximum((rows.first_two < UNSEEN).sum(axis=1), 1)

    def counts_by_cell(yes: FloatArray, no: FloatArray) -> FloatArray:
        sums = [np.bincount(cell, weights=weight * array, minlength=4) for array in (no, yes)]
        return np.stack(sums, axis=-1).reshape(2, 2, 2).astype(np.float64)

    def has_decisions(*, decided: int, right: int) -> FloatArray:
        return ((n_decided == decided) & (n_right == right)).astype(np.float64)

    decided_share = n_decided / n_decisions
    return DecidedCounts(
        counts_by_cell(decided_share, 1 - decided_share),
        counts_by_cell(has_decisions(decided=1, right=1), has_decisions(decided=1, right=0)),
        counts_by_cell(has_decisions(decided=2, right=2), has_decisions(decided=2, right=0)),
    )


def found_counts(counts: DecidedCounts, error: float) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return effective counts of wrong and right outputs, and the weight of double decisions.

    Each has shape ``(2, 2)``. If ``t`` is the share that is right and ``e`` the error rate of a person,
    ``t (1 - e) + (1 - t) e`` of the outputs decided once are found right. For outputs on which two people agree,
    ``e^2 / (e^2 + (1 - e)^2)`` takes the place of ``e``. Both are averaged by their information on ``t``. Outputs
    on which two people differ inform only about ``e``.
    """
    once, twice = (array.sum(axis=-1) for array in (counts.once, counts.twice))
    errors = error, _error_of_two(error)
    share = (counts.twice[..., RIGHT] + 0.5) / (twice + 1)
    # A share found right has the variance x (1 - x) / n, and moves by 1 - 2 e with t. Weighted by 1 - 2 e over its
    # variance, both shares give the inverse-variance average of t, since correcting their average divides by 1 - 2 e.
    precision = [n * (1 - 2 * e) / _variance(share, e) for n, e in zip((once, twice), errors, strict=True)]
    weight = _share_of_first(precision[1], precision[0])
    found_right = (1 - weight) * _share_of_first(*_right_and_wrong(counts.once)) + weight * _share_of_first(
        *_right_and_wrong(counts.twice)
    )
    error_of_both = (1 - weight) * errors[0] + weight * errors[1]
    information = sum(p * (1 - 2 * e) for p, e in zip(precision, errors, strict=True))
    n = _variance(share, error_of_both) * information / (1 - 2 * error_of_both) ** 2
    return n * (1 - found_right), n * found_right, weight


def without_errors(share: FloatArray, error: FloatArray, weight: FloatArray) -> FloatArray:
    """Return the share that is right, corrected for a rate of wrong decisions.

    ``weight`` is the share of decisions that two people made. The corrected share may lie outside [0, 1]; it is not
    clipped, since over the cells of a table values below 0 and above 1 cancel out.
    """
    error_of_both = (1 - weight) * error + weight * _error_of_two(error)
    return (share - error_of_both) / (1 - 2 * error_of_both)


def _error_of_two(error: _Error) -> _Error:
    """Return the share of agreeing pairs that are both wrong."""
    return error**2 / (error**2 + (1 - error) ** 2)


def _variance(share: FloatArray, error: FloatArray | float) -> FloatArray:
    """Return the variance of one decision, for a share that is right and an error rate."""
    found_right = share + error * (1 - 2 * share)
    return found_right * (1 - found_right)


def _right_and_wrong(counts: FloatArray) -> tuple[FloatArray, FloatArray]:
    return counts[..., RIGHT], counts[..., WRONG]


def drawn_shares(yes: FloatArray, no: FloatArray, replicates: int, rng: np.random.Generator) -> FloatArray:
    """Draw shares ``yes / (yes + no)``, shape ``(replicates, 2, 2)``.

    Draws come from the confidence distribution whose quantiles are mid-P limits. It is halfway between those of
    Clopper and Pearson's lower and upper limits, which are Beta with one more success, or one more failure.
    """
    extra_success = rng.integers(2, size=(replicates, *yes.shape))
    # Two gamma draws make a beta draw, also where a count is 0.
    successes = rng.standard_gamma(yes + extra_success)
    failures = rng.standard_gamma(no + 1 - extra_success)
    return successes / (successes + failures)
