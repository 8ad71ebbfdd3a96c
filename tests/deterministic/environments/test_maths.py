"""The calculator."""

from __future__ import annotations

import math
import sys
from decimal import Decimal
from typing import Any

import pytest
from each_row import each_row

from fiducial.deterministic.environments.maths import MathAPI

EMPTY: list[float] = []


@each_row(
    ("method", "arguments", "result"),
    [
        ("add", (2, 0.5), 2.5),
        ("add", ("a", "b"), "ab"),
        ("subtract", (2, 3), -1),
        ("multiply", (2, 3), 6),
        ("divide", (1, 4), 0.25),
        ("power", (2, 10), 1024),
        ("power", (2, -1), 0.5),
        ("percentage", (1, 8), 12.5),
        ("absolute_value", (-3,), 3),
        ("round_number", (2.5,), 2.0),
        ("round_number", (2.345, 1), 2.3),
        ("round_number", (1250, -2), 1200),
        ("mean", ([1, 2],), 1.5),
        ("standard_deviation", ([1, 3],), 1.0),
        ("min_value", ([3, 1, 2],), 1),
        ("max_value", ([3, 1, 2],), 3),
        ("sum_values", ([3, 1, 2],), 6),
        ("si_unit_conversion", (2, "km", "m"), 2000.0),
        ("imperial_si_conversion", (100, "celsius", "fahrenheit"), 212.0),
        ("imperial_si_conversion", (212, "fahrenheit", "celsius"), 100.0),
        ("imperial_si_conversion", (2, "in", "cm"), 5.08),
        ("imperial_si_conversion", (2, "cubit", "cubit"), 2),
        # Rounded at each step, whatever the Python.
        ("sum_values", ([0.1] * 10,), 0.9999999999999999),
        ("mean", ([0.1] * 10,), 0.09999999999999999),
    ],
)
def test_every_method_gives_the_right_number_of_the_right_type(
    method: str, arguments: tuple[Any, ...], result: Any
) -> None:
    answer = getattr(MathAPI(), method)(*arguments)
    assert answer == {"result": result}
    assert type(answer["result"]) is type(result)


@each_row(
    ("method", "arguments", "text"),
    [
        ("add", ("a", 1), "Both inputs must be numbers"),
        ("subtract", ("a", "b"), "Both inputs must be numbers"),
        ("multiply", ("a", 2), "Both inputs must be numbers"),
        ("divide", (1, 0), "Cannot divide by zero"),
        ("divide", ("a", 1), "Both inputs must be numbers"),
        ("power", ("a", 1), "Both inputs must be numbers"),
        ("percentage", (1, 0), "Whole value cannot be zero"),
        ("absolute_value", ("a",), "Input must be a number"),
        ("round_number", (1.5, 0.5), "First input must be a number, second input must be an integer"),
        ("mean", (EMPTY,), "Cannot calculate mean of an empty list"),
        ("standard_deviation", (EMPTY,), "Cannot calculate standard deviation of an empty list"),
        ("min_value", (EMPTY,), "Cannot find minimum of an empty list"),
        ("max_value", (EMPTY,), "Cannot find maximum of an empty list"),
        ("sum_values", (EMPTY,), "Cannot calculate sum of an empty list"),
        ("mean", (["a"],), "All elements in the list must be numbers"),
        ("standard_deviation", (["a"],), "All elements in the list must be numbers"),
        ("min_value", ([1, "a"],), "All elements in the list must be numbers"),
        ("max_value", ([1, "a"],), "All elements in the list must be numbers"),
        ("sum_values", ([1, "a"],), "All elements in the list must be numbers"),
        ("si_unit_conversion", ("1", "km", "m"), "Value must be a number"),
        ("si_unit_conversion", (1, "km", "mile"), "Conversion from 'km' to 'mile' is not supported"),
        (
            "si_unit_conversion",
            (10**400, "km", "cm"),
            "Conversion resulted in a value too large to represent",
        ),
        ("imperial_si_conversion", ("1", "in", "in"), "Value must be a number"),
        ("imperial_si_conversion", (1, "in", "kg"), "Conversion from 'in' to 'kg' is not supported"),
        ("square_root", (-1, 5), "Cannot calculate square root of a negative number"),
        ("square_root", ("4", 5), "Input must be a number or computation resulted in an invalid operation"),
        ("square_root", (4, "5"), "Input must be a number or computation resulted in an invalid operation"),
        ("logarithm", ("a", 2, 5), "cannot create mpf from 'a'"),
    ],
)
def test_it_says_what_it_cannot_reckon(method: str, arguments: tuple[Any, ...], text: str) -> None:
    assert getattr(MathAPI(), method)(*arguments) == {"error": text}


def test_a_root_has_the_wanted_digits() -> None:
    assert str(MathAPI().square_root(2, 5)) == "{'result': Decimal('1.4142')}"
    assert MathAPI().square_root(2, 30)["result"] ** 2 == pytest.approx(Decimal(2), abs=Decimal("1e-28"))


def test_a_logarithm_has_the_wanted_digits_and_mpmaths_type() -> None:
    assert str(MathAPI().logarithm(7, 2, 5)) == "{'result': mpf('2.8073578')}"
    assert float(MathAPI().logarithm(7, 2, 30)["result"]) == pytest.approx(math.log2(7), abs=1e-15)


def test_a_logarithms_precision_does_not_linger() -> None:
    coarse = MathAPI().logarithm(7, 2, 3)["result"]
    before = repr(coarse)
    MathAPI().logarithm(7, 2, 50)
    assert repr(coarse) == before


@pytest.mark.parametrize(
    ("method", "arguments"),
    [
        ("power", (7, 10**9)),
        ("square_root", (2, 10**9)),
        ("add", ("a" * 600_000, "b" * 600_000)),
    ],
)
def test_what_would_take_ages_or_gigabytes_is_refused(method: str, arguments: tuple[Any, ...]) -> None:
    with pytest.raises((OverflowError, ValueError), match=r"too large|not supported"):
        getattr(MathAPI(), method)(*arguments)


def test_a_logarithm_of_too_many_digits_is_an_error() -> None:
    assert MathAPI().logarithm(7, 2, 10**9) == {
        "error": "precision of more than 1000 digits is not supported"
    }


@pytest.mark.parametrize("number", [0, 5, -123, 10**50])
def test_rounding_far_before_the_point_is_zero_at_once(number: int) -> None:
    assert MathAPI().round_number(number, -(10**9)) == {"result": 0}


def test_a_hostile_number_does_not_lift_the_limit_on_digits_for_the_whole_process():
    limit = sys.get_int_max_str_digits()
    world = MathAPI()
    world.load({})
    assert "error" in world.logarithm("not a number", 10, 5)  # pyright: ignore[reportArgumentType] - hostile on purpose
    assert sys.get_int_max_str_digits() == limit
