"""Judging when the provider misbehaves: what is lost, what is asked more often than needed, how much longer it takes.

    FIDUCIAL_REFERENCE=... python benchmarks/judge_faults.py [--items 2000] [--runs 3]

The scenes are those of the kit in FIDUCIAL_REFERENCE/perf: F1 2.5 % 429 and 2.5 % 500; F2 2 % unreadable texts, 1 % cut-off bodies, 1 % dropped
connections; F3 a provider that allows 200 requests a second with bursts of 100; hang: 0.5 % of requests are never answered. The timeout is the
default, a minute. "lost" are items whose call failed in the end; a text that cannot be read twice is `unparsable`, not lost. "extra" are calls
beyond one an item. In F1 the server asks to wait a second; items that meet that twice in a row wait two, and the run with them.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
from pathlib import Path
from typing import Any, NamedTuple

from judging.kit import make_items, measure, median, our_runner

LATENCY = 50.0
RATE, BURST = 200, 100


class Scene(NamedTuple):
    """Faults, and what one may expect at best."""

    name: str
    faults: str
    target: str = "-"


SCENES = (
    Scene("none", "{}"),
    Scene("F1", '{"p429":0.025,"p500":0.025,"retry_after":1}', "1.6x"),
    Scene("F2", '{"pgarbage":0.02,"pbadjson":0.01,"pdrop":0.01}', "1.6x"),
    Scene("F3", f'{{"rps_limit":{RATE},"burst":{BURST}}}', "1.15x, 2 % extra"),
    Scene("hang", '{"phang":0.005}', "1.6x"),
)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--items", type=int, default=2000)
    parser.add_argument("--runs", type=int, default=3)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        items = make_items(arguments.items, folder)
        print(f"{arguments.items:,} items, {LATENCY:g} ms, medians of {arguments.runs} runs")
        print("| scene | wall s | against | target | extra calls | faults met | lost | unparsable |")
        print("|---|---|---|---|---|---|---|---|")
        records: dict[str, list[dict[str, Any]]] = {scene.name: [] for scene in SCENES}
        for _ in range(arguments.runs):  # in turns, so that the machine's mood is the same for all
            for scene in SCENES:
                records[scene.name].append(run(scene, items, folder))
        free = median(records["none"], "wall")
        for scene in SCENES:
            print(row(scene, records[scene.name], free, arguments.items), flush=True)


def run(scene: Scene, items: Path, folder: Path) -> dict[str, Any]:
    """One run of a scene."""
    return measure(our_runner(), items, folder, latency=LATENCY, mode="faults", faults=scene.faults)


def row(scene: Scene, runs: list[dict[str, Any]], free: float, count: int) -> str:
    """A line of the table."""
    wall = median(runs, "wall")
    if scene.name == "F3":
        ideal = (count - BURST) / RATE
        against = f"{wall / ideal:.2f}x the ideal {ideal:.1f} s"
    else:
        against = f"{wall / free:.2f}x fault-free"
    met = statistics.median(
        sum(number for kind, number in run["kinds"].items() if kind != "ok") for run in runs
    )
    unparsable = statistics.median(run["res"]["outcomes"].get("unparsable", 0) for run in runs)
    extra = median(runs, "extra_calls")
    share = f"{extra:g} ({extra / count:.1%})"
    return f"| {scene.name} | {wall:.2f} | {against} | {scene.target} | {share} | {met:g} | {lost(runs)} | {unparsable:g} |"


def lost(runs: list[dict[str, Any]]) -> int:
    """Items whose call failed in the end, in the worst run."""
    return max(run["res"]["outcomes"].get("failed", 0) for run in runs)


if __name__ == "__main__":
    main()
