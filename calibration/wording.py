"""Results in words: aligned plain lines in which every rate has its denominator and interval."""

from __future__ import annotations

from typing import Any

from .estimator import AGREEMENT

_HEADLINE = ("accuracy", "true_positive_rate", "true_negative_rate", "cohen_kappa", "mcc")


def number(value: float) -> str:
    """A number as tables print it."""
    return f"{value:.3f}"


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


def calibration_lines(result: dict[str, Any], *, slices: tuple[str, ...] = ()) -> list[str]:
    """The result of `calibrate` for people.

    Args:
        result: What `calibrate` gave.
        slices: Columns to print by value.

    Returns:
        Lines without line ends.
    """
    lines: list[str] = []
    for judge, panel in result["judges"].items():
        lines += [*_judge_lines(judge, panel), ""]
    lines += [
        f"Judges that do not look, on the same {result['baselines']['always_pass']['n']:,} labelled items:",
        *_comparison_lines(result["baselines"]),
    ]
    for column in slices:
        lines += ["", f"By {column}:"]
        for value, judges in result["slices"].get(column, {}).items():
            lines += [f"  {value}", *_comparison_lines(judges, indent="    ")]
    lines += [f"warning: {line}" for line in result["warnings"]]
    return lines


def _judge_lines(judge: str, panel: dict[str, Any]) -> list[str]:
    rows = f"{panel['n']:,} rows with label and score in {panel['n_clusters']:,} clusters"
    absent = f"{panel['n_missing']:,} labelled without score, {panel['n_unlabelled']:,} without label"
    # On 0/1 scores and labels the graded statistics repeat what the 2x2 table says.
    shown = {
        name: each for name, each in panel["statistics"].items() if name in AGREEMENT or not panel["binary"]
    }
    return [
        f"{judge}: {rows} ({absent})",
        *aligned(
            [
                ("", "judge passes", "judge fails"),
                ("label passes", f"{panel['tp']:,}", f"{panel['fn']:,}"),
                ("label fails", f"{panel['fp']:,}", f"{panel['tn']:,}"),
            ]
        ),
        *statistic_lines(shown),
    ]


def _comparison_lines(judges: dict[str, Any], *, indent: str = "  ") -> list[str]:
    rows: list[tuple[str, ...]] = [
        (judge if name == _HEADLINE[0] else "", name, *statistic_cells(panel["statistics"][name]))
        for judge, panel in judges.items()
        for name in _HEADLINE
    ]
    return aligned(rows, indent=indent)
