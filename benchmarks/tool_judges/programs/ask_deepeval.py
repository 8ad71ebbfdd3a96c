"""Ask metrics of DeepEval that call a model."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from asking import BASE_URL, MODEL, ToolVerdict, ask_all
from deepeval.metrics import AnswerRelevancyMetric, FaithfulnessMetric, GEval, ToolCorrectnessMetric
from deepeval.models import OpenAIModel
from deepeval.test_case import LLMTestCase, SingleTurnParams, ToolCall


def _test_case(item: Any) -> LLMTestCase:
    return LLMTestCase(
        input=item["question"],
        actual_output=item["answer"],
        expected_output=item["reference"],
        retrieval_context=item["passages"] or None,
        tools_called=_calls(item["calls"]),
        expected_tools=[ToolCall(name=each["name"]) for each in item["expected_calls"] or ()],
    )


def _calls(calls: Any) -> list[ToolCall]:
    return [ToolCall(name=call["name"], input_parameters=call["arguments"]) for call in calls or ()]


def _measured(make: Callable[[Any], Any]) -> Callable[[Any], ToolVerdict]:
    def judge(item: Any) -> ToolVerdict:
        metric = make(item)
        metric.measure(_test_case(item), _show_indicator=False)
        return ToolVerdict(metric.score, metric.is_successful(), metric.reason)

    return judge


def _tools(item: Any) -> list[ToolCall]:
    functions = [each.get("function", each) for each in item["tools"] or ()]
    return [
        ToolCall(name=function["name"], description=function.get("description")) for function in functions
    ]


if __name__ == "__main__":
    model = OpenAIModel(model=MODEL, base_url=BASE_URL, api_key="none")
    ask_all(
        {
            "GEval": _measured(
                lambda _: GEval(
                    name="Correctness",
                    criteria="Determine whether the actual output is factually correct based on the expected output.",
                    evaluation_params=[
                        SingleTurnParams.INPUT,
                        SingleTurnParams.ACTUAL_OUTPUT,
                        SingleTurnParams.EXPECTED_OUTPUT,
                    ],
                    model=model,
                    async_mode=False,
                )
            ),
            "Faithfulness": _measured(lambda _: FaithfulnessMetric(model=model, async_mode=False)),
            "ToolCorrectness": _measured(
                lambda item: ToolCorrectnessMetric(
                    available_tools=_tools(item), model=model, async_mode=False
                )
            ),
            "AnswerRelevancy": _measured(lambda _: AnswerRelevancyMetric(model=model, async_mode=False)),
        }
    )
