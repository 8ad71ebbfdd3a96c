"""Completion of systems' results: a pass rate on all outputs, and examples of faults.

`with_overall_rates` adds the pass rates, which count checkers' verdicts, and one judge's verdict for each undecided output.
`with_examples` adds example outputs of the most frequent faults.
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
)
from .running_counts import Tally


def with_overall_rates(
    systems: Sequence[SystemResult], store: RunStore, comparison: Comparison | None
) -> list[SystemResult]:
    """Add the rate of all outputs to each system's result.

    Args:
        systems: Results by part.
        store: The run.
        comparison: Comparison of its systems, whose rates are the same, or None to compute them.
    """
    if not any(_is_judged(system) for system in systems):
        return [replace(system, overall=_overall_of_checkers(system)) for system in systems]
    if comparison is not None and comparison.strata is not None:
        undecided, all_outputs = comparison.strata.open, comparison.strata.all
    elif (part := one_judges_part(systems, store)) is not None:
        undecided = all_outputs = part
    else:
        undecided, all_outputs = pooled_parts(store)
    return [_with_rates(system, undecided, all_outputs) for system in systems]


def _is_judged(system: SystemResult) -> bool:
    return any(part.by is not None and part.n for part in system.strata if part.name != DECIDED)


def one_judges_part(systems: Sequence[SystemResult], store: RunStore) -> Part | None:
    """Return the outputs of a run that needs no numpy, as one part, or None for any other run.

    In such a run, one judge graded outputs 0 or 1, each output is its own cluster, and there are no labels. Both parts of
    `pooled_parts` would be equal to the part returned.
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
        or sum(outputs.values())
        < len(store.verdicts.standing)  # more verdicts than outputs: some are on repeats or statements
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
        # Scores are 0 or 1, so their sum is whole but for rounding errors.
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
    terms = SystemTerms(
        names=table.item.values, against=None, flips=0, level=0.95, chosen_by=table.labels_chosen_by
    )
    return pooled_rates(outputs_of(table, None), terms)


def _overall_of_checkers(system: SystemResult) -> StratumRate | None:
    """Return the checkers' rate as the rate of all outputs; undefined if any are ungraded."""
    decided = next((part for part in system.strata if part.name == DECIDED), None)
    if decided is None:
        return None
    outputs = decided.of - system.missing
    overall, ungraded = replace(decided, name=ALL), outputs - decided.n
    if not ungraded:
        return overall
    # Checkers left the ungraded outputs to judges, so the rate would only be that of easier outputs.
    reason = f"{ungraded:,} of {outputs:,} outputs are ungraded"
    return replace(overall, value=None, low=None, high=None, method=None, undefined=reason)


def _with_rates(system: SystemResult, undecided: Part, all_outputs: Part) -> SystemResult:
    """Add a system's rates on all outputs and on undecided ones, corrected if labels allow it."""
    name = system.system
    if name not in all_outputs.rates:
        return replace(system, overall=_overall_of_checkers(system))
    corrected = name in all_outputs.corrected_systems
    judged_name = ONE_EACH_CORRECTED if corrected else ONE_EACH
    judged = None
    passed, passed_undecided = float(all_outputs.passed[name]), float(undecided.passed.get(name, 0))
    if undecided.outputs.get(name):
        rate = undecided.graded_rates.get(name, undecided.rates[name].value)
        if corrected and rate is not None:
            # Labels estimate how many of the judged outputs pass.
            estimated = rate * undecided.graded[name]
            passed, passed_undecided = passed - passed_undecided + estimated, estimated
        judged = _stratum_of(judged_name, name, undecided, missing=0, passed=passed_undecided)
    overall_name = ALL
    if judged is not None and judged.n:
        overall_name = ALL_CORRECTED if corrected else ALL_UNCORRECTED
    overall = _stratum_of(overall_name, name, all_outputs, missing=system.missing, passed=passed)
    strata = system.strata
    if (contradicted := undecided.contradicted.get(name)) is not None:
        strata = [_without_correction(part, contradicted.p) for part in strata]
    return replace(system, overall=overall, judged=judged, strata=strata)


