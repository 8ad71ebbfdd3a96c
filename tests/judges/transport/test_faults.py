"""Misbehaving endpoints: nothing is lost, and only faults cause further requests.

All of it holds for both ways of sending.
"""

from __future__ import annotations

import asyncio
import gzip
import time
import tracemalloc
from collections.abc import Callable
from math import ceil

import pytest
from judge_items import Judging, VerdictOn, make_pairs
from provider_server import (
    Answer,
    Body,
    CutOff,
    Drop,
    Hang,
    ProviderServer,
    Raw,
    Response,
    Script,
    Seen,
    Stall,
    Status,
)

from fiducial.judges import Endpoint, make_request
from fiducial.judges.transport.openai_provider import OpenAIProvider
from fiducial.judges.transport.retry import RetryingProvider

ONE = Answer("<S2>1</S2>")
DEEP = b"[" * 200_000


@pytest.fixture(params=["direct", "library"])
def endpoint(
    request: pytest.FixtureRequest, server: ProviderServer, monkeypatch: pytest.MonkeyPatch
) -> Callable[[], Endpoint]:
    """Asked directly, or over the openai library, where only that knows the key."""
    monkeypatch.setenv("OPENAI_API_KEY", "secret-key")
    key = "secret-key" if request.param == "direct" else None
    return lambda: Endpoint(server.base_url, key)


def first(fault: Response, then: Response = ONE) -> Script:
    """A script whose first response to each request is a fault."""
    return lambda seen: fault if seen.attempt == 1 else then


