"""Probability judges: reliability curve as text, losses beside the base rate, and slope."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from statistics import NormalDist

from ...calibration.agreement.calibration_results import Calibration
from ...calibration.agreement.diagnosis_results import CoverageStep, ProbabilityScores, ReliabilityBin
from ...calibration.comparison.comparison_results import ComparedPair
from ...calibration.pass_threshold import ThresholdSource
from ...calibration.statistic import Statistic
from ...judges.baseline import is_baseline_name
from ...records.score_kinds import GRADES, PROBABILITIES, ScoreKind
from ...spelling import setting
from ..document import Piece
from ..document_parts import FIRST, DocumentTable
from ..items.naming import ShortNames, pair_name
from . import number_text
from .number_text import decimal, signed
from .one_screen import statistic_text

_COLUMNS = 41
"""Characters of the plot's axis from 0 to 1."""

_UNDECLARED: ThresholdSource = "default"
"""Source of a threshold that neither the judge nor the user declared."""

_SHARES = (0.1, 0.5, 1.0)
"""Shares of verdicts, the most confident ones, whose error rates are on the first screen."""

_WORDS = 2
"""Tests of each judge whose words follow: of its mean and of its slope."""

_OFF = 1.0
"""Slope of probabilities that are neither too extreme nor too timid."""


def probability_judges(calibration: Calibration) -> dict[str, ProbabilityScores]:
    """Return the judges whose scores are declared probabilities."""
    return _of_kind(calibration, PROBABILITIES)


def undeclared_judges(calibration: Calibration) -> dict[str, ProbabilityScores]:
    """Return the judges with finer scores than grades, of which nothing says what they are.

    A threshold that the judge declares or the user gives says that scores are grades.
    """
    return {
        judge: scores
        for judge, scores in _of_kind(calibration, None).items()
        if scores.are_fine and calibration.judges[judge].pass_at_source == _UNDECLARED
    }


def _of_kind(calibration: Calibration, kind: ScoreKind | None) -> dict[str, ProbabilityScores]:
    return {
        judge: scores
        for judge, scores in calibration.probability.items()
        if calibration.judges[judge].scores == kind and not is_baseline_name(judge)
    }


def probability_lines(calibration: Calibration) -> Iterator[Piece]:
    """Yield a row of statistics per probability judge, and which are over- or underconfident.

    Of fine scores that nothing declares, the numbers are shown under a condition, and no word follows.
    """
    if judges := probability_judges(calibration):
        yield f"Scores as probabilities (base rate as a constant: {_base_rate(judges)}):"
        yield _table(judges)
        yield from _extremes(judges, calibration)
    if judges := undeclared_judges(calibration):
        options = setting("scores_are", PROBABILITIES), GRADES
        yield f"If these scores are probabilities (say {' or '.join(options)}; base rate: {_base_rate(judges)}):"
        yield _table(judges)


def _table(judges: Mapping[str, ProbabilityScores]) -> DocumentTable:
    rows = [(f"  {judge}", *_cells(each)) for judge, each in judges.items()]
    head = ("", "mean p - rate", "slope", "Brier", "log loss")
    return DocumentTable(head, rows, left_aligned=frozenset({0}), indent=0)


def only_curve(calibration: Calibration) -> Iterator[DocumentTable]:
    """Yield the reliability curve of a table's only judge; of several, ``-v`` has them.

    It is a table, so that a screen that is too short for it says how many rows are missing.
    """
    if len(calibration.judges) == 1:
        for scores in (probability_judges(calibration) | undeclared_judges(calibration)).values():
            head, *rows = reliability_plot(scores.bins)
            yield DocumentTable((head,), [(row,) for row in rows], left_aligned=FIRST, indent=0)


def _base_rate(judges: Mapping[str, ProbabilityScores]) -> str:
    scores = next(iter(judges.values()))
    brier, log_loss = (scores.calibration[f"{name}_of_base_rate"].value for name in ("brier", "log_loss"))
    return f"Brier {number_text.number(brier)}, log loss {number_text.number(log_loss)}"


def _cells(scores: ProbabilityScores) -> tuple[str, ...]:
    found = scores.calibration
    log_loss = found["log_loss"]
    return (
        statistic_text(found["calibration_in_the_large"]),
        statistic_text(found["slope"]) if found["slope"].value is not None else "-",
        number_text.number(found["brier"].value),
        "infinite" if log_loss.value is None else number_text.number(log_loss.value),
    )


def _extremes(judges: Mapping[str, ProbabilityScores], calibration: Calibration) -> Iterator[str]:
    """Name judges whose slope differs from 1, at the level of all judges together.

    They are over- or underconfident only by labels of all outputs, or of a random sample. Neither word fits a slope
    that may be 0: overconfident probabilities rank outputs, and these are not shown to.
    """
    panels = calibration.judges
    tests = _WORDS * len(panels)
    slopes = {judge: each.calibration["slope"] for judge, each in judges.items()}
    flat = [judge for judge, slope in slopes.items() if _is_flat(slope, calibration.level, tests)]
    for where, names in (
        ("", [judge for judge in flat if panels[judge].declared is not None]),
        (" on these labels", [judge for judge in flat if panels[judge].declared is None]),
    ):
        if names:
            slope = "slope below 1, not clearly above 0"
            yield f"Probabilities of {number_text.listed(names)} are not shown to rise with the pass rate{where}: {slope}."
    for word, side, sign in (("overconfident", "below", -1), ("underconfident", "above", 1)):
        off = [
            judge
            for judge, slope in slopes.items()
            if judge not in flat and sign * _distance(slope, _OFF, calibration.level, tests) > 0
        ]
        if names := [judge for judge in off if panels[judge].declared is not None]:
            verb = "is" if len(names) == 1 else "are"
            yield f"{number_text.listed(names)} {verb} {word} (slope {side} 1)."
        if names := [judge for judge in off if panels[judge].declared is None]:
            verb = "has" if len(names) == 1 else "have"
            slope = f"a slope {side} 1 on these labels; {word} if they are a random sample"
            yield f"{number_text.listed(names)} {verb} {slope}."


