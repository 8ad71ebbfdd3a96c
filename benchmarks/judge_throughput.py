"""Judging over HTTP, beside a bare loop over the openai client, at the same server, in the same minute.

    python benchmarks/judge_throughput.py [--items 2000] [--concurrency 64] [--latency 50 200] [--runs 3] [--many 20000]

Each run is a process of its own, start-up included, on one core; the server has another. "ideal" is items x latency /
concurrency. `fiducial judge` is the command with its run folder, statistics and report. A second table compares the memory that
``--many`` items take with that of ``--items`` (0 leaves it out). The server is FIDUCIAL_REFERENCE/perf/fake_openai.py where there
is one, else the tests' own.
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
import urllib.request
from collections.abc import Generator, Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from bytecode import compile_package

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
    """Run what the command line asks for: the comparison, or one of its processes."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--items", type=int, default=2000)
    parser.add_argument("--concurrency", type=int, default=64)
    parser.add_argument("--latency", type=float, nargs="+", default=[50, 200], help="milliseconds")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--many", type=int, default=20_000, help="items of the comparison of memory")
    parser.add_argument("--process", choices=["server", "bare", "library", "command"], help=argparse.SUPPRESS)
    parser.add_argument("--url", help=argparse.SUPPRESS)
    parser.add_argument("--work", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--cache", type=Path, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    match arguments.process:
        case "server":
            serve(arguments.latency[0])
        case "bare":
            asyncio.run(ask_barely(arguments))
        case "library":
            asyncio.run(judge(arguments))
        case "command":
            judge_by_command(arguments)
        case _:
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
    command = [sys.executable, __file__, "--process", process, "--url", url, "--items", str(arguments.items)]
    command += ["--concurrency", str(arguments.concurrency), "--work", str(folder)]
    command += ["--cache", str(cache)] if cache is not None else []
    before = requests_so_far(url)
    begun = time.perf_counter()
    started = subprocess.Popen(command, preexec_fn=lambda: pin(-1))  # noqa: PLW1509 - no threads here
    _, status, used = os.wait4(started.pid, 0)
    wall = time.perf_counter() - begun
    if status:
        raise SystemExit(f"{process} failed")
    after = requests_so_far(url)
    requests = None if before is None or after is None else after - before
    return Used(wall, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024, requests)


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


def judge_by_command(arguments: argparse.Namespace) -> None:
    """`fiducial judge`, into a new run folder."""
    from fiducial.cli.main import main as run_command  # noqa: PLC0415 - only this process

    work: Path = arguments.work
    sys.argv = ["fiducial", "judge", str(work / "cases.jsonl"), "--outputs", str(work / "outputs.jsonl")]
    sys.argv += ["--judge", "tool_call_accuracy", "--model", MODEL, "--base-url", arguments.url]
    sys.argv += ["--concurrency", str(arguments.concurrency), "--out", str(work / f"run-{os.getpid()}")]
    sys.argv += ["--cache", str(arguments.cache)] if arguments.cache else ["--no-cache"]
    with redirect_stdout(StringIO()) as shown, redirect_stderr(shown):
        try:
            run_command()
        except SystemExit as leave:
            if leave.code:
                raise SystemExit(f"exit code {leave.code}: {shown.getvalue()}") from leave


def write_items(count: int, folder: Path) -> None:
    """The items as the files that the command reads."""
    from fiducial.records import write_records  # noqa: PLC0415 - some processes need none

    write_records(folder / "cases.jsonl", (case for case, _ in pairs(count)))
    write_records(folder / "outputs.jsonl", (output for _, output in pairs(count)))


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
