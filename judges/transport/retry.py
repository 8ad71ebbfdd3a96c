"""Retry failed calls that may succeed later, and read from responses how long to wait."""

from __future__ import annotations

import asyncio
import random
import re
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, TypeAlias

import msgspec

from .exchange import CallError, Provider, Reply, Request, WrappingProvider

if TYPE_CHECKING:
    import tenacity


_GROWTH_FACTOR = 3
_JITTER = 0.05
"""Waits that a server asks for are lengthened by up to this share, so that calls do not all retry at once."""


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """Limits on the number and the duration of attempts.

    Attributes:
        attempts: Maximum number of calls, the first one included.
        total_seconds: Time after which no attempt begins.
        first_wait: Maximum of the first wait in seconds; the minimum is half of it. It is short, since most failures are isolated.
            It triples with each failure, so that the last attempts outlast a server's restart.
        longest_wait: Limit of these waits, in seconds.
        longest_asked: Limit of waits that a server asks for, in seconds. A wait of 0 seconds is ignored, since otherwise all
            attempts would end before anything can change.
    """

    attempts: int = 6
    total_seconds: float = 300.0
    first_wait: float = 0.15
    longest_wait: float = 20.0
    longest_asked: float = 120.0


OnFailure: TypeAlias = Callable[[CallError, float | None], object]
"""Function called for each failed call, with the seconds until its retry, or None if it is not retried."""

_MAX_FAILED_REQUESTS = 8
"""After this many requests in a row have failed in every attempt, the endpoint counts as down."""


class RetryingProvider(WrappingProvider):
    """Provider that retries retryable failures.

    An error that persists is raised with the number of calls that were made. While the endpoint counts as down, requests are tried
    once, until one gets a reply. Put a limiter inside this provider, so that waits take no slot.
    """

    def __init__(
        self,
        inner: Provider,
        policy: RetryPolicy | None = None,
        *,
        rng: random.Random | None = None,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        failing: OnFailure | None = None,
    ) -> None:
        super().__init__(inner)
        self._policy = policy or RetryPolicy()
        self._rng = rng or random.Random()  # noqa: S311 - jitter, not a secret
        self._sleep = sleep
        self._failing = failing
        self._failed_requests = 0

    async def complete(self, request: Request) -> Reply:
        """Ask until there is a reply or an error that persists. See `Provider.complete`."""
        try:
            reply = await self._inner.complete(request)
        except CallError as error:
            if not error.retryable or self._failed_requests >= _MAX_FAILED_REQUESTS:
                self._report(error, None)
                raise
            reply = await self._ask_again(request, error)
        self._failed_requests = 0
        return reply

    async def _ask_again(self, request: Request, first: CallError) -> Reply:
        """Retry after a first failure.

        This is a separate method, since importing tenacity costs more than a call without failures.
        """
        import tenacity  # noqa: PLC0415 - slow to import, and not needed without failures

        attempts = tenacity.AsyncRetrying(
            retry=tenacity.retry_if_exception(_retryable),
            wait=_Waits(self._policy, self._rng),
            stop=tenacity.stop_after_attempt(self._policy.attempts)
            | tenacity.stop_after_delay(self._policy.total_seconds),
            sleep=self._sleep,
            before_sleep=self._report_wait,
            reraise=True,
        )
        calls = 0
        try:
            async for attempt in attempts:
                with attempt:
                    # The first attempt was made before tenacity: it is counted and waited for like the others.
                    if not calls:
                        calls = first.calls
                        raise first
                    try:
                        reply = await self._inner.complete(request)
                    except CallError as error:
                        calls += error.calls
                        raise
                    return msgspec.structs.replace(reply, calls=calls + reply.calls)
        except CallError as error:
            self._report(error, None)
            error.calls = calls
            # Errors that concern the request alone say nothing about the endpoint.
            self._failed_requests += error.retryable
            raise
        finally:
            del first  # its traceback refers to this frame: a cycle until garbage collection
        raise AssertionError("tenacity neither returned nor raised")

    def _report_wait(self, state: tenacity.RetryCallState) -> None:
        error = state.outcome.exception() if state.outcome else None
        if isinstance(error, CallError):
            self._report(error, state.next_action.sleep if state.next_action else None)

    def _report(self, error: CallError, wait: float | None) -> None:
        if self._failing is not None and error.calls:
            self._failing(error, wait)


