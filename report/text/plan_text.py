"""Plans in words: numbers of labels or cases, a budget's split, and items to label next."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ...calibration.planning.budget_plan import BudgetPlan
from ...calibration.planning.plan_results import Draw, SamplePlan
from ...spelling import command, setting
from ..document import Piece, document
from ..document_parts import DocumentTable
from .number_text import count, counted, number, percent, statistic

_RATE_NAMES = {
    "pass_rate": "pass rate",
    "true_positive_rate": "true positive rate",
    "true_negative_rate": "true negative rate",
    "cohen_kappa": "Cohen's kappa",
    "corrected_pass_rate": "corrected pass rate",
    "rogan_gladen_right": "Rogan-Gladen: good outputs",
    "rogan_gladen_wrong": "Rogan-Gladen: bad outputs",
}
"""Rates that labels can be planned for, in words."""

_POPULATION_RATES = ("pass_rate", "corrected_pass_rate")
"""Rates of all outputs; labels are enough if one of these can be estimated."""

_ASSUMED_NAMES = {"prevalence": "pass rate", "tpr": "true positive rate", "tnr": "true negative rate"}


@document
def plan_document(plan: SamplePlan) -> Iterator[Piece]:
    """Build the document of a plan: sizes, then the budget's split, then the draw."""
    if plan.labels is not None:
        assurance = "on average" if plan.assurance is None else f"in {100 * plan.assurance:g} % of samples"
        precision = f"to within {plan.half_width:g} (95 % interval) {assurance}"
        labels_for_rate = plan.labels.get("pass_rate")
        if labels_for_rate is not None:
            yield f"To estimate the pass rate {precision}, label {counted(labels_for_rate, 'output')}{_missing_clause(plan, labels_for_rate)}."
        labels_for_corrected_rate = plan.labels.get("corrected_pass_rate")
        if (
            labels_for_corrected_rate is not None
            and plan.measured is not None
            and (labels_for_rate is None or labels_for_corrected_rate < labels_for_rate)
        ):
            yield f"Corrected with {plan.measured.judge}: {counted(labels_for_corrected_rate, 'label')}{_missing_clause(plan, labels_for_corrected_rate)}."
        yield from _out_of_reach(plan)
        yield from _measured_rates(plan)
        if plan.expected:
            yield _assumptions(plan.expected)
        yield "Labels for each rate:" if labels_for_rate is not None else f"Labels for each rate {precision}:"
        rows = [
            (_RATE_NAMES.get(name, name), "no number is enough" if n is None else count(n))
            for name, n in plan.labels.items()
        ]
        yield DocumentTable((), rows)
    if plan.items is not None:
        yield (
            f"To detect a difference of {plan.difference:g} with {100 * plan.power:g} % power, compare "
            f"{counted(plan.items, 'item')}. Assumes that only one judge is right on {100 * plan.discordant:g} % ({setting('discordant')})."
        )
    if plan.design_effect > 1:
        yield f"All sizes allow for clusters, which make variances {plan.design_effect:.2f} times as large."
    if plan.budget is not None:
        yield from _budget_pieces(plan.budget)
    if plan.draw is not None:
        yield from _draw_pieces(plan.draw)


def _out_of_reach(plan: SamplePlan) -> Iterator[str]:
    """Yield a sentence if not even labels of all outputs in the table are enough."""
    measured = plan.measured
    label_counts_needed = [
        n for name in _POPULATION_RATES if (n := (plan.labels or {}).get(name)) is not None
    ]
    if measured is None or not label_counts_needed:
        return
    missing = min(label_counts_needed) - measured.n_labelled
    if missing > measured.n_unlabelled:
        outputs_left = (
            "1 output is" if measured.n_unlabelled == 1 else f"{counted(measured.n_unlabelled, 'output')} are"
        )
        yield (
            f"This table cannot reach ±{plan.half_width:g}: {outputs_left} left, {missing:,} are needed. Judge more outputs."
        )


def _assumptions(expected: Mapping[str, float]) -> str:
    rates = ", ".join(
        f"{_ASSUMED_NAMES[name]} {value:g} ({setting(name)})" for name, value in expected.items()
    )
    return f"Assumes {rates}."


