"""Drawing primitives for figures: shapes as SVG, with every text escaped.

Colours and widths are attributes of shapes, so that a figure is legible without a style sheet, as in a notebook. A page of
many figures has them once in a style sheet (`figure_styles`), and removes the attributes (`lean`). Sizes are pixels at a
width that fits a telephone; wider screens do not enlarge figures.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from markupsafe import Markup

from ..text.safe_text import cut_at, shortened

WIDTH = 360.0
"""Width of a figure, in pixels."""

MAX_LETTERS = 200
"""Longest text that is drawn, in characters."""

_RIGHT, _WRONG = "#2f77bd", "#c25a2b"
"""Colours for good and bad results, legible on white and on black."""

_SHAPE_ATTRIBUTES: dict[str, str] = {
    "track": 'stroke="currentColor" stroke-opacity="0.45"',
    "tick": 'stroke="currentColor" stroke-opacity="0.15"',
    "zero": 'stroke="currentColor" stroke-opacity="0.7"',
    "whisker": f'stroke="{_RIGHT}" stroke-width="6" stroke-opacity="0.35" stroke-linecap="round"',
    "bounds": 'stroke="currentColor" stroke-width="2" stroke-opacity="0.6"',
    "course": f'stroke="{_RIGHT}" stroke-width="1.5" fill="none"',
    "band": f'fill="{_RIGHT}" fill-opacity="0.15"',
    "target": 'stroke="currentColor" stroke-opacity="0.6" stroke-dasharray="4 4"',
    "seen": f'fill="{_RIGHT}" fill-opacity="0.6"',
    "dot": f'fill="{_RIGHT}"',
    "alarm": f'fill="{_WRONG}"',
    "agree": f'fill="{_RIGHT}"',
    "differ": f'fill="{_WRONG}"',
    "untested": 'fill="currentColor" fill-opacity="0.45"',
    "label": "",
    "name": 'font-size="12.5" font-weight="600"',
    "head": "",
    "number": 'font-size="19" font-weight="650"',
    "share": 'font-size="11"',
}
"""Attributes of each kind of shape, in addition to those of the ``svg`` element; kinds are classes in style sheets."""

_ATTRIBUTE = re.compile(r'(?<![\w-])([\w-]+)="([^"]+)"')


def figure_styles() -> str:
    """Return the attributes of all kinds of shapes as a style sheet; see `lean`."""
    rules = {
        kind: _ATTRIBUTE.sub(_declaration, attributes)
        for kind, attributes in _SHAPE_ATTRIBUTES.items()
        if attributes
    }
    return "\n".join(f"svg .{kind} {{ {declarations} }}" for kind, declarations in rules.items())


def _declaration(match: re.Match[str]) -> str:
    return f"{match[1]}: {match[2]}{'px' if match[1] == 'font-size' else ''};"


def lean(page: str) -> str:
    """Remove from a page's figures the attributes that its style sheet, `figure_styles`, sets."""
    for kind, attributes in _SHAPE_ATTRIBUTES.items():
        page = page.replace(f'class="{kind}" {attributes}', f'class="{kind}"')
    return page


class AxisScale(NamedTuple):
    """Axis: a linear scale from values to pixels, which may run in either direction.

    Attributes:
        low: The value at ``start``.
        high: The value at ``end``.
        start: Position of the low value, in pixels.
        end: Position of the high value, in pixels.
    """

    low: float
    high: float
    start: float
    end: float

    def __call__(self, value: float) -> float:
        """Return the position of a value; values out of range get the position of the nearer end."""
        clamped = min(max(self.low, self.high), max(min(self.low, self.high), value))
        return self.start + (clamped - self.low) / (self.high - self.low or 1.0) * (self.end - self.start)


def svg(
    kind: str, width: float, height: float, title: str, shapes: Iterable[Markup], *, description: str = ""
) -> Markup:
    """Return an ``svg`` element.

    Args:
        kind: Its class, for style sheets.
        width: Pixels.
        height: Pixels.
        title: Title for readers who cannot see the figure.
        shapes: Its content.
        description: Its content in words, for the same readers.
    """
    return Markup(
        '<svg class="{}" width="{:g}" height="{:g}" viewBox="0 0 {:g} {:g}" role="img" font-family="sans-serif" '
        'fill="currentColor" font-size="12">'
        "<title>{}</title>{}{}</svg>"
    ).format(
        kind,
        width,
        height,
        width,
        height,
        fit(title),
        Markup("<desc>{}</desc>").format(fit(description)) if description else "",
        Markup().join(shapes),
    )


