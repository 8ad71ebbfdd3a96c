"""Scaling from one core to many: wall time, processor time and peak memory.

By size and workers, beside a bare loop. Printed by ``make bench-scale``.

    python benchmarks/scale.py [OUTPUTS...] [--ray PYTHON] [--minutes 12]

Processor time and memory are of all processes of a command: memory as the sum of what is theirs and their share of what they share (PSS),
looked at five times a second. ``--ray`` names a Python that has Ray (``make ray`` makes .venv-ray).
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple
from uuid import uuid4

from commands import described
from provider_server import Answer, ProviderServer, Response, Seen, in_the_form_asked_for
from run_folders import write_inputs

_MARK = "FIDUCIAL_BENCHMARK"
_SECONDS_BETWEEN = 0.2

_BARE = """
import sys
from fiducial.deterministic import check
from fiducial.records import Case, Output, encode_record, read_records
cases = {case.id: case for case in read_records(__import__("pathlib").Path("cases.jsonl"), Case)}
with open("bare.jsonl", "wb") as out:
    for output in read_records(__import__("pathlib").Path("outputs.jsonl"), Output):
        out.write(encode_record(check(cases[output.case_id], output)))
"""

_FILES = ("cases.jsonl", "--outputs", "outputs.jsonl")
_CHECK = ("check", *_FILES, "--out", "checked.jsonl")
_FREE = ("--judge", "tool_call_accuracy@baseline", "--judge-on", "all")
_ASKED = ("--judge", "tool_call_accuracy", "--judge-on", "all", "--model", "m", "--no-cache", "--max-calls")
_AGAIN = "the same again: nothing is left to do"
_MAX_CALLS = 10_000
_SIZES = [10_000, 100_000, 1_000_000]
_MINUTES = 12.0
"""What all of it may take; what would end later, by what a smaller size took, is not run, and said so."""


class Used(NamedTuple):
    """Resources of a command, all of its processes together."""

    wall: float
    processor: float
    megabytes: float


def commands(size: int, ray: str | None, server: str) -> Iterator[tuple[str, list[str]]]:
    """Yield the commands to measure, by name."""
    ours = [sys.executable, "-m", "fiducial"]
    yield "a bare loop: read, check, write", [sys.executable, "-c", _BARE]
    for workers in ("1", "2"):
        yield f"`check --workers {workers}`", [*ours, *_CHECK, "--workers", workers]
    for name in ("`run` with a judge that costs nothing", _AGAIN):
        yield name, [*ours, "run", *_FILES, *_FREE, "--out", "run"]
    run = ("run", *_FILES, "--workers")
    there = [str(ray), "-m", "fiducial", *run]
    for workers in ("2", "1"):  # what tells more comes first, since time may run out
        yield f"`run`, no judge, {_workers(workers)}", [*ours, *run, workers, "--out", f"here-{workers}"]
        if ray:
            on_ray = [workers, "--engine", "ray", "--out", f"ray-{workers}"]
            yield f"the same on Ray, {_workers(workers)}", [*there, *on_ray]
    if size > _MAX_CALLS:
        return
    asked = [*_ASKED, str(size), "--base-url", server]
    yield "`run` with a judge at a server that answers in 50 ms", [*ours, *run, "1", *asked, "--out", "asked"]
    for workers in ("1", "2") if ray else ():
        on_ray = [workers, "--engine", "ray", "--out", f"asked-{workers}"]
        yield f"the same on Ray, {workers} actor{'s' * (workers != '1')}", [*there, *on_ray, *asked]


def _workers(number: str) -> str:
    return f"{number} worker{'s' * (number != '1')}"


def measured(folder: Path, command: list[str]) -> Used:
    """Run a command, and measure all processes that it starts.

    Raises:
        ChildProcessError: It failed; the message is the end of its output.
    """
    mark = uuid4().hex
    begun, spent, peak, before = time.perf_counter(), dict[int, float](), 0.0, of_children()
    with (
        (folder / "said").open("wb") as said,
        subprocess.Popen(
            command, cwd=folder, stdout=said, stderr=said, env={**os.environ, _MARK: mark}
        ) as process,
    ):
        while True:
            ended = process.poll() is not None
            now = {each: seconds_of(each) for each in processes_of(mark)}
            spent |= now
            peak = max(peak, sum(map(megabytes_of, now)))
            if ended:
                break
            time.sleep(_SECONDS_BETWEEN)
    wall = time.perf_counter() - begun
    if process.returncode:
        raise ChildProcessError((folder / "said").read_text(errors="replace").strip()[-300:])
    # What ended between two looks is known of children and theirs, and not of what Ray starts apart.
    return Used(wall, max(sum(spent.values()), of_children() - before), peak)


def of_children() -> float:
    """Return the processor time of all ended children and their children."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def processes_of(mark: str) -> list[int]:
    """Return the processes started with a mark, and all their children."""
    wanted, found = f"{_MARK}={mark}".encode(), list[int]()
    for path in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):  # it ended meanwhile
            if wanted in (path / "environ").read_bytes():
                found.append(int(path.name))
    return found