def _missing_clause(plan: SamplePlan, labels: int) -> str:
    """Return a clause on how many labels are missing of the needed number; empty if unknown."""
    if plan.measured is None:
        return ""
    missing = labels - plan.measured.n_labelled
    return f": {missing:,} more" if missing > 0 else ": there are enough"


def _measured_rates(plan: SamplePlan) -> Iterator[str]:
    """Yield the rates that the plan rests on, if they were measured with labels."""
    rates = plan.measured
    if rates is not None:
        yield (
            f"Planned from {counted(rates.n, 'label')} so far with a verdict of {rates.judge}: pass rate {number(rates.prevalence)}, "
            f"true positive rate {number(rates.tpr)}, true negative rate {number(rates.tnr)}; "
            f"{counted(rates.n_unlabelled, 'judged item')} without a label."
        )


def _budget_pieces(plan: BudgetPlan) -> Iterator[Piece]:
    pilot, half_widths = plan.pilot, plan.half_widths
    basis = (
        f"From a pilot with {pilot.n:,} labels"
        if pilot.n
        else "Assuming judges that err independently of each other"
    )
    explained_variance = "; ".join(f"{name} {percent(share)}" for name, share in pilot.explained.items())
    all_width, undecided_width = f"{plan.half_width:.4f}", f"{plan.open_half_width:.4f}"
    undecided_clause = (
        "" if all_width == undecided_width else f", that of undecided ones to within {undecided_width}"
    )
    yield f"For ${plan.budget:,.2f}: the pass rate of all outputs to within {all_width} (95 %){undecided_clause}."
    rows = [
        (
            phase.name,
            f"{phase.outputs:,}",
            f"{phase.unit_cost:.6g}",
            f"{phase.cost:,.2f}",
            percent(phase.variance),
        )
        for phase in plan.phases
    ]
    yield DocumentTable(("", "outputs", "each", "dollars", "of the variance"), rows)
    yield "Each is a random part of the one before; only undecided outputs are judged, and labelled."
    widths_by_judge = ", ".join(
        f"{name} {width:.4f}" for name, width in sorted(half_widths.items(), key=lambda entry: entry[1])
    )
    yield f"Half-widths by who judges: {widths_by_judge}"
    labels_alone_cost = plan.labels_alone_cost
    yield f"As narrow by labels alone: {'all outputs are not enough' if labels_alone_cost is None else f'${labels_alone_cost:,.2f}'}"
    decided_clause = (
        f"checkers decide {percent(pilot.decided)}, of which {percent(pilot.decided_rate)} pass; of the rest "
    )
    yield (
        f"{basis}: {decided_clause if pilot.decided else ''}{percent(pilot.open_rate)} pass"
        + (f"; variance that verdicts explain: {explained_variance}" if explained_variance else "")
    )


def _draw_pieces(draw: Draw) -> Iterator[Piece]:
    if draw.strata:
        rows = [
            (name, count(plan.n), count(plan.n_labelled), number(plan.spread), count(plan.next))
            for name, plan in draw.strata.items()
        ]
        yield "Allocated by items times spread (Neyman):"
        yield DocumentTable(("stratum", "items", "labels", "spread", "label next"), rows)
    if not draw.chances:
        yield f"The draw came out empty; a larger {setting('draw')}, or another {setting('seed')}, draws some."
        return
    is_several = len(draw.chances) > 1
    these_items = f"these {len(draw.chances):,}" if is_several else "this one"
    if None in draw.chances.values():  # a simple random sample, in which all chances are equal
        yield f"Label {these_items} next, a random sample of {draw.of:,} without a label:"
        yield DocumentTable((), [(item,) for item in draw.chances])
        yield from _rate_so_far(draw)
        return
    yield (
        f"Label {'all of ' * is_several}{these_items}, drawn from {draw.of:,} judged items without a label (with their probability):"
    )
    yield DocumentTable((), [(item, f"{chance:.4g}") for item, chance in draw.chances.items()])


def _rate_so_far(draw: Draw) -> Iterator[str]:
    """Yield the rate by the labels that there already are, if the draw is random."""
    rate = draw.so_far
    if rate is not None and rate.value is not None:
        yield (
            f"So far, if these labels are a random sample: {statistic(rate)} ({counted(rate.n, 'label')}), which holds at every look; "
            f"`{command('estimate', 'TABLE', anytime=True)}` says what it rests on."
        )
    elif rate is not None:
        yield f"No interval for every look so far: {rate.undefined}."
