"""Google's ADK, traced by itself, or with a second argument by OpenInference."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from pathlib import Path
from typing import Any

os.environ |= {
    "OTEL_SEMCONV_STABILITY_OPT_IN": "gen_ai_latest_experimental",
    "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT": "SPAN_ONLY",
}

from google.adk.agents import LlmAgent
from google.adk.models.lite_llm import LiteLlm
from google.adk.runners import InMemoryRunner
from google.genai.types import Content, Part
from scenarios import INSTRUCTIONS, MODEL, book, each_alone, get_weather
from scripted_server import scripted_server
from span_files import provider_to


def main(path: Path, by: str) -> None:
    """Write the spans of all conversations, and the events of each beside them."""
    provider = provider_to(path)
    if by:
        from openinference.instrumentation.google_adk import GoogleADKInstrumentor  # noqa: PLC0415

        GoogleADKInstrumentor().instrument(tracer_provider=provider)
    with scripted_server() as address:
        model = LiteLlm(f"openai/{MODEL}", api_base=f"{address}/v1", api_key="x", num_retries=0)
        agent = LlmAgent(name="shop", model=model, instruction=INSTRUCTIONS, tools=[get_weather, book])

        def hold(name: str, texts: list[str]) -> None:
            events: list[Any] = []

            async def talk() -> None:
                runner = InMemoryRunner(agent, app_name="shop")
                await runner.session_service.create_session(app_name="shop", user_id="u", session_id=name)
                for text in texts:
                    said = Content(role="user", parts=[Part(text=text)])
                    async for event in runner.run_async(user_id="u", session_id=name, new_message=said):
                        events.append(event.model_dump(mode="json", exclude_none=True))  # noqa: PERF401 - kept if it fails

            try:
                asyncio.run(talk())
            finally:
                if not by:
                    path.with_suffix(f".{name}.json").write_text(json.dumps(events, ensure_ascii=False))

        each_alone(hold)


if __name__ == "__main__":
    main(Path(sys.argv[1]), *(sys.argv[2:] or [""]))
