"""Display of results of tables: calibrations, comparisons, estimates and plans."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from ..calibration.agreement.calibration_results import Calibration, calibration_json
from ..calibration.comparison.comparison_results import Comparison
from ..calibration.corrected_rate.estimation_results import Estimation, estimation_json
from ..calibration.planning.budget_plan import Phase
from ..calibration.planning.plan_results import SamplePlan, plan_json
from ..report.text.calibration_screen import calibration_screen
from ..report.text.calibration_text import calibration_document
from ..report.text.caution_text import comparison_cautions, sentences
from ..report.text.comparison_screen import comparison_screen
from ..report.text.comparison_text import comparison_document
from ..report.text.estimation_screen import estimation_screen
from ..report.text.estimation_text import estimation_document
from ..report.text.plan_text import plan_document
from ..tables.frames import data_frame
from .display import Presentation, bind_display, statistics_frame

if TYPE_CHECKING:
    import pandas as pd

    from ..report.page import ResultPage

__all__ = ["Calibration", "Comparison", "Estimation", "SamplePlan"]


def _calibration_values(calibration: Calibration) -> dict[str, Any]:
    return calibration_json(calibration) | {"warnings": sentences(calibration.cautions, calibration.judges)}


def _calibration_frame(calibration: Calibration) -> pd.DataFrame:
    return statistics_frame(
        ({"judge": judge, "statistic": name}, statistic)
        for judge, judge_calibration in calibration.judges.items()
        for name, statistic in judge_calibration.statistics.items()
    )


def _comparison_page(comparison: Comparison) -> ResultPage:
    from ..report.comparison_page import comparison_page  # noqa: PLC0415 - loaded only to write pages

    return comparison_page(comparison)


def _comparison_values(comparison: Comparison) -> dict[str, Any]:
    return msgspec.to_builtins(comparison) | {"warnings": comparison_cautions(comparison.cautions)}


def _comparison_frame(comparison: Comparison) -> pd.DataFrame:
    columns = ("a", "b", "n", "a_only_right", "b_only_right", "p", "adjusted_p", "better")
    return statistics_frame(
        ({name: getattr(pair, name) for name in columns}, pair.difference) for pair in comparison.pairs
    )


def _estimation_values(estimation: Estimation) -> dict[str, Any]:
    rates_by_part = estimation_json(estimation)
    return {
        name: part | {"warnings": sentences(estimation[name].cautions)}
        for name, part in rates_by_part.items()
    }


def _estimation_frame(estimation: Estimation) -> pd.DataFrame:
    return statistics_frame(
        ({"part": name, "estimate": estimate}, statistic)
        for name, part in estimation.parts.items()
        for estimate, statistic in part.estimates.items()
    )


def _plan_frame(plan: SamplePlan) -> pd.DataFrame:
    if plan.draw is not None:
        return data_frame(plan.draw.rows())
    numbers_needed = {**(plan.labels or {}), **({} if plan.items is None else {"comparison": plan.items})}
    phases = [] if plan.budget is None else plan.budget.phases
    return data_frame(
        [
            *({"for": name, "n": number} for name, number in numbers_needed.items()),
            *({"for": phase.name, "n": phase.outputs, **_costs(phase)} for phase in phases),
        ]
    )


def _costs(phase: Phase) -> dict[str, float]:
    return {name: getattr(phase, name) for name in ("unit_cost", "cost", "variance")}


bind_display(
    Calibration,
    Presentation(
        make_document=calibration_document,
        make_screen=calibration_screen,
        make_values=_calibration_values,
        make_frame=_calibration_frame,
    ),
)
bind_display(
    Comparison,
    Presentation(
        make_document=comparison_document,
        make_screen=comparison_screen,
        make_page=_comparison_page,
        make_values=_comparison_values,
        make_frame=_comparison_frame,
    ),
)
bind_display(
    Estimation,
    Presentation(
        make_document=estimation_document,
        make_screen=estimation_screen,
        make_values=_estimation_values,
        make_frame=_estimation_frame,
    ),
)
bind_display(
    SamplePlan,
    Presentation(make_document=plan_document, make_values=plan_json, make_frame=_plan_frame),
)
