"""Settings for reaching a model: directly, by a recording, or by the results of batches."""

from __future__ import annotations

import time
from collections.abc import AsyncGenerator, Callable, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from ...errors import ConfigurationError

if TYPE_CHECKING:
    from ...judges.judge import RetryOf
    from ...judges.prices import PriceList
    from ...judges.transport.batch_results import ResultsTally
    from ...judges.transport.budget import Budget
    from ...judges.transport.endpoint import Endpoint, EndpointGroup
    from ...judges.transport.exchange import Provider
    from ...judges.transport.retry import OnFailure
    from ...judges.transport.trial import EndpointTrials


class ModelAccess(msgspec.Struct, frozen=True, kw_only=True):
    """Settings for reaching a model.

    Attributes:
        endpoint: Its endpoint; None when replies are replayed. Of several the first.
        spread: All endpoints, if there are several; ``concurrency`` is then the sum of their limits.
        concurrency: Maximum number of calls in flight.
        timeout: Seconds until one call is given up.
        attempts: Maximum number of calls for one request, if they fail.
        patience: Multiple of the usual duration after which a call counts as hanging; 0 waits for ``timeout``.
        replay: A recording to answer from, instead of any model.
        cassette: A recording to answer from. Requests it lacks go to the endpoint and are added; without an endpoint they fail.
        budget: Spending limit, or None for no limit.
        results: Batch result files to answer from, in addition to the cache; None to ask the model.
        on_results_used: Called at the end with the count of results used and unused.
        missing_result: Error message for a request that has no result in these files.
        served_by: The model that replies must name, if they name one; None accepts any.
        meanwhile: Steps of other work, taken one by one while the model's first replies are awaited.
        elsewhere: Creates and uses the client in other processes, or None for this one.
        trials: State of the first calls to each model, shared by all judges of a step, or None if each judge has its own.
        failing: Called for each failed call, to report progress.
        prices: Prices by which costs are shown while judges are asked, or None if asking costs nothing.
        retry_of: Numbers of the retries of earlier commands' unreadable replies, or None if there are none.
    """

    endpoint: Endpoint | None = None
    spread: EndpointGroup | None = None
    concurrency: int = 64
    timeout: float = 60.0
    attempts: int = 6
    patience: float = 10.0
    cache: Path | None = None
    record: Path | None = None
    replay: Path | None = None
    cassette: Path | None = None
    budget: Budget | None = None
    results: tuple[Path, ...] | None = None
    on_results_used: Callable[[ResultsTally], object] | None = None
    missing_result: str = "the batch holds no result for this request"
    served_by: str | None = None
    meanwhile: Iterator[object] | None = None
    elsewhere: Callable[[Callable[[], Provider]], Provider] | None = None
    trials: EndpointTrials | None = None
    failing: OnFailure | None = None
    prices: PriceList | None = None
    retry_of: RetryOf | None = None

    @property
    def namespace(self) -> str:
        """Part of a reply's cache key that names the endpoint; empty without one."""
        if self.spread is not None:
            return self.spread.identity
        return "" if self.endpoint is None else self.endpoint.identity

    def open(self) -> AbstractAsyncContextManager[Provider]:
        """Open the provider that answers requests, as a context manager."""
        provider = self._open()
        return provider if self.served_by is None else _with_served_by_check(provider, self.served_by)

    def _open(self) -> AbstractAsyncContextManager[Provider]:
        if self.replay is not None or self.cassette is not None or self.results is not None:
            return self._open_stored()
        if self.endpoint is None:
            raise ConfigurationError("no model can be reached: set an endpoint, or replay a recording")
        from ...judges.transport.connect import connect  # noqa: PLC0415 - many runs ask no model

        return connect(
            self.spread or self.endpoint,
            concurrency=self.concurrency,
            timeout=self.timeout,
            attempts=self.attempts,
            patience=self.patience,
            cache=self.cache,
            record=self.record,
            budget=self.budget,
            meanwhile=self.meanwhile,
            elsewhere=self.elsewhere,
            trials=self.trials,
            failing=self.failing,
        )

    def _open_stored(self) -> AbstractAsyncContextManager[Provider]:
        """Open the provider that answers from a recording, a cassette or batch results."""
        from ...judges.transport.stored_replies import batch_replies, cassette, replay  # noqa: PLC0415 - seldom needed

        if self.replay is not None:
            return replay(self.replay)
        if self.cassette is not None:
            live = msgspec.structs.replace(self, cassette=None).open() if self.endpoint is not None else None
            return cassette(self.cassette, live)
        assert self.results is not None
        return batch_replies(
            self.results,
            missing=self.missing_result,
            namespace=self.namespace,
            cache=self.cache,
            record=self.record,
            report=self.on_results_used,
        )


@asynccontextmanager
async def _with_served_by_check(
    unchecked: AbstractAsyncContextManager[Provider], expected: str
) -> AsyncGenerator[Provider]:
    from ...judges.transport.served_by import ServedByCheck  # noqa: PLC0415 - most runs accept any model

    async with unchecked as provider:
        yield ServedByCheck(provider, expected)


class BatchMode(msgspec.Struct, frozen=True):
    """Settings for waiting on batches: seconds between polls, and the ``sleep`` function."""

    poll_seconds: float = 30.0
    sleep: Callable[[float], None] = time.sleep  # another in tests
