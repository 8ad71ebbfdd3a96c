"""A calibration in words: tables in which every rate has its denominator and interval."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

from ...calibration.agreement.calibration_results import Calibration, JudgeCalibration
from ...calibration.agreement.diagnosis_results import CategoryAgreement, EqualRates, LabelAudit
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

_ALARM, _SUSPECTS = 0.05, 5

_AUDITED = {
    "double-sampling": "double sampling: holds whatever errors judge and labels share",
    "gart-buck": "Gart and Buck: holds where judge and labels share no errors",
}

_HEADLINE = ("accuracy", "true_positive_rate", "true_negative_rate", "cohen_kappa", "mcc")


@document
def calibration_document(calibration: Calibration, *, slices: Iterable[str] = ()) -> Iterator[Piece]:
    """Build the calibration document, with a table for each value of the ``slices`` columns."""
    if not any(panel.n for panel in calibration.judges.values()):
        yield _no_labels(calibration.judges)
        yield from jury_lines(calibration.juries)
        yield from judges_alone_pieces(calibration)
        return
    for judge, panel in calibration.judges.items():
        yield from _judge(judge, panel, calibration.better_thresholds.get(judge))
        yield ""
    yield from adjudication_pieces(calibration.adjudication)
    yield from _baselines(calibration)
    for column in slices:
        yield from ("", f"By {column}:")
        for value, judges in calibration.slices.get(column, {}).items():
            yield f"  {value}"
            yield _headline_table(judges, indent=4)
    yield from uneven_slices(calibration)
    yield from _suspects(calibration)
    yield from system_pieces(calibration)
    yield from probability_pieces(calibration)
    yield from jury_lines(calibration.juries)
    yield from judges_alone_pieces(calibration)
    yield from requested_pieces(calibration)
    yield from recalibration_pieces(calibration)
    yield from folded(calibration.cautions, calibration.judges)


def _no_labels(judges: Mapping[str, JudgeCalibration]) -> str:
    """Return advice for when no judge can be compared with labels."""
    if not judges:
        return "no judge has a verdict, so there is nothing to calibrate"
    rows = sum(panel.n_missing + panel.n_unlabelled for panel in judges.values())
    labels = sum(panel.n_missing for panel in judges.values())
    why = f"none of {counted(labels, 'row')} with a label has a score" if labels else "no row has a label"
    how = f"draw items to label (`{draw_command()}`) and add their labels as a column `label`"
    return f"{why}, so {', '.join(judges)} ({counted(rows, 'row')}) cannot be measured: {how}"


def _judge(judge: str, panel: JudgeCalibration, better: BetterThreshold | None) -> Iterator[Piece]:
    rows = f"{counted(panel.n, 'row')} with label and score in {counted(panel.n_clusters, 'cluster')}"
    yield f"{judge}: {rows} ({panel.n_missing:,} labelled without score, {panel.n_unlabelled:,} without label){passing(panel.pass_at, panel.pass_at_source, always=not panel.binary)}"
    if not panel.n:
        return
    yield DocumentTable(
        ("", "judge passes", "judge fails"),
        [
            ("label passes", f"{panel.tp:,}", f"{panel.fn:,}"),
            ("label fails", f"{panel.fp:,}", f"{panel.tn:,}"),
        ],
    )
    if better is not None and better.clear:
        yield (
            f"  threshold {better.better_at:g} raises balanced accuracy by {number(better.gain.value)} "
            f"[{number(better.gain.low)}, {number(better.gain.high)}] on held-out clusters"
        )
    # On 0/1 scores and labels the statistics of graded scores repeat those of the 2x2 table.
    yield from statistic_pieces(statistics_of(panel, "table", "custom") if panel.binary else panel.statistics)
    if panel.n_missing and panel.missing is not None:
        accuracy = panel.missing.accuracy
        yield "  missing verdicts among labelled rows, and accuracy with them:"
        yield from statistic_pieces(
            {
                "missing": panel.missing.rate,
                "accuracy, drop": accuracy.drop,
                "accuracy, count as fail": accuracy.count_as_fail,
                "accuracy, count as disagreement": accuracy.count_as_disagreement,
            },
            head=False,
            indent=4,
        )


def statistics_of(panel: JudgeCalibration, *families: StatisticFamily) -> dict[str, Statistic]:
    """Return a judge's statistics of some families."""
    from ...calibration.statistic_catalogue import family_of  # noqa: PLC0415 - loads numpy, and most runs show none of them

    return {name: each for name, each in panel.statistics.items() if family_of(name) in families}


def _baselines(calibration: Calibration) -> Iterator[Piece]:
    """Yield the baselines: constant judges on all labelled items, others on those they grade."""
    constant = {name: calibration.baselines[name] for name in CONSTANTS}
    others = {name: panel for name, panel in calibration.baselines.items() if name not in constant}
    yield f"Baselines on {_labelled(constant[CONSTANTS[0]].n, calibration.judges.values())}:"
    yield _headline_table(constant)
    if others:
        yield "Other graders, on the items that they grade:"
        yield _headline_table(others)
    yield from people_pieces(calibration)