def text(
    x: float,
    y: float,
    words: str,
    kind: str = "label",
    *,
    anchor: str = "start",
    room: int = MAX_LETTERS,
    full: str = "",
) -> Markup:
    """Draw a text, cut to ``room`` letters; a tooltip has the whole text, or ``full``."""
    shown = fit(words)
    tooltip_text = fit(full or words)
    tooltip = (
        Markup("<title>{}</title>").format(tooltip_text)
        if len(shown) > room or tooltip_text != shown
        else Markup()
    )
    visible_text = shown if len(shown) <= room else f"{cut_at(shown, room - 1)}…"
    anchor_attribute = Markup() if anchor == "start" else Markup(' text-anchor="{}"').format(anchor)
    return Markup('<text {} x="{}" y="{}"{}>{}{}</text>').format(
        _attributes(kind), _coordinate(x), _coordinate(y), anchor_attribute, tooltip, visible_text
    )


def line(kind: str, x1: float, y1: float, x2: float, y2: float) -> Markup:
    """Draw a line."""
    return Markup('<line {} x1="{}" y1="{}" x2="{}" y2="{}"/>').format(
        _attributes(kind), *map(_coordinate, (x1, y1, x2, y2))
    )


def ticks(positions: Iterable[float], top: float, bottom: float) -> Markup:
    """Draw vertical ticks as one shape, which is smaller than a line each."""
    course = "".join(f"M{_coordinate(x)} {_coordinate(top)}V{_coordinate(bottom)}" for x in positions)
    return Markup('<path {} d="{}"/>').format(_attributes("tick"), course)


def grid(y_axis: AxisScale, left: float, right: float, *, title: str = "") -> list[Markup]:
    """Draw horizontal lines at 0, 0.5 and 1 with their numbers, and the axis's title above."""
    heading = [text(2, y_axis(1.0) - 10, title)] if title else []
    return heading + [
        shape
        for mark in (0.0, 0.5, 1.0)
        for shape in (
            line("tick", left, y_axis(mark), right, y_axis(mark)),
            text(left - 6, y_axis(mark) + 4, f"{mark:g}", anchor="end"),
        )
    ]


def path(kind: str, points: Sequence[tuple[float, float]]) -> Markup:
    """Draw a line through points."""
    places = " ".join(f"{_coordinate(x)},{_coordinate(y)}" for x, y in points)
    return Markup('<polyline {} points="{}"/>').format(_attributes(kind), places)


def dot(x: float, y: float, kind: str = "dot", *, radius: float = 4.5, description: str = "") -> Markup:
    """Draw a point; ``description`` is the tooltip."""
    return Markup('<circle {} cx="{}" cy="{}" r="{:g}">{}</circle>').format(
        _attributes(kind), _coordinate(x), _coordinate(y), radius, _tooltip(description)
    )


def box(x: float, y: float, width: float, height: float, kind: str, *, strength: float = 1.0, description: str = "") -> Markup:  # fmt: skip
    """Draw a rectangle; a larger ``strength`` means a stronger colour."""
    return Markup(
        '<rect {} x="{}" y="{}" width="{}" height="{}" rx="3" fill-opacity="{:.2f}">{}</rect>'
    ).format(_attributes(kind), *map(_coordinate, (x, y, width, height)), strength, _tooltip(description))


def fit(words: str) -> str:
    """Make a text of the data fit for a figure: cut, with invisible characters spelled out."""
    return shortened(words, MAX_LETTERS * 10)


def _attributes(kind: str) -> Markup:
    return Markup('class="{}" {}').format(kind, Markup(_SHAPE_ATTRIBUTES[kind])).rstrip()  # noqa: S704 - of the table above


def _coordinate(position: float) -> str:
    """Format a position to a tenth of a pixel, without a trailing ``.0``."""
    return f"{position:.1f}".removesuffix(".0")


def _tooltip(description: str) -> Markup:
    return Markup("<title>{}</title>").format(fit(description)) if description else Markup()
