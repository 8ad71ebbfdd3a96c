"""Figures of judges' scores: distribution by label, reliability, cost against accuracy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec
from markupsafe import Markup

from ..text.number_text import count, decimal
from .drawing import WIDTH, AxisScale, box, dot, grid, line, svg, text
from .forest_plot import PlottedInterval, vertical_interval

_HEIGHT = 206.0
_TOP = 30.0
"""Upper end of a vertical axis, below its title."""
_LEFT, _RIGHT = 40.0, WIDTH - 12
_ENDS = (0.0, 0.5, 1.0)


class Bin(msgspec.Struct, frozen=True, kw_only=True):
    """Labelled outputs with similar scores of a judge.

    Attributes:
        low: The lowest score.
        high: The highest.
        passed: Number whose label passes.
        failed: Number whose label fails.
        rate: Share whose label passes, with its interval; its name is the range of scores.
        mean: The mean score.
    """

    low: float
    high: float
    passed: int
    failed: int
    rate: PlottedInterval
    mean: float


def distribution(title: str, bins: Sequence[Bin], *, threshold: float) -> Markup:
    """Draw how scores are distributed, by label, with the pass threshold.

    Outputs whose label passes are bars above the axis, those whose label fails below.
    """
    x_axis = AxisScale(0.0, 1.0, _LEFT, _RIGHT)
    largest_count = max((max(score_bin.passed, score_bin.failed) for score_bin in bins), default=1)
    axis_y, max_height = _HEIGHT / 2 + 8, _HEIGHT / 2 - 38
    shapes = [
        text(2, 12, "number of outputs, by label"),
        line("tick", x_axis(threshold), 20, x_axis(threshold), _HEIGHT - 22),
        text(x_axis(threshold), 28, f"passes at {threshold:g}", anchor="end" if threshold > 0.5 else "start"),  # noqa: PLR2004 - the middle
    ]
    for score_bin in bins:
        center, width = (
            x_axis((score_bin.low + score_bin.high) / 2),
            max(8.0, x_axis(score_bin.high) - x_axis(score_bin.low) - 2),
        )
        for number, kind, direction in ((score_bin.passed, "agree", -1), (score_bin.failed, "differ", 1)):
            height = max_height * number / largest_count
            if number:
                shapes += [
                    box(
                        center - width / 2,
                        axis_y - (height if direction < 0 else 0),
                        width,
                        height,
                        kind,
                        strength=0.55,
                        description=f"{score_bin.rate.name}: {count(number)}",
                    ),
                    text(
                        center,
                        axis_y + direction * (height + 10) + 4,
                        count(number),
                        "share",
                        anchor="middle",
                    ),
                ]
    shapes += [
        line("track", _LEFT, axis_y, _RIGHT, axis_y),
        text(_LEFT - 6, axis_y - 12, "pass", anchor="end"),
        text(_LEFT - 6, axis_y + 20, "fail", anchor="end"),
        *(text(x_axis(end), _HEIGHT - 6, f"{end:g}", anchor="middle") for end in _ENDS),
    ]
    description = "; ".join(
        f"score {score_bin.rate.name}: labels pass {score_bin.passed}, fail {score_bin.failed}"
        for score_bin in bins
    )
    return svg("distribution", WIDTH, _HEIGHT, title, shapes, description=description)


def reliability(title: str, bins: Sequence[Bin], *, unit: str = "score") -> Markup:
    """Draw a reliability curve: how often labels pass outputs with a given score.

    On the diagonal, scores are calibrated probabilities. ``unit`` is the word for a score.
    """
    x_axis, y_axis = AxisScale(0.0, 1.0, _LEFT, _RIGHT), AxisScale(0.0, 1.0, _HEIGHT - 34, _TOP)
    shapes = [
        *grid(y_axis, _LEFT, _RIGHT, title="share that labels pass"),
        line("track", x_axis(0), y_axis(0), x_axis(1), y_axis(1)),
    ]
    for score_bin in bins:
        x = x_axis(score_bin.mean)
        shapes += vertical_interval(score_bin.rate, x, y_axis)
        if score_bin.rate.value is not None:
            shapes.append(
                text(
                    x + 8,
                    y_axis(score_bin.rate.value) + 4,
                    count(score_bin.passed + score_bin.failed),
                    "share",
                )
            )
    shapes += [
        *(text(x_axis(end), _HEIGHT - 18, f"{end:g}", anchor="middle") for end in _ENDS),
        text(_RIGHT, _HEIGHT - 4, unit, anchor="end"),
    ]
    return svg(
        "reliability",
        WIDTH,
        _HEIGHT,
        title,
        shapes,
        description="; ".join(f"{unit} {score_bin.rate}" for score_bin in bins),
    )


def cost(title: str, points: Mapping[str, tuple[float, float]], *, unit: str) -> Markup:
    """Draw accuracy against cost by judge; up and to the left is better.

    Args:
        title: Title of the figure.
        points: Cost and accuracy by judge.
        unit: Unit of the cost.
    """
    highest_price = max((price for price, _ in points.values()), default=1.0) or 1.0
    x_axis, y_axis = (
        AxisScale(0.0, highest_price, _LEFT, _RIGHT - 12),
        AxisScale(0.0, 1.0, _HEIGHT - 34, _TOP),
    )
    shapes = grid(y_axis, _LEFT, _RIGHT, title="accuracy")
    for number, (name, (price, accuracy)) in enumerate(points.items(), start=1):
        shapes += [
            dot(
                x_axis(price),
                y_axis(accuracy),
                description=f"{name}: {price:,.4g} {unit}, {decimal(accuracy)}",
            ),
            text(x_axis(price), y_axis(accuracy) - 8, str(number), "share", anchor="middle"),
        ]
    shapes += [
        text(x_axis(0), _HEIGHT - 18, "0", anchor="middle"),
        text(_RIGHT, _HEIGHT - 18, f"{highest_price:,.4g} {unit}", anchor="end"),
        *(text(8, _HEIGHT + 14 + 16 * n, f"{n + 1}  {name}", room=52) for n, name in enumerate(points)),
    ]
    description = "; ".join(
        f"{name} {price:,.4g} {unit}, accuracy {decimal(accuracy)}"
        for name, (price, accuracy) in points.items()
    )
    return svg("cost", WIDTH, _HEIGHT + 16 * len(points) + 6, title, shapes, description=description)
