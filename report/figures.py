"""Figures as inline SVG: pure functions of numbers; colours come from the style sheet, so that dark mode and print work."""

from __future__ import annotations

from markupsafe import Markup

from .words import count, decimal

_WIDTH = 240.0
_MARGIN = 6.0
_HEIGHT = 20
_MIDDLE = _HEIGHT / 2


def interval_strip(
    value: float | None,
    low: float | None,
    high: float | None,
    *,
    bounds: tuple[float, float] | None = None,
    floor: float = 0.0,
) -> Markup:
    """Draw an estimate with its interval on an axis from ``floor`` to 1.

    Args:
        value: The estimate; an axis alone is drawn without one.
        low: Lower end of the interval.
        high: Upper end of the interval.
        bounds: Worst-case bounds, drawn as a thin line beneath.
        floor: Left end of the axis: 0 for rates, -1 for correlations.

    Returns:
        An ``svg`` element that says the numbers to a screen reader.
    """
    parts = [_grid(floor)]
    if bounds is not None:
        parts.append(_line("bounds", _place(bounds[0], floor), _place(bounds[1], floor), _HEIGHT - 1))
    if low is not None and high is not None:
        parts.append(_line("whisker", _place(low, floor), _place(high, floor)))
    if value is not None:
        parts.append(f'<circle class="dot" cx="{_place(value, floor):.1f}" cy="{_MIDDLE:g}" r="4.5"/>')
    says = "no value" if value is None else decimal(value)
    if low is not None and high is not None:
        says += f", interval {decimal(low)} to {decimal(high)}"
    return _svg("strip", _WIDTH, _HEIGHT, says, "".join(parts))


def axis(floor: float = 0.0) -> Markup:
    """The scale that belongs above a column of `interval_strip`, with its ends and its middle named."""
    labels = "".join(
        f'<text x="{_place(tick, floor):.1f}" y="14" text-anchor="{anchor}">{tick:g}</text>'
        for tick, anchor in ((floor, "start"), ((floor + 1) / 2, "middle"), (1.0, "end"))
    )
    return _svg("axis", _WIDTH, _HEIGHT, f"scale from {floor:g} to 1", labels)


def confusion(tp: int, fn: int, fp: int, tn: int) -> Markup:
    """Draw a 2x2 table of judge against label; a cell is the darker, the larger its share of the label's row.

    Args:
        tp: Label pass, judge pass.
        fn: Label pass, judge fail.
        fp: Label fail, judge pass.
        tn: Label fail, judge fail.

    Returns:
        An ``svg`` element that says the numbers to a screen reader.
    """
    parts = [
        '<text class="head" x="135" y="12" text-anchor="middle">judge: pass</text>',
        '<text class="head" x="235" y="12" text-anchor="middle">judge: fail</text>',
    ]
    for row, (name, cells) in enumerate(
        (("label: pass", ((tp, "agree"), (fn, "differ"))), ("label: fail", ((fp, "differ"), (tn, "agree"))))
    ):
        y = 20 + row * 56
        of = sum(number for number, _ in cells)
        parts.append(f'<text class="head" x="78" y="{y + 30}" text-anchor="end">{name}</text>')
        parts.extend(
            _cell(86 + column * 100, y, number, of, kind) for column, (number, kind) in enumerate(cells)
        )
    return _svg("confusion", 290, 134, says_confusion(tp, fn, fp, tn), "".join(parts))


def says_confusion(tp: int, fn: int, fp: int, tn: int) -> str:
    """A 2x2 table of judge against label, in words."""
    return f"label pass: judge pass {tp}, judge fail {fn}; label fail: judge pass {fp}, judge fail {tn}"


def _cell(x: int, y: int, number: int, of: int, kind: str) -> str:
    share = number / of if of else 0.0
    shown = f"{share:.0%} of {count(of)}" if of else "no such label"
    return (
        f'<rect class="{kind}" x="{x}" y="{y}" width="98" height="54" rx="4" fill-opacity="{0.06 + 0.44 * share:.2f}"/>'
        f'<text class="number" x="{x + 49}" y="{y + 26}" text-anchor="middle">{count(number)}</text>'
        f'<text class="share" x="{x + 49}" y="{y + 43}" text-anchor="middle">{shown}</text>'
    )


def _place(value: float, floor: float) -> float:
    inside = min(1.0, max(floor, value))
    return _MARGIN + (inside - floor) / (1.0 - floor) * (_WIDTH - 2 * _MARGIN)


def _grid(floor: float) -> str:
    ticks = [floor + (1.0 - floor) * quarter / 4 for quarter in range(5)]
    lines = "".join(
        f'<line class="tick" x1="{x:.1f}" x2="{x:.1f}" y1="3" y2="{_HEIGHT - 3}"/>'
        for x in (_place(tick, floor) for tick in ticks)
    )
    return lines + _line("track", _place(floor, floor), _place(1.0, floor))


def _line(kind: str, left: float, right: float, y: float = _MIDDLE) -> str:
    return f'<line class="{kind}" x1="{left:.1f}" x2="{right:.1f}" y1="{y:g}" y2="{y:g}"/>'


def _svg(kind: str, width: float, height: float, says: str, inside: str) -> Markup:
    # Everything in here was computed from numbers: no text from outside reaches a figure.
    return Markup(  # noqa: S704
        f'<svg class="{kind}" viewBox="0 0 {width:g} {height:g}" role="img" aria-label="{says}">{inside}</svg>'
    )
