"""Chats about a case: with native tools of the API, or with instructions in the prompt."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, Literal, Protocol, TypeAlias

from ...formats.bfcl.prompting import assemble_prompt, documents_text, for_inference
from ...judges.transport.exchange import Reply
from ...records import Case, Message, ToolCall, kind_spec
from .attempt import StepTaken
from .tool_schemas import ToolNames, tool_schema

ToolMode: TypeAlias = Literal["tools", "prompt"]
"""How tools are offered: by the API, or by instructions in the prompt, with calls in the text."""

_RESULTS_HEADING = "The results of your calls, in their order:"

_PASSAGES_HEADING = "What a search has found:"


class Chat(Protocol):
    """One conversation with a model, in the form that is sent to the endpoint."""

    messages: list[Message]

    @property
    def parameters(self) -> dict[str, Any]:
        """Request parameters that depend on the conversation: the tools on offer."""
        ...

    def begin_turn(self, turn: int, messages: Sequence[Message]) -> None:
        """Begin a turn with the user's messages and the tools that the case adds in it."""
        ...

    def read(self, reply: Reply) -> StepTaken:
        """Add the model's reply, and return it as its next step."""
        ...

    def add_results(self, results: Sequence[str]) -> None:
        """Add the results of the last step's calls."""
        ...


class NativeChat:
    """Chat with native tools, which are offered by the API's ``tools``; see `tool_schema`."""

    def __init__(self, case: Case, *, any_type: str | None = None) -> None:
        self.messages: list[Message] = []
        self._case = case
        self._any_type = any_type
        self._withheld = withheld_documents(case)
        self._offered = [tool["function"] for tool in case.tools]
        # Tools that are added later get their names now, so that no name changes during the chat.
        withheld = [document for added in self._withheld.values() for document in added]
        self._names = ToolNames(document["name"] for document in (*self._offered, *withheld))
        self._call_ids: list[str] = []
        self._tools = self._tool_schemas()

    @property
    def parameters(self) -> dict[str, Any]:
        """See `Chat.parameters`."""
        return {"tools": self._tools} if self._tools else {}

    def begin_turn(self, turn: int, messages: Sequence[Message]) -> None:
        """Begin a turn; see `Chat.begin_turn`."""
        if turn in self._withheld:
            self._offered += self._withheld.pop(turn)
            self._tools = self._tool_schemas()
        self.messages += with_passages(self._case, messages) if turn == 0 else messages

    def read(self, reply: Reply) -> StepTaken:
        """Parse a reply into a step; see `Chat.read`."""
        text = reply.text or reply.refusal or ""
        tool_calls = reply.tool_calls or []
        if not tool_calls:
            self.messages.append({"role": "assistant", "content": text})
            return StepTaken([], text, text or [], reply.reasoning)
        number = len(self.messages)
        self._call_ids = [call.id or f"call_{number}_{index}" for index, call in enumerate(tool_calls)]
        self.messages.append(
            {
                "role": "assistant",
                "content": text or None,
                "tool_calls": [
                    {
                        "id": call_id,
                        "type": "function",
                        "function": {"name": call.name, "arguments": _arguments_text(call.arguments)},
                    }
                    for call_id, call in zip(self._call_ids, tool_calls, strict=True)
                ],
            }
        )
        calls = [
            ToolCall(name=self._names.original(call.name), arguments=call.arguments) for call in tool_calls
        ]
        raw = [{self._as_bfcl(call.name): _arguments_text(call.arguments)} for call in tool_calls]
        return StepTaken(calls, text, raw, reply.reasoning)

    def add_results(self, results: Sequence[str]) -> None:
        """Add the results of calls; see `Chat.add_results`."""
        self.messages += [
            {"role": "tool", "tool_call_id": call_id, "content": result}
            for call_id, result in zip(self._call_ids, results, strict=True)
        ]

    def _as_bfcl(self, name: str) -> str:
        """Return a name in the form of BFCL's result files: with underscores, but not shortened."""
        original = self._names.original(name)
        return name if original == name else original.replace(".", "_")

    def _tool_schemas(self) -> list[dict[str, Any]]:
        return [
            tool_schema(
                for_inference(document, self._case),
                self._names.sent(document["name"]),
                any_type=self._any_type,
            )
            for document in self._offered
        ]


class PromptChat:
    """Chat with tools described in the system message, in BFCL's words, and calls in the reply."""

    def __init__(self, case: Case) -> None:
        self.messages: list[Message] = []
        self._case = case
        self._withheld = withheld_documents(case)

    @property
    def parameters(self) -> dict[str, Any]:
        """See `Chat.parameters`."""
        return {}

    def begin_turn(self, turn: int, messages: Sequence[Message]) -> None:
        """Begin a turn; see `Chat.begin_turn`."""
        if turn == 0:
            has_instructions = self._case.tools or kind_spec(self._case.kind).about_calls
            opening = assemble_prompt(self._case) if has_instructions else list(messages)
            self.messages += with_passages(self._case, opening)
            return
        added_documents = self._withheld.pop(turn, None)
        new_messages = [dict(message) for message in messages]
        if added_documents and new_messages:
            last = new_messages[-1]
            last["content"] = f"{documents_text(added_documents, self._case)}\n{last.get('content', '')}"
        self.messages += new_messages

    def read(self, reply: Reply) -> StepTaken:
        """Parse a reply into a step; see `Chat.read`."""
        text = reply.text or reply.refusal or ""
        self.messages.append({"role": "assistant", "content": text})
        return StepTaken(None, text, text, reply.reasoning)

    def add_results(self, results: Sequence[str]) -> None:
        """Add the results of calls; see `Chat.add_results`."""
        content = f"{_RESULTS_HEADING}\n{json.dumps(list(results), ensure_ascii=False)}"
        self.messages.append({"role": "user", "content": content})


def withheld_documents(case: Case) -> dict[int, list[dict[str, Any]]]:
    """Return the functions that a case adds later, by the turn in which it adds them."""
    if kind_spec(case.kind).family != "conversation":
        return {}
    names_by_turn: dict[str, list[str]] = case.reference.get("withheld", {})
    tools: list[dict[str, Any]] = case.reference.get("withheld_tools", [])
    documents = {tool["function"]["name"]: tool["function"] for tool in tools}
    return {
        int(turn): [documents[name] for name in names if name in documents]
        for turn, names in names_by_turn.items()
    }


def with_passages(case: Case, messages: Sequence[Message]) -> list[Message]:
    """Insert a case's passages before the last message of the first turn."""
    if not case.context or not messages:
        return list(messages)
    passages = [{"id": item.id, "content": item.content} for item in case.context]
    passages_message: Message = {
        "role": "user",
        "content": f"{_PASSAGES_HEADING}\n{json.dumps(passages, ensure_ascii=False)}",
    }
    return [*messages[:-1], passages_message, messages[-1]]


def _arguments_text(arguments: dict[str, Any] | str) -> str:
    return arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False)
