"""Estimated pass rates in full: each estimate with its interval, assumptions and cautions.

`estimation_screen` is the short form and shares the sentences here. A part is all items or one system; an estimate is
valid only under an assumption on how items were chosen for labels, which the user declares.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ...calibration.corrected_rate.estimation_results import (
    AnytimeBasis,
    Estimation,
    LabelOrder,
    RateEstimate,
    Target,
)
from ...calibration.label_declarations import LabelsChosenBy
from ...calibration.statistic import Statistic
from ...spelling import setting, spelled_word
from ..document import Piece, document
from ..document_parts import ENDS, DocumentTable
from .caution_text import folded
from .number_text import (
    counted,
    decimal,
    draw_command,
    interval,
    listed,
    number,
    percent,
    statistic,
    statistic_cells,
)
from .trials_text import variance_sentence

_TARGETS: dict[Target, str] = {
    "population": "Pass rate of the population",
    "finite": "Pass rate of just these items",
}
"""Words for the estimated rate, by target."""

_RANDOM_SAMPLE: dict[Target, str] = {
    "population": "the labelled items are a random sample of it",
    "finite": "the labelled ones were drawn from them at random, one by one",
}
"""Assumption of estimates from a random sample of all items."""

_OTHER_ASSUMPTIONS = {
    "multi_phase": "the items of each judge, and the labels, are random samples of the items of the judge before",
    "reweighted": "the columns to reweight by alone decided which items have labels",
    "active": "all items that were drawn have labels, and the chances are those of the draw",
    "stratified_ppi": "the labelled items of each stratum are a random sample of it",
}
"""Assumptions of other estimates, by the estimate's name."""

_ASSUMED_CHOICES: dict[LabelsChosenBy, str] = {
    "score": "Pass rate; valid if the judge's score alone decided which items have labels.",
    "label": "Pass rate; valid if labels are a random sample of the right items, and one of the wrong ones.",
    "elsewhere": "Pass rate of the items without a label; valid if the judge errs on the labelled ones as often as here, by class.",
}
"""Words for the estimated rate and its assumption, by how the user says that labels were chosen."""


MAYBE_CHOSEN: dict[LabelsChosenBy, str] = {
    "score": "by score",
    "label": "by true class",
    "elsewhere": "from elsewhere",
}
"""Ways in which items may have been chosen for labels, if the user says nothing."""


def explained(by: Sequence[str]) -> str:
    """Return the option to set if columns decided which items have labels.

    Args:
        by: Columns within whose values the labels look like a random sample, the best first; empty if there are none.
    """
    if by:
        column = by[0]
        option = (
            spelled_word("labels_chosen_by", "system")
            if column == "system"
            else spelled_word("reweight_by", column)
        )
        return f"{column} explains it: {option}."
    reweighted, strata = setting("reweight_by", "COLUMN"), setting("strata", "COLUMN")
    return f"If columns decided it, name them: {reweighted}, or {strata}."


class ChoiceScenario(NamedTuple):
    """A way in which items may have been chosen for labels.

    Attributes:
        chosen: The way, in words.
        rate: The corrected rate if they were chosen so.
        option: The option that declares it.
    """

    chosen: str
    rate: Statistic
    option: str


def scenarios_of(part: RateEstimate) -> list[ChoiceScenario]:
    """Return the rate by each way of choosing labels, if none can be reported; else none."""
    if part.scenarios is None or part.reported is not None:
        return []
    return [
        ChoiceScenario(MAYBE_CHOSEN[chosen_by], rate, spelled_word("labels_chosen_by", chosen_by))
        for chosen_by, rate in part.scenarios.items()
    ]


def _difference_clause(part: RateEstimate) -> str:
    """Say by which scores or columns labelled items differ from the others."""
    p_values = [
        p for caution in part.cautions if caution.kind == "chosen_by_score" for p in caution.about.values()
    ]
    by_score = [f"are scored unlike the others (p {max(p_values):.2g})"] if p_values else []
    columns = [f"{name} (p {p:.2g})" for name, p in part.chosen_by_columns.items()]
    if not columns:
        return by_score[0]  # without a difference there are no scenarios
    return " and ".join([*by_score, f"{'' if by_score else 'are unlike the others '}by {listed(columns)}"])


