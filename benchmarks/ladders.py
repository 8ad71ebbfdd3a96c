"""Ladders of judges with planted thresholds: error, coverage, and ladders called flat.

    python benchmarks/ladders.py [--audits 400] [--calls 300]

Judges are asked as an audit asks them: in rounds of 50, of which 5 are about right outputs and tell nothing here. Needs no network and no data.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator, Sequence
from itertools import chain
from statistics import NormalDist

import numpy as np
from commands import described
from simulation.ladders import Planted, asked, evenly, falling, true_threshold, up_and_down

from fiducial.calibration.ladders import CurveFamily, LadderFit, next_levels
from fiducial.deterministic.mutation import DIALS

NEAR = 0.1
LENGTH = math.log(48)
"""Of the ladder from 1 to 48, in logarithms."""


def main() -> int:
    """Print the tables."""
    parser = described(__doc__)
    parser.add_argument("--audits", type=int, default=400)
    parser.add_argument("--calls", type=int, default=300)
    arguments = parser.parse_args()
    faults = arguments.calls - arguments.calls // 10
    print(f"{arguments.audits} audits each, {arguments.calls} calls, of which {faults} about faults\n")
    tables = (table(arguments.audits, faults) for table in (thresholds, attainable, steps, flat, designs))
    for line in chain.from_iterable(chain(table, [""]) for table in tables):
        print(line, flush=True)
    return 0


def thresholds(audits: int, faults: int) -> Iterator[str]:
    """Counts from 1 to 48."""
    family = CurveFamily(DIALS["parallel_calls"].places)
    yield "| from 80 % to 20 % within a factor of | judge | bias of the level | level within 10 % | within 10 % of the ladder | intervals that cover | half an interval |"
    yield "|---|---|---|---|---|---|---|"
    for factor in (1.5, 2.0, 2.5, 4.0):
        for name, threshold in (
            ("80 % at 7", math.log(7) / LENGTH),
            ("80 % at 20", math.log(20) / LENGTH),
        ):
            judge = falling(threshold, math.log(factor) / LENGTH)
            yield _row(f"{factor:g} | {name}", judge, _asked(family, judge, audits, faults))
    for name, others in (
        ("10 % lapses", {"top": 0.9}),
        ("catches 15 % unseen", {"floor": 0.15}),
        ("threshold differs between scenes (sd a factor of 1.3)", {"spread": math.log(1.3) / LENGTH}),
    ):
        judge = falling(math.log(7) / LENGTH, math.log(2) / LENGTH, **others)
        yield _row(f"2 | 80 % at 7; {name}", judge, _asked(family, judge, audits, faults))


def attainable(_: int, faults: int) -> Iterator[str]:
    """Yield the precision that unbiased questions can reach: the Cramer-Rao bound.

    It is that of a logistic curve's level, smallest where all questions are asked at that level.
    """
    yield "| from 80 % to 20 % within a factor of | standard error, at the least | level within 10 %, at the most |"
    yield "|---|---|---|"
    for factor in (1.5, 2.0, 2.5, 4.0):
        steepness = 2 * math.log(0.8 / 0.2) / math.log(factor)
        error = 1 / (steepness * math.sqrt(0.8 * 0.2 * faults))
        normal = NormalDist(0.0, error)
        near = normal.cdf(math.log(1 + NEAR)) - normal.cdf(math.log(1 - NEAR))
        yield f"| {factor:g} | {error:.1%} | {near:.1%} |"


def _row(name: str, judge: Planted, fits: Sequence[LadderFit]) -> str:
    wanted = true_threshold(judge)
    found = np.array([fit.threshold for fit in fits])
    ratio = np.exp((found[np.isfinite(found)] - wanted) * LENGTH)
    near = np.mean(np.abs(np.exp((found - wanted) * LENGTH) - 1) <= NEAR)
    on_ladder = np.mean(np.abs(found - wanted) <= NEAR)
    half = np.median([math.exp((fit.high - fit.low) / 2 * LENGTH) - 1 for fit in fits])
    return f"| {name} | {ratio.mean() - 1:+.1%} | {near:.1%} | {on_ladder:.1%} | {_covering(fits, wanted):.1%} | {half:.0%} |"


def steps(audits: int, faults: int) -> Iterator[str]:
    """Yield a table of ladders with few levels."""
    yield "| steps | falls within | bias, in steps | within a quarter of a step | within half a step | intervals that cover |"
    yield "|---|---|---|---|---|---|"
    for name in ("number_error", "indirectness", "inference"):
        places = DIALS[name].places
        for fall in (1, 2):
            judge = falling(0.45, fall / (len(places) - 1))
            fits = _asked(CurveFamily(places), judge, audits, faults)
            off = (np.array([fit.threshold for fit in fits]) - judge.threshold) * (len(places) - 1)
            near = [np.mean(np.abs(off) <= part) for part in (0.25, 0.5)]
            bias = off[np.isfinite(off)].mean()
            covers = _covering(fits, judge.threshold)
            yield f"| {len(places)} | {fall} | {bias:+.2f} | {near[0]:.1%} | {near[1]:.1%} | {covers:.1%} |"


def designs(audits: int, faults: int) -> Iterator[str]:
    """Yield a table of other designs of asking, with the same fit."""
    family = CurveFamily(DIALS["parallel_calls"].places)
    yield "| asked | from 80 % to 20 % within a factor of | level within 10 % | intervals that cover | half an interval |"
    yield "|---|---|---|---|---|"
    for name, design, at_once in (
        ("in six rounds, as audits do", next_levels, 45),
        ("one at a time, up and down", up_and_down, 1),
        ("evenly", evenly, 45),
    ):
        for factor in (2.0, 4.0):
            judge = falling(math.log(7) / LENGTH, math.log(factor) / LENGTH)
            fits = [
                asked(family, judge, np.random.default_rng(seed), faults, at_once, design)
                for seed in range(audits)
            ]
            off = np.exp((np.array([fit.threshold for fit in fits]) - judge.threshold) * LENGTH) - 1
            half = np.median([math.exp((fit.high - fit.low) / 2 * LENGTH) - 1 for fit in fits])
            near = np.mean(np.abs(off) <= NEAR)
            yield f"| {name} | {factor:g} | {near:.1%} | {_covering(fits, judge.threshold):.1%} | {half:.0%} |"


def flat(audits: int, faults: int) -> Iterator[str]:
    """Judges whose share does not fall, and one whose share does."""
    family = CurveFamily(DIALS["parallel_calls"].places)
    yield "| judge | called flat | not reached | breaks on the ladder | breaks before it | of at most (median) |"
    yield "|---|---|---|---|---|---|"
    for name, judge in (
        ("catches 99 % at every level", Planted(0.5, 0.0, top=0.99)),
        ("90 %", Planted(0.5, 0.0, top=0.9)),
        ("80 %", Planted(0.5, 0.0, top=0.8)),
        ("60 %", Planted(0.5, 0.0, top=0.6)),
        ("10 %", Planted(0.5, 0.0, top=0.1)),
        ("falls within a factor of 2, 80 % at 7", falling(0.5, math.log(2) / LENGTH)),
        ("falls within a factor of 4, 80 % at 40", falling(math.log(40) / LENGTH, math.log(4) / LENGTH)),
        (
            "falls within a factor of 4, 80 % at 70, beyond the ladder",
            falling(math.log(70) / LENGTH, math.log(4) / LENGTH),
        ),
    ):
        fits = _asked(family, judge, audits, faults)
        where = [fit.threshold for fit in fits]
        shares: list[float] = [
            sum(fit.flat for fit in fits) / audits,
            sum(each == math.inf for each in where) / audits,
            sum(map(math.isfinite, where)) / audits,
            sum(each == -math.inf for each in where) / audits,
        ]
        most: float = np.median([1.0 if fit.drop.high is None else fit.drop.high for fit in fits])
        yield f"| {name} | {' | '.join(f'{share:.1%}' for share in shares)} | {most:.2f} |"


def _asked(family: CurveFamily, judge: Planted, audits: int, faults: int) -> list[LadderFit]:
    return [asked(family, judge, np.random.default_rng(seed), faults, 45) for seed in range(audits)]


def _covering(fits: Sequence[LadderFit], wanted: float) -> float:
    return float(np.mean([fit.low <= wanted <= fit.high for fit in fits]))


if __name__ == "__main__":
    sys.exit(main())
