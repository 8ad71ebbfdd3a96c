"""Fixtures for judges: a provider on loopback, and a way to judge at it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from contextlib import AbstractAsyncContextManager
from typing import Any

import pytest
from judge_items import Judging, VerdictOn, make_pairs
from provider_server import ProviderServer, Response

from fiducial.judges import Endpoint, Provider, connect, judge_work, load_judge
from fiducial.records import Case, Output, Verdict


@pytest.fixture
def endpoint(server: ProviderServer) -> Callable[[], Endpoint]:
    """The server's endpoint, which is asked directly."""
    return lambda: Endpoint(server.base_url, "secret-key")


@pytest.fixture
def judging(endpoint: Callable[[], Endpoint]) -> Judging:
    """Return a function that judges pairs at the loopback server, in order."""

    def judge(
        pairs: Iterable[tuple[Case, Output]],
        *,
        spec: str = "tool_call_accuracy",
        model: str = "judge",
        provider: AbstractAsyncContextManager[Provider] | None = None,
        concurrency: int = 8,
        repeats: int = 1,
        parameters: dict[str, Any] | None = None,
        **options: Any,
    ) -> list[Verdict]:
        async def run() -> list[Verdict]:
            loaded = load_judge(spec, model=model, parameters=parameters)
            async with provider or connect(endpoint(), concurrency=concurrency, **options) as asked:
                work = ((case, output, repeat) for case, output in pairs for repeat in range(repeats))
                stream = judge_work(work, loaded, asked, concurrency=concurrency)
                return [verdict async for verdict in stream]

        return sorted(asyncio.run(run()), key=lambda verdict: (verdict.case_id, verdict.repeat))

    return judge


@pytest.fixture
def verdict_on(server: ProviderServer, judging: Judging) -> VerdictOn:
    """Return a function that judges one item at a server with a fixed response."""

    def judge(response: Response, **options: Any) -> Verdict:
        server.script = lambda seen: response
        (verdict,) = judging(make_pairs(1), **options)
        return verdict

    return judge
