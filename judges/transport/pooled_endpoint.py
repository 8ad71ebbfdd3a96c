"""State of one of several endpoints of a model: its limiter, speed, failures and rests.

An endpoint that fails too often rests: it gets no calls for some time, then a single test call.
"""

from __future__ import annotations

from dataclasses import replace
from http import HTTPStatus

from .endpoint import EndpointUse
from .exchange import CallError, Provider, Request
from .limiter import AdaptiveLimiter

_MAX_STRIKES = 3
"""After this many failures in a row (including calls given up), an endpoint rests."""
_FIRST_REST_SECONDS, _MAX_REST_SECONDS = 1.0, 60.0
"""Each test call that fails doubles the rest, up to the maximum."""
_NEWEST_WEIGHT = 0.2
"""Weight of the last reply in the moving average of reply times."""
_ENDPOINT_STATUSES = frozenset(
    {HTTPStatus.UNAUTHORIZED, HTTPStatus.PAYMENT_REQUIRED, HTTPStatus.FORBIDDEN, HTTPStatus.NOT_FOUND}
)
"""Errors with these statuses concern the endpoint or its key; another endpoint may answer the request."""


class PooledEndpoint:
    """Endpoint in a group, with its provider, limiter and health.

    Args:
        name: Its address.
        provider: Provider that calls it.
        limiter: Its limiter.
        model: Its name for the model, or None if it is the requested one.
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
        self._testing = False
        self.seconds: float | None = None
        """Moving average of its reply times in seconds; None before the first reply."""
        self._counts = dict.fromkeys(("replies", "failures", "given_up", "rate_limited"), 0)
        self._last_error: str | None = None

    @property
    def use(self) -> EndpointUse:
        """Usage of the endpoint so far."""
        return EndpointUse(self.name, **self._counts, last_error=self._last_error)

    def available(self, now: float) -> bool:
        """Return whether its health allows a call: it does not rest, and no test call is running."""
        return not self._rest or (now >= self.rests_until and not self._testing)

    def free(self, now: float) -> bool:
        """Return whether its limiter allows a call: it has a free slot, and does not pause."""
        return self.limiter.active < self.limiter.limit and now >= self.limiter.opens_at

    def cost(self, usual: float) -> float:
        """Return the expected seconds of one more call, by the endpoint's load and speed.

        ``usual`` stands for the speed of an endpoint that has not replied yet.
        """
        load = (self.limiter.active + 1) / self.limiter.limit
        return load * (usual if self.seconds is None else self.seconds)

    def with_own_model(self, request: Request) -> Request:
        """Return the request with the endpoint's own name of the model."""
        return request if self._model is None else replace(request, model=self._model)

    def begin(self) -> int:
        """Take a free slot, and return its ticket."""
        ticket = self.limiter.take()
        assert ticket is not None
        self._testing = bool(self._rest)
        return ticket

    def replied(self, seconds: float, now: float) -> None:
        """Record a reply that took this many seconds, and release the slot.

        If the call began before the rest, its reply does not show that the endpoint has recovered.
        """
        self._counts["replies"] += 1
        call_began, rest_began = now - seconds, self.rests_until - self._rest
        if not self._rest or call_began >= rest_began:
            self._strikes, self._rest, self._testing = 0, 0.0, False
        average_before = seconds if self.seconds is None else self.seconds
        self.seconds = average_before + _NEWEST_WEIGHT * (seconds - average_before)
        self.limiter.succeeded()

    def failed(self, ticket: int, error: BaseException, now: float) -> None:
        """Record a call without a reply, and release its slot.

        A TimeoutError means that the call was given up because it hung. Any other error that is no CallError means that the caller
        was cancelled.
        """
        self.limiter.failed(ticket, error)
        was_testing, self._testing = self._testing, False
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
        test_failed = was_testing and now >= self.rests_until  # a call during the rest is no test
        if locked_out or test_failed or (self._strikes >= _MAX_STRIKES and not self._rest):
            next_rest = 2 * self._rest or _FIRST_REST_SECONDS
            self._rest = _MAX_REST_SECONDS if locked_out else min(_MAX_REST_SECONDS, next_rest)
            self.rests_until = now + self._rest


def concerns_request(error: CallError) -> bool:
    """Return whether an error is due to the request, so that every endpoint would refuse it."""
    status = error.status or HTTPStatus.BAD_REQUEST  # an error without a response counts as a bad request
    has_moved = status < HTTPStatus.BAD_REQUEST  # a redirect
    concerns_endpoint = status in _ENDPOINT_STATUSES or has_moved
    no_funds = status == HTTPStatus.TOO_MANY_REQUESTS and not error.retryable
    return not (error.retryable or concerns_endpoint or no_funds)
