"""Systems of two runs that a gate compares, and whether it may."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from ...calibration.gating.gate_results import GateCheck
from ...records import ItemKey
from .gated_judging import GatedOutput
from .gated_runs import GatedRun

_MIN_COMMON = 0.8
"""Share of the cases of either run that both must have."""


class GatePair(NamedTuple):
    """A system of both runs.

    Attributes:
        name: Its name in the later run.
        before: Its outputs before.
        after: Its outputs after.
        common: Ids of cases that count for both.
        cases: Number of cases in either.
    """

    name: str
    before: Mapping[ItemKey, GatedOutput]
    after: Mapping[ItemKey, GatedOutput]
    common: frozenset[str]
    cases: int


def gate_pairs(before: GatedRun, after: GatedRun) -> Iterator[GatePair]:
    """Yield the systems of both runs; the only ones of either, whatever their names."""
    single = len(before.systems) == len(after.systems) == 1
    for name, now in after.systems.items():
        earlier = next(iter(before.systems)) if single else name
        if earlier not in before.systems:
            continue
        was = before.systems[earlier]
        ids = [{key.case_id for key in each} for each in (was, now)]
        known = [
            ids[0] | _lacking(before, earlier, ids[1]),
            ids[1] | _lacking(after, name, ids[0]),
        ]
        yield GatePair(name, was, now, frozenset(known[0] & known[1]), len(known[0] | known[1]))


def _lacking(run: GatedRun, system: str, others: set[str]) -> set[str]:
    """Return cases of a run that a system has no output of: ungraded ones, and not other cases."""
    if not run.missing.get(system):
        return set()
    return set(others if run.cases is None else run.cases)


def unpaired(
    before: GatedRun, after: GatedRun, condition: str, limit: float, systems: Iterable[str]
) -> Iterator[GateCheck]:
    """Yield those of the systems that are in one run only, of which no change can be told."""
    if len(before.systems) == len(after.systems) == 1:
        return
    for name in dict.fromkeys(systems):
        if name in before.systems and name in after.systems:
            continue
        where = before.name if name in before.systems else after.name
        yield GateCheck(
            system=name,
            condition=condition,
            limit=limit,
            answer="cannot tell",
            why=f"only {where} has this system",
        )


def no_comparison(pair: GatePair, reasons: list[str]) -> str:
    """Say why the runs are not compared; empty if they are."""
    if reasons:
        return f"not comparable: {reasons[0]}"
    if len(pair.common) < _MIN_COMMON * pair.cases:
        return f"only {len(pair.common):,} of {pair.cases:,} cases are common, fewer than {_MIN_COMMON:.0%}"
    passed = any(output.score for found in (pair.before, pair.after) for output in found.values())
    return "" if passed else "no output passed in either run, so no drop could be seen"
