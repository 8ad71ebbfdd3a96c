"""Mean scores of groups of categories, and the overall score, computed as BFCL does.

A category that was not scored counts as 0 with the size of its data set, and summaries over it are shown as not available. The
scores of whole groups and the overall score always show a number. A category with undecided answers counts with its lower bound,
because the decided answers are not a sample of the others.
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
"""Weights in the overall score, in percent."""

_SIMPLE_CATEGORIES = ("simple_python", "simple_java", "simple_javascript")
_LIVE_CATEGORIES = ("live_simple", "live_multiple", "live_parallel", "live_parallel_multiple")
"""Categories that the summaries ``simple`` and ``live`` average."""


class Accuracy(msgspec.Struct, frozen=True):
    """Accuracy of a category or group, and whether it is shown or "not available".

    Attributes:
        value: Value in [0, 1]; 0 if nothing was scored, the lower bound if answers are undecided.
        count: Number of entries; if nothing was scored, the size of the data set.
        available: Whether every part was scored, and every answer decided.
    """

    value: float
    count: int
    available: bool = True

    def always(self) -> Accuracy:
        """Return the accuracy as available, even if parts are missing."""
        return msgspec.structs.replace(self, available=True)


class Summary(msgspec.Struct, frozen=True, kw_only=True):
    """All summary scores of one system, in the order in which they are shown.

    ``categories`` contains every scored or missing category; ``simple`` is a part of ``non_live`` only.
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
    categories = {
        name: _accuracy(name, scores) for name, category in CATEGORIES.items() if category.group != "retired"
    }

    def accuracies_of(group: str) -> list[Accuracy]:
        return [categories[category.name] for category in expand([group])]

    simple = _mean(categories[name] for name in _SIMPLE_CATEGORIES)
    web_search, memory = _mean(accuracies_of("web_search")), _mean(accuracies_of("memory"))
    other_non_live = [categories[name] for name in ("multiple", "parallel", "parallel_multiple")]
    groups = {
        "non_live": _mean([simple, *other_non_live]),
        "live": _weighted_mean([categories[name] for name in _LIVE_CATEGORIES]),
        "irrelevance": _mean([categories["irrelevance"], categories["live_irrelevance"]]),
        "multi_turn": _mean(accuracies_of("multi_turn")),
        "agentic": _mean([web_search, memory]),
    }
    return Summary(
        categories=categories,
        simple=simple,
        relevance=categories["live_relevance"],
        web_search=web_search,
        memory=memory,
        overall=_overall(groups),
        **groups,
    )


def _accuracy(name: str, scores: Mapping[str, CategoryScore]) -> Accuracy:
    score = scores.get(name)
    if score is None:
        return Accuracy(0.0, CATEGORIES[name].size, available=False)
    return Accuracy(score.bounds[0], score.count, available=not score.undecided)


def _mean(parts: Iterable[Accuracy]) -> Accuracy:
    """Return the mean in which every part counts alike."""
    parts = list(parts)
    return Accuracy(
        sum(part.value for part in parts) / len(parts),
        sum(part.count for part in parts),
        all(part.available for part in parts),
    )


def _weighted_mean(parts: list[Accuracy]) -> Accuracy:
    """Return the mean in which every entry counts alike."""
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
"""Names of the summary scores in display order, without ``categories`` and ``simple``."""


class SystemScore(msgspec.Struct, frozen=True):
    """Scores, latency and tokens of one system.

    Attributes:
        name: Name of the system.
        names: Form in which documented names with dots were offered to it.
        scores: Scores by category, in BFCL's order.
        effort: Latency and tokens.
        modes: Number of answers read as text, and as native calls.
        prices: Prices of its model, if known.
    """

    name: str
    names: NameStyle
    scores: dict[str, CategoryScore]
    effort: Effort
    modes: Counter[str]
    prices: Prices | None = None

    @property
    def cost(self) -> float | None:
        """Dollars for the recorded tokens, or None without a price or without tokens."""
        effort = self.effort
        if self.prices is None or not (effort.input_tokens or effort.output_tokens):
            return None
        return self.prices.cost(effort.input_tokens, effort.output_tokens)

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
    """Return the categories that were not scored, which count as 0 in the summary scores."""
    # No summary score includes format sensitivity.
    scored_or_unweighted = {*system.scores, "format_sensitivity"}
    return [name for name in system.summary.categories if name not in scored_or_unweighted]


def as_json(systems: Iterable[SystemScore], rules: str) -> dict[str, Any]:
    """Return all results as plain JSON.

    Returns:
        By system: names, modes, categories with statistics and counts, summary scores, and missing categories.
    """
    return {"rules": rules, "systems": {system.name: _system_json(system) for system in systems}}


def _system_json(system: SystemScore) -> dict[str, Any]:
    summary = system.summary
    return {
        "names": system.names,
        "modes": dict(system.modes),
        "categories": {name: _category_json(score) for name, score in system.scores.items()},
        "summary": {name: _summary_json(getattr(summary, name)) for name in SUMMARIES},
        "missing": missing_categories(system),
    }


def _category_json(score: CategoryScore) -> dict[str, Any]:
    return {
        **score.header(),
        "undecided_count": score.undecided,
        "bounds": score.bounds,
        "accuracy": msgspec.to_builtins(rate(score)),
    }


def _summary_json(accuracy: Accuracy) -> dict[str, Any]:
    return {"value": accuracy.value, "n": accuracy.count, "complete": accuracy.available}
