"""Rates with weight 1 for each case, for systems whose cases have unequal numbers of trials."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from msgspec.structs import replace

from ...records import ItemKey, Verdict
from ..store.journal_rows import StoredVerdict
from ..store.run_store import RunStore
from .run_results import DECIDED, StratumRate, SystemResult, UnevenTrials

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
    """Add to each part of uneven systems what its rate is if each case has weight 1.

    Args:
        systems: Results by part.
        uneven: Names of the systems whose cases have unequal numbers of trials.
        verdicts: Returns the verdicts, checkers' before judges'.
        cluster: Maps a case to its cluster, and any other name to None.
    """
    if not uneven:
        return list(systems)
    read = _read(uneven, verdicts(), cluster)

    def with_trials(rate: StratumRate, system: str) -> StratumRate:
        scores = read.scores.get((system, None if rate.name == DECIDED else rate.by), {})
        return replace(rate, trials=_uneven(scores, read.trials.get(system, {}), cluster))

    return [
        replace(each, strata=[with_trials(rate, each.system) for rate in each.strata]) for each in systems
    ]


def with_uneven_overall(
    systems: Iterable[SystemResult], uneven: Collection[str], store: RunStore
) -> list[SystemResult]:
    """Add the same to the rates of all outputs, and of the undecided ones, of uneven systems."""
    systems = list(systems)
    if not any(each.system in uneven and each.judged is not None for each in systems):
        return [_as_checked(each) if each.system in uneven else each for each in systems]
    from ...calibration.comparison.outputs import graded_of, outputs_of  # noqa: PLC0415 - numpy is slow to import
    from ..run_table import systems_table  # noqa: PLC0415 - numpy is slow to import

    graded = graded_of(outputs_of(systems_table(store), None))
    return [
        _with_judged(each, graded[each.system]) if each.system in uneven and each.system in graded else each
        for each in systems
    ]


def _as_checked(system: SystemResult) -> SystemResult:
    """Return a system whose rate of all outputs is the checkers'."""
    checked = next((rate for rate in system.strata if rate.name == DECIDED), None)
    if checked is None or system.overall is None:
        return system
    return replace(system, overall=replace(system.overall, trials=checked.trials))


def _with_judged(system: SystemResult, graded: Graded) -> SystemResult:
    whole, judged = system.overall, system.judged
    return replace(
        system,
        overall=None if whole is None else replace(whole, trials=_of_graded(graded)),
        judged=None
        if judged is None
        else replace(judged, trials=_of_graded(graded.take(graded.is_undecided))),
    )


def _of_graded(graded: Graded) -> UnevenTrials | None:
    """Return the trials of the cases with a graded output; None if each has as many."""
    import numpy as np  # noqa: PLC0415 - numpy is slow to import

    from ...calibration.comparison.rates_by_case import rate_by_case  # noqa: PLC0415 - numpy is slow to import

    known = graded.take(graded.is_graded)
    _, first = np.unique(known.case, return_index=True)
    trials: list[int] = known.trials[first].tolist()
    return _trials(trials, rate_by_case(known)) if trials else None


def _trials(trials: Sequence[int], by_case: Statistic) -> UnevenTrials | None:
    """Return numbers of trials by case; None if all are equal."""
    fewest, most = min(trials), max(trials)
    if fewest == most:
        return None
    return UnevenTrials(cases=len(trials), outputs=sum(trials), fewest=fewest, most=most, by_case=by_case)


class _Verdicts(NamedTuple):
    """Verdicts on the outputs of uneven systems.

    Attributes:
        scores: By system and judge, None for the checkers; a judge's of undecided outputs if there are checkers.
        trials: Number of outputs by system and case.
    """

    scores: Mapping[tuple[str, str | None], Scores]
    trials: Mapping[str, Mapping[str, int]]


def _read(
    uneven: Collection[str],
    verdicts: Iterable[Verdict | StoredVerdict],
    cluster: Callable[[str], str | None],
) -> _Verdicts:
    scores: defaultdict[tuple[str, str | None], defaultdict[str, list[float]]]
    scores = defaultdict(lambda: defaultdict(list))
    outputs: defaultdict[str, defaultdict[str, set[int]]] = defaultdict(lambda: defaultdict(set))
    undecided, has_checkers = set[ItemKey](), False
    for verdict in verdicts:
        case, system, trial = verdict.key
        is_check = verdict.source == "checker"
        has_checkers = has_checkers or is_check
        if system not in uneven or cluster(case) is None:
            continue
        outputs[system][case].add(trial)
        if is_check and verdict.outcome == "undecided":
            undecided.add(verdict.key)
        counts = is_check or (verdict.repeat == 0 and (not has_checkers or verdict.key in undecided))
        if verdict.score is not None and counts:
            scores[system, None if is_check else verdict.by][case].append(verdict.score)
    trials = {system: {case: len(each) for case, each in cases.items()} for system, cases in outputs.items()}
    return _Verdicts(scores, trials)


def _uneven(
    scores: Scores, trials: Mapping[str, int], cluster: Callable[[str], str | None]
) -> UnevenTrials | None:
    """Return the trials of the cases with a score; None if each has as many."""
    if len({trials[case] for case in scores}) <= 1:
        return None
    import numpy as np  # noqa: PLC0415 - numpy is slow to import

    from ...calibration.arrays import cluster_numbers  # noqa: PLC0415 - numpy is slow to import
    from ...calibration.repeated_trials import Trials, trial_rate  # noqa: PLC0415 - numpy is slow to import

    rows = [
        (number, cluster(case) or case, score)
        for number, case in enumerate(sorted(scores))
        for score in sorted(scores[case])
    ]
    rates = Trials(
        case=np.array([number for number, _, _ in rows], dtype=np.int64),
        cluster=cluster_numbers(name for _, name, _ in rows),
        passed=np.array([score for _, _, score in rows], dtype=np.float64),
        judged=np.zeros(len(rows), dtype=np.bool_),
        label=np.full(len(rows), np.nan),
    )
    return _trials([trials[case] for case in scores], trial_rate("pass^k", 1, rates))
