"""Tool call accuracy as a class for other runners."""
# No `from __future__ import annotations`: promptflow reads these annotations at run time, and cannot resolve texts.

from typing import ClassVar

from ...records import Case, Output
from .evaluator import JudgeEvaluator
from .flow_types import NOTHING, Columns, Items
from .rows import calls_of, case_of, messages_of, output_of, tools_of


class ToolCallAccuracy(JudgeEvaluator):
    """Whether an agent's calls are the right ones; see `JudgeEvaluator` for the settings and the columns of a result."""

    judge: ClassVar[str] = "tool_call_accuracy"

    def __call__(
        self, query: str, tool_definitions: Items, tool_calls: Items = NOTHING, response: str = ""
    ) -> Columns:
        """Judge one row.

        Args:
            query: What was asked, or the conversation as a list of messages.
            tool_definitions: The tools on offer, in OpenAI's or Azure's form.
            tool_calls: The agent's calls, in OpenAI's or Azure's form; empty for an agent that made none.
            response: The agent's text; without ``tool_calls`` it is where calls are looked for.

        Returns:
            The columns of the result.
        """
        return self._wait(*_item(query, tool_definitions, tool_calls, response))

    async def acall(
        self, query: str, tool_definitions: Items, tool_calls: Items = NOTHING, response: str = ""
    ) -> Columns:
        """Judge one row from a coroutine; see `__call__`."""
        return await self._await(*_item(query, tool_definitions, tool_calls, response))


def _item(query: str, tool_definitions: Items, tool_calls: Items, response: str) -> tuple[Case, Output]:
    case = case_of("tool_call", messages=messages_of(query), tools=tools_of(tool_definitions))
    calls = calls_of(tool_calls)
    return case, output_of(text=response or None, tool_calls=calls if calls or not response else None)
