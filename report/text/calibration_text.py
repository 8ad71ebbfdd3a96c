"""A calibration in full: tables in which every rate has its denominator and interval.

`calibration_screen` is the short form, `agreement_text` has the results of single methods.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

from ...calibration.agreement.calibration_results import Calibration, JudgeCalibration
from ...calibration.agreement.diagnosis_results import CategoryAgreement, HomogeneityTest, LabelAudit
from ...calibration.statistic import Statistic
from ...calibration.thresholds.threshold_results import BetterThreshold, BoundOf, CertifiedThreshold
from ...spelling import setting
from ..document import Piece, document
from ..document_parts import ENDS, DocumentTable, statistic_pieces
from .agreement_text import (
    adjudication_pieces,
    judges_alone_pieces,
    jury_lines,
    people_pieces,
    probability_pieces,
    recalibration_pieces,
    system_pieces,
)
from .caution_text import folded
from .judges_text import CONSTANTS
from .number_text import counted, draw_command, listed, number, p_value, passing, statistic_cells

if TYPE_CHECKING:
    from ...calibration.sample import StatisticFamily

_ALARM_P, _MAX_SUSPECTS = 0.05, 5
"""Largest p at which slices are said to differ, and most suspected label errors that are named."""

_AUDIT_METHODS = {
    "double-sampling": "double sampling: holds whatever errors judge and labels share",
    "gart-buck": "Gart and Buck: holds where judge and labels share no errors",
}

_HEADLINE = ("accuracy", "true_positive_rate", "true_negative_rate", "cohen_kappa", "mcc")


@document
def calibration_document(calibration: Calibration, *, slices: Iterable[str] = ()) -> Iterator[Piece]:
    """Build the document of a calibration.

    Args:
        calibration: The calibration.
        slices: Columns that split the rows; each of their values gets a table.
    """
    if not any(panel.n for panel in calibration.judges.values()):
        yield _why_unmeasured(calibration.judges)
        yield from jury_lines(calibration.juries)
        yield from judges_alone_pieces(calibration)
        return
    for judge, panel in calibration.judges.items():
        yield from _judge_pieces(judge, panel, calibration.better_thresholds.get(judge))
        yield ""
    yield from adjudication_pieces(calibration.adjudication)
    yield from _baseline_pieces(calibration)
    for column in slices:
        yield from ("", f"By {column}:")
        for value, judges in calibration.slices.get(column, {}).items():
            yield f"  {value}"
            yield _headline_table(judges, indent=4)
    yield from uneven_slices(calibration)
    yield from _suspected_labels(calibration)
    yield from system_pieces(calibration)
    yield from probability_pieces(calibration)
    yield from jury_lines(calibration.juries)
    yield from judges_alone_pieces(calibration)
    yield from requested_pieces(calibration)
    yield from recalibration_pieces(calibration)
    yield from folded(calibration.cautions, calibration.judges)


def _why_unmeasured(judges: Mapping[str, JudgeCalibration]) -> str:
    """Return why no judge can be compared with labels, and what to do."""
    if not judges:
        return "no judge has a verdict, so there is nothing to calibrate"
    rows = sum(panel.n_missing + panel.n_unlabelled for panel in judges.values())
    labels_without_score = sum(panel.n_missing for panel in judges.values())
    problem = (
        f"none of {counted(labels_without_score, 'row')} with a label has a score"
        if labels_without_score
        else "no row has a label"
    )
    advice = f"draw items to label (`{draw_command()}`) and add their labels as a column `label`"
    return f"{problem}, so {', '.join(judges)} ({counted(rows, 'row')}) cannot be measured: {advice}"


def _judge_pieces(
    judge: str, judge_calibration: JudgeCalibration, better: BetterThreshold | None
) -> Iterator[Piece]:
    row_counts = f"{counted(judge_calibration.n, 'row')} with label and score in {counted(judge_calibration.n_clusters, 'cluster')}"
    yield f"{judge}: {row_counts} ({judge_calibration.n_missing:,} labelled without score, {judge_calibration.n_unlabelled:,} without label){passing(judge_calibration.pass_at, judge_calibration.pass_at_source, always=not judge_calibration.binary)}"
    if not judge_calibration.n:
        return
    yield DocumentTable(
        ("", "judge passes", "judge fails"),
        [
            ("label passes", f"{judge_calibration.tp:,}", f"{judge_calibration.fn:,}"),
            ("label fails", f"{judge_calibration.fp:,}", f"{judge_calibration.tn:,}"),
        ],
    )
    if better is not None and better.clear:
        yield (
            f"  threshold {better.better_at:g} raises balanced accuracy by {number(better.gain.value)} "
            f"[{number(better.gain.low)}, {number(better.gain.high)}] on held-out clusters"
        )
    # If scores and labels are all 0 or 1, the statistics of graded scores repeat those of the 2x2 table.
    yield from statistic_pieces(
        statistics_of(judge_calibration, "table", "custom")
        if judge_calibration.binary
        else judge_calibration.statistics
    )
    if judge_calibration.n_missing and judge_calibration.missing is not None:
        accuracy = judge_calibration.missing.accuracy
        yield "  missing verdicts among labelled rows, and accuracy with them:"
        yield from statistic_pieces(
            {
                "missing": judge_calibration.missing.rate,
                "accuracy, drop": accuracy.drop,
                "accuracy, count as fail": accuracy.count_as_fail,
                "accuracy, count as disagreement": accuracy.count_as_disagreement,
            },
            head=False,
            indent=4,
        )


def statistics_of(panel: JudgeCalibration, *families: StatisticFamily) -> dict[str, Statistic]:
    """Return a judge's statistics that belong to these families, by name."""
    from ...calibration.statistic_catalogue import family_of  # noqa: PLC0415 - loads numpy, and most runs show none of them

    return {name: statistic for name, statistic in panel.statistics.items() if family_of(name) in families}


