"""Calls written as Python, with the original's oddities and as Python means them."""

# pyright: reportUnknownArgumentType=false, reportUnknownVariableType=false, reportUnknownMemberType=false
# (tables and reference records hold values of any type)

from __future__ import annotations

import warnings
from typing import Any

import pytest
from each_row import each_row
from hypothesis import given
from hypothesis import strategies as st

from fiducial.deterministic.decoding.plain_calls import read_plain_calls
from fiducial.deterministic.decoding.python_calls import call_nodes, read_call
from fiducial.deterministic.decoding.text_replies import decode_prompt
from fiducial.deterministic.decoding.wrapping import AskedForm
from fiducial.errors import DecodingError
from fiducial.records.python_syntax import Unquoted

FAILS = "fails"


def decode(text: str) -> Any:
    try:
        return decode_prompt(text)
    except DecodingError:
        return FAILS


def decode_strictly(text: str) -> Any:
    try:
        return decode_prompt(text, strictly=True)
    except DecodingError:
        return FAILS


@each_row(
    ("text", "decoded"),
    [
        ("[f(a=1)]", [{"f": {"a": 1}}]),
        ("f(a=1), g.h(b='x')", [{"f": {"a": 1}}, {"g.h": {"b": "x"}}]),
        ("```[f(a=1)]\n``` ", [{"f": {"a": 1}}]),
        ("[f(a=1)", [{"f": {"a": 1}}]),
        ("f(a=1)]", [{"f": {"a": 1}}]),
        ("[f(a=1),]", [{"f": {"a": 1}}]),
        ("", []),
        ("[ ]", []),
        ("[#\n]", []),
        ("[f(a=1)]\t", FAILS),
        ("[f(a=1)]\r\n", FAILS),
        ("```python\n[f(a=1)]\n```", FAILS),
        ("f(a=1) # one", FAILS),
        ("f(a=1); g(b=2)", FAILS),
        ("f(a=1)\ng(b=2)", FAILS),
        ("(f(a=1), g(b=2))", FAILS),
        ("[1]", FAILS),
        ("I am sorry.", FAILS),
        ("Paris (France)", [{"Paris": {}}]),
        ("f(1, *x, a=2)", [{"f": {"a": 2}}]),
        ("f(a:=1)", [{"f": {}}]),
        ("f(**x)", [{"f": {None: "x"}}]),
        ("f(a=1, a=2)", [{"f": {"a": 2}}]),
        ("f(from=1)", FAILS),
        ("a().b(c=1)", [{"b": {"c": 1}}]),
        ("f[0](a=1)", [{"": {"a": 1}}]),
        ("\uff46(a=1)", [{"f": {"a": 1}}]),
        ("<TOOLCALL>[f(a=1)]</TOOLCALL>", FAILS),
    ],
)
def test_a_reply_is_decoded_or_refused_as_the_original_does(text: str, decoded: Any):
    assert decode(text) == decoded


@each_row(
    ("value", "original", "strict"),
    [
        ("'x' \"y\"", "xy", "xy"),
        ("b'x'", b"x", b"x"),
        ("2j", 2j, 2j),
        ("...", "...", ...),
        ("-1", -1, -1),
        ("+1", -1, 1),
        ("~1", -1, -2),
        ("not True", -1, False),
        ("--1", FAILS, 1),
        ("-(1+2)", FAILS, -3),
        ("-'a'", FAILS, FAILS),
        ("1+2", 3, 3),
        ("'ab'*2", "abab", "abab"),
        ("2**70", 2**70, 2**70),
        ("1/0", FAILS, FAILS),
        ("pi*2", FAILS, FAILS),
        ("len('x')+1", FAILS, FAILS),
        ("true", "true", Unquoted("true")),
        ("g(1)", "g(1)", Unquoted("g(1)")),
        ("g(1, k=2)", {"g": {"k": 2}}, Unquoted("g(1, k=2)")),
        ("x[0]", "x[0]", Unquoted("x[0]")),
        ("x.y", FAILS, Unquoted("x.y")),
        ("[1, (2, 'x')]", [1, (2, "x")], [1, (2, "x")]),
        ("{'k': [True, None]}", {"k": [True, None]}, {"k": [True, None]}),
        ("{**x}", FAILS, FAILS),
        ("{[1]: 2}", FAILS, FAILS),
        ("{1, 2}", FAILS, {1, 2}),
        ("f'{x}'", FAILS, FAILS),
        ("lambda: 1", FAILS, FAILS),
        ("1 if x else 2", FAILS, FAILS),
        ("[x for x in y]", FAILS, FAILS),
    ],
)
def test_a_value_keeps_its_type_or_is_refused_by_each_rule_set(value: str, original: Any, strict: Any):
    text = f"f(a={value})"
    assert decode(text) == (FAILS if original == FAILS else [{"f": {"a": original}}])
    read = decode_strictly(text)
    assert read == (FAILS if strict == FAILS else [{"f": {"a": strict}}])
    if strict != FAILS:
        assert type(read[0]["f"]["a"]) is type(strict)


