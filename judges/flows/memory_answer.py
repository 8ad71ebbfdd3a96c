"""Memory answers as a class for other runners."""
# No `from __future__ import annotations`: promptflow reads these annotations at run time, and cannot resolve texts.

from typing import ClassVar

from ...records import Case, Output
from .evaluator import JudgeEvaluator
from .flow_types import Columns, Items
from .rows import case_of, messages_of, output_of


class MemoryAnswer(JudgeEvaluator):
    """Whether an answer from memory gives an accepted one; see `JudgeEvaluator` for the settings and the columns of a result."""

    judge: ClassVar[str] = "memory_answer"

    def __call__(self, query: str, response: str, accepted_answers: Items) -> Columns:
        """Judge one row.

        Args:
            query: What was asked, or the conversation as a list of messages.
            response: The agent's answer.
            accepted_answers: Answers that count as right.

        Returns:
            The columns of the result.
        """
        return self._wait(*_item(query, response, accepted_answers))

    async def acall(self, query: str, response: str, accepted_answers: Items) -> Columns:
        """Judge one row from a coroutine; see `__call__`."""
        return await self._await(*_item(query, response, accepted_answers))


def _item(query: str, response: str, accepted_answers: Items) -> tuple[Case, Output]:
    case = case_of(
        "memory_answer",
        messages=messages_of(query),
        reference={"answers": [str(answer) for answer in accepted_answers]},
    )
    return case, output_of(text=response)
