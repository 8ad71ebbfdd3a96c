"""What stands beside the agreement of each judge: people, systems, probabilities, judges among themselves."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import msgspec

from ..calibration.agreement.results import (
    JudgeCalibration,
    JudgesAlone,
    People,
    ProbabilityScores,
    SystemAgreement,
)
from ..calibration.comparison.results import Best, Comparison, Pair
from ..calibration.statistic import Statistic
from . import words
from .text import visible

MOST_PAIRS = 10
"""Pairs of judges that are shown: those furthest apart, or that agree most beyond what a model expects."""

_LEAST_P = 1e-4


_SMALL = 3
"""Digits of parts of a Brier score, which are small."""


class StatisticView(msgspec.Struct, frozen=True):
    """A statistic: value, interval, and what stands behind them."""

    value: str
    interval: str = ""
    note: str = ""


class Sheet(msgspec.Struct, frozen=True):
    """A table with a heading.

    Attributes:
        title: The heading.
        lead: What it says and how far it can be believed.
        head: Headings of the columns.
        rows: The name of each row, and its cells.
    """

    title: str
    lead: str
    head: list[str]
    rows: list[tuple[str, list[StatisticView]]]


def statistic_view(found: Statistic | None, digits: int = 2) -> StatisticView:
    """A statistic in words.

    Args:
        found: It; None where it was not computed.
        digits: Behind the point.

    Returns:
        Its value, interval and note; of what is undefined, the reason.
    """
    if found is None:
        return StatisticView("", "", "not computed")
    if found.value is None:
        return StatisticView("undefined", "", visible(found.undefined or "no value"))
    note = f"{found.method or 'no interval'}; n = {words.count(found.n)}"
    interval = words.interval(found.low, found.high, digits)
    return StatisticView(words.decimal(found.value, digits), interval, visible(note))


def comparison_sheets(found: Comparison) -> Iterable[Sheet]:
    """Judges against each other, the surest differences first.

    Args:
        found: The comparison.

    Yields:
        The pairs that have items in common; nothing where none has.
    """
    pairs = sorted((pair for pair in found.pairs if pair.n), key=_p_of)
    if not pairs:
        return
    more = f" {words.count(len(pairs) - MOST_PAIRS)} pairs more are in calibration.json." * (
        len(pairs) > MOST_PAIRS
    )
    yield Sheet(
        "Judges against each other",
        f"On the items that both judged: which of the two agrees with the label more often?{_best(found.best)}{more}",
        ["Pair", "Only the first is right", "Only the second", "Difference of share right", "p", "n"],
        [
            (
                f"{visible(pair.a)} and {visible(pair.b)}",
                [
                    _count(pair.a_only_right),
                    _count(pair.b_only_right),
                    statistic_view(pair.difference),
                    _p_view(pair),
                    _count(pair.n),
                ],
            )
            for pair in pairs[:MOST_PAIRS]
        ],
    )


def _best(best: Best | None) -> str:
    if best is None:
        return ""
    apparent, held_out = map(statistic_view, (best.apparent, best.held_out))
    return (
        f" Best on the {words.count(best.n)} items common to all: {visible(best.name)}, "
        f"{' '.join(filter(None, (apparent.value, apparent.interval)))} ({apparent.note}); "
        f"chosen and scored on different clusters: {held_out.value} ({held_out.note})."
    )


def _p_of(pair: Pair) -> float:
    return 1.0 if pair.adjusted_p is None else pair.adjusted_p


def _p_view(pair: Pair) -> StatisticView:
    p, test = pair.adjusted_p, "McNemar's mid-p" if pair.clustered_p is None else "t-test over clusters"
    if p is None:
        return StatisticView("undefined", "", "nothing was tested")
    return StatisticView("<0.0001" if p < _LEAST_P else words.decimal(p, 4), "", f"{test}, Holm")


def people_sheet(people: People) -> Sheet:
    """People among themselves: what agreement a judge can hope for."""
    names = ", ".join(map(visible, people.names))
    return Sheet(
        "People among themselves",
        f"Krippendorff's alpha of {names}: a judge can hardly agree with them more than they do with each other.",
        ["Differences count as", "Alpha"],
        [(visible(level), [statistic_view(alpha)]) for level, alpha in people.krippendorff_alpha.items()],
    )


def systems_sheet(judge: str, found: SystemAgreement) -> Sheet:
    """Systems by labels and by a judge, highest by labels first."""
    ordered = sorted(found.systems.items(), key=lambda each: -each[1].label_mean)
    rows = [
        (
            visible(name),
            [
                _plain(each.label_mean),
                _plain(each.score_mean),
                statistic_view(each.difference),
                _count(each.n),
            ],
        )
        for name, each in ordered
    ]
    order, largest = statistic_view(found.kendall_tau_b), statistic_view(found.largest_difference)
    tau = f"undefined ({order.note})" if order.value == "undefined" else order.value
    return Sheet(
        f"Systems, by labels and by {visible(judge)}",
        f"Does the judge rank systems as the labels do? Kendall's tau-b {tau}; largest difference of means "
        f"{' '.join(filter(None, (largest.value, largest.interval)))}. The intervals hold together.",
        ["System", "By labels", "By the judge", "Difference", "n"],
        rows,
    )


def probability_sheet(judge: str, found: ProbabilityScores) -> Sheet:
    """Scores read as probabilities."""
    confidence = {f"confidence: {name}": each for name, each in found.confidence.items()}
    return Sheet(
        f"Scores as probabilities: {visible(judge)}",
        f"Over {found.groups} {visible(found.grouping)}: Brier score = reliability - resolution + uncertainty + remainder. "
        "Corrected parts are free of the bias of small groups.",
        ["Statistic", "Value"],
        [
            (visible(name).replace("_", " "), [statistic_view(each, _SMALL)])
            for name, each in (found.statistics | confidence).items()
        ],
    )


def dawid_skene_sheets(found: JudgesAlone, labelled: Mapping[str, JudgeCalibration]) -> Iterable[Sheet]:
    """What judges would be like if they erred independently, beside what labels say of them.

    Args:
        found: The model.
        labelled: The judges against the labels.

    Yields:
        The judges, and the pairs that agree most beyond the model; nothing where there is no model.
    """
    if found.prevalence is None:
        return
    names = ("true_positive_rate", "true_negative_rate")
    yield Sheet(
        "If judges erred independently",
        f"Dawid and Skene's model of {words.count(found.n)} items, labels aside: {statistic_view(found.prevalence).value} of them "
        "right. A diagnostic, never the truth: judges share errors, which the model takes for being right.",
        ["Judge", "TPR if so", "TPR by labels", "TNR if so", "TNR by labels"],
        [
            (
                visible(judge),
                [
                    statistic_view(each)
                    for name in names
                    for each in (getattr(rates, name), getattr(labelled.get(judge), name, None))
                ],
            )
            for judge, rates in found.judges.items()
        ],
    )
    if not found.pairs:
        return
    worst = sorted(found.pairs, key=lambda pair: -pair.residual)[:MOST_PAIRS]
    yield Sheet(
        "Agreement of judges beyond that model",
        "Above 0, judges do not err independently; which of them share errors it does not tell.",
        ["Pair", "Agree", "Expected", "Beyond", "n"],
        [
            (
                f"{visible(pair.a)} and {visible(pair.b)}",
                [*map(_plain, (pair.observed, pair.expected, pair.residual)), _count(pair.n)],
            )
            for pair in worst
        ],
    )


def _plain(value: float) -> StatisticView:
    return StatisticView(words.decimal(value))


def _count(n: int) -> StatisticView:
    return StatisticView(words.count(n))
