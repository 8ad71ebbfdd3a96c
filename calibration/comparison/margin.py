"""Conclusions on whether one of a pair is worse than the other by more than a margin."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from ...errors import UsageError
from ...spelling import setting
from ..statistic import Statistic
from .class_rates import WEIGHTED
from .comparison_results import ComparedPair, ComparedStratum, Margin, MarginConclusion, Strata

HIGHER_IS_BETTER = frozenset(
    {
        WEIGHTED,
        *("accuracy", "true_positive_rate", "true_negative_rate", "precision", "f1_positive", "f1_macro"),
        *("balanced_accuracy", "mcc", "cohen_kappa", "scott_pi", "gwet_ac1", "krippendorff_alpha"),
        *("pearson", "spearman", "kendall_tau_b", "concordance", "icc_a1", "weighted_kappa"),
        *("krippendorff_alpha_interval", "krippendorff_alpha_ordinal", "auroc", "average_precision"),
    }
)
"""Statistics of which more is better; others, such as bias, errors or pass rates, have no better end."""


def require_better_end(statistic: str, *, labelled: bool) -> None:
    """Require a statistic and labels that tell which of two judges is worse.

    Raises:
        UsageError: The statistic has no better end, or judges are compared by how often they pass.
    """
    if statistic not in HIGHER_IS_BETTER:
        raise UsageError(
            f"{setting('not_worse_by')} needs a statistic of which more is better, and {statistic!r} is none"
        )
    if not labelled:
        raise UsageError(
            f"{setting('not_worse_by')} compares judges by their labels; a judge that passes less is not therefore worse"
        )


def standing(low: float | None, high: float | None, by: float) -> MarginConclusion:
    """Conclude from the interval of the first minus the second whether the first is worse.

    It is ``not worse`` if the whole interval is above ``-by``, else ``worse`` if it is below 0.
    """
    if low is None or high is None:
        return "cannot tell"
    if low > -by:
        return "not worse"
    return "worse" if high < 0 else "cannot tell"


def with_margin(
    pair: ComparedPair, by: float, *, against: str | None, together: Statistic | None = None
) -> ComparedPair:
    """Add the conclusion on each judge or system of a pair, except on ``against``.

    ``together`` is the difference with an interval that is valid for all pairs at once, if there are several.
    """
    interval = pair.difference if together is None else together
    low, high = interval.low, interval.high
    # The interval of the second minus the first is the negative one.
    second_minus_first = (None if high is None else -high), (None if low is None else -low)
    conclusions: dict[str, MarginConclusion] = {
        pair.a: standing(low, high, by),
        pair.b: standing(*second_minus_first, by),
    }
    return replace(
        pair,
        margin=Margin(
            by=by,
            low=low,
            high=high,
            level=interval.level,
            conclusions={name: conclusion for name, conclusion in conclusions.items() if name != against},
        ),
    )


def strata_with_margin(strata: Strata, by: float, *, against: str | None) -> Strata:
    """Add the conclusions of every pair of systems, part by part."""

    def stratum_with_margin(stratum: ComparedStratum) -> ComparedStratum:
        pairs = [with_margin(pair, by, against=against, together=pair.simultaneous) for pair in stratum.pairs]
        judges = {name: stratum_with_margin(judged) for name, judged in stratum.judges.items()}
        return replace(stratum, pairs=pairs, judges=judges)

    return replace(
        strata,
        decided=stratum_with_margin(strata.decided),
        open=stratum_with_margin(strata.open),
        all=stratum_with_margin(strata.all),
    )


def pairs_with_margin(
    pairs: Sequence[ComparedPair],
    together: Sequence[Statistic],
    by: float,
    *,
    against: str | None,
    level: float,
) -> list[ComparedPair]:
    """Add the conclusions of pairs of judges; ``together`` are valid for all pairs at once."""
    return [
        with_margin(pair, by, against=against, together=replace(difference, level=level))
        for pair, difference in zip(pairs, together, strict=True)
    ]
