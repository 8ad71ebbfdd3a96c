"""Native calls, JSON, XML, Java and JavaScript."""

# pyright: reportUnknownArgumentType=false, reportUnknownVariableType=false, reportUnknownMemberType=false
# (tables and reference records hold values of any type)

from __future__ import annotations

import json
import re
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
from each_row import each_row
from hypothesis import given
from hypothesis import strategies as st
from tool_calls import calling

from fiducial.deterministic.decoding.json_calls import list_of_objects
from fiducial.deterministic.decoding.replies import (
    decode_native,
    decode_native_strictly,
    decode_output,
    decode_tool_calls,
)
from fiducial.deterministic.decoding.text_replies import decode_prompt
from fiducial.deterministic.decoding.wrapping import AskedForm
from fiducial.errors import DecodingError
from fiducial.records import Output, ToolCall

CALL = [{"f": {"a": 1}}]
FAILS = "fails"


def outcome(read: Callable[..., Any], *arguments: Any, **options: Any) -> Any:
    try:
        return read(*arguments, **options)
    except DecodingError:
        return FAILS


@each_row(
    ("result", "decoded"),
    [
        ([{"f": '{"a": 1}'}], CALL),
        ([{"f": '{"a": 1}', "g": "{}"}], CALL),
        ([{"f": "[1]"}], [{"f": [1]}]),
        ([{"f": '{"a": NaN}'}], [{"f": {"a": pytest.approx(float("nan"), nan_ok=True)}}]),
        ([], []),
        ("", []),
        ({}, []),
        ([{"f": {"a": 1}}], FAILS),
        ([{"f": '{"a": 1'}], FAILS),
        ([{}], FAILS),
        (["f"], FAILS),
        ([None], FAILS),
        ("no", FAILS),
        (None, FAILS),
        (7, FAILS),
        ([{"f": "[" * 100_000}], FAILS),
        ([{"f": "9" * 5_000}], FAILS),
    ],
)
def test_stored_native_calls_are_decoded_or_refused(result: Any, decoded: Any):
    assert outcome(decode_native, result) == decoded


def test_arguments_of_a_tool_call_are_an_object_or_its_text():
    calls = [
        ToolCall(name="f", arguments={"a": 1}),
        ToolCall(name="f", arguments='{"a": 1}'),
        ToolCall(name="f"),
    ]
    assert decode_tool_calls(calls) == [*CALL, *CALL, {"f": {}}]
    assert outcome(decode_tool_calls, [ToolCall(name="f", arguments="a=1")]) == FAILS


@pytest.mark.parametrize(("arguments", "kind"), [('"{\\"a\\": 1}"', "text"), ("[1]", "list"), ("5", "int")])
def test_arguments_encoded_twice_are_named_as_such(arguments: str, kind: str):
    with pytest.raises(DecodingError, match=f"expected the arguments of f as an object, got {kind}"):
        decode_tool_calls([ToolCall(name="f", arguments=arguments)], strictly=True)
    with pytest.raises(DecodingError, match=f"expected the arguments of f as an object, got {kind}"):
        decode_native_strictly([{"f": arguments}])


@pytest.mark.parametrize("arguments", ["", " ", "null", "null\n"])
def test_an_empty_text_or_null_means_no_arguments_strictly_alone(arguments: str):
    assert decode_tool_calls([ToolCall(name="f", arguments=arguments)], strictly=True) == [{"f": {}}]
    assert decode_native_strictly([{"f": arguments}]) == [{"f": {}}]
    assert outcome(decode_tool_calls, [ToolCall(name="f", arguments=arguments)]) in (FAILS, [{"f": None}])


@pytest.mark.parametrize("strictly", [False, True])
def test_native_calls_come_before_text_and_nothing_is_an_empty_reply(strictly: bool):
    decode = partial(decode_output, strictly=strictly)
    assert decode(calling("a", ("f", {"a": 1}), text="f(b=2)")) == CALL
    assert decode(calling("a", text="f(b=2)")) == []
    assert decode(Output(case_id="a", system="s", text="f(b=2)")) == [{"f": {"b": 2}}]
    assert decode(Output(case_id="a", system="s")) == []


