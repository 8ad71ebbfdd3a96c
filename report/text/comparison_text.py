"""A comparison in full: rates, differences with intervals, tests and limits.

`comparison_screen` is the short form. Contenders are the judges or systems that are compared; of systems, outputs that
checkers decided, others, and all are compared apart (strata).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from ...calibration.chance_verdict import ChanceVerdict
from ...calibration.comparison.comparison_results import (
    ComparedPair,
    ComparedStratum,
    Comparison,
    Contender,
    Costs,
)
from ...calibration.pass_threshold import HALF, PassThreshold
from ...calibration.statistic import Statistic
from ...spelling import setting
from ..document import CautionLine, Piece, document
from ..document_parts import ENDS, DocumentTable
from .caution_text import comparison_cautions
from .judges_text import BASELINE_NAMES
from .number_text import correction, counted, if_random, number, p_value, statistic_cells, with_interval
from .probability_text import probability_pairs
from .ranking_text import if_chosen, margin_lines
from .ungraded_text import ranges_of, ungraded_ranges

_PAIR_RATES = ("rate of a", "rate of b")
"""Headings of the rates behind a difference."""

_ADJUSTED = "adjusted p"
"""Heading of p-values adjusted for several pairs."""

_COUNTS_NOTE = "a only, b only: outputs on which only one agrees with the label; they are of accuracy, as are exact_p, midp, holm_p, bh_p and by_p of the JSON"
"""Note for comparisons by another statistic: counts and tests are still of accuracy."""

_COST_HEADINGS = ("tokens a verdict", "$ per 1,000", "calls")


class _Terms(NamedTuple):
    """Wording for one kind of comparison; ``{}`` stands for a name.

    Attributes:
        share: The compared rate.
        ahead: One of a pair has the higher rate.
        alone: Only one of a pair passes or agrees on an item.
        best: First words of the sentence on the best of all.
    """

    share: str
    ahead: str
    alone: str
    best: str


_AGREES = _Terms("accuracy", "{} agrees with labels more often", "only {} agrees with the label", "Best")

_JUDGED = _Terms(
    "judge accuracy", "the judge agrees with labels more often on {}", "agrees on {} only,", "Judged best"
)

_PASSES = _Terms("pass rate", "{} passes more often", "only {} passes", "Best")

_UNLABELLED = _Terms("pass rate", "{} passes more often", "only {} passes", "Highest pass rate")
"""Wording for judges without labels, of which one that passes more is not therefore better."""

_AGREEMENT_DEFINITION = "agreement: score and label fall on the same side of the threshold"


def _judging_note() -> str:
    option = setting("right")
    return (
        f"note: this is how well systems are judged, not how good they are; without {option} that is compared"
    )


@document
def comparison_document(comparison: Comparison) -> Iterator[Piece]:
    """Build the full document of a comparison."""
    terms = terms_of(comparison)
    yield from _definition_lines(comparison)
    yield from _stratum_pieces(comparison, terms)
    if comparison.strata is None:
        yield from _pair_pieces(comparison.pairs, comparison.statistic, terms)
        yield from probability_pairs(comparison.pairs)
        yield from _contender_table(comparison.contenders, terms.share)
    elif any(contender.costs is not None for contender in comparison.contenders.values()):
        yield from _contender_table(comparison.contenders, terms.share)
    yield from _statistic_table(comparison)
    yield from _best_lines(comparison, terms)
    yield from (
        f"{name}{'' if comparison.by == 'judge' else ':'} {chance_sentence(comparison, contender)}"
        for name, contender in comparison.contenders.items()
        if contender.may_guess
    )
    yield from map(CautionLine, comparison_cautions(comparison.cautions))


def terms_of(comparison: Comparison) -> _Terms:
    """Return the wording for what is compared."""
    if comparison.right == "agrees":
        return _AGREES if comparison.by == "judge" else _JUDGED
    return _UNLABELLED if comparison.by == "judge" and comparison.right == "score" else _PASSES


_MEASURES = {
    "balanced_accuracy": "balanced accuracy",
    "weighted_accuracy": "accuracy weighted by the costs of errors",
}
"""Statistics in words; a statistic without words here is shown by its name."""


def measure_of(comparison: Comparison) -> str:
    """Return the compared statistic of a comparison in words."""
    return measure_words(comparison.statistic, terms_of(comparison))


def measure_words(statistic: str, terms: _Terms) -> str:
    """Return a statistic in words; accuracy is worded by what is compared."""
    return terms.share if statistic == "accuracy" else _MEASURES.get(statistic, statistic)


def _definition_lines(comparison: Comparison) -> Iterator[str]:
    if comparison.right == "agrees":
        yield f"{_AGREEMENT_DEFINITION} ({thresholds_text(comparison.cuts)})"
        if comparison.by == "system":
            yield _judging_note()
    elif comparison.right is not None:
        passes = "right" if comparison.by == "system" else "passes"
        yield f"{passes}: the {comparison.right} reaches the threshold ({thresholds_text(comparison.cuts)})"
        yield from unlabelled(comparison)
    elif any(threshold.at != HALF for threshold in comparison.cuts.values()):
        yield f"thresholds of verdicts ({thresholds_text(comparison.cuts)})"


def unlabelled(comparison: Comparison) -> Iterator[str]:
    """Yield a caution if judges are compared without labels."""
    if terms_of(comparison) is _UNLABELLED:
        yield "Without labels only pass rates are compared; which judge agrees with labels more often is unknown."


_CHANCE_SENTENCES: dict[ChanceVerdict, str] = {  # {} stands for the verb
    "too few labels": "{} too few labels to be shown better than chance",
    "no better than chance": "{} no better than chance",
    "not shown to be better": "{} not shown to be better than chance",
}


def chance_sentence(comparison: Comparison, contender: Contender) -> str:
    """Return a predicate on a contender that may be no better than guessing, without its name."""
    if contender.not_above_chance is None:
        baseline = BASELINE_NAMES[contender.not_above or "always_pass"]
        return f"is not shown to cost less than {baseline!r}"
    too_few = contender.not_above_chance == "too few labels"
    verb = {"judge": ("has", "is"), "system": ("its verdicts have", "its verdicts are")}[comparison.by]
    sentence = _CHANCE_SENTENCES[contender.not_above_chance].format(verb[0] if too_few else verb[1])
    balanced = contender.chance_interval
    if balanced is None or balanced.value is None:
        return sentence
    return f"{sentence} (balanced accuracy {with_interval(balanced.value, balanced.low, balanced.high)})"


def thresholds_text(thresholds: Mapping[str, PassThreshold]) -> str:
    """Return the judges' thresholds in words, or the common one."""
    if len(set(thresholds.values())) <= 1:
        threshold = next(iter(thresholds.values()), PassThreshold())
        return f"{threshold.at:g}" if threshold.source == "default" else str(threshold)
    return "; ".join(f"{judge} at {threshold}" for judge, threshold in thresholds.items())


