"""Judged outputs of a gate: the grades that count in a run, and rates corrected by labels."""

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
"""Grader of an imported output that fails because it ended in an error."""


class GatedOutput(NamedTuple):
    """Grade of one output.

    Attributes:
        score: Score from 0 to 1, or None if there is none.
        by: Display name of the author, also of one that gave no score.
        judged: Whether a judge gave it.
        error_type: Fault that a checker found.
        passed: Whether the tool it is imported from passed it, or None if only the score tells.
    """

    score: float | None
    by: str
    judged: bool
    error_type: str | None = None
    passed: bool | None = None

    @property
    def passes(self) -> bool | None:
        """True if the output passes, by its tool or else by its score; None without a grade."""
        if self.score is None:
            return None
        return reaches(self.score, HALF) if self.passed is None else self.passed


class JudgedTable(NamedTuple):
    """Outputs of a run, some of them judged.

    Attributes:
        table: Rows of the run, in the form that compares systems.
        all: Outputs of the run by system.
    """

    table: Table
    all: AllOutputs

    @property
    def baselines(self) -> frozenset[str]:
        """Names of the baselines, which compare words only."""
        return frozenset(name for name, judge in self.table.judges.items() if judge.kind == "baseline")

    def outputs(self) -> Iterator[tuple[str, float | None, str | None]]:
        """Yield the name, the score that counts in the run, and the judge of each output.

        The judge is None for a decided output, and for one that no judge graded.
        """
        grades_by_system, judge_of = graded_of(self.all), judges_of_outputs(self.all)
        for system, grades in grades_by_system.items():
            results: list[float] = grades.result.tolist()
            judges: list[int] = judge_of[system].tolist()
            items: list[int] = grades.item.tolist()
            rows = zip(items, results, judges, grades.is_undecided.tolist(), strict=True)
            for item, result, judge, undecided in rows:
                is_graded = not math.isnan(result)
                by = self.all.judges[judge] if undecided and is_graded else None
                yield self.table.item.values[item], result if is_graded else None, by

    def corrected(self, only: Collection[ItemKey] | None = None) -> Mapping[str, Statistic]:
        """Return corrected rates by system, over all outputs or those in ``only``.

        If the labels of a system contradict a random sample, none of its rates is corrected.
        """
        table, outputs = self.table, self.all
        if np.isnan(table.label).all():
            return {}
        terms = SystemTerms(
            table.item.values, against=None, flips=0, level=0.95, chosen_by=table.labels_chosen_by
        )
        _, pooled = pooled_rates(outputs, terms)
        contradicted = pooled.contradicted  # tested on all outputs, even if ``only`` names some
        if only is not None:
            wanted_names = {str(key) for key in only}
            is_wanted = np.array([item in wanted_names for item in table.item.values], dtype=np.bool_)
            table = table.take(is_wanted[table.item.codes])
            outputs = outputs_of(table, None)
            _, pooled = pooled_rates(outputs, terms)
        return {
            name: pooled.rates[name]
            for name in pooled.corrected_systems
            if name not in contradicted and outputs.systems[name].is_undecided.any()
        }


def judged_table(store: RunStore, declared: LabelDeclaration | None = None) -> JudgedTable | None:
    """Return the outputs of a run, or None if no judge graded an undecided one.

    ``declared`` says how outputs were chosen for labels; by default the labels do.
    """
    table = systems_table(store, declared)
    outputs = outputs_of(table, None)
    return JudgedTable(table, outputs) if outputs.judges else None
