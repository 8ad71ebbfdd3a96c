"""Step of a run: the judges to ask now, and the outputs left for each."""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence
from typing import Protocol

from ...judges import Work
from ..context import RunContext
from ..store.journal_rows import VerdictKey
from .judge_task import JudgeTask


class JudgingStep(Protocol):
    """Judges that are to be asked now."""

    @property
    def context(self) -> RunContext:
        """Inputs, folder and progress; what they say goes to its journal."""
        ...

    @property
    def tasks(self) -> Sequence[JudgeTask]:
        """The judges."""
        ...

    def work(self, task: JudgeTask, done: Container[VerdictKey]) -> Iterator[Work]:
        """Yield a judge's remaining work: everything except what is done."""
        ...

    def left(self, task: JudgeTask, done: Container[VerdictKey]) -> int:
        """Return the amount of a judge's remaining work."""
        ...