def _stratum_pieces(comparison: Comparison, terms: _Terms) -> Iterator[Piece]:
    if comparison.strata is None:
        return
    decided, undecided, whole = comparison.strata.decided, comparison.strata.open, comparison.strata.all
    if any(decided.outputs.values()):
        yield "Labelled outputs:" if decided.by_labels else f"Checked outputs, by {', '.join(decided.by)}:"
        yield from _stratum_tables(decided, terms)
    if any(undecided.outputs.values()):
        yield f"{'Other' if decided.by_labels else 'Undecided'} outputs, {_correction_clause(undecided)}:"
        yield from _stratum_tables(undecided, terms)
        if condition := if_random(undecided.if_random):
            yield f"  {condition}"
        if chosen_note := if_chosen(undecided.contradicted):
            yield f"  {chosen_note}"
        yield from _single_judge_table(undecided.judges)
    if any(decided.outputs.values()) and any(undecided.outputs.values()):
        yield "All outputs, each part weighted by its number of outputs:"
        yield from _stratum_tables(whole, terms)


def _correction_clause(stratum: ComparedStratum) -> str:
    if not stratum.by:
        return "not judged"
    correction_words = "not corrected for the judge's errors"
    if stratum.corrected_systems:
        correction_words = correction(stratum.corrected_systems, stratum.rates)
    return f"judged by {', '.join(stratum.by)}, {correction_words}"


def _single_judge_table(judges: Mapping[str, ComparedStratum]) -> Iterator[Piece]:
    """Yield a table of the pairs by each judge alone; several judges may grade an output."""
    pairs = [(judge, pair) for judge, stratum in judges.items() for pair in stratum.pairs if pair.n]
    if pairs:
        yield "  by each judge alone, on what it judged:"
        columns = _columns([pair for _, pair in pairs], "difference")
        rows = [(judge, *_row(pair, columns)) for judge, pair in pairs]
        yield DocumentTable(("judge", *columns), rows, left_aligned=ENDS, indent=4)


