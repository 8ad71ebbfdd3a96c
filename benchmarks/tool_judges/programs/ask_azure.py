"""Ask evaluators of azure-ai-evaluation, configured for OpenAI's endpoint."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from asking import BASE_URL, MODEL, ToolVerdict, ask_all
from azure.ai.evaluation import (
    GroundednessEvaluator,
    OpenAIModelConfiguration,
    SimilarityEvaluator,
    ToolCallAccuracyEvaluator,
)


def _verdict(found: dict[str, Any], key: str) -> ToolVerdict:
    return ToolVerdict(found[key], found[f"{key}_result"] == "pass", found.get(f"{key}_reason"))


def _tool_calls(item: Any) -> list[dict[str, Any]]:
    return [
        {
            "type": "tool_call",
            "tool_call_id": f"call_{at}",
            "name": each["name"],
            "arguments": each["arguments"],
        }
        for at, each in enumerate(item["calls"] or ())
    ]


def _definitions(item: Any) -> list[dict[str, Any]]:
    return [{"type": "function", **each.get("function", each)} for each in item["tools"] or ()]


def _judges() -> dict[str, Callable[[Any], ToolVerdict]]:
    model = OpenAIModelConfiguration(type="openai", model=MODEL, base_url=BASE_URL, api_key="none")
    similarity, groundedness = SimilarityEvaluator(model), GroundednessEvaluator(model)
    accuracy = ToolCallAccuracyEvaluator(model)
    return {
        "Similarity": lambda item: _verdict(
            similarity(query=item["question"], response=item["answer"], ground_truth=item["reference"]),
            "similarity",
        ),
        "Groundedness": lambda item: _verdict(
            groundedness(
                query=item["question"], response=item["answer"], context="\n\n".join(item["passages"])
            ),
            "groundedness",
        ),
        "ToolCallAccuracy": lambda item: _verdict(
            accuracy(
                query=item["question"], tool_calls=_tool_calls(item), tool_definitions=_definitions(item)
            ),
            "tool_call_accuracy",
        ),
    }


if __name__ == "__main__":
    ask_all(_judges())
