"""Equal opinions at their own threshold, and systems whose cases are tried several times."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from fiducial.calibration import compare, table_from_rows
from fiducial.records.made_scores import mean_score, reaches

from .scenario import Scenario, share

_CASES, _TRIALS = 60, 8


def equal_opinions(_draws: int) -> Iterator[Scenario]:
    """Count means of equal opinions that fall below their own value, also with weights."""
    fell: list[bool] = []
    opinions = [
        (value / scale, jurors)
        for scale in range(2, 11)
        for value in range(1, scale)
        for jurors in range(2, 16)
    ]
    for value, jurors in opinions:
        means = (
            mean_score([value] * jurors),
            mean_score([value] * jurors, [1 + n / 3 for n in range(jurors)]),
        )
        fell += [not reaches(mean, value) for mean in means]
    naive = sum(sum([value] * jurors) / jurors < value for value, jurors in opinions)
    before = f"{naive / len(opinions):.1%} (a plain sum)"
    yield share("equal opinions of 1/2 to 9/10, 2 to 15 of them: mean below them", before, "0", fell)


def tried_systems(draws: int) -> Iterator[Scenario]:
    """Compare two systems, 0.2 apart, in a table with a column ``trial``."""
    rng = np.random.default_rng(490)
    whole, covered = list[bool](), list[bool]()
    for _ in range(draws):
        easy = rng.normal(0, 0.1, _CASES)
        rows = [
            {"item_id": f"c{case}", "system": system, "trial": trial, "judge": "j", "score": float(passes)}
            for system, rate in (("a", 0.7), ("b", 0.5))
            for case in range(_CASES)
            for trial, passes in enumerate(rng.random(_TRIALS) < rate + easy[case])
        ]
        (pair,) = compare(table_from_rows(rows), by="system").pairs
        low, high = pair.difference.low, pair.difference.high
        whole.append(pair.n == _CASES * _TRIALS)
        covered.append(low is not None and high is not None and low <= 0.2 <= high)
    what = f"{_CASES} cases, {_TRIALS} trials, two systems"
    yield share(f"{what}: every row counts", "0 % (840 of 960 rows dropped)", "100 %", whole)
    yield share(f"{what}: the difference", "", "93 % or more", covered)
