"""LangChain's agent (LangGraph), traced by OpenInference."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from langchain.agents import create_agent
from langchain_openai import ChatOpenAI
from openinference.instrumentation.langchain import LangChainInstrumentor
from scenarios import INSTRUCTIONS, MODEL, book, each_alone, get_weather
from scripted_server import scripted_server
from span_files import provider_to


def main(path: Path) -> None:
    """Write the spans of all conversations."""
    LangChainInstrumentor().instrument(tracer_provider=provider_to(path))
    with scripted_server() as address:
        model = ChatOpenAI(model=MODEL, base_url=f"{address}/v1", api_key="x", max_retries=0)
        agent = create_agent(model, [get_weather, book], system_prompt=INSTRUCTIONS)

        def hold(name: str, texts: list[str]) -> None:
            messages: list[Any] = []
            for text in texts:
                asked = [*messages, {"role": "user", "content": text}]
                messages = agent.invoke({"messages": asked}, {"metadata": {"session_id": name}})["messages"]

        each_alone(hold)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
