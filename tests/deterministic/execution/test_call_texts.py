from __future__ import annotations

from typing import Any

import pytest

from fiducial.deterministic.execution.call_texts import native_call_texts, prompt_call_texts
from fiducial.errors import DecodingError


@pytest.mark.parametrize(
    ("call", "text"),
    [
        ({"f": {}}, "f()"),
        ({"f": {"a": 1, "b": "x"}}, "f(a=1,b='x')"),
        ({"f": {"a": [True, None, {"k": 1.5}]}}, "f(a=[True, None, {'k': 1.5}])"),
        ({"f": {"a": {}}}, "f(a={})"),
    ],
)
def test_native_calls_are_written_without_blanks_between_arguments(call: dict[str, Any], text: str):
    assert native_call_texts([call]) == [text]


@pytest.mark.parametrize(
    ("call", "text"),
    [
        ({"f": {"a": 1, "b": "x"}}, "f(a=1, b='x')"),
        ({"f": {"a": {"k": 1, "l": {"m": "n"}}}}, "f(a={'k': 1, 'l': {'m': 'n'}})"),
        ({"f": {"a": {"k": 1, "l": {"m": {"n": 2}}}}}, "f(a={'k': 1, 'l': m(n=2)})"),
        ({"f": {"a": {"g": {"x": 1}}}}, "f(a=g(x=1))"),
        ({"f": {"a": {"g": {"x": {"h": {"y": 2}}}}}}, "f(a=g(x=h(y=2)))"),
        ({"f": {"a": [{"g": {"x": 1}}]}}, "f(a=[{'g': {'x': 1}}])"),
        ({"f": {None: {"k": 1}}}, "f(None={'k': 1})"),
    ],
)
def test_a_dict_of_nothing_but_dicts_is_written_as_a_nested_call(call: dict[str, Any], text: str):
    assert prompt_call_texts([call]) == [text]


def test_an_empty_dict_cannot_be_written():
    with pytest.raises(DecodingError, match="empty dict"):
        prompt_call_texts([{"f": {"updates": {}}}])


@pytest.mark.parametrize("arguments", [None, 5, "x", [1]])
def test_arguments_that_are_no_object_cannot_be_written(arguments: object):
    with pytest.raises(DecodingError, match="named arguments"):
        native_call_texts([{"f": arguments}])
