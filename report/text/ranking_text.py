"""Sentences on who is best, on margins between two, and on rates if labels were chosen.

`ranking_sentence` names the best of several systems or judges, or says that no difference is significant.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from msgspec.structs import replace

from ...calibration.comparison.comparison_results import ComparedPair, ContradictedLabels, Margin
from ...calibration.statistic import Statistic
from ...spelling import command
from . import number_text
from .number_text import counted, decimal, listed, statistic

ON_ALL, ON_CHECKED, ON_LABELLED, ON_JUDGED, ON_CORRECTED = (
    "on all outputs",
    "on the checked outputs",
    "on the labelled outputs",
    "on the judged outputs, uncorrected",
    "on the judged outputs, corrected with labels",
)
"""Words for the part of the outputs that is compared; they are keys of tables by part, too."""

_COMMON_OUTPUTS = {
    ON_ALL: ("common output", ""),
    ON_CHECKED: ("common checked output", ""),
    ON_LABELLED: ("common labelled output", ""),
    ON_JUDGED: ("common judged output", ", uncorrected"),
    ON_CORRECTED: ("common judged output", ", corrected with labels"),
}
"""Noun for the outputs that two systems share, by part, and the words after it."""


def ranking_sentence(
    ranked: Iterable[str],
    rates: Mapping[str, Statistic],
    pairs: Sequence[ComparedPair],
    *,
    passing: str,
    where: str = "",
    leads: str = "is best",
    judged_by: JudgedBy | None = None,
    measure: str = "",
) -> str:
    """Name the best and its lead, or say that no difference is significant.

    Args:
        ranked: Names of two or more, the best first.
        rates: The rate of each.
        pairs: Their differences.
        passing: Words for the rate; ``{}`` stands for n.
        where: Words for the compared part, such as ``on all outputs``.
        leads: Words for having the highest rate.
        judged_by: Judges whose uncorrected verdicts make the rates; they prefer a system, but prove none best.
        measure: Name of the compared statistic, if it is no rate.
    """
    names = list(ranked)
    if len(names) < 2:  # noqa: PLR2004 - one is compared with none
        return f"No significant difference between systems yet: only {names[0]} has a rate {where}."
    leader, second = names[:2]
    beaten = [name for name in names[1:] if pair_of(pairs, leader, name)[1]]
    ranking = _Ranking(names, beaten, pair_of(pairs, leader, second)[0], rates, pairs, measure)
    if not ranking.lead:
        return _not_compared_sentence(ranking, passing, where)
    if second in beaten:
        return _best_sentence(ranking, passing, leads, judged_by)
    common_items = _common_items(pairs, leader, second, where)
    if judged_by is not None:
        common_items += f" ({judged_by.names})"
    return _no_difference_sentence(ranking, common_items, passing)


class JudgedBy(NamedTuple):
    """Judges whose verdicts make a rate without correction by labels.

    Attributes:
        judges: Their names.
        labelled: True if labels test some of their verdicts.
    """

    judges: Sequence[str]
    labelled: bool

    @property
    def names(self) -> str:
        """The name of a single judge, or ``judges``."""
        return self.judges[0] if len(self.judges) == 1 else "judges"

    @property
    def prefer(self) -> str:
        """Subject and verb of a sentence on the preferred system: ``judges (untested) prefer``."""
        verb = "prefers" if len(self.judges) == 1 else "prefer"
        return f"{self.names} ({'uncorrected' if self.labelled else 'untested'}) {verb}"


class _Ranking(NamedTuple):
    """Two or more systems or judges, the best first.

    Attributes:
        names: All of them.
        beaten: Those that the leader beats significantly.
        closest: The leader's comparison with the second, or None if there is none.
        rates: The rate of each.
        pairs: All differences.
        measure: Name of the compared statistic, if it is no rate.
    """

    names: Sequence[str]
    beaten: Sequence[str]
    closest: ComparedPair | None
    rates: Mapping[str, Statistic]
    pairs: Sequence[ComparedPair] = ()
    measure: str = ""

    @property
    def leader(self) -> str:
        return self.names[0]

    @property
    def second(self) -> str:
        return self.names[1]

    @property
    def lead(self) -> str:
        """Lead over the second, with its interval; empty if it cannot be computed."""
        difference = self.difference
        if difference is None or difference.value is None:
            return ""
        return number_text.with_interval(difference.value, difference.low, difference.high)

    @property
    def is_reversed(self) -> bool:
        """True if the leader is behind on the common outputs.

        Its own rate covers more outputs than these.
        """
        return self.difference is not None and (self.difference.value or 0.0) < 0.0

    @property
    def difference(self) -> Statistic | None:
        """Lead over the second, or None if they are not compared."""
        return None if self.closest is None else ahead(self.closest, self.leader)


def _best_sentence(ranking: _Ranking, passing: str, leads: str, judged_by: JudgedBy | None) -> str:
    """Say that the leader is best, who is not significantly behind, and who has a higher rate."""
    leader, rate = ranking.leader, ranking.rates[ranking.leader]
    rate_text = number_text.with_interval(rate.value or 0.0, rate.low, rate.high)
    # A system may have the higher rate and lose, since its rate covers other outputs than the common ones.
    higher_rates = [
        name for name in ranking.beaten if (ranking.rates[name].value or 0.0) > (rate.value or 0.0)
    ]
    on_common = " on common outputs" if higher_rates else ""
    opening = f"{leader} {leads}: {rate_text} of {passing.format(f'{rate.n:,}')}"
    if ranking.measure:
        opening = f"{leader} {leads}: {ranking.measure} {rate_text} (n {rate.n:,})"
    if judged_by is not None:
        opening = f"{judged_by.prefer} {leader}: it passes {rate_text} of {counted(rate.n, 'output')}"
    sentences = [f"{opening}, {ranking.lead} more than {ranking.second}{on_common}."]
    not_beaten = {
        name: None if (pair := pair_of(ranking.pairs, leader, name)[0]) is None else pair.difference
        for name in ranking.names[1:]
        if name not in ranking.beaten
    }
    if compared := {name: difference for name, difference in not_beaten.items() if _is_known(difference)}:
        largest = largest_possible(compared.values())
        possible = f" ({largest} could still be there)" if largest else ""
        sentences.append(f"Not significantly different from it: {listed([*compared])}{possible}.")
    if not_compared := [name for name in not_beaten if name not in compared]:
        sentences.append(f"Not compared with it: {listed(not_compared)}.")
    if higher_rates:
        verb = "has" if len(higher_rates) == 1 else "have"
        sentences.append(f"{listed(higher_rates)} {verb} a higher rate, but on other outputs.")
    return " ".join(sentences)


def _is_known(difference: Statistic | None) -> bool:
    return difference is not None and difference.value is not None


def _not_compared_sentence(ranking: _Ranking, passing: str, where: str) -> str:
    """Say why the first two have no difference, and name those that the leader beats."""
    leader, second = ranking.leader, ranking.second
    where = where and f" {where}"
    # Nothing was tested, so no difference is denied, neither of these two nor of another pair.
    if ranking.closest is None:
        reason = f"{leader} and {second} were not compared"
    elif not ranking.closest.n:
        reason = f"{leader} and {second} have nothing graded in common{where}"
    elif ranking.measure or any(pair.better for pair in ranking.pairs):
        reason = (
            f"No significant difference between {leader} and {second}: too few labels to compare them{where}"
        )
    else:
        reason = f"No significant difference between systems: too few labels to compare {leader} with {second}{where}"
    return f"{reason}.{_beaten_sentence(ranking, passing)}"


def _no_difference_sentence(ranking: _Ranking, common_items: str, passing: str) -> str:
    """Say that the first two do not differ significantly, and name those that the leader beats."""
    leader, second = ranking.leader, ranking.second
    named_pair = f" between {leader} and {second}" if len(ranking.names) > 2 else ""  # noqa: PLR2004 - of two it is plain
    direction = f" ({leader} minus {second})" if ranking.is_reversed else ""
    measured = f" in {ranking.measure}" if ranking.measure else ""
    sentence = f"No significant difference{measured}{named_pair}: {ranking.lead}{direction} on {common_items}{_single_pair_note(ranking.closest)}."
    return f"{sentence}{_beaten_sentence(ranking, passing)}{still_there([ranking.difference])}"


def _beaten_sentence(ranking: _Ranking, passing: str) -> str:
    """Return a sentence on those that the leader beats; empty without any."""
    if not ranking.beaten:
        return ""
    verb = "passes" if "pass" in passing else "agrees with labels"  # `passing` words the rate
    ahead_of = "is ahead of" if ranking.measure else f"{verb} more often than"
    return f" {ranking.leader} {ahead_of} {listed(ranking.beaten)}."


def still_there(differences: Iterable[Statistic | None]) -> str:
    """Return a sentence on the largest difference that intervals allow; empty without intervals."""
    largest = largest_possible(differences)
    return f" A difference of {largest} could still be there." if largest else ""


def largest_possible(differences: Iterable[Statistic | None]) -> str:
    """Return the largest absolute end of the differences' intervals; empty without intervals."""
    ends = [
        abs(end)
        for difference in differences
        if difference
        for end in (difference.low, difference.high)
        if end is not None
    ]
    return number_text.decimal(max(ends)) if ends else ""


