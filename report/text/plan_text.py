"""Plans in words: sizes, and items to label next."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ...calibration.planning.budget_plan import BudgetPlan
from ...calibration.planning.plan_results import Draw, SamplePlan
from ...spelling import command, setting
from ..document import Piece, document
from ..document_parts import DocumentTable
from .number_text import count, counted, number, percent, statistic

_RATES = {
    "pass_rate": "pass rate",
    "true_positive_rate": "true positive rate",
    "true_negative_rate": "true negative rate",
    "cohen_kappa": "Cohen's kappa",
    "corrected_pass_rate": "corrected pass rate",
    "rogan_gladen_right": "Rogan-Gladen: good outputs",
    "rogan_gladen_wrong": "Rogan-Gladen: bad outputs",
}
"""Rates that labels are planned for, as they are printed."""

_OF_THE_TABLE = ("pass_rate", "corrected_pass_rate")
"""Rates of which one is enough, from a random sample of the table."""

_ASSUMED = {"prevalence": "pass rate", "tpr": "true positive rate", "tnr": "true negative rate"}


@document
def plan_document(plan: SamplePlan) -> Iterator[Piece]:
    """Build the document of a `plan` result."""
    if plan.labels is not None:
        how = "on average" if plan.assurance is None else f"in {100 * plan.assurance:g} % of samples"
        within = f"to within {plan.half_width:g} (95 % interval) {how}"
        rate = plan.labels.get("pass_rate")
        if rate is not None:
            yield f"To estimate the pass rate {within}, label {counted(rate, 'output')}{_more(plan, rate)}."
        corrected = plan.labels.get("corrected_pass_rate")
        if corrected is not None and plan.measured is not None and (rate is None or corrected < rate):
            yield f"Corrected with {plan.measured.judge}: {counted(corrected, 'label')}{_more(plan, corrected)}."
        yield from _out_of_reach(plan)
        yield from _measured(plan)
        if plan.expected:
            yield _assumed(plan.expected)
        yield "Labels for each rate:" if rate is not None else f"Labels for each rate {within}:"
        rows = [
            (_RATES.get(name, name), "no number is enough" if n is None else count(n))
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
        yield from _budget(plan.budget)
    if plan.draw is not None:
        yield from _draw(plan.draw)


def _out_of_reach(plan: SamplePlan) -> Iterator[str]:
    """Yield a sentence if labels of all outputs of the table are too few."""
    rates = plan.measured
    needed = [n for name in _OF_THE_TABLE if (n := (plan.labels or {}).get(name)) is not None]
    if rates is None or not needed:
        return
    missing = min(needed) - rates.n_labelled
    if missing > rates.n_unlabelled:
        left = "1 output is" if rates.n_unlabelled == 1 else f"{counted(rates.n_unlabelled, 'output')} are"
        yield (
            f"This table cannot reach ±{plan.half_width:g}: {left} left, {missing:,} are needed. Judge more outputs."
        )


def _assumed(expected: Mapping[str, float]) -> str:
    """Return the rates that the plan assumes, with their options."""
    rates = ", ".join(f"{_ASSUMED[name]} {value:g} ({setting(name)})" for name, value in expected.items())
    return f"Assumes {rates}."


def _more(plan: SamplePlan, labels: int) -> str:
    """Return how many labels are missing, behind the number that are needed."""
    if plan.measured is None:
        return ""
    missing = labels - plan.measured.n_labelled
    return f": {missing:,} more" if missing > 0 else ": there are enough"


def _measured(plan: SamplePlan) -> Iterator[str]:
    """Yield what the plan goes by, where labels tell."""
    rates = plan.measured
    if rates is not None:
        yield (
            f"Planned from {counted(rates.n, 'label')} so far with a verdict of {rates.judge}: pass rate {number(rates.prevalence)}, "
            f"true positive rate {number(rates.tpr)}, true negative rate {number(rates.tnr)}; "
            f"{counted(rates.n_unlabelled, 'judged item')} without a label."
        )


def _budget(plan: BudgetPlan) -> Iterator[Piece]:
    pilot, rates = plan.pilot, plan.half_widths
    source = (
        f"From a pilot with {pilot.n:,} labels"
        if pilot.n
        else "Assuming judges that err independently of each other"
    )
    explained = "; ".join(f"{name} {percent(share)}" for name, share in pilot.explained.items())
    whole, undecided = f"{plan.half_width:.4f}", f"{plan.open_half_width:.4f}"
    of_undecided = "" if whole == undecided else f", that of undecided ones to within {undecided}"
    yield f"For ${plan.budget:,.2f}: the pass rate of all outputs to within {whole} (95 %){of_undecided}."
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
    others = ", ".join(
        f"{name} {width:.4f}" for name, width in sorted(rates.items(), key=lambda each: each[1])
    )
    yield f"Half-widths by who judges: {others}"
    alone = plan.labels_alone_cost
    yield f"As narrow by labels alone: {'all outputs are not enough' if alone is None else f'${alone:,.2f}'}"
    decided = (
        f"checkers decide {percent(pilot.decided)}, of which {percent(pilot.decided_rate)} pass; of the rest "
    )
    yield (
        f"{source}: {decided if pilot.decided else ''}{percent(pilot.open_rate)} pass"
        + (f"; variance that verdicts explain: {explained}" if explained else "")
    )


def _draw(draw: Draw) -> Iterator[Piece]:
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
    several = len(draw.chances) > 1
    these = f"these {len(draw.chances):,}" if several else "this one"
    if None in draw.chances.values():
        yield f"Label {these} next, a random sample of {draw.of:,} without a label:"
        yield DocumentTable((), [(item,) for item in draw.chances])
        yield from _so_far(draw)
        return
    yield (
        f"Label {'all of ' * several}{these}, drawn from {draw.of:,} judged items without a label (with their probability):"
    )
    yield DocumentTable((), [(item, f"{chance:.4g}") for item, chance in draw.chances.items()])


def _so_far(draw: Draw) -> Iterator[str]:
    """Yield the rate by the labels before a random draw."""
    rate = draw.so_far
    if rate is not None and rate.value is not None:
        yield (
            f"So far, if these labels are a random sample: {statistic(rate)} ({counted(rate.n, 'label')}), which holds at every look; "
            f"`{command('estimate', 'TABLE', anytime=True)}` says what it rests on."
        )
    elif rate is not None:
        yield f"No interval for every look so far: {rate.undefined}."