class _Waits:
    """Waits before the retries of one request: as the server asks, else growing exponentially."""

    def __init__(self, policy: RetryPolicy, rng: random.Random) -> None:
        self._policy = policy
        self._rng = rng
        self._ceiling = policy.first_wait

    def __call__(self, state: tenacity.RetryCallState) -> float:
        error = state.outcome.exception() if state.outcome else None
        stated_wait = error.retry_after if isinstance(error, CallError) else None
        if stated_wait:
            return min(stated_wait, self._policy.longest_asked) * (1 + _JITTER * self._rng.random())
        ceiling, self._ceiling = self._ceiling, min(self._policy.longest_wait, _GROWTH_FACTOR * self._ceiling)
        return self._rng.uniform(ceiling / 2, ceiling)


def _retryable(error: BaseException) -> bool:
    return isinstance(error, CallError) and error.retryable


_DURATION = re.compile(r"(?:([0-9]{1,4})h)?(?:([0-9]{1,6})m)?(?:([0-9]{1,9}(?:\.[0-9]{1,9})?)(ms|s)?)?")
_WAIT_IN_WORDS = re.compile(
    r"\b(?:try again|retry) (?:in|after) ((?:[0-9]++(?:\.[0-9]++)?+ ?+(?:milli|ms|[hms])?+ ?+)++)(?!\.[0-9])",
    re.IGNORECASE,
)
"""Wait in an error message, such as "Please try again in 1m30.5s". Possessive quantifiers keep it linear."""
_SECONDS_A_MINUTE = 60.0
_RESOURCES = ("requests", "tokens")
"""Ends of the names of OpenAI's rate-limit headers."""


def retry_after(headers: Mapping[str, str], now: datetime | None = None) -> float | None:
    """Return the seconds to wait, from the server's headers, or None if they name no time.

    ``retry-after-ms``, the most precise, comes first. ``Retry-After`` is a number of seconds or an HTTP date (RFC 9110, 10.2.3). A date
    is compared with the response's own ``Date``, since clocks differ. ``x-ratelimit-reset-…`` of an exhausted limit counts if it is
    shorter, since servers round ``Retry-After`` up to whole seconds.
    """
    milliseconds = _number(headers.get("retry-after-ms"))
    if milliseconds is not None:
        return milliseconds / 1000
    header = headers.get("retry-after")
    wait = _number(header)
    if wait is None and header is not None:
        wait = _until(header, _date(headers.get("date")) or now or datetime.now(UTC))
    reset = _reset(headers)
    return min((seconds for seconds in (wait, reset) if seconds is not None), default=None)


def retry_after_in_words(message: str) -> float | None:
    """Return the seconds that an error's message asks to wait, or None if it names no time."""
    match = _WAIT_IN_WORDS.search(message)
    return None if match is None else _duration(match[1].replace(" ", "").lower())


def allowed_rate(headers: Mapping[str, str]) -> float | None:
    """Return the requests per second that the server allows, by OpenAI's headers.

    None if another limit than that of requests is exhausted, or if the header is missing or below one request a minute.
    """
    if not _is_exhausted(headers, "requests"):
        # Requests are left, so another limit (tokens) is exhausted, and this header says nothing about it.
        return None
    per_minute = _number(headers.get("x-ratelimit-limit-requests")) or 0.0
    return per_minute / _SECONDS_A_MINUTE if per_minute >= 1 else None


def _is_exhausted(headers: Mapping[str, str], resource: str) -> bool:
    return headers.get(f"x-ratelimit-remaining-{resource}") == "0"


def _reset(headers: Mapping[str, str]) -> float | None:
    """Return the seconds until all exhausted limits are reset, or None if unknown."""
    resets = [
        _duration(headers.get(f"x-ratelimit-reset-{resource}"))
        for resource in _RESOURCES
        if _is_exhausted(headers, resource)
    ]
    return max((seconds for seconds in resets if seconds), default=None)


def _number(text: str | None) -> float | None:
    try:
        value = float(text or "")
    except ValueError:
        return None
    return value if 0 <= value < float("inf") else None


def _until(text: str, now: datetime) -> float | None:
    moment = _date(text)
    return None if moment is None else max(0.0, (moment - now).total_seconds())


def _date(text: str | None) -> datetime | None:
    try:
        moment = parsedate_to_datetime(text or "")
    except (ValueError, OverflowError):
        return None
    return moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)


def _duration(text: str | None) -> float | None:
    """Parse seconds from a Go duration such as ``1m30.5s`` or ``20ms``, or a plain number."""
    match = _DURATION.fullmatch(text or "-")
    if match is None:
        return None
    hours, minutes, amount, unit = match.groups(default="0")
    return int(hours) * 3600 + int(minutes) * 60 + float(amount) / (1000 if unit == "ms" else 1)