def _single_pair_note(pair: ComparedPair | None) -> str:
    """Return a note if a pair is significant alone, but not among several; else an empty text."""
    if pair is None or pair.p is None or pair.better is not None or pair.p > 1 - pair.difference.level:
        return ""
    return f" for this pair alone; as one of several it may be chance (adjusted p {number_text.p_value(pair.adjusted_p)})"


def pair_of(pairs: Sequence[ComparedPair], a: str, b: str) -> tuple[ComparedPair | None, bool]:
    """Return the pair of ``a`` and ``b``, and whether ``a`` is significantly better."""
    pair = next((pair for pair in pairs if {pair.a, pair.b} == {a, b}), None)
    return pair, pair is not None and pair.better == a


def _common_items(pairs: Sequence[ComparedPair], a: str, b: str, where: str) -> str:
    """Return a phrase for the items that two share, with their number; ``where`` is the part."""
    pair, _ = pair_of(pairs, a, b)
    noun, suffix = _COMMON_OUTPUTS.get(where, ("common item", ""))
    return f"{counted(0 if pair is None else pair.n, noun)}{suffix}"


def ahead(pair: ComparedPair, leader: str, *, simultaneous: bool = False) -> Statistic:
    """Return the lead of ``leader`` over the other of a pair; it may be negative.

    With ``simultaneous``, its interval allows for having chosen the leader by these rates.
    """
    lead = (pair.simultaneous or pair.difference) if simultaneous else pair.difference
    if pair.a == leader:
        return lead
    value, high, low = (None if number is None else -number for number in (lead.value, lead.low, lead.high))
    return replace(lead, value=value, low=low, high=high)


