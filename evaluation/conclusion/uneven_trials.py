"""Rates of systems whose cases have unequal numbers of trials: each case has weight 1."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from msgspec.structs import replace

from ...calibration.pass_threshold import HALF
from ...records import ItemKey, Verdict
from ...records.made_scores import reaches
from ..store.journal_rows import StoredVerdict
from ..store.run_store import RunStore
from .run_results import CORRECTED, DECIDED, OPEN, UNJUDGED, StratumRate, SystemResult, UnevenTrials
from .running_counts import Tally

if TYPE_CHECKING:
    from ...calibration.comparison.outputs import Graded
    from ...calibration.statistic import Statistic

Scores: TypeAlias = Mapping[str, Sequence[float]]
"""Scores of the graded outputs of each case."""


def with_uneven_trials(
    systems: Iterable[SystemResult],
    uneven: Collection[str],
    verdicts: Callable[[], Iterable[Verdict | StoredVerdict]],
    cluster: Callable[[str], str | None],
) -> list[SystemResult]:
    """Give each case weight 1 in each part of uneven systems.

    Args:
        systems: Results by part.
        uneven: Names of the systems whose cases have unequal numbers of trials.
        verdicts: Function that returns the verdicts, checkers' before judges'.
        cluster: Maps a case to its cluster, and any other name to None.
    """
    if not uneven:
        return list(systems)
    by_case = _verdicts_by_case(uneven, verdicts(), cluster)

    def with_trials(rate: StratumRate, system: str) -> StratumRate:
        scores = by_case.scores.get((system, None if rate.name == DECIDED else rate.by), {})
        trial_counts = by_case.trials.get(system, {})
        trials = _uneven_trials(scores, trial_counts, cluster)
        if trials is not None:
            trials = replace(trials, retried=system in by_case.retried)
        if rate.name in {CORRECTED, UNJUDGED} or trials is None:
            return replace(rate, trials=trials, n_cases=None if trials is None else trials.cases)
        # An output has the weight 1 / trials of its case, so the weight of all outputs is the number of cases.
        weight = float(len(trial_counts)) if rate.name != OPEN else by_case.undecided.get(system, 0.0)
        missing = rate.outcomes.get("missing", 0)
        graded_weight = sum(len(case_scores) / trial_counts[case] for case, case_scores in scores.items())
        return _weighted_by_case(rate, trials, graded_weight / (weight + missing))

    return [
        replace(result, strata=[with_trials(rate, result.system) for rate in result.strata])
        for result in systems
    ]


def with_uneven_overall(
    systems: Iterable[SystemResult], uneven: Collection[str], store: RunStore
) -> list[SystemResult]:
    """Complete the rates of all outputs, and of the undecided ones, of uneven systems."""
    systems = list(systems)
    if not any(system.system in uneven and system.judged is not None for system in systems):
        return [_with_checkers_rate(system) if system.system in uneven else system for system in systems]
    from ...calibration.comparison.outputs import graded_of, outputs_of  # noqa: PLC0415 - numpy is slow to import
    from ..run_table import systems_table  # noqa: PLC0415 - numpy is slow to import

    graded = graded_of(outputs_of(systems_table(store), None))
    return [
        _with_judged(system, graded[system.system])
        if system.system in uneven and system.system in graded
        else system
        for system in systems
    ]


def with_weights(
    systems: Iterable[SystemResult], tally: Tally, trials: Mapping[tuple[str, str], int]
) -> list[SystemResult]:
    """Add the weights of graded and of withheld outputs to systems with several trials.

    ``trials`` is the number of outputs by system and case; empty if each case has one.
    """
    return [_with_weights(system, tally, trials) for system in systems] if trials else list(systems)


def _with_weights(system: SystemResult, tally: Tally, trials: Mapping[tuple[str, str], int]) -> SystemResult:
    name = system.system
    trials_per_case = {n_trials for (counted_system, _), n_trials in trials.items() if counted_system == name}
    if not trials_per_case or system.overall is None:
        return system
    graded = system.graded_weight
    if graded is None and len(trials_per_case) == 1:
        graded = system.overall.n / trials_per_case.pop()
    elif graded is None:
        graded_cases = (
            case
            for (graded_system, _), cases in tally.graded.items()
            if graded_system == name
            for case in cases
        )
        graded = math.fsum(1 / trials[name, case] for case in graded_cases)
    withheld = math.fsum(1 / trials[key.system, key.case_id] for key in tally.withheld_keys.get(name, ()))
    return replace(system, graded_weight=graded, withheld_weight=withheld)


def _with_checkers_rate(system: SystemResult) -> SystemResult:
    """Return a system whose rate of all outputs is the checkers'."""
    checked = next((rate for rate in system.strata if rate.name == DECIDED), None)
    if checked is None or system.overall is None:
        return system
    overall = replace(checked, name=system.overall.name, by=system.overall.by)
    if system.overall.value is None:  # outputs are ungraded
        overall = replace(system.overall, trials=checked.trials, n_cases=checked.n_cases)
    return replace(system, overall=overall)