def _stratum_tables(stratum: ComparedStratum, terms: _Terms) -> Iterator[Piece]:
    rows: list[tuple[str, ...]] = []
    for name, rate in stratum.rates.items():
        value, interval, n, method = statistic_cells(rate)
        ungraded = stratum.outputs[name] - stratum.graded[name]
        rows.append((name, value, interval, f"{n} ({ungraded:,} ungraded)" if ungraded else n, method))
    yield DocumentTable(("", terms.share, "interval", "n", ""), rows, left_aligned=ENDS)
    yield from (f"  {sentence}" for sentence in ungraded_ranges(ranges_of(stratum, str, stratum.rates)))
    yield from _pair_pieces(stratum.pairs, "accuracy", terms)


def _pair_pieces(pairs: Sequence[ComparedPair], statistic: str, terms: _Terms) -> Iterator[Piece]:
    """Yield a table of the pairs with a common item, and a sentence on each."""
    compared = [pair for pair in pairs if pair.n]
    measure = measure_words(statistic, terms)
    if compared:
        columns = _columns(compared, f"difference of {measure}")
        yield DocumentTable(columns, [_row(pair, columns) for pair in compared], left_aligned=ENDS)
        yield f"  p: {_test_name(compared, statistic)}"
        if statistic != "accuracy":
            yield f"  {_COUNTS_NOTE}"
    if len(compared) < len(pairs):
        skipped = counted(len(pairs) - len(compared), "pair")
        yield f"{skipped} not compared: no item in common"
    tested = sum(pair.adjusted_p is not None for pair in compared)
    for pair in compared:
        yield f"{pair.a} and {pair.b}: {_verdict(pair, measure, terms, tested)}"
        if pair.auroc_difference is not None:
            area_difference = pair.auroc_difference
            yield f"  areas under the ROC curve differ by {number(area_difference.value)}, DeLong's p {p_value(area_difference.delong_holm_p)}"
        yield from flip_lines(pair, terms)
    yield from margin_lines(compared)


def flip_lines(pair: ComparedPair, terms: _Terms) -> Iterator[str]:
    """Yield a line per item of ``flips``, on which exactly one of the pair is right."""
    yield from (f"  {terms.alone.format(flip.right)} on {flip.item_id}" for flip in pair.flips)


def p_of(pair: ComparedPair) -> str:
    """Format the p-value that decides significance: adjusted if there are several pairs."""
    return p_value(pair.p if pair.adjusted_p is None else pair.adjusted_p)


def _columns(pairs: Sequence[ComparedPair], difference: str) -> tuple[str, ...]:
    """Return the headings of a table of pairs, without rates or adjusted p if no pair has them."""
    rate_headings = _PAIR_RATES if any(pair.rate_a is not None for pair in pairs) else ()
    adjusted_heading = (_ADJUSTED,) if sum(pair.p is not None for pair in pairs) > 1 else ()
    return (
        "pair",
        "n",
        "a only",
        "b only",
        *rate_headings,
        difference,
        "interval",
        "p",
        *adjusted_heading,
        "",
    )


def _row(pair: ComparedPair, columns: Sequence[str]) -> tuple[str, ...]:
    value, interval, _, method = statistic_cells(pair.difference)
    # Counts of uncorrected verdicts would contradict a corrected difference.
    counts = ("-", "-") if pair.corrected else (f"{pair.a_only_right:,}", f"{pair.b_only_right:,}")
    rates = [_rate(pair.rate_a), _rate(pair.rate_b)] if _PAIR_RATES[0] in columns else []
    adjusted_p_cells = [p_value(pair.adjusted_p)] if _ADJUSTED in columns else []
    raw_p = p_value(pair.p)
    return (
        f"{pair.a} - {pair.b}",
        f"{pair.n:,}",
        *counts,
        *rates,
        value,
        interval,
        raw_p,
        *adjusted_p_cells,
        method,
    )


def _rate(rate: Statistic | None) -> str:
    return "-" if rate is None or rate.value is None else number(rate.value)


def _test_name(pairs: Sequence[ComparedPair], statistic: str) -> str:
    """Name the test behind the p-values of these pairs, and the adjustment if there are several."""
    unclustered_test = (
        "McNemar's mid-p" if statistic == "accuracy" else "of the test that the interval inverts"
    )
    is_clustered = [pair.clustered_p is not None for pair in pairs if pair.p is not None]
    test_name = "of a test over clusters" if is_clustered and all(is_clustered) else unclustered_test
    if any(is_clustered) and not all(is_clustered):
        test_name = f"of a test over clusters where items cluster, else {unclustered_test}"
    if len(is_clustered) == 1:
        return test_name
    return f"{test_name}, of each pair alone, as the interval; adjusted p: for {counted(len(is_clustered), 'pair')} (Holm)"


