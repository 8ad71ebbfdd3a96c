"""Messages of agent frameworks as messages of a chat.

Pydantic AI's requests and responses, LlamaIndex's blocks, ADK's events, smolagents' steps and AutoGen's events. Each form has a
function that recognises it and one that reads it; `_FORMS` pairs them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .json_values import is_list, is_object, is_text_in, parsed

_Message = dict[str, Any]


def framework_messages(value: Any) -> list[_Message] | None:
    """Return an item of a framework's conversation as messages of a chat, else None."""
    if not is_object(value):
        return None
    return next((read(value) for is_of, read in _FORMS if is_of(value)), None)


def _call(name: Any, arguments: Any, identity: Any) -> dict[str, Any]:
    return {
        "id": identity,
        "type": "function",
        "function": {"name": name, "arguments": {} if arguments is None else arguments},
    }


def _agent_message(text: str | None, calls: list[dict[str, Any]]) -> list[_Message]:
    message: _Message = {"role": "assistant", "content": text}
    return [message | ({"tool_calls": calls} if calls else {})] if text is not None or calls else []


def _result(identity: Any, content: Any, *, failed: bool = False) -> _Message:
    return {"role": "tool", "tool_call_id": identity, "content": content} | (
        {"is_error": True} if failed else {}
    )


def _objects(value: Any) -> list[dict[str, Any]]:
    return [item for item in value if is_object(item)] if is_list(value) else []


def _texts(parts: list[dict[str, Any]], name: str = "text") -> str | None:
    texts = [part[name] for part in parts if isinstance(part.get(name), str)]
    return "".join(texts) if texts else None


def _is_pydantic_ai(value: _Message) -> bool:
    return is_text_in(value.get("kind"), {"request", "response"}) and is_list(value.get("parts"))


def _of_pydantic_ai(value: _Message) -> list[_Message]:
    parts = _objects(value["parts"])
    if value["kind"] == "response":
        texts = [part for part in parts if part.get("part_kind") == "text"]
        calls = [
            _call(part.get("tool_name"), part.get("args"), part.get("tool_call_id"))
            for part in parts
            if part.get("part_kind") == "tool-call"
        ]
        return _agent_message(_texts(texts, "content"), calls)
    has_prompt = any(part.get("part_kind") == "user-prompt" for part in parts)
    instructions = value.get("instructions")
    # Later requests of a run repeat the instructions, without a prompt.
    messages: list[_Message] = (
        [{"role": "system", "content": instructions}] if instructions and has_prompt else []
    )
    for part in parts:
        kind, content = part.get("part_kind"), part.get("content")
        if kind == "system-prompt":
            messages.append({"role": "system", "content": content})
        elif kind == "user-prompt":
            messages.append({"role": "user", "content": _prompt(content)})
        elif kind == "tool-return":
            failed = part.get("outcome") is not None and part["outcome"] != "success"
            messages.append(_result(part.get("tool_call_id"), content, failed=failed))
        elif kind == "retry-prompt" and part.get("tool_name"):
            messages.append(_result(part.get("tool_call_id"), content, failed=True))
        elif kind == "retry-prompt":
            messages.append({"role": "user", "content": content})
    return messages


def _prompt(content: Any) -> Any:
    if not is_list(content):
        return content
    return [{"type": "text", "text": item} if isinstance(item, str) else item for item in content]


def _is_llama_index(value: _Message) -> bool:
    return "role" in value and is_list(value.get("blocks"))


def _of_llama_index(value: _Message) -> list[_Message]:
    blocks = _objects(value["blocks"])
    kwargs = value.get("additional_kwargs")
    extra: dict[str, Any] = kwargs if is_object(kwargs) else {}
    text = _texts(blocks)
    if value["role"] == "tool":
        return [_result(extra.get("tool_call_id"), text)]
    calls_in_blocks = [
        _call(block.get("tool_name"), block.get("tool_kwargs"), block.get("tool_call_id"))
        for block in blocks
        if block.get("block_type") == "tool_call"
    ]
    calls = calls_in_blocks or _objects(extra.get("tool_calls"))
    message: _Message = {"role": value["role"], "content": text}
    return [message | ({"tool_calls": calls} if calls else {})]


