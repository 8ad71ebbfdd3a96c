"""Comparison of systems by pass rate, on decided, undecided and all outputs."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import NamedTuple

import numpy as np
from msgspec.structs import replace

from ..intervals.closed_forms import wilson_interval
from ..intervals.clustered_means import mean_over_clusters
from ..intervals.clustered_rates import share_of
from ..label_declarations import RANDOM_SAMPLES, LabelsDeclaredBy
from ..statistic import Statistic, defined, undefined
from ..tables.calibration_table import Table
from .comparison_results import MIN_COMPARED, ComparedPair, ComparedStratum, Strata
from .contradicted_labels import contradicted_labels
from .difference import TestedDifference, clustered_difference, share_difference
from .outputs import MIN_LABELS, AllOutputs, Graded, graded_by, graded_of
from .pairs import Items, adjusted, every_pair, pair_of
from .rates_by_case import cases_of_both, cases_of_uneven
from .significance import simultaneous_level
from .weighted_parts import corrected_rate_of, sum_of_parts, ungraded_bounds, weighted_parts

MIN_GRADED = 0.9
"""Minimum share of a system's undecided outputs that are graded, for a rate of all its outputs."""


class SystemTerms(NamedTuple):
    """Settings shared by every pair of systems.

    Attributes:
        names: Names of items.
        against: The only system to compare with, or None for all pairs.
        flips: Maximum number of items to list on which a pair differs.
        level: Nominal coverage.
        chosen_by: How undecided outputs were chosen for labels, or None if that is unknown.
        table: The table of the outputs, if any.
    """

    names: list[str]
    against: str | None
    flips: int
    level: float
    chosen_by: LabelsDeclaredBy | None = None
    table: Table | None = None


def strata_of(outputs: AllOutputs, terms: SystemTerms) -> Strata:
    """Compare every pair of systems, stratum by stratum.

    An undecided output has the verdict of one judge, the first that judged the task.
    """
    all_outputs = graded_of(outputs)
    decided = {name: system.take(~system.is_undecided) for name, system in all_outputs.items()}
    terms = terms._replace(table=outputs.table)
    by_judge = {
        judge: _stratum(_judged_by(outputs, number), [judge], terms)
        for number, judge in enumerate(outputs.judges)
    }
    decided_by = outputs.decided_by if any(len(graded.task) for graded in decided.values()) else []
    return Strata(
        decided=_stratum(decided, decided_by, terms),
        open=_stratum(
            _undecided(all_outputs), outputs.judges, terms, judges=by_judge if len(by_judge) > 1 else {}
        ),
        all=_stratum(all_outputs, [*decided_by, *outputs.judges], terms),
    )


def pooled_rates(outputs: AllOutputs, terms: SystemTerms) -> tuple[ComparedStratum, ComparedStratum]:
    """Return each system's rate on its undecided outputs and on all, without comparing systems."""
    all_outputs, terms = graded_of(outputs), terms._replace(table=outputs.table)
    undecided = _stratum(_undecided(all_outputs), outputs.judges, terms, paired=False)
    return undecided, _stratum(all_outputs, outputs.judges, terms, paired=False)


def _undecided(systems: Mapping[str, Graded]) -> dict[str, Graded]:
    return {name: system.take(system.is_undecided) for name, system in systems.items()}


def _judged_by(outputs: AllOutputs, judge: int) -> dict[str, Graded]:
    """Return the undecided outputs that one judge graded, by system."""
    return {
        name: graded_by(system, np.full(len(system.task), judge)).take(
            system.is_undecided & np.isfinite(system.verdicts[judge])
        )
        for name, system in outputs.systems.items()
    }


