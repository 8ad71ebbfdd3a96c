"""Timeouts of hanging calls: by the timer alone, and in a provider in virtual time."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest
from judge_items import Judging, make_pairs
from provider_server import Answer, Hang, ProviderServer, Seen
from virtual_time import run_virtually

from fiducial.judges.transport import CallError, Provider, Reply, Request, make_request
from fiducial.judges.transport.adaptive_timeout import PatientProvider, ReplyTimes
from fiducial.judges.transport.limiter import AdaptiveLimiter, LimitedProvider
from fiducial.judges.transport.retry import RetryingProvider, RetryPolicy

TIMEOUT = 60.0


def replies(usual: ReplyTimes, count: int, seconds: float, start: float = 0.0) -> None:
    """So many calls, one after the other, each replied to after so long."""
    for number in range(count):
        begun = start + number * seconds
        usual.end(usual.begin(begun), begun + seconds, replied=True)


def test_nothing_is_usual_before_twenty_replies() -> None:
    usual = ReplyTimes(10)
    replies(usual, 19, 1.0)
    assert usual.allowance() == float("inf")
    replies(usual, 1, 1.0)
    assert usual.allowance() == 10.0


def test_a_call_has_a_second_however_fast_the_others_are() -> None:
    usual = ReplyTimes(10)
    replies(usual, 100, 0.01)
    assert usual.allowance() == 1.0


def test_the_allowance_doubles_each_time_the_request_is_given_up() -> None:
    usual = ReplyTimes(10)
    replies(usual, 100, 0.5)
    assert [usual.allowance(given_up) for given_up in range(4)] == [5.0, 10.0, 20.0, 40.0]


def test_what_takes_long_in_one_of_ten_replies_is_usual() -> None:
    usual = ReplyTimes(10)
    for _ in range(10):
        replies(usual, 9, 0.1)
        replies(usual, 1, 4.0)
    assert usual.allowance() == 40.0


def test_what_was_usual_is_forgotten_after_a_hundred_replies() -> None:
    usual = ReplyTimes(10)
    replies(usual, 100, 9.0)
    replies(usual, 100, 0.25)
    assert usual.allowance() == 2.5


def test_failures_say_nothing_about_how_long_replies_take() -> None:
    usual = ReplyTimes(10)
    replies(usual, 20, 2.0)
    for _ in range(100):
        usual.end(usual.begin(0.0), 0.0, replied=False)
    assert usual.allowance() == 20.0


def test_a_call_hangs_when_its_time_is_up_and_a_later_one_was_replied_to() -> None:
    usual = ReplyTimes(10)
    replies(usual, 50, 0.1)
    slow = usual.begin(10.0)
    assert usual.hanging(12.0) == []
    replies(usual, 1, 0.1, start=11.0)
    assert usual.hanging(10.9) == []
    assert usual.hanging(12.0) == [slow]
    usual.end(slow, 12.0, replied=False)
    assert usual.hanging(12.0) == []


def test_no_call_hangs_while_the_server_replies_to_nobody() -> None:
    usual = ReplyTimes(10)
    replies(usual, 50, 0.1)
    for _ in range(64):
        usual.begin(10.0)
    assert usual.hanging(69.0) == []


class Scripted:
    """Provider whose replies take scripted seconds, with the endpoint's timeout."""

    def __init__(self, seconds: Callable[[int, int, float], float]) -> None:
        self._seconds = seconds
        self.attempts: dict[int, int] = {}

    @property
    def calls(self) -> int:
        """In all."""
        return sum(self.attempts.values())

    async def complete(self, request: Request) -> Reply:
        """Wait, and reply; the request's number is its `repeat`."""
        attempt = self.attempts[request.repeat] = self.attempts.get(request.repeat, 0) + 1
        seconds = self._seconds(request.repeat, attempt, asyncio.get_running_loop().time())
        if seconds > TIMEOUT:
            await asyncio.sleep(TIMEOUT)
            raise CallError("no reply within 60 s", retryable=True)
        await asyncio.sleep(seconds)
        return Reply(text="1")

    async def aclose(self) -> None:
        """Do nothing; no resource is open."""


