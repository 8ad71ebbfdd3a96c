"""Case: one thing to be done, and how its answer is graded."""

from __future__ import annotations

import re
from typing import Any, Literal, TypeAlias, get_args, get_origin

import msgspec

Message: TypeAlias = dict[str, Any]
"""One chat message in OpenAI's form, ``{"role": ..., "content": ...}``."""

TagValue: TypeAlias = str | int | float | bool | None

Kind: TypeAlias = Literal[
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
]

Language: TypeAlias = Literal["python", "java", "javascript"]
Match: TypeAlias = Literal["simple", "multiple", "parallel"]
ExecutionMatch: TypeAlias = Literal["exact", "real_time", "structural"]


class Record(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """Base of what stands on a line of a JSON Lines file: frozen, typed, no unknown keys."""


class ContextItem(Record, frozen=True, kw_only=True):
    """One search result or passage that an answer may rest on."""

    id: str
    content: Any
    request: str | dict[str, Any] | None = None


class ToolCallReference(Record, frozen=True, kw_only=True):
    """Expected calls, in BFCL's form: per argument a list of acceptable values, ``""`` = may be left out."""

    calls: list[dict[str, dict[str, Any]]]
    match: Match = "simple"
    language: Language = "python"


class ExecutableReference(Record, frozen=True, kw_only=True):
    """Expected calls as source text, and how each call's result is compared."""

    calls: list[str]
    match: list[ExecutionMatch]
    results: list[Any] | None = None
    """Recorded results of the expected calls, where running them again would not give the same."""


class MultiTurnReference(Record, frozen=True, kw_only=True):
    """The worlds of a conversation, their first state, and the reference trajectory, turn by turn."""

    classes: list[str]
    calls: list[list[str]]
    initial_config: dict[str, dict[str, Any]] = {}
    withheld: dict[str, list[str]] = {}
    """Functions that are missing at first, by the turn in which they are given back."""
    long_context: bool = False


class AnswerReference(Record, frozen=True, kw_only=True):
    """Acceptable answers, any one of which is enough."""

    answers: list[str]
    source: Any = None


class Claim(Record, frozen=True, kw_only=True):
    """One piece of information in an answer, and whether the context supports it."""

    text: str
    supported: bool
    indexes: list[str] = []
    """Ids of the context items that support it."""


class GroundedReference(Record, frozen=True, kw_only=True):
    """The pieces of an answer with their support, where the answer was built so that it is known."""

    claims: list[Claim] | None = None


class OpenReference(Record, frozen=True, kw_only=True):
    """What the answer should achieve, in a sentence, and an answer to compare with where there is one."""

    criterion: str
    answer: str | None = None


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
"""What ``Case.reference`` must look like, by kind. An artifact's reference keeps the challenge's own fields."""


class Case(Record, frozen=True, kw_only=True, weakref=True):
    """One thing to be done, and how it is graded.

    Attributes:
        id: Unique in its file.
        kind: What sort of answer is asked for; decides which checker is responsible.
        messages: OpenAI chat messages, or a list of turns of them.
        tools: Function documents in OpenAI's outer shape; type names inside ``parameters`` stay the data set's own.
        reference: What a right answer is; its shape depends on ``kind`` (see ``REFERENCES``).
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


class _Named(msgspec.Struct):
    name: str


def validate_case(case: Case) -> None:
    """Check what the types alone cannot: the shape of the reference, of the messages and of the tools.

    Args:
        case: A case whose field types are right.

    Raises:
        msgspec.ValidationError: Naming the field, in msgspec's own form (``... - at `$.reference.calls` ``).
    """
    reference_type = REFERENCES.get(case.kind)
    if reference_type is not None:
        try:
            msgspec.convert(case.reference, reference_type)
        except msgspec.ValidationError as error:
            told = with_choices(str(error), reference_type)
            raise msgspec.ValidationError(_below("reference", told)) from error
    if len({isinstance(entry, list) for entry in case.messages}) > 1:
        raise msgspec.ValidationError(
            "Expected either messages or turns of messages, got both - at `$.messages`"
        )
    for turn in case.turns:
        for message in turn:
            if not isinstance(message.get("role"), str):
                raise msgspec.ValidationError("Expected every message to have a `role` - at `$.messages`")
    for index, tool in enumerate(case.tools):
        try:
            msgspec.convert(tool.get("function"), _Named)
        except msgspec.ValidationError as error:
            raise msgspec.ValidationError(_below(f"tools[{index}].function", str(error))) from error


_NO_CHOICE = re.compile(r"Invalid enum value .* - at `\$\.(\w+)(?:\[[^\]]*\])?`$", re.DOTALL)


def with_choices(message: str, record_type: Any) -> str:
    """The message of a failed decoding, with the values that are possible where one was not.

    Args:
        message: In msgspec's own form.
        record_type: What should have been decoded.
    """
    found = _NO_CHOICE.match(message)
    if found is None or not issubclass(get_origin(record_type) or record_type, msgspec.Struct):
        return message
    types = {field.name: field.type for field in msgspec.structs.fields(record_type)}
    declared = types.get(found[1])
    values = get_args(
        next((part for part in (declared, *get_args(declared)) if get_origin(part) is Literal), None)
    )
    problem, _, place = message.rpartition(" - at ")
    return f"{problem}; known are {', '.join(map(str, values))} - at {place}" if values else message


def _below(field: str, message: str) -> str:
    if " - at `$" in message:
        return message.replace(" - at `$", f" - at `$.{field}", 1)
    return f"{message} - at `$.{field}`"