LISTED = '[{"function": "f", "parameters": {"l": [{"x": 1}]}}]'


@each_row(
    ("text", "original", "strict"),
    [
        ('[{"function": "f", "parameters": {"a": 1}}]', CALL, CALL),
        ('{"function": "f", "parameters": {"a": 1}}', CALL, CALL),
        ('Sure: ```json\n[{"function": "f", "parameters": {"a": 1}}]\n``` done', CALL, CALL),
        ('["x", {"function": "f", "parameters": {"a": 1}}]', CALL, FAILS),
        ("[]", [], []),
        ("none", [], FAILS),
        ('[{"function": "f"', [], FAILS),
        (LISTED, [], [{"f": {"l": [{"x": 1}]}}]),
        ('[{"name": "f", "parameters": {}}]', FAILS, FAILS),
        ('[{"function": ["f"], "parameters": {}}]', FAILS, FAILS),
        ('[{"function": "f", "parameters": {"a": 2, "a": 1}}]', CALL, FAILS),
    ],
)
def test_json_replies_are_decoded_by_each_rule_set_as_listed(text: str, original: Any, strict: Any):
    assert outcome(decode_prompt, text, AskedForm(form="json")) == original
    assert outcome(decode_prompt, text, AskedForm(form="json"), strictly=True) == strict


OBJECTS = re.compile(r"\[\s*{.*?}\s*(?:,\s*{.*?}\s*)*\]", re.DOTALL)


@given(st.text(alphabet="[]{}, \na", max_size=14))
def test_thelist_of_objects_is_the_one_that_the_regular_expression_finds(text: str):
    outer = re.search(r"\[.*\]", text, re.DOTALL)
    within = outer[0] if outer else text
    found = OBJECTS.search(within)
    assert list_of_objects(text) == (found[0] if found else within)


def verbose(params: str) -> str:
    return f'<functions><function name="f"><params>{params}</params></function></functions>'


@each_row(
    ("kind", "text", "value"),
    [
        ("string", "1", "1"),
        ("integer", " 5 ", 5),
        ("integer", "5.0", FAILS),
        ("float", "5", 5.0),
        ("boolean", "TRUE", True),
        ("boolean", "yes", False),
        ("null", "x", None),
        ("array", "[1, 'x']", [1, "x"]),
        ("array", "[true]", FAILS),
        ("tuple", "(1, 2)", (1, 2)),
        ("dict", "{'k': 1}", {"k": 1}),
        ("object", "f()", FAILS),
        ("whatever", "1", "1"),
    ],
)
def test_xml_values_are_of_their_stated_type(kind: str, text: str, value: Any):
    expected = FAILS if value == FAILS else [{"f": {"a": value}}]
    concise = (
        f'<functions><function name="f"><param name="a" type="{kind}"> {text} </param></function></functions>'
    )
    assert (
        outcome(
            decode_prompt,
            verbose(f'<param name="a" value="{text}" type="{kind}"/>'),
            AskedForm(form="verbose_xml"),
        )
        == expected
    )
    assert outcome(decode_prompt, concise, AskedForm(form="concise_xml")) == expected


@each_row(
    ("text", "decoded"),
    [
        (f"Here: {verbose('')} bye", [{"f": {}}]),
        (verbose('<param name="a"/>'), [{"f": {"a": ""}}]),
        (
            '<functions><function name="f"><param name="a" value="x"/></function></functions>',
            [{"f": {"a": "x"}}],
        ),
        ("<functions></functions>", []),
        ("<functions>", FAILS),
        ("<functions><function></function></functions>", FAILS),
        (verbose('<param value="x"/>'), FAILS),
        (verbose("<param"), FAILS),
        (verbose("&a;"), FAILS),
        (verbose("<!DOCTYPE x [<!ENTITY a 'b'>]>"), FAILS),
        ('<!DOCTYPE x [<!ENTITY a "b">]>' + verbose('<param name="a" value="&a;"/>'), FAILS),
    ],
)
def test_xml_is_well_formed_and_declares_nothing(text: str, decoded: Any):
    assert outcome(decode_prompt, text, AskedForm(form="verbose_xml")) == decoded


