"""Calibration section of a report: judges side by side, with details folded away.

Baselines, which do not read the output, are in tables only; figures and details are of the other judges.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import TypeVar

import msgspec

from ..calibration.agreement.calibration_results import Calibration, JudgeCalibration
from ..calibration.agreement.diagnosis_results import ReliabilityBin
from ..calibration.statistic import Statistic
from .document import Columns, Details, Figure, Piece, document
from .document_parts import FIRST, Cell, DocumentTable
from .figures.forest_plot import PlottedInterval, forest, judge_rates
from .figures.heat_map import heat
from .figures.scores import Bin, distribution, reliability
from .items.naming import CELLS, group_of, items_at
from .score_thresholds import RatesAtThreshold, bin_table
from .text import number_text
from .text.agreement_text import (
    adjudication_pieces,
    judges_alone_pieces,
    people_pieces,
    probability_pieces,
    system_pieces,
)
from .text.caution_text import folded
from .text.comparison_text import comparison_document
from .text.judges_text import FAILED_GOOD, PASSED_BAD
from .text.probability_text import probability_judges, undeclared_judges
from .text.systems_text import judge_names
from .text.trust_words import LOW_ERRORS_RATE, error_rates

T = TypeVar("T")

COLUMNS: tuple[tuple[str, str, str], ...] = (
    ("true_positive_rate", "TPR", "Share of good outputs that the judge passes (sensitivity)"),
    ("true_negative_rate", "TNR", "Share of bad outputs that the judge fails (specificity)"),
    ("accuracy", "Accuracy", "Share of items on which judge and label agree"),
    ("cohen_kappa", "Kappa", "Cohen's kappa: agreement beyond chance"),
    ("gwet_ac1", "AC1", "Gwet's AC1: agreement beyond chance, steady when nearly everything passes"),
    ("mcc", "MCC", "Matthews correlation of judge and label"),
    ("bias", "Bias", "The judge's rate minus the true rate"),
)
"""Columns of a table of judges: name of the statistic, heading, explanation."""

_NAME_COLUMNS = 26
"""Width of a judge's name in the table next to the figure."""

_ALL_STATISTICS = frozenset(key for key, _, _ in COLUMNS)
_SLICE_STATISTICS = frozenset({"true_positive_rate", "true_negative_rate", "cohen_kappa"})
"""Statistics shown by slice; the others are in calibration.json."""

MAX_SLICES = 40
"""Most values of one column that are shown."""


def statistic_cell(statistic: Statistic | None, method: bool = True) -> Cell:  # noqa: FBT001, FBT002 - of a cell
    """Return a cell with value, interval and, with ``method``, a tooltip; or why undefined."""
    if statistic is None:
        return Cell("-", title="not computed")
    if statistic.value is None:
        return Cell("undefined", statistic.undefined or "no value")
    tooltip = f"{statistic.method or 'no interval'}; n = {number_text.count(statistic.n)}" if method else ""
    return Cell(
        number_text.decimal(statistic.value), number_text.interval(statistic.low, statistic.high), tooltip
    )


@document
def calibration_page(
    calibration: Calibration,
    scores: Mapping[str, Sequence[Bin]] | None = None,
    baselines: Collection[str] = (),
    rates: Mapping[str, Sequence[RatesAtThreshold]] | None = None,
) -> Iterator[Piece]:
    """Build the calibration page.

    Args:
        calibration: The calibration.
        scores: Bins of scores with their labels, by judge, for judges with other scores than 0 and 1.
        baselines: Judges that read nothing; shown in tables only, not in figures.
        rates: Rates of these judges at possible pass thresholds.
    """
    reading_judges = {
        name: panel for name, panel in calibration.judges.items() if name not in baselines
    } or calibration.judges
    yield Columns([_rate_figure(reading_judges), _outcome_table(reading_judges)])
    constant_judges = {name.replace("_", " "): panel for name, panel in calibration.baselines.items()}
    rows = [_judge_row(name, panel) for name, panel in (calibration.judges | constant_judges).items()]
    yield Details("Every statistic, with the baselines", [DocumentTable(_head("Judge"), rows)])
    yield from folded(calibration.cautions, calibration.judges)
    if len(reading_judges) < len(calibration.judges):
        calibration = _restricted(calibration, reading_judges)
    if curves := list(_reliability_curves(calibration)):
        yield Columns(curves)
    if scores:
        yield Columns(list(_score_figures(calibration, reading_judges, scores)))
    for name, by_threshold in (rates or {}).items():
        if by_threshold:
            yield Details(f"Thresholds of {name}", list(_threshold_pieces(calibration, name, by_threshold)))
    sections = {
        "Judges against each other": _judge_comparison(calibration, reading_judges),
        "Adjudicated labels": adjudication_pieces(calibration.adjudication),
        "People among themselves": people_pieces(calibration),
        "Systems, by labels and by judges": system_pieces(calibration),
        "Scores as probabilities": probability_pieces(calibration),
        "Estimate without labels, assuming independent errors": judges_alone_pieces(calibration),
    }
    for title, section in sections.items():
        if pieces := list(section):
            yield Details(title, pieces)
    for column, values in calibration.slices.items():
        yield Details(f"By {column}", list(_slice_pieces(column, values, reading_judges)))


