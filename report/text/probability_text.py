"""Scores that are probabilities: reliability curve, losses, slope, pairs of judges.

A judge's scores are probabilities if they are declared so; of scores that nothing declares, numbers are shown under
that condition. A slope is that of labels on scores in log-odds: 1 is calibrated, below 1 overconfident.
"""

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
from ...spelling import either, spelled_word
from ..document import Piece
from ..document_parts import FIRST, DocumentTable
from ..items.naming import ShortNames, pair_name
from . import number_text
from .number_text import decimal, signed
from .one_screen import statistic_text

_AXIS_COLUMNS = 41
"""Columns of the plot's axis from 0 to 1."""

_UNDECLARED: ThresholdSource = "default"
"""Source of a threshold that neither the judge nor the user declared."""

_COVERAGES = (0.1, 0.5, 1.0)
"""Shares of the most confident verdicts whose error rates are on the first screen."""

_TESTS_PER_JUDGE = 2
"""Tests of each judge that decide its words: of its mean and of its slope."""

_CALIBRATED_SLOPE = 1.0
"""Slope of probabilities that are neither too extreme nor too timid."""


def probability_judges(calibration: Calibration) -> dict[str, ProbabilityScores]:
    """Return the judges whose scores are declared probabilities."""
    return _scores_of_kind(calibration, PROBABILITIES)


def undeclared_judges(calibration: Calibration) -> dict[str, ProbabilityScores]:
    """Return the judges whose scores may be probabilities, though nothing declares it.

    Such scores are finer than grades. If the judge or the user sets a threshold, they are taken as grades.
    """
    return {
        judge: scores
        for judge, scores in _scores_of_kind(calibration, None).items()
        if scores.are_fine and calibration.judges[judge].pass_at_source == _UNDECLARED
    }


def _scores_of_kind(calibration: Calibration, kind: ScoreKind | None) -> dict[str, ProbabilityScores]:
    return {
        judge: scores
        for judge, scores in calibration.probability.items()
        if calibration.judges[judge].scores == kind and not is_baseline_name(judge)
    }


def probability_lines(calibration: Calibration) -> Iterator[Piece]:
    """Yield a table of probability judges, and which of them are over- or underconfident.

    Undeclared scores have a table of their own, under the condition that they are probabilities, and no such words.
    """
    if judges := probability_judges(calibration):
        yield f"Scores as probabilities (base rate as a constant: {_base_rate(judges)}):"
        yield _probability_table(judges)
        yield from _confidence_sentences(judges, calibration)
    if judges := undeclared_judges(calibration):
        options = spelled_word("scores_are", PROBABILITIES), either(GRADES, repr(GRADES))
        yield f"If these scores are probabilities (say {' or '.join(options)}; base rate: {_base_rate(judges)}):"
        yield _probability_table(judges)


def _probability_table(judges: Mapping[str, ProbabilityScores]) -> DocumentTable:
    rows = [(f"  {judge}", *_statistics_cells(scores)) for judge, scores in judges.items()]
    head = ("", "mean p - rate", "slope", "Brier", "log loss")
    return DocumentTable(head, rows, left_aligned=frozenset({0}), indent=0)


def only_curve(calibration: Calibration) -> Iterator[DocumentTable]:
    """Yield the reliability curve if there is only one judge; ``-v`` has those of several.

    It is a table, so that a screen that cuts it can say how many rows are missing.
    """
    if len(calibration.judges) == 1:
        for scores in (probability_judges(calibration) | undeclared_judges(calibration)).values():
            head, *rows = reliability_plot(scores.bins)
            yield DocumentTable((head,), [(row,) for row in rows], left_aligned=FIRST, indent=0)


def _base_rate(judges: Mapping[str, ProbabilityScores]) -> str:
    """Return the losses of predicting the base rate for every item, equal for all judges."""
    scores = next(iter(judges.values()))
    brier, log_loss = (scores.calibration[f"{name}_of_base_rate"].value for name in ("brier", "log_loss"))
    return f"Brier {number_text.number(brier)}, log loss {number_text.number(log_loss)}"


def _statistics_cells(scores: ProbabilityScores) -> tuple[str, ...]:
    statistics = scores.calibration
    log_loss = statistics["log_loss"]
    return (
        statistic_text(statistics["calibration_in_the_large"]),
        statistic_text(statistics["slope"]) if statistics["slope"].value is not None else "-",
        number_text.number(statistics["brier"].value),
        "infinite" if log_loss.value is None else number_text.number(log_loss.value),
    )