def _weighted_by_case(rate: StratumRate, trials: UnevenTrials, graded_share: float) -> StratumRate:
    """Return a rate with weight 1 for each case.

    ``graded_share`` is the graded outputs' share of the weight.
    """
    by_case = trials.by_case
    value = by_case.value
    if rate.value is None or value is None:
        return replace(rate, trials=trials)
    if not rate.fractions:
        trials = replace(trials, failed=round(rate.n * (1.0 - rate.value)))
    bounds = (
        (value * graded_share, value * graded_share + 1 - graded_share) if rate.bounds is not None else None
    )
    return replace(
        rate,
        value=value,
        low=by_case.low,
        high=by_case.high,
        method=by_case.method,
        bounds=bounds,
        trials=trials,
        n_cases=trials.cases,
    )


def _with_judged(system: SystemResult, graded: Graded) -> SystemResult:
    """Add trials by case to a system's rates on all outputs and on the undecided ones."""

    def with_trials(rate: StratumRate | None, part: Graded) -> StratumRate | None:
        if rate is None:
            return None
        trials = _trials_of_graded(part)
        cases = None if trials is None else trials.cases
        if trials is not None:
            trials = replace(
                trials, retried=any(stratum.trials.retried for stratum in system.strata if stratum.trials)
            )
        return replace(rate, trials=trials, n_cases=cases)

    undecided = graded.take(graded.is_undecided)
    return replace(
        system,
        overall=with_trials(system.overall, graded),
        judged=with_trials(system.judged, undecided),
        graded_weight=float((1.0 / graded.trials[graded.is_graded]).sum()),
    )


def _trials_of_graded(graded: Graded) -> UnevenTrials | None:
    """Return the trials of the cases with a graded output, or None if all have equally many."""
    import numpy as np  # noqa: PLC0415 - numpy is slow to import

    from ...calibration.comparison.rates_by_case import rate_by_case  # noqa: PLC0415 - numpy is slow to import

    with_score = graded.take(graded.is_graded)
    _, first_row_of_case = np.unique(with_score.case, return_index=True)
    trials: list[int] = with_score.trials[first_row_of_case].tolist()
    return _if_uneven(trials, rate_by_case(with_score)) if trials else None


def _if_uneven(trials: Sequence[int], by_case: Statistic) -> UnevenTrials | None:
    """Return numbers of trials by case, or None if all are equal."""
    fewest, most = min(trials), max(trials)
    if fewest == most:
        return None
    by_case = replace(by_case, n=len(trials))
    return UnevenTrials(cases=len(trials), outputs=sum(trials), fewest=fewest, most=most, by_case=by_case)


class _VerdictsByCase(NamedTuple):
    """Verdicts on the outputs of uneven systems, by case.

    Attributes:
        scores: Scores by system and judge, None for the checkers. If there are checkers, judges' scores are on undecided outputs.
        trials: Number of outputs by system and case.
        undecided: Weight of the undecided outputs by system.
        retried: Systems whose trials look as if only failed cases were tried again; see `_is_retried`.
    """

    scores: Mapping[tuple[str, str | None], Scores]
    trials: Mapping[str, Mapping[str, int]]
    undecided: Mapping[str, float]
    retried: Collection[str]


