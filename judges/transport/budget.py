"""Limit the calls and cost of a run, and estimate a request's tokens in advance."""

from __future__ import annotations

import asyncio
from typing import Any, NamedTuple, cast

import msgspec

from ...errors import ConfigurationError
from ...spelling import setting
from ..prices import PriceList, Prices
from .exchange import CallError, Provider, Reply, Request, WrappingProvider

_FIRST_COMPLETION_TOKENS = 500
"""Tokens that are set aside for a reply while no reply has shown a length."""


class BudgetSpentError(CallError):
    """A call was not made, because the budget does not allow it."""

    calls = 0


class Budget:
    """Limit on calls and cost, shared by all callers.

    Every HTTP call counts, retries included. Before a call, a high estimate of its cost is set aside; the reply's tokens replace the
    estimate. So the limit can be exceeded only by calls in flight that cost more than estimated. A call without a reply may have
    been billed, so its estimate counts.

    Args:
        max_calls: Maximum number of calls, or None for no limit.
        max_cost: Maximum cost in US dollars, or None for no limit.
        prices: Prices of models; looked up only if ``max_cost`` is set.
    """

    def __init__(
        self, *, max_calls: int | None = None, max_cost: float | None = None, prices: PriceList
    ) -> None:
        self.max_calls = max_calls
        self.max_cost = max_cost
        self.calls = 0
        self.spent = 0.0
        self._set_aside = 0.0
        self._in_flight = 0
        self._longest_completion = 0
        self._prices = prices
        self._price_by_model: dict[str, Prices] = {}
        self._waiting: list[asyncio.Future[None]] = []

    def require_price(self, model: str) -> None:
        """Check before the first call that a model's price is known, if the cost is limited.

        Raises:
            ConfigurationError: The cost is limited, and the model's price is unknown.
        """
        if self.max_cost is not None:
            self._price(model)

    def admit(self, request: Request) -> bool:
        """Spend the estimated cost of a request in a batch; return False beyond the budget.

        Raises:
            ConfigurationError: The cost is limited, and the model's price is unknown.
        """
        estimate = self._estimate(request)
        within_calls = self.max_calls is None or self.calls < self.max_calls
        within_cost = self.max_cost is None or self.spent + estimate <= self.max_cost
        if within_calls and within_cost:
            self.calls += 1
            self.spent += estimate
        return within_calls and within_cost

    async def reserve(self, request: Request) -> float:
        """Set aside the estimated cost of a call, and return it, in US dollars, for `settle`.

        If too little is left, wait for calls in flight, which may cost less than estimated.

        Raises:
            BudgetSpentError: Too little is left, and no call is in flight.
        """
        while True:
            if self.max_calls is not None and self.calls >= self.max_calls:
                raise BudgetSpentError(f"not asked: the budget of {self.max_calls:,} calls is spent")
            estimate = self._estimate(request)
            if self.max_cost is None or self.spent + self._set_aside + estimate <= self.max_cost:
                break
            if not self._in_flight:  # nothing can be given back
                raise BudgetSpentError(
                    f"not asked: the budget of ${self.max_cost:g} is spent (${self.spent:.4f}; the next call may take "
                    f"${estimate:.4f})"
                )
            turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            self._waiting.append(turn)
            await turn
        self.calls += 1
        self._in_flight += 1
        self._set_aside += estimate
        return estimate

    def settle(self, request: Request, set_aside: float, reply: Reply | None, *, billed: bool = True) -> None:
        """Replace the amount that was set aside for a call by its cost.

        Without a reply, the cost is the estimate if the call was perhaps ``billed``.
        """
        self._in_flight -= 1
        self._set_aside -= set_aside
        if reply is not None:
            self._longest_completion = max(self._longest_completion, reply.completion_tokens)
            cost = self._cost(request.model, reply)
            self.spent += set_aside if cost is None else cost
        elif billed:
            self.spent += set_aside
        # All callers try again: which of them now fit depends on their requests.
        waiting, self._waiting = self._waiting, []
        for turn in waiting:
            if not turn.done():
                turn.set_result(None)

    def _estimate(self, request: Request) -> float:
        if self.max_cost is None:
            return 0.0
        # Without a limit in the request, the longest reply so far.
        completion = completion_limit(request) or self._longest_completion or _FIRST_COMPLETION_TOKENS
        return self._price(request.model).cost(estimate_prompt(request).high, completion)

    def _cost(self, model: str, reply: Reply) -> float | None:
        """Return the cost of a reply, or None if the server does not count tokens."""
        if self.max_cost is None or not reply.prompt_tokens:
            return None
        return self._price(model).cost(reply.prompt_tokens, reply.completion_tokens, reply.cached_tokens)

    def _price(self, model: str) -> Prices:
        if model not in self._price_by_model:
            prices = self._prices(model)
            if prices is None:
                raise ConfigurationError(
                    f"{setting('max_cost')}: no price is known for the model {model!r}: add {setting('price', 'IN/OUT')}, in dollars for a million tokens"
                )
            self._price_by_model[model] = prices
        return self._price_by_model[model]


