"""Open a model: stack the providers in the right order.

`connect` lists the layers from the outside in. `CoalescingProvider`, the outermost one, is here too.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Iterator
from contextlib import asynccontextmanager
from copy import copy
from functools import partial
from pathlib import Path

import msgspec

from ...errors import UsageError
from .adaptive_timeout import PatientProvider
from .budget import Budget, BudgetedProvider
from .endpoint import Endpoint, EndpointGroup
from .exchange import CallError, Provider, Reply, Request, WrappingProvider
from .limiter import AdaptiveLimiter, LimitedProvider
from .openai_provider import OpenAIProvider
from .retry import OnFailure, RetryingProvider, RetryPolicy
from .trial import FIRST_CALLS, EndpointTrials, Trial, TrialProvider


class CoalescingProvider(WrappingProvider):
    """Provider that makes identical requests in flight wait for one reply.

    Each request runs in a separate task, so that cancelling its first caller does not fail the others.
    """

    def __init__(self, inner: Provider) -> None:
        super().__init__(inner)
        self._in_flight: dict[tuple[str, bool], asyncio.Task[Reply]] = {}

    async def complete(self, request: Request) -> Reply:
        """Ask, or wait for the same request of another caller; see `Provider.complete`.

        Only the first caller's reply or error counts the calls, so that none is counted twice.
        """
        key = (request.key, request.anew)
        task = self._in_flight.get(key)
        if task is not None:
            return await _await_shared(task)
        task = asyncio.get_running_loop().create_task(self._inner.complete(request))
        self._in_flight[key] = task
        task.add_done_callback(lambda _: self._in_flight.pop(key, None))
        return await asyncio.shield(task)

    async def aclose(self) -> None:
        """Cancel the requests in flight, and close the inner provider."""
        tasks = list(self._in_flight.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await super().aclose()


async def _await_shared(task: asyncio.Task[Reply]) -> Reply:
    """Wait for another caller's request, and return its reply without calls."""
    try:
        return msgspec.structs.replace(await asyncio.shield(task), calls=0)
    except CallError as error:
        without_calls = copy(error)
        without_calls.calls = 0
        raise without_calls from error


@asynccontextmanager
async def connect(  # noqa: PLR0913 - a caller passes every option by name
    endpoint: Endpoint | EndpointGroup,
    *,
    concurrency: int = 64,
    timeout: float = 60.0,  # noqa: ASYNC109 - of each call, not of this function
    attempts: int = 6,
    patience: float = 10.0,
    cache: Path | None = None,
    record: Path | None = None,
    budget: Budget | None = None,
    meanwhile: Iterator[object] | None = None,
    elsewhere: Callable[[Callable[[], Provider]], Provider] | None = None,
    trials: EndpointTrials | None = None,
    failing: OnFailure | None = None,
) -> AsyncGenerator[Provider]:
    """Open a provider for judging that asks the endpoint, retries, caches and records replies.

    From the outside in:

    1. Identical requests in flight wait for one reply.
    2. Replies are recorded, also those from the cache.
    3. The cache is read before the model is called.
    4. A model that refuses all of its first calls is not called again.
    5. Failed calls are retried. This layer is outside the limiter, so that waits take no slot.
    6. The limiter bounds the calls in flight.
    7. A hanging call is repeated within its slot.
    8. Every call counts against the budget.

    Each of several endpoints has its own limiter, and a request that fails at one is sent to another before it counts as a
    failure (`SpreadingProvider`).

    Args:
        endpoint: The model's endpoint, or several, each with its own limiter.
        concurrency: Maximum number of calls in flight; each of several endpoints has its own.
        timeout: Time limit of one call, in seconds.
        attempts: Maximum number of failed calls for one request.
        patience: A call counts as hanging, and is repeated, after this multiple of the usual reply time (see `ReplyTimes`); with
            0 it is only ended after ``timeout``.
        cache: The reply cache's file, or None for no cache.
        record: A file to record replies to.
        budget: Limit on calls and cost, or None for no limit.
        meanwhile: Other work, done step by step during the wait for the first responses.
        elsewhere: Function that makes a provider which sends its requests from other processes. Its argument makes the provider
            that each process uses. Limits and the budget stay in this process.
        trials: Trials that several providers share, or None if this provider has trials of its own.
        failing: Called for each failed call.

    Raises:
        UsageError: ``concurrency``, ``attempts`` or ``timeout`` is not positive.
    """
    if concurrency < 1 or attempts < 1 or not timeout > 0:
        raise UsageError(
            f"expected at least one call in flight, one attempt and some time, got {concurrency}, {attempts}, {timeout:g} s"
        )
    make_sender = partial(_sending_provider, timeout=timeout, budget=budget, elsewhere=elsewhere)
    if isinstance(endpoint, EndpointGroup):
        from .load_balancing import spread_over  # noqa: PLC0415 - most runs have one endpoint

        # Only the first endpoint advances the other work.
        shares = [
            (share, make_sender(share.endpoint, meanwhile if number == 0 else None))
            for number, share in enumerate(endpoint.shares)
        ]
        provider: Provider = spread_over(shares, patience, endpoint.report)
    else:
        provider = make_sender(endpoint, meanwhile)
        if patience:
            provider = PatientProvider(provider, patience)
        provider = LimitedProvider(provider, AdaptiveLimiter(concurrency))
    try:
        provider = RetryingProvider(provider, RetryPolicy(attempts=attempts), failing=failing)
        provider = TrialProvider(provider, _trial_of(endpoint, trials or EndpointTrials()))
        # One by one, so that `finally` closes what was opened if the next provider cannot be opened.
        provider = with_cache(provider, endpoint.identity, cache)
        provider = with_recording(provider, record)
        provider = CoalescingProvider(provider)
        yield provider
    finally:
        await provider.aclose()


def _trial_of(endpoint: Endpoint | EndpointGroup, trials: EndpointTrials) -> Callable[[str], Trial]:
    """Return a function that returns the trial of a model.

    Several endpoints share the first calls between them, since a request fails only after a call to each endpoint.
    """
    n_endpoints = len(endpoint.shares) if isinstance(endpoint, EndpointGroup) else 1
    return partial(trials.of, endpoint.identity, calls=max(1, FIRST_CALLS // n_endpoints))


def _sending_provider(
    endpoint: Endpoint,
    meanwhile: Iterator[object] | None,
    *,
    timeout: float,
    budget: Budget | None,
    elsewhere: Callable[[Callable[[], Provider]], Provider] | None,
) -> Provider:
    """Return the provider that sends requests to one endpoint, within the common budget."""
    provider: Provider = (
        OpenAIProvider(endpoint, timeout=timeout, meanwhile=meanwhile)
        if elsewhere is None
        # An iterator cannot be sent to another process, so `meanwhile` is left out.
        else elsewhere(partial(OpenAIProvider, endpoint, timeout=timeout))
    )
    return provider if budget is None else BudgetedProvider(provider, budget)


def with_cache(provider: Provider, namespace: str, cache: Path | None) -> Provider:
    """Return a provider that reads the reply cache first; ``namespace`` identifies the endpoint."""
    if cache is None:
        return provider
    from .reply_cache import CachingProvider, ReplyCache  # noqa: PLC0415 - loads SQLite

    return CachingProvider(provider, ReplyCache(cache), namespace)


def with_recording(provider: Provider, record: Path | None) -> Provider:
    """Return a provider that records replies to a file, if there is one."""
    if record is None:
        return provider
    from .recording import RecordingProvider  # noqa: PLC0415 - most runs record nothing

    return RecordingProvider(provider, record)
