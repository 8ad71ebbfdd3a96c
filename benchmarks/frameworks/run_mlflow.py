"""MLflow's autologging of LangChain's agent: its traces as JSON."""

from __future__ import annotations

import json
import os
import sys
import tempfile
from pathlib import Path
from typing import Any

os.environ |= {"MLFLOW_ALLOW_FILE_STORE": "true", "MLFLOW_ENABLE_ASYNC_TRACE_LOGGING": "false"}

import mlflow
from langchain.agents import create_agent
from langchain_openai import ChatOpenAI
from scenarios import INSTRUCTIONS, MODEL, book, each_alone, get_weather
from scripted_server import scripted_server


def main(path: Path) -> None:
    """Write the traces of all conversations."""
    mlflow.set_tracking_uri(f"file://{tempfile.mkdtemp()}")
    mlflow.set_experiment("shop")
    mlflow.langchain.autolog()
    path.write_text("", "utf-8")

    def hold(name: str, texts: list[str]) -> None:
        del name  # MLflow records no session by itself
        messages: list[Any] = []
        try:
            for text in texts:
                messages = agent.invoke({"messages": [*messages, {"role": "user", "content": text}]})[
                    "messages"
                ]
        finally:
            for trace in reversed(mlflow.search_traces(return_type="list", flush=True)[: len(texts)]):
                line = json.loads(trace.to_json())
                for field in (
                    "tags",
                    "trace_metadata",
                    "trace_location",
                ):  # these name the machine and its user
                    line["info"].pop(field, None)
                with path.open("a", encoding="utf-8") as file:
                    file.write(json.dumps(line, ensure_ascii=False) + "\n")

    with scripted_server() as address:
        model = ChatOpenAI(model=MODEL, base_url=f"{address}/v1", api_key="x", max_retries=0)
        agent = create_agent(model, [get_weather, book], system_prompt=INSTRUCTIONS)
        each_alone(hold)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
