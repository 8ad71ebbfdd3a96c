"""Stop calling an endpoint that refuses all first calls, as with a wrong key or model.

The trial of a model is its first calls, until one gets a reply. (Trials of a case are something else: repeated attempts.)
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from http import HTTPStatus

from .exchange import CallError, Provider, Reply, Request, WrappingProvider

FIRST_CALLS = 20
"""Maximum calls in flight before the first reply; after as many refusals, the model is given up."""

_SECONDS_TO_REST = 60.0
"""After this time, one call tests whether the endpoint still refuses, since the caller may be a long-lived service."""

_KEY_STATUSES = frozenset({HTTPStatus.UNAUTHORIZED, HTTPStatus.PAYMENT_REQUIRED, HTTPStatus.FORBIDDEN})
_REFUSAL_STATUSES = _KEY_STATUSES | {HTTPStatus.NOT_FOUND}
"""Statuses that concern the key, the account or the model: refusals with one of them are alike, whatever the message."""


@dataclass(slots=True)
class Trial:
    """The first calls to one model, and their refusals.

    Attributes:
        calls: Maximum calls in flight, and number of refusals after which the model is given up.
        over: True after a reply, or after different refusals.
    """

    calls: int = FIRST_CALLS
    over: bool = False
    _refused: int = 0
    _in_flight: int = 0
    _reason: CallError | None = None
    _asks_again_at: float = 0.0
    _waiting: deque[asyncio.Future[None]] = field(default_factory=deque[asyncio.Future[None]])

    async def enter(self) -> None:
        """Wait for a turn.

        Raises:
            CallError: The model is given up.
        """
        while not self.over:
            self._raise_if_given_up()
            # Each refusal allows one call fewer in flight, so that at most `calls` calls are refused.
            if self._in_flight < max(1, self.calls - self._refused):
                break
            turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            self._waiting.append(turn)
            await turn
        self._in_flight += 1

    def leave(self, error: BaseException | None) -> None:
        """Record the end of a call: with an error, or None for a reply."""
        self._in_flight -= 1
        if error is None:
            self.over = True
        # A retryable error may pass, and a call that was not made says nothing.
        elif isinstance(error, CallError) and not error.retryable and error.calls:
            self._refuse(error)
        waiting, self._waiting = self._waiting, deque()
        for turn in waiting:
            if not turn.done():
                turn.set_result(None)

    def _refuse(self, error: CallError) -> None:
        if self._reason is not None and _cause_of(self._reason) != _cause_of(error):
            self.over = True  # different refusals concern single requests, not the endpoint
            return
        self._reason = error.with_traceback(None)
        self._refused += 1
        self._asks_again_at = asyncio.get_running_loop().time() + _SECONDS_TO_REST

    def _raise_if_given_up(self) -> None:
        reason = self._reason
        if reason is None or self._refused < self.calls:
            return
        now = asyncio.get_running_loop().time()
        if now >= self._asks_again_at and not self._in_flight:
            return  # this caller makes the test call
        refusal = CallError(
            f"not asked: the endpoint refused all of its first {self._refused} calls: {reason}",
            status=reason.status,
        )
        refusal.calls = 0
        raise refusal

    @property
    def refused_key(self) -> bool:
        """True if the model was given up for its key or account, which all models share."""
        return (
            self._refused >= self.calls and self._reason is not None and self._reason.status in _KEY_STATUSES
        )


def _cause_of(error: CallError) -> object:
    """Return what tells refusals with different causes apart: a known status, else the message."""
    return error.status if error.status in _REFUSAL_STATUSES else str(error)


class EndpointTrials:
    """The trials of a run by endpoint and model, shared by its judges."""

    def __init__(self) -> None:
        self._trials: dict[tuple[str, str], Trial] = {}

    def of(self, endpoint: str, model: str, calls: int = FIRST_CALLS) -> Trial:
        """Return the trial of a model, or of another model at which the endpoint refused the key."""
        trial = self._trials.setdefault((endpoint, model), Trial(calls))
        if trial.over:
            return trial
        trials_at_endpoint = (trial for (address, _), trial in self._trials.items() if address == endpoint)
        return next((other for other in trials_at_endpoint if other.refused_key), trial)


class TrialProvider(WrappingProvider):
    """Provider that limits the calls in flight until there is a reply.

    If the first calls are all refused, it makes no more. Put it outside the retries and inside the cache.
    """

    def __init__(self, inner: Provider, trial: Callable[[str], Trial]) -> None:
        super().__init__(inner)
        self._trial = trial
        self._passed: set[str] = set()

    async def complete(self, request: Request) -> Reply:
        """Ask, unless the model is given up. See `Provider.complete`."""
        if request.model in self._passed:
            return await self._inner.complete(request)
        trial = self._trial(request.model)
        await trial.enter()
        try:
            reply = await self._inner.complete(request)
        except BaseException as error:
            trial.leave(error)
            raise
        trial.leave(None)
        self._passed.add(request.model)
        return reply
