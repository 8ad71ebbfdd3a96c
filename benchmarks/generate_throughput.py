"""Throughput of generating answers over HTTP, beside a bare loop over the openai client.

Both ask the same server in the same minute.

    python benchmarks/generate_throughput.py [--items 2000] [--concurrency 64] [--latency 50] [--runs 5]

Each run is a process of its own, start-up included, on one core; the server has another. `fiducial generate` is the command with its
outputs file, journal of attempts and cache. "ideal" is items x latency / concurrency.
"""

from __future__ import annotations

import asyncio
import sys
import tempfile
from pathlib import Path
from typing import Any

from bytecode import compile_package
from commands import FIDUCIAL, Used, beside_first, described, run_to_end, running_server
from judging.processes import MODEL, TOOLS, pairs, post_all, write_items

ROWS = ("bare openai client", "fiducial generate", "fiducial generate --no-cache")


def main() -> None:
    """Print the comparison, or be the bare client."""
    parser = described(__doc__)
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
                command = _command(row, url, Path(folder), items, concurrency)
                measured[row].append(run_to_end(command, Path(folder), core=-1))
    ideal = items * latency / 1000 / concurrency
    for row, cells in beside_first(measured, ideal, items).items():
        print(f"| {latency:g} ms | {row} | {cells} |", flush=True)


def _command(row: str, url: str, folder: Path, items: int, concurrency: int) -> list[str]:
    given = ["--concurrency", str(concurrency)]
    if row == ROWS[0]:
        return [sys.executable, __file__, "--url", url, "--items", str(items), *given]
    out = Path(tempfile.mkdtemp(dir=folder))
    cache = ["--no-cache"] if row.endswith("--no-cache") else ["--cache", str(out / "cache.sqlite")]
    asked = ["--model", MODEL, "--base-url", url, "--out", str(out / "outputs.jsonl")]
    return [FIDUCIAL, "generate", str(folder / "cases.jsonl"), *asked, *given, *cache]


async def ask_barely(url: str, items: int, concurrency: int) -> None:
    """Send the same requests with the openai client and nothing else."""
    from fiducial.evaluation.generation.tool_schemas import tool_schema  # noqa: PLC0415 - only this process needs it

    functions: list[dict[str, Any]] = [tool["function"] for tool in TOOLS]  # pyright: ignore[reportAssignmentType] - of JSON
    tools = [tool_schema(function, function["name"]) for function in functions]
    bodies = ({"model": MODEL, "messages": case.messages, "tools": tools} for case, _ in pairs(items))
    await post_all(url, bodies, concurrency)


if __name__ == "__main__":
    main()