def _baseline_pieces(calibration: Calibration) -> Iterator[Piece]:
    """Yield tables of constant judges, on all labelled items, and of others, on what they grade."""
    constant = {name: calibration.baselines[name] for name in CONSTANTS}
    other_baselines = {name: panel for name, panel in calibration.baselines.items() if name not in constant}
    yield f"Baselines on {_labelled_items(constant[CONSTANTS[0]].n, calibration.judges.values())}:"
    yield _headline_table(constant)
    if other_baselines:
        yield "Other graders, on the items that they grade:"
        yield _headline_table(other_baselines)
    yield from people_pieces(calibration)


def _labelled_items(n: int, judges: Collection[JudgeCalibration]) -> str:
    """Say how many labelled items baselines grade, and how many judges do if these are fewer."""
    judged_counts = sorted({judge.tp + judge.fn + judge.fp + judge.tn for judge in judges})
    if judged_counts in ([n], []):
        return f"the same {counted(n, 'labelled item')}"
    graded = (
        f"{judged_counts[0]:,} to {judged_counts[-1]:,}"
        if len(judged_counts) > 1
        else f"{judged_counts[0]:,}"
    )
    subject = "the judge grades" if len(judges) == 1 else "judges grade"
    return f"all {counted(n, 'labelled item')}, of which {subject} {graded}"


def _headline_table(judges: Mapping[str, JudgeCalibration], *, indent: int = 2) -> DocumentTable:
    rows = [
        (judge if name == _HEADLINE[0] else "", name, *statistic_cells(panel.statistics[name]))
        for judge, panel in judges.items()
        for name in _HEADLINE
    ]
    return DocumentTable((), rows, left_aligned=ENDS, indent=indent)


def uneven_slices(calibration: Calibration) -> Iterator[Piece]:
    """Name the columns between whose values a judge's rates differ by more than chance."""
    for column, judges in calibration.homogeneity.items():
        for judge, tests in judges.items():
            differing_rates = [
                f"{name} (Holm p {p_value(test.holm_p)})" for name, test in tests.items() if _differs(test)
            ]
            if differing_rates:
                yield f"differs by {column}: {judge}: {', '.join(differing_rates)}; see {setting('slices', column)}"


def _differs(test: HomogeneityTest) -> bool:
    return test.holm_p is not None and test.holm_p <= _ALARM_P


