"""Prompts that judges were sent for an item, rendered again, since runs keep only replies."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from ...errors import FiducialError
from ...evaluation.store.manifest import JudgeRecord, Roster
from ...records import Author, Case, JudgeId, Output, Verdict

if TYPE_CHECKING:
    from ...judges import PromptJudge


class SentPrompt(msgspec.Struct, frozen=True, kw_only=True):
    """Chat messages sent to a judge, or why they are unknown.

    Attributes:
        messages: The messages; empty if they are unknown.
        changed: Whether the prompt, settings or fiducial changed since the run. The messages are then those that would be sent now.
        problem: Why the messages are unknown.
    """

    messages: list[dict[str, Any]] = []
    changed: bool = False
    problem: str | None = None


class SentPrompts:
    """Prompts of a run's judges, each loaded on first use."""

    def __init__(self, roster: Roster) -> None:
        self._roster = roster
        self._judges: dict[JudgeId, PromptJudge | str] = {}

    def of(self, verdict: Verdict, case: Case, output: Output) -> SentPrompt | None:
        """Return the prompt that a verdict answers; None if the verdict's judge has no prompt."""
        entry = self._roster_entry(verdict.author)
        if entry is None or not entry.is_prompt:
            return None
        from ...evaluation.judging.asking import as_judged  # noqa: PLC0415 - slow to import, and many runs ask nobody

        judge = self._judge(entry)
        if isinstance(judge, str):
            return SentPrompt(problem=judge)
        try:
            messages = judge.messages(case, as_judged(case, output))
        except FiducialError as error:
            return SentPrompt(problem=str(error))
        return SentPrompt(messages=messages, changed=judge.id != entry.id)

    def _roster_entry(self, author: Author) -> JudgeRecord | None:
        return self._roster.get(author) if isinstance(author, JudgeId) else None

    def _judge(self, entry: JudgeRecord) -> PromptJudge | str:
        """Load a judge from its prompt file, or return the reason why that fails."""
        if entry.id not in self._judges:
            from ...evaluation.judging.tasks import reload_judge  # noqa: PLC0415 - slow to import, and many runs ask nobody

            try:
                self._judges[entry.id] = reload_judge(entry)
            except FiducialError as error:
                self._judges[entry.id] = f"its prompt can no longer be read: {error}"
        return self._judges[entry.id]
