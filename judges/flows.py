"""Where other people's runners find the judges' classes, which are made in a room above this one (`api.evaluators`)."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ..api.evaluators import (
        EVALUATORS,
        Groundedness,
        JudgeEvaluator,
        MemoryAnswer,
        Rubric,
        TaskCompletion,
        ToolCallAccuracy,
        WebSearchAnswer,
        flex_flow,
    )

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


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module("..api.evaluators", __package__), name)
