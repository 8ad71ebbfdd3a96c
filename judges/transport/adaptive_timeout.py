"""Give up calls that hang: far slower than usual while the server answers others."""

from __future__ import annotations

import asyncio
from collections import deque
from dataclasses import dataclass, field

import msgspec

from .exchange import CallError, Provider, Reply, Request, Wrapping

_RECENT = 100
"""Maximum number of recent replies that define the usual time."""
_ENOUGH = 20
"""Minimum number of replies that define the usual time."""
_QUANTILE = 0.95
_LEAST = 1.0
"""Minimum time limit in seconds: a shorter pause may be one of the network or of this process."""
_LOOK_EVERY = 0.1


@dataclass(slots=True)
class CallInFlight:
    """A call in flight.

    Attributes:
        number: Number of earlier calls to this model.
        begun: Start, by the event loop's clock.
        given_up: Number of earlier calls for the same request that were given up.
        endpoint: Index of the endpoint.
        timer: Timeout that ends the call when it is rescheduled.
    """

    number: int
    begun: float
    given_up: int
    endpoint: int = 0
    timer: asyncio.Timeout | None = None


@dataclass(slots=True)
class ReplyTimes:
    """Usual reply times of one model, and the calls that exceed them.

    A call hangs if two conditions hold. It has taken ``multiple`` times as long as 95 of the last 100 replies, and at least a
    second. And a later call has a reply, or another endpoint has replied to all its calls: if the server is slow for all,
    another call would only add to its load. Each time that a request is given up, its time limit doubles, so that a slow request
    ends at last.
    """

    multiple: float
    _seconds: dict[int, deque[float]] = field(default_factory=dict[int, deque[float]])
    _in_flight: dict[int, CallInFlight] = field(default_factory=dict[int, CallInFlight])
    _begun: int = 0
    _newest_replied: int = -1

    def begin(self, now: float, given_up: int = 0, endpoint: int = 0) -> CallInFlight:
        """Record the start of a call."""
        call = self._in_flight[self._begun] = CallInFlight(self._begun, now, given_up, endpoint)
        self._begun += 1
        return call

    def end(self, call: CallInFlight, now: float, *, replied: bool) -> None:
        """Record the end of a call; only a reply counts towards the usual time."""
        del self._in_flight[call.number]
        if replied:
            self._seconds.setdefault(call.endpoint, deque(maxlen=_RECENT)).append(now - call.begun)
            self._newest_replied = max(self._newest_replied, call.number)

    def allowance(self, given_up: int = 0) -> float:
        """Return the time limit of a call, by the usual time of the fastest endpoint."""
        seconds_by_endpoint = [sorted(self._seconds[endpoint]) for endpoint in self._known()]
        if not seconds_by_endpoint:
            return float("inf")
        usual = min(second[int(_QUANTILE * len(second))] for second in seconds_by_endpoint)
        return max(_LEAST, self.multiple * usual) * 2.0**given_up

    def hanging(self, now: float) -> list[CallInFlight]:
        """Return the calls in flight that hang."""
        allowance = self.allowance()
        idle = self._known() - {call.endpoint for call in self._in_flight.values()}
        return [
            call
            for call in self._in_flight.values()
            if (call.number < self._newest_replied or idle)
            and now - call.begun > allowance * 2.0**call.given_up
        ]

    def _known(self) -> set[int]:
        """Return the endpoints whose usual reply time is known."""
        return {endpoint for endpoint, each in self._seconds.items() if len(each) >= _ENOUGH}

    @property
    def idle(self) -> bool:
        """True if no call is in flight."""
        return not self._in_flight


class HangWatch:
    """Timer that gives up calls that hang (`ReplyTimes`); no call if the multiple is 0."""

    def __init__(self, multiple: float) -> None:
        self._multiple = multiple
        self._models: dict[str, ReplyTimes] = {}
        self._look: asyncio.TimerHandle | None = None

    async def ask(self, provider: Provider, request: Request, given_up: int, endpoint: int = 0) -> Reply:
        """Call one endpoint, after ``given_up`` earlier calls for this request.

        Raises:
            TimeoutError: This call is given up, too.
        """
        if not self._multiple:
            return await provider.complete(request)
        usual = self._models.setdefault(request.model, ReplyTimes(self._multiple))
        loop = asyncio.get_running_loop()
        call = usual.begin(loop.time(), given_up, endpoint)
        if self._look is None:
            self._look = loop.call_later(_LOOK_EVERY, self._give_up_hanging)
        replied = False
        try:
            async with asyncio.timeout(None) as call.timer:
                reply = await provider.complete(request)
                replied = True
                return reply
        finally:
            usual.end(call, loop.time(), replied=replied)
            call.timer = None  # it refers to the task, whose error refers to this frame: a cycle until garbage collection

    def _give_up_hanging(self) -> None:
        """Check all calls at once, since a timer for each call is expensive."""
        loop = asyncio.get_running_loop()
        now = loop.time()
        for usual in self._models.values():
            for call in usual.hanging(now):
                if call.timer is not None and not call.timer.expired():
                    call.timer.reschedule(now)
        busy = not all(usual.idle for usual in self._models.values())
        self._look = loop.call_later(_LOOK_EVERY, self._give_up_hanging) if busy else None

    def close(self) -> None:
        """Stop the timer."""
        if self._look is not None:
            self._look.cancel()


class PatientProvider(Wrapping):
    """Provider that repeats a hanging call at once over another connection (`ReplyTimes`).

    A call that is given up is not a failed attempt. Since its time limit doubles from a second, a request takes at most six more
    calls before the default timeout of a minute.
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
