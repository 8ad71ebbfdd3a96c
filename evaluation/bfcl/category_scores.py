"""Scores of one category's outputs, and their cost in tokens, seconds and steps."""

from __future__ import annotations

import math
import statistics
from array import array
from collections.abc import Iterator, Mapping
from typing import Any, cast

import msgspec

from ...deterministic.finding import Finding
from ...formats.bfcl import Category, parse_sensitivity_id


class CategoryTally(msgspec.Struct):
    """Number of right answers and of graded ones."""

    correct: int = 0
    total: int = 0

    @property
    def accuracy(self) -> float | None:
        """Fraction of graded answers that are right, or None if nothing was graded."""
        return self.correct / self.total if self.total else None

    def add(self, *, valid: bool) -> None:
        """Add one graded answer."""
        self.correct += valid
        self.total += 1

    def as_header(self) -> dict[str, Any]:
        """Return the counts under BFCL's three keys."""
        return {"accuracy": self.accuracy, "correct_count": self.correct, "total_count": self.total}


class CategoryScore(msgspec.Struct):
    """The score of one system in one category.

    Attributes:
        category: The category.
        tally: Counts over all graded answers.
        undecided: Number of answers that the strict rules leave undecided; they count as neither right nor wrong.
        configurations: Counts by prompt configuration, in order of first appearance (format sensitivity only).
    """

    category: Category
    tally: CategoryTally = msgspec.field(default_factory=CategoryTally)
    undecided: int = 0
    configurations: dict[str, CategoryTally] = {}

    @property
    def count(self) -> int:
        """Number of answers, including undecided ones."""
        return self.tally.total + self.undecided

    @property
    def bounds(self) -> tuple[float, float]:
        """Accuracy if all undecided answers were wrong, and if all were right."""
        return self.tally.correct / self.count, (self.tally.correct + self.undecided) / self.count

    def add(self, entry_id: str, finding: Finding) -> None:
        """Count one finding."""
        if finding.outcome != "graded":
            self.undecided += 1
            return
        self.tally.add(valid=finding.valid)
        if self.category.family == "format_sensitivity":
            configuration = parse_sensitivity_id(entry_id).configuration.id
            self.configurations.setdefault(configuration, CategoryTally()).add(valid=finding.valid)

    def header(self) -> dict[str, Any]:
        """Return the first line of the score file."""
        header = self.tally.as_header()
        if self.undecided:
            header["undecided_count"] = self.undecided
        if self.category.family == "format_sensitivity":
            header |= spread(self.configurations)
            header |= {name: tally.as_header() for name, tally in self.configurations.items()}
        return header


def spread(configurations: dict[str, CategoryTally]) -> dict[str, float]:
    """Return the spread of accuracy over prompt configurations, in percentage points.

    It is 0 with fewer than two configurations.

    Returns:
        Largest difference, sample variance and sample standard deviation, rounded as BFCL does.
    """
    accuracies = [tally.accuracy for tally in configurations.values() if tally.accuracy is not None]
    has_spread = len(accuracies) > 1
    # In percentage points: deviations are multiplied by 100, and a variance by its square.
    variance = statistics.variance(accuracies) if has_spread else 0.0
    deviation = statistics.stdev(accuracies) if has_spread else 0.0
    delta = max(accuracies) - min(accuracies) if has_spread else 0.0
    return {
        "accuracy_max_delta": round(delta * 100, 2),
        "accuracy_variance": round(variance * 10_000, 2),
        "accuracy_std": round(deviation * 100, 2),
    }


class Effort(msgspec.Struct):
    """Cost of a system's answers.

    Zeros mean "not measured" and are skipped, as in BFCL.

    Attributes:
        latencies: Seconds of each model call.
        input_tokens: Total over all calls.
        output_tokens: Total over all calls.
    """

    latencies: array[float] = msgspec.field(default_factory=lambda: array("d"))
    input_tokens: float = 0
    output_tokens: float = 0

    def add(self, fields: Mapping[str, Any]) -> None:
        """Add the numbers of one result line, which may be nested in turns and steps."""
        self.latencies.extend(_numbers(fields.get("latency")))
        self.input_tokens += sum(_numbers(fields.get("input_token_count")))
        self.output_tokens += sum(_numbers(fields.get("output_token_count")))

    @property
    def mean(self) -> float | None:
        """Mean latency, or None if none was measured."""
        return statistics.fmean(self.latencies) if self.latencies else None

    @property
    def deviation(self) -> float | None:
        """Sample standard deviation of the latency, or None with fewer than two."""
        return statistics.stdev(self.latencies) if len(self.latencies) > 1 else None

    @property
    def percentile_95(self) -> float | None:
        """95th percentile of the latency, interpolated linearly, or None if none was measured."""
        if len(self.latencies) > 1:
            cut_points = statistics.quantiles(self.latencies, n=100, method="inclusive")
            return cut_points[94]  # the 95th of 99
        return self.latencies[0] if self.latencies else None


def _numbers(value: Any) -> Iterator[float]:
    if isinstance(value, list):
        for item in cast("list[Any]", value):
            yield from _numbers(item)
    elif isinstance(value, int | float) and not isinstance(value, bool) and value and math.isfinite(value):
        yield float(value)
