"""Systems that a gate compares between two runs, and why it may not compare them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from ...calibration.gating.gate_results import GateCheck
from ...records import ItemKey
from .gated_judging import GatedOutput
from .gated_runs import GatedRun

_MIN_COMMON_SHARE = 0.8
"""Share of the cases of either run that both must have; see decision 42."""


class GatePair(NamedTuple):
    """A system of both runs.

    Attributes:
        name: Its name in the later run.
        before: Its outputs before.
        after: Its outputs after.
        common: Ids of cases that both runs have.
        cases: Number of cases that either run has.
    """

    name: str
    before: Mapping[ItemKey, GatedOutput]
    after: Mapping[ItemKey, GatedOutput]
    common: frozenset[str]
    cases: int


def gate_pairs(before: GatedRun, after: GatedRun) -> Iterator[GatePair]:
    """Yield the systems of both runs; single systems are paired regardless of their names."""
    single = len(before.systems) == len(after.systems) == 1
    for name, outputs_after in after.systems.items():
        name_before = next(iter(before.systems)) if single else name
        if name_before not in before.systems:
            continue
        outputs_before = before.systems[name_before]
        ids_before = {key.case_id for key in outputs_before}
        ids_after = {key.case_id for key in outputs_after}
        cases_before = ids_before | _cases_without_output(before, name_before, ids_after)
        cases_after = ids_after | _cases_without_output(after, name, ids_before)
        common = frozenset(cases_before & cases_after)
        yield GatePair(name, outputs_before, outputs_after, common, len(cases_before | cases_after))


def _cases_without_output(run: GatedRun, system: str, others: set[str]) -> set[str]:
    """Return the cases that a system with missing outputs may lack.

    If the run's cases cannot be read, they are taken to be those of the other run.
    """
    if not run.missing.get(system):
        return set()
    return set(others if run.cases is None else run.cases)


def unpaired(
    before: GatedRun, after: GatedRun, condition: str, limit: float, systems: Iterable[str]
) -> Iterator[GateCheck]:
    """Yield a "cannot tell" for each of the systems that only one run has."""
    if len(before.systems) == len(after.systems) == 1:
        return
    for name in dict.fromkeys(systems):
        if name in before.systems and name in after.systems:
            continue
        run_name = before.name if name in before.systems else after.name
        yield GateCheck(
            system=name,
            condition=condition,
            limit=limit,
            answer="cannot tell",
            why=f"only {run_name} has this system",
        )


def no_comparison(pair: GatePair, reasons: list[str]) -> str:
    """Say why the runs are not compared; empty if they are."""
    if reasons:
        return f"not comparable: {reasons[0]}"
    if len(pair.common) < _MIN_COMMON_SHARE * pair.cases:
        return f"only {len(pair.common):,} of {pair.cases:,} cases are common, fewer than {_MIN_COMMON_SHARE:.0%}"
    any_passed = any(output.score for outputs in (pair.before, pair.after) for output in outputs.values())
    return "" if any_passed else "no output passed in either run, so no drop could be seen"
