"""Forecast for a billion outputs: resources, the first one to run out, and a budget's use.

Costs are extrapolated from a few outputs on this machine.

    python benchmarks/billion.py [--outputs 1000000000] [--draws 400]

Measures `check`, `run` with a judge that costs nothing, and `calibrate` at two sizes: the slope is what an output costs. Everything else is arithmetic,
but for two simulations: parts over workers that die, and the rate that nested samples of the planned sizes give.
"""

from __future__ import annotations

import argparse
import heapq
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import numpy as np
from commands import FIDUCIAL, described, run_to_end
from run_folders import write_inputs
from simulation.budgets import World, counts_of, estimated, planned

from fiducial.calibration.planning.budget_plan import PhaseName

_SIZES = (100_000, 300_000)
"""Of both the same 10,000 cases are checked, so that the slope is that of outputs."""
_PART = 1_000_000
_HOUR, _MB, _GB = 3_600, 1e6, 1e9


class Costs(NamedTuple):
    """Costs of one more output.

    Attributes:
        processor: Seconds.
        memory: Bytes, at the peak.
        disk: Bytes, of what is written.
    """

    processor: float
    memory: float
    disk: float


def slopes() -> dict[str, Costs]:
    """Return each command's costs of one more output, from two sizes."""
    judge = ("--judge", "tool_call_accuracy@baseline", "--judge-on", "all")
    inputs = ("cases.jsonl", "--outputs", "outputs.jsonl", "--workers", "1")
    commands = {
        "check": ("check", *inputs, "--out", "checked.jsonl"),
        "run, one judge": ("run", *inputs, "--out", "run", *judge),
        "calibrate": ("calibrate", "run"),
    }
    found: dict[str, list[tuple[float, float, float]]] = {name: [] for name in commands}
    for size in _SIZES:
        with TemporaryDirectory() as scratch:
            write_inputs(Path(scratch), size)
            for name, command in commands.items():
                before = _bytes(Path(scratch))
                _, processor, memory = run_to_end([FIDUCIAL, *command], Path(scratch))
                found[name].append((processor, memory * _MB, _bytes(Path(scratch)) - before))
    more = _SIZES[1] - _SIZES[0]
    return {
        name: Costs(*((b - a) / more for a, b in zip(small, large, strict=True)))
        for name, (small, large) in found.items()
    }


def _bytes(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def hours_of_parts(
    parts: int, seconds: float, workers: int, between_deaths: float, seed: int = 0
) -> tuple[float, int]:
    """Return the hours until all parts are done, and the number of workers that died.

    A dead worker's progress is kept, and the worker is back in a minute.
    """
    rng, deaths, last = np.random.default_rng(seed), 0, 0.0
    free = [(0.0, worker) for worker in range(workers)]
    dies = rng.exponential(between_deaths * _HOUR, workers)
    for left in [seconds] * parts:
        now, worker = heapq.heappop(free)
        rest = left
        while now + rest > dies[worker]:
            rest -= max(0.0, dies[worker] - now)
            now, deaths = max(now, dies[worker]) + 60, deaths + 1
            dies[worker] = now + rng.exponential(between_deaths * _HOUR)
        last = max(last, now + rest)
        heapq.heappush(free, (now + rest, worker))
    return last / _HOUR, deaths


def main() -> None:
    """Print what it comes to."""
    parser = described(__doc__)
    parser.add_argument("--outputs", type=int, default=10**9)
    parser.add_argument("--memory", type=float, default=24, help="GB of a machine")
    parser.add_argument("--calls-a-minute", type=float, default=10_000)
    parser.add_argument("--seconds-a-call", type=float, default=2.0)
    parser.add_argument("--cheap", type=float, default=0.0005, help="dollars a verdict of the cheap judge")
    parser.add_argument("--dear", type=float, default=0.02)
    parser.add_argument("--label", type=float, default=2.0)
    parser.add_argument("--draws", type=int, default=400)
    given = parser.parse_args()
    of = slopes()
    _on_paper(of, given)
    _parts(of["check"], given)
    _budgets(given)


def _on_paper(of: dict[str, Costs], given: argparse.Namespace) -> None:
    n = given.outputs
    print(
        f"{'':16} {'an output more: us, bytes held, bytes written':>48} {'of all: processor hours':>24} {'GB held':>9} {'GB written':>11} {'24 GB are full at':>18}"
    )
    for name, each in of.items():
        full = given.memory * _GB / each.memory if each.memory > 0 else float("inf")
        print(
            f"{name:16} {each.processor * 1e6:20,.0f} {each.memory:13,.0f} {each.disk:13,.0f} {n * each.processor / _HOUR:24,.1f} "
            f"{n * each.memory / _GB:9,.0f} {n * each.disk / _GB:11,.0f} {full:18,.0f}"
        )
    calls = n / given.calls_a_minute / 60
    print(
        f"a verdict of each: {n:,} calls, {calls:,.0f} hours ({calls / 24:,.0f} days) at {given.calls_a_minute:,.0f} a minute, for which "
        f"{given.calls_a_minute / 60 * given.seconds_a_call:,.0f} are in flight at {given.seconds_a_call:g} s each; "
        f"{n * given.cheap:,.0f} dollars by the cheap judge, {n * given.dear:,.0f} by the dear one, {n * given.label:,.0f} by people"
    )


def _parts(check: Costs, given: argparse.Namespace) -> None:
    parts, seconds = -(-given.outputs // _PART), check.processor * _PART
    print(f"\n{parts:,} parts of {_PART:,} to check, {seconds:,.0f} s each; hours by simulation:")
    for workers in (2, 16, 64):
        for between in (1e9, 10.0, 1.0):
            hours, deaths = hours_of_parts(parts, seconds, workers, between)
            how = (
                "no worker dies"
                if between > 1e6
                else f"each worker dies every {between:g} h, {deaths:,} deaths"
            )
            print(
                f"  {workers:3} workers: {hours:7.2f} ({parts * seconds / workers / _HOUR:.2f} at the least); {how}"
            )


def _budgets(given: argparse.Namespace) -> None:
    print(
        "\nwhat a budget buys: half-width of the rate of all outputs (checkers decide 60 %, six in ten of the rest are right)"
    )
    costs: dict[PhaseName, float] = {
        "check": 0.0,
        "cheap": given.cheap,
        "expensive": given.dear,
        "label": given.label,
    }
    for budget in (200, 1_000, 5_000, 25_000, 125_000):
        world = World(0.6, 0.6, (0.85, 0.8), (0.95, 0.93), costs, budget)
        plan, rng, rates = planned(world, given.outputs), np.random.default_rng(60), list[float]()
        counts = counts_of(plan)
        for _ in range(given.draws if budget <= 5_000 else 0):
            rate = estimated(rng, world, counts)[0]
            rates += [] if rate is None else [rate]
        got = f"{1.96 * np.std(rates):.5f}" if rates else "not simulated"
        bought = ", ".join(f"{n:,} {name}" for name, n in counts.items())
        alone = plan.labels_alone_cost
        print(
            f"  {budget:9,} dollars: {plan.half_width:.5f} promised, {got} by {len(rates)} draws; labels alone {alone or 0:,.0f} dollars; {bought}"
        )


if __name__ == "__main__":
    main()
