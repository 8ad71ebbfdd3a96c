"""Judging while the provider misbehaves: lost items, extra requests and extra time.

    FIDUCIAL_REFERENCE=... python benchmarks/judge_faults.py [--items 2000] [--runs 3] [--start-up SECONDS]

The scenes are those of the kit in FIDUCIAL_REFERENCE/perf: F1 2.5 % 429 and 2.5 % 500; F2 2 % unreadable texts, 1 % cut-off bodies, 1 % dropped
connections; F3 a provider that allows 200 requests a second with bursts of 100; hang: 0.5 % of requests are never answered. The timeout is the
default, a minute. "lost" are items whose call failed in the end; a text that cannot be read twice is `unparsable`, not lost. "extra" are calls
beyond one an item.

In F1 the server asks to wait a second; items that meet that twice in a row wait two, and the run with them. "least possible" is what a client
without any work of its own, that obeys, would need at the same faults (`judging/floor.py`): seconds from its first call to the last reply, and how many times the wall
time of the fault-free scene that is when both have the start-up that was measured. The lines below the table work out the same for F1 under other seeds of the
faults. With ``--start-up`` nothing is run, and only these are printed.
"""

from __future__ import annotations

import json
import statistics
import tempfile
from pathlib import Path
from typing import Any, NamedTuple

from commands import described
from judging.floor import Call, calls_of, least_seconds, ratio
from judging.kit import fault_kinds, make_items, measure, median, our_runner

LATENCY = 50.0
RATE, BURST = 200, 100
CONCURRENCY = 64
F1_TARGET = 1.6
OTHER_SEEDS = range(1, 21)
"""Of the faults; the kit's own, under which all scenes run, is 0."""


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
    parser = described(__doc__)
    parser.add_argument("--items", type=int, default=2000)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--start-up", type=float, help="Seconds beside the calls; only computes.")
    arguments = parser.parse_args()
    if arguments.start_up is not None:
        print_floors(arguments.items, arguments.start_up)
        return
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        items = make_items(arguments.items, folder)
        print(f"{arguments.items:,} items, {LATENCY:g} ms, medians of {arguments.runs} runs")
        print(
            "| scene | wall s | against | target | least possible | extra calls | faults met | lost | unparsable |"
        )
        print("|---|---|---|---|---|---|---|---|---|")
        records: dict[str, list[dict[str, Any]]] = {scene.name: [] for scene in SCENES}
        for _ in range(arguments.runs):  # in turns, so that the machine's mood is the same for all
            for scene in SCENES:
                records[scene.name].append(run(scene, items, folder))
        free = records["none"]
        for scene in SCENES:
            print(row(scene, records[scene.name], free, arguments.items), flush=True)
        print()
        print_floors(arguments.items, start_up(free))


def run(scene: Scene, items: Path, folder: Path) -> dict[str, Any]:
    """Run one scene and return its measurements."""
    return measure(our_runner(), items, folder, latency=LATENCY, mode="faults", faults=scene.faults)


def start_up(free: list[dict[str, Any]]) -> float:
    """Return seconds of a fault-free run before its first call arrived and after its last reply."""
    return statistics.median(run["wall"] - run["span"] - LATENCY / 1000 for run in free)


def least(scene: Scene, count: int, seed: int = 0) -> float:
    """Return the least possible seconds of a scene, from first call to last reply."""
    faults = json.loads(scene.faults)
    kind = fault_kinds(faults, seed)

    def item(number: int) -> list[Call]:
        def fault(attempt: int) -> str:
            return kind(f"{number:06d}", attempt)

        return calls_of(fault, LATENCY / 1000, faults.get("retry_after", 1.0))

    def opens(number: int) -> float:
        return max(0.0, (number + 1 - BURST) / RATE) if "rps_limit" in faults else 0.0

    return least_seconds((item(number) for number in range(count)), CONCURRENCY, opens=opens)


def print_floors(count: int, seconds: float) -> None:
    """Print how often a client that obeys the server could meet F1's target at all."""
    free, f1 = SCENES[:2]
    without = least(free, count)
    print(
        f"F1, least possible by computation, with a start-up of {seconds:.2f} s ({seconds + without:.2f} s without faults):"
    )
    ratios: dict[int, float] = {}
    for seed in (0, *OTHER_SEEDS):
        needed = least(f1, count, seed)
        ratios[seed] = ratio(needed, without, seconds)
        beyond = "" if ratios[seed] <= F1_TARGET else f", above {F1_TARGET}x"
        own = ", the kit's own" if seed == 0 else ""
        print(
            f"  seed {seed:2d}: {needed:.2f} s after the first call, {ratios[seed]:.2f}x fault-free{beyond}{own}"
        )
    others = [ratios[seed] for seed in OTHER_SEEDS]
    met = sum(found <= F1_TARGET for found in others)
    print(
        f"a client that obeys can stay within {F1_TARGET}x under {met} of the {len(others)} other seeds; median {statistics.median(others):.2f}x"
    )


def row(scene: Scene, runs: list[dict[str, Any]], free_runs: list[dict[str, Any]], count: int) -> str:
    """Return a line of the table."""
    wall, free = median(runs, "wall"), median(free_runs, "wall")
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
    needed = least(scene, count)
    possible = f"{needed:.2f} s, {ratio(needed, least(SCENES[0], count), start_up(free_runs)):.2f}x"
    return f"| {scene.name} | {wall:.2f} | {against} | {scene.target} | {possible} | {share} | {met:g} | {lost(runs)} | {unparsable:g} |"


def lost(runs: list[dict[str, Any]]) -> int:
    """Return the number of items without a verdict, in the worst run."""
    return max(run["res"]["outcomes"].get("failed", 0) for run in runs)


if __name__ == "__main__":
    main()
