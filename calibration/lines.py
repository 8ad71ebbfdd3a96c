"""Numbers and statistics in aligned plain lines: what every command on calibration tables prints with."""

from __future__ import annotations

from typing import Any

_LEAST_P = 1e-4


def number(value: float) -> str:
    """A number as tables print it; what rounds to nothing has no sign."""
    text = f"{value:.3f}"
    return text.removeprefix("-") if text == "-0.000" else text


def counted(count: int, what: str) -> str:
    """A count with its noun, in the plural unless it is 1: ``1 cluster``, ``2 clusters``."""
    return f"{count:,} {what}{'' if count == 1 else 's'}"


def p_value(value: float | None) -> str:
    """A p-value as tables print it; a small one is never 0."""
    if value is None:
        return "-"
    return "<0.0001" if value < _LEAST_P else f"{value:.4f}"


def statistic_cells(statistic: dict[str, Any]) -> tuple[str, str, str, str]:
    """Value, interval, denominator, and method or the reason why there is no value."""
    on = f"{statistic['n']:,}"
    if statistic["value"] is None:
        return "-", "", on, f"undefined: {statistic['undefined']}"
    interval = (
        "" if statistic["low"] is None else f"[{number(statistic['low'])}, {number(statistic['high'])}]"
    )
    return number(statistic["value"]), interval, on, statistic["method"] or ""


def aligned(rows: list[tuple[str, ...]], *, indent: str = "  ") -> list[str]:
    """Rows of cells as lines: the first and the last column to the left, the others to the right."""
    if not rows:
        return []
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    last = len(widths) - 1
    return [
        indent
        + "  ".join(
            cell.ljust(width) if column in {0, last} else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]


def statistic_lines(statistics: dict[str, dict[str, Any]]) -> list[str]:
    """One line a statistic."""
    head = ("statistic", "value", "interval", "on", "method")
    return aligned([head, *((name, *statistic_cells(each)) for name, each in statistics.items())])
