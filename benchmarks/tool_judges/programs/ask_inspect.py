"""Ask Inspect's scorers that are graded by a model."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from asking import BASE_URL, MODEL, ToolVerdict, ask_all
from inspect_ai.model import ChatMessageUser, ModelOutput, get_model
from inspect_ai.scorer import Target, model_graded_fact, model_graded_qa
from inspect_ai.solver import TaskState


def _judge(scorer: Any) -> Callable[[Any], Any]:
    async def judge(item: Any) -> ToolVerdict:
        state = TaskState(
            model="none/none",
            sample_id=item["item"],
            epoch=1,
            input=item["question"],
            messages=[ChatMessageUser(content=item["question"])],
            output=ModelOutput.from_content("none/none", item["answer"]),
        )
        found = await scorer(state, Target(item["reference"]))
        grade = {"C": 1.0, "I": 0.0}.get(str(found.value))
        return ToolVerdict(grade, grade == 1.0, found.explanation)

    return judge


if __name__ == "__main__":
    grader = get_model(f"openai/{MODEL}", base_url=BASE_URL, api_key="none")
    ask_all(
        {
            "model_graded_fact": _judge(model_graded_fact(model=grader)),
            "model_graded_qa": _judge(model_graded_qa(model=grader)),
        }
    )
