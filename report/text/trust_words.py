"""Verdicts on judges (`Trust`): what labels show of each, by the rules of docs/report.md.

`trust_in` and `control_in` are for runs, `trust_of` and `controls_of` for calibrations of tables; `judges_text` lays
verdicts out. TPR is the share of good outputs that a judge passes, TNR the share of bad ones that it fails.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal, TypeAlias

import msgspec

from ...calibration.agreement.calibration_results import Calibration, JudgeCalibration
from ...calibration.chance_verdict import verdict_at_once
from ...calibration.statistic import Statistic
from ...evaluation.conclusion.run_results import JudgeUse
from ...evaluation.conclusion.run_summary import RunSummary
from ...judges.baseline import is_baseline_name
from . import number_text
from .agreement_text import adjudicated_by
from .number_text import listed
from .probability_text import in_the_large, probability_judges, undeclared_judges

TrustWord: TypeAlias = Literal[
    "both error rates below 10 %",
    "needs more labels",
    "biased",
    "passes more than labels do",
    "passes fewer than labels do",
    "scores above labels",
    "scores below labels",
    "errs too often",
    "no better than chance",
    "not shown to be better",
    "no labels",
    "nothing graded",
]
"""Verdict on a judge, by the rules of docs/report.md; screens list judges in this order."""

CHANCE_WORDS: dict[TrustWord, str] = {
    "no better than chance": "is no better than chance",
    "not shown to be better": "is not shown to be better than chance",
}
"""Verdicts on judges that may be guessing, with a predicate for each."""

LOW_ERRORS: TrustWord = "both error rates below 10 %"
"""Verdict on a judge whose errors of both kinds are shown to be rare, on each system."""

MORE_LABELS: TrustWord = "needs more labels"
"""Verdict on a judge with too few labels for any other verdict."""

OFF_WORDS: dict[TrustWord, tuple[str, str]] = {
    "passes more than labels do": ("passes {} more", "pass {} more"),
    "passes fewer than labels do": ("passes {} fewer", "pass {} fewer"),
    "scores above labels": ("scores {} higher", "score {} higher"),
    "scores below labels": ("scores {} lower", "score {} lower"),
}
"""Verdicts on judges whose rate is off the labels', with verbs for one judge and several; ``{}`` stands for points.

Such a judge is called biased only if labels are declared to be of all outputs or of a random sample.
"""

LOW_ERRORS_RATE = 0.9
"""Lower end of the intervals of TPR and TNR from which both error rates are shown to be below 10 %."""

ENOUGH = 10
"""Fewest labels of a class for a bad verdict on a judge.

Also the fewest labels of undecided outputs, unless all have one, for a judge to count as tested on them.
"""

_UNEVEN_P = 0.05
"""Largest adjusted p at which a judge's rates are said to differ between systems."""

_WORSE_P = 0.1
"""Largest p at which a judge counts as worse on undecided outputs; lenient, since these may have only ten labels."""

_RATES = ("true_positive_rate", "true_negative_rate")


class Trust(msgspec.Struct, frozen=True, kw_only=True):
    """Verdict on one judge.

    Attributes:
        judge: Name of the judge.
        word: The verdict.
        why: The reason for it, a sentence on the errors.
        panel: Its calibration.
        adjudicated: Adjudication of its labels, in words; empty if there was none.
        checked_only: Whether it graded undecided outputs but has labels of checked ones only.
        off: Its pass rate minus the labels'; of probabilities, the mean score minus the labels' rate.
    """

    judge: str
    word: TrustWord
    why: str
    panel: JudgeCalibration
    adjudicated: str = ""
    checked_only: bool = False
    off: float = 0.0

    @property
    def bad(self) -> int:
        """Number of outputs whose label fails."""
        return self.panel.fp + self.panel.tn

    @property
    def good(self) -> int:
        """Number of outputs whose label passes."""
        return self.panel.tp + self.panel.fn

    @property
    def weaker_rate(self) -> Statistic | None:
        """TPR or TNR, whichever has the lower interval, or None if a class has no labels."""
        defined = [rate for rate in _rates(self.panel) if rate is not None and rate.low is not None]
        return min(defined, key=lambda rate: rate.low or 0.0) if defined and self.bad and self.good else None

    @property
    def worst_error_rate(self) -> float | None:
        """The larger of the upper limits of the two error rates."""
        return (
            None if self.weaker_rate is None or self.weaker_rate.low is None else 1.0 - self.weaker_rate.low
        )


