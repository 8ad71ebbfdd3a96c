"""Judges as classes that other people's runners call: promptflow's flex flows, Azure's evaluators, one's own loop."""

from __future__ import annotations

from .evaluator import JudgeEvaluator
from .flex_folders import flex_flow
from .groundedness import Groundedness
from .memory_answer import MemoryAnswer
from .rubric import Rubric
from .task_completion import TaskCompletion
from .tool_call_accuracy import ToolCallAccuracy
from .web_search_answer import WebSearchAnswer

EVALUATORS: dict[str, type[JudgeEvaluator]] = {
    evaluator.judge: evaluator
    for evaluator in (
        Groundedness,
        MemoryAnswer,
        Rubric,
        TaskCompletion,
        ToolCallAccuracy,
        WebSearchAnswer,
    )
}
"""Every judge's class, by the judge's name."""

__all__ = [
    "EVALUATORS",
    "Groundedness",
    "JudgeEvaluator",
    "MemoryAnswer",
    "Rubric",
    "TaskCompletion",
    "ToolCallAccuracy",
    "WebSearchAnswer",
    "flex_flow",
]
