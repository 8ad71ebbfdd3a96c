"""Rates by part: the checkers' rate on decided outputs, and judges' rates on undecided ones.

The parts are never pooled.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from math import fsum
from typing import NamedTuple, TypeAlias

import msgspec

from ...calibration.intervals.closed_forms import wilson_interval
from ...calibration.label_declarations import LabelsDeclaredBy
from ...calibration.statistic import Interval
from ...records import Author, ItemKey, Kind
from .run_results import DECIDED, JUDGED, OPEN, UNJUDGED, OtherForms, StratumRate, SystemResult
from .running_counts import Sums, Tally

JudgesKind: TypeAlias = Callable[[Author, Kind], bool]
"""Whether a judge is asked about a kind of case."""

_UNCORRECTED = (
    "own rate not corrected; that takes two or more labels of a random sample of the undecided outputs"
)
_UNDECLARED = (
    "own rate not corrected: nothing says that the labelled outputs are a random sample of the undecided ones"
)


def system_results(
    tally: Tally,
    missing: dict[str, int],
    labels: Mapping[ItemKey, float] | None = None,
    judges_kind: JudgesKind = lambda _judge, _kind: True,
    *,
    recorded: Mapping[str, Mapping[Kind, int]] = {},
    chosen_by: LabelsDeclaredBy | None = None,
    trials: Mapping[tuple[str, str], int] = {},
) -> list[SystemResult]:
    """Turn counts into the results of each system.

    Args:
        tally: The counts.
        missing: Number of cases without an output, by system.
        labels: Labels of undecided outputs, which correct the judges' rates on these.
        judges_kind: Tells whether a judge is asked about a kind of case.
        recorded: Number of each system's outputs that record their steps, by kind.
        chosen_by: Declaration of how outputs were chosen for labels, or None without one.
        trials: Number of outputs by system and case, if cases have several.
    """
    return [
        _with_steps(
            _system_result(
                system, tally, count, _Labels(labels or {}, chosen_by), judges_kind, trials=trials
            ),
            recorded.get(system, {}),
        )
        for system, count in missing.items()
    ]


class _Labels(NamedTuple):
    """Labels of outputs, and the declaration of how these were chosen, or None without one."""

    scores: Mapping[ItemKey, float]
    chosen_by: LabelsDeclaredBy | None


def _with_steps(result: SystemResult, recorded: Mapping[Kind, int]) -> SystemResult:
    """Add the largest possible number of unjudged outputs that record their steps, by kind."""
    steps = {kind: min(n, recorded[kind]) for kind, n in result.unjudged.items() if kind in recorded}
    return msgspec.structs.replace(result, unjudged_steps=steps)


def _system_result(
    system: str,
    tally: Tally,
    missing: int,
    labels: _Labels,
    judges_kind: JudgesKind,
    *,
    trials: Mapping[tuple[str, str], int],
) -> SystemResult:
    checked = tally.checked.get(system)
    sums_by_judge = tally.opened.get(system, {})
    if checked is None:
        strata = [rate_of(JUDGED, sums, by=sums.by, missing=missing) for sums in sums_by_judge.values()]
        return SystemResult(
            system=system,
            strata=strata,
            missing=missing,
            withheld=dict(tally.withheld.get(system, {})),
            failed_calls=tally.failed_calls[system],
        )
    corrected = dict(_corrected_strata(system, tally, labels, trials))
    undecided_by_kind: Mapping[Kind, int] = tally.open_kinds.get(system, {})
    judged_by_judge = tally.judged_kinds.get(system, {})
    asked_by_judge = {
        judge: _asked_about(undecided_by_kind, judge, judges_kind, judged_by_judge.get(judge, {}))
        for judge in sums_by_judge
    }
    unjudged: dict[Kind, int] = {}
    for kind, count in undecided_by_kind.items():
        # Two judges may be asked about the same outputs, so only the largest count of one judge is sure to be judged.
        if remaining := count - max((counts[kind] for counts in asked_by_judge.values()), default=0):
            unjudged[kind] = remaining
    uncorrected = (
        msgspec.structs.replace(rate, note=_UNDECLARED if corrected[judge].declared is None else None)
        if judge in corrected
        else rate
        for judge, rate in _open_strata(sums_by_judge, asked_by_judge, sum(unjudged.values()))
    )
    return SystemResult(
        system=system,
        strata=[rate_of(DECIDED, checked, missing=missing), *uncorrected, *corrected.values()],
        outcomes={"checker": dict(checked.outcomes)},
        missing=missing,
        faults=dict(checked.faults.most_common()),
        failures=dict(checked.failures.most_common()),
        unjudged=unjudged,
        form=_other_forms(checked),
        withheld=dict(tally.withheld.get(system, {})),
        failed_calls=tally.failed_calls[system],
    )


def _other_forms(checked: Sums) -> OtherForms | None:
    """Return the number of outputs that differ only in form, and the rates if they pass or fail."""
    outputs, imported = checked.other_forms
    if not outputs:
        return None
    passed, n = checked.score_sum, checked.graded + outputs
    return OtherForms(outputs=outputs, loose=(passed + outputs) / n, exact=passed / n, imported=imported)


def _asked_about(
    kinds: Mapping[Kind, int], judge: Author, judges_kind: JudgesKind, transcripts: Mapping[Kind, int]
) -> dict[Kind, int]:
    """Count by kind the undecided outputs that a judge is asked about.

    These are all outputs of its kinds, and the transcripts among the outputs of other kinds.
    """
    return {kind: n if judges_kind(judge, kind) else transcripts.get(kind, 0) for kind, n in kinds.items()}


def _open_strata(
    sums_by_judge: Mapping[Author, Sums], asked_by_judge: Mapping[Author, Mapping[Kind, int]], unjudged: int
) -> Iterator[tuple[Author | None, StratumRate]]:
    """Yield each judge's rate on the undecided outputs it is asked about, and unjudged outputs."""
    for judge, sums in sums_by_judge.items():
        yield judge, rate_of(OPEN, sums, by=sums.by, of=sum(asked_by_judge[judge].values()))
    if unjudged:
        outcomes = {"not judged": unjudged}
        yield (
            None,
            StratumRate(name=UNJUDGED, n=0, of=unjudged, outcomes=outcomes, undefined="no judge was asked"),
        )