def _stratum(
    graded: Mapping[str, Graded],
    by: list[str],
    terms: SystemTerms,
    judges: Mapping[str, ComparedStratum] | None = None,
    *,
    paired: bool = True,
) -> ComparedStratum:
    """Compare systems in one stratum.

    Args:
        graded: Outputs of the stratum, by system.
        by: Names of the checkers and judges that graded them.
        terms: Settings of the comparison.
        judges: The stratum by each single judge.
        paired: Whether to compare pairs of systems, too.
    """
    declared: dict[str, LabelsDeclaredBy | None] = {
        name: _labels_declared_by(system, terms) for name, system in graded.items() if system.labelled.any()
    }
    contradicted = contradicted_labels(graded, terms.table, declared, terms.level)
    # Labels that look chosen correct no rate.
    with_enough_labels = _if_any_undecided(
        graded,
        {name for name, system in graded.items() if name not in contradicted and _has_enough_labels(system)},
    )
    correctable = _if_any_undecided(
        graded,
        {
            name
            for name in with_enough_labels
            if not graded[name].is_undecided.any() or declared.get(name) in RANDOM_SAMPLES
        },
    )
    name_pairs = every_pair(graded, terms.against) if paired else []
    # Both systems of a pair are corrected, or neither: a corrected rate cannot be compared with another.
    pairs = [
        _pair(
            (a, b),
            (graded[a], graded[b]),
            correct=correctable >= {a, b},
            terms=terms,
            pairs=len(name_pairs),
        )
        for a, b in name_pairs
    ]
    return ComparedStratum(
        by=by,
        pairs=adjusted(pairs, terms.level),
        rates={
            name: _rate(system, correct=name in correctable, level=terms.level)
            for name, system in graded.items()
        },
        outputs={name: len(system.task) for name, system in graded.items()},
        graded={name: int(system.is_graded.sum()) for name, system in graded.items()},
        passed={name: _passed(system) for name, system in graded.items()},
        labelled={name: int(system.labelled.sum()) for name, system in graded.items()},
        corrected=bool(correctable) and len(correctable) == len(graded),
        corrected_systems=[name for name in graded if name in correctable],
        chosen={name: system.p for name, system in contradicted.items()},
        declared=declared,
        contradicted=contradicted,
        if_random={
            name: _rate(graded[name], correct=True, level=terms.level)
            for name in graded
            if name in with_enough_labels - correctable and name in declared and declared[name] is None
        },
        judges=judges or {},
        n_cases={name: count for name, system in graded.items() if (count := cases_of_uneven(system))},
        graded_rates=_graded_rates(graded, correctable),
        failed_calls={
            name: count for name, system in graded.items() if (count := int(system.by_failed_calls.sum()))
        },
        bounds={
            name: bounds
            for name, system in graded.items()
            if (bounds := ungraded_bounds(system, correct=name in correctable)) is not None
        },
    )


def _passed(graded: Graded) -> float:
    """Return the number of outputs that pass, or for probabilities the expected number."""
    if graded.by_probability:
        return float(graded.result[graded.is_graded].sum())
    return int((graded.result == 1.0).sum())


def _if_any_undecided(graded: Mapping[str, Graded], names: set[str]) -> set[str]:
    """Return these systems if one of them has undecided outputs, else an empty set."""
    return names if any(graded[name].is_undecided.any() for name in names) else set()


def _labels_declared_by(graded: Graded, terms: SystemTerms) -> LabelsDeclaredBy | None:
    """Return how a system's undecided outputs were chosen for labels, as far as that is known."""
    return "every_output" if graded.all_labelled else terms.chosen_by


def _graded_rates(graded: Mapping[str, Graded], correctable: Collection[str]) -> dict[str, float]:
    """Return the corrected rates of graded outputs alone, where labels of ungraded ones count."""
    rates: dict[str, float] = {}
    for name, system in graded.items():
        if name in correctable and system.labelled_ungraded.any():
            judged = system.take(system.is_graded & system.is_undecided)
            rate = corrected_rate_of(judged, 0.95).value
            rates |= {} if rate is None else {name: rate}
    return rates


def _has_enough_labels(graded: Graded) -> bool:
    """Return whether a system has enough labels of undecided outputs, or no such output."""
    return not graded.is_undecided.any() or int(graded.labelled.sum()) >= MIN_LABELS


def _pair(
    names: tuple[str, str], sides: tuple[Graded, Graded], *, correct: bool, terms: SystemTerms, pairs: int
) -> ComparedPair:
    """Compare two systems on their common tasks in the stratum.

    The pair is not yet adjusted for other pairs; ``pairs`` is their number.
    """
    first, second = _on_common_tasks(*sides)
    all_labelled = correct and first.all_labelled and second.all_labelled
    if all_labelled:
        # Nothing is left to estimate from the judge, so the test is that of checked outputs.
        first, second, sides = (
            first.by_labels(),
            second.by_labels(),
            (sides[0].by_labels(), sides[1].by_labels()),
        )
    both_graded = first.is_graded & second.is_graded
    items = Items(
        first.passes[both_graded] == 1.0,
        second.passes[both_graded] == 1.0,
        first.cluster[both_graded],
        first.item[both_graded],
        terms.names,
    )
    undecided = bool((first.is_undecided | second.is_undecided).any())
    correct = correct and undecided and _has_enough_labels(first) and _has_enough_labels(second)
    contrast = _Contrast(first, second, items, correct=correct and not all_labelled)
    if (first.trials != second.trials).any() or any(graded.weight is not None for graded in (first, second)):
        contrast = contrast._replace(by_case=cases_of_both(*sides))
    tested = contrast.difference(terms.level)
    pair = pair_of(*names, items, tested, corrected=correct, flips=terms.flips)
    if tested.estimate.value is None:
        return pair
    if pairs > 1:
        wider = contrast.difference(simultaneous_level(terms.level, pairs)).estimate
        # The level reported is that of all pairs together.
        pair = replace(pair, simultaneous=replace(wider, level=terms.level))
    rate_a, rate_b = contrast.rates(terms.level)
    return replace(pair, rate_a=rate_a, rate_b=rate_b)


