"""Judging over HTTP, beside a bare loop over the openai client, at the same server, in the same minute.

    python benchmarks/judge_throughput.py [--items 2000] [--concurrency 64] [--latency 50 200] [--runs 3] [--many 20000]

Each run is a process of its own, start-up included, on one core; the server has another. "ideal" is items x latency /
concurrency. `fiducial judge` is the command with its run folder, statistics and report. A second table compares the memory that
``--many`` items take with that of ``--items`` (0 leaves it out). The server is FIDUCIAL_REFERENCE/perf/fake_openai.py where there
is one, else the tests' own.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from bytecode import compile_package
from judging.processes import MODEL, write_items

PROCESSES = str(Path(__file__).parent / "judging" / "processes.py")
FIDUCIAL = str(Path(sys.executable).with_name("fiducial"))


class Row(NamedTuple):
    """A line of the table: which process, and whether with a cache, which the first line of a process with one fills."""

    name: str
    process: str
    cached: bool = False


ROWS = (
    Row("bare openai client", "bare"),
    Row("fiducial, library", "library"),
    Row("library, filling cache", "library", cached=True),
    Row("library, from cache", "library", cached=True),
    Row("fiducial judge", "command"),
    Row("command, filling cache", "command", cached=True),
    Row("command, from cache", "command", cached=True),
)
MEMORY_LATENCY = 5.0


class Used(NamedTuple):
    """What a process took: wall and CPU seconds, peak memory in MB, and requests that reached the server (None: not counted)."""

    wall: float
    cpu: float
    memory: float
    requests: int | None


def main() -> None:
    """Print the comparison."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--items", type=int, default=2000)
    parser.add_argument("--concurrency", type=int, default=64)
    parser.add_argument("--latency", type=float, nargs="+", default=[50, 200], help="milliseconds")
    parser.add_argument("--runs", type=int, default=3)
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
    print("| latency | | wall s | / ideal | / bare client | CPU ms an item | RSS MB | requests |")
    print("|---|---|---|---|---|---|---|---|")
    for latency in arguments.latency:
        ideal = arguments.items * latency / 1000 / arguments.concurrency
        measured: dict[Row, list[Used]] = {row: [] for row in ROWS}
        for _ in range(arguments.runs):  # in turns, so that the machine's mood is the same for all
            with running_server(latency) as url, tempfile.TemporaryDirectory() as folder:
                write_items(arguments.items, Path(folder))
                for row in ROWS:
                    cache = Path(folder) / f"{row.process}.sqlite" if row.cached else None
                    measured[row].append(measure(arguments, row.process, url, Path(folder), cache))
        bare = statistics.median(used.wall for used in measured[ROWS[0]])
        for row, runs in measured.items():
            wall = statistics.median(used.wall for used in runs)
            cpu = statistics.median(used.cpu for used in runs)
            print(
                f"| {latency:g} ms | {row.name} | {wall:.2f} | {wall / ideal:.2f} | {wall / bare:.2f} | {cpu / arguments.items * 1000:.2f} "
                f"| {statistics.median(used.memory for used in runs):.0f} | {runs[-1].requests} |",
                flush=True,
            )


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
        return measure(few, process, url, Path(folder), None).memory


def measure(arguments: argparse.Namespace, process: str, url: str, folder: Path, cache: Path | None) -> Used:
    """Run one process to its end."""
    given = judging(arguments, url, folder) if process == "command" else asking(arguments, process, url)
    given += ["--cache", str(cache)] if cache else ["--no-cache"] if process == "command" else []
    before = requests_so_far(url)
    begun = time.perf_counter()
    with (folder / "printed").open("wb") as printed:
        started = subprocess.Popen(given, stdout=printed, stderr=printed, preexec_fn=lambda: pin(-1))  # noqa: PLW1509 - no threads here
        _, status, used = os.wait4(started.pid, 0)
    wall = time.perf_counter() - begun
    if status:
        raise SystemExit(f"{process} failed: {(folder / 'printed').read_text()}")
    after = requests_so_far(url)
    requests = None if before is None or after is None else after - before
    return Used(wall, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024, requests)


def asking(arguments: argparse.Namespace, process: str, url: str) -> list[str]:
    """The command line of a process that asks by itself."""
    given = [sys.executable, PROCESSES, process, "--url", url, "--items", str(arguments.items)]
    return [*given, "--concurrency", str(arguments.concurrency)]


def judging(arguments: argparse.Namespace, url: str, folder: Path) -> list[str]:
    """The command line of `fiducial judge`, into a new run folder."""
    given = [FIDUCIAL, "judge", str(folder / "cases.jsonl"), "--outputs", str(folder / "outputs.jsonl")]
    given += ["--judge", "tool_call_accuracy", "--model", MODEL, "--base-url", url]
    return [*given, "--concurrency", str(arguments.concurrency), "--out", tempfile.mkdtemp(dir=folder)]


def requests_so_far(url: str) -> int | None:
    """How many requests the kit's server has seen; None for another server."""
    try:
        with urllib.request.urlopen(f"{url.removesuffix('/v1')}/__stats", timeout=10) as response:  # noqa: S310 - own server
            return json.load(response)["requests"]
    except (OSError, ValueError, KeyError):
        return None


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
        command = [sys.executable, PROCESSES, "server", "--latency", str(latency)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, preexec_fn=lambda: pin(0)) as server:  # noqa: PLW1509 - no threads here
        assert server.stdout is not None
        try:
            yield json.loads(server.stdout.readline())["base_url"]
        finally:
            server.terminate()


if __name__ == "__main__":
    main()
