"""Case: one thing to be done, and how its answer is graded; the kinds that there are, and what their references look like."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

import msgspec

from ..errors import UsageError
from ..plugins import CHECKERS
from .explanations import nearest
from .openai_shapes import outer_tool, plain_message

Kind: TypeAlias = str
"""One of ``BUILT_IN_KINDS``, or a name that a checker of the user's own is registered under."""

BUILT_IN_KINDS: tuple[Kind, ...] = (
    "tool_call",
    "no_call",
    "any_call",
    "executable_call",
    "multi_turn",
    "memory_answer",
    "web_search_answer",
    "artifact",
    "grounded_answer",
    "open_answer",
)

OWN_REFERENCES: dict[Kind, type[msgspec.Struct]] = {}
"""What the reference of a kind of the user's own looks like, where that was said; any object elsewhere."""


def is_kind(name: str) -> bool:
    """Whether there is a kind of this name. Packages are looked through only for what does not come along."""
    return name in BUILT_IN_KINDS or name in CHECKERS


def unknown_kind(name: str) -> str:
    """What is told of a kind that is not there."""
    known = [*BUILT_IN_KINDS, *(kind for kind in CHECKERS if kind not in BUILT_IN_KINDS)]
    return (
        f"unknown kind {name!r}{nearest(name, known)}; known are {', '.join(known)}, "
        "and those that --plugin FILE brings a checker for"
    )


Message: TypeAlias = dict[str, Any]
"""One chat message in OpenAI's form, ``{"role": ..., "content": ...}``."""

TagValue: TypeAlias = str | int | float | bool | None

Language: TypeAlias = Literal["python", "java", "javascript"]
Match: TypeAlias = Literal["auto", "simple", "multiple", "parallel"]
"""``auto``: exactly these calls, looked up among all tools; the others are BFCL's own ways and come with its data."""

ExecutionMatch: TypeAlias = Literal["exact", "real_time", "structural"]


