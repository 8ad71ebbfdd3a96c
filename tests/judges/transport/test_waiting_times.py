"""Retry times that response headers name."""

from __future__ import annotations

from datetime import UTC, datetime

from each_row import each_row

from fiducial.judges.transport.retry import allowed_rate, retry_after, retry_after_in_words

NOW = datetime(2026, 1, 1, 12, 0, 0, tzinfo=UTC)
NO_REQUESTS = {"x-ratelimit-remaining-requests": "0"}
NO_TOKENS = {"x-ratelimit-remaining-tokens": "0"}


@each_row(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"retry-after": "2"}, 2),
        ({"retry-after": "0.5"}, 0.5),
        ({"retry-after-ms": "250", "retry-after": "9"}, 0.25),
        ({"retry-after": "Thu, 01 Jan 2026 12:00:03 GMT"}, 3),
        ({"retry-after": "Thu, 01 Jan 2026 11:00:00 GMT"}, 0),
        ({"retry-after": "Thu, 01 Jan 2026 12:00:03 -0000"}, 3),
        ({"retry-after": "Thursday, 01-Jan-26 12:00:03 GMT"}, 3),
        ({"retry-after": "Thu Jan  1 12:00:03 2026"}, 3),
        ({"retry-after": "1", "x-ratelimit-reset-requests": "6ms"} | NO_REQUESTS, 0.006),
        ({"retry-after": "1", "x-ratelimit-reset-requests": "1m30s"} | NO_REQUESTS, 1),
        ({"retry-after": "90", "x-ratelimit-reset-requests": "1m30s"} | NO_REQUESTS, 90),
        ({"retry-after": "1", "x-ratelimit-reset-requests": "soon"} | NO_REQUESTS, 1),
        ({"retry-after": "1", "x-ratelimit-reset-requests": "-6ms"} | NO_REQUESTS, 1),
        ({"x-ratelimit-reset-requests": "12ms"} | NO_REQUESTS, 0.012),
        ({"x-ratelimit-reset-requests": "1m30s"} | NO_REQUESTS, 90),
        ({"x-ratelimit-reset-requests": "1h2m3.5s"} | NO_REQUESTS, 3723.5),
        ({"x-ratelimit-reset-requests": "2"} | NO_REQUESTS, 2),
        ({"x-ratelimit-reset-tokens": "7m12s"} | NO_TOKENS, 432),
        ({"x-ratelimit-reset-requests": "1s", "x-ratelimit-reset-tokens": "6s"} | NO_REQUESTS | NO_TOKENS, 6),
        # Requests are left, so that tokens are what ran out: when there are more requests says nothing.
        (
            {"retry-after": "20", "x-ratelimit-reset-requests": "6ms", "x-ratelimit-remaining-requests": "9"},
            20,
        ),
        ({"x-ratelimit-reset-requests": "6ms"}, None),
        # Told by a server whose clock is an hour late.
        ({"retry-after": "Thu, 01 Jan 2026 11:00:05 GMT", "date": "Thu, 01 Jan 2026 11:00:00 GMT"}, 5),
        ({"retry-after": "Thu, 01 Jan 2026 12:00:05 GMT", "date": "today"}, 5),
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


@each_row(
    ("message", "seconds"),
    [
        (
            "Rate limit reached for gpt-x on tokens per min (TPM): Limit 30000. Please try again in 1.242s. Visit ...",
            1.242,
        ),
        ("Please try again in 20ms.", 0.02),
        ("Please try again in 7m12s.", 432),
        ("Please retry in 34.07s", 34.07),
        ("Too fast: retry after 20 seconds", 20),
        ("Try again in 2 minutes", 120),
        ("Please try again in 7.66s. See our limits", 7.66),
        ("Please try again in 1m 30.5s. Have a nice day", 90.5),
        ("try again in 20 milliseconds", None),
        ("try again in a while", None),
        ("try again in 1.2.3s", None),
        ("try again in " + "9" * 100, None),
        ("try again later", None),
        ("", None),
    ],
)
def test_what_only_the_message_says_is_understood(message: str, seconds: float | None) -> None:
    assert retry_after_in_words(message) == seconds


@each_row(
    ("headers", "rate"),
    [
        ({"x-ratelimit-limit-requests": "12000", "x-ratelimit-remaining-requests": "0"}, 200),
        ({"x-ratelimit-limit-requests": "12000", "x-ratelimit-remaining-requests": "5"}, None),
        ({"x-ratelimit-limit-requests": "0", "x-ratelimit-remaining-requests": "0"}, None),
        ({"x-ratelimit-limit-requests": "0.001", "x-ratelimit-remaining-requests": "0"}, None),
        ({"x-ratelimit-limit-requests": "12000"}, None),
        ({}, None),
    ],
)
def test_a_rate_counts_only_when_requests_are_what_ran_out(
    headers: dict[str, str], rate: float | None
) -> None:
    assert allowed_rate(headers) == rate
