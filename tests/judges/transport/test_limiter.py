"""Numbers of calls admitted at once."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable

import pytest
from virtual_time import run_virtually, virtually

from fiducial.judges.transport import CallError, Reply, Request, make_request
from fiducial.judges.transport.limiter import AdaptiveLimiter, LimitedProvider
from fiducial.judges.transport.retry import RetryingProvider, RetryPolicy


def rate_limit(retry_after: float = 0.0, allowed_rate: float | None = None) -> CallError:
    return CallError("429", status=429, retryable=True, retry_after=retry_after, allowed_rate=allowed_rate)


async def take(limiter: AdaptiveLimiter, count: int) -> list[int]:
    return [await limiter.acquire() for _ in range(count)]


@virtually
async def test_a_burst_of_rate_limits_costs_one_cut() -> None:
    limiter = AdaptiveLimiter(64)
    for ticket in await take(limiter, 64):
        limiter.failed(ticket, rate_limit())
    assert limiter.limit == 32


@virtually
async def test_a_stray_rate_limit_costs_none() -> None:
    limiter = AdaptiveLimiter(64)
    tickets = await take(limiter, 64)
    for ticket in tickets[:2]:
        limiter.failed(ticket, rate_limit(retry_after=60))
    await asyncio.wait_for(limiter.acquire(), 1)
    assert limiter.limit == 64


@virtually
async def test_other_failures_cost_none() -> None:
    limiter = AdaptiveLimiter(8)
    for ticket in await take(limiter, 8):
        limiter.failed(ticket, CallError("500", status=500, retryable=True))
    assert limiter.limit == 8


@virtually
async def test_the_limit_comes_back_by_one_a_round() -> None:
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


@virtually
async def test_nobody_is_let_in_while_the_server_asks_to_wait() -> None:
    limiter = AdaptiveLimiter(1)
    (ticket,) = await take(limiter, 1)
    limiter.failed(ticket, rate_limit(retry_after=0.2))
    loop = asyncio.get_running_loop()
    begun = loop.time()
    await limiter.acquire()
    assert loop.time() - begun >= 0.19


def test_nobody_waits_longer_than_two_minutes_at_a_time_whatever_the_server_asks_for() -> None:
    async def run() -> None:
        limiter = AdaptiveLimiter(1)
        (ticket,) = await take(limiter, 1)
        limiter.failed(ticket, rate_limit(retry_after=86_400))
        await limiter.acquire()

    _, seconds = run_virtually(run())
    assert seconds == 120.0


@virtually
async def test_calls_are_spaced_by_the_rate_the_server_names() -> None:
    limiter = AdaptiveLimiter(1)
    (ticket,) = await take(limiter, 1)
    limiter.failed(ticket, rate_limit(allowed_rate=100))
    loop = asyncio.get_running_loop()
    begun = loop.time()
    for _ in range(30):
        await limiter.acquire()
        limiter.succeeded()
    assert loop.time() - begun >= 0.2


@virtually
async def test_a_slot_granted_to_one_who_gave_up_is_given_back() -> None:
    limiter = AdaptiveLimiter(1)
    await limiter.acquire()
    waiting = asyncio.create_task(limiter.acquire())
    await asyncio.sleep(0)
    limiter.succeeded()
    waiting.cancel()
    await asyncio.gather(waiting, return_exceptions=True)
    assert (
        await asyncio.wait_for(limiter.acquire(), 1) > 1
    )  # the third to be let in, after the one who gave up


def test_a_rate_that_is_named_is_believed_at_once() -> None:
    async def run() -> float:
        limiter = AdaptiveLimiter(64)
        tickets = await take(limiter, 64)
        limiter.failed(tickets[0], rate_limit(retry_after=5.0, allowed_rate=10))
        assert limiter.limit == 64
        await take(limiter, 1)
        limiter.succeeded()
        return asyncio.get_running_loop().time()

    _, seconds = run_virtually(run())
    assert 4.9 <= seconds <= 5.1


class Faulty:
    """Replies after 50 ms, but for those calls that a script fails at once."""

    def __init__(self, fault: Callable[[float], CallError | None]) -> None:
        self._fault = fault
        self.calls = 0

    async def complete(self, request: Request) -> Reply:
        """Fail, or wait and reply."""
        del request
        self.calls += 1
        error = self._fault(asyncio.get_running_loop().time())
        if error is not None:
            raise error
        await asyncio.sleep(0.05)
        return Reply(text="1")

    async def aclose(self) -> None:
        """Do nothing; no resource is open."""


def ask_all(server: Faulty, count: int, failures: list[CallError] | None = None) -> float:
    """Ask as `connect` would, 64 at a time; return the seconds it took.

    Without a list of failures, none is expected.
    """

    async def run() -> None:
        limited = LimitedProvider(server, AdaptiveLimiter(64))
        provider = RetryingProvider(limited, RetryPolicy(), rng=random.Random(1))
        left = iter(range(count))

        async def work() -> None:
            for number in left:
                try:
                    await provider.complete(make_request("m", [], {}, repeat=number))
                except CallError as error:
                    if failures is None:
                        raise
                    failures.append(error)

        async with asyncio.TaskGroup() as group:
            for _ in range(128):
                group.create_task(work())

    return run_virtually(run())[1]


def test_a_tenth_of_stray_rate_limits_costs_its_waiting_times_and_no_more() -> None:
    rng = random.Random(7)
    server = Faulty(lambda now: rate_limit(retry_after=1.0) if rng.random() < 0.1 else None)
    seconds = ask_all(
        server, 2000
    )  # 1.6 s without a fault; four in a row, which one of ten thousand meets, take another 4 s
    assert seconds <= 8.0


def token_bucket(rate: float, burst: float, *, named: bool) -> Callable[[float], CallError | None]:
    """A provider that allows so many calls a second, and says so or not."""
    tokens, last = burst, 0.0

    def take_one(now: float) -> CallError | None:
        nonlocal tokens, last
        tokens, last = min(burst, tokens + (now - last) * rate), now
        if tokens >= 1:
            tokens -= 1
            return None
        wait = (1 - tokens) / rate
        return rate_limit(wait, allowed_rate=rate) if named else rate_limit(retry_after=1.0)

    return take_one


def test_a_rate_that_is_named_is_kept_to_with_few_calls_too_many() -> None:
    server = Faulty(token_bucket(200, 100, named=True))
    seconds = ask_all(server, 2000)
    assert seconds <= 1.02 * (2000 - 100) / 200
    assert server.calls <= 2000 * 1.02


def test_a_rate_that_is_not_named_is_found() -> None:
    server = Faulty(token_bucket(200, 200, named=False))
    seconds = ask_all(server, 2000)
    assert seconds <= 1.6 * (2000 - 200) / 200
    assert server.calls <= 2000 * 1.1


@pytest.mark.parametrize("asked", [0.0, 1.0, 60.0, 86_400.0])
def test_a_server_with_nothing_but_rate_limits_ends_a_run_in_minutes(asked: float) -> None:
    server = Faulty(lambda now: rate_limit(retry_after=asked))
    failures: list[CallError] = []
    seconds = ask_all(server, 2000, failures)
    assert len(failures) == 2000
    assert seconds <= 1200
    assert server.calls <= 2 * 2000
    if asked >= 60:
        assert sum(error.calls for error in failures) == server.calls <= 128
        assert sum("nothing but HTTP 429" in str(error) for error in failures) > 1900


def test_a_rate_limit_that_passes_within_minutes_costs_no_item() -> None:
    server = Faulty(lambda now: rate_limit(retry_after=86_400) if now < 250 else None)
    assert ask_all(server, 500) <= 400


@virtually
async def test_a_caller_that_is_cancelled_when_it_is_refused_gives_no_slot_back() -> None:
    limiter = AdaptiveLimiter(2)
    first, second = await take(limiter, 2)
    limiter.failed(first, rate_limit(retry_after=1000))
    waiting = asyncio.ensure_future(limiter.acquire())
    await asyncio.sleep(301)
    limiter.failed(second, rate_limit(retry_after=1000, allowed_rate=1.0))
    waiting.cancel()
    (outcome,) = await asyncio.gather(waiting, return_exceptions=True)
    assert isinstance(outcome, asyncio.CancelledError)
    assert limiter.active == 0
