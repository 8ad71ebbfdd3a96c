"""One screen of a comparison: the best judge or system, all rates, and its lead over each.

`comparison_text` shows the same comparison in full. There are three forms of the screen: by rate, if a leader is known;
by pairs, for statistics without a better end; and rates alone, if no two share an item.
"""

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
from .comparison_text import chance_sentence, flip_lines, measure_of, p_of, terms_of, unlabelled
from .judges_text import BASELINE_NAMES, CONTROL, with_baseline
from .number_text import counted, decimal, if_random, listed, with_interval
from .one_screen import PlotRow, plotted_table, rate_and_n, statistic_text
from .probability_text import probability_pairs
from .ranking_text import ahead, if_chosen, margin_lines, pair_of, ranking_sentence, still_there
from .systems_text import judge_names
from .ungraded_text import ranges_of, ungraded_ranges

_RATE_WORDS = {
    "agrees": "{} verdicts agree with the labels",
    "score": "{} verdicts pass",
    "label": "{} labels pass",
}
"""Wording of a judge's rate in the headline, by what counts as right; ``{}`` stands for n."""

_MAX_NAMED = 5
"""Most names in a sentence; more are counted."""

_LABELS_DECIDE_NOTE = "outputs with a label go by it; with an empty column checker_score in the table, labels correct the judge on all outputs"


def comparison_screen(comparison: Comparison) -> Document:
    """Build the screen in the form that the comparison allows."""
    if comparison.strata is not None:  # of systems, by checkers and judges
        return _rate_screen(comparison)
    if comparison.statistic not in {"accuracy", *RANKED}:
        return _pair_screen(comparison)
    if not any(pair.n for pair in comparison.pairs):
        return _without_common_items(comparison)
    return _rate_screen(comparison) if _leads_are_known(comparison) else _pair_screen(comparison)


def _without_common_items(comparison: Comparison) -> Iterator[Piece]:
    """Yield the rates alone, for judges or systems of which no two share an item."""
    ids_are_row_numbers = any(caution.kind == "row_numbers" for caution in comparison.cautions)
    if ids_are_row_numbers:
        yield f"No item in common: ids are row numbers. Name the id column: {spelled_pairs('map', {'item_id': 'COLUMN'})}"
    else:
        yield f"Nothing to compare: no two {comparison.by}s have an item in common."
    yield ""
    yield from _judge_table(comparison, list(comparison.contenders))
    yield from _other_thresholds(comparison)
    other_cautions = [caution for caution in comparison.cautions if caution.kind != "row_numbers"]
    yield from map(CautionLine, brief_comparison_cautions(other_cautions))


def _leads_are_known(comparison: Comparison) -> bool:
    """Return whether the two best contenders share an item, so that the lead can be computed.

    A baseline is among the two only if there is a single judge.
    """
    leaders = sorted(
        comparison.contenders,
        key=lambda name: (is_baseline_name(name), -(comparison.contenders[name].rate.value or 0.0)),
    )[:2]
    return any(pair.n for pair in comparison.pairs if {pair.a, pair.b} == set(leaders))


def _rate_screen(comparison: Comparison) -> Iterator[Piece]:
    """Yield the best, a table of all rates, the leader's leads, and the limits."""
    leader = None
    if comparison.strata is not None:
        part, where = deciding(comparison.strata)
        leader = next(iter(ranked_rates(part)), None)
        yield best_system(comparison.strata, part.outputs)
        if condition := if_random(rates_if_random(comparison.strata)):
            yield condition
        if chosen_note := if_chosen(labels_contradicted(comparison.strata)):
            yield chosen_note
        yield from margin_lines(part.pairs, where=where)
        yield ""
        yield from _system_tables(comparison, part, where)
        pairs = part.pairs
    else:
        rates = {
            name: contender.simultaneous or contender.rate
            for name, contender in comparison.contenders.items()
        }
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
        yield from _judge_table(comparison, ranked)
        pairs = comparison.pairs
    if leader is not None and (
        leader_pairs := [pair for pair in pairs if leader in {pair.a, pair.b} and pair.n]
    ):
        yield ""
        yield _lead_table(leader_pairs, leader, _names(comparison))
        yield from _unadjusted_note(pairs)
    if pairs_without_items := len(comparison.pairs) - sum(1 for pair in comparison.pairs if pair.n):
        yield f"{counted(pairs_without_items, 'pair')} not compared: no item in common."
    yield from probability_pairs(pairs, _names(comparison))
    for pair in pairs:
        yield from flip_lines(pair, terms_of(comparison))
    yield from _other_thresholds(comparison)
    if (
        comparison.strata is not None
        and comparison.strata.decided.by_labels
        and any(comparison.strata.open.graded.values())
    ):
        yield CautionLine(_LABELS_DECIDE_NOTE)
    yield from map(CautionLine, brief_comparison_cautions(comparison.cautions))


