"""Cases that the next step proposes: the power of the test once they are there."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from fiducial.calibration.comparison.comparison_results import Comparison
from fiducial.calibration.comparison.difference import share_difference
from fiducial.calibration.comparison.outputs import AllOutputs, SystemOutputs
from fiducial.calibration.comparison.systems import SystemTerms, strata_of
from fiducial.calibration.planning.sample_sizes import design_effect, items_for_difference
from fiducial.evaluation.conclusion.run_results import SystemResult
from fiducial.evaluation.conclusion.run_summary import RunSummary
from fiducial.proposed_steps import Command
from fiducial.report.next_step import next_step

from .contests import two_systems
from .scenario import Scenario, mean, share

_RATES = (0.75, 0.70)


def power(draws: int) -> Iterator[Scenario]:
    """Power at the difference that the proposed command names, which the systems really have."""
    for rows, before in ((1, ""), (5, "56 %"), (10, "40 %")):
        rng = np.random.default_rng(rows)
        hits: list[bool] = []
        sizes: list[float] = []
        for _ in range(draws):
            items = _proposed(rng, rows)
            if items is None:
                continue
            cluster = np.repeat(np.arange(max(2, round(items / rows))), rows)
            first, second = two_systems(rng, cluster, _RATES)
            p = share_difference(first == 1, second == 1, cluster).p
            hits.append(p is not None and p <= 0.05)
            sizes.append(float(items))
        kind = f"clusters of {rows}" if rows > 1 else "independent cases"
        yield share(f"{kind}: power, promised 80 %", before, "78 to 85 %", hits)
        yield mean(f"{kind}: cases", "", "", sizes)


def _proposed(rng: np.random.Generator, rows: int) -> int | None:
    """Return the number of cases proposed after a run of 300, or None for another next step."""
    cluster = np.repeat(np.arange(300 // rows), rows)
    task = np.arange(300)
    nothing = np.empty((0, 300))
    sides = two_systems(rng, cluster, _RATES)
    field = AllOutputs(
        {
            name: SystemOutputs(
                task, task, np.ones_like(task), task, cluster, side, nothing, nothing, nothing, task
            )
            for name, side in zip("ab", sides, strict=True)
        },
        ["checker"],
        [],
        {},
    )
    strata = strata_of(field, SystemTerms([str(n) for n in task], None, 0, 0.95, "random"))
    compared = Comparison(
        by="system",
        right=None,
        statistic="accuracy",
        pairs=strata.all.pairs,
        contenders={},
        best=None,
        cuts={},
        cautions=[],
        strata=strata,
    )
    systems = [SystemResult(system=name, strata=[]) for name in "ab"]
    step = next_step(RunSummary(systems=systems, compared=compared), []).step
    if not isinstance(step, Command) or not step.given("difference"):
        return None
    given = {option.name: float(option.values[0]) for option in step.options}
    items = items_for_difference(given["difference"], given["discordant"])
    return round(items * design_effect(given.get("rows_per_cluster", 1.0), given.get("icc", 0.0)))
