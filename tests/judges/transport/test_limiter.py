"""How many calls are let in at once."""

from __future__ import annotations

import asyncio

from fiducial.judges.transport import CallError
from fiducial.judges.transport.limiter import AdaptiveLimiter


def rate_limit(retry_after: float = 0.0, allowed_rate: float | None = None) -> CallError:
    return CallError("429", status=429, retryable=True, retry_after=retry_after, allowed_rate=allowed_rate)


async def take(limiter: AdaptiveLimiter, count: int) -> list[int]:
    return [await limiter.acquire() for _ in range(count)]


def test_a_burst_of_rate_limits_costs_one_cut() -> None:
    async def run() -> None:
        limiter = AdaptiveLimiter(64)
        for ticket in await take(limiter, 64):
            limiter.failed(ticket, rate_limit())
        assert limiter.limit == 32

    asyncio.run(run())


def test_a_stray_rate_limit_costs_none() -> None:
    async def run() -> None:
        limiter = AdaptiveLimiter(64)
        tickets = await take(limiter, 64)
        for ticket in tickets[:2]:
            limiter.failed(ticket, rate_limit(retry_after=60))
        await asyncio.wait_for(limiter.acquire(), 1)
        assert limiter.limit == 64

    asyncio.run(run())


def test_other_failures_cost_none() -> None:
    async def run() -> None:
        limiter = AdaptiveLimiter(8)
        for ticket in await take(limiter, 8):
            limiter.failed(ticket, CallError("500", status=500, retryable=True))
        assert limiter.limit == 8

    asyncio.run(run())


def test_the_limit_comes_back_by_one_a_round() -> None:
    async def run() -> None:
        limiter = AdaptiveLimiter(8)
        for ticket in await take(limiter, 8):
            limiter.failed(ticket, rate_limit())
        assert limiter.limit == 4
        for _ in range(5):
            await limiter.acquire()
            limiter.succeeded()
        assert limiter.limit == 5
        for _ in range(100):
            await limiter.acquire()
            limiter.succeeded()
        assert limiter.limit == 8

    asyncio.run(run())


def test_nobody_is_let_in_while_the_server_asks_to_wait() -> None:
    async def run() -> None:
        limiter = AdaptiveLimiter(1)
        (ticket,) = await take(limiter, 1)
        limiter.failed(ticket, rate_limit(retry_after=0.2))
        loop = asyncio.get_running_loop()
        begun = loop.time()
        await limiter.acquire()
        assert loop.time() - begun >= 0.19

    asyncio.run(run())


def test_calls_are_spaced_by_the_rate_the_server_names() -> None:
    async def run() -> None:
        limiter = AdaptiveLimiter(1)
        (ticket,) = await take(limiter, 1)
        limiter.failed(ticket, rate_limit(allowed_rate=100))
        loop = asyncio.get_running_loop()
        begun = loop.time()
        for _ in range(30):
            await limiter.acquire()
            limiter.succeeded()
        assert loop.time() - begun >= 0.2

    asyncio.run(run())


def test_a_slot_granted_to_one_who_gave_up_is_given_back() -> None:
    async def run() -> None:
        limiter = AdaptiveLimiter(1)
        await limiter.acquire()
        waiting = asyncio.create_task(limiter.acquire())
        await asyncio.sleep(0)
        limiter.succeeded()
        waiting.cancel()
        await asyncio.gather(waiting, return_exceptions=True)
        await asyncio.wait_for(limiter.acquire(), 1)

    asyncio.run(run())