def target_of(part: RateEstimate) -> str:
    """Say which rate is estimated and what that assumes, or why none is."""
    if scenarios_of(part):
        return (
            f"Labelled items {_difference_clause(part)}, so they are not a random sample. "
            "The corrected rate depends on how they were chosen; say it with an option:"
        )
    if part.anytime is not None and part.reported is None:
        return f"No interval for every look: {part.estimates['anytime'].undefined}."
    if part.reported is None and part.labels_only.undefined is not None:
        return f"Not corrected: {part.labels_only.undefined}.{_undefined_by_class(part)}"
    if part.chosen_by is not None:
        return f"{_ASSUMED_CHOICES[part.chosen_by]}{_also_assumed(part)}"
    assumption = _OTHER_ASSUMPTIONS.get(part.reported or "", _RANDOM_SAMPLE[part.target])
    estimated_rate = (
        _TARGETS[part.target].replace("Pass rate", "Mean label") if part.is_mean else _TARGETS[part.target]
    )
    if part.anytime is not None:
        validity = (
            f"valid at every look if {assumption}.{_also_assumed(part)} {_order_of_labels(part.anytime)}"
        )
        return f"{estimated_rate}; {validity}"
    return f"{estimated_rate}; valid if {assumption}.{_also_assumed(part)}"


def _undefined_by_class(part: RateEstimate) -> str:
    """Return why the one estimate for labels drawn by true class is undefined, if it is."""
    by_class = part.estimates.get("rogan_gladen") if part.chosen_by in {"label", "elsewhere"} else None
    return (
        "" if by_class is None or by_class.undefined is None else f" It is undefined: {by_class.undefined}."
    )


def _also_assumed(part: RateEstimate) -> str:
    """Return further assumptions, other than how items were chosen for labels."""
    assumptions_text = ""
    if part.n_cases is not None:
        assumptions_text += " Numbers of trials may not depend on results."
    elif part.reported == "rogan_gladen" and part.n_clusters < part.n_items:
        assumptions_text += " The interval takes items as independent, also those of one cluster."
    return assumptions_text


_MAX_ROUNDS = 8
"""Most rounds whose labels are counted round by round."""

_ORDER_SENTENCES: dict[LabelOrder, str] = {
    "draws": "Rests on the order of the draws",
    "rounds": "Rests on the order in which labels were added",
    "every_output": "Every output has a label, so their order does not matter",
}


def _order_of_labels(basis: AnytimeBasis) -> str:
    """Say on which order of labels a confidence sequence rests, and how many rounds there were."""
    order_sentence, rounds = _ORDER_SENTENCES[basis.order or "rounds"], basis.rounds
    if basis.order == "every_output":
        return f"{order_sentence}."
    if len(rounds) == 1:
        return f"{order_sentence}: one round. Labels that come later are another round."
    counts = (
        listed([f"{labels:,}" for labels in rounds]) if len(rounds) <= _MAX_ROUNDS else f"{sum(rounds):,}"
    )
    return f"{order_sentence}: {counted(len(rounds), 'round')} of {counts} labels."


NOT_INCLUDED = "Checked outputs are not included."


@document
def estimation_document(estimation: Estimation) -> Iterator[Piece]:
    """Build the full document of an estimate."""
    if estimation.all.labels_only.n and not scenarios_of(estimation.all):
        yield target_of(estimation.all)
    if estimation.undecided_only:
        yield NOT_INCLUDED
    for name, part in parts_shown(estimation).items():
        counts = (
            f"{part.n_labelled:,} labelled and judged, {part.n_unlabelled:,} judged only, "
            f"{part.n_missing:,} without a verdict"
        )
        answer = _answer(part)
        yield f"{name}: {answer or counts}"
        if answer:
            yield f"  {counts}{by_case(part)}"
        yield from (f"  {sentence}" for sentence in (*ungraded_of(part), *bound_of(part)))
        if part.labels_only.n:
            yield from (f"  {sentence}" for sentence in label_errors_of(part))
        yield from _judge_lines(part)
        yield from variance_sentence(part.variance, "item", "repeats", "the judge's uncorrected rate")
        if not part.labels_only.n:
            advice = f"`{draw_command()}` draws items to label; add their labels as a column `label`"
            yield f"  no item has a label, so the rate is uncorrected. {advice}"
            continue
        head = ("estimate", "value", "interval", "n", "method")
        rows = [(key, *statistic_cells(estimate)) for key, estimate in part.estimates.items()]
        yield from _scenario_table(part)
        yield DocumentTable(head, rows, left_aligned=ENDS)
        yield from _stratum_table(part)
        yield from folded(part.cautions, prefix=f"{name}: ")
    yield from _rank_table(estimation)


