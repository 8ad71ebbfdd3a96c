"""Rubrics as a class for other runners."""
# No `from __future__ import annotations`: promptflow reads these annotations at run time, and cannot resolve texts.

from typing import ClassVar

from ...records import Case, Output
from .evaluator import JudgeEvaluator
from .flow_types import Columns
from .rows import case_of, messages_of, output_of


class Rubric(JudgeEvaluator):
    """Whether an answer meets a criterion that is written in a sentence; see `JudgeEvaluator` for the settings and the columns of a result."""

    judge: ClassVar[str] = "rubric"

    def __call__(self, query: str, response: str, criterion: str) -> Columns:
        """Judge one row.

        Args:
            query: What was asked, or the conversation as a list of messages.
            response: The agent's answer.
            criterion: What the answer has to meet.

        Returns:
            The columns of the result.
        """
        return self._wait(*_item(query, response, criterion))

    async def acall(self, query: str, response: str, criterion: str) -> Columns:
        """Judge one row from a coroutine; see `__call__`."""
        return await self._await(*_item(query, response, criterion))


def _item(query: str, response: str, criterion: str) -> tuple[Case, Output]:
    case = case_of("open_answer", messages=messages_of(query), reference={"criterion": criterion})
    return case, output_of(text=response)
