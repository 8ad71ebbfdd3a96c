"""LlamaIndex' FunctionAgent, traced by OpenInference."""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path

from llama_index.core.agent.workflow import FunctionAgent
from llama_index.core.memory import ChatMemoryBuffer
from llama_index.llms.openai_like import OpenAILike
from openinference.instrumentation import using_session
from openinference.instrumentation.llama_index import LlamaIndexInstrumentor
from scenarios import INSTRUCTIONS, MODEL, book, each_alone, get_weather
from scripted_server import scripted_server
from span_files import provider_to


def main(path: Path) -> None:
    """Write the spans of all conversations, and the memory of each beside them."""
    LlamaIndexInstrumentor().instrument(tracer_provider=provider_to(path))
    with scripted_server() as address:
        model = OpenAILike(
            model=MODEL,
            api_base=f"{address}/v1",
            api_key="x",
            is_chat_model=True,
            is_function_calling_model=True,
            max_retries=0,
        )

        def hold(name: str, texts: list[str]) -> None:
            agent = FunctionAgent(tools=[get_weather, book], llm=model, system_prompt=INSTRUCTIONS)
            memory = ChatMemoryBuffer.from_defaults(token_limit=9000)

            async def say(text: str) -> None:
                await agent.run(text, memory=memory)

            for text in texts:
                with using_session(name):
                    asyncio.run(say(text))
            messages = [each.model_dump(mode="json") for each in memory.get_all()]
            path.with_suffix(f".{name}.json").write_text(json.dumps(messages, ensure_ascii=False))

        each_alone(hold)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
