"""Ladder results: the level up to which a judge catches 80 % of faults, and false alarms."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Literal, NamedTuple, TypeAlias

import msgspec
import numpy as np

from ....calibration.arrays import cluster_numbers
from ....calibration.intervals.clustered_rates import share_of
from ....calibration.ladders import CurveFamily, LadderAnswers, LadderFit, fit_ladder
from ....calibration.statistic import Statistic, undefined
from ....deterministic.mutation import Dial
from ..scored import ScoredProbe

LadderPosition: TypeAlias = Literal["on the ladder", "beyond the hardest", "before the easiest", "not known"]
"""Position on a ladder of the level at which 80 % are caught."""


class LadderThreshold(msgspec.Struct, frozen=True, kw_only=True):
    """The level at which 80 % are caught, which may lie between two levels.

    Attributes:
        where: Its most likely position. ``beyond the hardest``: more than 80 % are caught at all levels. ``before the easiest``: more than
            80 % are caught at none.
        level: The level, or None if it is not on the ladder.
        low: Lower end of its 95 % interval, cut off at the ladder's ends, or None if unknown.
        high: Upper end, cut off in the same way, or None if unknown.
        may_be_easier: True if the interval extends before the easiest level.
        may_be_harder: True if the interval extends beyond the hardest level.
        beyond: Probability that the level is beyond the hardest.
    """

    where: LadderPosition
    level: float | None = None
    low: float | None = None
    high: float | None = None
    may_be_easier: bool = True
    may_be_harder: bool = True
    beyond: float | None = None


class LevelCounts(msgspec.Struct, frozen=True, kw_only=True):
    """Counts of verdicts at one level, on faulty outputs and on right ones."""

    level: int
    step: str
    caught: int
    faulty: int
    failed: int
    right: int


class CurvePoint(msgspec.Struct, frozen=True, kw_only=True):
    """A point of the fitted curve: the share caught at a level, with its 95 % interval."""

    place: float
    level: float
    share: float
    low: float
    high: float


class LadderResult(msgspec.Struct, frozen=True, kw_only=True):
    """Results of one judge on one dial.

    Attributes:
        dial: Name of the dial.
        about: One-line description of the dial.
        unit: Unit of the levels.
        threshold: Level at which 80 % are caught.
        flat: True if no drop from easy to hard levels was found.
        drop: Share caught at the easiest level minus share caught at the hardest.
        trend_p: p-value of the hypothesis that level and catching are unrelated, or None if all faults were caught, or none.
        misfit_p: p-value of the hypothesis that the curve is logistic, or None with too few levels.
        dip: Level whose faults are caught less often than at a harder one, beyond chance, or None if there is none.
        failed_right: Share of right outputs failed.
        levels: The results at each level.
        places: Position of each level, from 0 to 1.
        curve: The fitted curve; empty if nothing was graded.
        ungraded: Questions without a score, by outcome; not part of any number here.
        found: True if the judge stops noticing before the hardest level, beyond chance over all dials.
    """

    dial: str
    about: str
    unit: str
    threshold: LadderThreshold
    flat: bool
    drop: Statistic
    trend_p: float | None
    misfit_p: float | None
    dip: str | None = None
    failed_right: Statistic
    levels: list[LevelCounts]
    places: list[float]
    curve: list[CurvePoint]
    ungraded: dict[str, int]
    found: bool = False

    def named(self, level: float) -> str:
        """Return a level for display: its number, and the last step reached if steps have names."""
        steps = [counts.step for counts in self.levels if counts.level <= level + _ROUNDING]
        steps_are_numbers = all(counts.step == str(counts.level) for counts in self.levels)
        return f"{level:.3g}" if steps_are_numbers else f"{level:.3g} ({steps[-1]})"

    @property
    def breaks(self) -> str:
        """Level from which fewer than 80 % are caught, for display.

        The interval is cut off at the ladder's ends.
        """
        threshold, easiest, hardest = self.threshold, self.levels[0], self.levels[-1]
        if threshold.low is None or threshold.high is None:
            return "not known: nothing was graded"
        low = f"below {easiest.level}" if threshold.may_be_easier else f"{threshold.low:.3g}"
        high = f"beyond {hardest.level}" if threshold.may_be_harder else f"{threshold.high:.3g}"
        interval = f" [{low}, {high}]" if threshold.low < threshold.high else ""
        if threshold.level is not None:
            return f"at {self.named(threshold.level)}{interval}"
        if threshold.where == "beyond the hardest":
            return f"not reached up to {self.named(hardest.level)}{interval}"
        return f"before {self.named(easiest.level)}{interval}"


def answers_of(dial: Dial, scored: Iterable[ScoredProbe]) -> LadderAnswers:
    """Return the graded verdicts on faulty outputs, for the fit."""
    level_index = {level: number for number, level in enumerate(dial.levels)}
    faults = [probe for probe in scored if probe.facts.plants == "fault" and probe.score is not None]
    return LadderAnswers(
        np.array([level_index[level_of(fault)] for fault in faults], dtype=np.int64),
        np.array([not fault.passed for fault in faults], dtype=np.float64),
        cluster_numbers(fault.cluster for fault in faults),
    )


def level_of(scored: ScoredProbe) -> int:
    """Return the level of a question, which is part of its case's id."""
    return int(scored.facts.key.case_id.split("/")[1])