@each_row(
    ("text", "decoded"),
    [
        ('A.f(a=1, b="x y")', [{"A.f": {"a": "1", "b": "x y"}}]),
        ("f(a=(String) x)", [{"f": {"a": "(String)x"}}]),
        ("A.f(a=1.5f, b=true)", [{"A.f": {"a": "1.5f", "b": "true"}}]),
        ("A.f(a=1)", FAILS),
        ("A.f(a=1, a=2)", FAILS),
        ("A.f(a=1, b=2); A.f(a=3, b=4)", [{"A.f": {"a": "1", "b": "2"}}]),
        ('A.f(a=new String[]{"x", "y"}, b=1)', [{"A.f": {"a": 'new String[]{"x","y"}', "b": "1"}}]),
        ('A.f(a=new HashMap<String, Integer>() {{ put("k", 1); }}, b=1)', [{"A.f": {"a": "new HashMap<String,Integer>()", "b": "1"}}]),
        ("", {}),
    ],
)  # fmt: skip
def test_java_replies_are_decoded_or_refused(text: str, decoded: Any):
    assert outcome(decode_prompt, text, AskedForm(language="java")) == decoded


def test_java_values_are_kept_as_written_strictly():
    text = 'A.f(a=new HashMap<String, Integer>() {{ put("é", 1); }}, b="ü")'
    assert decode_prompt(text, AskedForm("java"), strictly=True) == [
        {"A.f": {"a": 'new HashMap<String, Integer>() {{ put("é", 1); }}', "b": "ü"}}
    ]


@each_row(
    ("text", "decoded"),
    [
        ("f(a=1, b='x', c=`t`)", [{"f": {"a": "1", "b": "x", "c": "`t`"}}]),
        ("o.f(a={k: [1, 2]})", [{"o.f": {"a": "{k: [1, 2]}"}}]),
        ("f(a='x' + 'y')", [{"f": {"a": "x' + 'y"}}]),
        ("f(x)", [{"f": {None: "x"}}]),
        ("f(false)", [{"f": {}}]),
        ("f(x, y)", FAILS),
        ("f(a=1, a=2)", FAILS),
        ("f(a=1), g(b=2)", None),
        ("new F(a=1)", None),
        ("", None),
        ("f(a=", FAILS),
    ],
)
def test_javascript_replies_are_decoded_or_refused(text: str, decoded: Any):
    assert outcome(decode_prompt, text, AskedForm(language="javascript")) == decoded


def is_result_or_failure(found: Any) -> bool:
    """Return whether checkers can use a result: calls, None, an empty object, or a failure."""
    return found in (None, {}, FAILS) or isinstance(found, list)


@given(st.text(max_size=30))
def test_every_decoder_gives_a_result_or_a_decoding_error(text: str):
    found = [outcome(decode_native, [{"f": text}]), outcome(decode_native, json.loads(json.dumps(text)))]
    for form in ("json", "verbose_xml", "concise_xml"):
        found.append(outcome(decode_prompt, f"<functions>{text}</functions>", AskedForm(form=form)))
        found.append(outcome(decode_prompt, f"[{{{text}", AskedForm(form=form), strictly=True))
    for language in ("java", "javascript"):
        found.append(outcome(decode_prompt, text, AskedForm(language=language)))
        found.append(
            outcome(decode_prompt, f"A.f(a={text}, b=1)", AskedForm(language=language), strictly=True)
        )
    assert [each for each in found if not is_result_or_failure(each)] == []
