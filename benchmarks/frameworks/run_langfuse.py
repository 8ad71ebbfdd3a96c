"""A small agent, traced by Langfuse's SDK: its observations as spans."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from chat_loop import FUNCTIONS, answer
from langfuse import Langfuse, observe, propagate_attributes
from langfuse.openai import OpenAI
from scenarios import each_alone
from scripted_server import scripted_server
from span_files import SpanFile, provider_to


def main(path: Path) -> None:
    """Write the spans of all conversations."""
    Langfuse(
        public_key="pk-lf-x",
        secret_key="sk-lf-x",  # noqa: S106 - nothing is sent
        base_url="http://127.0.0.1:9",
        tracer_provider=provider_to(path),
        span_exporter=SpanFile(path),
    )
    functions = {name: observe(each, as_type="tool") for name, each in FUNCTIONS.items()}
    with scripted_server() as address:
        client = OpenAI(base_url=f"{address}/v1", api_key="x", max_retries=0)

        def hold(name: str, texts: list[str]) -> None:
            messages: list[Any] = []

            @observe(as_type="agent", name="shop")
            def shop(question: str) -> str:
                messages.append({"role": "user", "content": question})
                return answer(client, messages, functions)

            for text in texts:
                with propagate_attributes(session_id=name):
                    shop(text)

        each_alone(hold)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
