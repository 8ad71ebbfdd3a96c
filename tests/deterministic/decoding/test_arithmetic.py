"""Arithmetic on literals is Python's own, and bounded."""

from __future__ import annotations

import ast

import pytest

from fiducial.deterministic.decoding.arithmetic import evaluate_arithmetic
from fiducial.errors import DecodingError


def value_of(text: str):
    return evaluate_arithmetic(ast.parse(text, mode="eval").body)


@pytest.mark.parametrize(
    "text",
    ["1+2*3", "7//2", "-7%3", "2**-1", "1<<4", "6&3|8", "5^1", "'a'*3", "[1]*2+[2]", "(1,)*2", "{1}|{2}", "{'a': 1}", "[1, 2][0]", "'%05d' % 7", "1.5e3/2", "(-8)**0.5", "1**99999999", "not 1", "b'a'+b'b'"],
)  # fmt: skip
def test_results_are_pythons(text: str):
    assert value_of(text) == ast.literal_eval(repr(eval(text)))


@pytest.mark.parametrize(
    "text",
    ["10**10**10", "'x'*10**9", "10**9*'x'", "[[0]*9999]*9999", "1<<10**9", "'%999999d' % 1", "'%*d' % (9, 1)", "b'%9999d' % 1", "(2**13000)*(2**13000)"],
)  # fmt: skip
def test_what_would_grow_without_bounds_is_refused(text: str):
    with pytest.raises(DecodingError, match="too large"):
        value_of(text)


@pytest.mark.parametrize(
    "text", ["x", "x.y", "f()", "1/0", "1+'a'", "[][1]", "{**{}}", "{[]: 1}", "1 if 1 else 2", "1e300**2"]
)
def test_what_has_no_value_is_a_decoding_error(text: str):
    with pytest.raises(DecodingError):
        value_of(text)
