"""Statistic: a number with its interval or the reason why there is none; cautions."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, Literal, TypeAlias, overload

import msgspec

Interval: TypeAlias = tuple[float, float]
"""Both ends."""

TransformedScale: TypeAlias = Literal["fisher", "logit"]
"""Scale on which a statistic with ends is symmetric: Fisher's z for those in [-1, 1], log-odds for those
in [0, 1]."""


class Statistic(msgspec.Struct, frozen=True, kw_only=True):
    """One statistic, as it is printed and written to JSON.

    Attributes:
        value: The point estimate; None when it cannot be computed.
        low: Lower end of the interval; None when there is none.
        high: Upper end of the interval; None when there is none.
        level: Nominal coverage of the interval.
        method: How the interval was made; None when there is none.
        n: Rows behind the value: the denominator of a proportion, else the number of (label, score) pairs.
        undefined: Why there is no value; None when there is one.
    """

    value: float | None = None
    low: float | None = None
    high: float | None = None
    level: float = 0.95
    method: str | None = None
    n: int
    undefined: str | None = None

    def __str__(self) -> str:
        if self.value is None:
            return f"undefined: {self.undefined}"
        if self.low is None or self.high is None:
            return f"{self.value:.3f} (n {self.n:,})"
        return f"{self.value:.3f} [{self.low:.3f}, {self.high:.3f}] (n {self.n:,})"


Statistics: TypeAlias = dict[str, Statistic]
"""By name."""


def defined(
    value: float,
    interval: tuple[float, float] | None = None,
    *,
    n: int,
    method: str | None,
    level: float = 0.95,
) -> Statistic:
    """Return a statistic with a value, and its interval if one could be made.

    The interval is None or not finite if not; ``method`` then says so.

    Raises:
        ValueError: The value is not finite; what cannot be computed goes to `undefined`.
    """
    if not math.isfinite(value):
        raise ValueError(f"a defined statistic is finite, got {value!r}")
    low, high = (None, None) if interval is None else interval
    if low is None or high is None or not (math.isfinite(low) and math.isfinite(high)):
        low = high = None
    return Statistic(value=value, low=low, high=high, level=level, method=method, n=n)


def undefined(why: str, *, n: int, level: float = 0.95) -> Statistic:
    """Return a statistic that cannot be computed, with the reason: never 0, never NaN."""
    return Statistic(n=n, level=level, undefined=why)


class StatisticEntry:
    """Attribute access to an entry of ``statistics``.

    ``found.mcc`` is ``found.statistics["mcc"]``.

    Args:
        mapping: The field that holds it.
    """

    def __init__(self, mapping: str = "statistics") -> None:
        self._mapping, self._name = mapping, ""

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    @overload
    def __get__(self, instance: None, owner: type) -> StatisticEntry: ...
    @overload
    def __get__(self, instance: object, owner: type) -> Statistic: ...
    def __get__(self, instance: Any, owner: type) -> Statistic | StatisticEntry:
        if instance is None:
            return self
        statistic: Statistic | None = getattr(instance, self._mapping).get(self._name)
        if statistic is None:
            raise AttributeError(f"{self._name} was not estimated here")
        return statistic


AgreementCaution: TypeAlias = Literal[
    "nothing_said",
    "few_clusters",
    "few_of_a_class",
    "few_rows",
    "another_cut",
    "missing_verdicts",
    "ece_biased",
    "drawn_unevenly",
    "labels_of_checkers",
]
"""What limits a calibration: ``nothing_said``: no row of a judge has both label and score.
``few_clusters``, ``few_of_a_class``, ``few_rows``: fewer than the numbers below, with how many there are
(clusters of one size that they are worth; labels, of the smaller class). ``another_cut``: judges that
another threshold would do clearly better, with that threshold. ``missing_verdicts``: labelled rows without
a verdict. ``ece_biased``: scores are fractions. ``drawn_unevenly``: labels were drawn with unequal
chances, which agreement does not weigh. ``labels_of_checkers``: labels given in a file that call
themselves a checker's, by its name, with the items they are of."""

RateCaution: TypeAlias = Literal[
    "chosen_by_score", "few_labelled_clusters", "no_chance", "uneven_strata", "labels_of_checkers"
]
"""What limits an estimate: labelled items that are scored unlike the others, with the p-value; clusters
with a label; drawn items without a chance; labels that are not spread over strata as chance would spread
them, with the p-value; labels that call themselves a checker's."""

ComparisonCaution: TypeAlias = Literal[
    "few_clusters",
    "few_differing",
    "left_out",
    "cut_not_declared",
    "labels_between_cuts",
    "repeats",
    "not_graded",
    "no_output",
    "parts_differ",
    "uncorrected",
    "corrected",
    "chosen_by_score",
    "labels_of_some",
    "labels_of_checkers",
]
"""What limits a comparison: ``few_clusters``, ``few_differing``: pairs whose interval is rough, with how
many there are (clusters that count, items that tell the two apart). ``left_out``: those that are not
compared, with their unusable rows. ``cut_not_declared``: pairs whose thresholds differ only since one
judge declares none, with the items on which that decides. ``labels_between_cuts``: pairs with labels that
pass by the one's threshold and not by the other's. ``repeats``: verdicts beyond a judge's first on an
output. ``not_graded``: open outputs without a verdict. ``no_output``: items that others have an output
for. ``parts_differ``: items decided for one of two systems and open for the other, which only the stratum
``all`` compares. ``uncorrected``: rates of the open part that are the judge's own. ``corrected``: labels
of the open part that correct it, valid if they were drawn at random. ``chosen_by_score``: labels of the
open part that correct nothing, because the judge scored what has one unlike the rest. ``labels_of_some``:
systems that labels do not correct while there are labels of others, with how many they lack.
``labels_of_checkers``: as of an agreement."""

FEW_CLUSTERS = 20
"""With fewer clusters than this, their own spread is known too badly to promise the level."""

FEW_OF_A_CLASS = 30
"""With fewer labels of a class than this, the levels of the intervals were not shown to hold."""

FEW_FOR_A_SHARE = 200
"""Rows below which an interval of a share, which takes few values, may cover less than it says
(`docs/calibration-measured.md`)."""


class Caution(msgspec.Struct, frozen=True):
    """One reason for caution.

    Attributes:
        kind: Which.
        about: How many, by name of a judge, of a system, or of a pair (``a and b``).
    """

    kind: AgreementCaution | RateCaution | ComparisonCaution
    about: dict[str, float] = {}


def labels_of_checkers(checkers: Mapping[str, int]) -> list[Caution]:
    """Return the caution for given labels that come from a checker; none without such labels."""
    return [Caution("labels_of_checkers", {**checkers})] if checkers else []
