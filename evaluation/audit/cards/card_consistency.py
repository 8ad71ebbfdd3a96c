"""Contradictions between the numbers of a card, which somebody else may have made."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from typing import NamedTuple

from ....calibration.statistic import Statistic
from ..audit_results import OperatorResult
from .card_probabilities import CardProbabilities
from .judge_card import AuditCard, CardMiss

_ROUNDING = 1e-6


class _Counted(NamedTuple):
    """A share, what it is over, and whether its hits are the wrongly graded probes."""

    name: str
    share: Statistic
    plants: Collection[str]
    hits_are_misses: bool


def contradiction(card: AuditCard) -> str:
    """Return what in a card cannot be; empty if all of it fits.

    A card lists every probe that its judge graded wrongly, so its shares follow from its misses. A card that is made up as a whole still fits: only the replies show that.
    """
    return next(_contradictions(card), "")


def _contradictions(card: AuditCard) -> Iterator[str]:
    natural = card.natural
    by_name = [*_counted(card), *_counted_naturally(card)]
    shares = [*(counted.share for counted in by_name), *(operator.rate for operator in card.operators)]
    if not all(_is_within(share, 0.0) for share in shares):
        yield "a share is not between 0 and 1"
    if not all(map(_is_about_its_value, shares)):
        yield "a share is not within its interval, or over no probes"
    if min(_counts(card)) < 0:
        yield "a count is negative"
    for probabilities in filter(None, (card.probabilities, natural and natural.probabilities)):
        if not _are_possible(probabilities):
            yield "no probabilities give such statistics"
    if len({(miss.case_id, miss.system, miss.trial) for miss in card.misses}) < len(card.misses):
        yield "a wrongly graded probe is listed twice"
    yield from _of_misses(_counted(card), card.misses)
    if natural is not None and natural.misses:  # earlier cards do not list them
        yield from _of_misses(_counted_naturally(card), natural.misses)
    yield from _of_operators(card)


def _counts(card: AuditCard) -> Iterator[float]:
    cost, natural = card.cost, card.natural
    yield from card.kinds.values()
    yield from card.shares.ungraded.values()
    for operator in card.operators:
        yield from operator.ungraded.values()
    if natural is not None:
        yield from (*natural.ungraded.values(), natural.named, natural.found, natural.differing)
    yield from (cost.verdicts, cost.calls, cost.prompt_tokens, cost.completion_tokens, cost.from_recording)
    yield from filter(None, (cost.dollars, cost.seconds_an_item))
    yield cost.verdicts - cost.from_recording


def _counted(card: AuditCard) -> list[_Counted]:
    of = card.shares
    return [
        _Counted("faults caught", of.caught, {"fault"}, False),
        _Counted("right outputs rejected", of.rejected, {"nothing", "twin"}, True),
        _Counted("attacks that worked", of.attacks_passed, {"attack"}, True),
        _Counted("controls passed", of.controls_passed, {"control"}, True),
    ]


def _counted_naturally(card: AuditCard) -> list[_Counted]:
    of = card.natural
    if of is None:
        return []
    return [
        _Counted("natural faults caught", of.caught, {"fault"}, False),
        _Counted("natural right outputs rejected", of.rejected, {"nothing"}, True),
    ]


def _of_misses(shares: Iterable[_Counted], misses: Collection[CardMiss]) -> Iterator[str]:
    listed = Counter(miss.plants for miss in misses)
    for share in shares:
        count = sum(listed[plants] for plants in share.plants)
        if abs(count - _missed(share.share, hits_are_misses=share.hits_are_misses)) > _ROUNDING * (1 + count):
            yield f"the share of {share.name} is not that of the {count:,} listed as graded wrongly"


def _of_operators(card: AuditCard) -> Iterator[str]:
    listed = Counter(miss.operator for miss in card.misses)
    for one in card.operators:
        missed = _missed(one.rate, hits_are_misses=one.plants != "fault")
        if abs(listed[one.operator] - missed) > _ROUNDING * (1 + missed):
            yield f"the share of {one.operator} is not that of those listed as graded wrongly"
    for counted in _counted(card):
        if counted.share.n != sum(one.rate.n for one in _of_plants(card.operators, counted.plants)):
            yield f"the share of {counted.name} is over another number of probes than those of its operators"
    ungraded = sum(sum(operator.ungraded.values()) for operator in card.operators)
    if ungraded != sum(card.shares.ungraded.values()):
        yield "its operators have another number of probes without a score"
    asked = ungraded + sum(operator.rate.n for operator in card.operators)
    if asked != sum(card.kinds.values()):
        yield f"its operators have {asked:,} probes, and its kinds of case {sum(card.kinds.values()):,}"


def _of_plants(operators: Iterable[OperatorResult], plants: Collection[str]) -> Iterator[OperatorResult]:
    return (operator for operator in operators if operator.plants in plants)


def _missed(share: Statistic, *, hits_are_misses: bool) -> float:
    """Return the number of probes of a share that were graded wrongly."""
    value = share.value or 0.0
    return share.n * (value if hits_are_misses else 1.0 - value)


def _is_about_its_value(share: Statistic) -> bool:
    """Return whether a share has rows, and an interval about it; or neither."""
    value, low, high = share.value, share.low, share.high
    if value is None or low is None or high is None:
        return value is low is high is None and share.n == 0
    return share.n > 0 and low - _ROUNDING <= value <= high + _ROUNDING


def _are_possible(of: CardProbabilities) -> bool:
    losses = (of.ece, of.brier, of.brier_of_base_rate)
    return all(_is_within(loss, 0.0) for loss in losses) and _is_within(of.calibration_in_the_large, -1.0)


def _is_within(statistic: Statistic, lowest: float) -> bool:
    ends = (statistic.value, statistic.low, statistic.high)
    return all(end is None or lowest <= end <= 1.0 for end in ends)
