"""What headers say about when to call again."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from fiducial.judges.transport.waiting_times import allowed_rate, retry_after

NOW = datetime(2026, 1, 1, 12, 0, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"retry-after": "2"}, 2),
        ({"retry-after": "0.5"}, 0.5),
        ({"retry-after-ms": "250", "retry-after": "9"}, 0.25),
        ({"retry-after": "Thu, 01 Jan 2026 12:00:03 GMT"}, 3),
        ({"retry-after": "Thu, 01 Jan 2026 11:00:00 GMT"}, 0),
        ({"retry-after": "Thu, 01 Jan 2026 12:00:03 -0000"}, 3),
        ({"retry-after": "1", "x-ratelimit-reset-requests": "6ms"}, 0.006),
        ({"retry-after": "1", "x-ratelimit-reset-requests": "1m30s"}, 1),
        ({"retry-after": "90", "x-ratelimit-reset-requests": "1m30s"}, 90),
        ({"retry-after": "1", "x-ratelimit-reset-requests": "soon"}, 1),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "-1"}, None),
        ({"retry-after": "Mon, 01 Jan 99999999999 00:00:00 GMT"}, None),
        ({"retry-after": "Mon, 01 Jan 2026 00:00:00 +99999999"}, None),
        ({"retry-after": "nan"}, None),
        ({"retry-after": "inf"}, None),
        ({"retry-after": ""}, None),
    ],
)
def test_every_form_is_understood(headers: dict[str, str], seconds: float | None) -> None:
    assert retry_after(headers, NOW) == seconds


@pytest.mark.parametrize(
    ("headers", "rate"),
    [
        ({"x-ratelimit-limit-requests": "12000", "x-ratelimit-remaining-requests": "0"}, 200),
        ({"x-ratelimit-limit-requests": "12000", "x-ratelimit-remaining-requests": "5"}, None),
        ({"x-ratelimit-limit-requests": "0", "x-ratelimit-remaining-requests": "0"}, None),
        ({"x-ratelimit-limit-requests": "12000"}, None),
        ({}, None),
    ],
)
def test_a_rate_counts_only_when_requests_are_what_ran_out(
    headers: dict[str, str], rate: float | None
) -> None:
    assert allowed_rate(headers) == rate
