"""Results of systems, completed: one pass rate each, and an example of each common fault.

Checkers decide what they can, one judge per output the rest.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

from msgspec.structs import replace

from ...calibration.comparison.comparison_results import ComparedStratum as Part
from ...calibration.comparison.comparison_results import Comparison
from ...calibration.pass_threshold import PassThreshold
from ...calibration.statistic import Statistic
from ...records import Author, ItemKey, Outcome
from ...records.made_scores import reaches
from ..store.journal_rows import is_baseline
from ..store.run_store import RunStore
from .run_results import (
    ALL,
    ALL_CORRECTED,
    ALL_UNCORRECTED,
    CORRECTED,
    DECIDED,
    JUDGED,
    ONE_EACH,
    ONE_EACH_CORRECTED,
    FaultExample,
    StratumRate,
    SystemResult,
    Tally,
)


def with_overall_rates(
    systems: Sequence[SystemResult], store: RunStore, compared: Comparison | None
) -> list[SystemResult]:
    """Add the rate of all outputs to each system's result.

    Args:
        systems: Results by part.
        store: The run.
        compared: The comparison of its systems, if known, which has the same rates.
    """
    if not any(_is_judged(system) for system in systems):
        return [replace(system, overall=_checked_alone(system)) for system in systems]
    if compared is not None and compared.strata is not None:
        undecided, whole = compared.strata.open, compared.strata.all
    elif (alone := one_judges_part(systems, store)) is not None:
        undecided = whole = alone
    else:
        undecided, whole = pooled_parts(store)
    return [_with_rates(system, undecided, whole) for system in systems]


def _is_judged(system: SystemResult) -> bool:
    return any(part.by is not None and part.n for part in system.strata if part.name != DECIDED)


def one_judges_part(systems: Sequence[SystemResult], store: RunStore) -> Part | None:
    """Return the outputs that one judge graded 0 or 1, each its own cluster, without labels.

    It equals both parts of `pooled_parts`, and needs no numpy. None for any other run.
    """
    rates = {system.system: system.strata[0] for system in systems if len(system.strata) == 1}
    authors = store.verdicts.standing.authors
    outputs = {
        system.system: rates[system.system].of - system.missing
        for system in systems
        if system.system in rates
    }
    if (
        len(rates) < len(systems)
        or len(authors) > 1
        or any(rate.name != JUDGED or rate.fractions or rate.method != "Wilson" for rate in rates.values())
        or sum(outputs.values()) < len(store.verdicts.standing)  # repeats, or statements
        or store.labels
    ):
        return None
    fields = Statistic.__struct_fields__
    return Part(
        by=[],
        pairs=[],
        rates={
            name: Statistic(**{field: getattr(rate, field) for field in fields})
            for name, rate in rates.items()
        },
        outputs=outputs,
        graded={name: rate.n for name, rate in rates.items()},
        passed={name: round(rate.n * (rate.value or 0.0)) for name, rate in rates.items()},
        labelled={},
        corrected=False,
    )


def pooled_parts(store: RunStore) -> tuple[Part, Part]:
    """Return the undecided outputs and all outputs of each system, with their pass rates."""
    from ...calibration.comparison.outputs import outputs_of  # noqa: PLC0415 - numpy is slow to import
    from ...calibration.comparison.systems import SystemTerms, pooled_rates  # noqa: PLC0415 - numpy is slow to import
    from ..run_table import systems_table  # noqa: PLC0415 - numpy is slow to import

    table = systems_table(store)
    return pooled_rates(
        outputs_of(table, None), SystemTerms(table.item.values, None, 0, 0.95, table.labels_chosen_by)
    )


def _checked_alone(system: SystemResult) -> StratumRate | None:
    """Return the checkers' rate as the rate of all outputs; undefined if any are ungraded."""
    decided = next((part for part in system.strata if part.name == DECIDED), None)
    if decided is None:
        return None
    outputs = decided.of - system.missing
    overall, ungraded = replace(decided, name=ALL), outputs - decided.n
    if not ungraded:
        return overall
    why = f"{ungraded:,} of {outputs:,} outputs are ungraded"
    return replace(overall, value=None, low=None, high=None, method=None, undefined=why)


