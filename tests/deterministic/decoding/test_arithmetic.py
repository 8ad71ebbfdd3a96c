"""Arithmetic on literals is Python's own, and bounded."""

from __future__ import annotations

import ast

import pytest
from each_row import each_row

from fiducial.deterministic.decoding.arithmetic import evaluate_arithmetic
from fiducial.errors import DecodingError


def value_of(text: str):
    return evaluate_arithmetic(ast.parse(text, mode="eval").body)


@each_row(
    "text",
    ["1+2*3", "7//2", "-7%3", "2**-1", "1<<4", "6&3|8", "5^1", "'a'*3", "[1]*2+[2]", "(1,)*2", "{1}|{2}", "{'a': 1}", "[1, 2][0]", "'%05d' % 7", "1.5e3/2", "(-8)**0.5", "1**99999999", "not 1", "b'a'+b'b'"],
)  # fmt: skip
def test_results_are_pythons(text: str):
    assert value_of(text) == ast.literal_eval(repr(eval(text)))


@each_row(
    "text",
    ["10**10**10", "'x'*10**9", "10**9*'x'", "[0]*2001", "[[0]*9999]*9999", "1<<10**9", "'%999999d' % 1", "'%*d' % (9, 1)", "b'%9999d' % 1", "(2**13000)*(2**13000)"],
)  # fmt: skip
def test_what_would_grow_without_bounds_is_refused(text: str):
    with pytest.raises(DecodingError, match="too large"):
        value_of(text)


def _nested(template: str, value: str, depth: int) -> str:
    for _ in range(depth):
        value = template % value
    return value


@pytest.mark.attack("replies of systems")
@each_row(
    "text",
    [
        _nested("'" + "%%(a)s" * 40 + "' %% {'a': %s}", "'x'", 6),
        _nested("'%%r' %% (%s)", repr("\\"), 30),
        f"'{'%(a)s' * 300}' % {{'a': 9**3000}}",
        f"'{'%(a)f' * 300}' % {{'a': 1e300}}",
        f"'{'%999d' * 60}' % ((1,) * 60)",
        f"b'{'%(a)s' * 60}' % {{b'a': b'x' * 1900}}",
    ],
)
def test_a_format_that_multiplies_its_values_is_refused(text: str):
    with pytest.raises(DecodingError, match="too large"):
        value_of(text)


@pytest.mark.parametrize(
    "text",
    ["'%s and %s' % ('a' * 900, [1, {'b': 2.5}])", "'%5.2f, ' * 60 % ((1.5,) * 60)", "'100%% of %r' % None"],
)
def test_an_ordinary_format_is_evaluated(text: str):
    assert value_of(text) == eval(text)


@each_row(
    "text", ["x", "x.y", "f()", "1/0", "1+'a'", "[][1]", "{**{}}", "{[]: 1}", "1 if 1 else 2", "1e300**2"]
)
def test_what_has_no_value_is_a_decoding_error(text: str):
    with pytest.raises(DecodingError):
        value_of(text)
