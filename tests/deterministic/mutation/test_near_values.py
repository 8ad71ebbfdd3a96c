"""Wrong numbers, dates and units, in the form of the right ones."""

from __future__ import annotations

import datetime as dt
import random
from collections.abc import Callable, Iterator

from each_row import each_row
from hypothesis import given
from hypothesis import strategies as st

from fiducial.deterministic.mutation.near_values import (
    near_names,
    near_numbers,
    near_numbers_in_text,
    other_magnitude,
    other_magnitude_in_text,
    other_sign,
    other_sign_in_text,
    other_unit,
    shift_dates,
)


@each_row(
    ("text", "expected"),
    [
        ("2026-05-31", ["2026-06-01", "2026-05-30", "2026-06-28"]),
        ("on 14/05/2026", ["on 14/05/2027", "on 15/05/2026"]),
        ("May 5", ["May 6"]),
        ("5th of May, 2026", ["6th of May, 2026", "5th of May, 2027"]),
        ("28 February", ["27 February"]),
        ("2026-99-99", []),
        ("9999-12-31", []),
        ("room 2026-5", []),
        ("12026", []),
        ("2026-12-14", ["2026-12-15", "2026-12-13", "2027-01-14"]),
        ("May 1st", ["May 2nd"]),
        ("on the 10th of June", ["on the 11th of June"]),
        ("MAY 22ND", ["MAY 23RD"]),
        ("May 05", ["May 06"]),
        ("May 45", []),
        ("12/05/2026", ["12/05/2027", "11/05/2026"]),
        ("13/05/2026", ["13/05/2027", "14/05/2026"]),
        ("05.06.2026", ["05.06.2027", "06.06.2026"]),
        ("1/31/2026", ["1/31/2027"]),
        ("29/02/2024", ["29/02/2028", "28/02/2024"]),
        ("99/99/2026", []),
    ],
)
def test_dates_are_shifted_in_their_own_form(text: str, expected: list[str]):
    assert list(shift_dates(text)) == expected


@each_row(
    ("text", "expected"),
    [
        ("celsius", ["fahrenheit"]),
        ("Celsius", ["Fahrenheit"]),
        ("5 km", ["5 mi"]),
        ("km", ["mi"]),
        ("I am in Rome", []),
        ("born 1990 in Paris", []),
        ("a pipe of 5 in.", ["a pipe of 5 cm."]),
        ("$5 M", []),
        ("$5 m", []),
        ("5 M", []),
        ("M", []),
        ("1.5 m", ["1.5 ft"]),
        ("USD", ["EUR"]),
        ("12 kg of flour", ["12 lb of flour"]),
    ],
)
def test_units_are_taken_for_their_neighbours(text: str, expected: list[str]):
    assert list(other_unit(text)) == expected


def test_numbers_in_texts_are_found_only_where_they_stand_alone():
    assert list(near_numbers_in_text("2026-05-14 v1.2 a3 12:30")) == []
    assert list(near_numbers_in_text("row 7 of 9")) == ["row 8 of 9", "row 7 of 10"]
    assert list(other_sign_in_text("at -3 degrees, 5 off")) == ["at 3 degrees, 5 off"]
    assert list(other_magnitude_in_text("1.5 metres")) == ["15 metres"]


@each_row("change", [other_magnitude_in_text, other_sign_in_text])
@each_row("text", ["0", "-0", "0.0", "row 0"])
def test_zero_has_no_other_magnitude_and_no_sign(change: Callable[[str], Iterator[str]], text: str):
    assert list(change(text)) == []


def test_numbers_in_texts_keep_their_form():
    assert list(near_numbers_in_text("the 1st and the 21st")) == [
        "the 2nd and the 21st",
        "the 1st and the 22nd",
    ]
    assert list(other_magnitude_in_text("the 1st")) == ["the 10th"]
    assert list(other_magnitude_in_text("0.5 litres")) == ["5 litres"]


@given(
    st.dates(dt.date(1990, 1, 1), dt.date(2040, 1, 1)), st.sampled_from(["%d/%m/%Y", "%m/%d/%Y", "%Y-%m-%d"])
)
def test_a_shifted_date_is_another_date_in_the_same_form(date: dt.date, form: str):
    for text in shift_dates(date.strftime(form)):
        shifted = dt.datetime.strptime(text, form).date()  # noqa: DTZ007 - a date alone
        assert shifted != date
        assert shifted.strftime(form) == text


def test_numbers_beyond_floats_are_changed_too():
    assert list(other_magnitude(10**400)) == [10**401, 10**399]
    assert list(other_magnitude(float("inf"))) == []


def test_numbers_keep_their_type():
    assert list(near_numbers(2)) == [3, 1]
    assert list(near_numbers(2.5)) == []
    assert list(other_sign(0)) == []
    assert list(other_sign(-4)) == [4]
    assert list(other_magnitude(30)) == [300, 3]
    assert list(other_magnitude(0.5)) == [5.0, 0.05]
    assert list(other_magnitude(1e308)) == [1e307]


@each_row("text", ["", "lower case", "Room 12", "x" * 100, "  "])
def test_what_is_no_name_has_no_near_name(text: str):
    assert list(near_names(text, random.Random(0))) == []