def _is_adk(value: _Message) -> bool:
    return "author" in value and ("content" in value or "actions" in value or "invocation_id" in value)


def _of_adk(value: _Message) -> list[_Message]:
    content = value.get("content")
    fields: dict[str, Any] = content if is_object(content) else {}
    parts = _objects(fields.get("parts"))
    if value.get("partial") is True:
        return []  # a chunk of a stream; the complete event follows
    calls, results = list[dict[str, Any]](), list[_Message]()
    for part in parts:
        call, response = part.get("function_call", part.get("functionCall")), part.get("function_response", part.get("functionResponse"))  # fmt: skip
        if is_object(call):
            calls.append(_call(call.get("name"), call.get("args"), call.get("id")))
        if is_object(response):
            results.append(_result(response.get("id"), response.get("response")))
    text = _texts([part for part in parts if not part.get("thought")])
    if fields.get("role") == "user" and not results:
        return [{"role": "user", "content": text}]
    return [*_agent_message(text, calls), *results]


def _is_smolagents(value: _Message) -> bool:
    return "step_number" in value and "observations" in value


def _is_task(value: _Message) -> bool:
    return value.keys() == {"task", "task_images"} or value.keys() == {"system_prompt"}


def _of_task(value: _Message) -> list[_Message]:
    if "task" in value:
        return [{"role": "user", "content": value["task"]}]
    return [{"role": "system", "content": value["system_prompt"]}]


def _of_smolagents(value: _Message) -> list[_Message]:
    message = value.get("model_output_message")
    output: dict[str, Any] = message if is_object(message) else {}
    calls = _objects(output.get("tool_calls")) or _objects(value.get("tool_calls"))
    functions = [call["function"] for call in calls if is_object(call.get("function"))]
    if len(functions) == 1 and functions[0].get("name") == "final_answer":
        arguments = parsed(functions[0].get("arguments"))
        answer = arguments.get("answer") if is_object(arguments) else arguments
        return [{"role": "assistant", "content": answer if isinstance(answer, str) else str(answer)}]
    messages = _agent_message(value.get("model_output"), calls)
    error = value.get("error")
    if is_object(error):
        return [
            *messages,
            *(_result(call.get("id"), error.get("message"), failed=True) for call in calls[:1]),
        ]
    lines = str(value.get("observations") or "").splitlines()
    # One line per call is expected; longer results cannot be told apart, so the first call gets all.
    if len(lines) != len(calls):
        lines = [str(value.get("observations") or "")]
    return [
        *messages,
        *(_result(call.get("id"), line) for call, line in zip(calls, lines, strict=False)),
    ]


_AUTOGEN_TYPES = frozenset({"TextMessage", "ToolCallRequestEvent", "ToolCallExecutionEvent", "ToolCallSummaryMessage", "StopMessage", "ThoughtEvent"})  # fmt: skip


def _is_autogen(value: _Message) -> bool:
    return is_text_in(value.get("type"), _AUTOGEN_TYPES) and "source" in value


def _of_autogen(value: _Message) -> list[_Message]:
    content, kind = value.get("content"), value["type"]
    if kind == "ToolCallRequestEvent":
        calls = [_call(call.get("name"), call.get("arguments"), call.get("id")) for call in _objects(content)]
        return _agent_message(None, calls)
    if kind == "ToolCallExecutionEvent":
        return [
            _result(result.get("call_id"), result.get("content"), failed=result.get("is_error") is True)
            for result in _objects(content)
        ]
    role = "user" if value["source"] == "user" else "assistant"
    return [{"role": role, "content": content}]


_FORMS: tuple[tuple[Callable[[_Message], bool], Callable[[_Message], list[_Message]]], ...] = (
    (_is_pydantic_ai, _of_pydantic_ai),
    (_is_llama_index, _of_llama_index),
    (_is_adk, _of_adk),
    (_is_smolagents, _of_smolagents),
    (_is_task, _of_task),
    (_is_autogen, _of_autogen),
)
"""Tests of forms, each with the function that reads the form."""
