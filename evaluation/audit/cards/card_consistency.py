"""Contradictions between the numbers of a card, which anybody may have made."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from typing import NamedTuple

from ....calibration.statistic import Statistic
from .judge_card import AuditCard, CardMiss, CardProbabilities

_ROUNDING = 1e-6
"""Relative tolerance when a count is computed from a share."""


class _ShareOfProbes(NamedTuple):
    """A share of the card, its probes, and whether it counts those that were graded wrongly."""

    name: str
    share: Statistic
    plants: Collection[str]
    counts_misses: bool


def contradiction(card: AuditCard) -> str:
    """Return a contradiction in a card; empty if there is none.

    A card lists every probe that its judge graded wrongly, so its shares follow from its misses. A card that is invented as a whole
    still passes: only the replies would show that.
    """
    return next(_contradictions(card), "")


def _contradictions(card: AuditCard) -> Iterator[str]:
    natural = card.natural
    named_shares = [*_planted_shares(card), *_natural_shares(card)]
    shares = [
        *(named_share.share for named_share in named_shares),
        *(operator.rate for operator in card.operators),
    ]
    if not all(_is_within(share, 0.0) for share in shares):
        yield "a share is not between 0 and 1"
    if not all(map(_is_inside_interval, shares)):
        yield "a share is not within its interval, or over no probes"
    if min(_nonnegative_numbers(card)) < 0:
        yield "a count is negative"
    for probabilities in filter(None, (card.probabilities, natural and natural.probabilities)):
        if not _are_possible(probabilities):
            yield "no probabilities give such statistics"
    if len({(miss.case_id, miss.system, miss.trial) for miss in card.misses}) < len(card.misses):
        yield "a wrongly graded probe is listed twice"
    yield from _contradictions_with_misses(_planted_shares(card), card.misses)
    if natural is not None and natural.misses:  # earlier cards do not list them
        yield from _contradictions_with_misses(_natural_shares(card), natural.misses)
    yield from _contradictions_with_operators(card)


def _nonnegative_numbers(card: AuditCard) -> Iterator[float]:
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


def _planted_shares(card: AuditCard) -> list[_ShareOfProbes]:
    shares = card.shares
    return [
        _ShareOfProbes("faults caught", shares.caught, {"fault"}, counts_misses=False),
        _ShareOfProbes("right outputs rejected", shares.rejected, {"nothing", "twin"}, counts_misses=True),
        _ShareOfProbes("attacks that worked", shares.attacks_passed, {"attack"}, counts_misses=True),
        _ShareOfProbes("controls passed", shares.controls_passed, {"control"}, counts_misses=True),
    ]


def _natural_shares(card: AuditCard) -> list[_ShareOfProbes]:
    shares = card.natural
    if shares is None:
        return []
    return [
        _ShareOfProbes("natural faults caught", shares.caught, {"fault"}, counts_misses=False),
        _ShareOfProbes("natural right outputs rejected", shares.rejected, {"nothing"}, counts_misses=True),
    ]


def _contradictions_with_misses(
    shares: Iterable[_ShareOfProbes], misses: Collection[CardMiss]
) -> Iterator[str]:
    misses_by_kind = Counter(miss.plants for miss in misses)
    for share in shares:
        listed_count = sum(misses_by_kind[plants] for plants in share.plants)
        count_from_share = _count_misses(share.share, counts_misses=share.counts_misses)
        if abs(listed_count - count_from_share) > _ROUNDING * (1 + listed_count):
            yield f"the share of {share.name} is not that of the {listed_count:,} listed as graded wrongly"


def _contradictions_with_operators(card: AuditCard) -> Iterator[str]:
    misses_by_operator = Counter(miss.operator for miss in card.misses)
    for operator in card.operators:
        missed = _count_misses(operator.rate, counts_misses=operator.plants != "fault")
        if abs(misses_by_operator[operator.operator] - missed) > _ROUNDING * (1 + missed):
            yield f"the share of {operator.operator} is not that of those listed as graded wrongly"
    for named_share in _planted_shares(card):
        if named_share.share.n != sum(
            operator.rate.n for operator in card.operators if operator.plants in named_share.plants
        ):
            yield f"the share of {named_share.name} is over another number of probes than those of its operators"
    ungraded = sum(sum(operator.ungraded.values()) for operator in card.operators)
    if ungraded != sum(card.shares.ungraded.values()):
        yield "its operators have another number of probes without a score"
    probe_count = ungraded + sum(operator.rate.n for operator in card.operators)
    if probe_count != sum(card.kinds.values()):
        yield f"its operators have {probe_count:,} probes, and its kinds of case {sum(card.kinds.values()):,}"


def _count_misses(share: Statistic, *, counts_misses: bool) -> float:
    value = share.value or 0.0
    return share.n * (value if counts_misses else 1.0 - value)


def _is_inside_interval(share: Statistic) -> bool:
    """Return whether a share has probes and is inside its interval, or has neither."""
    value, low, high = share.value, share.low, share.high
    if value is None or low is None or high is None:
        return value is low is high is None and share.n == 0
    return share.n > 0 and low - _ROUNDING <= value <= high + _ROUNDING


def _are_possible(probabilities: CardProbabilities) -> bool:
    losses = (probabilities.ece, probabilities.brier, probabilities.brier_of_base_rate)
    bias = probabilities.calibration_in_the_large
    return all(_is_within(loss, 0.0) for loss in losses) and _is_within(bias, -1.0)


def _is_within(statistic: Statistic, lowest: float) -> bool:
    ends = (statistic.value, statistic.low, statistic.high)
    return all(end is None or lowest <= end <= 1.0 for end in ends)
