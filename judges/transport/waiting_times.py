"""What a response's headers say about when, and how fast, to call again."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

_DURATION = re.compile(r"(?:([0-9]{1,4})h)?(?:([0-9]{1,6})m)?(?:([0-9]{1,9}(?:\.[0-9]{1,9})?)(ms|s))?")
_SECONDS_A_MINUTE = 60.0


def retry_after(headers: Mapping[str, str], now: datetime | None = None) -> float | None:
    """How long the server asks to wait before the next call.

    ``retry-after-ms`` is the finest and wins. ``Retry-After`` is seconds or an HTTP date (RFC 9110, 10.2.3). Servers that
    count in whole seconds round up, so where ``x-ratelimit-reset-requests`` names a shorter time, that is used.

    Args:
        headers: The response's headers, case-insensitive.
        now: The time, for HTTP dates.

    Returns:
        Seconds from now, never negative; None when the headers do not say.
    """
    milliseconds = _number(headers.get("retry-after-ms"))
    if milliseconds is not None:
        return milliseconds / 1000
    asked = headers.get("retry-after")
    wait = _number(asked)
    if wait is None and asked is not None:
        wait = _until(asked, now or datetime.now(UTC))
    reset = _duration(headers.get("x-ratelimit-reset-requests"))
    if wait is not None and reset:
        return min(wait, reset)
    return wait


def allowed_rate(headers: Mapping[str, str]) -> float | None:
    """How many requests a second the server allows, by OpenAI's header of requests a minute.

    Args:
        headers: The response's headers, case-insensitive.

    Returns:
        Requests a second; None when the headers do not say.
    """
    if headers.get("x-ratelimit-remaining-requests") != "0":
        # Requests are left, so something else ran out (tokens), about which this number says nothing.
        return None
    per_minute = _number(headers.get("x-ratelimit-limit-requests"))
    return per_minute / _SECONDS_A_MINUTE if per_minute else None


def _number(text: str | None) -> float | None:
    try:
        value = float(text or "")
    except ValueError:
        return None
    return value if 0 <= value < float("inf") else None


def _until(text: str, now: datetime) -> float | None:
    try:
        moment = parsedate_to_datetime(text)
    except (ValueError, OverflowError):
        return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return max(0.0, (moment - now).total_seconds())


def _duration(text: str | None) -> float | None:
    """Seconds in Go's notation of durations, as in ``1m30.5s`` or ``20ms``."""
    found = _DURATION.fullmatch(text or "-")
    if found is None:
        return None
    hours, minutes, amount, unit = found.groups(default="0")
    return int(hours) * 3600 + int(minutes) * 60 + float(amount) / (1000 if unit == "ms" else 1)
