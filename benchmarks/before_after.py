"""Benchmark whole commands at an earlier revision and at this one, in turns.

    python benchmarks/before_after.py ae3dcbf

Seconds of wall and of processor and peak memory, start and imports included, as medians; the ratio is the median of now over the
median of before. Both revisions run under this interpreter and with the libraries that it has. Takes about a quarter of an hour.
"""

from __future__ import annotations

import csv
import os
import random
import shutil
import statistics
import subprocess
import sys
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from bytecode import compile_package
from commands import Used, described, run_to_end, running_server
from judging.processes import MODEL, write_items
from run_folders import write_inputs

ROOT = Path(__file__).resolve().parents[1]
OUTPUTS, ITEMS, ROWS = 50_000, 4_000, 100_000
LATENCY = 50.0
"""Milliseconds of an answer; 64 are in flight."""


class Command(NamedTuple):
    """Command of the table; in its arguments ``NEW`` stands for a new folder each time."""

    name: str
    arguments: tuple[str, ...]
    module: str = "fiducial"
    fresh: str = ""


def commands(url: str) -> list[Command]:
    """Return the commands to compare; each may use the files of those before it."""
    inputs = ("cases.jsonl", "--outputs", "outputs.jsonl", "--rules", "bfcl")  # the default was another
    free = ("--judge", "tool_call_accuracy@baseline", "--judge-on", "all")
    judged = ("judged/cases.jsonl", "--outputs", "judged/outputs.jsonl", "--judge", "tool_call_accuracy")
    way = ("--model", MODEL, "--base-url", url, "--no-cache", "--out", "NEW")
    return [
        Command("import fiducial", (), module="import"),
        Command("fiducial --help", ("--help",)),
        Command("fiducial run --help", ("run", "--help")),
        Command(f"check, {OUTPUTS:,} outputs", ("check", *inputs, "--out", "checked.jsonl")),
        Command(
            f"run, {OUTPUTS:,} outputs, a free judge", ("run", *inputs, "--out", "run", *free), fresh="run"
        ),
        Command("the same again", ("run", *inputs, "--out", "run", *free)),
        Command("calibrate that run", ("calibrate", "run")),
        Command("report of that run", ("report", "run")),
        Command(f"calibrate, {ROWS:,} rows of a table", ("calibrate", "table.csv")),
        Command(
            f"judge, {ITEMS:,} calls of {LATENCY:g} ms",
            ("judge", *judged, *way),
        ),
    ]


def write_table(path: Path) -> None:
    """Write labels and scores of one judge in 10,000 clusters."""
    coin = random.Random(7)  # noqa: S311 - no secret
    with path.open("w", newline="") as file:
        table = csv.writer(file)
        table.writerow(["item_id", "cluster", "label", "score", "judge"])
        for row in range(ROWS):
            label = coin.random() < 0.6
            table.writerow([row, row % 10_000, int(label), int(label == (coin.random() < 0.9)), "judge"])


@contextmanager
def revision(name: str) -> Generator[Path]:
    """Yield the tree of a revision, in a temporary folder."""
    with TemporaryDirectory() as folder:
        packed = subprocess.run(["git", "archive", name], cwd=ROOT, check=True, capture_output=True).stdout
        subprocess.run(["tar", "-x", "-C", folder], input=packed, check=True)
        yield Path(folder)


def measured(command: Command, links: Path, folder: Path) -> Used:
    """Run a command to its end, with the package that a folder links to."""
    given = ["-c", "import fiducial"] if command.module == "import" else ["-m", command.module]
    arguments = [
        str(folder / f"out-{time.monotonic_ns()}") if argument == "NEW" else argument
        for argument in command.arguments
    ]
    if command.fresh:
        shutil.rmtree(folder / command.fresh, ignore_errors=True)
    environment = {**os.environ, "PYTHONPATH": str(links), "OPENAI_API_KEY": "none"}
    return run_to_end([sys.executable, *given, *arguments], folder, environment=environment)


def prepared(tree: Path, scratch: Path, side: str) -> tuple[Path, Path]:
    """Return a folder from which the package is imported, and one with inputs."""
    compile_package(tree)
    links, folder = scratch / f"links-{side}", scratch / side
    links.mkdir()
    (links / "fiducial").symlink_to(tree)
    (folder / "judged").mkdir(parents=True)
    write_inputs(folder, OUTPUTS)
    write_items(ITEMS, folder / "judged")
    write_table(folder / "table.csv")
    return links, folder


def main() -> None:
    """Print a table."""
    parser = described(__doc__)
    parser.add_argument("revision", help="what is compared with this tree, by git's name")
    parser.add_argument("--runs", type=int, default=5)
    given = parser.parse_args()
    with revision(given.revision) as earlier, TemporaryDirectory() as scratch, running_server(LATENCY) as url:
        sides = [prepared(earlier, Path(scratch), "before"), prepared(ROOT, Path(scratch), "now")]
        print(f"load {os.getloadavg()[0]:.1f}; medians of {given.runs}\n")
        print("| | before: wall, processor, memory | now | now / before |\n|---|---|---|---|")
        for command in commands(url):
            runs: list[list[Used]] = [[], []]
            for _ in range(given.runs):
                for side, found in zip(sides, runs, strict=True):
                    found.append(measured(command, *side))
            before, now = (Used(*map(statistics.median, zip(*found, strict=True))) for found in runs)
            ratios = ", ".join(f"{new / old:.2f}" for new, old in zip(now, before, strict=True))
            print(f"| {command.name} | {shown(before)} | {shown(now)} | {ratios} |", flush=True)


def shown(used: Used) -> str:
    """Format one cell of the table."""
    return f"{used.wall:.2f} s, {used.processor:.2f} s, {used.memory:.0f} MB"


if __name__ == "__main__":
    main()