def _restricted(calibration: Calibration, judges: Collection[str]) -> Calibration:
    """Restrict slices, systems and probabilities of a calibration to some judges."""

    def of_these_judges(by_judge: Mapping[str, T]) -> dict[str, T]:
        return {name: value for name, value in by_judge.items() if name in judges}

    slices = {
        column: {value: of_these_judges(panels) for value, panels in values.items()}
        for column, values in calibration.slices.items()
    }
    return msgspec.structs.replace(
        calibration,
        slices=slices,
        systems=of_these_judges(calibration.systems),
        probability=of_these_judges(calibration.probability),
    )


def _rate_figure(judges: Mapping[str, JudgeCalibration]) -> Figure:
    """Return a figure of each judge's two error rates."""
    rates_by_judge = [
        (name, [PlottedInterval.of(name, rate) for rate in error_rates(panel)])
        for name, panel in judges.items()
    ]
    caption = "Share of bad outputs that each judge let through, and of good ones that it rejected"
    figure = judge_rates(caption, rates_by_judge, lanes=(PASSED_BAD, FAILED_GOOD), target=1 - LOW_ERRORS_RATE)
    return Figure(figure, caption=f"{caption}. Dashed: {1 - LOW_ERRORS_RATE:.2g}.")


def _outcome_table(judges: Mapping[str, JudgeCalibration]) -> DocumentTable:
    """Return the 2x2 tables of all judges, a row each, with counts linked to their outputs."""
    names = judge_names(list(judges), columns=_NAME_COLUMNS)
    rows = [
        (
            Cell(names.of(name), number_text.passing(panel.pass_at).removeprefix("; ")),
            *(
                Cell(f"{count:,}", link=items_at(group=group_of(name, cell)) if count else "")
                for cell, count in zip(CELLS, (panel.tp, panel.fn, panel.fp, panel.tn), strict=True)
            ),
        )
        for name, panel in judges.items()
    ]
    return DocumentTable((f"Judge ({names.shared})" if names.shared else "Judge", *CELLS), rows)


def _threshold_pieces(
    calibration: Calibration, name: str, rates: Sequence[RatesAtThreshold]
) -> Iterator[Piece]:
    """Yield whether another threshold is better on held-out groups, and rates at each threshold."""
    better_threshold = calibration.better_thresholds.get(name)
    if better_threshold is not None:
        gain = number_text.statistic(better_threshold.gain)
        best_clause = (
            f"Threshold {better_threshold.better_at:g} has the largest balanced accuracy"
            if better_threshold.better_at != better_threshold.pass_at
            else f"No threshold has a larger balanced accuracy than {better_threshold.pass_at:g}"
        )
        yield f"{best_clause}. Chosen on other groups and scored on held-out ones, the gain is {gain}: {'clear' if better_threshold.clear else 'not clear'}."
    caption = "Rates by threshold"
    rates_by_threshold = [
        (
            f"passes from {rate.at:.3g} on",
            [
                PlottedInterval.of("", rate.passed_bad),
                PlottedInterval.of("", rate.failed_good),
                PlottedInterval.of("", rate.corrected),
            ],
        )
        for rate in rates
    ]
    figure = judge_rates(caption, rates_by_threshold, lanes=(PASSED_BAD, FAILED_GOOD, "corrected"))
    yield Figure(figure, caption=f"{caption} of {name}")
    yield "Corrected: pass rate of the undecided outputs (Rogan and Gladen), if their labels are a random sample; undefined without labels of both classes."


def _reliability_curves(calibration: Calibration) -> Iterator[Piece]:
    """Yield the reliability curves of judges whose scores are, or may be, probabilities."""
    for name, probabilities in (probability_judges(calibration) | undeclared_judges(calibration)).items():
        bins = [_drawn_bin(bin_) for bin_ in probabilities.bins]
        numbers = DocumentTable(("p", "labels pass", "fail", "share that passes"), bin_table(bins))
        figure = reliability(f"Share that labels pass, by probability of {name}", bins, unit="p")
        condition = "" if calibration.judges[name].scores else ", if its scores are probabilities"
        yield Figure(figure, caption=f"{name}: reliability in bins of equal mass{condition}", numbers=numbers)


def _drawn_bin(bin_: ReliabilityBin) -> Bin:
    passed = round((bin_.rate.value or 0.0) * bin_.n)
    ends = dict.fromkeys(number_text.decimal(end) for end in (bin_.low, bin_.high))  # once if equal
    rate = PlottedInterval.of(" to ".join(ends), bin_.rate)
    return Bin(low=bin_.low, high=bin_.high, passed=passed, failed=bin_.n - passed, rate=rate, mean=bin_.mean)


