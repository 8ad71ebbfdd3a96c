"""Helpers of the benchmarks: calls, reference data, a server on its own core, resource use.

They also make the tests' support importable.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests" / "support"))

PROCESSES = str(Path(__file__).parent / "judging" / "processes.py")
FIDUCIAL = str(Path(sys.executable).with_name("fiducial"))


class Used(NamedTuple):
    """Resources of a command: wall and processor seconds, and peak memory in MB.

    Start and imports are included.
    """

    wall: float
    processor: float
    memory: float


def described(text: str | None) -> argparse.ArgumentParser:
    """A parser of a script's arguments whose help is the script's docstring as it stands."""
    return argparse.ArgumentParser(description=text, formatter_class=argparse.RawDescriptionHelpFormatter)


def reference_folder(part: str = "") -> Path:
    """The folder of reference data, or a part of it; where it is not there, leaves and says so."""
    folder = Path(os.environ.get("FIDUCIAL_REFERENCE") or "-") / part
    if not folder.is_dir():
        print("set FIDUCIAL_REFERENCE to the folder of reference data", file=sys.stderr)
        sys.exit(2)
    return folder


def packed_records(path: Path) -> Iterator[dict[str, Any]]:
    """The records of a compressed JSON Lines file."""
    with gzip.open(path, "rt", encoding="utf-8") as file:
        yield from map(json.loads, file)


def peak_megabytes() -> float:
    """The most memory this process has had resident."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def run_to_end(
    command: Sequence[str],
    folder: Path,
    *,
    core: int | None = None,
    environment: Mapping[str, str] | None = None,
) -> Used:
    """Run a command in a folder, perhaps on one core; if it fails, exit with its output."""
    with (folder / "printed").open("wb") as printed:
        begun = time.perf_counter()
        child = subprocess.Popen(
            command,
            cwd=folder,
            env=environment,
            stdout=printed,
            stderr=printed,
            preexec_fn=None if core is None else partial(pin, core),  # noqa: PLW1509 - no threads here
        )
        _, status, used = os.wait4(child.pid, 0)
        wall = time.perf_counter() - begun
    if status:
        raise SystemExit(f"{' '.join(command)} failed: {(folder / 'printed').read_text()[-2000:]}")
    return Used(wall, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024)


def beside_first(measured: Mapping[str, Sequence[Used]], ideal: float, items: int) -> dict[str, str]:
    """Return a table's cells by row, with ratios to the ideal and to the first row.

    Cells: median wall time, over the ideal and over the first row's, milliseconds of processor an item,
    peak memory in MB.
    """
    medians = {
        name: Used(*map(statistics.median, zip(*used, strict=True))) for name, used in measured.items()
    }
    first = next(iter(medians.values())).wall
    return {
        name: f"{used.wall:.2f} | {used.wall / ideal:.2f} | {used.wall / first:.2f} | {used.processor / items * 1000:.2f} | {used.memory:.0f}"
        for name, used in medians.items()
    }


def pin(core: int) -> None:
    """Keep this process to one of the cores it may use, where the system can."""
    if hasattr(os, "sched_setaffinity"):
        cores = sorted(os.sched_getaffinity(0))
        os.sched_setaffinity(0, {cores[core]})


@contextmanager
def running_server(latency: float) -> Generator[str]:
    """A server in a process of its own on the first core; its base URL.

    It is FIDUCIAL_REFERENCE/perf/fake_openai.py where there is one, else the tests' own.
    """
    fake = Path(os.environ.get("FIDUCIAL_REFERENCE", "-")) / "perf" / "fake_openai.py"
    command = [sys.executable, str(fake), "--latency-ms", str(latency)]
    if not fake.is_file():
        command = [sys.executable, PROCESSES, "server", "--latency", str(latency)]
    with started(command) as base_url:
        yield base_url


@contextmanager
def started(command: Sequence[str]) -> Generator[str]:
    """A server in a process of its own on the first core, which prints its base URL as JSON; the URL."""
    with subprocess.Popen(command, stdout=subprocess.PIPE, preexec_fn=partial(pin, 0)) as server:  # noqa: PLW1509 - no threads here
        assert server.stdout is not None
        try:
            yield json.loads(server.stdout.readline())["base_url"]
        finally:
            server.terminate()
