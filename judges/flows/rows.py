"""From the columns of a row to a Case and an Output, and from a Verdict to columns, named as Azure's evaluators name them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, cast

import msgspec

from ...errors import InputError
from ...records import Case, ContextItem, Message, Outcome, Output, Step, ToolCall, Usage, Verdict

_STATUS: Mapping[Outcome, str] = {"graded": "completed", "not_applicable": "skipped"}
"""Azure's words where it has one; the other outcomes keep their names."""


def columns(name: str, verdict: Verdict, threshold: float) -> dict[str, Any]:
    """A verdict as a row.

    Args:
        name: The judge's name, which every column begins with.
        verdict: What it said.
        threshold: From which score on the result is ``pass``.

    Returns:
        ``NAME`` and ``NAME_score`` (None where there is no score, never 0), ``NAME_result`` (``pass``, ``fail``,
        ``not_applicable`` or ``unknown``), ``NAME_passed``, ``NAME_reason``, ``NAME_status`` (``completed``, ``skipped``,
        ``unparsable``, ``refused``, ``failed``), ``NAME_threshold`` and ``NAME_properties``.
    """
    passed = None if verdict.score is None else verdict.score >= threshold
    result = {True: "pass", False: "fail", None: "unknown"}[passed]
    usage = verdict.usage or Usage(calls=0)
    return {
        name: verdict.score,
        f"{name}_score": verdict.score,
        f"{name}_passed": passed,
        f"{name}_result": "not_applicable" if verdict.outcome == "not_applicable" else result,
        f"{name}_reason": verdict.reason,
        f"{name}_status": _STATUS.get(verdict.outcome, verdict.outcome),
        f"{name}_threshold": threshold,
        f"{name}_properties": {
            "by": verdict.by,
            "evidence": dict(verdict.evidence),
            "sample_output": verdict.raw,
            "calls": usage.calls,
            "prompt_tokens": usage.prompt_tokens,
            "completion_tokens": usage.completion_tokens,
        },
    }


def messages_of(query: str | Sequence[Message]) -> list[Message]:
    """A question as messages; a conversation as it is."""
    if isinstance(query, str):
        return [{"role": "user", "content": query}]
    return list(_objects(query, "query"))


def tools_of(definitions: Mapping[str, Any] | Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Tool definitions in OpenAI's outer shape, which Azure's rows leave out."""
    given = [definitions] if isinstance(definitions, Mapping) else _objects(definitions, "tool_definitions")
    return [
        dict(tool) if "function" in tool else {"type": "function", "function": dict(tool)} for tool in given
    ]


def calls_of(calls: Mapping[str, Any] | Sequence[Mapping[str, Any]] | str) -> list[ToolCall]:
    """Calls in OpenAI's shape (``{"function": {"name", "arguments"}}``) or in Azure's (``{"name", "arguments"}``)."""
    if isinstance(calls, str):
        raise InputError(f"expected a list of calls, got {calls[:80]!r}", field="tool_calls")
    given = [calls] if isinstance(calls, Mapping) else _objects(calls, "tool_calls")
    return [_call(call) for call in given]


def context_of(context: str | Sequence[Any]) -> list[ContextItem]:
    """Search results: one text, texts, or objects with ``id``, ``request`` and ``content``."""
    if isinstance(context, str):
        return [ContextItem(id="1", content=context)] if context else []
    return [_context_item(item, number) for number, item in enumerate(context, start=1)]


def conversation(messages: Sequence[Message]) -> tuple[list[list[Message]], list[list[Step]]]:
    """Split a conversation into what the agent was told and what it did.

    Args:
        messages: OpenAI chat messages; tool results are among what the agent is told.

    Returns:
        Turns of messages, and for each turn the agent's steps after it.
    """
    told: list[list[Message]] = []
    done: list[list[Step]] = []
    for message in _objects(messages, "messages"):
        if message.get("role") == "assistant":
            if not told:
                told.append([])
                done.append([])
            done[-1] += _steps(message)
        else:
            if not told or done[-1]:
                told.append([])
                done.append([])
            told[-1].append(message)
    return told, done


def case_of(kind: Any, **fields: Any) -> Case:
    """A case without an identity: rows of other runners have none that we could keep."""
    return Case(id="row", kind=kind, **fields)


def output_of(**fields: Any) -> Output:
    """The output to such a case."""
    return Output(case_id="row", system="row", **fields)


def _steps(message: Message) -> list[Step]:
    steps: list[Step] = []
    content = message.get("content")
    if isinstance(content, str) and content:
        steps.append(content)
    elif content:
        steps.append(msgspec.json.encode(content).decode())
    if message.get("tool_calls"):
        steps.append(calls_of(message["tool_calls"]))
    return steps


def _call(call: Mapping[str, Any]) -> ToolCall:
    inner = call.get("function", call)
    try:
        return ToolCall(name=inner["name"], arguments=inner.get("arguments") or {})
    except (KeyError, TypeError) as error:
        raise InputError(f"expected a call with a name, got {str(call)[:80]}", field="tool_calls") from error


def _context_item(item: Any, number: int) -> ContextItem:
    if isinstance(item, Mapping):
        fields = cast("Mapping[str, Any]", item)
        if "content" in fields:
            request = fields.get("request")
            return ContextItem(id=str(fields.get("id", number)), request=request, content=fields["content"])
    return ContextItem(id=str(number), content=item)


def _objects(items: Iterable[Any], field: str) -> list[dict[str, Any]]:
    found = list(items)
    for item in found:
        if not isinstance(item, Mapping):
            raise InputError(f"expected a list of objects, got {str(item)[:80]!r} in it", field=field)
    return [dict(item) for item in found]
