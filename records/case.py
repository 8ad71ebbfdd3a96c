"""Case: a task and how its answer is graded; kinds, references, message and tool shapes."""

from __future__ import annotations

from typing import Annotated, Any, Literal, TypeAlias, cast

import msgspec

from ..errors import UsageError
from .checked_fields import CheckedFields

# Types of text parts in OpenAI's chat API and Responses API.
_TEXT_PARTS = frozenset({"text", "input_text", "output_text"})


def outer_tool(tool: dict[str, Any]) -> dict[str, Any]:
    """Return a tool in the form of the chat API, ``{"type": ..., "function": {...}}``.

    Older logs, and the newer Responses API, have name and parameters at the top level.
    """
    if "function" in tool:
        return tool
    return {"type": "function", "function": {key: value for key, value in tool.items() if key != "type"}}


def plain_message(message: dict[str, Any]) -> dict[str, Any]:
    """Return a message whose content is text: text parts are joined.

    A message with other parts, such as images, is returned unchanged.
    """
    content = message.get("content")
    if not isinstance(content, list) or not content:
        return message
    # None stands for a part that is not text.
    texts = [_text_of_part(part) for part in cast("list[Any]", content)]
    if any(text is None for text in texts):
        return message
    return {**message, "content": "".join(text for text in texts if text is not None)}


ROLES = frozenset({"system", "developer", "user", "assistant", "tool", "function"})
"""Roles of messages that endpoints accept."""


def known_role(message: dict[str, Any]) -> dict[str, Any]:
    """Return a message with a role that endpoints accept; ``patient``, say, becomes ``user``."""
    return message if message.get("role") in ROLES else {**message, "role": "user"}


def message_text(message: dict[str, Any]) -> str:
    """Return the text of a message, empty without content; other parts are shown as their type."""
    content = plain_message(message).get("content")
    if not isinstance(content, list):
        return "" if content is None else str(content)
    return "".join(_text_or_type(part) for part in cast("list[Any]", content))


def _text_of_part(part: Any) -> str | None:
    """Return the text of a content part, or None for a part that is not text."""
    if not isinstance(part, dict):
        return None
    fields = cast("dict[str, Any]", part)
    text = fields.get("text")
    return text if fields.get("type") in _TEXT_PARTS and isinstance(text, str) else None


def _text_or_type(part: Any) -> str:
    """Return the text of a content part, or its type in brackets: ``[image]``."""
    text = _text_of_part(part)
    if text is not None:
        return text
    kind: Any = cast("dict[str, Any]", part).get("type") if isinstance(part, dict) else None
    return f"[{kind if isinstance(kind, str) else 'part'}]"


Kind: TypeAlias = str
"""A built-in kind (`case_kinds.KINDS`), or the name of a registered custom checker."""

LOG_TAGS = ("source", "offers_tools")
"""Tags that imports set on the cases of a chat log."""


def is_logged(case: Case) -> bool:
    """Return whether a case was imported from a chat log."""
    return all(tag in case.tags for tag in LOG_TAGS)


Message: TypeAlias = dict[str, Any]
"""One chat message in OpenAI's form, ``{"role": ..., "content": ...}``."""

TagValue: TypeAlias = str | int | float | bool | None

Language: TypeAlias = Literal["python", "java", "javascript"]
Match: TypeAlias = Literal["auto", "simple", "multiple", "parallel"]
"""``auto``: exactly these calls, looked up among all tools; the others are BFCL's, for its data."""

TextRule: TypeAlias = Literal["exact", "loose"]
"""``exact``: texts are equal; ``loose``: they may differ in case, punctuation and blanks, as in BFCL."""

ExecutionMatch: TypeAlias = Literal[
    "exact", "real_time", "structural", "exact_match", "real_time_match", "structural_match"
]


class Record(
    msgspec.Struct,
    frozen=True,
    kw_only=True,
    forbid_unknown_fields=True,
    omit_defaults=True,
    metaclass=CheckedFields,
):
    """Base of a record on a line of a JSON Lines file: frozen, typed, no unknown keys."""


class ContextItem(Record, frozen=True, kw_only=True):
    """One search result or passage."""

    id: str
    """Name that an answer may cite."""
    content: Any
    """The text, or any result."""
    request: str | dict[str, Any] | None = None
    """The query that returned it."""


class ToolCallReference(Record, frozen=True, kw_only=True):
    """Expected calls, each in the plain form or in BFCL's (`accepted_calls`)."""

    calls: list[dict[str, Any]]
    """The accepted calls, all required."""
    match: Match = "auto"
    """Pairing of made and accepted calls."""
    ordered: bool = False
    """Require this order; only with ``match: auto``."""
    language: Language = "python"
    """Language of the functions and of calls in a text."""
    text: TextRule | None = None
    """Comparison of texts; by default what the schema says, then `--text`."""


class ExecutableReference(Record, frozen=True, kw_only=True):
    """Expected calls as source text, and how each call's result is compared."""

    calls: list[str]
    """The expected calls."""
    match: list[ExecutionMatch]
    """Comparison of each result: equal, a number within 20 %, or same type, keys and length."""
    results: list[Any] | dict[str, Any] | None = None
    """Recorded results of calls that cannot be repeated: one per call, or by call."""


