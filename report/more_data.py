"""Rules for the next step that propose more labels or cases.

Each returns a step, or None if it does not apply; `next_step` tries them in order.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from collections.abc import Set as AbstractSet

from ..calibration.comparison.comparison_results import MIN_COMPARED, ComparedPair, ComparedStratum
from ..evaluation.conclusion.run_results import (
    ALL_CORRECTED,
    CORRECTED,
    DECIDED,
    JUDGED,
    OPEN,
    JudgeUse,
    SystemResult,
)
from ..evaluation.conclusion.run_summary import RunSummary
from ..settings.typed_commands import proposed
from .python_call import named
from .ranking import Answer, deciding, ranked_rates
from .text.number_text import all_counted, counted, listed
from .text.ranking_text import pair_of

_LABELS_AT_A_TIME = 50
"""Most outputs that a person is asked to label at a time."""

_RELEVANT_DIFFERENCE = 0.05
"""Difference of pass rates that is worth finding; also the half-width that is good enough for one rate."""
_MAX_DISCORDANT = 0.99
"""Largest share of items on which systems differ in a proposed plan, which must be below 1."""

_WIDE_INTERVAL = 0.2
"""Width of a single system's interval above which more cases are proposed."""

_POWER_95 = 2.8
"""Standard errors in a difference that a test at 5 % finds four times in five: 1.96 + 0.84 (normal quantiles)."""

_NORMAL_95 = 1.96
"""Standard errors in half of a 95 % interval."""


def label_undecided(summary: RunSummary) -> Answer | None:
    """Propose labels of judged outputs if their rates are not corrected with any."""
    unlabelled = _uncorrected_outputs(summary)
    if not unlabelled:
        return None
    judges = "judge's" if len(summary.judges) == 1 else "judges'"
    sample = f"{_LABELS_AT_A_TIME} of " if unlabelled > _LABELS_AT_A_TIME else ""
    text = f"Label {sample}{all_counted(unlabelled, 'judged output')} to correct the {judges} rates:"
    return Answer(text=text, evidence="systems", step=summary.reviewed())


def separate_systems(summary: RunSummary) -> Answer | None:
    """Propose labels or cases if it is uncertain which of the first two systems is better."""
    if summary.strata is None:
        return None
    part, _ = deciding(summary.strata)
    ranked = list(ranked_rates(part))
    pair, is_better = pair_of(part.pairs, *ranked[:2]) if len(ranked) > 1 else (None, True)
    if is_better or pair is None or not pair.n:
        return None
    absolute_ends = [abs(end) for end in (pair.difference.low, pair.difference.high) if end is not None]
    if max(absolute_ends, default=1) <= _RELEVANT_DIFFERENCE:
        return None
    names = listed(ranked[:2])
    if pair.corrected and (labels := _labels_for_pair(pair, summary.strata.open, _RELEVANT_DIFFERENCE)):
        text = f"Label {counted(labels, 'more output')} to tell {names} apart, if they differ by {_RELEVANT_DIFFERENCE:g}:"
        return Answer(text=text, evidence="systems", step=summary.reviewed())
    if pair.difference.value is None:
        return None
    # A plan needs the share of items on which only one is right; at least the difference to be found.
    differing_share = (pair.a_only_right + pair.b_only_right) / pair.n
    discordant = min(max(differing_share, _RELEVANT_DIFFERENCE), _MAX_DISCORDANT)
    cluster_size = pair.n / pair.effective_clusters
    cluster_settings = (
        {"rows_per_cluster": f"{cluster_size:.3g}", "icc": f"{pair.icc:.2g}"} if cluster_size > 1 else {}
    )
    goal = {"difference": f"{_RELEVANT_DIFFERENCE:g}", "discordant": f"{discordant:.2g}"}
    return Answer(
        text=f"Add cases to tell {names} apart. To detect a difference of {_RELEVANT_DIFFERENCE:g}:",
        evidence="systems",
        step=proposed("plan", **goal, **cluster_settings),
    )


