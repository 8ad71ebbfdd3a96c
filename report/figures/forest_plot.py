"""Rates with intervals: in a cell, in a forest plot, by judge, or over time."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence

import msgspec
from markupsafe import Markup

from ...calibration.statistic import Statistic
from ..items.naming import apart
from ..text.number_text import decimal, with_interval
from .drawing import WIDTH, AxisScale, dot, grid, line, path, svg, text, ticks

_STRIP = 120.0
_MARGIN = 6.0
_HEIGHT = 20
_MIDDLE = _HEIGHT / 2
_ROW = 36.0
_LETTERS, _MAX_LETTERS = 26, 48
"""Longest name beside its number, and on a line of its own."""
_STEPS = (1, 2, 3, 4, 5, 6, 8, 10)
_MIN_REACH, _ROUNDING = 1e-3, 1e-9
"""Narrowest axis of differences: narrower intervals would not differ in the printed digits."""
_NUMBER = 118.0
"""Width of a number beside its interval, in pixels."""


class PlottedInterval(msgspec.Struct, frozen=True, kw_only=True):
    """An estimate to be drawn.

    Attributes:
        name: Name of its row.
        value: The estimate, or None if undefined.
        low: Lower end of its interval.
        high: Upper end.
        bounds: Worst-case bounds.
        alarm: Whether to highlight it.
        words: Its number in words, if not value and interval.
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
        """Create the interval of a statistic, to be drawn."""
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
        """Render as text."""
        return f"{self.name} {self.number}"

    @property
    def number(self) -> str:
        """Its number in words."""
        if self.words:
            return self.words
        return "undefined" if self.value is None else with_interval(self.value, self.low, self.high)


def interval_strip(value: float, low: float | None, high: float | None) -> Markup:
    """Draw a rate with its interval on an axis from 0 to 1."""
    axis = AxisScale(0.0, 1.0, _MARGIN, _STRIP - _MARGIN)
    description = decimal(value)
    if low is not None and high is not None:
        description += f", interval {decimal(low)} to {decimal(high)}"
    shapes = [ticks((axis(quarter / 4) for quarter in range(5)), 3, _HEIGHT - 3)]
    drawn = PlottedInterval(name="", value=value, low=low, high=high)
    return svg("strip", _STRIP, _HEIGHT, description, [*shapes, *_marks(drawn, axis, _MIDDLE)])


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
    """Draw a forest plot on one axis, first row on top.

    Rates have an axis from 0 to 1. Differences (``low`` is -1) have one around 0, as wide as they need. An axis without
    numbers has names at its ``ends``.
    """
    high = 1.0 if low >= 0 else _reach(rows)
    low = max(low, -high)
    # Long names get a line of their own; their numbers stay beside the intervals.
    on_own_line = any(len(interval.name) > _LETTERS for interval in rows)
    axis = AxisScale(low, high, _MARGIN, WIDTH - _MARGIN - (_NUMBER if on_own_line else 0))
    bottom = _ROW * len(rows) + 8
    marks = [low + (high - low) * quarter / 4 for quarter in range(5)]
    shapes = [ticks(map(axis, marks), 4, bottom)]
    room = _MAX_LETTERS if on_own_line else _LETTERS
    names = apart([interval.name for interval in rows], room)
    if low < 0:
        shapes.append(line("zero", axis(0), 4, axis(0), bottom))
    for number, interval in enumerate(rows):
        y = _ROW * number + 14
        shapes += [
            text(_MARGIN, y, names[number], "name", room=room, full=interval.name),
            text(WIDTH - _MARGIN, y + 16 if on_own_line else y, interval.number, anchor="end"),
            *_marks(interval, axis, y + 12),
        ]
    return svg("forest", WIDTH, bottom + 18, title, [*shapes, *_axis(marks, axis, bottom + 14, ends)], description="; ".join(map(str, rows)))  # fmt: skip


def _reach(rows: Sequence[PlottedInterval]) -> float:
    """Return how far from 0 differences go, with their intervals: a round number, 1 at most."""
    farthest = max(
        (abs(end) for row in rows for end in (row.value, row.low, row.high) if end is not None),
        default=1.0,
    )
    unit = 10.0 ** math.floor(math.log10(max(farthest, _MIN_REACH)))
    step = next(step for step in _STEPS if step * unit >= min(farthest, 1.0) * (1 - _ROUNDING))
    return min(1.0, step * unit)


