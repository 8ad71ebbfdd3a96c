"""Dot plot of judges: how many good outputs each passes, and how many bad ones it fails."""

from __future__ import annotations

from collections.abc import Sequence

from markupsafe import Markup

from .drawing import WIDTH, AxisScale, dot, line, svg, text, ticks
from .forest_plot import PlottedInterval

_MARGIN, _LABELS = 6.0, 82.0
_ROW, _LANE = 58.0, 17.0
_LETTERS = 44
_ENDS = (0.0, 0.25, 0.5, 0.75, 1.0)


def judge_rates(
    title: str,
    rows: Sequence[tuple[str, Sequence[PlottedInterval]]],
    *,
    lanes: Sequence[str] = ("passes good", "fails bad"),
    wanted: float | None = None,
) -> Markup:
    """Draw judges in rows, a lane for each rate.

    Args:
        title: What is drawn.
        rows: Judges with their rates, as many each as there are lanes.
        lanes: What each rate is.
        wanted: A rate to reach, drawn as a line.
    """
    place = AxisScale(0.0, 1.0, _LABELS, WIDTH - 112)
    bottom = _ROW * len(rows) + 6
    shapes = [ticks(map(place, _ENDS), 4, bottom)]
    if wanted is not None:
        shapes.append(line("wanted", place(wanted), 4, place(wanted), bottom))
    for number, (name, rates) in enumerate(rows):
        y = _ROW * number + 14
        shapes.append(text(_MARGIN, y, name, "name", room=_LETTERS))
        for lane, (what, rate) in enumerate(zip(lanes, rates, strict=True)):
            shapes += _lane(rate, what, place, y + _LANE * (lane + 1))
    shapes += [text(place(end), bottom + 14, f"{end:g}", anchor="middle") for end in _ENDS]
    says = "; ".join(
        f"{name}: " + ", ".join(f"{what} {rate.number}" for what, rate in zip(lanes, rates, strict=True))
        for name, rates in rows
    )
    return svg("forest", WIDTH, bottom + 20, title, shapes, says=says)


def _lane(rate: PlottedInterval, what: str, place: AxisScale, y: float) -> list[Markup]:
    shapes = [
        text(_MARGIN, y + 4, what, "share"),
        line("track", place.start, y, place.end, y),
        text(WIDTH - _MARGIN, y + 4, rate.number, "share", anchor="end"),
    ]
    if rate.low is not None and rate.high is not None:
        shapes.append(line("whisker", place(rate.low), y, place(rate.high), y))
    if rate.value is not None:
        shapes.append(dot(place(rate.value), y, says=f"{what}: {rate.number}"))
    return shapes