def _suspected_labels(calibration: Calibration) -> Iterator[Piece]:
    # If a single judge contradicts a label, the judge may be wrong.
    if calibration.suspected_label_errors and len(calibration.judges) > 1:
        item_ids = ", ".join(
            suspect.item_id for suspect in calibration.suspected_label_errors[:_MAX_SUSPECTS]
        )
        yield f"labels to look at first, contradicted by most judges: {item_ids} (more in the JSON)"


def requested_pieces(calibration: Calibration) -> Iterator[Piece]:
    """Yield the optional results that were requested, except recalibration."""
    if calibration.label_audit is not None:
        yield from _label_audit_pieces(calibration.label_audit)
    yield from (_certified_threshold(judge, certified) for judge, certified in calibration.selective.items())
    if (cascade := calibration.cascade) is not None:
        any_certified = any(certified.threshold is not None for certified in cascade.judges.values())
        yield (
            f"Cascade: decides {cascade.kept:,} of {counted(cascade.n, 'sampled item')} (one per cluster), "
            f"{cascade.errors:,} wrong{'' if cascade.kept == cascade.n else '; people decide the rest'}."
            f"{' The bounds below hold together.' if any_certified else ''}"
        )
        yield from (
            f"  {_certified_threshold(judge, certified)}" for judge, certified in cascade.judges.items()
        )
    for judge, categories in calibration.categories.items():
        yield f"{judge}, each level a category:"
        yield from _category_tables(categories)
    yield from _threshold_lines(calibration)


def _label_audit_pieces(audit: LabelAudit) -> Iterator[Piece]:
    audited_labels = audit.tp + audit.fp + audit.fn + audit.tn
    yield f"Corrected for errors of the labels, from an audit of {audited_labels:,} ({_AUDIT_METHODS[audit.method]}):"
    for judge, rates in audit.judges.items():
        yield f"  {judge}"
        statistics = {name: getattr(rates, name) for name in rates.__struct_fields__}
        yield from statistic_pieces(statistics, head=False, indent=4)


def _category_tables(categories: CategoryAgreement) -> Iterator[Piece]:
    """Yield a contingency table of label levels by score levels, and its statistics."""
    levels = [f"{level:g}" for level in categories.levels]
    yield DocumentTable(
        ("", *(f"score {level}" for level in levels)),
        [(f"label {level}", *map(str, row)) for level, row in zip(levels, categories.table, strict=True)],
    )
    yield from statistic_pieces(categories.statistics)


def _certified_threshold(judge: str, certified: CertifiedThreshold) -> str:
    """Say which share of a judge's verdicts has a bounded error rate, or why none has."""
    if certified.threshold is None or certified.coverage is None or certified.error_bound is None:
        return f"{judge}: {certified.undefined}"
    verdicts = (
        f"all {counted(certified.kept, 'verdict')}"
        if certified.coverage == 1.0
        else f"verdicts of confidence {certified.threshold:g} or more ({100 * certified.coverage:.0f} % of "
        f"{certified.kept / certified.coverage:,.0f})"
    )
    condition_of_bound: dict[BoundOf, str] = {
        "outputs": "on outputs like these (90 % confidence)",
        "clusters": "on one output of each cluster (90 % confidence), not on all: sizes differ",
    }
    return f"{judge}: {verdicts}: error rate at most {100 * certified.error_bound:.1f} % {condition_of_bound[certified.bound_of]}"


def _threshold_lines(calibration: Calibration) -> Iterator[Piece]:
    judges_with_binary_scores = [
        judge for judge in calibration.thresholds if calibration.judges[judge].binary
    ]
    if judges_with_binary_scores:
        yield f"{listed(judges_with_binary_scores)}: no threshold to choose, all scores are 0 or 1"
    for judge, choice in calibration.thresholds.items():
        if judge in judges_with_binary_scores:
            continue
        if choice.threshold is None:
            yield f"{judge}: no threshold: {choice.undefined}"
            continue
        held_out_clause = (
            "; too few clusters to hold any out"
            if choice.held_out is None
            else f"; on held-out tenths {number(choice.held_out)} (no interval: the choices share their items)"
        )
        yield (
            f"{judge}: threshold {choice.threshold:g} has the highest {choice.statistic}: {number(choice.apparent)}, "
            f"n {choice.n:,}{held_out_clause}"
        )
