"""Small results of a run: systems, their comparison, judges and their agreement."""

from __future__ import annotations

from typing import Any

from fiducial.calibration import compare, table_from_rows
from fiducial.calibration.agreement.calibration_results import JudgeCalibration
from fiducial.calibration.comparison.comparison_results import Comparison
from fiducial.calibration.label_declarations import LabelsDeclaredBy
from fiducial.calibration.statistic import Statistic
from fiducial.evaluation.conclusion.run_results import DECIDED, JudgeUse, StratumRate, SystemResult

RIGHT = {"a": 0.9, "b": 0.85, "c": 0.3}


def systems(*names: str, **more: Any) -> list[SystemResult]:
    part = StratumRate(name=DECIDED, n=60, of=60, value=0.5, low=0.4, high=0.6)
    strata = [part, *more.pop("strata", [])]
    return [SystemResult(system=name, strata=strata, **more) for name in names]


def compared(*names: str, items: int = 60, judged: float | None = None) -> Comparison:
    """Return a comparison on checked items, with a third more judged ones if ``judged``."""
    rows = [
        {
            "item_id": f"i{number}",
            "judge": "j",
            "system": name,
            "score": float(number % 100 < 100 * RIGHT[name]) if decided else judged,
            "checker_score": float((number * 37) % 100 < 100 * RIGHT[name]) if decided else None,
        }
        for name in names
        for number in range(items + (items // 3 if judged is not None else 0))
        for decided in [number < items]
    ]
    return compare(table_from_rows(rows), by="system")


def panel(
    tpr: tuple[float, float],
    tnr: tuple[float, float],
    balanced: float = 0.8,
    high: float = 1.0,
    tpr_high: float = 1.0,
    *,
    bias: tuple[float, float] | None = None,
    declared: LabelsDeclaredBy | None = "every_output",
) -> JudgeCalibration:
    def statistic(value: float, low: float, high: float = 1.0) -> Statistic:
        return Statistic(value=value, low=low, high=high, n=100, method="Wilson")

    statistics = {
        "true_positive_rate": statistic(*tpr, tpr_high),
        "true_negative_rate": statistic(*tnr),
        "balanced_accuracy": statistic(0.9, balanced, high),
        **({"bias": statistic(sum(bias) / 2, *bias)} if bias else {}),
    }
    return JudgeCalibration(
        n=200,
        tp=90,
        fn=10,
        fp=8,
        tn=92,
        statistics=statistics,
        rates_at_once=statistics,
        declared=declared,
    )


def judged(*names: str, **outcomes: int) -> list[JudgeUse]:
    return [JudgeUse(name=name, fingerprint="f", outcomes={"graded": 5, **outcomes}) for name in names]  # pyright: ignore[reportArgumentType]
