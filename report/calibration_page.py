"""The calibration of a run, as a page shows it: judges side by side, and folded away what stands beside them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ..calibration.agreement.results import Calibration, JudgeCalibration
from ..calibration.cuts import HALF
from ..calibration.statistic import Statistic
from . import words
from .adjudication_words import adjudication_pieces
from .calibration_words import people_words
from .caution_words import folded
from .comparison_words import comparison_document
from .diagnosis_words import judges_alone_words, probability_words, system_words
from .document import FIRST, Cell, Columns, Details, Document, Figure, Piece, Table
from .figures import confusion, says_confusion

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


def calibration_page(found: Calibration) -> Document:
    """A calibration for a page."""
    return list(_pieces(found))


def statistic_cell(found: Statistic | None) -> Cell:
    """A statistic: its value, its interval, and how that was made; of what is undefined, the reason."""
    if found is None:
        return Cell("-", title="not computed")
    if found.value is None:
        return Cell("undefined", found.undefined or "no value")
    how = f"{found.method or 'no interval'}; n = {words.count(found.n)}"
    return Cell(words.decimal(found.value), words.interval(found.low, found.high), how)


def _pieces(found: Calibration) -> Iterator[Piece]:
    yield from folded(found.cautions, found.judges)
    baselines = {name.replace("_", " "): panel for name, panel in found.baselines.items()}
    yield Table(_head("Judge"), [_row(name, panel) for name, panel in (found.judges | baselines).items()])
    yield Columns(
        [
            Figure(confusion(*table), says_confusion(*table), name + _passing(panel))
            for name, panel in found.judges.items()
            for table in [(panel.tp, panel.fn, panel.fp, panel.tn)]
        ]
    )
    beside = {
        "Judges against each other": ()
        if found.comparison is None
        else comparison_document(found.comparison),
        "Adjudicated labels": adjudication_pieces(found.adjudication),
        "People among themselves": people_words(found),
        "Systems, by labels and by judges": system_words(found),
        "Scores as probabilities": probability_words(found),
        "If judges erred independently": judges_alone_words(found),
    }
    for title, document in beside.items():
        if pieces := list(document):
            yield Details(title, pieces)
    for column, values in found.slices.items():
        yield Details(f"By {column}", list(_slice(column, values)))


def _head(*first: str) -> list[str | Cell]:
    return [*first, "n", *(Cell(heading, title=explanation) for _, heading, explanation in COLUMNS)]


def _row(name: str, panel: JudgeCalibration) -> list[str | Cell]:
    clusters = words.counted(panel.n_clusters, "cluster") if panel.n_clusters else ""
    missing = f"{words.count(panel.n_missing)} missing" if panel.n_missing else ""
    return [
        Cell(name, f"{clusters}{_passing(panel)}"),
        Cell(words.count(panel.n), missing),
        *(statistic_cell(panel.statistics.get(key)) for key, _, _ in COLUMNS),
    ]


def _passing(panel: JudgeCalibration) -> str:
    return "" if panel.pass_at == HALF else f"; passes at {panel.pass_at:g}"


def _slice(column: str, values: Mapping[str, Mapping[str, JudgeCalibration]]) -> Iterator[Piece]:
    shown = list(values.items())[:MOST_SLICES]
    rows = [[value, *_row(name, panel)] for value, judges in shown for name, panel in judges.items()]
    yield Table(_head(column, "Judge"), rows, words=FIRST | {1})
    if len(values) > len(shown):
        yield f"{words.count(len(values) - len(shown))} more values are in calibration.json."