def _best_judge(
    comparison: Comparison, ranked: Sequence[str], rates: Mapping[str, Statistic]
) -> Iterator[str]:
    """Yield the headline on the best judge, or that none is best if the leader may guess.

    A single judge is compared with the word overlap baseline instead.
    """
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
            yield " ".join(_no_best_sentences(comparison, ranked, leader))
            yield from margin_lines(comparison.pairs)
            yield ""
            return
        possessive = "its " if comparison.by == "judge" else ""
        passing = possessive + _RATE_WORDS[comparison.right or "agrees"]
        # A judge that passes more is not therefore better.
        passes_most_only = comparison.by == "judge" and comparison.right == "score"
        leads = "passes most often" if passes_most_only else "is best"
        measure = "" if comparison.statistic == "accuracy" else measure_of(comparison)
        yield ranking_sentence(ranked, rates, comparison.pairs, passing=passing, leads=leads, measure=measure)
        if judges and baseline is not None:
            pair, is_better = pair_of(comparison.pairs, ranked[0], baseline)
            if pair is not None and not is_better:
                yield f"{ranked[0]} is {_not_better_clause(comparison, ranked[0], baseline)}."
        yield from unlabelled(comparison)
        yield from margin_lines(comparison.pairs)
        yield ""


def _against_baseline(comparison: Comparison, judge: str, baseline: str) -> str:
    """Return a sentence on the only judge's statistic, and its lead over the baseline."""
    rate = comparison.contenders[judge].simultaneous or comparison.contenders[judge].rate
    pair, is_better = pair_of(comparison.pairs, judge, baseline)
    lead = (
        f"{statistic_text(ahead(pair, judge))} more than the {CONTROL}"
        if pair is not None and is_better
        else _not_better_clause(comparison, judge, baseline)
    )
    return f"{judge}: {measure_of(comparison)} {statistic_text(rate)} (n {rate.n:,}), {lead}."


def _not_better_clause(comparison: Comparison, judge: str, baseline: str) -> str:
    pair, _ = pair_of(comparison.pairs, judge, baseline)
    lead = f": difference {statistic_text(ahead(pair, judge))}" if pair is not None and pair.n else ""
    return f"not shown to be better than the {CONTROL}{lead}"


def _no_best_sentences(comparison: Comparison, ranked: Sequence[str], leader: Contender) -> Iterator[str]:
    """Yield sentences that no judge is best, as the leader may guess, and who is above chance."""
    statistic = leader.simultaneous or leader.rate
    rate = with_interval(statistic.value or 0.0, statistic.low, statistic.high)
    leads = f"has the highest {measure_of(comparison)} ({rate}, n {statistic.n:,})"
    yield f"No {comparison.by} is best: {ranked[0]} {leads}, but {chance_sentence(comparison, leader)}."
    above_chance = [name for name in ranked if not comparison.contenders[name].may_guess]
    if above_chance:
        who = (
            listed(above_chance)
            if len(above_chance) <= _MAX_NAMED
            else counted(len(above_chance), comparison.by)
        )
        yield f"Shown to be better than chance: {who}."
    else:
        yield f"No {comparison.by} is shown to be better than chance."


