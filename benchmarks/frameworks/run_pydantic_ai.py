"""Pydantic AI, traced by itself (GenAI conventions)."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from openai import AsyncOpenAI
from pydantic_ai import Agent
from pydantic_ai.models.instrumented import InstrumentationSettings
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.openai import OpenAIProvider
from scenarios import INSTRUCTIONS, MODEL, book, each_alone, get_weather
from scripted_server import scripted_server
from span_files import provider_to


def main(path: Path) -> None:
    """Write the spans of all conversations, and the messages of each beside them."""
    Agent.instrument_all(InstrumentationSettings(tracer_provider=provider_to(path)))
    with scripted_server() as address:
        client = AsyncOpenAI(base_url=f"{address}/v1", api_key="x", max_retries=0)
        model = OpenAIChatModel(MODEL, provider=OpenAIProvider(openai_client=client))
        agent = Agent(model, instructions=INSTRUCTIONS, name="shop", tools=[get_weather, book])

        def hold(name: str, texts: list[str]) -> None:
            messages: list[Any] = []
            for text in texts:
                result = agent.run_sync(text, message_history=messages)
                messages = result.all_messages()
                path.with_suffix(f".{name}.json").write_bytes(result.all_messages_json())

        each_alone(hold)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
