"""Preferences and biases of a judge, from its choices between outputs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import TypeVar

import numpy as np
from msgspec.structs import replace

from ...records import Outcome
from ..arrays import BoolArray, FloatArray, IntArray
from ..comparison.significance import adjust_known, mcnemar
from ..corrected_rate.chosen_labels import chosen_by_score
from ..corrected_rate.estimators import LabelledAndJudged, labels_only, power_tuned
from ..intervals.clustered_means import Shift, combine_means, mean_of, paired_shift
from ..intervals.clustered_rates import share_of
from ..statistic import Statistic, defined, undefined
from .choices import Choices, kinds_of
from .order_effect import ordered_strengths
from .preference_results import (
    LabelAgreement,
    Length,
    Position,
    PreferenceNumbers,
    SystemMatch,
    SystemPreference,
)
from .ranking_misfit import ranking_misfit

AnyBias = TypeVar("AnyBias", Position, Length)

_ALPHA = 0.05
"""Chance of a false alarm among all biases of a judge."""

_EVEN = 0.5
"""Win rate of equal systems, and label of equal outputs."""


def preferences_of(
    judge: str,
    choices: Choices,
    ungraded: Mapping[Outcome, int] | None = None,
    *,
    level: float = 0.95,
    recorded: bool = False,
) -> PreferenceNumbers:
    """Measure a judge's preferences: win rates, strengths, biases, agreement with labels.

    Args:
        judge: Name of the judge.
        choices: Choices of the judge.
        ungraded: Number of its verdicts without a choice, by outcome.
        level: Nominal coverage.
        recorded: Whether verdicts were recorded elsewhere, so that a comparison in one order counts. Otherwise a
            missing order is a failed verdict, and the comparison does not count.
    """
    in_both_orders = choices.take(choices.complete)
    usable = choices.filled() if recorded else in_both_orders
    strengths = ordered_strengths(usable, level=level)
    order_effect = strengths.order
    if len(in_both_orders.a) < len(usable.a):
        # A choice in one order says nothing about the effect of order.
        order_effect = ordered_strengths(in_both_orders, level=level).order
    position, length = _with_adjusted_p(
        _position(in_both_orders, order_effect, level), _length(usable, level)
    )
    return PreferenceNumbers(
        judge=judge,
        comparisons=len(choices.a),
        complete=len(in_both_orders.a),
        ungraded=dict(ungraded or {}),
        matches=_matches(choices, level, recorded=recorded),
        systems=_systems(usable, strengths.strengths, level),
        position=position,
        length=length,
        labels=_agreement(usable, in_both_orders, level),
        misfit=ranking_misfit(usable),
        one_order=len(usable.a) - len(in_both_orders.a),
    )


def _matches(choices: Choices, level: float, *, recorded: bool) -> list[SystemMatch]:
    matches: list[SystemMatch] = []
    for a, b in combinations(range(len(choices.systems)), 2):
        pair = _between(choices, a, b)
        if len(pair.a):
            matches.append(_match(pair, level, recorded=recorded))
    adjusted = adjust_known([match.p for match in matches])
    return [_with_better(match, p, level) for match, p in zip(matches, adjusted, strict=True)]


def _between(choices: Choices, a: int, b: int) -> Choices:
    """Return the comparisons of two systems, swapped where needed so that ``a`` comes first."""
    pair = choices.take(((choices.a == a) & (choices.b == b)) | ((choices.a == b) & (choices.b == a)))
    is_swapped = pair.a == b

    def turned(values: FloatArray, if_swapped: FloatArray) -> FloatArray:
        return np.where(is_swapped, if_swapped, values)

    return pair._replace(
        a=np.full_like(pair.a, a),
        b=np.full_like(pair.b, b),
        a_first=turned(pair.a_first, pair.b_first),
        b_first=turned(pair.b_first, pair.a_first),
        length_a=turned(pair.length_a, pair.length_b),
        length_b=turned(pair.length_b, pair.length_a),
        label=turned(pair.label, 1.0 - pair.label),
        person=turned(pair.person, 1.0 - pair.person),
    )


def _match(pair: Choices, level: float, *, recorded: bool) -> SystemMatch:
    complete = pair.filled() if recorded else pair.take(pair.complete)
    kinds = kinds_of(complete)
    won = kinds.a | kinds.b
    shift = _shift_from_even(complete.preferred, complete.cluster, level)
    return SystemMatch(
        a=pair.systems[int(pair.a[0])],
        b=pair.systems[int(pair.b[0])],
        n=len(complete.a),
        n_clusters=len(np.unique(complete.cluster)),
        incomplete=len(pair.a) - len(complete.a),
        a_won=int(kinds.a.sum()),
        b_won=int(kinds.b.sum()),
        tied=int(kinds.tie.sum()),
        flipped_to_first=int(kinds.flip_first.sum()),
        flipped_to_second=int(kinds.flip_second.sum()),
        half_tied=int(kinds.half.sum()),
        preferred=_around_even(shift.difference),
        settled=share_of(kinds.a[won].astype(np.float64), complete.cluster[won], level=level)
        if won.any()
        else undefined("neither won a comparison", n=0, level=level),
        p=shift.p,
        corrected=corrected_win_rate(complete, level=level),
        one_order=int(pair.once.sum()) if recorded else 0,
    )


def _shift_from_even(preferred: FloatArray, cluster: IntArray, level: float) -> Shift:
    """Return the mean distance of values in [0, 1] from one half, tested as a shift in [-1, 1]."""
    shift = paired_shift((preferred - _EVEN) * 2, cluster, level=level)
    doubled = shift.difference
    value, low, high = (
        None if number is None else number / 2 for number in (doubled.value, doubled.low, doubled.high)
    )
    return replace(shift, difference=replace(doubled, value=value, low=low, high=high))


def _around_even(shift: Statistic) -> Statistic:
    """Return the win rate that is this far from one half, with its interval."""
    if shift.value is None:
        return replace(shift, undefined="nothing was compared in both orders")
    ends = [None if end is None else min(1.0, max(0.0, end + _EVEN)) for end in (shift.low, shift.high)]
    return replace(shift, value=shift.value + _EVEN, low=ends[0], high=ends[1])


def _with_better(match: SystemMatch, adjusted: float | None, level: float) -> SystemMatch:
    value = match.preferred.value
    if adjusted is None or value is None or adjusted > 1 - level:
        return replace(match, adjusted_p=adjusted)
    return replace(match, adjusted_p=adjusted, better=match.a if value > _EVEN else match.b)


def _systems(complete: Choices, strengths: Sequence[Statistic], level: float) -> dict[str, SystemPreference]:
    systems: dict[str, SystemPreference] = {}
    for number, name in enumerate(complete.systems):
        part = complete.take((complete.a == number) | (complete.b == number))
        preferred = np.where(part.a == number, part.preferred, 1.0 - part.preferred)
        systems[name] = SystemPreference(
            n=len(preferred), win_rate=_rate(preferred, part, level), strength=strengths[number]
        )
    return systems


def _position(complete: Choices, order_effect: Statistic, level: float) -> Position:
    kinds = kinds_of(complete)
    first, second = int(kinds.flip_first.sum()), int(kinds.flip_second.sum())
    shift = _shift_from_even(complete.first_chosen, complete.cluster, level)
    return Position(
        effect=shift.difference,
        p=shift.p,
        log_odds=order_effect,
        flips=share_of(kinds.flip.astype(np.float64), complete.cluster, level=level),
        to_first=first,
        to_second=second,
        flip_p=mcnemar(first, second).exact_p if first + second else None,
    )


def _length(complete: Choices, level: float) -> Length:
    has_lengths = np.isfinite(complete.length_a) & np.isfinite(complete.length_b)
    unequal = complete.take(has_lengths & (complete.length_a != complete.length_b))
    a_longer = unequal.length_a > unequal.length_b
    longer = np.where(a_longer, unequal.preferred, 1.0 - unequal.preferred)
    labelled = np.isin(unequal.label, (0.0, 1.0))
    wrong_choice = np.where(unequal.label == 1.0, 1.0 - unequal.preferred, unequal.preferred)[labelled]
    wrong_is_longer = (a_longer != (unequal.label == 1.0))[labelled]
    effect, p = _difference(wrong_choice, wrong_is_longer.astype(np.int64), unequal.take(labelled), level)
    return Length(effect=effect, p=p, longer=_rate(longer, unequal, level))


def _difference(
    wrong: FloatArray, longer: IntArray, choices: Choices, level: float
) -> tuple[Statistic, float | None]:
    """Return the rate of wrong choices of longer outputs minus that of shorter outputs.

    The second value is the p-value of "both rates are equal".
    """
    if not longer.any() or longer.all():
        why = "needs labels by which the longer output is worse, and others by which the shorter one is"
        return undefined(why, n=len(wrong), level=level), None
    difference = combine_means(wrong, longer, np.array([-1.0, 1.0]), choices.cluster)
    return defined(
        difference.value,
        difference.interval(level),
        n=len(wrong),
        method="t-test over clusters (CR2)",
        level=level,
    ), difference.p()


def _agreement(complete: Choices, in_both_orders: Choices, level: float) -> LabelAgreement | None:
    labelled = complete.take(np.isin(complete.label, (0.0, 1.0)))
    tied = complete.take(complete.label == _EVEN)
    if not len(labelled.a) and not len(tied.a):
        return None
    labelled_in_both = in_both_orders.take(np.isin(in_both_orders.label, (0.0, 1.0)))
    kinds, a_better_in_both = kinds_of(labelled_in_both), labelled_in_both.label == 1.0
    a_better = labelled.label == 1.0

    def share(mask: BoolArray, rows: Choices) -> Statistic:
        return share_of(mask.astype(np.float64), rows.cluster, level=level)

    return LabelAgreement(
        n=len(labelled.a),
        right=_rate(np.where(a_better, labelled.preferred, 1.0 - labelled.preferred), labelled, level),
        right_in_both=share(np.where(a_better_in_both, kinds.a, kinds.b), labelled_in_both),
        wrong_in_both=share(np.where(a_better_in_both, kinds.b, kinds.a), labelled_in_both),
        flips=share(kinds.flip, labelled_in_both),
        tied_by_label=len(tied.a),
        tied_in_both=share(kinds_of(tied).tie, tied),
    )


def _rate(preferred: FloatArray, rows: Choices, level: float) -> Statistic:
    if not len(preferred):
        return undefined("nothing was compared in both orders", n=0, level=level)
    return mean_of(preferred, rows.cluster, level=level, least=0.0)


def _with_adjusted_p(position: Position, length: Length) -> tuple[Position, Length]:
    adjusted = adjust_known([position.p, length.p])
    return _with_holm(position, adjusted[0]), _with_holm(length, adjusted[1])


def _with_holm(bias: AnyBias, adjusted: float | None) -> AnyBias:
    return replace(bias, holm_p=adjusted, found=adjusted is not None and adjusted <= _ALPHA)


MIN_CHOICES = 10
"""Minimum number of people's choices for a corrected win rate."""

