"""From one core to many: wall time, processor time and peak memory by size and workers, beside a bare loop. Printed by ``make bench-scale``.

    python benchmarks/scale.py [OUTPUTS...] [--ray PYTHON]

Processor time and memory are of all processes of a command: memory as the sum of what is theirs and their share of what they share (PSS),
looked at five times a second. ``--ray`` names a Python that has Ray (``make ray`` makes .venv-ray).
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple
from uuid import uuid4

from commands import described
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
_JUDGED = ("run", *_FILES, "--judge", "tool_call_accuracy@baseline", "--judge-on", "all")


class Used(NamedTuple):
    """What a command took, all of its processes together."""

    wall: float
    processor: float
    megabytes: float


def commands(ray: str | None) -> Iterator[tuple[str, list[str]]]:
    """What is measured, by name."""
    ours = [sys.executable, "-m", "fiducial"]
    yield "a bare loop: read, check, write", [sys.executable, "-c", _BARE]
    for workers in ("1", "2"):
        yield f"check, workers {workers}", [*ours, *_CHECK, "--workers", workers]
    yield "run with a free judge", [*ours, *_JUDGED, "--out", "run"]
    yield "the same again: nothing is left to do", [*ours, *_JUDGED, "--out", "run"]
    for workers in ("1", "2") if ray else ():
        options = ("--engine", "ray", "--workers", workers, "--out", f"ray-{workers}")
        yield (
            f"run on Ray, {workers} worker{'s' * (workers != '1')}",
            [str(ray), "-m", "fiducial", "run", *_FILES, *options],
        )
    if ray:
        yield "run without it, workers 2", [*ours, "run", *_FILES, "--workers", "2", "--out", "local"]


def measured(folder: Path, command: list[str]) -> Used:
    """Run a command, and look at all processes that it starts."""
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
        raise SystemExit(
            f"{' '.join(command)}: ended with {process.returncode}\n{(folder / 'said').read_text()}"
        )
    # What ended between two looks is known of children and theirs, and not of what Ray starts apart.
    return Used(wall, max(sum(spent.values()), of_children() - before), peak)


def of_children() -> float:
    """Processor time of all children that ended, and of theirs."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def processes_of(mark: str) -> list[int]:
    """The processes that were started with a mark, and all that they started."""
    wanted, found = f"{_MARK}={mark}".encode(), list[int]()
    for each in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):  # it ended meanwhile
            if wanted in (each / "environ").read_bytes():
                found.append(int(each.name))
    return found


def seconds_of(process: int) -> float:
    """Processor time of a process and of its children that ended."""
    with suppress(OSError):
        fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
        return sum(map(int, fields[11:13])) / os.sysconf("SC_CLK_TCK")
    return 0.0


def megabytes_of(process: int) -> float:
    """Its memory, with its share of what it shares."""
    with suppress(OSError):
        for line in Path(f"/proc/{process}/smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                return int(line.split()[1]) / 1024
    return 0.0


def main() -> None:
    """Print a table."""
    parser = described(__doc__)
    parser.add_argument("sizes", nargs="*", type=int, default=[10_000, 100_000, 1_000_000])
    parser.add_argument("--ray", metavar="PYTHON", help="a Python that has Ray")
    given = parser.parse_args()
    load = os.getloadavg()[0]
    print(
        f"{time.strftime('%Y-%m-%d')}, {os.cpu_count()} cores, Python {sys.version.split()[0]}, load {load:.1f} at the start\n"
    )
    print("| outputs | | wall | processor | memory of all processes |\n|---|---|---|---|---|")
    for size in given.sizes:
        with TemporaryDirectory() as scratch:
            write_inputs(Path(scratch), size)
            for name, command in commands(given.ray):
                used = measured(Path(scratch), command)
                print(
                    f"| {size:,} | {name} | {used.wall:.1f} s | {used.processor:.1f} s | {used.megabytes:.0f} MB |",
                    flush=True,
                )


if __name__ == "__main__":
    main()