def _confidence_sentences(judges: Mapping[str, ProbabilityScores], calibration: Calibration) -> Iterator[str]:
    """Yield sentences on judges whose slope clearly differs from 1 in all tests at once.

    A judge is called over- or underconfident only if labels are declared to be of all outputs or of a random sample. A
    judge whose slope may be 0 gets neither word: overconfident probabilities rank outputs, which these are not shown to do.
    """
    calibrations_by_judge = calibration.judges
    tests = _TESTS_PER_JUDGE * len(calibrations_by_judge)
    slopes = {judge: scores.calibration["slope"] for judge, scores in judges.items()}
    judges_with_flat_slope = [
        judge for judge, slope in slopes.items() if _is_flat(slope, calibration.level, tests)
    ]
    for condition, names in (
        (
            "",
            [judge for judge in judges_with_flat_slope if calibrations_by_judge[judge].declared is not None],
        ),
        (
            " on these labels",
            [judge for judge in judges_with_flat_slope if calibrations_by_judge[judge].declared is None],
        ),
    ):
        if names:
            slope = "slope below 1, not clearly above 0"
            yield f"Probabilities of {number_text.listed(names)} are not shown to rise with the pass rate{condition}: {slope}."
    for word, side, sign in (("overconfident", "below", -1), ("underconfident", "above", 1)):
        judges_on_this_side = [
            judge
            for judge, slope in slopes.items()
            if judge not in judges_with_flat_slope
            and sign * _clear_difference(slope, _CALIBRATED_SLOPE, calibration.level, tests) > 0
        ]
        if names := [
            judge for judge in judges_on_this_side if calibrations_by_judge[judge].declared is not None
        ]:
            verb = "is" if len(names) == 1 else "are"
            yield f"{number_text.listed(names)} {verb} {word} (slope {side} 1)."
        if names := [judge for judge in judges_on_this_side if calibrations_by_judge[judge].declared is None]:
            verb = "has" if len(names) == 1 else "have"
            slope = f"a slope {side} 1 on these labels; {word} if they are a random sample"
            yield f"{number_text.listed(names)} {verb} {slope}."


def _is_flat(slope: Statistic, level: float, tests: int) -> bool:
    """Return whether a slope is clearly below 1, but not clearly above 0."""
    return (
        _clear_difference(slope, _CALIBRATED_SLOPE, level, tests) < 0
        and _clear_difference(slope, 0.0, level, tests) <= 0
    )


def _clear_difference(statistic: Statistic, null: float, level: float, tests: int) -> float:
    """Return by how much ``null`` is outside of a statistic's interval; 0 if it is inside.

    The interval is widened for ``tests`` tests at once (Bonferroni), taking it as one of a normal distribution.
    """
    if statistic.value is None or statistic.low is None or statistic.high is None:
        return 0.0
    single_quantile, joint_quantile = (
        NormalDist().inv_cdf(1 - (1 - level) / (2 * number)) for number in (1, tests)
    )
    half_width = (statistic.high - statistic.low) / 2 * joint_quantile / single_quantile
    difference = statistic.value - null
    return max(0.0, abs(difference) - half_width) * (1 if difference > 0 else -1)


def in_the_large(scores: ProbabilityScores, level: float, judges: int) -> float:
    """Return how far mean probability and rate clearly differ, for so many judges; 0 if not."""
    return _clear_difference(
        scores.calibration["calibration_in_the_large"], 0.0, level, _TESTS_PER_JUDGE * judges
    )


def only_ranking(calibration: Calibration) -> Iterator[str]:
    """Yield AUROC and error rates of the surest verdicts if there is only one judge."""
    if len(calibration.judges) > 1:
        return
    for judge, scores in (probability_judges(calibration) | undeclared_judges(calibration)).items():
        auroc = calibration.judges[judge].statistics["auroc"]
        clauses = [] if auroc.value is None else [f"AUROC {statistic_text(auroc)}"]
        if surest := _surest_steps(scores.coverage):
            shares, rates = (", ".join(texts) for texts in zip(*surest, strict=True))
            clauses.append(f"of the surest {shares} %: {rates} wrong")
        if clauses:
            yield f"{'; '.join(clauses)}."


def _surest_steps(steps: Sequence[CoverageStep]) -> list[tuple[str, str]]:
    """Return coverage (in percent) and error rate of the steps nearest to the coverages to show."""
    nearest = {
        step.n: step
        for share in (_COVERAGES if steps else ())
        for step in [min(steps, key=lambda candidate: abs(candidate.coverage - share))]
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
        rate_text = "-" if rate is None else number_text.decimal(rate)
        yield f"   {number_text.decimal(bin_.mean):4} {rate_text:>4} {bin_.n:>5,}  {_plot_line(bin_)}".rstrip()


def _plot_line(bin_: ReliabilityBin) -> str:
    line_characters = [" "] * _AXIS_COLUMNS
    rate = bin_.rate
    if rate.low is not None and rate.high is not None:
        for column in range(_column_at(rate.low), _column_at(rate.high) + 1):
            line_characters[column] = "-"
    line_characters[_column_at(bin_.mean)] = "|"
    if rate.value is not None:
        line_characters[_column_at(rate.value)] = "o"
    return "".join(line_characters)


def _column_at(value: float) -> int:
    return round(min(1.0, max(0.0, value)) * (_AXIS_COLUMNS - 1))


def probability_pairs(pairs: Iterable[ComparedPair], names: ShortNames | None = None) -> Iterator[Piece]:
    """Yield a table of how the probabilities of two judges differ on the same items.

    Args:
        pairs: Pairs of judges.
        names: Short names for a screen, or None for the full document.
    """
    rows = [
        (
            f"{pair.a} - {pair.b}" if names is None else pair_name(names.of(pair.a), names.of(pair.b)),
            statistic_text(change.brier),
            statistic_text(change.change),
            statistic_text(change.size) if names is None else decimal(change.size.value or 0.0),
            signed(change.largest),
        )
        for pair in pairs
        if (change := pair.probabilities) is not None
    ]
    if rows:
        yield ""
        yield "Scores as probabilities on the same items, first minus second:"
        yield DocumentTable(("", "Brier", "mean p", "mean size", "largest"), rows, indent=0 if names else 2)
