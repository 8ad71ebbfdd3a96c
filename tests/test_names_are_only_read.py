"""Judges are identified by id: no code parses or compares their display names."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
ROOMS = ("api", "calibration", "cli", "evaluation", "judges", "report")
NAMES = {"by", "judge"}
TAKEN_APART_BY = {
    "endswith",
    "partition",
    "removeprefix",
    "removesuffix",
    "rpartition",
    "rsplit",
    "split",
    "startswith",
}
MAY_TAKE_APART = re.compile(
    rf"\.\s*by\b|\b(?:{'|'.join(sorted(NAMES))})\s*\.\s*(?:{'|'.join(sorted(TAKEN_APART_BY))})\b"
)
"""In the text of a file, which is quicker than to parse it."""

ALLOWED = {
    "api/assistant_tools.py": "what an assistant types is a judge's name or a prompt file, and no model's",
    "api/flow_folders.py": "what is typed is a judge's name with its variant",
    "api/named_inputs.py": "a baseline's error lists the inputs of the judge that it replaces",
    "calibration/comparison/comparison_results.py": "whether the labels of a table decide, and no checker",
    "calibration/tables/calibration_table.py": "a row of a file names its judge, and says nothing else of it",
    "cli/compare.py": "whether judges or systems are compared",
    "evaluation/audit/cards/card_table.py": "which cards a reader would take for one judge's, and nothing else",
    "evaluation/past_runs/gated_imports.py": "a file of another tool names who graded, and nothing else",
    "evaluation/labelling/joined_labels.py": "people's labels beside their majority, and no judge",
    "evaluation/store/manifest.py": "a jury whose rule was changed has the name that it had",
    "evaluation/past_runs/gate_rates.py": "whether labels settle a number of a gate, and no judge",
    "judges/baseline.py": "results have names only; a baseline's says that it is one",
    "report/text/agreement_text.py": "whether labels or agreement say what a jury is worth, and no judge",
    "report/changed_cases.py": "which verdict a change goes by",
    "report/text/calibration_screen.py": "results have names only; a baseline's says that it is one",
    "report/text/comparison_screen.py": "whether judges or systems are compared",
    "report/text/comparison_text.py": "whether judges or systems are compared",
    "report/text/forecast_text.py": "whether a forecast is of splitting answers, for a note alone",
}


def _named(node: ast.expr) -> bool:
    return (isinstance(node, ast.Attribute) and node.attr == "by") or (
        isinstance(node, ast.Name) and node.id in NAMES
    )


def _taken_apart(tree: ast.AST) -> Iterator[int]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            if node.func.attr in TAKEN_APART_BY and _named(node.func.value):
                yield node.lineno
        elif isinstance(node, ast.Compare) and all(
            isinstance(each, (ast.Eq, ast.NotEq)) for each in node.ops
        ):
            sides = [node.left, *node.comparators]
            if any(isinstance(side, ast.Attribute) and side.attr == "by" for side in sides):
                yield node.lineno


def _places() -> Iterator[str]:
    for room in ROOMS:
        for file in sorted((ROOT / room).rglob("*.py")):
            text = file.read_text(encoding="utf-8")
            if MAY_TAKE_APART.search(text):
                name = file.relative_to(ROOT).as_posix()
                for line in _taken_apart(ast.parse(text)):
                    yield f"{name}:{line}"


def test_no_name_of_a_judge_is_taken_apart_or_compared_but_where_it_is_needed():
    places = [*_places()]
    assert [place for place in places if place.partition(":")[0] not in ALLOWED] == []
    assert {place.partition(":")[0] for place in places} == ALLOWED.keys()
