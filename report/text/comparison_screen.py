"""One screen of a comparison: the best, the rates of all, and its lead over each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from ...calibration.comparison.comparison_results import (
    ComparedPair,
    ComparedStratum,
    Comparison,
    Contender,
)
from ...calibration.pass_threshold import HALF
from ...calibration.statistic import Statistic
from ...judges.baseline import is_baseline_name
from ...spelling import spelled_pairs
from ..document import CautionLine, Document, Piece
from ..document_parts import FIRST, DocumentTable
from ..items.naming import ShortNames, pair_name, short_names
from ..ranking import best_system, deciding, graded_rates, labels_contradicted, ranked_rates, rates_if_random
from .caution_text import brief_comparison_cautions
from .comparison_text import chance_sentence, flip_lines, measure_of, p_of, ranges_of, terms_of, unlabelled
from .judges_text import BASELINE_NAMES, CONTROL
from .number_text import counted, decimal, if_random, listed, with_interval
from .one_screen import PlotRow, plotted_table, rate_and_n, statistic_text
from .probability_text import probability_pairs
from .ranking_text import ahead, if_chosen, margin_lines, pair_of, ranking_sentence, still_there
from .systems_text import judge_names
from .ungraded_text import ungraded_ranges

_RIGHT = {
    "agrees": "{} verdicts agree with the labels",
    "score": "{} verdicts pass",
    "label": "{} labels pass",
}
"""Wording of a judge's rate in the headline, by what counts as right."""


_MAX_ABOVE = 5
"""Most names in a sentence; more are counted."""

_LABELS_DECIDE = "outputs with a label go by it; with an empty column checker_score in the table, labels correct the judge on all outputs"


def comparison_screen(comparison: Comparison) -> Document:
    """Name the best, with its rate and lead."""
    if comparison.strata is not None:
        return _by_rate(comparison)
    if comparison.statistic not in {"accuracy", *RANKED}:
        return _by_statistic(comparison)
    if not any(pair.n for pair in comparison.pairs):
        return _apart(comparison)
    return _by_rate(comparison) if _leads_are_known(comparison) else _by_statistic(comparison)


def _apart(comparison: Comparison) -> Iterator[Piece]:
    """Yield the rate of each where no two have an item in common."""
    numbered = any(caution.kind == "row_numbers" for caution in comparison.cautions)
    if numbered:
        yield f"No item in common: ids are row numbers. Name the id column: {spelled_pairs('map', {'item_id': 'COLUMN'})}"
    else:
        yield f"Nothing to compare: no two {comparison.by}s have an item in common."
    yield ""
    yield from _judges(comparison, list(comparison.contenders))
    yield from _thresholds(comparison)
    others = [caution for caution in comparison.cautions if caution.kind != "row_numbers"]
    yield from map(CautionLine, brief_comparison_cautions(others))


def _leads_are_known(comparison: Comparison) -> bool:
    """Return whether the two best judges, or one and a baseline, have an item in common."""
    leaders = sorted(
        comparison.contenders,
        key=lambda name: (is_baseline_name(name), -(comparison.contenders[name].rate.value or 0.0)),
    )[:2]
    return any(pair.n for pair in comparison.pairs if {pair.a, pair.b} == set(leaders))


