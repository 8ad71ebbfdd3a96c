"""Calibration tables: each row has one judge's score of one item, and its label if known."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ...errors import UsageError
from ...records import JudgeId, nearest
from ...records.made_scores import reaches
from ...records.score_kinds import PROBABILITIES, ScoreKind
from ...spelling import setting, spelled_pairs, spelled_word
from ...tables.column_names import (
    AMOUNT_FIELDS,
    CHECKER_SCORE,
    FAILED_CALL,
    LABEL_ADDED,
    LABEL_PROBABILITY,
    LABEL_ROUND,
    OF_BASELINE,
    OF_COVARIATE,
    OF_PERSON,
)
from ..arrays import BoolArray, FloatArray, IntArray
from ..decisions import Decisions
from ..label_declarations import LabelsDeclaredBy
from ..pass_threshold import (
    HALF,
    PassThreshold,
    begins,
    overridden_threshold,
    require_overridden_judges,
    threshold_overrides,
)
from .columns import Column

TRIAL = "trial"
"""Column that distinguishes a system's outputs for one case."""

IDENTITY = ("item_id", "judge", "system", TRIAL, "repeat", "order")
"""Columns that identify a row."""

PERSON, BASELINE = OF_PERSON, OF_BASELINE
"""Prefixes of number columns with the grades of one person, or of one baseline."""

COVARIATE = OF_COVARIATE
"""Prefix of number columns on which the choice of labels may depend, such as a length."""

AMOUNTS = AMOUNT_FIELDS
"""Number columns with the cost of a verdict; ``cost`` is in US dollars."""

DECIDED, DECIDED_BY = CHECKER_SCORE, "checker"
"""Number column with a checker's decision on an item, NaN if undecided; and column with the checker's name."""

PROBABILITY = LABEL_PROBABILITY
"""Number column with the chance with which the item was drawn for a label."""

ROUND = LABEL_ROUND
"""Number column with the round in which the item was drawn, counted from 1."""

ADDED = LABEL_ADDED
"""Number column with the round in which the item's label was added, counted from 1."""

FAILED = FAILED_CALL
"""Number column: 1 for a row without a score because calls failed, and which a rerun may fill."""

_LABEL_COLUMNS = ("label_by", "error_type")
"""Columns of runs that depend on the label."""

DRAWN_FROM = "drawn_from"
"""Field of a draw file: number of unlabelled items from which its items were drawn."""


class LabelDraw(NamedTuple):
    """A file of items drawn for labels in one round.

    Attributes:
        name: Name of the file.
        drawn: Number of items drawn.
        drawn_from: Number of unlabelled items from which they were drawn, or None if not recorded.
        has_chances: Whether the chance of each item is recorded; then items were drawn from the judged ones.
    """

    name: str
    drawn: int
    drawn_from: int | None
    has_chances: bool


class JuryMembers(NamedTuple):
    """Judges whose votes a jury combines.

    Attributes:
        weights: Weight of each judge, by name.
        by_score: Whether scores are combined, rather than passes and fails.
    """

    weights: Mapping[str, float]
    by_score: bool = False


