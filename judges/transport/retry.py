"""Asks again where that may help, after the time the server asked for."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import msgspec

from .exchange import CallError, Provider, Reply, Request

if TYPE_CHECKING:
    import tenacity

_GROWTH = 3
_JITTER = 0.05
"""Spread of waiting times the server named, so that those told the same second do not come back at once."""


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """How often and how long to try.

    Attributes:
        attempts: Calls in all, the first one included.
        total_seconds: No new attempt is begun after this time.
        first_wait: Seconds, of which one waits half or more. Short, since most failures are strays; it triples with each failure for
            which the server names no time, so that the last attempts outlast a restart.
        longest_wait: Seconds; bounds those waits.
        longest_asked: Seconds; a server that asks for more is not waited for longer than this. One that asks for none names no time:
            or all attempts would be over before anything could pass.
    """

    attempts: int = 6
    total_seconds: float = 300.0
    first_wait: float = 0.15
    longest_wait: float = 20.0
    longest_asked: float = 120.0


_HOPELESS = 8
"""After so many requests in a row that used up their attempts, and none that was replied to, the endpoint is taken to be down,
or to let nobody in."""


class RetryingProvider:
    """Tries retryable failures again; what stays failed is raised with the number of calls that were made.

    An endpoint that is down is not asked six times for each of thousands of items: once that is clear, each has one call,
    until any of them is replied to.

    Args:
        inner: Asked at each attempt. A limiter belongs inside, so that no slot is held while waiting.
        policy: How often and how long.
        rng: Source of jitter.
        sleep: Waits; replaced in tests.
    """

    def __init__(
        self,
        inner: Provider,
        policy: RetryPolicy | None = None,
        *,
        rng: random.Random | None = None,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._inner = inner
        self._policy = policy or RetryPolicy()
        self._rng = rng or random.Random()  # noqa: S311 - jitter, not a secret
        self._sleep = sleep
        self._given_up = 0

    async def complete(self, request: Request) -> Reply:
        """Ask until there is a reply or no hope. See `Provider.complete`."""
        try:
            reply = await self._inner.complete(request)
        except CallError as error:
            if not error.retryable or self._given_up >= _HOPELESS:
                raise
            reply = await self._ask_again(request, error)
        self._given_up = 0
        return reply

    async def _ask_again(self, request: Request, first: CallError) -> Reply:
        """What follows a first failure. Apart, since tenacity costs more than all else that a smooth call needs."""
        import tenacity  # noqa: PLC0415 - slow to import, and a smooth run needs none of it

        attempts = tenacity.AsyncRetrying(
            retry=tenacity.retry_if_exception(_retryable),
            wait=_Waits(self._policy, self._rng),
            stop=tenacity.stop_after_attempt(self._policy.attempts)
            | tenacity.stop_after_delay(self._policy.total_seconds),
            sleep=self._sleep,
            reraise=True,
        )
        calls = 0
        try:
            async for attempt in attempts:
                with attempt:
                    if not calls:
                        calls = first.calls
                        raise first
                    try:
                        reply = await self._inner.complete(request)
                    except CallError as error:
                        calls += error.calls
                        raise
                    return msgspec.structs.replace(reply, calls=calls + reply.calls)
        except CallError as error:
            error.calls = calls
            self._given_up += error.retryable
            raise
        finally:
            del first  # its traceback holds this frame: a circle, until garbage is looked for
        raise AssertionError("tenacity neither returned nor raised")

    async def aclose(self) -> None:
        """Close the inner provider."""
        await self._inner.aclose()


class _Waits:
    """How long one request waits before each further attempt: as asked, else longer with each failure that named no time."""

    def __init__(self, policy: RetryPolicy, rng: random.Random) -> None:
        self._policy = policy
        self._rng = rng
        self._ceiling = policy.first_wait

    def __call__(self, state: tenacity.RetryCallState) -> float:
        error = state.outcome.exception() if state.outcome else None
        asked = error.retry_after if isinstance(error, CallError) else None
        if asked:
            return min(asked, self._policy.longest_asked) * (1 + _JITTER * self._rng.random())
        ceiling, self._ceiling = self._ceiling, min(self._policy.longest_wait, _GROWTH * self._ceiling)
        return self._rng.uniform(ceiling / 2, ceiling)


def _retryable(error: BaseException) -> bool:
    return isinstance(error, CallError) and error.retryable