def ladder_result(
    dial: Dial, family: CurveFamily, scored: Sequence[ScoredProbe], *, dials: int
) -> LadderResult:
    """Analyse one judge's answers on one dial; findings hold for all ``dials`` together at 95 %."""
    answers = answers_of(dial, scored)
    fit = fit_ladder(family, answers) if len(answers.level_index) else None
    right_probes = [probe for probe in scored if probe.facts.plants == "nothing" and probe.score is not None]
    failed_right = np.array([not probe.passed for probe in right_probes], dtype=np.float64)
    return LadderResult(
        dial=dial.name,
        about=dial.about,
        unit=dial.unit,
        threshold=LadderThreshold(where="not known") if fit is None else _threshold(dial, fit),
        flat=fit is None or fit.flat,
        drop=undefined("nothing was graded", n=0) if fit is None else fit.drop,
        trend_p=None if fit is None else fit.trend_p,
        misfit_p=None if fit is None else fit.misfit_p,
        dip=None if fit is None or fit.dip is None else _step_name(dial, fit.dip),
        failed_right=share_of(failed_right, cluster_numbers(probe.cluster for probe in right_probes)),
        levels=_level_counts(dial, scored),
        places=dial.places,
        curve=[] if fit is None else _curve(dial, fit),
        ungraded=dict(Counter(probe.outcome for probe in scored if probe.score is None)),
        found=fit is not None and fit.beyond < _ALPHA / dials,
    )


_ALPHA = 0.05
"""Chance of a false finding, over all dials of a judge."""
_ROUNDING = 1e-9
"""Tolerance when a fitted level is compared with a level of the dial."""


def _threshold(dial: Dial, fit: LadderFit) -> LadderThreshold:
    where: LadderPosition = "on the ladder"
    if math.isinf(fit.threshold):
        where = "beyond the hardest" if fit.threshold > 0 else "before the easiest"
    # Infinite ends of the interval are cut off at the ladder's ends.
    low, high = (dial.level_at(min(1.0, max(0.0, position))) for position in (fit.low, fit.high))
    return LadderThreshold(
        where=where,
        level=None if math.isinf(fit.threshold) else dial.level_at(fit.threshold),
        low=low,
        high=high,
        may_be_easier=fit.low == -math.inf,
        may_be_harder=fit.high == math.inf,
        beyond=fit.beyond,
    )


def _curve(dial: Dial, fit: LadderFit) -> list[CurvePoint]:
    return [
        CurvePoint(
            place=point.position,
            level=dial.level_at(point.position),
            share=point.share,
            low=point.low,
            high=point.high,
        )
        for point in fit.points()
    ]


def _step_name(dial: Dial, number: int) -> str:
    return dial.steps[number] if dial.steps else str(dial.levels[number])


class _LevelVerdict(NamedTuple):
    """A verdict on an output of a level, for counting."""

    level: int
    faulty: bool
    passed: bool


def _level_counts(dial: Dial, scored: Sequence[ScoredProbe]) -> list[LevelCounts]:
    counts = Counter(
        _LevelVerdict(level_of(probe), faulty=probe.facts.plants == "fault", passed=probe.passed)
        for probe in scored
        if probe.score is not None
    )
    return [
        LevelCounts(
            level=level,
            step=_step_name(dial, number),
            caught=counts[_LevelVerdict(level, faulty=True, passed=False)],
            faulty=sum(counts[_LevelVerdict(level, faulty=True, passed=passed)] for passed in (False, True)),
            failed=counts[_LevelVerdict(level, faulty=False, passed=False)],
            right=sum(counts[_LevelVerdict(level, faulty=False, passed=passed)] for passed in (False, True)),
        )
        for number, level in enumerate(dial.levels)
    ]
