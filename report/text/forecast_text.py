"""Forecasts (`--dry-run`) in words: calls, tokens and dollars of judging and of generating."""

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
"""Most reasons why outputs are not judged that are listed."""


def forecasts_document(forecasts: Sequence[Forecast]) -> Document:
    """Build the document of judging forecasts: each judge, then their total."""
    lines = [line for forecast in forecasts for line in forecast_lines(forecast)]
    if not forecasts:
        lines.append("no model would be asked")
    elif len(forecasts) > 1:
        bound = _bound_words(any(forecast.at_most for forecast in forecasts))
        calls = sum(forecast.to_ask for forecast in forecasts)
        lines.append(f"together: {bound}{counted(calls, 'call')}{_total_cost(forecasts)}")
    return [*lines, "dry run: no call was made, nothing was written"]


def forecast_lines(forecast: Forecast) -> Iterator[str]:
    """Yield the lines on one judge: calls, unjudged outputs, tokens and cost."""
    yield forecast.by
    if not forecast.outputs and forecast.by.startswith(f"{SPLITTER}@"):
        yield f"  nothing to split: no unsplit answer exceeds {LONG} characters"
        return
    verdicts = forecast.outputs - forecast.not_applicable
    why_fewer = f" ({', '.join(reasons)})" if (reasons := list(_savings(forecast, verdicts))) else ""
    yield (
        f"  calls: {_bound_words(forecast.at_most)}{forecast.to_ask:,} for {counted(verdicts, 'verdict')}{why_fewer}"
    )
    if forecast.if_unsure:
        yield "  asked only if the cheaper judge is unsure"
    if forecast.not_applicable:
        only_reason = f" ({visible(next(iter(forecast.lacking)))})" if len(forecast.lacking) == 1 else ""
        yield f"  not judged: {forecast.not_applicable:,}{only_reason}"
        for why, count in [*forecast.lacking.items()][:_MAX_REASONS] if not only_reason else ():
            yield f"    {count:,} x {visible(why)}"
    basis = f"learned from {forecast.learned_from:,} cached replies" if forecast.learned_from else "by length"
    yield f"  tokens ({basis}): in {_range(forecast.prompt)}, out {_range(forecast.completion)}"
    retry_note = "; more if replies have to be retried"
    yield from _cost_lines(forecast.cost, forecast.prices, retry_note)


def _savings(forecast: Forecast, verdicts: int) -> Iterator[str]:
    """Yield why there are fewer calls than verdicts: repeated, cached or recorded requests."""
    if repeats := verdicts - forecast.requests:
        yield f"{repeats:,} {'repeats' if repeats == 1 else 'repeat'} another request"
    if forecast.again:
        yield "no cache"
    elif forecast.replayed or forecast.cached:
        yield f"{forecast.cached:,} in the {'recording' if forecast.replayed else 'cache'}"


def generation_forecast(forecast: GenerationForecast) -> Document:
    """Build the document of a generation forecast: attempts, calls, tokens and cost."""
    return [*_generation_lines(forecast), "dry run: no call was made, nothing was written"]


def _generation_lines(forecast: GenerationForecast) -> Iterator[str]:
    to_make = forecast.wanted - forecast.kept
    from_cache = f", {forecast.answered:,} answered by kept replies" if forecast.answered else ""
    yield visible(forecast.system)
    yield f"  attempts: {to_make:,} of {forecast.wanted:,} to make{from_cache}"
    for why, count in forecast.passed_over.items():
        yield f"  no output: {count:,} x {visible(why)}"
    if not forecast.asks_model:
        yield "  calls: unknown for an agent that you run"
        return
    if forecast.exact:
        yield f"  calls: {forecast.calls:,}"
    else:
        upper_bound = "" if forecast.most is None else f", at most {forecast.most:,}"
        yield f"  calls: at least {forecast.calls:,}{upper_bound}: {counted(forecast.conversations, 'conversation')} until the model stops"
    if forecast.histories:
        questions = counted(forecast.histories, "question")
        yield f"  not counted: the conversations before {questions}"
    if forecast.calls:
        first_calls_note = "" if forecast.exact else ", first calls only"
        yield f"  tokens (by length{first_calls_note}): in {_range(forecast.prompt)}, out {_range(forecast.completion)}"
        yield from _cost_lines(
            forecast.cost, forecast.prices, "" if forecast.exact else "; more for later calls"
        )


def _cost_lines(cost: Estimate | None, prices: Prices | None, note: str) -> Iterator[str]:
    if cost is None or prices is None:
        yield f"  cost unknown: add {setting('price', 'IN/OUT')} (US dollars per million tokens)"
    else:
        price_text = f"${prices.prompt:g}/${prices.completion:g} for a million tokens in/out"
        yield f"  cost: {_dollars(cost)} at {price_text}{note}"


def _bound_words(is_bound: bool) -> str:  # noqa: FBT001 - a word or none
    return "at most " if is_bound else ""


def _total_cost(forecasts: Sequence[Forecast]) -> str:
    """Return the cost of all forecasts; empty if one is unknown, as a partial sum misleads."""
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