_NOT_RANDOM = (
    "people chose between outputs on which the judge decides unlike on the others: "
    "no random part of the comparisons"
)


def corrected_win_rate(matched: Choices, *, level: float = 0.95) -> Statistic | None:
    """Return the win rate of ``a`` among people by PPI++ over clusters; None if no person chose.

    The comparisons on which people chose must be a random part of all. Undefined with fewer than ten, or if they do
    not look like a random part.

    Source: Angelopoulos, Duchi and Zrnic 2023 (arXiv 2311.01453).

    Args:
        matched: Comparisons of two systems, the same one always ``a``, with a verdict of the judge in both
            orders.
        level: Nominal coverage.
    """
    has_person = np.isfinite(matched.person)
    n = int(has_person.sum())
    if not n:
        return None
    if n < MIN_CHOICES:
        return undefined(f"people chose on {n}, and it takes {MIN_CHOICES}", n=n, level=level)
    if has_person.all():
        return labels_only(matched.person, matched.cluster, level=level)
    preferred = matched.preferred
    data = LabelledAndJudged(
        matched.person[has_person],
        preferred[has_person],
        preferred[~has_person],
        matched.cluster[has_person],
        matched.cluster[~has_person],
    )
    if chosen_by_score(data) is not None:
        return undefined(_NOT_RANDOM, n=n, level=level)
    return power_tuned(data, level=level).estimate
