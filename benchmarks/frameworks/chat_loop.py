"""A small agent of our own: OpenAI's client in a loop, for instrumentations of the client."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from scenarios import INSTRUCTIONS, MODEL, book, get_weather

TOOLS: list[Any] = [
    {"type": "function", "function": {"name": "get_weather", "description": "Return the weather of a city.", "parameters": {"type": "object", "properties": {"city": {"type": "string"}, "days": {"type": "integer"}}, "required": ["city"]}}},
    {"type": "function", "function": {"name": "book", "description": "Book a hotel.", "parameters": {"type": "object", "properties": {"city": {"type": "string"}, "nights": {"type": "integer"}, "guest": {"type": "string"}}, "required": ["city", "nights", "guest"]}}},
]  # fmt: skip

FUNCTIONS: dict[str, Callable[..., str]] = {"get_weather": get_weather, "book": book}


def answer(client: Any, messages: list[Any], functions: dict[str, Callable[..., str]]) -> str:
    """Answer the last message, with calls of tools between, and add all messages."""
    if not messages or messages[0]["role"] != "system":
        messages.insert(0, {"role": "system", "content": INSTRUCTIONS})
    while True:
        reply = client.chat.completions.create(model=MODEL, messages=messages, tools=TOOLS)
        message = reply.choices[0].message
        messages.append(message.model_dump(exclude_none=True))
        if not message.tool_calls:
            return message.content or ""
        for call in message.tool_calls:
            try:
                result = functions[call.function.name](**json.loads(call.function.arguments))
            except ValueError as error:
                result = f"Error: {error}"
            messages.append({"role": "tool", "tool_call_id": call.id, "content": result})
