"""Processes that `judge_throughput.py` measures beside the command, and a server for them.

The server is used where the reference data's is missing.

They import as little as they can at the top: what is imported there is measured with each.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
import time
from collections.abc import Iterator, Sequence
from http import HTTPStatus
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from fiducial.records import Case, Output

ROOT = Path(__file__).resolve().parent.parent.parent
MODEL = "judge-s2"
BODIES = "bodies.jsonl"
"""The file, in the folder where a process runs, whose lines the bare loop posts."""
TOOLS = [
    {
        "type": "function",
        "function": {
            "name": "book_hotel",
            "description": "Books a hotel room in a city, for a number of nights, at a price not above a limit. "
            * 4,
            "parameters": {
                "type": "dict",
                "properties": {"city": {"type": "string"}, "nights": {"type": "integer"}},
                "required": ["city", "nights"],
            },
        },
    }
]


def main() -> None:
    """Run as one of the processes."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("process", choices=["server", "loop", "bare", "library"])
    parser.add_argument("--items", type=int, default=0)
    parser.add_argument("--concurrency", type=int, default=64)
    parser.add_argument("--latency", type=float, default=0.0, help="the server's, in milliseconds")
    parser.add_argument("--url")
    parser.add_argument("--cache", type=Path)
    arguments = parser.parse_args()
    match arguments.process:
        case "server":
            serve(arguments.latency)
        case "loop":
            asyncio.run(post_bodies(arguments, Path(BODIES).read_bytes().splitlines()))
        case "bare":
            asyncio.run(ask_barely(arguments))
        case _:
            asyncio.run(judge(arguments))


def serve(latency: float) -> None:
    """Answer until terminated."""
    sys.path.insert(0, str(ROOT / "tests" / "support"))
    from provider_server import Answer, ProviderServer, Seen, Status  # noqa: PLC0415 - found only now

    def reply(seen: Seen) -> Answer | Status:
        return Answer("<S2>1</S2>", delay=latency / 1000) if seen.raw else Status(HTTPStatus.NOT_FOUND)

    with ProviderServer(reply) as server:
        print(json.dumps({"base_url": server.base_url}), flush=True)
        while True:
            time.sleep(60)


async def post_bodies(arguments: argparse.Namespace, bodies: Sequence[bytes]) -> None:
    """Post requests that were written beforehand, over aiohttp, and parse the replies as JSON."""
    import aiohttp  # noqa: PLC0415 - only this process posts by itself

    waiting = iter(bodies)
    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0)) as session:

        async def worker() -> None:
            for body in waiting:
                async with session.post(
                    f"{arguments.url}/chat/completions",
                    data=body,
                    headers={"Content-Type": "application/json"},
                ) as response:
                    json.loads(await response.read())["choices"][0]["message"]["content"]

        await asyncio.gather(*[worker() for _ in range(arguments.concurrency)])


async def ask_barely(arguments: argparse.Namespace) -> None:
    """Send the same requests with the openai client and nothing else."""
    await post_all(arguments.url, request_bodies(arguments.items), arguments.concurrency)


def request_bodies(count: int) -> Iterator[dict[str, Any]]:
    """Render the requests that a judge makes about the items."""
    from fiducial.judges import load_judge  # noqa: PLC0415 - some processes need none

    judging = load_judge("tool_call_accuracy", model=MODEL)
    for case, output in pairs(count):
        yield {"model": MODEL, "messages": judging.messages(case, output), **judging.parameters}


async def post_all(url: str, bodies: Iterator[dict[str, Any]], concurrency: int) -> None:
    """Ask with the openai client, at a given concurrency, without parsing replies."""
    import openai  # noqa: PLC0415 - only who asks barely needs it

    client = openai.AsyncOpenAI(
        base_url=url, api_key="none", max_retries=0, http_client=openai.DefaultAioHttpClient()
    )

    async def worker() -> None:
        for body in bodies:
            await client.post("/chat/completions", body=body, cast_to=object)

    await asyncio.gather(*[worker() for _ in range(concurrency)])
    await client.close()


async def judge(arguments: argparse.Namespace) -> None:
    """The whole of judging: prompt, retries, limits, cache, parsing, verdicts."""
    from fiducial.judges import Endpoint, connect, judge_work, load_judge  # noqa: PLC0415 - only this process

    judging = load_judge("tool_call_accuracy", model=MODEL)
    graded = 0
    endpoint = Endpoint(arguments.url, "none")
    async with connect(endpoint, concurrency=arguments.concurrency, cache=arguments.cache) as provider:
        work = ((case, output, 0) for case, output in pairs(arguments.items))
        async for verdict in judge_work(work, judging, provider, concurrency=arguments.concurrency):
            graded += verdict.graded
    if graded != arguments.items:
        raise SystemExit(f"only {graded} of {arguments.items} were graded")


def write_items(count: int, folder: Path) -> None:
    """The items as the files that the command reads."""
    from fiducial.records import write_records  # noqa: PLC0415 - some processes need none

    write_records(folder / "cases.jsonl", (case for case, _ in pairs(count)))
    write_records(folder / "outputs.jsonl", (output for _, output in pairs(count)))


def write_bodies(count: int, folder: Path) -> None:
    """Write the requests that a judge makes about the items, one in a line."""
    with (folder / BODIES).open("w", encoding="utf-8") as file:
        file.writelines(json.dumps(body) + "\n" for body in request_bodies(count))


def pairs(count: int) -> Iterator[tuple[Case, Output]]:
    """Different items of about a kilobyte."""
    from fiducial.records import Case, Output, ToolCall  # noqa: PLC0415 - the comparing process needs none

    for number in range(count):
        query = f"[[id={number}]] Please book me {number} nights in Rome, somewhere quiet, near the river."
        case = Case(
            id=str(number), kind="any_call", messages=[{"role": "user", "content": query}], tools=TOOLS
        )
        call = ToolCall(name="book_hotel", arguments={"city": "Rome", "nights": number})
        yield case, Output(case_id=case.id, system="agent", tool_calls=[call])


if __name__ == "__main__":
    main()
