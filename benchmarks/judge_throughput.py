"""Throughput of judging over HTTP, beside bare loops over aiohttp and the openai client.

All ask the same server in the same minute.

    python benchmarks/judge_throughput.py [--items 2000] [--concurrency 64] [--latency 50 200] [--runs 3] [--many 20000] [--before FIDUCIAL]

Each run is a process of its own, start-up included, on one core; the server has another. "ideal" is items x latency /
concurrency. The bare loop posts requests that were rendered before it starts. `fiducial judge` is the command with its run folder, statistics and report. A second table compares the memory that
``--many`` items take with that of ``--items`` (0 leaves it out). ``--before`` is the command of another installation, which takes its turn.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import urllib.request
from pathlib import Path
from typing import NamedTuple

from bytecode import compile_package
from commands import FIDUCIAL, PROCESSES, Used, beside_first, described, run_to_end, running_server
from judging.processes import MODEL, write_bodies, write_items


class Row(NamedTuple):
    """Row of the table: a process, with or without a cache.

    The first row of a process with a cache fills it.
    """

    name: str
    process: str
    cached: bool = False


ROWS = (
    Row("bare HTTP loop", "loop"),
    Row("bare openai client", "bare"),
    Row("fiducial, library", "library"),
    Row("library, filling cache", "library", cached=True),
    Row("library, from cache", "library", cached=True),
    Row("fiducial judge", "command"),
    Row("command, filling cache", "command", cached=True),
    Row("command, from cache", "command", cached=True),
)
BEFORE = Row("fiducial judge, before", "before")
MEMORY_LATENCY = 5.0


def main() -> None:
    """Print the comparison."""
    parser = described(__doc__)
    parser.add_argument("--items", type=int, default=2000)
    parser.add_argument("--concurrency", type=int, default=64)
    parser.add_argument("--latency", type=float, nargs="+", default=[50, 200], help="milliseconds")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--before", metavar="FIDUCIAL", help="another installation's command")
    parser.add_argument("--many", type=int, default=20_000, help="items of the comparison of memory")
    arguments = parser.parse_args()
    compile_package()
    compare(arguments)
    if arguments.many:
        compare_memory(arguments)


def compare(arguments: argparse.Namespace) -> None:
    """Print the table of times."""
    print(
        f"{arguments.items:,} items, concurrency {arguments.concurrency}, medians of {arguments.runs} runs\n"
    )
    print("| latency | | wall s | / ideal | / bare loop | CPU ms an item | RSS MB | requests |")
    print("|---|---|---|---|---|---|---|---|")
    for latency in arguments.latency:
        ideal = arguments.items * latency / 1000 / arguments.concurrency
        rows = (*ROWS, BEFORE) if arguments.before else ROWS
        measured: dict[Row, list[tuple[Used, int | None]]] = {row: [] for row in rows}
        for _ in range(arguments.runs):  # in turns, so that the machine's mood is the same for all
            with running_server(latency) as url, tempfile.TemporaryDirectory() as folder:
                write_items(arguments.items, Path(folder))
                write_bodies(arguments.items, Path(folder))
                for row in rows:
                    cache = Path(folder) / f"{row.process}.sqlite" if row.cached else None
                    measured[row].append(measure(arguments, row.process, url, Path(folder), cache))
        used = {row.name: [each for each, _ in runs] for row, runs in measured.items()}
        requests = {row.name: runs[-1][1] for row, runs in measured.items()}
        for name, cells in beside_first(used, ideal, arguments.items).items():
            print(f"| {latency:g} ms | {name} | {cells} | {requests[name]} |", flush=True)


def compare_memory(arguments: argparse.Namespace) -> None:
    """Print the table of memory."""
    print(f"\npeak memory, MB\n\n| | {arguments.items:,} items | {arguments.many:,} items |\n|---|---|---|")
    with running_server(MEMORY_LATENCY) as url:
        for name, process in (("fiducial, library", "library"), ("fiducial judge", "command")):
            sizes = [memory(arguments, process, url, count) for count in (arguments.items, arguments.many)]
            print(f"| {name} | {sizes[0]:.0f} | {sizes[1]:.0f} |", flush=True)


def memory(arguments: argparse.Namespace, process: str, url: str, count: int) -> float:
    """Peak memory in MB of a run over so many items."""
    with tempfile.TemporaryDirectory() as folder:
        write_items(count, Path(folder))
        few = argparse.Namespace(**vars(arguments) | {"items": count})
        return measure(few, process, url, Path(folder), None)[0].memory


def measure(
    arguments: argparse.Namespace, process: str, url: str, folder: Path, cache: Path | None
) -> tuple[Used, int | None]:
    """Run a process to its end; return its resources and the requests that reached the server.

    The number of requests is None where the server does not count them.
    """
    commands = {"command": FIDUCIAL, "before": arguments.before}
    command = commands.get(process)
    given = judging(command, arguments, url, folder) if command else asking(arguments, process, url)
    given += ["--cache", str(cache)] if cache else ["--no-cache"] if command else []
    before = requests_so_far(url)
    used = run_to_end(given, folder, core=-1)
    after = requests_so_far(url)
    return used, None if before is None or after is None else after - before


def asking(arguments: argparse.Namespace, process: str, url: str) -> list[str]:
    """The command line of a process that asks by itself."""
    given = [sys.executable, PROCESSES, process, "--url", url, "--items", str(arguments.items)]
    return [*given, "--concurrency", str(arguments.concurrency)]


def judging(command: str, arguments: argparse.Namespace, url: str, folder: Path) -> list[str]:
    """The command line of `fiducial judge`, into a new run folder."""
    given = [command, "judge", str(folder / "cases.jsonl"), "--outputs", str(folder / "outputs.jsonl")]
    given += ["--judge", "tool_call_accuracy", "--model", MODEL, "--base-url", url]
    return [*given, "--concurrency", str(arguments.concurrency), "--out", tempfile.mkdtemp(dir=folder)]


def requests_so_far(url: str) -> int | None:
    """Return the number of requests the kit's server has seen, or None for another server."""
    try:
        with urllib.request.urlopen(f"{url.removesuffix('/v1')}/__stats", timeout=10) as response:  # noqa: S310 - own server
            return json.load(response)["requests"]
    except (OSError, ValueError, KeyError):
        return None


if __name__ == "__main__":
    main()
