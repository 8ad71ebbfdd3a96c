from __future__ import annotations

import ast
from typing import Any

import pytest
from each_row import each_row
from hypothesis import given
from hypothesis import strategies as st

from fiducial.deterministic.execution.expressions import (
    MAX_DEPTH,
    ForbiddenExpressionError,
    evaluate,
    evaluate_arguments,
    parse,
)
from fiducial.errors import DecodingError

EXPECTED_ERRORS = (
    ForbiddenExpressionError,
    DecodingError,
    ArithmeticError,
    AttributeError,
    LookupError,
    NameError,
    SyntaxError,
    TypeError,
    ValueError,
)


def double_only(node: ast.Call, depth: int) -> Any:
    assert isinstance(node.func, ast.Name)
    assert node.func.id == "double"
    positional, named = evaluate_arguments(node, double_only, depth)
    return 2 * (positional or list(named.values()))[0]


def value_of(text: str) -> Any:
    return evaluate(parse(text), double_only)


@each_row(
    ("text", "value"),
    [
        ("'a'", "a"),
        ("[1, (2, {3}), {'k': None}]", [1, (2, {3}), {"k": None}]),
        ("-1.5", -1.5),
        ("+1", 1),
        ("not 0", True),
        ("1/8 + 2**3", 8.125),
        ("'ab' * 2", "abab"),
        ("{'k': [1, 2]}['k'][1]", 2),
        ("double(3)", 6),
        ("double(n=double(3) + 1)", 14),
        ("  \t1", 1),
    ],
)
def test_literals_arithmetic_subscripts_and_calls_have_pythons_values(text: str, value: Any):
    assert value_of(text) == value


@each_row(
    ("text", "error", "message"),
    [
        ("x", NameError, "name 'x' is not defined"),
        ("().__class__", AttributeError, "attribute '__class__' is not reachable"),
        ("x.y", NameError, "name 'x' is not defined"),
        ("1/0", ZeroDivisionError, "division by zero"),
        ("[1][5]", IndexError, "list index out of range"),
        ("{[]: 1}", TypeError, "unhashable type: 'list'"),
        ("f(", SyntaxError, "'(' was never closed (<string>, line 1)"),
        ("", SyntaxError, "invalid syntax (<string>, line 0)"),
        ("double(n=1, n=2)", SyntaxError, "keyword argument repeated: n (<string>, line 1)"),
    ],
)
def test_what_fails_fails_as_in_python(text: str, error: type[Exception], message: str):
    with pytest.raises(error) as caught:
        value_of(text)
    assert str(caught.value) == message


@each_row(
    "text",
    [
        "lambda: 1",
        "[i for i in (1, 2)]",
        "(x := 1)",
        "f'{1}'",
        "1 if 1 else 2",
        "1 < 2",
        "double(*[1])",
        "double(**{'n': 1})",
        "{**{}}",
        "(yield)",
    ],
)
@pytest.mark.attack("replies of systems")
def test_everything_else_is_refused(text: str):
    with pytest.raises(ForbiddenExpressionError):
        value_of(text)


@each_row(
    "text",
    [
        "9**9**9",
        "'a' * 10**10",
        "[[0] * 999] * 999 * 999",
        "1 << 10**9",
        "'%999999999d' % 1",
        "(" * 40_000,
        "[" * 180 + "]" * 180,
        "-" * 40_000 + "1",
        "1" + "+1" * 20_000,
        "double(" * (MAX_DEPTH + 2) + "1" + ")" * (MAX_DEPTH + 2),
        "'" + "a" * 60_000 + "'",
        "9" * 5_000,
        "a\0b",
        "'\ud800'",
    ],
)
@pytest.mark.attack("replies of systems")
def test_hostile_texts_end_in_an_error(text: str):
    with pytest.raises(EXPECTED_ERRORS):
        value_of(text)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


@given(json_values)
def test_what_repr_writes_is_read_back(value: Any):
    assert value_of(repr(value)) == value


@given(st.text("()[]{}.,:'*+-/%0aéλ\\ \n", max_size=40))
@pytest.mark.attack("replies of systems")
def test_no_text_reaches_an_attribute_or_a_name(text: str):
    def refuse(node: ast.Call, depth: int) -> Any:
        del node, depth
        raise ForbiddenExpressionError("a call")

    try:
        value = evaluate(parse(text), refuse)
    except EXPECTED_ERRORS:
        return
    assert isinstance(
        value, str | bytes | int | float | complex | list | tuple | dict | set | None | type(...)
    )
