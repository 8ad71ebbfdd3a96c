"""What judging would take, in words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..evaluation.forecast import Forecast
from ..judges.transport.budget import Estimate
from .document import Document


def forecasts_document(forecasts: Sequence[Forecast]) -> Document:
    """What judges would take, one after another, and all of them together."""
    lines = [line for forecast in forecasts for line in forecast_lines(forecast)]
    if not forecasts:
        lines.append("no model would be asked")
    elif len(forecasts) > 1:
        most = _at_most(any(forecast.at_most for forecast in forecasts))
        calls = sum(forecast.to_ask for forecast in forecasts)
        lines.append(f"together: {most}{calls:,} calls{_together(forecasts)}")
    return [*lines, "dry run: no call was made, nothing was written"]


def forecast_lines(forecast: Forecast) -> Iterator[str]:
    """One judge's forecast.

    Args:
        forecast: What asking it would take.

    Yields:
        Lines of plain text.
    """
    yield forecast.by
    place = "recording" if forecast.replayed else "cache"
    kept = "no cache" if forecast.again else f"{forecast.cached:,} in the {place}"
    yield (
        f"  calls: {_at_most(forecast.at_most)}{forecast.to_ask:,} ({forecast.outputs:,} verdicts to make, {forecast.requests:,} different requests, "
        f"{kept})"
    )
    if forecast.if_unsure:
        yield "  asked only about what the cheaper judge is not sure of"
    if forecast.not_applicable:
        yield f"  not applicable, and not asked: {forecast.not_applicable:,}"
    basis = f"learned from {forecast.learned_from:,} cached replies" if forecast.learned_from else "by length"
    yield f"  tokens ({basis}): in {_range(forecast.prompt)}, out {_range(forecast.completion)}"
    if forecast.cost is None or forecast.prices is None:
        yield "  cost: not known for this model; add --price IN/OUT, in dollars for a million tokens"
    else:
        prices = f"${forecast.prices.prompt:g}/${forecast.prices.completion:g} for a million tokens in/out"
        yield f"  cost: {_dollars(forecast.cost)} at {prices}; more where replies have to be asked for again"


def _at_most(bound: bool) -> str:  # noqa: FBT001 - a word or none
    return "at most " if bound else ""


def _together(forecasts: Sequence[Forecast]) -> str:
    costs = [forecast.cost for forecast in forecasts if forecast.cost is not None]
    if len(costs) < len(forecasts):
        return ""
    return f", {_dollars(Estimate(*map(sum, zip(*costs, strict=True))))}"


def _range(tokens: Estimate) -> str:
    low, high = f"{tokens.low:,.0f}", f"{tokens.high:,.0f}"
    return low if low == high else f"{low} to {high}"


def _dollars(cost: Estimate) -> str:
    low, high = f"${cost.low:,.4f}", f"${cost.high:,.4f}"
    return low if low == high else f"{low} to {high}"