def _with_rates(system: SystemResult, undecided: Part, whole: Part) -> SystemResult:
    name = system.system
    if name not in whole.rates:
        return replace(system, overall=_checked_alone(system))
    corrected = name in whole.corrected_systems
    judged_name = ONE_EACH_CORRECTED if corrected else ONE_EACH
    judged = None
    passed, of_judged = float(whole.passed[name]), float(undecided.passed.get(name, 0))
    if undecided.outputs.get(name):
        rate = undecided.graded_rates.get(name, undecided.rates[name].value)
        if corrected and rate is not None:
            # Labels estimate how many of the judged outputs pass.
            estimated = rate * undecided.graded[name]
            passed, of_judged = passed - of_judged + estimated, estimated
        judged = _stratum(judged_name, name, undecided, missing=0, passed=of_judged)
    overall_name = ALL
    if judged is not None and judged.n:
        overall_name = ALL_CORRECTED if corrected else ALL_UNCORRECTED
    overall = _stratum(overall_name, name, whole, missing=system.missing, passed=passed)
    strata = system.strata
    if (contradicted := undecided.contradicted.get(name)) is not None:
        strata = [_refuted(part, contradicted.p) for part in strata]
    return replace(system, overall=overall, judged=judged, strata=strata)


def _refuted(part: StratumRate, p: float) -> StratumRate:
    """Return a rate, if corrected, without the correction that labels contradict."""
    if part.name != CORRECTED or part.value is None or part.declared == "every_output":
        return part
    why = f"labelled outputs are unlike the other undecided outputs (p {p:.2g}), so they are not a random sample"
    return replace(part, value=None, low=None, high=None, method=None, note=None, undefined=why)


def _stratum(name: str, system: str, part: Part, *, missing: int, passed: float) -> StratumRate:
    """Return a system's rate in a part; ``passed`` of its graded outputs pass."""
    rate, graded, outputs = part.rates[system], part.graded[system], part.outputs[system]
    outcomes: Mapping[Outcome | str, int] = {"ungraded": outputs - graded, "missing": missing}
    of = outputs + missing
    bounded = rate.value is not None and graded < of
    return StratumRate(
        name=name,
        value=rate.value,
        low=rate.low,
        high=rate.high,
        level=rate.level,
        method=rate.method,
        undefined=rate.undefined,
        n=graded,
        of=of,
        outcomes={outcome: count for outcome, count in outcomes.items() if count},
        bounds=_bounds(system, part, missing, passed) if bounded else None,
        declared=part.declared.get(system),
        if_random=part.if_random.get(system),
        contradicted=part.contradicted.get(system),
    )


def _bounds(system: str, part: Part, missing: int, passed: float) -> tuple[float, float] | None:
    """Return the rate if all ungraded and missing outputs failed, and if all passed.

    With unequal trials each case has weight 1. Labels of ungraded outputs stay if they correct the rate; None
    if nothing else is ungraded.
    """
    size = part.n_cases.get(system, part.outputs[system])
    of = size + missing
    if system in part.n_cases or system in part.graded_rates:
        rate = part.rates[system].value or 0.0
        low, high = part.bounds.get(system, (rate, rate))
        return (low * size / of, (high * size + missing) / of) if missing or high > low else None
    return passed / of, (passed + of - part.graded[system]) / of


_COMMONEST = 3

_LONGEST = 300
"""Characters of a reason."""


def with_examples(systems: Sequence[SystemResult], tally: Tally, store: RunStore) -> list[SystemResult]:
    """Add to each system example outputs, with reasons, of three top faults and three judges."""
    thresholds: dict[Author, PassThreshold] = {judge.id: judge.threshold for judge in store.roster}
    return [
        replace(
            system,
            examples=dict(_examples(system, tally, store)),
            judged_examples=dict(_judged_examples(system, tally, store, thresholds)),
        )
        for system in systems
    ]


def _examples(system: SystemResult, tally: Tally, store: RunStore) -> Sequence[tuple[str, FaultExample]]:
    checked = tally.checked.get(system.system)
    if checked is None:
        return []
    faults = islice(system.faults, _COMMONEST)
    return [(fault, _example(checked.examples[fault], store, error_type=fault)) for fault in faults]


def _judged_examples(
    system: SystemResult, tally: Tally, store: RunStore, thresholds: Mapping[Author, PassThreshold]
) -> Iterator[tuple[str, FaultExample]]:
    """Yield an output that each of the strictest judges failed; a baseline is no judge."""
    found = [
        (sums.graded - sums.score_sum, sums.by, author, sums.worst)
        for author, sums in tally.opened.get(system.system, {}).items()
        if sums.by is not None and sums.worst is not None and not is_baseline(author)
    ]
    for _, by, author, (score, key) in sorted(found, key=lambda each: (-each[0], each[1]))[:_COMMONEST]:
        if not reaches(score, thresholds.get(author, PassThreshold()).at):
            yield by, _example(key, store, by=by, score=score)


def _example(key: ItemKey, store: RunStore, **sought: Any) -> FaultExample:
    """Return an output as an example, with the reason of its verdict that has these fields."""
    reasons = (
        verdict.reason
        for verdict in store.verdicts.verdicts_on(key)
        if verdict.reason and all(getattr(verdict, name) == value for name, value in sought.items())
    )
    reason = next(reasons, None)
    return FaultExample(item=str(key), reason=None if reason is None else reason[:_LONGEST])