def trust_in(summary: RunSummary) -> Iterator[Trust]:
    """Yield the verdict on each judge of a run; on baselines only if there is no other judge."""
    judges = [use for use in summary.judges if use.name not in summary.baselines]
    for use in judges or summary.judges:
        yield _trust_in_judge(use.name, summary.agreement, use)


def control_in(summary: RunSummary) -> Trust | None:
    """Return the verdict on the baseline with the most labels; None without other judges."""
    baselines = [use for use in summary.judges if use.name in summary.baselines]
    if len(baselines) == len(summary.judges):
        return None
    controls = [_trust_in_judge(use.name, summary.agreement, use) for use in baselines]
    return max(
        (control for control in controls if control.panel.n),
        key=lambda control: control.panel.n,
        default=None,
    )


def trust_of(calibration: Calibration) -> Iterator[Trust]:
    """Return the verdict on each judge of a table; on baselines only if there is no other judge."""
    names = [name for name in calibration.judges if not is_baseline_name(name)]
    return (_trust_in_judge(name, calibration) for name in names or calibration.judges)


def controls_of(calibration: Calibration) -> list[Trust]:
    """Return the verdicts on a table's baselines; none if it has no other judges."""
    controls = [_trust_in_judge(name, calibration) for name in calibration.judges if is_baseline_name(name)]
    return controls if len(controls) < len(calibration.judges) else []


def _trust_in_judge(name: str, calibration: Calibration, use: JudgeUse | None = None) -> Trust:
    panel = calibration.judges.get(name, JudgeCalibration())
    word, why = _word_and_reason(name, panel, calibration)
    if word == "no labels" and use is not None and not use.outcomes.get("graded"):
        word, why = "nothing graded", "it graded no output"
    worse_p = None if use is None else use.undecided_worse_p
    if word == LOW_ERRORS and worse_p is not None and worse_p <= _WORSE_P:
        word = MORE_LABELS
        why += f"; it agrees with labels less often on undecided outputs (p {number_text.p_value(worse_p)})"
    adjudication = adjudicated_by(calibration.adjudication, name)
    why = "; ".join(filter(None, (why, adjudication)))
    is_checked_only = use is not None and _checked_only(use)
    off = _difference_from_labels(name, panel, calibration)
    return Trust(
        judge=name,
        word=word,
        why=why,
        panel=panel,
        adjudicated=adjudication,
        checked_only=is_checked_only,
        off=off,
    )


def _checked_only(use: JudgeUse) -> bool:
    """Return whether a judge graded undecided outputs of which too few have labels to test it."""
    return use.undecided > 0 and use.undecided_labelled < min(ENOUGH, use.undecided)


def _word_and_reason(name: str, panel: JudgeCalibration, calibration: Calibration) -> tuple[TrustWord, str]:
    """Return the verdict on a judge, by labels, then guessing, then error rates; with why."""
    good, bad = panel.tp + panel.fn, panel.fp + panel.tn
    if not good and not bad:
        return "no labels", "no output that it judged has a label"
    if not good or not bad:
        return MORE_LABELS, f"no {'good' if not good else 'bad'} output that it judged has a label"
    balanced_accuracy_rate = panel.statistics.get("balanced_accuracy")
    chance_word = verdict_at_once(
        balanced_accuracy_rate, panel.balanced_accuracy_at_once or balanced_accuracy_rate
    )
    if balanced_accuracy_rate is not None and chance_word is not None:
        has_few_labels = min(good, bad) < ENOUGH
        return (
            MORE_LABELS if has_few_labels or chance_word == "too few labels" else chance_word,
            balanced_accuracy(panel),
        )
    return _word_by_rates(name, panel, calibration)


def _word_by_rates(name: str, panel: JudgeCalibration, calibration: Calibration) -> tuple[TrustWord, str]:
    """Return the verdict on a judge that does not guess, by its error rates, and the reason.

    Intervals hold for all judges at once, since several judges are tested.
    """
    errors_sentence = (
        f"it lets {panel.fp:,} of {panel.fp + panel.tn:,} bad outputs through "
        f"and rejects {panel.fn:,} of {panel.tp + panel.fn:,} good ones"
    )
    judge_count = len(calibration.judges)
    systems = calibration.slices.get("system", {})
    rates_by_system = {
        system: _rates(panels[name], judge_count) for system, panels in systems.items() if name in panels
    }
    rates = _rates(panel, judge_count)
    if _are_high(rates):
        unclear_systems = [
            system for system, by_system in rates_by_system.items() if not _are_high(by_system)
        ]
        if len(rates_by_system) < 2 or not unclear_systems:  # noqa: PLR2004 - one system is not compared
            return LOW_ERRORS, errors_sentence
        errors_sentence += f"; both error rates are not shown to be below 10 % on {listed(unclear_systems)}"
    if (word := _verdict_on_bias(name, panel, calibration)) is not None:
        return word, errors_sentence
    if _are_low(rates):
        return "errs too often", errors_sentence
    low_systems = [system for system, by_system in rates_by_system.items() if _are_low(by_system)]
    if low_systems and _differs_by_system(name, calibration):
        return "errs too often", f"{errors_sentence}; it errs too often on {listed(low_systems)}"
    return MORE_LABELS, errors_sentence


