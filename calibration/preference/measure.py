"""Preferences and biases of a judge, from its choices between outputs."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations
from typing import TypeVar

import numpy as np
from msgspec.structs import replace
from scipy.stats import binomtest

from ...records import Outcome
from ..arrays import BoolArray, FloatArray, IntArray
from ..comparison.significance import adjust_known
from ..intervals.clustered_means import Shift, combine_means, mean_of, paired_shift
from ..intervals.clustered_rates import share_of
from ..statistic import Statistic, defined, undefined
from .choices import Choices, kinds_of
from .corrected_wins import corrected_win_rate
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
"""Chance of any false alarm among the biases of a judge."""

_EVEN = 0.5
"""Win rate of equal systems, and label of equal outputs."""


def preferences_of(
    judge: str, choices: Choices, ungraded: Mapping[Outcome, int] | None = None, *, level: float = 0.95
) -> PreferenceNumbers:
    """Measure a judge's preferences: win rates, strengths, biases, agreement with labels."""
    complete = choices.take(choices.complete)
    position, length = _corrected(_position(complete, level), _length(complete, level))
    return PreferenceNumbers(
        judge=judge,
        comparisons=len(choices.a),
        complete=len(complete.a),
        ungraded=dict(ungraded or {}),
        matches=_matches(choices, level),
        systems=_systems(complete, level),
        position=position,
        length=length,
        labels=_agreement(complete, level),
        misfit=ranking_misfit(complete),
    )


def _matches(choices: Choices, level: float) -> list[SystemMatch]:
    found: list[SystemMatch] = []
    for one, other in combinations(range(len(choices.systems)), 2):
        met = _between(choices, one, other)
        if len(met.a):
            found.append(_match(met, level))
    adjusted = adjust_known([match.p for match in found])
    return [_decided(match, p, level) for match, p in zip(found, adjusted, strict=True)]


def _between(choices: Choices, one: int, other: int) -> Choices:
    """Return the comparisons of two systems, with the first as ``a``."""
    met = choices.take(
        ((choices.a == one) & (choices.b == other)) | ((choices.a == other) & (choices.b == one))
    )
    turned = met.a == other

    def pick(first: FloatArray, second: FloatArray) -> FloatArray:
        return np.where(turned, second, first)

    return met._replace(
        a=np.full_like(met.a, one),
        b=np.full_like(met.b, other),
        a_first=pick(met.a_first, met.b_first),
        b_first=pick(met.b_first, met.a_first),
        length_a=pick(met.length_a, met.length_b),
        length_b=pick(met.length_b, met.length_a),
        label=pick(met.label, 1.0 - met.label),
        person=pick(met.person, 1.0 - met.person),
    )


def _match(met: Choices, level: float) -> SystemMatch:
    complete = met.take(met.complete)
    kinds = kinds_of(complete)
    won = kinds.a | kinds.b
    shift = _shift_from_even(complete.preferred, complete.cluster, level)
    return SystemMatch(
        a=met.systems[int(met.a[0])],
        b=met.systems[int(met.b[0])],
        n=len(complete.a),
        n_clusters=len(np.unique(complete.cluster)),
        incomplete=len(met.a) - len(complete.a),
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
    )


def _shift_from_even(preferred: FloatArray, cluster: IntArray, level: float) -> Shift:
    """Return how far values in [0, 1] are from even on average; tested as shifts in [-1, 1]."""
    found = paired_shift((preferred - _EVEN) * 2, cluster, level=level)
    value, low, high = (
        None if each is None else each / 2
        for each in (found.difference.value, found.difference.low, found.difference.high)
    )
    return replace(found, difference=replace(found.difference, value=value, low=low, high=high))


def _around_even(shift: Statistic) -> Statistic:
    """Return a win rate from its distance to even, with the interval that its test inverts."""
    if shift.value is None:
        return replace(shift, undefined="nothing was compared in both orders")
    ends = [None if end is None else min(1.0, max(0.0, end + _EVEN)) for end in (shift.low, shift.high)]
    return replace(shift, value=shift.value + _EVEN, low=ends[0], high=ends[1])


def _decided(match: SystemMatch, adjusted: float | None, level: float) -> SystemMatch:
    value = match.preferred.value
    if adjusted is None or value is None or adjusted > 1 - level:
        return replace(match, adjusted_p=adjusted)
    return replace(match, adjusted_p=adjusted, better=match.a if value > _EVEN else match.b)


