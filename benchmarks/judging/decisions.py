"""Processes that `decision_throughput.py` measures: a server, a bare loop, and the library.

They import as little as they can at the top: what is imported there is measured with each.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from fiducial.judges.prompt_judge import PromptJudge

MODEL = "jev-1.13.0"
_BODIES = "decisions.jsonl"
_P = 0.9


def main() -> None:
    """Run as one of the processes."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("process", choices=["server", "write", "loop", "library"])
    parser.add_argument("--items", type=int, default=0)
    parser.add_argument("--concurrency", type=int, default=64)
    parser.add_argument("--latency", type=float, default=0.0, help="the server's, in milliseconds")
    parser.add_argument("--url", default="")
    arguments = parser.parse_args()
    match arguments.process:
        case "server":
            asyncio.run(_serve(arguments.latency / 1000))
        case "write":
            _write(arguments.items)
        case "loop":
            asyncio.run(_post(arguments, Path(_BODIES).read_bytes().splitlines()))
        case _:
            asyncio.run(_judge(arguments))


class _Server(asyncio.Protocol):
    """HTTP/1.1 with keep-alive: every question of a request has one answer, after a delay."""

    def __init__(self, delay: float) -> None:
        self.delay, self.buffer = delay, b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport: Any = transport

    def data_received(self, data: bytes) -> None:
        self.buffer += data
        head, ended, body = self.buffer.partition(b"\r\n\r\n")
        if not ended:
            return
        length = int(head.lower().partition(b"content-length:")[2].split(b"\r\n", 1)[0])
        if len(body) >= length:
            self.buffer = body[length:]
            asyncio.get_running_loop().call_later(self.delay, self._answer, body[:length])

    def _answer(self, body: bytes) -> None:
        answers = {name: {"type": "noul", "noul": _P} for name in json.loads(body)["questions"]}
        usage = {"input_tokens": len(body) // 4, "output_tokens": len(answers)}
        reply = json.dumps({"model": MODEL, "answers": answers, "usage": usage}).encode()
        head = f"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {len(reply)}\r\n\r\n"
        self.transport.write(head.encode() + reply)


async def _serve(delay: float) -> None:
    """Answer until terminated."""
    server = await asyncio.get_running_loop().create_server(lambda: _Server(delay), "127.0.0.1", 0)
    print(json.dumps({"base_url": f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1"}), flush=True)
    await server.serve_forever()


def _load() -> PromptJudge:
    from fiducial.judges import load_judge  # noqa: PLC0415 - the bare loop needs none

    return load_judge("tool_call_accuracy", model=MODEL, api="systemone")


def _pairs(count: int) -> Any:
    sys.path.insert(0, str(Path(__file__).parent))
    from processes import pairs  # noqa: PLC0415 - the bare loop needs none

    return pairs(count)


def _write(count: int) -> None:
    """Write the requests that the judge makes, one in a line."""
    judging = _load()
    with Path(_BODIES).open("w", encoding="utf-8") as file:
        file.writelines(
            json.dumps({"model": MODEL, **judging.request(case, output)[1]}) + "\n"
            for case, output in _pairs(count)
        )


async def _post(arguments: argparse.Namespace, bodies: Sequence[bytes]) -> None:
    """Post requests that were written beforehand, over aiohttp, and parse the replies as JSON."""
    import aiohttp  # noqa: PLC0415 - only this process posts by itself

    waiting = iter(bodies)
    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0)) as session:

        async def worker() -> None:
            for body in waiting:
                headers = {"Content-Type": "application/json"}
                async with session.post(f"{arguments.url}/systemone", data=body, headers=headers) as response:
                    json.loads(await response.read())["answers"]["runnable"]["noul"]

        begun = time.perf_counter()
        await asyncio.gather(*[worker() for _ in range(arguments.concurrency)])
        print(time.perf_counter() - begun)


async def _judge(arguments: argparse.Namespace) -> None:
    """The whole of judging: material, questions, retries, limits, validation, verdicts."""
    import aiohttp  # noqa: F401, PLC0415 # pyright: ignore[reportUnusedImport] - else imported at the first request

    from fiducial.judges import Endpoint, connect, judge_work  # noqa: PLC0415 - only this process

    judging, graded = _load(), 0
    endpoint = Endpoint(arguments.url, "none", api="systemone")
    begun = time.perf_counter()
    async with connect(endpoint, concurrency=arguments.concurrency) as provider:
        work = ((case, output, 0) for case, output in _pairs(arguments.items))
        async for verdict in judge_work(work, judging, provider, concurrency=arguments.concurrency):
            graded += verdict.score == _P
    print(time.perf_counter() - begun)
    if graded != arguments.items:
        raise SystemExit(f"only {graded} of {arguments.items} were graded")


if __name__ == "__main__":
    main()
