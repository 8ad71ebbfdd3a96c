"""Verdicts on judges: how far labels prove each one; the table of judges."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import Literal, TypeAlias

import msgspec
from msgspec.structs import replace

from ...calibration.agreement.calibration_results import CalibrationNumbers, JudgeCalibration
from ...calibration.chance_verdict import chance_verdict
from ...calibration.statistic import Statistic
from ...evaluation.conclusion.run_results import JudgeUse
from ...evaluation.conclusion.run_summary import RunSummary
from ...judges.baseline import is_baseline_name
from ..document import Piece
from ..document_parts import FIRST, Cell, DocumentTable
from ..items.naming import NAME, apart, fitted, group_of, items_at
from . import number_text
from .agreement_text import adjudicated_by
from .number_text import listed
from .probability_text import in_the_large, probability_judges
from .safe_text import WIDTH, columns_of
from .systems_text import judge_names

TrustWord: TypeAlias = Literal[
    "proven",
    "too few labels",
    "biased",
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
"""Verdicts on judges that may guess, and their sentence."""

BASELINE_NAMES = {"always_pass": "always pass", "always_fail": "always fail"}
"""Judges that do not look, in words."""

PROVEN_RATE = 0.9
"""Lower end of TPR and TNR from which a judge is proven."""

ENOUGH = 10
"""Labels of undecided outputs below which, unless all have one, a judge is tested on checked outputs only."""

_UNEVEN_P = 0.05
"""Largest adjusted p at which a judge's rates differ by the value of a column."""

_WORSE_P = 0.1
"""Largest p at which a judge counts as worse on undecided outputs; ten of them may be enough to be proven there."""