class BudgetedProvider(WrappingProvider):
    """Provider that makes calls while the budget lasts."""

    def __init__(self, inner: Provider, budget: Budget) -> None:
        super().__init__(inner)
        self._budget = budget

    async def complete(self, request: Request) -> Reply:
        """Ask, if the budget allows it. See `Provider.complete`."""
        set_aside = await self._budget.reserve(request)
        try:
            reply = await self._inner.complete(request)
        except BaseException as error:
            # An error response is not billed; a call that timed out may be.
            refused = isinstance(error, CallError) and error.status is not None
            self._budget.settle(request, set_aside, None, billed=not refused)
            raise
        self._budget.settle(request, set_aside, reply)
        return reply


_BYTES_PER_TOKEN = (5.0, 4.0, 2.5)
"""For a low, likely and high number of tokens: English prose, mixed text, dense JSON or letters of three bytes."""
_MESSAGE_TOKENS = 4
"""Tokens that a chat template adds to a message."""
_IMAGE_TOKENS = (85.0, 1_000.0, 3_800.0)
"""Tokens of an image: OpenAI's at low detail, a screenshot, OpenAI's small models at full detail. Providers count by size and model."""

_ANSWER_TOKENS = 5
"""Tokens of a decision model's answer; servers count one or a few."""


class Estimate(NamedTuple):
    """Estimate of a number of tokens: lower end, likely value, upper end."""

    low: float
    likely: float
    high: float


def estimate_prompt(request: Request) -> Estimate:
    """Estimate the tokens of a request's messages and response format.

    Providers count the response format too. Text is estimated by its length in UTF-8, since tokenizers differ by model and would
    have to be downloaded. Images are estimated by their number.
    """
    if request.api != "chat":
        return _token_estimate(len(msgspec.json.encode(request.parameters)), _MESSAGE_TOKENS)
    contents = [message.get("content") for message in request.messages]
    parts = [part for content in contents if isinstance(content, list) for part in cast("list[Any]", content)]
    images = sum(_is_image(part) for part in parts)
    n_bytes = sum(_byte_size(content) for content in contents if not isinstance(content, list))
    n_bytes += sum(_byte_size(part) for part in parts if not _is_image(part))
    n_bytes += _byte_size(request.parameters.get("response_format", ""))
    extra = _MESSAGE_TOKENS * len(request.messages)
    return _token_estimate(n_bytes, extra, images)


def _token_estimate(n_bytes: int, extra: int, images: int = 0) -> Estimate:
    low, likely, high = (
        n_bytes / bytes_per_token + extra + images * image_tokens
        for bytes_per_token, image_tokens in zip(_BYTES_PER_TOKEN, _IMAGE_TOKENS, strict=True)
    )
    return Estimate(low, likely, high)


def completion_limit(request: Request) -> int | None:
    """Return the token limit of a reply, or None if the request sets none.

    Decision models write no text, so their limit is an estimate: a few tokens for each answer.
    """
    if request.api != "chat":
        return _ANSWER_TOKENS * len(request.parameters["questions"])
    limits = (request.parameters.get(name) for name in ("max_completion_tokens", "max_tokens"))
    return next((limit for limit in limits if isinstance(limit, int)), None)


def _is_image(part: Any) -> bool:
    return isinstance(part, dict) and cast("dict[str, Any]", part).get("type") == "image_url"


def _byte_size(content: Any) -> int:
    if isinstance(content, str):
        return len(content.encode("utf-8", "surrogatepass"))
    return len(msgspec.json.encode(content))
