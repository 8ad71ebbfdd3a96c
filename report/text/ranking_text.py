"""Sentences that name the best of several, or say that no difference is significant."""

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
"""Words for a part of the outputs."""

_COMMON = {
    ON_ALL: ("common output", ""),
    ON_CHECKED: ("common checked output", ""),
    ON_LABELLED: ("common labelled output", ""),
    ON_JUDGED: ("common judged output", ", uncorrected"),
    ON_CORRECTED: ("common judged output", ", corrected with labels"),
}
"""Noun for the outputs behind a difference, by part, and the words after it."""


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
        return f"No significant difference between systems: too few labels to compare {leader} with {second} {where}."
    if second in beaten:
        return _best_sentence(ranking, passing, leads, judged_by)
    common = _common_items(pairs, leader, second, where)
    if judged_by is not None:
        common += f" ({judged_by.names})"
    return _no_difference_sentence(ranking, common, passing)


class JudgedBy(NamedTuple):
    """Judges whose uncorrected verdicts make a rate.

    Attributes:
        judges: Their names.
        labelled: True if labels test some of their verdicts.
    """

    judges: Sequence[str]
    labelled: bool

    @property
    def names(self) -> str:
        """The name of a single judge; several are not named."""
        return self.judges[0] if len(self.judges) == 1 else "judges"

    @property
    def prefer(self) -> str:
        """The judges, how far they are tested, and a verb."""
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
    """Name the leader, which beats the second significantly."""
    leader, rate = ranking.leader, ranking.rates[ranking.leader]
    value = number_text.with_interval(rate.value or 0.0, rate.low, rate.high)
    higher = [name for name in ranking.beaten if (ranking.rates[name].value or 0.0) > (rate.value or 0.0)]
    common = " on common outputs" if higher else ""
    opening = f"{leader} {leads}: {value} of {passing.format(f'{rate.n:,}')}"
    if ranking.measure:
        opening = f"{leader} {leads}: {ranking.measure} {value} (n {rate.n:,})"
    if judged_by is not None:
        opening = f"{judged_by.prefer} {leader}: it passes {value} of {counted(rate.n, 'output')}"
    sentences = [f"{opening}, {ranking.lead} more than {ranking.second}{common}."]
    if equal := [name for name in ranking.names[1:] if name not in ranking.beaten]:
        found = (pair_of(ranking.pairs, leader, name)[0] for name in equal)
        largest = largest_possible(pair.difference for pair in found if pair is not None)
        possible = f" ({largest} could still be there)" if largest else ""
        sentences.append(f"Not significantly different from it: {listed(equal)}{possible}.")
    if higher:
        verb = "has" if len(higher) == 1 else "have"
        sentences.append(f"{listed(higher)} {verb} a higher rate, but on other outputs.")
    return " ".join(sentences)


def _no_difference_sentence(ranking: _Ranking, common_items: str, passing: str) -> str:
    """Say that the leader does not significantly beat the second, and name those that it beats."""
    leader, second = ranking.leader, ranking.second
    between = f" between {leader} and {second}" if len(ranking.names) > 2 else ""  # noqa: PLR2004 - of two it is plain
    direction = f" ({leader} minus {second})" if ranking.is_reversed else ""
    measured = f" in {ranking.measure}" if ranking.measure else ""
    sentence = f"No significant difference{measured}{between}: {ranking.lead}{direction} on {common_items}{_alone(ranking.closest)}."
    if ranking.beaten:
        verb = "passes" if "pass" in passing else "agrees with labels"
        ahead_of = "is ahead of" if ranking.measure else f"{verb} more often than"
        sentence += f" {leader} {ahead_of} {listed(ranking.beaten)}."
    return f"{sentence}{still_there([ranking.difference])}"


def still_there(differences: Iterable[Statistic | None]) -> str:
    """Return a sentence on the largest possible difference; empty without any interval."""
    largest = largest_possible(differences)
    return f" A difference of {largest} could still be there." if largest else ""


def largest_possible(differences: Iterable[Statistic | None]) -> str:
    """Return the end farthest from 0 of the intervals; empty without any."""
    ends = [
        abs(end)
        for difference in differences
        if difference
        for end in (difference.low, difference.high)
        if end is not None
    ]
    return number_text.decimal(max(ends)) if ends else ""