def _other_thresholds(comparison: Comparison) -> Iterator[str]:
    """Yield a line on pass thresholds, if some are not the default."""
    changed = {name: threshold for name, threshold in comparison.cuts.items() if threshold.at != HALF}
    if changed:
        thresholds = "; ".join(f"{name} at {threshold}" for name, threshold in changed.items())
        remaining = "" if len(changed) == len(comparison.cuts) else f"; all others at {HALF:g}"
        yield f"thresholds: {thresholds}{remaining}"


def _system_tables(comparison: Comparison, part: ComparedStratum, where: str) -> Iterator[Piece]:
    """Yield a table of systems by the rate that ranks them.

    If all outputs rank them, columns have the rates of the checked and of the judged ones.

    Args:
        comparison: The comparison.
        part: The part of the outputs that ranks systems, see `deciding`.
        where: Words for that part.
    """
    assert comparison.strata is not None
    checked, judged = comparison.strata.decided, comparison.strata.open
    has_both_parts = (
        part is comparison.strata.all and any(checked.outputs.values()) and any(judged.outputs.values())
    )
    names = short_names(part.outputs)
    if names.shared:
        yield f"systems {names.shared}"
    best_first = sorted(
        part.outputs,
        key=lambda name: (
            -(part.rates[name].value or 0.0) if name in part.rates else 1.0
        ),  # those without a rate come last
    )
    rates, by_judges = graded_rates(part), graded_rates(judged)
    rows: list[PlotRow] = []
    for name in best_first:
        part_cells = (
            (rate_and_n(checked.rates.get(name)), rate_and_n(by_judges.get(name))) if has_both_parts else ()
        )
        ungraded = part.outputs[name] - part.graded[name]
        rate = rates.get(name)
        n = "-" if rate is None else f"{rate.n:,}"
        rows.append((names.of(name), rate, (n, *part_cells, f"{ungraded:,}")))
    columns = ("checkers", "judges*") if has_both_parts else ()
    is_corrected = part is comparison.strata.all and bool(part.corrected_systems)
    title = f"{where.removeprefix('on ').removeprefix('the ')}{'*' if is_corrected and not has_both_parts else ''}"
    yield plotted_table("", (title, "n", *columns, "ungraded"), rows)
    yield from ungraded_ranges(ranges_of(part, names.of, best_first))
    if is_corrected:
        undecided = "undecided by checkers, " if has_both_parts else ""
        # Labels of ungraded outputs count, and those of a system that they do not correct do not.
        labels = counted(sum(judged.rates[name].n for name in judged.corrected_systems), "label")
        yield f"* {undecided}judged, corrected with {labels}"


def _judge_table(comparison: Comparison, order: Sequence[str]) -> Iterator[Piece]:
    """Yield a table of judges (or systems) and baselines in the given order, best first.

    It has the compared statistic, accuracy, and costs if known.
    """
    names = _names(comparison)
    if names.shared:
        yield f"{comparison.by}s {names.shared}"
    has_costs = any(contender.costs is not None for contender in comparison.contenders.values())
    is_accuracy = comparison.statistic == "accuracy"
    rows: list[PlotRow] = []
    for name in order:
        contender = comparison.contenders[name]
        rate = contender.simultaneous or contender.rate
        share = () if is_accuracy else (_value_cell(contender.share_right),)
        rows.append(
            (names.of(name), rate, (f"{rate.n:,}", *share, *(_cost_cells(contender) if has_costs else ())))
        )
    baselines = comparison.baselines if is_accuracy else comparison.baselines_compared
    for baseline_name in (known for known in BASELINE_NAMES if known in baselines):
        share = () if is_accuracy else (_value_cell(comparison.baselines[baseline_name]),)
        cells = (f"{baselines[baseline_name].n:,}", *share, *(("-", "-") if has_costs else ()))
        rows.append((BASELINE_NAMES[baseline_name], baselines[baseline_name], cells))
    share = terms_of(comparison).share
    head = (
        (share,)
        if is_accuracy
        else (_STATISTIC_HEADINGS.get(comparison.statistic, comparison.statistic), share)
    )
    yield plotted_table(
        "", (head[0], "n", *head[1:], *(("tokens", "$ per 1,000") if has_costs else ())), rows, scale=""
    )
    if len(order) > 1:
        baseline_count = sum(map(is_baseline_name, order))
        judge_count = len(order) - baseline_count
        who = f"all {counted(len(order), comparison.by)}"
        if judge_count and baseline_count:
            every = "all " if judge_count > 1 else ""
            who = f"{every}{counted(judge_count, comparison.by)} and {counted(baseline_count, 'baseline')}"
        yield f"These intervals hold for {who} at once."


