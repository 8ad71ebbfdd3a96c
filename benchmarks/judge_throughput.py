"""Judging over HTTP, beside a bare loop over the openai client, at the same server, in the same minute.

    python benchmarks/judge_throughput.py [--items 2000] [--concurrency 64] [--latency 50 200] [--runs 3]

Each run is a process of its own, start-up included, on one core; the server has another. "ideal" is items x latency /
concurrency. The server is FIDUCIAL_REFERENCE/perf/fake_openai.py where there is one, else the tests' own.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from fiducial.records import Case, Output

ROOT = Path(__file__).resolve().parent.parent
MODEL = "judge-s2"
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
    """Run what the command line asks for: the comparison, or one of its processes."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--items", type=int, default=2000)
    parser.add_argument("--concurrency", type=int, default=64)
    parser.add_argument("--latency", type=float, nargs="+", default=[50, 200], help="milliseconds")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--process", choices=["server", "bare", "fiducial"], help=argparse.SUPPRESS)
    parser.add_argument("--url", help=argparse.SUPPRESS)
    parser.add_argument("--cache", type=Path, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    match arguments.process:
        case "server":
            serve(arguments.latency[0])
        case "bare":
            asyncio.run(ask_barely(arguments))
        case "fiducial":
            asyncio.run(judge(arguments))
        case _:
            compare(arguments)


def compare(arguments: argparse.Namespace) -> None:
    """Print the table."""
    print(f"{arguments.items:,} items, concurrency {arguments.concurrency}, medians of {arguments.runs} runs")
    print(
        f"{'latency':>8} {'':22} {'wall s':>7} {'/ ideal':>8} {'/ bare':>7} {'CPU ms/item':>12} {'RSS MB':>7}"
    )
    for latency in arguments.latency:
        ideal = arguments.items * latency / 1000 / arguments.concurrency
        with running_server(latency) as url, tempfile.TemporaryDirectory() as folder:
            bare = 0.0
            for name, process, cache in (
                ("bare openai client", "bare", False),
                ("fiducial", "fiducial", False),
                ("fiducial, filling cache", "fiducial", True),
                ("fiducial, from cache", "fiducial", True),
            ):
                # The two cached rows share a file: the first run of the first fills it, and it alone.
                runs = 1 if name.endswith("filling cache") else arguments.runs
                options = ["--cache", str(Path(folder) / "c.sqlite")] if cache else []
                measured = [measure(arguments, process, url, options) for _ in range(runs)]
                wall, cpu, rss = (statistics.median(column) for column in zip(*measured, strict=True))
                bare = bare or wall
                print(
                    f"{latency:>5g} ms {name:23} {wall:>7.2f} {wall / ideal:>8.2f} {wall / bare:>7.2f} "
                    f"{cpu / arguments.items * 1000:>12.2f} {rss:>7.0f}"
                )


def measure(
    arguments: argparse.Namespace, process: str, url: str, options: list[str]
) -> tuple[float, float, float]:
    """Run one process to its end; wall and CPU seconds and peak memory in MB."""
    command = [sys.executable, __file__, "--process", process, "--url", url, "--items", str(arguments.items)]
    command += ["--concurrency", str(arguments.concurrency), *options]
    begun = time.perf_counter()
    started = subprocess.Popen(command, preexec_fn=lambda: pin(-1))  # noqa: PLW1509 - no threads here
    _, status, used = os.wait4(started.pid, 0)
    wall = time.perf_counter() - begun
    if status:
        raise SystemExit(f"{process} failed")
    return wall, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024


def pin(core: int) -> None:
    """Keep this process to one of the cores it may use, where the system can."""
    if hasattr(os, "sched_setaffinity"):
        cores = sorted(os.sched_getaffinity(0))
        os.sched_setaffinity(0, {cores[core]})


@contextmanager
def running_server(latency: float) -> Generator[str]:
    """A server in a process of its own; its base URL."""
    fake = Path(os.environ.get("FIDUCIAL_REFERENCE", "-")) / "perf" / "fake_openai.py"
    command = [sys.executable, str(fake), "--latency-ms", str(latency)]
    if not fake.is_file():
        command = [sys.executable, __file__, "--process", "server", "--latency", str(latency)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, preexec_fn=lambda: pin(0)) as server:  # noqa: PLW1509 - no threads here
        assert server.stdout is not None
        try:
            yield json.loads(server.stdout.readline())["base_url"]
        finally:
            server.terminate()


def serve(latency: float) -> None:
    """Answer until terminated."""
    sys.path.insert(0, str(ROOT / "tests" / "support"))
    from provider_server import Answer, ProviderServer  # noqa: PLC0415 - found only now

    with ProviderServer(lambda _: Answer("<S2>1</S2>", delay=latency / 1000)) as server:
        print(json.dumps({"base_url": server.base_url}), flush=True)
        while True:
            time.sleep(60)


async def ask_barely(arguments: argparse.Namespace) -> None:
    """The same requests over the openai client and nothing else."""
    import openai  # noqa: PLC0415 - only this process needs it at once

    from fiducial.judges import load_judge  # noqa: PLC0415 - likewise

    judging = load_judge("tool_call_accuracy", model=MODEL)
    bodies: Iterator[dict[str, Any]] = (
        {"model": MODEL, "messages": judging.messages(case, output), **judging.parameters}
        for case, output in pairs(arguments.items)
    )
    client = openai.AsyncOpenAI(
        base_url=arguments.url, api_key="none", max_retries=0, http_client=openai.DefaultAioHttpClient()
    )

    async def worker() -> None:
        for body in bodies:
            await client.post("/chat/completions", body=body, cast_to=object)

    await asyncio.gather(*[worker() for _ in range(arguments.concurrency)])
    await client.close()


async def judge(arguments: argparse.Namespace) -> None:
    """The whole of judging: prompt, retries, limits, cache, parsing, verdicts."""
    from fiducial.judges import Endpoint, connect, judge_stream, load_judge  # noqa: PLC0415 - only this process

    judging = load_judge("tool_call_accuracy", model=MODEL)
    graded = 0
    endpoint = Endpoint(arguments.url, "none")
    async with connect(endpoint, concurrency=arguments.concurrency, cache=arguments.cache) as provider:
        work = pairs(arguments.items)
        async for verdict in judge_stream(work, judging, provider, concurrency=arguments.concurrency):
            graded += verdict.graded
    if graded != arguments.items:
        raise SystemExit(f"only {graded} of {arguments.items} were graded")


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
