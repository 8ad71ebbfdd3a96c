"""Two systems, of which one has no labels, or fewer: the rate of all outputs."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from fiducial.calibration import estimate, table_from_rows
from fiducial.calibration.corrected_rate.estimation_results import Estimation
from fiducial.calibration.label_declarations import LabelDeclaration
from fiducial.report.document import as_lines
from fiducial.report.text.estimation_screen import estimation_screen

from .scenario import Scenario, share

_RATES = {"a": 0.85, "b": 0.45}
"""Pass rate by system."""

_OUTPUTS = {"a": 400, "b": 200}
"""Outputs by system, of which the first lets pass more; the judge has a TPR of 0.9 and a TNR of 0.8."""

_TRUTH = sum(_RATES[name] * _OUTPUTS[name] for name in _RATES) / sum(_OUTPUTS.values())


def unlabelled_systems(draws: int) -> Iterator[Scenario]:
    """Draw labels of one of two systems, or of both with unequal chances."""
    declarations: tuple[LabelDeclaration | None, ...] = (None, "random", "system")
    for declared in declarations:
        rng = np.random.default_rng([49, 4, declarations.index(declared)])
        answers, rows = list[bool](), list[bool]()
        for _ in range(max(1, draws // 4)):
            found = _estimated(rng, {"a": 60, "b": 0}, declared)
            first = next(iter(as_lines(estimation_screen(found), width=None)))
            answers.append("uncorrected" not in first)
            rows.append(found.systems["b"].reported is not None)
        what = f"60 labels of one system, none of the other, declared {declared}: "
        yield share(f"{what}a corrected rate of all", "covers 22 to 83 %", "0", answers)
        yield share(f"{what}one of the other", "all", "0", rows)
    for labels in ({"a": 60, "b": 60}, {"a": 30, "b": 100}):
        rng = np.random.default_rng([49, 4, *labels.values()])
        whole, single = list[bool](), list[bool]()
        for _ in range(max(1, draws // 4)):
            found = _estimated(rng, labels, "system")
            whole.append(_covers(found, "all", _TRUTH))
            single += [_covers(found, name, rate) for name, rate in _RATES.items()]
        what = (
            f"{' and '.join(map(str, labels.values()))} labels of systems of 400 and 200, declared system: "
        )
        yield share(f"{what}rate of all", "", "93 % or more", whole)
        yield share(f"{what}rate of each", "", "93 % or more", single)


def _covers(found: Estimation, name: str, truth: float) -> bool:
    part = found.all if name == "all" else found.systems[name]
    rate = part.rate
    return (
        part.reported is not None
        and rate.low is not None
        and rate.high is not None
        and rate.low <= truth <= rate.high
    )


def _estimated(
    rng: np.random.Generator, labels: dict[str, int], declared: LabelDeclaration | None
) -> Estimation:
    rows: list[dict[str, str | float | None]] = []
    for name, count in _OUTPUTS.items():
        right = rng.random(count) < _RATES[name]
        score = np.where(rng.random(count) < np.where(right, 0.9, 0.8), right, ~right)
        known = set(rng.choice(count, labels[name], replace=False).tolist())
        rows += [
            {"item_id": f"{name}{n}", "system": name, "judge": "j", "score": float(score[n])}
            | {"label": float(right[n]) if n in known else None}
            for n in range(count)
        ]
    return estimate(table_from_rows(rows), labels_chosen_by=declared)