def ask_all(server: Provider, count: int, *, concurrency: int = 16) -> tuple[list[Reply | CallError], float]:
    """Ask as `connect` would; return replies or failures in order, and the seconds it took."""

    async def run() -> list[Reply | CallError]:
        limited = LimitedProvider(PatientProvider(server, 10), AdaptiveLimiter(concurrency))
        provider = RetryingProvider(limited, RetryPolicy(attempts=2))

        async def ask(number: int) -> Reply | CallError:
            try:
                return await provider.complete(make_request("m", [], {}, repeat=number))
            except CallError as error:
                return error

        done = await asyncio.gather(*[ask(number) for number in range(count)])
        await provider.aclose()
        return done

    return run_virtually(run())


def test_hanging_calls_are_asked_again_and_cost_one_call_each() -> None:
    server = Scripted(lambda number, attempt, now: 1e9 if attempt == 1 and number % 40 == 20 else 0.1)
    done, seconds = ask_all(server, 800)
    assert all(isinstance(reply, Reply) for reply in done)
    assert server.calls == 800 + 20
    assert [reply.calls for reply in done] == [server.attempts[number] for number in range(800)]
    assert seconds < 800 * 0.1 / 16 + 5


def test_a_slow_request_is_not_starved() -> None:
    server = Scripted(lambda number, attempt, now: 30.0 if number == 100 else 0.1)
    done, _ = ask_all(server, 11_000)
    slow = done[100]
    assert isinstance(slow, Reply)
    assert slow.calls == 6  # after 1, 2, 4, 8 and 16 seconds the next was tried; it had 32


def test_a_server_that_stands_still_is_asked_nothing_in_addition() -> None:
    def seconds(number: int, attempt: int, now: float) -> float:
        return 0.1 if not 5.0 <= now < 45.0 else 45.1 - now

    server = Scripted(seconds)
    done, _ = ask_all(server, 2000)
    assert all(isinstance(reply, Reply) for reply in done)
    assert server.calls == 2000


def test_a_server_that_becomes_fifty_times_slower_is_asked_nothing_in_addition() -> None:
    server = Scripted(lambda number, attempt, now: 0.1 if now < 5.0 else 5.0)
    ask_all(server, 2000)
    assert server.calls == 2000


@pytest.mark.slow
def test_a_request_that_is_never_replied_to_fails_by_its_timeout_and_attempts_alone() -> None:
    server = Scripted(lambda number, attempt, now: 1e9 if number == 100 else 0.1)
    done, _ = ask_all(server, 60_000)
    (failed,) = [reply for reply in done if isinstance(reply, CallError)]
    assert str(failed) == "no reply within 60 s"
    assert failed.calls == server.attempts[100]
    assert (
        2 <= failed.calls <= 2 * 7
    )  # two attempts of a minute, each after up to six calls that were given up


def test_replies_of_a_slow_model_are_not_measured_by_those_of_a_fast_one() -> None:
    async def run() -> int:
        server = Scripted(lambda number, attempt, now: 20.0 if number < 5 else 0.1)
        provider = PatientProvider(server, 10)

        async def ask(model: str, number: int) -> Reply:
            return await provider.complete(make_request(model, [], {}, repeat=number))

        slow = [asyncio.create_task(ask("slow", number)) for number in range(5)]
        for number in range(5, 300):
            await ask("fast", number)
        await asyncio.gather(*slow)
        await provider.aclose()
        return server.calls

    calls, _ = run_virtually(run())
    assert calls == 300


@pytest.mark.parametrize(
    ("patience", "timeout", "outcome"),
    [(10.0, 60.0, "graded"), (0.0, 0.7, "failed")],
    ids=["patient", "switched off"],
)
def test_a_hanging_server_on_loopback(
    server: ProviderServer, judging: Judging, patience: float, timeout: float, outcome: str
) -> None:
    def script(seen: Seen) -> Answer | Hang:
        hangs = seen.attempt == 1 and "(#50)" in seen.text
        return Hang() if hangs else Answer("<S2>1</S2>", delay=0.02)

    server.script = script
    # With a single attempt only who gives up what hangs, which is no failure, is replied to.
    verdicts = judging(make_pairs(150), timeout=timeout, patience=patience, attempts=1)
    assert {verdict.case_id: verdict.outcome for verdict in verdicts}["case-50"] == outcome