class Record(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """Base of what stands on a line of a JSON Lines file: frozen, typed, no unknown keys."""


class ContextItem(Record, frozen=True, kw_only=True):
    """One search result or passage that an answer may rest on."""

    id: str
    """What an answer may refer to it by."""
    content: Any
    """The text, or whatever came back."""
    request: str | dict[str, Any] | None = None
    """What was asked for it."""


class ToolCallReference(Record, frozen=True, kw_only=True):
    """Expected calls, each in the plain form or in BFCL's (`accepted_calls`)."""

    calls: list[dict[str, Any]]
    """The accepted calls, all of which are wanted."""
    match: Match = "auto"
    """How calls are paired with them."""
    ordered: bool = False
    """Whether the calls have to come in this order; with ``match: auto`` alone."""
    language: Language = "python"
    """The language of the functions, whose source text a reply may hold."""


class ExecutableReference(Record, frozen=True, kw_only=True):
    """Expected calls as source text, and how each call's result is compared."""

    calls: list[str]
    """The expected calls."""
    match: list[ExecutionMatch]
    """How the result of each is compared: the same, a number within a fifth, or of the same structure."""
    results: list[Any] | None = None
    """Recorded results of the expected calls, where running them again would not give the same."""


class MultiTurnReference(Record, frozen=True, kw_only=True):
    """The worlds of a conversation, their first state, and the reference trajectory, turn by turn."""

    classes: list[str]
    """The worlds, by name."""
    calls: list[list[str]]
    """The calls of the reference trajectory, turn by turn, as source text."""
    initial_config: dict[str, dict[str, Any]] = {}
    """What each world starts from."""
    withheld: dict[str, list[str]] = {}
    """Functions that are missing at first, by the turn in which they are given back (counted from 0)."""
    withheld_tools: list[dict[str, Any]] = []
    """Documents of these functions, in the shape of ``Case.tools``, which holds what is offered at the start."""
    long_context: bool = False
    """Whether the worlds are inflated with bulk data."""


class AnswerReference(Record, frozen=True, kw_only=True):
    """Acceptable answers, any one of which is enough."""

    answers: list[str]
    """The accepted answers."""
    source: Any = None
    """Where they are from; for people."""
    classes: list[str] = []
    """The worlds in which an agent's calls are executed while it looks for the answer, by name; checking needs none of them."""
    initial_config: dict[str, dict[str, Any]] = {}
    """What each world starts from."""
    history: str | None = None
    """The conversations that an agent with a memory has had before, by the name they have in a file of histories."""


class Claim(Record, frozen=True, kw_only=True):
    """One piece of information in an answer, and whether the context supports it."""

    text: str
    """The piece, as it stands in the answer."""
    supported: bool
    """Whether the context supports it."""
    indexes: list[str] = []
    """Ids of the context items that support it."""


class GroundedReference(Record, frozen=True, kw_only=True):
    """The pieces of an answer with their support, where the answer was built so that it is known."""

    claims: list[Claim] | None = None
    """The pieces that answers may have."""


class OpenReference(Record, frozen=True, kw_only=True):
    """What the answer should achieve, in a sentence, and an answer to compare with where there is one."""

    criterion: str
    """What a good answer achieves."""
    answer: str | None = None
    """An answer that does."""


class NoReference(Record, frozen=True, kw_only=True):
    """Whether a call was made says it all."""


REFERENCES: dict[Kind, type[Record]] = {
    "tool_call": ToolCallReference,
    "no_call": NoReference,
    "any_call": NoReference,
    "executable_call": ExecutableReference,
    "multi_turn": MultiTurnReference,
    "memory_answer": AnswerReference,
    "web_search_answer": AnswerReference,
    "grounded_answer": GroundedReference,
    "open_answer": OpenReference,
}
"""What ``Case.reference`` must look like, by kind that comes along. An artifact's reference keeps the challenge's own fields."""


class Case(Record, frozen=True, kw_only=True, weakref=True):
    """One thing to be done, and how it is graded.

    Attributes:
        id: Unique in its file.
        kind: What sort of answer is asked for, which decides who checks it; one that comes along, or one of your own.
        messages: OpenAI chat messages, or a list of turns of them; a content in parts becomes its text.
        tools: Function documents, put into OpenAI's outer shape where they lack it; type names inside ``parameters`` stay the
            data set's own.
        reference: What a right answer is; its shape depends on the kind (``REFERENCES``).
        context: Search results or passages.
        cluster: What makes cases dependent on each other; the id when absent.
        tags: Anything to slice results by.
    """

    id: str
    kind: Kind
    messages: list[Message | list[Message]] = []
    tools: list[dict[str, Any]] = []
    reference: dict[str, Any] = {}
    context: list[ContextItem] = []
    cluster: str | None = None
    tags: dict[str, TagValue] = {}

    def __post_init__(self) -> None:
        tools = [outer_tool(tool) for tool in self.tools]
        if tools != self.tools:
            msgspec.structs.force_setattr(self, "tools", tools)
        try:
            messages = [
                plain_message(entry) if isinstance(entry, dict) else [plain_message(each) for each in entry]
                for entry in self.messages
            ]
        except (AttributeError, TypeError) as error:  # of a caller; a file's have been validated
            raise UsageError("messages: expected a list of messages, or of turns of them") from error
        if messages != self.messages:
            msgspec.structs.force_setattr(self, "messages", messages)

    @property
    def cluster_id(self) -> str:
        """The cluster, which is the case itself unless something else is named."""
        return self.id if self.cluster is None else self.cluster

    @property
    def turns(self) -> list[list[Message]]:
        """The messages as turns; a flat list of messages is one turn."""
        if all(isinstance(entry, list) for entry in self.messages):
            return [entry for entry in self.messages if isinstance(entry, list)]
        return [[entry for entry in self.messages if isinstance(entry, dict)]]

    @property
    def all_messages(self) -> list[Message]:
        """The messages of all turns."""
        return [message for turn in self.turns for message in turn]
