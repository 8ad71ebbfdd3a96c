"""Sentences on whether one of a pair is worse than the other by more than a margin."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ...calibration.comparison.comparison_results import ComparedPair, Margin
from .number_text import decimal


def margin_lines(pairs: Sequence[ComparedPair], *, where: str = "") -> Iterator[str]:
    """Yield a conclusion for each that was asked about; ``where`` is the part of the outputs."""
    given = [(pair, pair.margin) for pair in pairs if pair.n and pair.margin is not None]
    for pair, margin in given:
        for name in margin.conclusions:
            yield _sentence(pair, margin, name, f" {where}" if where else "")
    if len(given) > 1:
        yield f"These conclusions hold for all {len(given):,} pairs at once."


def _sentence(pair: ComparedPair, margin: Margin, name: str, where: str) -> str:
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
