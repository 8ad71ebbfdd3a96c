"""Estimates in words: each with its interval, and the judge's contribution."""

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
from ...spelling import setting
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

_RATE: dict[Target, str] = {
    "population": "Pass rate of the population",
    "finite": "Pass rate of just these items",
}

_RANDOM: dict[Target, str] = {
    "population": "the labelled items are a random sample of it",
    "finite": "the labelled ones were drawn from them at random, one by one",
}

_ASSUMED = {
    "multi_phase": "the items of each judge, and the labels, are random samples of the items of the judge before",
    "reweighted": "the columns to reweight by alone decided which items have labels",
    "active": "all items that were drawn have labels, and the chances are those of the draw",
    "stratified_ppi": "the labelled items of each stratum are a random sample of it",
}
"""Assumption of an estimate by name, if it is not a random sample of all items."""

_CHOSEN: dict[LabelsChosenBy, str] = {
    "score": "Pass rate; valid if the judge's score alone decided which items have labels.",
    "label": "Pass rate; valid if labels are a random sample of the right items, and one of the wrong ones.",
    "elsewhere": "Pass rate of the items without a label; valid if the judge errs on the labelled ones as often as here, by class.",
}


MAYBE_CHOSEN: dict[LabelsChosenBy, str] = {
    "score": "by score",
    "label": "by true class",
    "elsewhere": "from elsewhere",
}
"""Ways in which items may have been chosen for labels, in words."""


def by_columns(part: RateEstimate) -> str:
    """Return what to set if columns decided which items have labels."""
    return explained(part.explained_by)


