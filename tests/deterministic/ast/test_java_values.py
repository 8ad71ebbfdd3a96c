"""Java values from source text."""

from __future__ import annotations

from typing import Any

import pytest
from each_row import each_row

from fiducial.deterministic.ast.java_values import convert_java


@each_row(
    ("text", "declared", "inner", "value"),
    [
        ("-12", "integer", None, -12),
        ("12\n", "byte", None, 12),
        ("+12", "integer", None, "+12"),
        ("1.0", "integer", None, "1.0"),
        ("9" * 5_000, "integer", None, "9" * 5_000),
        ("5L", "long", None, 5),
        ("5", "long", None, "5"),
        ("1.5f", "float", None, 1.5),
        ("1.5", "float", None, "1.5"),
        ("1e3", "double", None, 1000.0),
        ("true", "boolean", None, True),
        ("True", "boolean", None, "True"),
        ("'c'", "char", None, "'c'"),
        ("x y", "any", None, "x y"),
        ("new HashSet<>()", "Set", None, "new HashSet<>()"),
        ("new ArrayList<>(Arrays.asList(1, 2))", "ArrayList", "integer", [1, 2]),
        ('new ArrayList<String>(Arrays.asList("a", "b"))', "ArrayList", "String", ["a", "b"]),
        ('new ArrayList<>(Arrays.asList("a", 2L))', "ArrayList", None, ["a", 2]),
        ('new ArrayList<>(Arrays.asList("a"))', "ArrayList", "any", ['"a"']),
        ('new ArrayList<String>() {{ add("a"); add("b"); }}', "ArrayList", "String", ["a", "b"]),
        ("new ArrayList<>() {{ }}", "ArrayList", "String", []),
        ("new ArrayList<>()", "ArrayList", "String", []),
        ("new ArrayList<List<String>>()", "ArrayList", "String", "new ArrayList<List<String>>()"),
        ("new ArrayList()", "ArrayList", "String", "new ArrayList()"),
        ("new int[]{1, 2,}", "Array", "integer", [1, 2]),
        ('new String[]{"a"}', "Array", "String", ['"a"']),
        ("new int[3]", "Array", "integer", "new int[3]"),
        ("new double[]{1.5f, true, x}", "Array", None, [1.5, True, "x"]),
        (
            'new HashMap<String, Object>() {{ put("a", 1); put("b", "c"); }}',
            "HashMap",
            None,
            {"a": 1, "b": "c"},
        ),
        (
            'new HashMap<>() { { put("a", nan); } }',
            "HashMap",
            None,
            {"a": pytest.approx(float("nan"), nan_ok=True)},
        ),
        ("new HashMap<>()", "HashMap", None, {}),
        ("Map.of()", "HashMap", None, "Map.of()"),
    ],
)
def test_a_java_value_is_read_by_its_declared_type(text: str, declared: str, inner: str | None, value: Any):
    assert convert_java(text, declared, inner) == value


def test_a_put_may_run_over_lines_between_key_and_value():
    assert convert_java('new HashMap<>() {{ put("a",\n 1); put("b",2); }}', "HashMap") == {"a": 1, "b": 2}


def test_a_value_without_an_end_on_its_line_is_not_put():
    assert convert_java('new HashMap<>() {{ put("a", 1\n); put("b", 2); }}', "HashMap") == {"b": 2}
