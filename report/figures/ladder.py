"""Ladder curve: share caught by difficulty, with interval, sample and breaking point."""

from __future__ import annotations

import math
from collections.abc import Sequence

from markupsafe import Markup

from ...calibration.ladders import CAUGHT
from ...evaluation.audit.ladder.ladder_results import LadderResult
from ..text.probe_text import probe_title
from .drawing import WIDTH, AxisScale, dot, line, path, svg, text
from .forest_plot import PlottedInterval, forest

_HEIGHT = 219.0
_ACROSS = AxisScale(0.0, 1.0, 42.0, WIDTH - 14)
_UP = AxisScale(0.0, 1.0, _HEIGHT - 40, 28.0)
_LARGEST, _SMALLEST = 7.0, 2.0
_CLOSE = 24.0
_SHARES = (0.0, 0.5, CAUGHT, 1.0)


def ladder_curve(ladder: LadderResult) -> Markup:
    """Draw one judge's curve on one dial."""
    upper = [(_ACROSS(point.place), _UP(point.high)) for point in ladder.curve]
    lower = [(_ACROSS(point.place), _UP(point.low)) for point in reversed(ladder.curve)]
    shapes = [
        path("band", [*upper, *lower]),
        *_grid(ladder),
        path("course", [(_ACROSS(point.place), _UP(point.share)) for point in ladder.curve]),
        *_observed(ladder),
        *_break(ladder),
        text(_ACROSS(0.5), _HEIGHT - 4, ladder.unit, anchor="middle"),
    ]
    description = f"share caught by level, from easy to hard; breaks {ladder.breaks}"
    return svg("ladder", WIDTH, _HEIGHT, probe_title(ladder.dial), shapes, description=description)


_ENDS = {"beyond the hardest": 1.0, "before the easiest": 0.0}
_BREAKS = {"beyond the hardest": "not reached", "before the easiest": "not even the easiest"}
"""Words for levels outside the ladder."""


def breaking_points(title: str, ladders: Sequence[LadderResult]) -> Markup:
    """Draw the hardest level of each dial at which 80 % are still caught."""
    return forest(title, [_breaking_point(ladder) for ladder in ladders], ends=("easiest", "hardest"))


def _breaking_point(ladder: LadderResult) -> PlottedInterval:
    threshold = ladder.threshold
    if not ladder.curve or threshold.low is None or threshold.high is None:
        return PlottedInterval(name=probe_title(ladder.dial), value=None, words="not known")
    on_ladder = threshold.level is not None
    return PlottedInterval(
        name=probe_title(ladder.dial),
        value=_place(ladder, threshold.level) if threshold.level is not None else _ENDS[threshold.where],
        low=_place(ladder, threshold.low),
        high=_place(ladder, threshold.high),
        alarm=ladder.found,
        words=f"{threshold.level:.3g} {ladder.unit}" if on_ladder else _BREAKS[threshold.where],
    )


def _grid(ladder: LadderResult) -> list[Markup]:
    shapes = [text(2, _UP(1.0) - 12, "share caught")]
    for share in _SHARES:
        kind = "target" if share == CAUGHT else "tick"
        shapes += [
            line(kind, _ACROSS.start, _UP(share), _ACROSS.end, _UP(share)),
            text(_ACROSS.start - 7, _UP(share) + 4, f"{share:.0%}", anchor="end"),
        ]
    last = -math.inf
    for place, level in zip(ladder.places, ladder.levels, strict=True):
        x = _ACROSS(place)
        if place == 1.0 or (x - last >= _CLOSE and _ACROSS.end - x >= _CLOSE):
            last = x
            shapes.append(text(x, _HEIGHT - 23, str(level.level), anchor="middle"))
    return shapes


def _observed(ladder: LadderResult) -> list[Markup]:
    """Draw the observed share at each level; a larger sample gives a larger dot."""
    most = max((level.faulty for level in ladder.levels), default=0)
    return [
        dot(
            _ACROSS(place),
            _UP(level.caught / level.faulty),
            "seen",
            radius=round(max(_SMALLEST, _LARGEST * math.sqrt(level.faulty / most)), 1),
            description=f"{level.step}: {level.caught} of {level.faulty}",
        )
        for place, level in zip(ladder.places, ladder.levels, strict=True)
        if level.faulty
    ]


def _break(ladder: LadderResult) -> list[Markup]:
    """Draw the interval of the level at which 80 % are caught, on the 80 % line."""
    threshold = ladder.threshold
    if threshold.level is None or threshold.low is None or threshold.high is None:
        return []
    levels = (threshold.low, threshold.level, threshold.high)
    low, middle, high = (_ACROSS(_place(ladder, level)) for level in levels)
    return [line("whisker", low, _UP(CAUGHT), high, _UP(CAUGHT)), dot(middle, _UP(CAUGHT), "alarm")]


def _place(ladder: LadderResult, level: float) -> float:
    """Return the position of a level, from the nearest point of the curve.

    The curve's points are close together.
    """
    return min(ladder.curve, key=lambda point: abs(point.level - level)).place