@each_row("text", ["f(1)", "f(*x)", "f(**x)", "f(a=1, a=2)", "a().b(c=1)", "f[0](a=1)"])
def test_no_part_of_a_reply_vanishes_strictly(text: str):
    assert decode_strictly(text) == FAILS


def test_unknown_escapes_raise_no_warning():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert decode(r"f(a='\d', b=1)") == [{"f": {"a": r"\d", "b": 1}}]
        assert decode("f(a=1if 2else 3)") == FAILS


def test_tagged_calls_stand_between_the_first_tags():
    text = "So: <TOOLCALL> f(a=1) </TOOLCALL> and <TOOLCALL>g()</TOOLCALL>"
    assert decode_prompt(text, AskedForm(tagged=True)) == [{"f": {"a": 1}}]
    with pytest.raises(DecodingError, match="TOOLCALL"):
        decode_prompt("[f(a=1)]", AskedForm(tagged=True))


VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False, min_value=0)
    | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=6,
)
NAMES = st.from_regex(r"[a-z_]{1,4}", fullmatch=True).filter(lambda name: name not in {"as", "if", "in", "is", "or", "and", "not", "def", "del", "for", "try", "elif", "else", "from", "pass", "with"})  # fmt: skip


@given(st.lists(st.tuples(NAMES, st.dictionaries(NAMES, VALUES, max_size=3)), max_size=3))
def test_what_python_writes_is_read_back(calls: list[tuple[str, dict[str, Any]]]):
    text = ", ".join(
        f"{name}({', '.join(f'{key}={value!r}' for key, value in given.items())})" for name, given in calls
    )
    expected = [{name: arguments} for name, arguments in calls]
    assert decode(f"[{text}]") == expected
    assert decode_strictly(f"[{text}]") == expected


PIECES = st.sampled_from(
    ["f", "g.h", "class", "(", ")", "a", "=", ",", " ", "\n", "[", "]", "'x'", '"y"', "'", '"', "\\n", "\\d", "\\\\", "1", "-2", "007", "1.5", "1e5", "1.5e3", "True", "None", "x", "é", "\r", "\t", "\x00", "�", "#", "+", "'it\\'s'", "f(a=1)", "f(a='x', b=[1, 'y'])", "1_0", "0x1", "b'z'"]
)  # fmt: skip


@given(st.lists(PIECES, max_size=12).map("".join))
def test_the_quick_reader_reads_what_the_parser_reads(text: str):
    code = f"[{text}]"
    plain = read_plain_calls(code)
    if plain is not None:
        parsed = [read_call(node) for node in call_nodes(code)]
        assert repr(plain) == repr(parsed)


@given(st.text())
def test_any_text_gives_calls_or_a_decoding_error(text: str):
    for read in (decode, decode_strictly):
        for reply in (text, f"f(a={text})", f"f(a='{text}')"):
            found = read(reply)
            assert found == FAILS or all(isinstance(call, dict) for call in found)


def test_only_literals_are_ever_evaluated(monkeypatch: pytest.MonkeyPatch):
    def fail(*args: Any, **kwargs: Any) -> None:
        raise AssertionError("code was run")

    for name in ("eval", "exec", "__import__"):
        monkeypatch.setattr(f"builtins.{name}", fail)
    kept_as_text = [{"f": {"a": "__import__('os').system('true')"}}]
    for text, found in (
        ("f(a=__import__('os').system('true'))", kept_as_text),
        ("f(a=1+exit())", FAILS),
        ("f(a=(lambda: 1)()+1)", FAILS),
        ("f(a=[].__class__*2)", FAILS),
    ):
        assert (decode(text), decode_strictly(text)) == (found, found)
