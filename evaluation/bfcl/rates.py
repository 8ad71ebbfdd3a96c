"""Scores of a tree as a machine or a person reads them: every rate with its denominator and interval."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import msgspec

from ...calibration.intervals.closed_forms import wilson_interval
from ...calibration.statistic import Statistic, defined, undefined
from .aggregation import Accuracy
from .category_score import CategoryScore
from .system_score import SystemScore

SUMMARIES = (
    "non_live",
    "live",
    "irrelevance",
    "relevance",
    "multi_turn",
    "web_search",
    "memory",
    "agentic",
    "overall",
)
"""The summary scores, in the order in which they are shown."""


def rate(score: CategoryScore) -> Statistic:
    """The accuracy of a category, with Wilson's interval.

    Args:
        score: The category's score.

    Returns:
        Undefined when the rules left every answer open.
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
    """Everything as plain JSON.

    Args:
        systems: The scores.
        rules: The rule set they were made under.

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
