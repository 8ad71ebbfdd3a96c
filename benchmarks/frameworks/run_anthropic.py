"""Anthropic's client in a loop of our own, traced by OpenInference (blocks of `tool_use`)."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from anthropic import Anthropic
from openinference.instrumentation import using_session
from openinference.instrumentation.anthropic import AnthropicInstrumentor
from scenarios import INSTRUCTIONS, MODEL, book, each_alone, get_weather
from scripted_server import scripted_server
from span_files import provider_to

_TOOLS: list[Any] = [
    {"name": "get_weather", "description": "Return the weather of a city.", "input_schema": {"type": "object", "properties": {"city": {"type": "string"}, "days": {"type": "integer"}}, "required": ["city"]}},
    {"name": "book", "description": "Book a hotel.", "input_schema": {"type": "object", "properties": {"city": {"type": "string"}, "nights": {"type": "integer"}, "guest": {"type": "string"}}, "required": ["city", "nights", "guest"]}},
]  # fmt: skip
_FUNCTIONS: dict[str, Any] = {"get_weather": get_weather, "book": book}


def result_of(block: Any) -> dict[str, Any]:
    """Run a tool, and return its result as a block."""
    try:
        content, is_error = _FUNCTIONS[block.name](**block.input), False
    except ValueError as error:
        content, is_error = str(error), True
    return {"type": "tool_result", "tool_use_id": block.id, "content": content, "is_error": is_error}


def main(path: Path) -> None:
    """Write the spans of all conversations."""
    tracer = provider_to(path)
    AnthropicInstrumentor().instrument(tracer_provider=tracer)
    with scripted_server() as address:
        client = Anthropic(base_url=address, api_key="x", max_retries=0)

        def hold(name: str, texts: list[str]) -> None:
            messages: list[Any] = []
            for text in texts:
                messages.append({"role": "user", "content": text})
                with using_session(name), tracer.get_tracer("app").start_as_current_span("agent"):
                    while messages[-1]["role"] == "user":
                        reply = client.messages.create(
                            model=MODEL, max_tokens=99, system=INSTRUCTIONS, messages=messages, tools=_TOOLS
                        )
                        messages.append({"role": "assistant", "content": [each.model_dump() for each in reply.content]})  # fmt: skip
                        calls = [each for each in reply.content if each.type == "tool_use"]
                        if calls:
                            messages.append({"role": "user", "content": [*map(result_of, calls)]})

        each_alone(hold)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
