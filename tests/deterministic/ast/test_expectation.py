"""The two ways of comparing texts."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from fiducial.deterministic.ast.expectation import standardise
from fiducial.deterministic.ast.strict_rules import standardise_strictly

TEXTS = st.text(alphabet=st.sampled_from("aB1 9,./-_*^'\"xé()"), max_size=12)


def test_the_original_removes_blanks_and_punctuation_and_nothing_else():
    assert standardise("A b,c.d/e-f_g*h^i'j:k\tl(m)") == 'abcdefghi"j:k\tl(m)'


@given(TEXTS)
def test_standard_forms_are_their_own_standard_form(text: str):
    assert standardise(standardise(text)) == standardise(text)


@given(TEXTS, TEXTS)
def test_texts_that_are_the_same_strictly_are_the_same_to_the_original(one: str, other: str):
    if standardise_strictly(one) == standardise_strictly(other):
        assert standardise(one) == standardise(other)


@given(TEXTS)
def test_case_and_outer_blanks_never_count_strictly(text: str):
    assert standardise_strictly(f"  {text.upper()} ") == standardise_strictly(text)
