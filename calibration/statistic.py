"""Statistics: numbers with intervals, or the reason why there is none; cautions about them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, Literal, TypeAlias, get_args, overload

import msgspec
from msgspec.structs import force_setattr

Interval: TypeAlias = tuple[float, float]
"""Lower and upper end of an interval."""

TransformedScale: TypeAlias = Literal["fisher", "logit"]
"""Scale on which an interval is symmetric: Fisher's z for statistics in [-1, 1], log-odds for [0, 1]."""


class Statistic(msgspec.Struct, frozen=True, kw_only=True):
    """One statistic, as it is printed and written to JSON.

    Attributes:
        value: Point estimate, or None if it cannot be computed.
        low: Lower end of the interval, or None without an interval.
        high: Upper end of the interval, or None without an interval.
        level: Nominal coverage of the interval.
        method: Method of the interval, or why there is none.
        n: Sample size: the denominator of a proportion, else the number of (label, score) pairs.
        undefined: Why there is no value, or None if there is one.
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
"""Statistics by name."""


class CaseRate(Statistic, frozen=True, kw_only=True):
    """Rate over cases that have enough trials.

    Attributes:
        left_out: Number of cases with graded trials, but too few of them.
    """

    left_out: int = 0


def defined(
    value: float,
    interval: tuple[float, float] | None = None,
    *,
    n: int,
    method: str | None,
    level: float = 0.95,
) -> Statistic:
    """Return a statistic with a value, and with its interval if that is given and finite.

    Without an interval, ``method`` says why there is none.

    Raises:
        ValueError: The value is not finite; use `undefined` for such a value.
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
    """Attribute for an entry of ``statistics``: ``judge.mcc`` for ``judge.statistics["mcc"]``.

    Args:
        mapping: Name of the field with the statistics.
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
    "no_labelled_score",
    "few_clusters",
    "few_of_a_class",
    "few_rows",
    "another_threshold",
    "missing_verdicts",
    "ece_biased",
    "drawn_unevenly",
    "labels_of_checkers",
    "tied_labels",
]
"""Kind of caution about a calibration.

* ``no_labelled_score``: a judge has no row with both label and score.
* ``few_clusters``: fewer than `FEW_CLUSTERS`, with the effective number.
* ``few_of_a_class``: fewer than `FEW_OF_A_CLASS` labels of the smaller class, with their number.
* ``few_rows``: fewer than `FEW_FOR_A_SHARE`, with their number.
* ``another_threshold``: another threshold does clearly better, with that threshold.
* ``missing_verdicts``: labelled rows without a verdict, with their number.
* ``ece_biased``: scores are fractions.
* ``drawn_unevenly``: labels were drawn with unequal chances, which agreement statistics do not weight.
* ``labels_of_checkers``: labels in a file that come from a checker, by its name, with the number of items.
* ``tied_labels``: number of items on which people tie (``tied``), and of those with a label (``labelled``).
"""

RateCaution: TypeAlias = Literal[
    "chosen_by_score",
    "few_labelled_clusters",
    "no_chance",
    "looked_at",
    "uneven_strata",
    "repeats",
    "labels_of_checkers",
    "tied_labels",
]
"""Kind of caution about an estimated rate.

* ``chosen_by_score``: labelled items are scored unlike the others, with the p-value.
* ``few_labelled_clusters``: few clusters with a label, with their number.
* ``no_chance``: drawn items without a recorded chance, with their number.
* ``looked_at``: labels came in rounds, after each of which the interval may have been looked at, with their number.
* ``uneven_strata``: labels are spread over strata unlike a random sample, with the p-value.
* ``repeats``: verdicts beyond the judge's first on an output, which do not count, with their number.
* ``labels_of_checkers``, ``tied_labels``: as for a calibration.
"""

ComparisonCaution: TypeAlias = Literal[
    "few_clusters",
    "few_differing",
    "few_discordant",
    "left_out",
    "threshold_not_declared",
    "labels_between_thresholds",
    "repeats",
    "uneven_trials",
    "not_graded",
    "no_output",
    "parts_differ",
    "uncorrected",
    "corrected",
    "chosen_by_score",
    "labels_of_some",
    "labels_for_estimate",
    "looked_at",
    "labels_of_checkers",
    "tied_labels",
    "row_numbers",
]
"""Kind of caution about a comparison.