def margin_lines(pairs: Sequence[ComparedPair], *, where: str = "") -> Iterator[str]:
    """Yield sentences on who of a pair is worse by more than a margin, for pairs with a margin.

    Args:
        pairs: The pairs.
        where: Words for the part of the outputs, if any.
    """
    pairs_with_margin = [(pair, pair.margin) for pair in pairs if pair.n and pair.margin is not None]
    for pair, margin in pairs_with_margin:
        for name in margin.conclusions:
            yield _margin_sentence(pair, margin, name, f" {where}" if where else "")
    if len(pairs_with_margin) > 1:
        yield f"These conclusions hold for all {len(pairs_with_margin):,} pairs at once."


def _margin_sentence(pair: ComparedPair, margin: Margin, name: str, where: str) -> str:
    """Return the conclusion on ``name``, one of a pair, with the interval of its lead."""
    other = pair.b if name == pair.a else pair.a
    by_margin = f"by more than {margin.by:g}"
    if margin.low is None or margin.high is None:
        reason = pair.difference.undefined or pair.difference.method or "no interval"
        return f"Cannot tell whether {name} is worse than {other} {by_margin}{where}: {reason}."
    low, high = (margin.low, margin.high) if name == pair.a else (-margin.high, -margin.low)
    interval = f"[{decimal(low, 3)}, {decimal(high, 3)}]"
    match margin.conclusions[name]:
        case "not worse":
            return f"{name} is not worse than {other} {by_margin}{where}: {interval}."
        case "worse":
            return f"{name} is worse than {other}{where}: {interval}."
        case "cannot tell":
            return f"Cannot tell whether {name} is worse than {other} {by_margin}{where}: {interval}."


_MAX_SYSTEMS = 3
"""Most systems with a sentence each; more are counted."""


def if_chosen(contradicted: Mapping[str, ContradictedLabels], *, named: bool = True) -> str:
    """Return rates of undecided outputs by how they may have been chosen for labels.

    It is for labels that look unlike a random sample; without such labels it is empty.

    Args:
        contradicted: Systems with such labels.
        named: Name the systems.
    """
    sentences = [
        _contradicted_sentence(name if named else "", labels)
        for name, labels in list(contradicted.items())[:_MAX_SYSTEMS]
    ]
    if len(contradicted) > _MAX_SYSTEMS:
        sentences.append(f"So are those of {counted(len(contradicted) - _MAX_SYSTEMS, 'more system')}.")
    return " ".join(sentences)


def _contradicted_sentence(name: str, labels: ContradictedLabels) -> str:
    from .estimation_text import MAYBE_CHOSEN, explained  # noqa: PLC0415 - loads numpy, and labels are seldom contradicted

    columns = [f"{column} (p {p:.2g})" for column, p in labels.columns.items()]
    difference = f"by {listed(columns)}" if columns else f"by score (p {labels.p:.2g})"
    reason = f"Labelled outputs{f' of {name}' if name else ''} are unlike the others {difference}, so they are not a random sample"
    scenario_rates = [
        f"{MAYBE_CHOSEN[chosen_by]} {statistic(rate)}"
        for chosen_by, rate in labels.scenarios.items()
        if rate.value is not None
    ]
    if not scenario_rates:
        return f"{reason}: no rate is corrected. {explained(labels.explained_by)}"
    return (
        f"{reason}. Pass rate of undecided outputs, if they were chosen {', '.join(scenario_rates)} "
        f"(`{command('estimate', 'RUN', labels_chosen_by='score')}`). {explained(labels.explained_by)}"
    )
