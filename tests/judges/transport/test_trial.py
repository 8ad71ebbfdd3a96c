"""The first calls to a model, which may all be refused."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest

from fiducial.judges.transport.exchange import CallError, Reply, Request, make_request
from fiducial.judges.transport.trial import FIRST_CALLS, EndpointTrials, TrialProvider


class Refusing:
    """Refuse calls as told, and count them."""

    def __init__(self, error: Callable[[int], CallError | None]) -> None:
        self.calls = self.in_flight = self.most_in_flight = 0
        self._error = error

    async def complete(self, request: Request) -> Reply:
        number = self.calls
        self.calls += 1
        self.in_flight += 1
        self.most_in_flight = max(self.most_in_flight, self.in_flight)
        await asyncio.sleep(0)
        self.in_flight -= 1
        error = self._error(number)
        if error is not None:
            raise error
        return Reply(text=request.model)

    async def aclose(self) -> None:
        pass


def ask(
    inner: Refusing, items: int = 200, model: str = "m", trials: EndpointTrials | None = None
) -> list[str]:
    """Return the outcomes of many requests at once."""
    shared = trials or EndpointTrials()
    provider = TrialProvider(inner, lambda name: shared.of("here", name))

    async def outcome(number: int) -> str:
        try:
            request = make_request(model, [{"role": "user", "content": str(number)}], {})
            return (await provider.complete(request)).text
        except CallError as error:
            return str(error)

    async def everything() -> list[str]:
        return await asyncio.gather(*[outcome(number) for number in range(items)])

    return asyncio.run(everything())


@pytest.mark.parametrize("status", [401, 403, 404])
def test_a_wrong_key_or_model_costs_twenty_calls_and_the_rest_say_why(status: int):
    inner = Refusing(lambda number: CallError(f"HTTP {status}: request {number}", status=status))
    told = ask(inner)
    assert inner.calls == FIRST_CALLS == 20
    assert sum(text.startswith("not asked: the endpoint refused all of its first 20") for text in told) == 180


def test_a_wrong_key_is_wrong_for_every_judge_and_a_wrong_model_for_its_own():
    trials = EndpointTrials()
    inner = Refusing(lambda _: CallError("HTTP 404: no such model", status=404))
    ask(inner, model="a", trials=trials)
    ask(inner, model="b", trials=trials)
    assert inner.calls == 40
    key = Refusing(lambda _: CallError("HTTP 401: wrong key", status=401))
    trials = EndpointTrials()
    ask(key, model="a", trials=trials)
    ask(key, model="b", trials=trials)
    assert key.calls == 20


def test_refusals_that_differ_concern_the_requests():
    inner = Refusing(lambda number: CallError(f"HTTP 400: {number} tokens are too many", status=400))
    ask(inner)
    assert inner.calls == 200


def test_refusals_alike_in_every_word_concern_the_model():
    inner = Refusing(lambda _: CallError("HTTP 400: zz is not a valid model ID", status=400))
    ask(inner)
    assert inner.calls == 20


def test_one_reply_ends_the_trial():
    inner = Refusing(lambda number: CallError("HTTP 403", status=403) if number else None)
    ask(inner)
    assert inner.calls == 200
    assert inner.most_in_flight > FIRST_CALLS


def test_what_may_pass_refuses_nobody():
    inner = Refusing(lambda _: CallError("HTTP 500", status=500, retryable=True))
    ask(inner)
    assert (inner.calls, inner.most_in_flight) == (200, FIRST_CALLS)


def test_requests_that_nobody_waits_for_any_more_leave_their_place():
    inner = Refusing(lambda _: None)
    trials = EndpointTrials()
    provider = TrialProvider(inner, lambda name: trials.of("here", name))
    request = make_request("m", [], {})

    async def cancelled() -> None:
        asking = [asyncio.create_task(provider.complete(request)) for _ in range(30)]
        await asyncio.sleep(0)
        for task in asking:
            task.cancel()
        await asyncio.gather(*asking, return_exceptions=True)

    asyncio.run(cancelled())
    assert ask(inner, items=30, trials=trials) == ["m"] * 30
