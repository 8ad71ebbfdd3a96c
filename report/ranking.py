"""Which system is better? By the part of the outputs that can rank them."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from ..calibration.comparison.comparison_results import Pair, Strata, Stratum
from ..calibration.statistic import Statistic
from ..evaluation.conclusion.run_results import CORRECTED, DECIDED, SystemResult
from . import words
from .found import Answer, Found
from .words import counted, listed


def better(found: Found) -> Answer:
    """Which system is better, by the rules of docs/report.md; of one alone, how good it is."""
    if len(found.systems) == 1:
        return Answer(text=_alone(found.systems[0]), evidence="systems")
    strata = found.strata
    if strata is None:
        return Answer(
            text="The systems have no output in common, so none can be called better.", evidence="systems"
        )
    part, of = deciding(strata)
    known = ranked_rates(part)
    if not known:
        return Answer(text="No system can be called better: nothing is graded yet.", evidence="systems")
    if unknown := [system.system for system in found.systems if system.system not in known]:
        text = f"No system can be called better yet, {of}: nothing of {listed(unknown)} is graded."
        return Answer(text=text, evidence="systems")
    if not any(pair.n for pair in part.pairs):
        text = f"No system can be called better yet, {of}: no output of two systems on one case is graded."
        return Answer(text=text, evidence="systems")
    text = _ranking(list(known), part.pairs, of)
    if part is strata.decided and any(strata.open.outputs.values()):
        text += f" {_rest(strata.open, next(iter(known)))}"
    return Answer(text=text, evidence="systems")


def _alone(system: SystemResult) -> str:
    """One system by itself: what checkers decided, and the rest by the first judge, corrected where labels do."""
    decided = [part for part in system.strata if part.name == DECIDED and part.value is not None]
    judged = [
        part
        for part in system.strata
        if part.by is not None and part.name != DECIDED and part.value is not None
    ]
    by_judge = ([part for part in judged if part.name == CORRECTED] or judged)[:1]
    told = [f"{words.rate(part)}, by checkers" for part in decided]
    told += [
        f"{words.rate(part)}, by {part.by}{'' if part.name == CORRECTED else ', uncorrected'}"
        for part in by_judge
    ]
    return f"{system.system} alone was evaluated: {'; '.join(told) or 'nothing of it is graded'}."


def deciding(strata: Strata) -> tuple[Stratum, str]:
    """The part that systems are ranked by: everything where the open part is corrected or there is none, else what checkers decided."""
    decided, left, whole = strata.decided, strata.open, strata.all
    if not any(left.outputs.values()):
        return decided, "on what checkers decided"
    if left.corrected and all(rate.value is not None for rate in whole.rates.values()):
        return whole, "on all outputs (open ones corrected by labels)"
    if any(decided.graded.values()):
        return decided, "on what checkers decided"
    return left, "by the judges' word (uncorrected)"


def ranked_rates(part: Stratum) -> dict[str, float]:
    """The rates of a part that are known, the highest first."""
    known = {name: rate.value for name, rate in part.rates.items() if rate.value is not None}
    return dict(sorted(known.items(), key=lambda each: -each[1]))


def ahead(pair: Pair, leader: str) -> Statistic:
    """How far one of a pair is ahead of the other."""
    found = pair.difference
    if pair.a == leader:
        return found
    value, high, low = (None if end is None else -end for end in (found.value, found.low, found.high))
    return replace(found, value=value, low=low, high=high)


def _ranking(names: list[str], pairs: Sequence[Pair], of: str) -> str:
    leader, second = names[:2]
    beaten = [name for name in names[1:] if pair_of(pairs, leader, name)[1]]
    gap = _gap(pair_of(pairs, leader, second)[0], leader)
    if second in beaten:
        lead = (
            f"{leader} is better than {listed(beaten)}: its pass rate {of} is {gap} above that of {second}."
        )
        equal = [name for name in names[1:] if name not in beaten]
        return lead + (f" Not told apart from it: {listed(equal)}." if equal else "")
    told = f"{leader} and {second} cannot be told apart: their pass rates {of} differ by {gap}."
    return told + (f" {leader} is better than {listed(beaten)}." if beaten else "")


def pair_of(pairs: Sequence[Pair], a: str, b: str) -> tuple[Pair | None, bool]:
    """The pair, and whether its first is shown to be better."""
    pair = next((pair for pair in pairs if {pair.a, pair.b} == {a, b}), None)
    return pair, pair is not None and pair.better == a


def _gap(pair: Pair | None, leader: str) -> str:
    found = None if pair is None else ahead(pair, leader)
    if found is None or found.value is None:
        return "an unknown share"
    return words.with_interval(abs(found.value), found.low, found.high)


def _rest(left: Stratum, leader: str) -> str:
    outputs = counted(sum(left.outputs.values()), "output")
    known = ranked_rates(left)
    if not known:
        return f"{outputs} that no checker decided are not judged."
    most = max(known.values())
    first = [name for name in known if known[name] == most]
    way = "the same way" if first == [leader] else f"the other way, to {listed(first)}"
    if len(first) > 1 and leader in first:
        way = f"no way: {listed(first)} stand equal"
    return f"Of {outputs} that no checker decided the judges, uncorrected, point {way}."