def _corrected_strata(
    system: str, tally: Tally, labels: _Labels, trials: Mapping[tuple[str, str], int]
) -> Iterator[tuple[Author, StratumRate]]:
    if not labels.scores:
        return
    from .open_part import corrected_rate  # noqa: PLC0415 - numpy is slow to import, and most runs have no labels

    for judge, part in tally.open_scores.get(system, {}).items():
        rate = corrected_rate(part, tally.opened[system][judge].by, labels.scores, labels.chosen_by, trials)
        if rate is not None:
            yield judge, rate


def rate_of(
    name: str, sums: Sums, *, by: str | None = None, of: int | None = None, missing: int = 0
) -> StratumRate:
    """Return a mean score, its clustered interval and context; undefined if none is graded.

    Args:
        name: Name of the part.
        sums: Verdicts of the part.
        by: Name of the author of these verdicts.
        of: Number of outputs in the part, or None if each has a verdict.
        missing: Number of cases without an output in the part.
    """
    outcomes: dict[str, int] = {**sums.ungraded}
    total = sums.total if of is None else of
    if total > sums.total:
        outcomes["not judged"] = total - sums.total
    if missing:
        outcomes["missing"] = missing
    total += missing
    note = _UNCORRECTED if name == OPEN else None
    rate = StratumRate(
        name=name,
        by=by,
        n=sums.graded,
        of=total,
        outcomes=outcomes,
        note=note,
        fractions=sums.fractions,
    )
    if not sums.graded:
        return msgspec.structs.replace(rate, undefined="nothing was graded")
    mean = sums.score_sum / sums.graded
    (low, high), method = _interval_of(sums, mean)
    return msgspec.structs.replace(
        rate,
        value=mean,
        low=low,
        high=high,
        bounds=_bounds_of(sums, total) if total > sums.graded else None,
        method=method,
    )


def _bounds_of(sums: Sums, total: int) -> tuple[float, float]:
    """Return the means if everything ungraded failed, and if it all passed."""
    return sums.score_sum / total, (sums.score_sum + total - sums.graded) / total


def _interval_of(sums: Sums, mean: float) -> tuple[Interval, str]:
    """Return Wilson's interval, and the name of the method.

    For clustered verdicts and fractions, n is the effective number of verdicts. Computing it needs numpy, which a run of independent
    cases that pass or fail need not load.
    """
    if len(sums.clusters) == sums.graded and not sums.fractions:
        return wilson_interval(mean, sums.graded), "Wilson"
    import numpy as np  # noqa: PLC0415

    from ...calibration.intervals.clustered_rates import clustered_wilson_interval  # noqa: PLC0415
    from ...calibration.intervals.variance import spread_of_sums  # noqa: PLC0415

    # Sorted, so that rounding errors do not depend on the order in which verdicts came.
    rows = sorted((count, fsum(numbers)) for count, *numbers in sums.clusters.values())
    counts, totals = np.array(rows, dtype=np.float64).T
    between = fsum(sums.between[1:]) / sums.graded  # the first entry of an `ExactSum` is a count
    return clustered_wilson_interval(mean, spread_of_sums(totals, counts), between=between)
