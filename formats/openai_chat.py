"""OpenAI's chats: logs, stored completions, batches, responses, and rows of the hosted Evals product.

A line is a chat ``{"id", "model", "messages", "tools", "response": {"choices"}}``, of which ``messages`` is all that is needed; or a completion
with ``messages`` beside its ``choices``; or a response with ``input`` and ``output``; each may stand in ``body``. What was asked ends with the
last message that is not the agent's. Evals' rows are in `openai_evals`.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ..errors import RecordError
from ..records import Message, TagValue
from .calls import Answer, answer_of, are_messages, said_by_user
from .example import Example, records_of
from .found import Found, Options
from .json_values import is_list, is_object, tags_of
from .node import Node
from .openai_evals import evals_example, is_evals_row
from .rows import Row, each, read_rows

NAME = "openai"
ABOUT = "chat logs, stored completions, batch files and responses (JSON Lines or JSON), and the export and data of the hosted Evals product"
LOST = "usage, log-probabilities, decoding parameters; images and other content that is no text stay in the question alone"

_AGENT = frozenset({"assistant", "tool", "function"})


def recognises(glimpse: Any) -> bool:
    """Whether the first value of a file is a chat, a completion, or a row of Evals."""
    if is_list(glimpse):
        return bool(glimpse) and all(is_object(each) and "role" in each for each in glimpse)
    if not is_object(glimpse):
        return False
    body = glimpse.get("body", glimpse)
    chat = is_object(body) and isinstance(body.get("messages"), list)
    named = glimpse.get("object") in {"chat.completion", "response", "eval.run.output_item", "list"}
    return chat or named or is_evals_row(glimpse)


def read(path: Path, options: Options) -> Iterator[Found]:
    """Read chats, a line each; see `Format`."""
    yield from each(read_rows(path, _page, is_row=recognises), lambda row: _records(row, options))


def _page(document: Node) -> list[tuple[str, Any]] | None:
    """The rows of an answer of the API that lists them."""
    return document.items("data") if "data" in document and "messages" not in document else None


def _records(row: Row, options: Options) -> Iterator[Found]:
    if is_list(row.value):
        yield from _chat(Node({"messages": row.value}, row.at), Node({}), row, options)
        return
    line = row.node
    if is_evals_row(line.value):
        yield from records_of(evals_example(row), row.place, options)
        return
    request = (
        line.node(line.first("body", "request") or "")
        if "messages" not in line and "input" not in line
        else line
    )
    response = line.node("response")
    if "body" in response:  # of a batch
        response = response.node("body")
    if not response.value and "choices" in line:
        response = line
    if response.get("output") is not None or line.get("object") == "response":
        request, response = _as_chat(line if line.get("object") == "response" else request, response)
    yield from _chat(request, response, row, options)


def _chat(request: Node, response: Node, row: Row, options: Options) -> Iterator[Found]:
    if not is_list(request.value.get("messages")):
        raise request.refuse("messages", "a list of messages")
    line = row.node if is_object(row.value) else request
    model = request.text("model") or response.text("model")
    choices = [choice.node("message") for choice in response.nodes("choices")]
    asked, answers = _split(request, choices)
    tools = [tool.value for tool in request.nodes("tools", "functions")]
    tags: dict[str, TagValue] = {"source": "openai", "offers_tools": bool(tools)}
    if model is not None and not any(answers):
        tags["model"] = model  # else it is the answer's system: two models may answer one case
    tags |= tags_of(line.held("metadata"))
    case_id = line.name("custom_id", "id") or ""
    for trial, answer in enumerate(answers):
        example = Example(
            id=case_id,
            prefix="chat",
            number=row.number,
            asked=asked,
            tools=tools,
            tags=tags,
            answer=answer,
            system=model,
            trial=trial,
        )
        yield from records_of(example, row.place, options)


def _split(request: Node, choices: list[Node]) -> tuple[list[Message], list[Answer | None]]:
    """What was asked, and each answer to it."""
    messages = request.value["messages"]
    end = len(messages)
    while end and is_object(messages[end - 1]) and messages[end - 1].get("role") in _AGENT:
        end -= 1
    # A chat that was answered goes on where its last calls have returned; else its last text is something that was said before.
    goes_on = end < len(messages) and (not choices or messages[-1]["role"] != "assistant")
    done = [Node(each, f"messages[{end + at}]") for at, each in enumerate(messages[end:])] if goes_on else []
    if choices:
        return messages[:end] if goes_on else messages, [answer_of([*done, choice]) for choice in choices]
    if not done:
        return messages, [None]
    last = done[-1].value
    if len(done) == 1 and isinstance(last.get("content"), str) and last.keys() <= _PLAIN:
        return messages[:end], [Answer(last["content"])]
    return messages[:end], [answer_of(done)]


_PLAIN = frozenset({"role", "content", "name", "refusal", "annotations"})


def _as_chat(request: Node, response: Node) -> tuple[Node, Node]:
    """A response in the form of a chat: its items as messages."""
    given = request.get("input")
    asked = [said_by_user(given)] if isinstance(given, str) else list(map(_item, request.nodes("input")))
    instructions = request.text("instructions")
    if instructions is not None:
        asked.insert(0, {"role": "system", "content": instructions})
    done = map(_item, (response if "output" in response else request).nodes("output"))
    chat = {
        name: value for name, value in request.value.items() if name in {"model", "tools", "id", "metadata"}
    }
    return Node({**chat, "messages": [*asked, *done]}, request.at), Node({})


def reply_messages(given: dict[str, Any]) -> list[Node] | None:
    """Return the messages of an answer: a conversation, one message, a chat completion or a response; None where it is none of these."""
    if are_messages(given.get("messages")):
        return Node(given).nodes("messages")
    if given.get("choices"):
        return [choice.node("message") for choice in Node(given).nodes("choices")[:1]]
    output: Any = given.get("output")
    if given.get("object") == "response" or (
        is_list(output) and output and all(is_object(each) for each in output)
    ):
        items = [item for item in Node(given).nodes("output") if item.get("type") != "reasoning"]
        return [Node(_item(item), item.at) for item in items]
    return [Node(given)] if given.get("role") == "assistant" else None


def _item(item: Node) -> Message:
    kind = item.text("type") or "message"
    if kind == "function_call":
        return {"role": "assistant", "content": None, "tool_calls": [item.value]}
    if kind == "function_call_output":
        return {"role": "tool", "tool_call_id": item.name("call_id"), "content": item.get("output")}
    if kind == "message":
        return item.value
    raise RecordError(f"an item of type {kind!r} has no place in a chat", field=item.at)