def _verdict(pair: ComparedPair, measure: str, terms: _Terms, tested: int) -> str:
    """Say which of a pair is ahead, or what difference could have been found.

    Args:
        pair: The pair.
        measure: The compared statistic in words.
        terms: Wording of the comparison.
        tested: Number of pairs that p is adjusted for.
    """
    difference = pair.difference
    if difference.value is None or pair.p is None:
        return f"not tested: {difference.undefined or difference.method}"
    higher = pair.a if difference.value > 0 else pair.b
    is_rate = measure == terms.share
    ahead = terms.ahead.format(higher) if is_rate else f"{higher} has the higher {measure}"
    if pair.better is not None:
        return ahead
    if pair.p <= 1 - difference.level:
        return f"{ahead} if this pair is looked at alone; as one of {tested} pairs it may be chance (adjusted p {p_value(pair.adjusted_p)})"
    detectable = pair.smallest_visible
    if detectable is None:
        return "no evidence of a difference"
    if is_rate and detectable > 1:  # rates cannot differ by more
        return "no evidence of a difference; so few items would not show any, however large"
    in_measure = "" if is_rate else f" in {measure}"
    return f"no evidence of a difference; a true difference of {number(detectable)}{in_measure} would be found four times in five"


def _contender_table(contenders: Mapping[str, Contender], share: str) -> Iterator[Piece]:
    """Yield a table of contenders on all their rows: accuracy or pass rate, and costs if known."""
    priced = any(contender.costs is not None for contender in contenders.values())
    yield (
        "Each on all its rows, with costs (tokens of cached replies count; a system costs what its judges cost):"
        if priced
        else "Each on all its rows:"
    )
    rows: list[tuple[str, ...]] = []
    for name, contender in contenders.items():
        value, interval, n, method = statistic_cells(contender.share_right)
        if contender.n_left_out:
            n += f" ({contender.n_left_out:,} left out)"
        rows.append((name, value, interval, n, *(_cost_cells(contender.costs) if priced else ()), method))
    yield DocumentTable(
        ("", share, "interval", "n", *(_COST_HEADINGS if priced else ()), ""), rows, left_aligned=ENDS
    )


def _statistic_table(comparison: Comparison) -> Iterator[Piece]:
    """Yield a table of the compared statistic by judge and baseline, unless that is accuracy."""
    contenders = {
        name: contender.simultaneous
        for name, contender in comparison.contenders.items()
        if contender.compared
    }
    baselines = {BASELINE_NAMES[name]: statistic for name, statistic in comparison.baselines_compared.items()}
    if contenders:
        yield f"Compared, with intervals that hold for all {len(contenders)} at once:"
        rows: list[tuple[str, ...]] = []
        for name, statistic in {**contenders, **baselines}.items():
            assert statistic is not None
            value, interval, n, method = statistic_cells(statistic)
            rows.append((name, value, interval, n, method))
        yield DocumentTable(("", measure_of(comparison), "interval", "n", ""), rows, left_aligned=ENDS)


def _cost_cells(costs: Costs | None) -> tuple[str, ...]:
    if costs is None:
        return ("not known",) * len(_COST_HEADINGS)
    per_thousand = None if costs.cost_per_verdict is None else 1_000 * costs.cost_per_verdict
    return _amount(costs.tokens_per_verdict, 0), _amount(per_thousand, 4), _amount(costs.calls, 0)


def _amount(value: float | None, decimals: int) -> str:
    return "not known" if value is None else f"{value:,.{decimals}f}"


def _best_lines(comparison: Comparison, terms: _Terms) -> Sequence[str]:
    """Return lines on the best of all contenders, corrected for having been chosen as the best."""
    best = comparison.best
    if best is None or best.held_out.value is None or best.optimism is None:
        return []
    value, interval, _, _ = statistic_cells(best.apparent)
    contenders = len(comparison.contenders)
    return [
        f"{terms.best} of all on the {best.n:,} items common to all: {best.name}, {value} {interval}, which allows for having been chosen of {contenders}",
        f"  chosen and scored on different clusters: {number(best.held_out.value)} (optimism {number(best.optimism)}); no interval: the splits share their items",
    ]
