"""Samples of outputs for people to label or to adjudicate."""

from __future__ import annotations

import heapq
from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import msgspec

from ...calibration.decisions import drawn_rank
from ...errors import UsageError
from ...records import ItemKey, Outcome, ShownNames
from ...spelling import setting, spelled_word
from ..store.known_items import part_test
from ..store.run_store import RunStore

if TYPE_CHECKING:
    from ...calibration.tables.calibration_table import Table

SampleKind: TypeAlias = Literal[
    "open", "decided", "doubt", "suspected", "disagreements", "survivors", "suspects"
]
"""How outputs are chosen.

* ``open``: random undecided outputs
* ``decided``: random outputs that a checker decided, to audit it
* ``doubt``: undecided outputs, drawn more often if the judge is unsure
* ``suspected``: outputs whose label most judges contradict

Others are adjudicated between label and judge:

* ``disagreements``: outputs on which they differ
* ``survivors``: planted faults that all judges missed, except for baselines
* ``suspects``: outputs with suspected labels
"""

TO_DECIDE: tuple[SampleKind, ...] = ("disagreements", "survivors", "suspects")
"""Samples that are adjudicated, with both opinions shown."""


class ReviewSample(msgspec.Struct, frozen=True, kw_only=True):
    """Outputs to label.

    Attributes:
        seed: Seed of the draw; suspected labels are not drawn.
        of: Number of outputs from which they were chosen.
        keys: The outputs, in the order of labelling.
        chances: Drawing probability of each output, if these differ.
        agreed: Number of outputs on which label and judges agree.
        agreements: Number of outputs from which the ``agreed`` ones were drawn.
    """

    kind: SampleKind
    seed: int
    of: int
    keys: list[ItemKey]
    chances: dict[ItemKey, float] = {}
    judge: str | None = None
    agreed: int = 0
    agreements: int = 0

    @property
    def provenance(self) -> dict[str, Any]:
        """Origin that each label of the sample must record."""
        return {"sample": self.kind, "seed": self.seed, "of": self.of}


class OutputsByGrader(msgspec.Struct, frozen=True):
    """Outputs of a run, by who graded them.

    Attributes:
        open: Outputs that no checker decided; without checkers, all of them.
        decided: Outputs that a checker decided.
        judged: Outputs that each judge graded.
    """

    open: set[ItemKey]
    decided: set[ItemKey]
    judged: dict[str, set[ItemKey]]


def outputs_by_grader(store: RunStore) -> OutputsByGrader:
    """Group the outputs of a run by grader, keeping only their keys in memory."""
    by_checker_outcome: dict[Outcome, set[ItemKey]] = {}
    by_judge: dict[str, set[ItemKey]] = {}
    asked_about = set[ItemKey]()
    names, is_part = ShownNames(), part_test(store.verdicts.standing, store.roster)
    for verdict in store.verdicts.standing:
        if verdict.source != "judge":
            by_checker_outcome.setdefault(verdict.outcome, set()).add(verdict.key)
            continue
        graded_by_judge = by_judge.setdefault(names.of(verdict.author, verdict.by), set())
        if is_part(verdict.key):  # a judge of parts alone is listed with no outputs
            continue
        asked_about.add(verdict.key)
        if verdict.graded:
            graded_by_judge.add(verdict.key)
    undecided = by_checker_outcome.get("undecided", set()) if by_checker_outcome else asked_about
    return OutputsByGrader(undecided, by_checker_outcome.get("graded", set()), by_judge)


def draw_sample(
    store: RunStore, kind: SampleKind, count: int, *, seed: int = 0, judge: str | None = None
) -> ReviewSample:
    """Choose outputs to label.

    A random sample is the ``count`` outputs with the smallest hash of seed and key. It is the same for all people, and a larger
    sample contains the smaller ones.

    Args:
        store: The run.
        kind: How outputs are chosen.
        count: Number of outputs; approximate for ``doubt``.
        seed: Seed of the draw.
        judge: Judge whose graded outputs to choose from; needed for ``doubt`` if there are several.

    Returns:
        The sample; not empty.

    Raises:
        InputError: The verdicts cannot be read.
        UsageError: There is no such judge, or no such output.
    """
    outputs = outputs_by_grader(store)
    if judge is not None and judge not in outputs.judged:
        judge_names = ", ".join(outputs.judged) or "none"
        raise UsageError(
            f"{setting('judge', judge)}: no such judge in {store.path}; there are: {judge_names}"
        )
    if kind == "doubt":
        return _sample_by_doubt(store, outputs, count, seed, judge)
    if kind == "suspected":
        return _suspected_labels(store, outputs, count, judge)
    candidates = _candidates(outputs, kind, judge)
    if not candidates:
        raise UsageError(
            _NO_OUTPUTS[kind].format(folder=store.path, decided=spelled_word("sample", "decided"))
        )
    keys = heapq.nsmallest(count, candidates, key=lambda key: drawn_rank(str(key), seed))
    return ReviewSample(kind=kind, seed=seed, of=len(candidates), keys=keys, judge=judge)


