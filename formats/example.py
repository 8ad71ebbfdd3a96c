"""What a row of any tool says, before it is a Case, an Output and Verdicts; what it has decides what kind of case it is.

==============================  =====================  =========================================================================================
what there is                   kind                   judge
==============================  =====================  =========================================================================================
expected calls with arguments   ``tool_call``          ``tool_call_accuracy``
a criterion                     ``open_answer``        ``rubric``
accepted answers and a context  ``web_search_answer``  ``web_search_answer``
accepted answers                ``memory_answer``      ``memory_answer``
calls that were made            ``any_call``           ``task_completion`` with recorded results or an answer, else ``tool_call_accuracy``
a context                       ``grounded_answer``    ``groundedness``
nothing of these                ``open_answer``        ``rubric``
==============================  =====================  =========================================================================================
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, cast

import msgspec

from ..records import (
    Case,
    ContextItem,
    Kind,
    Message,
    Output,
    Step,
    TagValue,
    ToolCall,
    is_marked,
    validate_case,
)
from .calls import Answer, has_arguments, plain_calls
from .found import Found, Options, Place
from .json_values import as_text, is_list, is_object
from .opinion import Opinion

DEFAULT_CRITERION = "The reply does what the user asked for, correctly and completely."
SAME_ANSWER = "The reply says what the expected answer says, and nothing against it."

EXPECTED_NAMES = "expected_calls"
"""The tag that names the functions that were to be called, where nothing says with which arguments."""


class Example(msgspec.Struct, kw_only=True):
    """What one row says of a case, in the words of `Case` and `Output`, and of the answer to it.

    Attributes:
        id: The case's; empty where the file has none, and one is made of the row's number (from 1) behind the prefix.
        expected_calls: The calls that were wanted, as the file has them; None where it says nothing of calls.
        answer: What was done; None where nobody answered.
        turns: Its steps by turn, where there are several turns.
    """

    id: str = ""
    prefix: str = "row"
    number: int = 0
    asked: list[Message] = []
    tools: list[dict[str, Any]] = []
    expected_calls: list[Any] | None = None
    accepted: list[str] = []
    context: list[Any] = []
    criterion: str | None = None
    tags: dict[str, TagValue] = {}
    cluster: str | None = None
    answer: Answer | None = None
    error: str | None = None
    system: str | None = None
    trial: int = 0
    turns: list[list[Step]] | None = None
    opinions: list[Opinion] = []


def records_of(example: Example, place: Place, options: Options) -> Iterator[Found]:
    """The records of an example: its case, its output where it was answered, and verdicts on that."""
    expected = plain_calls(example.expected_calls or [], "expected")
    with_arguments = all(has_arguments(call) for call in example.expected_calls or [])
    kind = _kind(example, options, calls=bool(expected) and with_arguments)
    tools, tags = example.tools, dict(example.tags)
    if expected and not with_arguments:
        tags[EXPECTED_NAMES] = ", ".join(call.name for call in expected)
        reason = (
            "a call is expected and not with which arguments, so that none can be checked; its name is a tag"
        )
        yield place.passed_over("expected calls", reason)
    if kind == "tool_call":
        tools = [*tools, *_undocumented(expected, tools)]
    case = Case(
        id=example.id or options.known.made_up(example.prefix, place.path, example.number),
        kind=kind,
        messages=cast("list[Message | list[Message]]", example.asked),
        tools=tools,
        reference=_reference(kind, example, options, expected),
        context=[context_item(item, number) for number, item in enumerate(example.context, start=1)],
        tags=tags,
        cluster=example.cluster,
    )
    validate_case(case)
    if not example.id or options.known.is_new(case):
        yield case
    system = example.system or options.system
    answer = example.answer
    if example.error is not None or (answer is not None and not answer.is_empty):
        answer = answer or Answer()
        output = Output(
            case_id=case.id,
            system=system,
            trial=example.trial,
            text=answer.text,
            tool_calls=answer.calls,
            turns=example.turns or (None if answer.steps is None else [answer.steps]),
            error=example.error,
        )
        if example.id:
            options.known.refuse_again(output)
        yield output
    for opinion in example.opinions:
        yield opinion.on(case.id, system, example.trial)


def _kind(example: Example, options: Options, *, calls: bool) -> Kind:
    if calls:
        return "tool_call"
    made = example.answer is not None and bool(example.answer.calls)
    if example.criterion is not None:
        return "open_answer"
    if example.accepted and options.answers == "accepted":
        return "web_search_answer" if example.context else "memory_answer"
    if made or example.expected_calls:
        return "any_call"
    if example.context:
        return "grounded_answer"
    return "open_answer"


def _reference(kind: Kind, example: Example, options: Options, expected: list[ToolCall]) -> dict[str, Any]:
    if kind == "tool_call":
        return {"calls": [{"name": call.name, "arguments": _plain(call)} for call in expected]}
    if kind in {"memory_answer", "web_search_answer"}:
        return {"answers": example.accepted}
    if kind != "open_answer":
        return {}
    if not example.accepted:
        return {"criterion": example.criterion or options.criterion or DEFAULT_CRITERION}
    criterion = example.criterion or options.criterion or SAME_ANSWER
    return {"criterion": criterion, "answer": example.accepted[0]}


def _plain(call: ToolCall) -> dict[str, Any]:
    """Arguments that are expected, each exactly so; an object that looks like a spelling of alternatives is itself."""
    given = msgspec.json.decode(call.arguments) if isinstance(call.arguments, str) else call.arguments
    return {name: {"exactly": value} if is_marked(value) else value for name, value in given.items()}


def _undocumented(expected: list[ToolCall], tools: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Documents of functions that are expected and that nobody documented: the arguments that are expected, of any type."""
    known = {str(tool.get("function", tool).get("name")) for tool in tools}
    arguments: dict[str, dict[str, Any]] = {}
    for call in expected:
        if call.name not in known:
            arguments.setdefault(call.name, {}).update({name: {} for name in _plain(call)})
    for name, properties in arguments.items():
        yield {
            "type": "function",
            "function": {"name": name, "parameters": {"type": "object", "properties": properties}},
        }


def context_item(given: Any, number: int) -> ContextItem:
    """A passage, as a text or an object that holds one; it is called after its id, or its number."""
    if is_object(given):
        text = next((given[name] for name in ("content", "page_content", "text") if name in given), given)
        identity = given.get("id")
        return ContextItem(id=str(number if identity is None else identity), content=text)
    return ContextItem(id=str(number), content=given)


def listed(given: Any) -> list[Any]:
    """A value as a list: what is one already, nothing, or the value alone; empty texts are nothing."""
    if given is None or given == "":
        return []
    return given if is_list(given) else [given]


def answers_of(given: Any) -> list[str]:
    """Accepted answers, from one or a list."""
    return [text for text in (as_text(item) for item in listed(given)) if text is not None]
