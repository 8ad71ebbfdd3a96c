"""One of several endpoints of a model: how it has been doing, and whether it may be asked."""

from __future__ import annotations

from dataclasses import replace
from http import HTTPStatus

from .endpoint import EndpointUse
from .exchange import CallError, Provider, Request
from .limiter import AdaptiveLimiter

_STRIKES = 3
"""Failures in a row, or calls that were given up, after which an endpoint rests."""
_FIRST_REST, _LONGEST_REST = 1.0, 60.0
"""Seconds that it rests; twice as long each time that the call it is tried with fails, too."""
_RECENT = 0.2
"""What the last reply counts for in the time that replies take."""
_LOCKED_OUT = frozenset(
    {HTTPStatus.UNAUTHORIZED, HTTPStatus.PAYMENT_REQUIRED, HTTPStatus.FORBIDDEN, HTTPStatus.NOT_FOUND}
)
"""What an endpoint says of itself, or of the key, and not of the request: another may answer it."""


class PooledEndpoint:
    """Endpoint in a group: address, provider, limiter, model name there, and its health.

    A model name of None is the one asked for.
    """

    def __init__(
        self, name: str, provider: Provider, limiter: AdaptiveLimiter, model: str | None = None
    ) -> None:
        self.name = name
        self.provider = provider
        self.limiter = limiter
        self.rests_until = 0.0
        self._model = model
        self._strikes = 0
        self._rest = 0.0
        self._trying = False
        self.seconds: float | None = None
        """Recent seconds of its replies; None if there was none yet."""
        self._counts = dict.fromkeys(("replies", "failures", "given_up", "rate_limited"), 0)
        self._last_error: str | None = None

    @property
    def use(self) -> EndpointUse:
        """Usage of the endpoint so far."""
        return EndpointUse(self.name, **self._counts, last_error=self._last_error)

    def up(self, now: float) -> bool:
        """Return whether the endpoint may be asked: it is not resting, and no trial call is running.

        After a rest one call tries it.
        """
        return not self._rest or (now >= self.rests_until and not self._trying)

    def free(self, now: float) -> bool:
        """Return whether the endpoint has a free slot now."""
        return self.limiter.active < self.limiter.limit and now >= self.limiter.opens_at

    def cost(self, usual: float) -> float:
        """Return the time cost of one more call, by the endpoint's load and speed."""
        fullness = (self.limiter.active + 1) / self.limiter.limit
        return fullness * (usual if self.seconds is None else self.seconds)

    def with_own_model(self, request: Request) -> Request:
        """Return the request with the endpoint's own name of the model."""
        return request if self._model is None else replace(request, model=self._model)

    def begin(self) -> int:
        """Take a slot that is free; gives the ticket."""
        ticket = self.limiter.take()
        assert ticket is not None
        self._trying = bool(self._rest)
        return ticket

    def replied(self, seconds: float, now: float) -> None:
        """Note a reply that took so many seconds, and give the slot back.

        A reply to a call from before the endpoint broke does not prove that it has recovered.
        """
        self._counts["replies"] += 1
        if not self._rest or now - seconds >= self.rests_until - self._rest:
            self._strikes, self._rest, self._trying = 0, 0.0, False
        before = seconds if self.seconds is None else self.seconds
        self.seconds = before + _RECENT * (seconds - before)
        self.limiter.succeeded()

    def failed(self, ticket: int, error: BaseException, now: float) -> None:
        """Note that a call brought no reply, and give its slot back.

        A TimeoutError means that the call was given up.
        An error other than CallError means that no caller waits for the reply.
        """
        self.limiter.failed(ticket, error)
        trying, self._trying = self._trying, False
        if isinstance(error, TimeoutError):
            self._counts["given_up"] += 1
        elif not isinstance(error, CallError) or concerns_request(error):
            return
        elif error.rate_limited:
            self._counts["rate_limited"] += 1
            return
        else:
            self._counts["failures"] += 1
            self._last_error = str(error)
        self._strikes += 1
        locked_out = isinstance(error, CallError) and not error.retryable
        again = trying and now >= self.rests_until  # and not asked since nobody else was up
        if locked_out or again or (self._strikes >= _STRIKES and not self._rest):
            self._rest = _LONGEST_REST if locked_out else min(_LONGEST_REST, 2 * self._rest or _FIRST_REST)
            self.rests_until = now + self._rest


def concerns_request(error: CallError) -> bool:
    """Return whether the request is at fault, so that every endpoint would refuse it."""
    status = error.status or HTTPStatus.BAD_REQUEST
    elsewhere = status in _LOCKED_OUT or status < HTTPStatus.BAD_REQUEST  # it has moved
    empty = status == HTTPStatus.TOO_MANY_REQUESTS  # the account is, if the call may not be retried
    return not (error.retryable or elsewhere or empty)
