"""Output: what one system produced for one case."""

from __future__ import annotations

from typing import Any, NamedTuple, TypeAlias

from .case import Record


class ItemKey(NamedTuple):
    """What identifies an output, and ties verdicts on it together."""

    case_id: str
    system: str
    trial: int

    def __str__(self) -> str:
        return f"{self.case_id}|{self.system}|{self.trial}"


class ToolCall(Record, frozen=True, kw_only=True):
    """One call as the system made it; ``arguments`` verbatim, an object or JSON text."""

    name: str
    arguments: dict[str, Any] | str = {}


Step: TypeAlias = str | list[ToolCall]
"""One reply within a turn: a text, or calls."""


class Output(Record, frozen=True, kw_only=True):
    """What one system produced for one case.

    Attributes:
        case_id: The case this answers.
        system: Who produced it.
        trial: Which attempt of this system at this case.
        text: The reply as text; may stand beside ``tool_calls``.
        tool_calls: Native calls; an empty list says that the system could have called and did not.
        turns: Turns of steps, for multi-turn and agentic cases.
        workspace: A folder, relative to the folder of the outputs file.
    """

    case_id: str
    system: str
    trial: int = 0
    text: str | None = None
    tool_calls: list[ToolCall] | None = None
    turns: list[list[Step]] | None = None
    workspace: str | None = None

    @property
    def key(self) -> ItemKey:
        """Case, system and trial."""
        return ItemKey(self.case_id, self.system, self.trial)
