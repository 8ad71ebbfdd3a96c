"""Text for forecasts of the cost of judging."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ...evaluation.forecast import Forecast
from ...evaluation.generation.generation_forecast import GenerationForecast
from ...judges.catalogue import SPLITTER
from ...judges.prices import Prices
from ...judges.statements import LONG
from ...judges.transport.budget import Estimate
from ...spelling import setting
from ..document import Document
from .number_text import counted
from .safe_text import visible

_MAX_REASONS = 3


def forecasts_document(forecasts: Sequence[Forecast]) -> Document:
    """Build the document of judging forecasts, one judge after another, and their total."""
    lines = [line for forecast in forecasts for line in forecast_lines(forecast)]
    if not forecasts:
        lines.append("no model would be asked")
    elif len(forecasts) > 1:
        most = _at_most(any(forecast.at_most for forecast in forecasts))
        calls = sum(forecast.to_ask for forecast in forecasts)
        lines.append(f"together: {most}{counted(calls, 'call')}{_together(forecasts)}")
    return [*lines, "dry run: no call was made, nothing was written"]


def forecast_lines(forecast: Forecast) -> Iterator[str]:
    """Yield the forecast for one judge."""
    yield forecast.by
    if not forecast.outputs and forecast.by.startswith(f"{SPLITTER}@"):
        yield f"  nothing to split: no unsplit answer exceeds {LONG} characters"
        return
    verdicts = forecast.outputs - forecast.not_applicable
    why_fewer = f" ({', '.join(reasons)})" if (reasons := list(_savings(forecast, verdicts))) else ""
    yield (
        f"  calls: {_at_most(forecast.at_most)}{forecast.to_ask:,} for {counted(verdicts, 'verdict')}{why_fewer}"
    )
    if forecast.if_unsure:
        yield "  asked only if the cheaper judge is unsure"
    if forecast.not_applicable:
        only = f" ({visible(next(iter(forecast.lacking)))})" if len(forecast.lacking) == 1 else ""
        yield f"  not judged: {forecast.not_applicable:,}{only}"
        for why, count in [*forecast.lacking.items()][:_MAX_REASONS] if not only else ():
            yield f"    {count:,} x {visible(why)}"
    basis = f"learned from {forecast.learned_from:,} cached replies" if forecast.learned_from else "by length"
    yield f"  tokens ({basis}): in {_range(forecast.prompt)}, out {_range(forecast.completion)}"
    more = "; more if replies have to be retried"
    yield from _cost_lines(forecast.cost, forecast.prices, more)


def _savings(forecast: Forecast, verdicts: int) -> Iterator[str]:
    """Yield how many verdicts need no call of their own: repeated, cached, recorded."""
    if repeats := verdicts - forecast.requests:
        yield f"{repeats:,} {'repeats' if repeats == 1 else 'repeat'} another request"
    if forecast.again:
        yield "no cache"
    elif forecast.replayed or forecast.cached:
        yield f"{forecast.cached:,} in the {'recording' if forecast.replayed else 'cache'}"


def generation_forecast(forecast: GenerationForecast) -> Document:
    """Build the document of a generation forecast."""
    return [*_generation_lines(forecast), "dry run: no call was made, nothing was written"]


def _generation_lines(forecast: GenerationForecast) -> Iterator[str]:
    missing = forecast.wanted - forecast.kept
    from_cache = f", {forecast.answered:,} answered by kept replies" if forecast.answered else ""
    yield visible(forecast.system)
    yield f"  attempts: {missing:,} of {forecast.wanted:,} to make{from_cache}"
    for why, count in forecast.passed_over.items():
        yield f"  no output: {count:,} x {visible(why)}"
    if not forecast.asks_model:
        yield "  calls: unknown for an agent that you run"
        return
    if forecast.exact:
        yield f"  calls: {forecast.calls:,}"
    else:
        most = "" if forecast.most is None else f", at most {forecast.most:,}"
        yield f"  calls: at least {forecast.calls:,}{most}: {counted(forecast.conversations, 'conversation')} until the model stops"
    if forecast.histories:
        before = counted(forecast.histories, "question")
        yield f"  not counted: the conversations before {before}"
    if forecast.calls:
        first = "" if forecast.exact else ", first calls only"
        yield f"  tokens (by length{first}): in {_range(forecast.prompt)}, out {_range(forecast.completion)}"
        yield from _cost_lines(
            forecast.cost, forecast.prices, "" if forecast.exact else "; more for later calls"
        )


def _cost_lines(cost: Estimate | None, prices: Prices | None, more: str) -> Iterator[str]:
    if cost is None or prices is None:
        yield f"  cost unknown: add {setting('price', 'IN/OUT')} (US dollars per million tokens)"
    else:
        each = f"${prices.prompt:g}/${prices.completion:g} for a million tokens in/out"
        yield f"  cost: {_dollars(cost)} at {each}{more}"


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
