"""Several endpoints: load balancing, failover, rest and return.

In virtual time, and over real sockets.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable
from contextlib import ExitStack
from typing import Any

import pytest
from judge_items import Judging, make_pairs
from provider_server import Answer, Drop, Hang, ProviderServer, Script, Seen, Status
from virtual_time import run_virtually

from fiducial.judges import Budget, CallError, Endpoint, Reply, Request, connect, make_request
from fiducial.judges.prices import price_list
from fiducial.judges.transport.endpoint import EndpointGroup, EndpointShare, EndpointUse
from fiducial.judges.transport.limiter import AdaptiveLimiter
from fiducial.judges.transport.load_balancing import SpreadingProvider
from fiducial.judges.transport.pooled_endpoint import PooledEndpoint

Answering = Callable[[int, float], "Reply | CallError"]


class Scripted:
    """An endpoint that takes some seconds, and answers the nth call as it is told."""

    def __init__(self, seconds: float = 1.0, answer: Answering = lambda n, now: Reply(text="1")) -> None:
        self.seconds = seconds
        self.answer = answer
        self.asked: list[tuple[float, Request]] = []
        self.busy = self.most_busy = 0

    async def complete(self, request: Request) -> Reply:
        loop = asyncio.get_running_loop()
        self.asked.append((loop.time(), request))
        self.busy += 1
        self.most_busy = max(self.most_busy, self.busy)
        try:
            await asyncio.sleep(self.seconds)
        finally:
            self.busy -= 1
        answer = self.answer(len(self.asked), loop.time())
        if isinstance(answer, CallError):
            raise answer
        return answer

    async def aclose(self) -> None:
        self.asked.append((-1.0, question(-1)))


def question(number: int) -> Request:
    return make_request("m", [{"role": "user", "content": str(number)}], {})


def broken(status: int = 500, *, retryable: bool = True, **said: Any) -> Answering:
    return lambda n, now: CallError(f"HTTP {status}", status=status, retryable=retryable, **said)


def ask(
    servers: list[Scripted],
    count: int,
    *,
    slots: int | list[int] = 4,
    patience: float = 10.0,
    workers: int = 16,
) -> tuple[list[Reply | CallError], float]:
    """Ask many questions with several workers; return answers and virtual seconds."""
    sizes = [slots] * len(servers) if isinstance(slots, int) else slots

    async def main() -> list[Reply | CallError]:
        members = [
            PooledEndpoint(f"e{place}", each, AdaptiveLimiter(size))
            for place, (each, size) in enumerate(zip(servers, sizes, strict=True))
        ]
        provider = SpreadingProvider(members, patience)
        left = iter(range(count))
        found: list[Reply | CallError] = []

        async def worker() -> None:
            for number in left:
                try:
                    found.append(await provider.complete(question(number)))
                except CallError as error:
                    found.append(error)

        await asyncio.gather(*(worker() for _ in range(workers)))
        return found

    return run_virtually(main())


def counts(servers: list[Scripted]) -> list[int]:
    return [len(server.asked) for server in servers]


def calls(found: list[Reply | CallError]) -> int:
    return sum(reply.calls for reply in found)


def test_two_alike_take_half_the_time_of_one():
    _, alone = ask([Scripted()], 80)
    both = [Scripted(), Scripted()]
    _, together = ask(both, 80)
    assert (alone, together) == (pytest.approx(20.0), pytest.approx(10.0))
    assert counts(both) == [40, 40]


def test_each_keeps_to_its_own_slots():
    servers = [Scripted(), Scripted()]
    ask(servers, 60, slots=[6, 2])
    assert [server.most_busy for server in servers] == [6, 2]
    assert counts(servers) == [45, 15]


def test_while_there_is_room_the_faster_is_asked():
    servers = [Scripted(0.1), Scripted(0.9)]
    ask(servers, 200, workers=3)
    assert counts(servers)[1] < 20


def test_a_slow_one_holds_up_nobody():
    _, alone = ask([Scripted(0.1)], 400)
    servers = [Scripted(0.1), Scripted(50.0)]
    found, together = ask(servers, 400)
    assert together < alone + 2.0
    assert all(isinstance(reply, Reply) for reply in found)
    # What was in flight when it was found out, and one call each time that it is tried again.
    assert calls(found) - 400 == counts(servers)[1] <= 4 + 6


def test_the_last_call_of_a_run_is_not_waited_for_at_a_slow_one():
    servers = [Scripted(0.1), Scripted(50.0)]
    found, took = ask(servers, 94, slots=8, workers=6)  # the slow one is tried again with the last one
    assert all(isinstance(reply, Reply) for reply in found)
    assert took < 10.0


def test_one_that_breaks_in_the_middle_loses_nothing_and_repeats_only_what_was_in_flight():
    servers = [
        Scripted(0.1),
        Scripted(0.1, lambda n, now: broken()(n, now) if now > 2.0 else Reply(text="1")),
    ]
    found, _ = ask(servers, 400)
    assert all(isinstance(reply, Reply) for reply in found)
    asked = Counter(request.key for server in servers for _, request in server.asked)
    again = [key for key, times in asked.items() if times > 1]
    assert max(asked.values()) == 2
    # Four in flight, and one call each time that it is tried again.
    assert len(again) == calls(found) - 400 <= 4 + 4


class Draining(Scripted):
    """Server that refuses new requests after two seconds, and still answers accepted ones.

    It answers them one after the other.
    """

    async def complete(self, request: Request) -> Reply:
        loop = asyncio.get_running_loop()
        if loop.time() < 2.0:
            self.seconds = 0.1 + 0.0171 * (len(self.asked) % 16)
            return await super().complete(request)
        self.asked.append((loop.time(), request))
        await asyncio.sleep(0.001)
        raise CallError("HTTP 503", status=503, retryable=True)


def test_what_one_that_breaks_still_answers_does_not_bring_it_back():
    servers = [Scripted(0.1), Draining()]
    found, took = ask(servers, 2000, slots=16, workers=64)
    assert all(isinstance(reply, Reply) for reply in found)
    # Three failures; then one call each time that it is tried again: a second later, three, seven.
    assert 9.0 < took < 17.0
    assert calls(found) - 2000 <= 3 + 3


def test_one_that_comes_back_is_asked_again():
    servers = [
        Scripted(0.1),
        Scripted(0.1, lambda n, now: broken()(n, now) if now < 3.0 else Reply(text="1")),
    ]
    ask(servers, 1000)
    late = [at for at, _ in servers[1].asked if at > 4.0]
    assert len(late) > 100


def test_one_with_a_lower_rate_is_asked_at_its_rate_and_the_other_as_before():
    def limited(n: int, now: float) -> Reply | CallError:
        recent = [at for at, _ in servers[1].asked if at > now - 1.0]
        if len(recent) > 3:
            return CallError("HTTP 429", status=429, retryable=True, retry_after=1.0, allowed_rate=2.0)
        return Reply(text="1")

    servers = [Scripted(0.1), Scripted(0.1, limited)]
    found, took = ask(servers, 400)
    assert all(isinstance(reply, Reply) for reply in found)
    assert took < 400 * 0.1 / 4 + 1.0
    assert max(Counter(int(at) for at, _ in servers[1].asked if at > 1.0).values()) <= 4


def test_a_wrong_key_at_one_is_found_out_at_the_first_call():
    servers = [Scripted(0.1), Scripted(0.1, broken(401, retryable=False))]
    found, _ = ask(servers, 200)
    assert all(isinstance(reply, Reply) for reply in found)
    assert counts(servers)[1] <= 4


def test_a_request_that_is_at_fault_is_asked_once():
    servers = [Scripted(0.1, broken(400, retryable=False)), Scripted(0.1)]
    found, _ = ask(servers, 1, workers=1)
    (error,) = found
    assert isinstance(error, CallError)
    assert sum(counts(servers)) == 1


def test_where_all_fail_the_last_failure_is_told_with_all_its_calls():
    servers = [Scripted(0.1, broken(500)), Scripted(0.1, broken(503))]
    (error,) = ask(servers, 1, workers=1)[0]
    assert isinstance(error, CallError)
    assert (error.calls, error.status) == (2, 503)


def test_where_all_rest_none_does():
    servers = [
        Scripted(0.1, broken()),
        Scripted(0.1, lambda n, now: broken()(n, now) if now < 0.5 else Reply(text="1")),
    ]
    found, took = ask(servers, 60)
    assert isinstance(found[-1], Reply)
    assert took < 10.0


def test_without_patience_a_slow_one_is_waited_for():
    servers = [Scripted(0.1), Scripted(50.0)]
    found, took = ask(servers, 400, patience=0)
    assert (took >= 50.0, calls(found)) == (True, 400)


def test_who_no_longer_waits_holds_no_slot():
    server = Scripted(1.0)

    async def main() -> int:
        provider = SpreadingProvider([PooledEndpoint("e", server, AdaptiveLimiter(1))], 0)
        first = asyncio.create_task(provider.complete(question(1)))
        second = asyncio.create_task(provider.complete(question(2)))
        third = asyncio.create_task(provider.complete(question(3)))
        await asyncio.sleep(0.5)
        second.cancel()
        first.cancel()
        await third
        return len(server.asked)

    assert run_virtually(main()) == (2, 1.5)


def test_a_deployment_is_asked_by_its_own_name_and_the_key_stays():
    server = Scripted(0.1)

    async def main() -> None:
        provider = SpreadingProvider([PooledEndpoint("e", server, AdaptiveLimiter(1), "deployed")], 0)
        await provider.complete(question(1))

    run_virtually(main())
    ((_, seen),) = server.asked
    assert (seen.model, seen.key) == ("deployed", question(1).key)


def test_at_the_end_it_is_told_what_became_of_each():
    told: list[list[EndpointUse]] = []
    servers = [Scripted(0.1), Scripted(0.1, broken(401, retryable=False))]

    async def main() -> None:
        members = [
            PooledEndpoint(f"e{place}", each, AdaptiveLimiter(2)) for place, each in enumerate(servers)
        ]
        provider = SpreadingProvider(members, 0, told.append)
        await asyncio.gather(*(provider.complete(question(number)) for number in range(4)))
        await provider.aclose()

    run_virtually(main())
    assert told == [[EndpointUse("e0", 4, 0, 0, 0, None), EndpointUse("e1", 0, 2, 0, 0, "HTTP 401")]]


def test_several_keys_to_one_address_are_one_endpoint_to_the_cache():
    keys = EndpointGroup(
        (EndpointShare(Endpoint("http://h/v1", "a"), 1), EndpointShare(Endpoint("http://h/v1", "b"), 1))
    )
    assert keys.identity == Endpoint("http://h/v1", "c").identity
    assert "'a'" not in repr(keys)
    two = [EndpointShare(Endpoint(f"http://{host}/v1", "a"), 1) for host in "hi"]
    assert EndpointGroup(tuple(two)).identity == EndpointGroup(tuple(reversed(two))).identity


def spread_over(judging: Judging, scripts: list[Script], count: int = 120, **options: Any) -> Any:
    """Judge at real servers; verdicts, and what each was asked."""
    with ExitStack() as exits:
        servers = [exits.enter_context(ProviderServer(script=script)) for script in scripts]
        shares = tuple(EndpointShare(Endpoint(server.base_url, "sk-of-nobody"), 8) for server in servers)
        provider = connect(EndpointGroup(shares), **options)
        found = judging(make_pairs(count), provider=provider, concurrency=16)
        return found, [server.seen for server in servers]


def one(seen: Seen) -> Answer:
    return Answer("<S1>because</S1><S2>1</S2>")


@pytest.mark.parametrize(
    "fault",
    [Status(500), Status(503), Status(401), Status(404), Drop(), Status(429, {"retry-after": "3600"})],
)
def test_over_sockets_an_endpoint_that_never_answers_loses_nothing(judging: Judging, fault: Any):
    found, (right, wrong) = spread_over(judging, [one, lambda seen: fault])
    assert Counter(verdict.outcome for verdict in found) == {"graded": 120}
    assert len(right) == 120
    assert sum(verdict.usage.calls for verdict in found) == 120 + len(wrong)


def test_over_sockets_an_endpoint_that_hangs_loses_nothing(judging: Judging):
    found, (right, wrong) = spread_over(judging, [one, lambda seen: Hang()], timeout=20.0)
    assert Counter(verdict.outcome for verdict in found) == {"graded": 120}
    assert len(right) == 120
    assert len(wrong) < 20


def test_over_sockets_a_budget_is_one_for_all(judging: Judging):
    found, seen = spread_over(judging, [one, one], budget=Budget(max_calls=50, prices=price_list([])))
    assert sum(map(len, seen)) == 50
    assert Counter(verdict.outcome for verdict in found) == {"graded": 50, "failed": 70}


def test_no_failure_tells_a_key(judging: Judging):
    echo: Script = lambda seen: Status(401, code=seen.headers["authorization"])  # noqa: E731 - a line
    found, _ = spread_over(judging, [echo, echo], count=4, attempts=1)
    assert {verdict.outcome for verdict in found} == {"failed"}
    assert not any("sk-of-nobody" in str(verdict) for verdict in found)
