"""Strands, traced by itself (GenAI conventions, messages in events)."""

from __future__ import annotations

import sys
from pathlib import Path

from scenarios import INSTRUCTIONS, MODEL, book, each_alone, get_weather
from scripted_server import scripted_server
from span_files import provider_to
from strands import Agent, tool
from strands.models.openai import OpenAIModel


def main(path: Path) -> None:
    """Write the spans of all conversations."""
    provider_to(path)
    with scripted_server() as address:
        client = {"base_url": f"{address}/v1", "api_key": "x", "max_retries": 0}

        def hold(name: str, texts: list[str]) -> None:
            model = OpenAIModel(client_args=client, model_id=MODEL)
            agent = Agent(
                model=model,
                tools=[tool(get_weather), tool(book)],
                system_prompt=INSTRUCTIONS,
                callback_handler=None,
                trace_attributes={"session.id": name},
            )
            for text in texts:
                agent(text)

        each_alone(hold)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