def parts_shown(estimation: Estimation) -> dict[str, RateEstimate]:
    """Return the estimates to print, that of all items first.

    A single system takes the place of the total if both count the same items.
    """
    parts = estimation.parts
    if estimation.undecided_only:
        parts = {"undecided": estimation.all} | estimation.systems
    if len(estimation.systems) != 1:
        return parts
    (only_system,) = estimation.systems.values()
    total = estimation.all
    same_items = (only_system.n_labelled, only_system.n_unlabelled, only_system.n_missing) == (
        total.n_labelled,
        total.n_unlabelled,
        total.n_missing,
    )
    return dict(estimation.systems) if same_items else parts


def if_random(part: RateEstimate) -> Iterator[str]:
    """Yield the rate if labels are a random sample, where nobody says how they were chosen."""
    if part.only_if_random and part.reported is not None:
        rate = part.estimates[part.reported]
        option = spelled_word("labels_chosen_by", "random")
        yield f"If these labels are a random sample: {statistic(rate)} ({counted(rate.n, 'label')}); say so with {option}."


def ungraded_of(part: RateEstimate) -> Iterator[str]:
    """Yield a sentence on ungraded outputs and the bounds of the rate, if there are any."""
    if not part.n_missing:
        return
    bounds_clause = ""
    if part.bounds is not None:
        low, high = map(decimal, part.bounds)
        failing_or_passing = "those without a label" if part.counts_ungraded else "them"
        bounds_clause = f": {low} to {high} if all of {failing_or_passing} failed or passed"
    verb = "is" if part.n_missing == 1 else "are"
    failed_calls = f" ({part.n_missing_failed:,} by failed calls)" if part.n_missing_failed else ""
    sentence = f"{part.n_missing:,} of {counted(part.n_items, 'output')} {verb} ungraded{failed_calls}{bounds_clause}."
    if part.n_missing_labelled:
        counted_or_not = "are counted" if part.counts_ungraded else "are not counted"
        sentence += f" Labels of {part.n_missing_labelled:,} of them {counted_or_not}."
    yield sentence


def label_errors_of(part: RateEstimate) -> Iterator[str]:
    """Yield whether labels count as exact; if several people label an output, their error rates."""
    errors = part.label_errors
    if errors is None or errors.rate is None:
        reason = ""
        if errors is not None:
            reason = f" ({errors.undefined}; people differ on {errors.n_split:,} of {errors.n:,} outputs)"
        yield f"Labels taken as exact{reason}."
        return
    if part.reported == "people_errors":
        yield "Corrected for errors of the people who label, if these are independent of each other and of the judge."
    for name, person in list(errors.people.items())[:_MAX_PEOPLE]:
        yield (
            f"  {name} lets through {statistic(person.let_through)} of bad outputs, "
            f"rejects {statistic(person.rejected)} of good ones (n {person.n:,})"
        )
    if len(errors.people) > _MAX_PEOPLE:
        yield f"  {len(errors.people) - _MAX_PEOPLE:,} more people"
    candidates = (part.estimates.get(name) for name in ("ppi_plus_plus", "labels_only"))
    exact_rate = next((rate for rate in candidates if rate is not None and rate.value is not None), None)
    if exact_rate is not None:
        yield f"  Labels taken as exact: {statistic(exact_rate)}"


_MAX_PEOPLE = 5
"""Most people whose error rates are printed."""


def by_case(part: RateEstimate) -> str:
    """Return a clause that each case has weight 1; empty unless numbers of trials are unequal."""
    if part.n_cases is None:
        return ""
    return f", each of {counted(part.n_cases, 'case')} ({counted(part.n_items, 'output')}) with weight 1"


