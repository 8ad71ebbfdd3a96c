"""Spread requests over several endpoints of one model, by their speed.

A `PooledEndpoint` has the state of one endpoint: its speed, failures and rests. `SpreadingProvider` chooses among them, so that a
slow or broken endpoint does not delay callers.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass

import msgspec

from .adaptive_timeout import HangWatch
from .endpoint import EndpointShare, EndpointUse
from .exchange import CallError, Provider, Reply, Request
from .limiter import AdaptiveLimiter, got_slot, hopeless_error
from .pooled_endpoint import PooledEndpoint, concerns_request


@dataclass(slots=True, eq=False)
class _Waiter:
    """A request that waits for a slot: its turn, and the endpoints that have failed it."""

    turn: asyncio.Future[tuple[PooledEndpoint, int]]
    tried: Collection[PooledEndpoint]


class SpreadingProvider:
    """Provider that calls the endpoint that should answer first, within its limiter.

    A request that fails at one endpoint is sent to another at once. Requests without a free slot wait in one queue for all
    endpoints.

    An endpoint rests for a second after three failures in a row. A call that takes ``patience`` times the usual time of the fastest
    endpoint is a failure. After the rest, the endpoint gets one test call; if it fails, the next rest is twice as long. An endpoint
    that refuses all calls (401, 403, 404, no funds) rests for a minute. If all endpoints rest, they are called nevertheless. At the
    end, ``report`` is called with the usage of each endpoint.
    """

    def __init__(
        self,
        members: Sequence[PooledEndpoint],
        patience: float,
        report: Callable[[list[EndpointUse]], object] | None = None,
    ) -> None:
        self._members = list(members)
        self._watch = HangWatch(patience)
        self._report = report
        self._waiting: deque[_Waiter] = deque()
        self._timer: asyncio.TimerHandle | None = None

    async def complete(self, request: Request) -> Reply:
        """Ask until one endpoint replies or all have failed. See `Provider.complete`."""
        tried: set[PooledEndpoint] = set()
        calls = given_up = 0
        while True:
            member, ticket = await self._acquire(tried)
            try:
                reply = await self._ask(member, ticket, request, given_up)
            except TimeoutError:
                given_up += 1
                calls += 1
                tried = {member}  # the others may be tried again: the request was not refused, only slow
            except CallError as error:
                calls += error.calls
                tried.add(member)
                if concerns_request(error) or not self._can_try_another(tried):
                    error.calls = calls
                    raise
            else:
                return msgspec.structs.replace(reply, calls=reply.calls + calls) if calls else reply

    async def _ask(self, member: PooledEndpoint, ticket: int, request: Request, given_up: int) -> Reply:
        loop = asyncio.get_running_loop()
        begun = loop.time()
        position = self._members.index(member)
        try:
            reply = await self._watch.ask(member.provider, member.with_own_model(request), given_up, position)
        except BaseException as error:
            member.failed(ticket, error, loop.time())
            self._admit()
            raise
        member.replied(loop.time() - begun, loop.time())
        self._admit()
        return reply

    def _can_try_another(self, tried: Collection[PooledEndpoint]) -> bool:
        """Return whether there is an available endpoint that has not failed this request."""
        now = asyncio.get_running_loop().time()
        return any(
            member.available(now) and not member.limiter.hopeless()
            for member in self._members
            if member not in tried
        )

    async def _acquire(self, tried: Collection[PooledEndpoint]) -> tuple[PooledEndpoint, int]:
        """Wait for a slot, preferably at an endpoint that has not failed this request.

        Requests that were tried before come first.
        """
        waiter = _Waiter(asyncio.get_running_loop().create_future(), tried)
        if tried:
            self._waiting.appendleft(waiter)
        else:
            self._waiting.append(waiter)
        self._admit()
        try:
            return await waiter.turn
        except asyncio.CancelledError as error:
            if got_slot(waiter.turn):
                member, ticket = waiter.turn.result()
                member.failed(ticket, error, asyncio.get_running_loop().time())
                self._admit()
            raise

    def _admit(self) -> None:
        """Give free slots to waiting requests; set a timer if some must wait longer."""
        if not self._waiting:
            return
        now = asyncio.get_running_loop().time()
        if all(endpoint.limiter.hopeless() for endpoint in self._members):
            self._fail_waiting()
        # Waiters that cannot use the free slots now keep their places in the queue.
        passed_over: deque[_Waiter] = deque()
        while self._waiting and self._pick((), now) is not None:
            waiter = self._waiting.popleft()
            if waiter.turn.done():
                continue
            member = self._pick(waiter.tried, now)
            if member is None:
                passed_over.append(waiter)
            else:
                waiter.turn.set_result((member, member.begin()))
        self._waiting.extendleft(reversed(passed_over))
        self._set_timer(now)

    def _pick(self, tried: Collection[PooledEndpoint], now: float) -> PooledEndpoint | None:
        """Return the endpoint to call now, or None if no available one has a free slot."""
        available = [
            member for member in self._members if member.available(now) and not member.limiter.hopeless()
        ]
        # An endpoint that has failed this request is better than none, and so is one that rests or is hopeless, if all are.
        candidates = (
            [endpoint for endpoint in available if endpoint not in tried] or available or self._members
        )
        free = [candidate for candidate in candidates if candidate.free(now)]
        typical_seconds = [member.seconds for member in self._members if member.seconds is not None]
        # An endpoint without a reply counts as fast as the fastest, so that it is tried. Without any reply, only loads differ.
        usual = min(typical_seconds, default=1.0)
        return min(free, key=lambda endpoint: endpoint.cost(usual), default=None)

    def _set_timer(self, now: float) -> None:
        """Set a timer for the next endpoint that may be called, if a request waits."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        times = [time for member in self._members for time in (member.limiter.opens_at, member.rests_until)]
        future_times = [time for time in times if time > now]
        if self._waiting and future_times:
            self._timer = asyncio.get_running_loop().call_at(min(future_times), self._admit)

    def _fail_waiting(self) -> None:
        waiting, self._waiting = self._waiting, deque()
        for waiter in waiting:
            if not waiter.turn.done():
                waiter.turn.set_exception(hopeless_error())

    async def aclose(self) -> None:
        """Close the providers of all endpoints."""
        self._watch.close()
        if self._timer is not None:
            self._timer.cancel()
        for member in self._members:
            await member.provider.aclose()
        if self._report is not None:
            self._report([member.use for member in self._members])


def spread_over(
    shares: Iterable[tuple[EndpointShare, Provider]],
    patience: float,
    report: Callable[[list[EndpointUse]], object] | None,
) -> SpreadingProvider:
    """Return a provider that spreads requests over endpoints, each within its own limiter."""
    members = [
        PooledEndpoint(
            share.endpoint.base_url or "api.openai.com", provider, AdaptiveLimiter(share.slots), share.model
        )
        for share, provider in shares
    ]
    return SpreadingProvider(members, patience, report)
