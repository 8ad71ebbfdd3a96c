"""Judging beside other tools: same items, same server, same minute.

Each tool has its own environment.

    FIDUCIAL_REFERENCE=... python benchmarks/peers.py [--items 2000] [--runs 3] [--latency 50 200] [--environments FOLDER]

The runners are those of the kit in FIDUCIAL_REFERENCE/perf, which use each tool as its documentation shows, with its concurrency set to 64. Tools are
installed from the package index into FOLDER (outside this repository) where they are not there yet; one that does not install is named and left
out. Every process has one core, the server another; a wall time has start-up in it. Runs are interleaved, and medians are shown. "scored" and
"wrong" are of the last run. Slow tools take most of the time: `--runs 1`, or `--only` to name some.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import venv
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from commands import described
from judging.kit import Runner, interleaved, kit_folder, make_items, measure, median, our_runner

PEERS = {
    "bare openai client": ("run_bare_openai.py", ["openai"]),
    "autoevals": ("run_autoevals.py", ["autoevals", "openai"]),
    "openevals": ("run_openevals.py", ["openevals", "openai"]),
    "inspect-ai": ("run_inspect.py", ["inspect-ai", "openai"]),
    "deepeval": ("run_deepeval.py", ["deepeval"]),
}
CONCURRENCY = 64


def main() -> None:
    """Print the tables."""
    parser = described(__doc__)
    parser.add_argument("--items", type=int, default=2000)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--latency", type=float, nargs="+", default=[50, 200], help="milliseconds")
    parser.add_argument("--only", nargs="+", help="these tools alone")
    parser.add_argument("--environments", type=Path, default=Path(tempfile.gettempdir()) / "fiducial-peers")
    arguments = parser.parse_args()
    kit = kit_folder()
    peers = [
        runner
        for name, (script, packages) in PEERS.items()
        if (not arguments.only or name in arguments.only)
        and (runner := install(name, kit / "runners" / script, packages, arguments.environments))
    ]
    ours = [our_runner("fiducial, library"), our_runner("fiducial judge", command=True)]
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        items = make_items(arguments.items, folder)
        for latency in arguments.latency:
            print(f"\n{datetime.now(UTC):%Y-%m-%d}, {arguments.items:,} items, {latency:g} ms\n")
            table(arguments, [*ours, *peers], items, folder, latency)
        print("\nsecond run of `fiducial judge`, from the cache")
        records = [measure(ours[1], items, folder, latency=50, mode="cache") for _ in range(arguments.runs)]
        print(
            f"wall {median(records, 'wall'):.2f} s, {max(record['requests'] for record in records)} requests"
        )


def install(name: str, script: Path, packages: list[str], environments: Path) -> Runner | None:
    """Put a tool into an environment of its own; None when that fails."""
    folder = environments / name.replace(" ", "-")
    python, installed = folder / "bin" / "python", folder / ".installed"
    runner = Runner(name, str(python), script, {})
    if installed.exists():
        return runner
    venv.create(folder, with_pip=True)
    command = [python, "-m", "pip", "install", "-q", "--disable-pip-version-check", *packages]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        print(f"{name}: not measured, it does not install: {done.stderr.strip().splitlines()[-1]}")
        return None
    installed.touch()
    return runner


def table(
    arguments: argparse.Namespace, runners: list[Runner], items: Path, folder: Path, latency: float
) -> None:
    """One latency's table."""
    ideal = arguments.items * latency / 1000 / CONCURRENCY

    def once(runner: Runner) -> dict[str, Any]:
        print(f"  {runner.name} ...", file=sys.stderr, flush=True)
        return measure(runner, items, folder, latency=latency)

    records = interleaved(runners, arguments.runs, once)
    print(
        "| tool | version | wall s | x ideal | CPU ms an item | RSS MB | connections | in flight | scored | wrong |"
    )
    print("|---|---|---|---|---|---|---|---|---|---|")
    for name, runs in records.items():
        wall, cpu = median(runs, "wall"), median(runs, "cpu")
        last = runs[-1]
        print(
            f"| {name} | {last['res'].get('version', '?')} | {wall:.2f} | {wall / ideal:.2f} | "
            f"{cpu / arguments.items * 1000:.2f} | {median(runs, 'rss_mb'):.0f} | {last['conns']} | "
            f"{last['inflight_max']} | {last['res'].get('scored', 0):,} | {last['res'].get('wrong', '?')} |",
            flush=True,
        )


if __name__ == "__main__":
    main()