def _by_rate(comparison: Comparison) -> Iterator[Piece]:
    """Yield the best, the rates of all, the leader's lead over the others, and the limits."""
    leader = None
    if comparison.strata is not None:
        part, where = deciding(comparison.strata)
        leader = next(iter(ranked_rates(part)), None)
        yield best_system(comparison.strata, part.outputs)
        if condition := if_random(rates_if_random(comparison.strata)):
            yield condition
        if chosen := if_chosen(labels_contradicted(comparison.strata)):
            yield chosen
        yield from margin_lines(part.pairs, where=where)
        yield ""
        yield from _systems(comparison, part, where)
        pairs = part.pairs
    else:
        rates = {name: each.simultaneous or each.rate for name, each in comparison.contenders.items()}
        ranked = sorted(
            rates,
            key=lambda name: (
                is_baseline_name(name),
                -(rates[name].value or 0.0),
                comparison.contenders[name].may_guess,
            ),
        )
        defined = [name for name in ranked if rates[name].value is not None]
        leader = next(iter(defined), None)
        yield from _best_judge(comparison, defined, rates)
        yield from _judges(comparison, ranked)
        pairs = comparison.pairs
    if leader is not None and (rows := [pair for pair in pairs if leader in {pair.a, pair.b} and pair.n]):
        yield ""
        yield _leads(rows, leader, _names(comparison))
        yield from _each_alone(pairs)
    if skipped := len(comparison.pairs) - sum(1 for pair in comparison.pairs if pair.n):
        yield f"{counted(skipped, 'pair')} not compared: no item in common."
    yield from probability_pairs(pairs, _names(comparison))
    for pair in pairs:
        yield from flip_lines(pair, terms_of(comparison))
    yield from _thresholds(comparison)
    if (
        comparison.strata is not None
        and comparison.strata.decided.by_labels
        and any(comparison.strata.open.graded.values())
    ):
        yield CautionLine(_LABELS_DECIDE)
    yield from map(CautionLine, brief_comparison_cautions(comparison.cautions))


def _best_judge(
    comparison: Comparison, ranked: Sequence[str], rates: Mapping[str, Statistic]
) -> Iterator[str]:
    """Name the best judge, unless it may guess; set the only one against the baseline."""
    judges = [name for name in ranked if not is_baseline_name(name)]
    baseline = next((name for name in ranked if is_baseline_name(name)), None)
    if len(judges) == 1 and baseline is not None:
        yield _against_baseline(comparison, judges[0], baseline)
        yield ""
        return
    ranked = judges or ranked
    if len(ranked) > 1:
        leader = comparison.contenders[ranked[0]]
        if leader.may_guess and pair_of(comparison.pairs, ranked[0], ranked[1])[1]:
            yield " ".join(_no_best(comparison, ranked, leader))
            yield from margin_lines(comparison.pairs)
            yield ""
            return
        its = "its " if comparison.by == "judge" else ""
        passing = its + _RIGHT[comparison.right or "agrees"]
        lenient = comparison.by == "judge" and comparison.right == "score"
        leads = "passes most often" if lenient else "is best"
        measure = "" if comparison.statistic == "accuracy" else measure_of(comparison)
        yield ranking_sentence(ranked, rates, comparison.pairs, passing=passing, leads=leads, measure=measure)
        if judges and baseline is not None and not pair_of(comparison.pairs, ranked[0], baseline)[1]:
            yield f"{ranked[0]} is {_not_above(comparison, ranked[0], baseline)}."
        yield from unlabelled(comparison)
        yield from margin_lines(comparison.pairs)
        yield ""


def _against_baseline(comparison: Comparison, judge: str, baseline: str) -> str:
    """Return the statistic of the only judge, and its lead over a baseline."""
    rate = comparison.contenders[judge].simultaneous or comparison.contenders[judge].rate
    pair, is_better = pair_of(comparison.pairs, judge, baseline)
    lead = (
        f"{statistic_text(ahead(pair, judge))} more than the {CONTROL}"
        if pair is not None and is_better
        else _not_above(comparison, judge, baseline)
    )
    return f"{judge}: {measure_of(comparison)} {statistic_text(rate)} (n {rate.n:,}), {lead}."


def _not_above(comparison: Comparison, judge: str, baseline: str) -> str:
    pair, _ = pair_of(comparison.pairs, judge, baseline)
    lead = f": difference {statistic_text(ahead(pair, judge))}" if pair is not None and pair.n else ""
    return f"not shown to be better than the {CONTROL}{lead}"


def with_baseline(pair: ComparedPair) -> bool:
    """Return whether one of a pair is a word overlap baseline."""
    return is_baseline_name(pair.a) or is_baseline_name(pair.b)


