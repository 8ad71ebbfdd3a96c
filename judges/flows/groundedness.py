"""Groundedness as a class for other runners."""
# No `from __future__ import annotations`: promptflow reads these annotations at run time, and cannot resolve texts.

from typing import ClassVar

from ...records import Case, Output
from .evaluator import JudgeEvaluator
from .flow_types import Columns, Items
from .rows import case_of, context_of, messages_of, output_of


class Groundedness(JudgeEvaluator):
    """Which share of an answer is supported by what was found; see `JudgeEvaluator` for the settings and the columns of a result."""

    judge: ClassVar[str] = "groundedness"

    def __call__(self, response: str, context: Items, query: str = "") -> Columns:
        """Judge one row.

        Args:
            response: The answer.
            context: What it has to rest on: texts, or objects with ``id``, ``request`` and ``content``; one text will do.
            query: What was asked.

        Returns:
            The columns of the result.
        """
        return self._wait(*_item(response, context, query))

    async def acall(self, response: str, context: Items, query: str = "") -> Columns:
        """Judge one row from a coroutine; see `__call__`."""
        return await self._await(*_item(response, context, query))


def _item(response: str, context: Items, query: str) -> tuple[Case, Output]:
    messages = messages_of(query) if query else []
    return case_of("grounded_answer", messages=messages, context=context_of(context)), output_of(
        text=response
    )