PASSING: list[Response] = [
    Status(429, {"retry-after-ms": "1"}),
    Status(408, {"retry-after": "0"}),
    Status(409, {"retry-after": "0"}),
    Status(500, {"retry-after": "0"}),
    Status(503, {"retry-after": "0"}),
    Drop(),
    CutOff(),
    CutOff(short=True),
    Body(b""),
    Body(b'{"error": {"message": "overloaded"}}'),
    Body(b'{"choices": []}'),
    Body(b"[1]"),
    Body(b"\xff\xfe"),
    Body(b'{"choices": [{"message": null}]}'),
    Body(b'data: {"choices": [{"delta": {"content": "1"}}]}\n\n'),
    Body(DEEP),
    Body(b'{"choices": ' + b"9" * 5000 + b"}"),
    Status(529, {"retry-after": "Mon, 01 Jan 99999999999 00:00:00 GMT"}),
    Raw(b"garbage\r\n\r\n"),
    Raw(b"HTTP/1.1 200 OK\r\nx: " + b"a" * 100_000 + b"\r\n\r\n{}"),
    Raw(b"HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: 3\r\n\r\nabc"),
    Raw(b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n"),
    Raw(b'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\n{"cho\r\n'),
    Raw(b"HTTP/1.1 503 Busy\r\ncontent-length: 200000\r\n\r\n" + DEEP),
]
"""Faults that pass: the next request is answered."""


def number_of(seen: Seen) -> int:
    """Return which of `make_pairs` a request is about."""
    return int(seen.text.rpartition("(#")[2].partition(")")[0])


@pytest.mark.parametrize("start", range(0, len(PASSING), 5))
def test_a_passing_fault_costs_one_more_call_and_no_item(
    server: ProviderServer, judging: Judging, start: int
) -> None:
    faults = PASSING[start : start + 5]
    server.script = lambda seen: faults[number_of(seen)] if seen.attempt == 1 else ONE
    verdicts = judging(make_pairs(len(faults)))
    for fault, verdict in zip(faults, verdicts, strict=True):
        assert (verdict.outcome, verdict.score) == ("graded", 1.0), str(fault)[:60]
        assert verdict.usage is not None
        assert verdict.usage.calls == 2, str(fault)[:60]
    assert len(server.seen) == 2 * len(faults)


@pytest.mark.parametrize(
    ("response", "outcome", "reason"),
    [
        *((Status(status), "failed", f"HTTP {status}") for status in (400, 401, 403, 404, 422)),
        (Status(429, code="insufficient_quota"), "failed", "HTTP 429"),
        (Status(500, {"x-should-retry": "false"}), "failed", "HTTP 500"),
        (Status(400, code="content_filter"), "refused", ""),
        (Answer(None, refusal="I will not judge this."), "refused", "I will not judge this."),
        pytest.param(
            Status(308, {"location": "https://elsewhere.invalid/v1/chat/completions"}),
            "failed",
            "HTTP 308: moved to https://elsewhere.invalid/v1/chat/completions",
            marks=pytest.mark.attack("keys and transport"),  # a redirect is not followed
        ),
    ],
    ids=str,
)
def test_a_fault_that_will_not_pass_is_asked_once_and_kept(
    server: ProviderServer, verdict_on: VerdictOn, response: Response, outcome: str, reason: str
) -> None:
    verdict = verdict_on(response)
    assert (verdict.outcome, verdict.score, len(server.seen)) == (outcome, None, 1)
    assert reason in str(verdict.reason)


def test_endless_rate_limits_end_after_the_allowed_attempts(
    server: ProviderServer, verdict_on: VerdictOn
) -> None:
    verdict = verdict_on(Status(429, {"retry-after-ms": "1"}), attempts=4)
    assert verdict.outcome == "failed"
    assert verdict.usage is not None
    assert verdict.usage.calls == len(server.seen) == 4


@pytest.mark.parametrize(
    ("asked", "seconds"),
    [
        ({"retry-after": "1"}, 1.0),
        ({"retry-after-ms": "1500", "retry-after": "30"}, 1.5),
        ({"retry-after": "Wed, 01 Jan 2098 00:00:00 GMT"}, 120.0),  # no longer than that, whatever is asked
        (
            {"retry-after": "30", "x-ratelimit-reset-requests": "2s", "x-ratelimit-remaining-requests": "0"},
            2.0,
        ),
        ({"x-ratelimit-reset-requests": "1m30s", "x-ratelimit-remaining-requests": "0"}, 90.0),
    ],
    ids=str,
)
def test_the_time_the_server_asks_for_is_waited(
    server: ProviderServer, endpoint: Callable[[], Endpoint], asked: dict[str, str], seconds: float
) -> None:
    server.script = first(Status(429, asked))
    (waited,) = waits(endpoint())
    assert seconds <= waited <= seconds * 1.05


def test_the_time_that_only_the_message_names_is_waited(
    server: ProviderServer, endpoint: Callable[[], Endpoint]
) -> None:
    body = b'{"error": {"message": "Please try again in 1m3.5s."}}'
    head = b"HTTP/1.1 429 Scripted\r\nconnection: close\r\ncontent-length: %d\r\n\r\n" % len(body)
    server.script = first(Raw(head + body))
    (waited,) = waits(endpoint())
    assert 63.5 <= waited <= 63.5 * 1.05


@pytest.mark.parametrize("asked", ["soon", "-5", "1e999", "", "nan", "0", "Thu, 01 Jan 1998 00:00:00 GMT"])
def test_where_no_time_is_named_each_wait_is_longer(
    server: ProviderServer, endpoint: Callable[[], Endpoint], asked: str
) -> None:
    server.script = lambda seen: Status(503, {"retry-after": asked}) if seen.attempt <= 4 else ONE
    waited = waits(endpoint())
    assert len(waited) == 4
    assert 0.075 <= waited[0] < waited[1] < waited[2] < waited[3] <= 0.15 * 27


def waits(endpoint: Endpoint) -> list[float]:
    """Return the seconds a request is held back before each retry; nobody really waits."""
    waited: list[float] = []

    async def sleep(seconds: float) -> None:
        waited.append(seconds)

    async def ask() -> None:
        provider = RetryingProvider(OpenAIProvider(endpoint), sleep=sleep)
        await provider.complete(make_request("m", [{"role": "user", "content": "0 or 1?"}], {}))
        await provider.aclose()

    asyncio.run(ask())
    return waited


@pytest.mark.slow
def test_while_a_rate_limit_lasts_nobody_calls(server: ProviderServer, judging: Judging) -> None:
    begun = time.monotonic()

    def script(seen: Seen) -> Response:
        left = begun + 1.0 - seen.at
        return Status(429, {"retry-after-ms": str(ceil(left * 1000))}) if left > 0 else ONE

    server.script = script
    verdicts = judging(make_pairs(40), concurrency=4)
    assert all(verdict.graded for verdict in verdicts)
    assert len(server.seen) <= 40 + 8


def test_who_waits_holds_no_slot(server: ProviderServer, judging: Judging) -> None:
    server.script = lambda seen: (
        Status(503, {"retry-after-ms": "300"}) if seen.attempt == 1 and "(#0)" in seen.text else ONE
    )
    verdicts = judging(make_pairs(3), concurrency=1)
    assert all(verdict.graded for verdict in verdicts)
    assert ["(#0)" in seen.text for seen in server.seen[:2]] == [True, False]


SILENT: list[Response] = [
    Hang(),
    Stall(b"HTTP/1.1 200 OK\r\n"),
    Stall(b"HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n"),
    Stall(b'HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n{"choices": ['),
    Stall(b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1\r\n{\r\n"),
]


def test_a_reply_that_never_comes_is_given_up_and_asked_for_again(
    server: ProviderServer, judging: Judging
) -> None:
    server.script = lambda seen: SILENT[number_of(seen)] if seen.attempt == 1 else ONE
    verdicts = judging(make_pairs(len(SILENT)), timeout=0.3)
    assert all(verdict.graded for verdict in verdicts)
    # Once for each hang; more only where this machine was too busy to answer in time.
    assert {verdict.usage.calls for verdict in verdicts if verdict.usage} <= {2, 3, 4}
    assert len(server.seen) >= 2 * len(SILENT)


def test_a_server_that_never_replies_fails_every_item_and_does_not_hang(
    server: ProviderServer, judging: Judging
) -> None:
    server.script = lambda seen: Hang()
    verdicts = judging(make_pairs(3), timeout=0.1, attempts=2)
    assert {verdict.outcome for verdict in verdicts} == {"failed"}
    assert all("no reply within 0.1 s" in str(verdict.reason) for verdict in verdicts)


def test_an_endpoint_that_is_not_there_fails_with_the_reason(
    server: ProviderServer, judging: Judging
) -> None:
    server.base_url = "http://127.0.0.1:1/v1"
    (verdict,) = judging(make_pairs(1), attempts=2)
    assert verdict.outcome == "failed"
    assert "connection" in str(verdict.reason)


@pytest.mark.parametrize("fault", [Drop(), Status(503, {"retry-after-ms": "1"})], ids=str)
def test_an_endpoint_that_is_down_is_not_asked_six_times_for_every_item(
    server: ProviderServer, judging: Judging, fault: Response
) -> None:
    server.script = lambda seen: fault
    verdicts = judging(make_pairs(40), attempts=2, concurrency=2)
    assert {verdict.outcome for verdict in verdicts} == {"failed"}
    assert len(server.seen) <= 40 + 8 + 4


def test_an_item_that_always_fails_does_not_cost_the_others_their_retries(
    server: ProviderServer, judging: Judging
) -> None:
    def script(seen: Seen) -> Response:
        doomed = "(#1" in seen.text  # eleven of twenty items
        return Drop() if doomed or seen.attempt == 1 else ONE

    server.script = script
    verdicts = judging(make_pairs(20), attempts=2, concurrency=2)
    assert sum(verdict.graded for verdict in verdicts) == 9


def test_a_reply_that_ends_with_its_connection_is_read(verdict_on: VerdictOn) -> None:
    body = b'{"choices": [{"message": {"content": "<S2>1</S2>"}}]}'
    assert verdict_on(Raw(b"HTTP/1.0 200 OK\r\n\r\n" + body)).score == 1.0


def test_what_a_gateway_says_in_place_of_a_completion_is_the_reason(verdict_on: VerdictOn) -> None:
    verdict = verdict_on(Body(b'{"error": {"message": "all\\nbusy \\ud800, secret-key"}}'), attempts=1)
    assert verdict.reason == "the response is no chat completion: all busy \ufffd, ***"


@pytest.mark.parametrize(
    ("body", "shown"),
    [
        (
            b"<title>Sign in, secret-key</title>",
            "it begins '<title>Sign in, ***</title>'",
        ),
        (b" \n", "it is empty"),
        (b"\xff\xfe", "it begins '\ufffd\ufffd'"),
    ],
    ids=["a login page", "nothing", "no text"],
)
def test_a_body_that_is_no_json_is_shown(verdict_on: VerdictOn, body: bytes, shown: str) -> None:
    verdict = verdict_on(Body(body), attempts=1)
    assert verdict.reason == f"the response body is cut off or not JSON: {shown}"


def test_the_key_is_sent_and_never_shown(server: ProviderServer, judging: Judging) -> None:
    server.script = lambda seen: Status(401, code=seen.headers["authorization"])
    (verdict,) = judging(make_pairs(1))
    assert server.seen[0].headers["authorization"] == "Bearer secret-key"
    assert "secret-key" not in str(verdict)


def test_an_unreadable_reply_is_asked_again_once_then_kept_unparsable(
    server: ProviderServer, verdict_on: VerdictOn
) -> None:
    verdict = verdict_on(Answer("I am sorry, I cannot decide between {these} options: maybe."))
    assert (verdict.outcome, verdict.score) == ("unparsable", None)
    assert verdict.raw == "I am sorry, I cannot decide between {these} options: maybe."
    assert verdict.usage is not None
    assert (verdict.usage.calls, verdict.usage.reasked) == (2, 1)
    assert len(server.seen) == 2


def test_an_unreadable_reply_that_is_mended_is_graded_and_counted(
    server: ProviderServer, judging: Judging
) -> None:
    server.script = first(Answer("hm"))
    (verdict,) = judging(make_pairs(1))
    assert (verdict.outcome, verdict.score) == ("graded", 1.0)
    assert verdict.usage is not None
    assert verdict.usage.reasked == 1


def test_a_reply_without_text_says_so(verdict_on: VerdictOn) -> None:
    verdict = verdict_on(Answer(None))
    assert (verdict.outcome, verdict.raw) == ("unparsable", None)
    assert "the reply has no text" in str(verdict.reason)


@pytest.mark.attack("keys and transport")
@pytest.mark.parametrize("form", ["announced", "endless", "packed"])
def test_a_response_that_would_fill_the_memory_is_not_read(
    server: ProviderServer, verdict_on: VerdictOn, form: str
) -> None:
    long, head = b" " * (1 << 26) + b"{}", b"HTTP/1.1 200 OK\r\n"
    forms: dict[str, Callable[[], Response]] = {
        "announced": lambda: Body(long),
        "endless": lambda: Raw(head + b"\r\n" + long),
        "packed": lambda: Raw(head + b"Content-Encoding: gzip\r\n\r\n" + gzip.compress(long, 1)),
    }
    verdict = verdict_on(forms[form]())
    assert (verdict.outcome, verdict.reason) == ("failed", "the response is longer than 64 MB")
    assert len(server.seen) == 1


@pytest.mark.slow
@pytest.mark.attack("keys and transport")
def test_what_a_packed_response_unpacks_to_is_never_held_whole(verdict_on: VerdictOn) -> None:
    bomb = gzip.compress(b"\0" * (1 << 29), 1)
    tracemalloc.start()
    try:
        verdict = verdict_on(Raw(b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n" + bomb))
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert (verdict.outcome, verdict.reason) == ("failed", "the response is longer than 64 MB")
    assert peak < 4 * (1 << 26)


def test_slots_are_kept_busy_and_never_exceeded(server: ProviderServer, judging: Judging) -> None:
    server.script = lambda seen: Answer("<S2>1</S2>", delay=0.1)
    verdicts = judging(make_pairs(12), concurrency=6)
    assert len(verdicts) == 12
    assert server.in_flight_at_most == 6
    assert server.connections <= 7