class _Contrast(NamedTuple):
    """Outputs of two compared systems.

    Attributes:
        first: Outputs of the first system for the common tasks.
        second: Outputs of the second system for the common tasks.
        items: Tasks for which both have graded outputs.
        correct: Whether labels correct the judge's verdicts.
        by_case: All outputs of both for the cases of both, if numbers of trials differ.
    """

    first: Graded
    second: Graded
    items: Items
    correct: bool
    by_case: tuple[Graded, Graded] | None = None

    @property
    def weighted(self) -> bool:
        """True if decided and undecided parts need weights by size, since some outputs are ungraded."""
        mixed = self.first.mixed or self.second.mixed
        return mixed and len(self.items.cluster) < len(self.first.task)

    def difference(self, level: float) -> TestedDifference:
        """Return the difference, first minus second."""
        n = len(self.items.cluster)
        if not n:
            return TestedDifference(undefined("no common items", n=0, level=level))
        first, second = self.by_case or (self.first, self.second)
        for graded in (first, second):
            too_few = _too_few_graded(graded, correct=self.correct) or (
                _too_few_labels(graded) if self.correct else None
            )
            if too_few:
                return TestedDifference(undefined(too_few, n=n, level=level))
        if not (self.correct or self.weighted or self.by_case):
            if first.by_probability or second.by_probability:
                gaps = self.first.result - self.second.result
                return clustered_difference(
                    mean_over_clusters(gaps[np.isfinite(gaps)], self.items.cluster), n=n, level=level
                )
            return share_difference(self.items.right_a, self.items.right_b, self.items.cluster, level)
        second_parts = [
            part._replace(coefficient=-part.coefficient)
            for part in weighted_parts(second, correct=self.correct)
        ]
        total = sum_of_parts([*weighted_parts(first, correct=self.correct), *second_parts])
        n = n if self.by_case is None else len(np.unique(first.case))
        return clustered_difference(total, n=n, level=level)

    def rates(self, level: float) -> list[Statistic]:
        """Return both rates, whose difference is `difference`."""
        cluster = self.items.cluster
        if self.by_case is not None or self.correct or self.weighted:
            sides = self.by_case or (self.first, self.second)
            return [_weighted_rate(side, correct=self.correct, n=len(cluster), level=level) for side in sides]
        both_graded = self.first.is_graded & self.second.is_graded
        return [
            share_of(system.result[both_graded], cluster, level=level) for system in (self.first, self.second)
        ]


def _on_common_tasks(first: Graded, second: Graded) -> tuple[Graded, Graded]:
    _, in_first, in_second = np.intersect1d(first.task, second.task, assume_unique=True, return_indices=True)
    return first.take(in_first), second.take(in_second)


def _too_few_graded(graded: Graded, *, correct: bool) -> str | None:
    """Return why decided and undecided outputs have no common rate, or None if they have one.

    In a corrected rate labels stand for ungraded outputs, so that these may be many.
    """
    undecided = int(graded.is_undecided.sum())
    judged = int((graded.is_undecided & graded.is_graded).sum())
    counts_ungraded = correct and graded.labelled_ungraded.any()
    if not graded.mixed or counts_ungraded or judged >= MIN_GRADED * undecided:
        return None
    return f"only {judged:,} of {undecided:,} undecided outputs are graded"


def _too_few_labels(graded: Graded) -> str | None:
    """Return why a corrected system is not compared, or None if it is."""
    count = int(graded.labelled.sum())
    if count >= MIN_COMPARED or count == int(graded.is_undecided.sum()):
        return None
    labels = f"{count} label{'' if count == 1 else 's'}"
    return f"one of them has {labels} of its undecided outputs; a difference takes {MIN_COMPARED}"


def _rate(graded: Graded, *, correct: bool, level: float) -> Statistic:
    """Return the pass rate, corrected by labels if ``correct``."""
    is_graded = graded.is_graded
    count = int(is_graded.sum())
    if not count:
        why = (
            "there is no such output"
            if not len(is_graded)
            else f"none of {len(is_graded):,} outputs is graded"
        )
        return undefined(why, n=0, level=level)
    too_few = _too_few_graded(graded, correct=correct)
    if too_few:
        return undefined(too_few, n=count, level=level)
    if correct and graded.is_undecided.all():
        return corrected_rate_of(graded, level)
    if graded.mixed and (correct or count < len(is_graded)):
        return _weighted_rate(graded, correct=correct, n=count, level=level)
    graded_rows = graded.take(is_graded)
    return share_of(graded_rows.result, graded_rows.cluster, graded_rows.weight, level=level)


def _weighted_rate(graded: Graded, *, correct: bool, n: int, level: float) -> Statistic:
    """Return the pass rate, weighting each part by its number of outputs."""
    total = sum_of_parts(list(weighted_parts(graded, correct=correct)))
    value = min(1.0, max(0.0, total.value))
    method = "Wilson on the cluster-effective n, parts by their size"
    # A single cluster counts as one trial.
    interval = total.rate_interval(level) or wilson_interval(value, 1.0, level)
    return defined(value, interval, n=n, method=method, level=level)
