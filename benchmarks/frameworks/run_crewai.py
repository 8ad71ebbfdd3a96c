"""CrewAI, traced by OpenInference; the outputs of its crews beside the traces."""

from __future__ import annotations

import os
import sys
from pathlib import Path

os.environ |= {
    "CREWAI_DISABLE_TELEMETRY": "true",
    "CREWAI_TRACING_ENABLED": "false",
    "OTEL_SDK_DISABLED": "false",
}

from crewai import LLM, Agent, Crew, Task
from crewai.tools import tool
from openinference.instrumentation import using_session
from openinference.instrumentation.crewai import CrewAIInstrumentor
from scenarios import INSTRUCTIONS, MODEL, book, each_alone, get_weather
from scripted_server import scripted_server
from span_files import provider_to


def main(path: Path) -> None:
    """Write the spans of all conversations."""
    provider = provider_to(path)
    CrewAIInstrumentor().instrument(tracer_provider=provider, create_llm_spans=True)
    with scripted_server() as address:
        model = LLM(model=f"openai/{MODEL}", base_url=f"{address}/v1", api_key="x", max_retries=0)

        def hold(name: str, texts: list[str]) -> None:
            tools = [tool("get_weather")(get_weather), tool("book")(book)]
            for text in texts:
                agent = Agent(
                    role="shop",
                    goal="Help.",
                    backstory=INSTRUCTIONS,
                    tools=tools,
                    llm=model,
                    max_retry_limit=0,
                )
                task = Task(description=text, expected_output="A short sentence.", agent=agent)
                with using_session(name):
                    result = Crew(agents=[agent], tasks=[task]).kickoff()
                path.with_suffix(f".{name}.json").write_text(result.model_dump_json())

        each_alone(hold)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
