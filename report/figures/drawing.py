"""Drawing primitives for figures: shapes as SVG, every text escaped.

Colours and widths are attributes, so that a figure is legible without a style sheet, as in a notebook; a page's style sheet
overrides them by the same names (light, dark, print). Sizes are pixels at a width that fits a telephone; wider screens do not enlarge them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from markupsafe import Markup

from ..text.safe_text import cut_at, shortened

WIDTH = 360.0
"""Width of a single figure."""

MAX_LETTERS = 200
"""Longest single text in a figure, in characters."""

_RIGHT, _WRONG = "#2f77bd", "#c25a2b"
"""Legible on white and on black."""

_KINDS: dict[str, str] = {
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
"""Default attributes of each kind of shape, in addition to those of the ``svg`` element."""

_DECLARED = re.compile(r'(?<![\w-])([\w-]+)="([^"]+)"')


def figure_styles() -> str:
    """Return the default attributes as a style sheet, for a page of many figures; see `lean`."""
    rules = {kind: _DECLARED.sub(_declaration, looks) for kind, looks in _KINDS.items() if looks}
    return "\n".join(f"svg .{kind} {{ {declared} }}" for kind, declared in rules.items())


def _declaration(match: re.Match[str]) -> str:
    return f"{match[1]}: {match[2]}{'px' if match[1] == 'font-size' else ''};"


def lean(page: str) -> str:
    """Remove the attributes from a page's figures that its style sheet sets."""
    for kind, looks in _KINDS.items():
        page = page.replace(f'class="{kind}" {looks}', f'class="{kind}"')
    return page


class AxisScale(NamedTuple):
    """Scale of an axis: values to pixels.

    Attributes:
        low: The value at ``start``.
        high: The value at ``end``.
        start: Pixels.
        end: Pixels.
    """

    low: float
    high: float
    start: float
    end: float

    def __call__(self, value: float) -> float:
        """Return the position of a value; values out of range go to the end of the axis."""
        inside = min(max(self.low, self.high), max(min(self.low, self.high), value))
        return self.start + (inside - self.low) / (self.high - self.low or 1.0) * (self.end - self.start)


def svg(
    kind: str, width: float, height: float, title: str, shapes: Iterable[Markup], *, description: str = ""
) -> Markup:
    """Return an ``svg`` element of a style sheet class and a size in pixels.

    ``title`` and ``description`` are for readers who cannot see the figure.
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
    """Draw a text, cut to ``room`` letters; the full text is in the tooltip."""
    shown = fit(words)
    hint = fit(full or words)
    whole = Markup("<title>{}</title>").format(hint) if len(shown) > room or hint != shown else Markup()
    cut = shown if len(shown) <= room else f"{cut_at(shown, room - 1)}…"
    placed = Markup() if anchor == "start" else Markup(' text-anchor="{}"').format(anchor)
    return Markup('<text {} x="{}" y="{}"{}>{}{}</text>').format(
        _looks(kind), _pixels(x), _pixels(y), placed, whole, cut
    )


def line(kind: str, x1: float, y1: float, x2: float, y2: float) -> Markup:
    """Draw a line."""
    return Markup('<line {} x1="{}" y1="{}" x2="{}" y2="{}"/>').format(
        _looks(kind), *map(_pixels, (x1, y1, x2, y2))
    )


def ticks(positions: Iterable[float], top: float, bottom: float) -> Markup:
    """Draw upright ticks as one shape."""
    course = "".join(f"M{_pixels(x)} {_pixels(top)}V{_pixels(bottom)}" for x in positions)
    return Markup('<path {} d="{}"/>').format(_looks("tick"), course)


def grid(y_axis: AxisScale, left: float, right: float, *, title: str = "") -> list[Markup]:
    """Draw lines at 0, one half and 1 with their numbers; above them the axis's title."""
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
    places = " ".join(f"{_pixels(x)},{_pixels(y)}" for x, y in points)
    return Markup('<polyline {} points="{}"/>').format(_looks(kind), places)


def dot(x: float, y: float, kind: str = "dot", *, radius: float = 4.5, description: str = "") -> Markup:
    """Draw a point; ``description`` is the tooltip."""
    return Markup('<circle {} cx="{}" cy="{}" r="{:g}">{}</circle>').format(
        _looks(kind), _pixels(x), _pixels(y), radius, _hint(description)
    )


def box(x: float, y: float, width: float, height: float, kind: str, *, strength: float = 1.0, description: str = "") -> Markup:  # fmt: skip
    """Draw a rectangle; a larger ``strength`` means a stronger colour."""
    return Markup(
        '<rect {} x="{}" y="{}" width="{}" height="{}" rx="3" fill-opacity="{:.2f}">{}</rect>'
    ).format(_looks(kind), *map(_pixels, (x, y, width, height)), strength, _hint(description))


def fit(words: str) -> str:
    """Make untrusted text fit for a figure."""
    return shortened(words, MAX_LETTERS * 10)


def _looks(kind: str) -> Markup:
    return Markup('class="{}" {}').format(kind, Markup(_KINDS[kind])).rstrip()  # noqa: S704 - of the table above


def _pixels(position: float) -> str:
    """Format a position to a tenth of a pixel, without the digits that say nothing."""
    return f"{position:.1f}".removesuffix(".0")


def _hint(description: str) -> Markup:
    return Markup("<title>{}</title>").format(fit(description)) if description else Markup()