* ``few_clusters``: pairs with a rough interval, with the effective number of clusters.
* ``few_differing``: pairs with a rough interval, with the number of items on which they differ.
* ``few_discordant``: pairs with a better one by few items, with the number of items on which they differ.
* ``left_out``: judges or systems that are not compared, with the number of their unusable rows.
* ``threshold_not_declared``: pairs whose thresholds differ only because a judge declares none, with the number of
  items on which that decides.
* ``labels_between_thresholds``: pairs with labels that pass by one threshold only, with their number.
* ``repeats``: verdicts beyond a judge's first on an output, with their number.
* ``uneven_trials``: systems whose cases have unequal numbers of trials, with the uncorrected pass rate in which
  each case has weight 1.
* ``not_graded``: undecided outputs without a verdict, with their number.
* ``no_output``: items for which only other systems have an output, with their number.
* ``parts_differ``: items decided for one system of a pair and undecided for the other, which only the stratum
  ``all`` compares, with their number.
* ``uncorrected``: systems whose rates of undecided outputs are a judge's, with the number of outputs.
* ``corrected``: systems with labels of some undecided outputs, which correct the rate if they were drawn at
  random, with the number of labels.
* ``chosen_by_score``: systems whose labels correct nothing, because labelled outputs are scored unlike the
  others, with the number of labels.
* ``labels_for_estimate``: declarations under which labels correct rates only in ``estimate``, with their number.
* ``looked_at``: as for an estimate, of labels that correct a system.
* ``labels_of_some``: systems without enough labels while others have labels, with the missing number.
* ``labels_of_checkers``, ``tied_labels``: as for a calibration.
* ``row_numbers``: ids are row numbers, so that no two have an item in common.
"""

FEW_CLUSTERS = 20
"""With fewer clusters their spread is too uncertain for intervals to have their nominal coverage."""

FEW_OF_A_CLASS = 30
"""With fewer labels of a class the coverage of intervals is untested."""

FEW_FOR_A_SHARE = 200
"""With fewer rows an interval of a share may cover less than its level (`docs/calibration-measured.md`)."""


class Caution(msgspec.Struct, frozen=True):
    """One caution about results.

    Attributes:
        code: Kind of caution.
        about: Numbers by name of a judge, of a system, or of a pair (``a and b``).
        kind: Former name of the kind, written beside ``code`` until the next version; the same for most.
    """

    code: AgreementCaution | RateCaution | ComparisonCaution | Literal[""] = ""
    about: dict[str, float] = {}
    kind: str = ""

    def __post_init__(self) -> None:
        # Cautions of earlier versions have a kind only, and those made here a code only.
        code_or_kind = self.code or self.kind
        code = _CODES.get(code_or_kind, code_or_kind)
        if code not in _KNOWN:
            raise ValueError(f"no caution is called {code!r}" if code else "a caution has a `code`")
        force_setattr(self, "code", code)
        force_setattr(self, "kind", _FORMER.get(code, code))


_FORMER: Mapping[str, str] = {
    "no_labelled_score": "nothing_said",
    "another_threshold": "another_cut",
    "threshold_not_declared": "cut_not_declared",
    "labels_between_thresholds": "labels_between_cuts",
}
"""Former name of a code, until the next version."""

_CODES = {former: code for code, former in _FORMER.items()}
_KNOWN = frozenset(
    code for kind in (AgreementCaution, RateCaution, ComparisonCaution) for code in get_args(kind)
)


def labels_of_checkers(checkers: Mapping[str, int]) -> list[Caution]:
    """Return the caution for labels in a file that come from a checker; empty without such."""
    return [Caution("labels_of_checkers", {**checkers})] if checkers else []