class MultiTurnReference(Record, frozen=True, kw_only=True):
    """Reference of a conversation: its worlds, their first state, and the calls by turn.

    All of it may be missing; without ``calls`` no checker decides.
    """

    classes: list[str] = []
    """Names of the worlds."""
    calls: list[list[str]] = []
    """Reference calls as source text, by turn; without them only a judge grades."""
    initial_config: dict[str, dict[str, Any]] = {}
    """Initial state of each world."""
    withheld: dict[str, list[str]] = {}
    """Functions missing at first, by the turn that adds them (from 0)."""
    withheld_tools: list[dict[str, Any]] = []
    """Documents of these functions; ``Case.tools`` holds the initial ones."""
    long_context: bool = False
    """Fill the worlds with bulk data."""


class AnswerReference(Record, frozen=True, kw_only=True):
    """Acceptable answers, any one of which is enough."""

    answers: list[str]
    """The accepted answers."""
    source: Any = None
    """Their origin, for people."""
    classes: list[str] = []
    """Worlds for an agent's calls during generation; checking ignores them."""
    initial_config: dict[str, dict[str, Any]] = {}
    """Initial state of each world."""
    history: str | None = None
    """Earlier conversations, by their name in ``--histories``."""
    text: TextRule | None = None
    """Comparison of answers that are codes, such as `MUG-440`; by default `--text`."""


class Claim(Record, frozen=True, kw_only=True):
    """One claim in an answer, and its support."""

    text: str
    """The claim, verbatim from the answer."""
    supported: bool
    """True if the context supports it."""
    indexes: list[str] = []
    """Ids of the supporting context items."""


class GroundedReference(Record, frozen=True, kw_only=True):
    """Claims of an answer with their support, if known from the answer's construction."""

    claims: list[Claim] | None = None
    """Claims that answers may make."""


MAX_POINTS = 1e9
"""Largest absolute points of a criterion, so that no sum overflows."""


class Criterion(Record, frozen=True, kw_only=True):
    """One criterion of a rubric, and what it is worth."""

    text: str
    """What the answer does, good or bad, in a sentence."""
    points: float = 1
    """Points for an answer that meets it; below 0 for something bad."""
    tags: list[str] | dict[str, TagValue] = []
    """Groups for means: names (``axis:accuracy``), or values by name."""


class OpenReference(Record, frozen=True, kw_only=True):
    """Criterion or criteria for the answer, and an answer to compare with, if any."""

    criterion: str | None = None
    """Demand on the answer, in a sentence."""
    criteria: list[Criterion] = []
    """Several demands, each with points."""
    answer: str | None = None
    """An answer that meets it."""


class NoReference(Record, frozen=True, kw_only=True):
    """Empty reference: only whether a call was made is checked."""


class SimulatedUser(Record, frozen=True, kw_only=True):
    """User of a conversation whom a second model plays while outputs are generated."""

    goal: str
    """What the user wants, in a sentence or more."""
    facts: str | list[str] | dict[str, Any] = []
    """All that the user knows and may be asked for."""
    persona: str | None = None
    """How the user talks and behaves."""
    max_turns: Annotated[int, msgspec.Meta(ge=1, le=1000)] = 10
    """Turns after which the conversation ends."""


class Case(Record, frozen=True, kw_only=True, weakref=True):
    """One task, and how it is graded.

    Attributes:
        id: Unique in its file.
        kind: Built-in or custom; selects the checker.
        messages: OpenAI chat messages, or a list of turns; text parts of a content are joined.
        tools: Function documents.
        reference: The right answer, in the form of the kind.
        context: Search results or passages.
        cluster: Group of dependent cases; default the id.
        tags: Values to slice results by.
        user: Simulated user, who continues after the messages.
    """

    id: str
    kind: Kind
    messages: list[Message | list[Message]] = []
    tools: list[dict[str, Any]] = []
    reference: dict[str, Any] = {}
    context: list[ContextItem] = []
    cluster: str | None = None
    tags: dict[str, TagValue] = {}
    user: SimulatedUser | None = None

    def __post_init__(self) -> None:
        # Only Python code can pass other types; those of files are validated.
        try:
            tools = [outer_tool(tool) for tool in self.tools]
        except (AttributeError, TypeError) as error:
            raise UsageError("tools: expected a list of function documents") from error
        try:
            messages = [
                plain_message(entry)
                if isinstance(entry, dict)
                else [plain_message(message) for message in entry]
                for entry in self.messages
            ]
        except (AttributeError, TypeError) as error:
            raise UsageError("messages: expected a list of messages, or of turns of them") from error
        if tools != self.tools:
            msgspec.structs.force_setattr(self, "tools", tools)
        if messages != self.messages:
            msgspec.structs.force_setattr(self, "messages", messages)

    @property
    def cluster_id(self) -> str:
        """The cluster; by default the case itself."""
        return self.id if self.cluster is None else self.cluster

    @property
    def turns(self) -> list[list[Message]]:
        """The messages as turns; a flat list of messages is one turn."""
        nested = [entry for entry in self.messages if isinstance(entry, list)]
        if len(nested) == len(self.messages):
            return nested
        return [[entry for entry in self.messages if isinstance(entry, dict)]]

    @property
    def all_messages(self) -> list[Message]:
        """The messages of all turns."""
        return [message for turn in self.turns for message in turn]
