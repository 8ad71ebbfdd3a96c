"""Generating single answers over HTTP, beside a bare loop over the openai client, at the same server, in the same minute.

    python benchmarks/generate_throughput.py [--items 2000] [--concurrency 64] [--latency 50] [--runs 5]

Each run is a process of its own, start-up included, on one core; the server has another. `fiducial generate` is the command with its
outputs file, journal of attempts and cache. "ideal" is items x latency / concurrency.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from bytecode import compile_package
from judge_throughput import FIDUCIAL, pin, running_server
from judging.processes import MODEL, TOOLS, pairs, write_items

ROWS = ("bare openai client", "fiducial generate", "fiducial generate --no-cache")


class Used(NamedTuple):
    """What a process took: wall and CPU seconds, peak memory in MB."""

    wall: float
    cpu: float
    memory: float


def main() -> None:
    """Print the comparison, or be the bare client."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--items", type=int, default=2000)
    parser.add_argument("--concurrency", type=int, default=64)
    parser.add_argument("--latency", type=float, nargs="+", default=[50.0], help="milliseconds")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--url", help="ask this server barely, and print nothing")
    arguments = parser.parse_args()
    if arguments.url:
        asyncio.run(ask_barely(arguments.url, arguments.items, arguments.concurrency))
        return
    compile_package()
    print(
        f"{arguments.items:,} cases, concurrency {arguments.concurrency}, medians of {arguments.runs} runs\n"
    )
    print(
        "| latency | | wall s | / ideal | / bare client | CPU ms a case | RSS MB |\n|---|---|---|---|---|---|---|"
    )
    for latency in arguments.latency:
        compare(latency, arguments.items, arguments.concurrency, arguments.runs)


def compare(latency: float, items: int, concurrency: int, runs: int) -> None:
    """Print the lines of one latency."""
    measured: dict[str, list[Used]] = {row: [] for row in ROWS}
    for _ in range(runs):  # in turns, so that the machine's mood is the same for all
        with running_server(latency) as url, tempfile.TemporaryDirectory() as folder:
            write_items(items, Path(folder))
            for row in ROWS:
                measured[row].append(
                    measure(_command(row, url, Path(folder), items, concurrency), Path(folder))
                )
    ideal = items * latency / 1000 / concurrency
    bare = statistics.median(used.wall for used in measured[ROWS[0]])
    for row, used in measured.items():
        wall, cpu, memory = (statistics.median(getattr(each, name) for each in used) for name in Used._fields)
        print(
            f"| {latency:g} ms | {row} | {wall:.2f} | {wall / ideal:.2f} | {wall / bare:.2f} | {cpu / items * 1000:.2f} | {memory:.0f} |",
            flush=True,
        )


def _command(row: str, url: str, folder: Path, items: int, concurrency: int) -> list[str]:
    given = ["--concurrency", str(concurrency)]
    if row == ROWS[0]:
        return [sys.executable, __file__, "--url", url, "--items", str(items), *given]
    out = Path(tempfile.mkdtemp(dir=folder))
    cache = ["--no-cache"] if row.endswith("--no-cache") else ["--cache", str(out / "cache.sqlite")]
    asked = ["--model", MODEL, "--base-url", url, "--out", str(out / "outputs.jsonl")]
    return [FIDUCIAL, "generate", str(folder / "cases.jsonl"), *asked, *given, *cache]


def measure(command: Sequence[str], folder: Path) -> Used:
    """Run one process to its end."""
    begun = time.perf_counter()
    with (folder / "printed").open("wb") as printed:
        started = subprocess.Popen(command, stdout=printed, stderr=printed, preexec_fn=lambda: pin(-1))  # noqa: PLW1509 - no threads here
        _, status, used = os.wait4(started.pid, 0)
    wall = time.perf_counter() - begun
    if status:
        raise SystemExit(f"{command} failed: {(folder / 'printed').read_text()}")
    return Used(wall, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024)


async def ask_barely(url: str, items: int, concurrency: int) -> None:
    """The same requests over the openai client and nothing else."""
    import openai  # noqa: PLC0415 - only this process needs it

    from fiducial.evaluation.generation.tool_schemas import tool_schema  # noqa: PLC0415 - likewise

    functions: list[dict[str, Any]] = [tool["function"] for tool in TOOLS]  # pyright: ignore[reportAssignmentType] - of JSON
    tools = [tool_schema(function, function["name"]) for function in functions]
    bodies = ({"model": MODEL, "messages": case.messages, "tools": tools} for case, _ in pairs(items))
    client = openai.AsyncOpenAI(
        base_url=url, api_key="none", max_retries=0, http_client=openai.DefaultAioHttpClient()
    )

    async def worker() -> None:
        for body in bodies:
            await client.post("/chat/completions", body=body, cast_to=object)

    await asyncio.gather(*[worker() for _ in range(concurrency)])
    await client.close()


if __name__ == "__main__":
    main()