def _verdicts_by_case(
    uneven: Collection[str],
    verdicts: Iterable[Verdict | StoredVerdict],
    cluster: Callable[[str], str | None],
) -> _VerdictsByCase:
    """Group verdicts by system and case; checkers' verdicts must come before judges'."""
    scores: defaultdict[tuple[str, str | None], defaultdict[str, list[float]]]
    scores = defaultdict(lambda: defaultdict(list))
    trial_numbers: defaultdict[str, defaultdict[str, set[int]]] = defaultdict(lambda: defaultdict(set))
    first_scores: defaultdict[str, dict[tuple[str, int], float]] = defaultdict(dict)
    undecided, has_checkers = set[ItemKey](), False
    for verdict in verdicts:
        case, system, trial = verdict.key
        is_check = verdict.source == "checker"
        has_checkers = has_checkers or is_check
        if system not in uneven or cluster(case) is None:
            continue
        trial_numbers[system][case].add(trial)
        # An output counts by its first score, so a judge's counts only where the checker gave none.
        earlier_score = first_scores[system].get((case, trial), math.nan)
        if math.isnan(earlier_score):
            first_scores[system][case, trial] = math.nan if verdict.score is None else verdict.score
        if is_check and verdict.outcome == "undecided":
            undecided.add(verdict.key)
        is_counted = is_check or (verdict.repeat == 0 and (not has_checkers or verdict.key in undecided))
        if verdict.score is not None and is_counted:
            scores[system, None if is_check else verdict.by][case].append(verdict.score)
    trials = {
        system: {case: len(numbers) for case, numbers in cases.items()}
        for system, cases in trial_numbers.items()
    }
    weights = dict[str, float]()
    for case, system, _ in sorted(undecided):  # in one order, so that rounding is the same in every run
        weights[system] = weights.get(system, 0.0) + 1 / trials[system][case]
    retried = [system for system, scores_by_attempt in first_scores.items() if _is_retried(scores_by_attempt)]
    return _VerdictsByCase(scores, trials, weights, retried)


def _is_retried(first_scores: Mapping[tuple[str, int], float]) -> bool:
    """Return whether each case with fewer trials ends in its only pass.

    ``first_scores`` contains scores by case and trial, NaN for ungraded outputs.
    """
    import numpy as np  # noqa: PLC0415 - numpy is slow to import

    from ...calibration.arrays import cluster_numbers  # noqa: PLC0415 - numpy is slow to import
    from ...calibration.repeated_trials import tried_until_passed  # noqa: PLC0415 - numpy is slow to import

    case = cluster_numbers(name for name, _ in first_scores)
    trial_numbers = np.array([trial for _, trial in first_scores], dtype=np.float64)
    scores = np.array(list(first_scores.values()), dtype=np.float64)
    return (
        tried_until_passed(case, trial_numbers, np.where(np.isnan(scores), np.nan, reaches(scores, HALF)))
        is not None
    )


def _uneven_trials(
    scores: Scores, trials: Mapping[str, int], cluster: Callable[[str], str | None]
) -> UnevenTrials | None:
    """Return the trials of the cases with a score, or None if all have equally many."""
    if len({trials[case] for case in scores}) <= 1:
        return None
    import numpy as np  # noqa: PLC0415 - numpy is slow to import

    from ...calibration.arrays import cluster_numbers  # noqa: PLC0415 - numpy is slow to import
    from ...calibration.intervals.clustered_rates import share_of  # noqa: PLC0415 - numpy is slow to import

    rows = [  # sorted, so that rounding errors do not depend on the order of verdicts
        (1.0 / trials[case], cluster(case) or case, score)
        for case in sorted(scores)
        for score in sorted(scores[case])
    ]
    rate = share_of(
        np.array([score for _, _, score in rows], dtype=np.float64),
        cluster_numbers(name for _, name, _ in rows),
        np.array([weight for weight, _, _ in rows]),
    )
    return _if_uneven([trials[case] for case in scores], rate)
