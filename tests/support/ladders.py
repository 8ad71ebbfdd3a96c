"""Ladder results as an audit writes them."""

from __future__ import annotations

import msgspec

from fiducial.calibration.statistic import Statistic
from fiducial.evaluation.audit.ladder.ladder_results import (
    CurvePoint,
    LadderResult,
    LadderThreshold,
    LevelCounts,
)

LEVELS = (1, 2, 4, 8)


def ladder(threshold: LadderThreshold, **changes: object) -> LadderResult:
    """A ladder of four levels, caught up to the third."""
    share = {1: 10, 2: 10, 4: 8, 8: 1}
    places = [0.0, 1 / 3, 2 / 3, 1.0]
    made = LadderResult(
        dial="calls",
        about="one of so many calls is wrong",
        unit="calls",
        threshold=threshold,
        flat=False,
        drop=Statistic(value=0.9, low=0.8, high=0.95, n=40, method="m"),
        trend_p=0.001,
        misfit_p=0.5,
        failed_right=Statistic(value=0.0, low=0.0, high=0.2, n=10, method="Wilson"),
        levels=[
            LevelCounts(level=level, step=str(level), caught=share[level], faulty=10, failed=0, right=2)
            for level in LEVELS
        ],
        places=places,
        curve=[
            CurvePoint(place=place, level=level, share=share[level] / 10, low=0.1, high=1.0)
            for place, level in zip(places, LEVELS, strict=True)
        ],
        ungraded={},
    )
    return msgspec.structs.replace(made, **changes)


ON = LadderThreshold(
    where="on the ladder", level=4.0, low=3.0, high=5.2, may_be_easier=False, may_be_harder=False
)
BEYOND = LadderThreshold(where="beyond the hardest", low=8.0, high=8.0, may_be_easier=False)
BEFORE = LadderThreshold(where="before the easiest", low=1.0, high=1.4, may_be_harder=False)
