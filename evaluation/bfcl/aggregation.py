"""The mean of categories into groups, and of groups into rates, as BFCL takes it.

A category that was not scored counts as 0 with the size of its data set, and summaries over it are shown as not available - but the
overall scores of the groups, and the overall score, always show a number. In the same spirit, a category in which the rules leave
answers open counts with its lower bound: the decided answers alone would not speak for the others.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from ...calibration.intervals.closed_forms import wilson_interval
from ...calibration.statistic import Statistic, defined, undefined
from ...deterministic.options import NameStyle
from ...formats.bfcl import CATEGORIES, expand
from ...judges.prices import Prices
from .category_scores import CategoryScore, Effort

_OVERALL_WEIGHTS = {"non_live": 10, "live": 10, "irrelevance": 10, "multi_turn": 30, "agentic": 40}
"""Percent of the overall score."""

_SIMPLE = ("simple_python", "simple_java", "simple_javascript")
_LIVE = ("live_simple", "live_multiple", "live_parallel", "live_parallel_multiple")


class Accuracy(msgspec.Struct, frozen=True):
    """An accuracy that goes into sums, and whether it may be shown.

    Attributes:
        value: In [0, 1]; 0 if nothing was scored, the lower bound if answers are undecided.
        count: Entries behind it; if nothing was scored, the size of the data set.
        available: Whether every part was scored, and every answer decided.
    """

    value: float
    count: int
    available: bool = True

    def always(self) -> Accuracy:
        """Return the accuracy so that it is shown even if parts are missing."""
        return msgspec.structs.replace(self, available=True)


class Summary(msgspec.Struct, frozen=True, kw_only=True):
    """All summary scores of one system, in the order in which they are shown.

    ``categories`` holds every scored or missing category; ``simple`` is a part of ``non_live`` alone.
    """

    categories: dict[str, Accuracy]
    simple: Accuracy
    non_live: Accuracy
    live: Accuracy
    irrelevance: Accuracy
    relevance: Accuracy
    multi_turn: Accuracy
    web_search: Accuracy
    memory: Accuracy
    agentic: Accuracy
    overall: Accuracy


def summarise(scores: Mapping[str, CategoryScore]) -> Summary:
    """Compute every summary score of a system."""
    scores_by_category = {
        name: _of(name, scores) for name, category in CATEGORIES.items() if category.group != "retired"
    }
    simple = _plain(scores_by_category[name] for name in _SIMPLE)
    web_search = _plain(scores_by_category[category.name] for category in expand(["web_search"]))
    memory = _plain(scores_by_category[category.name] for category in expand(["memory"]))
    groups = {
        "non_live": _plain(
            [
                simple,
                scores_by_category["multiple"],
                scores_by_category["parallel"],
                scores_by_category["parallel_multiple"],
            ]
        ),
        "live": _weighted([scores_by_category[name] for name in _LIVE]),
        "irrelevance": _plain([scores_by_category["irrelevance"], scores_by_category["live_irrelevance"]]),
        "multi_turn": _plain(scores_by_category[category.name] for category in expand(["multi_turn"])),
        "agentic": _plain([web_search, memory]),
    }
    return Summary(
        categories=scores_by_category,
        simple=simple,
        relevance=scores_by_category["live_relevance"],
        web_search=web_search,
        memory=memory,
        overall=_overall(groups),
        **groups,
    )


def _of(name: str, scores: Mapping[str, CategoryScore]) -> Accuracy:
    score = scores.get(name)
    if score is None:
        return Accuracy(0.0, CATEGORIES[name].size, available=False)
    return Accuracy(score.bounds[0], score.count, available=not score.undecided)


def _plain(parts: Iterable[Accuracy]) -> Accuracy:
    parts = list(parts)
    return Accuracy(
        sum(part.value for part in parts) / len(parts),
        sum(part.count for part in parts),
        all(part.available for part in parts),
    )


def _weighted(parts: list[Accuracy]) -> Accuracy:
    count = sum(part.count for part in parts)
    value = sum(part.value * part.count for part in parts) / count
    return Accuracy(value, count, all(part.available for part in parts))


def _overall(groups: Mapping[str, Accuracy]) -> Accuracy:
    return Accuracy(
        sum(group.value * _OVERALL_WEIGHTS[name] / 100 for name, group in groups.items()),
        sum(group.count for group in groups.values()),
        all(group.available for group in groups.values()),
    )


SUMMARIES = Summary.__struct_fields__[2:]
"""The summary scores, in the order in which they are shown."""


class SystemScore(msgspec.Struct, frozen=True):
    """Everything about one system: scores by category, in BFCL's order, latency and tokens.

    ``names`` says how documented names with dots were taken to have been offered to it; ``modes`` counts answers that were read as text, and as native
    calls; ``prices`` are those of its model, if any is known.
    """

    name: str
    names: NameStyle
    scores: dict[str, CategoryScore]
    effort: Effort
    modes: Counter[str]
    prices: Prices | None = None

    @property
    def cost(self) -> float | None:
        """Dollars for the recorded tokens; None without a price or without tokens."""
        spent = self.effort
        if self.prices is None or not (spent.input_tokens or spent.output_tokens):
            return None
        return self.prices.cost(spent.input_tokens, spent.output_tokens)

    @property
    def summary(self) -> Summary:
        """The summary scores."""
        return summarise(self.scores)


def rate(score: CategoryScore) -> Statistic:
    """Return a category's accuracy with Wilson's interval.

    Undefined if the rules left every answer undecided.
    """
    n = score.tally.total
    accuracy = score.tally.accuracy
    if accuracy is None:
        return undefined("the rules decide none of the answers", n=0)
    return defined(accuracy, wilson_interval(accuracy, n), n=n, method="Wilson")


def missing_categories(system: SystemScore) -> list[str]:
    """Categories that were not scored, which count as 0 in the summary scores."""
    wanted = (name for name in system.summary.categories if name != "format_sensitivity")
    return [name for name in wanted if name not in system.scores]


def as_json(systems: Iterable[SystemScore], rules: str) -> dict[str, Any]:
    """Return all results as plain JSON.

    Returns:
        By system: names, modes, categories with statistics and counts, summary scores, and what is missing in them.
    """
    return {"rules": rules, "systems": {system.name: _system(system) for system in systems}}


def _system(system: SystemScore) -> dict[str, Any]:
    summary = system.summary
    return {
        "names": system.names,
        "modes": dict(system.modes),
        "categories": {name: _category(score) for name, score in system.scores.items()},
        "summary": {name: _summary(getattr(summary, name)) for name in SUMMARIES},
        "missing": missing_categories(system),
    }


def _category(score: CategoryScore) -> dict[str, Any]:
    return {
        **score.header(),
        "undecided_count": score.undecided,
        "bounds": score.bounds,
        "accuracy": msgspec.to_builtins(rate(score)),
    }


def _summary(accuracy: Accuracy) -> dict[str, Any]:
    return {"value": accuracy.value, "n": accuracy.count, "complete": accuracy.available}
