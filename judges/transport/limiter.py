"""Keep as many calls in flight as the server allows, and find out how many that are."""

from __future__ import annotations

import asyncio
from collections import deque
from http import HTTPStatus

from .exchange import CallError, Provider, Reply, Request, Wrapping

_BURST_SHARE = 0.2
"""Share of the last calls that must meet a rate limit without a rate before it counts. A stray 429 concerns one call; stopping all calls
for it loses more than it saves."""
_LEAST_WINDOW = 16
"""The last calls are as many as fill the slots twice, but no fewer than this: one of a few calls says little."""
_CUT = 0.5
_UNNAMED_PAUSE = 0.5
"""Seconds to pause after a burst of 429s that name no time."""
_LONGEST_PAUSE = 120.0
"""Longest wait for a server at a time, in seconds, even if it asks for more."""
_HOPELESS_AFTER = 300.0
"""Seconds of rate limits without one reply, after which waiting calls fail: a spent quota of the day does not come back while a run
waits."""
_CATCH_UP = 5
"""Number of paced starts that may be caught up after late timers."""


class AdaptiveLimiter:
    """Slots for calls in flight, adapted by AIMD to rate limits (429) only.

    AIMD is additive increase, multiplicative decrease.

    A burst of 429s costs one cut, whatever its size: calls that were begun before the cut cannot cause another. While the
    server's waiting time runs, nothing starts; if a 429 names a rate, starts are spaced by it from then on. If for minutes
    only 429s arrive, waiting callers get an error. Errors of other kinds change nothing: a queue does not help a failing server.
    The limiter begins with the greatest number of calls in flight, since most servers allow it.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._limit = float(most)
        self.active = 0
        """How many calls are in flight."""
        self._started = 0
        self._believed_from = 0
        self._limited: deque[int] = deque()
        self._waiting: deque[asyncio.Future[int]] = deque()
        self.opens_at = 0.0
        """No call starts before this time of the loop."""
        self._gap = 0.0
        self._fruitless_since: float | None = None
        self._timer: asyncio.TimerHandle | None = None

    @property
    def limit(self) -> int:
        """Greatest number of calls in flight now."""
        return max(1, int(self._limit))

    def take(self) -> int | None:
        """Take a slot if there is one now, and return its ticket; never wait."""
        now = asyncio.get_running_loop().time()
        if self.active >= self.limit or now < self.opens_at:
            return None
        if self._gap:
            self.opens_at = max(self.opens_at, now - _CATCH_UP * self._gap) + self._gap
        self.active += 1
        self._started += 1
        return self._started - 1

    async def acquire(self) -> int:
        """Wait for a slot.

        Raise a `CallError` after minutes of rate limits alone, if the server asks to wait still longer.
        """
        if self.hopeless():
            raise nothing_but_rate_limits()
        turn: asyncio.Future[int] = asyncio.get_running_loop().create_future()
        self._waiting.append(turn)
        self._admit()
        try:
            return await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():
                self._leave()
            raise

    def succeeded(self) -> None:
        """Give a slot back after a reply."""
        self._fruitless_since = None
        self._limit = min(self._most, self._limit + 1 / self._limit)
        self._leave()

    def failed(self, ticket: int, error: BaseException) -> None:
        """Give the slot of a ticket back after a failure; only rate limits have an effect."""
        if isinstance(error, CallError) and error.rate_limited:
            self._meet_rate_limit(ticket, error)
        self._leave()

    def _meet_rate_limit(self, ticket: int, error: CallError) -> None:
        if self._fruitless_since is None:
            self._fruitless_since = asyncio.get_running_loop().time()
        if error.allowed_rate:
            # The server names a rate, so it counts from the first such call.
            self._gap = 1 / error.allowed_rate
            self._pause(error)
        if ticket >= self._believed_from and self._is_burst(ticket):
            self._limited.clear()
            self._believed_from = self._started
            self._limit = max(1.0, self._limit * _CUT)
            self._pause(error)
        if self.hopeless():
            self._send_away()

    def _is_burst(self, ticket: int) -> bool:
        window = max(_LEAST_WINDOW, 2 * self.limit)
        self._limited.append(ticket)
        while self._limited and self._limited[0] < self._started - window:
            self._limited.popleft()
        return len(self._limited) >= _BURST_SHARE * min(window, self._started)

    def _pause(self, error: CallError) -> None:
        seconds = _UNNAMED_PAUSE if error.retry_after is None else min(error.retry_after, _LONGEST_PAUSE)
        # One gap longer than needed: a start without slack is refused if the next timer is early.
        self.opens_at = max(self.opens_at, asyncio.get_running_loop().time() + seconds + self._gap)

    def hopeless(self) -> bool:
        """Return whether the server rate-limited everything for minutes and still asks to wait."""
        if self._fruitless_since is None:
            return False
        now = asyncio.get_running_loop().time()
        return now - self._fruitless_since > _HOPELESS_AFTER and now < self.opens_at

    def _send_away(self) -> None:
        waiting, self._waiting = self._waiting, deque()
        for turn in waiting:
            if not turn.done():
                turn.set_exception(nothing_but_rate_limits())

    def _leave(self) -> None:
        self.active -= 1
        self._admit()

    def _admit(self) -> None:
        """Let in as many as there are slots for; if they must wait, come back in time."""
        loop = asyncio.get_running_loop()
        while self._waiting and self.active < self.limit:
            if self._waiting[0].done():
                self._waiting.popleft()
                continue
            ticket = self.take()
            if ticket is None:
                if self._timer is None:
                    self._timer = loop.call_at(self.opens_at, self._reopen)
                return
            self._waiting.popleft().set_result(ticket)

    def _reopen(self) -> None:
        self._timer = None
        self._admit()


def nothing_but_rate_limits() -> CallError:
    """Return the error for requests that are not sent while the server rate-limits everything."""
    error = CallError(
        f"not asked: the endpoint has answered nothing but HTTP 429 (too many requests) for more than {_HOPELESS_AFTER:g} s, and "
        "asks to wait still longer",
        status=HTTPStatus.TOO_MANY_REQUESTS,
    )
    error.calls = 0
    return error


class LimitedProvider(Wrapping):
    """Provider that holds a limiter's slot while it asks.

    The limiter is shared by everything that calls the same endpoint.
    """

    def __init__(self, inner: Provider, limiter: AdaptiveLimiter) -> None:
        super().__init__(inner)
        self._limiter = limiter

    async def complete(self, request: Request) -> Reply:
        """Ask when there is a slot. See `Provider.complete`."""
        ticket = await self._limiter.acquire()
        try:
            reply = await self._inner.complete(request)
        except BaseException as error:
            self._limiter.failed(ticket, error)
            raise
        self._limiter.succeeded()
        return reply
