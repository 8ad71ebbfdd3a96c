"""Which models are one and the same, and what a reply of another costs."""

from __future__ import annotations

import asyncio

import pytest
from each_row import each_row
from judge_items import make_pairs

from fiducial.judges import judge_work, load_judge
from fiducial.judges.transport import Provider, Reply, Request
from fiducial.judges.transport.served_by import ServedByCheck, family
from fiducial.records import NO_USAGE, Usage, Verdict


@each_row(
    ("asked", "served"),
    [
        ("gpt-4.1-mini", "gpt-4.1-mini-2025-04-14"),
        ("gpt-4.1-mini", "openai/gpt-4.1-mini"),
        ("claude-sonnet-4", "claude-sonnet-4-20250514"),
        ("gpt-4", "gpt-4-0613"),
        ("gemini-2.5-pro", "gemini-2.5-pro-001"),
        ("mistral-large", "Mistral-Large-latest"),
        ("meta-llama/Llama-3.1-8B-Instruct", "llama-3.1-8b-instruct"),
        ("claude-3", "claude-3@20240229"),
    ],
)
def test_releases_of_one_model_are_one_family(asked: str, served: str):
    assert family(asked) == family(served)


@pytest.mark.parametrize(
    ("asked", "served"),
    [
        ("gpt-4.1", "gpt-4.1-mini"),
        ("llama-3.1-8b", "llama-3.1-70b"),
        ("gpt-4o", "gpt-4"),
        ("my-model", "gpt-oss-20b"),
    ],
)
def test_another_size_is_another_model(asked: str, served: str):
    assert family(asked) != family(served)


class _Answering(Provider):
    """Provider with one reply."""

    def __init__(self, reply: Reply) -> None:
        self._reply = reply

    async def complete(self, request: Request) -> Reply:
        return self._reply

    async def aclose(self) -> None:
        pass


@each_row(
    ("calls", "usage"),
    [(3, Usage(calls=3, prompt_tokens=100, completion_tokens=10)), (0, NO_USAGE)],
)
def test_a_refused_reply_costs_what_it_took(calls: int, usage: Usage):
    reply = Reply(text="<S2>1</S2>", prompt_tokens=100, completion_tokens=10, calls=calls, served_by="gpt-4o")
    [verdict] = asyncio.run(_judged(ServedByCheck(_Answering(reply), "judge")))
    assert verdict.outcome == "failed"
    assert verdict.usage == usage


async def _judged(provider: Provider) -> list[Verdict]:
    judge = load_judge("tool_call_accuracy", model="judge")
    work = ((*pair, 0) for pair in make_pairs(1))
    return [verdict async for verdict in judge_work(work, judge, provider, concurrency=1)]
