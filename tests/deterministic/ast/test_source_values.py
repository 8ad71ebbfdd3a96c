"""Spans are found as a lazy regular expression finds them, in linear time."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from fiducial.deterministic.ast.java_values import map_entries
from fiducial.deterministic.ast.source_values import spans

OPENING = re.compile(r"a\s*\(")


@given(st.text(alphabet="a() \nx", max_size=14))
def test_spans_are_those_of_the_regular_expression(text: str):
    assert list(spans(text, OPENING, ")")) == re.findall(r"a\s*\((.*?)\)", text)


@given(st.text(alphabet="a() \nx", max_size=14))
def test_spans_of_at_least_one_character_are_too(text: str):
    assert list(spans(text, OPENING, ")", at_least=1)) == re.findall(r"a\s*\((.+?)\)", text)


@given(st.lists(st.sampled_from(['put("', '"', ",", ", ", "x", ")", "\n", " "]), max_size=14).map("".join))
def test_map_entries_are_those_of_the_regular_expression(text: str):
    assert list(map_entries(text)) == re.findall(r'put\("(.*?)",\s*(.*?)\)', text)