def _is_flat(slope: Statistic, level: float, tests: int) -> bool:
    """Return whether a slope is clearly below 1, but not clearly above 0."""
    return _distance(slope, _OFF, level, tests) < 0 and _distance(slope, 0.0, level, tests) <= 0


def _distance(statistic: Statistic, null: float, level: float, tests: int) -> float:
    """Return the part of a difference that is clear in several tests at once; 0 if none is.

    The interval's half is widened as for so many comparisons (Bonferroni).
    """
    if statistic.value is None or statistic.low is None or statistic.high is None:
        return 0.0
    usual, adjusted = (NormalDist().inv_cdf(1 - (1 - level) / (2 * each)) for each in (1, tests))
    half = (statistic.high - statistic.low) / 2 * adjusted / usual
    difference = statistic.value - null
    return max(0.0, abs(difference) - half) * (1 if difference > 0 else -1)


def in_the_large(scores: ProbabilityScores, level: float, judges: int) -> float:
    """Return a judge's clear difference of mean probability and rate; 0 if none is clear."""
    return _distance(scores.calibration["calibration_in_the_large"], 0.0, level, _WORDS * judges)


def only_ranking(calibration: Calibration) -> Iterator[str]:
    """Yield how a table's only judge ranks: AUROC, and errors of its surest verdicts."""
    if len(calibration.judges) > 1:
        return
    for judge, scores in (probability_judges(calibration) | undeclared_judges(calibration)).items():
        auroc = calibration.judges[judge].statistics["auroc"]
        shown = [] if auroc.value is None else [f"AUROC {statistic_text(auroc)}"]
        if surest := _surest(scores.coverage):
            shares, rates = (", ".join(each) for each in zip(*surest, strict=True))
            shown.append(f"of the surest {shares} %: {rates} wrong")
        if shown:
            yield f"{'; '.join(shown)}."


def _surest(steps: Sequence[CoverageStep]) -> list[tuple[str, str]]:
    """Return coverage in percent and error rate of the steps that one screen shows."""
    nearest = {
        step.n: step
        for share in (_SHARES if steps else ())
        for step in [min(steps, key=lambda step: abs(step.coverage - share))]
    }
    return [
        (f"{100 * step.coverage:.0f}", number_text.decimal(step.risk.value))
        for step in nearest.values()
        if step.risk.value is not None
    ]


def coverage_lines(scores: ProbabilityScores) -> Iterator[str]:
    """Yield the error rate of the most confident 10, 20 ... 100 % of verdicts."""
    if scores.coverage:
        yield f"   {'surest':>6} {'n':>6} {'wrong':>6}  error rate"
    for step in scores.coverage:
        yield f"   {100 * step.coverage:>4.0f} % {step.n:>6,} {step.errors:>6,}  {statistic_text(step.risk)}"


def reliability_plot(bins: Sequence[ReliabilityBin]) -> Iterator[str]:
    """Yield a reliability curve as text: ``|`` mean probability, ``o`` rate, ``-`` interval."""
    yield f"   {'p |':4} {'o':>4} {'n':>5}  0{'.5':>20}{'1':>20}"
    for bin_ in bins:
        rate = bin_.rate.value
        right = "-" if rate is None else number_text.decimal(rate)
        yield f"   {number_text.decimal(bin_.mean):4} {right:>4} {bin_.n:>5,}  {_row(bin_)}".rstrip()


def _row(each: ReliabilityBin) -> str:
    cells = [" "] * _COLUMNS
    rate = each.rate
    if rate.low is not None and rate.high is not None:
        for at in range(_at(rate.low), _at(rate.high) + 1):
            cells[at] = "-"
    cells[_at(each.mean)] = "|"
    if rate.value is not None:
        cells[_at(rate.value)] = "o"
    return "".join(cells)


def _at(value: float) -> int:
    return round(min(1.0, max(0.0, value)) * (_COLUMNS - 1))


def probability_pairs(pairs: Iterable[ComparedPair], names: ShortNames | None = None) -> Iterator[Piece]:
    """Yield by how much the probabilities of two judges differ on the same items."""
    rows = [
        (
            f"{pair.a} - {pair.b}" if names is None else pair_name(names.of(pair.a), names.of(pair.b)),
            statistic_text(each.brier),
            statistic_text(each.change),
            statistic_text(each.size) if names is None else decimal(each.size.value or 0.0),
            signed(each.largest),
        )
        for pair in pairs
        if (each := pair.probabilities) is not None
    ]
    if rows:
        yield ""
        yield "Scores as probabilities on the same items, first minus second:"
        yield DocumentTable(("", "Brier", "mean p", "mean size", "largest"), rows, indent=0 if names else 2)
