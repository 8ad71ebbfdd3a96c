"""OpenAI's agents SDK, traced by OpenInference."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from agents import Agent, OpenAIResponsesModel, Runner, function_tool
from openai import AsyncOpenAI
from openinference.instrumentation import using_session
from openinference.instrumentation.openai_agents import OpenAIAgentsInstrumentor
from scenarios import INSTRUCTIONS, MODEL, book, each_alone, get_weather
from scripted_server import scripted_server
from span_files import provider_to


def main(path: Path) -> None:
    """Write the spans of all conversations, and the messages of each beside them."""
    OpenAIAgentsInstrumentor().instrument(tracer_provider=provider_to(path))
    with scripted_server() as address:
        client = AsyncOpenAI(base_url=f"{address}/v1", api_key="x", max_retries=0)
        agent = Agent(
            name="shop",
            instructions=INSTRUCTIONS,
            tools=[function_tool(get_weather), function_tool(book)],
            model=OpenAIResponsesModel(MODEL, client),
        )

        def hold(name: str, texts: list[str]) -> None:
            items: list[Any] = []
            for text in texts:
                with using_session(name):
                    result = Runner.run_sync(agent, [*items, {"role": "user", "content": text}])
                items = result.to_input_list()
                path.with_suffix(f".{name}.json").write_text(json.dumps(items, ensure_ascii=False))

        each_alone(hold)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
