"""Bar of parts that add up to a whole."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from markupsafe import Markup

from .drawing import WIDTH, box, svg

_HEIGHT = 12.0
_MIN_STRENGTH = 0.25
"""Strength of the last part's colour; the first has 1."""


def parts_bar(title: str, parts: Sequence[tuple[str, int]], untested: Collection[str] = ()) -> Markup:
    """Draw counts as parts of one bar, the first in the strongest colour.

    Args:
        title: What is counted.
        parts: Name and number of each part, in the order of the bar.
        untested: Names of parts that rest on nothing tested, which are grey.

    Returns:
        The figure; empty without a count.
    """
    total = sum(number for _, number in parts)
    if not total:
        return Markup()
    shapes: list[Markup] = []
    x = 0.0
    for index, (name, number) in enumerate(parts):
        width = WIDTH * number / total
        strength = 1.0 - (1.0 - _MIN_STRENGTH) * index / max(1, len(parts) - 1)
        shapes.append(
            box(
                x,
                0,
                max(1.0, width - 1),  # a pixel apart, and never invisible
                _HEIGHT,
                "untested" if name in untested else "differ",
                strength=strength,
                description=f"{name}: {number:,} of {total:,}",
            )
        )
        x += width
    described = "; ".join(f"{name}: {number:,}" for name, number in parts)
    return svg("parts", WIDTH, _HEIGHT, title, shapes, description=described)
