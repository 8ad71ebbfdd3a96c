from __future__ import annotations

from typing import Any

import pytest
from each_row import each_row

from fiducial.deterministic.execution.call_texts import (
    ReplyReader,
    native_call_texts,
    prompt_call_texts,
    read_call_texts,
    read_native,
    read_native_exactly,
    read_prompt,
    read_prompt_exactly,
)
from fiducial.errors import DecodingError
from fiducial.records import ToolCall


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


@each_row(
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


@each_row(
    ("reply", "original", "exact"),
    [
        ("[f(a=1, b='x')]", ["f(a=1, b='x')"], ["f(a=1, b='x')"]),
        ("f(a=1), g()", ["f(a=1)", "g()"], ["f(a=1)", "g()"]),
        ("```[f(a=1)]```", ["f(a=1)"], ["f(a=1)"]),
        ("[f('x', b=2)]", ["f(b=2)"], ["f('x', b=2)"]),
        ("[f(a=true)]", ["f(a='true')"], ["f(a=true)"]),
        ("[f(a=+1)]", ["f(a=-1)"], ["f(a=+1)"]),
        ("[f(a=g(x=1))]", ["f(a=g(x=1))"], ["f(a=g(x=1))"]),
        ("[f(a={'k': {'l': 1}})]", ["f(a=k(l=1))"], ["f(a={'k': {'l': 1}})"]),
        ("", [], []),
        ("[]", [], []),
    ],
)
def test_a_text_is_read_as_the_original_does_or_exactly(reply: str, original: list[str], exact: list[str]):
    assert read_prompt(reply) == original
    assert read_prompt_exactly(reply) == exact


def test_an_empty_dict_is_lost_to_the_original_only():
    with pytest.raises(DecodingError):
        read_prompt("[f(updates={})]")
    assert read_prompt_exactly("[f(updates={})]") == ["f(updates={})"]


@pytest.mark.parametrize(
    "raw",
    [
        [{"f": '{"a": 1, "b": "x"}'}],
        [{"f": {"a": 1, "b": "x"}}],
        [ToolCall(name="f", arguments='{"a": 1, "b": "x"}')],
        [ToolCall(name="f", arguments={"a": 1, "b": "x"})],
    ],
)
def test_native_calls_are_read_from_json_text_and_from_objects(raw: Any):
    assert read_native(raw) == ["f(a=1,b='x')"]


UNREADABLE: list[tuple[ReplyReader, Any]] = [
    (read_prompt, "I am done."),
    (read_prompt, "[f(a=b.c)]"),
    (read_prompt, None),
    (read_prompt, [{"f": "{}"}]),
    (read_prompt_exactly, "f(a=1) and more"),
    (read_prompt_exactly, 5),
    (read_native, "All done."),
    (read_native, None),
    (read_native, {"f": "{}"}),
    (read_native, ["f"]),
    (read_native, [{}]),
    (read_native, [{"f": "not JSON"}]),
    (read_native, [{"f": "5"}]),
    (read_native, [{"f": "[" * 100_000}]),
    (read_call_texts, "f()"),
    (read_call_texts, [5]),
]


@each_row(("read", "raw"), UNREADABLE)
def test_what_holds_no_calls_cannot_be_read(read: ReplyReader, raw: Any):
    with pytest.raises(DecodingError):
        read(raw)


@pytest.mark.parametrize("raw", [[{"f": ""}], [{"f": "null"}], [ToolCall(name="f", arguments="")]])
def test_an_empty_text_or_null_means_no_arguments_read_exactly(raw: Any):
    assert read_native_exactly(raw) == ["f()"]
    with pytest.raises(DecodingError):
        read_native(raw)