def _axis(
    ticks: Sequence[float], axis: AxisScale, y: float, ends: tuple[str, str] | None = None
) -> list[Markup]:
    if ends is not None:
        return [text(axis.start, y, ends[0]), text(axis.end, y, ends[1], anchor="end")]
    anchors = {ticks[0]: "start", ticks[-1]: "end"}
    return [text(axis(tick), y, f"{tick:g}", anchor=anchors.get(tick, "middle")) for tick in ticks]


def upright(interval: PlottedInterval, x: float, y_axis: AxisScale) -> list[Markup]:
    """Draw an estimate with a vertical interval."""
    shapes: list[Markup] = []
    if interval.low is not None and interval.high is not None:
        shapes.append(line("whisker", x, y_axis(interval.low), x, y_axis(interval.high)))
    if interval.value is not None:
        shapes.append(
            dot(x, y_axis(interval.value), "alarm" if interval.alarm else "dot", description=str(interval))
        )
    return shapes


def trend(title: str, rows: Sequence[PlottedInterval], *, breaks: Collection[int] = ()) -> Markup:
    """Draw estimates over time with their intervals, oldest on the left.

    Rows without a value are left out of the line. It breaks before the rows with the numbers ``breaks``, where something
    else than the system changed.
    """
    height, top = 194.0, 28.0
    y_axis = AxisScale(0.0, 1.0, height - 34, top)
    x_axis = AxisScale(0.0, max(len(rows) - 1, 1), 40.0, WIDTH - 16)
    shapes = grid(y_axis, 34, WIDTH - _MARGIN, title="rate")
    courses: list[list[tuple[float, float]]] = [[]]
    for number, each in enumerate(rows):
        if number in breaks:
            courses.append([])
            shapes.append(
                line("target", *_between(x_axis, number, top), _between(x_axis, number, top)[0], height - 34)
            )
        if each.value is not None:
            courses[-1].append((x_axis(number), y_axis(each.value)))
    shapes += [path("course", points) for points in courses if len(points) > 1]
    shapes += [shape for number, each in enumerate(rows) for shape in upright(each, x_axis(number), y_axis)]
    names = apart([row.name for row in rows], _LETTERS)
    ends = [(0, "start"), (len(rows) - 1, "end")] if len(rows) > 1 else [(0, "start")]
    shapes += [
        text(x_axis(n), height - 12, names[n], anchor=anchor, room=_LETTERS, full=rows[n].name)
        for n, anchor in ends
        if rows
    ]
    return svg("trend", WIDTH, height, title, shapes, description="; ".join(map(str, rows)))


def _between(x_axis: AxisScale, number: int, y: float) -> tuple[float, float]:
    """Return the place between a row and the one before it."""
    return x_axis(number - 0.5), y


_LABELS = 82.0
_JUDGE_ROW, _LANE = 58.0, 17.0
_JUDGE_LETTERS = 44
_ENDS = (0.0, 0.25, 0.5, 0.75, 1.0)


def judge_rates(
    title: str,
    rows: Sequence[tuple[str, Sequence[PlottedInterval]]],
    *,
    lanes: Sequence[str],
    target: float | None = None,
) -> Markup:
    """Draw judges in rows, a lane for each rate.

    Args:
        title: Title of the figure.
        rows: Judges with their rates, one per lane.
        lanes: Names of the rates.
        target: Target rate, drawn as a line.
    """
    axis = AxisScale(0.0, 1.0, _LABELS, WIDTH - 112)
    bottom = _JUDGE_ROW * len(rows) + 6
    shapes = [ticks(map(axis, _ENDS), 4, bottom)]
    if target is not None:
        shapes.append(line("target", axis(target), 4, axis(target), bottom))
    names = apart([name for name, _ in rows], _JUDGE_LETTERS)
    for number, (name, rates) in enumerate(rows):
        y = _JUDGE_ROW * number + 14
        shapes.append(text(_MARGIN, y, names[number], "name", room=_JUDGE_LETTERS, full=name))
        for lane, (what, rate) in enumerate(zip(lanes, rates, strict=True)):
            shapes += _lane(rate, what, axis, y + _LANE * (lane + 1))
    shapes += [text(axis(end), bottom + 14, f"{end:g}", anchor="middle") for end in _ENDS]
    description = "; ".join(
        f"{name}: " + ", ".join(f"{what} {rate.number}" for what, rate in zip(lanes, rates, strict=True))
        for name, rates in rows
    )
    return svg("forest", WIDTH, bottom + 20, title, shapes, description=description)


def _lane(rate: PlottedInterval, label: str, axis: AxisScale, y: float) -> list[Markup]:
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