def _score_figures(
    calibration: Calibration,
    judges: Mapping[str, JudgeCalibration],
    scores: Mapping[str, Sequence[Bin]],
) -> Iterator[Piece]:
    """Yield each judge's score distribution and, unless `_reliability_curves` has it, its curve."""
    judges_with_curves = probability_judges(calibration) | undeclared_judges(calibration)
    for name, panel in judges.items():
        if bins := scores.get(name):
            numbers = DocumentTable(("score", "labels pass", "fail", "share that passes"), bin_table(bins))
            figure = distribution(f"Scores of {name} by label", bins, threshold=panel.pass_at)
            yield Figure(figure, caption=f"{name}: scores by label", numbers=numbers)
            if name in judges_with_curves:
                continue
            figure = reliability(f"Share that labels pass, by score of {name}", bins)
            yield Figure(figure, caption=f"{name}: what labels pass, by score", numbers=numbers)


def _judge_comparison(calibration: Calibration, judges: Mapping[str, JudgeCalibration]) -> Iterator[Piece]:
    """Yield a heat map of how often two judges are right or wrong alike, and comparisons."""
    if calibration.comparison is None:
        return
    pairs = [pair for pair in calibration.comparison.pairs if pair.n]
    shares = {
        key: (pair.both_right + pair.both_wrong) / pair.n
        for pair in pairs
        for key in ((pair.a, pair.b), (pair.b, pair.a))
    }
    names = [name for name in judges if any(name in key for key in shares if set(key) <= judges.keys())]
    if len(names) > 1:
        caption = "Share of labelled items on which both agree with the label, or neither does"
        rows = [(a, [1.0 if a == b else shares.get((a, b)) for b in names]) for a in names]
        yield Columns([Figure(heat(caption, names, rows), caption=caption)])
    yield from comparison_document(msgspec.structs.replace(calibration.comparison, pairs=pairs))
    if skipped := len(calibration.comparison.pairs) - len(pairs):
        yield f"Pairs without a common item: {number_text.count(skipped)}."


def _head(*first: str, statistics: Collection[str] = _ALL_STATISTICS) -> list[str | Cell]:
    headings = (
        Cell(heading, title=explanation) for key, heading, explanation in COLUMNS if key in statistics
    )
    return [*first, "n", *headings]


def _judge_row(
    name: str, panel: JudgeCalibration, statistics: Collection[str] = _ALL_STATISTICS
) -> list[str | Cell]:
    has_all_statistics = statistics is _ALL_STATISTICS  # rows of slices have no details
    clusters = f"{number_text.counted(panel.n_clusters, 'cluster')}; " if panel.n_clusters else ""
    counts = f"tp {panel.tp:,}, fp {panel.fp:,}, fn {panel.fn:,}, tn {panel.tn:,}"
    missing = f"{number_text.count(panel.n_missing)} missing" if panel.n_missing else ""
    return [
        Cell(name, f"{clusters}{counts}{number_text.passing(panel.pass_at)}" if has_all_statistics else ""),
        Cell(number_text.count(panel.n), missing),
        *(
            statistic_cell(panel.statistics.get(key), has_all_statistics)
            for key, _, _ in COLUMNS
            if key in statistics
        ),
    ]


def _slice_pieces(
    column: str, values: Mapping[str, Mapping[str, JudgeCalibration]], judges_drawn: Collection[str]
) -> Iterator[Piece]:
    shown_values = list(values.items())[:MAX_SLICES]
    yield Columns(
        [figure for judge in judges_drawn for figure in _accuracy_figures(column, judge, shown_values)]
    )
    rows = [
        [value, *_judge_row(name, panel, _SLICE_STATISTICS)]
        for value, judges in shown_values
        for name, panel in judges.items()
    ]
    yield DocumentTable(_head(column, "Judge", statistics=_SLICE_STATISTICS), rows, left_aligned=FIRST | {1})
    if len(values) > len(shown_values):
        hidden = number_text.counted(len(values) - len(shown_values), "more value")
        yield f"{hidden} in calibration.json."


def _accuracy_figures(
    column: str, judge: str, values: Sequence[tuple[str, Mapping[str, JudgeCalibration]]]
) -> Iterator[Figure]:
    """Yield a figure of one judge's accuracy by value of a column, if several are known."""
    rates = {value: panels[judge].statistics.get("accuracy") for value, panels in values if judge in panels}
    rows = [PlottedInterval.of(value, rate) for value, rate in rates.items() if rate is not None]
    if len(rows) > 1:
        yield Figure(forest(f"Accuracy of {judge} by {column}", rows), caption=f"{judge}: accuracy")
