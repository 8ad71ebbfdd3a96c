"""Grades as people write them."""

from __future__ import annotations

import pytest
from each_row import each_row
from hypothesis import given
from hypothesis import strategies as st

from fiducial.records.scale import UNDECLARED_SCALE, Scale
from fiducial.tables.grades import UnknownGradeError, grade_score, majority
from fiducial.tables.unread_grades import UnreadGrades

pytestmark = pytest.mark.usefixtures("typed_options")


@each_row(
    ("value", "score"),
    [
        ("Pass", 1.0),
        (" not_grounded ", 0.0),
        ("YES", 1.0),
        ("bad", 0.0),
        ("up", 1.0),
        ("Thumbs_Down", 0.0),
        ("👎", 0.0),
        (True, 1.0),
        ("0.25", 0.25),
        ("0,25", 0.25),
        (" 1,0 ", 1.0),
        ("0,125", 0.125),
        (1, 1.0),
        ("", None),
        (None, None),
        ("N/A", None),
        (" - ", None),
        ("not_rated", None),
        (float("nan"), None),
        ("NaN", None),
        ("null", None),
    ],
)
def test_usual_words_and_numbers_are_read(value: object, score: float | None) -> None:
    assert grade_score(value, UNDECLARED_SCALE) == score


@each_row("value", ["sort of", "1,000", "0,5,0", "inf", 3, -0.1, [1], float("inf")])
def test_what_is_no_grade_is_refused(value: object) -> None:
    with pytest.raises(UnknownGradeError):
        grade_score(value, UNDECLARED_SCALE)


def test_a_percentage_is_a_share_unless_a_scale_is_named() -> None:
    assert [grade_score(text, UNDECLARED_SCALE) for text in ("55 %", "100%", "0,5 %", "1 %")] == [
        0.55,
        1.0,
        0.005,
        0.01,
    ]
    assert grade_score("25 %", Scale.from_ends((0, 50))) == 0.5
    assert [grade_score(text, Scale.from_ends(pass_at=60)) for text in ("55 %", "60 %")] == [0.0, 1.0]
    for text in ("101 %", "-1 %", "x %", "%", "nan %"):
        with pytest.raises(UnknownGradeError):
            grade_score(text, UNDECLARED_SCALE)


def test_a_scale_is_stretched_to_the_unit_and_may_be_upside_down() -> None:
    assert [grade_score(grade, Scale.from_ends((1, 5))) for grade in ("1", 3, 5.0)] == [0.0, 0.5, 1.0]
    assert [grade_score(grade, Scale.from_ends((5, 1))) for grade in (5, 1)] == [0.0, 1.0]
    with pytest.raises(UnknownGradeError):
        grade_score(6, Scale.from_ends((1, 5)))


def test_a_threshold_is_on_the_scale_as_it_is_written() -> None:
    assert [grade_score(grade, Scale.from_ends((1, 5), pass_at=4)) for grade in (3, 4, 5)] == [0.0, 1.0, 1.0]
    assert [grade_score(grade, Scale.from_ends((5, 1), pass_at=2)) for grade in (3, 2, 1)] == [0.0, 1.0, 1.0]
    assert grade_score("71", Scale.from_ends(pass_at=70)) == 1.0


def test_words_that_are_told_come_before_the_usual_ones() -> None:
    assert grade_score("Good", Scale.from_ends(words={"good": 0.0, "sort of": 0.5})) == 0.0
    assert grade_score(3, Scale.from_ends((1, 5), words={"3": 0.0})) == 0.0


@given(st.lists(st.booleans(), min_size=1, max_size=7))
def test_the_majority_is_what_more_than_half_say_and_a_tie_is_no_label(said: list[bool]) -> None:
    passed = sum(said)
    expected = None if passed * 2 == len(said) else float(passed * 2 > len(said))
    assert majority(["yes" if each else "no" for each in said], UNDECLARED_SCALE) == expected


def test_a_number_beyond_floating_point_is_an_unknown_grade() -> None:
    with pytest.raises(UnknownGradeError):
        grade_score(10**400, UNDECLARED_SCALE)


def test_no_scale_that_ends_in_infinity_is_proposed() -> None:
    message = (
        UnreadGrades([(1, {"grade": "Infinity"})], "grade", UNDECLARED_SCALE)
        .error("label_scale", field="grade")
        .message
    )
    assert message.endswith(
        "got 'Infinity'; replace these values with numbers, or with words such as pass and fail"
    )


def test_a_symmetrical_scale_is_proposed_for_grades_below_zero() -> None:
    rows = [(1, {"grade": -1}), (2, {"grade": 1}), (3, {"grade": -2})]
    message = UnreadGrades(rows, "grade", UNDECLARED_SCALE).error("label_scale", field="grade").message
    assert ", -2:2 if 2 is best, 2:-2 if -2 is: " in message
    assert message.endswith("--label-scale '?:?'")


@each_row(
    ("scale", "grades", "expected", "proposed"),
    [
        (UNDECLARED_SCALE, [2, 5], "in [0, 1]", "1:5"),
        (UNDECLARED_SCALE, [0.5, 3, 1.5], "in [0, 1]", "1:5"),
        (Scale.from_ends(ends=(1, 5)), [0, 3], "from 1 to 5", "0:5"),
        (Scale.from_ends(ends=(1, 5)), [7], "from 1 to 5", "1:10"),
        (Scale.from_ends(ends=(0, 10)), [50], "from 0 to 10", "0:100"),
    ],
)
def test_a_grade_off_the_scale_is_told_that_scale_and_one_that_holds_it(
    scale: Scale, grades: list[float], expected: str, proposed: str
) -> None:
    rows = [(line, {"grade": grade}) for line, grade in enumerate(grades, start=1)]
    message = UnreadGrades(rows, "grade", scale).error("label_scale", field="grade").message
    assert message.startswith(f"expected a number {expected} or null, got ")
    assert f", {proposed} if" in message
    assert message.endswith("--label-scale '?:?'")
