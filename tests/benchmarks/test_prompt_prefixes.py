"""Questions share the beginnings that providers cache."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scripts import script

prefixes = script("benchmarks/prompt_prefixes.py")


def test_questions_about_one_conversation_share_nearly_all_of_their_text():
    shares = {row.prompt: row for row in prefixes.over_criteria(6)}
    assert shares["rubric/each"].least >= 0.95
    assert shares["rubric/examples"].least >= 0.95
    assert shares["rubric/reasons"].least < 0.05


@pytest.mark.slow
def test_prompts_with_examples_share_four_fifths_over_the_suite():
    shares = {row.prompt: row for row in prefixes.over_the_suite()}
    of_examples = {name: row.mean for name, row in shares.items() if name.endswith("/examples")}
    assert len(of_examples) == 6
    assert min(of_examples.values()) >= 0.8


@pytest.mark.parametrize(
    ("one", "two", "length"), [("abc", "abd", 2), ("", "a", 0), ("ab", "ab", 2), ("a", "b", 0)]
)
def test_a_common_prefix_is_as_long_as_it_is(one: str, two: str, length: int):
    assert prefixes.common(one, two) == length


@given(st.text("ab"), st.text("ab"))
def test_the_prefix_is_common_and_the_longest(one: str, two: str):
    length = prefixes.common(one, two)
    assert one[:length] == two[:length]
    assert one[: length + 1] != two[: length + 1] or length == min(len(one), len(two))
