"""Rates with intervals: in a table cell, in a forest plot, by judge, or over time.

All draw `PlottedInterval`; sizes are pixels.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence

import msgspec
from markupsafe import Markup

from ...calibration.statistic import Statistic
from ..items.naming import apart
from ..text.number_text import decimal, with_interval
from .drawing import WIDTH, AxisScale, dot, grid, line, path, svg, text, ticks

_STRIP_WIDTH = 120.0
_MARGIN = 6.0
_STRIP_HEIGHT = 20
_ROW_HEIGHT = 36.0
_SHORT_NAME_LETTERS, _LONG_NAME_LETTERS = 26, 48
"""Longest name that shares a line with its number, and longest one on a line of its own."""
_ROUND_STEPS = (1, 2, 3, 4, 5, 6, 8, 10)
"""Multiples of a power of ten at which an axis of differences may end."""
_MIN_REACH, _ROUNDING = 1e-3, 1e-9
"""Smallest end of an axis of differences, since smaller differences are not printed, and a tolerance for rounding."""
_NUMBER_WIDTH = 118.0
"""Width of a number to the right of its interval."""


class PlottedInterval(msgspec.Struct, frozen=True, kw_only=True):
    """An estimate with its interval, to be drawn.

    Attributes:
        name: Name of its row.
        value: The estimate, or None if undefined.
        low: Lower end of its interval.
        high: Upper end.
        bounds: Worst-case bounds.
        alarm: Whether to draw it in the colour of bad results.
        words: Text in place of value and interval; empty for these.
    """

    name: str
    value: float | None
    low: float | None = None
    high: float | None = None
    bounds: tuple[float, float] | None = None
    alarm: bool = False
    words: str = ""

    @classmethod
    def of(
        cls,
        name: str,
        statistic: Statistic | None,
        *,
        bounds: tuple[float, float] | None = None,
        alarm: bool = False,
    ) -> PlottedInterval:
        """Return a statistic, to be drawn under a name; an unknown one is undefined."""
        if statistic is None:
            return cls(name=name, value=None, alarm=alarm)
        return cls(
            name=name,
            value=statistic.value,
            low=statistic.low,
            high=statistic.high,
            bounds=bounds,
            alarm=alarm,
        )

    def __str__(self) -> str:
        """Return name and number."""
        return f"{self.name} {self.number}"

    @property
    def number(self) -> str:
        """The text that stands next to it: value and interval, or ``words``."""
        if self.words:
            return self.words
        return "undefined" if self.value is None else with_interval(self.value, self.low, self.high)


def interval_strip(value: float, low: float | None, high: float | None) -> Markup:
    """Draw a rate with its interval on an axis from 0 to 1, small enough for a table cell."""
    axis = AxisScale(0.0, 1.0, _MARGIN, _STRIP_WIDTH - _MARGIN)
    description = decimal(value)
    if low is not None and high is not None:
        description += f", interval {decimal(low)} to {decimal(high)}"
    shapes = [ticks((axis(quarter / 4) for quarter in range(5)), 3, _STRIP_HEIGHT - 3)]
    interval = PlottedInterval(name="", value=value, low=low, high=high)
    return svg(
        "strip",
        _STRIP_WIDTH,
        _STRIP_HEIGHT,
        description,
        [*shapes, *_marks(interval, axis, _STRIP_HEIGHT / 2)],
    )


def _marks(interval: PlottedInterval, axis: AxisScale, y: float) -> list[Markup]:
    shapes = [line("track", axis.start, y, axis.end, y)]
    if interval.bounds is not None:
        shapes.append(line("bounds", axis(interval.bounds[0]), y + 8, axis(interval.bounds[1]), y + 8))
    if interval.low is not None and interval.high is not None:
        shapes.append(line("whisker", axis(interval.low), y, axis(interval.high), y))
    if interval.value is not None:
        shapes.append(
            dot(axis(interval.value), y, "alarm" if interval.alarm else "dot", description=str(interval))
        )
    return shapes


def forest(
    title: str, rows: Sequence[PlottedInterval], *, low: float = 0.0, ends: tuple[str, str] | None = None
) -> Markup:
    """Draw estimates below each other on one axis, the first on top.

    Args:
        title: Title of the figure.
        rows: The estimates.
        low: Least value: 0 for rates, whose axis goes to 1; -1 for differences, whose axis is as wide as they need.
        ends: Words at the ends of an axis without numbers.
    """
    high = 1.0 if low >= 0 else _axis_end(rows)
    low = max(low, -high)
    # Long names get a line of their own; their numbers stay beside the intervals.
    on_own_line = any(len(interval.name) > _SHORT_NAME_LETTERS for interval in rows)
    axis = AxisScale(low, high, _MARGIN, WIDTH - _MARGIN - (_NUMBER_WIDTH if on_own_line else 0))
    axis_y = _ROW_HEIGHT * len(rows) + 8
    tick_values = [low + (high - low) * quarter / 4 for quarter in range(5)]
    shapes = [ticks(map(axis, tick_values), 4, axis_y)]
    name_letters = _LONG_NAME_LETTERS if on_own_line else _SHORT_NAME_LETTERS
    names = apart([interval.name for interval in rows], name_letters)
    if low < 0:
        shapes.append(line("zero", axis(0), 4, axis(0), axis_y))
    for index, interval in enumerate(rows):
        y = _ROW_HEIGHT * index + 14
        shapes += [
            text(_MARGIN, y, names[index], "name", room=name_letters, full=interval.name),
            text(WIDTH - _MARGIN, y + 16 if on_own_line else y, interval.number, anchor="end"),
            *_marks(interval, axis, y + 12),
        ]
    return svg("forest", WIDTH, axis_y + 18, title, [*shapes, *_axis_labels(tick_values, axis, axis_y + 14, ends)], description="; ".join(map(str, rows)))  # fmt: skip


def _axis_end(rows: Sequence[PlottedInterval]) -> float:
    """Return the smallest round number, at most 1, that all intervals are within."""
    largest_end = max(
        (abs(end) for row in rows for end in (row.value, row.low, row.high) if end is not None),
        default=1.0,
    )
    power_of_ten = 10.0 ** math.floor(math.log10(max(largest_end, _MIN_REACH)))
    step = next(
        step for step in _ROUND_STEPS if step * power_of_ten >= min(largest_end, 1.0) * (1 - _ROUNDING)
    )
    return min(1.0, step * power_of_ten)


def _axis_labels(
    ticks: Sequence[float], axis: AxisScale, y: float, ends: tuple[str, str] | None = None
) -> list[Markup]:
    if ends is not None:
        return [text(axis.start, y, ends[0]), text(axis.end, y, ends[1], anchor="end")]
    anchors = {ticks[0]: "start", ticks[-1]: "end"}
    return [text(axis(tick), y, f"{tick:g}", anchor=anchors.get(tick, "middle")) for tick in ticks]


def vertical_interval(interval: PlottedInterval, x: float, y_axis: AxisScale) -> list[Markup]:
    """Draw an estimate with a vertical interval at ``x``."""
    shapes: list[Markup] = []
    if interval.low is not None and interval.high is not None:
        shapes.append(line("whisker", x, y_axis(interval.low), x, y_axis(interval.high)))
    if interval.value is not None:
        shapes.append(
            dot(x, y_axis(interval.value), "alarm" if interval.alarm else "dot", description=str(interval))
        )
    return shapes


def trend(title: str, rows: Sequence[PlottedInterval], *, breaks: Collection[int] = ()) -> Markup:
    """Draw estimates over time with their intervals, the oldest on the left.

    Args:
        title: Title of the figure.
        rows: The estimates; those without a value are left out of the line.
        breaks: Numbers of the rows before which the line breaks, since something other than the system changed.
    """
    height, top = 194.0, 28.0
    y_axis = AxisScale(0.0, 1.0, height - 34, top)
    x_axis = AxisScale(0.0, max(len(rows) - 1, 1), 40.0, WIDTH - 16)
    shapes = grid(y_axis, 34, WIDTH - _MARGIN, title="rate")
    line_parts: list[list[tuple[float, float]]] = [[]]
    for number, interval in enumerate(rows):
        if number in breaks:
            line_parts.append([])
            shapes.append(
                line(
                    "target",
                    *_before_row(x_axis, number, top),
                    _before_row(x_axis, number, top)[0],
                    height - 34,
                )
            )
        if interval.value is not None:
            line_parts[-1].append((x_axis(number), y_axis(interval.value)))
    shapes += [path("course", points) for points in line_parts if len(points) > 1]
    shapes += [
        shape
        for number, interval in enumerate(rows)
        for shape in vertical_interval(interval, x_axis(number), y_axis)
    ]
    names = apart([row.name for row in rows], _SHORT_NAME_LETTERS)
    ends = [(0, "start"), (len(rows) - 1, "end")] if len(rows) > 1 else [(0, "start")]
    shapes += [
        text(x_axis(n), height - 12, names[n], anchor=anchor, room=_SHORT_NAME_LETTERS, full=rows[n].name)
        for n, anchor in ends
        if rows
    ]
    return svg("trend", WIDTH, height, title, shapes, description="; ".join(map(str, rows)))


def _before_row(x_axis: AxisScale, number: int, y: float) -> tuple[float, float]:
    return x_axis(number - 0.5), y


_LANE_NAMES_WIDTH = 82.0
_JUDGE_HEIGHT, _LANE_HEIGHT = 58.0, 17.0
_JUDGE_LETTERS = 44
_QUARTERS = (0.0, 0.25, 0.5, 0.75, 1.0)


def judge_rates(
    title: str,
    rows: Sequence[tuple[str, Sequence[PlottedInterval]]],
    *,
    lanes: Sequence[str],
    target: float | None = None,
) -> Markup:
    """Draw several rates of each judge, one below the other in lanes.

    Args:
        title: Title of the figure.
        rows: Judges with their rates, one per lane.
        lanes: Names of the rates.
        target: Target rate, drawn as a line.
    """
    axis = AxisScale(0.0, 1.0, _LANE_NAMES_WIDTH, WIDTH - 112)
    bottom = _JUDGE_HEIGHT * len(rows) + 6
    shapes = [ticks(map(axis, _QUARTERS), 4, bottom)]
    if target is not None:
        shapes.append(line("target", axis(target), 4, axis(target), bottom))
    names = apart([name for name, _ in rows], _JUDGE_LETTERS)
    for number, (name, rates) in enumerate(rows):
        y = _JUDGE_HEIGHT * number + 14
        shapes.append(text(_MARGIN, y, names[number], "name", room=_JUDGE_LETTERS, full=name))
        for lane, (lane_name, rate) in enumerate(zip(lanes, rates, strict=True)):
            shapes += _lane_shapes(rate, lane_name, axis, y + _LANE_HEIGHT * (lane + 1))
    shapes += [text(axis(end), bottom + 14, f"{end:g}", anchor="middle") for end in _QUARTERS]
    description = "; ".join(
        f"{name}: "
        + ", ".join(f"{lane_name} {rate.number}" for lane_name, rate in zip(lanes, rates, strict=True))
        for name, rates in rows
    )
    return svg("forest", WIDTH, bottom + 20, title, shapes, description=description)


def _lane_shapes(rate: PlottedInterval, label: str, axis: AxisScale, y: float) -> list[Markup]:
    shapes = [
        text(_MARGIN, y + 4, label, "share"),
        line("track", axis.start, y, axis.end, y),
        text(WIDTH - _MARGIN, y + 4, rate.number, "share", anchor="end"),
    ]
    if rate.low is not None and rate.high is not None:
        shapes.append(line("whisker", axis(rate.low), y, axis(rate.high), y))
    if rate.value is not None:
        shapes.append(dot(axis(rate.value), y, description=f"{label}: {rate.number}"))
    return shapes
