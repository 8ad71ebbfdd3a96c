"""Limit the calls in flight, and adapt the limit to what the server allows."""

from __future__ import annotations

import asyncio
from collections import deque
from http import HTTPStatus
from typing import Any

from .exchange import CallError, Provider, Reply, Request, WrappingProvider

_BURST_SHARE = 0.2
"""At this share of 429s among the last calls, they are a burst. Stopping all calls for a single 429 would cost more than it saves."""
_MIN_WINDOW = 16
"""A burst is looked for in as many last calls as fill the slots twice, but at least in this many."""
_BURST_FACTOR = 0.5
"""Factor of the limit after a burst."""
_DEFAULT_PAUSE_SECONDS = 0.5
"""Pause after a burst if the server does not say how long to wait."""
_MAX_PAUSE_SECONDS = 120.0
"""Maximum pause, even if the server asks for more."""
_HOPELESS_SECONDS = 300.0
"""After this time with 429s alone, waiting calls fail: a daily quota does not come back during a run."""
_MAX_LATE_STARTS = 5
"""At most this many starts are made up for at once if a timer fires late."""


class AdaptiveLimiter:
    """Slots for calls in flight, whose number adapts to rate limits (HTTP 429) alone.

    The number grows by one for each round of replies, and halves after a burst of 429s (additive increase, multiplicative decrease).
    Calls that began before the burst do not halve it again. The number begins at the maximum, since most servers allow that.

    No call starts during the wait that the server asks for. If a 429 names a rate, starts are spaced by it from then on. If only
    429s arrive for minutes, waiting callers get an error. A ticket is the number of a call, in the order of their starts.
    """

    def __init__(self, max_calls: int) -> None:
        self._max_calls = max_calls
        self._limit = float(max_calls)  # fractional: each reply adds a part of a slot
        self.active = 0
        """Number of calls in flight."""
        self._started = 0
        self._counts_from_ticket = 0  # 429s of calls with earlier tickets do not count towards a burst
        self._limited_tickets: deque[int] = deque()
        self._waiting: deque[asyncio.Future[int]] = deque()
        self.opens_at = 0.0
        """No call starts before this time of the event loop."""
        self._start_interval = 0.0
        self._only_limited_since: float | None = None
        self._timer: asyncio.TimerHandle | None = None

    @property
    def limit(self) -> int:
        """Maximum number of calls in flight at present."""
        return max(1, int(self._limit))

    def take(self) -> int | None:
        """Take a free slot without waiting, and return its ticket, or None if there is none."""
        now = asyncio.get_running_loop().time()
        if self.active >= self.limit or now < self.opens_at:
            return None
        if self._start_interval:
            self.opens_at = (
                max(self.opens_at, now - _MAX_LATE_STARTS * self._start_interval) + self._start_interval
            )
        self.active += 1
        self._started += 1
        return self._started - 1

    async def acquire(self) -> int:
        """Wait for a slot, and return its ticket.

        Raises:
            CallError: The server has rate-limited everything for minutes, and asks to wait longer.
        """
        if self.hopeless():
            raise hopeless_error()
        turn: asyncio.Future[int] = asyncio.get_running_loop().create_future()
        self._waiting.append(turn)
        self._admit()
        try:
            return await turn
        except asyncio.CancelledError:
            if got_slot(turn):
                self._release()
            raise

    def succeeded(self) -> None:
        """Release a slot after a reply."""
        self._only_limited_since = None
        # One more slot after as many replies as there are slots.
        self._limit = min(self._max_calls, self._limit + 1 / self._limit)
        self._release()

    def failed(self, ticket: int, error: BaseException) -> None:
        """Release the slot of a ticket after a failure; only rate limits change the limit."""
        if isinstance(error, CallError) and error.rate_limited:
            self._meet_rate_limit(ticket, error)
        self._release()

    def _meet_rate_limit(self, ticket: int, error: CallError) -> None:
        if self._only_limited_since is None:
            self._only_limited_since = asyncio.get_running_loop().time()
        if error.allowed_rate:
            # A stated rate is applied at once, without waiting for a burst.
            self._start_interval = 1 / error.allowed_rate
            self._pause(error)
        if ticket >= self._counts_from_ticket and self._is_burst(ticket):
            # Calls in flight began under the old limit, so their 429s do not count.
            self._limited_tickets.clear()
            self._counts_from_ticket = self._started
            self._limit = max(1.0, self._limit * _BURST_FACTOR)
            self._pause(error)
        if self.hopeless():
            self._fail_waiting()

    def _is_burst(self, ticket: int) -> bool:
        window = max(_MIN_WINDOW, 2 * self.limit)  # in starts of calls
        self._limited_tickets.append(ticket)
        while self._limited_tickets and self._limited_tickets[0] < self._started - window:
            self._limited_tickets.popleft()
        return len(self._limited_tickets) >= _BURST_SHARE * min(window, self._started)

    def _pause(self, error: CallError) -> None:
        seconds = (
            _DEFAULT_PAUSE_SECONDS
            if error.retry_after is None
            else min(error.retry_after, _MAX_PAUSE_SECONDS)
        )
        # One interval more, since a timer that fires too early would cause another 429.
        self.opens_at = max(self.opens_at, asyncio.get_running_loop().time() + seconds + self._start_interval)

    def hopeless(self) -> bool:
        """Return whether the server has rate-limited all calls for minutes, and asks to wait."""
        if self._only_limited_since is None:
            return False
        now = asyncio.get_running_loop().time()
        return now - self._only_limited_since > _HOPELESS_SECONDS and now < self.opens_at

    def _fail_waiting(self) -> None:
        waiting, self._waiting = self._waiting, deque()
        for turn in waiting:
            if not turn.done():
                turn.set_exception(hopeless_error())

    def _release(self) -> None:
        self.active -= 1
        self._admit()

    def _admit(self) -> None:
        """Give free slots to waiting callers; set a timer if no call may start yet."""
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


def got_slot(turn: asyncio.Future[Any]) -> bool:
    """Return whether a cancelled caller had been given a slot, which it must release."""
    return turn.done() and not turn.cancelled() and turn.exception() is None


def hopeless_error() -> CallError:
    """Return the error for requests that are not sent while the server rate-limits everything."""
    error = CallError(
        f"not asked: the endpoint has answered nothing but HTTP 429 (too many requests) for more than {_HOPELESS_SECONDS:g} s, and "
        "asks to wait still longer",
        status=HTTPStatus.TOO_MANY_REQUESTS,
    )
    error.calls = 0
    return error


class LimitedProvider(WrappingProvider):
    """Provider that holds a slot of a limiter during each call.

    All callers of an endpoint share its limiter.
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