def bound_of(part: RateEstimate) -> Iterator[str]:
    """Yield the rate's bounds if the judge errs more often on undecided than on checked outputs."""
    bound = part.estimates.get("open_worse_by")
    if bound is None or part.worse_by is None:
        return
    if bound.value is None:
        yield f"No bound for undecided outputs: {bound.undefined}."
        return
    points = f"{100 * part.worse_by:g} points"
    yield f"If the judge is up to {points} worse on undecided outputs: {interval(bound.low, bound.high)}, and {bound.value:.2f} if it is not."


def _answer(part: RateEstimate) -> str:
    """Return a sentence on the estimate to report and its name in the table; empty if none."""
    name = part.reported
    if name is None:
        return ""
    value_text, interval_text, n, _ = statistic_cells(part.estimates[name])
    method = "from the labels alone" if name == "labels_only" else "corrected with the labels"
    method += ", at every look" if name == "anytime" else ""
    condition = "report this one"
    if part.only_if_random:
        condition = (
            f"report this one if labels are a random sample ({spelled_word('labels_chosen_by', 'random')})"
        )
    return f"{' '.join(filter(None, (value_text, interval_text)))}, {method} (n {n}); {condition}: {name}"


def _judge_lines(part: RateEstimate) -> Iterator[Piece]:
    value_text, interval_text, n, method = statistic_cells(part.uncorrected)
    score_or_rate = "mean score" if part.fractions else "rate"
    yield f"  judge's {score_or_rate}, uncorrected: {' '.join(filter(None, (value_text, interval_text)))}, n {n}, {method}"
    if part.weight is not None:  # lambda of prediction-powered inference: how far the judge is trusted
        equivalent_labels = part.label_equivalents
        equivalents = (
            ""
            if equivalent_labels is None
            else f"; with the judge, {part.n_labelled:,} labels are as precise as {equivalent_labels:,.0f} alone"
        )
        yield f"  lambda {number(part.weight)}{equivalents}"


def _scenario_table(part: RateEstimate) -> Iterator[Piece]:
    """Yield a table of rates by how labels may have been chosen; none of them is the answer."""
    if not (scenarios := scenarios_of(part)):
        return
    yield f"  {target_of(part)}"
    rows: list[tuple[str, ...]] = []
    for scenario in scenarios:
        value_text, interval_text, n, method = statistic_cells(scenario.rate)
        rows.append((scenario.chosen, scenario.option, value_text, interval_text, n, method))
    yield DocumentTable(("chosen", "option", "value", "interval", "n", ""), rows, left_aligned=ENDS, indent=4)
    yield f"  {explained(part.explained_by)}"


def _stratum_table(part: RateEstimate) -> Iterator[Piece]:
    """Yield a table of the strata, if items were drawn by stratum."""
    if part.strata is None:
        return
    rows: list[tuple[str, ...]] = []
    for name, stratum in part.strata.items():
        value_text, interval_text, _, method = statistic_cells(stratum.estimate)
        counts = (f"{stratum.n:,}", f"{stratum.n_labelled:,}", number(stratum.weight))
        rows.append((name, *counts, value_text, interval_text, method))
    head = ("stratum", "items", "labels", "lambda", "rate", "interval", "")
    yield DocumentTable(head, rows, left_aligned=ENDS, indent=4)


def _rank_table(estimation: Estimation) -> Iterator[Piece]:
    """Yield a table of the systems by rank, with the ranks that each may have."""
    ranks = {name: part.rank for name, part in estimation.parts.items() if part.rank is not None}
    ranked = sorted((rank.value, name, rank) for name, rank in ranks.items() if rank.value is not None)
    if not ranked:
        return
    yield f"Ranks (all of them hold together at {percent(ranked[0][2].level)}):"
    rows = [(f"{value:.0f}", name, places(rank)) for value, name, rank in ranked]
    yield DocumentTable(("rank", "system", "may be"), rows, left_aligned=ENDS)
    yield f"note: {unpaired()}"


def unpaired() -> str:
    """Return the caution that ranks take the systems' rates as independent."""
    return f"ranks ignore that systems answered the same cases; use compare {spelled_word('by', 'system')}"


def places(rank: Statistic) -> str:
    """Return the ranks that an interval allows: ``1 to 3``."""
    return f"{rank.low:.0f}" if rank.low == rank.high else f"{rank.low:.0f} to {rank.high:.0f}"
