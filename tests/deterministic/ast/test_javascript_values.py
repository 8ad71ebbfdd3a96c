"""JavaScript values from source text; scans agree with the original's regular expressions."""

from __future__ import annotations

import re
from typing import Any

from each_row import each_row
from hypothesis import given
from hypothesis import strategies as st

from fiducial.deterministic.ast.javascript_values import convert_javascript, find_rows, property_pairs


@each_row(
    ("text", "declared", "inner", "value"),
    [
        ("'a'", "String", None, "a"),
        ("\"a'", "String", None, "\"a'"),
        ("-7", "integer", None, -7),
        ("5", "float", None, 5.0),
        ("1e3", "float", None, "1e3"),
        ("12n", "Bigint", None, 12),
        ("12", "Bigint", None, "12"),
        ("false", "Boolean", None, False),
        ("f => f", "any", None, "f => f"),
        (" [1, 2] ", "array", "integer", [1, 2]),
        ("['a', \"b\"]", "array", "String", ["a", "b"]),
        ("[]", "array", "integer", []),
        ("new Array(1, 2)", "array", None, [1, 2]),
        ("[[1, 2], ['a']]", "array", "array", [[1, 2], ["a"]]),
        ("new Array([1], [2])", "array", "array", [[1], [2]]),
        ("items", "array", "integer", "items"),
        ("[{a: 1, b: 2}]", "array", "dict", ["{a: 1", "b: 2}"]),
        ("{}", "dict", None, {}),
        ("{a: 1, 'b': [1, 2], c: 'x, y'}", "dict", None, {"a": 1, "b": [1, 2], "c": "x, y"}),
        ("{a: {b: 1}}", "dict", None, {"a": "{b: 1"}),
        (" config\n", "dict", None, "config"),
        ("{a: ' x\t'}", "dict", None, {"a": "x"}),
    ],
)
def test_a_javascript_value_is_read_by_its_declared_type(
    text: str, declared: str, inner: str | None, value: Any
):
    assert convert_javascript(text, declared, inner) == value


ROWS = re.compile(r"\[\s*\[.*?\]\s*(,\s*\[.*?\]\s*)*\]|\bnew\s+Array\(\s*\[.*?\]\s*(,\s*\[.*?\]\s*)*\)")
PAIRS = re.compile(r"([^:]+):\s*(.*?)(?:,\s*(?=[^,]+:)|$)")


@given(
    st.text(alphabet="[], \n1", max_size=14).map("[[".__add__)
    | st.text(alphabet="[](), 1", max_size=12).map("new Array([".__add__)
)
def test_rows_are_found_as_the_regular_expression_finds_them(text: str):
    found = ROWS.match(text)
    assert find_rows(text) == (found and found[0])


@given(st.text(alphabet="ab:, ", max_size=12))
def test_property_pairs_are_found_as_the_regular_expression_finds_them(text: str):
    assert list(property_pairs(text)) == PAIRS.findall(text)
