"""Adjudication by people who err; a second person decides a part of the outputs again."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from fiducial.calibration import Statistic
from fiducial.calibration.decisions import Decision

from .adjudicated import Labelled
from .judges import chances
from .scenario import Scenario, mean, share

_ROWS = 1_000
_SENSITIVITY, _SPECIFICITY = 0.9, 0.97
_TRUTH = {
    "accuracy": 0.6 * 0.95 + 0.4 * 0.9,
    "true_positive_rate": 0.95,
    "true_negative_rate": 0.9,
    "label_sensitivity": _SENSITIVITY,
    "label errors": 0.6 * (1 - _SENSITIVITY) + 0.4 * (1 - _SPECIFICITY),
}
_BEFORE = {"accuracy": "18 %", "label errors": "2 %"}


def erring_deciders(draws: int) -> Iterator[Scenario]:
    """Simulate adjudication of all disagreements and some agreements by people who err.

    A second person decides half of them again.
    """
    for errs, agreements, rows in (
        (0.05, 150, 1),
        (0.05, 50, 1),
        (0.05, 150, 5),
        (0.02, 150, 1),
        (0.1, 150, 1),
    ):
        rng = np.random.default_rng(18)
        found = [_adjudicated(rng, draw, errs, agreements, rows) for draw in range(max(1, draws // 4))]
        case = (
            f"each errs on {errs:.0%}, {agreements} agreements decided{', clusters of 5' if rows > 1 else ''}"
        )
        headline = (errs, agreements, rows) == (0.05, 150, 1)
        for name, value in _TRUTH.items():
            told = [each[name] for each in found]
            before = _BEFORE.get(name, "") if headline else ""
            yield share(
                f"{case}: {name} covered",
                before,
                "at least 93 %",
                [_covers(statistic, value) for statistic in told],
            )
            ends = [(statistic.high, statistic.low) for statistic in told]
            widths = [high - low for high, low in ends if high is not None and low is not None]
            yield mean(f"{case}: width of {name}", "", "", widths)


def _covers(found: Statistic, value: float) -> bool:
    return found.low is not None and found.high is not None and found.low <= value <= found.high


def _adjudicated(
    rng: np.random.Generator, draw: int, errs: float, agreements: int, rows: int
) -> dict[str, Statistic]:
    cluster = np.repeat(np.arange(_ROWS // rows), rows)
    right = rng.random(_ROWS) < chances(rng, 0.6, 0.2 if rows > 1 else 0.0, cluster)
    label = np.where(right, rng.random(_ROWS) < _SENSITIVITY, rng.random(_ROWS) >= _SPECIFICITY)
    score = np.where(right, rng.random(_ROWS) < 0.95, rng.random(_ROWS) >= 0.9)
    labelled = Labelled(draw, label, score, cluster)

    def decision(by: str, row: int) -> Decision:
        return Decision(by, "right" if right[row] ^ (rng.random() < errs) else "wrong")

    decided = {
        row: (decision("ann", row), *([decision("bob", row)] if rng.random() < 0.5 else []))
        for row in labelled.to_decide(agreements)
    }
    found = labelled.adjudicated(decided)
    return found.corrected | {"label errors": found.label_errors["all"].corrected}
