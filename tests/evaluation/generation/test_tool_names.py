"""Names of tools as endpoints take them."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from fiducial.evaluation.generation.tool_schemas import ToolNames


def test_a_dot_becomes_an_underscore_and_comes_back():
    names = ToolNames(["math.gcd", "add"])
    assert (names.sent("math.gcd"), names.sent("add")) == ("math_gcd", "add")
    assert (names.own("math_gcd"), names.own("add")) == ("math.gcd", "add")


def test_a_name_that_was_not_offered_stays_what_it_is():
    assert ToolNames(["math.gcd"]).own("math_lcm") == "math_lcm"


def test_a_name_that_is_right_as_it_is_keeps_it():
    names = ToolNames(["math.gcd", "math_gcd"])
    assert names.sent("math_gcd") == "math_gcd"
    assert names.own(names.sent("math.gcd")) == "math.gcd"


@given(st.lists(st.text(min_size=1, max_size=100), max_size=8))
def test_every_name_is_taken_and_comes_back(given_names: list[str]):
    names = ToolNames(given_names)
    for name in given_names:
        assert re.fullmatch(r"[a-zA-Z0-9_-]{1,64}", names.sent(name))
        assert names.own(names.sent(name)) == name
