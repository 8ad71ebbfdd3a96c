"""Faults of conversion: what each value becomes, and where none applies."""

from __future__ import annotations

import random
from typing import Any

from each_row import each_row

from fiducial.deterministic.mutation.conversion_faults import (
    CONVERSION_FAULTS,
    other_calendar,
    other_currency,
    other_unit_of_quantity,
    other_zone,
)
from fiducial.deterministic.mutation.subject import Site
from fiducial.deterministic.mutation.value_faults import Perturb


def becomes(perturb: Perturb, value: Any, description: str = "") -> list[Any]:
    return list(perturb(Site(0, ("a",), value, {"description": description}), random.Random(0)))


@each_row(
    ("value", "description", "wrong"),
    [
        (5.0, "The distance in kilometers.", [3.11]),
        (80, "Weight in kg", [176]),
        (20.0, "Degrees Celsius.", [68.0]),
        (212, "In Fahrenheit", [100]),
        (3, "How many hours.", [180]),
        (5, "In kilometers or miles, as the unit says.", []),
        (5, "How many guests.", []),
        (-40.0, "in celsius", []),  # where both scales read the same
        (True, "hours", []),
        (float("nan"), "in km", []),
        ("5", "in km", []),
        (1.7e308, "in seconds", []),  # too large for a float
    ],
)
def test_a_quantity_is_given_in_another_unit_than_the_one_that_is_documented(
    value: Any, description: str, wrong: list[Any]
):
    found = becomes(other_unit_of_quantity, value, description)
    assert found == wrong
    assert all(type(each) is type(value) for each in found)


def test_a_clock_time_is_shifted_by_whole_zones_within_its_day():
    assert becomes(other_zone, "at 23:10") == ["at 18:10"]
    assert becomes(other_zone, "2026-05-04T09:00:00") == [
        "2026-05-04T10:00:00",
        "2026-05-04T04:00:00",
        "2026-05-04T14:30:00",
        "2026-05-04T18:00:00",
    ]
    assert becomes(other_zone, "1:75") == becomes(other_zone, 930) == []


def test_a_date_is_read_by_another_calendar():
    assert becomes(other_calendar, "2026-03-09") == ["2026-09-03", "2026-02-24"]
    assert becomes(other_calendar, "2026-03-20") == ["2026-03-07"]
    assert becomes(other_calendar, "2026-99-99") == []


def test_an_amount_of_money_is_another_currency_s():
    assert becomes(other_currency, 100, "Budget in euros.") == [85]
    assert becomes(other_currency, 100, "Budget.") == []
    assert becomes(other_currency, 0, "Budget in euros.") == []


def test_each_has_a_name_of_its_own_and_plants_a_fault():
    assert [fault.plants for fault in CONVERSION_FAULTS] == ["fault"] * 4
