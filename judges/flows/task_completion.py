"""Task completion as a class for other runners."""
# No `from __future__ import annotations`: promptflow reads these annotations at run time, and cannot resolve texts.

from typing import ClassVar

from ...records import Case, Output
from .evaluator import JudgeEvaluator
from .flow_types import NOTHING, Columns, Items
from .rows import case_of, conversation, output_of, tools_of


class TaskCompletion(JudgeEvaluator):
    """Whether an agent did, over a whole conversation, what it was asked to; see `JudgeEvaluator` for the settings and the columns of a result."""

    judge: ClassVar[str] = "task_completion"

    def __call__(self, messages: Items, tool_definitions: Items = NOTHING) -> Columns:
        """Judge one row.

        Args:
            messages: The conversation as OpenAI chat messages, calls and tool results included.
            tool_definitions: The tools on offer, in OpenAI's or Azure's form.

        Returns:
            The columns of the result.
        """
        return self._wait(*_item(messages, tool_definitions))

    async def acall(self, messages: Items, tool_definitions: Items = NOTHING) -> Columns:
        """Judge one row from a coroutine; see `__call__`."""
        return await self._await(*_item(messages, tool_definitions))


def _item(messages: Items, tool_definitions: Items) -> tuple[Case, Output]:
    told, done = conversation(messages)
    return case_of("multi_turn", messages=told, tools=tools_of(tool_definitions)), output_of(turns=done)