@dataclass(frozen=True, eq=False)
class Table:
    """Scores of judges, with labels, as columns.

    Attributes:
        item: Item of each row.
        judge: Judge that gave the score.
        score: Score in [0, 1], shape ``(n,)``; NaN where the judge gave none.
        label: Label in [0, 1], shape ``(n,)``; NaN where it is unknown.
        cluster: Cluster number of each row, shape ``(n,)``.
        columns: ``system``, ``trial``, ``repeat``, ``order`` and every other column that could be a slice.
        numbers: Other columns of numbers, by name, each of shape ``(n,)``, with NaN where a row has none:
            ``person:NAME`` and ``baseline:NAME`` in [0, 1], those of `AMOUNTS`, ``checker_score``,
            ``label_probability`` and ``label_round``.
        judges: Identities of judges by name, for rows of a run; rows of files have only names.
        thresholds: Pass threshold by judge; 0.5 for judges not named.
        decisions: Adjudications of items.
        checkers: Number of items whose label in a file comes from a checker, by its name.
        preferred: Judges in order of preference, for outputs that several judged; other judges come after them.
        notes: Notes on how columns were recognised.
        warnings: Warnings of labels that match no item, and of rows without an id.
        undecided_only: Whether outputs decided by a checker were left out.
        numbered: Whether item ids are row numbers though the table has a column of judges, so that judges share no
            item.
        draws: Files of items drawn for labels, one per round, in order.
        labels_chosen_by: How items were chosen for labels, as recorded in the labels of a run.
        score_kinds: Declared kind of scores, by judge.
        juries: Juries of a run, by name.
    """

    item: Column
    judge: Column
    score: FloatArray
    label: FloatArray
    cluster: IntArray
    columns: Mapping[str, Column]
    numbers: Mapping[str, FloatArray] = field(default_factory=dict[str, FloatArray])
    judges: Mapping[str, JudgeId] = field(default_factory=dict[str, JudgeId])
    thresholds: Mapping[str, PassThreshold] = field(default_factory=dict[str, PassThreshold])
    decisions: Decisions = field(default_factory=Decisions)
    checkers: Mapping[str, int] = field(default_factory=dict[str, int])
    preferred: Sequence[str] = ()
    notes: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    undecided_only: bool = False
    numbered: bool = False
    draws: tuple[LabelDraw, ...] = ()
    labels_chosen_by: LabelsDeclaredBy | None = None
    score_kinds: Mapping[str, ScoreKind] = field(default_factory=dict[str, ScoreKind])
    juries: Mapping[str, JuryMembers] = field(default_factory=dict[str, JuryMembers])

    def __len__(self) -> int:
        return len(self.score)

    def take(self, rows: npt.NDArray[Any]) -> Table:
        """Return some of the rows, by mask or number."""
        if rows.dtype == np.bool_:
            if rows.all():
                return self
            rows = np.flatnonzero(rows)
        return Table(
            self.item.take(rows),
            self.judge.take(rows),
            self.score[rows],
            self.label[rows],
            self.cluster[rows],
            {name: column.take(rows) for name, column in self.columns.items()},
            {name: numbers[rows] for name, numbers in self.numbers.items()},
            self.judges,
            self.thresholds,
            self.decisions,
            self.checkers,
            self.preferred,
            self.notes,
            self.warnings,
            self.undecided_only,
            self.numbered,
            self.draws,
            self.labels_chosen_by,
            self.score_kinds,
            self.juries,
        )

    def model_of(self, judge: str) -> str:
        """Return a judge's model; empty if unknown.

        For rows of files it is the value of a column ``model``, if the same in all rows of the judge, or else
        the part of the name after ``@``.
        """
        if judge in self.judges:
            return self.judges[judge].model
        models = self.columns.get("model")
        if models is None or judge not in self.judge.values:
            return judge.partition("@")[2]
        codes = np.unique(models.codes[self.judge.codes == self.judge.values.index(judge)])
        return models.values[int(codes[0])] if len(codes) == 1 and codes[0] >= 0 else ""

    def with_pass_at(self, thresholds: float | Mapping[str, float] | None) -> Table:
        """Return the rows with a caller's thresholds, which override the table's.

        Raises:
            UsageError: A threshold is not in (0, 1], or its judge is not in the table.
        """
        overrides = threshold_overrides(thresholds)
        names = list(self.judge.rows())
        require_overridden_judges(overrides, names)
        thresholds_by_judge = {
            name: overridden_threshold(self.threshold_of(name), overrides, [name]) for name in names
        }
        return replace(self, thresholds=thresholds_by_judge)

    def with_score_kinds(self, declared: Mapping[str, ScoreKind]) -> Table:
        """Return the rows with a caller's declarations of what judges' scores are.

        The name "" stands for all judges that are not named. A baseline's share of common words is not a probability,
        so such a declaration is ignored with a warning.

        Raises:
            UsageError: A declaration is for a judge that is not in the table.
        """
        names = list(self.judge.rows()) if declared else []
        for prefix, kind in declared.items():
            if prefix and not any(begins(name, prefix) for name in names):
                raise UsageError(
                    f"{spelled_pairs('scores_are', {prefix: kind})}: there is no judge {prefix!r}{nearest(prefix, names)}; there are {', '.join(names)}"
                )
        kinds = dict(self.score_kinds)
        # Longer, more specific names come last and win.
        for prefix in sorted(declared, key=len):
            kinds |= {name: declared[prefix] for name in names if not prefix or begins(name, prefix)}
        baselines = [
            name
            for name in names
            if kinds.get(name) == PROBABILITIES
            and name in self.judges
            and self.judges[name].kind == "baseline"
        ]
        if not baselines:
            return replace(self, score_kinds=kinds)
        warning = f"{spelled_word('scores_are', PROBABILITIES)} is ignored for {', '.join(baselines)}: its scores are shares of common words"
        kinds = {name: kind for name, kind in kinds.items() if name not in baselines}
        return replace(self, score_kinds=kinds, warnings=(*self.warnings, warning))

    def threshold_of(self, judge: str) -> PassThreshold:
        """Return a judge's pass threshold."""
        return self.thresholds.get(judge, PassThreshold())

    def score_kind_of(self, judge: str) -> ScoreKind | None:
        """Return the declared kind of a judge's scores, or None if undeclared."""
        return self.score_kinds.get(judge)

    def with_costs(self, let_through: float, rejected: float) -> Table:
        """Return the rows with the threshold of probabilities that minimises the cost of errors.

        A threshold that the user set stays.

        Raises:
            UsageError: No judge's scores are declared probabilities, or labels are fractions.
        """
        judges = [name for name in self.judge.rows() if self.score_kind_of(name) == PROBABILITIES]
        if not judges:
            raise UsageError(
                f"{setting('error_costs')} gives the threshold of probabilities, and no judge's scores are declared as such; say {spelled_word('scores_are', PROBABILITIES)}"
            )
        if ((self.label > 0) & (self.label < 1)).any():
            raise UsageError(
                f"{setting('error_costs')} needs labels that pass or fail; say {setting('label_pass_at')}"
            )
        by_costs = PassThreshold(let_through / (let_through + rejected), "costs")
        new_thresholds = {name: by_costs for name in judges if self.threshold_of(name).source != "told"}
        return replace(self, thresholds={**self.thresholds, **new_thresholds})

    @property
    def is_probability(self) -> BoolArray:
        """Mask of the rows of judges whose scores are declared probabilities, shape ``(n,)``."""
        kinds = [self.score_kind_of(judge) == PROBABILITIES for judge in self.judge.values]
        return np.array(kinds or [False], dtype=np.bool_)[self.judge.codes]

    @property
    def threshold(self) -> FloatArray:
        """Pass threshold of each row's judge, shape ``(n,)``."""
        return np.array([self.threshold_of(judge).at for judge in self.judge.values] or [HALF])[
            self.judge.codes
        ]

    @property
    def passed(self) -> BoolArray:
        """Mask of the rows whose score passes their judge's threshold, shape ``(n,)``.

        A missing score does not pass.
        """
        return reaches(self.score, self.threshold)

    @property
    def right(self) -> BoolArray:
        """Mask of the rows whose label passes their judge's threshold, shape ``(n,)``.

        A missing label does not pass. The same threshold applies to label and score, which have the same scale; for
        labels of 0 and 1 it does not matter.
        """
        return reaches(self.label, self.threshold)

    @property
    def common_threshold(self) -> float | None:
        """Threshold that all judges share, or None if they differ."""
        thresholds = {self.threshold_of(judge).at for judge in self.judge.rows()}
        return thresholds.pop() if len(thresholds) == 1 else None

    def at_one_threshold(self) -> tuple[Table, float]:
        """Return the rows and their common threshold.

        If rows have different thresholds, labels and scores become 1 for a pass and 0 for a fail.
        """
        thresholds = np.unique(self.threshold)
        if len(thresholds) <= 1:
            return self, float(thresholds[0]) if len(thresholds) else HALF
        score = np.where(np.isfinite(self.score), self.passed, np.nan)
        return self.with_scores(score, np.where(np.isfinite(self.label), self.right, np.nan)), HALF

    def slices(self) -> str:
        """Describe the slice columns, for errors."""
        return f"it has {', '.join(self.columns)}" if self.columns else "it has none"

    def strata(self) -> str:
        """Describe the columns that do not depend on labels, for errors."""
        names = [name for name in self.columns if name not in _LABEL_COLUMNS]
        return f"it has {', '.join(names)}" if names else "it has none"

    def without_slices(self) -> Table:
        """Return the rows with only item, judge, score, label and cluster."""
        return replace(self, columns={}, numbers={})

    def with_scores(self, score: FloatArray, label: FloatArray | None = None) -> Table:
        """Return the rows with other scores, and optionally other labels, each of shape ``(n,)``."""
        return replace(self, score=score, label=self.label if label is None else label)

    def with_numbers(self, name: str, by_item: Mapping[str, float]) -> Table:
        """Return the rows with an added column of numbers, given by item."""
        values = np.array([by_item.get(item, np.nan) for item in self.item.values])
        return replace(self, numbers={**self.numbers, name: values[self.item.codes]})

    def labelled_items(self) -> set[str]:
        """Return the items that have a label."""
        codes: list[int] = np.unique(self.item.codes[np.isfinite(self.label)]).tolist()
        return {self.item.values[code] for code in codes}

    def opinions(self, prefix: str) -> dict[str, FloatArray]:
        """Return the number columns with a prefix, such as `PERSON`, by name without the prefix."""
        return {
            name.removeprefix(prefix): numbers
            for name, numbers in self.numbers.items()
            if name.startswith(prefix)
        }

    def each_item_once(self) -> Table:
        """Return the first row of every item and system, in table order."""
        return self._first_rows(self.key("system"))

    def each_output_once(self) -> Table:
        """Return the first row of every output, in table order: of an item, system and trial."""
        return self._first_rows(self.output_key())

    def _first_rows(self, key: IntArray) -> Table:
        if len(self) and np.bincount(key).max() == 1:
            return self
        _, first = np.unique(key, return_index=True)
        return self.take(np.sort(first))

    def value(self, name: str, row: int) -> str | None:
        """Return a row's value in ``item_id``, ``judge`` or another column, or None if it has none."""
        column = {"item_id": self.item, "judge": self.judge}.get(name, self.columns.get(name))
        code = -1 if column is None else int(column.codes[row])
        return None if column is None or code < 0 else column.values[code]

    def output_key(self) -> IntArray:
        """Return a number per row, shape ``(n,)``, that is equal for rows of the same output."""
        return self.key("system", TRIAL)

    def key(self, *names: str) -> IntArray:
        """Return a number per row, shape ``(n,)``, equal for rows with equal item and columns."""
        # Columns are combined one by one and renumbered, so that numbers do not overflow; constant ones are skipped.
        key = self.item.codes.astype(np.int64)
        for name in names:
            column = self.judge if name == "judge" else self.columns.get(name)
            if column is not None and (column.codes != column.codes[:1]).any():
                _, key = np.unique(key * (len(column.values) + 1) + column.codes + 1, return_inverse=True)
        return key
