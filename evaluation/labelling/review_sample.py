"""Samples of outputs for people to label or to adjudicate."""

from __future__ import annotations

import heapq
from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import msgspec

from ...calibration.decisions import drawn_rank
from ...errors import UsageError
from ...records import ItemKey, Outcome, ShownNames
from ...spelling import setting
from ..store.known_items import part_test
from ..store.run_store import RunStore

if TYPE_CHECKING:
    from ...calibration.tables.calibration_table import Table

SampleKind: TypeAlias = Literal[
    "open", "decided", "doubt", "suspected", "disagreements", "survivors", "suspects"
]
"""``open``: random undecided outputs; ``decided``: random outputs that a checker decided, to audit it; ``doubt``: undecided outputs,
likelier if the judge is unsure; ``suspected``: labels that most judges contradict. The others are adjudicated between label and judge:
``disagreements`` of both; ``survivors``, planted faults that every judge but the baseline missed; ``suspects``, the suspected labels."""

TO_DECIDE: tuple[SampleKind, ...] = ("disagreements", "survivors", "suspects")
"""Samples that are adjudicated, with both opinions shown."""


class ReviewSample(msgspec.Struct, frozen=True, kw_only=True):
    """Outputs to label.

    Attributes:
        seed: Seed of the draw; suspected labels are not drawn.
        of: Number of outputs they were chosen from.
        keys: The outputs, in the order in which they are to be labelled.
        chances: Drawing probability of each output, if these differ.
        agreed: Number of outputs on which label and judges agree.
        agreements: Number of outputs from which these were drawn.
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
        """Origin that every label of the sample must record."""
        return {"sample": self.kind, "seed": self.seed, "of": self.of}


class Parts(msgspec.Struct, frozen=True):
    """Outputs of a run by source: decided by a checker, undecided, and graded by each judge.

    Without checkers all outputs are ``open``.
    """

    open: set[ItemKey]
    decided: set[ItemKey]
    judged: dict[str, set[ItemKey]]


def parts_of(store: RunStore) -> Parts:
    """Read the authors of verdicts by output; one key an output is kept."""
    checked: dict[Outcome, set[ItemKey]] = {}
    judged: dict[str, set[ItemKey]] = {}
    asked_about, names, is_part = (
        set[ItemKey](),
        ShownNames(),
        part_test(store.verdicts.standing, store.roster),
    )
    for verdict in store.verdicts.standing:
        if verdict.source != "judge":
            checked.setdefault(verdict.outcome, set()).add(verdict.key)
            continue
        graded = judged.setdefault(names.of(verdict.author, verdict.by), set())
        if is_part(verdict.key):
            continue
        asked_about.add(verdict.key)
        if verdict.graded:
            graded.add(verdict.key)
    undecided = checked.get("undecided", set()) if checked else asked_about
    return Parts(undecided, checked.get("graded", set()), judged)


def draw_sample(
    store: RunStore, kind: SampleKind, count: int, *, seed: int = 0, judge: str | None = None
) -> ReviewSample:
    """Choose outputs to label.

    A random sample is the ``count`` outputs with the smallest hash of seed and key. It is the same for every labeller, and a larger
    sample contains a smaller one.

    Args:
        store: The run.
        kind: How they are chosen.
        count: Number of outputs; approximate for ``doubt``.
        seed: Seed of the draw.
        judge: Only outputs that this judge graded; needed for ``doubt`` when there are several.

    Returns:
        The sample; not empty.

    Raises:
        InputError: The verdicts cannot be read.
        UsageError: There is no such judge, or no such output.
    """
    parts = parts_of(store)
    if judge is not None and judge not in parts.judged:
        judge_names = ", ".join(parts.judged) or "none"
        raise UsageError(
            f"{setting('judge', judge)}: no such judge in {store.path}; there are: {judge_names}"
        )
    if kind == "doubt":
        return _in_doubt(store, parts, count, seed, judge)
    if kind == "suspected":
        return _suspected(store, parts, count, judge)
    candidates = _candidates(parts, kind, judge)
    if not candidates:
        raise UsageError(_NOTHING[kind].format(folder=store.path, decided=setting("sample", "decided")))
    keys = heapq.nsmallest(count, candidates, key=lambda key: drawn_rank(str(key), seed))
    return ReviewSample(kind=kind, seed=seed, of=len(candidates), keys=keys, judge=judge)


_NOTHING: dict[SampleKind, str] = {
    "open": "{folder}: no undecided outputs are left; {decided} draws from the checked ones",
    "decided": "{folder}: checkers decided no output",
    "doubt": "{folder}: no undecided output is judged and unlabelled, so none can be drawn by doubt",
    "suspected": "{folder}: no label is contradicted by most judges",
}


def _candidates(parts: Parts, kind: SampleKind, judge: str | None) -> Collection[ItemKey]:
    if kind == "open":
        return parts.open if judge is None else parts.open & parts.judged[judge]
    judged = parts.judged.values() if judge is None else [parts.judged[judge]]
    # An audit of checkers corrects judges' rates, so it needs outputs that a judge graded.
    return parts.decided & set[ItemKey]().union(*judged) if parts.judged else parts.decided


def _in_doubt(store: RunStore, parts: Parts, count: int, seed: int, judge: str | None) -> ReviewSample:
    import numpy as np  # noqa: PLC0415 - importing labels loads this module, and needs none of it

    from ...calibration.planning.next_labels import next_by_doubt  # noqa: PLC0415 - slow to import, and seldom needed

    table, names = _table_of(store, judge, parts.open)
    if not len(table) or not np.isnan(table.label[np.isfinite(table.score)]).any():
        raise UsageError(_NOTHING["doubt"].format(folder=store.path))
    drawn = {names[item]: chance for item, chance in next_by_doubt(table, count, seed=seed).items()}
    if not drawn:
        raise UsageError(
            f"{setting('n', count)}: this draw came out empty; ask for more, or choose another {setting('seed')}"
        )
    judge = judge or table.judge.values[int(table.judge.codes[0])]
    of = len(np.unique(table.item.codes))
    return ReviewSample(kind="doubt", seed=seed, of=of, keys=list(drawn), chances=drawn, judge=judge)


def _suspected(store: RunStore, parts: Parts, count: int, judge: str | None) -> ReviewSample:
    from ...calibration.agreement.judge_votes import suspected_label_errors  # noqa: PLC0415 - slow to import, and seldom needed

    table, names = _table_of(store, judge, parts.open | parts.decided)
    suspected = suspected_label_errors(table, limit=len(names)).first
    if not suspected:
        raise UsageError(_NOTHING["suspected"].format(folder=store.path))
    keys = [names[entry.item_id] for entry in suspected[:count]]
    return ReviewSample(kind="suspected", seed=0, of=len(suspected), keys=keys, judge=judge)


def _table_of(store: RunStore, judge: str | None, keys: set[ItemKey]) -> tuple[Table, dict[str, ItemKey]]:
    """Return the calibration table of some outputs of a run, and the keys of its items."""
    import numpy as np  # noqa: PLC0415 - importing labels loads this module, and needs none of it

    from ...calibration.corrected_rate.estimation import rows_of_judge  # noqa: PLC0415 - slow to import, and seldom needed
    from ..run_table import table_of  # noqa: PLC0415 - slow to import, and seldom needed

    names = {str(key): key for key in keys}
    table = table_of(store)
    table = table if judge is None else rows_of_judge(table, judge)
    is_chosen = np.array([item in names for item in table.item.values], dtype=np.bool_)
    return table.take(is_chosen[table.item.codes]), names


def draw_rows(store: RunStore, sample: ReviewSample) -> Iterator[dict[str, Any]]:
    """Yield the calibration table of the undecided part, with drawing probabilities.

    ``estimate`` needs it to weigh labels drawn with unequal chances.

    Yields:
        One row an open output that the judge was asked about, with ``label_probability`` if it was drawn.
    """
    from ..run_table import run_rows  # noqa: PLC0415 - slow to import, and seldom needed

    is_open = {str(key) for key in parts_of(store).open}
    chances = {str(key): chance for key, chance in sample.chances.items()}
    for row in run_rows(store):
        item = row["item_id"]
        if row["judge"] == sample.judge and row["repeat"] == 0 and item in is_open:
            columns = ("item_id", "judge", "score", "label", "cluster", "system")
            yield {name: row[name] for name in columns} | (
                {"label_probability": chances[item]} if item in chances else {}
            )