def _systems(complete: Choices, level: float) -> dict[str, SystemPreference]:
    strength = ordered_strengths(complete, level=level).strengths
    found: dict[str, SystemPreference] = {}
    for number, name in enumerate(complete.systems):
        mine = complete.take((complete.a == number) | (complete.b == number))
        preferred = np.where(mine.a == number, mine.preferred, 1.0 - mine.preferred)
        found[name] = SystemPreference(
            n=len(preferred), win_rate=_rate(preferred, mine, level), strength=strength[number]
        )
    return found


def _position(complete: Choices, level: float) -> Position:
    kinds = kinds_of(complete)
    first, second = int(kinds.flip_first.sum()), int(kinds.flip_second.sum())
    shift = _shift_from_even(complete.first_chosen, complete.cluster, level)
    return Position(
        effect=shift.difference,
        p=shift.p,
        log_odds=ordered_strengths(complete, level=level).order,
        flips=share_of(kinds.flip.astype(np.float64), complete.cluster, level=level),
        to_first=first,
        to_second=second,
        flip_p=float(binomtest(first, first + second).pvalue) if first + second else None,
    )


def _length(complete: Choices, level: float) -> Length:
    apart = complete.take(
        np.isfinite(complete.length_a)
        & np.isfinite(complete.length_b)
        & (complete.length_a != complete.length_b)
    )
    a_longer = apart.length_a > apart.length_b
    longer = np.where(a_longer, apart.preferred, 1.0 - apart.preferred)
    labelled = np.isin(apart.label, (0.0, 1.0))
    wrong = np.where(apart.label == 1.0, 1.0 - apart.preferred, apart.preferred)[labelled]
    wrong_is_longer = (a_longer != (apart.label == 1.0))[labelled]
    effect, p = _difference(wrong, wrong_is_longer.astype(np.int64), apart.take(labelled), level)
    return Length(effect=effect, p=p, longer=_rate(longer, apart, level))


def _difference(
    wrong: FloatArray, longer: IntArray, choices: Choices, level: float
) -> tuple[Statistic, float | None]:
    """Return how much more often the judge is wrong when the wrong output is the longer one.

    The rate when the wrong output is the shorter one is subtracted; the p comes second.
    """
    if not longer.any() or longer.all():
        why = "no label tells which output is the better, with the worse one being now longer, now shorter"
        return undefined(why, n=len(wrong), level=level), None
    difference = combine_means(wrong, longer, np.array([-1.0, 1.0]), choices.cluster)
    return defined(
        difference.value,
        difference.interval(level),
        n=len(wrong),
        method="t-test over clusters (CR2)",
        level=level,
    ), difference.p()


def _agreement(complete: Choices, level: float) -> LabelAgreement | None:
    labelled = complete.take(np.isin(complete.label, (0.0, 1.0)))
    alike = complete.take(complete.label == _EVEN)
    if not len(labelled.a) and not len(alike.a):
        return None
    kinds = kinds_of(labelled)
    a_better = labelled.label == 1.0

    def share(is_so: BoolArray, of: Choices) -> Statistic:
        return share_of(is_so.astype(np.float64), of.cluster, level=level)

    return LabelAgreement(
        n=len(labelled.a),
        right=_rate(np.where(a_better, labelled.preferred, 1.0 - labelled.preferred), labelled, level),
        right_in_both=share(np.where(a_better, kinds.a, kinds.b), labelled),
        wrong_in_both=share(np.where(a_better, kinds.b, kinds.a), labelled),
        flips=share(kinds.flip, labelled),
        tied_by_label=len(alike.a),
        tied_in_both=share(kinds_of(alike).tie, alike),
    )


def _rate(preferred: FloatArray, rows: Choices, level: float) -> Statistic:
    if not len(preferred):
        return undefined("nothing was compared in both orders", n=0, level=level)
    return mean_of(preferred, rows.cluster, level=level, least=0.0)


def _corrected(position: Position, length: Length) -> tuple[Position, Length]:
    """Return the biases with their p adjusted for two tests."""
    adjusted = adjust_known([position.p, length.p])
    return _with_holm(position, adjusted[0]), _with_holm(length, adjusted[1])


def _with_holm(bias: AnyBias, adjusted: float | None) -> AnyBias:
    return replace(bias, holm_p=adjusted, found=adjusted is not None and adjusted <= _ALPHA)