def seconds_of(process: int) -> float:
    """Return the processor time of a process and of its ended children."""
    with suppress(OSError):
        fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
        return sum(map(int, fields[11:13])) / os.sysconf("SC_CLK_TCK")
    return 0.0


def megabytes_of(process: int) -> float:
    """Return the memory of a process, with its part of shared pages."""
    with suppress(OSError):
        for line in Path(f"/proc/{process}/smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                return int(line.split()[1]) / 1024
    return 0.0


@contextmanager
def served() -> Generator[str]:
    """Yield the address of a model endpoint in its own process."""
    command = [sys.executable, __file__, "--serve"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        yield process.stdout.readline().strip()
        process.terminate()


def serve() -> None:
    """Answer in the requested form, after 50 ms, until the parent process ends."""
    script = in_the_form_asked_for()

    def late(seen: Seen) -> Response:
        answer = script(seen)
        return replace(answer, delay=0.05) if isinstance(answer, Answer) else answer

    with ProviderServer(late) as server:
        print(server.base_url, flush=True)
        sys.stdin.read()


def rows(sizes: Sequence[int], ray: str | None, until: float) -> Iterator[str]:
    """Yield the lines of the table, also for commands that failed or had no time."""
    taken: defaultdict[str, list[tuple[int, float]]] = defaultdict(list)
    for size in sizes:
        with TemporaryDirectory() as scratch, served() as server:
            write_inputs(Path(scratch), size)
            for name, command in commands(size, ray, server):
                undone = name == _AGAIN and not (Path(scratch) / "run" / "report.html").exists()
                if undone or time.monotonic() + foreseen(taken[name], size) > until:
                    yield f"| {size:,} | {name} | not run: no time was left | | |"
                    continue
                try:
                    used = measured(Path(scratch), command)
                except ChildProcessError as error:
                    yield f"| {size:,} | {name} | failed: {' '.join(str(error).split())} | | |"
                    continue
                taken[name].append((size, used.wall))
                yield f"| {size:,} | {name} | {used.wall:.1f} s | {used.processor:.1f} s | {used.megabytes:,.0f} MB |"


def foreseen(taken: Sequence[tuple[int, float]], size: int) -> float:
    """Extrapolate the seconds for a number of outputs from the last two sizes.

    The result is at least the seconds of the last size.
    """
    if not taken:
        return 0.0
    (before, less), (last, seconds) = taken[-2:] if len(taken) > 1 else (taken[-1], taken[-1])
    slope = (seconds - less) / (last - before) if last != before else 0.0
    return seconds + max(0.0, slope) * (size - last)


def main() -> None:
    """Print a table."""
    parser = described(__doc__)
    parser.add_argument("sizes", nargs="*", type=int, default=_SIZES)
    parser.add_argument("--ray", metavar="PYTHON", help="a Python that has Ray")
    parser.add_argument("--minutes", type=float, default=_MINUTES, help="what would end later is not run")
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.serve:
        serve()
        return
    begun = time.monotonic()
    print(
        f"{time.strftime('%Y-%m-%d')}, {os.cpu_count()} cores, Python {sys.version.split()[0]}, load {os.getloadavg()[0]:.1f} at the start\n"
    )
    print("| outputs | | wall | processor | memory of all processes |\n|---|---|---|---|---|")
    for line in rows(given.sizes, given.ray, begun + 60 * given.minutes):
        print(line, flush=True)
    print(f"\n{(time.monotonic() - begun) / 60:.1f} minutes; load {os.getloadavg()[0]:.1f} at the end")


if __name__ == "__main__":
    main()