def _without_correction(part: StratumRate, p: float) -> StratumRate:
    """Return the rate, undefined if it was corrected with labels that are no random sample.

    ``p`` is the p-value of a random sample. Labels of every output need not be a sample.
    """
    if part.name != CORRECTED or part.value is None or part.declared == "every_output":
        return part
    reason = f"labelled outputs are unlike the other undecided outputs (p {p:.2g}), so they are not a random sample"
    return replace(part, value=None, low=None, high=None, method=None, note=None, undefined=reason)


def _stratum_of(name: str, system: str, part: Part, *, missing: int, passed: float) -> StratumRate:
    """Return a system's rate in a part.

    ``missing`` is the number of cases without an output, ``passed`` the number of graded outputs that pass.
    """
    rate, graded, outputs = part.rates[system], part.graded[system], part.outputs[system]
    outcomes: Mapping[Outcome | str, int] = {"ungraded": outputs - graded, "missing": missing}
    of = outputs + missing
    has_bounds = rate.value is not None and graded < of
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
        bounds=_bounds_of(system, part, missing, passed) if has_bounds else None,
        declared=part.declared.get(system),
        if_random=part.if_random.get(system),
        contradicted=part.contradicted.get(system),
    )


def _bounds_of(system: str, part: Part, missing: int, passed: float) -> tuple[float, float] | None:
    """Return the rate if all ungraded and missing outputs failed, and if all passed.

    Ungraded outputs whose labels correct the rate keep these labels; None if no other outputs are ungraded. With
    unequal numbers of trials, each case has weight 1.
    """
    size = part.n_cases.get(system, part.outputs[system])
    of = size + missing
    if system in part.n_cases or system in part.graded_rates:
        rate = part.rates[system].value or 0.0
        low, high = part.bounds.get(system, (rate, rate))
        return (low * size / of, (high * size + missing) / of) if missing or high > low else None
    return passed / of, (passed + of - part.graded[system]) / of


_MAX_EXAMPLES = 3
"""Largest number of faults, and of judges, for which a system's results show an example."""

_MAX_REASON_LENGTH = 300
"""Number of characters after which an example's reason is cut."""


def with_examples(systems: Sequence[SystemResult], tally: Tally, store: RunStore) -> list[SystemResult]:
    """Add to each system example outputs, with reasons, of three top faults and three judges."""
    thresholds: dict[Author, PassThreshold] = {judge.id: judge.threshold for judge in store.roster}
    return [
        replace(
            system,
            examples=dict(_fault_examples(system, tally, store)),
            judged_examples=dict(_judged_examples(system, tally, store, thresholds)),
        )
        for system in systems
    ]


def _fault_examples(
    system: SystemResult, tally: Tally, store: RunStore
) -> Sequence[tuple[str, FaultExample]]:
    checked = tally.checked.get(system.system)
    if checked is None:
        return []
    faults = islice(system.faults, _MAX_EXAMPLES)  # the commonest first
    return [(fault, _example_of(checked.examples[fault], store, error_type=fault)) for fault in faults]


def _judged_examples(
    system: SystemResult, tally: Tally, store: RunStore, thresholds: Mapping[Author, PassThreshold]
) -> Iterator[tuple[str, FaultExample]]:
    """Yield the name of each of the strictest judges with the worst output that it failed.

    The strictest judges are those whose scores fall short of 1 by the largest sum. Baselines are not judges.
    """
    shortfall_by_judge = [
        (sums.graded - sums.score_sum, sums.by, author, sums.worst)
        for author, sums in tally.opened.get(system.system, {}).items()
        if sums.by is not None and sums.worst is not None and not is_baseline(author)
    ]
    strictest = sorted(shortfall_by_judge, key=lambda entry: (-entry[0], entry[1]))  # ties by name
    for _, by, author, (score, key) in strictest[:_MAX_EXAMPLES]:
        if not reaches(score, thresholds.get(author, PassThreshold()).at):
            yield by, _example_of(key, store, by=by, score=score)


def _example_of(key: ItemKey, store: RunStore, **fields: Any) -> FaultExample:
    """Return an output as an example, with the reason of its verdict with these field values."""
    reasons = (
        verdict.reason
        for verdict in store.verdicts.verdicts_on(key)
        if verdict.reason and all(getattr(verdict, name) == value for name, value in fields.items())
    )
    reason = next(reasons, None)
    return FaultExample(item=str(key), reason=None if reason is None else reason[:_MAX_REASON_LENGTH])
