"""Recognition of stored answers as native calls or text."""

from __future__ import annotations

from typing import Any

import pytest
from each_row import each_row

from fiducial.evaluation.bfcl.stored_answers import mode_of
from fiducial.formats.bfcl import CATEGORIES

ANSWERS: list[tuple[str, Any, str]] = [
    ("simple_python", "[f(a=1)]", "prompt"),
    ("simple_python", [{"f": "{}"}], "fc"),
    ("simple_python", [], "fc"),
    ("simple_python", None, "prompt"),
    ("multi_turn_base", [["f()", "done"]], "prompt"),
    ("multi_turn_base", [[[{"f": "{}"}], "done"]], "fc"),
    ("multi_turn_base", [["hm"], [[]]], "fc"),
    ("multi_turn_base", [], "prompt"),
    ("multi_turn_base", "Error during inference", "prompt"),
    ("memory_kv", [["Paris"]], "prompt"),
    ("memory_kv", [1, None, {"a": [1]}], "prompt"),
]


@each_row(("category", "result", "mode"), ANSWERS)
def test_lists_are_native_calls_and_texts_are_text(category: str, result: Any, mode: str):
    assert mode_of(CATEGORIES[category], result, "auto") == mode


@pytest.mark.parametrize("mode", ["prompt", "fc"])
def test_what_the_user_says_counts(mode: Any):
    assert mode_of(CATEGORIES["simple_python"], [], mode) == mode
