"""Judged outputs as a gate counts them: by the judge that counts in a run, or by labels."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping
from typing import NamedTuple

import numpy as np

from ...calibration.comparison.outputs import AllOutputs, graded_of, judges_of_outputs, outputs_of
from ...calibration.comparison.systems import SystemTerms, pooled_rates
from ...calibration.label_declarations import LabelDeclaration
from ...calibration.pass_threshold import HALF
from ...calibration.statistic import Statistic
from ...calibration.tables.calibration_table import Table
from ...records import ItemKey
from ...records.made_scores import reaches
from ..run_table import systems_table
from ..store.run_store import RunStore

CRASHED = "its error"
"""Who says that an output of another tool fails that ended in an error."""


class GatedOutput(NamedTuple):
    """Grade of one output.

    Attributes:
        score: Score from 0 to 1, or None if there is none.
        by: Display name of who gave it, or of who gave none.
        judged: Whether a judge gave it.
        error_type: Fault that a checker found.
        passed: Whether its tool passed it, or None if only the score says so.
    """

    score: float | None
    by: str
    judged: bool
    error_type: str | None = None
    passed: bool | None = None

    @property
    def passes(self) -> bool | None:
        """True if it passes, by its tool or else by the score, or None without a grade."""
        if self.score is None:
            return None
        return reaches(self.score, HALF) if self.passed is None else self.passed


class JudgedTable(NamedTuple):
    """Outputs of a run, some of them judged.

    Attributes:
        table: Rows of the run, as comparisons of systems read them.
        all: Its outputs by system.
    """

    table: Table
    all: AllOutputs

    @property
    def baselines(self) -> frozenset[str]:
        """Names of the baselines, which only compare words."""
        return frozenset(name for name, judge in self.table.judges.items() if judge.kind == "baseline")

    def outputs(self) -> Iterator[tuple[str, float | None, str | None]]:
        """Yield each output by name, with the verdict that counts in the run, and its judge.

        The judge is None for a decided output, and for one that no judge graded.
        """
        graded, judge_of = graded_of(self.all), judges_of_outputs(self.all)
        for system, each in graded.items():
            results: list[float] = each.result.tolist()
            judges: list[int] = judge_of[system].tolist()
            items: list[int] = each.item.tolist()
            rows = zip(items, results, judges, each.is_undecided.tolist(), strict=True)
            for item, result, judge, undecided in rows:
                is_graded = not math.isnan(result)
                by = self.all.judges[judge] if undecided and is_graded else None
                yield self.table.item.values[item], result if is_graded else None, by

    def corrected(self, only: Collection[ItemKey] | None = None) -> Mapping[str, Statistic]:
        """Return the rate by system where labels correct it, of all outputs or of some.

        Labels of a system that are no random sample of all its outputs correct none of its rates.
        """
        table, outputs = self.table, self.all
        if np.isnan(table.label).all():
            return {}
        terms = SystemTerms(table.item.values, None, 0, 0.95, table.labels_chosen_by)
        _, whole = pooled_rates(outputs, terms)
        contradicted = whole.contradicted
        if only is not None:
            names = {str(key) for key in only}
            of_item = np.array([item in names for item in table.item.values], dtype=np.bool_)
            table = table.take(of_item[table.item.codes])
            outputs = outputs_of(table, None)
            _, whole = pooled_rates(outputs, terms)
        return {
            name: whole.rates[name]
            for name in whole.corrected_systems
            if name not in contradicted and outputs.systems[name].is_undecided.any()
        }


def judged_table(store: RunStore, declared: LabelDeclaration | None = None) -> JudgedTable | None:
    """Return the outputs of a run, or None if no judge graded an undecided one.

    ``declared`` says how outputs were chosen for labels; by default the labels do.
    """
    table = systems_table(store, declared)
    outputs = outputs_of(table, None)
    return JudgedTable(table, outputs) if outputs.judges else None
