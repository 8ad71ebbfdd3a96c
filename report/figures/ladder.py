"""Figures of ladders: the share of faults caught by difficulty, and where it falls below.

The level at which it falls below 80 % (`CAUGHT`) is a judge's breaking point. Sizes are pixels.
"""

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
_X_AXIS = AxisScale(0.0, 1.0, 42.0, WIDTH - 14)
_Y_AXIS = AxisScale(0.0, 1.0, _HEIGHT - 40, 28.0)
_MAX_RADIUS, _MIN_RADIUS = 7.0, 2.0
_MIN_LABEL_DISTANCE = 24.0
"""Distance below which the labels of two levels would overlap."""
_GRID_SHARES = (0.0, 0.5, CAUGHT, 1.0)


def ladder_curve(ladder: LadderResult) -> Markup:
    """Draw one judge's ladder: the fitted curve with its band, observed shares, breaking point."""
    upper = [(_X_AXIS(point.place), _Y_AXIS(point.high)) for point in ladder.curve]
    lower = [(_X_AXIS(point.place), _Y_AXIS(point.low)) for point in reversed(ladder.curve)]
    shapes = [
        path("band", [*upper, *lower]),
        *_grid(ladder),
        path("course", [(_X_AXIS(point.place), _Y_AXIS(point.share)) for point in ladder.curve]),
        *_observed_shares(ladder),
        *_breaking_interval(ladder),
        text(_X_AXIS(0.5), _HEIGHT - 4, ladder.unit, anchor="middle"),
    ]
    description = f"share caught by level, from easy to hard; breaks {ladder.breaks}"
    return svg("ladder", WIDTH, _HEIGHT, probe_title(ladder.dial), shapes, description=description)


_END_PLACES = {"beyond the hardest": 1.0, "before the easiest": 0.0}
_END_WORDS = {"beyond the hardest": "not reached", "before the easiest": "not even the easiest"}
"""Positions and words for a breaking point outside the ladder's levels."""


def breaking_points(title: str, ladders: Sequence[LadderResult]) -> Markup:
    """Draw the breaking point of each dial on an axis from its easiest to its hardest level."""
    return forest(title, [_breaking_point(ladder) for ladder in ladders], ends=("easiest", "hardest"))


def _breaking_point(ladder: LadderResult) -> PlottedInterval:
    threshold = ladder.threshold
    if not ladder.curve or threshold.low is None or threshold.high is None:
        return PlottedInterval(name=probe_title(ladder.dial), value=None, words="not known")
    on_ladder = threshold.level is not None
    return PlottedInterval(
        name=probe_title(ladder.dial),
        value=_place(ladder, threshold.level)
        if threshold.level is not None
        else _END_PLACES[threshold.where],
        low=_place(ladder, threshold.low),
        high=_place(ladder, threshold.high),
        alarm=ladder.found,
        words=f"{threshold.level:.3g} {ladder.unit}" if on_ladder else _END_WORDS[threshold.where],
    )


def _grid(ladder: LadderResult) -> list[Markup]:
    shapes = [text(2, _Y_AXIS(1.0) - 12, "share caught")]
    for share in _GRID_SHARES:
        kind = "target" if share == CAUGHT else "tick"
        shapes += [
            line(kind, _X_AXIS.start, _Y_AXIS(share), _X_AXIS.end, _Y_AXIS(share)),
            text(_X_AXIS.start - 7, _Y_AXIS(share) + 4, f"{share:.0%}", anchor="end"),
        ]
    last_x = -math.inf
    for place, level in zip(ladder.places, ladder.levels, strict=True):
        x = _X_AXIS(place)
        if place == 1.0 or (x - last_x >= _MIN_LABEL_DISTANCE and _X_AXIS.end - x >= _MIN_LABEL_DISTANCE):
            last_x = x
            shapes.append(text(x, _HEIGHT - 23, str(level.level), anchor="middle"))
    return shapes


def _observed_shares(ladder: LadderResult) -> list[Markup]:
    """Draw the observed share at each level; a dot's area grows with the sample."""
    largest_sample = max((level.faulty for level in ladder.levels), default=0)
    return [
        dot(
            _X_AXIS(place),
            _Y_AXIS(level.caught / level.faulty),
            "seen",
            radius=round(max(_MIN_RADIUS, _MAX_RADIUS * math.sqrt(level.faulty / largest_sample)), 1),
            description=f"{level.step}: {level.caught} of {level.faulty}",
        )
        for place, level in zip(ladder.places, ladder.levels, strict=True)
        if level.faulty
    ]


def _breaking_interval(ladder: LadderResult) -> list[Markup]:
    """Draw the breaking point with its interval on the line of 80 %; nothing if it is unknown."""
    threshold = ladder.threshold
    if threshold.level is None or threshold.low is None or threshold.high is None:
        return []
    interval = (threshold.low, threshold.level, threshold.high)
    low, middle, high = (_X_AXIS(_place(ladder, level)) for level in interval)
    return [
        line("whisker", low, _Y_AXIS(CAUGHT), high, _Y_AXIS(CAUGHT)),
        dot(middle, _Y_AXIS(CAUGHT), "alarm"),
    ]


def _place(ladder: LadderResult, level: float) -> float:
    """Return the position of a level on the axis: that of the nearest point of the curve.

    The curve's points are close enough together for that.
    """
    return min(ladder.curve, key=lambda point: abs(point.level - level)).place
