"""Rubric scores in words: means by system and tag, judges' errors by criterion.

A rubric is a list of criteria with points; a tag groups criteria.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ...calibration.rubrics.rubric_results import CriterionAgreement, RubricOfJudge, Rubrics, TagMean
from ...calibration.statistic import Statistic
from ...spelling import setting
from ..document import CautionLine, Piece, document
from ..document_parts import DocumentTable
from .number_text import counted, decimal, interval, p_value, whole_list
from .safe_text import shortened

_ALL = "all"
_MAX_CRITERIA = 20
"""Most criteria of a judge that are listed."""
_MAX_NAME_CHARS = 60
"""Longest name of a criterion."""


@document
def rubric_document(rubrics: Rubrics) -> Iterator[Piece]:
    """Build the document of a run's rubric scores, one judge after another."""
    for judge in rubrics.judges:
        yield judge.judge
        yield from _mean_table(judge)
        yield from _agreement_table(judge)
        yield ""
    yield from _pair_table(rubrics)
    if rubrics.skipped:
        yield CautionLine(
            f"{counted(rubrics.skipped, 'row')} of labels skipped, the first: {rubrics.first_skipped}"
        )
    if rubrics.unmatched:
        yield CautionLine(f"{counted(rubrics.unmatched, 'label')} of no criterion that was judged")
    yield "score: points of the criteria that are met over the points possible; the mean over items is clipped to 0 to 1"


def _pair_table(rubrics: Rubrics) -> Iterator[Piece]:
    """Yield a table that compares every two judges on the same labelled criteria."""
    if not rubrics.pairs:
        return
    yield "Judges against each other, on the same labelled criteria:"
    rows = [
        (
            f"{pair.a} (a), {pair.b} (b)",
            f"{pair.n:,}",
            f"{pair.a_only_right:,}",
            f"{pair.b_only_right:,}",
            *_value_and_interval(pair.difference),
            p_value(pair.p),
        )
        for pair in rubrics.pairs
    ]
    yield DocumentTable(("judges", "n", "only a right", "only b right", "difference", "interval", "p"), rows)
    yield ""


def _mean_table(judge: RubricOfJudge) -> Iterator[Piece]:
    rows = [
        (f"{system.system}, {mean.tag or _ALL}", *_mean_cells(mean))
        for system in judge.systems
        for mean in system.means
    ]
    head = ("system, criteria", "score", "interval", "n", "ungraded", "range", "corrected", "interval")
    yield DocumentTable(head, rows)
    if any(mean.ungraded for system in judge.systems for mean in system.means):
        yield "  range: the mean if every ungraded criterion went against the system, and if it went for it"
    reasons = {
        mean.corrected.undefined
        for system in judge.systems
        for mean in system.means
        if mean.corrected is not None and mean.corrected.undefined
    }
    yield from (CautionLine(f"not corrected: {reason}") for reason in sorted(reasons))


def _mean_cells(mean: TagMean) -> tuple[str, ...]:
    range_text = "" if mean.bounds is None else f"{decimal(mean.bounds[0])} to {decimal(mean.bounds[1])}"
    corrected = ("", "") if mean.corrected is None else _value_and_interval(mean.corrected)
    return (
        *_value_and_interval(mean.score),
        f"{mean.score.n:,}",
        f"{mean.ungraded:,}",
        range_text,
        *corrected,
    )


def _value_and_interval(statistic: Statistic) -> tuple[str, str]:
    if statistic.value is None:
        return "undefined", ""
    return decimal(statistic.value), interval(statistic.low, statistic.high)


def _agreement_table(judge: RubricOfJudge) -> Iterator[Piece]:
    if judge.agreement is None:
        yield f"  no labels: add those of criteria with {setting('labels')} to see the judge's errors and correct the scores"
        return
    rows = [_agreement_row(tag) for tag in (judge.agreement, *judge.tags, *judge.criteria[:_MAX_CRITERIA])]
    head = ("agreement with labels", "labels", "TPR", "interval", "TNR", "interval", "TPR shrunken", "TNR")
    yield DocumentTable(head, rows)
    if len(judge.criteria) > _MAX_CRITERIA:
        hidden = len(judge.criteria) - _MAX_CRITERIA
        yield f"  and {hidden:,} more {'criterion' if hidden == 1 else 'criteria'}; {whole_list()} has them all"
    yield "  shrunken: the rates of a criterion with few labels are drawn towards those of all criteria; they correct the scores"


def _agreement_row(agreement: CriterionAgreement) -> Sequence[str]:
    rates = [
        _value_and_interval(rate) for rate in (agreement.true_positive_rate, agreement.true_negative_rate)
    ]
    shrunken = ("", "") if agreement.shrunken is None else tuple(map(decimal, agreement.shrunken))
    return (
        shortened(agreement.name, _MAX_NAME_CHARS),
        f"{agreement.labelled:,}",
        *rates[0],
        *rates[1],
        *shrunken,
    )
