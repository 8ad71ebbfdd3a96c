"""Spread requests over several endpoints of one model, as fast as each answers.

A slow or broken endpoint delays no caller.
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
from .limiter import AdaptiveLimiter, nothing_but_rate_limits
from .pooled_endpoint import PooledEndpoint, concerns_request


@dataclass(slots=True, eq=False)
class _Waiter:
    turn: asyncio.Future[tuple[PooledEndpoint, int]]
    tried: Collection[PooledEndpoint]


class SpreadingProvider:
    """Provider that asks the endpoint expected to answer soonest, within its limiter.

    A request that fails at one endpoint is asked of another at once.

    Requests without a free slot wait in one queue for all endpoints. An endpoint that fails three times in a row, or whose calls take
    ``patience`` times as long as usual at the fastest, rests for a second, and twice as long after each single test call that fails,
    too. One that refuses all calls (401, 403, 404, an empty account) rests for a minute. If all rest, none does: then the callers
    retry as the errors say. At the end ``report`` is called with the usage of each endpoint.
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
        """Ask until one endpoint has replied or all have failed. See `Provider.complete`."""
        tried: set[PooledEndpoint] = set()
        calls = given_up = 0
        while True:
            member, ticket = await self._turn(tried)
            try:
                reply = await self._ask(member, ticket, request, given_up)
            except TimeoutError:
                given_up += 1
                calls += 1
                tried = {member}
            except CallError as error:
                calls += error.calls
                tried.add(member)
                if concerns_request(error) or not self._left(tried):
                    error.calls = calls
                    raise
            else:
                return msgspec.structs.replace(reply, calls=reply.calls + calls) if calls else reply

    async def _ask(self, member: PooledEndpoint, ticket: int, request: Request, given_up: int) -> Reply:
        loop = asyncio.get_running_loop()
        begun = loop.time()
        place = self._members.index(member)
        try:
            reply = await self._watch.ask(member.provider, member.with_own_model(request), given_up, place)
        except BaseException as error:
            member.failed(ticket, error, loop.time())
            self._admit()
            raise
        member.replied(loop.time() - begun, loop.time())
        self._admit()
        return reply

    def _left(self, tried: Collection[PooledEndpoint]) -> bool:
        """Return whether an endpoint remains that may be asked and has not failed this request."""
        now = asyncio.get_running_loop().time()
        return any(
            each.up(now) and not each.limiter.hopeless() for each in self._members if each not in tried
        )

    async def _turn(self, tried: Collection[PooledEndpoint]) -> tuple[PooledEndpoint, int]:
        """Wait for a slot, at an untried endpoint if there is one."""
        waiter = _Waiter(asyncio.get_running_loop().create_future(), tried)
        if tried:
            self._waiting.appendleft(waiter)
        else:
            self._waiting.append(waiter)
        self._admit()
        try:
            return await waiter.turn
        except asyncio.CancelledError as error:
            if waiter.turn.done() and not waiter.turn.cancelled():
                member, ticket = waiter.turn.result()
                member.failed(ticket, error, asyncio.get_running_loop().time())
                self._admit()
            raise

    def _admit(self) -> None:
        """Admit waiting requests to free slots; set a timer if some must wait on."""
        if not self._waiting:
            return
        now = asyncio.get_running_loop().time()
        if all(each.limiter.hopeless() for each in self._members):
            self._send_away()
        waiting: deque[_Waiter] = deque()
        while self._waiting and self._pick((), now) is not None:
            waiter = self._waiting.popleft()
            if waiter.turn.done():
                continue
            member = self._pick(waiter.tried, now)
            if member is None:
                waiting.append(waiter)
            else:
                waiter.turn.set_result((member, member.begin()))
        self._waiting.extendleft(reversed(waiting))
        self._come_back(now)

    def _pick(self, tried: Collection[PooledEndpoint], now: float) -> PooledEndpoint | None:
        """Return the endpoint to ask now; None if no endpoint that may be asked has a slot."""
        up = [each for each in self._members if each.up(now) and not each.limiter.hopeless()]
        able = [each for each in up if each not in tried] or up or self._members
        free = [each for each in able if each.free(now)]
        typical_seconds = [each.seconds for each in self._members if each.seconds is not None]
        usual = min(typical_seconds, default=1.0)
        return min(free, key=lambda each: each.cost(usual), default=None)

    def _come_back(self, now: float) -> None:
        """Look again when the next endpoint opens or has rested, while a caller waits."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        opening = [
            at for each in self._members for at in (each.limiter.opens_at, each.rests_until) if at > now
        ]
        if self._waiting and opening:
            self._timer = asyncio.get_running_loop().call_at(min(opening), self._admit)

    def _send_away(self) -> None:
        waiting, self._waiting = self._waiting, deque()
        for waiter in waiting:
            if not waiter.turn.done():
                waiter.turn.set_exception(nothing_but_rate_limits())

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
