"""What a response's headers say about when, and how fast, to call again."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

_DURATION = re.compile(r"(?:([0-9]{1,4})h)?(?:([0-9]{1,6})m)?(?:([0-9]{1,9}(?:\.[0-9]{1,9})?)(ms|s)?)?")
_IN_WORDS = re.compile(
    r"\b(?:try again|retry) (?:in|after) ((?:[0-9]++(?:\.[0-9]++)?+ ?+(?:milli|ms|[hms])?+ ?+)++)(?!\.[0-9])",
    re.IGNORECASE,
)
"""As providers write it in the message of an error: "Please try again in 1m30.5s." """
_SECONDS_A_MINUTE = 60.0
_RESOURCES = ("requests", "tokens")
"""What OpenAI's headers count; the names of which end in these."""


def retry_after(headers: Mapping[str, str], now: datetime | None = None) -> float | None:
    """How long the server asks to wait before the next call.

    ``retry-after-ms`` is the finest and wins. ``Retry-After`` is seconds or an HTTP date (RFC 9110, 10.2.3), which is counted from
    the response's own ``Date``, since clocks differ. Servers that count in whole seconds round up, so where
    ``x-ratelimit-reset-…`` names a shorter time for what ran out, that is used; also where nothing else is said.

    Returns:
        Seconds from now, never negative; None when the headers do not say.
    """
    milliseconds = _number(headers.get("retry-after-ms"))
    if milliseconds is not None:
        return milliseconds / 1000
    asked = headers.get("retry-after")
    wait = _number(asked)
    if wait is None and asked is not None:
        wait = _until(asked, _date(headers.get("date")) or now or datetime.now(UTC))
    reset = _reset(headers)
    return min((seconds for seconds in (wait, reset) if seconds is not None), default=None)


def retry_after_in_words(message: str) -> float | None:
    """How long an error's message asks to wait, where the headers say nothing.

    Returns:
        Seconds from now; None when the message does not say.
    """
    found = _IN_WORDS.search(message)
    return None if found is None else _duration(found[1].replace(" ", "").lower())


def allowed_rate(headers: Mapping[str, str]) -> float | None:
    """How many requests a second the server allows, by OpenAI's header of requests a minute.

    Returns:
        Requests a second; None when the headers do not say, or name less than one a minute.
    """
    if not _ran_out(headers, "requests"):
        # Requests are left, so something else ran out (tokens), about which this number says nothing.
        return None
    per_minute = _number(headers.get("x-ratelimit-limit-requests")) or 0.0
    return per_minute / _SECONDS_A_MINUTE if per_minute >= 1 else None


def _ran_out(headers: Mapping[str, str], resource: str) -> bool:
    return headers.get(f"x-ratelimit-remaining-{resource}") == "0"


def _reset(headers: Mapping[str, str]) -> float | None:
    """Seconds until everything is there again that has run out; None where nothing has, or nobody says when."""
    resets = [
        _duration(headers.get(f"x-ratelimit-reset-{resource}"))
        for resource in _RESOURCES
        if _ran_out(headers, resource)
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
    """Seconds in Go's notation of durations, as in ``1m30.5s`` or ``20ms``, or as a plain number of them."""
    found = _DURATION.fullmatch(text or "-")
    if found is None:
        return None
    hours, minutes, amount, unit = found.groups(default="0")
    return int(hours) * 3600 + int(minutes) * 60 + float(amount) / (1000 if unit == "ms" else 1)