def _labelled(n: int, judges: Collection[JudgeCalibration]) -> str:
    """Say which labelled items baselines grade, and that judges grade fewer."""
    of_judges = sorted({judge.tp + judge.fn + judge.fp + judge.tn for judge in judges})
    if of_judges in ([n], []):
        return f"the same {counted(n, 'labelled item')}"
    graded = f"{of_judges[0]:,} to {of_judges[-1]:,}" if len(of_judges) > 1 else f"{of_judges[0]:,}"
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
    """Name the slices between which a judge's rates differ by more than chance."""
    for column, judges in calibration.homogeneity.items():
        for judge, tests in judges.items():
            uneven = [
                f"{name} (Holm p {p_value(test.holm_p)})" for name, test in tests.items() if _alarms(test)
            ]
            if uneven:
                yield f"differs by {column}: {judge}: {', '.join(uneven)}; see {setting('slices', column)}"


def _alarms(test: EqualRates) -> bool:
    return test.holm_p is not None and test.holm_p <= _ALARM


def _suspects(calibration: Calibration) -> Iterator[Piece]:
    # A single judge may itself be wrong.
    if calibration.suspected_label_errors and len(calibration.judges) > 1:
        shown = ", ".join(suspect.item_id for suspect in calibration.suspected_label_errors[:_SUSPECTS])
        yield f"labels to look at first, contradicted by most judges: {shown} (more in the JSON)"


def requested_pieces(calibration: Calibration) -> Iterator[Piece]:
    """Yield the optional results that were requested, except the map of scores."""
    if calibration.label_audit is not None:
        yield from _label_audit(calibration.label_audit)
    yield from (_certificate(judge, each) for judge, each in calibration.selective.items())
    if (cascade := calibration.cascade) is not None:
        certified = any(threshold.threshold is not None for threshold in cascade.judges.values())
        yield (
            f"Cascade: decides {cascade.kept:,} of {counted(cascade.n, 'sampled item')} (one per cluster), "
            f"{cascade.errors:,} wrong{'' if cascade.kept == cascade.n else '; people decide the rest'}."
            f"{' The bounds below hold together.' if certified else ''}"
        )
        yield from (f"  {_certificate(judge, each)}" for judge, each in cascade.judges.items())
    for judge, categories in calibration.categories.items():
        yield f"{judge}, each level a category:"
        yield from _categories(categories)
    yield from _thresholds(calibration)


def _label_audit(audit: LabelAudit) -> Iterator[Piece]:
    """Yield the rates of judges, corrected for errors of the labels."""
    count = audit.tp + audit.fp + audit.fn + audit.tn
    yield f"Corrected for errors of the labels, from an audit of {count:,} ({_AUDITED[audit.method]}):"
    for judge, rates in audit.judges.items():
        yield f"  {judge}"
        statistics = {name: getattr(rates, name) for name in rates.__struct_fields__}
        yield from statistic_pieces(statistics, head=False, indent=4)


def _categories(categories: CategoryAgreement) -> Iterator[Piece]:
    """Yield the table of labels by scores, and the statistics of all levels."""
    levels = [f"{level:g}" for level in categories.levels]
    yield DocumentTable(
        ("", *(f"score {level}" for level in levels)),
        [(f"label {level}", *map(str, row)) for level, row in zip(levels, categories.table, strict=True)],
    )
    yield from statistic_pieces(categories.statistics)


def _certificate(judge: str, certified: CertifiedThreshold) -> str:
    if certified.threshold is None or certified.coverage is None or certified.error_bound is None:
        return f"{judge}: {certified.undefined}"
    verdicts = (
        f"all {counted(certified.kept, 'verdict')}"
        if certified.coverage == 1.0
        else f"verdicts of confidence {certified.threshold:g} or more ({100 * certified.coverage:.0f} % of "
        f"{certified.kept / certified.coverage:,.0f})"
    )
    of: dict[BoundOf, str] = {
        "outputs": "on outputs like these (90 % confidence)",
        "clusters": "on one output of each cluster (90 % confidence), not on all: sizes differ",
    }
    return f"{judge}: {verdicts}: error rate at most {100 * certified.error_bound:.1f} % {of[certified.bound_of]}"


def _thresholds(calibration: Calibration) -> Iterator[Piece]:
    binary = [judge for judge in calibration.thresholds if calibration.judges[judge].binary]
    if binary:
        yield f"{listed(binary)}: no threshold to choose, all scores are 0 or 1"
    for judge, choice in calibration.thresholds.items():
        if judge in binary:
            continue
        if choice.threshold is None:
            yield f"{judge}: no threshold: {choice.undefined}"
            continue
        held_out = (
            "; too few clusters to hold any out"
            if choice.held_out is None
            else f"; on held-out tenths {number(choice.held_out)} (no interval: the choices share their items)"
        )
        yield (
            f"{judge}: threshold {choice.threshold:g} has the highest {choice.statistic}: {number(choice.apparent)}, "
            f"n {choice.n:,}{held_out}"
        )
