"""Ask metrics of Ragas that call a model."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from asking import BASE_URL, MODEL, ToolVerdict, ask_all
from openai import AsyncOpenAI
from ragas.llms import llm_factory
from ragas.metrics.collections import AnswerAccuracy, Faithfulness


def _judges() -> dict[str, Callable[[Any], Any]]:
    llm = llm_factory(MODEL, client=AsyncOpenAI(base_url=BASE_URL, api_key="none"))
    faithfulness, accuracy = Faithfulness(llm=llm), AnswerAccuracy(llm=llm)

    async def faithful(item: Any) -> ToolVerdict:
        found = await faithfulness.ascore(
            user_input=item["question"], response=item["answer"], retrieved_contexts=item["passages"]
        )
        return ToolVerdict(found.value, found.value == 1.0, found.reason)

    async def accurate(item: Any) -> ToolVerdict:
        found = await accuracy.ascore(
            user_input=item["question"], response=item["answer"], reference=item["reference"]
        )
        return ToolVerdict(found.value, found.value >= 0.5, found.reason)

    return {"Faithfulness": faithful, "AnswerAccuracy": accurate}


if __name__ == "__main__":
    ask_all(_judges())
