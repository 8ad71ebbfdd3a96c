"""Values under evaluation, fit to be quoted and stored."""

from __future__ import annotations

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from fiducial.deterministic.finding import plain, shorten

SCALARS = (
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.binary() | st.complex_numbers()
)
KEYS = st.none() | st.integers() | st.text() | st.binary()
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner) | st.tuples(inner, inner) | st.dictionaries(KEYS, inner),
    max_leaves=20,
)


@given(VALUES)
def test_any_value_becomes_json(value: object):
    msgspec.json.encode(plain(value))
    assert len(shorten(value)) < 5_000


def test_small_json_stays_as_it_is():
    value = {"a": [1, 2.5, "x", None, True]}
    assert plain(value) == value


def test_what_json_lacks_becomes_what_comes_near():
    assert plain((1, {2}, b"x", float("nan"), 2**70, ...)) == [1, [2], "b'x'", "nan", str(2**70), "Ellipsis"]


def test_size_and_depth_are_bounded():
    deep: list[object] = []
    for _ in range(500):
        deep = [deep]
    assert len(msgspec.json.encode(plain(deep))) < 100
    assert len(plain("x" * 100_000)) < 3_000
    assert len(plain(list(range(100_000)))) == 100
    assert shorten(10**5_000) == f"an integer of {(10**5_000).bit_length()} bits"