def narrow_interval(summary: RunSummary) -> Answer | None:
    """Propose more cases if the only system's interval is wide, or another judge if it has none."""
    if len(summary.systems) != 1:
        return None
    system = summary.systems[0]
    checked = [part for part in system.strata if part.name == DECIDED]
    rate = system.overall
    if rate is not None and rate.value is None and rate.n > sum(part.n for part in checked):
        ungraded = counted(rate.of - rate.n, "output")
        step = another_judge(summary, summary.judges)
        text = f"Judges left {ungraded} ungraded, too many for a rate of all. {step}"
        return Answer(text=text, evidence="judges")
    if rate is None or rate.value is None:
        rate = max(checked, key=lambda part: part.n, default=None)
    if rate is None or rate.value is None or rate.low is None or rate.high is None:
        return None
    width = rate.high - rate.low
    if width <= _WIDE_INTERVAL:
        return None
    if rate.name != ALL_CORRECTED:
        # Wilson's half-width is z sqrt(p (1 - p) / (n + z^2)); clusters widen it by the same factor at any n.
        scale = (width / 2 / _RELEVANT_DIFFERENCE) ** 2
        outputs_to_add = _two_digits((rate.n + _NORMAL_95**2) * scale - rate.n)
        text = (
            f"The interval is wide; add cases. About {counted(outputs_to_add, 'more output')} estimate the pass rate to within "
            f"{_RELEVANT_DIFFERENCE:g}."
        )
        return Answer(text=text, evidence="systems")
    share = min(max(rate.value, _RELEVANT_DIFFERENCE), 1 - _RELEVANT_DIFFERENCE)
    return Answer(
        text=f"The interval is wide; add cases. To estimate the pass rate to within {_RELEVANT_DIFFERENCE:g}:",
        evidence="systems",
        step=proposed("plan", half_width=f"{_RELEVANT_DIFFERENCE:g}", prevalence=f"{share:.2g}"),
    )


def another_judge(summary: RunSummary, judges: Sequence[JudgeUse]) -> str:
    """Return a sentence on what to do with judges whose verdicts are unusable."""
    functions = [use.id.name for use in judges if use.id is not None and use.id.kind == "callable"]
    if not functions or len(functions) < len(judges):
        model, out = named(summary, "model"), named(summary, "out")
        return f"Use another {model} or variant of the judge, with a new {out}."
    return f"Fix {listed(functions)}: return a score in [0, 1], a boolean, or (score, reason)."


def _two_digits(number: float) -> int:
    """Round up to two significant digits, as more would look exact."""
    step = 10 ** max(0, math.floor(math.log10(max(number, 1))) - 1)
    return math.ceil(number / step) * step


def _labels_for_pair(pair: ComparedPair, undecided: ComparedStratum, difference: float) -> int | None:
    """Return how many more labels of undecided outputs would show a difference of two systems.

    The variance of a corrected difference is that of the outputs, which only more cases reduce, plus that of the labels,
    which falls as one over their number. None if the outputs' part is larger, or too few outputs are left to label.
    """
    names = (pair.a, pair.b)
    labelled = sum(undecided.labelled.get(name, 0) for name in names)
    unlabelled = sum(undecided.graded.get(name, 0) for name in names) - labelled
    if pair.difference.low is None or pair.difference.high is None:
        labels_to_add = sum(max(0, MIN_COMPARED - undecided.labelled.get(name, 0)) for name in names)
        return min(labels_to_add, unlabelled) or None
    variance = ((pair.difference.high - pair.difference.low) / 2 / _NORMAL_95) ** 2
    differing_share, difference_found = (
        (pair.a_only_right + pair.b_only_right) / pair.n,
        pair.difference.value or 0.0,
    )
    cluster_size = pair.n / pair.effective_clusters
    # Variance of a paired difference of 0/1 results, times the design effect of clusters.
    output_variance = (
        max(0.0, differing_share - difference_found**2) / pair.n * (1 + (cluster_size - 1) * pair.icc)
    )
    # The largest variance of labels at which the difference would still be found.
    label_variance = (difference / _POWER_95) ** 2 - output_variance
    if 2 * output_variance > variance or label_variance <= 0 or not labelled:
        return None
    labels_to_add = math.ceil(labelled * ((variance - output_variance) / label_variance - 1))
    return labels_to_add if 0 < labels_to_add <= unlabelled else None


def _uncorrected_outputs(summary: RunSummary) -> int:
    """Return the number of unlabelled judged outputs of systems that labels do not correct."""
    if summary.strata is not None:
        part = summary.strata.open
        names = [name for name in part.graded if name not in part.corrected_systems]
        return sum(part.graded[name] - part.labelled[name] for name in names)
    has_labels = any(panel.n for panel in summary.agreement.judges.values())
    parts = {OPEN} if has_labels else {OPEN, JUDGED}
    return max((_uncorrected_outputs_of(system, parts) for system in summary.systems), default=0)


def _uncorrected_outputs_of(system: SystemResult, names: AbstractSet[str]) -> int:
    """Return the number of a system's outputs in some parts whose judge labels do not correct.

    Several judges may have graded the same outputs, so the largest part counts. If no judge is corrected, the number of all
    graded outputs minus the checked ones is exact.
    """
    corrected = {part.by for part in system.strata if part.name == CORRECTED}
    outputs_by_part = [part.n for part in system.strata if part.name in names and part.by not in corrected]
    checked = max((part.n for part in system.strata if part.name == DECIDED), default=0)
    if outputs_by_part and not corrected and system.overall is not None:
        return max(*outputs_by_part, system.overall.n - checked)
    return max(outputs_by_part, default=0)
