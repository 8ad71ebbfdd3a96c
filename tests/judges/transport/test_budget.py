from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest
from judge_items import Judging, make_pairs
from provider_server import Answer, Drop, ProviderServer, Status

from fiducial.errors import ConfigurationError
from fiducial.judges import Budget, CallError, Reply, Request, make_request
from fiducial.judges.prices import Prices
from fiducial.judges.transport.budget import BudgetedProvider, BudgetSpentError

REQUEST = make_request("m", [{"role": "user", "content": "x" * 250}], {"max_tokens": 10})
"""At most 250 / 2.5 + 4 = 104 tokens in, 10 out."""


class Model:
    """A provider that does what it is told, and counts."""

    def __init__(self, answer: Callable[[], Reply]) -> None:
        self.answer = answer
        self.calls = self.in_flight = self.in_flight_at_most = 0

    async def complete(self, request: Request) -> Reply:
        self.calls += 1
        self.in_flight += 1
        self.in_flight_at_most = max(self.in_flight, self.in_flight_at_most)
        await asyncio.sleep(0)
        self.in_flight -= 1
        return self.answer()

    async def aclose(self) -> None: ...


def spend(budget: Budget, model: Model, times: int) -> list[Reply | BaseException]:
    async def run() -> list[Reply | BaseException]:
        asked = (BudgetedProvider(model, budget).complete(REQUEST) for _ in range(times))
        return await asyncio.gather(*asked, return_exceptions=True)

    return asyncio.run(run())


def priced(max_cost: float) -> Budget:
    return Budget(max_cost=max_cost, prices=lambda model: Prices(1_000_000, 1_000_000))


def reply(prompt: int = 50, completion: int = 5) -> Reply:
    return Reply(text="1", prompt_tokens=prompt, completion_tokens=completion)


def test_no_more_calls_are_made_than_allowed_and_the_rest_say_that_they_were_not_asked():
    model = Model(reply)
    results = spend(Budget(max_calls=3, prices=lambda model: None), model, 10)
    refused = [result for result in results if isinstance(result, BudgetSpentError)]
    assert (model.calls, len(refused), {error.calls for error in refused}) == (3, 7, {0})
    assert str(refused[0]) == "not asked: the budget of 3 calls is spent"


def test_money_is_set_aside_before_a_call_and_settled_by_the_tokens_it_took():
    model = Model(reply)
    budget = priced(170)
    results = spend(budget, model, 4)
    assert [isinstance(result, Reply) for result in results] == [True, True, False, False]
    assert (budget.spent, model.calls) == (110, 2)


def test_a_call_waits_when_only_those_in_flight_may_leave_enough():
    model = Model(reply)
    spend(priced(1_000), model, 20)
    assert model.in_flight_at_most == 1_000 // 114
    assert model.calls == 1 + (1_000 - 114) // 55


def test_a_reply_without_counts_costs_what_was_estimated():
    budget = priced(1_000)
    spend(budget, Model(lambda: Reply(text="1")), 1)
    assert budget.spent == 114


@pytest.mark.parametrize(("status", "spent"), [(500, 0), (None, 114)])
def test_a_call_that_failed_is_billed_only_when_it_may_have_been_answered(status: int | None, spent: float):
    def fail() -> Reply:
        raise CallError("no", status=status)

    budget = priced(1_000)
    spend(budget, Model(fail), 1)
    assert budget.spent == spent


def test_money_cannot_be_limited_for_a_model_without_a_price():
    (result,) = spend(Budget(max_cost=1, prices=lambda model: None), Model(reply), 1)
    assert isinstance(result, ConfigurationError)
    assert "add price=IN/OUT" in str(result)


def test_items_beyond_the_budget_are_failed_without_a_call_and_the_others_are_graded(
    server: ProviderServer, judging: Judging
):
    budget = Budget(max_calls=4, prices=lambda model: None)
    verdicts = judging(make_pairs(6), budget=budget)
    assert len(server.seen) == 4
    assert [verdict.graded for verdict in verdicts].count(True) == 4
    refused = [verdict for verdict in verdicts if verdict.outcome == "failed"]
    assert {verdict.usage and (verdict.usage.calls, verdict.usage.cached) for verdict in refused} == {
        (0, False)
    }


@pytest.mark.parametrize("fault", [Status(500, {"retry-after": "0"}), Drop()], ids=str)
def test_calls_that_are_tried_again_count(server: ProviderServer, judging: Judging, fault: Status | Drop):
    server.script = lambda seen: fault if seen.attempt < 3 else Answer("<S2>1</S2>")
    (verdict,) = judging(make_pairs(1), budget=Budget(max_calls=2, prices=lambda model: None))
    assert (verdict.outcome, len(server.seen)) == ("failed", 2)
    assert verdict.usage is not None
    assert verdict.usage.calls == 2


def test_what_the_cache_has_is_judged_beyond_the_budget(
    server: ProviderServer, judging: Judging, tmp_path: Path
):
    judging(make_pairs(3), cache=tmp_path / "cache")
    verdicts = judging(
        make_pairs(5), cache=tmp_path / "cache", budget=Budget(max_calls=1, prices=lambda model: None)
    )
    assert sum(verdict.graded for verdict in verdicts) == 4
    assert len(server.seen) == 4
