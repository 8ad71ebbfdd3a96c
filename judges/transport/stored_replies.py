"""Providers that answer from batch results, cassettes and recordings instead of an endpoint."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from pathlib import Path

from .batch_results import BatchResults, ResultsTally
from .connect import CoalescingProvider, with_cache, with_recording
from .exchange import Provider
from .recording import CassetteProvider, ReplayProvider


@asynccontextmanager
async def batch_replies(
    results: Sequence[Path],
    *,
    missing: str,
    namespace: str = "",
    cache: Path | None = None,
    record: Path | None = None,
    report: Callable[[ResultsTally], object] | None = None,
) -> AsyncGenerator[Provider]:
    """Open a provider that answers from a batch endpoint's result files, and from the cache.

    Args:
        results: Result and error files, in the order in which they were made.
        missing: Error message for a request without a result.
        namespace: The endpoint's identity, for the cache.
        cache: The reply cache's file, or None for no cache.
        record: A file to record replies to.
        report: Function called at the end with the tally of the results.
    """
    batch_results = BatchResults(results, missing=missing)
    provider: Provider = batch_results
    try:
        provider = with_cache(provider, namespace, cache)
        provider = with_recording(provider, record)
        yield provider
    finally:
        await provider.aclose()
        if report is not None:
            report(batch_results.tally())


@asynccontextmanager
async def cassette(
    path: Path, asking: AbstractAsyncContextManager[Provider] | None
) -> AsyncGenerator[Provider]:
    """Open a provider for tests that answers from a recording.

    A missing reply is requested from ``asking``, and recorded; if ``asking`` is None, it is an error.
    """
    async with AsyncExitStack() as exits:
        endpoint_provider = None if asking is None else await exits.enter_async_context(asking)
        provider = CoalescingProvider(CassetteProvider(path, endpoint_provider))
        exits.push_async_callback(provider.aclose)
        yield provider


@asynccontextmanager
async def replay(path: Path) -> AsyncGenerator[Provider]:
    """Open a provider that answers only from a recording made by `connect`."""
    provider = ReplayProvider(path)
    try:
        yield provider
    finally:
        await provider.aclose()
