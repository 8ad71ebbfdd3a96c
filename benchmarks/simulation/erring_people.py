"""People who err: the pass rate with labels of several, taken as exact or corrected."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from fiducial.calibration import estimate, table_from_rows
from fiducial.calibration.corrected_rate.estimation_results import RateEstimate
from fiducial.calibration.statistic import Statistic

from .scenario import Scenario, mean, share

_ITEMS, _LABELLED, _RATE = 600, 200, 0.8


def erring_people(draws: int) -> Iterator[Scenario]:
    """Simulate three people, or a pool of whom three label each output, alone and in clusters."""
    for what, people, per_item, wrong, cluster, before in (
        ("three people, each wrong on 15 %", 3, 3, 0.15, 1, "47 %"),
        ("three people, each wrong on 5 %", 3, 3, 0.05, 1, ""),
        ("three of five people, each wrong on 15 %", 5, 3, 0.15, 1, ""),
        ("three people, each wrong on 15 %, clusters of 5", 3, 3, 0.15, 5, ""),
    ):
        rng = np.random.default_rng([people, per_item, round(100 * wrong), cluster])
        exact: list[bool] = []
        corrected: list[bool] = []
        rejects: list[bool] = []
        widths: list[float] = []
        for _ in range(max(1, draws // 4)):
            found = _estimated(rng, people, per_item, wrong, cluster)
            exact.append(_covers(found.ppi_plus_plus, _RATE))
            corrected.append(_covers(found.rate, _RATE))
            if found.label_errors is not None and found.label_errors.people:
                rejects.append(_covers(found.label_errors.people["p0"].rejected, wrong))
            widths.append((found.rate.high or 1.0) - (found.rate.low or 0.0))
        yield share(f"{what}: labels taken as exact", before, "", exact)
        yield share(f"{what}: corrected for their errors", "", "at least 93 %", corrected)
        yield share(f"{what}: a person's share of good outputs rejected", "", "at least 93 %", rejects)
        yield mean(f"{what}: width", "", "", widths)


def _covers(found: Statistic, truth: float) -> bool:
    return found.low is not None and found.high is not None and found.low <= truth <= found.high


def _estimated(
    rng: np.random.Generator, people: int, per_item: int, wrong: float, cluster: int
) -> RateEstimate:
    easy = np.repeat(rng.beta(8, 2, _ITEMS // cluster), cluster)
    right = rng.random(_ITEMS) < (easy if cluster > 1 else _RATE)
    score = np.where(rng.random(_ITEMS) < 0.85, right, ~right)
    chosen = set(rng.permutation(_ITEMS // cluster)[: _LABELLED // cluster].tolist())
    rows: list[dict[str, object]] = []
    for n in range(_ITEMS):
        row: dict[str, object] = {
            "item_id": f"i{n}",
            "cluster": f"c{n // cluster}",
            "judge": "j",
            "score": float(score[n]),
        }
        if n // cluster in chosen:
            raters = rng.permutation(people)[:per_item].tolist()
            grades = {
                f"person:p{rater}": float(right[n] if rng.random() >= wrong else ~right[n])
                for rater in raters
            }
            row |= grades
            total = sum(grades.values())
            if 2 * total != per_item:
                row["label"] = float(2 * total > per_item)
        rows.append(row)
    return estimate(table_from_rows(rows), labels_chosen_by="random").all
