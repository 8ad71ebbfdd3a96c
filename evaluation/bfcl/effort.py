"""Latency and tokens of a system, as its result lines report them."""

from __future__ import annotations

import math
import statistics
from array import array
from collections.abc import Iterator, Mapping
from typing import Any, cast

import msgspec


class Effort(msgspec.Struct):
    """What a system's answers took. Zeros are left out, as BFCL does: they stand for "not measured".

    Attributes:
        latencies: Seconds, one per model call.
        input_tokens: Over all calls.
        output_tokens: Over all calls.
    """

    latencies: array[float] = msgspec.field(default_factory=lambda: array("d"))
    input_tokens: float = 0
    output_tokens: float = 0

    def add(self, fields: Mapping[str, Any]) -> None:
        """Add what one result line reports: numbers, or turns of steps of numbers."""
        self.latencies.extend(_numbers(fields.get("latency")))
        self.input_tokens += sum(_numbers(fields.get("input_token_count")))
        self.output_tokens += sum(_numbers(fields.get("output_token_count")))

    @property
    def mean(self) -> float | None:
        """Mean latency; None when none was measured."""
        return statistics.fmean(self.latencies) if self.latencies else None

    @property
    def deviation(self) -> float | None:
        """Sample standard deviation of the latency; None with fewer than two."""
        return statistics.stdev(self.latencies) if len(self.latencies) > 1 else None

    @property
    def percentile_95(self) -> float | None:
        """95th percentile of the latency, interpolated linearly; None when none was measured."""
        if len(self.latencies) > 1:
            return statistics.quantiles(self.latencies, n=100, method="inclusive")[94]
        return self.latencies[0] if self.latencies else None


def _numbers(value: Any) -> Iterator[float]:
    if isinstance(value, list):
        for item in cast("list[Any]", value):
            yield from _numbers(item)
    elif isinstance(value, int | float) and not isinstance(value, bool) and value and math.isfinite(value):
        yield float(value)
