"""One function compares a score with a threshold: no other line of the package does."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from each_row import each_row

ROOT = Path(__file__).parents[1]
ROOMS = ("api", "calibration", "cli", "evaluation", "formats", "judges", "records", "report", "tables")
THRESHOLDS = {"pass_at", "threshold", "thresholds", "_PASS_AT", "_HALF", "HALF"}
ORDERS = (ast.Gt, ast.GtE, ast.Lt, ast.LtE)


def _is_threshold(node: ast.expr) -> bool:
    """Return whether an expression is a threshold by its name, or one of several."""
    match node:
        case ast.Name(id=name):
            return name in THRESHOLDS or name.endswith(("_threshold", "_pass_at"))
        case ast.Attribute(value=value, attr=name):
            return name in {"pass_at", "threshold"} or (name == "at" and _is_threshold(value))
        case ast.Subscript(value=value):
            return _is_threshold(value)
        case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name)):
            return name.startswith(("threshold_of", "_threshold_of", "_label_threshold"))
        case ast.IfExp(body=body, orelse=other):
            return _is_threshold(body) or _is_threshold(other)
        case _:
            return False


def _compared(tree: ast.AST) -> Iterator[int]:
    """Yield lines that order something and a threshold, other than ranges of thresholds."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Compare) and len(node.ops) == 1 and isinstance(node.ops[0], ORDERS):
            sides = (node.left, node.comparators[0])
            if any(map(_is_threshold, sides)) and not any(isinstance(side, ast.Constant) for side in sides):
                yield node.lineno


def test_scores_meet_thresholds_in_one_function():
    found = [
        f"{path.relative_to(ROOT)}:{line}"
        for room in ROOMS
        for path in sorted((ROOT / room).rglob("*.py"))
        if path != ROOT / "records/made_scores.py"
        if any(name.strip("_") in (text := path.read_text("utf-8")) for name in THRESHOLDS)
        for line in _compared(ast.parse(text))
    ]
    assert not found, "use records.made_scores.reaches"


@each_row(
    ("line", "count"),
    [
        ("passed = score >= pass_at", 1),
        ("passed = verdict.score < judge.threshold", 1),
        ("passed = score >= thresholds[judge].at", 1),
        ("passed = cut.pass_at <= score", 1),
        ("passed = score >= (pass_at if label else 0.5)", 1),
        ("passed = reaches(score, pass_at)", 0),
        ("assert 0 < pass_at <= 1", 0),
        ("assert pass_at > 0", 0),
        ("assert score >= lowest", 0),
    ],
)
def test_a_line_that_compares_a_score_with_a_threshold_is_found(line: str, count: int):
    assert len(list(_compared(ast.parse(line)))) == count
