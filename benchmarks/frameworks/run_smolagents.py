"""smolagents' ToolCallingAgent, traced by OpenInference."""

from __future__ import annotations

import sys
from pathlib import Path

from openinference.instrumentation import using_session
from openinference.instrumentation.smolagents import SmolagentsInstrumentor
from scenarios import INSTRUCTIONS, MODEL, book, each_alone, get_weather
from scripted_server import scripted_server
from smolagents import OpenAIModel, ToolCallingAgent, tool
from span_files import provider_to


def main(path: Path) -> None:
    """Write the spans of all conversations."""
    SmolagentsInstrumentor().instrument(tracer_provider=provider_to(path))
    with scripted_server() as address:
        model = OpenAIModel(
            model_id=MODEL, api_base=f"{address}/v1", api_key="x", client_kwargs={"max_retries": 0}
        )

        def hold(name: str, texts: list[str]) -> None:
            agent = ToolCallingAgent(tools=[tool(get_weather), tool(book)], model=model, max_steps=4)
            agent.prompt_templates["system_prompt"] = INSTRUCTIONS
            for number, text in enumerate(texts):
                with using_session(name):
                    agent.run(text, reset=number == 0)

        each_alone(hold)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