def _alone(pair: ComparedPair | None) -> str:
    """Say that an interval without 0 is of this pair alone, if it is not significant."""
    if pair is None or pair.p is None or pair.better is not None or pair.p > 1 - pair.difference.level:
        return ""
    return f" for this pair alone; as one of several it may be chance (adjusted p {number_text.p_value(pair.adjusted_p)})"


def pair_of(pairs: Sequence[ComparedPair], a: str, b: str) -> tuple[ComparedPair | None, bool]:
    """Return the pair of ``a`` and ``b``, and whether ``a`` is significantly better."""
    pair = next((pair for pair in pairs if {pair.a, pair.b} == {a, b}), None)
    return pair, pair is not None and pair.better == a


def _common_items(pairs: Sequence[ComparedPair], a: str, b: str, where: str) -> str:
    """Return the items of a difference with n; ``where`` is the part, empty for judges."""
    pair, _ = pair_of(pairs, a, b)
    noun, suffix = _COMMON.get(where, ("common item", ""))
    return f"{counted(0 if pair is None else pair.n, noun)}{suffix}"


def ahead(pair: ComparedPair, leader: str, *, simultaneous: bool = False) -> Statistic:
    """Return the lead of one of a pair over the other.

    A ``simultaneous`` interval allows for choosing the leader by these rates.
    """
    lead = (pair.simultaneous or pair.difference) if simultaneous else pair.difference
    if pair.a == leader:
        return lead
    value, high, low = (None if end is None else -end for end in (lead.value, lead.low, lead.high))
    return replace(lead, value=value, low=low, high=high)


def margin_lines(pairs: Sequence[ComparedPair], *, where: str = "") -> Iterator[str]:
    """Yield a conclusion for each that was asked about; ``where`` is the part of the outputs."""
    given = [(pair, pair.margin) for pair in pairs if pair.n and pair.margin is not None]
    for pair, margin in given:
        for name in margin.conclusions:
            yield _margin_sentence(pair, margin, name, f" {where}" if where else "")
    if len(given) > 1:
        yield f"These conclusions hold for all {len(given):,} pairs at once."


def _margin_sentence(pair: ComparedPair, margin: Margin, name: str, where: str) -> str:
    """Return the conclusion on one of a pair, with the interval behind it."""
    other = pair.b if name == pair.a else pair.a
    most = f"by more than {margin.by:g}"
    if margin.low is None or margin.high is None:
        why = pair.difference.undefined or pair.difference.method or "no interval"
        return f"Cannot tell whether {name} is worse than {other} {most}{where}: {why}."
    low, high = (margin.low, margin.high) if name == pair.a else (-margin.high, -margin.low)
    interval = f"[{decimal(low, 3)}, {decimal(high, 3)}]"
    match margin.conclusions[name]:
        case "not worse":
            return f"{name} is not worse than {other} {most}{where}: {interval}."
        case "worse":
            return f"{name} is worse than {other}{where}: {interval}."
        case "cannot tell":
            return f"Cannot tell whether {name} is worse than {other} {most}{where}: {interval}."


_MAX_SYSTEMS = 3
"""Most systems whose scenarios are told; more are counted."""


def if_chosen(contradicted: Mapping[str, ContradictedLabels], *, named: bool = True) -> str:
    """Return rates of undecided outputs by how these may have been chosen for labels.

    Systems are named unless there is only one. Empty if no labels are contradicted.
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
    unlike = f"by {listed(columns)}" if columns else f"by score (p {labels.p:.2g})"
    text = f"Labelled outputs{f' of {name}' if name else ''} are unlike the others {unlike}, so they are not a random sample"
    known = [
        f"{MAYBE_CHOSEN[chosen_by]} {statistic(rate)}"
        for chosen_by, rate in labels.scenarios.items()
        if rate.value is not None
    ]
    if not known:
        return f"{text}: no rate is corrected. {explained(labels.explained_by)}"
    return (
        f"{text}. Pass rate of undecided outputs, if they were chosen {', '.join(known)} "
        f"(`{command('estimate', 'RUN', labels_chosen_by='score')}`). {explained(labels.explained_by)}"
    )
