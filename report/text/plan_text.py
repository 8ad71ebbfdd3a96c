"""Plans in words: sizes, and items to label next."""

from __future__ import annotations

from collections.abc import Iterator

from ...calibration.planning.budget_plan import BudgetPlan
from ...calibration.planning.plan_results import Draw, PlanNumbers
from ..document import Piece, document
from ..document_parts import DocumentTable
from .number_text import count, counted, number


@document
def plan_document(plan: PlanNumbers) -> Iterator[Piece]:
    """Build the document of a `plan` result."""
    if plan.labels is not None:
        how = "on average" if plan.assurance is None else f"in {100 * plan.assurance:g} % of samples"
        within = f"to within {plan.half_width:g} (95 % interval) {how}"
        rate = plan.labels.get("pass_rate")
        if rate is not None:
            yield f"To estimate the pass rate {within}, label {counted(rate, 'output')}{_more(plan, rate)}."
        if (corrected := plan.labels.get("corrected_pass_rate")) is not None and plan.measured is not None:
            yield f"Corrected with {plan.measured.judge}: {counted(corrected, 'label')}{_more(plan, corrected)}."
        yield from _measured(plan)
        yield "Labels for each rate:" if rate is not None else f"Labels for each rate {within}:"
        rows = [(name, "no number is enough" if n is None else count(n)) for name, n in plan.labels.items()]
        yield DocumentTable((), rows)
    if plan.items is not None:
        yield (
            f"To find a difference of {plan.difference:g} with a chance of {plan.power:.0%}, "
            f"compare on {counted(plan.items, 'item')}."
        )
    if plan.design_effect > 1:
        yield f"All sizes allow for clusters, which make variances {plan.design_effect:.2f} times as large."
    if plan.budget is not None:
        yield from _budget(plan.budget)
    if plan.draw is not None:
        yield from _draw(plan.draw)


def _more(plan: PlanNumbers, labels: int) -> str:
    """Return how many labels are missing, behind the number that are needed."""
    if plan.measured is None:
        return ""
    missing = labels - plan.measured.n_labelled
    return f": {missing:,} more" if missing > 0 else ": there are enough"


def _measured(plan: PlanNumbers) -> Iterator[str]:
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
    explained = "; ".join(f"{_shown(name)} {share:.0%}" for name, share in pilot.explained.items())
    yield (
        f"For ${plan.budget:,.2f}: the pass rate of all outputs to within {plan.half_width:.4f} (95 %), "
        f"that of undecided ones to within {plan.open_half_width:.4f}."
    )
    rows = [
        (
            _shown(each.phase),
            f"{each.outputs:,}",
            f"{each.unit_cost:.6g}",
            f"{each.cost:,.2f}",
            f"{each.variance:.0%}",
        )
        for each in plan.phases
    ]
    yield DocumentTable(("", "outputs", "each", "dollars", "of the variance"), rows)
    yield "Each is a random part of the one before; only undecided outputs are judged, and labelled."
    others = ", ".join(
        f"{_shown(name)} {width:.4f}" for name, width in sorted(rates.items(), key=lambda each: each[1])
    )
    yield f"Half-widths by who judges: {others}"
    alone = plan.labels_alone_cost
    yield f"As narrow by labels alone: {'all outputs are not enough' if alone is None else f'${alone:,.2f}'}"
    decided = f"checkers decide {pilot.decided:.0%}, of which {pilot.decided_rate:.0%} pass; of the rest "
    yield (
        f"{source}: {decided if pilot.decided else ''}{pilot.open_rate:.0%} pass"
        + (f"; variance that verdicts explain: {explained}" if explained else "")
    )


def _shown(phases: str) -> str:
    """Return names of phases as they are printed; JSON and Python have ``dear``."""
    return phases.replace("dear", "expensive")


def _draw(draw: Draw) -> Iterator[Piece]:
    if draw.strata:
        rows = [
            (name, count(plan.n), count(plan.n_labelled), number(plan.spread), count(plan.next))
            for name, plan in draw.strata.items()
        ]
        yield "Allocated by items times spread (Neyman):"
        yield DocumentTable(("stratum", "items", "labels", "spread", "label next"), rows)
    if not draw.chances:
        yield "The draw came out empty; a larger --next, or another --seed, draws some."
        return
    several = len(draw.chances) > 1
    these = f"these {len(draw.chances):,}" if several else "this one"
    if None in draw.chances.values():
        yield f"Label {these} next, a random sample of {draw.of:,} without a label:"
        yield DocumentTable((), [(item,) for item in draw.chances])
        return
    yield (
        f"Label {'all of ' * several}{these}, drawn from {draw.of:,} judged items without a label (with their probability):"
    )
    yield DocumentTable((), [(item, f"{chance:.4g}") for item, chance in draw.chances.items()])