_STATISTIC_HEADINGS = {"balanced_accuracy": "balanced accuracy", "weighted_accuracy": "weighted accuracy"}
"""Headings of the statistics other than accuracy that rank judges."""

RANKED = frozenset(_STATISTIC_HEADINGS)
"""Statistics that rank judges on the first screen, in addition to accuracy."""


def _value_cell(rate: Statistic) -> str:
    return "-" if rate.value is None else decimal(rate.value)


def _names(comparison: Comparison) -> ShortNames:
    return (
        judge_names(list(comparison.contenders))
        if comparison.by == "judge"
        else short_names(comparison.contenders)
    )


def _cost_cells(contender: Contender) -> tuple[str, str]:
    """Return tokens per verdict, and dollars per 1,000 verdicts."""
    if contender.costs is None:
        return "-", "-"
    tokens, dollars = contender.costs.tokens_per_verdict, contender.costs.cost_per_verdict
    return "-" if tokens is None else f"{tokens:,.0f}", "-" if dollars is None else f"{1_000 * dollars:,.4f}"


def _lead_table(pairs: Sequence[ComparedPair], leader: str, names: ShortNames) -> DocumentTable:
    others = {pair.b if pair.a == leader else pair.a: pair for pair in pairs}
    rows = [
        (
            names.of(name),
            statistic_text(ahead(pair, leader)),
            f"{pair.n:,}",
            p_of(pair),
            "" if pair.better is None else "significant",
        )
        for name, pair in others.items()
    ]
    return DocumentTable(
        (f"{names.of(leader)} against", "lead", "n", "adjusted p", ""),
        rows,
        left_aligned=FIRST | {4},
        indent=0,
    )


def _unadjusted_note(pairs: Sequence[ComparedPair]) -> Iterator[str]:
    tested = sum(pair.p is not None for pair in pairs)
    if tested > 1:
        yield f"Intervals are of each pair alone; p is adjusted for {counted(tested, 'pair')}."


def _pair_screen(comparison: Comparison) -> Iterator[Piece]:
    """Yield the pairs, for a statistic without a better end, or if no leader is known."""
    measure = measure_of(comparison)
    pairs = [pair for pair in comparison.pairs if pair.n]
    baseline_pairs = [pair for pair in pairs if with_baseline(pair)]
    compared_pairs = [pair for pair in pairs if pair not in baseline_pairs] or pairs
    significant = sum(pair.better is not None for pair in compared_pairs)
    how_many = f"{significant:,}" if significant else "None"
    possible = "" if significant else still_there(pair.difference for pair in compared_pairs)
    counted_pairs = f"{len(compared_pairs):,} pairs" if len(compared_pairs) > 1 else "1 pair"
    of_judges = f" of {comparison.by}s" if baseline_pairs and compared_pairs != baseline_pairs else ""
    # Words as in: "2 of 3 pairs of judges differ", "1 of 3 pairs differs", "None of 3 pairs differs".
    yield f"{how_many} of {counted_pairs}{of_judges} differ{'' if significant > 1 else 's'} significantly in {measure}.{possible}"
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
    yield from _unadjusted_note(pairs)
    if skipped := len(comparison.pairs) - len(pairs):
        yield f"{counted(skipped, 'pair')} not compared: no item in common."
    for pair in pairs:
        yield from flip_lines(pair, terms_of(comparison))
    yield from map(CautionLine, brief_comparison_cautions(comparison.cautions))
