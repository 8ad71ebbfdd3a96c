"""Ask MLflow's built-in judges."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from asking import MODEL, ToolVerdict, ask_all
from mlflow.genai.judges import is_correct, is_grounded, is_tool_call_correct
from mlflow.genai.utils.type import FunctionCall
from mlflow.types.chat import ChatTool

_JUDGE = f"openai:/{MODEL}"
_SCORES = {"yes": 1.0, "no": 0.0}


def _verdict(found: Any) -> ToolVerdict:
    if found.error is not None:
        return ToolVerdict(None, False, found.error.error_message)
    score = _SCORES.get(str(found.value))
    return ToolVerdict(score, score == 1.0, found.rationale)


def _calls(calls: Any) -> list[Any]:
    return [FunctionCall(name=call["name"], arguments=call["arguments"]) for call in calls or ()]


def _judges() -> dict[str, Callable[[Any], ToolVerdict]]:
    return {
        "is_correct": lambda item: _verdict(
            is_correct(
                request=item["question"],
                response=item["answer"],
                expected_response=item["reference"],
                model=_JUDGE,
            )
        ),
        "is_grounded": lambda item: _verdict(
            is_grounded(
                request=item["question"],
                response=item["answer"],
                context="\n\n".join(item["passages"]),
                model=_JUDGE,
            )
        ),
        "is_tool_call_correct": lambda item: _verdict(
            is_tool_call_correct(
                request=item["question"],
                tools_called=_calls(item["calls"]),
                available_tools=[ChatTool.model_validate(_standard(each)) for each in item["tools"] or ()],
                model=_JUDGE,
            )
        ),
    }


def _standard(tool: Any) -> Any:
    """Return a tool with the types of JSON Schema, which BFCL's names are not."""
    if isinstance(tool, list):
        return [_standard(each) for each in tool]
    if not isinstance(tool, dict):
        return tool
    return {
        name: {"dict": "object", "float": "number", "tuple": "array", "any": "string"}.get(value, value)
        if name == "type" and isinstance(value, str)
        else _standard(value)
        for name, value in tool.items()
    }


if __name__ == "__main__":
    ask_all(_judges())
