"""Throughput of asking a decision model, beside a bare aiohttp loop.

    python benchmarks/decision_throughput.py [--items 2000] [--concurrency 64] [--latency 50] [--runs 5]

The loop posts requests that were rendered before. Both ask the same server in turns. Each run is a process of its own on one core, measured with its start-up and without; the
server has another core.
"ideal" is items x latency / concurrency. On a busy machine run it at real-time priority: `chrt -f 10 python ...`.
"""

from __future__ import annotations

import statistics
import sys
import tempfile
from pathlib import Path

from bytecode import compile_package
from commands import Used, beside_first, described, run_to_end, started

_PROCESSES = str(Path(__file__).parent / "judging" / "decisions.py")
_ROWS = {"bare loop": "loop", "fiducial, library": "library"}


def main() -> None:
    """Print the comparison."""
    parser = described(__doc__)
    parser.add_argument("--items", type=int, default=2000)
    parser.add_argument("--concurrency", type=int, default=64)
    parser.add_argument("--latency", type=float, default=50, help="milliseconds")
    parser.add_argument("--runs", type=int, default=5)
    arguments = parser.parse_args()
    compile_package()
    ideal = arguments.items * arguments.latency / 1000 / arguments.concurrency
    measured: dict[str, list[Used]] = {name: [] for name in _ROWS}
    asking: dict[str, list[float]] = {name: [] for name in _ROWS}
    command = [sys.executable, _PROCESSES, "server", "--latency", str(arguments.latency)]
    with started(command) as url, tempfile.TemporaryDirectory() as scratch:
        folder, of = Path(scratch), ["--items", str(arguments.items)]
        run_to_end([sys.executable, _PROCESSES, "write", *of], folder)
        of += ["--url", url, "--concurrency", str(arguments.concurrency)]
        for _ in range(arguments.runs):  # in turns, so that the machine's mood is the same for all
            for name, process in _ROWS.items():
                measured[name].append(run_to_end([sys.executable, _PROCESSES, process, *of], folder, core=-1))
                asking[name].append(float((folder / "printed").read_text()))
    print(
        f"{arguments.items:,} items, {arguments.latency:g} ms, concurrency {arguments.concurrency}, medians of {arguments.runs}\n"
    )
    print("| | asking s | / bare loop | process s | / ideal | / bare loop | CPU ms an item | RSS MB |")
    print("|---|---|---|---|---|---|---|---|")
    first = statistics.median(next(iter(asking.values())))
    for name, cells in beside_first(measured, ideal, arguments.items).items():
        seconds = statistics.median(asking[name])
        print(f"| {name} | {seconds:.2f} | {seconds / first:.2f} | {cells} |")


if __name__ == "__main__":
    main()
