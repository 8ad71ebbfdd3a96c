"""A small agent with OpenAI's client, traced by OpenLLMetry: spans of models alone."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from chat_loop import FUNCTIONS, answer
from openai import OpenAI
from opentelemetry.instrumentation.openai import OpenAIInstrumentor
from scenarios import each_alone
from scripted_server import scripted_server
from span_files import provider_to


def main(path: Path) -> None:
    """Write the spans of all conversations."""
    tracer = provider_to(path).get_tracer("app")
    OpenAIInstrumentor().instrument()
    with scripted_server() as address:
        client = OpenAI(base_url=f"{address}/v1", api_key="x", max_retries=0)

        def hold(name: str, texts: list[str]) -> None:
            messages: list[Any] = []
            for text in texts:
                messages.append({"role": "user", "content": text})
                with tracer.start_as_current_span("agent", attributes={"session.id": name}):
                    answer(client, messages, FUNCTIONS)

        each_alone(hold)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