_NO_OUTPUTS: dict[SampleKind, str] = {
    "open": "{folder}: no undecided outputs are left; {decided} draws from the checked ones",
    "decided": "{folder}: checkers decided no output",
    "doubt": "{folder}: no undecided output is judged and unlabelled, so none can be drawn by doubt",
    "suspected": "{folder}: no label is contradicted by most judges",
}


def _candidates(outputs: OutputsByGrader, kind: SampleKind, judge: str | None) -> Collection[ItemKey]:
    if kind == "open":
        return outputs.open if judge is None else outputs.open & outputs.judged[judge]
    outputs_of_judges = outputs.judged.values() if judge is None else [outputs.judged[judge]]
    # An audit of checkers corrects judges' rates, so it needs outputs that a judge graded.
    return outputs.decided & set[ItemKey]().union(*outputs_of_judges) if outputs.judged else outputs.decided


def _sample_by_doubt(
    store: RunStore, outputs: OutputsByGrader, count: int, seed: int, judge: str | None
) -> ReviewSample:
    import numpy as np  # noqa: PLC0415 - importing labels loads this module, and needs none of it

    from ...calibration.planning.next_labels import next_by_doubt  # noqa: PLC0415 - slow to import, and seldom needed

    table, names = _table_of(store, judge, outputs.open)
    if not len(table) or not np.isnan(table.label[np.isfinite(table.score)]).any():
        raise UsageError(_NO_OUTPUTS["doubt"].format(folder=store.path))
    drawn_chances = {names[item]: chance for item, chance in next_by_doubt(table, count, seed=seed).items()}
    if not drawn_chances:
        raise UsageError(
            f"{setting('n', count)}: this draw came out empty; ask for more, or choose another {setting('seed')}"
        )
    judge = judge or table.judge.values[int(table.judge.codes[0])]
    population = len(np.unique(table.item.codes))
    return ReviewSample(
        kind="doubt", seed=seed, of=population, keys=list(drawn_chances), chances=drawn_chances, judge=judge
    )


def _suspected_labels(
    store: RunStore, outputs: OutputsByGrader, count: int, judge: str | None
) -> ReviewSample:
    from ...calibration.agreement.judge_votes import suspected_label_errors  # noqa: PLC0415 - slow to import, and seldom needed

    table, names = _table_of(store, judge, outputs.open | outputs.decided)
    suspicions = suspected_label_errors(table, limit=len(names)).first
    if not suspicions:
        raise UsageError(_NO_OUTPUTS["suspected"].format(folder=store.path))
    keys = [names[entry.item_id] for entry in suspicions[:count]]
    return ReviewSample(kind="suspected", seed=0, of=len(suspicions), keys=keys, judge=judge)


def _table_of(store: RunStore, judge: str | None, keys: set[ItemKey]) -> tuple[Table, dict[str, ItemKey]]:
    """Return the calibration table of some outputs of a run, and the keys of its items."""
    import numpy as np  # noqa: PLC0415 - importing labels loads this module, and needs none of it

    from ...calibration.corrected_rate.estimation import rows_of_judge  # noqa: PLC0415 - slow to import, and seldom needed
    from ..run_table import table_of  # noqa: PLC0415 - slow to import, and seldom needed

    key_by_item = {str(key): key for key in keys}
    table = table_of(store)
    table = table if judge is None else rows_of_judge(table, judge)
    is_chosen = np.array([item in key_by_item for item in table.item.values], dtype=np.bool_)
    return table.take(is_chosen[table.item.codes]), key_by_item


def draw_rows(store: RunStore, sample: ReviewSample) -> Iterator[dict[str, Any]]:
    """Yield the calibration table of the undecided outputs, with drawing probabilities.

    ``estimate`` needs it to weight labels that were drawn with unequal chances.

    Yields:
        One row per undecided output that the judge was asked about, with ``label_probability`` if it was drawn.
    """
    from ..run_table import run_rows  # noqa: PLC0415 - slow to import, and seldom needed

    open_items = {str(key) for key in outputs_by_grader(store).open}
    chances = {str(key): chance for key, chance in sample.chances.items()}
    for row in run_rows(store):
        item = row["item_id"]
        if row["judge"] == sample.judge and row["repeat"] == 0 and item in open_items:
            columns = ("item_id", "judge", "score", "label", "cluster", "system")
            yield {name: row[name] for name in columns} | (
                {"label_probability": chances[item]} if item in chances else {}
            )
