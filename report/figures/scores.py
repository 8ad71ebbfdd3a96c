"""Score figures: distribution by label, reliability, and cost."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec
from markupsafe import Markup

from ..text.number_text import count, decimal
from .drawing import WIDTH, AxisScale, box, dot, grid, line, svg, text
from .forest_plot import PlottedInterval, upright

_HEIGHT = 206.0
_TOP = 30.0
"""Position of an axis, below its title."""
_LEFT, _RIGHT = 40.0, WIDTH - 12
_ENDS = (0.0, 0.5, 1.0)


class Bin(msgspec.Struct, frozen=True, kw_only=True):
    """Group of rows with similar scores.

    Attributes:
        low: The lowest score.
        high: The highest.
        passed: Number of rows whose label passes.
        failed: Number of rows whose label fails.
        rate: Share that passes, with its interval, named by the scores.
        mean: The mean score.
    """

    low: float
    high: float
    passed: int
    failed: int
    rate: PlottedInterval
    mean: float


def distribution(title: str, bins: Sequence[Bin], *, threshold: float) -> Markup:
    """Draw the score distribution of passes (above) and fails (below), and the threshold.

    Passes and fails are those of the labels.
    """
    along = AxisScale(0.0, 1.0, _LEFT, _RIGHT)
    most = max((max(score_bin.passed, score_bin.failed) for score_bin in bins), default=1)
    middle, tall = _HEIGHT / 2 + 8, _HEIGHT / 2 - 38
    shapes = [
        text(2, 12, "number of outputs, by label"),
        line("tick", along(threshold), 20, along(threshold), _HEIGHT - 22),
        text(along(threshold), 28, f"passes at {threshold:g}", anchor="end" if threshold > 0.5 else "start"),  # noqa: PLR2004 - the middle
    ]
    for score_bin in bins:
        center, wide = (
            along((score_bin.low + score_bin.high) / 2),
            max(8.0, along(score_bin.high) - along(score_bin.low) - 2),
        )
        for number, kind, way in ((score_bin.passed, "agree", -1), (score_bin.failed, "differ", 1)):
            high = tall * number / most
            if number:
                shapes += [
                    box(
                        center - wide / 2,
                        middle - (high if way < 0 else 0),
                        wide,
                        high,
                        kind,
                        strength=0.55,
                        says=f"{score_bin.rate.name}: {count(number)}",
                    ),
                    text(center, middle + way * (high + 10) + 4, count(number), "share", anchor="middle"),
                ]
    shapes += [
        line("track", _LEFT, middle, _RIGHT, middle),
        text(_LEFT - 6, middle - 12, "pass", anchor="end"),
        text(_LEFT - 6, middle + 20, "fail", anchor="end"),
        *(text(along(end), _HEIGHT - 6, f"{end:g}", anchor="middle") for end in _ENDS),
    ]
    says = "; ".join(
        f"score {score_bin.rate.name}: labels pass {score_bin.passed}, fail {score_bin.failed}"
        for score_bin in bins
    )
    return svg("distribution", WIDTH, _HEIGHT, title, shapes, says=says)


def reliability(title: str, bins: Sequence[Bin]) -> Markup:
    """Draw a reliability curve: how often labels pass items with a given score.

    On the diagonal, a score is a probability.
    """
    along, up = AxisScale(0.0, 1.0, _LEFT, _RIGHT), AxisScale(0.0, 1.0, _HEIGHT - 34, _TOP)
    shapes = [
        *grid(up, _LEFT, _RIGHT, of="share that labels pass"),
        line("track", along(0), up(0), along(1), up(1)),
    ]
    for score_bin in bins:
        x = along(score_bin.mean)
        shapes += upright(score_bin.rate, x, up)
        if score_bin.rate.value is not None:
            shapes.append(
                text(x + 8, up(score_bin.rate.value) + 4, count(score_bin.passed + score_bin.failed), "share")
            )
    shapes += [
        *(text(along(end), _HEIGHT - 18, f"{end:g}", anchor="middle") for end in _ENDS),
        text(_RIGHT, _HEIGHT - 4, "score", anchor="end"),
    ]
    return svg(
        "reliability",
        WIDTH,
        _HEIGHT,
        title,
        shapes,
        says="; ".join(f"score {score_bin.rate}" for score_bin in bins),
    )


def cost(title: str, points: Mapping[str, tuple[float, float]], *, unit: str) -> Markup:
    """Draw cost in ``unit`` against accuracy; up and to the left is better."""
    most = max((paid for paid, _ in points.values()), default=1.0) or 1.0
    along, up = AxisScale(0.0, most, _LEFT, _RIGHT - 12), AxisScale(0.0, 1.0, _HEIGHT - 34, _TOP)
    shapes = grid(up, _LEFT, _RIGHT, of="accuracy")
    for number, (name, (paid, worth)) in enumerate(points.items(), start=1):
        shapes += [
            dot(along(paid), up(worth), says=f"{name}: {paid:,.4g} {unit}, {decimal(worth)}"),
            text(along(paid), up(worth) - 8, str(number), "share", anchor="middle"),
        ]
    shapes += [
        text(along(0), _HEIGHT - 18, "0", anchor="middle"),
        text(_RIGHT, _HEIGHT - 18, f"{most:,.4g} {unit}", anchor="end"),
        *(text(8, _HEIGHT + 14 + 16 * n, f"{n + 1}  {name}", room=52) for n, name in enumerate(points)),
    ]
    says = "; ".join(
        f"{name} {paid:,.4g} {unit}, accuracy {decimal(worth)}" for name, (paid, worth) in points.items()
    )
    return svg("cost", WIDTH, _HEIGHT + 16 * len(points) + 6, title, shapes, says=says)
