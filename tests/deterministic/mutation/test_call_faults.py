"""Arguments that may mean the same in each other's place."""

from __future__ import annotations

from each_row import each_row

from fiducial.deterministic.mutation.call_faults import are_interchangeable


@each_row(
    ("one", "other", "may"),
    [
        ("num1", "num2", True),
        ("a", "b", True),
        ("point_a", "point_b", True),
        ("first", "second", True),
        ("firstNumber", "secondNumber", True),
        ("city1", "city2", True),
        ("origin", "destination", False),
        ("base", "height", False),
        ("from_unit", "to_unit", False),
        ("x_label", "y_axis", False),
    ],
)
def test_names_that_differ_in_a_count_alone_say_nothing_of_the_place(one: str, other: str, may: bool):
    assert are_interchangeable(one, other) == may
    assert are_interchangeable(other, one) == may