PASSED_BAD, FAILED_GOOD = "let through", "rejected"
"""The two errors of a judge: false positives and false negatives."""

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
    """

    judge: str
    word: TrustWord
    why: str
    panel: JudgeCalibration
    adjudicated: str = ""
    checked_only: bool = False

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
        """Of TPR and TNR, the rate with the smaller lower end; None if one is unknown."""
        defined = [each for each in _rates(self.panel) if each is not None and each.low is not None]
        return min(defined, key=lambda each: each.low or 0.0) if defined and self.bad and self.good else None

    @property
    def worst_error_rate(self) -> float | None:
        """The larger upper end of the two error rates: passing bad, failing good outputs."""
        return (
            None if self.weaker_rate is None or self.weaker_rate.low is None else 1.0 - self.weaker_rate.low
        )


def trust_in(summary: RunSummary) -> Iterator[Trust]:
    """Give each judge its verdict; a baseline gets one only if no other judge was asked."""
    judges = [use for use in summary.judges if use.name not in summary.baselines]
    for use in judges or summary.judges:
        yield _trust(use.name, summary.agreement, use)


def control_in(summary: RunSummary) -> Trust | None:
    """Return the verdict on the baseline with most labels."""
    baselines = [use for use in summary.judges if use.name in summary.baselines]
    if len(baselines) == len(summary.judges):
        return None
    controls = [_trust(use.name, summary.agreement, use) for use in baselines]
    return max((each for each in controls if each.panel.n), key=lambda each: each.panel.n, default=None)


def trust_of(calibration: CalibrationNumbers) -> Iterator[Trust]:
    """Give each judge of a table its verdict; baselines get one only among themselves."""
    names = [name for name in calibration.judges if not is_baseline_name(name)]
    return (_trust(name, calibration) for name in names or calibration.judges)


def controls_of(calibration: CalibrationNumbers) -> list[Trust]:
    """Return the verdicts on the baselines of a table, if it has other judges."""
    controls = [_trust(name, calibration) for name in calibration.judges if is_baseline_name(name)]
    return controls if len(controls) < len(calibration.judges) else []


def _trust(name: str, calibration: CalibrationNumbers, use: JudgeUse | None = None) -> Trust:
    panel = calibration.judges.get(name, JudgeCalibration())
    word, why = _verdict(name, panel, calibration)
    if word == "no labels" and use is not None and not use.outcomes.get("graded"):
        word, why = "nothing graded", "it graded no output"
    if word == "proven" and use is not None and (p := use.undecided_worse_p) is not None and p <= _WORSE_P:
        word, why = (
            "errs too often",
            f"{why}; it agrees with labels less often on undecided outputs (p {number_text.p_value(p)})",
        )
    decided = adjudicated_by(calibration.adjudication, name)
    why = "; ".join(filter(None, (why, decided)))
    only = use is not None and _checked_only(use)
    return Trust(judge=name, word=word, why=why, panel=panel, adjudicated=decided, checked_only=only)


def _checked_only(use: JudgeUse) -> bool:
    return use.undecided > 0 and use.undecided_labelled < min(ENOUGH, use.undecided)


def _verdict(name: str, panel: JudgeCalibration, calibration: CalibrationNumbers) -> tuple[TrustWord, str]:
    good, bad = panel.tp + panel.fn, panel.fp + panel.tn
    if not good and not bad:
        return "no labels", "no output that it judged has a label"
    if not good or not bad:
        return "too few labels", f"no {'good' if not good else 'bad'} output that it judged has a label"
    balanced = panel.statistics.get("balanced_accuracy")
    if balanced is not None and (word := chance_verdict(balanced)) is not None:
        return word, balanced_accuracy(panel)
    errors = (
        f"it lets {panel.fp:,} of {bad:,} bad outputs through and rejects {panel.fn:,} of {good:,} good ones"
    )
    if _is_proven(panel):
        return "proven", errors
    if slices := _proven_slices(name, calibration):
        errors += f"; proven only on {slices}"
    errs = any(
        rate is not None and rate.high is not None and rate.high < PROVEN_RATE for rate in _rates(panel)
    )
    return (
        "biased" if _is_biased(name, panel, calibration) else "errs too often" if errs else "too few labels"
    ), errors


def balanced_accuracy(panel: JudgeCalibration) -> str:
    """Return the balanced accuracy of a judge, with its interval and n."""
    accuracy = panel.statistics["balanced_accuracy"]
    return f"balanced accuracy {number_text.statistic(accuracy)} (n {accuracy.n:,})"


def _is_biased(name: str, panel: JudgeCalibration, calibration: CalibrationNumbers) -> bool:
    """Return whether labels show the judge's pass rate to be too high or too low.

    Of probabilities without a declared threshold, the mean counts instead of the rate above a cut.
    """
    judges = probability_judges(calibration)
    if name in judges:
        return in_the_large(judges[name], calibration.level, len(judges)) != 0.0
    bias = panel.statistics.get("bias")
    if bias is None or bias.low is None or bias.high is None:
        return False
    return bias.low > 0.0 or bias.high < 0.0


def _rates(panel: JudgeCalibration) -> list[Statistic | None]:
    return [panel.statistics.get(name) for name in _RATES]


def error_rates(panel: JudgeCalibration) -> list[Statistic | None]:
    """Return the shares of bad outputs that a judge passed and of good ones that it failed."""
    return [None if each is None else _complement(each) for each in reversed(_rates(panel))]


def _complement(rate: Statistic) -> Statistic:
    value, low, high = (None if each is None else 1.0 - each for each in (rate.value, rate.high, rate.low))
    return msgspec.structs.replace(rate, value=value, low=low, high=high)


def _is_proven(panel: JudgeCalibration) -> bool:
    return all(
        each is not None and each.low is not None and each.low >= PROVEN_RATE for each in _rates(panel)
    )


def _proven_slices(name: str, calibration: CalibrationNumbers) -> str:
    """Name the values of a column on which the judge is proven, if its rates differ by value."""
    for column, judges in calibration.homogeneity.items():
        tests = judges.get(name, {}).values()
        if any(test.holm_p is not None and test.holm_p <= _UNEVEN_P for test in tests):
            slices = calibration.slices.get(column, {})
            good = [value for value, panels in slices.items() if name in panels and _is_proven(panels[name])]
            if good:
                return f"{column} {listed(good)}"
    return ""


_NAME = 26
"""Width of a judge's name in columns: more than a system's, since it includes a variant."""


CONTROL = "word overlap baseline"
"""Name of the control in tables of judges."""


def judges_table(
    trust: Sequence[Trust],
    *,
    most: int | None = None,
    why: bool = False,
    linked: bool = False,
    control: Trust | None = None,
) -> Iterator[Piece]:
    """Yield a table of judges, and the number of rows beyond ``most``.

    Variants with equal results share a row; a baseline, the ``control``, has the last one.

    With ``why`` each judge has its own row, with the reason for its verdict. With ``linked`` counts of errors lead to their
    items.
    """
    groups = [[each] for each in trust] if why else list(same_results(trust))
    shown = groups if most is None or len(groups) <= most else groups[: max(1, most - 1)]
    names = judge_names([each.judge for each in trust], columns=_NAME)
    rows = [
        (group_label(group, names.of(group[0].judge)), *_cells(group[0], why=why, linked=linked))
        for group in shown
    ]
    if control is not None:
        rows.append((CONTROL, *_cells(control, why=why, linked=linked)))
    head = (
        "judge" + (f" ({names.shared})" if names.shared else ""),
        Cell(PASSED_BAD, title="Bad outputs, by their labels, that the judge let through"),
        Cell(FAILED_GOOD, title="Good outputs, by their labels, that the judge rejected"),
        Cell("at worst", title="The larger of the upper limits of the two error rates"),
        "verdict",
    )
    table = DocumentTable(head, rows, left_aligned=FIRST | {4}, indent=0)
    yield table if why or linked else _fitted(table)
    if hidden := [each for group in groups[len(shown) :] for each in group]:
        verdicts = {verdict_of(each) for each in hidden}
        yield f"{number_text.counted(len(hidden), 'more judge')}{f': {verdicts.pop()}' if len(verdicts) == 1 else ''}"


def _fitted(table: DocumentTable) -> DocumentTable:
    """Shorten names in the first column until the table fits on a screen."""
    names = [str(row[0]) for row in table.rows]
    over = max(map(columns_of, table.lines())) - WIDTH
    if over <= 0 or not names:
        return table
    short = apart(names, max(map(columns_of, names)) - over)
    return replace(table, rows=[(name, *row[1:]) for name, row in zip(short, table.rows, strict=True)])


def same_results(trust: Iterable[Trust]) -> Iterator[list[Trust]]:
    """Group adjacent variants of a judge that have the same errors and verdict."""
    for _, group in groupby(trust, key=_results):
        yield list(group)


def _results(trust: Trust) -> tuple[object, ...]:
    panel = trust.panel
    base = trust.judge.rpartition("@")[0].partition("/")[0] or trust.judge
    if not panel.n:
        base = trust.judge
    return base, panel.fp, trust.bad, panel.fn, trust.good, trust.word, trust.checked_only, trust.adjudicated


def group_label(group: Sequence[Trust], name: str) -> str:
    """Return the name of a judge, or of several variants: ``tool_call_accuracy x3``."""
    if len(group) == 1:
        return name
    base = name.partition("/")[0]
    if "..." in base:  # without its variant it may have room
        base = fitted(group[0].judge.partition("/")[0], NAME)
    return f"{base} x{len(group)}"


def _cells(trust: Trust, *, why: bool, linked: bool) -> tuple[str | Cell, ...]:
    worst = trust.worst_error_rate
    return (
        _errors(trust, PASSED_BAD, trust.panel.fp, trust.bad, linked=linked),
        _errors(trust, FAILED_GOOD, trust.panel.fn, trust.good, linked=linked),
        "-" if worst is None else f"{100 * worst:.0f} %",
        Cell(verdict_of(trust), trust.why if why else "", "" if why else trust.why),
    )


def _errors(trust: Trust, cell: str, errors: int, of: int, *, linked: bool) -> str | Cell:
    """Return the number of errors with n; with ``linked`` it leads to these outputs."""
    shown = f"{errors:,} of {of:,}" if of else "-"
    if not (linked and errors):
        return shown
    return Cell(shown, link=items_at(group=group_of(trust.judge, cell)))


def verdict_of(trust: Trust) -> str:
    """Return the verdict, and whether it holds on checked outputs alone."""
    return f"{trust.word} (checked)" if trust.word == "proven" and trust.checked_only else trust.word
