"""Stop calling an endpoint that refuses all of its first calls, as for a wrong key or model."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from http import HTTPStatus

from .exchange import CallError, Provider, Reply, Request, Wrapping

FIRST_CALLS = 20
"""Maximum calls in flight before the first reply, and number of refusals after which a model is given up."""

_SECONDS_TO_REST = 60.0
"""Seconds after which one call tests whether the endpoint still refuses: the caller may be a service."""

_KEY = frozenset({HTTPStatus.UNAUTHORIZED, HTTPStatus.PAYMENT_REQUIRED, HTTPStatus.FORBIDDEN})
_REFUSING = _KEY | {HTTPStatus.NOT_FOUND}
"""Statuses that concern the key, the account or the model, whatever the message."""


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
        """Wait for a turn; a `CallError` if the model is given up."""
        while not self.over:
            self._raise_if_given_up()
            if self._in_flight < max(1, self.calls - self._refused):
                break
            turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            self._waiting.append(turn)
            await turn
        self._in_flight += 1

    def leave(self, error: BaseException | None) -> None:
        """Record the end of a call: its error, or None for a reply."""
        self._in_flight -= 1
        if error is None:
            self.over = True
        elif isinstance(error, CallError) and not error.retryable and error.calls:
            self._refuse(error)
        waiting, self._waiting = self._waiting, deque()
        for turn in waiting:
            if not turn.done():
                turn.set_result(None)

    def _refuse(self, error: CallError) -> None:
        if self._reason is not None and _alike(self._reason) != _alike(error):
            self.over = True  # different refusals concern single requests
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
            return
        refusal = CallError(
            f"not asked: the endpoint refused all of its first {self._refused} calls: {reason}",
            status=reason.status,
        )
        refusal.calls = 0
        raise refusal

    @property
    def refused_key(self) -> bool:
        """True if the model was given up for its key or account, which all models share."""
        return self._refused >= self.calls and self._reason is not None and self._reason.status in _KEY


def _alike(error: CallError) -> object:
    """Return a key that groups refusals by their cause: a known status, or the message."""
    return error.status if error.status in _REFUSING else str(error)


class EndpointTrials:
    """The trials of a run by endpoint and model, shared by its judges."""

    def __init__(self) -> None:
        self._trials: dict[tuple[str, str], Trial] = {}

    def of(self, endpoint: str, model: str, calls: int = FIRST_CALLS) -> Trial:
        """Return a model's trial; that of another model if the endpoint refused the key."""
        trial = self._trials.setdefault((endpoint, model), Trial(calls))
        if trial.over:
            return trial
        at_endpoint = (each for (address, _), each in self._trials.items() if address == endpoint)
        return next((each for each in at_endpoint if each.refused_key), trial)


class TrialProvider(Wrapping):
    """Provider that limits the calls in flight until there is a reply.

    If the first calls are all refused, it makes no more. It belongs outside the retries and inside the cache.
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