def _no_best(comparison: Comparison, ranked: Sequence[str], leader: Contender) -> Iterator[str]:
    """Say why the leader is not the best, and name those above chance."""
    share = leader.simultaneous or leader.rate
    rate = with_interval(share.value or 0.0, share.low, share.high)
    leads = f"has the highest {measure_of(comparison)} ({rate}, n {share.n:,})"
    yield f"No {comparison.by} is best: {ranked[0]} {leads}, but {chance_sentence(comparison, leader)}."
    above = [name for name in ranked if not comparison.contenders[name].may_guess]
    if above:
        which = listed(above) if len(above) <= _MAX_ABOVE else counted(len(above), comparison.by)
        yield f"Shown to be better than chance: {which}."
    else:
        yield f"No {comparison.by} is shown to be better than chance."


def _thresholds(comparison: Comparison) -> Iterator[str]:
    """Name the thresholds other than the default."""
    others = {name: each for name, each in comparison.cuts.items() if each.at != HALF}
    if others:
        thresholds = "; ".join(f"{name} at {each}" for name, each in others.items())
        remaining = "" if len(others) == len(comparison.cuts) else f"; all others at {HALF:g}"
        yield f"thresholds: {thresholds}{remaining}"


def _systems(comparison: Comparison, part: ComparedStratum, where: str) -> Iterator[Piece]:
    """Yield systems by the rate that ranks them, with the rates by checkers and judges."""
    assert comparison.strata is not None
    checked, judged = comparison.strata.decided, comparison.strata.open
    both = part is comparison.strata.all and any(checked.outputs.values()) and any(judged.outputs.values())
    names = short_names(part.outputs)
    if names.shared:
        yield f"systems {names.shared}"
    order = sorted(
        part.outputs, key=lambda name: -(part.rates[name].value or 0.0) if name in part.rates else 1.0
    )
    rates, by_judges = graded_rates(part), graded_rates(judged)
    rows: list[PlotRow] = []
    for name in order:
        behind = (rate_and_n(checked.rates.get(name)), rate_and_n(by_judges.get(name))) if both else ()
        ungraded = part.outputs[name] - part.graded[name]
        rate = rates.get(name)
        n = "-" if rate is None else f"{rate.n:,}"
        rows.append((names.of(name), rate, (n, *behind, f"{ungraded:,}")))
    columns = ("checkers", "judges*") if both else ()
    corrected = part is comparison.strata.all and bool(part.corrected_systems)
    title = f"{where.removeprefix('on ').removeprefix('the ')}{'*' if corrected and not both else ''}"
    yield plotted_table("", (title, "n", *columns, "ungraded"), rows)
    yield from ungraded_ranges(ranges_of(part, names.of, order))
    if corrected:
        undecided = "undecided by checkers, " if both else ""
        # Labels of ungraded outputs count, and those of a system that they do not correct do not.
        labels = counted(sum(judged.rates[name].n for name in judged.corrected_systems), "label")
        yield f"* {undecided}judged, corrected with {labels}"


def _judges(comparison: Comparison, order: Sequence[str]) -> Iterator[Piece]:
    """Yield judges and baselines by the compared statistic, with their accuracy."""
    names = _names(comparison)
    if names.shared:
        yield f"{comparison.by}s {names.shared}"
    priced = any(contender.costs is not None for contender in comparison.contenders.values())
    by_share = comparison.statistic == "accuracy"
    rows: list[PlotRow] = []
    for name in order:
        each = comparison.contenders[name]
        rate = each.simultaneous or each.rate
        share = () if by_share else (_decimal(each.share_right),)
        rows.append((names.of(name), rate, (f"{rate.n:,}", *share, *(_cost(each) if priced else ()))))
    baselines = comparison.baselines if by_share else comparison.baselines_compared
    for key in (baseline_name for baseline_name in BASELINE_NAMES if baseline_name in baselines):
        share = () if by_share else (_decimal(comparison.baselines[key]),)
        behind = (f"{baselines[key].n:,}", *share, *(("-", "-") if priced else ()))
        rows.append((BASELINE_NAMES[key], baselines[key], behind))
    share = terms_of(comparison).share
    head = (share,) if by_share else (_HEADS.get(comparison.statistic, comparison.statistic), share)
    yield plotted_table(
        "", (head[0], "n", *head[1:], *(("tokens", "$ per 1,000") if priced else ())), rows, scale=""
    )
    if len(order) > 1:
        baselines = sum(map(is_baseline_name, order))
        judges = len(order) - baselines
        who = f"all {counted(len(order), comparison.by)}"
        if judges and baselines:
            every = "all " if judges > 1 else ""
            who = f"{every}{counted(judges, comparison.by)} and {counted(baselines, 'baseline')}"
        yield f"These intervals hold for {who} at once."