def explained(by: Sequence[str]) -> str:
    """Return what to set if columns decided which items have labels; some explain it."""
    if by:
        column = by[0]
        option = (
            setting("labels_chosen_by", "system") if column == "system" else setting("reweight_by", column)
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
    """Return the scenarios of a rate without an answer; none for other rates."""
    if part.scenarios is None or part.reported is not None:
        return []
    return [
        ChoiceScenario(MAYBE_CHOSEN[chosen_by], rate, setting("labels_chosen_by", chosen_by))
        for chosen_by, rate in part.scenarios.items()
    ]


def _unlike(part: RateEstimate) -> str:
    """Say by what labelled items differ from the others."""
    p_values = [
        p for caution in part.cautions if caution.kind == "chosen_by_score" for p in caution.about.values()
    ]
    scored = [f"are scored unlike the others (p {max(p_values):.2g})"] if p_values else []
    columns = [f"{name} (p {p:.2g})" for name, p in part.chosen_by_columns.items()]
    if not columns:
        return scored[0]
    return " and ".join([*scored, f"{'' if scored else 'are unlike the others '}by {listed(columns)}"])


def target_of(part: RateEstimate) -> str:
    """Say which rate is estimated, and what it assumes."""
    if scenarios_of(part):
        return (
            f"Labelled items {_unlike(part)}, so they are not a random sample. "
            "The corrected rate depends on how they were chosen; say it with an option:"
        )
    if part.anytime is not None and part.reported is None:
        return f"No interval for every look: {part.estimates['anytime'].undefined}."
    if part.reported is None and part.labels_only.undefined is not None:
        return f"Not corrected: {part.labels_only.undefined}.{_undefined_by_class(part)}"
    if part.chosen_by is not None:
        return f"{_CHOSEN[part.chosen_by]}{_also_assumed(part)}"
    assumed = _ASSUMED.get(part.reported or "", _RANDOM[part.target])
    estimated = _RATE[part.target].replace("Pass rate", "Mean label") if part.is_mean else _RATE[part.target]
    if part.anytime is not None:
        looks = f"valid at every look if {assumed}.{_also_assumed(part)} {_rounds_of(part.anytime)}"
        return f"{estimated}; {looks}"
    return f"{estimated}; valid if {assumed}.{_also_assumed(part)}"


def _undefined_by_class(part: RateEstimate) -> str:
    """Return why the one estimate for labels drawn by true class is undefined."""
    by_class = part.estimates.get("rogan_gladen") if part.chosen_by in {"label", "elsewhere"} else None
    return (
        "" if by_class is None or by_class.undefined is None else f" It is undefined: {by_class.undefined}."
    )


def _also_assumed(part: RateEstimate) -> str:
    """Return what the rate and its interval assume beside how items were chosen for labels."""
    assumed = ""
    if part.n_cases is not None:
        assumed += " Numbers of trials may not depend on results."
    elif part.reported == "rogan_gladen" and part.n_clusters < part.n_items:
        assumed += " The interval takes items as independent, also those of one cluster."
    return assumed


_MAX_ROUNDS = 8
"""Most rounds whose labels are counted one by one."""

_ORDER: dict[LabelOrder, str] = {
    "draws": "Rests on the order of the draws",
    "rounds": "Rests on the order in which labels were added",
    "every_output": "Every output has a label, so their order does not matter",
}


def _rounds_of(basis: AnytimeBasis) -> str:
    """Say on which order of labels a confidence sequence rests."""
    order, rounds = _ORDER[basis.order or "rounds"], basis.rounds
    if basis.order == "every_output":
        return f"{order}."
    if len(rounds) == 1:
        return f"{order}: one round. Labels that come later are another round."
    counts = listed([f"{each:,}" for each in rounds]) if len(rounds) <= _MAX_ROUNDS else f"{sum(rounds):,}"
    return f"{order}: {counted(len(rounds), 'round')} of {counts} labels."


NOT_INCLUDED = "Checked outputs are not included."


def _no_label() -> str:
    draws = f"`{draw_command()}` draws items to label; add their labels as a column `label`"
    return f"  no item has a label, so the rate is uncorrected. {draws}"


@document
def estimation_document(estimation: Estimation) -> Iterator[Piece]:
    """Build the document of an `estimate` result."""
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
        yield from (f"  {each}" for each in (*ungraded_of(part), *bound_of(part)))
        if part.labels_only.n:
            yield from (f"  {error}" for error in label_errors_of(part))
        yield from _judge(part)
        yield from variance_sentence(part.variance, "item", "repeats", "the judge's uncorrected rate")
        if not part.labels_only.n:
            yield _no_label()
            continue
        head = ("estimate", "value", "interval", "n", "method")
        rows = [(key, *statistic_cells(each)) for key, each in part.estimates.items()]
        yield from _scenarios(part)
        yield DocumentTable(head, rows, left_aligned=ENDS)
        yield from _strata(part)
        yield from folded(part.cautions, prefix=f"{name}: ")
    yield from _ranks(estimation)


def parts_shown(estimation: Estimation) -> dict[str, RateEstimate]:
    """Return the parts to print; a single system is not repeated as a total."""
    parts = estimation.parts
    if estimation.undecided_only:
        parts = {"undecided": estimation.all} | estimation.systems
    if len(estimation.systems) != 1:
        return parts
    (only,) = estimation.systems.values()
    total = estimation.all
    same = (only.n_labelled, only.n_unlabelled, only.n_missing) == (
        total.n_labelled,
        total.n_unlabelled,
        total.n_missing,
    )
    return dict(estimation.systems) if same else parts


def if_random(part: RateEstimate) -> Iterator[str]:
    """Yield the corrected rate with its condition, if nothing says how labels were chosen."""
    if part.only_if_random and part.reported is not None:
        rate = part.estimates[part.reported]
        option = setting("labels_chosen_by", "random")
        yield f"If these labels are a random sample: {statistic(rate)} ({counted(rate.n, 'label')}); say so with {option}."


def ungraded_of(part: RateEstimate) -> Iterator[str]:
    """Yield a sentence on ungraded outputs, if there are any, with the bounds of the rate."""
    if not part.n_missing:
        return
    between = ""
    if part.bounds is not None:
        low, high = map(decimal, part.bounds)
        which = "those without a label" if part.counts_ungraded else "them"
        between = f": {low} to {high} if all of {which} failed or passed"
    are = "is" if part.n_missing == 1 else "are"
    failed = f" ({part.n_missing_failed:,} by failed calls)" if part.n_missing_failed else ""
    sentence = f"{part.n_missing:,} of {counted(part.n_items, 'output')} {are} ungraded{failed}{between}."
    if part.n_missing_labelled:
        how = "are counted" if part.counts_ungraded else "are not counted"
        sentence += f" Labels of {part.n_missing_labelled:,} of them {how}."
    yield sentence


def label_errors_of(part: RateEstimate) -> Iterator[str]:
    """Say how labels are taken: as exact, or with the errors of the people who label."""
    errors = part.label_errors
    if errors is None or errors.rate is None:
        why = ""
        if errors is not None:
            why = f" ({errors.undefined}; people differ on {errors.n_split:,} of {errors.n:,} outputs)"
        yield f"Labels taken as exact{why}."
        return
    if part.reported == "people_errors":
        yield "Corrected for errors of the people who label, if these are independent of each other and of the judge."
    for name, each in list(errors.people.items())[:_MAX_PEOPLE]:
        yield (
            f"  {name} lets through {statistic(each.let_through)} of bad outputs, "
            f"rejects {statistic(each.rejected)} of good ones (n {each.n:,})"
        )
    if len(errors.people) > _MAX_PEOPLE:
        yield f"  {len(errors.people) - _MAX_PEOPLE:,} more people"
    known = (part.estimates.get(name) for name in ("ppi_plus_plus", "labels_only"))
    exact = next((each for each in known if each is not None and each.value is not None), None)
    if exact is not None:
        yield f"  Labels taken as exact: {statistic(exact)}"


_MAX_PEOPLE = 5
"""Most people whose error rates are printed."""


def by_case(part: RateEstimate) -> str:
    """Say that each case has weight 1, where cases have unequal numbers of trials."""
    if part.n_cases is None:
        return ""
    return f", each of {counted(part.n_cases, 'case')} ({counted(part.n_items, 'output')}) with weight 1"


def bound_of(part: RateEstimate) -> Iterator[str]:
    """Yield a sentence on the rate if the judge is worse on undecided outputs."""
    bound = part.estimates.get("open_worse_by")
    if bound is None or part.worse_by is None:
        return
    if bound.value is None:
        yield f"No bound for undecided outputs: {bound.undefined}."
        return
    points = f"{100 * part.worse_by:g} points"
    yield f"If the judge is up to {points} worse on undecided outputs: {interval(bound.low, bound.high)}, and {bound.value:.2f} if it is not."


def _answer(part: RateEstimate) -> str:
    """Return the estimate to report, with its name in the table below; empty if there is none."""
    name = part.reported
    if name is None:
        return ""
    value, ends, n, _ = statistic_cells(part.estimates[name])
    how = "from the labels alone" if name == "labels_only" else "corrected with the labels"
    how += ", at every look" if name == "anytime" else ""
    condition = "report this one"
    if part.only_if_random:
        condition = f"report this one if labels are a random sample ({setting('labels_chosen_by', 'random')})"
    return f"{' '.join(filter(None, (value, ends)))}, {how} (n {n}); {condition}: {name}"


def _judge(part: RateEstimate) -> Iterator[Piece]:
    value, ends, n, method = statistic_cells(part.uncorrected)
    name = "mean score" if part.fractions else "rate"
    yield f"  judge's {name}, uncorrected: {' '.join(filter(None, (value, ends)))}, n {n}, {method}"
    if part.weight is not None:
        equivalent_labels = part.label_equivalents
        equivalents = (
            ""
            if equivalent_labels is None
            else f"; with the judge, {part.n_labelled:,} labels are as precise as {equivalent_labels:,.0f} alone"
        )
        yield f"  lambda {number(part.weight)}{equivalents}"


def _scenarios(part: RateEstimate) -> Iterator[Piece]:
    """Yield the rate of each scenario, none of which is the answer."""
    if not (scenarios := scenarios_of(part)):
        return
    yield f"  {target_of(part)}"
    rows: list[tuple[str, ...]] = []
    for scenario in scenarios:
        value, ends, n, method = statistic_cells(scenario.rate)
        rows.append((scenario.chosen, scenario.option, value, ends, n, method))
    yield DocumentTable(("chosen", "option", "value", "interval", "n", ""), rows, left_aligned=ENDS, indent=4)
    yield f"  {by_columns(part)}"


def _strata(part: RateEstimate) -> Iterator[Piece]:
    """Yield each stratum separately."""
    if part.strata is None:
        return
    rows: list[tuple[str, ...]] = []
    for name, each in part.strata.items():
        value, ends, _, method = statistic_cells(each.estimate)
        counts = (f"{each.n:,}", f"{each.n_labelled:,}", number(each.weight))
        rows.append((name, *counts, value, ends, method))
    head = ("stratum", "items", "labels", "lambda", "rate", "interval", "")
    yield DocumentTable(head, rows, left_aligned=ENDS, indent=4)


def _ranks(estimation: Estimation) -> Iterator[Piece]:
    """Yield the systems by rank, each with its interval of ranks."""
    placed = {name: part.rank for name, part in estimation.parts.items() if part.rank is not None}
    ranked = sorted((rank.value, name, rank) for name, rank in placed.items() if rank.value is not None)
    if not ranked:
        return
    yield f"Ranks (all of them hold together at {percent(ranked[0][2].level)}):"
    rows = [(f"{value:.0f}", name, places(rank)) for value, name, rank in ranked]
    yield DocumentTable(("rank", "system", "may be"), rows, left_aligned=ENDS)
    yield f"note: {unpaired()}"


def unpaired() -> str:
    """Return the caution about ranks, which take the systems' rates as independent."""
    return f"ranks ignore that systems answered the same cases; use compare {setting('by', 'system')}"


def places(rank: Statistic) -> str:
    """Return the ranks that an interval allows: ``1 to 3``."""
    return f"{rank.low:.0f}" if rank.low == rank.high else f"{rank.low:.0f} to {rank.high:.0f}"
