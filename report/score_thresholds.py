"""Scores of a run's judges against labels: bins, and error rates at each threshold."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import msgspec

from ..calibration.pass_threshold import HALF
from ..calibration.statistic import Statistic
from ..evaluation.store.run_store import RunStore
from ..records.made_scores import reaches
from .figures.forest_plot import PlottedInterval
from .figures.scores import Bin

_MAX_THRESHOLDS = 10
"""Most thresholds that are shown; of more scores, they are spread evenly."""


class RatesAtThreshold(msgspec.Struct, frozen=True, kw_only=True):
    """Error rates of a judge at one threshold.

    Attributes:
        at: The threshold.
        passed_bad: False positive rate on labelled outputs.
        failed_good: False negative rate on labelled outputs.
        corrected: Pass rate of undecided outputs, corrected by error rates on labelled ones (Rogan and Gladen).
    """

    at: float
    passed_bad: Statistic
    failed_good: Statistic
    corrected: Statistic


class JudgedRow(NamedTuple):
    """An output that a judge graded.

    Attributes:
        score: The judge's score.
        label: Score of the label, or None.
        cluster: Its group of dependent outputs.
        undecided: True if no checker decided it.
    """

    score: float
    label: float | None
    cluster: str
    undecided: bool = False


def _judged_rows(store: RunStore, judges: Collection[str]) -> dict[str, list[JudgedRow]]:
    """Return the outputs that some judges graded, by judge, without repetitions."""
    if not judges:
        return {}
    from ..evaluation.run_table import run_rows  # noqa: PLC0415 - numpy is slow to import, and most runs have none of these judges

    rows: dict[str, list[JudgedRow]] = defaultdict(list)
    for row in run_rows(store):
        if row["judge"] in judges and row["repeat"] == 0 and row["score"] is not None:
            undecided = row.get("baseline:checker") is None
            rows[row["judge"]].append(JudgedRow(row["score"], row["label"], row["cluster"], undecided))
    return rows


def threshold_rates(
    store: RunStore, judges: Collection[str], thresholds: Mapping[str, float]
) -> dict[str, list[RatesAtThreshold]]:
    """Return the rates of some of a run's judges at each threshold, by judge."""
    return {
        judge: rates_by_threshold(rows, thresholds.get(judge, HALF))
        for judge, rows in _judged_rows(store, judges).items()
    }


def rates_by_threshold(rows: Sequence[JudgedRow], threshold: float) -> list[RatesAtThreshold]:
    """Return a judge's rates if it passed from each of its scores on.

    The lowest score is left out, since all would pass.

    Args:
        rows: The outputs that the judge graded.
        threshold: Its present threshold, which is included; labels from it on are of good outputs.
    """
    scores = sorted({row.score for row in rows} | {threshold})[1:]
    if len(scores) > _MAX_THRESHOLDS:
        kept_indexes = {
            round(step * (len(scores) - 1) / (_MAX_THRESHOLDS - 1)) for step in range(_MAX_THRESHOLDS)
        }
        scores = [score for index, score in enumerate(scores) if index in kept_indexes or score == threshold]
    return [_rates_at(rows, score, threshold) for score in scores]


def _rates_at(rows: Sequence[JudgedRow], threshold_tried: float, threshold: float) -> RatesAtThreshold:
    from ..calibration.corrected_rate.binary_verdicts import rogan_gladen  # noqa: PLC0415 - scipy is slow to import

    good = [row for row in rows if row.label is not None and reaches(row.label, threshold)]
    bad = [row for row in rows if row.label is not None and not reaches(row.label, threshold)]
    undecided = [row for row in rows if row.undecided]
    undecided_good, undecided_bad = (
        [row for row in rows_of_class if row.undecided] for rows_of_class in (good, bad)
    )
    pass_rate = sum(row.score >= threshold_tried for row in undecided) / len(undecided) if undecided else 0.0
    return RatesAtThreshold(
        at=threshold_tried,
        passed_bad=_share([row.score >= threshold_tried for row in bad], bad),
        failed_good=_share([row.score < threshold_tried for row in good], good),
        corrected=rogan_gladen(
            pass_rate,
            len(undecided),
            true_positives=sum(row.score >= threshold_tried for row in undecided_good),
            positives=len(undecided_good),
            true_negatives=sum(row.score < threshold_tried for row in undecided_bad),
            negatives=len(undecided_bad),
        ),
    )


def _share(is_counted: Sequence[bool], rows: Sequence[JudgedRow]) -> Statistic:
    """Return the share of rows that are counted, with its interval over clusters."""
    import numpy as np  # noqa: PLC0415 - most reports have no such scores

    from ..calibration.intervals.clustered_rates import share_of  # noqa: PLC0415 - most reports have no such scores

    clusters: Any = (
        np.unique([row.cluster for row in rows], return_inverse=True)[1] if rows else np.array([], dtype=int)
    )
    return share_of(np.array(is_counted, dtype=np.float64), clusters)


_MAX_BINS = 10
"""Most bins; if a judge has no more distinct scores, each is a bin."""


def score_bins(
    store: RunStore, judges: Collection[str], thresholds: Mapping[str, float]
) -> dict[str, list[Bin]]:
    """Return bins of scores by judge, the lowest first, for those of these judges with labels.

    Labels pass at a judge's threshold, by default 0.5.
    """
    binned = {
        judge: bins_of(rows, thresholds.get(judge, HALF))
        for judge, rows in _judged_rows(store, judges).items()
    }
    return {judge: bins for judge, bins in binned.items() if bins}


def bins_of(rows: Iterable[JudgedRow], threshold: float) -> list[Bin]:
    """Group labelled outputs by score: a bin per score if there are few, else equal widths."""
    labelled = [row for row in rows if row.label is not None]
    has_few_scores = len({row.score for row in labelled}) <= _MAX_BINS
    groups: dict[float, list[JudgedRow]] = defaultdict(list)
    for row in labelled:
        groups[row.score if has_few_scores else min(int(row.score * _MAX_BINS), _MAX_BINS - 1)].append(row)
    return [_bin_of(groups[at], threshold) for at in sorted(groups)]


def _bin_of(rows: list[JudgedRow], threshold: float) -> Bin:
    scores = [row.score for row in rows]
    passed = [row.label is not None and reaches(row.label, threshold) for row in rows]
    low, high = min(scores), max(scores)
    name = f"{low:.2g}" if low == high else f"{low:.2g} to {high:.2g}"
    return Bin(
        low=low,
        high=high,
        passed=sum(passed),
        failed=len(rows) - sum(passed),
        rate=PlottedInterval.of(name, _share(passed, rows)),
        mean=sum(scores) / len(scores),
    )


def bin_table(bins: Iterable[Bin]) -> list[tuple[Any, ...]]:
    """Return bins as table rows: scores, labels that pass, labels that fail, share that passes."""
    return [(bin_.rate.name, f"{bin_.passed:,}", f"{bin_.failed:,}", bin_.rate.number) for bin_ in bins]