_HEADS = {"balanced_accuracy": "balanced accuracy", "weighted_accuracy": "weighted accuracy"}
"""Headings of the statistics that rank judges."""

RANKED = frozenset(_HEADS)
"""Statistics that rank judges on the first screen, besides accuracy."""


def _decimal(rate: Statistic) -> str:
    return "-" if rate.value is None else decimal(rate.value)


def _names(comparison: Comparison) -> ShortNames:
    return (
        judge_names(list(comparison.contenders))
        if comparison.by == "judge"
        else short_names(comparison.contenders)
    )


def _cost(contender: Contender) -> tuple[str, str]:
    """Return tokens a verdict, and dollars per 1,000 verdicts."""
    if contender.costs is None:
        return "-", "-"
    tokens, money = contender.costs.tokens_per_verdict, contender.costs.cost_per_verdict
    return "-" if tokens is None else f"{tokens:,.0f}", "-" if money is None else f"{1_000 * money:,.4f}"


def _leads(pairs: Sequence[ComparedPair], leader: str, names: ShortNames) -> DocumentTable:
    """Return the leader's lead over each of the others."""
    others = {pair.b if pair.a == leader else pair.a: pair for pair in pairs}
    rows = [
        (names.of(name), statistic_text(ahead(pair, leader)), f"{pair.n:,}", p_of(pair), _significant(pair))
        for name, pair in others.items()
    ]
    return DocumentTable(
        (f"{names.of(leader)} against", "lead", "n", "adjusted p", ""),
        rows,
        left_aligned=FIRST | {4},
        indent=0,
    )


def _each_alone(pairs: Sequence[ComparedPair]) -> Iterator[str]:
    """Say that intervals are not adjusted for several pairs, as the p-values are."""
    tested = sum(pair.p is not None for pair in pairs)
    if tested > 1:
        yield f"Intervals are of each pair alone; p is adjusted for {counted(tested, 'pair')}."


def _significant(pair: ComparedPair) -> str:
    return "significant" if pair.better is not None else ""


def _by_statistic(comparison: Comparison) -> Iterator[Piece]:
    """Yield the pairs by a statistic, which has no leader or no better end."""
    measure = measure_of(comparison)
    pairs = [pair for pair in comparison.pairs if pair.n]
    controls = [pair for pair in pairs if with_baseline(pair)]
    judged = [pair for pair in pairs if pair not in controls] or pairs
    different = sum(pair.better is not None for pair in judged)
    share = f"{different:,}" if different else "None"
    possible = "" if different else still_there(pair.difference for pair in judged)
    which = f"{len(judged):,} pairs" if len(judged) > 1 else "1 pair"
    of_judges = f" of {comparison.by}s" if controls and judged != controls else ""
    yield f"{share} of {which}{of_judges} differ{'' if different > 1 else 's'} significantly in {measure}.{possible}"
    yield from margin_lines(pairs)
    yield from unlabelled(comparison)
    yield ""
    names = _names(comparison)
    rows = [
        (
            pair_name(names.of(pair.a), names.of(pair.b)),
            statistic_text(pair.difference),
            f"{pair.n:,}",
            p_of(pair),
        )
        for pair in sorted(
            pairs,
            key=lambda pair: (with_baseline(pair), pair.better is None, 1.0 if pair.p is None else pair.p),
        )
    ]
    shared = f" ({names.shared})" if names.shared else ""
    yield DocumentTable((f"pair{shared}", "difference", "n", "adjusted p"), rows, indent=0)
    yield from _each_alone(pairs)
    if skipped := len(comparison.pairs) - len(pairs):
        yield f"{counted(skipped, 'pair')} not compared: no item in common."
    for pair in pairs:
        yield from flip_lines(pair, terms_of(comparison))
    yield from map(CautionLine, brief_comparison_cautions(comparison.cautions))
