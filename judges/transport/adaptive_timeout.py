"""Give up calls that take far longer than usual while the server answers other calls.

`ReplyTimes` decides which calls hang, `HangWatch` ends them with a timer, and `PatientProvider` repeats them.
"""

from __future__ import annotations

import asyncio
from collections import deque
from dataclasses import dataclass, field

import msgspec

from .exchange import CallError, Provider, Reply, Request, WrappingProvider

_MAX_RECENT_REPLIES = 100
_MIN_REPLIES = 20
"""The usual time is unknown before this many replies."""
_QUANTILE = 0.95
"""Quantile of recent reply times that is the usual time."""
_MIN_LIMIT_SECONDS = 1.0
"""Minimum time limit of a call, since shorter pauses happen in networks and in this process."""
_CHECK_SECONDS = 0.1
"""Time between two checks for calls that hang."""


@dataclass(slots=True)
class CallInFlight:
    """A call in flight.

    Attributes:
        number: Its number among the calls to this model, from 0.
        begun: Its start, by the event loop's clock.
        given_up: Number of earlier calls for the same request that were given up.
        endpoint: Index of its endpoint.
        timer: Timeout without a limit, which is rescheduled to end the call.
    """

    number: int
    begun: float
    given_up: int
    endpoint: int = 0
    timer: asyncio.Timeout | None = None


@dataclass(slots=True)
class ReplyTimes:
    """Usual reply times of one model, and the calls that exceed them.

    A call hangs if two conditions hold. First, it has taken ``multiple`` times the usual time (95 of the last 100 replies took less),
    and at least a second. Second, a later call has a reply, or another endpoint has no call left to answer. Without the second
    condition, calls to a server that is slow for everyone would be repeated, which adds to its load. Each time that a call is given
    up, the limit of the next call for the same request doubles, so that a slow request gets its reply at last.
    """

    multiple: float
    _seconds: dict[int, deque[float]] = field(default_factory=dict[int, deque[float]])
    _in_flight: dict[int, CallInFlight] = field(default_factory=dict[int, CallInFlight])
    _calls_begun: int = 0
    _newest_replied: int = -1  # number of the latest call that has a reply

    def begin(self, now: float, given_up: int = 0, endpoint: int = 0) -> CallInFlight:
        """Record the start of a call."""
        call = CallInFlight(self._calls_begun, now, given_up, endpoint)
        self._in_flight[call.number] = call
        self._calls_begun += 1
        return call

    def end(self, call: CallInFlight, now: float, *, replied: bool) -> None:
        """Record the end of a call. Only replies count towards the usual time."""
        del self._in_flight[call.number]
        if replied:
            self._seconds.setdefault(call.endpoint, deque(maxlen=_MAX_RECENT_REPLIES)).append(
                now - call.begun
            )
            self._newest_replied = max(self._newest_replied, call.number)

    def allowance(self, given_up: int = 0) -> float:
        """Return the time limit of a call, from the usual time of the fastest endpoint."""
        times_by_endpoint = [sorted(self._seconds[endpoint]) for endpoint in self._known_endpoints()]
        if not times_by_endpoint:
            return float("inf")
        # The fastest, since a hanging call may be repeated there.
        usual = min(times[int(_QUANTILE * len(times))] for times in times_by_endpoint)
        return max(_MIN_LIMIT_SECONDS, self.multiple * usual) * 2.0**given_up

    def hanging(self, now: float) -> list[CallInFlight]:
        """Return the calls in flight that hang."""
        allowance = self.allowance()
        busy_endpoints = {call.endpoint for call in self._in_flight.values()}
        idle_endpoints = self._known_endpoints() - busy_endpoints
        return [
            call
            for call in self._in_flight.values()
            if (call.number < self._newest_replied or idle_endpoints)
            and now - call.begun > allowance * 2.0**call.given_up
        ]

    def _known_endpoints(self) -> set[int]:
        return {endpoint for endpoint, seconds in self._seconds.items() if len(seconds) >= _MIN_REPLIES}

    @property
    def idle(self) -> bool:
        """True if no call is in flight."""
        return not self._in_flight


class HangWatch:
    """Timer that gives up calls that hang (`ReplyTimes`), unless the multiple is 0."""

    def __init__(self, multiple: float) -> None:
        self._multiple = multiple
        self._times_by_model: dict[str, ReplyTimes] = {}
        self._next_check: asyncio.TimerHandle | None = None

    async def ask(self, provider: Provider, request: Request, given_up: int, endpoint: int = 0) -> Reply:
        """Call one endpoint, after ``given_up`` earlier calls for this request.

        Raises:
            TimeoutError: This call is given up, too.
        """
        if not self._multiple:
            return await provider.complete(request)
        times = self._times_by_model.setdefault(request.model, ReplyTimes(self._multiple))
        loop = asyncio.get_running_loop()
        call = times.begin(loop.time(), given_up, endpoint)
        if self._next_check is None:
            self._next_check = loop.call_later(_CHECK_SECONDS, self._give_up_hanging)
        replied = False
        try:
            async with asyncio.timeout(None) as call.timer:
                reply = await provider.complete(request)
                replied = True
                return reply
        finally:
            times.end(call, loop.time(), replied=replied)
            call.timer = None  # it refers to the task, whose error refers to this frame: a cycle until garbage collection

    def _give_up_hanging(self) -> None:
        """Check all calls at once, since a timer for each call is expensive."""
        loop = asyncio.get_running_loop()
        now = loop.time()
        for times in self._times_by_model.values():
            for call in times.hanging(now):
                if call.timer is not None and not call.timer.expired():
                    call.timer.reschedule(now)
        is_busy = not all(times.idle for times in self._times_by_model.values())
        self._next_check = loop.call_later(_CHECK_SECONDS, self._give_up_hanging) if is_busy else None

    def close(self) -> None:
        """Stop the timer."""
        if self._next_check is not None:
            self._next_check.cancel()


class PatientProvider(WrappingProvider):
    """Provider that repeats a hanging call at once over another connection (`ReplyTimes`).

    A call that is given up does not count as a failed attempt. Since the limit doubles from a second, a request takes at most six
    more calls before the default timeout of a minute.
    """

    def __init__(self, inner: Provider, multiple: float) -> None:
        super().__init__(inner)
        self._watch = HangWatch(multiple)

    async def complete(self, request: Request) -> Reply:
        """Ask until there is a reply or a failure. See `Provider.complete`."""
        given_up = 0
        while True:
            try:
                reply = await self._watch.ask(self._inner, request, given_up)
            except TimeoutError:
                given_up += 1
            except CallError as error:
                error.calls += given_up
                raise
            else:
                return msgspec.structs.replace(reply, calls=reply.calls + given_up) if given_up else reply

    async def aclose(self) -> None:
        """Close the inner provider."""
        self._watch.close()
        await super().aclose()
