"""Calibration page: judges side by side, with details folded away."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import TypeVar

import msgspec

from ..calibration.agreement.calibration_results import CalibrationNumbers, JudgeCalibration
from ..calibration.statistic import Statistic
from .document import Columns, Details, Figure, Piece, document
from .document_table import FIRST, Cell, DocumentTable
from .figures.agreement import confusion, heat
from .figures.forest_plot import PlottedInterval, forest
from .figures.scores import Bin, distribution, reliability
from .score_bins import bin_table
from .text import number_text
from .text.adjudication_text import adjudication_pieces
from .text.calibration_text import people_words
from .text.caution_text import folded
from .text.comparison_text import comparison_document
from .text.diagnosis_text import judges_alone_words, probability_words, system_words

T = TypeVar("T")

COLUMNS: tuple[tuple[str, str, str], ...] = (
    ("true_positive_rate", "TPR", "Share of what is right that the judge passes (sensitivity)"),
    ("true_negative_rate", "TNR", "Share of what is wrong that the judge fails (specificity)"),
    ("accuracy", "Accuracy", "Share of items on which judge and label agree"),
    ("cohen_kappa", "Kappa", "Cohen's kappa: agreement beyond chance"),
    ("gwet_ac1", "AC1", "Gwet's AC1: agreement beyond chance, steady when nearly everything passes"),
    ("mcc", "MCC", "Matthews correlation of judge and label"),
    ("bias", "Bias", "The judge's rate minus the true rate"),
)
"""Statistic, heading, explanation."""

MOST_SLICES = 40
"""Values of one column that are shown."""


def statistic_cell(found: Statistic | None) -> Cell:
    """Return a cell with value, interval and method, or the reason if undefined."""
    if found is None:
        return Cell("-", title="not computed")
    if found.value is None:
        return Cell("undefined", found.undefined or "no value")
    how = f"{found.method or 'no interval'}; n = {number_text.count(found.n)}"
    return Cell(number_text.decimal(found.value), number_text.interval(found.low, found.high), how)


@document
def calibration_page(
    found: CalibrationNumbers,
    scores: Mapping[str, Sequence[Bin]] | None = None,
    baselines: Collection[str] = (),
) -> Iterator[Piece]:
    """Build the calibration page.

    Args:
        found: The calibration.
        scores: Groups of like scores, of judges whose scores are more than 0 and 1.
        baselines: Judges that read nothing: they are in the tables, and in no figure.
    """
    yield from folded(found.cautions, found.judges)
    constant = {name.replace("_", " "): panel for name, panel in found.baselines.items()}
    yield DocumentTable(
        _head("Judge"), [_row(name, panel) for name, panel in (found.judges | constant).items()]
    )
    readers = {name: panel for name, panel in found.judges.items() if name not in baselines} or found.judges
    if len(readers) < len(found.judges):
        yield "What judges that read nothing get stands in the table above; the rest of it is in calibration.json."
        found = _of(found, readers)
    yield Columns(list(_figures(readers, scores or {})))
    beside = {
        "Judges against each other": _against_each_other(found, readers),
        "Adjudicated labels": adjudication_pieces(found.adjudication),
        "People among themselves": people_words(found),
        "Systems, by labels and by judges": system_words(found),
        "Scores as probabilities": probability_words(found),
        "Estimate without labels, assuming independent errors": judges_alone_words(found),
    }
    for title, told in beside.items():
        if pieces := list(told):
            yield Details(title, pieces)
    for column, values in found.slices.items():
        yield Details(f"By {column}", list(_slice(column, values, readers)))


def _of(found: CalibrationNumbers, judges: Collection[str]) -> CalibrationNumbers:
    """Restrict a calibration to the given judges."""

    def kept(values: Mapping[str, T]) -> dict[str, T]:
        return {name: value for name, value in values.items() if name in judges}

    slices = {
        column: {value: kept(panels) for value, panels in each.items()}
        for column, each in found.slices.items()
    }
    return msgspec.structs.replace(
        found, slices=slices, systems=kept(found.systems), probability=kept(found.probability)
    )


def _figures(judges: Mapping[str, JudgeCalibration], scores: Mapping[str, Sequence[Bin]]) -> Iterator[Piece]:
    """Yield each judge's confusion matrix, score distribution and reliability curve.

    Distribution and curve are drawn only for judges with scores other than 0 and 1.
    """
    for name, panel in judges.items():
        yield Figure(
            confusion(panel.tp, panel.fn, panel.fp, panel.tn, of=name),
            caption=name + number_text.passing(panel.pass_at),
        )
        if bins := scores.get(name):
            numbers = DocumentTable(("score", "labels pass", "fail", "share that passes"), bin_table(bins))
            drawn = distribution(f"Scores of {name} by label", bins, cut=panel.pass_at)
            yield Figure(drawn, caption=f"{name}: scores by label", numbers=numbers)
            drawn = reliability(f"Share that labels pass, by score of {name}", bins)
            yield Figure(drawn, caption=f"{name}: what labels pass, by score", numbers=numbers)


def _against_each_other(found: CalibrationNumbers, judges: Mapping[str, JudgeCalibration]) -> Iterator[Piece]:
    """Yield the joint errors of each pair of judges, and the result of comparing them.

    Pairs without a common item are skipped.
    """
    if found.comparison is None:
        return
    pairs = [pair for pair in found.comparison.pairs if pair.n]
    agree = {
        key: (pair.both_right + pair.both_wrong) / pair.n
        for pair in pairs
        for key in ((pair.a, pair.b), (pair.b, pair.a))
    }
    names = [name for name in judges if any(name in key for key in agree if set(key) <= judges.keys())]
    if len(names) > 1:
        caption = "Share of labelled items on which both are right, or both wrong"
        rows = [(a, [1.0 if a == b else agree.get((a, b)) for b in names]) for a in names]
        yield Columns([Figure(heat(caption, names, rows), caption=caption)])
    yield from comparison_document(msgspec.structs.replace(found.comparison, pairs=pairs))
    if apart := len(found.comparison.pairs) - len(pairs):
        yield f"Pairs without a common item: {number_text.count(apart)}."


def _head(*first: str) -> list[str | Cell]:
    return [*first, "n", *(Cell(heading, title=explanation) for _, heading, explanation in COLUMNS)]


def _row(name: str, panel: JudgeCalibration) -> list[str | Cell]:
    clusters = number_text.counted(panel.n_clusters, "cluster") if panel.n_clusters else ""
    counts = f"; tp {panel.tp:,}, fp {panel.fp:,}, fn {panel.fn:,}, tn {panel.tn:,}"
    missing = f"{number_text.count(panel.n_missing)} missing" if panel.n_missing else ""
    return [
        Cell(name, f"{clusters}{number_text.passing(panel.pass_at)}{counts}"),
        Cell(number_text.count(panel.n), missing),
        *(statistic_cell(panel.statistics.get(key)) for key, _, _ in COLUMNS),
    ]


def _slice(
    column: str, values: Mapping[str, Mapping[str, JudgeCalibration]], drawn: Collection[str]
) -> Iterator[Piece]:
    shown = list(values.items())[:MOST_SLICES]
    yield Columns([figure for judge in drawn for figure in _multiple(column, judge, shown)])
    rows = [[value, *_row(name, panel)] for value, judges in shown for name, panel in judges.items()]
    yield DocumentTable(_head(column, "Judge"), rows, words=FIRST | {1})
    if len(values) > len(shown):
        yield f"{number_text.count(len(values) - len(shown))} more values are in calibration.json."


def _multiple(
    column: str, judge: str, values: Sequence[tuple[str, Mapping[str, JudgeCalibration]]]
) -> Iterator[Figure]:
    """Yield one judge's accuracy for every value of a column, for comparison with other judges."""
    found = {value: panels[judge].statistics.get("accuracy") for value, panels in values if judge in panels}
    rows = [PlottedInterval.of(value, each) for value, each in found.items() if each is not None]
    if len(rows) > 1:
        yield Figure(forest(f"Accuracy of {judge} by {column}", rows), caption=f"{judge}: accuracy")
