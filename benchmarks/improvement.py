"""Claims of `fiducial improve` in worlds with known truth; models are functions.

Nothing is sent anywhere.

    python benchmarks/improvement.py [WORLDS] [NAME ...] [--whole] [--workers 2]

Four candidates compete in each world. A naive claim stands beside: the best of four on all items, tested on the same items. With --whole every world
goes through `fiducial.improve` with its prompts, folders and runs, half a second each; without, the same division, comparison and decision are taken
on the verdicts themselves.
"""

from __future__ import annotations

import math
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from typing import NamedTuple

import numpy as np
from commands import described
from simulation.prompt_worlds import PromptWorld, answer_of, drawn_world, improved

from fiducial.calibration.comparison.difference import share_difference

WORLDS: dict[str, PromptWorld] = {
    "no-gain": PromptWorld(),
    "no-gain-groups": PromptWorld(per_group=4),
    "gain-0.10": PromptWorld(gain=0.1),
    "gain-0.10-groups": PromptWorld(gain=0.1, per_group=4),
    "gain-0.10-of-200": PromptWorld(items=200, gain=0.1),
    "gain-0.05": PromptWorld(gain=0.05),
    "gain-0.10-believes-notes": PromptWorld(gain=0.1, believes=0.4),
    "gain-0.10-20-operators": PromptWorld(gain=0.1, operators=20),
    "gain-0.10-loss-0.20": PromptWorld(gain=0.1, operators=20, loss=0.2),
    "flatters-labels": PromptWorld(label_errors=0.15),
    "flatters-adjudicated": PromptWorld(label_errors=0.15, adjudicated=True),
}


class _Found(NamedTuple):
    answer: str
    naive: bool


def main() -> None:
    """Print the share of worlds by answer."""
    parser = described(__doc__)
    parser.add_argument("worlds", nargs="?", type=int, default=400)
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(WORLDS))
    parser.add_argument("--whole", action="store_true", help="go through fiducial.improve")
    parser.add_argument("--workers", type=int, default=1)
    arguments = parser.parse_args()
    names = list(WORLDS)
    unknown = set(arguments.names) - WORLDS.keys()
    if unknown:
        parser.error(f"no such worlds: {', '.join(sorted(unknown))}; there are {', '.join(WORLDS)}")
    if arguments.whole:
        names = [name for name, world in WORLDS.items() if not world.operators]
    for name in arguments.names or names:
        with ProcessPoolExecutor(arguments.workers) as pool:
            found = list(
                pool.map(partial(_found, WORLDS[name], whole=arguments.whole), range(arguments.worlds))
            )
        print(_line(name, found), flush=True)


def _found(world: PromptWorld, seed: int, *, whole: bool) -> _Found:
    answer = improved(world, seed).answer if whole else answer_of(world, seed)
    return _Found(answer, _naive(world, seed))


def _naive(world: PromptWorld, seed: int) -> bool:
    """Return whether the best of four beats the current prompt on all items, one-sided at 5 %."""
    drawn = drawn_world(world, seed)
    current, *others = (said == drawn.label for said in drawn.said)
    best = max(others, key=lambda right: float(right.mean()))
    low = share_difference(best, current, np.arange(world.items) // world.per_group, 0.9).estimate.low
    return low is not None and low > 0.0


def _line(name: str, found: list[_Found]) -> str:
    n = len(found)
    written = sum(each.answer == "improved" for each in found) / n
    error = math.sqrt(max(written * (1 - written), 1 / n) / n)
    naive = sum(each.naive for each in found) / n
    answers = ", ".join(
        f"{answer} {count}" for answer, count in Counter(each.answer for each in found).most_common()
    )
    return f"{name}: written {written:.3f} (Monte Carlo error {error:.3f}) of {n} worlds; naive {naive:.3f}; {answers}"


if __name__ == "__main__":
    main()