def balanced_accuracy(panel: JudgeCalibration) -> str:
    """Return the balanced accuracy of a judge, with its interval and n."""
    accuracy = panel.balanced_accuracy_at_once or panel.statistics["balanced_accuracy"]
    return f"balanced accuracy {number_text.statistic(accuracy)} (n {accuracy.n:,})"


def _verdict_on_bias(name: str, panel: JudgeCalibration, calibration: Calibration) -> TrustWord | None:
    """Return the verdict on a judge whose rate is clearly off the labels', else None.

    For probabilities the mean is compared, not the rate above a threshold. Only labels of all outputs or of a random
    sample show a bias. Scores that may be probabilities get no verdict, since nothing says which threshold they have.
    """
    if name in undeclared_judges(calibration):
        return None
    judge_count = len(calibration.judges)
    probability = probability_judges(calibration).get(name)
    if probability is not None:
        signed_difference = in_the_large(probability, calibration.level, judge_count)
    else:
        bias = _rate_for_all_judges(panel, "bias", judge_count)
        signed_difference = 0.0
        if bias is not None and bias.low is not None and bias.high is not None:
            # The end of the interval that is nearer to 0; 0 if the interval contains it.
            signed_difference = max(bias.low, 0.0) + min(bias.high, 0.0)
    if not signed_difference or panel.n < 2 * ENOUGH:  # of both classes together
        return None
    if panel.declared is not None:
        return "biased"
    if probability is not None:
        return "scores above labels" if signed_difference > 0.0 else "scores below labels"
    return "passes more than labels do" if signed_difference > 0.0 else "passes fewer than labels do"


def _difference_from_labels(name: str, panel: JudgeCalibration, calibration: Calibration) -> float:
    """Return a judge's rate, or mean probability, minus the labels' rate; 0 if unknown."""
    probability = probability_judges(calibration).get(name)
    difference = (
        panel.statistics.get("bias")
        if probability is None
        else probability.calibration.get("calibration_in_the_large")
    )
    return 0.0 if difference is None or difference.value is None else difference.value


def _rate_for_all_judges(panel: JudgeCalibration, name: str, judge_count: int) -> Statistic | None:
    """Return a rate with an interval that holds for ``judge_count`` judges at once.

    It is None in runs of earlier versions, which did not compute it.
    """
    return panel.rates_at_once.get(name) if judge_count > 1 else panel.statistics.get(name)


def _rates(panel: JudgeCalibration, of: int = 1) -> list[Statistic | None]:
    return [_rate_for_all_judges(panel, name, of) for name in _RATES]


def error_rates(panel: JudgeCalibration) -> list[Statistic | None]:
    """Return the share of bad outputs that a judge passed, and of good ones that it failed."""
    return [None if rate is None else _complement(rate) for rate in reversed(_rates(panel))]


def _complement(rate: Statistic) -> Statistic:
    value, low, high = (
        None if number is None else 1.0 - number for number in (rate.value, rate.high, rate.low)
    )
    return msgspec.structs.replace(rate, value=value, low=low, high=high)


def _are_high(rates: Sequence[Statistic | None]) -> bool:
    """Return whether labels show both TPR and TNR to be high."""
    return all(rate is not None and rate.low is not None and rate.low >= LOW_ERRORS_RATE for rate in rates)


def _are_low(rates: Sequence[Statistic | None]) -> bool:
    """Return whether enough labels show TPR or TNR to be low."""
    return any(
        rate is not None and rate.high is not None and rate.high < LOW_ERRORS_RATE and rate.n >= ENOUGH
        for rate in rates
    )


def _differs_by_system(name: str, calibration: Calibration) -> bool:
    tests = calibration.homogeneity.get("system", {}).get(name, {}).values()
    return any(test.holm_p is not None and test.holm_p <= _UNEVEN_P for test in tests)
